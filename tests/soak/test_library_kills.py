"""Hundreds of processes killed while they add to libraries, each followed by a full check.

    python -m pytest -m '' -n 0 -s tests/soak/test_library_kills.py

It takes about ten minutes, and prints what happened; `-k folder` and `-k postgres` do one half.
Every twenty kills a new library begins, because a young one changes with most additions, and an
old one with few.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from tests.support import adders

if TYPE_CHECKING:
    from tests.support.places import Places

LIBRARIES, KILLS = 20, 20


@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    ("places", "libraries"),
    [
        ("folder", LIBRARIES),
        pytest.param("postgres", LIBRARIES, marks=pytest.mark.postgres),
        pytest.param("s3", 2, marks=[pytest.mark.postgres, pytest.mark.stores]),
    ],
    indirect=["places"],
)
def test_hundreds_of_kills(places: Places, libraries: int, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(11)  # noqa: S311 - a test's dice
    trials = []
    for number in range(libraries):
        place = places.create(str(number)).place
        trials.append(adders.Trial(place, monkeypatch, first=number * 1_000))
        trials[-1].kill(chance, KILLS)
    loose, unsaid = (sum(getattr(trial, what) for trial in trials) for what in ("loose", "unsaid"))
    assert sum(trial.kills for trial in trials) == libraries * KILLS
    assert loose > 0
    print(  # noqa: T201 - what a long run has to report
        f"{libraries * KILLS} kills, {sum(len(trial.added) for trial in trials)} additions, "
        f"{unsaid} of them committed but not yet acknowledged, {loose} loose files cleaned"
    )
