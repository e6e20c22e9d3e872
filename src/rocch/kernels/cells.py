"""Cells: intervals of scores with counts, and what they say about a hull."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from rocch.arrays import BoolArray, FloatArray, IntArray
from rocch.kernels.counting import distinct_counts
from rocch.kernels.hull import above_hull, distinct_points, upper_hull

# A *cell* holds the rows whose scores lie from its lowest to its highest one. The points after each
# cell are exact points of the curve; inside a cell of several scores the curve cannot rise above
# its north-west corner. So a hull is exact as soon as no such corner is above the hull of the known
# points, for any cells.

# Counts stay below two to this power.
COUNT_BITS = 62

# The share of cells that is left to tails, where each doubling of the rows gets as many cells.
# Scores may crowd there later.
IN_TAILS = 0.25


class Cells(NamedTuple):
    """Disjoint intervals of scores, the highest first, each with at least one row."""

    high: FloatArray  # NaN while the ends are unknown
    low: FloatArray
    negatives: IntArray
    positives: IntArray  # counts of either class, in whole units where rows have weights

    @property
    def single(self) -> BoolArray:
        """Which cells hold one distinct score."""
        same: BoolArray = self.high == self.low
        return same

    def take(self, which: BoolArray | IntArray | slice) -> Cells:
        """Return some of the cells."""
        return Cells(*(column[which] for column in self))


def count_cells(scores: FloatArray, positive: BoolArray) -> Cells:
    """Count rows by score; no NaN."""
    distinct, false_positives, true_positives = distinct_counts(scores, positive)
    counts = (np.diff(sums, prepend=0) for sums in (false_positives, true_positives))
    return Cells(distinct, distinct, *counts)


def add_scores(cells: Cells, scores: Cells) -> Cells:
    """Add cells of one score each, as `merge_cells` does, but without sorting."""
    into = np.searchsorted(-cells.low, -scores.high)  # the one that ends at or below it
    inside = np.append(cells.high, -np.inf)[into] >= scores.high
    inside &= into < cells.low.size
    new = np.flatnonzero(~inside)
    place = into[new] + np.arange(new.size)
    old = np.ones(cells.low.size + new.size, dtype=bool)
    old[place] = False
    columns = []
    for mine, theirs in zip(cells, scores, strict=True):
        column = np.empty(old.size, dtype=mine.dtype)
        column[old], column[place] = mine, theirs[new]
        columns.append(column)
    where = np.flatnonzero(old)[into[inside]]
    for counts, more in zip(columns[2:], scores[2:], strict=True):
        np.add.at(counts, where, more[inside])
    return Cells(*columns)


def merge_cells(parts: Sequence[Cells]) -> Cells:
    """Sort cells, and add up those that share scores."""
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    high, low, negatives, positives = columns
    order = np.argsort(-high, kind="stable")
    high, low = high[order] + 0.0, low[order] + 0.0
    reach = np.minimum.accumulate(low)
    first = np.flatnonzero(np.concatenate(([True], high[1:] < reach[:-1]))[: high.size])
    return Cells(
        high[first],
        np.minimum.reduceat(low, first),
        np.add.reduceat(negatives[order], first),
        np.add.reduceat(positives[order], first),
    )


def starts_within(cells: Cells, wider: Cells) -> IntArray:
    """Return the first cell inside each of the wider cells, which hold all of them."""
    into = np.searchsorted(-wider.low, -cells.high)  # the one that ends at or below it
    return np.flatnonzero(np.diff(into, prepend=-1))


def join_cells(cells: Cells, first: IntArray) -> Cells:
    """Join each of the `first` cells with those up to the next one."""
    last = np.append(first[1:], cells.low.size) - 1
    counts = (np.add.reduceat(column, first) for column in cells[2:])
    return Cells(cells.high[first], cells.low[last], *counts)


# To keep few cells, neighbors are joined, those first whose smallest common node in a binary tree
# holds least. The tree is that of all doubles by their bits: powers of two, halved again and again.
# Two of its nodes are disjoint or nested. So where cells of different rows overlap, their sum stays
# inside the node of one of them, and no chain of cells grows.


def fit_cells(cells: Cells, most: int, apart: BoolArray | None = None) -> Cells:
    """Join neighbors until `most` cells are left, with about equal shares of either class.

    Neighbors that must stay `apart` are not joined; they are fewer than `most`.
    """
    if cells.low.size <= most:
        return cells
    first, last = _codes(cells.high), _codes(cells.low)
    node: IntArray = first[:-1] ^ last[1:]
    for bits in (1, 2, 4, 8, 16, 32):  # all bits from the first different one on
        node = node | node >> np.uint64(bits)
    start = np.searchsorted(last, first[:-1] & ~node)
    end = np.searchsorted(first, last[1:] | node, side="right")
    depths = np.sum([_depths(counts) for counts in known_points(cells)], axis=0)
    shares = depths[end] - depths[start]
    if apart is not None:
        shares[apart] = np.inf
    kept = np.argpartition(-shares, most - 2)[: most - 1]
    return join_cells(cells, np.concatenate(([0], np.sort(kept) + 1)))


def _depths(counts: IntArray) -> FloatArray:
    """Return how far down the rows of a class cumulative counts are."""
    total = max(1, int(counts[-1]))
    tails = np.log1p(counts) - np.log1p(total - counts)
    depths: FloatArray = (1 - IN_TAILS) * counts / total + IN_TAILS * tails / 2 / math.log1p(total)
    return depths


def _codes(scores: FloatArray) -> IntArray:
    """Return whole numbers that rise as the scores fall."""
    bits = scores.view(np.uint64)
    negative = bits >> np.uint64(63) > 0
    return np.where(negative, bits, bits ^ np.uint64(2**63 - 1))


def scale_counts(cells: Cells, bits: int) -> Cells:
    """Multiply counts by a power of two.

    Cumulative counts are rounded, so that all cells together lose at most half a unit.
    """
    return cells._replace(
        negatives=_scale(cells.negatives, bits), positives=_scale(cells.positives, bits)
    )


def _scale(counts: IntArray, bits: int) -> IntArray:
    if not counts.any() or bits < -COUNT_BITS:
        return np.zeros_like(counts)
    if bits >= 0:
        return counts << bits
    sums = np.cumsum(counts) + (1 << (-bits - 1))
    return np.diff(sums >> -bits, prepend=0)


def known_points(cells: Cells) -> tuple[IntArray, IntArray]:
    """Return false and true positives at (0, 0) and after each cell."""
    points = np.zeros((2, cells.low.size + 1), dtype=np.int64)
    np.cumsum(cells.negatives, out=points[0, 1:])
    np.cumsum(cells.positives, out=points[1, 1:])
    return points[0], points[1]


def _known_vertices(x: IntArray, y: IntArray) -> IntArray:
    """Return which known points are vertices of their hull: 0 is (0, 0), i + 1 ends cell i.

    Of equal points (rows without weight) take the one with the highest threshold.
    """
    distinct = distinct_points(x, y)
    vertices: IntArray = distinct[upper_hull(x[distinct], y[distinct])]
    return vertices


def live(cells: Cells, *, weighted: bool = False) -> BoolArray:
    """Return which cells of several scores may hide a vertex of the hull, or its threshold.

    The latter only if rows may weigh nothing (the vertex may be reached at a higher score) or
    where ends are unknown: a vertex needs those of the cell that it ends, and of the next one.
    """
    return find_live(cells, weighted=weighted)[0]


def find_live(cells: Cells, *, weighted: bool = False) -> tuple[BoolArray, IntArray]:
    """Return `live`, and which known points are vertices of their hull."""
    x, y = known_points(cells)
    vertices = _known_vertices(x, y) if weighted else upper_hull(x, y)  # no points are equal
    alive = above_hull(x[vertices], y[vertices], x[:-1], y[1:], rising=True)
    ends, following = vertices[1:] - 1, vertices[1:-1]
    if weighted:
        alive[ends] = True
    alive[ends] |= np.isnan(cells.low[ends])
    alive[following] |= np.isnan(cells.low[following])
    return alive & ~cells.single, vertices


def height_left(cells: Cells) -> float:
    """Return how far the true positives may be above the known points' hull, at most."""
    x, y = known_points(cells)
    alive, vertices = find_live(cells, weighted=True)
    roof = np.interp(x[:-1], x[vertices].astype(float), y[vertices].astype(float))
    return float(np.max((y[1:] - roof)[alive], initial=0.0))


def hull_of_cells(cells: Cells) -> tuple[FloatArray, FloatArray, IntArray, IntArray]:
    """Return the hull of the known points, as `kernels.refine.hull_from_scores` does."""
    x, y = known_points(cells)
    vertices = _known_vertices(x, y)[1:]
    lower = np.append(cells.high[1:], -np.inf)
    return cells.low[vertices - 1], lower[vertices - 1], x[vertices], y[vertices]


def thin_cells(cells: Cells, resolution: float) -> Cells:
    """Join neighbors while the joint cell is at most `resolution` wide in both rates.

    Greedy from the top, which gives the fewest cells. A wider cell stays alone. O(cells log cells).
    """
    size = cells.low.size
    # for each point the last one that is close enough in either rate
    within = [
        np.searchsorted(sums, sums + _step(counts, resolution), side="right") - 1
        for sums, counts in zip(known_points(cells), cells[2:], strict=True)
    ]
    following = np.maximum(np.minimum(*within), np.arange(1, size + 2)).tolist()
    firsts = [0]
    while firsts[-1] < size:
        firsts.append(following[firsts[-1]])
    return join_cells(cells, np.array(firsts[:-1]))


def too_coarse(cells: Cells, resolution: float) -> BoolArray:
    """Return which cells hold several scores and are wider than `resolution`."""
    wide = [counts > _step(counts, resolution) for counts in cells[2:]]
    return np.asarray(~cells.single & (wide[0] | wide[1]))


def _step(counts: IntArray, resolution: float) -> int:
    return int(Fraction(resolution) * int(counts.sum()))
