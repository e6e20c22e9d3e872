"""Four hundred processes killed while they add to one library, each followed by a full check."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

import adders
from rocch import ClassifierLibrary

if TYPE_CHECKING:
    from pathlib import Path

KILLS = 400


@pytest.mark.timeout(3600)
def test_four_hundred_kills(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trial = adders.Trial(ClassifierLibrary.create(tmp_path / "library").path, monkeypatch)
    chance = random.Random(11)  # noqa: S311 - a test's dice
    for kill in range(KILLS):
        trial.killed_by_line(chance) if kill % 2 else trial.killed_by_the_clock(chance)
        trial.check()
    assert trial.kills == KILLS
    assert trial.loose > 0
    print(  # noqa: T201 - what a long run has to report
        f"{trial.kills} kills, {len(trial.added)} additions, {trial.unsaid} of them committed but "
        f"not yet acknowledged, {trial.loose} loose files cleaned"
    )
