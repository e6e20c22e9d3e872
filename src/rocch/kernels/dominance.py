"""Dominance among vectors of counts, and the exact measure of what they dominate."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from rocch.arrays import BoolArray, IntArray

Words: TypeAlias = NDArray[np.uint64]
# A search for the first member that covers each point: `find_covering`, here or compiled.
CoverSearch: TypeAlias = Callable[[Words, Words, Words], IntArray]


# Each count has a field in 64-bit words, with a guard bit above it. With all guards of b set, b - a
# borrows from a guard exactly where a's count is larger, so "a <= b everywhere" takes one
# subtraction and one comparison per word. Six counts up to 127 fit into one word.
#
# To *cover* is to be less or equal everywhere (weak dominance).

WORD = 64
# Pairs compared at a time: enough to hide NumPy's overhead, few enough for the cache.
CELLS = 2**15

# Fewest members compared with a point at a time.
FEWEST = 32

# Points filtered among themselves at a time.
BLOCK = 256


@dataclass(frozen=True, slots=True)
class Packing:
    """The layout of counts in words."""

    limits: IntArray  # the largest count of each objective
    shifts: Words
    starts: IntArray  # the first objective of each word
    guards: Words

    def pack(self, counts: IntArray) -> Words:
        """Return counts (n, D), from 0 to their limits, as words (n, W)."""
        fields = np.left_shift(counts.astype(np.uint64), self.shifts)
        words: Words = np.bitwise_or.reduceat(fields, self.starts, axis=1)
        return words


def packing(limits: Sequence[int] | IntArray) -> Packing:
    """Return the layout for counts up to these limits, each below 2**63, in their order."""
    shifts, starts, guards = [], [], [0]
    used = WORD
    for place, limit in enumerate(map(int, limits)):
        bits = limit.bit_length()
        if used + bits + 1 > WORD:
            starts.append(place)
            guards.append(0)
            used = 0
        shifts.append(used)
        guards[-1] |= 1 << (used + bits)
        used += bits + 1
    arrays = (
        np.array(limits, dtype=np.int64),
        np.array(shifts, dtype=np.uint64),
        np.array(starts, dtype=np.intp),
        np.array(guards[1:], dtype=np.uint64),
    )
    for array in arrays:
        array.setflags(write=False)
    return Packing(*arrays)


def find_covering(points: Words, members: Words, guards: Words) -> IntArray:
    """Return for each point the first member that covers it, or -1.

    O(n m W) at worst; faster with members that cover much first.
    """
    found = np.full(len(points), -1, dtype=np.int64)
    guarded, open_points, start = points | guards, np.arange(len(points)), 0
    while start < len(members) and open_points.size:
        block = members[start : start + max(FEWEST, CELLS // open_points.size)]
        step = max(1, CELLS // len(block))
        for first in range(0, open_points.size, step):
            some = open_points[first : first + step]
            fits = _fits(guarded[some], block, guards)
            place = fits.argmax(axis=1)
            hit = fits[np.arange(some.size), place]
            found[some[hit]] = start + place[hit]
        open_points = open_points[found[open_points] < 0]
        start += len(block)
    return found


def nondominated(
    words: Words, sums: IntArray, guards: Words, find: CoverSearch = find_covering
) -> IntArray:
    """Return the places of the points that no other point covers (of equal ones the first).

    A point's sum is below those of all that it dominates. O(n log n + n k W) for k results.
    """
    order = np.argsort(sums, kind="stable")
    front = np.empty(0, dtype=np.int64)
    for start in range(0, order.size, BLOCK):
        some = order[start : start + BLOCK]
        some = some[find(words[some], words[front], guards) < 0]
        before = np.tril(_fits(words[some] | guards, words[some], guards), -1)
        front = np.concatenate([front, some[~before.any(axis=1)]])
    return np.sort(front)


def _fits(guarded: Words, members: Words, guards: Words) -> BoolArray:
    """Return for all pairs whether the member covers the point, whose guards are set."""
    room = np.subtract.outer(guarded[:, 0], members[:, 0])
    room &= guards[0]
    fits: BoolArray = room == guards[0]
    if guards.size > 1:
        point, member = np.nonzero(fits)
        for word in range(1, guards.size):
            rooms = guarded[point, word] - members[member, word]
            fit = rooms & guards[word] == guards[word]
            point, member = point[fit], member[fit]
        fits[:] = False
        fits[point, member] = True
    return fits


# A set of points dominates the union of the corners above them. The union is summed from exclusive
# parts (While, Bradstreet and Barone, 2012, "A fast way of calculating exact hypervolumes"): each
# point adds the measure of its corner, less what it shares with the corners of later points, a
# union of corners of joins (coordinate-wise maxima). With points in falling order of a coordinate
# all joins share it, so each level of the recursion has one dimension less; two dimensions are a
# chain in which only neighbors overlap. Measures are Python integers: nothing is rounded.

LARGEST = 2**62


class TooMuchWork(Exception):  # noqa: N818 - not an error, but a signal to stop
    """The recursion needs more terms than allowed."""


@dataclass(slots=True)
class CappedCorners:
    """The corners of {x <= 1, sum of x <= budget}, in units of 1 / (denominator**D * D!)."""

    totals: IntArray
    budget: int
    most: float = math.inf  # the largest number of terms
    terms: int = field(default=0, init=False)
    denominator: int = field(init=False)  # the least common multiple of the totals
    _units: IntArray = field(init=False)

    def __post_init__(self) -> None:
        self.denominator = math.lcm(*map(int, self.totals))
        fits = self.totals.size * self.denominator < LARGEST
        units = [self.denominator // int(total) for total in self.totals]
        self._units = np.array(units, dtype=np.int64 if fits else object)

    def inside(self, points: IntArray) -> BoolArray:
        """Return which corners are not empty: no coordinate at its total, and below the plane."""
        below = (points * self._units).sum(axis=1) < self.budget * self.denominator
        return np.asarray((points < self.totals).all(axis=1) & below, dtype=bool)

    def measure(self, point: IntArray) -> int:
        """Return the measure of a corner that is not empty."""
        # With s what the budget leaves and a the sides, D! times the volume of
        # {0 <= y <= a, sum of y <= s} is the sum over all sets of coordinates of
        # (-1)^(set's size) (s - the set's sides)^D where the base is positive.
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


def union_measure(points: IntArray, corners: CappedCorners) -> int:
    """Return the measure of the union of the points' corners; O(m^(D - 1)) corners at worst."""
    return _union(points, points.shape[1], corners, packing(corners.totals))


def _union(points: IntArray, free: int, corners: CappedCorners, fields: Packing) -> int:
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


def _chain(points: IntArray, corners: CappedCorners) -> int:
    """Measure a staircase, where only neighboring corners overlap."""
    ordered = points[np.lexsort((points[:, 1], points[:, 0]))]
    falls = np.ones(len(ordered), dtype=bool)
    falls[1:] = np.diff(np.minimum.accumulate(ordered[:, 1])) < 0
    steps = ordered[falls]
    joins = np.maximum(steps[:-1], steps[1:])
    shared = joins[corners.inside(joins)]
    return sum(map(corners.measure, steps)) - sum(map(corners.measure, shared))
