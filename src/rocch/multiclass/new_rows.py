"""What multi-class choices will cost on new rows."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from rocch.arrays import FloatArray, IntArray
from rocch.kernels.bounds import wilson
from rocch.multiclass.confusion import count_predictions
from rocch.roc.conditions import Interval

# The confidence of intervals.
LEVEL = 0.95


def choose_repeatedly(choose: Callable[[IntArray], IntArray], folds: IntArray) -> IntArray:
    """Return the prediction of each row by what is chosen on the rows of other folds.

    `choose` returns the predictions of all rows, from the numbers of the rows to choose on.
    """
    predictions = np.empty_like(folds)
    for fold in np.unique(folds):
        held_out = folds == fold
        predictions[held_out] = choose(np.flatnonzero(~held_out))[held_out]
    return predictions


def cost_interval(
    truths: IntArray,
    predictions: IntArray,
    units: IntArray,
    costs: FloatArray,
    shares: FloatArray,
) -> tuple[float, Interval]:
    """Return the expected cost of predictions, and an interval for it.

    Wilson's intervals of the error rates of each class are joined by Zou and Donner's variance
    estimates recovery, as if the errors of a class were independent; they exclude each other, so
    the interval is a little too wide. A class counts as many rows as there are units with it.
    """
    counts = count_predictions(truths, predictions, len(shares))
    rates = counts / counts.sum(axis=1, keepdims=True)
    pairs = np.unique(np.column_stack([truths, units]), axis=0)
    trials = np.bincount(pairs[:, 0])[:, np.newaxis].astype(float)
    weights = shares[:, np.newaxis] * costs
    low, high = wilson(rates, rates * (1 - rates) / trials, LEVEL, units=trials, rows=trials)
    cost = float((weights * rates).sum())
    below, above = (
        math.sqrt(float(((weights * distance) ** 2).sum()))
        for distance in (rates - low, high - rates)
    )
    return cost, Interval(max(0.0, cost - below), cost + above)
