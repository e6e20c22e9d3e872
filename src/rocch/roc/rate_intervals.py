"""Intervals of what decisions cost or save, from the rates of rows that did not make them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from rocch.arrays import BoolArray, FloatArray
from rocch.kernels.bounds import clopper_pearson, normal_quantile
from rocch.roc.conditions import Case, Interval
from rocch.rows import ScoredRows

# How much of the variance of choices that disagree widens an interval. With none, 92 to 96% of
# nominal 95% intervals held in simulations of hulls; with all of it, 95 to 100%.
SHARE_OF_DISAGREEMENT = 0.25


def cost_interval(
    rows: ScoredRows, alarms: FloatArray, case: Case, confidence: float
) -> tuple[float, Interval]:
    """Return the expected cost of decisions, and an interval.

    `alarms` holds how often each row is predicted positive. Clopper and Pearson's intervals of FPR
    and TPR are joined by Zou and Donner's variance estimates recovery. (Shorter intervals of rates
    fail for thresholds chosen among observed scores: the true rate beyond the k-th of n scores has
    the beta distribution that bounds these.) Where choices disagree about rows, one of them is
    deployed; a part of that variance is added.
    """
    return join_rates(class_rates(rows, alarms), case, confidence)


def class_rates(rows: ScoredRows, alarms: FloatArray) -> list[tuple[float, float, float]]:
    """Return FPR and TPR of decisions as `join_rates` takes them."""
    rows, (alarms,) = _once(rows, alarms)
    rates = []
    for members in (~rows.positive, rows.positive):
        disagreement, _ = _rate(rows, alarms * (1 - alarms), members)
        rates.append((*_rate(rows, alarms, members), disagreement))
    return rates


def bound_rate(rate: float, trials: float, disagreement: float, confidence: float) -> Interval:
    """Return the interval of one of the rates that `join_rates` takes.

    All of the disagreement counts: under limits, rates vary more between choices than costs do.
    With a quarter of it, 90 to 94% of nominal 95% intervals held for five equal models, with all of
    it 94 to 97%.
    """
    term = (rate, trials, disagreement / SHARE_OF_DISAGREEMENT)
    below, above = _join_widths([term], [1.0], confidence)
    return Interval(max(rate - below, 0.0), min(rate + above, 1.0))


def saving_interval(
    rows: ScoredRows,
    alarms: FloatArray,
    baseline: FloatArray,
    case: Case,
    confidence: float,
    both: FloatArray | None = None,
) -> Interval:
    """Return an interval of what decisions save against those of a baseline on the same rows.

    Each holds how often a row is predicted positive, and `both` how often by both; by default they
    are independent. Only rows on which the two differ count: for each class, those that the
    baseline alone predicts positive, and those that it alone does not. The intervals of these four
    rates are joined as in `cost_interval`.
    """
    shared = alarms * baseline if both is None else both
    rows, (alarms, baseline, shared) = _once(rows, alarms, baseline, shared)
    fewer, more = np.maximum(baseline - shared, 0.0), np.maximum(alarms - shared, 0.0)
    rates, factors = [], []
    alarm, miss = case.weights
    for members, weight in ((~rows.positive, alarm), (rows.positive, -miss)):
        disagreement, _ = _rate(rows, fewer + more - (fewer - more) ** 2, members)
        rates += [(*_rate(rows, fewer, members), disagreement), (*_rate(rows, more, members), 0.0)]
        factors += [weight, -weight]
    below, above = _join_widths(rates, factors, confidence)
    saves = sum(factor * rate for factor, (rate, *_) in zip(factors, rates, strict=True))
    return Interval(saves - below, saves + above)


def nested_saving_interval(
    rates: tuple[float, float],
    baseline: tuple[float, float],
    trials: tuple[float, float],
    case: Case,
    confidence: float,
) -> Interval:
    """Return the interval of `saving_interval` for two thresholds of one score, by FPR and TPR.

    Rows between the two thresholds are those on which they differ.
    """
    terms, factors = [], []
    weights = case.weights[0], -case.weights[1]
    for own, other, size, weight in zip(rates, baseline, trials, weights, strict=True):
        terms += [(max(other - own, 0.0), size, 0.0), (max(own - other, 0.0), size, 0.0)]
        factors += [weight, -weight]
    below, above = _join_widths(terms, factors, confidence)
    saves = float(case.cost(*baseline)) - float(case.cost(*rates))
    return Interval(saves - below, saves + above)


def _once(rows: ScoredRows, *columns: FloatArray) -> tuple[ScoredRows, list[FloatArray]]:
    """Return each row once, with the mean of its entries."""
    if rows.is_first.all():
        return rows, list(columns)
    place = np.cumsum(rows.is_first) - 1
    entries = np.bincount(place)
    return rows.once(), [np.bincount(place, column) / entries for column in columns]


def join_rates(
    rates: Sequence[tuple[float, float, float]], case: Case, confidence: float
) -> tuple[float, Interval]:
    """Return the cost of FPR and TPR, and an interval.

    Each rate comes with the number of its rows, and the mean variance of decisions that disagree.
    """
    below, above = _join_widths(rates, (case.weights[0], -case.weights[1]), confidence)
    cost = float(case.cost(*(rate for rate, *_ in rates)))
    low, high = cost - below, cost + above
    return cost, Interval(max(low, case.cost(0.0, 1.0)), min(high, case.cost(1.0, 0.0)))


def _join_widths(
    rates: Sequence[tuple[float, float, float]], factors: Sequence[float], confidence: float
) -> tuple[float, float]:
    """Return how far an interval of a weighted sum of rates reaches down and up."""
    below = above = 0.0
    added = SHARE_OF_DISAGREEMENT * normal_quantile(confidence) ** 2
    for (rate, trials, disagreement), factor in zip(rates, factors, strict=True):
        least, most = clopper_pearson(np.array(rate * trials), trials, confidence)
        down, up = rate - float(least), float(most) - rate
        more = added * disagreement / trials
        below += factor**2 * ((down if factor > 0 else up) ** 2 + more)
        above += factor**2 * ((up if factor > 0 else down) ** 2 + more)
    return math.sqrt(below), math.sqrt(above)


def _rate(rows: ScoredRows, alarms: FloatArray, members: BoolArray) -> tuple[float, float]:
    """Return a class's rate of alarms, and the number of independent rows that it is worth."""
    own = alarms[members]
    weights = np.ones(own.size) if rows.weights is None else rows.weights[members]
    trials = float(weights.sum() ** 2 / (weights @ weights)) / design_effect(rows, alarms, members)
    return min(float(np.average(own, weights=weights)), 1.0), trials


def design_effect(rows: ScoredRows, values: FloatArray, members: BoolArray) -> float:
    """Return the factor, 1 at least, by which groups increase the variance of a mean."""
    if rows.groups is None:
        return 1.0
    off = values[members] - values[members].mean()
    plain = float(off @ off)
    sums = np.bincount(rows.groups[members], off)
    return max(1.0, float(sums @ sums) / plain) if plain else 1.0
