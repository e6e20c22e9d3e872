"""Passes over a table: one query each, for all classifiers and groups.

A *series* is one classifier's scores in one group. A *cell* is an interval of scores with counts.
"""

from __future__ import annotations

import math
import os
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import accumulate
from types import ModuleType
from typing import Any, NamedTuple, TypeVar

import narwhals as nw
import numpy as np

from rocch.arrays import AnyArray, BoolArray, FloatArray, IntArray
from rocch.errors import InputError
from rocch.kernels import passes
from rocch.kernels.cuts import (
    Cut,
    CutGrid,
    advised_grid,
    buckets_of,
    cut_intervals,
    grid_buckets,
)
from rocch.kernels.engine import engine_for
from rocch.kernels.passes import Rows, empty_tallies
from rocch.kernels.readers import NO_PIECE, ArrayReader, CountedCells, ScoreIntervals
from rocch.kernels.refine import rows_changed
from rocch.scale.engines import (
    Frame,
    clip_to_grid,
    collect,
    cut_bucket,
    grid_bucket,
    long_form,
    read_errors,
    small_table,
    with_magnitudes,
)
from rocch.scale.survey import Survey, survey
from rocch.scale.table import LABEL, POSITIVE, WEIGHT, ScoreTable, score_column

T = TypeVar("T")

# Rows from the head of a table that guide the first cut; a poor sample costs a pass.
SAMPLE = 2**14
# Buckets per end of the intervals to look for, and at most in all.
PLACES, MOST_PLACES = 16, 2**22
# How uneven intervals may be before buckets follow them.
CROWDED = 32.0
# Rows in a batch of DuckDB's, and scores at most.
BATCH, SCORES = 2**19, 2**23
# Compiled code gains as much on a tally with ends as on this many counts.
TALLY = 3
# Batches that an engine prepares in advance.
AHEAD = 2

SCORE, CELL, GROUP, UNITS, HITS = "score", "cell", "group", "units", "hits"
ALONG = "along"
HALF, REST = "unit_half", "unit_rest"


class BucketLayout(NamedTuple):
    """Grids of some classifiers, with consecutive bucket numbers."""

    grids: dict[int, CutGrid]
    base: dict[int, int]  # the first bucket of each
    span: int

    @classmethod
    def of(cls, grids: dict[int, CutGrid]) -> BucketLayout:
        """Return grids with numbered buckets."""
        *starts, span = accumulate((grid.buckets for grid in grids.values()), initial=0)
        return cls(grids, dict(zip(grids, starts, strict=True)), span)


@dataclass(slots=True)
class Reader:
    """Reads a surveyed table by group-by queries."""

    table: ScoreTable
    survey: Survey
    layout: BucketLayout | None = field(default=None, init=False)  # of the last count of all rows

    @property
    def series_count(self) -> int:
        """Classifiers times groups."""
        return len(self.table.names) * len(self.survey.groups)

    @property
    def is_weighted(self) -> bool:
        """Whether rows have weights."""
        return self.table.is_weighted

    @property
    def knows_scores(self) -> bool:
        """Whether the survey read scores."""
        return not np.isnan(self.survey.low).any()

    def read_scores(self) -> None:
        """Survey the table with scores; its labels were surveyed before."""
        try:
            self.survey = survey(self.table, both_classes=self.survey.both_classes)
        except InputError as error:
            raise rows_changed() if error.argument == "label" else error from None

    @read_errors()
    def cut_all(self, buckets: float, most: float) -> CountedCells:
        """Count all rows in about `buckets` per series."""
        grids = [
            advised_grid(scores, low, high, buckets, most, sets=self._knot_sets)
            for scores, low, high in zip(*self._sample(), strict=True)
        ]
        self.layout = layout = BucketLayout.of(dict(enumerate(grids)))
        counted = self._count_buckets(layout)
        group, place = np.divmod(counted.piece, layout.span)
        classifier = np.searchsorted(list(layout.base.values()), place, side="right") - 1
        return counted._replace(series=group * len(grids) + classifier)

    @read_errors()
    def cut(self, wanted: ScoreIntervals, pieces: FloatArray, along: BoolArray) -> CountedCells:
        """Cut each interval into about `pieces`."""
        cut, starts = cut_intervals(wanted.low, wanted.high, pieces, by_magnitude=along)
        self.layout = None
        counted = self._count_pieces(wanted, cut)
        interval = np.searchsorted(starts, counted.piece, side="right") - 1
        return counted._replace(series=wanted.series[interval])

    @read_errors()
    def count_all_scores(self) -> CountedCells:
        """Count every distinct score of each series."""
        return self._count([self._rows(frame, None) for frame in self.table.frames], by_score=True)

    def count_scores(self, wanted: ScoreIntervals) -> CountedCells:
        """Count every distinct score in intervals.

        Fetching these few rows is cheaper than grouping them.
        """
        series, scores, units, hits = self._fetch(wanted.join_neighbors())
        rows = np.ones(series.size, dtype=np.int64)
        return _sum_cells(series, scores, scores, [rows, units, hits], by_score=True)

    def fetch(self, wanted: ScoreIntervals) -> ArrayReader:
        """Copy the rows in intervals into memory; they must not have weights."""
        series, scores, _, hits = self._fetch(wanted.join_neighbors())
        interval = np.empty(series.size, dtype=np.int32)
        for number in np.unique(wanted.series).tolist():
            first, end = np.searchsorted(wanted.series, [number, number + 1])
            mine = series == number
            place = np.searchsorted(wanted.high[first:end], scores[mine])
            interval[mine] = first + np.minimum(place, end - first - 1)
        return self._in_memory(Rows(scores, hits > 0, interval), wanted)

    def _in_memory(self, rows: Rows, wanted: ScoreIntervals) -> ArrayReader:
        """Return a reader of rows; refuse those outside of their intervals."""
        low, high = wanted.low[rows.interval], wanted.high[rows.interval]
        if ((rows.scores < low) | (rows.scores > high)).any():
            raise rows_changed()
        return ArrayReader(rows, engine_for(passes, rows.scores.size), wanted)

    @read_errors()
    def _fetch(self, wanted: ScoreIntervals) -> _FetchedRows:
        """Return the rows in intervals."""
        found = list(self._find_rows(wanted))
        if not found:
            raise rows_changed()  # the survey found rows
        columns = {name: np.concatenate([each[name] for each in found]) for name in found[0]}
        series = wanted.series[_check_numbers(columns["owner"]).astype(np.int64)]
        units = columns.get(UNITS, np.ones(series.size)).astype(np.int64)
        hits = np.where(columns[POSITIVE].astype(bool), units, 0)
        return _FetchedRows(series, _check_numbers(columns[SCORE]), units, hits)

    def _count_buckets(self, layout: BucketLayout) -> CountedCells:
        """Count all rows in buckets."""
        return self._count([self._rows(frame, layout) for frame in self.table.frames])

    def _count_pieces(self, wanted: ScoreIntervals, cut: Cut) -> CountedCells:
        """Count the rows in pieces of intervals."""
        spread = {ALONG: nw.col(SCORE)} if cut.by_magnitude.any() else {}
        piece = cut_bucket(nw.col(SCORE), nw.col(ALONG), cut, nw.col)
        rows = [with_magnitudes(each, spread) for each in self._rows_within(wanted, cut)]
        return self._count([each.with_columns(piece.alias(CELL)) for each in rows])

    def _find_rows(self, wanted: ScoreIntervals) -> Iterator[dict[str, AnyArray]]:
        """Yield the rows in intervals; `owner` is the interval."""
        for rows in self._rows_within(wanted, None):
            yield collect(rows.select("owner", SCORE, *self._count_columns))

    @property
    def _knot_sets(self) -> int:
        """How many sets of knots to try; Spark compiles long queries badly."""
        spark = any(frame.implementation.is_spark_like() for frame in self.table.frames)
        return 2 if spark else 3

    def _sample(self) -> tuple[list[FloatArray], FloatArray, FloatArray]:
        """Return some scores of each classifier, and between which ends all are cut."""
        columns = [score_column(index) for index in range(len(self.table.names))]
        heads = [
            collect(self.table.rows(frame).select(*columns).head(SAMPLE))
            for frame in self.table.frames
        ]
        scores = [np.concatenate([head[column] for head in heads]) for column in columns]
        return scores, self.survey.low, self.survey.high

    def _rows(self, frame: Frame, layout: BucketLayout | None) -> Frame:
        """Return rows in long form: bucket (or series), score, label and units."""
        rows = self.weighted_rows(frame)
        if layout is not None:
            rows = with_magnitudes(rows, self._wide_scores(layout))
        same = {name: nw.col(name) for name in self._count_columns}
        parts = []
        for index in layout.grids if layout is not None else range(len(self.table.names)):
            score = nw.col(score_column(index))
            if layout is None:
                first, number = nw.lit(index).cast(nw.Int64), len(self.table.names)
            else:
                covered, number = bool(self.survey.bounded[index]), layout.span
                grid, base = layout.grids[index], layout.base[index]
                first = grid_bucket(score, nw.col(_along(index)), grid, base, covered=covered)
            cell = nw.col(GROUP) * number + first if self.table.by else first
            parts.append({SCORE: score, CELL: cell, **same})
        return long_form(rows, parts)

    def _wide_scores(self, layout: BucketLayout) -> dict[str, nw.Expr]:
        """Return scores whose magnitudes are needed."""
        return {
            _along(index): clip_to_grid(
                nw.col(score_column(index)), grid, covered=bool(self.survey.bounded[index])
            )
            for index, grid in layout.grids.items()
            if grid.cut.by_magnitude.any()
        }

    @property
    def _count_columns(self) -> tuple[str, ...]:
        return (POSITIVE, UNITS) if self.table.is_weighted else (POSITIVE,)

    def weighted_rows(self, frame: Frame) -> Frame:
        """Return a frame's rows with groups, and weights in units."""
        rows = self._with_groups(self.table.rows(frame), frame)
        return rows.with_columns(self._units().alias(UNITS)) if self.table.is_weighted else rows

    def check_totals(self, group: int, negatives: int, positives: int) -> None:
        """Refuse class totals that differ from the survey's.

        The survey added weights as doubles, before they were rounded to units.
        """
        found, counts = self.survey, (negatives, positives)
        rows, hits = int(found.rows[group]), int(found.positives[group])
        same = all(counts) or not found.both_classes
        if self.table.is_weighted:
            weights = [math.ldexp(units, found.exponents[group]) for units in counts]
            rounding = math.ldexp(rows / 2, found.exponents[group]) if found.rounded[group] else 0
            same &= np.allclose(weights, found.weights[group], rtol=1e-6, atol=rounding)
        else:
            same &= counts == (rows - hits, hits)
        if not same:
            raise rows_changed()

    def _with_groups(self, rows: Frame, frame: Frame) -> Frame:
        """Add group numbers and units of weights."""
        if not self.table.by:
            return rows
        names = self.table.row_groups
        keys = zip(names, zip(*self.survey.groups, strict=True), strict=True)
        columns: dict[str, Any] = {name: list(key) for name, key in keys}
        columns[GROUP] = np.arange(len(self.survey.groups), dtype=np.int64)
        if self.table.is_weighted:
            exponents = np.array(self.survey.exponents)
            columns[HALF] = np.ldexp(1.0, -exponents // 2)
            columns[REST] = np.ldexp(1.0, -exponents - -exponents // 2)
        small, kinds = small_table(columns, frame), rows.collect_schema()
        own = small.collect_schema()
        other = [nw.col(name).cast(kinds[name]) for name in names if own[name] != kinds[name]]
        return rows.join(small.with_columns(*other) if other else small, on=names, how="inner")

    def _units(self) -> nw.Expr:
        """Return weights in units, rounded half to even as `kernels.counting` does.

        The factor is applied in two halves; doubles may not hold it.
        """
        if self.table.by:
            units = nw.col(WEIGHT) * nw.col(HALF) * nw.col(REST)
        else:
            exponent = -self.survey.exponents[0]
            half = exponent // 2
            units = nw.col(WEIGHT) * math.ldexp(1.0, half) * math.ldexp(1.0, exponent - half)
        # adding 2^52 rounds half to even in every engine
        rounded = nw.when(units < 2.0**52).then((units + 2.0**52) - 2.0**52).otherwise(units)
        return rounded.cast(nw.Int64)

    def _rows_within(self, wanted: ScoreIntervals, cut: Cut | None) -> list[Frame]:
        """Return the rows in intervals, each with its interval and cut.

        Buckets only narrow down which intervals a score is compared with.
        """
        layout, columns = self.locate(wanted)
        which = columns["owner"]
        columns |= {"low": wanted.low[which], "high": wanted.high[which]}
        if cut is not None:
            columns |= {name: each[which] for name, each in cut._asdict().items()}
        between = (nw.col(SCORE) >= nw.col("low")) & (nw.col(SCORE) <= nw.col("high"))
        return [
            self._rows(frame, layout)
            .join(small_table(columns, frame), on=CELL, how="inner")
            .filter(between)
            for frame in self.table.frames
        ]

    def locate(self, wanted: ScoreIntervals) -> tuple[BucketLayout, dict[str, IntArray]]:
        """Return buckets for intervals, and which intervals overlap each."""
        classifiers, groups = len(self.table.names), len(self.survey.groups)
        group, classifier = np.divmod(wanted.series, classifiers)
        grids = {}
        for index in np.unique(classifier).tolist():
            mine = classifier == index
            ends = np.concatenate((wanted.low[mine], wanted.high[mine]))
            low, high = float(self.survey.low[index]), float(self.survey.high[index])
            number = max(2, min(PLACES * ends.size // groups, MOST_PLACES // self.series_count))
            grids[index] = advised_grid(ends, low, high, number, even=CROWDED, sets=self._knot_sets)
        layout = BucketLayout.of(grids)
        first, last = np.empty((2, wanted.low.size), dtype=np.int64)
        for index, grid in grids.items():
            mine = classifier == index
            base = layout.base[index] + group[mine] * layout.span
            first[mine] = grid_buckets(wanted.low[mine], grid) + base
            last[mine] = grid_buckets(wanted.high[mine], grid) + base
        owner, cell = _ranges(first, last - first + 1)
        return layout, {CELL: cell, "owner": owner}

    def _count(self, queries: Sequence[Frame], *, by_score: bool = False) -> CountedCells:
        """Run the group-by of each frame, by bucket and perhaps score, and add up the counts.

        Without weights, positives are counted as values, which is faster than adding them.
        """
        positive = nw.when(nw.col(POSITIVE))
        if self.table.is_weighted:
            hits = positive.then(nw.col(UNITS)).otherwise(nw.lit(0)).cast(nw.Int64)
            sums = {"rows": nw.len(), UNITS: nw.col(UNITS).sum(), HITS: nw.col(HITS).sum()}
        else:
            hits = positive.then(1)
            sums = {"rows": nw.len(), HITS: nw.col(HITS).count()}
        whole, keys = nw.col(*sums).cast(nw.Int64), [CELL, SCORE] if by_score else [CELL]
        if not by_score:
            sums |= {"low": nw.col(SCORE).min(), "high": nw.col(SCORE).max()}
        found = [
            collect(
                query.with_columns(hits.alias(HITS)).group_by(*keys).agg(**sums).with_columns(whole)
            )
            for query in queries
        ]
        columns = {name: np.concatenate([each[name] for each in found]) for name in found[0]}
        low, high = (columns[SCORE if by_score else end] for end in ("low", "high"))
        counts = [columns["rows"], columns.get(UNITS, columns["rows"]), columns[HITS]]
        owner = _check_numbers(columns[CELL]).astype(np.int64)
        return _sum_cells(owner, _check_numbers(low), high, counts, by_score=by_score)


def _check_numbers(column: AnyArray) -> AnyArray:
    """Refuse missing numbers; the survey found none."""
    if column.dtype.kind not in "iuf" or np.isnan(column).any():
        raise rows_changed()
    return column


def _along(classifier: int) -> str:
    return f"{ALONG}_{classifier}"


def _sum_cells(
    owner: IntArray,
    low: FloatArray,
    high: FloatArray,
    counts: Sequence[IntArray],
    *,
    by_score: bool,
) -> CountedCells:
    """Add up counts of the same owner and, if wanted, score.

    `counts` are rows, units and units of positives.
    """
    order = np.argsort(low) if by_score else np.arange(owner.size)
    short = owner[order].astype(np.min_scalar_type(owner.max(initial=0)))  # sorts faster
    order = order[np.argsort(short, kind="stable")]
    owner, low, high = owner[order], low[order] + 0.0, high[order] + 0.0
    if not owner.size:
        return CountedCells(owner, owner, low, high, owner, owner, owner)
    new = owner[1:] != owner[:-1]
    if by_score:
        new |= low[1:] != low[:-1]
    first = np.flatnonzero(np.concatenate(([True], new)))
    rows, units, hits = (np.add.reduceat(column[order], first) for column in counts)
    low, high = np.minimum.reduceat(low, first), np.maximum.reduceat(high, first)
    owner = owner[first]
    piece = np.full(first.size, NO_PIECE) if by_score else owner
    return CountedCells(owner, piece, low, high, rows, units - hits, hits, order.size)


# The same passes over rows in this process. DuckDB's rows cost nothing to move, and counting them
# into arrays is faster than its group-by, whose hash tables leave the processor's cache. Rows of
# any engine that fit into memory are cut here without further passes.


class _FetchedRows(NamedTuple):
    """Rows with their series, weights, and weights as positives."""

    series: IntArray
    scores: FloatArray
    units: IntArray
    hits: IntArray


class _Batch(NamedTuple):
    classifier: int
    group: IntArray | None
    scores: FloatArray
    positive: BoolArray

    def buckets(self, layout: BucketLayout, engine: ModuleType) -> IntArray:
        place: IntArray = engine.grid_buckets(self.scores, layout.grids[self.classifier])
        place += layout.base[self.classifier]
        if self.group is not None:
            place += self.group * layout.span
        return place


class _MissingScores(Exception):  # noqa: N818 - no error yet
    """Scores that no survey has read are missing."""


class StreamReader(Reader):
    """Reads frames of DuckDB batch by batch; rows have no weights."""

    __slots__ = ()

    @staticmethod
    def can_read(table: ScoreTable) -> bool:
        """Whether this can read a table."""
        # tallies are doubles, too short for counts of weights
        is_duckdb = all(frame.implementation.is_duckdb() for frame in table.frames)
        return is_duckdb and not table.is_weighted

    def cut_all(self, buckets: float, most: float) -> CountedCells:
        """Count all rows; find between which ends scores lie if the survey did not read them."""
        if self.knows_scores:
            return super().cut_all(buckets, most)
        try:
            counted = super().cut_all(buckets, most)
        except _MissingScores:
            self.read_scores()  # says what is wrong with them
            raise rows_changed() from None
        grids = self.layout.grids.values() if self.layout is not None else ()
        low, high = np.array([(grid.low, grid.high) for grid in grids]).T
        finite = np.isfinite(counted.low) & np.isfinite(counted.high)
        classifier = counted.series[finite] % len(self.table.names)
        np.minimum.at(low, classifier, counted.low[finite])
        np.maximum.at(high, classifier, counted.high[finite])
        self.survey = replace(self.survey, low=low, high=high)
        return counted

    def _sample(self) -> tuple[list[FloatArray], FloatArray, FloatArray]:
        scores, low, high = super()._sample()
        if not self.knows_scores:  # outer buckets hold what lies beyond the sample
            finite = [each[np.isfinite(each)] for each in scores]
            low = np.array([each.min() if each.size else 0.0 for each in finite])
            high = np.array([each.max() if each.size else 0.0 for each in finite])
        return scores, low, high

    def _count_buckets(self, layout: BucketLayout) -> CountedCells:
        engine, tallies = self._engine, empty_tallies(layout.span * len(self.survey.groups))

        def count(batch: _Batch) -> None:
            engine.add_rows(tallies, batch.buckets(layout, engine), batch.scores, batch.positive)

        for _ in self._for_each(layout, count):
            pass
        return _counted(tallies)

    def _count_pieces(self, wanted: ScoreIntervals, cut: Cut) -> CountedCells:
        tallies = empty_tallies(int(buckets_of(wanted.high, cut).max()) + 1)
        for rows in self._find_rows(wanted):
            piece = buckets_of(rows[SCORE], cut.take(rows["owner"]))
            self._engine.add_rows(tallies, piece, rows[SCORE], rows[POSITIVE])
        return _counted(tallies)

    @property
    def _engine(self) -> ModuleType:
        """The counting loops, compiled for many scores."""
        return engine_for(passes, TALLY * int(self.survey.rows.sum()) * len(self.table.names))

    def _for_each(self, layout: BucketLayout, job: Callable[[_Batch], T]) -> Iterator[T]:
        """Read all rows in batches, and run a job on each used classifier in parallel."""
        scores = {index: score_column(index) for index in layout.grids}
        groups = [GROUP] if self.table.by else []
        with ThreadPoolExecutor(min(len(scores), os.cpu_count() or 1)) as pool:
            for frame in self.table.frames:
                label = self._label(frame)
                query = self.weighted_rows(frame).select(*scores.values(), *groups, label)
                size = min(BATCH, 1 + SCORES // len(scores))
                with closing(_record_batches(query, size)) as batches:
                    for batch in batches:
                        rows = {
                            name: batch[name].to_numpy(zero_copy_only=False)
                            for name in batch.schema.names
                        }
                        absent = any(column.null_count for column in batch.columns)
                        absent |= any(
                            np.isnan(rows[name].min(initial=np.inf)) for name in scores.values()
                        )
                        if absent:
                            raise rows_changed() if self.knows_scores else _MissingScores
                        positive, group = rows[label] > 0, rows.get(GROUP)
                        parts = [
                            _Batch(i, group, rows[name], positive) for i, name in scores.items()
                        ]
                        yield from pool.map(job, parts)

    def _label(self, frame: Frame) -> str:
        """Return a column that is above 0 for positives."""
        columns = self.table.columns
        whole = frame.collect_schema()[columns.label].is_integer()
        return LABEL if whole and columns.pos_label is None else POSITIVE

    def fetch(self, wanted: ScoreIntervals) -> ArrayReader:
        """Copy the rows in intervals into memory; see whether these are buckets."""
        if self.layout is None or (wanted.piece < 0).any():
            return super().fetch(wanted)
        engine, layout = self._engine, self.layout
        interval_of = np.full(layout.span * len(self.survey.groups), -1, dtype=np.int32)
        interval_of[wanted.piece] = np.arange(wanted.piece.size)
        sought = interval_of >= 0

        def take(batch: _Batch) -> Rows:
            piece = batch.buckets(layout, engine)
            some = engine.find_marked(piece, sought)
            return Rows(batch.scores[some], batch.positive[some], interval_of[piece[some]])

        with read_errors():
            parts = list(self._for_each(layout, take))
        if not parts:
            raise rows_changed()  # the survey found rows
        return self._in_memory(Rows(*map(np.concatenate, zip(*parts, strict=True))), wanted)

    def _find_rows(self, wanted: ScoreIntervals) -> Iterator[dict[str, AnyArray]]:
        layout, columns = self.locate(wanted)
        order = np.argsort(columns[CELL], kind="stable")
        owners = columns["owner"][order]
        cells = np.arange(layout.span * len(self.survey.groups) + 1)
        ends = np.searchsorted(columns[CELL][order], cells)
        reach = np.diff(ends)
        engine, sought = self._engine, reach > 0

        def search(batch: _Batch) -> dict[str, AnyArray]:
            cell = batch.buckets(layout, engine)
            near = engine.find_marked(cell, sought)
            cell = cell[near]
            which, row = _ranges(ends[cell], reach[cell])
            owner, row = owners[row], near[which]
            score = batch.scores[row]
            inside = (wanted.low[owner] <= score) & (score <= wanted.high[owner])
            positive = batch.positive[row[inside]]
            return {"owner": owner[inside], SCORE: score[inside], POSITIVE: positive}

        return self._for_each(layout, search)


def _ranges(first: IntArray, length: IntArray) -> tuple[IntArray, IntArray]:
    """Return the numbers of ranges, each with its range."""
    which = np.repeat(np.arange(length.size), length)
    return which, np.arange(which.size) + (first - np.cumsum(length) + length)[which]


def _record_batches(query: Frame, rows: int) -> Generator[Any, None, None]:
    """Run a query and prepare batches in the background; it ends when this is closed."""
    native = query.to_native()
    read = getattr(native, "to_arrow_reader", None) or native.fetch_arrow_reader
    with read(rows) as reader, ThreadPoolExecutor(1) as pool:
        batches = iter(reader)
        coming = deque(pool.submit(next, batches, None) for _ in range(AHEAD))
        while (batch := coming.popleft().result()) is not None:
            coming.append(pool.submit(next, batches, None))
            yield batch


def _counted(tallies: FloatArray) -> CountedCells:
    counted = CountedCells.of(tallies)
    return counted._replace(moved=counted.piece.size)
