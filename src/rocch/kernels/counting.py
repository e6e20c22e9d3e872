"""Counts of labels per distinct score, with weights as integers."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from functools import cache, partial
from threading import Thread
from timeit import repeat

import numpy as np

from rocch.arrays import AnyArray, BoolArray, FloatArray, IntArray

# On most processors, NumPy sorts 64-bit numbers by vector instructions. Elsewhere that takes ten
# times as long, but 16-bit integers are sorted by radix. So doubles are nearly sorted by a 16-bit
# monotone code first, and a merge sort, fast on such input, finishes. Between these sizes this is
# two to five times faster than `numpy.sort` without vector instructions.
SMALLEST, LARGEST = 2**11, 2**17

CODES = 2**16
SAMPLE = 256

# Values that show which way is faster.
TRIED = 2**13


def ascending(values: FloatArray) -> FloatArray:
    """Return the sorted values, as `numpy.sort` does."""
    if not SMALLEST <= values.size <= LARGEST or sorts_by_vectors():
        return _sorted(values)
    return _sorted_by_codes(values)


@cache
def sorts_by_vectors() -> bool:
    """Whether NumPy sorts by vector instructions, which a short trial shows."""
    values = np.random.default_rng(0).normal(size=TRIED)
    ways = (_sorted, _sorted_by_codes)
    plain, coded = (min(repeat(partial(way, values), number=1, repeat=3)) for way in ways)
    return plain < coded


def _sorted(values: FloatArray) -> FloatArray:
    values = values.copy()
    values.sort()  # half a microsecond less than `numpy.sort`
    return values


def _sorted_by_codes(values: FloatArray) -> FloatArray:
    sample = np.sort(values[:: values.size // SAMPLE])
    low, top = sample[2], sample[-3]
    with np.errstate(all="ignore"):
        factor = CODES / (top - low)
        code = values - low
        code *= factor
    if not 0 < factor < np.inf:
        return _sorted(values)
    np.maximum(code, 0, out=code)
    np.minimum(code, CODES - 1, out=code)
    order = np.argsort(code.astype(np.uint16), kind="stable")
    return np.sort(values[order], kind="stable")


# Weights are rounded to multiples of a unit, a power of two chosen so that the number of rows times
# the largest weight stays below 2**62 units. Whole weights are not rounded where they have room.
# Then integers are counted, so every order and split of the rows gives the same counts.

ROOM = 62


def integer_weights(weights: FloatArray) -> tuple[IntArray, float]:
    """Return weights in whole units, and the unit. Not all weights may be zero."""
    whole = np.array_equal(weights, np.floor(weights))
    exponent = unit_exponent(float(weights.max()), weights.size, whole=whole)
    return np.rint(np.ldexp(weights, -exponent)).astype(np.int64), math.ldexp(1.0, exponent)


def unit_exponent(largest: float, rows: int, *, whole: bool) -> int:
    """Return the unit of weights as a power of two; 0 where whole weights have room."""
    if whole and rows * largest < 2.0**ROOM:
        return 0
    return math.frexp(largest)[1] + rows.bit_length() - ROOM


# Provost and Fawcett, Table 1, and Fawcett's Algorithm 2: equal scores make one point. Few values
# are sorted and the positives looked up among them, several times faster than one indirect sort.
# Many rows are sorted as integers that hold score and label together.


def distinct_counts(
    scores: FloatArray, positive: BoolArray
) -> tuple[FloatArray, IntArray, IntArray]:
    """Count, for each distinct score from high to low, the rows that score at least as much.

    Returns falling thresholds, false positives and true positives. No NaN. O(n log n).
    """
    thresholds, false_positives, true_positives = count_points(scores, positive)
    return thresholds, false_positives[1:], true_positives[1:]


def count_points(scores: FloatArray, positive: BoolArray) -> tuple[FloatArray, IntArray, IntArray]:
    """Return `distinct_counts` with counts that begin with 0, the point without a threshold."""
    keys = sort_keys(scores, positive) if _are_many(scores.size) else None
    if keys is not None:
        return _count_keys(*keys)
    ranked = ascending(scores)
    starts = is_first(ranked).nonzero()[0]
    thresholds = ranked[starts]
    at_least = scores.size - starts
    if 2 * np.count_nonzero(positive) <= scores.size:
        true_positives = _count_at_least(scores[positive], thresholds)
        false_positives = at_least - true_positives
    else:
        false_positives = _count_at_least(scores[~positive], thresholds)
        true_positives = at_least - false_positives
    return thresholds[::-1] + 0.0, _falling(false_positives), _falling(true_positives)


def _falling(counts: IntArray) -> IntArray:
    """Return ascending thresholds' counts in the order of falling ones, after a 0."""
    falling = np.empty(counts.size + 1, dtype=np.int64)
    falling[0], falling[1:] = 0, counts[::-1]
    return falling


# The magnitude of a double, read as an integer, keeps its order. Less the gap below the smallest
# that occurs it needs at most 62 bits unless scores span more than 1,000 powers of two. With a sign
# that turns the order round and the label as the last bit it makes the key of a row.

MAGNITUDE, SIGN = np.int64(2**63 - 1), np.int64(-(2**63))
MOST_SPREAD = 2**62

# Rows at a time, such that they stay in the processor's cache.
CHUNK = 2**14

ROWS_PER_THREAD, MOST_HALVINGS = 2**19, 3

# Rows above which keys are faster than sorting scores and looking up the positives among them:
# where NumPy sorts by vector instructions, and elsewhere.
MANY_BY_VECTORS, MANY = 2**15, 2**17


def _are_many(rows: int) -> bool:
    """Return whether rows are counted by keys."""
    return rows > MANY_BY_VECTORS and (rows > MANY or sorts_by_vectors())


def sort_keys(scores: FloatArray, positive: BoolArray) -> tuple[IntArray, int] | None:
    """Return the rows' keys, sorted from the highest score on, and the gap; None if none fit."""
    bits = scores.view(np.int64)
    low, top = 2**64 - 1, 0
    for here in _chunks(bits.size):
        magnitude = bits[here] & MAGNITUDE
        top = max(top, int(magnitude.max()))
        magnitude -= 1
        low = min(low, int(magnitude.view(np.uint64).min()))  # that of 0 is the largest
    gap = min(low, top)
    if top - gap >= MOST_SPREAD:
        return None
    keys = np.empty(bits.size, dtype=np.int64)
    for here in _chunks(bits.size):
        key = bits[here] & MAGNITUDE
        key -= gap
        np.maximum(key, 0, out=key)
        turn = ~(bits[here] >> 63)
        key ^= turn
        key -= turn
        key <<= 1
        np.bitwise_or(key, positive[here], out=keys[here])
    threads = min(os.cpu_count() or 1, bits.size // ROWS_PER_THREAD)
    _sort(keys, min(max(threads, 1).bit_length() - 1, MOST_HALVINGS))
    return keys, gap


def _sort(values: IntArray, halvings: int) -> None:
    """Sort in place, in a thread for each part."""
    if not halvings:
        values.sort()
        return
    middle = values.size // 2
    values.partition(middle)
    upper = Thread(target=_sort, args=(values[middle:], halvings - 1))
    upper.start()
    _sort(values[:middle], halvings - 1)
    upper.join()


def _count_keys(keys: IntArray, gap: int) -> tuple[FloatArray, IntArray, IntArray]:
    """Return `count_points` of sorted keys, which become the thresholds."""
    size = 1 + sum(
        int(np.count_nonzero(keys[1:][here] >> 1 != keys[:-1][here] >> 1))
        for here in _chunks(keys.size - 1)
    )
    false_positives = np.empty(size + 1, dtype=np.int64)
    true_positives = np.empty(size + 1, dtype=np.int64)
    false_positives[0] = true_positives[0] = found = 0
    for value, rows, hits in _distinct_keys(keys):
        true_positives[found + 1 : found + 1 + rows.size] = hits
        np.subtract(rows, hits, out=false_positives[found + 1 : found + 1 + rows.size])
        is_zero, turn = value == 0, value >> 63
        value ^= turn
        value -= turn
        value += gap
        value |= ~turn & SIGN
        value[is_zero] = 0
        keys[found : found + rows.size] = value
        found += rows.size
    thresholds: FloatArray = keys.view(np.float64)
    if size < keys.size:
        thresholds = thresholds[:size].copy()
    return thresholds, false_positives, true_positives


def _distinct_keys(keys: IntArray) -> Iterator[tuple[IntArray, IntArray, IntArray]]:
    """Yield distinct scores' keys without labels, the rows up to each and the positives in them."""
    before = 0
    for here in _chunks(keys.size):
        value, hits = keys[here] >> 1, keys[here] & 1
        np.cumsum(hits, out=hits)
        hits += before
        before = hits[-1]
        is_last = np.empty(value.size, dtype=bool)
        np.not_equal(value[1:], value[:-1], out=is_last[:-1])
        is_last[-1] = here.stop == keys.size or keys[here.stop] >> 1 != value[-1]
        if is_last.all():
            yield value, np.arange(here.start + 1, here.stop + 1), hits
        else:
            place = is_last.nonzero()[0]
            yield value[place], place + (here.start + 1), hits[place]


def _chunks(size: int) -> Iterator[slice]:
    for start in range(0, size, CHUNK):
        yield slice(start, min(start + CHUNK, size))


def is_first(values: AnyArray) -> BoolArray:
    """Return which values differ from the one before."""
    first = np.empty(values.size, dtype=bool)
    first[0] = True
    np.not_equal(values[1:], values[:-1], out=first[1:])
    return first


def weighted_counts(
    scores: FloatArray, positive: BoolArray, weights: IntArray
) -> tuple[FloatArray, IntArray, IntArray]:
    """Return `distinct_counts` of rows with integer weights."""
    order = np.argsort(-scores, kind="stable")
    ranked = scores[order]
    ends = np.append(np.flatnonzero(ranked[1:] != ranked[:-1]), ranked.size - 1)
    amounts, is_positive = weights[order], positive[order]
    true_positives = np.cumsum(np.where(is_positive, amounts, 0))[ends]
    false_positives = np.cumsum(np.where(is_positive, 0, amounts))[ends]
    return ranked[ends] + 0.0, false_positives, true_positives


def twice_pairs_won(scores: FloatArray, positive: BoolArray) -> int:
    """Return the Wilcoxon statistic doubled: twice the pairs ranked correctly, ties half."""
    by_keys = _are_many(scores.size) and scores.size < 2**31
    keys = sort_keys(scores, positive) if by_keys else None
    if keys is not None:
        return _twice_area(keys[0])
    few, many = ascending(scores[positive]), ascending(scores[~positive])
    swapped = few.size > many.size
    if swapped:
        few, many = many, few
    below_or_equal = np.searchsorted(many, few, side="left") + np.searchsorted(
        many, few, side="right"
    )
    won = exact_sum(below_or_equal)
    return 2 * few.size * many.size - won if swapped else won


def _twice_area(keys: IntArray) -> int:
    """Return twice the area under the points of sorted keys; fewer than 2**31 rows."""
    area, left, height = 0, 0, 0
    for _, rows, hits in _distinct_keys(keys):
        rows -= hits  # the false positives
        if not rows.size:
            continue
        area += (int(rows[0]) - left) * (int(hits[0]) + height)
        area += int(np.dot(rows[1:] - rows[:-1], hits[1:] + hits[:-1]))
        left, height = int(rows[-1]), int(hits[-1])
    return area


def _count_at_least(values: FloatArray, thresholds: FloatArray) -> IntArray:
    """Count the values at or above each of the ascending thresholds, all of which occur."""
    # sorted few among many: fewer look-ups, which stay in the processor's cache
    places = np.searchsorted(thresholds, ascending(values), side="right") - 1
    per_threshold = np.bincount(places, minlength=thresholds.size)
    below = np.cumsum(per_threshold) - per_threshold
    counts: IntArray = values.size - below
    return counts


def exact_sum(values: IntArray) -> int:
    """Sum non-negative integers without overflow."""
    if values.size * int(values.max(initial=0)) < 2**62:
        return int(values.sum())
    return sum(int(part.sum()) for part in np.array_split(values, 2 + values.size // 2**20))
