"""Sorting doubles quickly at the sizes where it matters most.

NumPy sorts 16-bit integers by radix, an order of magnitude faster than doubles. So doubles are
first put into nearly the right order by a 16-bit monotone code, and a merge sort, which is fast on
nearly sorted input, finishes the job exactly. The code costs time when it is poor, never order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from rocch.arrays import FloatArray

SMALLEST, LARGEST = 2**11, 2**17
"""Between these sizes the detour was measured to be two to five times faster than `numpy.sort`."""

CODES = 2**16
SAMPLE = 256


def ascending(values: FloatArray) -> FloatArray:
    """Return the values in rising order, as `numpy.sort` does."""
    if not SMALLEST <= values.size <= LARGEST:
        return np.sort(values)
    sample = np.sort(values[:: values.size // SAMPLE])
    low, top = sample[2], sample[-3]
    with np.errstate(all="ignore"):
        factor = CODES / (top - low)
        code = values - low
        code *= factor
    if not 0 < factor < np.inf:
        return np.sort(values)
    np.maximum(code, 0, out=code)
    np.minimum(code, CODES - 1, out=code)
    order = np.argsort(code.astype(np.uint16), kind="stable")
    return np.sort(values[order], kind="stable")
