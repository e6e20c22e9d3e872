"""How shapes of belief are made: from a number, from bounds, from a distribution or a sample."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.errors import bad_input, kind_of
from rocch.inputs import SMALLEST_WEIGHT, as_array, as_number, as_scores, as_weights
from rocch.kernels.moments import Piece
from rocch.roc.shapes import Atoms, BetaShape, Frozen, Straight, share_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocch.roc.shapes import Scale, Shape


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
        if as_number(value, name, least=0, do="For example a=2, b=2.") == 0:
            raise bad_input(name, "be positive", 0, "For example a=2, b=2.")
    return BetaShape(float(a), float(b))


def like(given: Any, scale: Scale, *, weights: Any = None, argument: str) -> Shape:
    """Return the shape of a frozen SciPy distribution, or of a sample."""
    frozen = hasattr(given, "dist")
    if frozen and all(hasattr(given, name) for name in ("cdf", "ppf", "isf", "sf", "pdf")):
        if weights is not None:
            raise bad_input(
                "weights", "go with a sample", "a distribution and weights", "Leave them out."
            )
        return _frozen(given, scale, argument)
    if all(hasattr(given, name) for name in ("pmf", "ppf", "isf", "support")):
        return _discrete(given, scale, argument)
    if hasattr(given, "cdf"):
        raise bad_input(
            argument,
            "be a sample or a frozen SciPy distribution",
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
    mass = (
        np.ones(numbers.size)
        if weights is None
        else as_weights(weights, numbers.size, argument="weights", rows="values")
    )
    if not mass.any():
        raise bad_input("weights", "leave some belief", "zeros only", "Give one a weight.")
    shares = share_of(numbers, scale)
    kept = np.flatnonzero(mass)
    distinct, place = np.unique(shares[kept], return_inverse=True)
    return Atoms(distinct, np.bincount(place, mass[kept] / mass.sum()).astype(float))


def _discrete(distribution: Any, scale: Scale, argument: str) -> Atoms:
    """Take the values of a discrete distribution, but for tails that are all but impossible."""
    low = float(distribution.support()[0])
    beyond = float(distribution.sf(low + MOST_VALUES))
    if not np.isfinite(low) or beyond > IMPOSSIBLE:
        raise bad_input(
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
        raise bad_input(argument, "be about one quantity", "several at once", "Pass one of them.")
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
    """Return shares as times, or as ratios."""
    with np.errstate(divide="ignore"):
        times = shares / (1 - shares)
        return times if scale == "times" else 1 / times
