"""Placements among many classes: how each row ranks against the rows of every other class.

Hand and Till ("A simple generalisation of the area under the ROC curve for multiple class
classification problems", Machine Learning 45, 2001) compare rows of two classes by the posterior of
either one. So a row of class i is compared in two ways: by its own class's posterior with rows of
every class j, and by every class j's posterior with the rows of j.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rocch.kernels.slots import slots

if TYPE_CHECKING:
    from rocch.arrays import FloatArray, IntArray


class ClassPlacements(NamedTuple):
    """Twice the placements of each row (in rows) against each class (in columns); ties count once.

    A row is not compared with its own class: the entries of its own class are 0.
    """

    outranks: IntArray
    """By its own class's posterior: twice the rows of each class that it outranks."""
    outranked: IntArray
    """By each class's posterior: twice the rows of that class that outrank it."""


def class_placements(posteriors: FloatArray, truths: IntArray) -> ClassPlacements:
    """Place every row among the rows of every other class.

    Posteriors have a column for each class and no NaN; truths are places of classes, each of which
    must occur.

    Complexity: O(rows x classes) besides sorting each class by its own posterior; see `slots`.
    """
    rows, classes = posteriors.shape
    outranks = np.zeros((rows, classes), dtype=np.int64)
    outranked = np.zeros((rows, classes), dtype=np.int64)
    for code in range(classes):
        own = np.flatnonzero(truths == code)
        scores = np.ascontiguousarray(posteriors[:, code])
        distinct, place, times = np.unique(scores[own], return_inverse=True, return_counts=True)
        slot = slots(distinct, scores)
        outranks[own] = _twice_below(slot, truths, (distinct.size, classes))[place]
        outranked[:, code] = _twice_above(times)[slot]
    own_class = np.arange(rows), truths
    outranks[own_class] = outranked[own_class] = 0
    return ClassPlacements(outranks, outranked)


def _twice_below(slot: IntArray, truths: IntArray, shape: tuple[int, int]) -> IntArray:
    """Return, for each distinct value, twice the rows of each class below it, ties once."""
    values, classes = shape
    cells = (2 * values + 1) * classes
    in_slot = np.bincount(slot * classes + truths, minlength=cells).reshape(-1, classes)
    below: IntArray = 2 * np.cumsum(in_slot, axis=0)[:-1:2] + in_slot[1::2]
    return below


def _twice_above(times: IntArray) -> IntArray:
    """Return, for each slot among distinct values, twice the values above it, ties once."""
    up_to = np.concatenate(([0], np.cumsum(times)))
    above = np.empty(2 * times.size + 1, dtype=np.int64)
    above[::2] = 2 * (up_to[-1] - up_to)
    above[1::2] = 2 * up_to[-1] - up_to[:-1] - up_to[1:]
    return above
