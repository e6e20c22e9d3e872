"""Kernels compiled by Numba (the `fast` extra); results equal NumPy's bit by bit."""

from __future__ import annotations

import math
import os
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

import numpy as np
from numba import njit

from rocch.arrays import BoolArray, FloatArray, IntArray
from rocch.kernels import passes as numpy_passes
from rocch.kernels import resampling
from rocch.kernels.cuts import SMALLEST_EXPONENT, Cut, CutGrid
from rocch.kernels.dominance import Words
from rocch.kernels.hull import SAFE_PRODUCT
from rocch.kernels.passes import Rows
from rocch.kernels.resampling import MULTIPLICITY, RankedRows, Walk

# The functions of `passes`, compiled once per installation and cached on disk. They run over slices
# of the rows in threads; integer counts are the same for any slicing.

T = TypeVar("T")
# A thread has at least so many rows; and for each bucket, which takes 32 bytes in each thread.
ROWS_PER_THREAD, ROWS_PER_BUCKET = 2**19, 8
# Rows that are placed at a time, and copied.
BATCH, COPY = 2**10, 2**15
# Where rows are not cut: their intervals are the buckets.
NO_CUT = Cut(np.empty(0, bool), np.empty(0), np.empty(0), np.empty(0, np.int64))
NO_GRID = CutGrid(np.empty(0), NO_CUT, 0.0, 0.0, 0)


def grid_buckets(scores: FloatArray, grid: CutGrid) -> IntArray:
    """Return the bucket of each score in a grid."""
    bucket = np.empty(scores.size, dtype=np.int64)
    _locate(scores, None, grid, bucket)
    return bucket


def count_labels(rows: Rows, grid: CutGrid) -> IntArray:
    """Count negatives (column 0) and positives (column 1) in each bucket."""
    kind = np.int32 if rows.scores.size < 2**31 else np.int64

    def count(part: Rows) -> IntArray:
        counts = np.zeros((grid.buckets, 2), dtype=kind)
        _count(*part, grid, counts)
        return counts

    parts = _in_threads(count, rows, grid.buckets)
    counts: IntArray = np.add.reduce(parts, axis=0, dtype=np.int64)
    return counts


def take_rows(rows: Rows, grid: CutGrid | None, interval_of: IntArray) -> Rows:
    """Copy the rows of some pieces; `interval_of` is the interval that each becomes, or -1."""

    def copy(part: Rows) -> list[Rows]:
        scores, positive = np.empty(COPY), np.empty(COPY, dtype=bool)
        interval, found = np.empty(COPY, dtype=np.int32), []
        for batch in part.batches(COPY):
            size = _take(*batch, grid or NO_GRID, interval_of, scores, positive, interval)
            found.append(Rows(scores[:size].copy(), positive[:size].copy(), interval[:size].copy()))
        return found

    parts = [each for found in _in_threads(copy, rows) for each in found]
    return Rows(*map(np.concatenate, zip(*parts, strict=True)))


def find_ends(
    rows: Rows, grid: CutGrid | None, interval_of: IntArray, intervals: int
) -> tuple[FloatArray, FloatArray]:
    """Return the lowest and the highest score in each interval."""

    def find(part: Rows) -> tuple[FloatArray, FloatArray]:
        ends = np.full(intervals, np.inf), np.full(intervals, -np.inf)
        _find_ends(part.scores, part.interval, grid or NO_GRID, interval_of, *ends)
        return ends

    lows, highs = zip(*_in_threads(find, rows), strict=True)
    return np.minimum.reduce(lows), np.maximum.reduce(highs)


def tally_rows(rows: Rows, grid: CutGrid) -> FloatArray:
    """Return the tallies of each bucket."""

    def tally(part: Rows) -> FloatArray:
        tallies = numpy_passes.empty_tallies(grid.buckets)
        _tally_rows(*part, grid, tallies)
        return tallies

    tallies, *others = _in_threads(tally, rows, grid.buckets)
    for other in others:
        tallies[:, :2] += other[:, :2]
        np.minimum(tallies[:, 2], other[:, 2], out=tallies[:, 2])
        np.maximum(tallies[:, 3], other[:, 3], out=tallies[:, 3])
    return tallies


def _in_threads(work: Callable[[Rows], T], rows: Rows, buckets: int = 0) -> list[T]:
    """Run the work, which takes memory for so many buckets, on each slice of the rows."""
    least = max(ROWS_PER_THREAD, ROWS_PER_BUCKET * buckets)
    threads = max(1, min(os.cpu_count() or 1, rows.scores.size // least))
    parts = list(rows.batches(max(1, -(-rows.scores.size // threads))))
    if len(parts) == 1:
        return [work(parts[0])]
    with ThreadPoolExecutor(len(parts)) as pool:
        return list(pool.map(work, parts))


def find_marked(bucket: IntArray, marks: BoolArray) -> IntArray:
    """Return which rows lie in marked buckets."""
    found = np.empty(bucket.size, dtype=np.int64)
    return found[: _mark(bucket, marks, found)].copy()


@njit(cache=True, nogil=True)
def add_rows(
    tallies: FloatArray, bucket: IntArray, scores: FloatArray, positive: BoolArray
) -> None:
    """Add rows to the tallies of their buckets."""
    for i in range(scores.size):
        place, score = bucket[i], scores[i]
        tallies[place, 0] += 1
        tallies[place, 1] += positive[i]
        tallies[place, 2] = min(tallies[place, 2], score)
        tallies[place, 3] = max(tallies[place, 3], score)


@njit(cache=True, nogil=True)
def _mark(bucket: IntArray, marks: BoolArray, out: IntArray) -> int:
    """Write unconditionally, then advance or not: no branch to predict."""
    found = 0
    for i in range(bucket.size):
        out[found] = i
        found += marks[bucket[i]]
    return found


@njit(cache=True, nogil=True)
def _count(
    scores: FloatArray,
    positive: BoolArray,
    interval: IntArray | None,
    grid: CutGrid,
    counts: IntArray,
) -> None:
    """Count labels, a batch of rows at a time for the processor's cache."""
    bucket = np.empty(BATCH, dtype=np.int32)
    for start in range(0, scores.size, BATCH):
        end = min(start + BATCH, scores.size)
        _locate(scores[start:end], _slice(interval, start, end), grid, bucket)
        for i in range(end - start):
            counts[bucket[i], np.int64(positive[start + i])] += 1


@njit(cache=True, nogil=True)
def _take(
    scores: FloatArray,
    positive: BoolArray,
    interval: IntArray | None,
    grid: CutGrid,
    interval_of: IntArray,
    out_scores: FloatArray,
    out_positive: BoolArray,
    out_interval: IntArray,
) -> int:
    """Copy rows, and return how many."""
    bucket = np.empty(BATCH, dtype=np.int32)
    found = 0
    for start in range(0, scores.size, BATCH):
        end = min(start + BATCH, scores.size)
        _locate(scores[start:end], _slice(interval, start, end), grid, bucket)
        for i in range(end - start):
            place = interval_of[bucket[i]]
            if place >= 0:
                out_scores[found] = scores[start + i]
                out_positive[found] = positive[start + i]
                out_interval[found] = place
                found += 1
    return found


@njit(cache=True, nogil=True)
def _find_ends(
    scores: FloatArray,
    interval: IntArray | None,
    grid: CutGrid,
    interval_of: IntArray,
    low: FloatArray,
    high: FloatArray,
) -> None:
    bucket = np.empty(BATCH, dtype=np.int32)
    for start in range(0, scores.size, BATCH):
        end = min(start + BATCH, scores.size)
        _locate(scores[start:end], _slice(interval, start, end), grid, bucket)
        for i in range(end - start):
            place, score = interval_of[bucket[i]], scores[start + i]
            if place >= 0:
                low[place] = min(low[place], score)
                high[place] = max(high[place], score)


@njit(cache=True, nogil=True)
def _tally_rows(
    scores: FloatArray,
    positive: BoolArray,
    interval: IntArray | None,
    grid: CutGrid,
    tallies: FloatArray,
) -> None:
    bucket = np.empty(BATCH, dtype=np.int32)
    for start in range(0, scores.size, BATCH):
        end = min(start + BATCH, scores.size)
        _locate(scores[start:end], _slice(interval, start, end), grid, bucket)
        add_rows(tallies, bucket, scores[start:end], positive[start:end])


@njit(cache=True, nogil=True, inline="always")
def _slice(interval: IntArray | None, start: int, end: int) -> IntArray | None:
    return None if interval is None else interval[start:end]


@njit(cache=True, nogil=True)
def _locate(scores: FloatArray, interval: IntArray | None, grid: CutGrid, out: IntArray) -> None:
    """Use scalars and no branch where there is one region, so that several rows go at a time."""
    knots, (along, pre, factor, shift), low, high, buckets = grid
    if interval is None:
        ends = low, high, buckets - 1
        if knots.size == 0:
            cut = along[0], pre[0], factor[0], shift[0]
            for i in range(scores.size):
                out[i] = _place_in(scores[i], ends, cut)
        else:
            for i in range(scores.size):
                k = 0
                for knot in knots:
                    k += scores[i] >= knot
                out[i] = _place_in(scores[i], ends, (along[k], pre[k], factor[k], shift[k]))
    elif buckets == 0:
        out[: scores.size] = interval
    else:
        for i in range(scores.size):
            k = interval[i]
            position = _magnitude(scores[i]) if along[k] else scores[i]
            out[i] = math.floor(position * pre[k] * factor[k]) + shift[k]


@njit(cache=True, nogil=True, inline="always")
def _place_in(
    score: float, ends: tuple[float, float, int], cut: tuple[bool, float, float, int]
) -> int:
    (low, high, last), (along, pre, factor, shift) = ends, cut
    inner = min(max(score, low), high)
    position = _magnitude(inner) if along else inner
    place = math.floor(position * pre * factor) + shift
    place = 0 if score < low else place
    return last if score > high else place


# The bits of a double below its exponent.
FRACTION = np.int64((1 << 52) - 1)


@njit(cache=True, nogil=True, inline="always")
def _magnitude(score: float) -> float:
    bits = np.float64(score).view(np.int64)
    exponent = int((bits >> 52) & 0x7FF)
    if exponent:
        exponent += exponent == 0x7FF
        place = exponent - 1023 + SMALLEST_EXPONENT + float(bits & FRACTION) * 2.0**-52
    elif score:
        fraction, exponent = math.frexp(abs(score))
        place = exponent - 1 + SMALLEST_EXPONENT + (2 * fraction - 1)
    else:
        return 0.0
    return math.copysign(place, score)


# The functions of `resampling`. They release the interpreter's lock, for replicates in threads.


@njit(cache=True, nogil=True)
def _tally(draws: IntArray, counts: IntArray) -> None:
    for draw in draws:
        counts[draw] += 1


@njit(cache=True, nogil=True)
def _read(multiplicities: IntArray, order: IntArray, stops: IntArray, counts: IntArray) -> None:
    total, row = 0, 0
    for i in range(stops.size):
        while row < stops[i]:
            total += multiplicities[order[row]]
            row += 1
        counts[i] = total


@njit(cache=True, nogil=True)
def _twice_area(x: IntArray, y: IntArray) -> int:
    area = 0
    for i in range(1, x.size):
        area += (x[i] - x[i - 1]) * (y[i] + y[i - 1])
    return area


@njit(cache=True, nogil=True)
def _push(x: IntArray, y: IntArray, size: int, px: int, py: int) -> int:
    """Push a point onto the stack of hull vertices; return the new size."""
    if px == x[size - 1] and py == y[size - 1]:
        return size
    while size > 1:
        ax, ay = x[size - 2], y[size - 2]
        if (x[size - 1] - ax) * (py - ay) < (y[size - 1] - ay) * (px - ax):
            break
        size -= 1
    x[size], y[size] = px, py
    return size + 1


@njit(cache=True, nogil=True)
def _climb(
    x: IntArray, y: IntArray, tops: IntArray, knots: IntArray, left: IntArray, top: IntArray
) -> int:
    """Stack the hull of the tops, skipping those below a chord; return its size."""
    left[0] = top[0] = 0
    size = 1
    for k in range(1, knots.size):
        start, end = tops[knots[k - 1]], tops[knots[k]]
        run, rise = x[end] - x[start], y[end] - y[start]
        for t in range(knots[k - 1] + 1, knots[k]):
            px, py = x[tops[t]], y[tops[t]]
            if run * (py - y[start]) > rise * (px - x[start]):
                size = _push(left, top, size, px, py)
        size = _push(left, top, size, x[end], y[end])
    return size


def tally(draws: IntArray, size: int) -> IntArray:
    """Count how often each of `size` items was drawn."""
    counts = np.zeros(size, dtype=MULTIPLICITY)
    _tally(draws, counts)
    return counts


def walk(path: RankedRows, negatives: IntArray, positives: IntArray) -> Walk:
    """Walk a path with the multiplicities of both classes."""
    x, y, left, top = np.empty((4, path.false_positives.size), dtype=np.int64)
    _read(negatives, path.negatives, path.false_positives, x)
    _read(positives, path.positives, path.true_positives, y)
    if 2 * int(x[-1]) * int(y[-1]) >= SAFE_PRODUCT:
        return resampling.walk(path, negatives, positives)
    size = _climb(x, y, path.tops, path.knots, left, top)
    return Walk(x, y, (left[:size].copy(), top[:size].copy()), _twice_area(x, y))


# The search of `dominance`. The inner loop runs over a whole stretch of members, several at a time
# in the processor; only then the first hit is looked up.

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


def find_covering(points: Words, members: Words, guards: Words) -> IntArray:
    """Return for each point the first member that covers it, or -1."""
    found = np.full(len(points), -1, dtype=np.int64)
    if guards.size == 1:
        _search_single(points[:, 0], members[:, 0], guards[0], found)
    else:
        _search(points, members, guards, found)
    return found


# The functions of `assignment`, with sums in the same order (Numba does not contract
# multiplications and additions by default). Threads pay only for many rows.

PREDICTIONS_PER_THREAD = 2**18


@njit(cache=True, nogil=True)
def _count_errors(
    probabilities: FloatArray, truths: IntArray, draws: FloatArray, counts: IntArray
) -> None:
    rows, classes = probabilities.shape
    for d in range(draws.shape[0]):
        for i in range(rows):
            best, least = 0, np.inf
            for j in range(classes):
                risk = probabilities[i, 0] * draws[d, 0, j]
                for k in range(1, classes):
                    risk += probabilities[i, k] * draws[d, k, j]
                if risk < least:
                    best, least = j, risk
            counts[d, truths[i], best] += 1


@njit(cache=True, nogil=True)
def _predict(probabilities: FloatArray, costs: FloatArray, predictions: IntArray) -> None:
    rows, classes = probabilities.shape
    own = costs.shape[0] > 1
    for i in range(rows):
        c = i if own else 0
        least = np.inf
        for j in range(costs.shape[2]):
            risk = probabilities[i, 0] * costs[c, 0, j]
            for k in range(1, classes):
                risk += probabilities[i, k] * costs[c, k, j]
            if risk < least:
                predictions[i], least = j, risk


def least_cost(probabilities: FloatArray, costs: FloatArray) -> IntArray:
    """Return the prediction with the least expected cost for each row."""
    predictions = np.zeros(len(probabilities), dtype=np.int64)
    each = costs if costs.ndim == 3 else costs[np.newaxis]
    _predict(np.ascontiguousarray(probabilities), np.ascontiguousarray(each), predictions)
    return predictions


def count_draws(
    probabilities: FloatArray, truths: IntArray, draws: FloatArray, classes: int
) -> IntArray:
    """Return the confusion counts (truth, prediction) of each draw of costs."""
    counts = np.zeros((len(draws), classes, classes), dtype=np.int64)
    rows, costs = np.ascontiguousarray(probabilities), np.ascontiguousarray(draws)
    parts = len(costs) * len(rows) // PREDICTIONS_PER_THREAD
    if parts < 2:
        _count_errors(rows, truths, costs, counts)
        return counts
    parts = min(parts, os.cpu_count() or 1)  # only here: it is slow
    with ThreadPoolExecutor(parts) as pool:
        pieces = (np.array_split(array, parts) for array in (costs, counts))
        deque(pool.map(partial(_count_errors, rows, truths), *pieces), maxlen=0)
    return counts
