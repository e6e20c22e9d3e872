"""Sums of placements: all that AUC and DeLong's variance take from the rows, and they add up.

The placement of a positive is the number of negatives that it outranks, that of a negative the
number of positives that outrank it; a tie counts half, so twice the placements are whole numbers.
(See `placements`, where every row has its own.) Rows of some scores can be counted, summed up and
forgotten, if only it is known how many rows score higher and lower than all of them.

Precondition of everything here: both totals stay below 2^62.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rocch.kernels.exact_products import exact_dot, exact_sum_of_squares

if TYPE_CHECKING:
    from rocch.arrays import IntArray
    from rocch.kernels.cells import Cells


class PlacementSums(NamedTuple):
    """Sums over some of the rows, as Python integers: they outgrow 64 bits."""

    won: int
    """Of the positives' placements, twice."""
    lost_squares: int
    """Of the squares of twice the negatives' placements."""
    won_squares: int
    """Of the squares of twice the positives' placements."""

    def plus(self, other: PlacementSums) -> PlacementSums:
        """Return the sums over both sets of rows."""
        return PlacementSums(*(mine + its for mine, its in zip(self, other, strict=True)))


def sums_if_tied(cells: Cells) -> PlacementSums:
    """Return the sums over all rows if each cell were one score."""
    return _sums(cells, *twice_placed(cells))


def sums_of_some(cells: Cells, which: IntArray) -> PlacementSums:
    """Return the sums over the rows of some cells, if each of these were one score."""
    lost, won = twice_placed(cells)
    return _sums(cells.taken(which), lost[which], won[which])


def sums_inside(cells: Cells, which: IntArray, scores: Cells) -> PlacementSums:
    """Return the sums over the rows of some cells, of which every single score is known.

    Parameters
    ----------
    cells
        All cells, the highest first; how rows are ranked inside them may be unknown.
    which
        Some of them, in rising order.
    scores
        The scores in those, the highest first, with just their counts.
    """
    lost, won = twice_placed(scores)
    of = np.searchsorted(-cells.low[which], -scores.high)  # the cell that ends at or below it
    missing_above = _before(cells.positives)[which] - _before(cells.positives[which])
    below = _before(cells.negatives[::-1])[::-1]
    missing_below = below[which] - _before(cells.negatives[which][::-1])[::-1]
    return _sums(scores, lost + 2 * missing_above[of], won + 2 * missing_below[of])


def twice_placed(cells: Cells) -> tuple[IntArray, IntArray]:
    """Return twice the placements of each cell's negatives and positives if it were one score."""
    lost = 2 * _before(cells.positives) + cells.positives
    won = 2 * _before(cells.negatives[::-1])[::-1] + cells.negatives
    return lost, won


def auc_from_sums(sums: PlacementSums, negatives: int, positives: int) -> Fraction:
    """Return the AUC from the sums over all rows, so many of each class."""
    return Fraction(sums.won, 2 * negatives * positives)


def variance_from_sums(sums: PlacementSums, negatives: int, positives: int) -> Fraction:
    """Return DeLong's variance of the AUC; there must be two rows of each class.

    Placements of either class add up to the pairs won, so one sum gives both means.
    """
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
    """Return how many there are before each."""
    before: IntArray = np.cumsum(counts) - counts
    return before
