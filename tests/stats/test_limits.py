"""Limits stay where AUCs and differences can lie, and follow Newcombe's and Zou's formulas."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocch.roc import Interval
from rocch.stats.auc import auc_limits, bracket_limits, difference_limits

UNITS = st.tuples(st.integers(2, 3000), st.integers(2, 3000))
Z = 1.959963984540054


def newcombe(auc: float, n: int, m: int) -> float:
    """His variance, as printed (method 5)."""
    mean = (n + m) / 2 - 1
    return auc * (1 - auc) * (1 + mean * ((1 - auc) / (2 - auc) + auc / (1 + auc))) / (n * m)


@given(st.floats(0, 1), st.floats(0, 0.25), UNITS, st.floats(0.01, 0.999))
def test_limits_surround_the_estimate_within_0_and_1(
    auc: float, variance: float, units: tuple[int, int], confidence: float
) -> None:
    low, high = auc_limits(auc, variance, units, confidence=confidence)
    assert 0 <= low <= auc <= high <= 1
    assert low < high


@given(st.floats(0, 1), st.floats(0, 0.25), UNITS)
def test_swapping_the_classes_mirrors_the_limits(
    auc: float, variance: float, units: tuple[int, int]
) -> None:
    low, high = auc_limits(auc, variance, units, confidence=0.95)
    mirrored = auc_limits(1 - auc, variance, (units[1], units[0]), confidence=0.95)
    assert mirrored == pytest.approx((1 - high, 1 - low), abs=1e-9)


@pytest.mark.parametrize("auc", [0.5, 0.7, 0.93])
def test_with_newcombes_own_variance_they_are_his(auc: float) -> None:
    """Each limit is an AUC whose own standard error reaches just to the estimate."""
    variance = newcombe(auc, 40, 90)
    for limit in auc_limits(auc, variance, (40, 90), confidence=0.95):
        assert abs(limit - auc) == pytest.approx(Z * math.sqrt(newcombe(limit, 40, 90)), rel=1e-6)


def test_with_many_rows_they_are_two_standard_errors() -> None:
    variance = 2.3e-7
    low, high = auc_limits(0.8, variance, (10**6, 10**6), confidence=0.95)
    assert (high - low) / (2 * Z * math.sqrt(variance)) == pytest.approx(1, rel=1e-3)


def test_a_perfect_ranking_has_newcombes_limit_whatever_the_variance_said() -> None:
    low, high = auc_limits(1.0, 0.0, (20, 30), confidence=0.95)
    assert high == 1
    assert 1 - low == pytest.approx(Z * math.sqrt(newcombe(low, 20, 30)), rel=1e-6)
    wider = auc_limits(1.0, 0.0, (5, 5), confidence=0.95)
    assert wider.low < low < auc_limits(1.0, 0.0, (300, 300), confidence=0.95).low < 1


@given(st.floats(0, 0.2), st.floats(0, 0.2), UNITS)
def test_more_variance_means_wider_limits(one: float, other: float, units: tuple[int, int]) -> None:
    less, more = sorted((one, other))
    inner = auc_limits(0.8, less, units, confidence=0.9)
    outer = auc_limits(0.8, more, units, confidence=0.9)
    assert outer.low <= inner.low + 1e-12
    assert inner.high <= outer.high + 1e-12


def test_differences_of_independent_symmetric_estimates_are_the_usual_ones() -> None:
    found = difference_limits((0.7, 0.6), (Interval(0.65, 0.75), Interval(0.5, 0.7)), 0.0)
    reach = math.hypot(0.05, 0.1)
    assert found == pytest.approx((0.1 - reach, 0.1 + reach))


@given(st.floats(0, 1), st.floats(0, 1), st.floats(-1, 1), UNITS)
def test_differences_stay_between_minus_1_and_1(
    a: float, b: float, correlation: float, units: tuple[int, int]
) -> None:
    intervals = tuple(auc_limits(x, 0.01, units, confidence=0.95) for x in (a, b))
    low, high = difference_limits((a, b), (intervals[0], intervals[1]), correlation)
    assert -1 <= low <= a - b <= high <= 1


BRACKETS = st.tuples(st.floats(0, 1), st.floats(0, 1)).map(lambda pair: Interval(*sorted(pair)))


@given(BRACKETS, st.floats(0, 1), UNITS, st.lists(st.floats(0, 1), max_size=4))
def test_limits_of_a_bracket_enclose_those_of_every_auc_in_it(
    bracket: Interval, share: float, units: tuple[int, int], places: list[float]
) -> None:
    low, high = bracket
    unit = 1 / (units[0] - 1) + 1 / (units[1] - 1)
    even = min(max(low, 0.5), high)
    variance = share * unit * even * (1 - even)
    outer = bracket_limits(bracket, variance, units, confidence=0.95)
    for auc in (low, high, *(low + place * (high - low) for place in places)):
        possible = min(variance, unit * auc * (1 - auc))
        inner = auc_limits(auc, possible, units, confidence=0.95)
        assert outer.low - 1e-12 <= inner.low
        assert inner.high <= outer.high + 1e-12


def test_limits_of_a_narrow_bracket_are_nearly_those_of_an_auc() -> None:
    variance = newcombe(0.93, 4000, 9000)
    one = auc_limits(0.93, variance, (4000, 9000), confidence=0.95)
    narrow = Interval(0.93 - 1e-6, 0.93 + 1e-6)
    found = bracket_limits(narrow, variance, (4000, 9000), confidence=0.95)
    assert found == pytest.approx(one, abs=2e-6)


def test_limits_of_a_bracket_that_reaches_1_stay_close_to_it() -> None:
    """No AUC so close to 1 can have the variance that one at the other end can."""
    unit = 2 / (10**6 - 1)
    variance = unit * 0.9995 * 0.0005
    found = bracket_limits(Interval(0.9995, 1.0), variance, (10**6, 10**6), confidence=0.95)
    assert 0.9993 < found.low < 0.9995
    assert found.high == 1
