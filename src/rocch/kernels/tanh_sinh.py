"""The tanh-sinh rule: integrals whose integrand bends sharply at the ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from rocch.arrays import FloatArray

REACH, HALVES = 3.2, 32
"""How far the transformed axis is followed each way (to 2e-17 of an end), and in what steps."""


class Rule(NamedTuple):
    """Nodes between 0 and 1, their distances from 1, and weights.

    The distances are kept because a node's place does not hold them: beside 1 they are far smaller
    than its last digit. `coarse` are the weights of every second node alone; the difference is a
    generous error.
    """

    nodes: FloatArray
    from_top: FloatArray
    weights: FloatArray
    coarse: FloatArray


def tanh_sinh() -> Rule:
    """Return the rule of Takahasi and Mori (1974), exact to about 14 digits for smooth integrands.

    Roots and logarithms at either end do it no harm, which is what quantiles have there.
    """
    steps = np.linspace(-REACH, REACH, 2 * HALVES + 1)
    bend = np.exp(np.pi * np.sinh(steps))
    nodes, from_top = bend / (1 + bend), 1 / (1 + bend)
    weights = REACH / HALVES * np.pi * np.cosh(steps) * nodes * from_top
    coarse = np.where(np.arange(steps.size) % 2 == 0, 2 * weights, 0.0)
    return Rule(nodes, from_top, weights / weights.sum(), coarse / coarse.sum())
