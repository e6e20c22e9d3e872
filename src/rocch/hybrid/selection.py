"""The best K rows of a batch (Provost and Fawcett, Theorem 11 and section 3.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.errors import bad_input
from rocch.hybrid.batch import rows_of
from rocch.hybrid.coin import content_texts, key_texts, tosses
from rocch.inputs import as_rate
from rocch.roc.conditions import OBSERVED
from rocch.roc.criteria import Capacity

if TYPE_CHECKING:
    from rocch.arrays import BoolArray, FloatArray, IntArray
    from rocch.hybrid.batch import ScoredBatch
    from rocch.hybrid.hybrid import Hybrid
    from rocch.roc.operating_point import OperatingPoint


@dataclass(frozen=True, eq=False, slots=True)
class Selection:
    """Exactly K rows of a batch, chosen along the hull.

    Attributes
    ----------
    rows
        The numbers of the chosen rows, rising.
    inclusion_probability
        For every row of the batch, the chance that it is chosen: 1 where both neighbouring
        vertices alarm, 0 where neither does, and a stated share where they differ. The sum is K.
    point
        The hull's operating point for K alarms at the stated prevalence.
    expected_true_positives
        How many positives the hull promises among the chosen rows, at the stated prevalence.
    """

    rows: IntArray
    inclusion_probability: FloatArray
    point: OperatingPoint
    expected_true_positives: float

    def __post_init__(self) -> None:
        self.rows.flags.writeable = self.inclusion_probability.flags.writeable = False

    @property
    def expected_precision(self) -> float | None:
        """The share of positives promised among the chosen rows; None where none are chosen."""
        return self.expected_true_positives / self.rows.size if self.rows.size else None


def select(
    hybrid: Hybrid, batch: ScoredBatch, k: int, *, prevalence: Any, row_key: Any, seed: int
) -> Selection:
    """Choose exactly K rows between two neighbouring vertices of the hull.

    The vertices are those whose alarms on this batch are at most and at least K; one looks first
    where the hull expects them. Where their answers differ, a fixed number of rows is drawn by
    systematic sampling in the order of the rows' coins, with the shares that make the expected
    number of alarms K. The order of rows in the batch plays no part.
    """
    rows = len(batch)
    if not rows:
        raise bad_input("X", "have at least one row", "none", "There is nothing to choose from.")
    observed = prevalence is None or (isinstance(prevalence, str) and prevalence == OBSERVED)
    share = hybrid.hull.judged.prevalence if observed else prevalence
    positives = as_rate(share, "prevalence") * rows
    size = _as_count(k, rows)
    point = hybrid.hull.best(
        Capacity(size, positives=positives, negatives=rows - positives), randomise=True
    )
    left, right = _neighbours(hybrid, batch, size, positives)
    weights, whole = _shares(left, right, size)
    chosen = weights == whole
    mixed = np.flatnonzero((weights > 0) & ~chosen)
    if mixed.size:
        order = mixed[_by_coin(batch, mixed, row_key, seed)]
        start = int(tosses([f"first of {size}"], seed)[0] * whole)
        chosen[order] = _systematic(weights[order], whole, start)
    return Selection(np.flatnonzero(chosen), weights / whole, point, positives * point.tpr)


def _as_count(k: Any, rows: int) -> int:
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or not 0 <= k <= rows:
        raise bad_input(
            "k",
            f"be a whole number from 0 to {rows}, the rows of the batch",
            repr(k),
            "It is how many rows to choose.",
        )
    return int(k)


def _neighbours(
    hybrid: Hybrid, batch: ScoredBatch, size: int, positives: float
) -> tuple[BoolArray, BoolArray]:
    """Return the alarms of two neighbouring vertices with at most and at least `size` of them."""
    hull = hybrid.hull
    expected = positives * hull.tpr + (len(batch) - positives) * hull.fpr
    first = int(np.searchsorted(expected, size, side="right")) - 1
    first = min(max(first, 0), len(hull) - 2)

    def alarms(vertex: int) -> BoolArray:
        return hybrid.expression(hull.vertices[vertex]).alarms(batch)

    left, right = alarms(first), alarms(first + 1)
    while left.sum() > size:  # ends at *never*
        first -= 1
        left, right = alarms(first), left
    while right.sum() < size:  # ends at *always*
        first += 1
        left, right = right, alarms(first + 1)
    return left, right


def _shares(left: BoolArray, right: BoolArray, size: int) -> tuple[IntArray, int]:
    """Return each row's chance to be chosen, in whole numbers, and what stands for certainty."""
    fewer, more = int(left.sum()), int(right.sum())
    if fewer == more:
        return left.astype(np.int64), 1
    return left * (more - size) + right * (size - fewer), more - fewer


def _by_coin(batch: ScoredBatch, rows: IntArray, row_key: Any, seed: int) -> IntArray:
    if row_key is None:
        keys = content_texts(rows_of(batch.features, rows))
    else:
        texts = key_texts(row_key, len(batch))
        keys = [texts[row] for row in rows]
    return np.lexsort((np.array(keys), tosses(keys, seed)))


def _systematic(weights: IntArray, whole: int, start: int) -> BoolArray:
    """Draw a fixed number of rows, each with the chance weight / whole (Madow 1949).

    The weights, laid end to end, are met by a ruler with one mark per `whole`, moved by `start`.
    Their sum is a multiple of `whole`, so the number of marks does not depend on the start.
    """
    ends = np.cumsum(weights) + start
    return np.asarray(ends // whole > (ends - weights) // whole)
