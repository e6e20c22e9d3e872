"""Numbers on a path through ROC space: areas, look-ups and the equal error rate.

A path is a pair of arrays, FPR and TPR, that both rise from 0 to 1; points are joined by straight
lines, because the points in between are reached by mixing the ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rocch.errors import bad_input
from rocch.inputs import as_rate

if TYPE_CHECKING:
    from rocch.arrays import FloatArray


def tpr_at(fpr: FloatArray, tpr: FloatArray, wanted: float) -> float:
    """Return the highest TPR that the path has at this FPR."""
    return _upper(fpr, tpr, as_rate(wanted, "fpr"))


def fpr_at(fpr: FloatArray, tpr: FloatArray, wanted: float) -> float:
    """Return the lowest FPR that the path has at this TPR."""
    return 1 - _upper(1 - tpr[::-1], 1 - fpr[::-1], 1 - as_rate(wanted, "tpr"))


def partial_auc(
    path: tuple[FloatArray, FloatArray],
    *,
    fpr: tuple[float, float] | None = None,
    tpr: tuple[float, float] | None = None,
    standardised: bool = False,
) -> float:
    """Return the area over a range of FPR, or beside a range of TPR.

    Over FPR in [a, b]: the integral of TPR. Over TPR in [a, b]: the integral of 1 - FPR.
    Standardised (McClish): 1/2 for random guessing and 1 for a perfect classifier.
    """
    x, y = path
    if fpr is not None and tpr is None:
        low, high = _as_range(fpr, "fpr")
        floor = (high**2 - low**2) / 2
    elif tpr is not None and fpr is None:
        low, high = _as_range(tpr, "tpr")
        x, y = y, 1 - x
        floor = (high - low) - (high**2 - low**2) / 2
    else:
        raise bad_input(
            "fpr, tpr",
            "be one range, of FPR or of TPR",
            "both" if fpr is not None else "neither",
            "For example: partial_auc(fpr=(0, 0.1)).",
        )
    area = _integral(x, y, low, high)
    return (1 + (area - floor) / (high - low - floor)) / 2 if standardised else area


def equal_error_rate(fpr: FloatArray, tpr: FloatArray) -> float:
    """Return the rate at which the path has FPR = 1 - TPR."""
    excess = fpr - (1 - tpr)
    right = int(np.searchsorted(excess, 0.0))
    if excess[right] == 0:
        return float(fpr[right])
    left = right - 1
    share = -excess[left] / (excess[right] - excess[left])
    return float(fpr[left] + share * (fpr[right] - fpr[left]))


def _upper(x: FloatArray, y: FloatArray, wanted: float) -> float:
    """Return the highest y at x = wanted on a rising path."""
    left = int(np.searchsorted(x, wanted, side="right")) - 1
    if x[left] == wanted:
        return float(y[left])
    share = (wanted - x[left]) / (x[left + 1] - x[left])
    return float(y[left] + share * (y[left + 1] - y[left]))


def _integral(x: FloatArray, y: FloatArray, low: float, high: float) -> float:
    """Integrate y over x in [low, high]; x rises, y may jump where x stands still."""
    inside = (x > low) & (x < high)
    ends = np.interp([low, high], x, y)
    first = y[np.flatnonzero(x == low)[-1]] if (x == low).any() else ends[0]
    last = y[np.flatnonzero(x == high)[0]] if (x == high).any() else ends[1]
    xs = np.concatenate(([low], x[inside], [high]))
    ys = np.concatenate(([first], y[inside], [last]))
    return float(np.sum(np.diff(xs) * (ys[1:] + ys[:-1])) / 2)


def _as_range(ends: tuple[float, float], argument: str) -> tuple[float, float]:
    try:
        low, high = ends
    except (TypeError, ValueError):
        raise bad_input(
            argument, "be a pair (low, high)", repr(ends), "For example: (0, 0.1)."
        ) from None
    low, high = as_rate(low, argument), as_rate(high, argument)
    if not low < high:
        raise bad_input(
            argument, "run from low to a higher end", repr(ends), "For example: (0, 0.1)."
        )
    return low, high
