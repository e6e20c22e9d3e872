"""The members that the paper shows, the remarks that they bear out, and numbers as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import rocch

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rocch.arrays import IntArray

MOST_EXPENSIVE, EXPENSIVE = 10**6, 10**3
"""A thousand times what 300 rows can cost, so that one wish comes after another."""


def fewest(surface: rocch.multiclass.RocSurface) -> rocch.multiclass.SurfacePoint:
    """Return the member with the fewest errors (left panels)."""
    return surface.fewest_errors()


def never_missed(surface: rocch.multiclass.RocSurface) -> rocch.multiclass.SurfacePoint:
    """Return the one with the least C21 and C23, then C31 and C13 (middle panels)."""
    wishes = {(2, 1): MOST_EXPENSIVE, (2, 3): MOST_EXPENSIVE, (3, 1): EXPENSIVE, (1, 3): EXPENSIVE}
    return surface.best(rocch.CostMatrix(wishes, classes=surface.classes.names, default=1))


def never_alarmed(surface: rocch.multiclass.RocSurface) -> rocch.multiclass.SurfacePoint:
    """Return the one with the least C12 and C32 (right panels)."""
    wishes = {(1, 2): EXPENSIVE, (3, 2): EXPENSIVE}
    return surface.best(rocch.CostMatrix(wishes, classes=surface.classes.names, default=1))


class Edges(NamedTuple):
    """Which of the paper's remarks about the edges hold on a surface."""

    apart: bool
    """No A2 is missed, and still no A1 is taken for A3 nor A3 for A1."""
    third_more: bool
    """Then more of A3 than of A1 are taken for A2."""
    clean: bool
    """It is possible that nothing is taken for A2."""
    second_as_third: bool
    """Then the most frequent error is to take A2 for A3."""


def edges(surface: rocch.multiclass.RocSurface) -> Edges:
    """Check the paper's remarks about Figures 3 and 4."""
    middle, right = (find(surface).confusion.counts for find in (never_missed, never_alarmed))
    wanted = middle[1, 0], middle[1, 2], middle[2, 0], middle[0, 2]
    return Edges(
        not any(wanted),
        bool(middle[2, 1] > middle[0, 1]),
        not (right[0, 1] or right[2, 1]),
        _greatest(right, 1, 2),
    )


def _greatest(counts: IntArray, truth: int, answer: int) -> bool:
    """Say whether one kind of error is more frequent than every other kind."""
    wrong = counts * ~np.eye(len(counts), dtype=bool)
    most = wrong[truth, answer]
    return bool(np.count_nonzero(wrong >= most) == 1)


def whole_range(values: Iterable[Any]) -> str:
    """Write whole numbers as the least and the greatest of them."""
    numbers = [int(value) for value in values]
    low, high = min(numbers), max(numbers)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def share_range(values: Iterable[Any], digits: int = 3) -> str:
    """Write shares as the least and the greatest of them."""
    low, high = (f"{value:.{digits}f}" for value in _ends(values))
    return low if low == high else f"{low} to {high}"


def _ends(values: Iterable[Any]) -> tuple[float, float]:
    numbers = [float(value) for value in values]
    return min(numbers), max(numbers)


def how_many(truths: Sequence[bool]) -> str:
    """Write how often something holds."""
    return f"{sum(truths)} of {len(truths)}"


def percent_more(new: float, old: float) -> str:
    """Write by how many percent a number is greater."""
    return f"{100 * (new / old - 1):.0f}"


def percent(share: float) -> str:
    """Write a share as a percentage."""
    return f"{100 * share:.1f}%"


def mean_of(results: Iterable[Mapping[str, Any]], what: str) -> float:
    """Return the mean of something over splits, and over costs where it is given for each."""
    return float(np.mean([np.mean(result[what]) for result in results]))
