"""Exact hulls, AUCs, outlines and counts from frames of any engine."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np

from rocch.arrays import BoolArray, FloatArray, IntArray
from rocch.errors import InputError, describe_type, missing_column
from rocch.inputs import as_level, as_rate, is_number
from rocch.kernels.placements import (
    PlacementSums,
    cells_to_split,
    sums_inside,
    sums_of_some,
    unranked,
)
from rocch.kernels.refine import Cells, too_coarse
from rocch.roc.hull import RocHull
from rocch.roc.operating_point import ClassTotals, RocPoint, make_point
from rocch.scale.cells import CurveOutline, FrameAuc
from rocch.scale.frame import POSITIVE, ScoreTable, as_frames, collected, reading, score_column
from rocch.scale.passes import HITS, UNITS, Intervals, Reader
from rocch.scale.refine import MOST_BUCKETS, Refinery, Strand, Work, check_same, strand_of
from rocch.scale.summary import FrameSummary
from rocch.scale.survey import survey

# --- Exact hulls from frames of any engine --------------------------------------------------------


def hull_from_frame(
    frame: Any,
    *,
    label: str,
    scores: Any = None,
    pos_label: Any = None,
    weight: str | None = None,
    drop_nulls: bool = False,
    buckets: int | None = None,
    progress: Callable[[Work], object] | None = None,
) -> RocHull:
    """Build the joint hull of classifiers whose scores lie in a frame of any engine.

    The engine does the work, as a few group-by queries: labels are counted per bucket of scores,
    and only the buckets in which a vertex may hide are looked at more closely, until the hull is
    exact. It is the same hull that `RocHull.from_scores` builds from the same rows.

    Parameters
    ----------
    frame
        A DuckDB relation, a Spark, Polars, Dask or pandas data frame, an Arrow table, or a list of
        such, which count as one table. It must give the same rows each time it is read.
    label
        The column of labels: truth values, 0 and 1, -1 and 1, or anything else with `pos_label`.
    scores
        The columns of scores, higher for the positive class: a list of names, one name, or a
        mapping from names of classifiers to columns. By default all other numeric columns.
    pos_label
        The positive class; all other labels are negative.
    weight
        The column of weights, if there are any; see `RocCurve.from_scores`.
    drop_nulls
        Leave out rows with a null (or NaN) in any of these columns, for every classifier alike.
        Otherwise they are refused.
    buckets
        At most so many groups, or rows that may matter, are moved to the driver in one pass. Fewer
        cost passes, more cost memory; the hull is the same. By default these are 2^22, or 2^20 for
        each classifier and group where that is more, but no more than 2^24.
    progress
        Is told the `Work` done after each pass.

    Returns
    -------
    RocHull
        Without the rows: limits that are to be met without randomizing are met at its vertices.

    Raises
    ------
    InputError
        If a column is missing or cannot be used, or the rows change while they are read.

    Examples
    --------
    >>> import duckdb
    >>> import rocch
    >>> table = duckdb.sql(
    ...     "SELECT i % 3 = 0 AS y, sin(i * i) + (i % 3 = 0)::INT AS gbm FROM range(1000) t(i)"
    ... )
    >>> hull = rocch.scale.hull_from_frame(table, label="y", scores=["gbm"])
    >>> len(hull), round(hull.auc, 4)
    (4, 0.8739)
    """
    table = ScoreTable.of(
        frame,
        label=label,
        scores=scores,
        pos_label=pos_label,
        weight=weight,
        drop_nulls=drop_nulls,
    )
    return _exact(table, buckets, progress).hull()


def hulls_from_frame(
    frame: Any,
    *,
    by: str | Sequence[str],
    label: str,
    scores: Any = None,
    pos_label: Any = None,
    weight: str | None = None,
    drop_nulls: bool = False,
    buckets: int | None = None,
    progress: Callable[[Work], object] | None = None,
) -> dict[Any, RocHull]:
    """Build a hull for each group of rows, all in the same passes.

    Parameters
    ----------
    by
        The column whose values are the groups (texts, whole numbers, truth values or dates), or
        several columns.
    frame, label, scores, pos_label, weight, drop_nulls, buckets, progress
        As for `hull_from_frame`; `buckets` counts the groups of all hulls together.

    Returns
    -------
    dict
        The hull of each value of `by`, in their order; of each tuple of values, if `by` is a list.

    Examples
    --------
    >>> import polars as pl
    >>> import rocch
    >>> frame = pl.DataFrame({
    ...     "country": ["at", "at", "at", "ch", "ch", "ch"],
    ...     "y": [0, 1, 1, 0, 0, 1],
    ...     "gbm": [0.2, 0.1, 0.9, 0.3, 0.4, 0.8],
    ... })
    >>> hulls = rocch.scale.hulls_from_frame(frame, by="country", label="y", scores=["gbm"])
    >>> {country: round(hull.auc, 3) for country, hull in hulls.items()}
    {'at': 0.75, 'ch': 1.0}
    """
    if by is None:
        raise InputError("by", "name a column", "None", "For one hull use hull_from_frame.")
    table = ScoreTable.of(
        frame,
        label=label,
        scores=scores,
        pos_label=pos_label,
        weight=weight,
        by=by,
        drop_nulls=drop_nulls,
    )
    done = _exact(table, buckets, progress)
    return {group: done.hull(group) for group in done.groups}


def _exact(table: ScoreTable, buckets: int | None, progress: Any) -> FrameSummary:
    refinery = Refinery.of(table, buckets=buckets, progress=progress)
    refinery.begin()
    refinery.make_exact()
    return FrameSummary.of(refinery)


# --- Ranks every row of a table, lot by lot, and keeps only the sums of their placements ----------
#
# An AUC depends on the rank of every row, unlike a hull, so all scores that share a cell with
# scores of the other class have to be looked at. They are read in lots that the driver can hold,
# summed up and forgotten; the counts of the cells say what lies above and below each lot.


def placement_sums(refinery: Refinery) -> list[PlacementSums]:
    """Return the sums over all rows of each strand; begins and ends the refinery's passes."""
    refinery.begin(at_once=refinery.buckets)
    _cut_full(refinery)
    _cut_lopsided(refinery)
    sums = [
        sums_of_some(strand.cells, np.flatnonzero(~unranked(strand.cells)))
        for strand in refinery.strands
    ]
    for lot in _lots(refinery.strands, refinery.buckets):
        for number, more in _summed_up(refinery, lot):
            sums[number] = sums[number].plus(more)
    return sums


class _Lot(NamedTuple):
    """Unranked cells that are read in one pass: which, of which strands."""

    strand: IntArray
    cell: IntArray


def _lots(strands: list[Strand], most: int) -> Iterator[_Lot]:
    """Take all unranked cells in turn, in lots of at most so many rows."""
    cells = [np.flatnonzero(unranked(strand.cells)) for strand in strands]
    number = np.repeat(np.arange(len(strands)), [each.size for each in cells])
    cell = np.concatenate(cells)
    up_to = np.cumsum(np.concatenate([s.rows[c] for s, c in zip(strands, cells, strict=True)]))
    start = 0
    while start < cell.size:
        read = int(up_to[start - 1]) if start else 0
        end = int(np.searchsorted(up_to, read + most, side="right"))
        yield _Lot(number[start:end], cell[start:end])
        start = end


def _summed_up(refinery: Refinery, lot: _Lot) -> Iterator[tuple[int, PlacementSums]]:
    """Read a lot; return its sums for each strand."""
    wanted = _joint_intervals(refinery.strands, lot)
    counted = refinery.reader.scores_within(wanted)
    refinery.told(counted.moved)
    of = wanted.strand[counted.owner]
    for number in np.unique(lot.strand).tolist():
        strand, which = refinery.strands[number], lot.cell[lot.strand == number]
        scores = strand_of(counted.taken(np.flatnonzero(of == number)))
        check_same(strand, which, scores)
        yield number, sums_inside(strand.cells, which, scores.cells)


def _joint_intervals(strands: list[Strand], lot: _Lot) -> Intervals:
    """Return the intervals of a lot, neighbors as one: the fewer, the easier rows are matched."""
    follows = (np.diff(lot.strand) == 0) & (np.diff(lot.cell) == 1)
    first = np.concatenate(([True], ~follows))
    last = np.concatenate((~follows, [True]))
    strand = lot.strand[first]
    low, high = (_ends(strands, lot, edge) for edge in ("low", "high"))
    return Intervals(strand, low[last], high[first])


def _ends(strands: list[Strand], lot: _Lot, edge: str) -> FloatArray:
    ends = [
        getattr(strands[number].cells, edge)[lot.cell[lot.strand == number]]
        for number in np.unique(lot.strand).tolist()
    ]
    return np.concatenate(ends)


def _cut_full(refinery: Refinery) -> None:
    """Cut unranked cells until none has more rows than a lot may have."""
    depth = 0
    while True:
        chosen = [
            np.flatnonzero(unranked(strand.cells) & (strand.rows > refinery.buckets))
            for strand in refinery.strands
        ]
        if not any(each.size for each in chosen):
            return
        depth += 1
        _cut(refinery, chosen, depth)


def _cut_lopsided(refinery: Refinery) -> None:
    """Cut cells while that saves more passes than it takes, which it does where a class is rare.

    Most pieces of a cell then hold the other class only and need not be read. What a cut saves is
    an estimate beforehand; after one that has not paid there is no further one.
    """
    left = _rows_left(refinery)
    saved = left
    while saved > refinery.buckets:
        gains = [_gain(strand, left / refinery.buckets) for strand in refinery.strands]
        if sum(float(gain.sum()) for gain in gains) <= refinery.buckets:
            return
        _cut(refinery, [np.flatnonzero(gain) for gain in gains])
        left, before = _rows_left(refinery), left
        saved = before - left


def _gain(strand: Strand, rows_per_piece: float) -> FloatArray:
    """Estimate how many rows of each cell need not be read once it is cut.

    At worst each row of the rarer class lies in a piece of its own, with rows of the other.
    """
    negatives, positives = strand.cells.negatives, strand.cells.positives
    share = np.minimum(negatives, positives) / np.maximum(negatives + positives, 1)
    gain = strand.rows * np.maximum(1 - share * rows_per_piece, 0)
    return np.where(unranked(strand.cells), gain, 0.0)


def _rows_left(refinery: Refinery) -> int:
    return sum(int(strand.rows[unranked(strand.cells)].sum()) for strand in refinery.strands)


def _cut(refinery: Refinery, chosen: list[IntArray], depth: int = 1) -> None:
    refinery.split(chosen, depth)
    refinery.strands = [_joined(strand) for strand in refinery.strands]


def _joined(strand: Strand) -> Strand:
    """Join neighbors that hold the same class only, so that cells do not pile up from cut to cut.

    Rows of one class are not compared with each other.
    """
    high, low, negatives, positives = strand.cells
    kind = np.where(positives == 0, 0, np.where(negatives == 0, 1, 2))
    same = (kind[1:] == kind[:-1]) & (kind[1:] < 2)
    first = np.flatnonzero(np.concatenate(([True], ~same)))
    last = np.append(first[1:], high.size) - 1
    counts = (np.add.reduceat(column, first) for column in (negatives, positives))
    return Strand(Cells(high[first], low[last], *counts), np.add.reduceat(strand.rows, first))


# --- AUCs from frames of any engine: exact, or between bounds as close as is asked for ------------

BUCKETS_PER_WIDTH = 4
"""Cells of equal shares make a bracket at most as wide as one of them, but ours are not equal."""


def auc_from_frame(
    frame: Any,
    *,
    label: str,
    scores: Any = None,
    pos_label: Any = None,
    weight: str | None = None,
    drop_nulls: bool = False,
    width: float | None = None,
    buckets: int | None = None,
    progress: Callable[[Work], object] | None = None,
) -> dict[str, FrameAuc]:
    """Find the AUCs of classifiers whose scores lie in a frame of any engine.

    The exact AUC is that of `rocch.auc`, with DeLong's variance, to the last digit. It depends on
    the rank of every row, so scores are counted one by one, in lots of at most `buckets` rows: it
    takes about rows / `buckets` passes, fewer where a class is rare or scores are often equal. A
    bracket needs only the counts of some 4 / `width` buckets: two passes, seldom more.

    Parameters
    ----------
    width
        How far the bounds of an AUC may be apart; None asks for the exact AUC.
    buckets
        At most so many groups or rows are moved to the driver in one pass, those of all classifiers
        together. Fewer cost passes, more cost memory; an exact answer is the same. The default is
        that of `hull_from_frame`.
    frame, label, scores, pos_label, weight, drop_nulls, progress
        As for `hull_from_frame`. Weighted rows have an AUC but no variance.

    Returns
    -------
    dict
        The `FrameAuc` of each classifier; it says whether it is exact. Where a bracket was asked
        for, it may turn out narrower, or exact.

    Raises
    ------
    InputError
        If a column is missing or cannot be used, the width is no number between 0 and 1, or the
        rows change while they are read.

    Examples
    --------
    >>> import numpy as np
    >>> import polars as pl
    >>> import rocch
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(200_000) < 0.2
    >>> frame = pl.DataFrame({"y": y, "gbm": rng.normal(size=y.size) + y})
    >>> bracket = rocch.scale.auc_from_frame(frame, label="y", width=0.001)["gbm"]
    >>> bracket.exact, bracket.high - bracket.low <= 0.001
    (False, True)
    >>> exact = rocch.scale.auc_from_frame(frame, label="y")["gbm"]
    >>> exact.value == rocch.auc(y, frame["gbm"])
    True
    >>> print(exact)
    AUC 0.7597 (exact; 95 % interval 0.7571 to 0.7623)
    """
    if width is not None:
        width = as_level(width, "width", hint="Pass 0.001, for example, or None for the exact AUC.")
    table = ScoreTable.of(
        frame,
        label=label,
        scores=scores,
        pos_label=pos_label,
        weight=weight,
        drop_nulls=drop_nulls,
    )
    refinery = Refinery.of(table, buckets=buckets, progress=progress)
    # a bracket keeps cells, at least one for each width; ranking every row keeps none
    if width is None or len(table.names) / width > max(refinery.buckets, MOST_BUCKETS):
        found = _exact_areas(refinery)
    else:
        found = _bracketed(refinery, width)
    return dict(zip(table.names, found, strict=True))


def _exact_areas(refinery: Refinery) -> list[FrameAuc]:
    """Rank every row."""
    sums = placement_sums(refinery)
    return [
        FrameAuc.from_sums(each, _judged(refinery, strand))
        for each, strand in zip(sums, refinery.strands, strict=True)
    ]


def _bracketed(refinery: Refinery, width: float) -> list[FrameAuc]:
    """Count rows in buckets enough for a width, and cut those that widen a bracket most."""
    enough, reader = math.ceil(BUCKETS_PER_WIDTH / width), refinery.reader
    refinery.begin(rows_per_bucket=max(1, int(reader.survey.rows.sum()) // enough))
    refinery.buckets = min(refinery.buckets, enough * reader.strands)
    refinery.refine(lambda cells: _too_wide(cells, width))
    return [FrameAuc.of(strand.cells, _judged(refinery, strand)) for strand in refinery.strands]


def _too_wide(cells: Cells, width: float) -> BoolArray:
    chosen = np.zeros(cells.low.size, dtype=bool)
    chosen[cells_to_split(cells, width)] = True
    return chosen


def _judged(refinery: Refinery, strand: Strand) -> ClassTotals:
    """Return the totals of a strand, in units of weight if rows have weights."""
    negatives, positives = int(strand.cells.negatives.sum()), int(strand.cells.positives.sum())
    unit = math.ldexp(1.0, refinery.reader.survey.exponents[0])
    return ClassTotals(negatives, positives, unit, refinery.reader.table.weight is not None)


# --- Outlines of curves, and counts at chosen thresholds, from frames of any engine ---------------

FINER = 8
"""Outlines are begun with so many times the buckets that equal steps would need."""


def outlines_from_frame(
    frame: Any,
    *,
    label: str,
    scores: Any = None,
    pos_label: Any = None,
    weight: str | None = None,
    drop_nulls: bool = False,
    resolution: float = 0.001,
    buckets: int | None = None,
    progress: Callable[[Work], object] | None = None,
) -> dict[str, CurveOutline]:
    """Outline the curves of classifiers whose scores lie in a frame of any engine.

    Parameters
    ----------
    resolution
        How far neighboring points may be apart in FPR and in TPR. Where one score's ties alone
        are more, they are farther apart.
    frame, label, scores, pos_label, weight, drop_nulls, buckets, progress
        As for `hull_from_frame`.

    Returns
    -------
    dict
        The outline of each classifier.

    Examples
    --------
    >>> import duckdb
    >>> import rocch
    >>> table = duckdb.sql(
    ...     "SELECT i % 3 = 0 AS y, sin(i * i) + (i % 3 = 0)::INT AS gbm FROM range(1000) t(i)"
    ... )
    >>> outline = rocch.scale.outlines_from_frame(table, label="y", resolution=0.1)["gbm"]
    >>> len(outline), outline.resolution <= 0.1
    (18, True)
    """
    step = as_rate(resolution, "resolution")
    if not step:
        raise InputError("resolution", "be above 0", resolution, "Say how fine it must be.")
    table = ScoreTable.of(
        frame,
        label=label,
        scores=scores,
        pos_label=pos_label,
        weight=weight,
        drop_nulls=drop_nulls,
    )
    refinery = Refinery.of(table, buckets=buckets, progress=progress)
    rows = int(refinery.reader.survey.rows.sum())
    refinery.begin(rows_per_bucket=max(1, int(rows * step / FINER)))
    refinery.refine(lambda cells: too_coarse(cells, step))
    found = FrameSummary.of(refinery)
    return {name: found.outline(name, resolution=step) for name in found.classifiers}


def counts_from_frame(
    frame: Any,
    *,
    label: str,
    thresholds: Mapping[str, Sequence[float]],
    pos_label: Any = None,
    weight: str | None = None,
    drop_nulls: bool = False,
) -> dict[str, list[RocPoint]]:
    """Count at chosen thresholds how many rows of each class score at least as much.

    Two passes: one checks the rows, one counts them.

    Parameters
    ----------
    thresholds
        For each column of scores, the thresholds to count at.
    frame, label, pos_label, weight, drop_nulls
        As for `hull_from_frame`.

    Returns
    -------
    dict
        The ROC points of each classifier, in the order of its thresholds.

    Examples
    --------
    >>> import polars as pl
    >>> import rocch
    >>> frame = pl.DataFrame({"y": [0, 0, 1, 1], "gbm": [0.1, 0.4, 0.35, 0.8]})
    >>> points = rocch.scale.counts_from_frame(frame, label="y", thresholds={"gbm": [0.5, 0.3]})
    >>> [(point.false_positives, point.true_positives) for point in points["gbm"]]
    [(0, 1), (1, 2)]
    """
    asked = _as_thresholds(thresholds)
    for part in as_frames(frame):
        for name in asked:
            if name not in part.collect_schema():
                raise missing_column(name, part.collect_schema(), "thresholds")
    table = ScoreTable.of(
        frame,
        label=label,
        scores=list(asked),
        pos_label=pos_label,
        weight=weight,
        drop_nulls=drop_nulls,
    )
    reader = Reader(table, survey(table))
    counts = [_counted(reader, asked, part) for part in table.frames]
    total = {name: sum(int(count[name][0] or 0) for count in counts) for name in counts[0]}
    negatives = total[UNITS] - total[HITS]
    reader.check_totals(0, negatives, total[HITS])
    class_totals = ClassTotals(
        negatives, total[HITS], 2.0 ** reader.survey.exponents[0], weight is not None
    )
    return {
        name: [
            _point(class_totals, name, threshold, total[f"all_{i}_{j}"], total[f"hit_{i}_{j}"])
            for j, threshold in enumerate(values)
        ]
        for i, (name, values) in enumerate(asked.items())
    }


def _as_thresholds(thresholds: Any) -> dict[str, list[float]]:
    if not hasattr(thresholds, "items") or not thresholds:
        raise InputError(
            "thresholds",
            "map columns of scores to thresholds",
            describe_type(thresholds),
            'For example {"gbm": [0.5, 0.7]}.',
        )
    for name, values in thresholds.items():
        if isinstance(values, str) or not isinstance(values, Iterable):
            raise InputError(
                f"thresholds[{name!r}]", "be a list of numbers", repr(values), "Put it into a list."
            )
        for value in values:
            if not is_number(value):
                raise InputError(
                    f"thresholds[{name!r}]", "be numbers", repr(value), "Pass scores to count at."
                )
    return {name: [float(value) for value in values] for name, values in thresholds.items()}


@reading()
def _counted(reader: Reader, asked: Mapping[str, Sequence[float]], frame: Any) -> dict[str, Any]:
    """Count a frame's rows at all thresholds at once."""
    rows = reader.weighed(frame)
    sums = {UNITS: nw.col(UNITS), HITS: nw.col(HITS)}
    positive = nw.when(nw.col(POSITIVE))
    if reader.table.weight is not None:
        rows = rows.with_columns(positive.then(nw.col(UNITS)).otherwise(nw.lit(0)).alias(HITS))
    else:
        rows = rows.with_columns(nw.lit(1).alias(UNITS), positive.then(1).otherwise(0).alias(HITS))
    for i, values in enumerate(asked.values()):
        score = nw.col(score_column(i))
        for j, value in enumerate(values):
            for kind, units in (("all", UNITS), ("hit", HITS)):
                reached = nw.when(score >= value).then(nw.col(units)).otherwise(nw.lit(0))
                sums[f"{kind}_{i}_{j}"] = reached
    wide = rows.select(**sums)
    found = collected(wide.select(*(nw.col(name).sum() for name in sums)))
    return {name: np.asarray(column).tolist() for name, column in found.items()}


def _point(totals: ClassTotals, name: str, threshold: float, reached: int, hits: int) -> RocPoint:
    counts = reached - hits, hits
    rates = counts[0] / totals.negatives, counts[1] / totals.positives
    amounts = totals.amount(counts[0]), totals.amount(counts[1])
    return make_point(rates, amounts, [(name, threshold, threshold)])
