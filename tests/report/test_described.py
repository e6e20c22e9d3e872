"""What is said of each classifier, against counting rows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.integrate import trapezoid

import rocch
from rocch.report.certainty import aucs_of
from rocch.report.described import BINS, described
from tests.support.asking import hull_of

if TYPE_CHECKING:
    from rocch.report.summary import Classifier, Histogram


def only(y: Any, scores: Any, **given: Any) -> Classifier:
    (found,) = described(rocch.RocHull.from_scores(y, {"m": scores}, **given), {})
    return found


def counted_rows(y: Any, scores: Any, weights: Any, histogram: Histogram) -> list[list[float]]:
    """Put row by row into the bins; the end bins hold what lies beyond them."""
    sides: list[list[float]] = [[0.0] * BINS, [0.0] * BINS]
    for label, score, weight in zip(y, scores, weights, strict=True):
        place = sum(score >= edge for edge in histogram.edges[1:-1])
        sides[int(label)][place] += weight
    return sides


def drawn_rows(seed: int) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    y = rng.random(700) < 0.3
    y[:2] = [0, 1]
    return y, rng.normal(size=700) + y, rng.integers(1, 9, size=700) / 8


@pytest.mark.parametrize("kind", ["plain", "tied", "infinite", "outliers", "weighted"])
@pytest.mark.parametrize("seed", range(3))
def test_histograms_count_the_rows_of_either_class(seed: int, kind: str) -> None:
    y, scores, weights = drawn_rows(seed)
    if kind == "tied":
        scores = np.round(scores)
    if kind == "infinite":
        scores = np.where(scores > 2, math.inf, np.where(scores < -2, -math.inf, scores))
    if kind == "outliers":
        scores[0] = 1e9
    if kind != "weighted":
        weights = np.ones(700)
    given = {"sample_weight": weights} if kind == "weighted" else {}
    histogram = only(y, scores, **given).histogram
    assert histogram is not None
    negatives, positives = counted_rows(y, scores, weights, histogram)
    assert list(histogram.positives) == pytest.approx(positives, abs=1e-9)
    assert list(histogram.negatives) == pytest.approx(negatives, abs=1e-9)
    assert sum(histogram.positives) == pytest.approx(weights[y].sum())
    assert sum(histogram.negatives) == pytest.approx(weights[~y].sum())
    assert len(histogram.edges) == BINS + 1
    assert np.isfinite(histogram.edges).all()
    assert (np.diff(histogram.edges) > 0).all()


def test_a_stray_score_spoils_no_histogram() -> None:
    y, scores, _ = drawn_rows(0)
    scores[0] = 1e9
    histogram = only(y, scores).histogram
    assert histogram is not None
    assert histogram.edges[-1] < 10


def test_constant_scores_have_a_histogram_of_one_bin() -> None:
    found = only([0, 1, 1], [7, 7, 7])
    assert found.histogram is not None
    assert (found.histogram.edges[0], found.histogram.edges[-1]) == (6.5, 7.5)
    assert sorted(found.histogram.positives)[-2:] == [0, 2]
    assert (found.distinct, found.largest_tie, found.lowest, found.highest) == (1, 3, 7, 7)


def test_the_largest_doubles_have_a_histogram_too() -> None:
    found = only([0, 1, 0, 1], [-1.7e308, 1.7e308, 1.0, 2.0])
    assert found.histogram is not None
    assert np.isfinite(found.histogram.edges).all()
    assert sum(found.histogram.positives) == 2


def test_endless_scores_alone_have_none() -> None:
    found = only([0, 1, 1], [-math.inf, math.inf, math.inf])
    assert found.histogram is None
    assert (found.lowest, found.highest) == ("-inf", "inf")


@pytest.mark.parametrize("seed", range(5))
def test_what_is_said_is_counted_from_the_rows(seed: int) -> None:
    y, scores, _ = drawn_rows(seed)
    scores = np.round(scores, 1)
    found = only(y, scores)
    values, counts = np.unique(scores, return_counts=True)
    assert (found.distinct, found.largest_tie) == (values.size, counts.max())
    assert (found.lowest, found.highest) == (values[0], values[-1])
    wins = (scores[y][:, None] > scores[~y]).mean() + (scores[y][:, None] == scores[~y]).mean() / 2
    assert found.auc == pytest.approx(wins)
    assert found.on_hull
    assert found.scoring


def test_labels_only_have_points_but_no_scores() -> None:
    y = [0, 0, 1, 1, 0, 1]
    rules = rocch.RocCurve.from_labels(
        y, {"a": [0, 0, 1, 0, 0, 1], "b": [1, 0, 1, 1, 0, 1]}, name="rules"
    )
    (found,) = described(rocch.RocHull.of(rules), {})
    assert (found.scoring, found.auc, found.distinct, found.histogram) == (False, None, None, None)
    assert found.largest_tie is found.lowest is found.highest is None
    assert found.curve is not None
    assert set(zip(found.curve.false_positives, found.curve.true_positives, strict=True)) == {
        (0, 2),
        (1, 3),
    }


def test_without_its_curve_a_classifier_has_its_hull() -> None:
    hull = hull_of(3)
    for member, found in zip(hull.members, described(hull, {}), strict=True):
        assert (found.curve, found.auc, found.histogram, found.distinct) == (None,) * 4
        assert found.own_hull.true_positives[1:-1] == tuple(member.true_positives.tolist())


@pytest.mark.parametrize("seed", range(10))
def test_a_curve_lies_on_or_below_the_hull_in_one_measure(seed: int) -> None:
    hull = hull_of(seed, size=60)
    totals = [hull.totals.amount(n) for n in (hull.totals.negatives, hull.totals.positives)]
    for found in described(hull, {}):
        for points in (found.curve, found.own_hull):
            if points is None:
                continue
            fpr = np.array(points.false_positives, dtype=float) / totals[0]
            tpr = np.array(points.true_positives, dtype=float) / totals[1]
            highest = [hull.tpr_at(min(x, 1.0)) for x in fpr.tolist()]
            assert (tpr <= np.array(highest) + 1e-9).all()
        if found.scoring and found.curve is not None:
            assert fpr[-1] == pytest.approx(1)
            assert tpr[-1] == pytest.approx(1)
            area = trapezoid(
                np.array(found.curve.true_positives, float) / totals[1],
                np.array(found.curve.false_positives, float) / totals[0],
            )
            assert area == pytest.approx(found.auc)


def test_intervals_of_aucs_come_with_the_rows() -> None:
    y, scores, _ = drawn_rows(2)
    aucs, _ = aucs_of((y, {"m": scores}))
    (found,) = described(rocch.RocHull.from_scores(y, {"m": scores}), aucs)
    assert found.auc is not None
    assert found.auc_interval is not None
    assert tuple(found.auc_interval) == tuple(rocch.stats.auc_interval(y, scores).interval)
    assert found.auc_interval.low < found.auc < found.auc_interval.high
