"""An exact hull without sorting all scores.

Labels are counted per bucket of scores in one pass. The hull of the bucket edges is then a lower
bound, and a bucket whose north-west corner is not above it can hold no vertex; only the few live
buckets need their scores. Where those still are many, the live buckets are split again, each over
its own range and as finely as it is full, and only the rest is sorted.

A bucket is any monotone function of the score, so the answer is exact for every distribution: a
poor choice of buckets costs time, never a vertex. Buckets have equal widths either in the score
or, where a sample says that this spreads the scores better (1e-300 to 1e300, infinities), along
the ordered integers that IEEE 754 doubles are.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

import numpy as np

from rocch.kernels import numpy_passes
from rocch.kernels.counting import corner_counts, distinct_counts
from rocch.kernels.grid import NO_ROWS, Grid, Rows
from rocch.kernels.hull import SAFE_PRODUCT, upper_hull

if TYPE_CHECKING:
    from rocch.arrays import BoolArray, FloatArray, IntArray
    from rocch.kernels.grid import Passes

    Points = tuple[FloatArray, IntArray, IntArray]

SORT_AT_ONCE = 2**16
"""So few rows are sorted outright; buckets would cost more than they save."""

SORT_REST = 2**14
"""So few live rows are sorted, not split again."""

SORT_SHARE = 32
"""Live rows are sorted, not split again, once they are at most this fraction of all rows."""

ROWS_PER_BUCKET = 8
MOST_BUCKETS = 2**17
SAMPLE = 512


def hull_from_scores(
    scores: FloatArray, positive: BoolArray, passes: Passes = numpy_passes
) -> tuple[FloatArray, FloatArray, IntArray, IntArray]:
    """Return the hull of one classifier's ROC curve straight from its scores.

    Vertices come left to right without (0, 0), which every hull has: threshold, the next lower
    score that occurs (minus infinity after the lowest), false positives and true positives.
    """
    if scores.size <= SORT_AT_ONCE and 2 * np.count_nonzero(positive) <= scores.size:
        points = corner_counts(scores, positive)
    else:
        thresholds, *counts = candidates(scores, positive, passes)
        points = thresholds, np.append(thresholds[1:], -np.inf), counts[0], counts[1]
    vertex = upper_hull(_from_zero(points[2]), _from_zero(points[3]))[1:] - 1
    thresholds, next_lower, false_positives, true_positives = (column[vertex] for column in points)
    return thresholds, next_lower, false_positives, true_positives


def candidates(scores: FloatArray, positive: BoolArray, passes: Passes) -> Points:
    """Return few points of the curve that contain every vertex of its hull.

    They also contain, right after each vertex, the next lower score that occurs, from which
    midpoint thresholds are made.
    """
    size = scores.size
    if size <= SORT_AT_ONCE or size * size >= SAFE_PRODUCT:
        return distinct_counts(scores, positive)
    hits = int(np.count_nonzero(positive))
    totals = np.array([size - hits, hits])
    rows = Rows(scores, positive, None)
    grid, tied = first_grid(scores, passes.ends(scores))
    gaps = np.zeros((2, grid.buckets), dtype=np.int64)
    found: list[Points] = []
    enough = max(SORT_REST, size // SORT_SHARE)
    for level in count():
        before = rows.scores.size
        rows, starts, inside, single = _live_rows(rows, grid, gaps, totals, tied, passes)
        found.append(single)
        if not rows.scores.size:
            break
        stalled = level > 0 and rows.scores.size > before // 2
        if stalled or rows.scores.size <= enough:
            found.append(_sorted_out(rows, starts, inside))
            break
        grid = _finer_grid(grid.by_key, *passes.extremes(rows, grid.by_key), inside.sum(axis=0))
        gaps = _gaps(starts, inside, grid)
    return _merged(found)


def _live_rows(
    rows: Rows, grid: Grid, gaps: IntArray, totals: IntArray, tied: bool, passes: Passes
) -> tuple[Rows, IntArray, IntArray, Points]:
    """Keep the rows of buckets that may matter and hold more than one score.

    Returns them with where their buckets begin and what is inside each, and the points of those
    buckets that matter and hold a single score. Unless scores are known to repeat, no bucket is
    looked at for that.
    """
    inside, located = passes.count(rows, grid)
    ends = np.cumsum(gaps + inside, axis=1)
    starts = ends - inside
    mixed = flagged = passes.flag(starts, ends, totals)
    points: Points = np.empty(0), np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    if tied:
        example, mixed = passes.survey(rows, grid, located, flagged)
        single = flagged & ~mixed
        points = example[single] + 0.0, ends[0][single], ends[1][single]
    rows = passes.collect(rows, grid, located, mixed) if mixed.any() else NO_ROWS
    return rows, starts[:, mixed], inside[:, mixed], points


def first_grid(scores: FloatArray, ends: FloatArray) -> tuple[Grid, bool]:
    """Cut the whole range into buckets as a sample advises; say also whether scores repeat.

    Repeated scores are cut between their extremes, so that each may get a bucket of its own; others
    between the sample's near-extremes, so that outliers, which share the outer buckets, do not
    widen all. By score, unless there are infinite ones, or that crowds the sample into few buckets
    and by key does better.
    """
    buckets = min(scores.size // ROWS_PER_BUCKET, MOST_BUCKETS)
    sample = np.sort(scores[:: -(-scores.size // SAMPLE)])
    distinct = 1 + int(np.count_nonzero(sample[1:] != sample[:-1]))
    tied, trim = distinct < sample.size, sample.size // 256
    if np.isinf(ends).any():
        return _plain_grid(True, ends, buckets), tied
    by_score = _plain_grid(False, ends if tied else sample[[trim, -1 - trim]], buckets)
    reached = _reached(sample, by_score)
    if 4 * reached >= distinct:
        return by_score, tied
    by_key = _plain_grid(True, ends, buckets)
    return (by_key if _reached(sample, by_key) > reached else by_score), tied


def _plain_grid(by_key: bool, ends: FloatArray, buckets: int) -> Grid:
    """Cut a range into equal widths.

    Where floats cannot express the width (an infinite range), all rows share one bucket.
    """
    low, top = numpy_passes.positions(ends, by_key)
    with np.errstate(all="ignore"):
        factor = buckets / (top - low)
    if not 0 < factor < np.inf:
        top, factor, buckets = 0.0, 0.0, 1
    return Grid(by_key, np.array([top]), np.array([factor]), np.array([0, buckets]))


def _reached(sample: FloatArray, grid: Grid) -> int:
    """Count the buckets that a sorted sample reaches."""
    bucket = numpy_passes.locate(sample, None, grid)
    return 1 + int(np.count_nonzero(bucket[1:] != bucket[:-1]))


def _finer_grid(by_key: bool, low: FloatArray, high: FloatArray, filled: IntArray) -> Grid:
    """Cut each slot over its own range, into more buckets the more rows it has."""
    pieces = np.maximum(2, filled // 8)
    with np.errstate(over="ignore", divide="ignore"):
        factor = np.minimum(pieces / (high - low), 1e300)
    return Grid(by_key, high, factor, _from_zero(np.cumsum(pieces)))


def _gaps(starts: IntArray, inside: IntArray, grid: Grid) -> IntArray:
    """Return what lies between the slots, booked before the first bucket of each."""
    gaps = np.zeros((2, grid.buckets), dtype=np.int64)
    gaps[:, grid.first[:-1]] = starts
    gaps[:, grid.first[1:-1]] -= (starts + inside)[:, :-1]
    return gaps


def _sorted_out(rows: Rows, starts: IntArray, inside: IntArray) -> Points:
    """Count the remaining rows score by score and move each slot's counts to where it begins."""
    thresholds, *within = distinct_counts(rows.scores, rows.positive)
    up_to = np.cumsum(inside, axis=1)
    slot = np.searchsorted(up_to.sum(axis=0), within[0] + within[1])
    shift = (starts - (up_to - inside))[:, slot]
    return thresholds, within[0] + shift[0], within[1] + shift[1]


def _merged(parts: list[Points]) -> Points:
    """Join points of disjoint ranges of scores into one list, highest score first."""
    thresholds, false_positives, true_positives = (
        np.concatenate(column) for column in zip(*parts, strict=True)
    )
    order = np.argsort(-thresholds)
    return thresholds[order], false_positives[order], true_positives[order]


def _from_zero(values: IntArray) -> IntArray:
    return np.concatenate(([0], values))
