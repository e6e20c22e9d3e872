"""After `kill -9` every acknowledged event is there exactly once, and the tuner where it stood."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from tests.support import sudden_end

if TYPE_CHECKING:
    from pathlib import Path


def test_ten_sudden_ends(tmp_path: Path) -> None:
    place, moments = tmp_path / "service.sqlite", random.Random(9)  # noqa: S311 - no secret
    acknowledged: set[str] = set()
    kills = 0
    for together in (1, 2, 3, 4):
        after = [moments.randint(1, 40) for _ in range(together)]
        acknowledged |= sudden_end.killed_together(place, kills, after)
        kills += together
        sudden_end.check(place, acknowledged, kills)
    assert len(acknowledged) > 50
