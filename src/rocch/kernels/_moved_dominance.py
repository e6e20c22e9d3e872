"""Which vectors of counts are no larger than others in every objective, on packed words.

Each count gets a field of its own in a row of 64-bit words, with a spare guard bit above it. With
all guards of b set, b - a borrows from a field's guard exactly where a's count is larger; so
"a <= b everywhere" is one subtraction and one comparison for each word, whatever the number of
fields in it. Six counts up to 127 fit into one word.

To *cover* is to be less or equal everywhere (weak dominance). Everything is an integer; the
compiled twin in `compiled_dominance` gives the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from rocch.arrays import BoolArray, IntArray

    Words = NDArray[np.uint64]

WORD = 64
CELLS = 2**15
"""So many pairs are compared at a time: enough to hide NumPy's calls, few enough for its caches."""

FEWEST = 32
"""At least so many members are compared with a point at a time."""

BLOCK = 256
"""So many points are filtered among themselves at a time."""

COMPILED_FROM = 2**30
"""From so many pairs on (some tenths of a second in NumPy) it pays to load compiled code."""


class Coverer(Protocol):
    """A function that finds the first member to cover each point: NumPy's or the compiled one."""

    def __call__(self, points: Words, members: Words, guards: Words) -> IntArray:
        """Return its place among the members, -1 for none."""
        ...


@dataclass(frozen=True, slots=True)
class Packing:
    """Where each count has its field: how counts become words."""

    limits: IntArray
    """The largest count of each objective."""
    shifts: Words
    starts: IntArray
    """The first objective of each word."""
    guards: Words

    def pack(self, counts: IntArray) -> Words:
        """Return counts (n, D), none negative or beyond its limit, as words (n, W)."""
        fields = np.left_shift(counts.astype(np.uint64), self.shifts)
        words: Words = np.bitwise_or.reduceat(fields, self.starts, axis=1)
        return words


def packing(limits: Sequence[Any] | IntArray) -> Packing:
    """Lay out fields for counts up to these limits, each below 2**63, in the order they stand."""
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


def coverer(points: Words, members: Words, guards: Words) -> IntArray:
    """Find for each point the first member that covers it, -1 for none.

    Complexity: O(n m W) at worst; points are dropped as soon as a member is found, so put members
    that cover much first.
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


def nondominated(words: Words, sums: IntArray, guards: Words, find: Coverer = coverer) -> IntArray:
    """Return the places of the points that no other point covers (of equal ones the first).

    A point's sum is smaller than those of all that it dominates: in rising order of sums, what has
    been kept once stays. Complexity: O(n log n + n k W) for k kept points.
    """
    order = np.argsort(sums, kind="stable")
    kept = np.empty(0, dtype=np.int64)
    for start in range(0, order.size, BLOCK):
        some = order[start : start + BLOCK]
        some = some[find(words[some], words[kept], guards) < 0]
        before = np.tril(_fits(words[some] | guards, words[some], guards), -1)
        kept = np.concatenate([kept, some[~before.any(axis=1)]])
    return np.sort(kept)


def engine_for(pairs: int) -> Coverer:
    """Pick the compiled search for many pairs if Numba is installed, else plain NumPy."""
    if pairs < COMPILED_FROM:
        return coverer
    try:
        from rocch.kernels import compiled_dominance
    except ImportError:
        return coverer
    return compiled_dominance.coverer


def _fits(guarded: Words, members: Words, guards: Words) -> BoolArray:
    """Say for all pairs whether the member covers the point, whose guards are set.

    Each word rules pairs out; only the others are compared further.
    """
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
