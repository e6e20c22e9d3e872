"""The bucket passes compiled by Numba (the `fast` extra), for large inputs only.

Compiled once per installation and cached on disk. Each pass runs over slices of the rows in a few
threads, without the interpreter's lock; integer counts make the answer the same for any slicing.
The arithmetic is that of `numpy_passes`, line by line.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numba import njit

from rocch.kernels import numpy_passes
from rocch.kernels.grid import Rows, Sieve, batches
from rocch.kernels.hull import safe_products

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rocch.arrays import BoolArray, FloatArray, IntArray
    from rocch.kernels.grid import Grid

SIGN = np.uint64(1 << 63)
T = TypeVar("T")
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
    """Return the bucket within a slot; what lies beyond its ends joins its outer buckets."""
    place = (top - position) * factor
    return np.int64(min(max(place, 0.0), last))


@njit(cache=True, nogil=True)
def _locate(
    scores: FloatArray,
    slots: IntArray | None,
    by_key: bool,
    top: FloatArray,
    factor: FloatArray,
    first: IntArray,
    bucket: IntArray,
) -> None:
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
    by_key: bool,
    top: FloatArray,
    factor: FloatArray,
    first: IntArray,
    tally: IntArray,
) -> None:
    """Tally labels per bucket, a batch of rows at a time: short loops that the processor likes."""
    bucket = np.empty(BATCH, dtype=np.int32)
    for start in range(0, scores.size, BATCH):
        end = min(start + BATCH, scores.size)
        here = None if slots is None else slots[start:end]
        _locate(scores[start:end], here, by_key, top, factor, first, bucket)
        for i in range(end - start):
            tally[bucket[i], np.int64(positive[start + i])] += 1


@njit(cache=True, nogil=True)
def _survey(
    scores: FloatArray,
    slots: IntArray | None,
    by_key: bool,
    top: FloatArray,
    factor: FloatArray,
    first: IntArray,
    flagged: BoolArray,
    example: FloatArray,
    mixed: BoolArray,
) -> None:
    bucket = np.empty(BATCH, dtype=np.int32)
    for start in range(0, scores.size, BATCH):
        end = min(start + BATCH, scores.size)
        here = None if slots is None else slots[start:end]
        _locate(scores[start:end], here, by_key, top, factor, first, bucket)
        for i in range(end - start):
            b, score = bucket[i], scores[start + i]
            if flagged[b] and score != example[b]:
                if np.isnan(example[b]):
                    example[b] = score
                else:
                    mixed[b] = True


@njit(cache=True, nogil=True)
def _collect(
    scores: FloatArray,
    positive: BoolArray,
    slots: IntArray | None,
    by_key: bool,
    top: FloatArray,
    factor: FloatArray,
    first: IntArray,
    slot_of: IntArray,
    kept_scores: FloatArray,
    kept_labels: BoolArray,
    kept_slots: IntArray,
) -> int:
    """Copy rows of wanted buckets and return their number.

    Writing first and then advancing or not avoids a branch that the processor could not foresee.
    """
    bucket = np.empty(BATCH, dtype=np.int32)
    done = 0
    for start in range(0, scores.size, BATCH):
        end = min(start + BATCH, scores.size)
        here = None if slots is None else slots[start:end]
        _locate(scores[start:end], here, by_key, top, factor, first, bucket)
        for i in range(end - start):
            if done == kept_scores.size:
                return done
            slot = slot_of[bucket[i]]
            kept_scores[done] = scores[start + i]
            kept_labels[done] = positive[start + i]
            kept_slots[done] = slot
            done += slot >= 0
    return done


@njit(cache=True, nogil=True)
def _extremes(
    scores: FloatArray,
    slots: IntArray,
    by_key: bool,
    low: FloatArray,
    high: FloatArray,
) -> None:
    bits = scores.view(np.uint64)
    for i in range(scores.size):
        position = _key(bits[i]) if by_key else scores[i]
        low[slots[i]] = min(low[slots[i]], position)
        high[slots[i]] = max(high[slots[i]], position)


@njit(cache=True, nogil=True)
def _push(x: IntArray, y: IntArray, size: int, px: int, py: int) -> int:
    """Put a point onto the stack of a hull's vertices; return the stack's new size."""
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
    """Stack up the hull of all edges, from (0, 0) to the totals; return its size."""
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


def count(rows: Rows, grid: Grid) -> tuple[IntArray, list[IntArray]]:
    """Count negatives (row 0) and positives (row 1) per bucket; remember each slice's share."""
    small = rows.scores.size < 2**31

    def tally(part: slice) -> IntArray:
        counts = np.zeros((grid.buckets, 2), dtype=np.int32 if small else np.int64)
        for batch in _batches(rows, part):
            _count(batch.scores, batch.positive, batch.slots, *grid, counts)
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
    rows: Rows,
    grid: Grid,
    tallies: list[IntArray],  # noqa: ARG001 - one signature for all engines
    flagged: BoolArray,
) -> tuple[FloatArray, BoolArray]:
    """Give for each flagged bucket one of its scores, and whether it holds another."""

    def look(part: slice) -> tuple[FloatArray, BoolArray]:
        example, mixed = np.full(grid.buckets, np.nan), np.zeros(grid.buckets, dtype=bool)
        for batch in _batches(rows, part):
            _survey(batch.scores, batch.slots, *grid, flagged, example, mixed)
        return example, mixed

    (example, mixed), *others = _in_threads(look, rows.scores.size)
    for other_example, other_mixed in others:
        differ = (example != other_example) & ~np.isnan(example) & ~np.isnan(other_example)
        mixed |= other_mixed | differ
        example = np.where(np.isnan(example), other_example, example)
    return example, mixed


def collect(rows: Rows, grid: Grid, tallies: list[IntArray], wanted: BoolArray) -> Rows:
    """Copy the rows of the wanted buckets, which become slots 0, 1, … in their order."""
    ends = np.cumsum([0, *(int(tally[wanted].sum()) for tally in tallies)])
    sieve, kept = Sieve.of(grid, wanted), _room(int(ends[-1]))

    def copy(part: slice, start: int, end: int) -> None:
        for batch in _batches(rows, part):
            start += _copied(batch, sieve, *(column[start:end] for column in kept))

    _in_threads(copy, rows.scores.size, ends[:-1], ends[1:])
    return Rows(*kept)


def sift(rows: Rows, sieve: Sieve) -> Rows:
    """Copy the rows that a sieve lets through."""
    scores, positive, slots = kept = _room(rows.scores.size)
    done = _copied(rows, sieve, *kept)
    return Rows(scores[:done], positive[:done], slots[:done])


def extremes(rows: Rows, by_key: bool, slots: int) -> tuple[FloatArray, FloatArray]:
    """Return the lowest and highest position (score or key) in each slot."""

    def look(part: slice) -> tuple[FloatArray, FloatArray]:
        low, high = np.full(slots, np.inf), np.full(slots, -np.inf)
        for batch in _batches(rows, part):
            _extremes(batch.scores, np.asarray(batch.slots), by_key, low, high)
        return low, high

    lows, highs = zip(*_in_threads(look, rows.scores.size), strict=True)
    return np.minimum.reduce(lows), np.maximum.reduce(highs)


def _room(size: int) -> tuple[FloatArray, BoolArray, IntArray]:
    return np.empty(size), np.empty(size, dtype=bool), np.empty(size, dtype=np.int32)


def _copied(rows: Rows, sieve: Sieve, *kept: Any) -> int:
    wanted = *sieve.grid, sieve.slot_of
    return int(_collect(rows.scores, rows.positive, rows.slots, *wanted, *kept))


def _batches(rows: Rows, part: slice) -> Iterator[Rows]:
    """Give the rows in play: at once, or where they must be sifted, as many as the cache holds."""
    size = SIFT_AT_ONCE if rows.sieves else max(1, part.stop - part.start)
    return batches(rows, part, size, sift)


def _slices(size: int) -> list[slice]:
    number = max(1, min(os.cpu_count() or 1, size // ROWS_PER_THREAD))
    ends = np.linspace(0, size, number + 1).astype(int)
    return [slice(int(start), int(end)) for start, end in pairwise(ends)]


def _in_threads(work: Callable[..., T], size: int, *extra: IntArray) -> list[T]:
    """Run the work on each slice of the rows (with that slice's item of each extra list)."""
    parts = _slices(size)
    if len(parts) == 1:
        return [work(parts[0], *(items[0] for items in extra))]
    with ThreadPoolExecutor(len(parts)) as pool:
        return list(pool.map(work, parts, *extra))
