"""What a surface trades off: every error rate, or the miss rate of every class."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from rocch.arrays import IntArray

OBJECTIVES = ("rates", "misses")


def objectives_of(counts: IntArray, objectives: str) -> IntArray:
    """Return the counts to be kept low, of confusion matrices (n, Q, Q).

    For "rates" the Q(Q-1) counts off the diagonal, row by row; for "misses" the sum of each row of
    them (004, equation 12; the text calls it a false positive rate, but it counts the rows of a
    class that are answered otherwise).
    """
    wrong: IntArray = counts[:, ~np.eye(counts.shape[-1], dtype=bool)]
    if objectives == "rates":
        return wrong
    misses: IntArray = wrong.reshape(len(counts), counts.shape[-1], -1).sum(axis=2)
    return misses


def limits_of(totals: IntArray, objectives: str) -> IntArray:
    """Return the largest possible count of each objective."""
    return totals if objectives == "misses" else np.repeat(totals, len(totals) - 1)
