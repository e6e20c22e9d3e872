"""Placements: ranks of rows among the rows of other classes, and the areas that follow."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from rocch.arrays import BoolArray, FloatArray, IntArray
from rocch.kernels.cells import Cells
from rocch.kernels.exact import exact_dot, exact_sum_of_squares

# Numbers of cells of a table that stays in the processor's cache.
FEWEST, MOST = 2**8, 2**20

# With eight cells per value, few cells hold two if the values are spread evenly.
CELLS_PER_VALUE = 8


def slots(few: FloatArray, many: FloatArray) -> IntArray:
    """Return the slot of each of `many` among `few`, which are distinct and rising.

    Slot 2i + 1 is few[i] itself, slot 2i the open stretch below it; the last, 2 x few.size, lies
    above all. No NaN. O(few + many) where a table of cells spreads the few evenly, else
    O(many log few).
    """
    cut = few.size // 256  # the outermost of the few share the outer cells
    low, top = few[cut], few[few.size - 1 - cut]
    cells = int(min(max(CELLS_PER_VALUE * few.size, FEWEST), MOST))
    with np.errstate(all="ignore"):
        factor = cells / (top - low)
    if not 0 < factor < np.inf:
        return _search(few, many)

    def cell_of(values: FloatArray) -> IntArray:
        with np.errstate(over="ignore"):
            cell = values - low
            cell *= factor
        codes: IntArray = np.clip(cell, 0, cells - 1, out=cell).astype(np.int32)
        return codes

    starts = np.searchsorted(cell_of(few), np.arange(cells + 1), side="left").astype(np.int32)
    cell = cell_of(many)
    first = starts[cell]
    # a cell that is empty leads to a value of a later cell, which is larger
    candidate = np.append(few, np.nan)[first]
    slot = 2 * first.astype(np.int64)
    slot += 2 * (candidate < many)
    slot += candidate == many
    crowded = np.flatnonzero((np.diff(starts) > 1)[cell])
    slot[crowded] = _search(few, many[crowded])
    return slot


def _search(few: FloatArray, many: FloatArray) -> IntArray:
    place = np.searchsorted(few, many)
    slot: IntArray = 2 * place + (np.append(few, np.nan)[place] == many)
    return slot


# DeLong, DeLong and Clarke-Pearson ("Comparing the areas under two or more correlated receiver
# operating characteristic curves", Biometrics 44, 1988) take the covariance of AUCs from
# placements; Sun and Xu ("Fast implementation of DeLong's algorithm", IEEE Signal Processing
# Letters 21, 2014) sort all rows. Here only the smaller class is sorted.


def twice_placements(
    scores: FloatArray, positive: BoolArray, weights: IntArray | None = None
) -> tuple[IntArray, IntArray]:
    """Return twice the placements of the negatives and of the positives, in the order of rows.

    A positive's placement is the number of negatives that it outranks, a negative's the number of
    positives that outrank it, or their weight; ties count half. No NaN, both classes occur.
    O(few log few + many), with weights O(n log n); these sum to less than 2^62.
    """
    negatives, positives = scores[~positive], scores[positive]
    if weights is not None:
        _, place = np.unique(scores, return_inverse=True)
        above = 2 * weights[positive].sum()
        below = _twice_weight_below(place, weights, ~positive)[positive]
        return above - _twice_weight_below(place, weights, positive)[~positive], below
    if positives.size <= negatives.size:
        won, below = _twice_below(positives, negatives)
    else:
        below, won = _twice_below(negatives, positives)
    return 2 * positives.size - below, won


def _twice_weight_below(place: IntArray, weights: IntArray, of: BoolArray) -> IntArray:
    """Return, for each row, twice the weight of the rows of a class below it, ties once."""
    own = np.zeros(int(place.max()) + 1, dtype=np.int64)
    np.add.at(own, place[of], weights[of])
    below: IntArray = 2 * np.cumsum(own) - own
    return below[place]


def _twice_below(few: FloatArray, many: FloatArray) -> tuple[IntArray, IntArray]:
    """Return, for each value of either, twice the values of the other below it, ties once."""
    distinct, place, times = np.unique(few, return_inverse=True, return_counts=True)
    slot = slots(distinct, many)
    in_slot = np.bincount(slot, minlength=2 * distinct.size + 1)
    many_below = 2 * np.cumsum(in_slot)[:-1:2] + in_slot[1::2]
    return many_below[place], _twice_below_slots(times)[slot]


def _twice_below_slots(times: IntArray) -> IntArray:
    """Return, for each slot among distinct values, twice the values below it, ties once."""
    up_to = np.concatenate(([0], np.cumsum(times)))
    below = np.empty(2 * times.size + 1, dtype=np.int64)
    below[::2] = 2 * up_to
    below[1::2] = up_to[:-1] + up_to[1:]
    return below


# Hand and Till ("A simple generalization of the area under the ROC curve for multiple class
# classification problems", Machine Learning 45, 2001) compare rows of two classes by the
# probability of either one: a row of class i by the probability of i with the rows of every class
# j, and by that of every j.


class ClassPlacements(NamedTuple):
    """Twice the placements of each row against each class, ties once; 0 for its own class."""

    # By the probability of its own class: twice the rows of each class that it outranks.
    outranks: IntArray
    # By the probability of each class: twice the rows of that class that outrank it.
    outranked: IntArray


def class_placements(probabilities: FloatArray, truths: IntArray) -> ClassPlacements:
    """Return the placements of every row among the rows of every other class.

    Probabilities have no NaN; every class occurs. O(rows x classes) besides sorting each class.
    """
    rows, classes = probabilities.shape
    outranks = np.zeros((rows, classes), dtype=np.int64)
    outranked = np.zeros((rows, classes), dtype=np.int64)
    for code in range(classes):
        own = np.flatnonzero(truths == code)
        scores = np.ascontiguousarray(probabilities[:, code])
        distinct, place, times = np.unique(scores[own], return_inverse=True, return_counts=True)
        slot = slots(distinct, scores)
        outranks[own] = _twice_below_in_class(slot, truths, (distinct.size, classes))[place]
        outranked[:, code] = 2 * own.size - _twice_below_slots(times)[slot]
    own_class = np.arange(rows), truths
    outranks[own_class] = outranked[own_class] = 0
    return ClassPlacements(outranks, outranked)


def _twice_below_in_class(slot: IntArray, truths: IntArray, shape: tuple[int, int]) -> IntArray:
    """Return, for each distinct value, twice the rows of each class below it, ties once."""
    values, classes = shape
    cells = (2 * values + 1) * classes
    in_slot = np.bincount(slot * classes + truths, minlength=cells).reshape(-1, classes)
    below: IntArray = 2 * np.cumsum(in_slot, axis=0)[:-1:2] + in_slot[1::2]
    return below


# AUC and DeLong's variance need only sums of placements, which add up over cells.
#
# Precondition of everything here: both totals stay below 2^62.

ALL = slice(None)


class PlacementSums(NamedTuple):
    """Sums over some of the rows, as Python integers."""

    won: int  # of the positives' placements, twice
    lost_squares: int  # of the squares of twice the negatives' placements
    won_squares: int  # of the squares of twice the positives' placements

    def plus(self, other: PlacementSums) -> PlacementSums:
        """Return the sums over both sets of rows."""
        return PlacementSums(*(mine + its for mine, its in zip(self, other, strict=True)))


def sums_if_tied(cells: Cells, which: IntArray | slice = ALL) -> PlacementSums:
    """Return the sums over the rows of some cells, as if each cell were one score."""
    lost, won = twice_placed(cells)
    return _sums(cells.take(which), lost[which], won[which])


def sums_inside(cells: Cells, which: IntArray, scores: Cells) -> PlacementSums:
    """Return the sums over the rows of cells whose single scores are known.

    Cells, and the `scores` in those of `which` (rising), come highest first.
    """
    lost, won = twice_placed(scores)
    of = np.searchsorted(-cells.low[which], -scores.high)  # the cell that ends at or below it
    missing_above = _before(cells.positives)[which] - _before(cells.positives[which])
    below = _before(cells.negatives[::-1])[::-1]
    missing_below = below[which] - _before(cells.negatives[which][::-1])[::-1]
    return _sums(scores, lost + 2 * missing_above[of], won + 2 * missing_below[of])


def twice_placed(cells: Cells) -> tuple[IntArray, IntArray]:
    """Return twice the placements of each cell's negatives and positives, all of them tied."""
    lost = 2 * _before(cells.positives) + cells.positives
    won = 2 * _before(cells.negatives[::-1])[::-1] + cells.negatives
    return lost, won


def auc_from_sums(sums: PlacementSums, negatives: int, positives: int) -> Fraction:
    """Return the AUC from the sums over all rows."""
    return Fraction(sums.won, 2 * negatives * positives)


def variance_from_sums(sums: PlacementSums, negatives: int, positives: int) -> Fraction:
    """Return DeLong's variance of the AUC; each class needs two rows."""
    negative = negatives * sums.lost_squares - sums.won**2
    positive = positives * sums.won_squares - sums.won**2
    spread = Fraction(negative, negatives - 1) + Fraction(positive, positives - 1)
    return spread / (2 * negatives * positives) ** 2


def _sums(cells: Cells, lost: IntArray, won: IntArray) -> PlacementSums:
    return PlacementSums(
        exact_dot(cells.positives, won),
        exact_sum_of_squares(cells.negatives, lost),
        exact_sum_of_squares(cells.positives, won),
    )


def _before(counts: IntArray) -> IntArray:
    before: IntArray = np.cumsum(counts) - counts
    return before


# From cells, AUC and variance have proven bounds. Unknown is only the ranking inside cells with
# both classes and several scores (*unranked* cells); without them both are exact. The *middle* of a
# bracket ties all rows of a cell.
#
# Precondition of everything here: both classes occur, and both totals stay below 2^62.

# Largest error of a sum of fewer than 2^40 doubles, as a share of the sum's largest value: about
# ten roundings of 2^-53 per term, fewer than 100 in NumPy's pairwise sum.
ROUNDING = Fraction(1, 2**40)

# More than a bracket within [0, 1] gains by rounding its ends outward to doubles.
OUTWARD = Fraction(1, 2**51)

# The share of a wanted width left to cells that are not split.
SPARED = Fraction(1, 2)


class Bracket(NamedTuple):
    """Exact bounds of a number, and its value if each cell were one score."""

    low: Fraction
    middle: Fraction
    high: Fraction


def unranked(cells: Cells) -> BoolArray:
    """Return which cells hold both classes at several scores."""
    several = cells.high > cells.low
    return np.asarray(several & (cells.negatives > 0) & (cells.positives > 0))


def unranked_pairs(cells: Cells) -> int:
    """Return the number of negative-positive pairs that share an unranked cell."""
    where = unranked(cells)
    return exact_dot(cells.negatives[where], cells.positives[where])


def auc_bracket(cells: Cells) -> Bracket:
    """Return tight bounds of the AUC. O(cells)."""
    tied, loose = exact_dot(cells.positives, twice_placed(cells)[1]), unranked_pairs(cells)
    pairs = 2 * int(cells.negatives.sum()) * int(cells.positives.sum())
    return Bracket(*(Fraction(won, pairs) for won in (tied - loose, tied, tied + loose)))


def variance_bracket(cells: Cells) -> Bracket:
    """Return bounds of DeLong's variance of the AUC; each class needs two rows."""
    # Let N negatives lose to, and M positives win over, x / 2 and y / 2 rows (the placements). The
    # variance is a convex quadratic function of all x and y,
    #   V = [N / (N - 1) sum (x - mean)^2 + M / (M - 1) sum (y - mean)^2] / (2 N M)^2.
    # Expand it around V0, where each cell's rows are tied. In an unranked cell with n negatives and
    # p positives, x moves by at most p and y by at most n, and the sums of x and of y both move by
    # the same t with |t| <= n p. So the linear part of V is within
    #   D = sum |d| n p / (2 N M), d = (x0 - mean) / (M (N - 1)) + (y0 - mean) / (N (M - 1)).
    # The quadratic part is not negative, since V is convex, and at most
    #   R = sum [N / (N - 1) n p^2 + M / (M - 1) p n^2] / (2 N M)^2.
    # So V0 - D <= V <= V0 + D + R. Also V >= 0 and, since x <= 2 M and y <= 2 N,
    #   V <= (1 / (N - 1) + 1 / (M - 1)) AUC (1 - AUC).
    # D and R are sums in doubles, widened by `ROUNDING`: |d| is at most
    # 2 (1 / (N - 1) + 1 / (M - 1)), and R is less than D could be.
    n, m = int(cells.negatives.sum()), int(cells.positives.sum())
    sums = sums_if_tied(cells)
    middle = variance_from_sums(sums, n, m)
    loose = unranked_pairs(cells)
    if not loose:
        return Bracket(middle, middle, middle)
    unit = Fraction(1, n - 1) + Fraction(1, m - 1)
    rounding = ROUNDING * unit * Fraction(loose, n * m)
    linear, rest = (Fraction(part) for part in _moves(cells, sums.won))
    low, _, high = auc_bracket(cells)
    even = min(max(low, Fraction(1, 2)), high)
    return Bracket(
        max(middle - linear - rounding, Fraction(0)),
        middle,
        min(middle + linear + rest + rounding, unit * even * (1 - even)),
    )


def cells_to_split(cells: Cells, width: float) -> IntArray:
    """Return the fewest cells to split for a bracket of the AUC of this width.

    The most valuable come first. The others keep no more than half the width.
    """
    everything = int(cells.negatives.sum()) * int(cells.positives.sum())
    wanted = (Fraction(width) - OUTWARD) * everything
    if unranked_pairs(cells) <= max(wanted, Fraction(0)):
        return np.empty(0, dtype=np.int64)
    where = np.flatnonzero(unranked(cells))
    pairs = cells.negatives[where].astype(float) * cells.positives[where].astype(float)
    smallest_first = np.argsort(pairs, kind="stable")
    spared = np.searchsorted(np.cumsum(pairs[smallest_first]), float(SPARED * wanted), "right")
    return where[smallest_first[spared:][::-1]]


def _moves(cells: Cells, total: int) -> tuple[float, float]:
    """Return D and R of `variance_bracket`; `total` is twice the sum of placements."""
    where = unranked(cells)
    n, m = int(cells.negatives.sum()), int(cells.positives.sum())
    negatives = cells.negatives[where].astype(float) / n
    positives = cells.positives[where].astype(float) / m
    twice_lost, twice_won = (placed[where].astype(float) for placed in twice_placed(cells))
    lost, won = (twice_lost - total / n) / m, (twice_won - total / m) / n
    share = negatives * positives / 2
    linear = np.sum(np.abs(lost / (n - 1) + won / (m - 1)) * share)
    rest = np.sum((positives / (n - 1) + negatives / (m - 1)) * share / 2)
    return float(linear), float(rest)
