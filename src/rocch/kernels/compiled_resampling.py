"""The walk of `resampling`, compiled by Numba (the `fast` extra), for large samples only.

One pass over the rows reads the counts, sums the area and stacks up the hull. It runs without the
interpreter's lock, so replicates can be walked in several threads. Integers throughout: the answer
is that of the NumPy path, bit by bit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import njit

from rocch.kernels import resampling
from rocch.kernels.compiled import _push
from rocch.kernels.hull import SAFE_PRODUCT
from rocch.kernels.resampling import MULTIPLICITY, Path, Walk

if TYPE_CHECKING:
    from rocch.arrays import IntArray


@njit(cache=True, nogil=True)
def _tally(draws: IntArray, counts: IntArray) -> None:
    for draw in draws:
        counts[draw] += 1


@njit(cache=True, nogil=True)
def _read(multiplicities: IntArray, order: IntArray, stops: IntArray, counts: IntArray) -> None:
    """Write the cumulative multiplicities at the stops, which rise."""
    total, row = 0, 0
    for i in range(stops.size):
        while row < stops[i]:
            total += multiplicities[order[row]]
            row += 1
        counts[i] = total


@njit(cache=True, nogil=True)
def _twice_area(x: IntArray, y: IntArray) -> int:
    area = 0
    for i in range(1, x.size):
        area += (x[i] - x[i - 1]) * (y[i] + y[i - 1])
    return area


@njit(cache=True, nogil=True)
def _climb(
    x: IntArray, y: IntArray, tops: IntArray, knots: IntArray, left: IntArray, top: IntArray
) -> int:
    """Stack up the hull of the tops; return its size. What is below its chord is not looked at."""
    left[0] = top[0] = 0
    size = 1
    for k in range(1, knots.size):
        start, end = tops[knots[k - 1]], tops[knots[k]]
        run, rise = x[end] - x[start], y[end] - y[start]
        for t in range(knots[k - 1] + 1, knots[k]):
            px, py = x[tops[t]], y[tops[t]]
            if run * (py - y[start]) > rise * (px - x[start]):
                size = _push(left, top, size, px, py)
        size = _push(left, top, size, x[end], y[end])
    return size


def tally(draws: IntArray, size: int) -> IntArray:
    """Count how often each of `size` things was drawn."""
    counts = np.zeros(size, dtype=MULTIPLICITY)
    _tally(draws, counts)
    return counts


def walk(path: Path, negatives: IntArray, positives: IntArray) -> Walk:
    """Walk a path with the multiplicities of the negatives and of the positives."""
    x, y, left, top = np.empty((4, path.false_positives.size), dtype=np.int64)
    _read(negatives, path.negatives, path.false_positives, x)
    _read(positives, path.positives, path.true_positives, y)
    if 2 * int(x[-1]) * int(y[-1]) >= SAFE_PRODUCT:
        return resampling.walk(path, negatives, positives)
    size = _climb(x, y, path.tops, path.knots, left, top)
    return Walk(x, y, (left[:size].copy(), top[:size].copy()), _twice_area(x, y))
