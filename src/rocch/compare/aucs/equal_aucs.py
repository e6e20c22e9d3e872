"""The chi-square test that several AUCs are equal, also where some models rank alike."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from rocch.arrays import FloatArray
    from rocch.compare.aucs.delong import AucMoments

SAME = 1e-9
"""Directions whose variance is smaller than this share of a contrast's own do not vary at all."""


@dataclass(frozen=True, slots=True)
class EqualityTest:
    """The test that all AUCs are equal.

    `degrees` is the number of directions in which the AUCs vary: one less than the models, less
    for models that rank alike, and 0 where none varies: the p-value is then 1 for equal AUCs. It is
    never smaller than a sign test among the rows of the rarer class could make it.
    """

    statistic: float
    degrees: int
    p_value: float

    def __str__(self) -> str:
        return (
            f"all equal: chi-square {self.statistic:.4g} with {self.degrees} d.f., "
            f"p = {self.p_value:.3g}"
        )


def sign_bound(units: tuple[int, int]) -> float:
    """Return the smallest p-value that so many units can justify.

    Where no row contradicts a difference it has no variance, and a z of infinity would be proof
    from three rows. But if the models were equally good, each unit would favour either with chance
    1/2, and that all of a class favour one of them has chance 2 / 2^units. The smaller class has
    the say.
    """
    return math.ldexp(1.0, 1 - min(units))


def equality_test(moments: AucMoments) -> EqualityTest:
    """Test all differences from the first model at once (DeLong and others, 1988, section 4)."""
    from scipy.special import chdtrc

    z, correlation, certain = _contrasts(moments)
    variances, directions = np.linalg.eigh(correlation)
    varies = variances > SAME * max(1, len(z))
    along = z @ directions
    if certain or (np.abs(along[~varies]) > 1e-6 * (1 + np.abs(z).max(initial=0))).any():
        return EqualityTest(math.inf, int(varies.sum()), sign_bound(moments.units))
    degrees = int(varies.sum())
    statistic = float((along[varies] ** 2 / variances[varies]).sum())
    if not statistic:
        return EqualityTest(0.0, degrees, 1.0)
    p_value = max(float(chdtrc(degrees, statistic)), sign_bound(moments.units))
    return EqualityTest(statistic, degrees, p_value)


def _contrasts(moments: AucMoments) -> tuple[FloatArray, FloatArray, bool]:
    """Return the contrasts that vary, in standard errors, and their correlations.

    And whether some other contrast is certain: different from 0 without any variance.
    """
    cov = moments.covariance
    found = {i: moments.contrast(i, 0) for i in range(1, len(moments.models))}
    kept = [i for i, (_, variance) in found.items() if variance]
    certain = any(difference and not variance for difference, variance in found.values())
    errors = np.array([math.sqrt(found[i][1]) for i in kept])
    entries = [[float(cov[i][j] - cov[i][0] - cov[0][j] + cov[0][0]) for j in kept] for i in kept]
    matrix = np.array(entries).reshape(len(kept), len(kept)) / np.outer(errors, errors)
    return np.array([float(found[i][0]) for i in kept]) / errors, matrix, certain
