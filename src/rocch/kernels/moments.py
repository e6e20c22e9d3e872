"""Partial moments of distributions on [0, 1]: closed forms, and quadrature where there are none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rocch.arrays import FloatArray

# How far the transformed axis is followed each way (to 2e-17 of an end), and in what steps.
REACH, HALVES = 3.2, 32


class QuadratureRule(NamedTuple):
    """Nodes between 0 and 1, their distances from 1, and weights.

    The distances are kept because a node's place does not hold them: beside 1 they are far smaller
    than its last digit. `coarse` are the weights of every second node alone; the difference is a
    generous error.
    """

    nodes: FloatArray
    from_top: FloatArray
    weights: FloatArray
    coarse: FloatArray


def tanh_sinh() -> QuadratureRule:
    """Return the rule of Takahasi and Mori (1974), exact to about 14 digits for smooth integrands.

    It copes with roots and logarithms at either end, which quantiles have there.
    """
    steps = np.linspace(-REACH, REACH, 2 * HALVES + 1)
    bend = np.exp(np.pi * np.sinh(steps))
    nodes, from_top = bend / (1 + bend), 1 / (1 + bend)
    weights = REACH / HALVES * np.pi * np.cosh(steps) * nodes * from_top
    coarse = np.where(np.arange(steps.size) % 2 == 0, 2 * weights, 0.0)
    return QuadratureRule(nodes, from_top, weights / weights.sum(), coarse / coarse.sum())


# Wanted are the integrals of s^i (1 - s)^j against a density of shares s from 0 to 1, up to a
# point: (0, 0) for mass, (1, 0) and (0, 1) where the two costs sum to one, (1, -1) and (-1, 1)
# where one of them is the unit of the other.

# Enough for the last digit where the pole is as far away as the stretch is long.
POLE_NODES = 16


class Powers(NamedTuple):
    """The powers i and j in s^i (1 - s)^j."""

    share: int
    rest: int

    def of(self, share: FloatArray) -> FloatArray:
        """Return s^i (1 - s)^j."""
        with np.errstate(divide="ignore"):
            return np.asarray(share ** float(self.share) * (1 - share) ** float(self.rest))


MASS = Powers(0, 0)


class Piece(NamedTuple):
    """A straight piece of a density, from one end to the other."""

    low: float
    high: float
    left: float  # the density at the lower end
    right: float

    def mirrored(self) -> Piece:
        """Return the piece for 1 - s."""
        return Piece(1 - self.high, 1 - self.low, self.right, self.left)

    def height(self, way: Any) -> Any:
        """Return the density at a share of the way from the lower end to the upper.

        On a narrow piece places themselves have too few digits left to tell it.
        """
        return self.left + (self.right - self.left) * way


def linear_moment(piece: Piece, upto: FloatArray, powers: Powers) -> FloatArray:
    """Integrate s^i (1 - s)^j over a straight piece of a density, up to each point; exact.

    Where a power is negative the integral has a logarithm; it is infinite if the density does not
    vanish at the pole.
    """
    end = np.clip(upto, piece.low, piece.high)
    if min(powers) < 0:
        return _beside_a_pole(piece, end, powers)
    way = (end - piece.low) / (piece.high - piece.low)
    # Simpson's rule is exact for polynomials up to the third degree
    first, middle, last = (
        powers.of(piece.low + part * (end - piece.low)) * piece.height(part * way)
        for part in (0.0, 0.5, 1.0)
    )
    return np.asarray((end - piece.low) / 6 * (first + 4 * middle + last))


def _beside_a_pole(piece: Piece, end: FloatArray, powers: Powers) -> FloatArray:
    """Integrate with a logarithm near the pole, and by a rule of Gauss's away from it.

    Where a stretch is short beside its distance from the pole the logarithm would cancel (four
    digits are left for "9 to 9.0001 times"); there a few nodes reach the last digit.
    """
    start = np.full(end.shape, piece.low)
    near, low, high = piece, start, end
    if powers.rest < 0:
        near = piece.mirrored()
        low, high = 1 - end, np.full(end.shape, near.high)
    nodes, weights = np.polynomial.legendre.leggauss(POLE_NODES)
    steps = (end - start)[..., None] * (nodes + 1) / 2
    heights = piece.height(steps / (piece.high - piece.low))
    with np.errstate(invalid="ignore"):  # at the pole itself, where the logarithm is taken
        far = (end - start) / 2 * ((powers.of(piece.low + steps) * heights) @ weights)
    return np.where(high <= 2 * low, far, _at_the_pole(near, low, high))


def _at_the_pole(piece: Piece, low: FloatArray, high: FloatArray) -> FloatArray:
    """Integrate (1 - s) / s times a line: d / s + (b - d) - b s, d being its height at 0."""
    rise = (piece.right - piece.left) / (piece.high - piece.low)
    at_zero = piece.left - rise * piece.low
    plain = (rise - at_zero) * (high - low) - rise * (high - low) * (high + low) / 2
    if at_zero == 0:
        return np.asarray(plain)
    with np.errstate(divide="ignore", invalid="ignore"):  # where the other rule is taken
        return np.asarray(plain + at_zero * np.log(high / low))


def beta_moment(a: float, b: float, upto: FloatArray, powers: Powers) -> FloatArray:
    """Integrate s^i (1 - s)^j against a beta density, up to each point: another beta's integral."""
    from scipy.special import betainc, betaln

    a_new, b_new = a + powers.share, b + powers.rest
    if min(a_new, b_new) <= 0:
        return np.where(upto > 0, np.inf, 0.0)
    return np.asarray(np.exp(betaln(a_new, b_new) - betaln(a, b)) * betainc(a_new, b_new, upto))


def quantile_moment(
    quantile: Callable[[FloatArray], FloatArray],
    from_top: Callable[[FloatArray], FloatArray],
    masses: FloatArray,
    value: Callable[[FloatArray], FloatArray],
    kinks: FloatArray,
) -> tuple[FloatArray, float]:
    """Integrate a function of a random quantity from its bottom up to given cumulative masses.

    `quantile` and `from_top` give the quantity at a mass counted from the bottom and from the top;
    `kinks` are masses at which the quantile is not smooth. Integrating over the mass instead of
    the quantity needs no density and leaves bounded functions bounded. Returns the integrals and
    a stated error.
    """
    edges = np.unique(np.concatenate(([0.0, 0.5, 1.0], kinks, masses.ravel())))
    rule = tanh_sinh()
    widths = np.diff(edges)[:, None]
    bottom = edges[:-1, None] + widths * rule.nodes
    top = 1 - edges[1:, None] + widths * rule.from_top
    half = int(np.searchsorted(edges, 0.5))
    heights = widths * np.concatenate((value(quantile(bottom[:half])), value(from_top(top[half:]))))
    with np.errstate(invalid="ignore"):  # the caller refuses infinite moments
        fine, coarse = (np.concatenate(([0.0], np.cumsum(heights @ w))) for w in rule[2:])
        error = float(np.max(np.abs(fine - coarse)))
    return fine[np.searchsorted(edges, masses)], error
