"""Curves reduced to what the eye can see. Hulls that decide are never reduced."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rocch.report.summary import Points

if TYPE_CHECKING:
    from rocch.arrays import FloatArray, IntArray
    from rocch.roc.curve import RocCurve
    from rocch.roc.operating_point import ClassTotals

PIXELS = 1024
"""A picture is taken to be so many pixels wide and high; few screens show it larger."""


def visible(fpr: FloatArray, tpr: FloatArray) -> IntArray:
    """Return which points of a rising curve to draw: the first in each pixel, and both ends.

    A point left out lies in the pixel of one that is kept, so no line moves by more than one.
    """
    column, row = (np.floor(rate * PIXELS).astype(np.int64) for rate in (fpr, tpr))
    moved = (np.diff(column, prepend=-1) != 0) | (np.diff(row, prepend=-1) != 0)
    moved[-1:] = True
    return np.flatnonzero(moved)


def drawn(class_totals: ClassTotals, false_positives: IntArray, true_positives: IntArray) -> Points:
    """Return the points of a curve, or of a hull, that are worth drawing."""
    fpr, tpr = class_totals.rates(false_positives, true_positives)
    kept = visible(fpr, tpr)
    return Points(
        amounts(class_totals, false_positives[kept]),
        amounts(class_totals, true_positives[kept]),
    )


def on_ground(class_totals: ClassTotals, curve: RocCurve) -> tuple[IntArray, IntArray]:
    """Return a curve's counts on the totals of a hull, which differ where rows were pooled."""
    own = curve.totals
    by = class_totals.negatives // own.negatives, class_totals.positives // own.positives
    if by == (1, 1):
        return curve.false_positives, curve.true_positives
    # common multiples of totals can leave 64 bits
    return curve.false_positives.astype(object) * by[0], curve.true_positives.astype(object) * by[1]


def amounts(class_totals: ClassTotals, counts: IntArray) -> tuple[float, ...]:
    """Return counts as rows, or as their weights."""
    return tuple(class_totals.amount(count) for count in counts.tolist())
