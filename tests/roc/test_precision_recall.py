"""Precision and recall: scikit-learn's numbers, Davis and Goadrich's lines between them."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from sklearn.metrics import precision_recall_curve

import rocch
from rocch import RocCurve, RocHull
from rocch.roc import PrecisionRecallCurve
from rocch.roc.views import iso_f1
from tests.support.strategies import judged_rows, judged_table


def finite(rows: tuple[list[bool], list[float]]) -> tuple[list[bool], list[float]]:
    """Replace scores by their ranks, because scikit-learn refuses infinite ones."""
    labels, scores = rows
    return labels, np.unique(scores, return_inverse=True)[1].tolist()


@given(judged_rows())
def test_points_are_scikit_learns_without_the_one_that_it_makes_up(rows: Any) -> None:
    labels, scores = finite(rows)
    precision, recall, _ = precision_recall_curve(labels, scores)
    ours = PrecisionRecallCurve.of(RocCurve.from_scores(labels, scores))
    assert (precision[-1], recall[-1]) == (1, 0)  # no alarms, hence no precision
    assert ours.precision == pytest.approx(precision[-2::-1], abs=1e-15)
    assert ours.recall == pytest.approx(recall[-2::-1], abs=1e-15)


def test_weighted_points_are_scikit_learns() -> None:
    rng = np.random.default_rng(3)
    y, score, weight = rng.random(80) < 0.4, rng.integers(0, 9, 80), rng.integers(1, 6, 80)
    precision, recall, _ = precision_recall_curve(y, score, sample_weight=weight)
    ours = PrecisionRecallCurve.of(RocCurve.from_scores(y, score, sample_weight=weight))
    assert ours.precision == pytest.approx(precision[-2::-1])
    assert ours.recall == pytest.approx(recall[-2::-1])


@given(judged_rows(), st.floats(0.001, 0.999))
def test_at_any_prevalence_it_is_the_points_own_precision(rows: Any, share: float) -> None:
    curve = RocCurve.from_scores(*rows)
    ours = PrecisionRecallCurve.of(curve, prevalence=share)
    wanted = [point.performance(prevalence=share).precision for point in curve.points()[1:]]
    assert ours.precision == pytest.approx(wanted)


@given(judged_rows(largest=20), st.integers(2, 9))
def test_a_rarer_class_is_the_same_as_more_negatives(rows: Any, times: int) -> None:
    labels, scores = rows
    copies = [1 if label else times for label in labels]
    many = RocCurve.from_scores(np.repeat(labels, copies), np.repeat(scores, copies))
    rare = PrecisionRecallCurve.of(RocCurve.from_scores(*rows), prevalence=many.totals.prevalence)
    more = PrecisionRecallCurve.of(many)
    assert rare.precision == pytest.approx(more.precision)
    assert rare.area == pytest.approx(more.area)


def test_davis_and_goadrich_interpolate_between_5_5_and_10_30() -> None:
    # Their Table 2: from (TP 5, FP 5) to (TP 10, FP 30) of 20 positives, 5 false alarms per hit.
    curve = RocCurve.from_counts(
        [5, 30, 2000], [5, 10, 20], negatives=2000, positives=20, lowest_scores=[3, 2, 1]
    )
    ours = PrecisionRecallCurve.of(curve)
    table = {0.25: 0.5, 0.3: 0.375, 0.35: 0.318, 0.4: 0.286, 0.45: 0.265, 0.5: 0.25}
    for recall, precision in table.items():
        assert ours.precision_at(recall) == pytest.approx(precision, abs=5e-4)
    straight = (0.5 + 0.25) / 2
    assert ours.precision_at(0.375) < straight - 0.05  # a straight line would promise too much
    for recall in (0.3, 0.375, 0.49, 0.6, 0.9):
        assert np.interp(recall, *ours.line) == pytest.approx(ours.precision_at(recall), abs=1e-3)


@given(judged_table(), st.sampled_from(["observed", 0.02, 0.9]))
def test_the_line_is_the_image_of_straight_lines(table: Any, share: Any) -> None:
    labels, scores = table
    hull = RocHull.from_scores(labels, scores)
    image = PrecisionRecallCurve.of(hull, prevalence=share)
    recall, precision = image.line
    assert (recall[0], recall[-1]) == (0, 1)
    assert precision[0] == pytest.approx(precision[1])
    on_hull = [image.precision_at(r) for r in recall.tolist() if 0 < r < 1]
    inner = precision[(recall > 0) & (recall < 1)]
    assert inner == pytest.approx(np.array(on_hull), abs=1e-9)
    assert precision[-1] == pytest.approx(image.prevalence)


@given(judged_table(), st.sampled_from(["observed", 0.02, 0.9]))
def test_the_hull_is_never_below_a_member(table: Any, share: Any) -> None:
    labels, scores = table
    best = PrecisionRecallCurve.of(RocHull.from_scores(labels, scores), prevalence=share)
    for column in scores.values():
        own = PrecisionRecallCurve.of(RocCurve.from_scores(labels, column), prevalence=share)
        assert best.area >= own.area - 1e-12
        for recall in np.linspace(0.05, 1, 20).tolist():
            assert best.precision_at(recall) >= own.precision_at(recall) - 1e-12


def slow_area(curve: RocCurve | RocHull, share: float) -> float:
    """Integrate precision over recall segment by segment, numerically."""

    def precision(recall: float, fpr: float, tpr: float, run_per_rise: float) -> float:
        hits = share * recall
        return hits / (hits + (1 - share) * (fpr + run_per_rise * (recall - tpr)))

    area = 0.0
    points = list(zip(curve.fpr.tolist(), curve.tpr.tolist(), strict=True))
    for (x0, y0), (x1, y1) in pairwise(points):
        if y1 > y0:
            start = (x0, y0, (x1 - x0) / (y1 - y0))
            area += quad(precision, y0, y1, args=start, epsabs=1e-12, limit=200)[0]
    return area


@given(judged_rows(largest=16), st.sampled_from([0.001, 0.3, 0.95]))
def test_the_area_is_what_numerical_integration_finds(rows: Any, share: float) -> None:
    curve = RocCurve.from_scores(*rows)
    area = PrecisionRecallCurve.of(curve, prevalence=share).area
    assert area == pytest.approx(slow_area(curve, share), abs=1e-9)


def test_areas_of_perfect_constant_and_inverted_classifiers() -> None:
    y = [0, 0, 0, 1]
    areas = [
        PrecisionRecallCurve.of(RocCurve.from_scores(y, scores)).area
        for scores in ([1, 2, 3, 4], [1, 1, 1, 1], [4, 3, 2, 1])
    ]
    # Inverted: hits h after 3 false alarms, precision h / (3 + h): 1 - 3 ln(4 / 3).
    assert areas == pytest.approx([1, 0.25, 1 - 3 * np.log(4 / 3)])


def test_labeled_points_are_points_and_no_curve() -> None:
    y = [0, 0, 0, 1, 1]
    rules = RocCurve.from_labels(y, {"a": [0, 0, 1, 1, 0], "b": [1, 1, 1, 1, 1]}, name="rules")
    ours = PrecisionRecallCurve.of(rules)
    assert (ours.name, ours.recall.tolist(), ours.precision.tolist()) == (
        "rules",
        [0.5, 1.0],
        pytest.approx([0.5, 0.4]),
    )
    assert ours.line[0].tolist() == [0.5, 1.0]
    with pytest.raises(rocch.UndefinedError, match=r"area is undefined for rules: it outputs lab"):
        _ = ours.area
    with pytest.raises(rocch.UndefinedError, match=r"precision_at is undefined for rules"):
        ours.precision_at(0.5)


def test_a_setting_that_never_alarms_has_no_precision() -> None:
    rules = RocCurve.from_labels([0, 1], {"off": [0, 0], "on": [0, 1]}, name="rules")
    ours = PrecisionRecallCurve.of(rules)
    assert (ours.recall.tolist(), ours.precision.tolist()) == ([1.0], [1.0])


@pytest.mark.parametrize("recall", [0, -1, 1.5, "all"])
def test_recall_must_be_above_0(recall: Any) -> None:
    ours = PrecisionRecallCurve.of(RocCurve.from_scores([0, 1], [1, 2]))
    with pytest.raises(rocch.InputError, match="recall must be"):
        ours.precision_at(recall)


@pytest.mark.parametrize("prevalence", [0, 1, "seldom"])
def test_precision_needs_both_classes(prevalence: Any) -> None:
    with pytest.raises(rocch.InputError, match="prevalence must be"):
        PrecisionRecallCurve.of(RocCurve.from_scores([0, 1], [1, 2]), prevalence=prevalence)


def test_arrays_are_read_only() -> None:
    ours = PrecisionRecallCurve.of(RocCurve.from_scores([0, 1], [1, 2]))
    for array in (ours.recall, ours.precision, *ours.line):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_lines_of_equal_f1() -> None:
    for score in (0.1, 0.5, 0.9):
        recall, precision = iso_f1(score)
        assert 2 * recall * precision / (recall + precision) == pytest.approx(score)
        assert precision.max() == pytest.approx(1)
        assert recall[-1] == 1


@pytest.mark.parametrize("score", [0, 1, 2, "good"])
def test_an_f1_of_0_or_1_has_no_line(score: Any) -> None:
    with pytest.raises(rocch.InputError, match="f1 must"):
        iso_f1(score)
