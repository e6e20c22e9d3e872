"""Curves of resampled and permuted rows, without sorting scores again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rocch.arrays import BoolArray, FloatArray, IntArray
from rocch.kernels.hull import SAFE_PRODUCT, distinct_points, twice_area, upper_hull

# A bootstrap replicate's ROC path visits the sample's scores in the same order. So rows are sorted
# once, and a replicate's counts are cumulative multiplicities, read at the sample's own counts.
# Where the sample's path runs straight on, every replicate's does, so only corners are read.

# Even 256 draws of one row have a chance below 1 in 10 ** 500.
MULTIPLICITY = np.uint16


class RankedRows(NamedTuple):
    """A model's rows by falling score, each class apart, and where the sample's path turns."""

    negatives: IntArray  # the negatives' positions among the negatives
    positives: IntArray
    # The sample's counts at the path's corners, from (0, 0) to the totals.
    false_positives: IntArray
    true_positives: IntArray
    tops: IntArray  # which corners end a rise; no hull turns in any other, except at its ends
    knots: IntArray  # which of these tops are vertices of the sample's own hull


class Walk(NamedTuple):
    """A replicate's counts at a path's corners and at the vertices of its hull."""

    false_positives: IntArray
    true_positives: IntArray
    vertices: tuple[IntArray, IntArray]
    twice_area: int


def orders_of(scores: FloatArray, positive: BoolArray) -> tuple[IntArray, IntArray]:
    """Return the positions of negatives and of positives among their class, by falling score."""
    negatives, positives = (
        np.argsort(-scores[rows], kind="stable") for rows in (~positive, positive)
    )
    return negatives, positives


def path_of(
    orders: tuple[IntArray, IntArray], false_positives: IntArray, true_positives: IntArray
) -> RankedRows:
    """Return the path of a sample, given its counts at distinct scores from (0, 0) on."""
    turns = corners(false_positives, true_positives)
    x, y = false_positives[turns], true_positives[turns]
    tops = np.flatnonzero(np.concatenate(([True], y[1:] > y[:-1])))
    if tops[-1] != x.size - 1:
        tops = np.append(tops, x.size - 1)
    return RankedRows(*orders, x, y, tops, upper_hull(x[tops], y[tops]))


def corners(false_positives: IntArray, true_positives: IntArray) -> IntArray:
    """Return the points where a path does not just run on to the right or upwards."""
    right, up = np.diff(false_positives) == 0, np.diff(true_positives) == 0
    dull = (right[1:] & right[:-1]) | (up[1:] & up[:-1])
    return np.flatnonzero(np.concatenate(([True], ~dull, [True])))


def tally(draws: IntArray, size: int) -> IntArray:
    """Count how often each of `size` items was drawn."""
    return np.bincount(draws, minlength=size).astype(MULTIPLICITY)


def cumulative(multiplicities: IntArray, order: IntArray) -> IntArray:
    """Return how many rows the first 0, 1, 2, … places of the order hold."""
    sums = np.zeros(order.size + 1, dtype=np.int64)
    np.cumsum(multiplicities[order], out=sums[1:])
    return sums


def walk(path: RankedRows, negatives: IntArray, positives: IntArray) -> Walk:
    """Walk a path with the multiplicities of both classes. O(n), exact for any counts."""
    x = cumulative(negatives, path.negatives)[path.false_positives]
    y = cumulative(positives, path.positives)[path.true_positives]
    left, top = x[path.tops], y[path.tops]
    if 2 * int(x[-1]) * int(y[-1]) < SAFE_PRODUCT:
        high = above_chords(left, top, path.knots)
        left, top = left[high], top[high]
    distinct = distinct_points(left, top)
    left, top = left[distinct], top[distinct]
    vertex = upper_hull(left, top)
    return Walk(x, y, (left[vertex], top[vertex]), twice_area(x, y))


def above_chords(x: IntArray, y: IntArray, knots: IntArray) -> BoolArray:
    """Return which points are knots, or strictly above the chord between the knots around them.

    No other can be a vertex.
    """
    stretches = np.diff(knots)
    run, rise = (np.repeat(np.diff(counts[knots]), stretches) for counts in (x, y))
    across, up = (counts[:-1] - np.repeat(counts[knots[:-1]], stretches) for counts in (x, y))
    above = np.ones(x.size, dtype=bool)
    above[:-1] = run * up > rise * across
    above[knots] = True
    return above


def join_hulls(
    hulls: Sequence[tuple[IntArray, IntArray]],
) -> tuple[tuple[IntArray, IntArray], BoolArray]:
    """Return the joint hull's vertices, and which hulls hold one that is not an end. O(v log v)."""
    if len(hulls) == 1:
        return hulls[0], np.array([hulls[0][0].size > 2])
    x, y = (np.concatenate(columns) for columns in zip(*hulls, strict=True))
    owner = np.repeat(np.arange(len(hulls)), [fp.size for fp, _ in hulls])
    order = np.lexsort((y, x))
    x, y, owner = x[order], y[order], owner[order]
    distinct = distinct_points(x, y)
    vertex = upper_hull(x[distinct], y[distinct])
    inner = np.zeros(distinct.size, dtype=bool)
    inner[vertex[1:-1]] = True
    held = np.zeros(len(hulls), dtype=bool)
    held[owner[np.repeat(inner, np.diff(distinct, append=x.size))]] = True
    return (x[distinct[vertex]], y[distinct[vertex]]), held


# Permutation tests of whole ROC curves (Venkatraman and Begg 1996; Venkatraman 2000) compare the
# true positives of two curves at equal shares of predicted positives. If the curves are equal, the
# ranks of a row's two scores are exchangeable; for different rows, rows of a class between samples.

# Shares of predicted positives at which samples are compared.
GRID = np.linspace(0, 1, 513)

# More distinct ranks and numbers of predicted positives only make the test slower.
MOST_RANKS = 2**14


def double_ranks(scores: FloatArray) -> IntArray:
    """Return twice the mid-ranks, from 2 for the lowest; ties are equal."""
    _, place, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return np.asarray((2 * ends - counts + 1)[place])


def coarsen(ranks: IntArray) -> IntArray:
    """Return ranks in fewer steps where there are very many; neighbors then count as ties."""
    return ranks // (1 + 2 * ranks.size // MOST_RANKS)


def tpr_difference(
    first: IntArray, second: IntArray, positive: BoolArray, swapped: BoolArray | None = None
) -> float:
    """Return the mean absolute difference of TPR over numbers of predicted positives.

    Ranks are those of `double_ranks`, exchanged for `swapped` rows; ties count in proportion. With
    very many rows only evenly spaced numbers are used. O(n).
    """
    if swapped is not None:
        first, second = np.where(swapped, second, first), np.where(swapped, first, second)
    rows = positive.size
    predicted = np.linspace(0, rows, min(rows, MOST_RANKS) + 1)
    gap = _true_positives(first, positive, predicted) - _true_positives(second, positive, predicted)
    return float(np.abs(gap).mean()) / int(np.count_nonzero(positive))


def _true_positives(ranks: IntArray, positive: BoolArray, predicted: FloatArray) -> FloatArray:
    """Return the interpolated true positives at each number of predicted positives."""
    top = int(ranks.max()) + 1
    all_rows = np.bincount(ranks, minlength=top)[::-1].cumsum()
    found = np.bincount(ranks[positive], minlength=top)[::-1].cumsum()
    return np.asarray(np.interp(predicted, np.append(0, all_rows), np.append(0, found)))


def sample_positions(scores: FloatArray, positive: BoolArray, share: float) -> FloatArray:
    """Return each row's position in its sample if positives had the given share of it.

    Ranks of samples with different class balances are not comparable; these are.
    """
    positions = np.zeros(scores.size)
    for rows, weight in ((positive, share), (~positive, 1 - share)):
        own = np.sort(scores[rows])
        below = np.searchsorted(own, scores, "left") + np.searchsorted(own, scores, "right")
        positions += weight * below / (2 * own.size)
    return positions


def tpr_difference_of_samples(
    positions: FloatArray, positive: BoolArray, member: BoolArray, share: float
) -> float:
    """Return the mean absolute difference of TPR between members and others.

    It is taken over shares of predicted positives. Positions must fall; equal ones go together.
    """
    ends = np.append(np.flatnonzero(np.diff(positions)), positions.size - 1)
    heights = []
    for which in (member, ~member):
        tpr, fpr = (
            np.append(0, np.cumsum(which & rows)[ends] / max(1, np.count_nonzero(which & rows)))
            for rows in (positive, ~positive)
        )
        heights.append(np.interp(GRID, share * tpr + (1 - share) * fpr, tpr))
    return float(np.abs(heights[0] - heights[1]).mean())


# The least cost of a model whose threshold is chosen on the rows.
#
# Let A be how far, on average, the least cost on n rows lies below the least cost of the
# population. A threshold chosen on n rows costs A/3 more than the best on other rows: the cost near
# its minimum is a parabola plus Brownian motion, whose minimum is proportional to the -1/3 power of
# the curvature (Kim and Pollard, 1990). Both are proportional to n^(-2/3). So the least cost on all
# rows, and the cost on one half of the rows of thresholds chosen on the other, have biases of -A
# and 2^(2/3) A/3, and a weighted mean of the two has none.

# The weight of the cost on other halves.
OTHER_HALF = 1 / (1 + 2 ** (2 / 3) / 3)


class ReaimedCost(NamedTuple):
    """The least cost of one model, less that of never alarming, and what each row adds to it.

    Rows add what they cost at the threshold that is best on all rows, centered by class.
    """

    cost: float
    added: FloatArray


def reaimed_cost(
    scores: FloatArray, positive: BoolArray, halves: BoolArray, weights: tuple[float, float]
) -> ReaimedCost:
    """Return a model's least cost, nearly without bias.

    `halves` are splits x rows, `weights` the costs of a unit of FPR and of a unit of TPR lost.
    O(splits n).
    """
    order = np.argsort(-scores, kind="stable")
    ranked = scores[order]
    ends = np.append(np.flatnonzero(ranked[1:] != ranked[:-1]), scores.size - 1)
    halves, positive = halves[:, order], positive[order]
    own = np.zeros((1, ends.size + 1))
    first, second = np.zeros((2, len(halves), ends.size + 1))
    for rows, weight in ((~positive, weights[0]), (positive, -weights[1])):
        every = np.cumsum(rows[None], axis=1, dtype=np.int32)[:, ends]
        here = np.cumsum(halves & rows, axis=1, dtype=np.int32)
        if ends.size < scores.size:
            here = here[:, ends]
        for costs, counts in ((own, every), (first, here), (second, every - here)):
            costs[:, 1:] += counts * (weight / np.maximum(counts[:, -1:], 1))
    others = [
        np.take_along_axis(kept, aimed.argmin(axis=1)[:, None], axis=1)
        for aimed, kept in ((first, second), (second, first))
    ]
    best = int(own.argmin())
    cost = (1 - OTHER_HALF) * own[0, best] + OTHER_HALF * np.mean(others)
    alarmed = np.arange(scores.size) < (ends[best - 1] + 1 if best else 0)
    added = np.empty(scores.size)
    for rows, weight in ((~positive, weights[0]), (positive, -weights[1])):
        added[order[rows]] = (alarmed[rows] - alarmed[rows].mean()) * (weight / rows.sum())
    return ReaimedCost(float(cost), added)
