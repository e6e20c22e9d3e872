"""Who wins where along the slope axis: Table 2 of Provost and Fawcett."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from rocch.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class SlopeRange:
    """A range of slopes of iso-performance lines, and the classifier that wins there.

    At a slope that two rows share, both are equally good.
    """

    classifier: str
    low: float
    high: float

    def __str__(self) -> str:
        end = "inf)" if math.isinf(self.high) else f"{self.high:.4g}]"
        return f"[{self.low:.4g}, {end} {self.classifier}"


def fewest_ranges(
    edges: Sequence[float],
    names: Sequence[Sequence[str]],
    bounds: tuple[float, float] | None = None,
) -> list[SlopeRange]:
    """Cover the slope axis with as few classifiers' ranges as possible.

    `names[i]` are those who win between `edges[i]` and `edges[i + 1]`. Taking each time the
    classifier that lasts longest gives the fewest rows; ties go to the first by name.
    """
    low, high = bounds or (0.0, math.inf)
    stretches = [
        (max(left, low), min(right, high), set(holders))
        for (left, right), holders in zip(pairwise(edges), names, strict=True)
        if max(left, low) < min(right, high)
    ]
    if not stretches:  # bounds that meet in one slope: whoever holds it
        holders = next(h for e, h in zip(edges[1:], names, strict=True) if e >= low)
        return [SlopeRange(min(holders), low, high)]
    rows: list[SlopeRange] = []
    start = 0
    while start < len(stretches):
        lasting = {name: _run(stretches, start, name) for name in stretches[start][2]}
        winner = min(lasting, key=lambda name: (-lasting[name], name))
        end = start + lasting[winner]
        rows.append(SlopeRange(winner, stretches[start][0], stretches[end - 1][1]))
        start = end
    return rows


def common_bounds(
    given: Sequence[tuple[float, float] | None],
) -> tuple[float, float] | None:
    """Return the bounds within which all of several hulls can answer; None for no bounds."""
    bounds = [pair for pair in given if pair is not None]
    if not bounds:
        return None
    low, high = max(pair[0] for pair in bounds), min(pair[1] for pair in bounds)
    if low > high:
        raise InputError(
            "hulls to be joined must have bounds on conditions that overlap; these were restricted "
            f"to slopes {' and '.join(f'{a:.6g} to {b:.6g}' for a, b in bounds)}. Join the "
            "unrestricted hulls."
        )
    return low, high


def _run(stretches: Sequence[tuple[float, float, set[str]]], start: int, name: str) -> int:
    """Count the stretches from `start` on that a classifier wins without a break."""
    end = start
    while end < len(stretches) and name in stretches[end][2]:
        end += 1
    return end - start
