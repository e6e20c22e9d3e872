"""Shapes of belief about a share from 0 to 1, and how they are made from what experts say."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol, get_args

import numpy as np

from rocch.arrays import FloatArray
from rocch.errors import InputError, describe_type
from rocch.inputs import (
    SMALLEST_WEIGHT,
    as_array,
    as_number,
    as_scores,
    as_weights,
    check_length,
    is_number,
)
from rocch.kernels.moments import (
    MASS,
    Piece,
    Powers,
    beta_moment,
    linear_moment,
    quantile_moment,
)
from rocch.roc.conditions import Interval

# --- Shapes of belief about a share from 0 to 1: a prevalence, or the miss's share of the costs ---

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


# --- How shapes of belief are made: from a number, from bounds, from a distribution or a sample ---

IMPOSSIBLE, MOST_VALUES = 1e-15, 1e5
"""A discrete distribution's upper tail of this mass is left out; it may have so many values."""


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
        if as_number(value, name, least=0, hint="For example a=2, b=2.") == 0:
            raise InputError(name, "be positive", 0, "For example a=2, b=2.")
    return BetaShape(float(a), float(b))


def like(given: Any, scale: Scale, *, weights: Any = None, argument: str) -> Shape:
    """Return the shape of a frozen SciPy distribution, or of a sample."""
    frozen = hasattr(given, "dist")
    if frozen and all(hasattr(given, name) for name in ("cdf", "ppf", "isf", "sf", "pdf")):
        if weights is not None:
            raise InputError(
                "weights", "go with a sample", "a distribution and weights", "Leave them out."
            )
        return _frozen(given, scale, argument)
    if all(hasattr(given, name) for name in ("pmf", "ppf", "isf", "support")):
        return _discrete(given, scale, argument)
    if hasattr(given, "cdf"):
        raise InputError(
            argument,
            "be a sample or a frozen SciPy distribution",
            describe_type(given),
            "For example scipy.stats.lognorm(0.5, scale=9); draw a sample from any other.",
        )
    return sampled(as_array(given, argument), scale, weights=weights, argument=argument)


def sampled(values: Any, scale: Scale, *, weights: Any, argument: str) -> Atoms:
    """Return the shape of a sample, each value with its weight."""
    numbers = as_scores(values, len(values), argument=argument)
    top = 1.0 if scale == "share" else np.inf
    outside = np.flatnonzero((numbers < 0) | (numbers > top))
    if outside.size:
        raise InputError(
            argument,
            f"lie between 0 and {top:g}",
            f"{numbers[outside[0]]:g} at position {outside[0]}",
            "Leave out what cannot be.",
        )
    mass = (
        np.ones(numbers.size)
        if weights is None
        else as_weights(weights, numbers.size, argument="weights", rows="values")
    )
    if not mass.any():
        raise InputError("weights", "leave some belief", "zeros only", "Give one a weight.")
    shares = share_of(numbers, scale)
    kept = np.flatnonzero(mass)
    distinct, place = np.unique(shares[kept], return_inverse=True)
    return Atoms(distinct, np.bincount(place, mass[kept] / mass.sum()).astype(float))


def _discrete(distribution: Any, scale: Scale, argument: str) -> Atoms:
    """Take the values of a discrete distribution, but for tails that are all but impossible."""
    low = float(distribution.support()[0])
    beyond = float(distribution.sf(low + MOST_VALUES))
    if not np.isfinite(low) or beyond > IMPOSSIBLE:
        raise InputError(
            argument,
            f"have at most {MOST_VALUES:g} values that are possible",
            f"a discrete distribution from {low:g} on with more",
            "Draw a sample.",
        )
    high = float(distribution.isf(IMPOSSIBLE))
    values = np.arange(low, high + 1)
    masses = distribution.pmf(values)
    masses[masses < SMALLEST_WEIGHT] = 0
    return sampled(values, scale, weights=masses, argument=argument)


def _frozen(distribution: Any, scale: Scale, argument: str) -> Frozen:
    if np.size(distribution.cdf(1.0)) != 1:
        raise InputError(argument, "be about one quantity", "several at once", "Pass one of them.")
    low, high = (float(end) for end in distribution.support())
    top = 1.0 if scale == "share" else np.inf
    inside = float(distribution.cdf(top) - distribution.cdf(0.0))
    if not np.isfinite(inside) or inside <= 0:
        raise InputError(
            argument,
            f"have some mass between 0 and {top:g}",
            f"a distribution from {low:g} to {high:g} with none there",
            "Check its loc and scale.",
        )
    if low < 0 or high > top:
        raise InputError(
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
        raise InputError(
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
    """Return shares as times, or as ratios."""
    with np.errstate(divide="ignore"):
        times = shares / (1 - shares)
        return times if scale == "times" else 1 / times


# --- What experts say about costs and class balance, checked, and in words ------------------------

NAMED = "For example: Belief.miss_costs(5, 10, likely=9), or Belief.false_alarm_costs(2, 4)."

LARGEST = 1e9
"""The largest finite "times as bad": beyond it shares next to 1 would lose more than half of their
digits."""


class Elicited(NamedTuple):
    """The numbers an expert gave, on their scale: "times as bad" for misses, a ratio otherwise."""

    low: float
    high: float
    likely: float | None
    scale: Scale


def elicit(low: Any, high: Any, likely: Any, scale: Scale, on: Scale) -> Elicited:
    """Check an expert's numbers."""
    if on not in SCALES:
        raise InputError("on", "be 'share', 'times' or 'ratio'", repr(on), "See Belief.miss_costs.")
    if high is None:
        if likely is not None:
            raise InputError("high", "be given with likely", "nothing", "Name both bounds.")
        high = low
    for name, value in (("low", low), ("high", high), ("likely", likely)):
        wanted = name == "low" or value is not None
        if wanted and (not is_number(value) or value < 0):
            raise InputError(name, "be a number, not negative", repr(value), NAMED)
    if likely is not None and math.isinf(likely):
        raise InputError("likely", "be finite", repr(likely), "Name a value that is likely.")
    if math.isinf(low):
        raise InputError("low", "be finite", repr(low), "Only the upper end may be open.")
    if low > high:
        raise InputError(
            "low", "not exceed high", f"{low:g} and {high:g}", f"Write {high:g}, {low:g}."
        )
    if likely is not None and not low <= likely <= high:
        raise InputError(
            "likely", f"lie between {low:g} and {high:g}", f"{likely:g}", "Widen the bounds."
        )
    _check_range(low, high, scale)
    return Elicited(float(low), float(high), None if likely is None else float(likely), scale)


def _check_range(low: float, high: float, scale: Scale) -> None:
    """Refuse finite ratios so large that doubles cannot tell their shares apart."""
    inverse = 1 / low if low else math.inf
    times = {"times": high, "ratio": inverse, "share": 1.0}[scale]
    if LARGEST < times < math.inf:
        raise InputError(
            "high" if scale == "times" else "low",
            f"keep a miss within {LARGEST:g} times as bad as a false alarm, or leave it open",
            f"{times:g}",
            "An open end is infinity for misses, and 0 for false alarms.",
        )


def other_shapes(said: Elicited) -> dict[str, Shape]:
    """Return the usual shapes for three numbers, on each scale that has room for them."""
    ends = share_of(np.array(said[:2]), said.scale)
    low, high = sorted(ends.tolist())
    found: dict[str, Shape] = {"even on the share": uniform(low, high)}
    if said.likely is not None:
        top = float(share_of(np.float64(said.likely), said.scale))
        found["triangle on the share"] = triangle(low, top, high)
        found["all at the likely value"] = point(top)
        found["PERT beta on the share"] = _pert(low, top, high)
    open_end = {"times": high == 1, "ratio": low == 0}
    for on in ("times", "ratio"):
        scale = lies_on(on, said.scale)
        if low < high and not open_end[scale]:
            if said.likely is not None:
                found[f"triangle on the {_SCALE_NAME[on]}"] = from_bounds(
                    said[:2], said.likely, scale=said.scale, lie_on=scale
                )
            found[f"even on the {_SCALE_NAME[on]}"] = from_bounds(
                said[:2], None, scale=said.scale, lie_on=scale
            )
    return found


def lies_on(on: Scale, said: Scale) -> Scale:
    """Return the scale of the shapes for what an expert means by "times" and by "ratio".

    Shapes count in misses: how many times as bad as a false alarm one is. Who says how many times
    as bad a *false alarm* is means the inverse.
    """
    swapped: dict[Scale, Scale] = {"share": "share", "times": "ratio", "ratio": "times"}
    return swapped[on] if said == "ratio" else on


_SCALE_NAME: dict[Scale, str] = {"times": "times as bad", "ratio": "ratio"}


def _pert(low: float, top: float, high: float) -> Shape:
    """Return the beta distribution that project planners make of three points."""
    from scipy.stats import beta

    if low == high:
        return point(low)
    width = high - low
    peak = (top - low) / width
    return Frozen(beta(1 + 4 * peak, 5 - 4 * peak, low, width))


def spoken(said: Elicited) -> str:
    """Say the bounds, with a space after them."""
    if said.low == said.high:
        return f"{said.low:g} "
    return f"{said.low:g} or more " if math.isinf(said.high) else f"{said.low:g} to {said.high:g} "


def most_likely(said: Elicited) -> str:
    """Say the most likely value, if there is doubt."""
    return "" if said.likely is None or said.low == said.high else f", most likely {said.likely:g}"


def source(given: Any) -> str:
    """Say where a belief was taken from."""
    kind = getattr(getattr(given, "dist", None), "name", None)
    return f"SciPy's {kind}" if kind else f"a sample of {len(given)}"


def known_costs(**costs: float) -> list[float]:
    """Return costs that are known, by name; one of them must not be 0."""
    found = [as_number(cost, name, least=0) for name, cost in costs.items()]
    if not sum(found):
        raise InputError(", ".join(costs), "not both be 0", "no costs", "Name one of them.")
    return found


def cost_columns(**given: Any) -> list[FloatArray]:
    """Return numbers and columns as columns of one length, none of them negative."""
    rows = max(np.size(values) for values in given.values())
    columns = []
    for name, values in given.items():
        column = np.full(rows, values) if is_number(values) else as_array(values, name)
        check_length(column.size, rows, name)
        columns.append(as_weights(column, rows, argument=name))
    return columns
