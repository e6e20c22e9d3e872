"""The mass of a quantity that depends on two independent ones, by quadrature between kinks.

Mass below an edge is the average, over one quantity, of the other's mass below what the edge then
means. The average is taken over the first one's mass, from 0 to 1, piece by piece between the
places where the integrand has kinks; so every piece is smooth, and few nodes do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocch.arrays import FloatArray

NODES = 16, 24
"""Orders of the two Gauss-Legendre rules; their difference is the error that is stated."""


def mixed_mass(
    edges: FloatArray,
    quantile: Callable[[FloatArray], FloatArray],
    mass_below: Callable[[FloatArray, FloatArray], FloatArray],
    cuts: FloatArray,
) -> tuple[FloatArray, float]:
    """Return the masses below edges, and the error.

    `quantile` gives the first quantity at its masses, `mass_below` the other's mass below an edge
    given the first (element by element), and each row of `cuts`, rising from 0 to 1, the masses
    between which the integrand is smooth for an edge.
    """
    rules = [_average(edges, quantile, mass_below, cuts, order) for order in NODES]
    return rules[1], float(np.max(np.abs(rules[1] - rules[0])))


def _average(
    edges: FloatArray,
    quantile: Callable[[FloatArray], FloatArray],
    mass_below: Callable[[FloatArray, FloatArray], FloatArray],
    cuts: FloatArray,
    order: int,
) -> FloatArray:
    """Average by Gauss and Legendre's rule; nodes are crowded at cuts, where quantiles have roots.

    A triangle's quantile behaves like a square root at its ends; in v it is smooth where the mass
    runs like v^2 (3 - 2 v).
    """
    nodes, weights = np.polynomial.legendre.leggauss(order)
    v = (nodes + 1) / 2
    crowded, weights = v * v * (3 - 2 * v), weights * 3 * v * (1 - v)
    widths = np.diff(cuts, axis=1)
    masses = cuts[:, :-1, None] + widths[:, :, None] * crowded
    given = quantile(masses.ravel()).reshape(masses.shape)
    below = mass_below(given, np.broadcast_to(edges[:, None, None], masses.shape))
    return np.asarray(np.sum((below @ weights) * widths, axis=1))
