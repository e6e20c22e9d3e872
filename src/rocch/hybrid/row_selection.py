"""The best K rows of a batch (Provost and Fawcett, Theorem 11)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rocch.arrays import BoolArray, FloatArray, IntArray
from rocch.errors import InputError
from rocch.hybrid.coin import content_texts, key_texts, tosses
from rocch.hybrid.components import ScoredBatch, rows_of
from rocch.hybrid.hybrid import Hybrid, Keys
from rocch.inputs import as_rate, as_whole
from rocch.numbers import count_cases
from rocch.results import Table, Tabular
from rocch.roc.conditions import OBSERVED
from rocch.roc.limits import Capacity
from rocch.roc.operating_point import OperatingPoint


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Selection(Tabular):
    """Exactly K rows of a batch (Provost and Fawcett, Theorem 11 and section 3.4).

    Attributes
    ----------
    rows
        Sorted row numbers.
    inclusion_probability
        Probability of each row of the batch to be selected; the sum is K.
    point
        The operating point for K alarms.
    expected_true_positives
        Expected number of positives among the selected rows.
    """

    rows: IntArray
    inclusion_probability: FloatArray
    point: OperatingPoint
    expected_true_positives: float

    def __post_init__(self) -> None:
        self.rows.flags.writeable = self.inclusion_probability.flags.writeable = False

    def __str__(self) -> str:
        return (
            f"{self.rows.size:,} of {self.inclusion_probability.size:,} rows selected; "
            f"expected positives among them: {count_cases(self.expected_true_positives)}"
        )

    def _columns(self) -> Table:
        """Return the selected rows."""
        chances = self.inclusion_probability[self.rows]
        return {"row": self.rows, "inclusion_probability": chances}

    @property
    def expected_precision(self) -> float | None:
        """The expected precision, or None if no rows are selected."""
        return self.expected_true_positives / self.rows.size if self.rows.size else None


def select_rows(
    hybrid: Hybrid,
    batch: ScoredBatch,
    k: int,
    *,
    prevalence: float | str | None,
    row_key: Keys | None,
    seed: int,
) -> Selection:
    """Select exactly K rows between two neighboring vertices of the hull.

    Where these differ, rows are drawn by systematic sampling in the order of their coins.
    """
    rows = len(batch)
    if not rows:
        raise InputError("X", "have at least one row", "none")
    observed = prevalence is None or (isinstance(prevalence, str) and prevalence == OBSERVED)
    share = hybrid.hull.totals.prevalence if observed else prevalence
    positives = as_rate(share, "prevalence") * rows
    size = as_whole(k, "k", least=0, most=rows, hint="It counts rows of the batch.")
    point = hybrid.hull.best(
        Capacity(size, positives=positives, negatives=rows - positives), randomize=True
    )
    left, right = _neighbors(hybrid, batch, size, positives)
    weights, whole = _inclusion_weights(left, right, size)
    chosen = weights == whole
    mixed = np.flatnonzero((weights > 0) & ~chosen)
    if mixed.size:
        order = mixed[_order_by_coin(batch, mixed, row_key, seed)]
        start = int(tosses([f"first of {size}"], seed)[0] * whole)
        chosen[order] = _draw_systematically(weights[order], whole, start)
    return Selection(np.flatnonzero(chosen), weights / whole, point, positives * point.tpr)


def _neighbors(
    hybrid: Hybrid, batch: ScoredBatch, size: int, positives: float
) -> tuple[BoolArray, BoolArray]:
    """Return the alarms of two neighboring vertices, at most and at least `size`."""
    # Start where the hull expects `size` alarms.
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


def _inclusion_weights(left: BoolArray, right: BoolArray, size: int) -> tuple[IntArray, int]:
    """Return inclusion probabilities as integers, and the integer for probability 1."""
    fewer, more = int(left.sum()), int(right.sum())
    if fewer == more:
        return left.astype(np.int64), 1
    return left * (more - size) + right * (size - fewer), more - fewer


def _order_by_coin(batch: ScoredBatch, rows: IntArray, row_key: Keys | None, seed: int) -> IntArray:
    if row_key is None:
        keys = content_texts(rows_of(batch.features, rows))
    else:
        texts = key_texts(row_key, len(batch))
        keys = [texts[row] for row in rows]
    return np.lexsort((np.array(keys), tosses(keys, seed)))


def _draw_systematically(weights: IntArray, whole: int, start: int) -> BoolArray:
    """Draw a fixed number of rows with probabilities weight / whole (Madow 1949).

    The sum of the weights is a multiple of `whole`, so their number does not depend on `start`.
    """
    ends = np.cumsum(weights) + start
    return np.asarray(ends // whole > (ends - weights) // whole)
