"""Intervals for expected costs and for differences of them, from decisions on the same rows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rocch.compare.rates import rate_interval
from rocch.kernels.bounds import normal_quantile
from rocch.roc.conditions import Interval

if TYPE_CHECKING:
    from rocch.arrays import BoolArray, FloatArray
    from rocch.compare.sample import Sample
    from rocch.roc.conditions import Case


class _Rate(NamedTuple):
    """A rate in one class, and how many independent rows it is worth."""

    mean: float
    rows: float


def cost_interval(
    sample: Sample, alarms: FloatArray, case: Case, confidence: float
) -> tuple[float, Interval]:
    """Return the expected cost of decisions, and an interval for it.

    `alarms` holds for each row how often it alarmed, from 0 to 1. Wilson's intervals of FPR and TPR
    are joined by the method of variance estimates recovery (Zou and Donner): it keeps their
    asymmetry and survives rates of 0 and 1.
    """
    rates = [_rate(sample, alarms, cls) for cls in (False, True)]
    bounds = [
        rate_interval(rate.mean * rate.rows, rate.rows, method="wilson", confidence=confidence)
        for rate in rates
    ]
    factors = _factors(case)
    cost = float(case.cost(rates[0].mean, rates[1].mean))
    below = above = 0.0
    for rate, (low, high), factor in zip(rates, bounds, factors, strict=True):
        down, up = rate.mean - low, high - rate.mean
        below += (factor * (down if factor > 0 else up)) ** 2
        above += (factor * (up if factor > 0 else down)) ** 2
    return cost, Interval(cost - math.sqrt(below), cost + math.sqrt(above))


def paired_difference(
    sample: Sample, alarms: tuple[FloatArray, FloatArray], case: Case, confidence: float
) -> tuple[float, Interval]:
    """Return what the second decisions cost more than the first on the same rows, and an interval.

    In each class half a row is added to either kind of disagreement (Agresti and Min), so that two
    classifiers which happen to agree on all rows are not thought to agree on all that will come.
    """
    first, second = alarms
    difference = spread = 0.0
    for cls, factor in zip((False, True), _factors(case), strict=True):
        change = (second - first)[sample.positive == cls]
        more, fewer = float(np.maximum(change, 0).sum()), float(np.maximum(-change, 0).sum())
        rows = change.size + 2
        up, down = (more + 0.5) / rows, (fewer + 0.5) / rows
        variance = (up + down - (up - down) ** 2) / rows
        variance *= _design_effect(sample, second - first, sample.positive == cls)
        difference += factor * float(change.mean())
        spread += factor**2 * variance
    half = normal_quantile(confidence) * math.sqrt(spread)
    return difference, Interval(difference - half, difference + half)


def _factors(case: Case) -> tuple[float, float]:
    """Return what one more unit of FPR and of TPR costs."""
    alarm, miss = case.weights
    return alarm, -miss


def _rate(sample: Sample, alarms: FloatArray, cls: bool) -> _Rate:
    rows = sample.positive == cls
    effect = _design_effect(sample, alarms, rows)
    return _Rate(float(alarms[rows].mean()), int(np.count_nonzero(rows)) / effect)


def _design_effect(sample: Sample, values: FloatArray, rows: BoolArray) -> float:
    """Return how many times the variance of a mean grows because rows come in clusters; 1 at least.

    Without clusters it is 1.
    """
    if sample.groups is None:
        return 1.0
    off = values[rows] - values[rows].mean()
    plain = float(off @ off)
    sums = np.bincount(sample.groups[rows], off)
    return max(1.0, float(sums @ sums) / plain) if plain else 1.0
