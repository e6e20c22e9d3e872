"""Counts of several curves at thresholds that are common to all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rocch.errors import bad_input

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocch.arrays import FloatArray, IntArray
    from rocch.roc.curve import RocCurve


def common_thresholds(curves: Sequence[RocCurve]) -> FloatArray:
    """Return the distinct scores of all curves, falling; each must be a scoring classifier's."""
    found = []
    for curve in curves:
        if curve.thresholds is None:
            raise bad_input(
                "curves",
                "be of scoring classifiers, because they are set to common thresholds",
                f"{curve.name!r}, which outputs labels only",
                "Average by='fpr', or leave it out.",
            )
        found.append(curve.thresholds)
    return np.unique(np.concatenate(found))[::-1]


def points_at(curve: RocCurve, thresholds: FloatArray) -> IntArray:
    """Return the index of a scoring classifier's point at each of the falling thresholds.

    It is the last point whose own threshold is not below: exactly the rows that score at least as
    much alarm there. (Fawcett's Algorithm 6 as printed goes one point too far.)
    """
    return np.searchsorted(-curve.thresholds, -thresholds, side="right")  # type: ignore[operator]


def counts_at(curves: Sequence[RocCurve], thresholds: FloatArray) -> IntArray:
    """Return the counts of negatives (0) and positives (1) by curve and threshold."""
    points = [points_at(curve, thresholds) for curve in curves]
    fp = [curve.false_positives[at] for curve, at in zip(curves, points, strict=True)]
    tp = [curve.true_positives[at] for curve, at in zip(curves, points, strict=True)]
    return np.array((fp, tp))
