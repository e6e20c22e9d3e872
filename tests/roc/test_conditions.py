"""Conditions: slopes, intervals, costs of right decisions."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rocch
from rocch.roc.conditions import Interval, cost_ratios, format_ratios
from tests.support.oracles import decisions

COST = st.fractions(0, 50, max_denominator=8)
SHARE = st.fractions(Fraction(1, 100), Fraction(99, 100), max_denominator=100)


def pair(of: st.SearchStrategy[Fraction]) -> st.SearchStrategy[tuple[Fraction, Fraction]]:
    return st.tuples(of, of).map(lambda ends: (min(ends), max(ends)))


def as_floats(ends: tuple[Fraction, Fraction]) -> tuple[float, float]:
    return float(ends[0]), float(ends[1])


@given(pair(SHARE), pair(COST), pair(COST), pair(COST), pair(COST))
def test_slope_ranges_are_those_of_the_box_of_corners(prevalence, tp, tn, more_fp, more_fn) -> None:  # type: ignore[no-untyped-def]
    fp = (tn[1] + more_fp[0] + 1, tn[1] + more_fp[1] + 1)
    fn = (tp[1] + more_fn[0] + 1, tp[1] + more_fn[1] + 1)
    expected = decisions.slope_range(prevalence, fp, fn, tp, tn)
    conditions = rocch.Conditions(
        prevalence=as_floats(prevalence),
        false_positive=as_floats(fp),
        false_negative=as_floats(fn),
        true_positive=as_floats(tp),
        true_negative=as_floats(tn),
    )
    assert conditions.slope_range == pytest.approx([float(s) for s in expected if s is not None])


def test_low_pairs_with_high() -> None:
    """Pairing the low costs with each other would give (0.25, 0.4): plausible and wrong."""
    vague = rocch.Conditions(prevalence=0.5, false_positive=(10, 20), false_negative=(40, 50))
    assert vague.slope_range == pytest.approx((0.2, 0.5))


def test_costs_of_right_decisions_count() -> None:
    reviewed = rocch.Conditions(
        prevalence=0.5, false_positive=3, false_negative=10, true_positive=2, true_negative=1
    )
    assert reviewed.slope == pytest.approx((3 - 1) / (10 - 2))
    assert reviewed.probability_threshold == pytest.approx(2 / (2 + 8))
    assert reviewed.expected_cost(0.25, 0.5) == pytest.approx(
        0.5 * (0.5 * 10 + 0.5 * 2) + 0.5 * (0.25 * 3 + 0.75 * 1)
    )


def test_extremes_of_prevalence() -> None:
    certain = rocch.Conditions(prevalence=0, false_positive=1, false_negative=1)
    assert certain.slope == math.inf
    assert rocch.Conditions(prevalence=1, false_positive=1, false_negative=1).slope == 0
    free = rocch.Conditions(prevalence=0.5, false_positive=1, false_negative=0)
    assert free.slope == math.inf
    undefined = rocch.Conditions(prevalence=0, false_positive=0, false_negative=1)
    with pytest.raises(rocch.InputError, match="leave an error that can occur"):
        _ = undefined.slope_range


def test_ratio_of_negatives_to_positives() -> None:
    vague = rocch.Conditions.from_ratio(
        negatives_per_positive=(4, 6), false_positive=1, false_negative=1
    )
    assert vague.slope_range == pytest.approx((4, 6))
    low, high = vague.prevalence_interval
    assert (low, high) == pytest.approx((1 / 7, 1 / 5))


def test_observed_prevalence_is_the_hulls() -> None:
    hull = rocch.RocHull.from_scores([0, 0, 0, 1], {"a": [1, 2, 3, 4]})
    observed = rocch.Conditions(prevalence="observed", false_positive=1, false_negative=1)
    with pytest.raises(rocch.InputError, match="only a hull can resolve"):
        _ = observed.slope
    assert observed.resolved(hull.totals).slope == pytest.approx(3)
    assert observed.exact
    assert hull.best(observed).expected_cost == 0
    named = observed.with_prevalence(0.5)
    assert named.slope == 1
    assert named.resolved(hull.totals) is named


def test_intervals_have_no_single_slope_or_threshold() -> None:
    vague = rocch.Conditions(prevalence=0.5, false_positive=(1, 2), false_negative=4)
    with pytest.raises(rocch.InputError, match="Use slope_range"):
        _ = vague.slope
    with pytest.raises(rocch.InputError, match="probability_threshold_range"):
        _ = vague.probability_threshold
    assert vague.probability_threshold_range == pytest.approx((1 / 5, 2 / 6))
    with pytest.raises(rocch.InputError, match="sensitivity"):
        vague.expected_cost(0, 0)


def test_iso_performance_lines_join_points_of_equal_cost() -> None:
    known = rocch.Conditions(prevalence=0.2, false_positive=1, false_negative=3)
    hull = rocch.RocHull.from_scores([0, 0, 1, 1], {"a": [1, 3, 2, 4]})
    vertex = hull.vertices[1]
    line = known.iso_performance_line(vertex)
    along = line.intercept + line.slope * 0.4
    assert known.expected_cost(0.4, along) == pytest.approx(
        known.expected_cost(vertex.fpr, vertex.tpr)
    )
    certain = rocch.Conditions(prevalence=0, false_positive=1, false_negative=1)
    assert certain.iso_performance_line(vertex).slope == math.inf


def test_written_out() -> None:
    vague = rocch.Conditions(prevalence=(0.1, 0.2), false_positive=1, false_negative=(5, 10))
    assert str(vague) == "prevalence 0.1..0.2, false positive 1, false negative 5..10"


def test_an_error_may_not_be_cheaper_than_the_right_decision() -> None:
    with pytest.raises(rocch.InputError, match="cost at least as much as true_negative"):
        rocch.Conditions(prevalence=0.5, false_positive=1, false_negative=5, true_negative=2)


@given(
    st.floats(0.001, 0.999),
    st.floats(0.001, 1000),
    st.floats(0.001, 1000),
)
def test_ratios_of_costs_give_the_slope_back(prevalence: float, alarm: float, miss: float) -> None:
    known = rocch.Conditions(prevalence=prevalence, false_positive=alarm, false_negative=miss)
    low, high = cost_ratios((known.slope, known.slope), prevalence)
    assert (low, high) == pytest.approx((miss / alarm, miss / alarm))
    assert known.cost_ratio_range == (miss / alarm, miss / alarm)


def test_ratios_of_costs_of_a_range_of_slopes() -> None:
    assert cost_ratios((0, math.inf), 0.3) == (0, math.inf)
    assert cost_ratios((0.5, 2), 0.5) == (0.5, 2)
    assert cost_ratios((1, 1), (0.1, 0.5)) == (1, 9)  # each balance has its own ratio
    assert cost_ratios((1, 1), (0.1, 0.5), (2, 5)) == (2, 5)
    assert cost_ratios((1, 2), 0.5, (3, 4)) == (3, 3)  # rounding may move a range to its edge


def test_ratios_stay_within_what_is_known() -> None:
    vague = rocch.Conditions(prevalence=(0.1, 0.5), false_positive=(1, 2), false_negative=(10, 20))
    assert list(vague.cost_ratio_range) == [5, 20]
    assert vague.cost_ratios_at(vague.slope_range) == (5, 20)
    assert vague.cost_ratios_at((0.1, 0.2)) == (5, 20)
    assert vague.cost_ratios_at((1, 1.8)) == (5, 9)
    net = rocch.Conditions(prevalence=0.5, false_positive=3, false_negative=9, true_negative=1)
    assert net.cost_ratio_range == (4.5, 4.5)


@pytest.mark.parametrize(
    ("ratios", "written"),
    [
        ((2.5, 2.5), "2.5"),
        ((0, math.inf), "0 to inf"),
        ((1 / 3, 12.3456), "0.333 to 12.3"),
        ((999.4, 12345.6), "999 to 12,346"),
        ((3.0001, 3.0002), "3"),
    ],
)
def test_ratios_written_out(ratios: tuple[float, float], written: str) -> None:
    assert format_ratios(Interval(*ratios)) == written


@pytest.mark.parametrize(
    "text",
    [
        "Conditions(prevalence=0.1, false_positive=1, false_negative=25)",
        "Conditions(prevalence='observed', false_positive=(1, 2.5), false_negative=25)",
        "Conditions(prevalence=(0.05, 0.1), false_positive=1, false_negative=5, true_positive=2)",
    ],
)
def test_conditions_are_shown_as_they_are_written(text: str) -> None:
    names = {"Conditions": rocch.Conditions}
    assert repr(eval(text, names)) == text  # noqa: S307 - the texts stand above
