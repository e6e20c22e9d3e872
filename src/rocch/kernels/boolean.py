"""What two sets of decisions do together: joint counts, and which of them extend a hull.

Decisions are rows of a Boolean matrix with one column for each judged row. The joint distribution
is counted, never assumed: two classifiers that err on the same rows are not independent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rocch.kernels.hull import above_hull, distinct_points, upper_hull

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocch.arrays import BoolArray, FloatArray, IntArray

CHUNK = 2**22
"""So many cells of the larger matrix are turned into floats at a time."""

EXACT_IN_DOUBLES = 2**53


def counts(decisions: BoolArray, weights: IntArray | None = None) -> IntArray:
    """Count the rows on which each decision alarms, each as often as its weight says."""
    if weights is None:
        return np.asarray(np.count_nonzero(decisions, axis=1), dtype=np.int64)
    return np.array([int(weights[alarms].sum()) for alarms in decisions], dtype=np.int64)


def joint_counts(first: BoolArray, second: BoolArray, weights: IntArray | None = None) -> IntArray:
    """Count, for every pair of decisions, the rows on which both alarm.

    Matrix products of zeros and ones in floats are exact here: without weights no chunk has as
    many as 2**24 rows; with weights doubles serve up to a total of 2**53, and beyond it slower
    integers. Complexity: one product of matrices; memory for one chunk beyond the answer.
    """
    both = np.zeros((len(first), len(second)), dtype=np.int64)
    kind: type = np.float32
    if weights is not None:
        kind = np.float64 if int(weights.sum()) < EXACT_IN_DOUBLES else np.int64
    for part in _chunks(first, second):
        left: IntArray = first[:, part].astype(kind)
        if weights is not None:
            left *= weights[part].astype(kind)
        both += (left @ second[:, part].T.astype(kind)).astype(np.int64)
    return both


def sums_where(values: FloatArray, decisions: BoolArray) -> FloatArray:
    """Sum every row of values over the columns on which each decision alarms."""
    total = np.zeros((len(values), len(decisions)))
    for part in _chunks(values, decisions):
        total += values[:, part] @ decisions[:, part].T.astype(np.float64)
    return total


def grown(
    hull: tuple[IntArray, IntArray], false_positives: IntArray, true_positives: IntArray
) -> tuple[tuple[IntArray, IntArray], IntArray]:
    """Return the hull that points make with an earlier one, and which of them are its vertices.

    The hull is given by its vertices from (0, 0) to the totals; of equal points the first counts,
    and the earlier hull's before all. Decided on integers, whatever the size of their products.
    Complexity: O(n log n) in the points above the hull.
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
