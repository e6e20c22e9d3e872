"""The sequential test is what it says: a fair bet that nobody can expect to win."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocch.hybrid.climb import NOTHING, PRIOR, Evidence, Sides


@given(st.floats(-25, 25), st.floats(0, 50))
def test_the_e_value_is_the_mixture_of_bets(total: float, variance: float) -> None:
    x = (np.arange(40_000) + 0.5) * 1e-3 / PRIOR**0.5  # the weight beyond 40 deviations is nil
    height = 2 * np.sqrt(PRIOR / (2 * np.pi)) * (x[1] - x[0])
    slow = float(height * np.exp(x * total - x**2 * (variance + PRIOR) / 2).sum())
    assert Evidence(total, variance).e_value == pytest.approx(slow, rel=1e-4)


def test_nothing_heard_is_worth_exactly_the_stake() -> None:
    assert NOTHING.e_value == pytest.approx(1, rel=1e-15)
    assert Sides().decide(0.99) == 0


@given(st.floats(-60, 60))
def test_the_inequality_behind_it_holds(x: float) -> None:
    # Delyon's: with it, squares seen and expected together make the bet fair for any differences
    assert math.exp(x - x * x / 6) <= (1 + x + x * x / 3) * (1 + 1e-12)


@pytest.mark.parametrize("total", [-1e3, -1e6, -1e150, 1e6])
def test_extremes_stay_numbers(total: float) -> None:
    evidence = Evidence(total, 1.0)
    assert math.isfinite(evidence.log_e)
    assert math.isfinite(evidence.e_value)


def test_the_far_left_continues_the_near_left() -> None:
    near, far = (Evidence(z * PRIOR**0.5, 0).log_e for z in (-29.999999, -30.000001))
    assert near == pytest.approx(far, abs=1e-5)
    assert near > far


@given(st.floats(-20, 20), st.floats(0.1, 20))
def test_more_for_one_way_is_more_evidence(total: float, variance: float) -> None:
    assert Evidence(total + 0.1, variance).log_e > Evidence(total, variance).log_e


@pytest.mark.parametrize("miss", [1, 5, 25, 100])
@pytest.mark.parametrize("way", [-1, 1])
def test_skew_differences_seldom_pass_at_any_time(miss: int, way: int) -> None:
    """Rare expensive misses among cheap alarms, costs equal: a move would be for no reason."""
    rng = np.random.default_rng([miss, way + 1])
    alpha, paths, rows = 0.1, 400, 300
    positive = rng.random((paths, rows)) < 1 / (1 + miss)
    saved = way * np.where(positive, miss, -1.0)
    passed = 0
    for path in saved:
        totals = np.cumsum(path) / miss**0.5
        variances = (np.cumsum(path**2) / miss + 2 * np.arange(1, rows + 1)) / 3
        pairs = zip(totals.tolist(), variances.tolist(), strict=True)
        passed += any(Evidence(s, v).log_e >= math.log(2 / alpha) for s, v in pairs if s > 3)
    # half of alpha for each side, and three standard errors of a share
    assert passed / paths <= alpha / 2 + 3 * math.sqrt(alpha / 2 / paths)


def test_a_normal_approximation_would_be_fooled_where_this_is_not() -> None:
    # twenty rows without a positive among them are nothing unusual at 1 positive in 26
    no_positives = Evidence.from_sums(20 / 5, squares=20 / 25, expected_squares=20)
    seen_alone = Evidence(20.0, 20.0)
    assert Sides(left=seen_alone).decide(0.05) == -1
    assert Sides(left=no_positives).decide(0.05) == 0


def test_sides_decide_for_the_stronger_one() -> None:
    strong, stronger = Evidence(12, 10), Evidence(15, 10)
    assert Sides(strong, stronger).decide(0.05) == 1
    assert Sides(stronger, strong).decide(0.05) == -1
    assert Sides(strong).decide(1e-6) == 0
    assert Sides(strong, stronger).toward(1) is stronger
    assert Sides(strong, stronger).without({-1}) == Sides(right=stronger)
    assert Sides(strong) + Sides(strong, stronger) == Sides(Evidence(24, 20), stronger)


def test_a_side_is_settled_when_clearly_worse_or_after_its_window() -> None:
    assert not Evidence(5, 10).is_settled(0.05, 50)
    assert Evidence(-12, 10).is_settled(0.05, 50)
    assert Evidence(5, 50).is_settled(0.05, 50)
