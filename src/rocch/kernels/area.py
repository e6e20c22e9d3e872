"""Areas under curves through integer counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from rocch.arrays import IntArray


def twice_area(false_positives: IntArray, true_positives: IntArray) -> int:
    """Return twice the area under the points, in units of counts, as an exact integer.

    Fawcett's Algorithm 4. Its printed last step adds a trapezoid that ends in (1, 1) while the
    other sums are counts; here the last point is the pair of totals, as it must be.
    """
    x, y = false_positives, true_positives
    if x.dtype == object or 2 * int(x[-1]) * int(y[-1]) >= 2**62:
        x, y = x.astype(object), y.astype(object)
    return int(np.sum(np.diff(x) * (y[1:] + y[:-1])))
