"""Predictions of least expected cost, and the errors of each draw of costs.

Predicting j costs the sum over k of costs[k, j] probabilities[k] (Everson and Fieldsend, eq. 3).
"""

from __future__ import annotations

import numpy as np

from rocch.arrays import FloatArray, IntArray

# Sums run over k = 0, 1, ... with separate multiplications and additions, so that a row gets the
# same prediction alone and in a batch, from NumPy and compiled code; matrix products promise none
# of this. Ties go to the first class.

# Predictions made at a time: arrays this small stay in the cache.
BLOCK = 2**13


def least_cost(probabilities: FloatArray, costs: FloatArray) -> IntArray:
    """Return the prediction with the least expected cost for each row.

    `costs` has truths and predictions, perhaps after rows. Finite numbers only. O(n Q^2).
    """
    each = costs if costs.ndim == 3 else costs[np.newaxis]
    return _cheapest(probabilities.T, each.T)


def expected_costs(probabilities: FloatArray, costs: FloatArray) -> FloatArray:
    """Return the expected cost of every prediction for each row, as in `least_cost`."""
    each = costs if costs.ndim == 3 else costs[np.newaxis]
    return np.stack([_expected(probabilities.T, column) for column in each.T], axis=1)


def count_draws(
    probabilities: FloatArray, truths: IntArray, draws: FloatArray, classes: int
) -> IntArray:
    """Return the confusion counts (truth, prediction) of each draw of costs.

    `truths` are codes below `classes`; `draws` has draws, truths, predictions. O(N n Q^2).
    """
    step = max(1, BLOCK // len(probabilities))
    columns = np.ascontiguousarray(probabilities.T)
    blocks = [
        _count_block(columns, truths, draws[first : first + step], classes)
        for first in range(0, len(draws), step)
    ]
    return np.concatenate(blocks) if blocks else np.zeros((0, classes, classes), dtype=np.int64)


def _cheapest(probabilities: FloatArray, costs: FloatArray) -> IntArray:
    """Return the first prediction of least expected cost; `costs` has predictions and truths."""
    least = _expected(probabilities, costs[0])
    predictions = np.zeros(least.shape, dtype=np.int64)
    for predicted in range(1, len(costs)):
        risk = _expected(probabilities, costs[predicted])
        np.copyto(predictions, predicted, where=risk < least)
        np.minimum(least, risk, out=least)
    return predictions


def _expected(probabilities: FloatArray, costs: FloatArray) -> FloatArray:
    """Return one prediction's expected costs; both arguments have the truths first."""
    total: FloatArray = probabilities[0] * costs[0]
    for truth in range(1, len(probabilities)):
        total += probabilities[truth] * costs[truth]
    return total


def _count_block(
    columns: FloatArray, truths: IntArray, draws: FloatArray, classes: int
) -> IntArray:
    size = classes * classes
    cells = np.arange(len(draws))[:, np.newaxis] * size + truths * classes
    predictions = _cheapest(columns, draws.T[..., np.newaxis])
    counts = np.bincount((cells + predictions).ravel(), minlength=len(draws) * size)
    return counts.reshape(len(draws), classes, classes)


def softmax(scores: FloatArray) -> FloatArray:
    """Return the softmax of each row, independent of the batch: columns are summed in order."""
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    total = powers[:, 0].copy()
    for column in range(1, powers.shape[1]):
        total += powers[:, column]
    return np.asarray(powers / total[:, np.newaxis])
