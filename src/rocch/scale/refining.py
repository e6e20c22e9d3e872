"""Passes until every hull is exact: cut what may still hide a vertex, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.errors import bad_input, kind_of
from rocch.inputs import as_whole
from rocch.kernels.cells import Cells, live
from rocch.kernels.cuts import LEAST, room_for, spans_magnitudes
from rocch.scale.passes import Intervals, Reader, changed
from rocch.scale.survey import survey
from rocch.scale.work import Work

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rocch.arrays import BoolArray, IntArray
    from rocch.scale.passes import Counted
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

FETCH_SHARE = 32
"""And so are live rows once they are at most this fraction of all."""


def as_buckets(buckets: Any) -> int:
    """Return how many groups may be moved in a pass."""
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
        budget, listener = as_buckets(buckets), as_listener(progress)
        found = survey(table, both_classes=both_classes, headroom=headroom)
        refinery = cls(Reader(table, found), budget, listener, Work(1, int(found.rows.sum())))
        strands = refinery.reader.strands
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
        if int(rows.sum()) * len(self.reader.table.names) <= min(at_once, self.buckets):
            counted = self.reader.all_scores()
        else:
            most = max(2.0, self.buckets / self.reader.strands - 2)  # and two for infinities
            largest = float(rows.max())
            wanted = largest / rows_per_bucket if rows_per_bucket else BUCKETS * largest ** (2 / 3)
            counted = self.reader.cut_all(min(max(2.0, wanted), most), most)
        self.told(counted)
        parts = _parts(counted.owner, self.reader.strands)
        self.strands = [strand_of(counted, part) for part in parts]
        self._check_totals()

    def make_exact(self) -> None:
        """Cut cells until none may hide a vertex."""
        weighted = self.reader.table.weight is not None
        self.refine(lambda cells: live(cells, weighted=weighted))

    def refine(self, choose: Choice) -> None:
        """Cut cells that a choice falls on until it falls on none."""
        depth = 0
        while True:
            chosen = [np.flatnonzero(choose(strand.cells)) for strand in self.strands]
            if not any(each.size for each in chosen):
                return
            depth += 1
            self.split(chosen, depth)

    def split(self, chosen: list[IntArray], depth: int = 1) -> None:
        """Take a pass that cuts cells of each strand, or as many of them as the budget allows."""
        wanted = _intervals(self.strands, chosen)
        rows = np.concatenate([s.rows[each] for s, each in zip(self.strands, chosen, strict=True)])
        picked, single = self._picked(rows)
        some = wanted
        if picked.size < rows.size:
            some = Intervals(wanted.strand[picked], wanted.low[picked], wanted.high[picked])
        if single:
            counted = self.reader.scores_within(some)
        else:
            counted = self._cut(some, rows[picked], depth)
        self.told(counted)
        self._replace(wanted, chosen, picked, counted._replace(owner=picked[counted.owner]))

    def _picked(self, rows: IntArray) -> tuple[IntArray, bool]:
        """Pick the intervals for the next pass, and say whether single scores are counted.

        Where there are more than the budget can cut, the fullest go first: the hull that they
        raise lets others die.
        """
        whole = int(self.reader.survey.rows.sum()) * len(self.reader.table.names)
        if rows.sum() <= min(self.buckets, max(FETCH, whole // FETCH_SHARE)):
            return np.arange(rows.size), True
        if self.buckets >= LEAST * rows.size:
            return np.arange(rows.size), False
        order = np.argsort(-rows, kind="stable")
        return np.sort(order[: max(1, self.buckets // LEAST)]), False

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
        start = 0
        for number, (strand, cells) in enumerate(zip(self.strands, chosen, strict=True)):
            mine = (picked >= start) & (picked < start + cells.size)
            gone = cells[picked[mine] - start]
            inside = np.flatnonzero(wanted.strand[counted.owner] == number)
            start += cells.size
            if gone.size:
                self.strands[number] = _replaced(strand, gone, strand_of(counted, inside))

    def told(self, counted: Counted) -> None:
        """Add a pass to the work done, and tell whoever listens."""
        self.work = self.work.after(counted.moved)
        self.progress(self.work)

    def _check_totals(self) -> None:
        """Refuse a table that is another one than that which was surveyed."""
        classifiers = len(self.reader.table.names)
        for number, strand in enumerate(self.strands):
            if strand.rows.sum() != self.reader.survey.rows[number // classifiers]:
                raise changed()


def _parts(owner: IntArray, owners: int) -> list[IntArray]:
    order = np.argsort(owner, kind="stable")
    ends = np.searchsorted(owner[order], np.arange(owners + 1))
    return [order[ends[i] : ends[i + 1]] for i in range(owners)]


def strand_of(counted: Counted, which: IntArray) -> Strand:
    """Return some cells in order, the highest first."""
    order = which[np.argsort(-counted.high[which], kind="stable")]
    cells = Cells(
        counted.high[order], counted.low[order], counted.negatives[order], counted.positives[order]
    )
    return Strand(cells, counted.rows[order])


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
