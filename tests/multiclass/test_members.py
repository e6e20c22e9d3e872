"""Payloads by id against a plain dictionary, with members that leave."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rocch.multiclass import archive as members
from rocch.multiclass.archive import Members


@given(st.lists(st.tuples(st.integers(0, 9), st.floats(0, 1)), max_size=30), st.integers(1, 8))
def test_every_present_id_finds_its_own(rounds: list[tuple[int, float]], room: int) -> None:
    before, members.ROOM = members.ROOM, room
    try:
        rng = np.random.default_rng(0)
        kept = Members(classes=2, parameters=1)
        twin: dict[int, float] = {}
        entered = 0
        for new, leaving in rounds:
            ids = np.arange(entered, entered + new)
            marks = rng.random(new)
            entered += new
            kept.add(ids, marks[:, np.newaxis], _matrices(marks), _matrices(ids))
            twin |= dict(zip(ids.tolist(), marks.tolist(), strict=True))
            twin = {key: mark for key, mark in twin.items() if rng.random() > leaving}
            present = np.array(list(twin), dtype=np.int64)
            kept.keep(present)
            parameters, costs, counts = kept.columns(present)
            assert parameters[:, 0].tolist() == list(twin.values())
            assert costs[:, 1, 0].tolist() == list(twin.values())
            assert counts[:, 0, 1].tolist() == list(twin)
            assert all(kept.parameters_of(key).tolist() == [mark] for key, mark in twin.items())
    finally:
        members.ROOM = before


def test_those_that_left_are_forgotten_in_time() -> None:
    kept = Members(classes=2, parameters=1)
    for first in range(0, 100_000, 1000):
        ids = np.arange(first, first + 1000)
        kept.add(ids, np.zeros(1), np.zeros((1000, 2, 2)), np.zeros((1000, 2, 2)))
        kept.keep(ids[-1:])
    assert len(kept._ids) <= 4 * members.ROOM


def test_one_parameter_vector_serves_all_entrants() -> None:
    kept = Members(classes=2, parameters=3)
    kept.add(np.array([0, 1]), np.array([1.0, 2, 3]), np.zeros((2, 2, 2)), np.zeros((2, 2, 2)))
    own = kept.parameters_of(1)
    own[0] = 9  # a copy: the archive's own stays
    assert kept.parameters_of(1).tolist() == [1, 2, 3]


def _matrices(marks: np.ndarray) -> np.ndarray:
    return np.tile(marks[:, np.newaxis, np.newaxis], (1, 2, 2))
