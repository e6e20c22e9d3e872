"""How large a likelihood ratio may be by chance when what it measures is hardly visible.

The usual yardstick of a profile likelihood, chi-square with one degree of freedom, trusts that
the direction in which the parameter moves the data is known. Where two classes hardly differ,
that direction is itself mostly noise, and intervals become far too narrow. Moreira (2003, "A
conditional likelihood ratio test for structural models", Econometrica 71) gives the yardstick
that holds however weak the direction is: the law of the ratio given the strength seen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from rocch.arrays import FloatArray

NODES, WEIGHTS = np.polynomial.legendre.leggauss(48)
FARTHEST = 9.0
"""A standard normal variable is never seen beyond this (about 2e-19)."""


def chance_below(ratio: FloatArray, strength: FloatArray, dimensions: int) -> FloatArray:
    """Return the chance of a smaller likelihood ratio, given the strength of the direction.

    With Q1 of one and R of `dimensions` - 1 degrees of freedom, both chi-square, a ratio is at most
    c at strength t exactly if Q1 / c + R / (t + c) <= 1 (Moreira's formula, solved for c). So it
    is chi-square with one degree of freedom for a strong direction, and with `dimensions` for none.
    Ratios and strengths must not be negative. Integrated over Q1 = c sin^2.

    Complexity: O(ratios), with 48 nodes each.
    """
    from scipy.special import chdtr

    root = np.sqrt(ratio)[:, None]
    widest = np.arcsin(np.minimum(1, FARTHEST / np.maximum(root, FARTHEST / 2)))
    angle = widest * (NODES + 1) / 2
    z = root * np.sin(angle)
    rest = (strength + ratio)[:, None] * np.cos(angle) ** 2
    within = chdtr(dimensions - 1, rest) if dimensions > 1 else np.ones_like(rest)
    density = np.sqrt(2 / np.pi) * np.exp(-(z**2) / 2) * root * np.cos(angle)
    chance: FloatArray = (density * within * WEIGHTS).sum(axis=1) * widest[:, 0] / 2
    return chance
