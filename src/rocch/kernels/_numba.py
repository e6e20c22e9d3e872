"""Kernels compiled by Numba (the `fast` extra); results equal NumPy's bit by bit."""

from __future__ import annotations

import math
import os
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import pairwise
from typing import TypeAlias, TypeVar

import numpy as np
from numba import njit

from rocch.arrays import BoolArray, FloatArray, IntArray
from rocch.kernels import passes as numpy_passes
from rocch.kernels import resampling
from rocch.kernels.dominance import Words
from rocch.kernels.hull import SAFE_PRODUCT, safe_products
from rocch.kernels.passes import BucketGrid, LiveRows, Sieve, batches
from rocch.kernels.refine import SMALLEST_EXPONENT, CutGrid
from rocch.kernels.resampling import MULTIPLICITY, RankedRows, Walk

# The functions of `passes`, compiled once per installation and cached on disk. They run over slices
# of the rows in threads; integer counts are the same for any slicing.

SIGN = np.uint64(1 << 63)
T = TypeVar("T")
# Scores, labels and slots.
Rows: TypeAlias = tuple[FloatArray, BoolArray, IntArray]
ROWS_PER_THREAD = 2**19
BATCH = 2**10
SIFT_AT_ONCE = 2**15


@njit(cache=True, nogil=True, inline="always")
def _key(bits: np.uint64) -> float:
    if bits == SIGN:
        bits = np.uint64(0)
    return np.float64(~bits if bits & SIGN else bits | SIGN)


@njit(cache=True, nogil=True, inline="always")
def _place(position: float, top: float, factor: float, last: float) -> np.int64:
    """Return the bucket within a slot; positions beyond its ends go to the outer buckets."""
    place = (top - position) * factor
    return np.int64(min(max(place, 0.0), last))


@njit(cache=True, nogil=True)
def _locate(scores: FloatArray, slots: IntArray | None, grid: BucketGrid, bucket: IntArray) -> None:
    by_key, top, factor, first = grid
    bits = scores.view(np.uint64)
    if slots is None:
        high, scale, last = top[0], factor[0], np.float64(first[1] - 1)
        if by_key:
            for i in range(scores.size):
                bucket[i] = _place(_key(bits[i]), high, scale, last)
        else:
            for i in range(scores.size):
                bucket[i] = _place(scores[i], high, scale, last)
    else:
        for i in range(scores.size):
            slot = slots[i]
            position = _key(bits[i]) if by_key else scores[i]
            last = np.float64(first[slot + 1] - first[slot] - 1)
            bucket[i] = first[slot] + _place(position, top[slot], factor[slot], last)


@njit(cache=True, nogil=True)
def _count(
    scores: FloatArray,
    positive: BoolArray,
    slots: IntArray | None,
    grid: BucketGrid,
    tally: IntArray,
) -> None:
    """Tally labels per bucket, a batch of rows at a time for the processor's cache."""
    bucket = np.empty(BATCH, dtype=np.int32)
    for start in range(0, scores.size, BATCH):
        end = min(start + BATCH, scores.size)
        here = None if slots is None else slots[start:end]
        _locate(scores[start:end], here, grid, bucket)
        for i in range(end - start):
            tally[bucket[i], np.int64(positive[start + i])] += 1


@njit(cache=True, nogil=True)
def _survey(
    scores: FloatArray,
    slots: IntArray | None,
    grid: BucketGrid,
    flagged: BoolArray,
    example: FloatArray,
    mixed: BoolArray,
) -> None:
    bucket = np.empty(BATCH, dtype=np.int32)
    for start in range(0, scores.size, BATCH):
        end = min(start + BATCH, scores.size)
        here = None if slots is None else slots[start:end]
        _locate(scores[start:end], here, grid, bucket)
        for i in range(end - start):
            b, score = bucket[i], scores[start + i]
            if flagged[b] and score != example[b]:
                if np.isnan(example[b]):
                    example[b] = score
                else:
                    mixed[b] = True


@njit(cache=True, nogil=True)
def _collect(
    scores: FloatArray, positive: BoolArray, slots: IntArray | None, sieve: Sieve, target: Rows
) -> int:
    """Copy the rows that a sieve lets through, and return their number; no branch to predict."""
    target_scores, target_labels, target_slots = target
    bucket = np.empty(BATCH, dtype=np.int32)
    done = 0
    for start in range(0, scores.size, BATCH):
        end = min(start + BATCH, scores.size)
        here = None if slots is None else slots[start:end]
        _locate(scores[start:end], here, sieve.grid, bucket)
        for i in range(end - start):
            if done == target_scores.size:
                return done
            slot = sieve.slot_of[bucket[i]]
            target_scores[done] = scores[start + i]
            target_labels[done] = positive[start + i]
            target_slots[done] = slot
            done += slot >= 0
    return done


@njit(cache=True, nogil=True)
def _extremes(
    scores: FloatArray, slots: IntArray, by_key: bool, low: FloatArray, high: FloatArray
) -> None:
    bits = scores.view(np.uint64)
    for i in range(scores.size):
        position = _key(bits[i]) if by_key else scores[i]
        low[slots[i]] = min(low[slots[i]], position)
        high[slots[i]] = max(high[slots[i]], position)


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
def _edge_hull(starts: IntArray, ends: IntArray, totals: IntArray, x: IntArray, y: IntArray) -> int:
    """Stack the hull of all edges, from (0, 0) to the totals; return its size."""
    x[0] = y[0] = 0
    size = 1
    for b in range(starts.shape[1]):
        size = _push(x, y, size, starts[0, b], starts[1, b])
        size = _push(x, y, size, ends[0, b], ends[1, b])
    return _push(x, y, size, totals[0], totals[1])


@njit(cache=True, nogil=True)
def _flag(starts: IntArray, ends: IntArray, x: IntArray, y: IntArray, flagged: BoolArray) -> None:
    """Mark live buckets, those that end in a vertex, and the filled one after each of these."""
    k = 0
    before = False
    for b in range(flagged.size):
        sx, sy, ex, ey = starts[0, b], starts[1, b], ends[0, b], ends[1, b]
        if sx == ex and sy == ey:
            continue
        while k < x.size - 2 and x[k + 1] <= sx and y[k + 1] <= sy:
            k += 1
        live = (x[k + 1] - x[k]) * (ey - y[k]) > (y[k + 1] - y[k]) * (sx - x[k])
        follows = before or (x[k] == sx and y[k] == sy)
        j = k
        while not live and j < x.size and x[j] <= ex:
            live = x[j] == ex and y[j] == ey
            j += 1
        flagged[b] = live or follows
        before = live


def ends(scores: FloatArray) -> FloatArray:
    """Return the lowest and the highest score."""
    found = _in_threads(lambda part: (scores[part].min(), scores[part].max()), scores.size)
    lows, highs = zip(*found, strict=True)
    return np.array([min(lows), max(highs)])


def count(rows: LiveRows, grid: BucketGrid) -> tuple[IntArray, list[IntArray]]:
    """Count negatives (row 0) and positives (row 1) per bucket, in total and per slice."""
    small = rows.scores.size < 2**31

    def tally(part: slice) -> IntArray:
        counts = np.zeros((grid.buckets, 2), dtype=np.int32 if small else np.int64)
        for batch in _batches(rows, part):
            _count(batch.scores, batch.positive, batch.slots, grid, counts)
        return counts

    tallies = _in_threads(tally, rows.scores.size)
    total: IntArray = np.add.reduce(tallies, axis=0, dtype=np.int64)
    return total.T, tallies


def flag(starts: IntArray, ends: IntArray, totals: IntArray) -> BoolArray:
    """Mark the buckets that may hold a vertex or the score that follows one."""
    if not safe_products(*totals):
        return numpy_passes.flag(starts, ends, totals)
    x, y = np.empty((2, 2 * starts.shape[1] + 2), dtype=np.int64)
    size = _edge_hull(starts, ends, totals, x, y)
    flagged = np.zeros(starts.shape[1], dtype=bool)
    _flag(starts, ends, x[:size], y[:size], flagged)
    return flagged


def survey(
    rows: LiveRows,
    grid: BucketGrid,
    flagged: BoolArray,
) -> tuple[FloatArray, BoolArray]:
    """Return for each flagged bucket one of its scores, and whether it holds another."""

    def look(part: slice) -> tuple[FloatArray, BoolArray]:
        example, mixed = np.full(grid.buckets, np.nan), np.zeros(grid.buckets, dtype=bool)
        for batch in _batches(rows, part):
            _survey(batch.scores, batch.slots, grid, flagged, example, mixed)
        return example, mixed

    (example, mixed), *others = _in_threads(look, rows.scores.size)
    for other_example, other_mixed in others:
        differ = (example != other_example) & ~np.isnan(example) & ~np.isnan(other_example)
        mixed |= other_mixed | differ
        example = np.where(np.isnan(example), other_example, example)
    return example, mixed


def collect(
    rows: LiveRows, grid: BucketGrid, tallies: list[IntArray], wanted: BoolArray
) -> LiveRows:
    """Copy the rows of the wanted buckets, which become slots 0, 1, … in order."""
    ends = np.cumsum([0, *(int(tally[wanted].sum()) for tally in tallies)])
    sieve, (scores, positive, slots) = Sieve.of(grid, wanted), _empty_rows(int(ends[-1]))

    def copy(part: slice, start: int, end: int) -> None:
        for batch in _batches(rows, part):
            target = scores[start:end], positive[start:end], slots[start:end]
            start += _collect(batch.scores, batch.positive, batch.slots, sieve, target)

    _in_threads(copy, rows.scores.size, ends[:-1], ends[1:])
    return LiveRows(scores, positive, slots)


def sift(rows: LiveRows, sieve: Sieve) -> LiveRows:
    """Copy the rows that a sieve lets through."""
    scores, positive, slots = target = _empty_rows(rows.scores.size)
    done = _collect(rows.scores, rows.positive, rows.slots, sieve, target)
    return LiveRows(scores[:done], positive[:done], slots[:done])


def extremes(rows: LiveRows, by_key: bool, slots: int) -> tuple[FloatArray, FloatArray]:
    """Return the lowest and highest position (score or key) in each slot."""

    def look(part: slice) -> tuple[FloatArray, FloatArray]:
        low, high = np.full(slots, np.inf), np.full(slots, -np.inf)
        for batch in _batches(rows, part):
            _extremes(batch.scores, np.asarray(batch.slots), by_key, low, high)
        return low, high

    lows, highs = zip(*_in_threads(look, rows.scores.size), strict=True)
    return np.minimum.reduce(lows), np.maximum.reduce(highs)


def _empty_rows(size: int) -> Rows:
    return np.empty(size), np.empty(size, dtype=bool), np.empty(size, dtype=np.int32)


def _batches(rows: LiveRows, part: slice) -> Iterator[LiveRows]:
    """Yield the live rows: at once, or in batches that fit the cache where they must be sifted."""
    size = SIFT_AT_ONCE if rows.sieves else max(1, part.stop - part.start)
    return batches(rows, part, size, sift)


def _in_threads(work: Callable[..., T], size: int, *extra: IntArray) -> list[T]:
    """Run the work on each slice of the rows, with the slice's item of each extra list."""
    number = max(1, min(os.cpu_count() or 1, size // ROWS_PER_THREAD))
    ends = np.linspace(0, size, number + 1).astype(int).tolist()
    parts = [slice(start, end) for start, end in pairwise(ends)]
    if len(parts) == 1:
        return [work(parts[0], *(items[0] for items in extra))]
    with ThreadPoolExecutor(len(parts)) as pool:
        return list(pool.map(work, parts, *extra))


def grid_buckets(scores: FloatArray, grid: CutGrid) -> IntArray:
    """Return the bucket of each score in a grid."""
    bucket = np.empty(scores.size, dtype=np.int64)
    _locate_cut(scores, grid, bucket)
    return bucket


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


def find_marked(bucket: IntArray, marks: BoolArray) -> IntArray:
    """Return which rows lie in marked buckets."""
    found = np.empty(bucket.size, dtype=np.int64)
    return found[: _mark(bucket, marks, found)].copy()


@njit(cache=True, nogil=True)
def _mark(bucket: IntArray, marks: BoolArray, out: IntArray) -> int:
    """Write unconditionally, then advance or not: no branch to predict."""
    found = 0
    for i in range(bucket.size):
        out[found] = i
        found += marks[bucket[i]]
    return found


@njit(cache=True, nogil=True)
def _locate_cut(scores: FloatArray, grid: CutGrid, out: IntArray) -> None:
    """Use scalars and no branch where there is one region, so that several rows go at a time."""
    knots, (along, pre, factor, shift), low, high, buckets = grid
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
