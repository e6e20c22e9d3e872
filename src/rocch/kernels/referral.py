"""Pairs of settings that leave some rows undecided: exact least sums over pairs, joint counts.

Sums of weighted counts are integers. They are int64 where they fit, else Python integers.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rocch.arrays import AnyArray, BoolArray, FloatArray, IntArray

# Sums below this fit into int64 with room to spare.
SAFE_SUM = 2**61

# Far above the rounding error of a sum of a few products in doubles, relative to the largest sum.
FLOAT_MARGIN = 1e-12


def weighted_sum(columns: Sequence[IntArray], weights: Sequence[int]) -> IntArray:
    """Return the sum of columns of counts times whole weights, exactly."""
    pairs = list(zip(columns, weights, strict=True))
    kind = np.int64 if _fits(columns, weights) else object
    total = np.zeros(columns[0].shape, dtype=kind)
    for column, weight in pairs:
        if weight:
            total = total + column.astype(kind) * weight
    return total


def least_pair(
    upper: IntArray,
    lower: IntArray,
    shares: IntArray,
    most: int,
    allowed: tuple[BoolArray, BoolArray] | None = None,
) -> tuple[int, int] | None:
    """Return the places i <= j with the least upper[i] + lower[j].

    Only pairs with shares[j] - shares[i] <= most count; `shares` never falls. Of equal sums the
    pair with the least difference of shares is returned, and of these the first; None if no pair of
    `allowed` places is left. O(n log n): a table of ranges' minima.
    """
    size = upper.size
    ranks = _ranks(np.concatenate((shares, shares - most)))
    first = np.searchsorted(ranks[:size], ranks[size:], side="left")
    keys, ends = _ranks(upper), np.arange(size)
    if allowed is not None:
        keys = np.where(allowed[0], keys, keys.max() + 1)
    best = _last_least(keys, first)
    if allowed is not None:
        ends = np.flatnonzero(allowed[0][best] & allowed[1])
    if not ends.size:
        return None
    totals = upper[best[ends]] + lower[ends]
    ties = ends[totals == totals.min()]
    place = int(ties[np.argmin(shares[ties] - shares[best[ties]])])
    return int(best[place]), place


def _ranks(values: IntArray) -> IntArray:
    """Return int64 values as they are, and Python integers as their ranks; equal ones share one."""
    if values.dtype != object:
        return values
    shift = max(0, _largest(values).bit_length() - 60)
    nearly = np.argsort((values >> shift).astype(np.int64), kind="stable")
    order = sorted(nearly.tolist(), key=values.__getitem__)  # fast, since nearly sorted
    ranked = values[order]
    ranks = np.zeros(values.size, dtype=np.int64)
    ranks[order[1:]] = np.cumsum(ranked[1:] != ranked[:-1])
    return ranks


def _last_least(values: IntArray, first: IntArray) -> IntArray:
    """Return, for each place j, the last place of the least value among first[j]..j."""
    ends = np.arange(values.size)
    best = ends.copy()  # of the 2**level values that end at each place
    found = np.empty_like(ends)
    levels = np.frexp(ends - first + 1)[1] - 1  # the largest power of two in each range
    for level in range(int(levels.max()) + 1):
        if level:
            half = 2 ** (level - 1)
            left, right = best[:-half], best[half:]
            best = np.concatenate(
                (best[:half], np.where(values[right] <= values[left], right, left))
            )
        own = np.flatnonzero(levels == level)
        right, left = best[own], best[first[own] + 2**level - 1]
        found[own] = np.where(values[right] <= values[left], right, left)
    return found


def least_cells(
    columns: Sequence[IntArray], goals: Sequence[Sequence[int]], allowed: BoolArray
) -> IntArray:
    """Return the places among the allowed with the least weighted sum, ties by the next goal.

    Doubles discard what is far from the least; integers decide the rest.
    """
    places = np.flatnonzero(allowed)
    for weights in goals:
        own = [column[places] for column in columns]
        rough = _rough_sum(own, weights)
        near = np.flatnonzero(rough <= rough.min() + FLOAT_MARGIN)
        exact = weighted_sum([column[near] for column in own], weights)
        places = places[near[exact == exact.min()]]
    return places


def is_at_most(columns: Sequence[IntArray], weights: Sequence[int], bound: int) -> BoolArray:
    """Return where a weighted sum is at most a bound: doubles first, integers where in doubt."""
    if _fits(columns, weights):
        found: BoolArray = weighted_sum(columns, weights) <= bound
        return found
    one = np.ones(columns[0].shape, dtype=np.int64)
    excess = _rough_sum([*columns, one], [*weights, -bound])
    within: BoolArray = excess <= 0
    near = np.flatnonzero(np.abs(excess) <= FLOAT_MARGIN)
    within[near] = weighted_sum([column[near] for column in columns], weights) <= bound
    return within


def _rough_sum(columns: Sequence[IntArray], weights: Sequence[int]) -> FloatArray:
    """Return a weighted sum in doubles, as a share of the largest that is possible."""
    tops = [max(_largest(column), 1) for column in columns]
    whole = max(1, sum(abs(w) * top for w, top in zip(weights, tops, strict=True)))
    total = np.zeros(columns[0].shape)
    for column, weight, top in zip(columns, weights, tops, strict=True):
        share = column / top  # Python integers may be too large for doubles, shares are not
        total += (weight * top / whole) * np.asarray(share, dtype=np.float64)
    return total


def _fits(columns: Sequence[IntArray], weights: Sequence[int]) -> bool:
    """Return whether all products and sums fit into int64."""
    pairs = zip(columns, weights, strict=True)
    return sum(abs(weight) * max(_largest(column), 1) for column, weight in pairs) < SAFE_SUM


def _largest(column: IntArray) -> int:
    return max(int(column.max()), -int(column.min())) if column.size else 0


def place_in_bins(scores: AnyArray, thresholds: FloatArray) -> IntArray:
    """Return how many of the falling thresholds are above each score."""
    return np.searchsorted(-thresholds, -np.asarray(scores, dtype=np.float64), side="left")


def joint_counts(
    bins: tuple[IntArray, IntArray],
    sizes: tuple[int, int],
    positive: BoolArray,
    weights: IntArray | None,
) -> IntArray:
    """Count rows by class that alarm at setting i of one classifier and at setting j of another.

    Rows in bin b alarm at the settings from b on; the last setting of each is one at which all do,
    so the last row and column of the table hold the counts of one classifier alone. Returns
    classes x settings x settings. O(rows + settings^2).
    """
    height, width = (size + 1 for size in sizes)
    codes = (positive * height + bins[0]) * width + bins[1]
    cells = 2 * height * width
    if weights is None:
        counts = np.bincount(codes, minlength=cells)
    else:  # in two parts, which doubles sum exactly
        low, high = (
            np.bincount(codes, part, minlength=cells).astype(np.int64)
            for part in (weights & 0xFFFFFF, weights >> 24)
        )
        counts = low + (high << 24)
    return counts.reshape(2, height, width).cumsum(axis=1).cumsum(axis=2)
