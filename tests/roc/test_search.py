"""The coin's best place between two vertices, against a fine search of the whole hull."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rocch
from tests.support.asking import rows_of, without_curves


def path(hull: rocch.RocHull, places: int) -> tuple[Any, Any]:
    """Return points along every segment, many of them close to its ends."""
    near = np.geomspace(1e-9, 0.5, places)
    shares = np.concatenate(([0.0], near, 1 - near[::-1], [1.0]))[:, None]
    fpr, tpr = (rates[:-1] + shares * np.diff(rates) for rates in (hull.fpr, hull.tpr))
    return fpr.ravel(), tpr.ravel()


def worst_regret(
    hull: rocch.RocHull, conditions: rocch.Conditions, at: tuple[Any, Any]
) -> np.ndarray[Any, Any]:
    regrets = []
    for case in conditions.corners():
        least = min(float(case.cost(v.fpr, v.tpr)) for v in hull.vertices)
        regrets.append(case.cost(*at) - least)
    return np.asarray(np.max(regrets, axis=0))


@pytest.mark.parametrize("seed", range(120))
def test_no_place_on_the_hull_has_a_smaller_worst_regret(seed: int) -> None:
    y, scores, rng = rows_of(seed, int(np.random.default_rng(seed).choice([20, 60, 200])))
    hull = rocch.RocHull.from_scores(y, scores)
    low, high = sorted(np.exp(rng.uniform(-4, 4, size=2)))
    share = rng.uniform(0.05, 0.9)
    vague = rocch.Conditions(
        prevalence=(share, min(0.95, share * rng.uniform(1, 2))),
        false_positive=(1, rng.uniform(1, 3)),
        false_negative=(low, high),
    )
    found = hull.best(rocch.MinimaxRegret(vague), randomize=True)
    got = float(worst_regret(hull, vague, (found.fpr, found.tpr)))
    least = float(worst_regret(hull, vague, path(hull, 400)).min())
    assert got <= least * (1 + 1e-9) + 1e-15
    assert found.value == pytest.approx(got, rel=1e-9, abs=1e-15)


def test_without_curves_the_vertices_of_every_classifiers_own_hull_are_searched() -> None:
    """At most 2 false alarms: (2, 2) of "inner" is no vertex of the joint hull, but known."""
    inner = rocch.RocCurve.from_counts([2], [2], negatives=10, positives=4, name="inner")
    outer = rocch.RocCurve.from_counts([0, 3], [1, 4], negatives=10, positives=4, name="outer")
    hull = without_curves(rocch.RocHull.of(inner, outer))
    assert [v.classifier for v in hull.vertices[1:-1]] == ["outer", "outer"]
    found = hull.best(rocch.NeymanPearson(0.2))
    assert (found.classifier, found.point.false_positives, found.point.true_positives) == (
        "inner",
        2,
        2,
    )
    assert found.note.startswith("Only hulls' vertices could be searched for inner, outer")


def test_of_equal_settings_the_one_with_the_highest_tpr_is_taken_also_along_one_curve() -> None:
    y = [1, 1, 1, 0, 1, 0]
    hull = rocch.RocHull.of(
        rocch.RocCurve.from_scores(y, [6, 5, 4, 3, 2, 1], name="first"),
        rocch.RocCurve.from_scores(y, [4, 4, 1, 2, 5, 3], name="other"),
    )
    least = hull.best(rocch.MinimumTpr(0.3))
    assert (least.fpr, least.tpr) == (0, 0.75)
    precise = hull.best(
        rocch.Constrained(rocch.Maximize("precision"), rocch.roc.LinearLimit(tpr=1, at_most=0.6))
    )
    assert (precise.fpr, precise.tpr) == (0, 0.5)


def test_a_belief_within_limits_that_nothing_meets_is_infeasible() -> None:
    hull = rocch.RocHull.from_scores([0, 0, 1, 1], {"nb": [0.1, 0.4, 0.35, 0.8]})
    question = rocch.Question(cost_ratio=(2, 5), max_fpr=0.1, min_tpr=0.9)
    for randomize in (False, True):
        with pytest.raises(rocch.errors.InfeasibleError):
            hull.best(question, randomize=randomize)
