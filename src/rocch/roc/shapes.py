"""Shapes of belief about a share: a prevalence, or the miss's share of both costs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from rocch.arrays import FloatArray
from rocch.errors import Hint, InputError, describe_type
from rocch.inputs import (
    SMALLEST_WEIGHT,
    as_choice,
    as_number,
    as_scores,
    as_weights,
    is_number,
)
from rocch.kernels.moments import MASS, Piece, Powers, beta_moment, linear_moment, quantile_moment
from rocch.roc.conditions import Interval

# The scale of a quantity. For costs: the miss's share c of both, how many times as bad a miss is,
# c / (1 - c), or the ratio of a false alarm's cost to a miss's, (1 - c) / c.
Scale = Literal["share", "times", "ratio"]
SCALES = get_args(Scale)
# Integrals up to some points, and their error.
Integrals: TypeAlias = tuple[FloatArray, float]

# Between the quantiles of these masses one quadrature rule suits any smooth shape.
MARKS = np.array([1e-5, 1e-3, 0.05, 0.3, 0.7, 0.95, 1 - 1e-3, 1 - 1e-5])
# Where SciPy's quantile is infinite, the smallest of these masses with a finite one is used.
SMALLEST_MASSES = (1e-17, 1e-16, 1e-15, 1e-14, 1e-12)
# The upper tail of a discrete distribution that is ignored, and the most values of one.
IMPOSSIBLE, MOST_VALUES = 1e-15, 1e5
# The largest finite "times as bad": above it shares near 1 lose more than half of their digits.
LARGEST_TIMES = 1e9

BELIEF_EXAMPLE = Hint(
    "For example: Belief.cost_ratio(5, 10, likely=9), or Belief.inverse_cost_ratio(2, 4)."
)


@dataclass(frozen=True, slots=True)
class PiecewiseLinear:
    """A uniform, triangular or other piecewise linear density."""

    pieces: tuple[Piece, ...]
    likely: float | None = None

    @property
    def support(self) -> Interval:
        """The range of the density."""
        return Interval(self.pieces[0].low, self.pieces[-1].high)

    @property
    def kinks(self) -> tuple[float, ...]:
        """The ends of the pieces."""
        return (self.pieces[0].low, *(piece.high for piece in self.pieces))

    def cumulative(
        self,
        ends: FloatArray,
        powers: Powers = MASS,
        *,
        inclusive: bool = True,  # noqa: ARG002 - a single share has no mass
    ) -> Integrals:
        """Integrate powers up to each end, in closed form."""
        parts = [linear_moment(piece, ends, powers) for piece in self.pieces]
        return np.asarray(np.sum(parts, axis=0)), 0.0

    def quantile(self, mass: FloatArray, *, from_top: bool = False) -> FloatArray:
        """Return the quantiles of masses."""
        if from_top:
            mirrored = tuple(piece.mirror() for piece in reversed(self.pieces))
            return 1 - PiecewiseLinear(mirrored).quantile(mass)
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
        """The range of all shares."""
        return Interval(0.0, 1.0)

    @property
    def likely(self) -> float | None:
        """The mode, if it is inside."""
        inside = self.a > 1 and self.b > 1
        return (self.a - 1) / (self.a + self.b - 2) if inside else None

    @property
    def kinks(self) -> tuple[float, ...]:
        """The ends, and some quantiles for narrow peaks."""
        return (0.0, *self.quantile(MARKS).tolist(), 1.0)

    def cumulative(
        self,
        ends: FloatArray,
        powers: Powers = MASS,
        *,
        inclusive: bool = True,  # noqa: ARG002 - a single share has no mass
    ) -> Integrals:
        """Integrate powers up to each end, in closed form."""
        return beta_moment(self.a, self.b, ends, powers), 0.0

    def quantile(self, mass: FloatArray, *, from_top: bool = False) -> FloatArray:
        """Return the quantiles of masses."""
        from scipy.special import betaincinv

        normal = np.where(mass < np.finfo(float).tiny, 0.0, mass)  # SciPy gives NaN for denormals
        if from_top:
            return np.asarray(1 - betaincinv(self.b, self.a, normal))
        return np.asarray(betaincinv(self.a, self.b, normal))


@dataclass(frozen=True, slots=True, eq=False)
class Atoms:
    """A point or a sample: shares with weights that sum to 1."""

    shares: FloatArray
    weights: FloatArray

    @property
    def support(self) -> Interval:
        """The range of the shares."""
        return Interval(float(self.shares[0]), float(self.shares[-1]))

    @property
    def likely(self) -> float | None:
        """The share, if there is only one."""
        return float(self.shares[0]) if self.shares.size == 1 else None

    @property
    def kinks(self) -> tuple[float, ...]:
        """The shares."""
        return tuple(self.shares.tolist())

    def cumulative(
        self, ends: FloatArray, powers: Powers = MASS, *, inclusive: bool = True
    ) -> Integrals:
        """Sum powers of the shares up to each end."""
        with np.errstate(invalid="ignore"):
            sums = np.concatenate(([0.0], np.cumsum(self.weights * powers.of(self.shares))))
        return sums[np.searchsorted(self.shares, ends, side="right" if inclusive else "left")], 0.0

    def quantile(self, mass: FloatArray, *, from_top: bool = False) -> FloatArray:
        """Return the quantiles of masses."""
        order = slice(None, None, -1 if from_top else 1)
        place = np.searchsorted(np.cumsum(self.weights[order]), mass)
        return self.shares[order][np.minimum(place, self.shares.size - 1)]


@dataclass(frozen=True, slots=True, eq=False)
class ScipyShape:
    """A continuous SciPy distribution on one of the scales."""

    distribution: Any
    scale: Scale = "share"
    likely: float | None = None

    @property
    def support(self) -> Interval:
        """The range of the distribution."""
        ends = share_of(np.array(self.distribution.support(), dtype=float), self.scale)
        return Interval(float(ends.min()), float(ends.max()))

    @property
    def kinks(self) -> tuple[float, ...]:
        """The ends, some quantiles, and the most likely share."""
        top = () if self.likely is None else (self.likely,)
        return tuple(sorted({*self.support, *self.quantile(MARKS).tolist(), *top}))

    def cumulative(
        self,
        ends: FloatArray,
        powers: Powers = MASS,
        *,
        inclusive: bool = True,  # noqa: ARG002 - a single share has no mass
    ) -> Integrals:
        """Integrate powers up to each end, by quadrature over the mass."""
        masses = self._masses(ends)
        if powers == MASS:
            return masses, 0.0
        kinks = self._masses(np.array(self.kinks))
        return quantile_moment(self.quantile, masses, powers.of, kinks)

    def quantile(self, mass: FloatArray, *, from_top: bool = False) -> FloatArray:
        """Return the quantiles of masses."""
        falling = self.scale == "ratio"
        if falling == from_top:
            return share_of(np.asarray(self.distribution.ppf(mass)), self.scale)
        with np.errstate(all="ignore"):
            found = np.array(self.distribution.isf(mass), dtype=float)
            for least in SMALLEST_MASSES:
                lost = ~np.isfinite(found)
                if not lost.any():
                    break
                found[lost] = self.distribution.isf(np.maximum(np.asarray(mass)[lost], least))
        return share_of(found, self.scale)

    def _masses(self, ends: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore"):
            if self.scale == "ratio":
                return np.asarray(self.distribution.sf((1 - ends) / ends))
            stated = ends / (1 - ends) if self.scale == "times" else ends
        return np.asarray(self.distribution.cdf(stated))


Shape: TypeAlias = PiecewiseLinear | BetaShape | Atoms | ScipyShape


def share_of(stated: ArrayLike, scale: Scale) -> FloatArray:
    """Convert values on a scale to shares."""
    numbers = np.asarray(stated, dtype=float)
    if scale == "share":
        return numbers
    if scale == "ratio":
        return np.asarray(1 / (1 + numbers))
    with np.errstate(invalid="ignore"):  # 9 times must be 0.9 to the last digit; infinity is 1
        return np.where(np.isinf(numbers), 1.0, numbers / (1 + numbers))


def _from_share(shares: FloatArray, scale: Scale) -> FloatArray:
    """Convert shares to times or ratios."""
    with np.errstate(divide="ignore"):
        times = shares / (1 - shares)
        return times if scale == "times" else 1 / times


def point(share: float) -> Atoms:
    """Return the shape of certainty."""
    return Atoms(np.array([share]), np.ones(1))


def triangle(low: float, high: float, likely: float | None) -> Shape:
    """Return a triangular shape (Adams and Hand, section 3), uniform without a likely share."""
    if low == high:
        return point(low)
    if likely is None:
        return PiecewiseLinear((Piece(low, high, 1 / (high - low), 1 / (high - low)),))
    height = 2 / (high - low)
    pieces = (Piece(low, likely, 0.0, height), Piece(likely, high, height, 0.0))
    return PiecewiseLinear(tuple(piece for piece in pieces if piece.low < piece.high), likely)


def beta(a: float, b: float) -> BetaShape:
    """Return a beta shape."""
    hint = Hint("For example a=2, b=2.")
    return BetaShape(as_number(a, "a", above=0, hint=hint), as_number(b, "b", above=0, hint=hint))


def as_shape(given: Any, scale: Scale, weights: ArrayLike | None) -> Shape:
    """Return the shape of a frozen SciPy distribution or a sample."""
    frozen = hasattr(given, "dist")
    if frozen and weights is not None:
        raise InputError("weights", "go with a sample", "a distribution and weights")
    if frozen and all(hasattr(given, name) for name in ("cdf", "ppf", "isf", "sf", "pdf")):
        return _continuous_shape(given, scale)
    if all(hasattr(given, name) for name in ("pmf", "ppf", "isf", "support")):
        return _discrete_shape(given, scale)
    if hasattr(given, "cdf"):
        raise InputError(
            "given",
            "be a sample or a frozen SciPy distribution",
            describe_type(given),
            Hint("For example scipy.stats.lognorm(0.5, scale=9); draw a sample from any other."),
        )
    return sample_shape(given, scale, weights)


def sample_shape(values: ArrayLike, scale: Scale, weights: ArrayLike | None) -> Atoms:
    """Return the shape of a weighted sample."""
    numbers = as_scores(values, argument="given")
    top = 1.0 if scale == "share" else np.inf
    outside = np.flatnonzero((numbers < 0) | (numbers > top))
    if outside.size:
        got = f"{numbers[outside[0]]:g} at position {outside[0]}"
        raise InputError("given", f"lie between 0 and {top:g}", got)
    masses = as_masses(weights, numbers.size, "values")
    possible = np.flatnonzero(masses)
    shares, place = np.unique(share_of(numbers, scale)[possible], return_inverse=True)
    return Atoms(shares, np.bincount(place, masses[possible]).astype(float))


def as_masses(weights: ArrayLike | None, size: int, rows: str) -> FloatArray:
    """Return weights that sum to 1, by default equal ones."""
    if weights is None:
        return np.full(size, 1 / size)
    masses = as_weights(weights, size, argument="weights", rows=rows)
    if not masses.any():
        raise InputError("weights", "not all be 0", "only zeros")
    return np.asarray(masses / masses.sum())


def _discrete_shape(distribution: Any, scale: Scale) -> Atoms:
    """Return the values of a discrete distribution, without an impossibly far tail."""
    low = float(distribution.support()[0])
    beyond = float(distribution.sf(low + MOST_VALUES))
    if not np.isfinite(low) or beyond > IMPOSSIBLE:
        raise InputError(
            "given",
            f"have at most {MOST_VALUES:g} possible values",
            f"a discrete distribution from {low:g} on with more",
            "Draw a sample.",
        )
    values = np.arange(low, float(distribution.isf(IMPOSSIBLE)) + 1)
    masses = distribution.pmf(values)
    masses[masses < SMALLEST_WEIGHT] = 0
    return sample_shape(values, scale, masses)


def _continuous_shape(distribution: Any, scale: Scale) -> ScipyShape:
    if np.size(distribution.cdf(1.0)) != 1:
        raise InputError("given", "be about one quantity", "several at once")
    low, high = (float(end) for end in distribution.support())
    top = 1.0 if scale == "share" else np.inf
    if not 0 <= low < high <= top:  # NaN if its parameters are impossible
        raise InputError(
            "given",
            f"lie between 0 and {top:g}",
            f"a distribution from {low:g} to {high:g}",
            "Check its loc and scale, or use one such as lognorm, gamma, beta or truncnorm.",
        )
    return ScipyShape(distribution, scale)


class Elicited(NamedTuple):
    """An expert's numbers: times as bad for misses, a ratio for false alarms, or a share."""

    low: float
    high: float
    likely: float | None
    scale: Scale

    def describe(self, sentence: str) -> str:
        """Return a sentence with the numbers filled in."""
        if self.low == self.high:
            return sentence.format(f"{self.low:g}")
        open_end = math.isinf(self.high)
        bounds = f"{self.low:g} or more" if open_end else f"{self.low:g} to {self.high:g}"
        likely = "" if self.likely is None else f", most likely {self.likely:g}"
        return sentence.format(bounds) + likely


def elicit(low: float, high: float | None, likely: float | None, scale: Scale) -> Elicited:
    """Check an expert's numbers."""
    low = as_number(low, "low", least=0, hint=BELIEF_EXAMPLE)
    if high is None:
        if likely is not None:
            raise InputError("high", "be given with {likely}", "None")
        high = low
    elif not (is_number(high) and math.isinf(high)):
        high = as_number(high, "high", least=0, hint=BELIEF_EXAMPLE)
    if low > high:
        got = f"{low:g} and {high:g}"
        raise InputError("low", "not exceed the upper bound", got, f"Write {high:g}, {low:g}.")
    if likely is not None:
        likely = as_number(likely, "likely", least=low, most=high)
    times = {"times": high, "ratio": 1 / low if low else math.inf, "share": 1.0}[scale]
    if LARGEST_TIMES < times < math.inf:
        raise InputError(
            "high" if scale == "times" else "low",
            f"keep a miss within {LARGEST_TIMES:g} times as bad as a false alarm, or leave it open",
            f"{times:g}",
            "An open end is infinity for misses, and 0 for false alarms.",
        )
    return Elicited(low, float(high), likely, scale)


def elicited_shape(numbers: Elicited, on: Scale = "share") -> Shape:
    """Return a uniform shape, or a triangular one with a likely value."""
    as_choice(on, SCALES, "on")
    low, high, likely = _elicited_shares(numbers)
    if on == "share" or low == high:
        return triangle(low, high, likely)
    from scipy.stats import triang, uniform

    scale = _cost_scale(on, numbers.scale)
    ends = np.sort(_from_share(np.array([low, high]), scale))
    if not np.isfinite(ends).all():
        raise InputError(
            "on",
            "be 'share' where an end is open",
            repr(on),
            "No uniform or triangular shape reaches infinity.",
        )
    width = float(ends[1] - ends[0])
    if likely is None:
        return ScipyShape(uniform(ends[0], width), scale)
    peak = float((_from_share(np.array(likely), scale) - ends[0]) / width)
    return ScipyShape(triang(min(max(peak, 0.0), 1.0), ends[0], width), scale, likely)


def _elicited_shares(numbers: Elicited) -> tuple[float, float, float | None]:
    low, high = sorted(share_of(np.array(numbers[:2]), numbers.scale).tolist())
    if numbers.likely is None:
        return low, high, None
    return low, high, float(share_of(numbers.likely, numbers.scale))


def _cost_scale(on: Scale, stated: Scale) -> Scale:
    """Return the scale of misses: "times" and "ratio" swap for numbers about false alarms."""
    swapped: dict[Scale, Scale] = {"share": "share", "times": "ratio", "ratio": "times"}
    return swapped[on] if stated == "ratio" else on


def other_shapes(numbers: Elicited) -> dict[str, Shape]:
    """Return the usual shapes for an expert's numbers by name."""
    low, high, likely = _elicited_shares(numbers)
    even = numbers._replace(likely=None)
    found: dict[str, Shape] = {"even on the share": elicited_shape(even)}
    if likely is not None:
        found["triangle on the share"] = elicited_shape(numbers)
        found["all at the likely value"] = point(likely)
        found["PERT beta on the share"] = _pert(low, likely, high)
    open_end = {"times": high == 1, "ratio": low == 0}
    names: dict[Scale, str] = {"times": "times as bad", "ratio": "ratio"}
    for on, name in names.items():
        if low < high and not open_end[_cost_scale(on, numbers.scale)]:
            if likely is not None:
                found[f"triangle on the {name}"] = elicited_shape(numbers, on)
            found[f"even on the {name}"] = elicited_shape(even, on)
    return found


def _pert(low: float, likely: float, high: float) -> Shape:
    """Return the PERT beta distribution of three points."""
    from scipy.stats import beta

    if low == high:
        return point(low)
    peak = (likely - low) / (high - low)
    return ScipyShape(beta(1 + 4 * peak, 5 - 4 * peak, low, high - low))
