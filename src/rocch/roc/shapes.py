"""Shapes of belief about a share from 0 to 1: a prevalence, or the miss's share of the costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, get_args

import numpy as np

from rocch.kernels.moments import (
    MASS,
    Piece,
    Powers,
    beta_moment,
    linear_moment,
    quantile_moment,
)
from rocch.roc.conditions import Interval

if TYPE_CHECKING:
    from rocch.arrays import FloatArray

Scale = Literal["share", "times", "ratio"]
"""On what a quantity is stated. For costs: the miss's share c of both, how many times as bad a miss
is, c / (1 - c), or the ratio of a false alarm's cost to a miss's, (1 - c) / c."""

SCALES = get_args(Scale)


MARKS = np.array([1e-5, 1e-3, 0.05, 0.3, 0.7, 0.95, 1 - 1e-3, 1 - 1e-5])
"""Masses between whose quantiles a smooth shape is mild enough for one rule."""

SMALLEST_MASSES = (1e-17, 1e-16, 1e-15, 1e-14, 1e-12)
"""Where SciPy takes a far quantile for infinite, the nearest of these that it does not is asked."""


class Shape(Protocol):
    """A distribution on [0, 1]."""

    @property
    def support(self) -> Interval:
        """Where the share can lie."""

    @property
    def likely(self) -> float | None:
        """The share thought most likely, where the shape has one."""

    @property
    def kinks(self) -> tuple[float, ...]:
        """Shares, rising, between which the distribution function is smooth."""

    def cumulative(
        self, upto: FloatArray, powers: Powers = MASS, *, inclusive: bool = True
    ) -> tuple[FloatArray, float]:
        """Integrate s^i (1 - s)^j up to each of some points, and state the error."""

    def quantile(self, mass: FloatArray) -> FloatArray:
        """Return the shares below which given masses lie."""

    def from_top(self, mass: FloatArray) -> FloatArray:
        """Return the shares above which given masses lie."""


@dataclass(frozen=True, slots=True)
class Straight:
    """A density made of straight pieces: uniform, triangular."""

    pieces: tuple[Piece, ...]
    likely: float | None = None

    @property
    def support(self) -> Interval:
        """Where the density is."""
        return Interval(self.pieces[0].low, self.pieces[-1].high)

    @property
    def kinks(self) -> tuple[float, ...]:
        """The ends of the pieces."""
        return (self.pieces[0].low, *(piece.high for piece in self.pieces))

    def cumulative(
        self,
        upto: FloatArray,
        powers: Powers = MASS,
        *,
        inclusive: bool = True,  # noqa: ARG002 - a single share has no mass
    ) -> tuple[FloatArray, float]:
        """Integrate in closed form."""
        parts = [linear_moment(piece, upto, powers) for piece in self.pieces]
        return np.asarray(np.sum(parts, axis=0)), 0.0

    def quantile(self, mass: FloatArray) -> FloatArray:
        """Solve the quadratic of the piece that a mass falls into."""
        ends = np.cumsum([linear_moment(p, np.array(p.high), MASS) for p in self.pieces])
        at = np.minimum(np.searchsorted(ends, mass), len(self.pieces) - 1)
        low, high, left, right = (np.array(column)[at] for column in zip(*self.pieces, strict=True))
        rest = np.maximum(mass - np.concatenate(([0.0], ends))[at], 0.0)
        root = np.sqrt(np.maximum(left**2 + 2 * (right - left) / (high - low) * rest, 0.0))
        with np.errstate(divide="ignore", invalid="ignore"):
            step = np.where(left + root > 0, 2 * rest / (left + root), 0.0)
        return np.asarray(np.minimum(low + step, high))

    def from_top(self, mass: FloatArray) -> FloatArray:
        """Turn it round and look from the bottom."""
        turned = Straight(tuple(piece.mirrored() for piece in reversed(self.pieces)))
        return 1 - turned.quantile(mass)


@dataclass(frozen=True, slots=True)
class BetaShape:
    """A beta distribution."""

    a: float
    b: float

    @property
    def support(self) -> Interval:
        """All shares."""
        return Interval(0.0, 1.0)

    @property
    def likely(self) -> float | None:
        """The mode, where it is inside."""
        inside = self.a > 1 and self.b > 1
        return (self.a - 1) / (self.a + self.b - 2) if inside else None

    @property
    def kinks(self) -> tuple[float, ...]:
        """The ends, and some quantiles: a rule between the ends alone would miss a narrow bulk."""
        return (0.0, *self.quantile(MARKS).tolist(), 1.0)

    def cumulative(
        self,
        upto: FloatArray,
        powers: Powers = MASS,
        *,
        inclusive: bool = True,  # noqa: ARG002 - a single share has no mass
    ) -> tuple[FloatArray, float]:
        """Integrate in closed form."""
        return beta_moment(self.a, self.b, upto, powers), 0.0

    def quantile(self, mass: FloatArray) -> FloatArray:
        """Invert the incomplete beta function."""
        return _beta_quantile(self.a, self.b, mass)

    def from_top(self, mass: FloatArray) -> FloatArray:
        """Turn it round and look from the bottom."""
        return 1 - _beta_quantile(self.b, self.a, mass)


@dataclass(frozen=True, slots=True, eq=False)
class Atoms:
    """Single shares with their weights, which sum to 1: a point, or a sample."""

    shares: FloatArray
    weights: FloatArray

    @property
    def support(self) -> Interval:
        """From the lowest to the highest."""
        return Interval(float(self.shares[0]), float(self.shares[-1]))

    @property
    def likely(self) -> float | None:
        """The share itself, if there is one only."""
        return float(self.shares[0]) if self.shares.size == 1 else None

    @property
    def kinks(self) -> tuple[float, ...]:
        """The shares themselves."""
        return tuple(self.shares.tolist())

    def cumulative(
        self, upto: FloatArray, powers: Powers = MASS, *, inclusive: bool = True
    ) -> tuple[FloatArray, float]:
        """Add up."""
        with np.errstate(invalid="ignore"):
            sums = np.concatenate(([0.0], np.cumsum(self.weights * powers.of(self.shares))))
        return sums[np.searchsorted(self.shares, upto, side="right" if inclusive else "left")], 0.0

    def quantile(self, mass: FloatArray) -> FloatArray:
        """Return the first share at which the weights reach a mass."""
        place = np.searchsorted(np.cumsum(self.weights), mass)
        return self.shares[np.minimum(place, self.shares.size - 1)]

    def from_top(self, mass: FloatArray) -> FloatArray:
        """Return the last share at which the weights reach a mass, counted from the top."""
        place = np.searchsorted(np.cumsum(self.weights[::-1]), mass)
        return self.shares[::-1][np.minimum(place, self.shares.size - 1)]


@dataclass(frozen=True, slots=True, eq=False)
class Frozen:
    """Any continuous distribution of SciPy's, on one of the scales."""

    distribution: Any
    scale: Scale = "share"
    likely: float | None = None

    @property
    def support(self) -> Interval:
        """Where the distribution says that it lies."""
        ends = self._share(np.array(self.distribution.support(), dtype=float))
        return Interval(float(ends.min()), float(ends.max()))

    @property
    def kinks(self) -> tuple[float, ...]:
        """The ends, some quantiles, and the most likely share; SciPy does not tell of others."""
        top = () if self.likely is None else (self.likely,)
        return tuple(sorted({*self.support, *self.quantile(MARKS).tolist(), *top}))

    def cumulative(
        self,
        upto: FloatArray,
        powers: Powers = MASS,
        *,
        inclusive: bool = True,  # noqa: ARG002 - a single share has no mass
    ) -> tuple[FloatArray, float]:
        """Take SciPy's word for masses; integrate over the mass for the rest."""
        masses = self._masses(upto)
        if powers == MASS:
            return masses, 0.0
        kinks = self._masses(np.array(self.kinks))
        return quantile_moment(self.quantile, self.from_top, masses, powers.of, kinks)

    def quantile(self, mass: FloatArray) -> FloatArray:
        """Ask SciPy, from whichever end the share rises."""
        falling = self.scale == "ratio"
        return self._share(self._highest(mass) if falling else self._lowest(mass))

    def from_top(self, mass: FloatArray) -> FloatArray:
        """Ask SciPy from the other end."""
        falling = self.scale == "ratio"
        return self._share(self._lowest(mass) if falling else self._highest(mass))

    def _lowest(self, mass: FloatArray) -> FloatArray:
        return np.asarray(self.distribution.ppf(mass))

    def _highest(self, mass: FloatArray) -> FloatArray:
        """Return quantiles from the top; SciPy gives up early on those of some distributions."""
        with np.errstate(all="ignore"):
            found = np.array(self.distribution.isf(mass), dtype=float)
            for least in SMALLEST_MASSES:
                lost = ~np.isfinite(found)
                if not lost.any():
                    break
                found[lost] = self.distribution.isf(np.maximum(np.asarray(mass)[lost], least))
        return found

    def _masses(self, upto: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore"):
            if self.scale == "ratio":
                return np.asarray(self.distribution.sf((1 - upto) / upto))
            stated = upto / (1 - upto) if self.scale == "times" else upto
        return np.asarray(self.distribution.cdf(stated))

    def _share(self, stated: FloatArray) -> FloatArray:
        return np.asarray(share_of(stated, self.scale))


def _beta_quantile(a: float, b: float, mass: FloatArray) -> FloatArray:
    from scipy.special import betaincinv

    seen = np.where(mass < np.finfo(float).tiny, 0.0, mass)  # SciPy gives NaN for denormal masses
    return np.asarray(betaincinv(a, b, seen))


def share_of(stated: Any, scale: Scale) -> Any:
    """Return shares from what is stated on a scale."""
    numbers = np.asarray(stated, dtype=float)
    if scale == "share":
        return numbers
    if scale == "ratio":
        return 1 / (1 + numbers)
    with np.errstate(invalid="ignore"):  # 9 times must be 0.9 to the last digit; infinity is 1
        return np.where(np.isinf(numbers), 1.0, numbers / (1 + numbers))
