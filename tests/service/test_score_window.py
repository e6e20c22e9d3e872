"""The window holds the last scores, whatever parts they came in."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rocch.service.score_window import ScoreWindow


@given(st.integers(1, 9), st.lists(st.integers(0, 25), max_size=12))
def test_it_holds_the_last_ones(room: int, sizes: list[int]) -> None:
    window, said = ScoreWindow(room), 0
    for size in sizes:
        window.add(np.arange(said, said + size, dtype=float))
        said += size
    wanted = list(range(max(0, said - room), said))
    assert sorted(window.scores().tolist()) == wanted
    assert len(window) == len(wanted)


def test_what_it_gives_away_is_a_copy() -> None:
    window = ScoreWindow(3)
    window.add(np.array([1.0, 2.0]))
    window.scores()[:] = 0
    assert window.scores().tolist() == [1, 2]
