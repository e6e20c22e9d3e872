"""Passes over a table until a result is exact or close enough."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from rocch.arrays import BoolArray, FloatArray, IntArray
from rocch.errors import InputError, format_count
from rocch.inputs import as_function, as_whole
from rocch.kernels.placements import PlacementSums, sums_if_tied, sums_inside, unranked
from rocch.kernels.refine import (
    LEAST,
    Cells,
    join_cells,
    live,
    room_for,
    spans_magnitudes,
    starts_within,
)
from rocch.results import Record
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
Choice = Callable[["ScoreSeries"], BoolArray]

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


@dataclass(frozen=True, slots=True, repr=False)
class Work(Record):
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


@dataclass(slots=True)
class ScoreSeries:
    """The cells of one classifier in one group, and the rows in each cell."""

    cells: Cells
    rows: IntArray

    @classmethod
    def of(cls, counted: CountedCells, which: IntArray) -> ScoreSeries:
        """Sort some cells, highest first."""
        order = which[np.argsort(-counted.high[which], kind="stable")]
        cells = Cells(counted.high, counted.low, counted.negatives, counted.positives)
        return cls(cells.take(order), counted.rows[order])

    def check_same_rows(self, which: IntArray, finer: ScoreSeries) -> None:
        """Refuse finer cells whose counts do not add up to the old ones."""
        old = self.cells.take(which)
        first = starts_within(finer.cells, old)
        if first.size != which.size:
            raise rows_changed()
        joined = join_cells(finer.cells, first)
        inside = (joined.low >= old.low) & (joined.high <= old.high)
        same = (joined.negatives == old.negatives) & (joined.positives == old.positives)
        if not (inside & same).all():
            raise rows_changed()

    def replace_cells(self, which: IntArray, finer: ScoreSeries) -> ScoreSeries:
        """Replace some cells by finer ones of the same rows."""
        self.check_same_rows(which, finer)
        columns = [
            np.concatenate((np.delete(old, which), new))
            for old, new in zip((*self.cells, self.rows), (*finer.cells, finer.rows), strict=True)
        ]
        order = np.argsort(-columns[0], kind="stable")
        *cells, rows = (column[order] for column in columns)
        return ScoreSeries(Cells(*cells), rows)

    def join_pure_cells(self) -> ScoreSeries:
        """Join neighbors that hold only the same class."""
        _, _, negatives, positives = self.cells
        kind = np.where(positives == 0, 0, np.where(negatives == 0, 1, 2))
        same = (kind[1:] == kind[:-1]) & (kind[1:] < 2)
        first = np.flatnonzero(np.concatenate(([True], ~same)))
        return ScoreSeries(join_cells(self.cells, first), np.add.reduceat(self.rows, first))


@dataclass(slots=True)
class CellRefiner:
    """Reads a table repeatedly and refines the cells of each series."""

    reader: Reader
    buckets: int
    progress: Progress | None
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
        if buckets is not None:
            hint = "More cost memory, fewer cost passes."
            buckets = as_whole(buckets, "buckets", least=2, hint=hint)
        if progress is not None:
            as_function(progress, "progress", "the work done", hint="For example: print.")
        found = survey(table, both_classes=both_classes, headroom=headroom)
        reader = (StreamReader if StreamReader.can_read(table) else Reader)(table, found)
        count = reader.series_count
        budget = buckets or min(max(MOST_BUCKETS, count * FOR_EACH), AT_MOST)
        if budget < 2 * LEAST * count:
            raise InputError(
                "buckets",
                f"be at least {2 * LEAST * count}, {2 * LEAST} for each classifier and group",
                budget,
                "Allow more, or pass fewer classifiers or groups.",
            )
        refiner = cls(reader, budget, progress, Work())
        refiner._report(Work(1, int(found.rows.sum())))
        return refiner

    def begin(self, rows_per_bucket: float | None = None, at_once: int = FETCH) -> None:
        """Count all rows in buckets or, if at most `at_once`, by score."""
        rows = self.reader.survey.rows
        if not rows.any():
            self.series = self._by_series(CountedCells(*np.zeros((6, 0), dtype=np.int64)))
            return
        if int(rows.sum()) * len(self.reader.table.names) <= min(at_once, self.buckets):
            counted = self.reader.count_all_scores()
        else:
            # two buckets are for infinities
            most = max(2.0, self.buckets / self.reader.series_count - 2)
            largest = float(rows.max())
            wanted = largest / rows_per_bucket if rows_per_bucket else BUCKETS * largest ** (2 / 3)
            counted = self.reader.cut_all(min(max(2.0, wanted), most), most)
        self.series = self._by_series(counted)
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
            self.reader = FetchedReader.of(self.reader, self._intervals(chosen, join=True))
            self._report(Work(1, 0, self.reader.rows))
            self.split(chosen, depth + 1)
            chosen = self._live()
        if any(each.size for each in chosen):
            self._replace(chosen, self.count_scores(chosen))

    def _live(self) -> list[IntArray]:
        weighted = self.reader.table.is_weighted
        return [np.flatnonzero(live(each.cells, weighted=weighted)) for each in self.series]

    def refine(self, choose: Choice) -> None:
        """Cut cells until `choose` selects none."""
        depth = 0
        while True:
            chosen = [np.flatnonzero(choose(each)) for each in self.series]
            if not any(each.size for each in chosen):
                return
            depth += 1
            if self._rows(chosen).sum() <= min(self.buckets, FETCH):
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
        wanted = self._intervals(chosen)
        most = min(room_for(self.buckets, rows.size), float(rows.sum()) / ROWS_PER_PIECE)
        pieces = np.clip(most * (rows / rows.sum()), 2, rows).astype(np.float64)
        around_zero = (wanted.low < 0) & (wanted.high > 0)
        along = spans_magnitudes(wanted.low, wanted.high) | (around_zero & (depth % 2 == 0))
        self._replace(chosen, self._by_series(self.reader.cut(wanted, pieces, along)))

    def count_scores(self, chosen: list[IntArray]) -> list[ScoreSeries]:
        """Count every distinct score in chosen cells of each series."""
        return self._by_series(self.reader.count_scores(self._intervals(chosen, join=True)))

    def _rows(self, chosen: list[IntArray]) -> IntArray:
        return np.concatenate([s.rows[each] for s, each in zip(self.series, chosen, strict=True)])

    def _intervals(self, chosen: list[IntArray], *, join: bool = False) -> ScoreIntervals:
        """Return chosen cells of each series as intervals; perhaps join neighbors."""
        numbers, lows, highs = [], [], []
        for number, (series, which) in enumerate(zip(self.series, chosen, strict=True)):
            first = last = which
            if join:
                first = which[np.diff(which, prepend=-2) != 1]
                last = which[np.diff(which, append=-2) != 1]
            numbers.append(np.full(first.size, number))
            lows.append(series.cells.low[last])
            highs.append(series.cells.high[first])
        return ScoreIntervals(*map(np.concatenate, (numbers, lows, highs)))

    def _replace(self, chosen: list[IntArray], finer: list[ScoreSeries]) -> None:
        for number, which in enumerate(chosen):
            if which.size:
                self.series[number] = self.series[number].replace_cells(which, finer[number])

    def _by_series(self, counted: CountedCells) -> list[ScoreSeries]:
        """Report a pass, unless it took none, and return the cells of each series."""
        if counted.moved:
            self._report(Work(1, 0, counted.moved))
        places = places_by_owner(counted.owner, self.reader.series_count)
        return [ScoreSeries.of(counted, mine) for mine in places]

    def _report(self, work: Work) -> None:
        self.work += work
        if self.progress is not None:
            self.progress(self.work)

    def _check_totals(self) -> None:
        """Refuse a table that changed since the survey."""
        for number, series in enumerate(self.series):
            group = number // len(self.reader.table.names)
            if series.rows.sum() != self.reader.survey.rows[group]:
                raise rows_changed()
            counts = series.cells.negatives.sum(), series.cells.positives.sum()
            self.reader.check_totals(group, *map(int, counts))


# An AUC depends on the rank of every row. Scores that share a cell with the other class are read in
# lots that fit into memory, and summed up with the counts of the cells above and below.


def placement_sums(refiner: CellRefiner) -> list[PlacementSums]:
    """Rank every row; return the placement sums of each series."""
    refiner.begin(at_once=refiner.buckets)
    # until each unranked cell fits into a lot
    refiner.refine(lambda series: unranked(series.cells) & (series.rows > refiner.buckets))
    refiner.series = [each.join_pure_cells() for each in refiner.series]
    _cut_lopsided_cells(refiner)
    sums = [
        sums_if_tied(each.cells, np.flatnonzero(~unranked(each.cells))) for each in refiner.series
    ]
    for chosen in _lots(refiner.series, refiner.buckets):
        found = refiner.count_scores(chosen)
        for number, which in enumerate(chosen):
            if which.size:
                series, scores = refiner.series[number], found[number]
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
        refiner.split([np.flatnonzero(gain) for gain in gains])
        refiner.series = [each.join_pure_cells() for each in refiner.series]
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
