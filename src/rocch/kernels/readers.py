"""What reads rows for a refiner of cells, and the reader of rows in memory."""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType
from typing import NamedTuple, Protocol

import numpy as np

from rocch.arrays import BoolArray, FloatArray, IntArray
from rocch.kernels.cells import count_cells
from rocch.kernels.cuts import CutGrid, advised_grid, cut_intervals
from rocch.kernels.passes import Rows

# Rows that guide the first cut. It ends inside of them, so that outliers share the outer buckets.
SAMPLE, OUTSIDE = 512, 2
# Where more than this share of the rows is wanted, intervals of one score are found before a copy.
COPY_SHARE = 1 / 4


NO_PIECE = -1


class ScoreIntervals(NamedTuple):
    """Intervals of scores, each in a series; those of a series run from low to high."""

    series: IntArray
    low: FloatArray
    high: FloatArray  # NaN while the ends are unknown
    rows: IntArray
    piece: IntArray  # which bucket of the reader's last count it is, or NO_PIECE
    run: IntArray  # neighbors, with no row in between, have the same number

    @property
    def has_unknown_ends(self) -> bool:
        """Whether ends of intervals are unknown."""
        return bool(np.isnan(self.low).any())

    def join_neighbors(self) -> ScoreIntervals:
        """Join each run of neighbors."""
        if not self.run.size:
            return self
        first = np.flatnonzero(np.diff(self.run, prepend=-1))
        last = np.append(first[1:], self.run.size) - 1
        rows, none = np.add.reduceat(self.rows, first), np.full(first.size, NO_PIECE)
        ends = self.low[first], self.high[last]
        return ScoreIntervals(self.series[first], *ends, rows, none, self.run[first])


class CountedCells(NamedTuple):
    """Cells that a pass found, by series and from low to high."""

    series: IntArray
    piece: IntArray
    low: FloatArray
    high: FloatArray
    rows: IntArray
    negatives: IntArray
    positives: IntArray
    # groups or rows that the engine returned
    moved: int = 0

    @classmethod
    def of(cls, tallies: FloatArray) -> CountedCells:
        """Return the buckets with rows, all of series 0."""
        piece = np.flatnonzero(tallies[:, 0])
        some = tallies[piece]
        rows, hits = some[:, 0].astype(np.int64), some[:, 1].astype(np.int64)
        ends = some[:, 2] + 0.0, some[:, 3] + 0.0
        return cls(np.zeros_like(piece), piece, *ends, rows, rows - hits, hits)


class CellReader(Protocol):
    """Counts labels in cells of each series, and fetches rows."""

    @property
    def series_count(self) -> int:
        """The number of series."""

    @property
    def is_weighted(self) -> bool:
        """Whether rows have weights."""

    def cut_all(self, buckets: float, most: float) -> CountedCells:
        """Count all rows in about `buckets` per series, at most in `most`."""

    def cut(self, wanted: ScoreIntervals, pieces: FloatArray, along: BoolArray) -> CountedCells:
        """Cut each interval into about `pieces`, perhaps along the magnitude."""

    def count_scores(self, wanted: ScoreIntervals) -> CountedCells:
        """Count every distinct score in intervals."""

    def fetch(self, wanted: ScoreIntervals) -> ArrayReader:
        """Copy the rows in intervals into memory; they must not have weights."""


@dataclass(slots=True)
class ArrayReader:
    """Reads rows in memory: all rows of one series, or those in intervals of several.

    Parameters
    ----------
    rows
        The rows, perhaps with the interval of each.
    engine
        The module that runs the passes.
    intervals
        The intervals; their scores are pieces until they are cut.
    """

    rows: Rows
    engine: ModuleType
    intervals: ScoreIntervals | None = None
    grid: CutGrid | None = None  # of the last count

    @property
    def series_count(self) -> int:
        """The number of series, before rows are fetched."""
        return 1

    @property
    def is_weighted(self) -> bool:
        """Whether rows have weights."""
        return False

    def cut_all(self, buckets: float, most: float) -> CountedCells:
        """Count all rows; the ends of cells stay unknown."""
        scores = self.rows.scores
        sample = np.sort(scores[:: -(-scores.size // SAMPLE)])
        inner = sample[np.isfinite(sample)][OUTSIDE:-OUTSIDE]
        low, high = (float(inner[0]), float(inner[-1])) if inner.size else (0.0, 0.0)
        if (inner[1:] == inner[:-1]).any():  # scores are tied, and outer buckets would mix them
            ends = np.array([scores.min(), scores.max()])
            low, high = np.where(np.isfinite(ends), ends, [low, high]).tolist()
        self.grid = advised_grid(inner, low, high, buckets, most, sets=1)
        negatives, positives = self.engine.count_labels(self.rows, self.grid).T
        rows = negatives + positives
        piece = np.flatnonzero(rows)
        unknown = np.full((2, piece.size), np.nan)
        counts = (column[piece] for column in (rows, negatives, positives))
        return CountedCells(np.zeros_like(piece), piece, *unknown, *counts)

    def cut(self, wanted: ScoreIntervals, pieces: FloatArray, along: BoolArray) -> CountedCells:
        """Cut each interval into about `pieces`; other rows are dropped."""
        self.rows = self._take(wanted)
        cut, starts = cut_intervals(wanted.low, wanted.high, pieces, by_magnitude=along)
        self.grid = CutGrid(np.empty(0), cut, -np.inf, np.inf, int(starts[-1]))
        counted = CountedCells.of(self.engine.tally_rows(self.rows, self.grid))
        interval = np.searchsorted(starts, counted.piece, side="right") - 1
        return counted._replace(series=wanted.series[interval])

    def count_scores(self, wanted: ScoreIntervals) -> CountedCells:
        """Count every distinct score in intervals."""
        rows = self._take(wanted)
        series = wanted.series[rows.interval]
        parts = []
        for number in np.unique(series).tolist():
            mine = series == number
            high, low, *counts = count_cells(rows.scores[mine], rows.positive[mine])
            same = np.full((2, low.size), [[number], [NO_PIECE]])
            parts.append([each[::-1] for each in (*same, low, high, sum(counts), *counts)])
        return CountedCells._make((*map(np.concatenate, zip(*parts, strict=True)), 0))

    def fetch(self, wanted: ScoreIntervals) -> ArrayReader:
        """Copy the rows in intervals; those of one score may stay behind if ends are unknown."""
        if not wanted.has_unknown_ends:
            return ArrayReader(self._take(wanted), self.engine, wanted)
        if wanted.rows.sum() > COPY_SHARE * self.rows.scores.size:
            wanted = self._find_ends(wanted)
            return ArrayReader(self._take(wanted, wanted.low < wanted.high), self.engine, wanted)
        fetched = ArrayReader(self._take(wanted), self.engine, wanted)
        numbered = wanted._replace(piece=np.arange(wanted.piece.size))
        fetched.intervals = fetched._find_ends(numbered)
        return fetched

    def _find_ends(self, wanted: ScoreIntervals) -> ScoreIntervals:
        ends = self.engine.find_ends(
            self.rows, self.grid, self._interval_of(wanted), wanted.piece.size
        )
        low, high = (end + 0.0 for end in ends)
        return wanted._replace(low=low, high=high)

    def _take(self, wanted: ScoreIntervals, some: BoolArray | slice = slice(None)) -> Rows:
        """Copy the rows in intervals, or in some of them."""
        interval_of = self._interval_of(wanted, some)
        if self.grid is None and (interval_of == np.arange(interval_of.size)).all():
            return self.rows
        if (interval_of < 0).all():
            return Rows(self.rows.scores[:0], self.rows.positive[:0], interval_of[:0])
        rows: Rows = self.engine.take_rows(self.rows, self.grid, interval_of)
        return rows

    def _interval_of(
        self, wanted: ScoreIntervals, some: BoolArray | slice = slice(None)
    ) -> IntArray:
        """Return which of some intervals each piece is, or -1."""
        if self.grid is not None:
            pieces = self.grid.buckets
        else:
            pieces = 0 if self.intervals is None else self.intervals.piece.size
        interval_of = np.full(pieces, -1, dtype=np.int32)
        interval_of[wanted.piece[some]] = np.arange(wanted.piece.size)[some]
        return interval_of
