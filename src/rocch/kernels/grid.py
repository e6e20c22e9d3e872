"""Rows, the grid of buckets they fall into, and what an engine must do with both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rocch.arrays import BoolArray, FloatArray, IntArray


class Grid(NamedTuple):
    """How each slot is cut into buckets; bucket 0 holds the highest scores."""

    by_key: bool
    top: FloatArray
    factor: FloatArray
    first: IntArray
    """The first bucket of each slot, and at the end the number of buckets."""

    @property
    def buckets(self) -> int:
        """Return the number of buckets in all slots."""
        return int(self.first[-1])


class Sieve(NamedTuple):
    """A grid, and which of its buckets let their rows through."""

    grid: Grid
    slot_of: IntArray
    """The slot that each bucket becomes, -1 where its rows drop out."""

    @classmethod
    def of(cls, grid: Grid, wanted: BoolArray) -> Sieve:
        """Make the wanted buckets slots 0, 1, … in their order."""
        return cls(grid, np.where(wanted, np.cumsum(wanted) - 1, -1).astype(np.int32))


class Rows(NamedTuple):
    """Rows still in play, each with the slot (a live bucket of the level above) it lies in."""

    scores: FloatArray
    positive: BoolArray
    slots: IntArray | None
    """None on the first level, where all rows lie in slot 0."""
    sieves: tuple[Sieve, ...] = ()
    """Where rows in play are too many to be copied: all rows are kept, and sifted in each pass."""


def batches(
    rows: Rows, part: slice, size: int, sift: Callable[[Rows, Sieve], Rows]
) -> Iterator[Rows]:
    """Give the rows in play from one part of all, a batch of so many rows at a time."""
    for start in range(part.start, part.stop, size):
        here = slice(start, min(start + size, part.stop))
        slots = None if rows.slots is None else rows.slots[here]
        batch = Rows(rows.scores[here], rows.positive[here], slots)
        for sieve in rows.sieves:
            batch = sift(batch, sieve)
        yield batch


class Passes(Protocol):
    """What an engine (NumPy or compiled code) does with all rows at once.

    `located` is whatever the engine wants to remember from `count` for the later passes.
    """

    def ends(self, scores: FloatArray, /) -> FloatArray:
        """Return the lowest and the highest score."""

    def count(self, rows: Rows, grid: Grid, /) -> tuple[IntArray, Any]:
        """Count negatives (row 0) and positives (row 1) per bucket."""

    def flag(self, starts: IntArray, ends: IntArray, totals: IntArray, /) -> BoolArray:
        """Mark the buckets that may hold a vertex or the score that follows one.

        The bucket's false and true positives run from `starts` to `ends`. Marked are buckets whose
        north-west corner lies above the hull of all edges, those that end in a vertex of that
        hull, and the filled bucket after each of these.
        """

    def survey(
        self, rows: Rows, grid: Grid, located: Any, flagged: BoolArray, /
    ) -> tuple[FloatArray, BoolArray]:
        """Give for each flagged bucket one of its scores, and whether it holds another."""

    def collect(self, rows: Rows, grid: Grid, located: Any, wanted: BoolArray, /) -> Rows:
        """Copy the rows of the wanted buckets, which become slots 0, 1, … in their order."""

    def extremes(self, rows: Rows, by_key: bool, slots: int, /) -> tuple[FloatArray, FloatArray]:
        """Return the lowest and highest position (score or key) in each slot."""
