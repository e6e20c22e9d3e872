"""The passes of `assignment`, compiled by Numba (the `fast` extra), for large amounts of work.

Sums are taken in the same order with separate multiplications and additions (Numba contracts none
of them unless told to), so the answers are those of the NumPy path, bit by bit. Draws are shared
out among threads where there are many rows; for a few hundred, threads cost more than they save.
"""

from __future__ import annotations

import os
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from rocch.arrays import FloatArray, IntArray

ANSWERS_PER_THREAD = 2**18


@njit(cache=True, nogil=True)
def _count(posteriors: FloatArray, truths: IntArray, draws: FloatArray, counts: IntArray) -> None:
    rows, classes = posteriors.shape
    for d in range(draws.shape[0]):
        for i in range(rows):
            best, least = 0, np.inf
            for j in range(classes):
                risk = posteriors[i, 0] * draws[d, 0, j]
                for k in range(1, classes):
                    risk += posteriors[i, k] * draws[d, k, j]
                if risk < least:
                    best, least = j, risk
            counts[d, truths[i], best] += 1


@njit(cache=True, nogil=True)
def _answer(posteriors: FloatArray, costs: FloatArray, answers: IntArray) -> None:
    rows, classes = posteriors.shape
    own = costs.shape[0] > 1
    for i in range(rows):
        c = i if own else 0
        least = np.inf
        for j in range(costs.shape[2]):
            risk = posteriors[i, 0] * costs[c, 0, j]
            for k in range(1, classes):
                risk += posteriors[i, k] * costs[c, k, j]
            if risk < least:
                answers[i], least = j, risk


def least_cost(posteriors: FloatArray, costs: FloatArray) -> IntArray:
    """Return the code of the answer with the least expected cost for each row."""
    answers = np.zeros(len(posteriors), dtype=np.int64)
    each = costs if costs.ndim == 3 else costs[np.newaxis]
    _answer(np.ascontiguousarray(posteriors), np.ascontiguousarray(each), answers)
    return answers


def count_draws(
    posteriors: FloatArray, truths: IntArray, draws: FloatArray, classes: int
) -> IntArray:
    """Return the confusion counts (truth, answer) of each draw of costs."""
    counts = np.zeros((len(draws), classes, classes), dtype=np.int64)
    rows, costs = np.ascontiguousarray(posteriors), np.ascontiguousarray(draws)
    parts = len(costs) * len(rows) // ANSWERS_PER_THREAD
    if parts < 2:
        _count(rows, truths, costs, counts)
        return counts
    parts = min(parts, os.cpu_count() or 1)  # asked only here: it takes a while
    with ThreadPoolExecutor(parts) as pool:
        pieces = (np.array_split(array, parts) for array in (costs, counts))
        deque(pool.map(partial(_count, rows, truths), *pieces), maxlen=0)
    return counts
