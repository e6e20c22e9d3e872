"""Whether models' AUCs differ, in pairs and all together, on the same rows or on others."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from typing import Any, Literal, get_args

import numpy as np

from rocch.arrays import FloatArray
from rocch.errors import InputError, describe_type
from rocch.inputs import as_choice, as_columns, as_level
from rocch.roc.conditions import Interval
from rocch.stats.auc import AucEstimate, AucMoments, auc_moments, difference_limits, estimates
from rocch.stats.sample import Sample, check_several, paired_sample

# --- P-values of many tests, adjusted so that the many do not make one significant by chance ------

Adjustment = Literal["holm", "bonferroni", "benjamini-hochberg", "none"]


def adjusted(p_values: FloatArray, method: Adjustment) -> FloatArray:
    """Return adjusted p-values in the given order.

    Holm (1979) and Bonferroni bound the chance of any false rejection, whatever the dependence,
    and Holm rejects at least as much. Benjamini and Hochberg (1995) bound the expected share of
    false ones among the rejections, for independent or positively dependent tests.
    """
    count = p_values.size
    if method == "none":
        return p_values.copy()
    if method == "bonferroni":
        return np.minimum(1, count * p_values)
    order = np.argsort(p_values, kind="stable")
    ranked = p_values[order]
    if method == "holm":
        steps = np.maximum.accumulate(ranked * np.arange(count, 0, -1))
    else:
        steps = np.minimum.accumulate((ranked * count / np.arange(1, count + 1))[::-1])[::-1]
    result = np.empty(count)
    result[order] = np.minimum(1, steps)
    return result


def as_adjustment(adjust: Any) -> Adjustment:
    """Return how to adjust p-values, which must be one of the methods."""
    method: Any = as_choice(adjust, get_args(Adjustment), "adjust")
    checked: Adjustment = method
    return checked


# --- The chi-square test that several AUCs are equal, also where some models rank alike -----------

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
    from three rows. But if the models were equally good, each unit would favor either with chance
    1/2, and that all of a class favor one of them has chance 2 / 2^units. The smaller class has
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


# --- Whether models' AUCs differ: every pair, and all together ------------------------------------

ALONE = "For one model use rocch.stats.auc_interval."


@dataclass(frozen=True, slots=True)
class AucDifference:
    """How far two models' AUCs lie apart: that of `first` minus that of `second`.

    Attributes
    ----------
    difference, standard_error
        The difference and DeLong's standard error of it, in which what both models find easy or
        hard on the same rows cancels.
    interval
        Every difference that the rows do not contradict, within [-1, 1]; for this pair alone, not
        adjusted for the number of pairs. Close to AUC 1 it is more careful than the test and may
        hold 0 although the test rejects.
    z, p_value
        DeLong's test of equal AUCs. Two models that rank alike have z 0 and p-value 1. A p-value
        is never smaller than a sign test among the rows of the rarer class could make it, because
        few rows that happen to agree have (almost) no variance: 2^-9 for 10 rows, for example.
    adjusted_p_value
        The p-value adjusted for the number of pairs.
    """

    first: str
    second: str
    difference: float
    standard_error: float
    interval: Interval
    z: float
    p_value: float
    adjusted_p_value: float

    def __str__(self) -> str:
        low, high = self.interval
        return (
            f"{self.first} - {self.second}: {self.difference:+.4f} ({low:+.4f} to {high:+.4f}), "
            f"p = {self.p_value:.3g}, adjusted {self.adjusted_p_value:.3g}"
        )


@dataclass(frozen=True, slots=True, eq=False)
class AucComparison:
    """All models' AUCs, every pair's difference, and the test that all are equal.

    Attributes
    ----------
    models
        Each model's own estimate by name.
    covariance
        The covariance matrix of the AUCs, in the order of `models`, read-only.
    differences
        Every pair, in the order of names.
    overall
        The chi-square test that all AUCs are equal.
    paired
        Whether all models judged the same rows.
    adjust, confidence
        As asked for.
    """

    models: Mapping[str, AucEstimate]
    covariance: FloatArray
    differences: tuple[AucDifference, ...]
    overall: EqualityTest
    paired: bool
    adjust: Adjustment
    confidence: float

    def difference(self, first: str, second: str) -> AucDifference:
        """Return one pair's difference, `first` minus `second`."""
        for found in self.differences:
            if (found.first, found.second) == (first, second):
                return found
            if (found.second, found.first) == (first, second):
                return replace(
                    found,
                    first=first,
                    second=second,
                    difference=-found.difference,
                    interval=Interval(-found.interval.high, -found.interval.low),
                    z=-found.z,
                )
        raise InputError(
            "first, second",
            "be two different models of the comparison",
            f"{first!r} and {second!r}",
            f"The models are: {', '.join(map(repr, self.models))}.",
        )

    def __str__(self) -> str:
        lines = [f"{name}: {estimate}" for name, estimate in self.models.items()]
        return "\n".join([*lines, *map(str, self.differences), str(self.overall)])


def compare_aucs(
    y_true: Any,
    scores: Any,
    *,
    pos_label: Any = None,
    groups: Any = None,
    confidence: float = 0.95,
    adjust: Adjustment = "holm",
) -> AucComparison:
    """Compare the AUCs of models that judged the same rows (DeLong's test).

    Parameters
    ----------
    y_true
        Labels: boolean, 0/1 or -1/1, or anything else with `pos_label`.
    scores
        Maps names to scores, or is a data frame with one column per model; at least two. Every
        model must score every row: the test is paired.
    pos_label
        The positive class.
    groups
        A name for each row's group, where rows of one group resemble each other (Obuchowski).
    confidence
        How often each interval holds the truth.
    adjust
        How to adjust the pairs' p-values for their number: "holm", "bonferroni",
        "benjamini-hochberg" or "none".

    Returns
    -------
    AucComparison

    Raises
    ------
    InputError
        If there are fewer than two models, or their scores are not one per row.
    UndefinedError
        If a class has a single row, or lies in a single group.

    Examples
    --------
    >>> import rocch
    >>> y = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]
    >>> found = rocch.stats.compare_aucs(
    ...     y, {"nb": [1, 5, 3, 7, 2, 4, 6, 8, 3, 9], "gbm": [1, 2, 3, 6, 4, 5, 7, 8, 9, 9]}
    ... )
    >>> print(found.difference("gbm", "nb"))
    gbm - nb: +0.1800 (-0.0954 to +0.5305), p = 0.165, adjusted 0.165
    """
    level, method = as_level(confidence), as_adjustment(adjust)
    sample = paired_sample(
        y_true, scores, pos_label=pos_label, groups=groups, unpaired="compare_aucs_unpaired"
    )
    check_several(sample.models, "scores", ALONE)
    moments = auc_moments(sample)
    found = dict(zip(moments.models, estimates(moments, sample, level), strict=True))
    return comparison(moments, found, adjust=method, paired=True)


def comparison(
    moments: AucMoments, found: dict[str, AucEstimate], *, adjust: Adjustment, paired: bool
) -> AucComparison:
    """Compare estimates whose moments are known."""
    pairs = [_difference(moments, found, *pair) for pair in combinations(range(len(found)), 2)]
    after = adjusted(np.array([pair.p_value for pair in pairs]), adjust).tolist()
    return AucComparison(
        found,
        moments.matrix,
        tuple(replace(pair, adjusted_p_value=p) for pair, p in zip(pairs, after, strict=True)),
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
    p = max(math.erfc(abs(z) / math.sqrt(2)), sign_bound(moments.units)) if z else 1.0
    limits = _limits(moments, found, first, second)
    return AucDifference(*names, float(difference), error, limits, z, p, p)


def _limits(
    moments: AucMoments, found: dict[str, AucEstimate], first: int, second: int
) -> Interval:
    one, other = (found[moments.models[index]] for index in (first, second))
    cov = moments.covariance
    if cov[first][first] and not any(moments.contrast(first, second)):
        return Interval(0.0, 0.0)  # they rank alike
    scale = one.standard_error * other.standard_error
    correlation = float(cov[first][second]) / scale if scale else 0.0
    intervals = one.interval, other.interval
    return difference_limits((one.value, other.value), intervals, correlation)


# --- Whether AUCs differ that come from different rows --------------------------------------------


def compare_aucs_unpaired(
    samples: Mapping[str, Any],
    *,
    pos_label: Any = None,
    confidence: float = 0.95,
    adjust: Adjustment = "holm",
) -> AucComparison:
    """Compare AUCs that come from different, independent rows.

    Use it for one model in two hospitals, say. Where the models judged the same rows,
    `compare_aucs` sees much smaller differences.

    Parameters
    ----------
    samples
        Maps names to pairs (labels, scores), or to triples (labels, scores, groups). Groups are
        taken to differ between samples even where their names agree.
    pos_label, confidence, adjust
        As for `compare_aucs`.

    Examples
    --------
    >>> import rocch
    >>> found = rocch.stats.compare_aucs_unpaired({
    ...     "north": ([0, 0, 0, 1, 1, 1], [1, 2, 4, 3, 5, 6]),
    ...     "south": ([0, 0, 1, 1], [3, 1, 4, 2]),
    ... })
    >>> round(found.differences[0].difference, 4), round(found.differences[0].p_value, 2)
    (0.1389, 0.72)
    """
    level, method = as_level(confidence), as_adjustment(adjust)
    if not isinstance(samples, Mapping):
        raise InputError(
            "samples",
            "map names to (labels, scores)",
            describe_type(samples),
            "For example: {'north': (y1, s1), 'south': (y2, s2)}.",
        )
    check_several(samples, "samples", ALONE)
    parts, found = [], {}
    for name, given in sorted(as_columns(samples, argument="samples").items()):
        sample = _sample(name, given, pos_label)
        parts.append(auc_moments(sample))
        found[name] = estimates(parts[-1], sample, level)[0]
    return comparison(_independent(parts), found, adjust=method, paired=False)


def _independent(parts: list[AucMoments]) -> AucMoments:
    """Put samples on different rows side by side: nothing varies together."""
    size = range(len(parts))
    covariance = tuple(
        tuple(parts[i].covariance[0][0] if i == j else Fraction(0) for j in size) for i in size
    )
    units = tuple(min(part.units[side] for part in parts) for side in (0, 1))
    return AucMoments(
        tuple(part.models[0] for part in parts),
        tuple(part.aucs[0] for part in parts),
        covariance,
        (units[0], units[1]),
    )


def _sample(name: str, given: Any, pos_label: Any) -> Sample:
    if not isinstance(given, tuple | list) or len(given) not in (2, 3):
        raise InputError(
            f"samples[{name!r}]",
            "be a pair (labels, scores) or a triple (labels, scores, groups)",
            f"{len(given)} parts" if isinstance(given, tuple | list) else describe_type(given),
            "For example: (y, scores).",
        )
    labels, scores, groups = (*given, None)[:3]
    try:
        return Sample.of(
            labels, {name: scores}, pos_label=pos_label, groups=groups, argument="samples"
        )
    except InputError as error:
        if (error.argument or "").startswith("samples["):
            raise
        raise InputError(f"in samples[{name!r}], {error}") from None
