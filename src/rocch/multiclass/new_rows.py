"""What multi-class choices will cost on new rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np
from scipy.special import gammaincinv

from rocch.arrays import FloatArray, IntArray
from rocch.multiclass.costs import CostMatrix
from rocch.roc.conditions import Interval
from rocch.roc.new_rows import NewRowsCost
from rocch.roc.savings import Saving, Savings

# The confidence of intervals.
LEVEL = 0.95

# Variances below this share of the squared mean are rounding errors.
TOO_NARROW = 1e-12


def choose_repeatedly(choose: Callable[[IntArray], IntArray], folds: IntArray) -> IntArray:
    """Return the prediction of each row by what is chosen on the rows of other folds.

    `choose` returns the predictions of all rows, from the numbers of the rows to choose on.
    """
    predictions = np.empty_like(folds)
    for fold in np.unique(folds):
        held_out = folds == fold
        predictions[held_out] = choose(np.flatnonzero(~held_out))[held_out]
    return predictions


def class_cost_interval(
    losses: FloatArray, truths: IntArray, units: IntArray, costs: FloatArray, shares: FloatArray
) -> tuple[float, Interval]:
    """Return the expected cost of predictions that cost so much on each row, and an interval.

    Errors are rare and cost differently, so the cost is a weighted sum of nearly Poisson counts.
    The limits are the gamma distribution's of the same mean and variance (Fay and Feuer 1997); the
    upper one adds an error of mean cost, in case some kind has not occurred yet (Tiwari, Clegg and
    Zou 2006). Rows of one unit are not independent, so units are summed first. No prediction costs
    less than the cheapest one of every class, or more than the most expensive one.
    """
    cost, interval = _gamma_interval(losses, truths, units, costs, shares)
    within = Interval(float(shares @ costs.min(axis=1)), float(shares @ costs.max(axis=1)))
    return cost, _clip(interval, cost, within)


def _clip(interval: Interval, value: float, within: Interval) -> Interval:
    """Return an interval without what cannot be; it keeps the value in it."""
    low, high = max(interval.low, within.low), min(interval.high, within.high)
    return Interval(min(low, value), max(value, high))


def _gamma_interval(
    losses: FloatArray, truths: IntArray, units: IntArray, costs: FloatArray, shares: FloatArray
) -> tuple[float, Interval]:
    """Return the mean of non-negative amounts of rows by class, and its interval."""
    rows = np.maximum(np.bincount(truths, minlength=shares.size), 1)
    weights = costs * (shares / rows)[:, np.newaxis]
    paid = losses * (shares / rows)[truths]
    cost = float(paid.sum())
    _, own, sizes = np.unique(units, return_inverse=True, return_counts=True)
    pairs = np.unique(np.column_stack([truths, own]), axis=0)
    of_class = np.bincount(pairs[:, 0], minlength=shares.size)
    by_class = np.bincount(truths, paid, shares.size) ** 2 / np.maximum(of_class, 1)
    variance = float((np.bincount(own, paid) ** 2).sum() - by_class.sum())
    another = weights[~np.eye(shares.size, dtype=bool)] * sizes.mean()
    low = _gamma_quantile(cost, variance, (1 - LEVEL) / 2)
    high = _gamma_quantile(
        cost + float(another.mean()), variance + float((another**2).mean()), (1 + LEVEL) / 2
    )
    return cost, Interval(min(low, cost), max(cost, high))


def saving_interval(
    losses: FloatArray,
    baseline: FloatArray,
    truths: IntArray,
    units: IntArray,
    costs: FloatArray,
    shares: FloatArray,
) -> tuple[float, Interval]:
    """Return what predictions save against others on the same rows, and an interval.

    What is saved on some rows and what is lost on others have intervals of their own, which Zou and
    Donner's variance estimates recovery joins.
    """
    change = baseline - losses
    (gain, gains), (loss, lost) = (
        _gamma_interval(np.maximum(sign * change, 0.0), truths, units, costs, shares)
        for sign in (1, -1)
    )
    saves = gain - loss
    below = math.hypot(gain - gains.low, lost.high - loss)
    above = math.hypot(gains.high - gain, loss - lost.low)
    most = float(shares @ np.ptp(costs, axis=1))
    return saves, _clip(Interval(saves - below, saves + above), saves, Interval(-most, most))


def compare_predictions(
    found: tuple[NewRowsCost, FloatArray],
    baselines: Mapping[str, IntArray],
    truths: IntArray,
    units: IntArray,
    costs: CostMatrix,
    shares: FloatArray,
) -> Savings:
    """Return what predictions save against others by name, and against one class for all rows.

    `found` is what the predictions cost on new rows, and on each row; `baselines` and `truths` are
    places of classes.
    """
    cost, losses = found
    values, expected = costs.values, cost.expected or 0.0
    rows = []
    for name, predictions in baselines.items():
        paid = values[truths, predictions]
        own, interval = class_cost_interval(paid, truths, units, values, shares)
        saves, bounds = saving_interval(losses, paid, truths, units, values, shares)
        rows.append(Saving(name, own, interval, saves, bounds))
    always = shares @ values
    cheapest = int(always.argmin())
    known, (low, high) = float(always[cheapest]), cost.interval or (expected, expected)
    bounds = Interval(known - high, known - low)
    name = f"always predicting {costs.classes.names[cheapest]}"
    rows.append(Saving(name, known, Interval(known, known), known - expected, bounds))
    return Savings(tuple(rows), cost.expected, cost.interval, cost.confidence)


def _gamma_quantile(mean: float, variance: float, level: float) -> float:
    """Return a quantile of the gamma distribution with a mean and a variance."""
    if mean**2 * TOO_NARROW >= variance:
        return mean
    return float(gammaincinv(mean**2 / variance, level)) * variance / mean
