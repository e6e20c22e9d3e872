"""The counts of resampled rows, without resampling scores or sorting them again.

A bootstrap replicate holds each row some number of times (perhaps none). Its ROC path visits the
same scores in the same order as the sample's; only the steps change. So rows are sorted once, and
the replicate's counts at a point are cumulative multiplicities, read where the sample's own counts
stand: with f false positives in the sample, the first f negatives by falling score alarm.

Where a path runs straight on (scores of one class only), it does so in every replicate, so only the
corners are read. Everything is an integer; the compiled twin in `compiled_resampling` gives the
same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rocch.kernels.area import twice_area
from rocch.kernels.hull import distinct_points, upper_hull

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocch.arrays import BoolArray, FloatArray, IntArray

MULTIPLICITY = np.uint16
"""How often a row is drawn fits easily: even 256 times has a chance below 1 in 10 ** 500."""


class Path(NamedTuple):
    """A model's rows by falling score, each class apart, and the sample's counts at the corners."""

    negatives: IntArray
    """The negatives' positions among the negatives."""
    positives: IntArray
    false_positives: IntArray
    true_positives: IntArray


class Walk(NamedTuple):
    """A replicate's counts at a path's corners and at the vertices of its hull."""

    false_positives: IntArray
    true_positives: IntArray
    vertices: tuple[IntArray, IntArray]
    twice_area: int


def path_of(
    scores: FloatArray, positive: BoolArray, false_positives: IntArray, true_positives: IntArray
) -> Path:
    """Sort each class once; the counts are the sample's at its distinct scores, from (0, 0) on."""
    turns = corners(false_positives, true_positives)
    negatives, positives = (
        np.argsort(-scores[rows], kind="stable") for rows in (~positive, positive)
    )
    return Path(negatives, positives, false_positives[turns], true_positives[turns])


def corners(false_positives: IntArray, true_positives: IntArray) -> IntArray:
    """Return the points in which a path does not just run on to the right, or upwards."""
    right, up = np.diff(false_positives) == 0, np.diff(true_positives) == 0
    dull = (right[1:] & right[:-1]) | (up[1:] & up[:-1])
    return np.flatnonzero(np.concatenate(([True], ~dull, [True])))


def tally(draws: IntArray, size: int) -> IntArray:
    """Count how often each of `size` things was drawn."""
    return np.bincount(draws, minlength=size).astype(MULTIPLICITY)


def cumulative(multiplicities: IntArray, order: IntArray) -> IntArray:
    """Return how many rows the first 0, 1, 2, … places of the order hold in the replicate."""
    sums = np.zeros(order.size + 1, dtype=np.int64)
    np.cumsum(multiplicities[order], out=sums[1:])
    return sums


def walk(path: Path, negatives: IntArray, positives: IntArray) -> Walk:
    """Walk a path with the multiplicities of the negatives and of the positives.

    Complexity: O(n), without sorting. Exact for any counts, as `upper_hull` and `twice_area` are.
    """
    x = cumulative(negatives, path.negatives)[path.false_positives]
    y = cumulative(positives, path.positives)[path.true_positives]
    # No hull turns where the path has just gone right, so these corners need no look.
    rises = np.concatenate(([True], y[1:] > y[:-1]))
    rises[-1] = True
    left, top = x[rises], y[rises]
    distinct = distinct_points(left, top)
    left, top = left[distinct], top[distinct]
    vertex = upper_hull(left, top)
    return Walk(x, y, (left[vertex], top[vertex]), twice_area(x, y))


def joined(
    hulls: Sequence[tuple[IntArray, IntArray]],
) -> tuple[tuple[IntArray, IntArray], BoolArray]:
    """Return the joint hull's vertices, and which of the hulls hold one that is not an end.

    Complexity: O(v log v) in the vertices of all hulls together.
    """
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
