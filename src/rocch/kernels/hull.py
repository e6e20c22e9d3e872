"""The upper-left convex hull of ROC points, decided on integers.

Fawcett's Algorithm 3 walks a curve and drops a point when the slope *rises* through it; the
printed test has the inequality the other way round and would keep exactly the dents. Here a
point stays only if the path turns strictly clockwise in it, so a point inside a segment is not a
vertex. Counts, never rates: on rates about one tied curve in fourteen gains a spurious vertex.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from rocch.arrays import BoolArray, IntArray

CHAIN_AT_ONCE = 96
"""So few points go through the plain chain at once; pruning would cost more than it saves."""

SAFE_PRODUCT = 2**61
"""Cross products of counts whose product stays below this fit into int64 with room to spare."""

LARGEST_FOR_FLOATS = 2**500
"""Products of larger counts leave the range of doubles; the chain alone then does the work."""

FLOAT_MARGIN = 1e-12
"""Far above the rounding error of a product of two rounded counts (about 3 x 2**-53)."""


def upper_hull(false_positives: IntArray, true_positives: IntArray) -> IntArray:
    """Return the indices of the hull's vertices, left to right.

    Points must be distinct and sorted by false positives, then by true positives; the first must
    be (0, 0) and the last the pair of totals. Both are always vertices. Exact for counts of any
    size: the last word is spoken in Python integers.

    Complexity: O(n). Vectorised rounds throw out every point that is not locally convex, which
    roughly halves a noisy curve each time; a chain settles the few that remain.
    """
    x, y = false_positives, true_positives
    kept = np.arange(x.size)
    while x.size > CHAIN_AT_ONCE and max(x[-1], y[-1]) < LARGEST_FOR_FLOATS:
        survivors = _locally_convex(x, y)
        stalled = survivors.size > 0.9 * x.size
        kept, x, y = kept[survivors], x[survivors], y[survivors]
        if stalled:
            break
    return kept[_chain(x.tolist(), y.tolist())]


def distinct_points(x: IntArray, y: IntArray) -> IntArray:
    """Return the index of the first of each run of equal points."""
    return np.flatnonzero(np.concatenate(([True], (x[1:] != x[:-1]) | (y[1:] != y[:-1]))))


def above_hull(hull_x: IntArray, hull_y: IntArray, x: IntArray, y: IntArray) -> BoolArray:
    """Say which points (x, y) lie strictly above a hull given by its vertices.

    Points must lie within the totals, the hull's last vertex. Exact for int64 counts up to 2**62
    and for Python integers of any size.
    """
    segment = np.searchsorted(hull_x, x, side="right") - 1
    segment = np.minimum(segment, hull_x.size - 2)
    left_x, left_y = hull_x[segment], hull_y[segment]
    run, rise = hull_x[segment + 1] - left_x, hull_y[segment + 1] - left_y
    if hull_x.dtype == object or safe_products(hull_x[-1], hull_y[-1]):
        above: BoolArray = run * (y - left_y) > rise * (x - left_x)
        return above
    return _larger_products(run, y - left_y, rise, x - left_x)


def safe_products(negatives: int, positives: int) -> bool:
    """Say whether cross products of counts up to these totals fit into int64."""
    return 2 * int(negatives) * int(positives) < SAFE_PRODUCT


def _larger_products(a: IntArray, b: IntArray, c: IntArray, d: IntArray) -> BoolArray:
    """Say where a * b > c * d; floats decide what is beyond doubt, Python integers the rest."""
    left, right = (one.astype(np.float64) * other for one, other in ((a, b), (c, d)))
    doubt = FLOAT_MARGIN * (np.abs(left) + np.abs(right))
    larger: BoolArray = left > right
    near = np.flatnonzero((np.abs(left - right) <= doubt) & (doubt > 0))
    a, b, c, d = (factor[near].astype(object) for factor in (a, b, c, d))
    larger[near] = a * b > c * d
    return larger


def _locally_convex(x: IntArray, y: IntArray) -> IntArray:
    """Return the indices of the points that lie strictly above the chord of their neighbours.

    The others lie on or below a segment between two points of the set, so none is a vertex, and
    all may go at once. (Two equal points would throw each other out: hence distinct ones only.)
    Where products of counts could leave int64, floats throw out only what is below beyond doubt.
    """
    run, rise = np.diff(x), np.diff(y)
    keep = np.empty(x.size, dtype=bool)
    keep[0] = keep[-1] = True
    if x.dtype != object and safe_products(x[-1], y[-1]):
        keep[1:-1] = run[:-1] * rise[1:] < rise[:-1] * run[1:]
    else:
        run, rise = run.astype(np.float64), rise.astype(np.float64)
        turn, straight = run[:-1] * rise[1:], rise[:-1] * run[1:]
        doubt = FLOAT_MARGIN * (np.abs(turn) + np.abs(straight))
        keep[1:-1] = turn < straight + doubt
    return np.flatnonzero(keep)


def _chain(x: list[int], y: list[int]) -> list[int]:
    """Andrew's monotone chain on Python integers."""
    stack: list[int] = []
    for i, (xi, yi) in enumerate(zip(x, y, strict=True)):
        while len(stack) > 1:
            a, b = stack[-2], stack[-1]
            xa, ya = x[a], y[a]
            if (x[b] - xa) * (yi - ya) < (y[b] - ya) * (xi - xa):
                break
            stack.pop()
        stack.append(i)
    return stack
