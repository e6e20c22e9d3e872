"""The upper-left convex hull of ROC points, decided on integers, and what is read off it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rocch.arrays import BoolArray, FloatArray, IntArray
from rocch.kernels.counting import ascending, is_first

# Fawcett's Algorithm 3 drops a point when the slope *rises* through it; the printed test has the
# inequality reversed and would keep exactly the dents. Here a point stays only if the path turns
# strictly clockwise in it. On rates instead of counts about one tied curve in fourteen gains a
# spurious vertex.

# For fewer points, pruning before the chain costs more than it saves.
CHAIN_AT_ONCE = 64

# More rounds that drop less than a tenth of the points would cost more than the chain.
SLOW_ROUNDS = 16

# Cross products of counts whose product stays below this fit into int64 with room to spare.
SAFE_PRODUCT = 2**61

# Products of larger counts leave the range of doubles; then only the chain is used.
LARGEST_FOR_FLOATS = 2**500

# Far above the rounding error of a product of two rounded counts (about 3 x 2**-53).
FLOAT_MARGIN = 1e-12

# Integers below this are exact in doubles.
EXACT_IN_DOUBLES = 2**53


def upper_hull(false_positives: IntArray, true_positives: IntArray) -> IntArray:
    """Return the indices of the hull's vertices, left to right.

    Points must be distinct and sorted by false, then true positives, from (0, 0) to the totals.
    Exact for counts of any size. O(n): vectorized rounds drop points that are not locally convex,
    and a chain settles the rest, if any is left to settle.
    """
    x, y = false_positives, true_positives
    places: IntArray | None = None
    ends = (int(x[-1]), int(y[-1])) if x.size else (0, 0)
    exact = x.dtype != object and safe_products(*ends)
    prunes, slow = exact or max(ends) < LARGEST_FOR_FLOATS, 0
    while prunes and x.size > CHAIN_AT_ONCE and slow < SLOW_ROUNDS:
        survivors = _locally_convex(x, y, exact)
        if survivors.size == x.size:
            if exact:
                return np.arange(x.size) if places is None else places
            break
        slow += survivors.size > 0.9 * x.size
        x, y = x[survivors], y[survivors]
        places = survivors if places is None else places[survivors]
    vertices = np.array(_chain((x[1:] - x[:-1]).tolist(), (y[1:] - y[:-1]).tolist()))[: x.size]
    return vertices if places is None else places[vertices]


def sorted_hull(
    scores: FloatArray, positive: BoolArray
) -> tuple[FloatArray, FloatArray, IntArray, IntArray]:
    """Return the hull of one classifier's ROC curve by sorting its scores.

    Vertices come left to right without (0, 0): threshold, the next lower score that occurs (minus
    infinity after the lowest), false positives and true positives.
    """
    positives, negatives = ascending(scores[positive]), ascending(scores[~positive])
    # Seen from the other end, with the classes swapped, it is a hull of the counts below: the
    # curve can turn only at the lowest positive between two negatives.
    rank = negatives.searchsorted(positives)
    corner = is_first(rank).nonzero()[0]
    x, y = np.empty(corner.size + 2, dtype=np.int64), np.empty(corner.size + 2, dtype=np.int64)
    x[0], x[1:-1], x[-1] = 0, corner, positives.size
    y[0], y[1:-1], y[-1] = 0, rank[corner], negatives.size
    if not y[1]:  # the lowest score of all is a positive's
        x, y = x[1:], y[1:]
    vertex = upper_hull(x, y)[-2::-1]
    x, y = x[vertex], y[vertex]
    thresholds, next_lower = positives[x] + 0.0, negatives[y - 1] + 0.0  # no -0.0
    thresholds[-1], next_lower[-1] = min(positives[0], negatives[0]) + 0.0, -np.inf
    return thresholds, next_lower, negatives.size - y, positives.size - x


def distinct_points(x: IntArray, y: IntArray) -> IntArray:
    """Return the index of the first of each run of equal points."""
    return np.flatnonzero(np.concatenate(([True], (x[1:] != x[:-1]) | (y[1:] != y[:-1]))))


def above_hull(
    hull_x: IntArray, hull_y: IntArray, x: IntArray, y: IntArray, *, rising: bool = False
) -> BoolArray:
    """Return which points (x, y) lie strictly above a hull given by its vertices.

    Points must lie within the totals. Exact for int64 counts up to 2**62 and Python integers. It is
    faster for rising x.
    """
    if rising:
        ends = np.append(np.searchsorted(x, hull_x[1:-1]), x.size)
        segment = np.repeat(np.arange(ends.size), np.diff(ends, prepend=0))
    else:
        segment = np.searchsorted(hull_x, x, side="right") - 1
        segment = np.minimum(segment, hull_x.size - 2)
    left_x, left_y = hull_x[segment], hull_y[segment]
    run, rise = hull_x[segment + 1] - left_x, hull_y[segment + 1] - left_y
    if hull_x.dtype == object or safe_products(hull_x[-1], hull_y[-1]):
        above: BoolArray = run * (y - left_y) > rise * (x - left_x)
        return above
    return _larger_products(run, y - left_y, rise, x - left_x)


def safe_products(negatives: int, positives: int) -> bool:
    """Return whether cross products of counts up to these totals fit into int64."""
    return 2 * int(negatives) * int(positives) < SAFE_PRODUCT


def _larger_products(a: IntArray, b: IntArray, c: IntArray, d: IntArray) -> BoolArray:
    """Return where a * b > c * d: floats first, Python integers where in doubt."""
    left, right = (one.astype(np.float64) * other for one, other in ((a, b), (c, d)))
    doubt = FLOAT_MARGIN * (np.abs(left) + np.abs(right))
    larger: BoolArray = left > right
    near = np.flatnonzero((np.abs(left - right) <= doubt) & (doubt > 0))
    a, b, c, d = (factor[near].astype(object) for factor in (a, b, c, d))
    larger[near] = a * b > c * d
    return larger


def _locally_convex(x: IntArray, y: IntArray, exact: bool) -> IntArray:
    """Return the indices of the points strictly above the chord of their neighbors."""
    # The others lie on or below a segment between two distinct points, so all may go at once.
    run, rise = x[1:] - x[:-1], y[1:] - y[:-1]
    keep = np.empty(x.size, dtype=bool)
    keep[0] = keep[-1] = True
    if exact:
        np.less(run[:-1] * rise[1:], rise[:-1] * run[1:], out=keep[1:-1])
    else:  # products could leave int64: floats drop what is below beyond doubt
        run, rise = run.astype(np.float64), rise.astype(np.float64)
        turn, straight = run[:-1] * rise[1:], rise[:-1] * run[1:]
        doubt = FLOAT_MARGIN * (np.abs(turn) + np.abs(straight))
        np.less(turn, straight + doubt, out=keep[1:-1])
    return keep.nonzero()[0]


def _chain(runs: list[int], rises: list[int]) -> list[int]:
    """Andrew's monotone chain on Python integers, from the steps between points."""
    stack: list[tuple[int, int, int]] = []
    edge_run = edge_rise = point = 0
    for end, (run, rise) in enumerate(zip(runs, rises, strict=True), start=1):
        while point and edge_run * rise >= edge_rise * run:  # no turn to the right: drop the point
            run, rise = run + edge_run, rise + edge_rise
            edge_run, edge_rise, point = stack.pop()
        stack.append((edge_run, edge_rise, point))
        edge_run, edge_rise, point = run, rise, end
    return [*(point for _, _, point in stack), point]


def twice_area(false_positives: IntArray, true_positives: IntArray) -> int:
    """Return twice the area under the points in counts, an exact integer (Fawcett's Algorithm 4).

    The printed last step ends in (1, 1) among counts; here the last point is the pair of totals.
    """
    x, y = false_positives, true_positives
    if x.dtype == object or 2 * int(x[-1]) * int(y[-1]) >= 2**62:
        x, y = x.astype(object), y.astype(object)
    return int(np.sum(np.diff(x) * (y[1:] + y[:-1])))


# The TPR of a rising path at given FPRs, between points by straight lines: the highest or the
# lowest where the path goes straight up. The arithmetic equals that of `RocCurve.tpr_at`.


def highest_tpr(fpr: FloatArray, tpr: FloatArray, wanted: FloatArray) -> FloatArray:
    """Return the highest TPR of a path at each wanted FPR, from 0 to 1."""
    left = np.searchsorted(fpr, wanted, side="right") - 1
    right = np.minimum(left + 1, fpr.size - 1)
    return interpolate_tpr((fpr[left], tpr[left]), (fpr[right], tpr[right]), wanted)


def lowest_tpr(fpr: FloatArray, tpr: FloatArray, wanted: FloatArray) -> FloatArray:
    """Return the lowest TPR of a path at each wanted FPR, from 0 to 1."""
    right = np.searchsorted(fpr, wanted, side="left")
    left = np.where(fpr[right] > wanted, right - 1, right)
    return interpolate_tpr((fpr[left], tpr[left]), (fpr[right], tpr[right]), wanted)


def highest_tpr_of_counts(
    false_positives: IntArray, true_positives: IntArray, totals: tuple[int, int], fprs: FloatArray
) -> FloatArray:
    """Return `highest_tpr` of a path of counts; only the needed ones become rates."""
    negatives, positives = totals
    left = np.searchsorted(false_positives, counts_within(fprs, negatives), side="right") - 1
    right = np.minimum(left + 1, false_positives.size - 1)
    start, end = (false_positives[place] / negatives for place in (left, right))
    low, high = (true_positives[place] / positives for place in (left, right))
    return interpolate_tpr((start, low), (end, high), fprs)


def interpolate_tpr(
    left: tuple[FloatArray, FloatArray], right: tuple[FloatArray, FloatArray], wanted: FloatArray
) -> FloatArray:
    """Return the TPRs at FPRs on the segments from left to right points."""
    run = right[0] - left[0]
    share = (wanted - left[0]) / np.where(run > 0, run, 1)
    heights: FloatArray = left[1] + share * (right[1] - left[1])
    return heights


def counts_within(fprs: FloatArray, negatives: IntArray | int) -> IntArray:
    """Return the largest counts whose correctly rounded rates are at most these FPRs."""
    guess = np.floor(fprs * negatives)
    guess -= guess / negatives > fprs
    guess += (guess + 1) / negatives <= fprs
    return guess.astype(np.int64)


# Decisions are rows of a Boolean matrix with a column for each evaluation row.

# Cells of the larger matrix converted to floats at a time.
CHUNK = 2**22


def count_predicted_positives(decisions: BoolArray, weights: IntArray | None = None) -> IntArray:
    """Count the rows, perhaps weighted, that each decision predicts positive."""
    if weights is None:
        return np.asarray(np.count_nonzero(decisions, axis=1), dtype=np.int64)
    return np.array([int(weights[rows].sum()) for rows in decisions], dtype=np.int64)


def joint_counts(first: BoolArray, second: BoolArray, weights: IntArray | None = None) -> IntArray:
    """Count, for every pair of decisions, the rows that both predict positive; exact."""
    both = np.zeros((len(first), len(second)), dtype=np.int64)
    kind: type = np.float32  # exact: no chunk has 2**24 rows
    if weights is not None:
        kind = np.float64 if int(weights.sum()) < EXACT_IN_DOUBLES else np.int64
    for part in _chunks(first, second):
        left: IntArray = first[:, part].astype(kind)
        if weights is not None:
            left *= weights[part].astype(kind)
        both += (left @ second[:, part].T.astype(kind)).astype(np.int64)
    return both


def sums_where(values: FloatArray, decisions: BoolArray) -> FloatArray:
    """Sum every row of values over the columns that each decision predicts positive."""
    total = np.zeros((len(values), len(decisions)))
    for part in _chunks(values, decisions):
        total += values[:, part] @ decisions[:, part].T.astype(np.float64)
    return total


def extend_hull(
    hull: tuple[IntArray, IntArray], false_positives: IntArray, true_positives: IntArray
) -> tuple[tuple[IntArray, IntArray], IntArray]:
    """Return the hull of points and an earlier hull, and which points are its vertices.

    Of equal points the first counts, and the earlier hull's before all. O(n log n) in the points
    above the hull.
    """
    x, y = false_positives, true_positives
    above = np.flatnonzero(above_hull(*hull, x, y))
    every_x = np.concatenate((hull[0], x[above]))
    every_y = np.concatenate((hull[1], y[above]))
    order = np.lexsort((every_y, every_x))
    distinct = order[distinct_points(every_x[order], every_y[order])]
    vertex = distinct[upper_hull(every_x[distinct], every_y[distinct])]
    new = np.sort(vertex[vertex >= hull[0].size]) - hull[0].size
    return (every_x[vertex], every_y[vertex]), above[new]


def _chunks(first: BoolArray | FloatArray, second: BoolArray | FloatArray) -> Iterator[slice]:
    columns = max(1, CHUNK // max(1, len(first), len(second)))
    for start in range(0, first.shape[1], columns):
        yield slice(start, start + columns)
