"""Exact hulls from frames of any engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rocch.errors import bad_input
from rocch.scale.refining import Refinery
from rocch.scale.summary import FrameSummary
from rocch.scale.table import ScoreTable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rocch.roc.hull import RocHull
    from rocch.scale.work import Work


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
        Without the rows: limits that are to be met without randomising are met at its vertices.

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
    >>> hull = rocch.hull_from_frame(table, label="y", scores=["gbm"])
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
    >>> hulls = rocch.hulls_from_frame(frame, by="country", label="y", scores=["gbm"])
    >>> {country: round(hull.auc, 3) for country, hull in hulls.items()}
    {'at': 0.75, 'ch': 1.0}
    """
    if by is None:
        raise bad_input("by", "name a column", "None", "For one hull use hull_from_frame.")
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
