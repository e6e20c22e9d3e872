"""Counting rows into buckets, compiled by Numba (the `fast` extra)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numba import njit

from rocch.kernels.cuts import SMALLEST_EXPONENT

if TYPE_CHECKING:
    from rocch.arrays import BoolArray, FloatArray, IntArray
    from rocch.kernels.cuts import Grid


def grid_buckets(scores: FloatArray, grid: Grid) -> IntArray:
    """Return the bucket of each score in a grid, whether it lies inside or not."""
    bucket = np.empty(scores.size, dtype=np.int64)
    _locate(scores, grid.knots, *grid.cut, grid.low, grid.high, grid.buckets, bucket)
    return bucket


@njit(cache=True, nogil=True)
def add_rows(
    tallies: FloatArray, bucket: IntArray, scores: FloatArray, positive: BoolArray
) -> None:
    """Add rows to the tallies of their buckets."""
    for i in range(scores.size):
        place, score = bucket[i], scores[i]
        tallies[place, 0] += 1
        tallies[place, 1] += positive[i]
        tallies[place, 2] = min(tallies[place, 2], score)
        tallies[place, 3] = max(tallies[place, 3], score)


def marked(bucket: IntArray, marks: BoolArray) -> IntArray:
    """Return which rows lie in marked buckets."""
    found = np.empty(bucket.size, dtype=np.int64)
    return found[: _mark(bucket, marks, found)].copy()


@njit(cache=True, nogil=True)
def _mark(bucket: IntArray, marks: BoolArray, out: IntArray) -> int:
    """Write first, then advance or not: no branch for the processor to foresee."""
    found = 0
    for i in range(bucket.size):
        out[found] = i
        found += marks[bucket[i]]
    return found


@njit(cache=True, nogil=True)
def _locate(
    scores: FloatArray,
    knots: FloatArray,
    along: BoolArray,
    pre: FloatArray,
    factor: FloatArray,
    shift: IntArray,
    low: float,
    high: float,
    buckets: int,
    out: IntArray,
) -> None:
    simple = knots.size == 0 and not along[0] and pre[0] == 1
    for i in range(scores.size):
        score = scores[i]
        if score < low:
            out[i] = 0
        elif score > high:
            out[i] = buckets - 1
        elif simple:
            out[i] = np.int64(math.floor(score * factor[0])) + shift[0]
        else:
            k = np.searchsorted(knots, score, side="right")
            place = _magnitude(score) if along[k] else score
            out[i] = np.int64(math.floor(place * pre[k] * factor[k])) + shift[k]


@njit(cache=True, nogil=True, inline="always")
def _magnitude(score: float) -> float:
    if score == 0:
        return 0.0
    fraction, exponent = math.frexp(abs(score))
    place = exponent - 1 + SMALLEST_EXPONENT + (2 * fraction - 1)
    return place if score > 0 else -place
