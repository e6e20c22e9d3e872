"""`kill -9` under feedback load, then a restart: every acknowledged event is there exactly once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support import killed_service

if TYPE_CHECKING:
    from pathlib import Path


def test_a_service_that_is_killed_twice(tmp_path: Path) -> None:
    killed_service.survives(killed_service.library(tmp_path / "library"), [40, 25])
