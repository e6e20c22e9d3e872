"""Sensitivity: what vague conditions leave open, against brute force over the box."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rocch
from tests.support.oracles import decisions
from tests.support.strategies import judged_table

Table = tuple[list[bool], dict[str, list[float]]]


def share(value: float) -> Fraction:
    return Fraction(value).limit_denominator(10**6)


@given(judged_table(), st.integers(1, 9), st.integers(1, 9), st.integers(0, 9), st.integers(0, 9))
@settings(max_examples=150)
def test_choices_are_the_vertices_that_are_best_somewhere(
    table: Table, fp: int, fn: int, more_fp: int, more_fn: int
) -> None:
    hull = rocch.RocHull.from_scores(*table)
    vague = rocch.Conditions(
        prevalence=(0.2, 0.4), false_positive=(fp, fp + more_fp), false_negative=(fn, fn + more_fn)
    )
    report = hull.sensitivity(vague)
    low, high = vague.slope_range
    edges = sorted({low, high, *(s for s in hull.slopes if low <= s <= high)})
    slopes = [(a + b) / 2 for a, b in pairwise(edges)] or edges
    expected = set()
    for slope in slopes:
        value = hull.tpr - slope * hull.fpr
        expected |= {i for i in range(len(hull)) if value[i] >= value.max() - 1e-12}
    got = {hull.vertices.index(choice.point) for choice in report.choices}
    assert got == expected
    assert report.insensitive == (len(got) == 1)
    assert list(report.switches) == sorted(s for s in hull.slopes if low < s < high)


@given(judged_table(), st.integers(1, 9), st.integers(1, 9), st.integers(0, 9), st.integers(0, 9))
@settings(max_examples=50)
def test_worst_regrets_equal_the_oracles(
    table: Table, fp: int, fn: int, more_fp: int, more_fn: int
) -> None:
    hull = rocch.RocHull.from_scores(*table)
    vague = rocch.Conditions(
        prevalence=(0.25, 0.5),
        false_positive=(fp, fp + more_fp),
        false_negative=(fn, fn + more_fn),
    )
    zero = (Fraction(0), Fraction(0))
    box = (
        (Fraction(1, 4), Fraction(1, 2)),
        (Fraction(fp), Fraction(fp + more_fp)),
        (Fraction(fn), Fraction(fn + more_fn)),
        zero,
        zero,
    )
    path = [(share(v.fpr), share(v.tpr)) for v in hull.vertices]
    report = hull.sensitivity(vague)
    for choice in report.choices:
        point = (share(choice.point.fpr), share(choice.point.tpr))
        exact = float(decisions.worst_regret(point, path, box, 3))
        assert choice.worst_regret == pytest.approx(exact, abs=1e-9)
    assert report.minimax.value <= min(c.worst_regret for c in report.choices) + 1e-12


def three_classifiers() -> rocch.RocHull:
    """A is best for steep slopes, E in the middle, C for flat ones, as in the paper's Figure 7."""
    return rocch.RocHull.of(
        rocch.RocCurve.from_counts([5], [45], negatives=100, positives=100, name="A"),
        rocch.RocCurve.from_counts([15], [65], negatives=100, positives=100, name="E"),
        rocch.RocCurve.from_counts([40], [90], negatives=100, positives=100, name="C"),
    )


def test_low_sensitivity_is_one_choice() -> None:
    report = three_classifiers().sensitivity(
        rocch.Conditions(prevalence=1 / 6, false_positive=(10, 20), false_negative=(200, 250))
    )
    assert report.slope_range == (0.2, 0.5)
    assert report.insensitive
    assert report.same_classifier == "C"
    assert report.choices[0].worst_regret == 0
    assert "One choice is best throughout" in str(report)


def test_high_sensitivity_names_everyone_and_the_safest() -> None:
    report = three_classifiers().sensitivity(
        rocch.Conditions(prevalence=0.5, false_positive=(0.5, 3), false_negative=1)
    )
    assert report.slope_range == (0.5, 3.0)
    assert report.classifiers == ("A", "C", "E")
    assert report.same_classifier is None
    assert [choice.point.classifier for choice in report.choices] == ["C", "E", "A"]
    assert report.switches == pytest.approx((1.0, 2.0))
    assert report.minimax.classifier == "E"
    assert "The choice depends on what is unknown" in str(report)
    assert report.never_range is None
    assert report.always_range is None
    assert report.shortfalls == ()


def test_one_classifiers_threshold_may_be_all_that_moves() -> None:
    rng = np.random.default_rng(1)
    y = rng.random(4000) < 0.3
    hull = rocch.RocHull.from_scores(y, {"a": rng.normal(size=4000) + y})
    report = hull.sensitivity(
        rocch.Conditions(prevalence=0.3, false_positive=(1, 2), false_negative=2)
    )
    assert len(report.choices) > 1
    assert report.same_classifier == "a"
    assert "only its threshold moves" in str(report)


def test_doing_nothing_can_be_best_and_the_shortfall_says_how_far_it_is() -> None:
    """False alarms dear and negatives many: A's steepest point has TPR / FPR = 9."""
    report = three_classifiers().sensitivity(
        rocch.Conditions(prevalence=0.5, false_positive=(6, 12), false_negative=1)
    )
    assert report.never_range == pytest.approx((9, 12))
    rows = {(row.classifier, row.slope): row for row in report.shortfalls}
    at_edge, at_top = rows["A", 9.0], rows["A", 12.0]
    assert at_edge.tpr_gain == pytest.approx(0)
    assert at_top.tpr_gain == pytest.approx(12 * 0.05 - 0.45)
    assert at_top.fpr_cut == pytest.approx(0.05 - 0.45 / 12)
    assert rows["C", 12.0].tpr_gain is None  # 12 x 0.4 - 0.9 is more than any TPR can rise
    assert rows["C", 12.0].fpr_cut == pytest.approx(0.4 - 0.9 / 12)
    assert {row.rival for row in report.shortfalls} == {"never"}


def test_a_gain_as_large_as_the_shortfall_makes_the_classifier_as_good_as_nothing() -> None:
    hull = three_classifiers()
    dear = rocch.Conditions(prevalence=0.5, false_positive=12, false_negative=1)
    rows = hull.sensitivity(dear).shortfalls
    assert any(row.tpr_gain is not None for row in rows)
    for row in rows:
        if row.tpr_gain is not None:
            lifted = dear.expected_cost(row.fpr, row.tpr + row.tpr_gain)
            assert lifted == pytest.approx(dear.expected_cost(0, 0))
        assert row.fpr_cut is not None
        cut = dear.expected_cost(row.fpr - row.fpr_cut, row.tpr)
        assert cut == pytest.approx(dear.expected_cost(0, 0))


def test_always_alarming_can_be_best_too() -> None:
    report = three_classifiers().sensitivity(
        rocch.Conditions(prevalence=0.5, false_positive=1, false_negative=(4, 10))
    )
    assert report.always_range == pytest.approx((0.1, 1 / 6))
    row = next(r for r in report.shortfalls if r.classifier == "C" and r.slope < 0.11)
    assert row.rival == "always"
    assert row.tpr_gain == pytest.approx(1 - 0.1 * 0.6 - 0.9)


def test_a_classifier_below_chance_is_measured_at_its_own_points() -> None:
    y = [0, 0, 0, 1, 1, 1]
    hull = rocch.RocHull.from_scores(y, {"bad": [5, 6, 4, 1, 2, 3]})
    report = hull.sensitivity(rocch.Conditions(prevalence=0.5, false_positive=2, false_negative=1))
    (row,) = report.shortfalls
    assert row.classifier == "bad"
    assert row.fpr_cut is not None
    assert row.fpr_cut > 0
    assert report.never_range == (2, 2)


def test_conditions_at_the_extremes() -> None:
    hull = three_classifiers()
    report = hull.sensitivity(
        rocch.Conditions(prevalence=(0, 1), false_positive=1, false_negative=1)
    )
    assert report.slope_range == (0.0, math.inf)
    assert len(report.choices) == len(hull)
    assert all(math.isfinite(choice.worst_regret) for choice in report.choices)


def test_a_question_with_ranges_is_as_good_as_conditions() -> None:
    rng = np.random.default_rng(4)
    y = rng.random(200) < 0.3
    hull = rocch.RocHull.from_scores(y, {"a": rng.normal(size=200) + y, "b": np.round(2.0 * y, 1)})
    stated: dict[str, Any] = {"false_positive": (1, 3), "false_negative": (4, 40)}
    balance: dict[str, Any]
    other: dict[str, Any]
    for balance in ({"prevalence": (0.1, 0.2)}, {"prevalence": "observed"}):
        found = hull.sensitivity(rocch.Question(**balance, **stated))
        assert found == hull.sensitivity(rocch.Conditions(**balance, **stated))
    for other in ({"max_fpr": 0.1}, {"cost_ratio": (2, 5)}, {**stated, "max_fpr": 0.1}):
        with pytest.raises(rocch.InputError, match="question must state costs"):
            hull.sensitivity(rocch.Question(**other))
