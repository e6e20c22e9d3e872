"""What a new classifier saves: at which slopes, and how much.

At slope m the cost of a point is (m FPR + 1 - TPR) / (1 + m): false alarms and misses weigh m to 1,
and whoever always errs pays 1. The least cost of a hull is the lower envelope of its vertices'
costs; between two neighbouring slopes of either hull both envelopes have one vertex each, and the
ratio of what is saved to 1 + m is monotone. So the largest saving is found at one of the slopes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from rocch.arrays import FloatArray
    from rocch.roc.hull import RocHull
    from rocch.roc.operating_point import RocPoint


@dataclass(frozen=True, slots=True)
class Saving:
    """One vertex that was not there before, and what it is worth.

    Attributes
    ----------
    vertex
        The new vertex.
    low, high
        The slopes between which it is best.
    saves
        The most that it saves there, as a share of the cost of always erring.
    at
        The slope where it does.
    """

    vertex: RocPoint
    low: float
    high: float
    saves: float
    at: float

    def __str__(self) -> str:
        high = "inf" if math.isinf(self.high) else f"{self.high:.4g}"
        return (
            f"FPR {self.vertex.fpr:.4g}, TPR {self.vertex.tpr:.4g}: best for slopes "
            f"{self.low:.4g} to {high}, saves up to {100 * self.saves:.3g} % at {self.at:.4g}"
        )


def savings(before: RocHull, after: RocHull) -> list[Saving]:
    """Return the vertices of a grown hull that are new, and what each saves."""
    known = set(before.exact_rates)
    new = [place for place, pair in enumerate(after.exact_rates) if pair not in known]
    edges = [math.inf, *after.slopes.tolist(), 0.0]
    least, most = after.slope_bounds or (0.0, math.inf)
    found = []
    for place in new:
        low, high = max(edges[place + 1], least), min(edges[place], most)
        if low <= high:
            vertex = after.vertices[place]
            found.append(Saving(vertex, low, high, *_largest(before, vertex, low, high)))
    return found


def _largest(before: RocHull, vertex: RocPoint, low: float, high: float) -> tuple[float, float]:
    """Return the largest saving of a vertex between two slopes, and where it is."""
    inside = before.slopes[(before.slopes >= low) & (before.slopes <= high)]
    edges = np.array([low, high, *inside])
    slopes = np.unique(edges[np.isfinite(edges)])  # at an infinite slope all are best at FPR 0
    saved = _costs(before.fpr, before.tpr, slopes) - _costs(
        np.array([vertex.fpr]), np.array([vertex.tpr]), slopes
    )
    best = int(np.argmax(saved))
    return max(float(saved[best]), 0.0), float(slopes[best])


def _costs(fpr: FloatArray, tpr: FloatArray, slopes: FloatArray) -> FloatArray:
    """Return the least cost among points at each slope."""
    costs = (np.outer(slopes, fpr) + (1 - tpr)) / (1 + slopes)[:, None]
    return np.asarray(costs.min(axis=1), dtype=float)
