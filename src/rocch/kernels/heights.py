"""How high a rising path is at given FPRs, many at a time.

Points are joined by straight lines. Where a path goes straight up there are several heights, and
the names say which is meant. The arithmetic is that of `RocCurve.tpr_at`: the answers are equal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from rocch.arrays import FloatArray, IntArray


def highest(fpr: FloatArray, tpr: FloatArray, wanted: FloatArray) -> FloatArray:
    """Return the highest TPR of a path at each wanted FPR, from 0 to 1."""
    left = np.searchsorted(fpr, wanted, side="right") - 1
    right = np.minimum(left + 1, fpr.size - 1)
    return between((fpr[left], tpr[left]), (fpr[right], tpr[right]), wanted)


def lowest(fpr: FloatArray, tpr: FloatArray, wanted: FloatArray) -> FloatArray:
    """Return the lowest TPR of a path at each wanted FPR, from 0 to 1."""
    right = np.searchsorted(fpr, wanted, side="left")
    left = np.where(fpr[right] > wanted, right - 1, right)
    return between((fpr[left], tpr[left]), (fpr[right], tpr[right]), wanted)


def highest_of_counts(
    false_positives: IntArray, true_positives: IntArray, totals: tuple[int, int], fprs: FloatArray
) -> FloatArray:
    """Return the highest TPR at each FPR of a path that is given by counts.

    Only the counts that are needed become rates, which matters on long paths.
    """
    negatives, positives = totals
    left = np.searchsorted(false_positives, counts_within(fprs, negatives), side="right") - 1
    right = np.minimum(left + 1, false_positives.size - 1)
    start, end = (false_positives[place] / negatives for place in (left, right))
    low, high = (true_positives[place] / positives for place in (left, right))
    return between((start, low), (end, high), fprs)


def between(
    left: tuple[FloatArray, FloatArray], right: tuple[FloatArray, FloatArray], wanted: FloatArray
) -> FloatArray:
    """Return the TPRs at FPRs on the segments from left points to right points."""
    run = right[0] - left[0]
    share = (wanted - left[0]) / np.where(run > 0, run, 1)
    heights: FloatArray = left[1] + share * (right[1] - left[1])
    return heights


def counts_within(fprs: FloatArray, negatives: IntArray | int) -> IntArray:
    """Return the largest counts whose rates, correctly rounded, are at most these FPRs."""
    guess = np.floor(fprs * negatives)
    guess -= guess / negatives > fprs
    guess += (guess + 1) / negatives <= fprs
    return guess.astype(np.int64)
