"""Shapes of belief about a share from 0 to 1: a prevalence, or the miss's share of the costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, get_args

import numpy as np

from rocch.errors import bad_input, kind_of
from rocch.inputs import as_array, as_number, as_scores, as_weights
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
    from collections.abc import Sequence

    from rocch.arrays import FloatArray

Scale = Literal["share", "times", "ratio"]
"""On what a quantity is stated. For costs: the miss's share c of both, how many times as bad a miss
is, c / (1 - c), or the ratio of a false alarm's cost to a miss's, (1 - c) / c."""

SCALES = get_args(Scale)


class Shape(Protocol):
    """A distribution on [0, 1]."""

    @property
    def support(self) -> Interval:
        """Where the share can lie."""

    @property
    def likely(self) -> float | None:
        """The share thought most likely, where the shape has one."""

    def cumulative(
        self, upto: FloatArray, powers: Powers = MASS, *, inclusive: bool = True
    ) -> tuple[FloatArray, float]:
        """Integrate s^i (1 - s)^j up to each of rising points, and state the error."""

    def quantile(self, mass: FloatArray) -> FloatArray:
        """Return the shares below which given masses lie."""


@dataclass(frozen=True, slots=True)
class Straight:
    """A density made of straight pieces: uniform, triangular."""

    pieces: tuple[Piece, ...]
    likely: float | None = None

    @property
    def support(self) -> Interval:
        """Where the density is."""
        return Interval(self.pieces[0].low, self.pieces[-1].high)

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
        from scipy.special import betaincinv

        return np.asarray(betaincinv(self.a, self.b, mass))


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
        return quantile_moment(self.quantile, self._from_top, masses, powers.of)

    def quantile(self, mass: FloatArray) -> FloatArray:
        """Ask SciPy, from whichever end the share rises."""
        falling = self.scale == "ratio"
        return self._share(self.distribution.isf(mass) if falling else self._lowest(mass))

    def _from_top(self, mass: FloatArray) -> FloatArray:
        falling = self.scale == "ratio"
        return self._share(self._lowest(mass) if falling else self.distribution.isf(mass))

    def _lowest(self, mass: FloatArray) -> FloatArray:
        return np.asarray(self.distribution.ppf(mass))

    def _masses(self, upto: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore"):
            if self.scale == "ratio":
                return np.asarray(self.distribution.sf((1 - upto) / upto))
            stated = upto / (1 - upto) if self.scale == "times" else upto
        return np.asarray(self.distribution.cdf(stated))

    def _share(self, stated: FloatArray) -> FloatArray:
        return np.asarray(share_of(stated, self.scale))


def share_of(stated: Any, scale: Scale) -> Any:
    """Return shares from what is stated on a scale."""
    numbers = np.asarray(stated, dtype=float)
    if scale == "share":
        return numbers
    if scale == "ratio":
        return 1 / (1 + numbers)
    with np.errstate(invalid="ignore"):  # 9 times must be 0.9 to the last digit; infinity is 1
        return np.where(np.isinf(numbers), 1.0, numbers / (1 + numbers))


def point(share: float) -> Atoms:
    """Return a belief without doubt."""
    return Atoms(np.array([share]), np.ones(1))


def uniform(low: float, high: float) -> Shape:
    """Return an even belief between two shares."""
    if low == high:
        return point(low)
    height = 1 / (high - low)
    return Straight((Piece(low, high, height, height),))


def triangle(low: float, likely: float, high: float) -> Shape:
    """Return a triangular belief (Adams and Hand, section 3)."""
    if low == high:
        return point(low)
    height = 2 / (high - low)
    pieces = (Piece(low, likely, 0.0, height), Piece(likely, high, height, 0.0))
    return Straight(tuple(piece for piece in pieces if piece.low < piece.high), likely)


def beta(a: Any, b: Any) -> BetaShape:
    """Return a beta-shaped belief; both parameters must be positive."""
    for name, value in (("a", a), ("b", b)):
        if as_number(value, name, least=0, do="For example a=2, b=2.") == 0:
            raise bad_input(name, "be positive", 0, "For example a=2, b=2.")
    return BetaShape(float(a), float(b))


def like(given: Any, scale: Scale, *, weights: Any = None, argument: str) -> Shape:
    """Return the shape of a frozen SciPy distribution, or of a sample."""
    if all(hasattr(given, name) for name in ("cdf", "ppf", "isf", "sf", "pdf")):
        if weights is not None:
            raise bad_input(
                "weights", "go with a sample", "a distribution and weights", "Leave them out."
            )
        return _frozen(given, scale, argument)
    if hasattr(given, "cdf"):
        raise bad_input(
            argument,
            "be a sample or a frozen continuous SciPy distribution",
            kind_of(given),
            "For example scipy.stats.lognorm(0.5, scale=9); draw a sample from any other.",
        )
    return sampled(as_array(given, argument), scale, weights=weights, argument=argument)


def sampled(values: Any, scale: Scale, *, weights: Any, argument: str) -> Atoms:
    """Return the shape of a sample, each value with its weight."""
    numbers = as_scores(values, len(values), argument=argument)
    top = 1.0 if scale == "share" else np.inf
    outside = np.flatnonzero((numbers < 0) | (numbers > top))
    if outside.size:
        raise bad_input(
            argument,
            f"lie between 0 and {top:g}",
            f"{numbers[outside[0]]:g} at position {outside[0]}",
            "Leave out what cannot be.",
        )
    mass = np.ones(numbers.size) if weights is None else as_weights(weights, numbers.size)
    if not mass.any():
        raise bad_input("weights", "leave some belief", "zeros only", "Give one a weight.")
    shares = share_of(numbers, scale)
    kept = np.flatnonzero(mass)
    distinct, place = np.unique(shares[kept], return_inverse=True)
    return Atoms(distinct, np.bincount(place, mass[kept] / mass.sum()).astype(float))


def _frozen(distribution: Any, scale: Scale, argument: str) -> Frozen:
    low, high = (float(end) for end in distribution.support())
    top = 1.0 if scale == "share" else np.inf
    inside = float(distribution.cdf(top) - distribution.cdf(0.0))
    if not np.isfinite(inside) or inside <= 0:
        raise bad_input(
            argument,
            f"have some mass between 0 and {top:g}",
            f"a distribution from {low:g} to {high:g} with none there",
            "Check its loc and scale.",
        )
    if low < 0 or high > top:
        raise bad_input(
            argument,
            f"lie between 0 and {top:g}",
            f"a distribution from {low:g} to {high:g}",
            "Costs and shares are not negative, and a share is at most 1; use a distribution such "
            "as lognorm, gamma, beta or truncnorm.",
        )
    return Frozen(distribution, scale)


def from_bounds(
    bounds: Sequence[float], likely: float | None, *, scale: Scale, lie_on: Scale
) -> Shape:
    """Return the shape between two bounds (rising) stated on one scale, even or triangular.

    It lies on the share unless asked otherwise: on `times` or `ratio` the same three numbers make
    a different belief.
    """
    low, high = sorted(share_of(np.array(bounds, dtype=float), scale).tolist())
    top = None if likely is None else float(share_of(np.float64(likely), scale))
    if lie_on == "share" or low == high:
        return uniform(low, high) if top is None else triangle(low, top, high)
    from scipy.stats import triang
    from scipy.stats import uniform as even

    ends = np.sort(_stated(np.array([low, high]), lie_on))
    if not np.isfinite(ends).all():
        raise bad_input(
            "on",
            "be 'share' where an end is open",
            repr(lie_on),
            "Nothing is even or triangular all the way to infinity.",
        )
    width = float(ends[1] - ends[0])
    if top is None:
        return Frozen(even(ends[0], width), lie_on)
    peak = float((_stated(np.float64(top), lie_on) - ends[0]) / width)
    return Frozen(triang(min(max(peak, 0.0), 1.0), ends[0], width), lie_on, top)


def _stated(shares: Any, scale: Scale) -> Any:
    """Return shares as stated on a scale."""
    if scale == "share":
        return shares
    with np.errstate(divide="ignore"):
        times = shares / (1 - shares)
        return times if scale == "times" else 1 / times
