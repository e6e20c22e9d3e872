"""Dominance on packed words, in NumPy and compiled, against every pair in plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocch.kernels import _numba as compiled_dominance
from rocch.kernels import dominance
from rocch.kernels.dominance import CoverSearch, nondominated, packing
from tests.support.oracles import dominance as slow

ENGINES = [dominance.find_covering, compiled_dominance.find_covering]
LIMITS = st.one_of(
    st.just(0), st.integers(1, 5), st.sampled_from([127, 128, 2**31 - 1, 2**31, 2**62 - 1])
)


@st.composite
def two_sets(
    draw: st.DrawFn,
) -> tuple[list[int], list[list[int]], list[list[int]]]:
    """Draw limits, points and members; small counts and those at the limits, where it is close."""
    limits = draw(st.lists(LIMITS, min_size=1, max_size=8))
    near = [
        st.one_of(st.integers(0, min(limit, 3)), st.integers(max(0, limit - 3), limit))
        for limit in limits
    ]
    rows = st.lists(st.tuples(*near).map(list), min_size=0, max_size=12)
    return limits, draw(rows), draw(rows)


def as_rows(rows: list[list[int]], width: int) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    return np.array(rows, dtype=np.int64).reshape(len(rows), width)


@pytest.mark.parametrize("find", ENGINES)
@given(two_sets())
def test_the_first_coverer_is_found(
    find: CoverSearch, drawn: tuple[list[int], list[list[int]], list[list[int]]]
) -> None:
    limits, points, members = drawn
    fields = packing(limits)
    asked, offered = (fields.pack(as_rows(rows, len(limits))) for rows in (points, members))
    found = find(asked, offered, fields.guards)
    assert found.tolist() == [slow.coverer(point, members) for point in points]


@pytest.mark.parametrize("find", ENGINES)
@given(two_sets())
def test_the_nondominated_are_found(
    find: CoverSearch, drawn: tuple[list[int], list[list[int]], list[list[int]]]
) -> None:
    limits, points, members = drawn
    both = as_rows(points + members, len(limits)) // len(limits)  # so that no sum overflows
    fields = packing(limits)
    kept = nondominated(fields.pack(both), both.sum(axis=1), fields.guards, find)
    assert kept.tolist() == slow.front(both.tolist())


@pytest.mark.parametrize("find", ENGINES)
@pytest.mark.parametrize(("largest", "objectives"), [(8, 6), (2**31, 12), (2**31, 90)])
def test_more_points_than_one_block(find: CoverSearch, largest: int, objectives: int) -> None:
    rng = np.random.default_rng(objectives)
    few = rng.integers(0, 5, (700, objectives))
    counts = np.where(rng.random((700, 1)) < 0.5, few, np.sort(few, axis=1)) + (largest - 8)
    counts[350:] += rng.integers(0, 2, (350, objectives))
    counts[600:] = np.maximum(counts[:100], counts[100:200])
    fields = packing([largest] * objectives)
    kept = nondominated(fields.pack(counts), counts.sum(axis=1), fields.guards, find)
    assert kept.tolist() == slow.front(counts.tolist())
    assert 0 < kept.size < 700


def test_both_engines_agree_on_many_pairs() -> None:
    rng = np.random.default_rng(0)
    fields = packing([100] * 6)
    points, members = (fields.pack(rng.integers(0, high, (3000, 6))) for high in (101, 60))
    one, other = (find(points, members, fields.guards) for find in ENGINES)
    assert np.array_equal(one, other)
    assert 0 < np.count_nonzero(one >= 0) < 3000


def test_fields_share_words_as_far_as_they_fit() -> None:
    fields = packing([100] * 6)
    assert fields.pack(np.array([[1, 2, 3, 4, 5, 100]])).tolist() == [
        [1 | 2 << 8 | 3 << 16 | 4 << 24 | 5 << 32 | 100 << 40]
    ]
    assert fields.guards.tolist() == [0x808080808080]
    assert packing([127] * 8).guards.size == 1
    assert packing([128] * 8).guards.size == 2
    assert packing([2**62] * 3).guards.size == 3
