"""Least sums over pairs, and joint counts: against trying all of them, also with huge integers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocch.kernels.referral import (
    is_at_most,
    joint_counts,
    least_cells,
    least_pair,
    place_in_bins,
    weighted_sum,
)

# So that sums fit into int64, or need Python integers, even beyond the range of doubles.
UNITS = st.sampled_from([1, 2**60 + 1, 10**400 + 7])


@st.composite
def paths(draw: st.DrawFn) -> tuple[Any, Any, Any, int, Any, Any]:
    """Draw sums of both sides, shares that never fall, a limit, and which places are allowed."""
    size, unit = draw(st.integers(1, 12)), draw(UNITS)
    whole = st.lists(st.integers(-4, 4), min_size=size, max_size=size)
    kind = np.int64 if unit == 1 else object
    upper, lower = (np.array(draw(whole), dtype=kind) * unit for _ in range(2))
    steps = draw(st.lists(st.integers(0, 3), min_size=size, max_size=size))
    shares = np.array(np.cumsum(steps).tolist(), dtype=kind) * unit
    flags = st.lists(st.booleans(), min_size=size, max_size=size)
    one, other = (np.array(draw(flags)) for _ in range(2))
    return upper, lower, shares, draw(st.integers(0, 20)) * unit, one, other


@given(paths(), st.booleans())
def test_the_least_pair_is_that_of_all_pairs(
    path: tuple[Any, Any, Any, int, Any, Any], limited: bool
) -> None:
    upper, lower, shares, most, one, other = path
    allowed = (one, other) if limited else None
    slow = [
        (upper[i] + lower[j], shares[j] - shares[i])
        for j in range(upper.size)
        for i in range(j + 1)
        if shares[j] - shares[i] <= most and (not limited or (one[i] and other[j]))
    ]
    found = least_pair(upper, lower, shares, most, allowed)
    if not slow:
        assert found is None
        return
    assert found is not None
    i, j = found
    assert i <= j
    assert not limited or (one[i] and other[j])
    assert (upper[i] + lower[j], shares[j] - shares[i]) == min(slow)


@given(st.data(), UNITS, UNITS)
def test_cells_and_limits_are_decided_exactly(data: st.DataObject, unit: int, other: int) -> None:
    size = data.draw(st.integers(1, 15))
    counts = st.lists(st.integers(0, 5), min_size=size, max_size=size)
    columns = [np.array(data.draw(counts)) for _ in range(3)]
    goals = [
        [factor * data.draw(st.integers(-3, 3)) + data.draw(st.integers(-1, 1)) for _ in range(3)]
        for factor in (unit, other)
    ]
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    values = [[sum(map(int.__mul__, row, goal)) for goal in goals] for row in rows]
    assert weighted_sum(columns, goals[0]).tolist() == [value[0] for value in values]
    bound = data.draw(st.sampled_from([value[0] for value in values])) + data.draw(
        st.integers(-1, 1)
    )
    assert is_at_most(columns, goals[0], bound).tolist() == [v[0] <= bound for v in values]
    allowed = np.array(data.draw(st.lists(st.booleans(), min_size=size, max_size=size)))
    if allowed.any():
        best = min(value for value, is_so in zip(values, allowed, strict=True) if is_so)
        expected = [i for i in range(size) if allowed[i] and values[i] == best]
        assert least_cells(columns, goals, allowed).tolist() == expected


@pytest.mark.parametrize("weighted", [False, True])
def test_joint_counts_are_those_of_rows(weighted: bool) -> None:
    rng = np.random.default_rng(0)
    y = rng.random(200) < 0.4
    scores = [np.round(rng.normal(size=200), 1) for _ in range(2)]
    thresholds = [np.array([1.0, 0.5, 0.0]), np.array([0.7, -0.2])]
    weights = rng.integers(1, 2**40, 200) if weighted else None
    units = np.ones(200, dtype=np.int64) if weights is None else weights
    bins = [place_in_bins(s, t) for s, t in zip(scores, thresholds, strict=True)]
    counts = joint_counts((bins[0], bins[1]), (3, 2), y, weights)
    for label in (0, 1):
        for i, first in enumerate([*thresholds[0], -np.inf]):
            for j, second in enumerate([*thresholds[1], -np.inf]):
                both = (scores[0] >= first) & (scores[1] >= second) & (y == label)
                assert counts[label, i, j] == units[both].sum()
