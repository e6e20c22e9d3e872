"""Passes until every hull is exact: cut what may still hide a vertex, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.errors import bad_input, kind_of
from rocch.inputs import as_whole
from rocch.kernels.refine import LEAST, Cells, live, room_for, spans_magnitudes
from rocch.scale.local import HeldReader, StreamReader
from rocch.scale.passes import Counted, Intervals, Reader, changed, parted
from rocch.scale.survey import survey
from rocch.scale.work import Work

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rocch.arrays import BoolArray, IntArray
    from rocch.scale.table import ScoreTable

    Progress = Callable[[Work], object]
    Choice = Callable[[Cells], BoolArray]

BUCKETS = 5
"""So many buckets, times the rows to the power of 2/3, leave a few percent of the rows live: a hull
has about as many vertices as the cube root of the rows, and around each of them live rows grow with
the square of those in a bucket."""

ROWS_PER_PIECE = 8
"""So many rows on average has a piece of what is cut again."""

FETCH = 2**16
"""So few rows are taken by their exact scores at once."""


MOST_BUCKETS = 2**22
"""So many groups or rows come to the driver in a pass, unless another number is asked for,"""

FOR_EACH = 2**20
"""or so many for each classifier and group where that is more,"""

AT_MOST = 2**24
"""but no more than these."""


def as_buckets(buckets: Any) -> int | None:
    """Return how many groups may be moved in a pass, if that is asked for."""
    if buckets is None:
        return None
    return as_whole(buckets, "buckets", least=2, do="More cost memory, fewer cost passes.")


def as_listener(progress: Any) -> Progress:
    """Return what is told after each pass."""
    if progress is None:
        return lambda _: None
    if not callable(progress):
        raise bad_input("progress", "be callable", kind_of(progress), "It is told the work done.")
    listener: Progress = progress
    return listener


@dataclass(slots=True)
class Strand:
    """What is known of one classifier in one group."""

    cells: Cells
    rows: IntArray
    """Rows in each cell."""


@dataclass(slots=True)
class Refinery:
    """Reads a table again and again, and keeps what is known of each strand."""

    reader: Reader
    buckets: int
    progress: Progress
    work: Work
    strands: list[Strand] = field(default_factory=list)

    @classmethod
    def of(
        cls,
        table: ScoreTable,
        *,
        buckets: Any,
        progress: Any,
        both_classes: bool = True,
        headroom: int = 0,
    ) -> Refinery:
        """Survey a table; nothing of its scores is known yet."""
        asked, listener = as_buckets(buckets), as_listener(progress)
        found = survey(table, both_classes=both_classes, headroom=headroom)
        reader = (StreamReader if StreamReader.reads(table) else Reader)(table, found)
        strands = reader.strands
        budget = asked or min(max(MOST_BUCKETS, strands * FOR_EACH), AT_MOST)
        refinery = cls(reader, budget, listener, Work(1, int(found.rows.sum())))
        if budget < 2 * LEAST * strands:
            raise bad_input(
                "buckets",
                f"be at least {2 * LEAST * strands}, {2 * LEAST} for each classifier and group",
                budget,
                "Allow more, or ask for fewer classifiers or groups at once.",
            )
        listener(refinery.work)
        return refinery

    def begin(self, rows_per_bucket: float | None = None, at_once: int = FETCH) -> None:
        """Take the first pass, into buckets or, of a small table, into single scores.

        A table is small that has at most so many rows `at_once`, and no more than the budget.
        """
        rows = self.reader.survey.rows
        if not rows.any():
            nothing = Counted(*np.zeros((6, 0), dtype=np.int64))
            self.strands = [strand_of(nothing)] * self.reader.strands
            return
        if int(rows.sum()) * len(self.reader.table.names) <= min(at_once, self.buckets):
            found = self.reader.all_scores()
        else:
            most = max(2.0, self.buckets / self.reader.strands - 2)  # and two for infinities
            largest = float(rows.max())
            wanted = largest / rows_per_bucket if rows_per_bucket else BUCKETS * largest ** (2 / 3)
            found = self.reader.cut_all(min(max(2.0, wanted), most), most)
        self.told(found.moved)
        self.strands = [strand_of(part) for part in found.parts]
        self._check_totals()

    def count_in_ones(self, which: BoolArray) -> None:
        """Count the weights of some groups in ones, as a sum of parts may where a survey rounds."""
        found = self.reader.survey
        exponents = tuple(np.where(which, 0, found.exponents).tolist())
        found = replace(found, exponents=exponents, rounded=found.rounded & ~which)
        self.reader = replace(self.reader, survey=found)

    def make_exact(self) -> None:
        """Cut cells until none may hide a vertex.

        Cells only die. So live rows are held here as soon as they fit the budget: no others will be
        asked for, and what is left to cut costs no more passes.
        """
        chosen, depth = self._live(), 0
        while self._rows(chosen).sum() > self.buckets:
            depth += 1
            self.split(chosen, depth)
            chosen = self._live()
        if self._rows(chosen).sum() > FETCH * len(self.strands):
            self.reader = HeldReader.of(self.reader, _intervals(self.strands, chosen))
            self._passed(self.reader.rows)
            self.split(chosen, depth + 1)
            chosen = self._live()
        if any(each.size for each in chosen):
            self._count_scores(chosen)

    def _live(self) -> list[IntArray]:
        weighted = self.reader.table.weight is not None
        return [np.flatnonzero(live(each.cells, weighted=weighted)) for each in self.strands]

    def refine(self, choose: Choice) -> None:
        """Cut cells that a choice falls on until it falls on none."""
        depth = 0
        while True:
            chosen = [np.flatnonzero(choose(strand.cells)) for strand in self.strands]
            if not any(each.size for each in chosen):
                return
            depth += 1
            if self._rows(chosen).sum() <= min(self.buckets, FETCH):
                self._count_scores(chosen)
            else:
                self.split(chosen, depth)

    def split(self, chosen: list[IntArray], depth: int = 1) -> None:
        """Take a pass that cuts cells of each strand, or as many of them as the budget allows.

        Where there are more than the budget can cut, the fullest go first: the hull that they
        raise lets others die.
        """
        wanted, rows = _intervals(self.strands, chosen), self._rows(chosen)
        picked = np.arange(rows.size)
        if self.buckets < LEAST * rows.size:
            picked = np.sort(np.argsort(-rows, kind="stable")[: max(1, self.buckets // LEAST)])
        some = Intervals(wanted.strand[picked], wanted.low[picked], wanted.high[picked])
        counted = self._cut(some, rows[picked], depth)
        self.told(counted.moved)
        self._replace(wanted, chosen, picked, counted._replace(owner=picked[counted.owner]))

    def _count_scores(self, chosen: list[IntArray]) -> None:
        """Take a pass that counts every distinct score in cells of each strand."""
        wanted = _intervals(self.strands, chosen)
        counted = self.reader.scores_within(wanted)
        self.told(counted.moved)
        self._replace(wanted, chosen, np.arange(wanted.low.size), counted)

    def _rows(self, chosen: list[IntArray]) -> IntArray:
        """Return how many rows there are in each of the cells."""
        return np.concatenate([s.rows[each] for s, each in zip(self.strands, chosen, strict=True)])

    def _cut(self, some: Intervals, rows: IntArray, depth: int) -> Counted:
        """Cut intervals, the finer the fuller they are."""
        most = min(room_for(self.buckets, rows.size), float(rows.sum()) / ROWS_PER_PIECE)
        pieces = np.clip(most * (rows / rows.sum()), 2, rows)
        around_zero = (some.low < 0) & (some.high > 0)
        along = spans_magnitudes(some.low, some.high) | (around_zero & (depth % 2 == 0))
        return self.reader.cut(some, pieces.astype(np.float64), along)

    def _replace(
        self, wanted: Intervals, chosen: list[IntArray], picked: IntArray, counted: Counted
    ) -> None:
        """Put what was counted in the place of the intervals that were picked."""
        strands, every = len(self.strands), np.concatenate(chosen)
        went = parted(wanted.strand[picked], strands)
        came = parted(wanted.strand[counted.owner], strands)
        for number, (gone, inside) in enumerate(zip(went, came, strict=True)):
            if gone.size:
                finer = strand_of(counted.taken(inside))
                self.strands[number] = _replaced(self.strands[number], every[picked[gone]], finer)

    def told(self, moved: int) -> None:
        """Add a pass to the work done, if it was one, and tell whoever listens."""
        if not isinstance(self.reader, HeldReader):
            self._passed(moved)

    def _passed(self, moved: int) -> None:
        self.work = self.work.after(moved)
        self.progress(self.work)

    def _check_totals(self) -> None:
        """Refuse a table that is another one than that which was surveyed."""
        classifiers, found = len(self.reader.table.names), self.reader.survey
        for number, strand in enumerate(self.strands):
            group = number // classifiers
            if strand.rows.sum() != found.rows[group]:
                raise changed()
            counts = int(strand.cells.negatives.sum()), int(strand.cells.positives.sum())
            self.reader.check_totals(group, *counts)


def strand_of(counted: Counted) -> Strand:
    """Return cells in order, the highest first."""
    some = counted.taken(np.argsort(-counted.high, kind="stable"))
    return Strand(Cells(some.high, some.low, some.negatives, some.positives), some.rows)


def _intervals(strands: Sequence[Strand], chosen: Sequence[IntArray]) -> Intervals:
    numbers = [np.full(each.size, i) for i, each in enumerate(chosen)]
    follows = [np.diff(each, prepend=-2) == 1 for each in chosen]
    pairs = list(zip(strands, chosen, strict=True))
    return Intervals(
        np.concatenate(numbers),
        np.concatenate([strand.cells.low[each] for strand, each in pairs]),
        np.concatenate([strand.cells.high[each] for strand, each in pairs]),
        np.concatenate(follows),
    )


def _replaced(strand: Strand, gone: IntArray, finer: Strand) -> Strand:
    """Put finer cells into the place of some; they must hold just the same rows."""
    check_same(strand, gone, finer)
    keep = np.ones(strand.rows.size, dtype=bool)
    keep[gone] = False
    columns = [
        np.concatenate((old[keep], new)) for old, new in zip(strand.cells, finer.cells, strict=True)
    ]
    order = np.argsort(-columns[0], kind="stable")
    rows = np.concatenate((strand.rows[keep], finer.rows))
    return Strand(Cells(*(column[order] for column in columns)), rows[order])


def check_same(strand: Strand, gone: IntArray, finer: Strand) -> None:
    """Compare the counts of finer cells with those of the cells that they are parts of."""
    old = strand.cells.taken(gone)
    into = np.searchsorted(-old.low, -finer.cells.high)  # the cell that ends at or below it
    if (into >= gone.size).any():
        raise changed()
    inside = (finer.cells.low >= old.low[into]) & (finer.cells.high <= old.high[into])
    if not inside.all():
        raise changed()
    for new, before in zip(finer.cells[2:], old[2:], strict=True):
        total = np.zeros(gone.size, dtype=np.int64)
        np.add.at(total, into, new)
        if not np.array_equal(total, before):
            raise changed()
