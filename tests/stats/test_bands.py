"""Bands: what they contain, what they promise, and where they refuse."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

import rocch
from rocch import RocCurve
from rocch.kernels.engine import SAVES_A_SECOND
from rocch.kernels.hull import highest_tpr
from rocch.stats.bands import shift_curve, wilson
from tests.support.strategies import judged_rows

if TYPE_CHECKING:
    from rocch.arrays import FloatArray

lib: Any = rocch  # so that mypy lets the tests pass what users should not
KINDS: list[dict[str, Any]] = [
    {"kind": "pointwise"},
    {"kind": "simultaneous"},
    {"kind": "simultaneous", "method": "kolmogorov"},
]
FPRS = np.linspace(0, 1, 101)


def rows(positives: int, negatives: int, shift: float, seed: int = 0) -> tuple[Any, FloatArray]:
    rng = np.random.default_rng(seed)
    y = np.arange(positives + negatives) < positives
    return y, rng.normal(size=y.size) + shift * y


@pytest.mark.parametrize("options", KINDS)
@pytest.mark.parametrize("shift", [0.0, 1.0, 9.0])
def test_bands_hold_the_samples_curve_and_nest(options: Any, shift: float) -> None:
    y, s = rows(40, 60, shift)
    drawn = rocch.stats.bootstrap(y, {"a": s}, replicates=300)
    narrow, wide = (drawn.band("a", confidence=level, **options) for level in (0.8, 0.99))
    assert narrow.contains(narrow.center)
    assert (wide.low <= narrow.low).all()
    assert (wide.high >= narrow.high).all()
    inside = (FPRS > 0) & (FPRS < 1)
    assert (narrow.low < narrow.high)[inside].all()
    assert 0 <= wide.low.min() <= wide.high.max() <= 1
    assert wide.low[-1] == wide.high[-1] == 1


@pytest.mark.parametrize("options", KINDS)
def test_bands_survive_ties_and_constant_scores(options: Any) -> None:
    y, s = rows(30, 50, 1.0)
    for scores in (np.round(s), s * 0, -1.0 * y, 1.0 * y):
        band = rocch.stats.roc_band(y, scores, replicates=100, **options)
        assert band.contains(band.center)
        assert np.isfinite([band.low, band.high]).all()


@settings(max_examples=25)
@given(judged_rows())
def test_any_scores_have_a_kolmogorov_band(judged: tuple[list[bool], list[float]]) -> None:
    y, s = judged
    band = rocch.stats.roc_band(
        y, s, kind="simultaneous", method="kolmogorov", fprs=[0, 0.1, 0.5, 1]
    )
    assert band.contains(band.center)
    assert (np.diff(band.low) >= 0).all()
    assert (np.diff(band.high) >= 0).all()


def test_the_kolmogorov_band_is_the_curve_moved_by_the_two_distances() -> None:
    from scipy.stats import ksone, kstwo

    y, s = rows(20, 30, 1.0)
    curve = RocCurve.from_scores(y, s)
    right, up = (kstwo.ppf(math.sqrt(0.9), size) for size in (30, 20))
    band = rocch.stats.roc_band(y, s, kind="simultaneous", method="kolmogorov", confidence=0.9)
    for i in range(100):
        x = float(FPRS[i])
        high = min(1, curve.tpr_at(min(1, x + right)) + up)
        assert band.high[i] == pytest.approx(high)
        points = curve.tpr[curve.fpr >= x - right]
        assert band.low[i] <= max(0, points.min() - up) + 1e-12
    assert kstwo.sf(right, 30) == pytest.approx(1 - math.sqrt(0.9))
    assert kstwo.sf(right, 30) <= 2 * ksone.sf(right, 30)


def test_every_randomized_threshold_near_the_sample_is_in_the_kolmogorov_band() -> None:
    """Any distribution whose distances are within the two widths has its curve in the band."""
    rng = np.random.default_rng(4)
    y, s = rows(25, 35, 1.0)
    curve = RocCurve.from_scores(y, np.round(s, 1))
    by = np.array([0.2, 0.15])
    low, high = shift_curve(curve, FPRS, by)
    for _ in range(200):
        wiggles = rng.uniform(-1, 1, size=(2, len(curve)))
        fpr, tpr = (
            np.maximum.accumulate(np.clip(rates + width * wiggle, 0, 1))
            for rates, width, wiggle in zip((curve.fpr, curve.tpr), by, wiggles, strict=True)
        )
        for rates in (fpr, tpr):
            rates[0], rates[-1] = 0, 1
        heights = highest_tpr(fpr, tpr, FPRS)
        assert (heights <= high + 1e-12).all()
        assert (heights >= low - 1e-12).all()


def test_simultaneous_bands_are_wider_than_pointwise_ones_and_narrower_than_kolmogorovs() -> None:
    y, s = rows(300, 300, 1.0)
    drawn = rocch.stats.bootstrap(y, {"a": s}, replicates=500)
    widths = [float(np.mean((b := drawn.band("a", **o)).high - b.low)) for o in KINDS]
    assert widths[0] < widths[1] < widths[2]


@pytest.mark.parametrize(
    ("positives", "negatives", "shift"),
    [(30, 60, 1.0), (300, 300, 1.0), (40, 400, 2.0), (100, 100, 3.0), (200, 30, 1.0), (2, 3, 0.0)],
)
@pytest.mark.parametrize("digits", [0, 9])
@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_bands_of_whole_curves_contain_those_of_single_points(
    positives: int, negatives: int, shift: float, digits: int, confidence: float
) -> None:
    for seed in range(3):
        y, s = rows(positives, negatives, shift, seed)
        drawn = rocch.stats.bootstrap(y, {"a": np.round(s, digits)}, replicates=100)
        point, *whole = (drawn.band("a", confidence=confidence, **options) for options in KINDS)
        for band in whole:
            assert (band.low <= point.low).all()
            assert (band.high >= point.high).all()
            assert point.contains(point.center)


def test_bands_of_groups_contain_each_other_too() -> None:
    y, s = rows(60, 90, 1.0)
    drawn = rocch.stats.bootstrap(y, {"a": s}, groups=np.arange(150) // 3, replicates=100)
    point, whole = (drawn.band("a", **options) for options in KINDS[:2])
    assert (whole.low <= point.low).all()
    assert (whole.high >= point.high).all()


def test_a_simultaneous_band_holds_just_enough_replicates() -> None:
    y, s = rows(200, 200, 1.0)
    drawn = rocch.stats.bootstrap(y, {"a": s}, replicates=500)
    band = drawn.band("a", kind="simultaneous", confidence=0.9)
    share = np.mean([band.contains(tpr) for tpr in drawn.tpr("a")])
    assert 0.9 <= share < 0.93


def test_wilson_with_the_binomial_variance_is_wilsons() -> None:
    from scipy.stats import binomtest

    hits = np.array([0, 3, 12, 20])
    rates = hits / 20
    low, high = wilson(rates, rates * (1 - rates) / 20, 0.95, units=20, rows=20)
    for i, k in enumerate(hits.tolist()):
        exact = binomtest(k, 20).proportion_ci(method="wilson")
        assert (low[i], high[i]) == pytest.approx((exact.low, exact.high))


def test_wilson_of_clustered_rows_counts_between_units_and_rows() -> None:
    rates, rows_, units = np.array([0.5]), 100, 20
    for variance, trials in ((0.25 / 50, 50), (0.25 / 1000, 100), (0.25 / 5, 20)):
        found = wilson(rates, np.array([variance]), 0.95, units=units, rows=rows_)
        z2 = NormalDist().inv_cdf(0.975) ** 2
        half = math.sqrt(z2 * (variance + z2 / (4 * trials**2))) / (1 + z2 / trials)
        assert found[1] - found[0] == pytest.approx(2 * half)


def test_without_negatives_to_count_on_a_pointwise_band_has_no_lower_limit() -> None:
    y, s = rows(100, 60, 2.0)
    band = rocch.stats.roc_band(y, s, kind="pointwise", replicates=100)
    few = band.fpr * 60 < 3
    assert (band.low[few] == 0).all()
    assert (band.low[~few] > 0).all()


@pytest.mark.filterwarnings("ignore::rocch.PositiveClassWarning")
def test_the_joint_hull_has_a_pointwise_band_that_says_it_is_optimistic() -> None:
    y, s = rows(60, 60, 1.0)
    drawn = rocch.stats.bootstrap(y, {"a": s, "b": -s, "joint hull": s * 0}, replicates=100)
    band = drawn.band(kind="pointwise")
    assert band.model == "joint hull"
    assert "optimistic" in band.promise
    assert band.contains(band.center)
    hull = rocch.RocHull.from_scores(y, {"a": s, "b": -s})
    assert band.center.tolist() == [hull.tpr_at(x) for x in FPRS.tolist()]
    optimism = np.clip(drawn.hull_tpr().mean(axis=0) - band.center, 0, None)
    variances = drawn.hull_tpr().var(axis=0, ddof=1)
    low, _ = wilson(band.center - optimism, variances, 0.95, units=60, rows=60)
    _, high = wilson(band.center, variances, 0.95, units=60, rows=60)
    tails = np.quantile(drawn.hull_tpr(), [0.025, 0.975], axis=0)
    assert band.low[5:-1] == pytest.approx(np.minimum(low, tails[0])[5:-1])
    assert np.array_equal(band.high, np.maximum(high, tails[1]))
    assert optimism.max() > 0.01
    own = drawn.band("joint hull", kind="pointwise")
    assert "optimistic" not in own.promise


def test_roc_band_is_the_bootstraps_own() -> None:
    y, s = rows(30, 30, 1.0)
    groups = np.arange(60) // 2
    one = rocch.stats.roc_band(
        y, s, kind="pointwise", groups=groups, replicates=50, random_state=4, name="a"
    )
    drawn = rocch.stats.bootstrap(y, {"a": s}, groups=groups, replicates=50, random_state=4)
    other = drawn.band("a", kind="pointwise")
    assert np.array_equal(one.low, other.low)
    assert one.model == "a"
    assert one.promise == other.promise
    assert "named beforehand" in str(one)


def test_a_series_gives_its_name() -> None:
    y, s = rows(10, 10, 1.0)
    series = pd.Series(s, name="ndka")
    band = rocch.stats.roc_band(y, series, kind="simultaneous", method="kolmogorov")
    assert band.model == "ndka"
    assert band.curve == RocCurve.from_scores(y, series)
    assert rocch.stats.threshold_boxes(y, series, [1.0])[0].model == "ndka"
    assert rocch.stats.threshold_boxes(y, series, [1.0], name="b")[0].model == "b"
    assert rocch.stats.threshold_boxes(y, s, [1.0])[0].model == "classifier"


@pytest.mark.parametrize("options", KINDS)
def test_the_outline_holds_the_samples_curve_everywhere(options: Any) -> None:
    y, s = rows(30, 50, 1.0)
    drawn = rocch.stats.bootstrap(y, {"a": s}, replicates=100, fprs=[0, 0.1, 0.35, 0.8, 1])
    band = drawn.band("a", **options)
    fpr, low, high = band.outline()
    for start in range(0, len(fpr), 2):
        inside = (fpr[start] < band.curve.fpr) & (band.curve.fpr < fpr[start + 1])
        assert (low[start] <= band.curve.tpr[inside]).all()
        assert (band.curve.tpr[inside] <= high[start]).all()


def test_bands_cannot_be_altered() -> None:
    y, s = rows(10, 10, 1.0)
    band = rocch.stats.roc_band(y, s, kind="simultaneous", method="kolmogorov")
    for array in (band.fpr, band.low, band.high, band.center):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


@pytest.mark.slow
def test_simultaneous_bands_hold_the_truth_about_as_often_as_stated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Seeded: 60 samples of 30 + 30 rows; 57 expected, 52 is 3 standard errors low."""
    monkeypatch.setitem(SAVES_A_SECOND, "resampling", 0)
    held = {"bootstrap": 0, "kolmogorov": 0}
    normal = NormalDist()
    inner = np.linspace(0.02, 0.98, 49)
    truth = [normal.cdf(1.2 + normal.inv_cdf(x)) for x in inner.tolist()]
    for seed in range(60):
        y, s = rows(30, 30, 1.2, seed)
        drawn = rocch.stats.bootstrap(y, {"a": s}, replicates=100, fprs=inner)
        for method in held:
            found: Any = method
            held[method] += drawn.band("a", kind="simultaneous", method=found).contains(truth)
    assert held["bootstrap"] >= 52
    assert held["kolmogorov"] >= held["bootstrap"]


Y, S = [0, 0, 1, 1], [1.0, 3, 2, 4]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"kind": "wide"}, "kind must be one of 'pointwise', 'simultaneous'"),
        ({"kind": "pointwise", "method": "exact"}, "method must be one of 'bootstrap'"),
        (
            {"kind": "pointwise", "method": "kolmogorov"},
            "method must be 'bootstrap' for a pointwise",
        ),
        ({"kind": "pointwise", "confidence": 1.0}, "confidence must be a number between 0 and 1"),
        ({"kind": "pointwise", "fprs": [2]}, "fprs must be a number from 0 to 1"),
        ({"kind": "pointwise", "name": ""}, "name must be a text"),
        (
            {"kind": "simultaneous", "method": "kolmogorov", "groups": [1, 2, 3, 4]},
            "method must be 'bootstrap' where rows come in groups",
        ),
    ],
)
def test_bad_options_are_refused(options: Any, says: str) -> None:
    with pytest.raises(rocch.InputError, match=says):
        lib.stats.roc_band(Y, S, **options)


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda d: d.band(kind="simultaneous"), "kind must be 'pointwise' for the joint hull"),
        (lambda d: d.band("b", kind="pointwise"), "model must name one of the models"),
        (
            lambda d: d.band("b", kind="simultaneous", method="kolmogorov"),
            "model must name one of the models",
        ),
        (lambda d: d.band("a", kind="pointwise").contains([1]), "tpr must have one value for each"),
    ],
)
def test_bad_questions_are_refused(ask: Any, says: str) -> None:
    with pytest.raises(rocch.InputError, match=says):
        ask(rocch.stats.bootstrap(Y, {"a": S}, replicates=40))


@pytest.mark.parametrize("options", KINDS)
def test_labels_alone_have_no_band(options: Any) -> None:
    with pytest.raises(rocch.UndefinedError, match="outputs labels only"):
        rocch.stats.roc_band(Y, np.array([True, False, True, True]), replicates=2, **options)


def test_between_grades_a_pointwise_band_holds_the_truth() -> None:
    """Five grades: between the last two the curve is a straight line, and surer than its rows."""
    grades = np.array([[0.5, 0.2, 0.15, 0.1, 0.05], [0.05, 0.1, 0.15, 0.2, 0.5]])
    rng = np.random.default_rng(1)
    y = np.arange(150) >= 100
    fprs = [0.5, 0.9, 0.95]
    truth = np.interp(fprs, [0, 0.05, 0.15, 0.3, 0.5, 1], [0, 0.5, 0.7, 0.85, 0.95, 1])
    held = np.zeros(3)
    for seed in range(60):
        scores = np.where(y, rng.choice(5, 150, p=grades[1]), rng.choice(5, 150, p=grades[0]))
        drawn = rocch.stats.bootstrap(
            y, {"a": scores}, replicates=100, random_state=seed, fprs=fprs
        )
        band = drawn.band("a", kind="pointwise")
        held += (band.low <= truth) & (truth <= band.high)
    assert held.min() >= 51  # of 60 at 95%: fewer has a chance of 1 in 700
