"""Answers of least expected cost from posteriors, and how often each draw of costs errs."""

from __future__ import annotations

import numpy as np

from rocch.arrays import FloatArray, IntArray

# Answers of least expected cost from posteriors, and how often each draw of costs errs which way.
#
# Everson and Fieldsend, eq. 3: answering j is expected to cost the sum over k of costs[k, j] times
# posteriors[k]. The sum is taken in the order k = 0, 1, ... with a separate multiplication and
# addition for each term, element by element. So a row gets the same answer alone and in any batch,
# from NumPy and from the compiled twin in `_numba`; matrix products promise none of
# this. Ties go to the class that comes first in the order.

# So many answers are worked out at a time: arrays this small stay in the cache and are reused.
BLOCK = 2**13

# From so many predictions on, in a whole piece of work, compiling pays.
COMPILED_FROM = 100_000_000


def least_cost(posteriors: FloatArray, costs: FloatArray) -> IntArray:
    """Return the code of the answer with the least expected cost for each row.

    `posteriors` has rows and classes, `costs` truths and answers, or rows before them where each
    row has its own. Needs finite numbers. Complexity: O(n Q^2).
    """
    each = costs if costs.ndim == 3 else costs[np.newaxis]
    answers = np.zeros(len(posteriors), dtype=np.int64)
    least = _expected(posteriors, each[:, :, 0])
    for answer in range(1, costs.shape[-1]):
        risk = _expected(posteriors, each[:, :, answer])
        np.copyto(answers, answer, where=risk < least)
        np.minimum(least, risk, out=least)
    return answers


def expected_costs(posteriors: FloatArray, costs: FloatArray) -> FloatArray:
    """Return what every answer is expected to cost for each row; as for `least_cost`."""
    each = costs if costs.ndim == 3 else costs[np.newaxis]
    answers = range(costs.shape[-1])
    return np.stack([_expected(posteriors, each[:, :, answer]) for answer in answers], axis=1)


def count_draws(
    posteriors: FloatArray, truths: IntArray, draws: FloatArray, classes: int
) -> IntArray:
    """Return the confusion counts (truth, answer) of each draw of costs, one matrix after another.

    `truths` are codes below `classes`, `draws` has draws, truths and answers. Complexity:
    O(N n Q^2) for N draws; memory is bounded by blocks of draws.
    """
    step = max(1, BLOCK // len(posteriors))
    columns = np.ascontiguousarray(posteriors.T)
    blocks = [
        _count_block(columns, truths, draws[first : first + step], classes)
        for first in range(0, len(draws), step)
    ]
    return np.concatenate(blocks) if blocks else np.zeros((0, classes, classes), dtype=np.int64)


def _expected(posteriors: FloatArray, costs: FloatArray) -> FloatArray:
    """Return the expected costs of one answer; `costs` has rows (or one for all) and truths."""
    total = posteriors[:, 0] * costs[:, 0]
    for truth in range(1, posteriors.shape[1]):
        total += posteriors[:, truth] * costs[:, truth]
    return total


def _count_block(
    columns: FloatArray, truths: IntArray, draws: FloatArray, classes: int
) -> IntArray:
    size = classes * classes
    cells = np.arange(len(draws))[:, np.newaxis] * size + truths * classes
    least = _expected_by_draw(columns, draws[:, :, 0])
    answers = np.zeros(least.shape, dtype=np.int64)
    for answer in range(1, classes):
        risk = _expected_by_draw(columns, draws[:, :, answer])
        np.copyto(answers, answer, where=risk < least)
        np.minimum(least, risk, out=least)
    counts = np.bincount((cells + answers).ravel(), minlength=len(draws) * size)
    return counts.reshape(len(draws), classes, classes)


def _expected_by_draw(columns: FloatArray, costs: FloatArray) -> FloatArray:
    """Return one answer's expected costs by draw and row; `costs` has draws and truths."""
    total: FloatArray = columns[0] * costs[:, :1]
    for truth in range(1, len(columns)):
        total += columns[truth] * costs[:, truth : truth + 1]
    return total


def softmax(scores: FloatArray) -> FloatArray:
    """Return exp(scores), divided by the sum of each row; columns are added up in their order."""
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    total = powers[:, 0].copy()
    for column in range(1, powers.shape[1]):
        total += powers[:, column]
    return np.asarray(powers / total[:, np.newaxis])
