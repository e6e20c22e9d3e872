"""Intervals of scores with their counts, and which of them may hide a vertex.

A *cell* holds the rows whose scores lie from its lowest to its highest one. The points after each
cell are points of the curve, known exactly; what happens inside a cell of several scores is not
known, but cannot rise above its north-west corner. So a hull is exact as soon as no such corner
lies above the hull of the known points. How the scores were cut into cells does not matter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rocch.kernels.hull import above_hull, distinct_points, upper_hull

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocch.arrays import BoolArray, FloatArray, IntArray


COUNT_BITS = 62
"""Counts stay below two to this power."""


class Cells(NamedTuple):
    """Disjoint intervals of scores, the highest first, each with at least one row."""

    high: FloatArray
    low: FloatArray
    negatives: IntArray
    positives: IntArray
    """Counts of either class, in whole units where rows have weights."""

    @property
    def single(self) -> BoolArray:
        """Which cells hold one distinct score."""
        same: BoolArray = self.high == self.low
        return same

    def taken(self, which: BoolArray | IntArray) -> Cells:
        """Return some of the cells."""
        return Cells(*(column[which] for column in self))


def disjoint(parts: Sequence[Cells]) -> Cells:
    """Put cells in order and join those that share scores; their rows are added up."""
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
    """Return the first cell in each of some wider cells that has any; all lie in some of them."""
    into = np.searchsorted(-wider.low, -cells.high)  # the one that ends at or below it
    return np.flatnonzero(np.diff(into, prepend=-1))


def joined(cells: Cells, first: IntArray) -> Cells:
    """Join each of some cells with those behind it, up to the next one."""
    last = np.append(first[1:], cells.low.size) - 1
    counts = (np.add.reduceat(column, first) for column in cells[2:])
    return Cells(cells.high[first], cells.low[last], *counts)


def shifted(cells: Cells, bits: int) -> Cells:
    """Multiply counts by a power of two; what is not whole then is rounded.

    Counts are rounded from the top down to each cell, so that all cells together lose half a unit
    at most, and every classifier the same.
    """
    return cells._replace(
        negatives=_shifted(cells.negatives, bits), positives=_shifted(cells.positives, bits)
    )


def _shifted(counts: IntArray, bits: int) -> IntArray:
    if not counts.any() or bits < -COUNT_BITS:
        return np.zeros_like(counts)
    if bits >= 0:
        return counts << bits
    sums = np.cumsum(counts) + (1 << (-bits - 1))
    return np.diff(sums >> -bits, prepend=0)


def known_points(cells: Cells) -> tuple[IntArray, IntArray]:
    """Return false and true positives at (0, 0) and after each cell."""
    zero = np.zeros(1, dtype=np.int64)
    return (
        np.concatenate((zero, np.cumsum(cells.negatives))),
        np.concatenate((zero, np.cumsum(cells.positives))),
    )


def known_vertices(cells: Cells) -> IntArray:
    """Return which known points are vertices of their hull: 0 is (0, 0), i + 1 ends cell i.

    Where rows without weight make points coincide, the one with the highest threshold is taken.
    """
    x, y = known_points(cells)
    distinct = distinct_points(x, y)
    vertices: IntArray = distinct[upper_hull(x[distinct], y[distinct])]
    return vertices


def live(cells: Cells, *, weighted: bool = False) -> BoolArray:
    """Say which cells of several scores may hide a vertex of the hull, or its threshold.

    The latter only where rows may weigh nothing: a cell that ends in a vertex may then reach the
    same point at a higher score already.
    """
    x, y = known_points(cells)
    vertices = known_vertices(cells)
    alive = above_hull(x[vertices], y[vertices], x[:-1], y[1:])
    if weighted:
        alive[vertices[1:] - 1] = True
    return alive & ~cells.single


def height_left(cells: Cells) -> float:
    """Return how much higher than at the known points' hull the true positives may be, at most."""
    x, y = known_points(cells)
    vertices = known_vertices(cells)
    roof = np.interp(x[:-1], x[vertices].astype(float), y[vertices].astype(float))
    return float(np.max((y[1:] - roof)[live(cells)], initial=0.0))


def hull_of_cells(cells: Cells) -> tuple[FloatArray, FloatArray, IntArray, IntArray]:
    """Return the hull of the known points, as `kernels.buckets.hull_from_scores` does."""
    x, y = known_points(cells)
    vertices = known_vertices(cells)[1:]
    lower = np.append(cells.high[1:], -np.inf)
    return cells.low[vertices - 1], lower[vertices - 1], x[vertices], y[vertices]
