"""The front, against a search of every point of every curve."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import rocch
from rocch import MinimaxRegret
from rocch.report import front as fronts
from rocch.report.front import front_of, settings
from tests.support.asking import every_point, hull_of, question_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocch.report.summary import Front

    Keep = Callable[[float, float], bool]
    Score = Callable[[float, float], float]


def rates(hull: rocch.RocHull, front: Front) -> list[tuple[float, float]]:
    judged = hull.totals
    totals = judged.amount(judged.negatives), judged.amount(judged.positives)
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
    front, everywhere = front_of(hull), every_point(hull)
    known = rates(hull, front)
    rng = np.random.default_rng(seed)
    for _ in range(60):
        keep, score = random_limits(rng), random_score(rng)
        assert best(known, keep, score) == pytest.approx(best(everywhere, keep, score), abs=1e-12)


@pytest.mark.parametrize("seed", range(25))
def test_every_point_of_the_front_is_reached_as_it_says(seed: int) -> None:
    hull = hull_of(seed, size=20)
    front = front_of(hull)
    assert front.complete
    assert front.spacing == 0
    reachable = np.array(every_point(hull))
    for point in rates(hull, front):
        assert np.abs(reachable - point).max(axis=1).min() < 1e-12


@pytest.mark.parametrize("seed", range(0, 25, 5))
def test_the_worst_regret_needs_no_other_point_either(seed: int) -> None:
    hull, rng = hull_of(seed, size=30), np.random.default_rng(seed)
    known, everywhere = rates(hull, front_of(hull)), every_point(hull)
    for _ in range(10):
        stated = question_of(rng).stated()
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
    points = front_of(hull).points
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
        points = front_of(hull_of(seed)).points
        pairs = list(zip(points.false_positives, points.true_positives, strict=True))
        assert pairs == sorted(set(pairs))
        assert points.classifier[0] == points.classifier[-1] == -1
        assert points.threshold[0] == points.threshold[-1] == ""


@pytest.mark.parametrize("seed", [0, 1, 2, 4, 5, 6, 7])
def test_a_long_front_keeps_the_hull_and_loses_at_most_its_spacing(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    hull = hull_of(seed, size=300)
    monkeypatch.setattr(fronts, "MOST", 20)
    monkeypatch.setattr(fronts, "SPACING", 0.05)
    front, everywhere = front_of(hull), every_point(hull)
    assert not front.complete
    assert front.spacing == pytest.approx(0.1)
    known = rates(hull, front)
    assert len(known) < len(set(everywhere))
    vertices = settings(hull, hull.vertices)
    kept = set(zip(front.points.false_positives, front.points.true_positives, strict=True))
    assert kept >= set(zip(vertices.false_positives, vertices.true_positives, strict=True))
    rng = np.random.default_rng(seed)
    for _ in range(60):
        keep = random_limits(rng)
        got, could = (best(points, keep, lambda _, tpr: tpr) for points in (known, everywhere))
        assert could - front.spacing <= got <= could + 1e-12


def test_curves_judged_on_different_rows_meet_on_common_totals() -> None:
    small = rocch.RocCurve.from_counts([0, 1], [1, 2], negatives=2, positives=3, name="small")
    large = rocch.RocCurve.from_counts([1, 3], [1, 3], negatives=5, positives=4, name="large")
    points = front_of(rocch.RocHull.of(small, large, allow_different_rows=True)).points
    # in twelfths of the positives and tenths of the negatives
    assert dict(zip(points.true_positives, points.false_positives, strict=True)) == {
        0: 0,
        3: 2,
        4: 0,
        8: 5,
        9: 6,
        12: 10,
    }
