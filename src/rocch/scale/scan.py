"""Outlines of curves, and counts at chosen thresholds, from frames of any engine."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

from rocch.errors import bad_input, kind_of, missing_column
from rocch.inputs import as_rate, is_number
from rocch.kernels.refine import too_coarse
from rocch.roc.curve import Judged
from rocch.roc.operating_point import make_point
from rocch.scale.engine import as_frames, collected, reading
from rocch.scale.passes import HITS, UNITS, Reader
from rocch.scale.refining import Refinery
from rocch.scale.summary import FrameSummary
from rocch.scale.survey import survey
from rocch.scale.table import POSITIVE, ScoreTable, score_column

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rocch.roc.operating_point import RocPoint
    from rocch.scale.outline import CurveOutline
    from rocch.scale.work import Work

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
        How far neighbouring points may be apart in FPR and in TPR. Where one score's ties alone
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
    >>> outline = rocch.outlines_from_frame(table, label="y", resolution=0.1)["gbm"]
    >>> len(outline), outline.resolution <= 0.1
    (18, True)
    """
    step = as_rate(resolution, "resolution")
    if not step:
        raise bad_input("resolution", "be above 0", resolution, "Say how fine it must be.")
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
    >>> points = rocch.counts_from_frame(frame, label="y", thresholds={"gbm": [0.5, 0.3]})
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
    judged = Judged(negatives, total[HITS], 2.0 ** reader.survey.exponents[0], weight is not None)
    return {
        name: [
            _point(judged, name, threshold, total[f"all_{i}_{j}"], total[f"hit_{i}_{j}"])
            for j, threshold in enumerate(values)
        ]
        for i, (name, values) in enumerate(asked.items())
    }


def _as_thresholds(thresholds: Any) -> dict[str, list[float]]:
    if not hasattr(thresholds, "items") or not thresholds:
        raise bad_input(
            "thresholds",
            "map columns of scores to thresholds",
            kind_of(thresholds),
            'For example {"gbm": [0.5, 0.7]}.',
        )
    for name, values in thresholds.items():
        if isinstance(values, str) or not isinstance(values, Iterable):
            raise bad_input(
                f"thresholds[{name!r}]", "be a list of numbers", repr(values), "Put it into a list."
            )
        for value in values:
            if not is_number(value):
                raise bad_input(
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


def _point(judged: Judged, name: str, threshold: float, reached: int, hits: int) -> RocPoint:
    counts = reached - hits, hits
    rates = counts[0] / judged.negatives, counts[1] / judged.positives
    amounts = judged.amount(counts[0]), judged.amount(counts[1])
    return make_point(rates, amounts, [(name, threshold, threshold)])
