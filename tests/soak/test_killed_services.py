"""Thirty real services killed under feedback load, one after the other, on one record."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from tests.support import killed_service

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.timeout(3600)
def test_thirty_services_that_are_killed(tmp_path: Path) -> None:
    moments = random.Random(30)  # noqa: S311 - no secret
    folder = killed_service.library(tmp_path / "library")
    killed_service.survives(folder, [moments.randint(1, 200) for _ in range(30)])
