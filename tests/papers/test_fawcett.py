"""Fawcett, ROC Graphs: its algorithms as they should have been printed."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import rocch
from rocch.kernels.hull import upper_hull
from tests.support.oracles import curves


def dented() -> rocch.RocCurve:
    """A curve with a dent at (1, 1) between (0, 1) and (2, 3)."""
    return rocch.RocCurve.from_scores([1, 0, 1, 1, 0, 0], [6, 5, 4, 4, 4, 1])


def test_gini_plus_one_is_twice_the_auc() -> None:
    curve = dented()
    assert curve.gini + 1 == pytest.approx(2 * curve.auc)


def test_auc_is_the_chance_that_a_positive_outranks_a_negative_ties_half() -> None:
    rng = np.random.default_rng(1)
    for _ in range(100):
        y = rng.random(30) < 0.4
        y[:2] = True, False
        s = rng.integers(0, 6, 30).astype(float)
        exact = curves.auc(y.tolist(), s.tolist())
        assert rocch.RocCurve.from_scores(y, s).auc == float(exact)


def test_algorithm_3_is_misprinted_it_must_keep_falling_slopes() -> None:
    curve = dented()
    kept = upper_hull(curve.false_positives, curve.true_positives)
    slopes = np.diff(curve.true_positives[kept]) / np.maximum(
        np.diff(curve.false_positives[kept]), 1e-300
    )
    assert (np.diff(slopes) < 0).all()
    points = list(zip(curve.false_positives.tolist(), curve.true_positives.tolist(), strict=True))
    assert _as_printed(points) != [points[i] for i in kept]
    assert [points[i] for i in kept] == [(0, 0), (0, 1), (2, 3), (3, 3)]


def _as_printed(points: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Algorithm 3 to the letter: a point stays when the slope rises through it."""
    stack: list[tuple[int, int]] = []
    for x, y in points:
        while len(stack) > 1:
            (ax, ay), (bx, by) = stack[-2], stack[-1]
            if (by - ay) * (x - bx) < (y - by) * (bx - ax):
                break
            stack.pop()
        stack.append((x, y))
    return stack


def test_algorithm_4_is_misprinted_its_last_trapezoid_must_end_in_the_totals() -> None:
    """Ending in (1, 1) among counts gives an area that is not the chance of right ranking."""
    y, s = [1, 0, 1, 0], [4, 3, 2, 1]
    points = [p[:2] for p in curves.points([bool(v) for v in y], [float(v) for v in s])]
    assert rocch.RocCurve.from_scores(y, s).auc == 0.75
    printed = 0.0
    path = [*points[:-1], (1, 1)]
    for (x0, y0), (x1, y1) in pairwise(path):
        printed += abs(x1 - x0) * (y0 + y1) / 2
    assert printed / 4 != 0.75


def test_f_score_is_the_harmonic_mean_not_the_printed_product() -> None:
    point = rocch.roc.Performance(fpr=0.1, tpr=0.5, prevalence=0.5)
    precision, recall = point.precision, point.recall
    assert point.f_score() == pytest.approx(2 * precision * recall / (precision + recall))
    assert point.f_score() != pytest.approx(precision * recall)


def test_curves_do_not_change_with_class_skew_but_precision_does() -> None:
    rng = np.random.default_rng(2)
    s_pos, s_neg = rng.normal(1, 1, 300), rng.normal(0, 1, 300)
    even = rocch.RocCurve.from_scores(np.repeat([1, 0], [300, 300]), np.append(s_pos, s_neg))
    many = rocch.RocCurve.from_scores(
        np.repeat([1, 0], [300, 3000]), np.append(s_pos, np.repeat(s_neg, 10))
    )
    assert np.array_equal(even.fpr, many.fpr)
    assert np.array_equal(even.tpr, many.tpr)
    at = even.at(0.5)
    low = at.performance(prevalence=1 / 11).precision
    assert low < at.performance(prevalence=1 / 2).precision
    assert low == pytest.approx(many.at(0.5).performance(prevalence=1 / 11).precision)


def test_scores_are_relative_not_comparable_between_models() -> None:
    """Any monotone rescaling of one model leaves curves and hull where they are."""
    y = [0, 1, 0, 1, 1]
    s = np.array([0.1, 0.9, 0.4, 0.35, 0.8])
    one = rocch.RocHull.from_scores(y, {"a": s})
    other = rocch.RocHull.from_scores(y, {"a": 1000 * s**3 - 7})
    assert np.array_equal(one.fpr, other.fpr)
    assert np.array_equal(one.tpr, other.tpr)
