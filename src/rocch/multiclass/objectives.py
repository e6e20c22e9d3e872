"""What a surface trades off: every error rate, or the miss rate of every class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np

from rocch.inputs import as_choice

if TYPE_CHECKING:
    from rocch.arrays import IntArray

Objectives: TypeAlias = Literal["rates", "misses"]


def as_objectives(given: Any) -> Objectives:
    """Return one of the two words."""
    kind: Any = as_choice(given, get_args(Objectives), "objectives")
    chosen: Objectives = kind
    return chosen


def objectives_of(counts: IntArray, objectives: Objectives) -> IntArray:
    """Return the counts to be kept low, of confusion matrices (n, Q, Q).

    For "rates" the Q(Q-1) counts off the diagonal, row by row; for "misses" the sum of each row of
    them (Everson and Fieldsend, equation 12; they call it a false positive rate, but it counts
    the rows of a class that are answered otherwise).
    """
    wrong: IntArray = counts[:, ~np.eye(counts.shape[-1], dtype=bool)]
    if objectives == "rates":
        return wrong
    misses: IntArray = wrong.reshape(len(counts), counts.shape[-1], -1).sum(axis=2)
    return misses


def limits_of(totals: IntArray, objectives: Objectives) -> IntArray:
    """Return the largest possible count of each objective."""
    return totals if objectives == "misses" else np.repeat(totals, len(totals) - 1)
