"""Tests of AUCs: DeLong's, of models that scored the same rows or different ones."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from rocch.arrays import Columns, FloatArray, Label
from rocch.errors import Hint
from rocch.inputs import as_level
from rocch.kernels.bounds import student_quantile
from rocch.results import ByName, Record, Records, Table, Tabular, draw
from rocch.roc.conditions import Interval
from rocch.rows import ScoredRows
from rocch.stats.arguments import Sample, as_paired_rows, as_unpaired_rows
from rocch.stats.auc import (
    AucEstimate,
    AucMethod,
    AucMoments,
    as_auc_method,
    auc_moments,
    difference_limits,
    estimate_aucs,
)
from rocch.stats.pair_tests import (
    Adjustment,
    CurveTest,
    adjust_tests,
    as_adjustment,
    find_pair,
    smallest_p_value,
)


@dataclass(frozen=True, slots=True, repr=False)
class AucDifference(CurveTest):
    """The AUC of `first` minus that of `second`.

    Attributes
    ----------
    difference, standard_error
        The difference and DeLong's standard error.
    interval
        Within [-1, 1], not adjusted. Close to AUC 1 Newcombe's is more careful than the test.
    z, p_value
        DeLong's test; p is at least that of a sign test among the rows of the rarer class (2^-9 for
        10 rows).
    degrees
        Welch's degrees of freedom where models have their own rows: `z` is compared with Student's
        t distribution, as in pROC. None for the normal distribution.
    adjusted_p_value
        Adjusted for the number of pairs.
    """

    DIGITS: ClassVar[str] = "+.4f"

    standard_error: float
    interval: Interval
    z: float


# Directions with less than this share of a contrast's variance do not vary.
SAME = 1e-9


@dataclass(frozen=True, slots=True, repr=False)
class EqualityTest(Record):
    """The test that all AUCs are equal; models that rank alike reduce the `degrees`."""

    statistic: float
    degrees: int
    p_value: float

    def __str__(self) -> str:
        return (
            f"all equal: chi-square {self.statistic:.4g} with {self.degrees} d.f., "
            f"p = {self.p_value:.3g}"
        )


def equality_test(moments: AucMoments) -> EqualityTest:
    """Test all differences from the first model (DeLong and others, 1988, section 4)."""
    from scipy.special import chdtrc

    z, correlation, certain = _contrasts(moments)
    variances, directions = np.linalg.eigh(correlation)
    varies = variances > SAME * max(1, len(z))
    along = z @ directions
    degrees = int(varies.sum())
    if certain or (np.abs(along[~varies]) > 1e-6 * (1 + np.abs(z).max(initial=0))).any():
        return EqualityTest(math.inf, degrees, smallest_p_value(moments.units))
    statistic = float((along[varies] ** 2 / variances[varies]).sum())
    if not statistic:
        return EqualityTest(0.0, degrees, 1.0)
    p_value = max(float(chdtrc(degrees, statistic)), smallest_p_value(moments.units))
    return EqualityTest(statistic, degrees, p_value)


def _contrasts(moments: AucMoments) -> tuple[FloatArray, FloatArray, bool]:
    """Return varying contrasts, their correlations, and if any is certain."""
    covariance = np.array(moments.covariance, dtype=object)
    contrasts = covariance - covariance[0] - covariance[:, :1] + covariance[0, 0]
    differences = np.array(moments.aucs, dtype=object) - moments.aucs[0]
    varies = contrasts.diagonal() != 0
    errors = np.sqrt(contrasts.diagonal()[varies].astype(np.float64))
    matrix = contrasts[np.ix_(varies, varies)].astype(np.float64) / np.outer(errors, errors)
    return differences[varies].astype(np.float64) / errors, matrix, any(differences[~varies])


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AucComparison(Tabular):
    """All models' AUCs, every pair's difference, and the test that all are equal.

    `to_frame` has the differences; `aucs` and `differences` are tables of their own.

    Attributes
    ----------
    aucs
        Each model's estimate, by name.
    covariance
        The covariance matrix of the AUCs, read-only.
    differences
        Every pair, in the order of the models as given.
    overall
        The chi-square test of equality.
    paired
        Whether all models scored the same rows.
    adjust, confidence
        As passed.
    """

    aucs: ByName[str, AucEstimate]
    covariance: FloatArray
    differences: Records[AucDifference]
    overall: EqualityTest
    paired: bool
    adjust: Adjustment
    confidence: float

    def difference(self, first: str, second: str) -> AucDifference:
        """Return one pair's difference, `first` minus `second`."""
        return find_pair(self.differences, first, second)

    def __str__(self) -> str:
        aucs = (f"{name}: {estimate}" for name, estimate in self.aucs.items())
        # of two models, the difference has said so
        overall = [str(self.overall)] * (len(self.aucs) > 2)
        return "\n".join([*aucs, *map(str, self.differences), *overall])

    def _title(self) -> str:
        return str(self.overall if len(self.aucs) > 2 else self.differences[0])

    def _columns(self) -> Table:
        return self.differences._columns()

    def _tables(self) -> tuple[Table, ...]:
        return self.aucs._columns(), self._columns()

    def _picture(self) -> str:
        return draw(self.differences)


ALONE = Hint("For one model use rocch.stats.auc_interval.")


def compare_aucs(
    y_true: ArrayLike,
    scores: Columns,
    *,
    method: AucMethod = "newcombe",
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    confidence: float = 0.95,
    adjust: Adjustment = "holm",
) -> AucComparison:
    """Compare the AUCs of models that scored the same rows (DeLong's test).

    Parameters
    ----------
    y_true, pos_label, sample_weight, groups
        As for `auc_interval`.
    scores
        Maps names to scores, or is a data frame with one column per model.
    method
        How to make intervals, of AUCs and of differences: as for `auc_interval`.
    confidence
        How often each interval covers the truth.
    adjust
        How to adjust p-values for the number of pairs.

    Examples
    --------
    >>> import rocch
    >>> y = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]
    >>> found = rocch.stats.compare_aucs(
    ...     y, {"nb": [1, 5, 3, 7, 2, 4, 6, 8, 3, 9], "gbm": [1, 2, 3, 6, 4, 5, 7, 8, 9, 9]}
    ... )
    >>> print(found.difference("gbm", "nb"))
    gbm - nb: +0.1800 (-0.0954 to +0.5305), z = 1.39, p = 0.165
    """
    level, adjustment = as_level(confidence), as_adjustment(adjust)
    kind = as_auc_method(method)
    rows = as_paired_rows(
        y_true,
        scores,
        pos_label=pos_label,
        groups=groups,
        unpaired="rocch.stats.compare_aucs_unpaired",
        sample_weight=sample_weight,
        hint=ALONE,
    )
    return compare_rows(rows, confidence=level, method=kind, adjust=adjustment)


def compare_rows(
    rows: ScoredRows,
    *,
    confidence: float = 0.95,
    method: AucMethod = "newcombe",
    adjust: Adjustment = "holm",
) -> AucComparison:
    """Compare the AUCs of one or more models that scored the same rows."""
    moments = auc_moments(rows)
    found = estimate_aucs(moments, rows, confidence, method)
    return compare_estimates(moments, found, adjust=adjust, paired=True)


def compare_aucs_unpaired(
    samples: Mapping[str, Sample],
    *,
    method: AucMethod = "newcombe",
    pos_label: Label | None = None,
    confidence: float = 0.95,
    adjust: Adjustment = "holm",
) -> AucComparison:
    """Compare AUCs from different, independent rows, such as those of two hospitals.

    The test is DeLong's with Welch's degrees of freedom, as in pROC.

    Parameters
    ----------
    samples
        Maps names to (labels, scores) or (labels, scores, groups).
    method, pos_label, confidence, adjust
        As for `compare_aucs`, which detects much smaller differences.

    Examples
    --------
    >>> import rocch
    >>> found = rocch.stats.compare_aucs_unpaired({
    ...     "north": ([0, 0, 0, 1, 1, 1], [1, 2, 4, 3, 5, 6]),
    ...     "south": ([0, 0, 1, 1], [3, 1, 4, 2]),
    ... })
    >>> round(found.differences[0].difference, 4), round(found.differences[0].p_value, 2)
    (0.1389, 0.74)
    """
    level, adjustment = as_level(confidence), as_adjustment(adjust)
    kind = as_auc_method(method)
    own = as_unpaired_rows(
        samples, pos_label=pos_label, paired="rocch.stats.compare_aucs", hint=ALONE
    )
    parts = {name: auc_moments(rows) for name, rows in own.items()}
    found = {
        name: estimate_aucs(part, own[name], level, kind)[name] for name, part in parts.items()
    }
    # independent samples have no covariance
    covariance = tuple(
        tuple(one.covariance[0][0] if one is other else Fraction(0) for other in parts.values())
        for one in parts.values()
    )
    negatives, positives = zip(*(part.units for part in parts.values()), strict=True)
    aucs = tuple(part.aucs[0] for part in parts.values())
    degrees = tuple((each.groups or each.rows) - 1 for each in found.values())
    units = min(negatives), min(positives)
    moments = AucMoments(tuple(parts), aucs, covariance, units, degrees)
    return compare_estimates(moments, found, adjust=adjustment, paired=False)


def compare_estimates(
    moments: AucMoments, found: dict[str, AucEstimate], *, adjust: Adjustment, paired: bool
) -> AucComparison:
    """Compare AUCs whose moments are known."""
    pairs = [_difference(moments, found, *pair) for pair in combinations(range(len(found)), 2)]
    return AucComparison(
        ByName(found, "model"),
        moments.matrix,
        adjust_tests(pairs, adjust),
        equality_test(moments),
        paired,
        adjust,
        next(iter(found.values())).confidence,
    )


def _difference(
    moments: AucMoments, found: dict[str, AucEstimate], first: int, second: int
) -> AucDifference:
    names = moments.models[first], moments.models[second]
    difference, variance = moments.contrast(first, second)
    error = math.sqrt(variance)
    z = float(difference) / error if error else math.copysign(math.inf, difference)
    if not difference:
        z = 0.0
    degrees = _welch_degrees(moments, first, second)
    p = max(_two_sided(z, degrees), smallest_p_value(moments.units)) if z else 1.0
    one, other = (found[name] for name in names)
    if moments.covariance[first][first] and not difference and not variance:
        limits = Interval(0.0, 0.0)  # they rank alike
    elif one.method == "delong":
        reach = student_quantile(one.confidence, degrees) * error
        limits = Interval(max(float(difference) - reach, -1.0), min(float(difference) + reach, 1.0))
    else:
        scale = one.standard_error * other.standard_error
        correlation = float(moments.covariance[first][second]) / scale if scale else 0.0
        intervals = one.interval, other.interval
        limits = difference_limits((one.value, other.value), intervals, correlation)
    return AucDifference(*names, float(difference), error, limits, z, degrees, p, p)


def _welch_degrees(moments: AucMoments, first: int, second: int) -> float | None:
    """Return Welch and Satterthwaite's degrees of freedom, or None where rows are the same."""
    if moments.degrees is None:
        return None
    variances = [float(moments.covariance[place][place]) for place in (first, second)]
    own = [moments.degrees[place] for place in (first, second)]
    if not any(variances):
        return float(sum(own))
    return sum(variances) ** 2 / sum(v * v / d for v, d in zip(variances, own, strict=True))


def _two_sided(z: float, degrees: float | None) -> float:
    """Return the chance of a value as far from 0, normal or by Student's t."""
    from scipy.special import stdtr

    if degrees is None:
        return math.erfc(abs(z) / math.sqrt(2))
    return float(2 * stdtr(degrees, -abs(z)))
