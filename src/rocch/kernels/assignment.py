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

# From this many predictions on, compiling pays.
COMPILED_FROM = 100_000_000


def least_cost(probabilities: FloatArray, costs: FloatArray) -> IntArray:
    """Return the prediction with the least expected cost for each row.

    `costs` has truths and predictions, perhaps after rows. Finite numbers only. O(n Q^2).
    """
    each = costs if costs.ndim == 3 else costs[np.newaxis]
    predictions = np.zeros(len(probabilities), dtype=np.int64)
    least = _expected(probabilities, each[:, :, 0])
    for predicted in range(1, costs.shape[-1]):
        risk = _expected(probabilities, each[:, :, predicted])
        np.copyto(predictions, predicted, where=risk < least)
        np.minimum(least, risk, out=least)
    return predictions


def expected_costs(probabilities: FloatArray, costs: FloatArray) -> FloatArray:
    """Return the expected cost of every prediction for each row, as in `least_cost`."""
    each = costs if costs.ndim == 3 else costs[np.newaxis]
    columns = [_expected(probabilities, each[:, :, j]) for j in range(costs.shape[-1])]
    return np.stack(columns, axis=1)


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


def _expected(probabilities: FloatArray, costs: FloatArray) -> FloatArray:
    """Return one prediction's expected costs; `costs` has rows (or one for all) and truths."""
    total = probabilities[:, 0] * costs[:, 0]
    for truth in range(1, probabilities.shape[1]):
        total += probabilities[:, truth] * costs[:, truth]
    return total


def _count_block(
    columns: FloatArray, truths: IntArray, draws: FloatArray, classes: int
) -> IntArray:
    size = classes * classes
    cells = np.arange(len(draws))[:, np.newaxis] * size + truths * classes
    least = _expected_by_draw(columns, draws[:, :, 0])
    predictions = np.zeros(least.shape, dtype=np.int64)
    for predicted in range(1, classes):
        risk = _expected_by_draw(columns, draws[:, :, predicted])
        np.copyto(predictions, predicted, where=risk < least)
        np.minimum(least, risk, out=least)
    counts = np.bincount((cells + predictions).ravel(), minlength=len(draws) * size)
    return counts.reshape(len(draws), classes, classes)


def _expected_by_draw(columns: FloatArray, costs: FloatArray) -> FloatArray:
    """Return one prediction's expected costs by draw and row; `costs` has draws and truths."""
    total: FloatArray = columns[0] * costs[:, :1]
    for truth in range(1, len(columns)):
        total += columns[truth] * costs[:, truth : truth + 1]
    return total


def softmax(scores: FloatArray) -> FloatArray:
    """Return the softmax of each row, independent of the batch: columns are summed in order."""
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    total = powers[:, 0].copy()
    for column in range(1, powers.shape[1]):
        total += powers[:, column]
    return np.asarray(powers / total[:, np.newaxis])
