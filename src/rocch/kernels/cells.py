"""Cells: intervals of scores with what lies in them, from the highest scores to the lowest."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from rocch.arrays import FloatArray, IntArray


class Cells(NamedTuple):
    """Disjoint intervals of scores, highest first, none of them empty.

    A cell whose `high` equals its `low` is one distinct score. The curve is known exactly after
    each cell: the threshold is `low`, the counts are the sums so far, and the next lower score is
    the `high` of the cell that follows.
    """

    high: FloatArray
    """The greatest score in each cell."""
    low: FloatArray
    """The least score in each cell."""
    negatives: IntArray
    positives: IntArray
