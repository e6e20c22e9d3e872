"""Parameters, costs and counts of a front's members against a plain dictionary."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rocch.arrays import IntArray
from rocch.multiclass.archive import SearchFront

TOTALS = np.array([50, 50])


def matrices(errors: IntArray) -> IntArray:
    wrong, missed = errors.T
    return np.stack((50 - wrong, wrong, missed, 50 - missed), axis=1).reshape(-1, 2, 2)


@given(
    st.lists(
        st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), min_size=1, max_size=9),
        max_size=20,
    )
)
def test_every_member_finds_its_own(rounds: list[list[tuple[int, int]]]) -> None:
    front = SearchFront("rates", TOTALS, 1)
    first_offered: dict[tuple[int, ...], int] = {}
    for number, batch in enumerate(rounds):
        errors = np.array(batch)
        front.offer(np.array([number]), np.full((len(batch), 2, 2), number), matrices(errors))
        for each in batch:
            first_offered.setdefault(each, number)
        parameters, costs, counts = front.columns()
        own = [first_offered[int(cell[0, 1]), int(cell[1, 0])] for cell in counts]
        assert parameters[:, 0].tolist() == costs[:, 1, 0].tolist() == own
        assert front.parent(np.random.default_rng(0))[0] in own


def test_those_that_left_are_forgotten_in_time() -> None:
    front = SearchFront("rates", np.array([10**6, 10**6]), 1)
    counts = np.zeros((1000, 2, 2), dtype=np.int64)
    rising = np.arange(1000)
    for start in range(100_000, 0, -1000):  # each batch dominates the one before
        counts[:, 0, 1], counts[:, 1, 0] = start + rising, start + 999 - rising
        front.offer(np.zeros(1), np.zeros((1000, 2, 2)), counts)
    assert len(front) == 1000
    assert front._rows.size <= 3000


def test_one_parameter_vector_serves_all_entrants() -> None:
    front = SearchFront("rates", TOTALS, 3)
    front.offer(np.array([1.0, 2, 3]), np.zeros((2, 2, 2)), matrices(np.array([[1, 5], [5, 1]])))
    own = front.parent(np.random.default_rng(0))
    own[0] = 9  # a copy: the front's own stays
    assert front.columns()[0].tolist() == [[1, 2, 3], [1, 2, 3]]
