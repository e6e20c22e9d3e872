"""Rows, the grid of buckets they fall into, and what an engine must do with both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

if TYPE_CHECKING:
    from rocch.arrays import BoolArray, FloatArray, IntArray


class Rows(NamedTuple):
    """Rows still in play, each with the slot (a live bucket of the level above) it lies in."""

    scores: FloatArray
    positive: BoolArray
    slots: IntArray | None
    """None on the first level, where all rows lie in slot 0."""


NO_ROWS = Rows(np.empty(0), np.empty(0, dtype=bool), np.empty(0, dtype=np.int32))


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

    def extremes(self, rows: Rows, by_key: bool, /) -> tuple[FloatArray, FloatArray]:
        """Return the lowest and highest position (score or key) in each slot."""
