"""The buckets of `kernels.cuts` as expressions that every engine evaluates alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

import narwhals as nw

from rocch.kernels.refine import SMALLEST_EXPONENT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rocch.kernels.refine import Grid
    from rocch.scale.engine import Frame


def with_magnitudes(frame: Frame, scores: Mapping[str, nw.Expr]) -> Frame:
    """Add columns with positions along the magnitude, by their names; scores must be finite.

    See `kernels.cuts.magnitudes`. The logarithm finds the power of two below, give or take one,
    and a comparison puts it right, so the result does not depend on how an engine rounds
    logarithms. Each step has a column of its own: engines that compile their queries would repeat
    a long expression wherever it occurs.
    """
    if not scores:
        return frame
    return (
        frame.with_columns(**scores)
        .with_columns(**{_step(SIZE, name): _size(nw.col(name)) for name in scores})
        .with_columns(**{_step(GUESS, name): _guess(nw.col(_step(SIZE, name))) for name in scores})
        .with_columns(
            **{_step(POWER, name): nw.lit(2.0) ** nw.col(_step(GUESS, name)) for name in scores}
        )
        .with_columns(**{name: _magnitude(name) for name in scores})
    )


SIZE, GUESS, POWER = "size", "guess", "power"


def _step(step: str, name: str) -> str:
    return f"{step}_{name}"


def _size(score: nw.Expr) -> nw.Expr:
    return _either(score == 0, nw.lit(1.0), score.abs())


def _guess(size: nw.Expr) -> nw.Expr:
    """Return the exponent of two below, or one beside it; the power of it must be a double."""
    return size.log(2).floor().clip(-1074, 1023)


def _magnitude(name: str) -> nw.Expr:
    score = nw.col(name)
    size, guess, power = (nw.col(_step(step, name)) for step in (SIZE, GUESS, POWER))
    above = guess + SMALLEST_EXPONENT - 1
    place = _either(
        size < power,
        above - 1 + size / (power / 2),
        _either(size >= power * 2, above + 1 + size / (power * 2), above + size / power),
    )
    return _either(score > 0, place, _either(score < 0, place * -1, nw.lit(0.0)))


def bucket(position: nw.Expr, factors: Sequence[nw.Expr], shift: nw.Expr) -> nw.Expr:
    """Return the bucket of a position: multiplied by factors one after the other, then shifted."""
    for factor in factors:
        position = position * factor
    return position.floor().cast(nw.Int64) + shift


def inside(score: nw.Expr, grid: Grid, *, covered: bool) -> nw.Expr:
    """Return a score, or the end of the grid that it lies beyond unless the grid covers it."""
    return score if covered else score.clip(grid.low, grid.high)


def grid_bucket(
    score: nw.Expr, along: nw.Expr, grid: Grid, base: int = 0, *, covered: bool = False
) -> nw.Expr:
    """Return the bucket of a score in a grid.

    Parameters
    ----------
    along
        The position of the score (of an end of the grid if it lies beyond) along the magnitude.
    base
        The number at which to begin to count.
    covered
        Whether all scores lie in the grid.
    """
    inner = inside(score, grid, covered=covered)
    knots, cut = grid.knots.tolist(), grid.cut
    position = inner
    if cut.by_magnitude.all():
        position = along
    elif cut.by_magnitude.any():
        wide = _by_region(inner, knots, cut.by_magnitude.astype(float).tolist()) > 0
        position = _either(wide, along, inner)
    factors = [_by_region(inner, knots, cut.factor.tolist())]
    if (cut.pre != 1).any():
        factors.insert(0, _by_region(inner, knots, cut.pre.tolist()))
    place = bucket(position, factors, _by_region(inner, knots, (cut.shift + base).tolist()))
    if covered:
        return place
    last = _either(score > grid.high, nw.lit(grid.buckets - 1 + base), place)
    return _either(score < grid.low, nw.lit(base), last)


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
