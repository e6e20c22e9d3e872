"""Rates of the hull's vertices on single folds, and on rows held out."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from rocch.arrays import BoolArray
from rocch.hybrid.expression import Batch
from rocch.hybrid.gain import RowBatch
from rocch.hybrid.hybrid import Hybrid
from rocch.results import Record, Records, field_values
from rocch.rows import ScoredRows


@dataclass(frozen=True, slots=True, repr=False)
class FoldRate(Record):
    """Counts and rates of one vertex on one fold.

    Rates that scatter more than their counts explain mean that score scales differ between folds.
    """

    vertex: int
    classifier: str
    threshold: float | str | None
    fold: int
    negatives: float
    positives: float
    false_positives: float
    true_positives: float

    def _row(self) -> dict[str, Any]:
        return {**field_values(self), "fpr": self.fpr, "tpr": self.tpr}

    @property
    def fpr(self) -> float | None:
        """The false positive rate, or None without negatives."""
        return self.false_positives / self.negatives if self.negatives else None

    @property
    def tpr(self) -> float | None:
        """The true positive rate, or None without positives."""
        return self.true_positives / self.positives if self.positives else None


@dataclass(frozen=True, slots=True, repr=False)
class VertexCheck(Record):
    """Promised and reached rates of one vertex.

    Attributes
    ----------
    promised_fpr, promised_tpr
        Rates on the evaluation rows.
    fpr, tpr
        Rates of the deployed model on held-out rows.
    fpr_p_value, tpr_p_value
        P-values for equal rates (two proportions, normal approximation with pooled variance).
    """

    vertex: int
    classifier: str
    threshold: float | str | None
    promised_fpr: float
    promised_tpr: float
    fpr: float
    tpr: float
    negatives: int
    positives: int
    fpr_p_value: float
    tpr_p_value: float


def fold_rates(hybrid: Hybrid, rows: ScoredRows) -> Records[FoldRate]:
    """Return weighted counts of every vertex on every fold."""
    totals = _count_by_fold(rows, np.ones(len(rows), dtype=bool))
    batch = RowBatch(rows)
    rates = []
    for index, vertex in enumerate(hybrid.hull.vertices):
        counts = _count_by_fold(rows, hybrid.evaluated_expression(vertex).alarms(batch))
        rates += [
            FoldRate(index, vertex.classifier, vertex.threshold, fold, *total, *count)
            for fold, (total, count) in enumerate(zip(totals, counts, strict=True))
            if any(total)  # finding combinations may have used up a fold
        ]
    return Records(rates)


def _count_by_fold(rows: ScoredRows, chosen: BoolArray) -> list[tuple[float, float]]:
    """Return the chosen negatives and positives in each fold."""
    folds = rows.fold_numbers
    columns = []
    for among in (chosen & ~rows.positive, chosen & rows.positive):
        weights = None if rows.weights is None else rows.weights[among]
        columns.append(np.bincount(folds[among], weights, minlength=folds.max() + 1).tolist())
    return list(zip(*columns, strict=True))


def check_vertices(hybrid: Hybrid, batch: Batch, positive: BoolArray) -> Records[VertexCheck]:
    """Return promised and reached rates of every vertex on other rows."""
    negatives, positives = int(np.count_nonzero(~positive)), int(np.count_nonzero(positive))
    before = hybrid.effective_rows
    checks = []
    for index, vertex in enumerate(hybrid.hull.vertices):
        alarms = hybrid.expression(vertex).alarms(batch)
        fpr, tpr = (float(alarms[positive == kind].mean()) for kind in (False, True))
        checks.append(
            VertexCheck(
                index,
                vertex.classifier,
                vertex.threshold,
                vertex.fpr,
                vertex.tpr,
                fpr,
                tpr,
                negatives,
                positives,
                same_rate((vertex.fpr, before[0]), (fpr, negatives)),
                same_rate((vertex.tpr, before[1]), (tpr, positives)),
            )
        )
    return Records(checks)


def same_rate(one: tuple[float, float], other: tuple[float, float]) -> float:
    """Return the p-value for equal rates, each given as (rate, rows)."""
    (p, n), (q, m) = one, other
    pooled = (p * n + q * m) / (n + m)
    variance = pooled * (1 - pooled) * (1 / n + 1 / m)
    if variance <= 0:
        return 1.0
    return math.erfc(abs(p - q) / math.sqrt(2 * variance))
