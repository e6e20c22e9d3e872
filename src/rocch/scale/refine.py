"""Passes over a table until a result is exact or close enough."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rocch.arrays import BoolArray, FloatArray, IntArray
from rocch.errors import InputError, format_count
from rocch.inputs import as_function, as_whole
from rocch.kernels.placements import PlacementSums, sums_if_tied, sums_inside, unranked
from rocch.kernels.refine import LEAST, Cells, live, room_for, spans_magnitudes
from rocch.roc.operating_point import ClassTotals
from rocch.scale.passes import (
    CountedCells,
    FetchedReader,
    Reader,
    ScoreIntervals,
    StreamReader,
    places_by_owner,
    rows_changed,
)
from rocch.scale.survey import survey
from rocch.scale.table import ScoreTable

Progress = Callable[["Work"], object]
Choice = Callable[[Cells], BoolArray]

# The first pass has this many buckets, times the rows to the power of 2/3. A hull has about as many
# vertices as the cube root of the rows, and live rows around each grow with the square of those in
# a bucket, so a few percent stay live.
BUCKETS = 5
# The average number of rows in a piece of a cell.
ROWS_PER_PIECE = 8
# At most this many rows are counted by score at once.
FETCH = 2**16
# Groups or rows moved in a pass by default: the first number, or the second per classifier and
# group if that is more, up to the third.
MOST_BUCKETS, FOR_EACH, AT_MOST = 2**22, 2**20, 2**24


@dataclass(frozen=True, slots=True)
class Work:
    """The cost of a result from a frame.

    Attributes
    ----------
    passes
        Scans of the table, including the survey.
    rows
        Rows of the table.
    moved
        Groups and rows moved to the driver, over all passes.
    """

    passes: int = 0
    rows: int = 0
    moved: int = 0

    def __str__(self) -> str:
        passes = "1 pass" if self.passes == 1 else f"{self.passes} passes"
        rows = format_count(self.rows, "row", ",")
        return f"{passes} over {rows}, {self.moved:,} groups and rows moved"

    def __add__(self, other: Work) -> Work:
        return Work(self.passes + other.passes, self.rows + other.rows, self.moved + other.moved)


def as_buckets(buckets: Any) -> int | None:
    """Return the most groups to move in a pass, or None for the default."""
    if buckets is None:
        return None
    return as_whole(buckets, "buckets", least=2, hint="More cost memory, fewer cost passes.")


def as_work_progress(progress: Any) -> Progress:
    """Return the function to call with the work done after each pass."""
    if progress is None:
        return lambda _: None
    return as_function(progress, "progress", "the work done", hint="For example: print.")


@dataclass(slots=True)
class ScoreSeries:
    """The cells of one classifier in one group, and the rows in each cell."""

    cells: Cells
    rows: IntArray

    @classmethod
    def of(cls, counted: CountedCells) -> ScoreSeries:
        """Sort cells, highest first."""
        some = counted.select(np.argsort(-counted.high, kind="stable"))
        return cls(Cells(some.high, some.low, some.negatives, some.positives), some.rows)

    def check_same_rows(self, which: IntArray, finer: ScoreSeries) -> None:
        """Refuse finer cells whose counts do not add up to the old ones."""
        old = self.cells.take(which)
        into = np.searchsorted(-old.low, -finer.cells.high)  # the cell that ends at or below it
        if (into >= which.size).any():
            raise rows_changed()
        inside = (finer.cells.low >= old.low[into]) & (finer.cells.high <= old.high[into])
        if not inside.all():
            raise rows_changed()
        for new, before in zip(finer.cells[2:], old[2:], strict=True):
            total = np.zeros(which.size, dtype=np.int64)
            np.add.at(total, into, new)
            if not np.array_equal(total, before):
                raise rows_changed()

    def replace_cells(self, which: IntArray, finer: ScoreSeries) -> ScoreSeries:
        """Replace some cells by finer ones of the same rows."""
        self.check_same_rows(which, finer)
        keep = np.ones(self.rows.size, dtype=bool)
        keep[which] = False
        columns = [
            np.concatenate((old[keep], new))
            for old, new in zip(self.cells, finer.cells, strict=True)
        ]
        order = np.argsort(-columns[0], kind="stable")
        rows = np.concatenate((self.rows[keep], finer.rows))
        return ScoreSeries(Cells(*(column[order] for column in columns)), rows[order])

    def join_pure_cells(self) -> ScoreSeries:
        """Join neighbors that hold only the same class."""
        high, low, negatives, positives = self.cells
        kind = np.where(positives == 0, 0, np.where(negatives == 0, 1, 2))
        same = (kind[1:] == kind[:-1]) & (kind[1:] < 2)
        first = np.flatnonzero(np.concatenate(([True], ~same)))
        last = np.append(first[1:], high.size) - 1
        counts = (np.add.reduceat(column, first) for column in (negatives, positives))
        cells = Cells(high[first], low[last], *counts)
        return ScoreSeries(cells, np.add.reduceat(self.rows, first))


@dataclass(slots=True)
class CellRefiner:
    """Reads a table repeatedly and refines the cells of each series."""

    reader: Reader
    buckets: int
    progress: Progress
    work: Work
    series: list[ScoreSeries] = field(default_factory=list)

    @classmethod
    def of(
        cls,
        table: ScoreTable,
        *,
        buckets: int | None = None,
        progress: Progress | None = None,
        both_classes: bool = True,
        headroom: int = 0,
    ) -> CellRefiner:
        """Survey a table."""
        budget, report = as_buckets(buckets), as_work_progress(progress)
        found = survey(table, both_classes=both_classes, headroom=headroom)
        reader = (StreamReader if StreamReader.can_read(table) else Reader)(table, found)
        count = reader.series_count
        budget = budget or min(max(MOST_BUCKETS, count * FOR_EACH), AT_MOST)
        if budget < 2 * LEAST * count:
            raise InputError(
                "buckets",
                f"be at least {2 * LEAST * count}, {2 * LEAST} for each classifier and group",
                budget,
                "Allow more, or pass fewer classifiers or groups.",
            )
        refiner = cls(reader, budget, report, Work(1, int(found.rows.sum())))
        report(refiner.work)
        return refiner

    def begin(self, rows_per_bucket: float | None = None, at_once: int = FETCH) -> None:
        """Count all rows in buckets or, if at most `at_once`, by score."""
        rows = self.reader.survey.rows
        if not rows.any():
            nothing = CountedCells(*np.zeros((6, 0), dtype=np.int64))
            self.series = [ScoreSeries.of(nothing)] * self.reader.series_count
            return
        if int(rows.sum()) * len(self.reader.table.names) <= min(at_once, self.buckets):
            parts, moved = self.reader.count_all_scores()
        else:
            # two buckets are for infinities
            most = max(2.0, self.buckets / self.reader.series_count - 2)
            largest = float(rows.max())
            wanted = largest / rows_per_bucket if rows_per_bucket else BUCKETS * largest ** (2 / 3)
            parts, moved = self.reader.cut_all(min(max(2.0, wanted), most), most)
        self.add_pass(moved)
        self.series = [ScoreSeries.of(part) for part in parts]
        self._check_totals()

    def count_in_ones(self, which: BoolArray) -> None:
        """Count the weights of some groups in ones."""
        found = self.reader.survey
        exponents = tuple(np.where(which, 0, found.exponents).tolist())
        found = replace(found, exponents=exponents, rounded=found.rounded & ~which)
        self.reader = replace(self.reader, survey=found)

    def make_exact(self) -> None:
        """Cut cells until none can hide a vertex.

        Dead cells stay dead, so live rows are fetched as soon as they fit the budget.
        """
        chosen, depth = self._live(), 0
        while self._rows(chosen).sum() > self.buckets:
            depth += 1
            self.split(chosen, depth)
            chosen = self._live()
        if self._rows(chosen).sum() > FETCH * len(self.series):
            self.reader = FetchedReader.of(self.reader, self.intervals(chosen))
            self._report(self.reader.rows)
            self.split(chosen, depth + 1)
            chosen = self._live()
        if any(each.size for each in chosen):
            self._count_scores(chosen)

    def _live(self) -> list[IntArray]:
        weighted = self.reader.table.is_weighted
        return [np.flatnonzero(live(each.cells, weighted=weighted)) for each in self.series]

    def refine(self, choose: Choice) -> None:
        """Cut cells until `choose` selects none."""
        depth = 0
        while True:
            chosen = [np.flatnonzero(choose(each.cells)) for each in self.series]
            if not any(each.size for each in chosen):
                return
            depth += 1
            if self._rows(chosen).sum() <= min(self.buckets, FETCH):
                self._count_scores(chosen)
            else:
                self.split(chosen, depth)

    def split(self, chosen: list[IntArray], depth: int = 1) -> None:
        """Cut chosen cells of each series in one pass.

        Beyond the budget the fullest go first: the hull that they raise lets others die.
        """
        wanted, rows = self.intervals(chosen), self._rows(chosen)
        picked = np.arange(rows.size)
        if self.buckets < LEAST * rows.size:
            picked = np.sort(np.argsort(-rows, kind="stable")[: max(1, self.buckets // LEAST)])
        some = ScoreIntervals(wanted.series[picked], wanted.low[picked], wanted.high[picked])
        counted = self._cut(some, rows[picked], depth)
        self.add_pass(counted.moved)
        self._replace(wanted, chosen, picked, counted._replace(owner=picked[counted.owner]))

    def _count_scores(self, chosen: list[IntArray]) -> None:
        wanted = self.intervals(chosen)
        counted = self.reader.count_scores(wanted)
        self.add_pass(counted.moved)
        self._replace(wanted, chosen, np.arange(wanted.low.size), counted)

    def _rows(self, chosen: list[IntArray]) -> IntArray:
        return np.concatenate([s.rows[each] for s, each in zip(self.series, chosen, strict=True)])

    def intervals(self, chosen: Sequence[IntArray]) -> ScoreIntervals:
        """Return chosen cells of each series as intervals."""
        numbers = [np.full(each.size, i) for i, each in enumerate(chosen)]
        follows = [np.diff(each, prepend=-2) == 1 for each in chosen]
        pairs = list(zip(self.series, chosen, strict=True))
        return ScoreIntervals(
            np.concatenate(numbers),
            np.concatenate([series.cells.low[each] for series, each in pairs]),
            np.concatenate([series.cells.high[each] for series, each in pairs]),
            np.concatenate(follows),
        )

    def _cut(self, some: ScoreIntervals, rows: IntArray, depth: int) -> CountedCells:
        """Cut intervals, the fuller the finer."""
        most = min(room_for(self.buckets, rows.size), float(rows.sum()) / ROWS_PER_PIECE)
        pieces = np.clip(most * (rows / rows.sum()), 2, rows)
        around_zero = (some.low < 0) & (some.high > 0)
        along = spans_magnitudes(some.low, some.high) | (around_zero & (depth % 2 == 0))
        return self.reader.cut(some, pieces.astype(np.float64), along)

    def _replace(
        self, wanted: ScoreIntervals, chosen: list[IntArray], picked: IntArray, found: CountedCells
    ) -> None:
        """Replace picked intervals by the cells found in them."""
        count, every = len(self.series), np.concatenate(chosen)
        old = places_by_owner(wanted.series[picked], count)
        new = places_by_owner(wanted.series[found.owner], count)
        for number, (old_cells, inside) in enumerate(zip(old, new, strict=True)):
            if old_cells.size:
                finer = ScoreSeries.of(found.select(inside))
                cells = every[picked[old_cells]]
                self.series[number] = self.series[number].replace_cells(cells, finer)

    def add_pass(self, moved: int) -> None:
        """Record and report a pass, unless the rows were already fetched."""
        if not isinstance(self.reader, FetchedReader):
            self._report(moved)

    def _report(self, moved: int) -> None:
        self.work += Work(1, 0, moved)
        self.progress(self.work)

    def class_totals(self, number: int) -> ClassTotals:
        """Return the class totals of a series."""
        cells, table = self.series[number].cells, self.reader.table
        exponent = self.reader.survey.exponents[number // len(table.names)]
        counts = int(cells.negatives.sum()), int(cells.positives.sum())
        return ClassTotals(*counts, math.ldexp(1.0, exponent), table.is_weighted)

    def _check_totals(self) -> None:
        """Refuse a table that changed since the survey."""
        for number, series in enumerate(self.series):
            group = number // len(self.reader.table.names)
            if series.rows.sum() != self.reader.survey.rows[group]:
                raise rows_changed()
            totals = self.class_totals(number)
            self.reader.check_totals(group, totals.negatives, totals.positives)


# An AUC depends on the rank of every row. Scores that share a cell with the other class are read in
# lots that fit into memory, and summed up with the counts of the cells above and below.


def placement_sums(refiner: CellRefiner) -> list[PlacementSums]:
    """Rank every row; return the placement sums of each series."""
    refiner.begin(at_once=refiner.buckets)
    _cut_full_cells(refiner)
    _cut_lopsided_cells(refiner)
    sums = [
        sums_if_tied(each.cells, np.flatnonzero(~unranked(each.cells))) for each in refiner.series
    ]
    for chosen in _lots(refiner.series, refiner.buckets):
        wanted = refiner.intervals(chosen)
        counted = refiner.reader.count_scores(wanted)
        refiner.add_pass(counted.moved)
        found = places_by_owner(wanted.series[counted.owner], len(chosen))
        for number, which in enumerate(chosen):
            if which.size:
                series = refiner.series[number]
                scores = ScoreSeries.of(counted.select(found[number]))
                series.check_same_rows(which, scores)
                more = sums_inside(series.cells, which, scores.cells)
                sums[number] = sums[number].plus(more)
    return sums


def _lots(series: list[ScoreSeries], most: int) -> Iterator[list[IntArray]]:
    """Yield unranked cells of each series, at most `most` rows at a time."""
    cells = [np.flatnonzero(unranked(each.cells)) for each in series]
    number = np.repeat(np.arange(len(series)), [each.size for each in cells])
    cell = np.concatenate(cells)
    up_to = np.cumsum(np.concatenate([s.rows[c] for s, c in zip(series, cells, strict=True)]))
    start = 0
    while start < cell.size:
        read = int(up_to[start - 1]) if start else 0
        end = int(np.searchsorted(up_to, read + most, side="right"))
        first_of_next = np.searchsorted(number[start:end], np.arange(1, len(series)))
        yield np.split(cell[start:end], first_of_next)
        start = end


def _cut_full_cells(refiner: CellRefiner) -> None:
    """Cut unranked cells until each fits into a lot."""
    depth = 0
    while True:
        chosen = [
            np.flatnonzero(unranked(each.cells) & (each.rows > refiner.buckets))
            for each in refiner.series
        ]
        if not any(each.size for each in chosen):
            return
        depth += 1
        _cut_and_join(refiner, chosen, depth)


def _cut_lopsided_cells(refiner: CellRefiner) -> None:
    """Cut cells while that saves more passes than it takes, as where a class is rare.

    Most pieces then hold only the other class and need not be read.
    """
    left = _unranked_rows(refiner)
    saved = left
    while saved > refiner.buckets:
        gains = [_gain(each, left / refiner.buckets) for each in refiner.series]
        if sum(float(gain.sum()) for gain in gains) <= refiner.buckets:
            return
        _cut_and_join(refiner, [np.flatnonzero(gain) for gain in gains])
        left, before = _unranked_rows(refiner), left
        saved = before - left


def _gain(series: ScoreSeries, rows_per_piece: float) -> FloatArray:
    """Estimate the fewest rows of each cell that need not be read once it is cut."""
    negatives, positives = series.cells.negatives, series.cells.positives
    share = np.minimum(negatives, positives) / np.maximum(negatives + positives, 1)
    gain = series.rows * np.maximum(1 - share * rows_per_piece, 0)
    return np.where(unranked(series.cells), gain, 0.0)


def _unranked_rows(refiner: CellRefiner) -> int:
    return sum(int(each.rows[unranked(each.cells)].sum()) for each in refiner.series)


def _cut_and_join(refiner: CellRefiner, chosen: list[IntArray], depth: int = 1) -> None:
    refiner.split(chosen, depth)
    refiner.series = [each.join_pure_cells() for each in refiner.series]
