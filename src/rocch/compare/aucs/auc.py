"""One model's AUC, and how well the rows determine it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rocch.compare.aucs.delong import AucMoments, auc_moments
from rocch.compare.aucs.limits import auc_limits
from rocch.compare.sample import Sample
from rocch.inputs import as_array, as_level, as_scores

if TYPE_CHECKING:
    from rocch.roc.conditions import Interval


@dataclass(frozen=True, slots=True)
class AucValue:
    """An AUC, and how well the rows determine it, where they say something about that.

    Attributes
    ----------
    value
        The AUC: the chance that a positive outranks a negative, ties half.
    standard_error, interval
        As for `AucEstimate`; both None where a class has a single row, or lies in a single group,
        because its rows' variance is undefined then.
    confidence, rows, positives, groups
        As for `AucEstimate`.
    """

    value: float
    standard_error: float | None
    interval: Interval | None
    confidence: float
    rows: int
    positives: int | None
    groups: int | None = None

    def __str__(self) -> str:
        if self.interval is None:
            single = "row" if self.groups is None else "group"
            return f"AUC {self.value:.4f} (no interval: a class has a single {single})"
        low, high = self.interval
        return (
            f"AUC {self.value:.4f} ({100 * self.confidence:g} % interval {low:.4f} to {high:.4f})"
        )


@dataclass(frozen=True, slots=True)
class AucEstimate(AucValue):
    """The AUC of a model as one sample of rows shows it.

    It speaks of this model on other rows of the same kind. How much a new training would change
    the model is another matter: see `rocch.variation`.

    Attributes
    ----------
    value
        The AUC: the chance that a positive outranks a negative, ties half.
    standard_error
        DeLong's, or Obuchowski's with groups. It is 0 where no row differs from its class in how
        many of the other class it outranks, as at AUC 1; the interval then still has a width.
    interval
        Every AUC that the rows do not contradict; always within [0, 1].
    confidence
        As asked for.
    rows, positives
        How many rows were judged, and how many of them were positive (None for an AUC of more than
        two classes).
    groups
        How many groups the rows came in, or None for rows on their own.
    """

    standard_error: float
    interval: Interval


def auc_interval(
    y_true: Any,
    y_score: Any,
    *,
    pos_label: Any = None,
    groups: Any = None,
    confidence: float = 0.95,
) -> AucEstimate:
    """Return the AUC with its standard error and an interval that stays within [0, 1].

    Parameters
    ----------
    y_true
        Labels: boolean, 0/1 or -1/1, or anything else with `pos_label`.
    y_score
        Scores, higher for the positive class, one per row.
    pos_label
        The positive class.
    groups
        A name for each row's group (a patient, a document), where rows of one group resemble each
        other. Without it, rows count as independent.
    confidence
        How often such intervals hold the true AUC.

    Returns
    -------
    AucEstimate

    Raises
    ------
    InputError
        If labels, scores, groups or confidence cannot be used.
    UndefinedError
        If a class has a single row, or lies in a single group.

    Examples
    --------
    >>> import rocch
    >>> print(rocch.auc_interval([0, 0, 0, 1, 1, 1], [1, 2, 4, 3, 5, 6]))
    AUC 0.8889 (95 % interval 0.3973 to 0.9885)

    A perfect ranking of few rows is no proof of a perfect model:

    >>> print(rocch.auc_interval([0, 0, 0, 1, 1, 1], [1, 2, 3, 4, 5, 6]))
    AUC 1.0000 (95 % interval 0.5010 to 1.0000)
    """
    level = as_level(confidence)
    scores = as_scores(y_score, as_array(y_true, "y_true").size)
    sample = Sample.of(y_true, {"scores": scores}, pos_label=pos_label, groups=groups)
    return estimates(auc_moments(sample), sample, level)[0]


def estimates(moments: AucMoments, sample: Sample, confidence: float) -> list[AucEstimate]:
    """Return every model's estimate."""
    found = []
    for index, auc in enumerate(moments.aucs):
        variance = float(moments.covariance[index][index])
        limits = auc_limits(float(auc), variance, moments.units, confidence=confidence)
        found.append(
            AucEstimate(
                float(auc),
                math.sqrt(variance),
                limits,
                confidence,
                len(sample),
                int(sample.positive.sum()),
                None if sample.groups is None else int(sample.groups.max()) + 1,
            )
        )
    return found
