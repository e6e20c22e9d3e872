"""What can be reached without a coin where limits hold: single points of curves, and their roof.

Under limits the hull is reached by mixing two points; who may not toss a coin has single points
alone. What they cost at best, whatever the conditions, is decided by the roof over those that keep
the limits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from rocch.arrays import BoolArray, FloatArray
    from rocch.roc.hull import RocHull
    from rocch.roc.limits import LinearLimit

FEW = 64
"""So few points go through the plain chain at once."""


def coinless_roof(
    hull: RocHull, limits: tuple[LinearLimit, ...]
) -> tuple[FloatArray, FloatArray] | None:
    """Return the corners of the roof over all single points that keep the limits; None without any.

    Left to right and rising, as a hull is; complexity O(n log n) in the points of all curves.
    """
    found = [(hull.fpr, hull.tpr)]
    for member in hull.members:
        curve = member.curve()
        own = hull.judged.rates(member.false_positives, member.true_positives)
        found.append((curve.fpr, curve.tpr) if curve is not None else (own[0], own[1]))
    roofs = [_roof(*_allowed(*points, limits)) for points in found]
    fpr, tpr = (np.concatenate(column) for column in zip(*roofs, strict=True))
    return _roof(fpr, tpr) if fpr.size else None


def _allowed(
    fpr: FloatArray, tpr: FloatArray, limits: tuple[LinearLimit, ...]
) -> tuple[FloatArray, FloatArray]:
    kept: BoolArray = np.ones(fpr.size, dtype=bool)
    for limit in limits:
        kept &= limit.excess(fpr, tpr) <= 0
    return fpr[kept], tpr[kept]


def _roof(fpr: FloatArray, tpr: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the points on the rising part of the upper hull of points."""
    order = np.lexsort((tpr, fpr))
    x, y = fpr[order], tpr[order]
    last = np.append(x[1:] != x[:-1], True)[: x.size]  # the highest of those above one another
    x, y = x[last], y[last]
    highest = np.maximum.accumulate(y)
    risen = np.diff(highest, prepend=-1.0) > 0
    x, y = x[risen], y[risen]
    while x.size > FEW:
        left, right = slice(None, -2), slice(2, None)
        above = (y[1:-1] - y[left]) * (x[right] - x[left]) > (x[1:-1] - x[left]) * (
            y[right] - y[left]
        )
        if above.all():
            break
        kept = np.concatenate(([True], above, [True]))
        x, y = x[kept], y[kept]
    return _chain(x, y)


def _chain(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    corners: list[tuple[float, float]] = []
    for point in zip(x.tolist(), y.tolist(), strict=True):
        while len(corners) > 1 and not _turns_right(corners[-2], corners[-1], point):
            corners.pop()
        corners.append(point)
    columns = np.array(corners).reshape(-1, 2)
    return columns[:, 0], columns[:, 1]


def _turns_right(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> bool:
    return (b[1] - a[1]) * (c[0] - a[0]) > (b[0] - a[0]) * (c[1] - a[1])
