"""The exact measure of what a set of points dominates, in integers.

A point dominates the corner above it, the part of a region where no coordinate is smaller; a set
of points dominates the union of their corners. The union is summed up from exclusive parts (While,
Bradstreet and Barone, 2012, "A fast way of calculating exact hypervolumes"): each point adds the
measure of its corner, less what its corner shares with those of the points after it, and that is a
union of corners again, of the joins (coordinate-wise maxima). With the points in falling order of
a coordinate all joins share it, so each level of the recursion has one dimension less to look at;
two are left to a chain in which only neighbours overlap.

Points are integers in units of their own for each coordinate; only a corner's measure brings these
to a common denominator, in Python's integers. Nothing is rounded.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import numpy as np

from rocch.kernels.dominance import nondominated, packing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocch.arrays import BoolArray, IntArray
    from rocch.kernels.dominance import Packing

LARGEST = 2**62


class TooMuchWork(Exception):  # noqa: N818 - not an error: it says when to stop
    """The recursion needs more terms than it was granted."""


class Corners(Protocol):
    """A region's corners: which are not empty, and how much they hold."""

    def inside(self, points: IntArray) -> BoolArray:
        """Say which points have a corner that is not empty."""
        ...

    def measure(self, point: IntArray) -> int:
        """Return how much a corner that is not empty holds."""
        ...


@dataclass(frozen=True, slots=True)
class BoxCorners:
    """The corners of the cube, in units of 1 / (product of the totals)."""

    totals: IntArray

    def inside(self, points: IntArray) -> BoolArray:
        """Say which points have no coordinate at its total."""
        return np.asarray((points < self.totals).all(axis=1))

    def measure(self, point: IntArray) -> int:
        """Multiply the corner's sides."""
        return math.prod(map(int, self.totals - point))


@dataclass(slots=True)
class CappedCorners:
    """The corners of {x <= 1, sum of x <= budget}, in units of 1 / (denominator**D * D!)."""

    totals: IntArray
    budget: int
    most: float = math.inf
    """How many terms may be summed up before it is given up."""
    terms: int = field(default=0, init=False)
    denominator: int = field(init=False)
    """The least common multiple of the totals."""
    _units: IntArray = field(init=False)

    def __post_init__(self) -> None:
        self.denominator = math.lcm(*map(int, self.totals))
        fits = self.totals.size * self.denominator < LARGEST
        units = [self.denominator // int(total) for total in self.totals]
        self._units = np.array(units, dtype=np.int64 if fits else object)

    def inside(self, points: IntArray) -> BoolArray:
        """Say which points have no coordinate at its total and lie below the plane."""
        below = (points * self._units).sum(axis=1) < self.budget * self.denominator
        return np.asarray((points < self.totals).all(axis=1) & below, dtype=bool)

    def measure(self, point: IntArray) -> int:
        """Cut the simplex's corners off, those of pairs of coordinates back on, and so on.

        With s what the budget leaves and a the sides, D! times the volume of
        {0 <= y <= a, sum of y <= s} is the sum over all sets of coordinates of
        (-1)^(set's size) (s - the set's sides)^D, over those sets where the base is positive.
        """
        sides: list[int] = sorted(((self.totals - point) * self._units).tolist())
        rest = sum(sides) - (point.size - self.budget) * self.denominator
        return self._signed(sides, rest, point.size)

    def _signed(self, sides: Sequence[int], rest: int, power: int) -> int:
        self.terms += 1
        if self.terms > self.most:
            raise TooMuchWork
        total: int = rest**power
        for place, side in enumerate(sides):
            if side >= rest:
                break
            total -= self._signed(sides[place + 1 :], rest - side, power)
        return total


def union_measure(points: IntArray, totals: IntArray, corners: Corners) -> int:
    """Return the measure of the union of the points' corners.

    Complexity: O(m^(D - 1)) corners at worst; far fewer where most joins leave the region.
    """
    return _union(points, points.shape[1], corners, packing(totals))


def _union(points: IntArray, free: int, corners: Corners, fields: Packing) -> int:
    """Measure points that differ in the first `free` coordinates only."""
    inside = points[corners.inside(points)]
    if free == 2:
        return _chain(inside, corners)
    front = inside[nondominated(fields.pack(inside), inside.sum(axis=1), fields.guards)]
    ordered = front[np.argsort(-front[:, free - 1], kind="stable")]
    total = 0
    for place, point in enumerate(ordered):
        joins = np.maximum(point, ordered[place + 1 :])
        total += corners.measure(point) - _union(joins, free - 1, corners, fields)
    return total


def _chain(points: IntArray, corners: Corners) -> int:
    """Measure a staircase, where a corner shares with later ones what it shares with the next."""
    ordered = points[np.lexsort((points[:, 1], points[:, 0]))]
    falls = np.ones(len(ordered), dtype=bool)
    falls[1:] = np.diff(np.minimum.accumulate(ordered[:, 1])) < 0
    steps = ordered[falls]
    joins = np.maximum(steps[:-1], steps[1:])
    shared = joins[corners.inside(joins)]
    return sum(map(corners.measure, steps)) - sum(map(corners.measure, shared))
