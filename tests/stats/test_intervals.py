"""Intervals for AUC: closed forms, edges, and a cheap seeded look at coverage."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import rocch
from rocch.kernels.engine import SAVES_A_SECOND
from rocch.rows import ScoredRows
from rocch.stats.auc import METHODS, auc_influence, perfect_auc_interval, replicate_interval

lib: Any = rocch  # so that mypy lets the tests pass what users should not
Z = 1.959963984540054


def rows(size: int, shift: float, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    y = np.arange(size) % 2 == 0
    return y, rng.normal(size=size) + shift * y


def test_each_method_is_what_its_name_says() -> None:
    replicates = np.random.default_rng(1).beta(8, 2, size=999)
    error = replicates.std(ddof=1)
    low, high = np.quantile(replicates, [0.025, 0.975])
    assert replicate_interval("percentile", 0.8, replicates, 0.95) == pytest.approx((low, high))
    assert replicate_interval("basic", 0.8, replicates, 0.95) == pytest.approx((1.6 - high, 1))
    assert replicate_interval("normal", 0.8, replicates, 0.95) == pytest.approx(
        (0.8 - Z * error, 1)
    )
    found = replicate_interval("logit", 0.8, replicates, 0.95)
    for end, side in zip(found, (-1, 1), strict=True):
        expected = math.log(4) + side * Z * error / 0.16
        assert math.log(end / (1 - end)) == pytest.approx(expected)


def test_bca_without_bias_and_skewness_is_the_percentile_interval() -> None:
    replicates = np.linspace(0.6, 0.8, 1001)
    symmetric = np.array([-0.1, 0.1])
    one = replicate_interval("bca", 0.7, replicates, 0.9, symmetric)
    assert one == pytest.approx(replicate_interval("percentile", 0.7, replicates, 0.9))
    assert replicate_interval("bca", 0.7, replicates, 0.9, np.zeros(2)) == pytest.approx(one)


def test_bca_moves_towards_where_the_replicates_are_too_few() -> None:
    replicates = np.linspace(0.6, 0.8, 1001)
    plain = replicate_interval("percentile", 0.72, replicates, 0.9)
    moved = replicate_interval("bca", 0.72, replicates, 0.9, np.array([-0.1, 0.1]))
    assert moved.low > plain.low
    assert moved.high > plain.high
    beyond = replicate_interval("bca", 0.9, replicates, 0.9, np.array([-0.1, 0.1]))
    assert beyond.low <= beyond.high == 0.8


def test_bca_is_efrons_formula_with_a_jackknife() -> None:
    from scipy.stats import norm

    rng = np.random.default_rng(3)
    data = rng.exponential(size=40) / 10
    replicates = rng.choice(data, size=(1999, 40)).mean(axis=1)
    left_out = np.array([np.delete(data, i).mean() for i in range(40)])
    moves = left_out.mean() - left_out
    skew = np.sum(moves**3) / (6 * np.sum(moves**2) ** 1.5)
    bias = norm.ppf(np.mean(replicates < data.mean()))
    shares = norm.cdf([bias + (bias + z) / (1 - skew * (bias + z)) for z in (-Z, Z)])
    influences = (data - data.mean()) / data.size
    found = replicate_interval("bca", float(data.mean()), replicates, 0.95, influences)
    assert found == pytest.approx(np.quantile(replicates, shares))
    assert found != pytest.approx(replicate_interval("percentile", 0.1, replicates, 0.95), rel=1e-3)


@pytest.mark.parametrize("grouped", [False, True])
def test_influence_is_what_leaving_a_unit_out_changes(grouped: bool) -> None:
    y, s = rows(400, 1.0)
    s = np.round(s, 1)
    groups = np.arange(400) // 4 if grouped else np.arange(400)
    sample = ScoredRows.of(y, {"a": s}, groups=groups if grouped else None)
    found = auc_influence(rocch.RocCurve.from_rows(sample, "a"), sample)
    assert found.sum() == pytest.approx(0, abs=1e-12)
    for unit in range(0, found.size, 37):
        kept = groups != unit
        change = rocch.auc(y, s) - rocch.auc(y[kept], s[kept])
        assert found[unit] == pytest.approx(change, abs=3e-5 * (groups == unit).sum())


def test_influence_of_a_model_that_only_labels_has_delongs_variance() -> None:
    y, s = rows(200, 1.0)
    sample = ScoredRows.of(y, {"rules": s > 0.5})
    found = auc_influence(rocch.RocCurve.from_rows(sample, "rules"), sample)
    wins = (s[y] > 0.5).astype(float)[:, None] - (s[~y] > 0.5)[None, :]
    placements = (wins + 1) / 2
    variance = placements.mean(axis=1).var() / 100 + placements.mean(axis=0).var() / 100
    assert np.sum(found**2) == pytest.approx(variance)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("shift", [0.0, 1.0, 4.0])
def test_intervals_hold_the_estimate_stay_inside_and_nest(method: Any, shift: float) -> None:
    y, s = rows(60, shift)
    drawn = rocch.stats.bootstrap(y, {"a": s}, replicates=400)
    narrow, wide = (drawn.auc_interval("a", confidence=c, method=method) for c in (0.8, 0.99))
    assert 0 <= wide.low <= narrow.low <= drawn.curve("a").auc <= narrow.high <= wide.high <= 1
    assert wide.low < wide.high


@pytest.mark.parametrize("method", METHODS)
def test_perfect_separation_still_has_a_width(method: Any) -> None:
    y = np.arange(50) < 20
    drawn = rocch.stats.bootstrap(y, {"a": y * 1.0, "worst": -1.0 * y}, replicates=20)
    low, high = drawn.auc_interval("a", method=method)
    assert high == 1
    assert low**20 == pytest.approx(0.025)
    assert drawn.auc_interval("worst", method=method) == pytest.approx((0, 1 - low))


def test_perfect_pairs_share_no_cluster() -> None:
    y = np.tile([True, False], 10)
    both = rocch.stats.bootstrap(y, {"a": y * 1.0}, groups=np.arange(20) // 2, replicates=5)
    assert both.independent_pairs == 5  # ten clusters of both classes make five pairs
    assert both.auc_interval("a").low == pytest.approx(0.025 ** (1 / 5))
    apart = rocch.stats.bootstrap(y, {"a": y * 1.0}, groups=np.arange(20), replicates=5)
    assert apart.independent_pairs == 10


def test_samples_are_perfect_at_most_as_often_as_the_bound_supposes() -> None:
    rng = np.random.default_rng(0)
    shift = 3.2  # AUC 0.988: ten rows of each class are often separated perfectly
    auc = 0.5 * (1 + math.erf(shift / 2))
    lowest, highest = (
        (rng.normal(size=(2000, 10)) + shift).min(1),
        rng.normal(size=(2000, 10)).max(1),
    )
    assert 0.3 < np.mean(lowest > highest) < auc**10
    assert perfect_auc_interval(1.0, 10, 0.8).low ** 10 == pytest.approx(0.1)


def test_constant_scores_have_no_spread_and_say_so() -> None:
    drawn = rocch.stats.bootstrap([0, 0, 1, 1], {"a": [1.0, 1, 1, 1]}, replicates=40)
    methods: Any = METHODS
    for method in methods:
        assert drawn.auc_interval("a", method=method) == pytest.approx((0.5, 0.5))


@pytest.mark.slow
def test_intervals_cover_about_as_often_as_stated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seeded: 150 samples of 30 + 30 rows, AUC 0.9; 143 expected, 135 is 3 standard errors low."""
    monkeypatch.setitem(SAVES_A_SECOND, "resampling", 0)
    held = 0
    shift = 1.8123876
    for seed in range(150):
        y, s = rows(60, shift, seed)
        low, high = rocch.stats.bootstrap(y, {"a": s}, replicates=100, fprs=[0.5]).auc_interval("a")
        held += low <= 0.9 <= high
    assert 135 <= held < 150


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"confidence": 0}, "confidence must be a number between 0 and 1"),
        ({"confidence": 1}, "confidence must be a number between 0 and 1"),
        ({"confidence": "95"}, "confidence must be a number between 0 and 1"),
        ({"method": "best"}, "method must be one of 'logit', 'bca'"),
    ],
)
def test_bad_options_are_refused(options: Any, says: str) -> None:
    drawn: Any = rocch.stats.bootstrap([0, 0, 1, 1], {"a": [1, 3, 2, 4]}, replicates=2)
    with pytest.raises(rocch.InputError, match=says):
        drawn.auc_interval("a", **options)
