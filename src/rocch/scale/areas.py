"""AUCs from frames of any engine: exact, or between bounds as close as is asked for."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.inputs import as_level
from rocch.kernels.placements import cells_to_split
from rocch.roc.curve import Judged
from rocch.scale.area import FrameAuc
from rocch.scale.ranking import placement_sums
from rocch.scale.refining import MOST_BUCKETS, Refinery
from rocch.scale.table import ScoreTable

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocch.arrays import BoolArray
    from rocch.kernels.refine import Cells
    from rocch.scale.refining import Strand
    from rocch.scale.work import Work

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
    >>> bracket = rocch.auc_from_frame(frame, label="y", width=0.001)["gbm"]
    >>> bracket.exact, bracket.high - bracket.low <= 0.001
    (False, True)
    >>> exact = rocch.auc_from_frame(frame, label="y")["gbm"]
    >>> exact.value == rocch.auc(y, frame["gbm"])
    True
    >>> print(exact)
    AUC 0.7597 (exact; 95 % interval 0.7571 to 0.7623)
    """
    if width is not None:
        width = as_level(width, "width", do="Pass 0.001, for example, or None for the exact AUC.")
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
        found = _exact(refinery)
    else:
        found = _bracketed(refinery, width)
    return dict(zip(table.names, found, strict=True))


def _exact(refinery: Refinery) -> list[FrameAuc]:
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


def _judged(refinery: Refinery, strand: Strand) -> Judged:
    """Return the totals of a strand, in units of weight if rows have weights."""
    negatives, positives = int(strand.cells.negatives.sum()), int(strand.cells.positives.sum())
    unit = math.ldexp(1.0, refinery.reader.survey.exponents[0])
    return Judged(negatives, positives, unit, refinery.reader.table.weight is not None)
