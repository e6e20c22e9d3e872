"""Passes over a table until a result is exact or close enough."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from rocch.arrays import BoolArray, FloatArray, IntArray
from rocch.errors import InputError, format_count
from rocch.inputs import as_function, as_whole
from rocch.kernels.cells import Cells
from rocch.kernels.cuts import LEAST
from rocch.kernels.placements import PlacementSums, sums_if_tied, sums_inside, unranked
from rocch.kernels.refine import (
    MOST_BUCKETS,
    CellRefiner,
    ScoreSeries,
    rows_changed,
)
from rocch.results import Record
from rocch.scale.passes import Reader, StreamReader
from rocch.scale.survey import survey
from rocch.scale.table import ScoreTable

Progress = Callable[["Work"], object]

# Groups or rows moved in a pass by default: `MOST_BUCKETS`, or this many per classifier and group
# if that is more, up to the second number.
FOR_EACH, AT_MOST = 2**20, 2**24


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


@dataclass(slots=True, kw_only=True)
class TableRefiner(CellRefiner):
    """Refines the cells of each classifier and group of a table."""

    reader: Reader
    progress: Progress | None
    work: Work = Work()

    @classmethod
    def of(
        cls,
        table: ScoreTable,
        *,
        buckets: int | None = None,
        progress: Progress | None = None,
        both_classes: bool = True,
        headroom: int = 0,
        scores_later: bool = False,
    ) -> TableRefiner:
        """Survey a table, and scores with it unless they can be read `scores_later`."""
        if buckets is not None:
            hint = "More cost memory, fewer cost passes."
            buckets = as_whole(buckets, "buckets", least=2, hint=hint)
        if progress is not None:
            as_function(progress, "progress", "the work done", hint="For example: print.")
        streams = StreamReader.can_read(table)
        found = survey(
            table,
            both_classes=both_classes,
            headroom=headroom,
            scores=not (streams and scores_later),
        )
        reader = (StreamReader if streams else Reader)(table, found)
        count = reader.series_count
        budget = buckets or min(max(MOST_BUCKETS, count * FOR_EACH), AT_MOST)
        if budget < 2 * LEAST * count:
            raise InputError(
                "buckets",
                f"be at least {2 * LEAST * count}, {2 * LEAST} for each classifier and group",
                budget,
                "Allow more, or pass fewer classifiers or groups.",
            )
        refiner = cls(reader=reader, buckets=budget, progress=progress)
        refiner._add(Work(1, int(found.rows.sum())))
        return refiner

    def begin_table(self, rows_per_bucket: float | None = None, at_once: int | None = None) -> None:
        """Count all rows in buckets or, if at most `at_once` (by default `few`), by score."""
        rows = self.reader.survey.rows
        if not rows.any():
            none = np.zeros((2, 0), dtype=np.int64)
            self.series = [
                ScoreSeries.of(Cells(*none.astype(float), *none))
                for _ in range(self.reader.series_count)
            ]
            return
        if int(rows.sum()) * len(self.reader.table.names) <= min(at_once or self.few, self.buckets):
            if not self.reader.knows_scores:
                self.reader.read_scores()
            self.series = self.by_series(self.reader.count_all_scores())
        else:
            self.begin(int(rows.max()), rows_per_bucket)
        self._check_totals()

    def count_in_ones(self, which: BoolArray) -> None:
        """Count the weights of some groups in ones."""
        found = self.reader.survey
        exponents = tuple(np.where(which, 0, found.exponents).tolist())
        self.reader.survey = replace(found, exponents=exponents, rounded=found.rounded & ~which)

    def report(self, moved: int) -> None:
        """Take note of a pass that moved groups or rows."""
        self._add(Work(1, 0, moved))

    def _add(self, work: Work) -> None:
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


def placement_sums(refiner: TableRefiner) -> list[PlacementSums]:
    """Rank every row; return the placement sums of each series."""
    refiner.begin_table(at_once=refiner.buckets)
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
                series.find_first(which, scores)
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


def _cut_lopsided_cells(refiner: TableRefiner) -> None:
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


def _unranked_rows(refiner: TableRefiner) -> int:
    return sum(int(each.rows[unranked(each.cells)].sum()) for each in refiner.series)
