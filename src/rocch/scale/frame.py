"""Hulls, AUCs, curves and counts from frames of any engine and from Parquet files."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar, overload

import narwhals as nw
import numpy as np

from rocch.arrays import BoolArray, DataFrame, Label
from rocch.errors import Hint, InputError, format_list
from rocch.frames import library_of
from rocch.inputs import as_level, as_mapping, as_number, check_known, is_double, is_number
from rocch.kernels.cells import too_coarse
from rocch.kernels.exact import at_least
from rocch.kernels.placements import auc_bracket, cells_to_split
from rocch.kernels.refine import MOST_BUCKETS, ScoreSeries
from rocch.results import ByName
from rocch.roc.hull import RocHull
from rocch.roc.operating_point import ClassTotals, RocPoint, make_point
from rocch.rows import warn_of_reversed_scores
from rocch.scale.cells import CurveOutline, FrameAuc
from rocch.scale.engines import Frame, collect, read_errors
from rocch.scale.files import MEMORY_LIMIT, open_source
from rocch.scale.passes import GROUP, HITS, UNITS, Reader
from rocch.scale.refine import TableRefiner, Work, placement_sums
from rocch.scale.summary import HEADROOM, SMALL, FrameSummary
from rocch.scale.survey import survey
from rocch.scale.table import POSITIVE, By, ScoreColumns, ScoreTable, score_column

T = TypeVar("T")

# Cells of equal shares would make a bracket no wider than one of them; cells are not equal.
BUCKETS_PER_WIDTH = 4
# Outlines begin with this many times the buckets of equal steps.
FINER = 8


def scan(
    frame: DataFrame | Sequence[DataFrame] | str | Path,
    *,
    label: str,
    scores: str | Sequence[str] | Mapping[str, str] | None = None,
    pos_label: Label | None = None,
    weight: str | None = None,
    drop_nulls: bool = False,
    buckets: int | None = None,
    progress: Callable[[Work], object] | None = None,
    memory_limit: str = MEMORY_LIMIT,
    threads: int | None = None,
) -> Scan:
    """Name the columns of a table of any size; nothing is read yet.

    Each method of the `Scan` takes a few group-by queries in the table's engine, with the results
    of the same rows in memory.

    Parameters
    ----------
    frame
        A DuckDB relation, a Spark, Polars, Dask or pandas data frame, an Arrow table, or a list of
        them that counts as one table. Or paths of Parquet files, folders or patterns such as
        `"scores/*.parquet"`, which DuckDB reads under a memory limit; folders named `country=DE`
        add a column `country`. Rows must be the same in every pass.
    label
        The column of labels: boolean, 0/1, -1/1, true/false or yes/no, or any with `pos_label`.
    scores
        The columns of scores, higher for positives: a name, a list, or a mapping from classifiers
        to columns. By default all other numeric columns.
    pos_label
        The positive class; all other labels are negative.
    weight
        The column of weights; see `RocCurve.from_scores`.
    drop_nulls
        Drop rows with a null or NaN in any used column; otherwise they are refused.
    buckets
        The most groups or rows moved to the driver in one pass; fewer cost passes, more cost
        memory. By default 2^22, or 2^20 per classifier and group if that is more, up to 2^24; for
        a summary, which keeps them, 2^16.
    progress
        Called with the `Work` done after each pass.
    memory_limit, threads
        For paths: the memory ("1GB", "500MB") and threads of DuckDB.

    Examples
    --------
    >>> import duckdb
    >>> import rocch
    >>> table = duckdb.sql(
    ...     "SELECT i % 3 = 0 AS y, sin(i * i) + (i % 3 = 0)::INT AS gbm FROM range(1000) t(i)"
    ... )
    >>> scan = rocch.scale.scan(table, label="y", scores=["gbm"])
    >>> hull = scan.hull()
    >>> len(hull), round(hull.auc, 4)
    (4, 0.8739)
    >>> print(scan.auc()["gbm"])
    AUC 0.8153 (exact; 95% interval 0.7868 to 0.8403)
    """
    columns = ScoreColumns(label, scores, pos_label, weight, None, drop_nulls)
    return Scan(frame, columns, buckets, progress, memory_limit, threads)


@dataclass(frozen=True, eq=False, repr=False)
class Scan:
    """A table of any size with its columns of labels and scores; see `scan`.

    With `by`, a column (texts, integers, booleans or dates) or a list of columns, methods return a
    mapping from groups (tuples for a list) to results, from the same passes.

    Attributes
    ----------
    columns
        The columns of labels, scores and weights.
    frame, buckets, progress, memory_limit, threads
        As for `scan`.
    """

    frame: DataFrame | Sequence[DataFrame] | str | Path
    columns: ScoreColumns
    buckets: int | None = None
    progress: Callable[[Work], object] | None = None
    memory_limit: str = MEMORY_LIMIT
    threads: int | None = None

    def __repr__(self) -> str:
        names = self.columns.scores
        names = [names] if isinstance(names, str) else names
        scores = "all numbers" if names is None else format_list(names)
        return f"<Scan of label {self.columns.label!r}, scores {scores}>"

    @overload
    def hull(self, by: None = None) -> RocHull: ...
    @overload
    def hull(self, by: By) -> ByName[Any, RocHull]: ...
    def hull(self, by: By | None = None) -> RocHull | ByName[Any, RocHull]:
        """Build the exact joint hull of the classifiers.

        It equals `RocHull.from_scores` on the same rows, but keeps no rows: without randomizing,
        limits are met at its vertices.

        Parameters
        ----------
        by
            The column or columns of groups.

        Examples
        --------
        >>> import polars as pl
        >>> import rocch
        >>> frame = pl.DataFrame({
        ...     "country": ["at", "at", "at", "ch", "ch", "ch"],
        ...     "y": [0, 1, 1, 0, 0, 1],
        ...     "gbm": [0.2, 0.1, 0.9, 0.3, 0.4, 0.8],
        ... })
        >>> hulls = rocch.scale.scan(frame, label="y", scores="gbm").hull(by="country")
        >>> {country: round(hull.auc, 3) for country, hull in hulls.items()}
        {'at': 0.75, 'ch': 1.0}
        """
        with self._refiner(by, scores_later=True) as refiner:
            refiner.begin_table()
            if by is None:
                _warn_of_reversed_scores(FrameSummary.of(refiner))
            refiner.keep_all = False
            refiner.make_exact()
        known = FrameSummary.of(refiner)
        return self._by_group(by, known.groups, map(known.inner_hull, known.groups))

    @overload
    def auc(self, by: None = None, *, width: float | None = None) -> ByName[str, FrameAuc]: ...
    @overload
    def auc(self, by: By, *, width: float | None = None) -> ByName[Any, ByName[str, FrameAuc]]: ...
    def auc(self, by: By | None = None, *, width: float | None = None) -> ByName[Any, Any]:
        """Compute the AUC of each classifier, exactly or between proven bounds.

        The exact AUC, with DeLong's variance, ranks every row, in about rows / `buckets` passes;
        fewer if a class is rare or scores are often equal. A bracket usually takes two passes.
        Weighted rows have no variance.

        Parameters
        ----------
        by
            The column or columns of groups.
        width
            The largest distance of the bounds; None for the exact AUC.

        Examples
        --------
        >>> import numpy as np
        >>> import polars as pl
        >>> import rocch
        >>> rng = np.random.default_rng(0)
        >>> y = rng.random(200_000) < 0.2
        >>> frame = pl.DataFrame({"y": y, "gbm": rng.normal(size=y.size) + y})
        >>> scan = rocch.scale.scan(frame, label="y")
        >>> bracket = scan.auc(width=0.001)["gbm"]
        >>> bracket.exact, bracket.high - bracket.low <= 0.001
        (False, True)
        >>> exact = scan.auc()["gbm"]
        >>> exact.value == rocch.auc(y, frame["gbm"])
        True
        >>> print(exact)
        AUC 0.7597 (exact; 95% interval 0.7571 to 0.7623)
        """
        if width is not None:
            hint = Hint("Pass 0.001, for example, or None for the exact AUC.")
            width = as_level(width, "width", hint=hint)
        with self._refiner(by) as refiner:
            # a bracket needs a cell for each width, ranking every row needs none
            most = max(refiner.buckets, MOST_BUCKETS)
            if width is None or refiner.reader.series_count / width > most:
                sums = iter(placement_sums(refiner))
            else:
                sums = None
                _narrow_brackets(refiner, width)
        known = FrameSummary.of(refiner)

        def area(name: str, group: Any) -> FrameAuc:
            if sums is None:
                return known.auc(name, group)
            return FrameAuc.from_sums(next(sums), known.totals(group))

        found = [
            self._by_name({name: area(name, group) for name in known.classifiers})
            for group in known.groups
        ]
        return self._by_group(by, known.groups, found)

    @overload
    def curve(self, by: None = None, *, resolution: float = 0.001) -> ByName[str, CurveOutline]: ...
    @overload
    def curve(
        self, by: By, *, resolution: float = 0.001
    ) -> ByName[Any, ByName[str, CurveOutline]]: ...
    def curve(self, by: By | None = None, *, resolution: float = 0.001) -> ByName[Any, Any]:
        """Outline the curve of each classifier by exact points.

        Parameters
        ----------
        by
            The column or columns of groups.
        resolution
            The largest distance of neighboring points in FPR and TPR, except across ties.

        Examples
        --------
        >>> import duckdb
        >>> import rocch
        >>> table = duckdb.sql(
        ...     "SELECT i % 3 = 0 AS y, sin(i * i) + (i % 3 = 0)::INT AS gbm FROM range(1000) t(i)"
        ... )
        >>> outline = rocch.scale.scan(table, label="y").curve(resolution=0.1)["gbm"]
        >>> len(outline), outline.resolution <= 0.1
        (18, True)
        """
        step = as_number(resolution, "resolution", above=0, most=1)
        with self._refiner(by) as refiner:
            rows = int(refiner.reader.survey.rows.max())
            refiner.begin_table(rows_per_bucket=max(1, int(rows * step / FINER)))
            refiner.refine(lambda series: too_coarse(series.cells, step))
        known = FrameSummary.of(refiner)
        found = [
            self._by_name({n: known.outline(n, group, resolution=step) for n in known.classifiers})
            for group in known.groups
        ]
        return self._by_group(by, known.groups, found)

    @overload
    def counts(
        self, thresholds: Mapping[str, Iterable[float]], by: None = None
    ) -> ByName[str, list[RocPoint]]: ...
    @overload
    def counts(
        self, thresholds: Mapping[str, Iterable[float]], by: By
    ) -> ByName[Any, ByName[str, list[RocPoint]]]: ...
    def counts(
        self, thresholds: Mapping[str, Iterable[float]], by: By | None = None
    ) -> ByName[Any, Any]:
        """Count false and true positives at chosen thresholds, in two passes.

        Parameters
        ----------
        thresholds
            The thresholds of each classifier.
        by
            The column or columns of groups.

        Examples
        --------
        >>> import polars as pl
        >>> import rocch
        >>> frame = pl.DataFrame({"y": [0, 0, 1, 1], "gbm": [0.1, 0.4, 0.35, 0.8]})
        >>> points = rocch.scale.scan(frame, label="y").counts({"gbm": [0.5, 0.3]})
        >>> [(point.false_positives, point.true_positives) for point in points["gbm"]]
        [(0, 1), (1, 2)]
        """
        wanted = _as_thresholds(thresholds)
        pairs = [(name, value) for name, values in wanted.items() for value in values]
        with self._table(by) as table:
            check_known(wanted, table.names, "thresholds", "classifiers")
            reader = Reader(table, survey(table))
            counts: list[Counter[str]] = [Counter() for _ in reader.survey.groups]
            for frame in table.frames:
                for group, sums in _sums_above(reader, pairs, frame):
                    counts[group].update(sums)
        found: list[dict[str, list[RocPoint]]] = []
        for group, sums in enumerate(counts):
            found.append({name: [] for name in wanted})
            for (name, _), point in zip(pairs, _points(reader, group, pairs, sums), strict=True):
                found[group][name].append(point)
        groups = table.columns.group_names(reader.survey.groups)
        return self._by_group(by, groups, map(self._by_name, found))

    def summary(self, by: By | None = None) -> FrameSummary:
        """Count labels in at most `buckets` cells of scores, in two passes.

        A class may have no rows.

        Parameters
        ----------
        by
            The column or columns of groups.
        """
        buckets = SMALL if self.buckets is None else self.buckets
        with self._table(by) as table:
            refiner = TableRefiner.of(
                table,
                buckets=buckets,
                progress=self.progress,
                both_classes=False,
                headroom=HEADROOM,
            )
            refiner.begin_table(rows_per_bucket=1)
        return FrameSummary.of(refiner)

    @contextmanager
    def _table(self, by: By | None) -> Iterator[ScoreTable]:
        columns = replace(self.columns, by=by)
        with open_source(
            self.frame,
            columns.used_columns,
            memory_limit=self.memory_limit,
            threads=self.threads,
        ) as frame:
            yield ScoreTable.of(frame, columns)

    @contextmanager
    def _refiner(self, by: By | None, *, scores_later: bool = False) -> Iterator[TableRefiner]:
        with self._table(by) as table:
            yield TableRefiner.of(
                table, buckets=self.buckets, progress=self.progress, scores_later=scores_later
            )

    def _by_name(self, found: Mapping[str, T]) -> ByName[str, T]:
        return ByName(found, "classifier", library=library_of(self.frame))

    def _by_group(
        self, by: By | None, groups: Iterable[Any], results: Iterable[T]
    ) -> ByName[Any, T] | T:
        """Map groups to results; without groups, return the only result."""
        found: dict[Any, T] = dict(zip(groups, results, strict=True))
        if by is None:
            return found[None]
        names = (by,) if isinstance(by, str) else tuple(by)
        return ByName(found, *names, library=library_of(self.frame))


def _narrow_brackets(refiner: TableRefiner, width: float) -> None:
    """Cut the cells that widen brackets most until all fit a width."""

    def too_wide(series: ScoreSeries) -> BoolArray:
        chosen = np.zeros(series.rows.size, dtype=bool)
        chosen[cells_to_split(series.cells, width)] = True
        return chosen

    enough, reader = math.ceil(BUCKETS_PER_WIDTH / width), refiner.reader
    refiner.begin_table(rows_per_bucket=max(1, int(reader.survey.rows.max()) // enough))
    refiner.buckets = min(refiner.buckets, enough * reader.series_count)
    refiner.refine(too_wide)


def _warn_of_reversed_scores(known: FrameSummary) -> None:
    """Warn of classifiers whose AUC is clearly below 0.5, as for rows in memory."""
    totals = known.totals()
    sizes = totals.negatives, totals.positives
    highs = {name: at_least(auc_bracket(known.cells(name)).high) for name in known.classifiers}
    warn_of_reversed_scores({name: (high, *sizes) for name, high in highs.items()})


def _as_thresholds(thresholds: Any) -> dict[str, list[float]]:
    hint = Hint('For example {"gbm": [0.5, 0.7]}.')
    wanted = as_mapping(thresholds, "thresholds", "classifiers to lists of thresholds", hint=hint)
    for name, values in wanted.items():
        is_list = isinstance(values, Iterable) and not isinstance(values, str)
        wanted[name] = list(values) if is_list else [values]
        for value in wanted[name]:
            if not (is_list and is_double(value)):
                got = "an integer beyond all doubles" if is_number(value) else repr(value)
                raise InputError(f"thresholds[{name!r}]", "be a list of numbers", got)
    return {name: list(map(float, values)) for name, values in wanted.items()}


@read_errors()
def _sums_above(
    reader: Reader, pairs: Sequence[tuple[str, float]], frame: Frame
) -> list[tuple[int, dict[str, int]]]:
    """Count a frame's units and positive units, in all and at each threshold, by group."""
    units = nw.col(UNITS) if reader.table.is_weighted else nw.lit(1)
    hits = nw.when(nw.col(POSITIVE)).then(units).otherwise(nw.lit(0))
    rows = reader.weighted_rows(frame).with_columns(units.alias(UNITS), hits.alias(HITS))
    sums = {UNITS: nw.col(UNITS), HITS: nw.col(HITS)}
    for place, (name, threshold) in enumerate(pairs):
        score = nw.col(score_column(reader.table.names.index(name)))
        for each in (UNITS, HITS):
            reached = nw.when(score >= threshold).then(nw.col(each)).otherwise(nw.lit(0))
            sums[f"{each}_{place}"] = reached
    totals = {name: nw.col(name).sum() for name in sums}
    if reader.table.by:
        found = collect(rows.select(nw.col(GROUP), **sums).group_by(GROUP).agg(**totals))
    else:
        found = {GROUP: np.zeros(1, dtype=np.int64)}
        found |= collect(rows.select(**sums).select(**totals))
    return [
        (group, {name: int(found[name][line] or 0) for name in sums})
        for line, group in enumerate(found[GROUP].tolist())
    ]


def _points(
    reader: Reader, group: int, pairs: Sequence[tuple[str, float]], sums: Mapping[str, int]
) -> Iterator[RocPoint]:
    negatives, positives = sums[UNITS] - sums[HITS], sums[HITS]
    reader.check_totals(group, negatives, positives)
    unit = 2.0 ** reader.survey.exponents[group]
    totals = ClassTotals(negatives, positives, unit, reader.table.is_weighted)
    for place, (name, threshold) in enumerate(pairs):
        tp = sums[f"{HITS}_{place}"]
        fp = sums[f"{UNITS}_{place}"] - tp
        rates = fp / totals.negatives, tp / totals.positives
        amounts = totals.amount(fp), totals.amount(tp)
        yield make_point(rates, amounts, [(name, threshold, threshold)])
