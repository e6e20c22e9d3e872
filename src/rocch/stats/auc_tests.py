"""Whether models' AUCs differ: every pair, and all together."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.compare.adjust import Adjustment, adjusted, as_adjustment
from rocch.compare.aucs.auc import AucEstimate, estimates
from rocch.compare.aucs.delong import AucMoments, auc_moments
from rocch.compare.aucs.equal_aucs import EqualityTest, equality_test, sign_bound
from rocch.compare.aucs.limits import difference_limits
from rocch.compare.sample import check_several, paired_sample
from rocch.errors import bad_input
from rocch.inputs import as_level
from rocch.roc.conditions import Interval

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rocch.arrays import FloatArray


ALONE = "For one model use auc_interval."


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
        raise bad_input(
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
    >>> found = rocch.compare_aucs(
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
