"""Curves reduced to what the eye can see."""

from __future__ import annotations

import numpy as np
import pytest

import rocch
from rocch.report.eyesight import PIXELS, amounts, drawn, on_ground, visible


def staircase(seed: int, steps: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    up = rng.random(steps) < rng.uniform(0.2, 0.8)
    fpr, tpr = np.cumsum(~up), np.cumsum(up)
    return np.insert(fpr / fpr[-1], 0, 0.0), np.insert(tpr / tpr[-1], 0, 0.0)


@pytest.mark.parametrize("steps", [5, 200, 20_000, 100_000])
def test_no_point_is_farther_than_a_pixel_from_one_that_is_kept(steps: int) -> None:
    fpr, tpr = staircase(steps, steps)
    kept = visible(fpr, tpr)
    assert kept[0] == 0
    assert kept[-1] == fpr.size - 1
    assert (np.diff(kept) > 0).all()
    before = kept[np.searchsorted(kept, np.arange(fpr.size), side="right") - 1]
    for rate in (fpr, tpr):
        assert np.abs(rate - rate[before]).max() < 1 / PIXELS
    assert kept.size <= 2 * PIXELS + 2


def test_a_short_curve_is_kept_whole() -> None:
    fpr, tpr = staircase(1, 60)
    assert visible(fpr, tpr).tolist() == list(range(61))


def test_drawn_points_are_points_of_the_curve() -> None:
    rng = np.random.default_rng(3)
    y = rng.random(30_000) < 0.3
    curve = rocch.RocCurve.from_scores(y, rng.normal(size=30_000) + y)
    points = drawn(curve.totals, curve.false_positives, curve.true_positives)
    pairs = set(zip(curve.false_positives.tolist(), curve.true_positives.tolist(), strict=True))
    own = list(zip(points.false_positives, points.true_positives, strict=True))
    assert len(own) < len(pairs) / 5
    assert set(own) <= pairs
    assert (own[0], own[-1]) == ((0, 0), ((~y).sum(), y.sum()))


def test_amounts_of_weighted_rows_are_weights() -> None:
    curve = rocch.RocCurve.from_scores(
        [0, 1, 0, 1], [1, 2, 3, 4], sample_weight=[0.5, 0.25, 0.125, 2]
    )
    assert amounts(curve.totals, curve.true_positives) == (0, 2, 2, 2.25, 2.25)
    assert amounts(curve.totals, curve.false_positives) == (0, 0, 0.125, 0.125, 0.625)


def test_a_curve_is_brought_to_the_totals_of_its_hull() -> None:
    one = rocch.RocCurve.from_counts([1], [1], negatives=2, positives=3, name="one")
    other = rocch.RocCurve.from_counts([1], [3], negatives=5, positives=4, name="other")
    hull = rocch.RocHull.of(one, other, allow_different_rows=True)
    for curve in (one, other):
        rates = hull.totals.rates(*on_ground(hull.totals, curve))
        np.testing.assert_array_equal(rates, (curve.fpr, curve.tpr))
