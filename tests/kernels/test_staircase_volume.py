"""Exact volumes under a plane and in the cube, against inclusion and exclusion of all points."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rocch.kernels.dominance import CappedCorners, TooMuchWork, union_measure
from tests.support.oracles import dominance as slow

HUGE = [2**40 - 87, 2**40 - 167, 2**40 - 195]
"""Primes, so that the common denominator leaves 64 bits."""


def capped(points: list[list[int]], totals: list[int], budget: int) -> Fraction:
    corners = CappedCorners(np.array(totals), budget)
    measure = union_measure(np.array(points), corners)
    return Fraction(measure, corners.denominator ** len(totals) * math.factorial(len(totals)))


@st.composite
def staircases(draw: st.DrawFn) -> tuple[list[list[int]], list[int], int]:
    totals = draw(st.lists(st.integers(1, 6), min_size=2, max_size=5))
    row = st.tuples(*(st.integers(0, total) for total in totals)).map(list)
    points = draw(st.lists(row, min_size=1, max_size=5))
    return points, totals, draw(st.integers(1, len(totals)))


@settings(max_examples=60)
@given(staircases())
def test_the_union_equals_inclusion_and_exclusion(
    drawn: tuple[list[list[int]], list[int], int],
) -> None:
    points, totals, budget = drawn
    assert capped(points, totals, budget) == slow.union_volume(points, totals, budget)


@pytest.mark.parametrize(("objectives", "members"), [(2, 60), (3, 60), (4, 40), (6, 30)])
def test_boxes_agree_with_moocore(objectives: int, members: int) -> None:
    moocore = pytest.importorskip("moocore", reason="the volumes extra is not installed")
    rng = np.random.default_rng(objectives)
    totals = rng.integers(20, 60, objectives)
    points = (rng.random((members, objectives)) * totals).astype(np.int64)
    ours = float(capped(points.tolist(), totals.tolist(), objectives))  # the plane cuts nothing off
    theirs = moocore.hypervolume(points / totals, ref=np.ones(objectives))
    assert ours == pytest.approx(theirs, rel=1e-12)


def test_large_denominators_stay_exact() -> None:
    points = [[total // 3, total // 5, total // 7] for total in HUGE]
    assert capped(points, HUGE, 2) == slow.union_volume(points, HUGE, 2)


def test_it_stops_when_the_work_is_too_much() -> None:
    totals = np.array([10, 10, 10])
    points = np.array([[1, 2, 3], [3, 2, 1], [2, 1, 3]])
    with pytest.raises(TooMuchWork):
        union_measure(points, CappedCorners(totals, 2, most=5))


def test_points_are_compared_with_the_plane_in_whole_numbers_of_any_size() -> None:
    totals = np.array([2**21 - 1, 2**21 + 1, 2**21 + 3])  # of which no two share a divisor
    corners = CappedCorners(totals, 2)
    assert totals.size * corners.denominator > 2**64
    points = totals - np.array([[1, 1, 1], [2**20, 2**20, 2**20]])
    assert corners.inside(points).tolist() == [False, True]
