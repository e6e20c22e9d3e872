"""The rates behind every vertex: fold by fold, and on rows that nobody has seen."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from rocch.arrays import BoolArray
    from rocch.hybrid.expression import Batch
    from rocch.hybrid.hybrid import Hybrid
    from rocch.hybrid.out_of_fold import OutOfFold


@dataclass(frozen=True, slots=True)
class FoldRate:
    """What one vertex of the hull does on one fold.

    Score scales differ between folds; where these rates scatter more than their counts explain,
    thresholds from pooled folds deserve less trust. A rate is None where the fold has no row of
    that class.
    """

    vertex: int
    classifier: str
    threshold: float | str | None
    fold: int
    negatives: float
    positives: float
    false_positives: float
    true_positives: float

    @property
    def fpr(self) -> float | None:
        """The false positive rate on this fold."""
        return self.false_positives / self.negatives if self.negatives else None

    @property
    def tpr(self) -> float | None:
        """The true positive rate on this fold."""
        return self.true_positives / self.positives if self.positives else None


@dataclass(frozen=True, slots=True)
class VertexCheck:
    """What one vertex promises, and what its model does on rows held out from everything.

    Attributes
    ----------
    promised_fpr, promised_tpr
        The hull's, from the rows that it was judged on.
    fpr, tpr
        Those of the model that is deployed, on the held-out rows.
    fpr_p_value, tpr_p_value
        The chance of a difference at least as large if the rates were equal (two proportions,
        normal approximation with pooled variance). Small values say that the promise does not
        carry over.
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


def fold_rates(hybrid: Hybrid, judged: OutOfFold) -> list[FoldRate]:
    """Count false and true positives (weights, for weighted rows) of every vertex on every fold."""
    everyone = np.ones(judged.rows.size, dtype=bool)
    totals = _by_fold(judged, everyone)
    batch = judged.sample
    rates = []
    for index, vertex in enumerate(hybrid.hull.vertices):
        alarms = _by_fold(judged, hybrid.expression(vertex).alarms(batch))
        rates += [
            FoldRate(index, vertex.classifier, vertex.deployed_threshold, fold, *total, *counts)
            for fold, (total, counts) in enumerate(zip(totals, alarms, strict=True))
            if any(total)  # a fold may have been used up by finding combinations
        ]
    return rates


def _by_fold(judged: OutOfFold, chosen: BoolArray) -> list[tuple[float, float]]:
    """Count the chosen negatives and positives in each fold."""
    folds = int(judged.folds.max()) + 1
    columns = []
    for rows in (chosen & ~judged.positive, chosen & judged.positive):
        weights = None if judged.weights is None else judged.weights[rows]
        columns.append(np.bincount(judged.folds[rows], weights, minlength=folds).tolist())
    return list(zip(*columns, strict=True))


def check_vertices(hybrid: Hybrid, batch: Batch, positive: BoolArray) -> list[VertexCheck]:
    """Compare what every vertex promises with what the deployed models do on other rows."""
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
                vertex.deployed_threshold,
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
    return checks


def same_rate(one: tuple[float, float], other: tuple[float, float]) -> float:
    """Return the p-value of the hypothesis that two shares (rate, rows) are equal."""
    (p, n), (q, m) = one, other
    pooled = (p * n + q * m) / (n + m)
    variance = pooled * (1 - pooled) * (1 / n + 1 / m)
    if variance <= 0:
        return 1.0
    return math.erfc(abs(p - q) / math.sqrt(2 * variance))
