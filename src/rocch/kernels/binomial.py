"""Intervals for a rate from a count."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from rocch.arrays import FloatArray, IntArray


def clopper_pearson(
    hits: FloatArray | IntArray, rows: float, confidence: float
) -> tuple[FloatArray, FloatArray]:
    """Invert the two one-sided binomial tests (Clopper and Pearson, 1934), for each count.

    Counts need not be whole (effective numbers of weighted rows).
    """
    from scipy.special import betaincinv

    tail = (1 - confidence) / 2
    found, missed = hits > 0, hits < rows
    low = betaincinv(np.where(found, hits, 1), rows - hits + 1, tail)
    high = betaincinv(hits + 1, np.where(missed, rows - hits, 1), 1 - tail)
    return np.where(found, low, 0.0), np.where(missed, high, 1.0)
