"""Tests of studies share the processors with others, so each keeps to one thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from threadpoolctl import threadpool_limits

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    with threadpool_limits(1):
        yield
