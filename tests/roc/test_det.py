"""DET rates: scikit-learn's, and what stands for 0 on axes where 0 lies at infinity."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from scipy.special import ndtri
from sklearn.metrics import det_curve

from rocch import RocCurve, RocHull
from rocch.roc import DetCurve
from tests.support.strategies import judged_rows


@given(judged_rows())
def test_points_are_scikit_learns_and_those_it_drops_lie_at_infinity(rows: Any) -> None:
    labels, raw = rows
    scores = np.unique(raw, return_inverse=True)[1]
    fpr, fnr, _ = det_curve(labels, scores)
    ours = DetCurve.of(RocCurve.from_scores(labels, scores))
    theirs = {(round(x, 12), round(y, 12)) for x, y in zip(fpr, fnr, strict=True)}
    pairs = list(zip(ours.fpr.round(12), ours.fnr.round(12), strict=True))
    assert theirs <= set(pairs)
    extra = [far for pair, far in zip(pairs, ours.at_infinity, strict=True) if pair not in theirs]
    assert all(extra)


def test_zero_is_drawn_at_half_a_row() -> None:
    y = [0] * 10 + [1] * 4
    curve = RocCurve.from_scores(y, list(range(14)), name="perfect")
    det = DetCurve.of(curve)
    assert det.floor == (0.05, 0.125)
    x, miss = det.line()
    assert (x.min(), x.max()) == (0.05, 0.95)
    assert (miss.min(), miss.max()) == (0.125, 0.875)
    assert np.isfinite(ndtri(x)).all()
    assert det.at_infinity.all()


def test_a_shared_floor_can_be_given() -> None:
    det = DetCurve.of(RocCurve.from_scores([0, 0, 1, 1], [1, 3, 2, 4]))
    x, miss = det.line((0.01, 0.02))
    assert (x.min(), miss.min()) == (0.01, 0.02)


def test_rates_inside_are_left_alone() -> None:
    det = DetCurve.of(RocCurve.from_scores([0, 0, 1, 1], [1, 3, 2, 4]))
    inside = ~det.at_infinity
    assert inside.tolist() == [False, False, True, False, False]
    line = set(zip(*(side.tolist() for side in det.line()), strict=True))
    assert (0.5, 0.5) in line


def test_a_class_of_one_row_still_has_two_ends() -> None:
    det = DetCurve.of(RocCurve.from_scores([0, 1], [1, 2]))
    assert det.floor == (0.25, 0.25)


def test_weighted_rows_use_half_the_smallest_rate() -> None:
    y, score, weight = [0, 0, 1, 1], [1, 3, 2, 4], [3.0, 1.0, 1.5, 0.5]
    det = DetCurve.of(RocCurve.from_scores(y, score, sample_weight=weight))
    assert det.floor == pytest.approx((0.125, 0.125))
    perfect = DetCurve.of(RocCurve.from_scores([0, 1], [1, 2], sample_weight=[1, 2]))
    assert perfect.floor == (0.25, 0.25)


def test_different_rows_use_half_the_smallest_rate() -> None:
    one = RocCurve.from_counts([2], [4], negatives=10, positives=5, name="one")
    other = RocCurve.from_counts([1], [5], negatives=7, positives=8, name="other")
    det = DetCurve.of(RocHull.of(one, other, allow_different_rows=True))
    assert det.floor == pytest.approx((1 / 7 / 2, 0.2 / 2))


def test_two_normal_distributions_make_a_straight_line() -> None:
    rng = np.random.default_rng(4)
    y = np.arange(40_000) < 20_000
    det = DetCurve.of(RocCurve.from_scores(y, rng.normal(size=y.size) + 1.5 * y))
    x, miss = (ndtri(side) for side in det.line())
    middle = (np.abs(x) < 2) & (np.abs(miss) < 2)
    assert x[middle] + miss[middle] == pytest.approx(-1.5, abs=0.15)


def test_a_hulls_straight_segments_are_bent_here() -> None:
    hull = RocHull.of(RocCurve.from_counts([2], [12], negatives=20, positives=20, name="m"))
    det = DetCurve.of(hull)
    assert det.name == "hull"
    x, miss = det.line()
    on_hull = [1 - hull.tpr_at(rate) for rate in x.tolist()]
    inside = (x > 0.025) & (x < 0.975) & (miss > 0.025) & (miss < 0.975)
    assert inside.sum() > 60
    straight = np.interp(ndtri(x[inside]), *(ndtri(side[[0, -1]]) for side in (x, miss)))
    assert np.abs(ndtri(miss[inside]) - straight).max() > 0.3
    assert miss[inside] == pytest.approx(np.array(on_hull)[inside], abs=1e-9)


def test_rates_are_read_only() -> None:
    det = DetCurve.of(RocCurve.from_scores([0, 1], [1, 2]))
    for array in (det.fpr, det.fnr):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
