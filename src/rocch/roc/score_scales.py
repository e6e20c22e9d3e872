"""Whether the scores of several curves mean the same, as far as their counts can tell.

A threshold common to several curves makes sense only if a score of 0.7, say, means the same in each
of them. If it does, the scores of either class follow one law in all curves. That is tested as in
any table of counts: curves by bins, within each class.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rocch.errors import ScoreScaleWarning
from rocch.roc.common_thresholds import common_thresholds, counts_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocch.arrays import FloatArray
    from rocch.roc.curve import RocCurve

SIGNIFICANCE = 0.001
"""So small because the warning is about gross differences, and is met by chance with every call."""

GAP = 0.1
"""Large samples make any difference significant. Below ten points of rate none is worth a word."""

ROWS_PER_CELL, MOST_BINS = 5, 10
"""The textbook's rule for chi-square: on average five rows per cell of the table."""


KINDS = ("negatives", "positives")


class _Scatter(NamedTuple):
    """How unlike the curves are within one class, and where most."""

    p_value: float
    curve: int
    threshold: float
    share: float
    together: float

    @property
    def gap(self) -> float:
        return abs(self.share - self.together)


def warn_of_scales(curves: Sequence[RocCurve]) -> None:
    """Warn where a common threshold evidently alarms on quite different shares of a class.

    The smaller of two p-values is compared with half the significance, as Holm and Bonferroni both
    have it. Weights do not say how much they may err, so weighted curves are not tested.
    """
    if any(curve.judged.weighted for curve in curves):
        return
    thresholds = common_thresholds(curves)
    counts = counts_at(curves, thresholds).astype(float)
    scatters = [_scatter(thresholds, side) for side in counts]
    evident = [
        (scatter, kind)
        for kind, scatter in zip(KINDS, scatters, strict=True)
        if scatter.p_value < SIGNIFICANCE / len(KINDS) and scatter.gap >= GAP
    ]
    if evident:
        worst, kind = max(evident, key=lambda pair: pair[0].gap)
        warnings.warn(
            f"scores do not mean the same in all {len(curves)} curves: at threshold "
            f"{worst.threshold:.6g}, {curves[worst.curve].name!r} alarms on "
            f"{100 * worst.share:.0f} % of its {kind}, all together on "
            f"{100 * worst.together:.0f} % (p = {worst.p_value:.1e}). Average with by='fpr', "
            "which compares ranks only, or calibrate each model's scores first.",
            ScoreScaleWarning,
            stacklevel=3,
        )


def _scatter(thresholds: FloatArray, at_least: FloatArray) -> _Scatter:
    """Test whether all curves' scores follow one law within a class."""
    shares = at_least / at_least[:, -1:]
    together = at_least.sum(axis=0)
    mean = together / together[-1]
    curve, place = divmod(int(np.argmax(np.abs(shares - mean))), mean.size)
    at = float(thresholds[place]), float(shares[curve, place]), float(mean[place])
    return _Scatter(_one_law(at_least, together), curve, *at)


def _one_law(at_least: FloatArray, together: FloatArray) -> float:
    """Return the chi-square p-value of curves by bins, with bins of about equal counts."""
    from scipy.special import chdtrc

    bins = min(MOST_BINS, max(1, int(together[-1]) // (ROWS_PER_CELL * len(at_least))))
    cuts = np.searchsorted(together, together[-1] * np.arange(1, bins) / bins)
    ends = np.unique(np.append(cuts, together.size - 1))
    table = np.diff(at_least[:, ends], axis=1, prepend=0)
    table = table[:, table.any(axis=0)]
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    degrees = (table.shape[0] - 1) * (table.shape[1] - 1)
    statistic = float(((table - expected) ** 2 / expected).sum())
    return float(chdtrc(degrees, statistic)) if degrees else 1.0
