"""Whether a conclusion survives other beliefs with the same bounds and most likely value.

Besides the usual shapes there are exact ranges. The index is an average of signs over the belief.
Over all beliefs between the bounds it can be any average of the signs found there. A belief is
unimodal with mode m exactly if it mixes m itself and uniform beliefs that have one end at m
(Khinchin); the index of a mixture is the mixture of the indices, so its extremes over all unimodal
beliefs are among those of the uniform ones from m to some x. While x stays on one stretch the
average moves towards that stretch's sign, so only the stretches' edges and the bounds need to be
tried.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rocch.roc.conditions import Interval
from rocch.roc.shapes import share_of

if TYPE_CHECKING:
    from rocch.arrays import FloatArray, IntArray
    from rocch.compare.losses.comparison import LossComparison
    from rocch.kernels.envelopes import Signs
    from rocch.roc.shapes import Elicited


@dataclass(frozen=True, slots=True)
class ShapeCheck:
    """What an LC index becomes under other beliefs with the same elicited numbers.

    Attributes
    ----------
    lc_index
        Under the belief itself.
    by_shape
        Under the usual shapes, by their names (`Belief.other_shapes`).
    unimodal
        The range over all unimodal beliefs with the same bounds and the same most likely value on
        the miss's share of the costs. Without a most likely value any mode will do. None where
        the prevalence is uncertain too.
    any_belief
        The range over all beliefs between the same bounds.
    """

    lc_index: float
    by_shape: dict[str, float]
    unimodal: Interval | None
    any_belief: Interval

    @property
    def robust(self) -> bool:
        """Whether the index keeps its sign under all usual shapes and all unimodal beliefs."""
        tried = [*self.by_shape.values(), *(self.unimodal or self.any_belief)]
        return self._survives(tried)

    @property
    def certain(self) -> bool:
        """Whether the index keeps its sign under every belief between the bounds."""
        return self._survives(list(self.any_belief))

    def _survives(self, tried: list[float]) -> bool:
        sign = np.sign(self.lc_index)
        return bool(sign) and all(np.sign(value) == sign for value in tried)

    def __str__(self) -> str:
        if not any(self.any_belief):
            return "Neither is better, whatever the belief between these bounds."
        if self.certain:
            return "The conclusion holds whatever the belief between these bounds."
        if self.robust:
            return "The conclusion holds for every unimodal belief with these bounds and this peak."
        values = [self.lc_index, *self.by_shape.values()]
        if self._survives(values):
            return "The conclusion holds for the usual shapes, but not for every unimodal belief."
        return "The conclusion depends on the shape of the belief."


def check_shapes(comparison: LossComparison) -> ShapeCheck:
    """Try the usual shapes, and find the exact ranges."""
    others = comparison.belief.other_shapes()
    by_shape = {name: comparison.under(other).lc_index for name, other in others.items()}
    signs = comparison.signs
    low, high = comparison.cost_axis.support(comparison.belief)
    any_belief = _range(_signs_inside(signs, low, high))
    said = comparison.belief.elicited
    unimodal = None
    if comparison.prevalence is not None and said is not None:
        unimodal = _unimodal(signs, low, high, said) if said.likely is not None else any_belief
    return ShapeCheck(comparison.lc_index, by_shape, unimodal, any_belief)


def unimodal_range(signs: Signs, low: float, mode: float, high: float) -> Interval:
    """Return the range of the index over all unimodal beliefs on [low, high] with this mode."""
    upwards = _uniform(signs.edges, signs.better, mode, high)
    downwards = _uniform(-signs.edges[::-1], signs.better[::-1], -mode, -low)
    return _range([*upwards, *downwards, float(_sign_at(signs, mode))])


def _unimodal(signs: Signs, low: float, high: float, said: Elicited) -> Interval:
    mode = float(share_of(np.float64(said.likely), said.scale))
    return unimodal_range(signs, low, min(max(mode, low), high), high)


def _uniform(edges: FloatArray, better: IntArray, start: float, end: float) -> list[float]:
    """Return the index of the uniform beliefs from `start` to each edge, and to `end`, above it."""
    if start >= end:
        return []
    stops = np.append(edges[(edges > start) & (edges < end)], end)
    lengths = np.diff(np.concatenate(([start], stops)))
    first = int(np.searchsorted(edges, start, side="right")) - 1
    signed = np.cumsum(better[first : first + stops.size] * lengths)
    averages: list[float] = np.clip(signed / np.cumsum(lengths), -1, 1).tolist()
    return averages


def _sign_at(signs: Signs, place: float) -> int:
    """Return the sign at one point of the axis."""
    edge = int(np.searchsorted(signs.edges, place))
    if signs.edges[edge] == place:
        return int(signs.at[edge])
    return int(signs.better[edge - 1])


def _signs_inside(signs: Signs, low: float, high: float) -> list[int]:
    """Return the signs strictly between two bounds, or at the one point that both are.

    Nobody believes in a bound itself; at the ends of the axis, where one error costs nothing,
    nobody loses anything.
    """
    if low == high:
        return [_sign_at(signs, low)]
    edges, better, at = signs
    between = better[(edges[:-1] < high) & (edges[1:] > low)]
    found: list[int] = np.concatenate((between, at[(edges > low) & (edges < high)])).tolist()
    return found


def _range(values: list[float] | list[int]) -> Interval:
    return Interval(float(min(values)), float(max(values)))
