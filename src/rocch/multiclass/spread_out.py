"""A few members of a surface that stand for all of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from rocch.arrays import FloatArray, IntArray


def spread_out(rates: FloatArray, most: int, *, first: int = 0) -> IntArray:
    """Pick at most so many rows, evenly over the space that they fill; return places in order.

    From `first` on, each pick is the row farthest from those already picked (the first of equals),
    so that thin stretches are shown as well as crowded ones, and the same rows always give the same
    answer. No two picks are equal. (Gonzalez 1985; O(most x rows x columns).)

    Examples
    --------
    >>> import numpy as np
    >>> from rocch.multiclass.spread_out import spread_out
    >>> spread_out(np.array([[0.0], [0.1], [0.2], [0.9], [1.0]]), 3)
    array([0, 2, 4])
    """
    picked = [first]
    gaps = ((rates - rates[first]) ** 2).sum(axis=1)
    while len(picked) < most and gaps.max() > 0:
        picked.append(int(gaps.argmax()))
        gaps = np.minimum(gaps, ((rates - rates[picked[-1]]) ** 2).sum(axis=1))
    return np.sort(np.array(picked, dtype=np.int64))
