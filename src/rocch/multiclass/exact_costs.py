"""Expected costs without rounding: doubles and counts are rational numbers."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from rocch.errors import UndefinedError

if TYPE_CHECKING:
    from rocch.arrays import FloatArray, IntArray
    from rocch.multiclass.priors import Priors

CLOSE = 1e-12
"""Doubles that differ by no more than this share may be equal: all terms are positive, so each sum
of Q^2 of them is right to about Q^2 units in the last place, which is less up to 60 classes."""


def exact_costs(
    counts: IntArray, totals: IntArray, costs: FloatArray, priors: Priors
) -> tuple[IntArray, int]:
    """Return expected costs of (n, Q, Q) counts as Python integers, and what to divide them by."""
    shares = priors.fractions
    if any(share and not total for share, total in zip(shares, totals, strict=True)):
        raise UndefinedError(
            "a class that is to be expected has no judged rows, so its errors are unknown. Judge "
            "on rows of every class, or take the observed class balance."
        )
    weights = [
        [share * Fraction(cost) / max(int(total), 1) for cost in row]
        for share, total, row in zip(shares, totals, costs.tolist(), strict=True)
    ]
    unit = math.lcm(*(weight.denominator for row in weights for weight in row))
    whole = np.array([[int(weight * unit) for weight in row] for row in weights], dtype=object)
    return (counts.astype(object) * whole).sum(axis=(1, 2)), unit


def cheapest(counts: IntArray, totals: IntArray, costs: FloatArray, priors: Priors) -> IntArray:
    """Return the places of the members with the least expected cost, decided without rounding.

    Doubles find the few that could be cheapest, integers decide among them. Complexity: O(n Q^2).
    """
    weights = priors.shares[:, None] * costs / totals[:, None]
    rounded = np.tensordot(counts, weights, axes=2)
    close = np.flatnonzero(rounded <= rounded.min() * (1 + CLOSE))
    exact, _ = exact_costs(counts[close], totals, costs, priors)
    return close[np.flatnonzero(exact == exact.min())]
