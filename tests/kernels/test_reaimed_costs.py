"""Least costs of re-aimed models, against a slow count."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from rocch.kernels.resampling import OTHER_HALF, reaimed_cost

ALARM, MISS = Fraction(7, 10), Fraction(9, 10)


def cost(scores: Any, positive: Any, threshold: float) -> Fraction:
    """The cost of alarming from a score on, less that of missing all."""
    fp = sum(1 for score, y in zip(scores, positive, strict=True) if score >= threshold and not y)
    tp = sum(1 for score, y in zip(scores, positive, strict=True) if score >= threshold and y)
    negatives, positives = max(1, int((~positive).sum())), max(1, int(positive.sum()))
    return ALARM * Fraction(fp, negatives) - MISS * Fraction(tp, positives)


def best_threshold(scores: Any, positive: Any, thresholds: list[float]) -> float:
    """The highest of the best thresholds."""
    return min(thresholds, key=lambda threshold: cost(scores, positive, threshold))


@pytest.mark.parametrize("seed", range(6))
def test_costs_are_those_of_a_slow_count(seed: int) -> None:
    rng = np.random.default_rng(seed)
    positive = rng.permutation(np.arange(29) < 9)
    scores = rng.integers(0, 12, 29) + 3.0 * positive
    scores[scores > 11] = np.inf  # which is a score like any other
    scores[scores < 2] = -np.inf
    halves = rng.random((5, 29)) < 0.5
    found = reaimed_cost(scores, positive, halves, (float(ALARM), float(MISS)))
    thresholds = [np.nan, *sorted(set(scores.tolist()), reverse=True)]  # which none reaches
    own = best_threshold(scores, positive, thresholds)
    others = []
    for half in (*halves, *~halves):
        aimed = best_threshold(scores[half], positive[half], thresholds)
        others.append(cost(scores[~half], positive[~half], aimed))
    expected = (1 - OTHER_HALF) * float(cost(scores, positive, own)) + OTHER_HALF * float(
        sum(others) / len(others)
    )
    assert found.cost == pytest.approx(expected)
    alarms = scores >= own
    for rows, weight in ((~positive, ALARM), (positive, -MISS)):
        added = (alarms[rows] - alarms[rows].mean()) * float(weight) / rows.sum()
        assert found.added[rows] == pytest.approx(added)


def test_where_alarms_cost_most_never_alarming_is_best() -> None:
    positive = np.array([True, False, True, False])
    scores = np.array([1.0, 2.0, 3.0, 4.0])
    halves = np.array([[True, True, False, False]])
    found = reaimed_cost(scores, positive, halves, (100.0, 1.0))
    assert found.cost == 0
    assert not found.added.any()


def test_the_two_biases_cancel() -> None:
    """Brownian motion with a parabola: the least value on n rows is A too low, choices A/3 dear."""
    rng = np.random.default_rng(0)
    time = np.linspace(-4, 4, 801)
    steps = rng.normal(size=(2000, 800)) * np.sqrt(np.diff(time))
    walks = np.concatenate([np.zeros((2000, 1)), steps.cumsum(axis=1)], axis=1)
    values = walks - walks[:, 400:401] + time**2
    apparent = values.min(axis=1).mean()
    excess = (time[values.argmin(axis=1)] ** 2).mean()
    assert (1 - OTHER_HALF) * apparent + OTHER_HALF * 2 ** (2 / 3) * excess == pytest.approx(
        0, abs=0.05 * -apparent
    )
