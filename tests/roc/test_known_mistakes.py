"""Mistakes that others made here; each must stay impossible."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest

import rocch

if TYPE_CHECKING:
    from rocch.arrays import FloatArray


def test_hulls_on_float_rates_keep_spurious_vertices_ours_do_not() -> None:
    """Points on one straight line in counts need not be on one line in rounded rates."""
    rng = np.random.default_rng(1)
    fooled = 0
    for _ in range(400):
        size = int(rng.integers(20, 200))
        y = rng.random(size) < 0.5
        y[:2] = True, False
        s = rng.integers(0, 12, size).astype(float)
        hull = rocch.RocHull.from_scores(y, {"a": s})
        curve = rocch.RocCurve.from_scores(y, s)
        fooled += _float_hull(curve.fpr, curve.tpr) != len(hull)
        turns = [
            (bx - ax) * (cy - by) < (by - ay) * (cx - bx)
            for (ax, ay), (bx, by), (cx, cy) in zip(
                *(list(_counts(hull))[i:] for i in range(3)), strict=False
            )
        ]
        assert all(turns)
    assert fooled > 4


def _counts(hull: rocch.RocHull) -> list[tuple[int, int]]:
    return list(zip(hull.false_positives.tolist(), hull.true_positives.tolist(), strict=True))


def _float_hull(x: FloatArray, y: FloatArray) -> int:
    stack: list[int] = []
    for i in range(x.size):
        while len(stack) > 1:
            a, b = stack[-2], stack[-1]
            if (x[b] - x[a]) * (y[i] - y[a]) < (y[b] - y[a]) * (x[i] - x[a]):
                break
            stack.pop()
        stack.append(i)
    return len(stack)


def test_tolerances_lose_true_vertices_ours_keep_them() -> None:
    """A polygon of lattice points whose corners stand out by less than 1e-7 in rates."""
    steps = sorted(
        {(a, b) for a in range(1, 40) for b in range(1, 40) if np.gcd(a, b) == 1},
        key=lambda step: -step[1] / step[0],
    )
    fp, tp = np.cumsum([[0, 0], *steps], axis=0).T
    negatives, positives = int(fp[-1]), int(tp[-1])
    curve = rocch.RocCurve.from_counts(
        fp[1:],
        tp[1:],
        negatives=negatives,
        positives=positives,
        lowest_scores=-np.arange(len(steps)),
    )
    hull = rocch.RocHull.of(curve)
    assert len(hull) == len(steps) + 1
    x, y = hull.fpr, hull.tpr
    heights = (x[1:-1] - x[:-2]) * (y[2:] - y[:-2]) - (y[1:-1] - y[:-2]) * (x[2:] - x[:-2])
    assert np.abs(heights).min() < 1e-7


def test_pos_label_never_inverts_predictions() -> None:
    scores = [0.1, 0.4, 0.35, 0.8]
    plain = rocch.RocCurve.from_scores([0, 0, 1, 1], scores)
    for labels, pos_label in (
        (["n", "n", "p", "p"], "p"),
        (["z", "z", "a", "a"], "a"),
        ([1, 1, 0, 0], 0),
        ([True, True, False, False], False),
    ):
        other = rocch.RocCurve.from_scores(labels, scores, pos_label=pos_label)
        assert np.array_equal(plain.true_positives, other.true_positives)
        assert np.array_equal(plain.false_positives, other.false_positives)


def test_costs_cannot_be_swapped_silently() -> None:
    with pytest.raises(
        TypeError, match="Conditions must be called with the arguments that it takes"
    ):
        rocch.Conditions(0.1, 1, 5)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"got the unknown 'max_frp', perhaps for 'max_fpr'"):
        rocch.Question(max_frp=0.1)  # type: ignore[call-arg]
    dear_miss = rocch.Conditions(prevalence=0.5, false_positive=1, false_negative=9)
    dear_alarm = rocch.Conditions(prevalence=0.5, false_positive=9, false_negative=1)
    hull = rocch.RocHull.from_scores([0, 0, 0, 1, 1, 1], {"a": [1, 3, 5, 2, 4, 6]})
    assert hull.best(dear_miss).fpr > hull.best(dear_alarm).fpr


def test_a_prior_belongs_to_the_positive_class() -> None:
    rare = rocch.Conditions(prevalence=0.01, false_positive=1, false_negative=1)
    assert rare.slope == pytest.approx(99)


def test_no_grid_of_thresholds_misses_the_optimum() -> None:
    """All scores within 1e-9: a grid of 100 thresholds over [0, 1] sees nothing."""
    rng = np.random.default_rng(2)
    y = rng.random(1000) < 0.3
    s = 0.5 + 1e-9 * (rng.normal(size=1000) + 2 * y)
    answer = rocch.RocHull.from_scores(y, {"a": s}).best(rocch.ErrorRate())
    errors = min(np.count_nonzero((s >= t) != y) for t in s)
    assert answer.value * 1000 == pytest.approx(errors)


def test_curves_are_not_thinned_before_the_hull_is_taken() -> None:
    rng = np.random.default_rng(3)
    y = rng.random(20_000) < 0.5
    s = rng.normal(size=20_000) + y
    hull = rocch.RocHull.from_scores(y, {"a": s})
    every_tenth = rocch.RocHull.from_scores(y, {"a": np.round(s, 1)})
    assert len(every_tenth) < len(hull)
    assert every_tenth.auc < hull.auc


def test_scores_in_float32_are_not_rounded_further_and_doubles_not_at_all() -> None:
    near = np.nextafter(0.5, 1)
    curve = rocch.RocCurve.from_scores([0, 1], [0.5, near])
    assert curve.auc == 1
    assert curve.fpr.dtype == np.float64
    single = rocch.RocCurve.from_scores([0, 1], np.array([0.1, 0.2], dtype=np.float32))
    assert single.lowest_scores is not None
    assert single.lowest_scores.tolist() == [np.float32(0.2), np.float32(0.1)]


def test_mixing_never_draws_an_option_of_probability_zero() -> None:
    hull = rocch.RocHull.from_scores([0, 0, 1, 1], {"a": [1, 3, 2, 4]})
    for limit in (0.0, 0.5, 1.0):
        answer = hull.best(rocch.NeymanPearson(limit), randomize=True)
        assert all(0 < share <= 1 for share, _ in answer.mix)
        assert len(answer.mix) == 1


def test_slopes_fall_strictly_along_every_hull() -> None:
    rng = np.random.default_rng(4)
    for _ in range(200):
        y = rng.random(50) < 0.5
        y[:2] = True, False
        hull = rocch.RocHull.from_scores(y, {"a": rng.integers(0, 9, 50)})
        assert all(a > b for a, b in pairwise(hull.slopes))
