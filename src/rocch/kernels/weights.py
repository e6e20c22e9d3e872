"""Weights as integers, so that weighted counts are exact and free of order.

The rule for weighted data: each weight is rounded to the nearest multiple of a unit, a power of
two chosen so that as many weights as there are rows, all as large as the largest, stay below 2**62
units; from then on everything is counted in integers, as for plain rows. Whole numbers are counted
in ones, and so not rounded, where the number of rows times the largest is below 2**62; beyond that
they are rounded too, even where their sum would fit: the largest weight depends on no order of the
rows, as a sum of doubles does. Every order and every split of the rows gives the identical counts.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from rocch.arrays import FloatArray, IntArray

ROOM = 62


def integer_weights(weights: FloatArray) -> tuple[IntArray, float]:
    """Return weights in whole units, and the unit. Not all weights may be zero."""
    whole = np.array_equal(weights, np.floor(weights))
    exponent = unit_exponent(float(weights.max()), weights.size, whole=whole)
    return np.rint(np.ldexp(weights, -exponent)).astype(np.int64), math.ldexp(1.0, exponent)


def unit_exponent(largest: float, rows: int, *, whole: bool) -> int:
    """Return the unit of so many weights as an exponent of two; 0 where whole ones have room."""
    if whole and rows * largest < 2.0**ROOM:
        return 0
    return math.frexp(largest)[1] + rows.bit_length() - ROOM
