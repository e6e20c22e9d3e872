"""How far a band reaches: from Wilson, from Kolmogorov, and from a bootstrap."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rocch.kernels.bounds import normal_quantile
from rocch.kernels.hull import highest, lowest

if TYPE_CHECKING:
    from rocch.arrays import FloatArray
    from rocch.roc.curve import RocCurve

HALVINGS = 40
"""How often the search for a band's width halves its range."""


def wilson(
    rates: FloatArray, variances: FloatArray, level: float, *, units: int, rows: int
) -> tuple[FloatArray, FloatArray]:
    """Return Wilson's interval for rates, with a bootstrap's variance in it.

    With the binomial variance it is Wilson's own. A bootstrap's adds what thresholds move; Wilson's
    shape keeps a width where all replicates agree (a rate of 0 or 1), where percentiles have none.
    Rows that come in fewer independent units count as so many trials as their variance tells, at
    least the units and at most the rows.
    """
    z2 = normal_quantile(level) ** 2
    told = rates * (1 - rates) / np.where(variances > 0, variances, np.inf)
    trials = np.clip(told, units, rows)
    middle = rates + z2 / (2 * trials)
    half = np.sqrt(z2 * (variances + z2 / (4 * trials**2)))
    low, high = ((middle + side * half) / (1 + z2 / trials) for side in (-1, 1))
    # the rate itself is inside but for rounding
    return np.clip(low, 0, rates), np.clip(high, rates, 1)


def kolmogorov(curve: RocCurve, fprs: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Return the curve moved by Kolmogorov's distances of both classes (Campbell 1994).

    Each class's distribution of scores lies within its distance, exactly as often as the root of
    the confidence says; the classes are independent. Ties only make it safer.
    """
    from scipy.stats import kstwo

    rows = np.array([curve.judged.negatives, curve.judged.positives])
    return shifted(curve, fprs, kstwo.ppf(level**0.5, rows))


def fixed_width(
    curve: RocCurve,
    replicates: FloatArray,
    fprs: FloatArray,
    level: float,
    *,
    units: tuple[int, int],
) -> tuple[FloatArray, FloatArray]:
    """Return the curve moved along one direction until enough replicates lie in between.

    The direction is that of the two classes' noise, 1 / sqrt(independent units) each (Campbell
    1994; "FWB" of Macskassy, Provost and Rosset 2005). Never nearer than a rate of 0 could be from
    the truth, so that a sample which separates the classes perfectly has a band too.
    """
    held = np.array(units)
    least = 1 - ((1 - level) / 2) ** (1 / held)

    def at(width: float) -> tuple[FloatArray, FloatArray]:
        return shifted(curve, fprs, np.maximum(width / np.sqrt(held), least))

    def share(width: float) -> float:
        low, high = at(width)
        return float(np.mean(np.all((low <= replicates) & (replicates <= high), axis=1)))

    narrow, wide = 0.0, float(np.sqrt(held.max()))
    for _ in range(HALVINGS):
        width = (narrow + wide) / 2
        narrow, wide = (narrow, width) if share(width) >= level else (width, wide)
    return at(wide)


def shifted(curve: RocCurve, fprs: FloatArray, by: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the curve moved right and down, and left and up, read at the FPRs."""
    right, up = by
    low = np.maximum(lowest(curve.fpr, curve.tpr, np.maximum(fprs - right, 0)) - up, 0)
    high = np.minimum(highest(curve.fpr, curve.tpr, np.minimum(fprs + right, 1)) + up, 1)
    low[fprs == 1] = 1  # every curve ends there
    return low, high
