"""Passes over rows in memory, in NumPy; `_numba` has them compiled."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from rocch.arrays import BoolArray, FloatArray, IntArray
from rocch.kernels.cuts import CutGrid, grid_buckets

# Rows at a time, such that they stay in the processor's cache.
BATCH = 2**17

__all__ = [
    "Rows",
    "add_rows",
    "count_labels",
    "empty_tallies",
    "find_ends",
    "find_marked",
    "grid_buckets",
    "take_rows",
    "tally_rows",
]


class Rows(NamedTuple):
    """Rows with scores and labels, perhaps each in one of several intervals of scores."""

    scores: FloatArray
    positive: BoolArray
    interval: IntArray | None = None

    def batches(self, size: int) -> Iterator[Rows]:
        """Yield the rows in batches of a size."""
        for start in range(0, self.scores.size, size):
            here = slice(start, start + size)
            interval = None if self.interval is None else self.interval[here]
            yield Rows(self.scores[here], self.positive[here], interval)


def count_labels(rows: Rows, grid: CutGrid) -> IntArray:
    """Count negatives (column 0) and positives (column 1) in each bucket."""
    counts = np.zeros(2 * grid.buckets, dtype=np.int64)
    for batch in rows.batches(max(BATCH, counts.size)):
        place = grid_buckets(batch.scores, grid, batch.interval)
        place <<= 1
        place |= batch.positive
        counts += np.bincount(place, minlength=counts.size)
    return counts.reshape(-1, 2)


def take_rows(rows: Rows, grid: CutGrid | None, interval_of: IntArray) -> Rows:
    """Copy the rows of some pieces; `interval_of` is the interval that each becomes, or -1."""
    return Rows(*map(np.concatenate, zip(*_chosen(rows, grid, interval_of), strict=True)))


def find_ends(
    rows: Rows, grid: CutGrid | None, interval_of: IntArray, intervals: int
) -> tuple[FloatArray, FloatArray]:
    """Return the lowest and the highest score in each interval."""
    low, high = np.full(intervals, np.inf), np.full(intervals, -np.inf)
    for scores, _, interval in _chosen(rows, grid, interval_of):
        new = np.flatnonzero((scores < low[interval]) | (scores > high[interval]))  # soon few
        np.minimum.at(low, interval[new], scores[new])
        np.maximum.at(high, interval[new], scores[new])
    return low, high


def _chosen(
    rows: Rows, grid: CutGrid | None, interval_of: IntArray
) -> Iterator[tuple[FloatArray, BoolArray, IntArray]]:
    """Yield scores, labels and intervals of the rows in intervals, batch by batch."""
    for scores, positive, piece in rows.batches(BATCH):
        interval = interval_of[piece if grid is None else grid_buckets(scores, grid, piece)]
        some = np.flatnonzero(interval >= 0)
        if some.size < interval.size:
            yield scores[some], positive[some], interval[some]
        else:
            yield scores, positive, interval


def empty_tallies(buckets: int) -> FloatArray:
    """Return rows, positives, lowest and highest score of empty buckets, side by side.

    Counts are doubles, exact up to 2^53, so that a row changes one line of cache.
    """
    return np.tile([0.0, 0.0, np.inf, -np.inf], (buckets, 1))


def tally_rows(rows: Rows, grid: CutGrid) -> FloatArray:
    """Return the tallies of each bucket."""
    tallies = empty_tallies(grid.buckets)
    for batch in rows.batches(BATCH):
        bucket = grid_buckets(batch.scores, grid, batch.interval)
        add_rows(tallies, bucket, batch.scores, batch.positive)
    return tallies


def add_rows(
    tallies: FloatArray, bucket: IntArray, scores: FloatArray, positive: BoolArray
) -> None:
    """Add rows to the tallies of their buckets."""
    np.add.at(tallies[:, 0], bucket, 1.0)
    np.add.at(tallies[:, 1], bucket, positive.astype(np.float64))
    np.minimum.at(tallies[:, 2], bucket, scores)
    np.maximum.at(tallies[:, 3], bucket, scores)


def find_marked(bucket: IntArray, marks: BoolArray) -> IntArray:
    """Return which rows lie in marked buckets."""
    rows: IntArray = np.flatnonzero(marks[bucket])
    return rows
