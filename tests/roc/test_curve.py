"""Curves: counts, numbers on them, and how they are built."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score, roc_curve

import rocch
from rocch.roc.operating_point import midpoint
from tests.support.oracles import curves
from tests.support.strategies import judged_rows

Rows = tuple[list[bool], list[float]]


@given(judged_rows())
def test_points_equal_the_oracles(rows: Rows) -> None:
    labels, scores = rows
    curve = rocch.RocCurve.from_scores(labels, scores)
    expected = curves.points(labels, scores)
    assert curve.false_positives.tolist() == [p[0] for p in expected]
    assert curve.true_positives.tolist() == [p[1] for p in expected]
    assert curve.lowest_scores is not None
    assert curve.lowest_scores.tolist() == [p[2] for p in expected[1:]]
    assert curve.fpr.tolist() == [p[0] / labels.count(False) for p in expected]


@given(judged_rows())
def test_auc_gini_and_the_direct_auc_are_exact(rows: Rows) -> None:
    labels, scores = rows
    exact = curves.auc(labels, scores)
    curve = rocch.RocCurve.from_scores(labels, scores)
    assert curve.auc == float(exact) == rocch.auc(labels, scores)
    assert curve.gini == float(2 * exact - 1)


@given(judged_rows(), st.fractions(0, 1, max_denominator=40))
def test_lookups_equal_the_oracles(rows: Rows, at: Fraction) -> None:
    labels, scores = rows
    curve, points = rocch.RocCurve.from_scores(labels, scores), curves.points(labels, scores)
    assert curve.tpr_at(float(at)) == pytest.approx(float(curves.tpr_at_fpr(points, at)))
    assert curve.fpr_at(float(at)) == pytest.approx(float(curves.fpr_at_tpr(points, at)), abs=1e-12)
    assert curve.equal_error_rate == pytest.approx(
        float(curves.equal_error_rate(points)), abs=1e-12
    )


@given(judged_rows(), st.fractions(0, 1), st.fractions(0, 1))
def test_partial_areas_equal_the_oracles(rows: Rows, one: Fraction, other: Fraction) -> None:
    labels, scores = rows
    low, high = sorted((one, other))
    if high - low < Fraction(1, 1000):
        return
    curve, points = rocch.RocCurve.from_scores(labels, scores), curves.points(labels, scores)
    ends = (float(low), float(high))
    over_fpr = float(curves.partial_auc_fpr(points, low, high))
    over_tpr = float(curves.partial_auc_tpr(points, low, high))
    assert curve.partial_auc(fpr=ends) == pytest.approx(over_fpr, abs=1e-9)
    assert curve.partial_auc(tpr=ends) == pytest.approx(over_tpr, abs=1e-9)


def test_whole_partial_areas_are_the_auc_and_standardizing_matches_scikit_learn() -> None:
    rng = np.random.default_rng(1)
    y = rng.random(300) < 0.3
    s = np.round(rng.normal(size=300) + y, 1)
    curve = rocch.RocCurve.from_scores(y, s)
    assert curve.partial_auc(fpr=(0, 1)) == pytest.approx(curve.auc)
    assert curve.partial_auc(tpr=(0, 1)) == pytest.approx(curve.auc)
    assert curve.partial_auc(fpr=(0, 0.2), standardized=True) == pytest.approx(
        roc_auc_score(y, s, max_fpr=0.2)
    )
    perfect = rocch.RocCurve.from_scores([0, 1], [0, 1])
    assert perfect.partial_auc(tpr=(0.8, 1), standardized=True) == 1
    chance = rocch.RocCurve.from_scores([0, 1], [1, 1])
    assert chance.partial_auc(tpr=(0.8, 1), standardized=True) == pytest.approx(0.5)
    assert chance.partial_auc(fpr=(0.1, 0.4), standardized=True) == pytest.approx(0.5)


def test_agrees_with_scikit_learn() -> None:
    rng = np.random.default_rng(2)
    y = rng.random(5000) < 0.1
    s = np.round(rng.normal(size=5000) + y, 2)
    curve = rocch.RocCurve.from_scores(y, s)
    fpr, tpr, thresholds = roc_curve(y, s, drop_intermediate=False)
    assert np.array_equal(curve.fpr, fpr)
    assert np.array_equal(curve.tpr, tpr)
    assert np.array_equal(curve.lowest_scores, thresholds[1:])  # type: ignore[arg-type]
    assert curve.auc == pytest.approx(roc_auc_score(y, s))


@given(judged_rows())
def test_every_threshold_counts_the_rows_at_or_above_it(rows: Rows) -> None:
    labels, scores = rows
    curve = rocch.RocCurve.from_scores(labels, scores)
    for threshold in [*scores, 0.05, -math.inf, math.inf]:
        point = curve.at(threshold)
        alarms = [label for label, s in zip(labels, scores, strict=True) if s >= threshold]
        assert point.true_positives == alarms.count(True)
        assert point.false_positives == alarms.count(False)


@given(judged_rows())
def test_deployed_thresholds_decide_alike_on_the_observed_scores(rows: Rows) -> None:
    labels, scores = rows
    for point in rocch.RocCurve.from_scores(labels, scores).points()[1:-1]:
        deployed = point.threshold
        assert isinstance(deployed, float)
        alarms = [label for label, s in zip(labels, scores, strict=True) if s >= deployed]
        assert (alarms.count(False), alarms.count(True)) == (
            point.false_positives,
            point.true_positives,
        )


@pytest.mark.parametrize(
    ("threshold", "lower", "expected"),
    [
        (1.0, 0.0, 0.5),
        (math.nextafter(1, 2), 1.0, math.nextafter(1, 2)),
        (math.inf, 3.0, math.inf),
        (3.0, -math.inf, 3.0),
        (1.7e308, 1.6e308, 1.65e308),
        (5e-324, 0.0, 5e-324),
    ],
)
def test_midpoints_stay_above_the_lower_score(
    threshold: float, lower: float, expected: float
) -> None:
    assert midpoint(threshold, lower) == pytest.approx(expected)
    assert lower < midpoint(threshold, lower) <= threshold


def test_monotone_rescaling_changes_thresholds_only() -> None:
    rng = np.random.default_rng(3)
    y = rng.random(500) < 0.4
    s = np.round(rng.normal(size=500) + y, 1)
    one = rocch.RocCurve.from_scores(y, s)
    other = rocch.RocCurve.from_scores(y, np.exp(s) * 7)
    assert np.array_equal(one.false_positives, other.false_positives)
    assert np.array_equal(one.true_positives, other.true_positives)


@given(judged_rows(20), st.data())
def test_whole_weights_are_repetitions(rows: Rows, data: st.DataObject) -> None:
    labels, scores = rows
    weights = data.draw(st.lists(st.integers(1, 4), min_size=len(labels), max_size=len(labels)))
    weighted = rocch.RocCurve.from_scores(labels, scores, sample_weight=weights)
    repeated = rocch.RocCurve.from_scores(np.repeat(labels, weights), np.repeat(scores, weights))
    assert np.array_equal(weighted.false_positives, repeated.false_positives)
    assert np.array_equal(weighted.true_positives, repeated.true_positives)
    assert weighted.auc == repeated.auc
    assert weighted.totals.weighted
    assert not repeated.totals.weighted


def test_fractional_weights_agree_with_scikit_learn_in_any_order() -> None:
    rng = np.random.default_rng(4)
    y = rng.random(400) < 0.3
    s = np.round(rng.normal(size=400) + y, 1)
    w = rng.random(400)
    curve = rocch.RocCurve.from_scores(y, s, sample_weight=w)
    assert curve.auc == pytest.approx(roc_auc_score(y, s, sample_weight=w))
    assert rocch.auc(y, s, sample_weight=w) == curve.auc
    order = rng.permutation(400)
    shuffled = rocch.RocCurve.from_scores(y[order], s[order], sample_weight=w[order])
    assert np.array_equal(curve.false_positives, shuffled.false_positives)
    assert curve.point(5).true_positives == pytest.approx(
        w[y & (s >= curve.lowest_scores[4])].sum()  # type: ignore[index]
    )


def test_label_only_classifiers_are_points() -> None:
    y = ["ill", "ill", "well", "well", "well"]
    rules = rocch.RocCurve.from_labels(
        y, ["ill", "well", "ill", "well", "well"], pos_label="ill", name="rules"
    )
    assert not rules.scoring
    (point,) = rules.points()[1:-1]
    assert (point.fpr, point.tpr, point.lowest_score) == (1 / 3, 0.5, None)
    assert point.rule() == "alarm when rules does"
    assert rules.auc == pytest.approx((1 + 0.5 - 1 / 3) / 2)
    assert "1 labeled point" in repr(rules)


def test_a_family_of_settings_keeps_their_names() -> None:
    family = rocch.RocCurve.from_labels(
        [0, 0, 1, 1],
        {"loose": [0, 1, 1, 1], "strict": [0, 0, 0, 1]},
        name="rules",
        sample_weight=[1, 1, 1, 3],
    )
    assert [point.lowest_score for point in family.points()] == [None, "strict", "loose", None]
    assert [point.tpr for point in family.points()] == [0, 0.75, 1, 1]
    assert family.points()[1].rule() == "alarm when rules at setting strict does"


def test_points_that_are_not_nested_have_no_curve() -> None:
    family = rocch.RocCurve.from_counts([1, 2], [3, 2], negatives=4, positives=4)
    with pytest.raises(rocch.UndefinedError, match="not nested"):
        _ = family.auc
    assert rocch.RocHull.of(family).auc > 0.5


def test_counts_from_elsewhere() -> None:
    scored = rocch.RocCurve.from_counts(
        [0, 1, 4], [2, 3, 3], negatives=4, positives=3, lowest_scores=[0.9, 0.5, 0.1]
    )
    assert scored.at(0.6).tpr == pytest.approx(2 / 3)
    huge = rocch.RocCurve.from_counts([10**25], [10**25], negatives=10**26, positives=10**26)
    assert huge.auc == 0.5
    assert [point.true_positives for point in huge.points()] == [0, 10**25, 10**26]


def test_leaning_and_chance_are_visible() -> None:
    curve = rocch.RocCurve.from_counts([1, 6, 5], [4, 9, 5], negatives=10, positives=10)
    one, two, three = (p for p in curve.points()[1:-1])
    assert (one.leaning, one.better_than_chance) == ("conservative", True)
    assert (two.leaning, two.better_than_chance) == ("neutral", False)
    assert (three.leaning, three.better_than_chance) == ("liberal", True)


def test_arrays_are_read_only() -> None:
    curve = rocch.RocCurve.from_scores([0, 1], [0, 1])
    for array in (curve.false_positives, curve.true_positives, curve.lowest_scores, curve.fpr):
        assert array is not None
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7


def test_written_thresholds_decide_as_the_exact_ones_do() -> None:
    """Saturated probabilities: six digits would write 1 for 0.99999953."""
    rng = np.random.default_rng(0)
    y = rng.random(5000) < 0.1
    for s in (
        1 / (1 + np.exp(-(rng.normal(size=5000) * 4 + 6 * y + 8))),
        1e9 + rng.normal(size=5000) + y,
        np.round(rng.normal(size=5000) + y, 1),
        1 + np.spacing(1.0) * rng.integers(0, 40, 5000),
    ):
        curve = rocch.RocCurve.from_scores(y, s)
        for point in curve.points()[1:-1]:
            alarm = s >= float(point.written_threshold)
            assert np.count_nonzero(alarm & y) == point.true_positives
            assert np.count_nonzero(alarm & ~y) == point.false_positives
    tidy = rocch.RocCurve.from_scores([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    assert tidy.point(1).rule() == "alarm when classifier >= 0.6"


def test_points_can_be_counted_from_the_end() -> None:
    curve = rocch.RocCurve.from_scores([0, 1], [0, 1])
    assert curve.point(-1) == curve.point(2)
    with pytest.raises(rocch.InputError, match="index must be below 3"):
        curve.point(3)


def test_equal_curves_are_equal() -> None:
    one, other = (rocch.RocCurve.from_scores([0, 1, 1], [0, 1, 2], name="a") for _ in range(2))
    assert one == other
    assert hash(one) == hash(other)
    assert one != rocch.RocCurve.from_scores([0, 1, 1], [0, 1, 3], name="a")
    assert one != "a"


def test_repr_tells_what_it_is() -> None:
    curve = rocch.RocCurve.from_scores([0, 1, 1], [0, 1, 2], name="nb")
    assert repr(curve) == "<RocCurve 'nb': 4 points, 2 positives, 1 negative>"
