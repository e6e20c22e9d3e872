"""Classifiers in columns: curves as the eye sees them, histograms, scanned AUCs and the front."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.integrate import trapezoid

import rocch
from rocch import InputError, MinimaxRegret, Question, RocCurve, RocHull
from rocch.kernels.cells import Cells
from rocch.report import curves, summarize
from rocch.report.curves import (
    BINS,
    PIXELS,
    align_counts,
    amounts,
    joint_front,
    settings,
    visible,
    visible_points,
)
from rocch.report.evidence import estimate_aucs
from rocch.report.render import render
from rocch.report.summary import Classifier, Front, Histogram
from rocch.roc import ClassTotals
from rocch.scale import FrameAuc
from tests.support.asking import costs_of, every_point, hull_of
from tests.support.reports import binary

Keep = Callable[[float, float], bool]
Score = Callable[[float, float], float]


def described(hull: RocHull, aucs: Any) -> tuple[Classifier, ...]:
    return curves.describe_classifiers(hull, hull.members, aucs, None)


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
    aucs, _ = estimate_aucs((y, {"m": scores}))
    (found,) = described(rocch.RocHull.from_scores(y, {"m": scores}), aucs)
    assert found.auc is not None
    assert found.auc_interval is not None
    assert tuple(found.auc_interval) == tuple(rocch.stats.auc_interval(y, scores).interval)
    assert found.auc_interval.low < found.auc < found.auc_interval.high


# ---- what the eye can see


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


def test_visible_points_are_points_of_the_curve() -> None:
    rng = np.random.default_rng(3)
    y = rng.random(30_000) < 0.3
    curve = rocch.RocCurve.from_scores(y, rng.normal(size=30_000) + y)
    points = visible_points(curve.totals, curve.false_positives, curve.true_positives)
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
        rates = hull.totals.rates(*align_counts(hull.totals, curve))
        np.testing.assert_array_equal(rates, (curve.fpr, curve.tpr))


def rates(hull: rocch.RocHull, front: Front) -> list[tuple[float, float]]:
    own = hull.totals
    totals = own.amount(own.negatives), own.amount(own.positives)
    points = zip(front.points.false_positives, front.points.true_positives, strict=True)
    return [(fp / totals[0], tp / totals[1]) for fp, tp in points]


def best(points: list[tuple[float, float]], keep: Keep, score: Score) -> float:
    return max(score(*point) for point in points if keep(*point))


def random_limits(rng: np.random.Generator) -> Keep:
    """Return an FPR limit, a capacity at some prevalence, or both; never alarming keeps all."""
    kind = rng.integers(3)
    most = rng.uniform(0, 0.6) if kind != 1 else 1.0
    share, room = rng.uniform(0.01, 0.99), rng.uniform(0, 0.8) if kind != 0 else 1.0
    return lambda fpr, tpr: fpr <= most + 1e-12 and share * tpr + (1 - share) * fpr <= room + 1e-12


def random_score(rng: np.random.Generator) -> Score:
    alarm, miss = rng.exponential(size=2)
    return lambda fpr, tpr: -alarm * fpr - miss * (1 - tpr)


@pytest.mark.parametrize("seed", range(25))
def test_nothing_beats_the_front_under_any_limits_and_costs(seed: int) -> None:
    hull = hull_of(seed, size=12 + 7 * (seed % 4))
    front, everywhere = joint_front(hull), every_point(hull)
    known = rates(hull, front)
    rng = np.random.default_rng(seed)
    for _ in range(60):
        keep, score = random_limits(rng), random_score(rng)
        assert best(known, keep, score) == pytest.approx(best(everywhere, keep, score), abs=1e-12)


@pytest.mark.parametrize("seed", range(25))
def test_every_point_of_the_front_is_reached_as_it_says(seed: int) -> None:
    hull = hull_of(seed, size=20)
    front = joint_front(hull)
    assert front.complete
    assert front.spacing == 0
    reachable = np.array(every_point(hull))
    for point in rates(hull, front):
        assert np.abs(reachable - point).max(axis=1).min() < 1e-12


@pytest.mark.parametrize("seed", range(0, 25, 5))
def test_the_worst_regret_needs_no_other_point_either(seed: int) -> None:
    hull, rng = hull_of(seed, size=30), np.random.default_rng(seed)
    known, everywhere = rates(hull, joint_front(hull)), every_point(hull)
    for _ in range(10):
        stated = rocch.Conditions(prevalence=(0.1, 0.3), **costs_of(rng))
        worst: Any = MinimaxRegret(stated).objective(hull.totals, hull.reachable).score
        least = [max(float(worst(*point)) for point in points) for points in (known, everywhere)]
        assert least[0] == pytest.approx(least[1], rel=1e-12, abs=1e-15)


def reached_by(hull: rocch.RocHull, fp: float, tp: float) -> set[str]:
    found = set()
    for member in hull.members:
        curve = member.curve()
        assert curve is not None
        pairs = zip(curve.false_positives.tolist(), curve.true_positives.tolist(), strict=True)
        found |= {member.name} if (fp, tp) in pairs else set()
    return found


@pytest.mark.parametrize("seed", range(6))
def test_everybody_who_reaches_a_point_is_named_and_the_threshold_gives_it(seed: int) -> None:
    rng = np.random.default_rng(seed)
    y = np.arange(14) % 3 == 0
    scores = {name: rng.integers(0, 4, size=14).astype(float) + y for name in "cab"}
    hull = rocch.RocHull.from_scores(y, scores)
    names = [member.name for member in hull.members]
    points = joint_front(hull).points
    shared = 0
    for fp, tp, first, threshold, also in zip(
        points.false_positives,
        points.true_positives,
        points.classifier,
        points.threshold,
        points.also,
        strict=True,
    ):
        if first < 0:
            assert (fp, tp) in ((0, 0), (9, 5))
            continue
        holders = reached_by(hull, fp, tp)
        assert names[first] == min(holders)
        assert sorted([names[first], *(names[i] for i in also)]) == sorted(holders)
        alarms = scores[names[first]] >= float(threshold)
        assert ((alarms & ~y).sum(), (alarms & y).sum()) == (fp, tp)
        shared += bool(also)
    assert shared


def test_points_run_from_never_to_always_without_repeats() -> None:
    for seed in range(10):
        points = joint_front(hull_of(seed)).points
        pairs = list(zip(points.false_positives, points.true_positives, strict=True))
        assert pairs == sorted(set(pairs))
        assert points.classifier[0] == points.classifier[-1] == -1
        assert points.threshold[0] == points.threshold[-1] == ""


@pytest.mark.parametrize("seed", [0, 1, 2, 4, 5, 6, 7])
def test_a_long_front_keeps_the_hull_and_loses_at_most_its_spacing(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    hull = hull_of(seed, size=300)
    monkeypatch.setattr(curves, "MOST_POINTS", 20)
    monkeypatch.setattr(curves, "SPACING", 0.05)
    front, everywhere = joint_front(hull), every_point(hull)
    assert not front.complete
    assert front.spacing == pytest.approx(0.1)
    known = rates(hull, front)
    assert len(known) < len(set(everywhere))
    vertices = settings([member.name for member in hull.members], hull.vertices)
    kept = set(zip(front.points.false_positives, front.points.true_positives, strict=True))
    assert kept >= set(zip(vertices.false_positives, vertices.true_positives, strict=True))
    rng = np.random.default_rng(seed)
    for _ in range(60):
        keep = random_limits(rng)
        got, could = (best(points, keep, lambda _, tpr: tpr) for points in (known, everywhere))
        assert could - front.spacing <= got <= could + 1e-12


def test_curves_of_different_rows_meet_on_common_totals() -> None:
    small = rocch.RocCurve.from_counts([0, 1], [1, 2], negatives=2, positives=3, name="small")
    large = rocch.RocCurve.from_counts([1, 3], [1, 3], negatives=5, positives=4, name="large")
    points = joint_front(rocch.RocHull.of(small, large, allow_different_rows=True)).points
    # in twelfths of the positives and tenths of the negatives
    assert dict(zip(points.true_positives, points.false_positives, strict=True)) == {
        0: 0,
        3: 2,
        4: 0,
        8: 5,
        9: 6,
        12: 10,
    }


RNG = np.random.default_rng(4)
Y_SCANNED = RNG.random(400) < 0.3
SCORES = {
    "a": np.round(RNG.normal(size=400) + Y_SCANNED, 1),
    "b": RNG.normal(size=400) * (1 + Y_SCANNED) + Y_SCANNED,
}


def bare() -> RocHull:
    """Return a hull that knows its vertices alone."""
    hull = RocHull.from_scores(Y_SCANNED, SCORES)
    members = tuple(replace(member, source=None) for member in hull.members)
    return RocHull(replace(hull.totals, rows=None), members)


def found(name: str, cells: int | None = None) -> FrameAuc:
    """Count a classifier's scores in so many cells, or in as many as there are scores."""
    curve = RocCurve.from_scores(Y_SCANNED, SCORES[name])
    thresholds: Any = curve.lowest_scores
    ends = np.unique(np.linspace(0, thresholds.size, (cells or thresholds.size) + 1).astype(int))
    counts = (np.diff(c[ends]) for c in (curve.false_positives, curve.true_positives))
    made = Cells(thresholds[ends[:-1]], thresholds[ends[1:] - 1], *counts)
    return FrameAuc.of(made, ClassTotals(curve.totals.negatives, curve.totals.positives))


def test_exact_aucs_are_those_of_the_rows() -> None:
    scanned = summarize(bare(), aucs={name: found(name) for name in SCORES})
    told = binary(scanned)
    known = binary(summarize(RocHull.from_scores(Y_SCANNED, SCORES), resamples=0))
    for one, other in zip(told.classifiers, known.classifiers, strict=True):
        assert one.auc == pytest.approx(other.auc, abs=1e-15)
        assert one.auc_interval == pytest.approx(other.auc_interval, abs=1e-12)
        assert one.curve is None
    assert told.winners == known.winners
    assert not any("within" in said for said in scanned.remarks)


def test_brackets_are_told_by_half_their_width() -> None:
    aucs = {"a": found("a"), "b": found("b", 40)}
    made = summarize(bare(), aucs=aucs)
    half = (aucs["b"].high - aucs["b"].low) / 2
    (said,) = (said for said in made.remarks if said.startswith("AUCs are known to within "))
    assert float(said.split()[-1].rstrip(".")) == pytest.approx(half, rel=0.05)
    assert binary(made).classifiers[1].auc == aucs["b"].middle


def test_what_is_left_out_is_said_in_every_rendering() -> None:
    made = summarize(bare(), Question(cost_ratio=(2, 5), likely=3))
    assert [each.auc for each in binary(made).classifiers] == [None, None]
    for kind in ("html", "md", "json"):
        assert "rows were not kept" in render(made, kind)
    assert binary(made).certainty is None
    assert binary(made).losses is not None


def test_weighted_rows_have_no_interval() -> None:
    weighted = replace(found("a"), variance_low=None, variance_high=None, middle_variance=None)
    made = summarize(bare(), aucs={"a": weighted, "b": found("b")})
    assert binary(made).classifiers[0].auc_interval is None
    assert binary(made).classifiers[0].auc == weighted.middle


def test_aucs_of_rows_at_hand_are_not_replaced() -> None:
    hull = RocHull.from_scores(Y_SCANNED, SCORES)
    made = summarize(hull, resamples=0, aucs={name: found(name, 40) for name in SCORES})
    assert [each.auc for each in binary(made).classifiers] == [
        RocCurve.from_scores(Y_SCANNED, SCORES[name]).auc for name in SCORES
    ]
    assert not any("within" in said for said in made.remarks)


@pytest.mark.parametrize(
    ("aucs", "says"),
    [
        ({"a": 0.7, "b": 0.8}, "aucs must be what Scan.auc returned"),
        ({"a": found("a")}, r"aucs must be what Scan\.auc returned .*; got .* for 'b'"),
        ([0.7], "aucs must be"),
    ],
)
def test_other_aucs_are_refused(aucs: Any, says: str) -> None:
    with pytest.raises(InputError, match=says):
        summarize(bare(), aucs=aucs)
