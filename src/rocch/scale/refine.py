"""The same passes over rows that are in this process.

DuckDB reads a hundred million rows in less time than it takes to group them into a million buckets,
since its hash tables leave the processor's cache. Its rows cost nothing to move, though: they come
as batches of Arrow's, are counted into plain arrays, and are gone. And rows that may matter are few
enough at some point to be held here, whatever engine they come from; then no pass is needed to cut
them further. Cells and answers are the same.
"""

from __future__ import annotations

import os
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from rocch.kernels.refine import buckets_of, empty_tallies, engine_for
from rocch.scale.engine import reading
from rocch.scale.passes import (
    CELL,
    GROUP,
    SCORE,
    UNITS,
    ByStrand,
    Counted,
    Reader,
    as_sound,
    changed,
    parted,
    runs_of,
)
from rocch.scale.table import LABEL, POSITIVE, score_column

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import ModuleType

    from rocch.arrays import BoolArray, FloatArray, IntArray
    from rocch.kernels.refine import Cut
    from rocch.scale.engine import AnyArray, Frame
    from rocch.scale.passes import Intervals, Places
    from rocch.scale.table import ScoreTable

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
            piece = buckets_of(rows[SCORE], cut.taken(rows["owner"]))
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
        return engine_for(int(self.survey.rows.sum()))

    def _each(self, places: Places, do: Callable[[_Batch], T]) -> Iterator[T]:
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
                    yield from pool.map(do, parts)

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
            near = engine.marked(cell, sought)
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
