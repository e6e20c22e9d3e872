"""Several curves of one method (folds, repeated trainings) averaged or pooled into one."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from rocch.arrays import FloatArray, IntArray
from rocch.errors import InputError, ScoreScaleWarning, describe_type
from rocch.inputs import as_choice, as_instance, as_name, as_whole
from rocch.roc.curve import RocCurve
from rocch.roc.operating_point import ClassTotals

# The warning is about gross differences, and may be met by chance with every call.
SIGNIFICANCE = 0.001

# Large samples make any difference significant; smaller gaps between rates do not matter.
GAP = 0.1

# The usual rule for chi-square: on average five rows per cell of the table.
ROWS_PER_CELL, MOST_BINS = 5, 10

KINDS = ("negatives", "positives")

By = Literal["fpr", "threshold"]

MEANINGS = {
    "fpr": "the mean TPR of {} curves, each set to the same FPR by its own threshold",
    "threshold": "the mean FPR and mean TPR of {} curves, all set to the same threshold",
}


def _common_thresholds(curves: Sequence[RocCurve]) -> FloatArray:
    """Return the distinct scores of all curves, falling."""
    found = []
    for curve in curves:
        if curve.thresholds is None:
            raise InputError(
                "curves",
                "be of scoring classifiers, because they are set to common thresholds",
                f"{curve.name!r}, which outputs labels only",
                "Average by='fpr', or leave it out.",
            )
        found.append(curve.thresholds)
    return np.unique(np.concatenate(found))[::-1]


def _points_at(curve: RocCurve, thresholds: FloatArray) -> IntArray:
    """Return the index of the last point at or above each of the falling thresholds.

    (Fawcett's Algorithm 6 as printed goes one point too far.)
    """
    return np.searchsorted(-curve.thresholds, -thresholds, side="right")  # type: ignore[operator]


def _counts_at(curves: Sequence[RocCurve], thresholds: FloatArray) -> IntArray:
    """Return the counts of negatives (0) and positives (1) by curve and threshold."""
    points = [_points_at(curve, thresholds) for curve in curves]
    fp = [curve.false_positives[at] for curve, at in zip(curves, points, strict=True)]
    tp = [curve.true_positives[at] for curve, at in zip(curves, points, strict=True)]
    return np.array((fp, tp))


class _Scatter(NamedTuple):
    """How much the curves differ within one class, and where most."""

    p_value: float
    curve: int
    threshold: float
    share: float
    overall: float

    @property
    def gap(self) -> float:
        return abs(self.share - self.overall)


def warn_of_scales(curves: Sequence[RocCurve]) -> None:
    """Warn where a common threshold alarms on quite different shares of a class.

    If a score means the same in all curves, the scores of either class follow one distribution,
    which chi-square tests as in any table of counts (with Bonferroni's correction for two
    classes). Weighted curves are not tested: weights do not say how much they may err.
    """
    if any(curve.totals.weighted for curve in curves):
        return
    thresholds = _common_thresholds(curves)
    counts = _counts_at(curves, thresholds).astype(float)
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
            f"{100 * worst.share:.0f} % of its {kind}, all curves on "
            f"{100 * worst.overall:.0f} % (p = {worst.p_value:.1e}). Average with by='fpr', "
            "which compares ranks only, or calibrate each model's scores first.",
            ScoreScaleWarning,
            stacklevel=3,
        )


def _scatter(thresholds: FloatArray, at_least: FloatArray) -> _Scatter:
    """Test whether all curves' scores follow one distribution within a class."""
    shares = at_least / at_least[:, -1:]
    overall = at_least.sum(axis=0)
    mean = overall / overall[-1]
    curve, place = divmod(int(np.argmax(np.abs(shares - mean))), mean.size)
    at = float(thresholds[place]), float(shares[curve, place]), float(mean[place])
    return _Scatter(_p_value(at_least, overall), curve, *at)


def _p_value(at_least: FloatArray, overall: FloatArray) -> float:
    """Return the chi-square p-value of a table of curves by bins of about equal counts."""
    from scipy.special import chdtrc

    bins = min(MOST_BINS, max(1, int(overall[-1]) // (ROWS_PER_CELL * len(at_least))))
    cuts = np.searchsorted(overall, overall[-1] * np.arange(1, bins) / bins)
    ends = np.unique(np.append(cuts, overall.size - 1))
    table = np.diff(at_least[:, ends], axis=1, prepend=0)
    table = table[:, table.any(axis=0)]
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    degrees = (table.shape[0] - 1) * (table.shape[1] - 1)
    statistic = float(((table - expected) ** 2 / expected).sum())
    return float(chdtrc(degrees, statistic)) if degrees else 1.0


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AveragedCurve:
    """The mean of several curves at sampled places, and how much they scatter about it.

    It is not the curve of any classifier: see `meaning`. Every curve counts the same, whatever its
    number of rows. Arrays are read-only and have one entry per sampled place.

    Attributes
    ----------
    by
        What was held fixed: "fpr" or "threshold".
    curves
        The names of the curves.
    fpr, tpr
        The means.
    fpr_deviation, tpr_deviation
        Standard deviations over the curves; that of FPR is 0 where FPR was held fixed.
    thresholds
        By threshold: `thresholds[i]` belongs to place i + 1, since place 0 is *never*. None by
        FPR, where each curve has its own.
    """

    by: By
    curves: tuple[str, ...]
    fpr: FloatArray
    tpr: FloatArray
    fpr_deviation: FloatArray
    tpr_deviation: FloatArray
    thresholds: FloatArray | None = None

    def __post_init__(self) -> None:
        arrays = (self.fpr, self.tpr, self.fpr_deviation, self.tpr_deviation, self.thresholds)
        for array in arrays:
            if array is not None:
                array.flags.writeable = False

    def __len__(self) -> int:
        return self.fpr.size

    def __repr__(self) -> str:
        return f"<AveragedCurve: {self.meaning}, at {len(self)} places>"

    @property
    def meaning(self) -> str:
        """What was averaged, in one sentence."""
        return MEANINGS[self.by].format(len(self.curves))

    @property
    def fpr_error(self) -> FloatArray:
        """The standard error of the mean FPR, if the curves are independent.

        Folds share most of their training rows, so for them it is too small.
        """
        return self.fpr_deviation / math.sqrt(len(self.curves))

    @property
    def tpr_error(self) -> FloatArray:
        """The standard error of the mean TPR, if the curves are independent (see `fpr_error`)."""
        return self.tpr_deviation / math.sqrt(len(self.curves))


def average_curves(
    curves: Iterable[RocCurve], *, by: By = "fpr", samples: int = 101
) -> AveragedCurve:
    """Average the curves of one method over folds or repeated trainings.

    Fawcett's Algorithms 5 (by FPR) and 6 (by threshold), with the misprints of 6 corrected: its
    step is 0 where there are more samples than scores, and it misses the last point.

    Parameters
    ----------
    curves
        At least two, of the same rows or of different ones.
    by
        "fpr": the mean of the highest TPRs at the same FPR (vertical averaging).
        "threshold": the mean of both rates at the same threshold. A score must mean the same in all
        curves; where it evidently does not, `ScoreScaleWarning` is given.
    samples
        How many FPRs (evenly spaced from 0 to 1) or thresholds (at even ranks among all scores) to
        sample; where there are fewer thresholds, all are taken. The point *never* is added.

    Examples
    --------
    >>> import rocch
    >>> folds = [
    ...     rocch.RocCurve.from_scores([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], name="fold 1"),
    ...     rocch.RocCurve.from_scores([0, 0, 1, 1], [0.2, 0.3, 0.7, 0.6], name="fold 2"),
    ... ]
    >>> mean = rocch.roc.average_curves(folds, samples=3)
    >>> mean.fpr, mean.tpr, mean.meaning
    (array([0. , 0.5, 1. ]), array([0.75, 1.  , 1.  ]), 'the mean TPR of 2 curves, ...')
    """
    several = _as_curves(curves)
    places = as_whole(samples, "samples", least=2, hint="Both ends are sampled.")
    kind: Any = as_choice(by, get_args(By), "by")
    average = _by_fpr if kind == "fpr" else _by_threshold
    fpr, tpr, thresholds = average(several, places)
    if thresholds is not None:
        warn_of_scales(several)
    (mean_fpr, fpr_deviation), (mean_tpr, tpr_deviation) = map(_mean_and_deviation, (fpr, tpr))
    names = tuple(curve.name for curve in several)
    return AveragedCurve(kind, names, mean_fpr, mean_tpr, fpr_deviation, tpr_deviation, thresholds)


def _as_curves(curves: Any) -> list[RocCurve]:
    """Return at least two curves as a list."""
    if isinstance(curves, RocCurve) or not hasattr(curves, "__iter__"):
        raise InputError(
            "curves", "be several curves", describe_type(curves), "Pass a list of them."
        )
    hint = "Use RocCurve.from_scores."
    several = [
        as_instance(curve, RocCurve, f"curves[{place}]", hint=hint)
        for place, curve in enumerate(curves)
    ]
    if len(several) < 2:
        raise InputError(
            "curves", "be at least two", len(several), "A single curve is its own average."
        )
    return several


def _mean_and_deviation(rates: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return both over the curves, relative to the first, so that equal rates deviate by 0."""
    beyond = rates - rates[0]
    return rates[0] + beyond.mean(axis=0), beyond.std(axis=0, ddof=1)


def _by_fpr(curves: Sequence[RocCurve], samples: int) -> tuple[FloatArray, FloatArray, None]:
    """Return rates of every curve at the same FPRs (Algorithm 5)."""
    # divided, not stepped: so a rate of 1/3 is the very double that a curve's own 1/3 is
    wanted = np.arange(samples) / (samples - 1)
    tpr = np.array([[curve.tpr_at(float(rate)) for rate in wanted] for curve in curves])
    return np.tile(wanted, (len(curves), 1)), tpr, None


def _by_threshold(
    curves: Sequence[RocCurve], samples: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return rates of every curve at the same thresholds, *never* first (Algorithm 6)."""
    thresholds = _common_thresholds(curves)
    ranks = np.unique(np.rint(np.linspace(0, thresholds.size - 1, samples)).astype(int))
    sampled = thresholds[ranks]
    places = [np.insert(_points_at(curve, sampled), 0, 0) for curve in curves]
    fpr = np.array([curve.fpr[at] for curve, at in zip(curves, places, strict=True)])
    tpr = np.array([curve.tpr[at] for curve, at in zip(curves, places, strict=True)])
    return fpr, tpr, sampled


def pool_curves(curves: Iterable[RocCurve], *, name: str = "pooled") -> RocCurve:
    """Add the counts of several curves at every threshold.

    The result is exactly the curve of all rows together; larger folds count more. A score must mean
    the same in all curves; where it evidently does not, `ScoreScaleWarning` is given.

    Parameters
    ----------
    curves
        At least two, of scoring classifiers, counted from plain rows.
    name
        The name of the result.

    Returns
    -------
    RocCurve
        Its rows have no fingerprint.

    Examples
    --------
    >>> import rocch
    >>> folds = [
    ...     rocch.RocCurve.from_scores([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]),
    ...     rocch.RocCurve.from_scores([0, 1, 1], [0.3, 0.7, 0.6]),
    ... ]
    >>> rocch.roc.pool_curves(folds, name="nb")
    <RocCurve 'nb': 8 points, 4 positives, 3 negatives>
    """
    several = _as_curves(curves)
    for curve in several:
        if curve.totals.weighted:
            raise InputError(
                "curves",
                "be counted from plain rows, so that counts can be added",
                f"{curve.name!r}, from weighted rows",
                "Leave sample_weight out, or average by='fpr'.",
            )
    thresholds = _common_thresholds(several)
    warn_of_scales(several)
    fp, tp = np.insert(_counts_at(several, thresholds).sum(axis=1), 0, 0, axis=1)
    return RocCurve(as_name(name), ClassTotals(int(fp[-1]), int(tp[-1])), fp, tp, thresholds)
