"""Counts of labels per distinct score, with weights as integers."""

from __future__ import annotations

import math

import numpy as np

from rocch.arrays import AnyArray, BoolArray, FloatArray, IntArray

# NumPy sorts 16-bit integers by radix, an order of magnitude faster than doubles. So doubles are
# nearly sorted by a 16-bit monotone code first, and a merge sort, fast on such input, finishes.

# Between these sizes this is two to five times faster than `numpy.sort`.
SMALLEST, LARGEST = 2**11, 2**17

CODES = 2**16
SAMPLE = 256


def ascending(values: FloatArray) -> FloatArray:
    """Return the sorted values, as `numpy.sort` does."""
    if not SMALLEST <= values.size <= LARGEST:
        return np.sort(values)
    sample = np.sort(values[:: values.size // SAMPLE])
    low, top = sample[2], sample[-3]
    with np.errstate(all="ignore"):
        factor = CODES / (top - low)
        code = values - low
        code *= factor
    if not 0 < factor < np.inf:
        return np.sort(values)
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


# Provost and Fawcett, Table 1, and Fawcett's Algorithm 2: equal scores make one point. Values are
# sorted and the positives looked up among them, several times faster than one indirect sort.


def distinct_counts(
    scores: FloatArray, positive: BoolArray
) -> tuple[FloatArray, IntArray, IntArray]:
    """Count, for each distinct score from high to low, the rows that score at least as much.

    Returns falling thresholds, false positives and true positives. No NaN. O(n log n).
    """
    ranked = ascending(scores)
    starts = np.flatnonzero(np.concatenate(([True], ranked[1:] != ranked[:-1])))
    thresholds = ranked[starts]
    at_least = scores.size - starts
    if 2 * np.count_nonzero(positive) <= scores.size:
        true_positives = _count_at_least(scores[positive], thresholds)
        false_positives = at_least - true_positives
    else:
        false_positives = _count_at_least(scores[~positive], thresholds)
        true_positives = at_least - false_positives
    return thresholds[::-1] + 0.0, false_positives[::-1], true_positives[::-1]


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
    few, many = ascending(scores[positive]), ascending(scores[~positive])
    swapped = few.size > many.size
    if swapped:
        few, many = many, few
    below_or_equal = np.searchsorted(many, few, side="left") + np.searchsorted(
        many, few, side="right"
    )
    won = _exact_sum(below_or_equal)
    return 2 * few.size * many.size - won if swapped else won


def _count_at_least(values: FloatArray, thresholds: FloatArray) -> IntArray:
    """Count the values at or above each of the ascending thresholds, all of which occur."""
    # sorted few among many: fewer look-ups, which stay in the processor's cache
    places = np.searchsorted(thresholds, ascending(values), side="right") - 1
    per_threshold = np.bincount(places, minlength=thresholds.size)
    below = np.cumsum(per_threshold) - per_threshold
    counts: IntArray = values.size - below
    return counts


def _exact_sum(values: IntArray) -> int:
    """Sum non-negative integers without overflow."""
    if values.size * int(values.max(initial=0)) < 2**62:
        return int(values.sum())
    return sum(int(part.sum()) for part in np.array_split(values, 2 + values.size // 2**20))
