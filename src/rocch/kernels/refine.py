"""Cells of scores that are cut, read again and cut further until a result is exact."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from rocch.arrays import AnyArray, BoolArray, FloatArray, IntArray
from rocch.errors import InputError
from rocch.kernels import passes
from rocch.kernels.cells import Cells, find_live, hull_of_cells, join_cells
from rocch.kernels.counting import sorts_by_vectors
from rocch.kernels.cuts import LEAST, room_for, spans_magnitudes
from rocch.kernels.engine import engine_for
from rocch.kernels.hull import sorted_hull
from rocch.kernels.passes import Rows
from rocch.kernels.readers import NO_PIECE, ArrayReader, CellReader, CountedCells, ScoreIntervals

Choice = Callable[["ScoreSeries"], BoolArray]

# The first pass has this many buckets, times the rows to the power of 2/3. A hull has about as many
# vertices as the cube root of the rows, and live rows around each grow with the square of those in
# a bucket, so a few percent stay live.
BUCKETS = 5
MOST_BUCKETS = 2**22
# Instead of the number of a piece: a cell that holds no vertex.
DEAD = -2
# The average number of rows in a piece of a cell.
ROWS_PER_PIECE = 16
# At most this many rows are counted by score at once.
FETCH = 2**16

# In memory, up to this many rows are sorted outright, and twice as many where NumPy sorts by vector
# instructions; later `FETCH`, or this share of all rows.
SORT_AT_ONCE, SORT_SHARE = 2**17, 1 / 64


def hull_from_scores(
    scores: FloatArray, positive: BoolArray, curves: int = 1
) -> tuple[FloatArray, FloatArray, IntArray, IntArray]:
    """Return the hull of one classifier's ROC curve from its scores.

    Vertices come left to right without (0, 0): threshold, the next lower score that occurs (minus
    infinity after the lowest), false positives and true positives. `curves` is the number of hulls
    still to build from as many scores; compiled code pays off for many rows in all.
    """
    size = scores.size
    if size <= SORT_AT_ONCE or (size <= 2 * SORT_AT_ONCE and sorts_by_vectors()):
        return sorted_hull(scores, positive)
    # Numba compiles again for arrays that have gaps, or can be written to
    rows = Rows(_read_only(scores), _read_only(positive))
    reader = ArrayReader(rows, engine_for(passes, size * curves, size))
    few = max(FETCH, int(size * SORT_SHARE))
    refiner = CellRefiner(reader, size, few, keep_all=False)
    refiner.begin(size)
    refiner.make_exact()
    return hull_of_cells(refiner.series[0].cells)


def _read_only(array: AnyArray) -> AnyArray:
    view = np.ascontiguousarray(array).view()
    view.flags.writeable = False
    return view


def rows_changed() -> InputError:
    """Return the error for rows that changed between passes."""
    return InputError(
        "frame",
        "hold the same rows in every pass",
        "rows that changed in between",
        "If it is random or being written, write it to a file first, or cache it.",
    )


@dataclass(slots=True)
class ScoreSeries:
    """The cells of one classifier in one group, with the rows in each.

    `piece` says which bucket of the reader's last count a cell is, or NO_PIECE or DEAD.
    """

    cells: Cells
    rows: IntArray
    piece: IntArray

    @classmethod
    def of(cls, cells: Cells, rows: IntArray | None = None) -> ScoreSeries:
        """Return cells that no reader counted last; without weights if rows are not given."""
        if rows is None:
            rows = cells.negatives + cells.positives
        return cls(cells, rows, np.full(rows.size, NO_PIECE))

    @classmethod
    def of_pass(cls, counted: CountedCells, which: slice) -> ScoreSeries:
        """Turn some cells of a pass round, highest first."""
        _, piece, low, high, rows, negatives, positives = (
            column[which][::-1] for column in counted[:-1]
        )
        return cls(Cells(high, low, negatives, positives), rows, piece)

    def find_first(self, which: IntArray, finer: ScoreSeries) -> IntArray:
        """Return the first finer cell in each of the old ones; refuse those of other rows."""
        old = self.cells.take(which)
        first = np.searchsorted(-finer.cells.high, -old.high)
        if not finer.rows.size or first[0] or (np.diff(first, append=finer.rows.size) < 1).any():
            raise rows_changed()
        joined = join_cells(finer.cells, first)
        inside = (joined.low >= old.low) & (joined.high <= old.high)
        same = (joined.negatives == old.negatives) & (joined.positives == old.positives)
        if not (inside & same).all():
            raise rows_changed()
        return first

    def replace_cells(self, which: IntArray, finer: ScoreSeries) -> ScoreSeries:
        """Replace some cells by finer ones of the same rows."""
        first = self.find_first(which, finer)
        copies = np.ones(self.rows.size, dtype=np.int64)
        copies[which] = np.diff(first, append=finer.rows.size)
        is_old = np.ones(self.rows.size, dtype=bool)
        is_old[which] = False
        is_new = ~np.repeat(is_old, copies)
        columns = []
        for old, new in zip((*self.cells, self.rows), (*finer.cells, finer.rows), strict=True):
            column = np.empty(is_new.size, dtype=old.dtype)
            column[is_new], column[~is_new] = new, old[is_old]
            columns.append(column)
        piece = np.empty(is_new.size, dtype=np.int64)
        piece[is_new], piece[~is_new] = finer.piece, np.minimum(self.piece[is_old], NO_PIECE)
        return ScoreSeries(Cells(*columns[:-1]), columns[-1], piece)

    def join_dead_cells(self, alive: BoolArray, vertices: IntArray) -> tuple[ScoreSeries, IntArray]:
        """Join neighbors between live cells and vertices of the known hull.

        Returns also which cells are live. Joint cells stay dead, though their corners may be above
        the hull.
        """
        alive = alive & (self.piece != DEAD)
        starts = alive.copy()
        starts[1:] |= alive[:-1]
        starts[vertices[:-1]] = True
        first = np.flatnonzero(starts)
        cells, rows = join_cells(self.cells, first), np.add.reduceat(self.rows, first)
        piece = np.where(alive[first], self.piece[first], DEAD)
        return ScoreSeries(cells, rows, piece), np.flatnonzero(alive[first])

    def join_pure_cells(self) -> ScoreSeries:
        """Join neighbors that hold only the same class."""
        _, _, negatives, positives = self.cells
        kind = np.where(positives == 0, 0, np.where(negatives == 0, 1, 2))
        same = (kind[1:] == kind[:-1]) & (kind[1:] < 2)
        first = np.flatnonzero(np.concatenate(([True], ~same)))
        return ScoreSeries.of(join_cells(self.cells, first), np.add.reduceat(self.rows, first))


@dataclass(slots=True)
class CellRefiner:
    """Reads rows repeatedly and refines the cells of each series.

    Parameters
    ----------
    reader
        Where rows are read.
    buckets
        The most cells or rows that are kept of a pass.
    few
        Rows of a series that are counted by score at once.
    keep_all
        Whether to keep cells that cannot hide a vertex, too.
    """

    reader: CellReader
    buckets: int
    few: int = field(default_factory=lambda: FETCH)
    keep_all: bool = True
    series: list[ScoreSeries] = field(default_factory=list)

    def begin(self, rows: int, rows_per_bucket: float | None = None) -> None:
        """Count all rows in buckets; `rows` are those of the largest series."""
        # two buckets are for infinities
        most = max(2.0, min(self.buckets / self.reader.series_count, MOST_BUCKETS) - 2)
        wanted = rows / rows_per_bucket if rows_per_bucket else BUCKETS * rows ** (2 / 3)
        counted = self.reader.cut_all(min(max(2.0, wanted), most), most)
        self.series = self.by_series(counted)

    def make_exact(self) -> None:
        """Cut cells until none can hide a vertex.

        Dead cells stay dead, so live rows are fetched as soon as they fit the budget.
        """
        chosen, depth = self._live(), 0
        while self._rows(chosen).sum() > self.buckets:
            depth += 1
            self.split(chosen, depth)
            chosen = self._live()
        reader, before, few = self.reader, math.inf, self.few * len(self.series)
        while not reader.is_weighted and few < (rows := self._rows(chosen).sum()) <= before:
            reader, chosen = self._fetch(reader, chosen)
            if (rows := self._rows(chosen).sum()) <= few:
                break
            depth, before = depth + 1, rows / 2
            self._cut(reader, chosen, min(rows / ROWS_PER_PIECE, MOST_BUCKETS), depth)
            chosen = self._live()
        if self._intervals(chosen).has_unknown_ends:
            reader, chosen = self._fetch(reader, chosen)
        if any(each.size for each in chosen):
            found = reader.count_scores(self._intervals(chosen))
            self._replace(chosen, self.by_series(found))

    def _fetch(
        self, reader: CellReader, chosen: list[IntArray]
    ) -> tuple[CellReader, list[IntArray]]:
        """Copy the rows of chosen cells, which become pieces; return those of several scores."""
        wanted = self._intervals(chosen)
        fetched = reader.fetch(wanted)
        if reader is self.reader:  # not rows that are in memory already
            self.report(fetched.rows.scores.size)
        start, several = 0, []
        for series, which in zip(self.series, chosen, strict=True):
            np.minimum(series.piece, NO_PIECE, out=series.piece)
            series.piece[which[::-1]] = np.arange(start, start + which.size)
            if wanted.has_unknown_ends and fetched.intervals is not None:
                mine = slice(start, start + which.size)
                series.cells.low[which[::-1]] = fetched.intervals.low[mine]
                series.cells.high[which[::-1]] = fetched.intervals.high[mine]
            several.append(which[~series.cells.single[which]])
            start += which.size
        return fetched, several

    def _live(self) -> list[IntArray]:
        """Return the cells of each series that may hide a vertex; perhaps join all others."""
        chosen = []
        for number, series in enumerate(self.series):
            alive, vertices = find_live(series.cells, weighted=self.reader.is_weighted)
            if not self.keep_all:
                self.series[number], live = series.join_dead_cells(alive, vertices)
            else:
                live = np.flatnonzero(alive)
            chosen.append(live)
        return chosen

    def refine(self, choose: Choice) -> None:
        """Cut cells until `choose` selects none."""
        depth = 0
        while True:
            chosen = [np.flatnonzero(choose(each)) for each in self.series]
            if not any(each.size for each in chosen):
                return
            depth += 1
            if self._rows(chosen).sum() <= min(self.buckets, self.few):
                self._replace(chosen, self.count_scores(chosen))
            else:
                self.split(chosen, depth)

    def split(self, chosen: list[IntArray], depth: int = 1) -> None:
        """Cut chosen cells of each series in one pass, the fuller the finer.

        Beyond the budget the fullest go first: the hull that they raise lets others die.
        """
        rows = self._rows(chosen)
        if self.buckets < LEAST * rows.size:
            picked = np.zeros(rows.size, dtype=bool)
            picked[np.argsort(-rows, kind="stable")[: max(1, self.buckets // LEAST)]] = True
            parts = np.split(picked, np.cumsum([each.size for each in chosen])[:-1])
            chosen = [each[part] for each, part in zip(chosen, parts, strict=True)]
            rows = rows[picked]
        most = min(room_for(self.buckets, rows.size), float(rows.sum()) / ROWS_PER_PIECE)
        self._cut(self.reader, chosen, most, depth)

    def _cut(self, reader: CellReader, chosen: list[IntArray], most: float, depth: int) -> None:
        wanted = self._intervals(chosen)
        pieces = np.clip(most * (wanted.rows / wanted.rows.sum()), 2, wanted.rows)
        around_zero = (wanted.low < 0) & (wanted.high > 0)
        along = spans_magnitudes(wanted.low, wanted.high) | (around_zero & (depth % 2 == 0))
        along |= np.isinf(wanted.low) | np.isinf(wanted.high)
        self._replace(chosen, self.by_series(reader.cut(wanted, pieces, along)))

    def count_scores(self, chosen: list[IntArray]) -> list[ScoreSeries]:
        """Count every distinct score in chosen cells of each series."""
        return self.by_series(self.reader.count_scores(self._intervals(chosen)))

    def _rows(self, chosen: list[IntArray]) -> IntArray:
        return np.concatenate([s.rows[each] for s, each in zip(self.series, chosen, strict=True)])

    def _intervals(self, chosen: list[IntArray]) -> ScoreIntervals:
        """Return chosen cells of each series as intervals."""
        parts = []
        for number, (series, which) in enumerate(zip(self.series, chosen, strict=True)):
            rising = which[::-1]
            ends = series.cells.low[rising], series.cells.high[rising]
            starts = np.diff(rising, prepend=-1) != -1
            same = np.full(rising.size, number)
            parts.append((same, *ends, series.rows[rising], series.piece[rising], starts))
        every = ScoreIntervals._make(map(np.concatenate, zip(*parts, strict=True)))
        return every._replace(run=np.cumsum(every.run))

    def _replace(self, chosen: list[IntArray], finer: list[ScoreSeries]) -> None:
        for number, which in enumerate(chosen):
            if which.size:
                self.series[number] = self.series[number].replace_cells(which, finer[number])

    def by_series(self, counted: CountedCells) -> list[ScoreSeries]:
        """Report a pass, unless it took none, and return the cells of each series."""
        if counted.moved:
            self.report(counted.moved)
        numbers = np.arange(self.reader.series_count + 1)
        ends = np.searchsorted(counted.series, numbers).tolist()
        return [ScoreSeries.of_pass(counted, slice(*each)) for each in pairwise(ends)]

    def report(self, moved: int) -> None:
        """Take note of a pass that moved groups or rows."""
