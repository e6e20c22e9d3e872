"""The search of `dominance`, compiled by Numba (the `fast` extra), for many pairs only.

The inner loop runs over a short stretch of members without leaving it, which the processor does
several members at a time; only then is the first member looked up. Integers throughout: the answer
is that of the NumPy path.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from rocch.arrays import IntArray
    from rocch.kernels.dominance import Words

STRETCH = 64


@njit(cache=True, nogil=True)
def _covers(member: Words, point: Words, guards: Words) -> bool:
    for word in range(guards.size):
        if ((point[word] | guards[word]) - member[word]) & guards[word] != guards[word]:
            return False
    return True


@njit(cache=True, nogil=True)
def _search(points: Words, members: Words, guards: Words, found: IntArray) -> None:
    for i in range(len(points)):
        for j in range(len(members)):
            if _covers(members[j], points[i], guards):
                found[i] = j
                break


@njit(cache=True, nogil=True)
def _search_single(points: Words, members: Words, guard: np.uint64, found: IntArray) -> None:
    """Search where a point is one word."""
    for i in range(points.size):
        point = points[i] | guard
        for start in range(0, members.size, STRETCH):
            stretch = members[start : start + STRETCH]
            hits = 0
            for member in stretch:
                hits += ((point - member) & guard) == guard
            if hits:
                j = 0
                while ((point - stretch[j]) & guard) != guard:
                    j += 1
                found[i] = start + j
                break


def coverer(points: Words, members: Words, guards: Words) -> IntArray:
    """Find for each point the first member that covers it, -1 for none."""
    found = np.full(len(points), -1, dtype=np.int64)
    if guards.size == 1:
        _search_single(points[:, 0], members[:, 0], guards[0], found)
    else:
        _search(points, members, guards, found)
    return found
