"""The members that the paper shows: fewest errors, and two edges of the surface."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import rocch

if TYPE_CHECKING:
    from rocch.arrays import IntArray

DEAREST, DEAR = 10**6, 10**3
"""A thousand times as dear as all of 300 rows can cost, so that one wish comes after another."""


def fewest(surface: rocch.RocSurface) -> rocch.SurfacePoint:
    """Return the member with the fewest errors (left panels)."""
    return surface.fewest_errors()


def never_missed(surface: rocch.RocSurface) -> rocch.SurfacePoint:
    """Return the one with the least C21 and C23, then C31 and C13 (middle panels)."""
    wishes = {(2, 1): DEAREST, (2, 3): DEAREST, (3, 1): DEAR, (1, 3): DEAR}
    return surface.best(rocch.CostMatrix(wishes, classes=surface.classes.names, default=1))


def never_alarmed(surface: rocch.RocSurface) -> rocch.SurfacePoint:
    """Return the one with the least C12 and C32 (right panels)."""
    wishes = {(1, 2): DEAR, (3, 2): DEAR}
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


def edges(surface: rocch.RocSurface) -> Edges:
    """Check the paper's remarks about Figures 3 and 4."""
    middle, right = (find(surface).confusion.counts for find in (never_missed, never_alarmed))
    wanted = middle[1, 0], middle[1, 2], middle[2, 0], middle[0, 2]
    return Edges(
        not any(wanted),
        bool(middle[2, 1] > middle[0, 1]),
        not (right[0, 1] or right[2, 1]),
        _greatest(right, 1, 2),
    )


def mixed(surface: rocch.RocSurface) -> bool:
    """Say whether C32 > C12 in some of the members that the middle panel may show, not in all."""
    counts = surface.counts
    wanted = counts[:, [1, 1, 2, 0], [0, 2, 0, 2]].sum(axis=1) == 0
    more = counts[wanted, 2, 1] > counts[wanted, 0, 1]
    return bool(more.any() and not more.all())


def _greatest(counts: IntArray, truth: int, answer: int) -> bool:
    """Say whether one kind of error is more frequent than every other kind."""
    wrong = counts * ~np.eye(len(counts), dtype=bool)
    most = wrong[truth, answer]
    return bool(np.count_nonzero(wrong >= most) == 1)
