"""Four hundred processes killed while they add, each followed by a full check.

Every twenty kills a new library begins, because a young one changes with most additions, and an
old one with few.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from rocch.library import ClassifierLibrary
from tests.support import adders

if TYPE_CHECKING:
    from pathlib import Path

LIBRARIES, KILLS = 20, 20


@pytest.mark.timeout(3600)
def test_four_hundred_kills(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(11)  # noqa: S311 - a test's dice
    trials = []
    for number in range(LIBRARIES):
        path = ClassifierLibrary.create(tmp_path / str(number)).path
        trials.append(adders.Trial(path, monkeypatch, first=number * 1_000))
        for kill in range(KILLS):
            killed = trials[-1].killed_by_line if kill % 2 else trials[-1].killed_by_the_clock
            killed(chance)
            trials[-1].check()
    loose, unsaid = (sum(getattr(trial, what) for trial in trials) for what in ("loose", "unsaid"))
    assert sum(trial.kills for trial in trials) == LIBRARIES * KILLS
    assert loose > 0
    print(  # noqa: T201 - what a long run has to report
        f"{LIBRARIES * KILLS} kills, {sum(len(trial.added) for trial in trials)} additions, "
        f"{unsaid} of them committed but not yet acknowledged, {loose} loose files cleaned"
    )
