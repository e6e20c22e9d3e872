"""The bucket passes in plain NumPy: complete, and what runs without the `fast` extra."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rocch.kernels.grid import Rows
from rocch.kernels.hull import above_hull, distinct_points, upper_hull

if TYPE_CHECKING:
    from rocch.arrays import BoolArray, FloatArray, IntArray
    from rocch.kernels.grid import Grid

SIGN = np.uint64(1 << 63)


def positions(scores: FloatArray, by_key: bool) -> FloatArray:
    """Return where scores lie on the axis that is cut: the scores, or their ordered keys.

    The key of a double is an unsigned integer in the same order; -0.0 and 0.0 share one.
    """
    if not by_key:
        return scores
    bits = (scores + 0.0).view(np.uint64)
    return np.where(bits & SIGN, ~bits, bits | SIGN).astype(np.float64)


def locate(scores: FloatArray, slots: IntArray | None, grid: Grid) -> IntArray:
    """Return each score's bucket."""
    slot = 0 if slots is None else slots
    with np.errstate(over="ignore"):
        position = grid.top[slot] - positions(scores, grid.by_key)
        position *= grid.factor[slot]
    last = grid.first[1:] - grid.first[:-1] - 1
    np.maximum(position, 0, out=position)
    np.minimum(position, last[slot], out=position)
    bucket = position.astype(np.intp)
    if slots is not None:
        bucket += grid.first[slots]
    return bucket


def ends(scores: FloatArray) -> FloatArray:
    """Return the lowest and the highest score."""
    return np.array([scores.min(), scores.max()])


def count(rows: Rows, grid: Grid) -> tuple[IntArray, IntArray]:
    """Count negatives (row 0) and positives (row 1) per bucket."""
    bucket = locate(rows.scores, rows.slots, grid)
    both = np.bincount(bucket, minlength=grid.buckets)
    positives = np.bincount(bucket[rows.positive], minlength=grid.buckets)
    return np.stack((both - positives, positives)), bucket


def flag(starts: IntArray, ends: IntArray, totals: IntArray) -> BoolArray:
    """Mark the buckets that may hold a vertex or the score that follows one."""
    filled = np.flatnonzero((starts[0] != ends[0]) | (starts[1] != ends[1]))
    left, right = starts.take(filled, axis=1), ends.take(filled, axis=1)
    gapless = np.array_equal(left[:, 1:], right[:, :-1]) and not left[:, 0].any()
    if gapless and np.array_equal(right[:, -1], totals):
        x, y = (np.concatenate(([0], edges)) for edges in right)
        hull = upper_hull(x, y)
        ending = hull - 1
    else:
        x, y = np.empty((2, 2 * filled.size + 2), dtype=np.int64)
        for along, edges in enumerate((x, y)):
            edges[0], edges[-1] = 0, totals[along]
            edges[1:-1:2], edges[2:-1:2] = left[along], right[along]
        distinct = distinct_points(x, y)
        hull = distinct[upper_hull(x[distinct], y[distinct])]
        ending = (hull - 2) // 2  # edge 2i + 1 is where bucket i starts, edge 2i + 2 where it ends
    live = above_hull(x[hull], y[hull], left[0], right[1])
    live[0] |= ending[min(1, ending.size - 1)] == -1  # it follows a vertex of the level above
    live[ending[ending >= 0]] = True
    live[1:] |= live[:-1].copy()
    flagged = np.zeros(starts.shape[1], dtype=bool)
    flagged[filled] = live
    return flagged


def survey(
    rows: Rows, grid: Grid, bucket: IntArray, flagged: BoolArray
) -> tuple[FloatArray, BoolArray]:
    """Give for each flagged bucket one of its scores, and whether it holds another."""
    example = np.empty(grid.buckets)
    example[bucket] = rows.scores
    mixed = np.zeros(grid.buckets, dtype=bool)
    mixed[bucket[rows.scores != example[bucket]]] = True
    return example, mixed & flagged


def collect(
    rows: Rows,
    grid: Grid,  # noqa: ARG001 - one signature for all engines
    bucket: IntArray,
    wanted: BoolArray,
) -> Rows:
    """Copy the rows of the wanted buckets, which become slots 0, 1, … in their order."""
    chosen = np.flatnonzero(wanted[bucket])
    slot_of = np.cumsum(wanted) - 1
    return Rows(rows.scores[chosen], rows.positive[chosen], slot_of[bucket[chosen]])


def extremes(rows: Rows, by_key: bool) -> tuple[FloatArray, FloatArray]:
    """Return the lowest and highest position (score or key) in each slot."""
    position = positions(rows.scores, by_key)
    slots = np.asarray(rows.slots)
    low = np.full(slots.max() + 1, np.inf)
    high = np.full(slots.max() + 1, -np.inf)
    np.minimum.at(low, slots, position)
    np.maximum.at(high, slots, position)
    return low, high
