"""Passes until every hull is exact: cut what may still hide a vertex, and nothing else."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import pairwise
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from rocch.arrays import AnyArray, BoolArray, FloatArray, IntArray
from rocch.errors import InputError, describe_type, format_count
from rocch.inputs import as_whole
from rocch.kernels import refine
from rocch.kernels.engine import engine_for
from rocch.kernels.refine import (
    LEAST,
    Cells,
    Cut,
    buckets_of,
    empty_tallies,
    live,
    room_for,
    spans_magnitudes,
)
from rocch.scale.frame import LABEL, POSITIVE, reading, score_column
from rocch.scale.passes import (
    CELL,
    GROUP,
    SCORE,
    UNITS,
    ByStrand,
    Counted,
    Intervals,
    Places,
    Reader,
    as_sound,
    changed,
    parted,
    runs_of,
)
from rocch.scale.survey import survey

if TYPE_CHECKING:
    Progress = Callable[["Work"], object]
    Choice = Callable[[Cells], BoolArray]
    from rocch.scale.frame import Frame, ScoreTable


# --- What an answer from a frame has cost ---------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Work:
    """What an answer from a frame has cost so far.

    Attributes
    ----------
    passes
        How often the table was scanned, the survey included.
    rows
        Rows of the table.
    moved
        What came to the driver, all passes together: groups with their counts and, in the last
        pass, the few rows whose scores may decide about a vertex.
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

    def after(self, moved: int) -> Work:
        """Return the work after one more pass."""
        return Work(self.passes + 1, self.rows, self.moved + moved)


# --- The same passes over rows that are in this process -------------------------------------------
#
# DuckDB reads a hundred million rows in less time than it takes to group them into a million
# buckets, since its hash tables leave the processor's cache. Its rows cost nothing to move, though:
# they come as batches of Arrow's, are counted into plain arrays, and are gone. And rows that may
# matter are few enough at some point to be held here, whatever engine they come from; then no pass
# is needed to cut them further. Cells and answers are the same.

T = TypeVar("T")

BATCH, SCORES = 2**19, 2**23
"""So many rows come at a time, but no more than so many scores."""

AHEAD = 2
"""So many batches an engine makes while another is used."""


class _Batch(NamedTuple):
    """Rows of one classifier."""

    classifier: int
    group: IntArray | None
    scores: FloatArray
    positive: BoolArray

    def places(self, places: Places, engine: ModuleType) -> IntArray:
        """Return the rows' places."""
        if np.isnan(self.scores.min(initial=np.inf)):
            raise changed()  # the survey had seen none
        place: IntArray = engine.grid_buckets(self.scores, places.grids[self.classifier])
        place += places.base[self.classifier]
        if self.group is not None:
            place += self.group * places.span
        return place


class StreamReader(Reader):
    """Reads frames of DuckDB batch by batch; rows have no weights."""

    __slots__ = ()

    @staticmethod
    def reads(table: ScoreTable) -> bool:
        """Say whether this can read a table; weights would need counts of more digits."""
        here = all(frame.implementation.is_duckdb() for frame in table.frames)
        return here and table.weight is None

    def count_places(self, places: Places) -> ByStrand:
        """Count all rows in buckets."""
        engine, tallies = self._engine, empty_tallies(places.span * len(self.survey.groups))

        def count(batch: _Batch) -> None:
            place = batch.places(places, engine)
            engine.add_rows(tallies, place, batch.scores, batch.positive)

        for _ in self._each(places, count):
            pass
        starts = [
            group * places.span + int(base)
            for group in range(len(self.survey.groups))
            for base in places.base
        ]
        parts = [_counted(tallies[start:end]) for start, end in pairwise([*starts, len(tallies)])]
        return ByStrand(parts, sum(part.moved for part in parts))

    def count_pieces(self, wanted: Intervals, cut: Cut) -> Counted:
        """Count the rows in intervals that are cut; `owner` is the piece."""
        tallies = empty_tallies(int(buckets_of(wanted.high, cut).max()) + 1)
        for rows in self._found(wanted):
            piece = buckets_of(rows[SCORE], cut.take(rows["owner"]))
            self._engine.add_rows(tallies, piece, rows[SCORE], rows[POSITIVE])
        return _counted(tallies)

    def fetch(self, wanted: Intervals) -> dict[str, AnyArray]:
        """Return the rows in intervals as they are; `owner` is the interval."""
        found = list(self._found(wanted))
        if not found:
            raise changed()  # the survey had seen rows
        return {name: np.concatenate([each[name] for each in found]) for name in found[0]}

    @property
    def _engine(self) -> ModuleType:
        """The loops that count: compiled ones for many rows."""
        return engine_for(refine, int(self.survey.rows.sum()))

    def _each(self, places: Places, hint: Callable[[_Batch], T]) -> Iterator[T]:
        """Read all rows once, some at a time, and do something with those of each classifier.

        Classifiers that are used have places of their own, so they are served side by side.
        """
        scores = {i: score_column(i) for i, used in enumerate(places.used) if used}
        groups = [GROUP] if self.table.by else []
        with ThreadPoolExecutor(min(len(scores), os.cpu_count() or 1)) as pool:
            for frame in self.table.frames:
                label = self._label(frame)
                query = self.weighed(frame).select(*scores.values(), *groups, label)
                for batch in _record_batches(query, min(BATCH, 1 + SCORES // len(scores))):
                    if any(column.null_count for column in batch.columns):
                        raise changed()  # the survey had seen none
                    rows = {
                        name: batch[name].to_numpy(zero_copy_only=False)
                        for name in batch.schema.names
                    }
                    positive, group = rows[label] > 0, rows.get(GROUP)
                    parts = [_Batch(i, group, rows[name], positive) for i, name in scores.items()]
                    yield from pool.map(hint, parts)

    def _label(self, frame: Frame) -> str:
        """Return a column that is above 0 for positives; whole labels are so themselves."""
        whole = frame.collect_schema()[self.table.label].is_integer()
        return LABEL if whole and self.table.pos_label is None else POSITIVE

    def _found(self, wanted: Intervals) -> Iterator[dict[str, AnyArray]]:
        """Return the rows in intervals, batch by batch.

        Buckets serve only to narrow down which intervals a score is compared with.
        """
        places, columns = self.located(wanted)
        order = np.argsort(columns[CELL], kind="stable")
        owners = columns["owner"][order]
        cells = np.arange(places.span * len(self.survey.groups) + 1)
        ends = np.searchsorted(columns[CELL][order], cells)
        reach = np.diff(ends)
        engine, sought = self._engine, reach > 0

        def search(batch: _Batch) -> dict[str, AnyArray]:
            cell = batch.places(places, engine)
            near = engine.find_marked(cell, sought)
            cell = cell[near]
            which, row = _ranges(ends[cell], reach[cell])
            owner, row = owners[row], near[which]
            score = batch.scores[row]
            inside = (wanted.low[owner] <= score) & (score <= wanted.high[owner])
            positive = batch.positive[row[inside]]
            return {"owner": owner[inside], SCORE: score[inside], POSITIVE: positive}

        return self._each(places, search)


class _Rows(NamedTuple):
    """Rows of one strand, the lowest score first."""

    scores: FloatArray
    units: IntArray
    hits: IntArray
    """What the rows before each weigh, and the positives among them; at the end, what all do."""

    @classmethod
    def of(cls, columns: Mapping[str, AnyArray]) -> _Rows:
        """Put rows into order."""
        scores = as_sound(columns[SCORE])
        order = np.argsort(scores)
        units = np.ones(order.size, dtype=np.int64)
        if UNITS in columns:
            units = columns[UNITS].astype(np.int64)[order]
        hits = np.where(columns[POSITIVE].astype(bool)[order], units, 0)
        return cls(scores[order] + 0.0, _sums(units), _sums(hits))

    def within(self, wanted: Intervals, mine: IntArray) -> tuple[IntArray, IntArray]:
        """Return where the rows of some intervals begin and end."""
        first = np.searchsorted(self.scores, wanted.low[mine])
        return first, np.searchsorted(self.scores, wanted.high[mine], side="right")

    def counted(self, owner: IntArray, first: IntArray, end: IntArray, pieces: IntArray) -> Counted:
        """Cut stretches of rows, from low to high, each into so many pieces of about equal size."""
        which, step = _ranges(np.zeros_like(pieces), pieces)
        start = first[which] + step * (end - first)[which] // pieces[which]
        start = np.searchsorted(self.scores, self.scores[start])  # equal scores stay together
        new = np.diff(start, prepend=-1) > 0
        which, start = which[new], start[new]
        stop = np.minimum(np.append(start[1:], self.scores.size), end[which])
        units, hits = (sums[stop] - sums[start] for sums in (self.units, self.hits))
        low, high = self.scores[start], self.scores[stop - 1]
        return Counted(owner[which], low, high, stop - start, units - hits, hits)


@dataclass(frozen=True, slots=True)
class HeldReader(Reader):
    """Reads rows that were fetched before; they are cut by their ranks."""

    held: list[_Rows]

    @classmethod
    @reading()
    def of(cls, reader: Reader, wanted: Intervals) -> HeldReader:
        """Fetch the rows in intervals; no others are to be asked for."""
        runs = runs_of(wanted)
        columns = reader.fetch(runs)
        strand = runs.strand[columns.pop("owner").astype(np.int64)]
        parts = parted(strand.astype(np.min_scalar_type(reader.strands)), reader.strands)
        held = [{name: column[part] for name, column in columns.items()} for part in parts]
        return cls(reader.table, reader.survey, list(map(_Rows.of, held)))

    @property
    def rows(self) -> int:
        """How many rows are held."""
        return sum(rows.scores.size for rows in self.held)

    def cut(self, wanted: Intervals, pieces: FloatArray, along: BoolArray) -> Counted:
        """Cut intervals, each into about so many pieces; `owner` is the interval."""
        del along  # ranks know no magnitudes
        return self._counted_in(wanted, pieces)

    def scores_within(self, wanted: Intervals) -> Counted:
        """Count every distinct score in intervals; `owner` is the interval."""
        return self._counted_in(wanted, np.full(wanted.low.size, np.inf))

    def _counted_in(self, wanted: Intervals, pieces: FloatArray) -> Counted:
        parts = []
        for rows, places in zip(self.held, parted(wanted.strand, self.strands), strict=True):
            mine = places[::-1]  # the lowest first
            first, end = rows.within(wanted, mine)
            most = np.minimum(np.ceil(pieces[mine]), end - first).astype(np.int64)
            parts.append(rows.counted(mine, first, end, most))
        return Counted.joined(parts)


def _sums(values: IntArray) -> IntArray:
    return np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(values, dtype=np.int64)))


def _ranges(first: IntArray, length: IntArray) -> tuple[IntArray, IntArray]:
    """Return all numbers of ranges, each with the range that it is of."""
    which = np.repeat(np.arange(length.size), length)
    return which, np.arange(which.size) + (first - np.cumsum(length) + length)[which]


def _record_batches(query: Frame, rows: int) -> Iterator[Any]:
    """Run a query; while a batch of its rows is used, the engine makes the next ones."""
    native = query.to_native()
    read = getattr(native, "to_arrow_reader", None) or native.fetch_arrow_reader
    batches = iter(read(rows))
    with ThreadPoolExecutor(1) as pool:
        coming = deque(pool.submit(next, batches, None) for _ in range(AHEAD))
        while (batch := coming.popleft().result()) is not None:
            coming.append(pool.submit(next, batches, None))
            yield batch


def _counted(tallies: FloatArray) -> Counted:
    filled = np.flatnonzero(tallies[:, 0])
    some = tallies[filled]
    rows, hits = some[:, 0].astype(np.int64), some[:, 1].astype(np.int64)
    return Counted(filled, some[:, 2] + 0.0, some[:, 3] + 0.0, rows, rows - hits, hits, filled.size)


# --- Passes until every hull is exact: cut what may still hide a vertex, and nothing else ---------

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
    return as_whole(buckets, "buckets", least=2, hint="More cost memory, fewer cost passes.")


def as_listener(progress: Any) -> Progress:
    """Return what is told after each pass."""
    if progress is None:
        return lambda _: None
    if not callable(progress):
        raise InputError(
            "progress", "be callable", describe_type(progress), "It is told the work done."
        )
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
            raise InputError(
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
        got = parted(wanted.strand[counted.owner], strands)
        for number, (gone, inside) in enumerate(zip(went, got, strict=True)):
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
    old = strand.cells.take(gone)
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
