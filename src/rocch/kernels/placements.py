"""AUC and DeLong's variance from cells: exact, or between proven bounds.

What is not known is how rows are ranked inside a cell that holds both classes and several scores
(an *unranked* cell). Elsewhere everything is known: rows of one score are tied, and rows of one
class are not compared with each other. So AUC and variance are exact once no cell is unranked.

The *middle* of a bracket takes each cell for one score, so that all its rows are tied.

Precondition of everything here: both classes occur, and both totals stay below 2^62.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rocch.kernels.exact_products import exact_dot
from rocch.kernels.placement_sums import sums_if_tied, twice_placed, variance_from_sums

if TYPE_CHECKING:
    from rocch.arrays import BoolArray, FloatArray, IntArray
    from rocch.kernels.cells import Cells

ROUNDING = Fraction(1, 2**40)
"""What doubles may be wrong by in a sum of fewer than 2^40 terms, as a share of what the sum could
be at most: every term takes about ten roundings of 2^-53, NumPy's pairwise sum fewer than 100."""

OUTWARD = Fraction(1, 2**51)
"""More than what a bracket within [0, 1] gains when its ends are rounded outward to doubles."""

SPARED = Fraction(1, 2)
"""The share of a wanted width that cells may keep which are not split; the pieces of the others
need the rest."""


class Bracket(NamedTuple):
    """Exact bounds of a number, and the number if each cell were one score."""

    low: Fraction
    middle: Fraction
    high: Fraction


def unranked(cells: Cells) -> BoolArray:
    """Say which cells hold both classes at several scores."""
    several = cells.high > cells.low
    return np.asarray(several & (cells.negatives > 0) & (cells.positives > 0))


def twice_pairs_won(cells: Cells) -> tuple[int, int]:
    """Return the least and the greatest that twice the pairs ranked rightly can be, ties half.

    Both occur: in an unranked cell all positives may score less than all negatives, or more.
    Complexity: O(cells), a few products of matrices.
    """
    tied, loose = exact_dot(cells.positives, twice_placed(cells)[1]), unranked_pairs(cells)
    return tied - loose, tied + loose


def unranked_pairs(cells: Cells) -> int:
    """Return how many pairs of a negative and a positive share an unranked cell."""
    where = unranked(cells)
    return exact_dot(cells.negatives[where], cells.positives[where])


def auc_bracket(cells: Cells) -> Bracket:
    """Return the bounds of the AUC; both are those of some ranking inside the cells."""
    low, high = twice_pairs_won(cells)
    pairs = 2 * int(cells.negatives.sum()) * int(cells.positives.sum())
    return Bracket(Fraction(low, pairs), Fraction(low + high, 2 * pairs), Fraction(high, pairs))


def variance_bracket(cells: Cells) -> Bracket:
    """Return bounds of DeLong's variance of the AUC; there must be two rows of each class.

    Let N negatives lose to, and M positives win over, x / 2 and y / 2 rows (the placements). The
    variance is a convex quadratic function of all x and y,

        V = [N / (N - 1) sum (x - mean)^2 + M / (M - 1) sum (y - mean)^2] / (2 N M)^2.

    Take it apart around V0, where each cell's rows are tied. In an unranked cell with n negatives
    and p positives, x moves by at most p and y by at most n, and the sums of x and of y both move
    by the same t with |t| <= n p. The linear part of V is therefore d t / (2 N M) summed over these
    cells, with d = (x0 - mean) / (M (N - 1)) + (y0 - mean) / (N (M - 1)), and lies within

        D = sum |d| n p / (2 N M).

    The rest is V's quadratic part at the moves themselves. It is not negative, since V is convex,
    and at most what it is without subtracting means,

        R = sum [N / (N - 1) n p^2 + M / (M - 1) p n^2] / (2 N M)^2.

    So V0 - D <= V <= V0 + D + R. With cells that hold a share e of the rows, D is of the order e
    and R of the order e^2; where in each cell one class is above the other, as suits the sign of d,
    V indeed differs from V0 by D, up to the order e^2. Two bounds hold for any placements: V is
    not negative, and since x <= 2 M and y <= 2 N,

        V <= (1 / (N - 1) + 1 / (M - 1)) AUC (1 - AUC).

    D and R are sums in doubles, widened by more than these can be wrong by (`ROUNDING`): |d| is at
    most 2 (1 / (N - 1) + 1 / (M - 1)), and R is less than D could be.
    """
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
    """Return the cells to split for a bracket of the AUC at most so wide, those worth most first.

    A cell widens the bracket by its pairs, negatives x positives. The fewest cells are named that
    leave the others no more than half the width; none, if the bracket is narrow enough already;
    all unranked ones for a width of 0. Rounding the bracket outward is allowed for.
    """
    everything = int(cells.negatives.sum()) * int(cells.positives.sum())
    wanted = (Fraction(width) - OUTWARD) * everything
    if unranked_pairs(cells) <= max(wanted, Fraction(0)):
        return np.empty(0, dtype=np.int64)
    where = np.flatnonzero(unranked(cells))
    pairs = _floats(cells.negatives[where]) * _floats(cells.positives[where])
    smallest_first = np.argsort(pairs, kind="stable")
    spared = np.searchsorted(np.cumsum(pairs[smallest_first]), float(SPARED * wanted), "right")
    return where[smallest_first[spared:][::-1]]


def _moves(cells: Cells, total: int) -> tuple[float, float]:
    """Return D and R of `variance_bracket`; placements of either class add up to half a total."""
    where = unranked(cells)
    n, m = int(cells.negatives.sum()), int(cells.positives.sum())
    negatives = _floats(cells.negatives[where]) / n
    positives = _floats(cells.positives[where]) / m
    twice_lost, twice_won = (_floats(placed[where]) for placed in twice_placed(cells))
    lost, won = (twice_lost - total / n) / m, (twice_won - total / m) / n
    share = negatives * positives / 2
    linear = np.sum(np.abs(lost / (n - 1) + won / (m - 1)) * share)
    rest = np.sum((positives / (n - 1) + negatives / (m - 1)) * share / 2)
    return float(linear), float(rest)


def _floats(counts: IntArray) -> FloatArray:
    return counts.astype(np.float64)
