"""Rows, their grid of buckets, and the passes over both in NumPy; `_numba` has them compiled."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from rocch.arrays import BoolArray, FloatArray, IntArray
from rocch.kernels.hull import above_hull, distinct_points, upper_hull


class BucketGrid(NamedTuple):
    """How each slot is cut into buckets; bucket 0 holds the highest scores."""

    by_key: bool
    top: FloatArray
    factor: FloatArray
    first: IntArray  # the first bucket of each slot, and at the end the number of buckets

    @property
    def buckets(self) -> int:
        """The number of buckets in all slots."""
        return int(self.first[-1])


class Sieve(NamedTuple):
    """A grid, and which of its buckets let rows through."""

    grid: BucketGrid
    slot_of: IntArray  # the slot that each bucket becomes, -1 where its rows drop out

    @classmethod
    def of(cls, grid: BucketGrid, wanted: BoolArray) -> Sieve:
        """Return the sieve that makes the wanted buckets slots 0, 1, … in order."""
        return cls(grid, np.where(wanted, np.cumsum(wanted) - 1, -1).astype(np.int32))


class LiveRows(NamedTuple):
    """Live rows, each with its slot (a live bucket of the level above)."""

    scores: FloatArray
    positive: BoolArray
    slots: IntArray | None  # none on the first level, where all rows lie in slot 0
    # Where live rows are too many to copy, all rows stay and are sifted in each pass.
    sieves: tuple[Sieve, ...] = ()


def batches(
    rows: LiveRows, part: slice, size: int, sift: Callable[[LiveRows, Sieve], LiveRows]
) -> Iterator[LiveRows]:
    """Yield the live rows of a part, a batch of `size` rows at a time."""
    for start in range(part.start, part.stop, size):
        here = slice(start, min(start + size, part.stop))
        slots = None if rows.slots is None else rows.slots[here]
        batch = LiveRows(rows.scores[here], rows.positive[here], slots)
        for sieve in rows.sieves:
            batch = sift(batch, sieve)
        yield batch


SIGN = np.uint64(1 << 63)
BATCH = 2**17


def positions(scores: FloatArray, by_key: bool) -> FloatArray:
    """Return the positions of scores on the axis that is cut: scores, or ordered keys.

    The key of a double is an unsigned integer in the same order; -0.0 and 0.0 share one.
    """
    if not by_key:
        return scores
    bits = (scores + 0.0).view(np.uint64)
    return np.where(bits & SIGN, ~bits, bits | SIGN).astype(np.float64)


def locate(scores: FloatArray, slots: IntArray | None, grid: BucketGrid) -> IntArray:
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


def count(rows: LiveRows, grid: BucketGrid) -> tuple[IntArray, list[IntArray]]:
    """Count negatives (row 0) and positives (row 1) per bucket; compiled code adds its slices."""
    both, positives = np.zeros((2, grid.buckets), dtype=np.int64)
    for batch, bucket in _located(rows, grid):
        both += np.bincount(bucket, minlength=grid.buckets)
        positives += np.bincount(bucket[batch.positive], minlength=grid.buckets)
    return np.stack((both - positives, positives)), []


def flag(starts: IntArray, ends: IntArray, totals: IntArray) -> BoolArray:
    """Mark the buckets that may hold a vertex or the score that follows one.

    Marked are buckets whose north-west corner is above the hull of all edges, those that end in one
    of its vertices, and the filled bucket after each.
    """
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


def survey(rows: LiveRows, grid: BucketGrid, flagged: BoolArray) -> tuple[FloatArray, BoolArray]:
    """Return for each flagged bucket one of its scores, and whether it holds another."""
    example, mixed = np.full(grid.buckets, np.nan), np.zeros(grid.buckets, dtype=bool)
    for batch, bucket in _located(rows, grid):
        new = np.isnan(example[bucket])
        example[bucket[new]] = batch.scores[new]
        mixed[bucket[batch.scores != example[bucket]]] = True
    return example, mixed & flagged


def collect(
    rows: LiveRows,
    grid: BucketGrid,
    tallies: list[IntArray],  # noqa: ARG001 - of compiled code
    wanted: BoolArray,
) -> LiveRows:
    """Copy the rows of the wanted buckets, which become slots 0, 1, … in order."""
    slot_of = Sieve.of(grid, wanted).slot_of
    parts = [_chosen(batch, slot_of[bucket]) for batch, bucket in _located(rows, grid)]
    scores, positive, slots, _ = zip(*parts, strict=True)
    return LiveRows(np.concatenate(scores), np.concatenate(positive), np.concatenate(slots))


def sift(rows: LiveRows, sieve: Sieve) -> LiveRows:
    """Copy the rows that a sieve lets through."""
    return _chosen(rows, sieve.slot_of[locate(rows.scores, rows.slots, sieve.grid)])


def _chosen(rows: LiveRows, slots: IntArray) -> LiveRows:
    chosen = np.flatnonzero(slots >= 0)
    return LiveRows(rows.scores[chosen], rows.positive[chosen], slots[chosen])


def extremes(rows: LiveRows, by_key: bool, slots: int) -> tuple[FloatArray, FloatArray]:
    """Return the lowest and highest position (score or key) in each slot."""
    low, high = np.full(slots, np.inf), np.full(slots, -np.inf)
    for batch in batches(rows, slice(0, rows.scores.size), BATCH, sift):
        position, slot = positions(batch.scores, by_key), np.asarray(batch.slots)
        np.minimum.at(low, slot, position)
        np.maximum.at(high, slot, position)
    return low, high


def _located(rows: LiveRows, grid: BucketGrid) -> Iterator[tuple[LiveRows, IntArray]]:
    """Yield the live rows with their buckets, in batches that fit the processor's cache."""
    size = max(BATCH, grid.buckets)
    for batch in batches(rows, slice(0, rows.scores.size), size, sift):
        yield batch, locate(batch.scores, batch.slots, grid)
