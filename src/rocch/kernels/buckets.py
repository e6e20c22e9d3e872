"""An exact hull without sorting all scores.

Labels are counted per bucket of scores. A bucket whose north-west corner is not above the hull of
the bucket edges holds no vertex; the others are split again, or sorted where few rows are left.
Any monotone buckets give the exact hull: equal widths in the score or, for extreme spreads and
infinities, in the ordered integers of IEEE 754 doubles.
"""

from __future__ import annotations

from types import ModuleType
from typing import NamedTuple, TypeAlias

import numpy as np

from rocch.arrays import AnyArray, BoolArray, FloatArray, IntArray
from rocch.kernels import passes as numpy_passes
from rocch.kernels.counting import distinct_counts
from rocch.kernels.engine import engine_for
from rocch.kernels.hull import sorted_hull, upper_hull
from rocch.kernels.passes import BucketGrid, LiveRows, Sieve

# Thresholds, false positives and true positives.
Points: TypeAlias = tuple[FloatArray, IntArray, IntArray]

# Up to this many rows are sorted; buckets would be slower.
SORT_AT_ONCE = 2**16

# Up to this many live rows are sorted.
SORT_REST = 2**14

# Live rows are sorted once they are at most 1 / SORT_SHARE of all rows.
SORT_SHARE = 32

# Live rows are copied once they are at most 1 / COPY_SHARE of all rows; until then all rows are
# sifted in each pass, to save memory.
COPY_SHARE = 6

# Up to this many passes that drop few rows are cheaper than sorting.
MOST_SIEVES = 4

ROWS_PER_BUCKET = 8
# This many buckets stay in a processor's cache.
CACHED_BUCKETS = 2**17

ROWS_PER_FAR_BUCKET = 96
MOST_BUCKETS = 2**22
SAMPLE = 512
NEIGHBORS = 8
# Keys cost more than scores, so they must spread rows this many times better.
WORTH_KEYS = 4


class LiveBuckets(NamedTuple):
    """The buckets whose rows are still live."""

    buckets: BoolArray
    starts: IntArray  # the false and true positives above each of them
    inside: IntArray  # the negatives and positives in each of them
    tallies: list[IntArray]  # of the slices of compiled code

    @property
    def rows(self) -> int:
        """The number of live rows."""
        return int(self.inside.sum())


def hull_from_scores(
    scores: FloatArray, positive: BoolArray, curves: int = 1
) -> tuple[FloatArray, FloatArray, IntArray, IntArray]:
    """Return the hull of one classifier's ROC curve from its scores.

    Vertices come left to right without (0, 0): threshold, the next lower score that occurs (minus
    infinity after the lowest), false positives and true positives. `curves` is the number of hulls
    still to build from as many scores; compiled code pays off for many rows in all.
    """
    if scores.size <= SORT_AT_ONCE:
        return sorted_hull(scores, positive)
    thresholds, *counts = _candidates(scores, positive, scores.size * curves)
    points = thresholds, np.append(thresholds[1:], -np.inf), counts[0], counts[1]
    vertex = upper_hull(_from_zero(points[2]), _from_zero(points[3]))[1:] - 1
    thresholds, next_lower, false_positives, true_positives = (column[vertex] for column in points)
    return thresholds, next_lower, false_positives, true_positives


def _candidates(scores: FloatArray, positive: BoolArray, work: int) -> Points:
    """Return few points of the curve: all vertices of its hull, and the next score after each."""
    passes = engine_for(numpy_passes, work, scores.size)
    positives = int(np.count_nonzero(positive))
    totals = np.array([scores.size - positives, positives])
    # Numba compiles again for arrays that can be written to
    rows = LiveRows(_read_only(scores), _read_only(positive), None)
    grid, tied = _first_grid(scores, passes.ends(scores))
    most, before = grid.buckets, 2 * scores.size
    gaps = np.zeros((2, most), dtype=np.int64)
    found: list[Points] = []
    while True:
        live, single = _live_buckets(rows, grid, gaps, totals, tied, passes)
        found.append(single)
        if not live.rows:
            return _merged(found)
        stalled = 2 * live.rows > before and not 0 < len(rows.sieves) < MOST_SIEVES
        last = stalled or live.rows <= max(SORT_REST, scores.size // SORT_SHARE)
        if last or live.rows <= scores.size // COPY_SHARE:
            rows = passes.collect(rows, grid, live.tallies, live.buckets)
        else:
            rows = rows._replace(sieves=(*rows.sieves, Sieve.of(grid, live.buckets)))
        if last:
            return _merged([*found, _sorted_out(rows, live)])
        before = live.rows
        grid = _finer_grid(rows, grid.by_key, live, most, passes)
        gaps = _gaps(live, grid)


def _live_buckets(
    rows: LiveRows,
    grid: BucketGrid,
    gaps: IntArray,
    totals: IntArray,
    tied: bool,
    passes: ModuleType,
) -> tuple[LiveBuckets, Points]:
    """Return live buckets of several scores, and points of those with one if scores are tied."""
    inside, tallies = passes.count(rows, grid)
    ends = np.cumsum(gaps + inside, axis=1)
    mixed = flagged = passes.flag(ends - inside, ends, totals)
    points: Points = np.empty(0), np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    if tied:
        example, mixed = passes.survey(rows, grid, flagged)
        single = flagged & ~mixed
        points = example[single] + 0.0, ends[0][single], ends[1][single]
    inside = inside[:, mixed]
    return LiveBuckets(mixed, ends[:, mixed] - inside, inside, tallies), points


def _first_grid(scores: FloatArray, ends: FloatArray) -> tuple[BucketGrid, bool]:
    """Cut the whole range into buckets by a sample; return also whether scores repeat.

    Repeated scores are cut between their extremes, others between the sample's near-extremes, so
    that outliers share the outer buckets.
    """
    buckets = number_of_buckets(scores.size)
    sample = np.sort(scores[:: -(-scores.size // SAMPLE)])
    distinct = 1 + int(np.count_nonzero(sample[1:] != sample[:-1]))
    tied, trim = distinct < sample.size, sample.size // 256
    if np.isinf(ends).any():
        return _plain_grid(True, ends, buckets), tied
    by_score = _plain_grid(False, ends if tied else sample[[trim, -1 - trim]], buckets)
    by_key = _plain_grid(True, ends, buckets)
    better = _crowding(sample, by_key) * WORTH_KEYS < _crowding(sample, by_score)
    return (by_key if better else by_score), tied


def number_of_buckets(rows: int) -> int:
    """Return the number of buckets for some rows."""
    near = min(rows // ROWS_PER_BUCKET, CACHED_BUCKETS)
    return min(max(near, rows // ROWS_PER_FAR_BUCKET), MOST_BUCKETS)


def _plain_grid(by_key: bool, ends: FloatArray, buckets: int) -> BucketGrid:
    """Cut a range into equal widths; one bucket where floats cannot express the width."""
    low, top = numpy_passes.positions(ends, by_key)
    with np.errstate(all="ignore"):
        factor = buckets / (top - low)
    if not 0 < factor < np.inf:
        top, factor, buckets = 0.0, 0.0, 1
    return BucketGrid(by_key, np.array([top]), np.array([factor]), np.array([0, buckets]))


def _crowding(sample: FloatArray, grid: BucketGrid) -> float:
    """Return how full the bucket of a typical row is, on a scale common to all grids."""
    # where NEIGHBORS rows of a sorted sample span w buckets, each holds 1 / w as many rows
    bucket = numpy_passes.locate(sample, None, grid)
    spans = np.abs(bucket[NEIGHBORS:] - bucket[:-NEIGHBORS])
    return float(np.mean(1 / (1 + spans)))


def _finer_grid(
    rows: LiveRows, by_key: bool, live: LiveBuckets, most: int, passes: ModuleType
) -> BucketGrid:
    low, high = passes.extremes(rows, by_key, live.starts.shape[1])
    each = max(ROWS_PER_BUCKET, live.rows // most)
    pieces = np.maximum(2, live.inside.sum(axis=0) // each)
    with np.errstate(over="ignore", divide="ignore"):
        factor = np.minimum(pieces / (high - low), 1e300)
    return BucketGrid(by_key, high, factor, _from_zero(np.cumsum(pieces)))


def _gaps(live: LiveBuckets, grid: BucketGrid) -> IntArray:
    """Return the counts between slots, at the first bucket of each."""
    gaps = np.zeros((2, grid.buckets), dtype=np.int64)
    gaps[:, grid.first[:-1]] = live.starts
    gaps[:, grid.first[1:-1]] -= (live.starts + live.inside)[:, :-1]
    return gaps


def _sorted_out(rows: LiveRows, live: LiveBuckets) -> Points:
    """Count the remaining rows score by score, shifted to where their slots begin."""
    thresholds, *within = distinct_counts(rows.scores, rows.positive)
    up_to = np.cumsum(live.inside, axis=1)
    slot = np.searchsorted(up_to.sum(axis=0), within[0] + within[1])
    shift = (live.starts - (up_to - live.inside))[:, slot]
    return thresholds, within[0] + shift[0], within[1] + shift[1]


def _merged(parts: list[Points]) -> Points:
    """Join points of disjoint ranges of scores, highest score first."""
    thresholds, false_positives, true_positives = (
        np.concatenate(column) for column in zip(*parts, strict=True)
    )
    order = np.argsort(-thresholds)
    return thresholds[order], false_positives[order], true_positives[order]


def _read_only(array: AnyArray) -> AnyArray:
    view = array.view()
    view.flags.writeable = False
    return view


def _from_zero(values: IntArray) -> IntArray:
    return np.concatenate(([0], values))
