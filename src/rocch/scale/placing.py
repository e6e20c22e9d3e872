"""The buckets of `kernels.cuts` as expressions that every engine evaluates alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

import narwhals as nw

from rocch.kernels.cuts import SMALLEST_EXPONENT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocch.kernels.cuts import Grid


def bucket(
    score: nw.Expr, along: nw.Expr | bool, factors: Sequence[nw.Expr], shift: nw.Expr
) -> nw.Expr:
    """Return the bucket of a finite score.

    Parameters
    ----------
    along
        Whether it is cut along the magnitude.
    factors
        What the position is multiplied by, one after the other.
    shift
        What is added to the whole number.
    """
    position = score
    if along is True:
        position = magnitude(score)
    elif along is not False:
        position = _either(along, magnitude(score), score)
    for factor in factors:
        position = position * factor
    return position.floor().cast(nw.Int64) + shift


def grid_bucket(score: nw.Expr, grid: Grid, base: int = 0, *, covered: bool = False) -> nw.Expr:
    """Return the bucket of a score in a grid, beginning to count at `base`.

    `covered` says that it lies inside the grid.
    """
    inner = score if covered else score.clip(grid.low, grid.high)
    knots = grid.knots.tolist()
    along_any, pre_any = grid.cut.by_magnitude, grid.cut.pre
    along: nw.Expr | bool = bool(along_any[0])
    if along_any.any() and not along_any.all():
        along = _by_region(inner, knots, along_any.astype(float).tolist()) > 0
    factors = [_by_region(inner, knots, grid.cut.factor.tolist())]
    if (pre_any != 1).any():
        factors.insert(0, _by_region(inner, knots, pre_any.tolist()))
    shift = _by_region(inner, knots, (grid.cut.shift + base).tolist())
    inside = bucket(inner, along, factors, shift)
    if covered:
        return inside
    last = _either(score > grid.high, nw.lit(grid.buckets - 1 + base), inside)
    return _either(score < grid.low, nw.lit(base), last)


def magnitude(score: nw.Expr) -> nw.Expr:
    """Return the position along the magnitude; see `kernels.cuts.magnitudes`.

    The logarithm finds the power of two below, give or take one, and a comparison puts it right,
    so the result does not depend on how an engine rounds logarithms.
    """
    size = score.abs()
    some = _either(size > 0, size, nw.lit(1.0))
    guess = some.log(2).floor()
    power = nw.lit(2.0) ** guess
    over, under = some < power, some >= power * 2
    exponent = _either(over, guess - 1, _either(under, guess + 1, guess))
    below = _either(over, power / 2, _either(under, power * 2, power))
    place = exponent + SMALLEST_EXPONENT + (some / below - 1)
    return _either(score > 0, place, _either(score < 0, -place, nw.lit(0.0)))


def _either(condition: nw.Expr, yes: nw.Expr, no: nw.Expr) -> nw.Expr:
    return nw.when(condition).then(yes).otherwise(no)


def _by_region(score: nw.Expr, knots: list[float], values: list[float] | list[int]) -> nw.Expr:
    """Return a region's value: one comparison for each halving of the regions."""
    if not knots or all(value == values[0] for value in values):
        return nw.lit(values[0])
    middle = len(knots) // 2
    below = _by_region(score, knots[:middle], values[: middle + 1])
    above = _by_region(score, knots[middle + 1 :], values[middle + 1 :])
    return _either(score < knots[middle], below, above)
