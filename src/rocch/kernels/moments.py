"""Partial moments of densities on [0, 1]: integrals of s^i (1 - s)^j up to a point."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np

from rocch.arrays import FloatArray

# Half the length of the transformed axis (to 2e-17 of an end), and its number of steps.
REACH, HALVES = 3.2, 32
# Exact to the last digit if the pole is as far away as the stretch is long.
POLE_NODES = 16


class QuadratureRule(NamedTuple):
    """Nodes between 0 and 1, their distances from 1 in full precision, and weights.

    `coarse` weights use every second node, for an error estimate.
    """

    nodes: FloatArray
    from_top: FloatArray
    weights: FloatArray
    coarse: FloatArray


@cache
def tanh_sinh() -> QuadratureRule:
    """Return the rule of Takahasi and Mori (1974), which tolerates singular ends."""
    steps = np.linspace(-REACH, REACH, 2 * HALVES + 1)
    bend = np.exp(np.pi * np.sinh(steps))
    nodes, from_top = bend / (1 + bend), 1 / (1 + bend)
    weights = REACH / HALVES * np.pi * np.cosh(steps) * nodes * from_top
    coarse = np.where(np.arange(steps.size) % 2 == 0, 2 * weights, 0.0)
    return QuadratureRule(nodes, from_top, weights / weights.sum(), coarse / coarse.sum())


# A function of masses to the places below (with from_top=True: above) which they lie.
Quantile = Callable[..., FloatArray]


def place_nodes(quantile: Quantile, cuts: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the quantiles at the rule's nodes between rising masses, and the masses' distances."""
    rule = tanh_sinh()
    widths = np.diff(cuts)[..., None]
    bottom = cuts[..., :-1, None] + widths * rule.nodes
    top = 1 - cuts[..., 1:, None] + widths * rule.from_top
    low = bottom <= 0.5  # the upper half is counted from the top, with more digits
    places = np.empty(bottom.shape)
    places[low] = quantile(bottom[low])
    places[~low] = quantile(top[~low], from_top=True)
    return places, widths


def quantile_moment(
    quantile: Quantile,
    masses: FloatArray,
    value: Callable[[FloatArray], FloatArray],
    kinks: FloatArray,
) -> tuple[FloatArray, float]:
    """Integrate a function of a random quantity up to given masses; return the error too.

    `kinks` are masses at which the quantile is not smooth.
    """
    cuts = np.unique(np.concatenate(([0.0, 0.5, 1.0], kinks, masses.ravel())))
    places, widths = place_nodes(quantile, cuts)
    heights, rule = widths * value(places), tanh_sinh()
    with np.errstate(invalid="ignore"):  # callers refuse infinite moments
        fine, coarse = (
            np.concatenate(([0.0], np.cumsum(heights @ weights)))
            for weights in (rule.weights, rule.coarse)
        )
        error = float(np.max(np.abs(fine - coarse)))
    return fine[np.searchsorted(cuts, masses)], error


class Powers(NamedTuple):
    """The powers i and j in s^i (1 - s)^j."""

    share: int
    rest: int

    def of(self, share: FloatArray) -> FloatArray:
        """Return s^i (1 - s)^j."""
        with np.errstate(divide="ignore"):
            return np.asarray(share ** float(self.share) * (1 - share) ** float(self.rest))


MASS, SHARE, REST = Powers(0, 0), Powers(1, 0), Powers(0, 1)


class Piece(NamedTuple):
    """A linear piece of a density: its ends, and the density at each."""

    low: float
    high: float
    left: float
    right: float

    def mirror(self) -> Piece:
        """Return the piece for 1 - s."""
        return Piece(1 - self.high, 1 - self.low, self.right, self.left)

    def height(self, way: FloatArray) -> FloatArray:
        """Return the density at a fraction of the way, exact on narrow pieces too."""
        return self.left + (self.right - self.left) * way


def linear_moment(piece: Piece, ends: FloatArray, powers: Powers) -> FloatArray:
    """Integrate s^i (1 - s)^j over a linear piece of a density, up to each end; exact.

    With a negative power it is infinite if the density does not vanish at the pole.
    """
    end = np.clip(ends, piece.low, piece.high)
    if min(powers) < 0:
        return _pole_moment(piece, end, powers)
    way = (end - piece.low) / (piece.high - piece.low)
    # Simpson's rule is exact for polynomials up to the third degree
    first, middle, last = (
        powers.of(piece.low + part * (end - piece.low)) * piece.height(part * way)
        for part in (0.0, 0.5, 1.0)
    )
    return np.asarray((end - piece.low) / 6 * (first + 4 * middle + last))


def _pole_moment(piece: Piece, end: FloatArray, powers: Powers) -> FloatArray:
    """Integrate with a logarithm near the pole, and by a Gauss rule where it would cancel."""
    near, low, high = piece, np.full(end.shape, piece.low), end
    if powers.rest < 0:
        near = piece.mirror()
        low, high = 1 - end, np.full(end.shape, near.high)
    nodes, weights = np.polynomial.legendre.leggauss(POLE_NODES)
    steps = (end - piece.low)[..., None] * (nodes + 1) / 2
    heights = piece.height(steps / (piece.high - piece.low))
    with np.errstate(invalid="ignore"):  # at the pole itself, where the logarithm is taken
        far = (end - piece.low) / 2 * ((powers.of(piece.low + steps) * heights) @ weights)
    if near.high == near.low:  # a narrow piece far from the pole
        return np.asarray(far)
    return np.where(high <= 2 * low, far, _logarithm_moment(near, low, high))


def _logarithm_moment(piece: Piece, low: FloatArray, high: FloatArray) -> FloatArray:
    """Integrate (1 - s) / s times a line: d / s + (b - d) - b s, where d is its height at 0."""
    rise = (piece.right - piece.left) / (piece.high - piece.low)
    at_zero = piece.left - rise * piece.low
    plain = (rise - at_zero) * (high - low) - rise * (high - low) * (high + low) / 2
    if at_zero == 0:
        return np.asarray(plain)
    with np.errstate(divide="ignore", invalid="ignore"):  # where the other rule is taken
        return np.asarray(plain + at_zero * np.log(high / low))


def beta_moment(a: float, b: float, ends: FloatArray, powers: Powers) -> FloatArray:
    """Integrate s^i (1 - s)^j against a beta density, up to each end."""
    from scipy.special import betainc, betaln

    a_new, b_new = a + powers.share, b + powers.rest
    if min(a_new, b_new) <= 0:
        return np.where(ends > 0, np.inf, 0.0)
    return np.asarray(np.exp(betaln(a_new, b_new) - betaln(a, b)) * betainc(a_new, b_new, ends))
