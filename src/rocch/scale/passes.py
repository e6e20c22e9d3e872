"""The passes over a table: one group-by query each, for all classifiers and groups at once."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import narwhals as nw
import numpy as np

from rocch.arrays import AnyArray, BoolArray, FloatArray, IntArray
from rocch.errors import InputError
from rocch.kernels.refine import (
    SMALLEST_EXPONENT,
    Cut,
    CutGrid,
    advised_grid,
    cut_intervals,
    grid_buckets,
)
from rocch.scale.frame import (
    POSITIVE,
    WEIGHT,
    collected,
    group_column,
    long_form,
    reading,
    score_column,
    small_table,
)
from rocch.scale.survey import Survey

if TYPE_CHECKING:
    from rocch.scale.frame import Frame, ScoreTable


# --- The buckets of `kernels.refine` as expressions that every engine evaluates alike -------------


def with_magnitudes(frame: Frame, scores: Mapping[str, nw.Expr]) -> Frame:
    """Add columns with positions along the magnitude, by their names; scores must be finite.

    See `kernels.refine.magnitudes`. The logarithm finds the power of two below, give or take one,
    and a comparison puts it right, so the result does not depend on how an engine rounds
    logarithms. Each step has a column of its own: engines that compile their queries would repeat
    a long expression wherever it occurs.
    """
    if not scores:
        return frame
    return (
        frame.with_columns(**scores)
        .with_columns(**{_step(SIZE, name): _size(nw.col(name)) for name in scores})
        .with_columns(**{_step(GUESS, name): _guess(nw.col(_step(SIZE, name))) for name in scores})
        .with_columns(
            **{_step(POWER, name): nw.lit(2.0) ** nw.col(_step(GUESS, name)) for name in scores}
        )
        .with_columns(**{name: _magnitude(name) for name in scores})
    )


SIZE, GUESS, POWER = "size", "guess", "power"


def _step(step: str, name: str) -> str:
    return f"{step}_{name}"


def _size(score: nw.Expr) -> nw.Expr:
    return _either(score == 0, nw.lit(1.0), score.abs())


def _guess(size: nw.Expr) -> nw.Expr:
    """Return the exponent of two below, or one beside it; the power of it must be a double."""
    return size.log(2).floor().clip(-1074, 1023)


def _magnitude(name: str) -> nw.Expr:
    score = nw.col(name)
    size, guess, power = (nw.col(_step(step, name)) for step in (SIZE, GUESS, POWER))
    above = guess + SMALLEST_EXPONENT - 1
    place = _either(
        size < power,
        above - 1 + size / (power / 2),
        _either(size >= power * 2, above + 1 + size / (power * 2), above + size / power),
    )
    return _either(score > 0, place, _either(score < 0, place * -1, nw.lit(0.0)))


def bucket(position: nw.Expr, factors: Sequence[nw.Expr], shift: nw.Expr) -> nw.Expr:
    """Return the bucket of a position: multiplied by factors one after the other, then shifted."""
    for factor in factors:
        position = position * factor
    return position.floor().cast(nw.Int64) + shift


def inside(score: nw.Expr, grid: CutGrid, *, covered: bool) -> nw.Expr:
    """Return a score, or the end of the grid that it lies beyond unless the grid covers it."""
    return score if covered else score.clip(grid.low, grid.high)


def grid_bucket(
    score: nw.Expr, along: nw.Expr, grid: CutGrid, base: int = 0, *, covered: bool = False
) -> nw.Expr:
    """Return the bucket of a score in a grid.

    Parameters
    ----------
    along
        The position of the score (of an end of the grid if it lies beyond) along the magnitude.
    base
        The number at which to begin to count.
    covered
        Whether all scores lie in the grid.
    """
    inner = inside(score, grid, covered=covered)
    knots, cut = grid.knots.tolist(), grid.cut
    position = inner
    if cut.by_magnitude.all():
        position = along
    elif cut.by_magnitude.any():
        wide = _by_region(inner, knots, cut.by_magnitude.astype(float).tolist()) > 0
        position = _either(wide, along, inner)
    factors = [_by_region(inner, knots, cut.factor.tolist())]
    if (cut.pre != 1).any():
        factors.insert(0, _by_region(inner, knots, cut.pre.tolist()))
    place = bucket(position, factors, _by_region(inner, knots, (cut.shift + base).tolist()))
    if covered:
        return place
    last = _either(score > grid.high, nw.lit(grid.buckets - 1 + base), place)
    return _either(score < grid.low, nw.lit(base), last)


def _either(condition: nw.Expr, yes: nw.Expr, no: nw.Expr) -> nw.Expr:
    return nw.when(condition).then(yes).otherwise(no)


def _by_region(score: nw.Expr, knots: list[float], values: list[float] | list[int]) -> nw.Expr:
    """Return a region's value: one comparison for each halving of the regions."""
    if not knots or all(value == values[0] for value in values):
        return nw.lit(values[0])
    middle = len(knots) // 2
    below = _by_region(score, knots[:middle], values[: middle + 1])
    above = _by_region(score, knots[middle + 1 :], values[middle + 1 :])
    return _either(score < knots[middle], below, above)


# --- The passes over a table: one group-by query each, for all classifiers and groups at once -----
#
# A *strand* is one classifier in one group; it has a hull of its own. Each pass gives cells:
# counts, with the least and the greatest score that occurs in them.

SAMPLE = 2**14
"""So many rows from the head of a table advise how to cut; a poor sample costs a pass."""

PLACES, MOST_PLACES = 16, 2**22
"""So many buckets for each end serve to find the intervals asked for, and so many in all."""

CROWDED = 32.0
"""Intervals may lie so much closer together than evenly before the places follow them."""

SCORE, CELL, GROUP, UNITS, HITS = "score", "cell", "group", "units", "hits"
ALONG = "along"
HALF, REST = "unit_half", "unit_rest"


class Intervals(NamedTuple):
    """Intervals of scores in strands."""

    strand: IntArray
    low: FloatArray
    high: FloatArray
    follows: BoolArray | None = None
    """Whether no score lies between an interval and the one before it, if that is known."""


class Counted(NamedTuple):
    """Cells that a pass has found: where they lie, and what they hold."""

    owner: IntArray
    """The strand, or the interval that was cut."""
    low: FloatArray
    high: FloatArray
    rows: IntArray
    negatives: IntArray
    positives: IntArray
    moved: int = 0
    """How many groups or rows came from the engine."""

    def taken(self, which: IntArray) -> Counted:
        """Return some of the cells."""
        columns: list[Any] = [column[which] for column in self[:-1]]
        return Counted(*columns)._replace(moved=self.moved)

    @classmethod
    def joined(cls, parts: Sequence[Counted]) -> Counted:
        """Return the cells of several parts."""
        columns: list[Any] = [
            np.concatenate(each) for each in zip(*(part[:-1] for part in parts), strict=True)
        ]
        return cls(*columns)._replace(moved=sum(part.moved for part in parts))


class ByStrand(NamedTuple):
    """What a pass has found in each strand."""

    parts: list[Counted]
    moved: int


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads a table that was surveyed."""

    table: ScoreTable
    survey: Survey

    @property
    def strands(self) -> int:
        """The number of classifiers times that of groups."""
        return len(self.table.names) * len(self.survey.groups)

    @reading()
    def cut_all(self, buckets: float, most: float) -> ByStrand:
        """Count all rows in about so many buckets per classifier (and group)."""
        ends = zip(self.survey.low.tolist(), self.survey.high.tolist(), strict=True)
        grids = [
            advised_grid(scores, low, high, buckets, most, sets=self._sets)
            for scores, (low, high) in zip(self._sample(), ends, strict=True)
        ]
        return self.count_places(Places.of(grids))

    @reading()
    def cut(self, wanted: Intervals, pieces: FloatArray, along: BoolArray) -> Counted:
        """Cut intervals, each into about so many pieces; `owner` is the interval."""
        cut, starts = cut_intervals(wanted.low, wanted.high, pieces, by_magnitude=along)
        counted = self.count_pieces(wanted, cut)
        owner = np.searchsorted(starts, counted.owner, side="right") - 1
        return counted._replace(owner=owner)

    @reading()
    def scores_within(self, wanted: Intervals) -> Counted:
        """Count every distinct score in intervals; `owner` is the interval.

        These are the few rows that may matter, so they are fetched as they are: to group them
        would cost an engine more than the rows weigh. Of neighboring intervals only the outer
        ends are asked for.
        """
        runs = runs_of(wanted)
        columns = self.fetch(runs)
        rows = np.ones(columns["owner"].size, dtype=np.int64)
        units = columns.get(UNITS, rows).astype(np.int64)
        hits = np.where(columns[POSITIVE].astype(bool), units, 0)
        score = columns[SCORE]
        counted = _grouped(columns["owner"], score, score, [rows, units, hits], 2)
        return counted._replace(owner=_owners(wanted, runs.strand[counted.owner], counted.low))

    def count_places(self, places: Places) -> ByStrand:
        """Count all rows in buckets."""
        queries = [self._rows(frame, places) for frame in self.table.frames]
        counted = self._counted(queries, CELL)
        group, place = np.divmod(counted.owner, places.span)
        classifier = np.searchsorted(places.base, place, side="right") - 1
        owner = group * len(places.grids) + classifier
        return self._by_strand(counted._replace(owner=owner))

    def count_pieces(self, wanted: Intervals, cut: Cut) -> Counted:
        """Count the rows in intervals that are cut; `owner` is the piece."""
        spread = {ALONG: nw.col(SCORE)} if cut.by_magnitude.any() else {}
        queries = [
            with_magnitudes(rows, spread).with_columns(**{CELL: _piece(cut)})
            for rows in self._within(wanted, cut)
        ]
        return self._counted(queries, CELL)

    def fetch(self, wanted: Intervals) -> dict[str, AnyArray]:
        """Return the rows in intervals as they are; `owner` is the interval."""
        names = ["owner", SCORE, *self._counts]
        found = [collected(query.select(*names)) for query in self._within(wanted, None)]
        return {name: np.concatenate([each[name] for each in found]) for name in names}

    @reading()
    def all_scores(self) -> ByStrand:
        """Count every distinct score."""
        queries = [self._rows(frame, None) for frame in self.table.frames]
        return self._by_strand(self._counted(queries, CELL, SCORE))

    def _by_strand(self, counted: Counted) -> ByStrand:
        """Part what was counted, if its owners are strands."""
        parts = [counted.taken(mine) for mine in parted(counted.owner, self.strands)]
        return ByStrand(parts, counted.moved)

    @property
    def _sets(self) -> int:
        """How many sets of knots may be tried: Spark compiles each query, and long ones badly."""
        spark = any(frame.implementation.is_spark_like() for frame in self.table.frames)
        return 2 if spark else 3

    def _sample(self) -> list[FloatArray]:
        """Return a few scores of each classifier."""
        columns = [score_column(index) for index in range(len(self.table.names))]
        heads = [
            collected(self.table.rows(frame).select(*columns).head(SAMPLE))
            for frame in self.table.frames
        ]
        return [np.concatenate([head[column] for head in heads]) for column in columns]

    def _rows(self, frame: Frame, places: Places | None) -> Frame:
        """Return rows in long form: the place (or strand), the score, units and units of hits."""
        rows = self.weighed(frame)
        if places is not None:
            rows = with_magnitudes(rows, self._spread(places))
        same = {name: nw.col(name) for name in self._counts}
        parts = []
        for index in range(len(self.table.names)):
            score = nw.col(score_column(index))
            if places is None:
                strand = nw.lit(index).cast(nw.Int64)
                cell = nw.col(GROUP) * len(self.table.names) + index if self.table.by else strand
                parts.append({SCORE: score, CELL: cell, **same})
            elif places.used[index]:
                place = grid_bucket(
                    score,
                    nw.col(_along(index)),
                    places.grids[index],
                    int(places.base[index]),
                    covered=bool(self.survey.bounded[index]),
                )
                cell = place + nw.col(GROUP) * places.span if self.table.by else place
                parts.append({SCORE: score, CELL: cell, **same})
        return long_form(rows, parts)

    def _spread(self, places: Places) -> dict[str, nw.Expr]:
        """Return the scores whose positions along the magnitude are wanted."""
        return {
            _along(index): inside(
                nw.col(score_column(index)), grid, covered=bool(self.survey.bounded[index])
            )
            for index, grid in enumerate(places.grids)
            if places.used[index] and grid.cut.by_magnitude.any()
        }

    @property
    def _counts(self) -> tuple[str, ...]:
        return (POSITIVE,) if self.table.weight is None else (POSITIVE, UNITS)

    def weighed(self, frame: Frame) -> Frame:
        """Return a frame's rows with what they weigh in whole units, if they have weights."""
        rows = self._grouped(self.table.rows(frame), frame)
        if self.table.weight is None:
            return rows
        return rows.with_columns(self._units().alias(UNITS))

    def check_totals(self, group: int, negatives: int, positives: int) -> None:
        """Refuse a group whose classes are not as large as when they were surveyed.

        Weights were added up in doubles then, and may have been rounded since, each to a unit.
        """
        found, counts = self.survey, (negatives, positives)
        rows, hits = int(found.rows[group]), int(found.positives[group])
        same = all(counts) or not found.both_classes
        if self.table.weight is None:
            same &= counts == (rows - hits, hits)
        else:
            weights = [math.ldexp(units, found.exponents[group]) for units in counts]
            rounding = math.ldexp(rows / 2, found.exponents[group]) if found.rounded[group] else 0
            same &= np.allclose(weights, found.weights[group], rtol=1e-6, atol=rounding)
        if not same:
            raise changed()

    def _grouped(self, rows: Frame, frame: Frame) -> Frame:
        """Give each row the number of its group, and the unit of its weights."""
        if not self.table.by:
            return rows
        names = [group_column(index) for index in range(len(self.table.by))]
        keys = zip(names, zip(*self.survey.groups, strict=True), strict=True)
        columns: dict[str, Any] = {name: list(key) for name, key in keys}
        columns[GROUP] = np.arange(len(self.survey.groups), dtype=np.int64)
        if self.table.weight is not None:
            exponents = np.array(self.survey.exponents)
            columns[HALF] = np.ldexp(1.0, -exponents // 2)
            columns[REST] = np.ldexp(1.0, -exponents - -exponents // 2)
        small, kinds = small_table(columns, frame), rows.collect_schema()
        own = small.collect_schema()
        other = [nw.col(name).cast(kinds[name]) for name in names if own[name] != kinds[name]]
        return rows.join(small.with_columns(*other) if other else small, on=names, how="inner")

    def _units(self) -> nw.Expr:
        """Return weights as whole units, rounded half to even as `kernels.counting` does.

        The factor is applied in two halves, since doubles may not hold the whole.
        """
        if self.table.by:
            units = nw.col(WEIGHT) * nw.col(HALF) * nw.col(REST)
        else:
            exponent = -self.survey.exponents[0]
            half = exponent // 2
            units = nw.col(WEIGHT) * math.ldexp(1.0, half) * math.ldexp(1.0, exponent - half)
        # adding 2^52 leaves no bits for fractions, and every engine rounds that half to even
        rounded = nw.when(units < 2.0**52).then((units + 2.0**52) - 2.0**52).otherwise(units)
        return rounded.cast(nw.Int64)

    def _within(self, wanted: Intervals, cut: Cut | None) -> list[Frame]:
        """Return the rows in intervals, each with its interval (and how that is cut).

        Buckets serve only to narrow down which intervals a score is compared with.
        """
        places, columns = self.located(wanted)
        which = columns.pop("owner")
        columns |= {"owner": which, "low": wanted.low[which], "high": wanted.high[which]}
        if cut is not None:
            columns |= {name: each[which] for name, each in cut._asdict().items()}
        between = (nw.col(SCORE) >= nw.col("low")) & (nw.col(SCORE) <= nw.col("high"))
        return [
            self._rows(frame, places)
            .join(small_table(columns, frame), on=CELL, how="inner")
            .filter(between)
            for frame in self.table.frames
        ]

    def located(self, wanted: Intervals) -> tuple[Places, dict[str, IntArray]]:
        """Return places for intervals, and which intervals are to be looked for in which place."""
        classifiers, groups = len(self.table.names), len(self.survey.groups)
        grids, used = [], []
        for classifier in range(classifiers):
            mine = wanted.strand % classifiers == classifier
            ends = np.concatenate((wanted.low[mine], wanted.high[mine]))
            low, high = float(self.survey.low[classifier]), float(self.survey.high[classifier])
            number = max(2, min(PLACES * ends.size // groups, MOST_PLACES // self.strands))
            grids.append(advised_grid(ends, low, high, number, even=CROWDED, sets=self._sets))
            used.append(bool(ends.size))
        places = Places.of(grids, used)
        first, last = np.empty((2, wanted.low.size), dtype=np.int64)
        for classifier, grid in enumerate(grids):
            mine = wanted.strand % classifiers == classifier
            base = places.base[classifier] + wanted.strand[mine] // classifiers * places.span
            first[mine] = grid_buckets(wanted.low[mine], grid) + base
            last[mine] = grid_buckets(wanted.high[mine], grid) + base
        reach = last - first + 1
        owner = np.repeat(np.arange(reach.size), reach)
        step = np.arange(owner.size) - np.repeat(np.cumsum(reach) - reach, reach)
        return places, {CELL: first[owner] + step, "owner": owner}

    def _counted(self, queries: Sequence[Frame], *keys: str) -> Counted:
        """Run the group-bys, one for each frame, and add up what they give.

        Without weights there is a value for each positive row, and none for others: engines count
        values faster than they add numbers.
        """
        positive = nw.when(nw.col(POSITIVE))
        if self.table.weight is None:
            hits: nw.Expr = positive.then(1)
            sums = {"rows": nw.len(), HITS: nw.col(HITS).count()}
        else:
            hits = positive.then(nw.col(UNITS)).otherwise(nw.lit(0)).cast(nw.Int64)
            sums = {"rows": nw.len(), UNITS: nw.col(UNITS).sum(), HITS: nw.col(HITS).sum()}
        queries = [query.with_columns(hits.alias(HITS)) for query in queries]
        whole = list(sums)
        if SCORE not in keys:
            sums |= {"low": nw.col(SCORE).min(), "high": nw.col(SCORE).max()}
        found = [
            collected(query.group_by(*keys).agg(**sums).with_columns(nw.col(*whole).cast(nw.Int64)))
            for query in queries
        ]
        columns = {name: np.concatenate([each[name] for each in found]) for name in found[0]}
        low, high = (columns[name if name in columns else SCORE] for name in ("low", "high"))
        counts = [columns["rows"], columns.get(UNITS, columns["rows"]), columns[HITS]]
        return _grouped(columns[keys[0]], low, high, counts, len(keys))


def changed() -> InputError:
    """Say that a table gave other rows than before."""
    return InputError(
        "frame must hold the same rows in every pass; they changed in between. Write it to a file "
        "or a table first, or cache it, if it is drawn at random or is being written."
    )


def parted(owner: IntArray, owners: int) -> list[IntArray]:
    """Return the places where each owner is named."""
    order = np.argsort(owner, kind="stable")
    ends = np.searchsorted(owner[order], np.arange(owners + 1))
    return [order[start:end] for start, end in pairwise(ends.tolist())]


def as_sound(column: AnyArray) -> AnyArray:
    """Return numbers, of which the survey had seen that none is missing."""
    if column.dtype.kind not in "iuf" or np.isnan(column).any():
        raise changed()
    return column


class Places(NamedTuple):
    """A grid for each classifier; the buckets of all are numbered throughout."""

    grids: list[CutGrid]
    used: list[bool]
    """Whether any place of a classifier is asked for."""
    base: IntArray
    span: int

    @classmethod
    def of(cls, grids: list[CutGrid], used: list[bool] | None = None) -> Places:
        """Return the buckets of grids, numbered throughout."""
        ends = np.cumsum([0, *(grid.buckets for grid in grids)])
        every = [True] * len(grids)
        return cls(grids, used or every, ends[:-1], int(ends[-1]))


def runs_of(wanted: Intervals) -> Intervals:
    """Join intervals with those that follow them directly."""
    if wanted.follows is None:
        return wanted
    first = np.flatnonzero(~wanted.follows)
    last = np.append(first[1:], wanted.low.size) - 1
    return Intervals(wanted.strand[first], wanted.low[last], wanted.high[first])


def _owners(wanted: Intervals, strand: IntArray, score: FloatArray) -> IntArray:
    """Return the interval that each score of a strand lies in; a strand's come from high to low."""
    owner = np.empty(score.size, dtype=np.int64)
    strands = int(wanted.strand.max()) + 1
    for places, mine in zip(parted(wanted.strand, strands), parted(strand, strands), strict=True):
        below = np.searchsorted(-wanted.low[places], -score[mine])
        if (below == places.size).any() or (score[mine] > wanted.high[places[below]]).any():
            raise changed()
        owner[mine] = places[below]
    return owner


def _along(classifier: int) -> str:
    return f"{ALONG}_{classifier}"


def _piece(cut: Cut) -> nw.Expr:
    """Return the piece of a score's interval that it falls into."""
    position = nw.col(SCORE)
    if cut.by_magnitude.all():
        position = nw.col(ALONG)
    elif cut.by_magnitude.any():
        position = nw.when(nw.col("by_magnitude")).then(nw.col(ALONG)).otherwise(nw.col(SCORE))
    factors = [nw.col("factor")]
    if (cut.pre != 1).any():
        factors.insert(0, nw.col("pre"))
    return bucket(position, factors, nw.col("shift"))


def _grouped(
    owner: AnyArray, low: AnyArray, high: AnyArray, counts: Sequence[IntArray], keys: int
) -> Counted:
    """Add up what was counted in the same bucket, or (two keys) at the same score of an owner.

    `counts` are rows, units and units of positives.
    """
    owner, low = as_sound(owner).astype(np.int64), as_sound(low)
    order = np.argsort(owner, kind="stable") if keys == 1 else np.lexsort((low, owner))
    owner, low, high = owner[order], low[order] + 0.0, high[order] + 0.0
    new = owner[1:] != owner[:-1]
    if keys > 1:
        new |= low[1:] != low[:-1]
    first = np.flatnonzero(np.concatenate((np.ones(min(1, owner.size), dtype=bool), new)))
    if not owner.size:
        nothing = np.zeros(0, dtype=np.int64)
        return Counted(owner, low, high, nothing, nothing, nothing)
    rows, units, hits = (np.add.reduceat(column[order], first) for column in counts)
    low, high = np.minimum.reduceat(low, first), np.maximum.reduceat(high, first)
    return Counted(owner[first], low, high, rows, units - hits, hits, order.size)
