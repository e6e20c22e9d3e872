"""Placements: how each row ranks among the rows of the other class.

DeLong, DeLong and Clarke-Pearson ("Comparing the areas under two or more correlated receiver
operating characteristic curves", Biometrics 44, 1988) take the covariance of AUCs from them; Sun
and Xu ("Fast implementation of DeLong's algorithm", IEEE Signal Processing Letters 21, 2014) get
them by sorting. Here only the smaller class is sorted: the larger one is looked up among it, and
the other direction follows by counting.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rocch.kernels.slots import slots

if TYPE_CHECKING:
    from rocch.arrays import BoolArray, FloatArray, IntArray


def twice_placements(scores: FloatArray, positive: BoolArray) -> tuple[IntArray, IntArray]:
    """Return twice the placements of the negatives and of the positives, in the order of rows.

    A positive's placement is the number of negatives that it outranks, a negative's the number of
    positives that outrank it; a tie counts half, so twice the placements are integers. Both sum to
    the Wilcoxon statistic. NaN must have been refused before, and both classes must occur.

    Complexity: O(few log few + many), where the smaller class has `few` rows; see `slots`.
    """
    negatives, positives = scores[~positive], scores[positive]
    if positives.size <= negatives.size:
        won, below = _twice_below(positives, negatives)
        return 2 * positives.size - below, won
    below, won = _twice_below(negatives, positives)
    return 2 * positives.size - below, won


def _twice_below(few: FloatArray, many: FloatArray) -> tuple[IntArray, IntArray]:
    """Return, for each value of either, twice the values of the other below it, ties once."""
    distinct, place, times = np.unique(few, return_inverse=True, return_counts=True)
    slot = slots(distinct, many)
    in_slot = np.bincount(slot, minlength=2 * distinct.size + 1)
    many_below = 2 * np.cumsum(in_slot)[:-1:2] + in_slot[1::2]
    up_to = np.concatenate(([0], np.cumsum(times)))
    few_below = np.empty(in_slot.size, dtype=np.int64)
    few_below[::2] = 2 * up_to
    few_below[1::2] = up_to[:-1] + up_to[1:]
    return many_below[place], few_below[slot]
