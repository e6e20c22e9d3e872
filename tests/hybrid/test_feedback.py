"""What each kind of feedback weighs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rocch
from rocch.hybrid.climb import (
    NOTHING,
    ROWS_IN_UNIT,
    Climb,
    Evidence,
    Sides,
    review_weights,
    weigh_load,
    weigh_outcomes,
)
from tests.support.scored import normal_model

ALPHA = 0.05


def test_a_load_of_105_for_100_is_noise_and_150_is_not() -> None:
    assert weigh_load(105, 100, 0.1).decide(ALPHA) == 0
    assert weigh_load(95, 100, 0.1).decide(ALPHA) == 0
    assert weigh_load(150, 100, 0.1).decide(ALPHA) == -1
    assert weigh_load(50, 100, 0.1).decide(ALPHA) == 1
    assert weigh_load(0, 100, 0.1).decide(ALPHA) == 1
    assert weigh_load(5, 3, 0.1).decide(ALPHA) == 0


def test_within_the_tolerance_nothing_ever_accumulates() -> None:
    steady = Sides()
    for _ in range(1000):
        steady += weigh_load(109, 100, 0.1)
    assert steady.decide(ALPHA) == 0
    for _ in range(200):
        steady += weigh_load(130, 100, 0.1)
    assert steady.decide(ALPHA) == -1


def test_ten_complaints_of_one_kind_suffice_and_nine_do_not() -> None:
    assert Sides.opposite(-9, 9).decide(ALPHA) == 0
    assert Sides.opposite(-10, 10).decide(ALPHA) == -1
    assert (Sides.opposite(-10, 10) + Sides.opposite(10, 10)).decide(ALPHA) == 0


def slow_outcomes(
    now: list[float], other: list[float], y: list[bool], w: list[float], costs: tuple[float, float]
) -> Evidence:
    """Row by row, with costs written out."""
    rows = [row for row in zip(now, other, y, w, strict=True) if row[0] != row[1]]
    if not rows:
        return NOTHING
    usual = (sum(weight**2 for *_, weight in rows) / len(rows)) ** 0.5
    total = squares = expected = 0.0
    for before, after, positive, weight in rows:
        before_cost = (1 - before) * costs[1] if positive else before * costs[0]
        after_cost = (1 - after) * costs[1] if positive else after * costs[0]
        saved = (before_cost - after_cost) * weight / usual
        total += saved
        squares += saved**2
        expected += costs[0] * costs[1] * ((before - after) * weight / usual) ** 2
    if len({before > after for before, after, *_ in rows}) == 2:
        expected = max(expected, squares)
    unit = costs[0] * costs[1] * ROWS_IN_UNIT
    return Evidence(total / unit**0.5, (squares + 2 * expected) / 3 / unit)


ROW = st.tuples(
    st.sampled_from([0.0, 0.25, 1.0]),
    st.sampled_from([0.0, 0.25, 1.0]),
    st.booleans(),
    st.sampled_from([1.0, 2.0, 20.0]),
)


@given(st.lists(ROW, min_size=1, max_size=12), st.integers(1, 20), st.integers(1, 20))
def test_outcomes_agree_with_a_row_by_row_account(rows: Any, alarm: int, miss: int) -> None:
    now, other, y, weight = (np.array(column) for column in zip(*rows, strict=True))
    costs = (alarm, miss)
    fast = weigh_outcomes(now, other, y, weight, costs)
    slow = slow_outcomes(now.tolist(), other.tolist(), y.tolist(), weight.tolist(), costs)
    assert fast.total == pytest.approx(slow.total, abs=1e-9)
    assert fast.variance == pytest.approx(slow.variance, abs=1e-9)


def test_only_rows_on_which_decisions_differ_count() -> None:
    now, other = np.array([1.0, 1.0, 0.0]), np.array([1.0, 0.0, 0.0])
    y = np.array([True, False, True])
    few = weigh_outcomes(now, other, y, np.ones(3), (1, 5))
    assert few == weigh_outcomes(now[1:2], other[1:2], y[1:2], np.ones(1), (1, 5))
    assert weigh_outcomes(now, now, y, np.ones(3), (1, 5)) == NOTHING


def test_equal_weights_change_nothing() -> None:
    now, other, y = np.ones(4), np.zeros(4), np.array([True, False, False, False])
    plain = weigh_outcomes(now, other, y, np.ones(4), (1, 2))
    heavy = weigh_outcomes(now, other, y, np.full(4, 20.0), (1, 2))
    assert heavy.total == pytest.approx(plain.total)
    assert heavy.variance == pytest.approx(plain.variance)


@pytest.mark.parametrize("costs", [(0, 3), (3, 0)])
def test_errors_that_cost_nothing_are_no_trouble(costs: tuple[float, float]) -> None:
    y = np.array([True, False] * 20)
    found = weigh_outcomes(np.ones(40), np.zeros(40), y, np.ones(40), costs)
    assert found.total == pytest.approx((-20 if costs[1] else 20) / ROWS_IN_UNIT**0.5)
    assert found.variance > 0
    free = weigh_outcomes(np.ones(2), np.zeros(2), np.array([costs[0] > 0] * 2), np.ones(2), costs)
    assert free == NOTHING


def costs_of(conditions: rocch.Conditions | None) -> tuple[float, float]:
    return Climb(hull=normal_model().hull_, conditions=conditions).error_costs()


def test_error_costs_are_differences_of_costs() -> None:
    conditions = rocch.Conditions(
        prevalence=(0.1, 0.2), false_positive=3, false_negative=25, true_positive=2, true_negative=1
    )
    assert costs_of(conditions) == (2, 23)


def test_missing_or_vague_costs_are_refused() -> None:
    with pytest.raises(rocch.InputError, match=r"conditions must have exact costs .* got none"):
        costs_of(None)
    vague = rocch.Conditions(prevalence=0.1, false_positive=1, false_negative=(5, 10))
    with pytest.raises(rocch.InputError, match="conditions must have exact costs"):
        costs_of(vague)


def test_how_rows_were_chosen_must_be_declared() -> None:
    with pytest.raises(rocch.InputError, match=r"one of the two; got neither.*only because a row"):
        review_weights(False, None, 2)
    with pytest.raises(rocch.InputError, match="got both"):
        review_weights(True, [1, 1], 2)
    assert review_weights(True, None, 2).tolist() == [1, 1]
    assert review_weights(False, [1, 0.25], 2).tolist() == [1, 4]


@pytest.mark.parametrize("shares", [[0, 1], [0.5, 1.5], [-1, 1], [float("nan"), 1], [1], ["a", 1]])
def test_unusable_propensities_are_refused(shares: Any) -> None:
    with pytest.raises(rocch.InputError, match="propensities must"):
        review_weights(False, shares, 2)


@pytest.mark.parametrize("share", [5e-324, 1e-307, 1e-160, 9.9e-10])
def test_propensities_that_no_weight_can_undo_are_refused(share: float) -> None:
    with pytest.raises(rocch.InputError, match="propensities must be probabilities from 1e-09 to"):
        review_weights(False, [share, 1], 2)
    assert review_weights(False, [1e-9, 1], 2) == pytest.approx([1e9, 1])


@pytest.mark.parametrize("count", [-1, float("nan"), float("inf"), "7", None, True])
def test_unusable_counts_are_refused(count: Any) -> None:
    tuner = rocch.hybrid.KnobTuner(normal_model(), start=0.5)
    with pytest.raises(rocch.InputError, match="alarms must be a finite number, not negative"):
        tuner.load(alarms=count, capacity=10)


def test_outcomes_can_be_weighed_where_costs_are_exact() -> None:
    hull = normal_model().hull_
    exact = rocch.Conditions(prevalence=(0.1, 0.2), false_positive=1, false_negative=5)
    vague = rocch.Conditions(prevalence=0.1, false_positive=1, false_negative=(5, 10))
    assert Climb(hull=hull, conditions=exact).has_exact_costs
    assert not Climb(hull=hull, conditions=vague).has_exact_costs
    assert not Climb(hull=hull).has_exact_costs
