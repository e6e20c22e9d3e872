"""What tests on frames share: a folder for their files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder that all examples of a property may write to."""
    return tmp_path_factory.mktemp("frames")
