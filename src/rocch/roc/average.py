"""Averages and pools of several curves of one method (folds, repeated trainings)."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from rocch.arrays import FloatArray, IntArray
from rocch.errors import Hint, InputError, ScoreScaleWarning, describe_type
from rocch.inputs import as_choice, as_instance, as_name, as_whole
from rocch.results import Table, Tabular
from rocch.roc.curve import RocCurve
from rocch.roc.operating_point import ClassTotals
from rocch.svg import Line, draw_lines

# Strict, because every call may warn by chance.
SIGNIFICANCE = 0.001

# Smaller gaps between rates do not matter, however significant in large samples.
GAP = 0.1

# The usual rule for chi-square: five rows per cell on average.
ROWS_PER_CELL, MOST_BINS = 5, 10

KINDS = ("negatives", "positives")

By = Literal["fpr", "threshold"]

MEANINGS = {
    "fpr": "the mean TPR of {} curves, each set to the same FPR by its own threshold",
    "threshold": "the mean FPR and mean TPR of {} curves, all set to the same threshold",
}


def _common_thresholds(curves: Sequence[RocCurve]) -> FloatArray:
    found = []
    for curve in curves:
        if curve.lowest_scores is None:
            raise InputError(
                "curves",
                "be of scoring classifiers, because they are set to common thresholds",
                f"{curve.name!r}, which outputs labels only",
                Hint("Average by='fpr', or leave it out."),
            )
        found.append(curve.lowest_scores)
    return np.unique(np.concatenate(found))[::-1]


def _counts_at(curves: Sequence[RocCurve], thresholds: FloatArray) -> IntArray:
    """Return counts by class, curve and threshold."""
    places = [(curve, curve.index_at(thresholds)) for curve in curves]
    fp = [curve.false_positives[at] for curve, at in places]
    tp = [curve.true_positives[at] for curve, at in places]
    return np.array((fp, tp))


def warn_of_scales(curves: Sequence[RocCurve]) -> None:
    """Warn if a common threshold alarms on quite different shares of a class."""
    difference = describe_scales(curves)
    if difference is not None:
        warnings.warn(
            f"scores do not mean the same in all {len(curves)} curves: {difference}. Average with "
            "by='fpr', which compares ranks only, or calibrate each model's scores first.",
            ScoreScaleWarning,
            stacklevel=3,
        )


def describe_scales(curves: Sequence[RocCurve]) -> str | None:
    """Return how a common threshold alarms on quite different shares of a class, if it does.

    Chi-square tests, with Bonferroni's correction, whether the scores of each class follow one
    distribution. Weighted curves are not tested.
    """
    if any(curve.totals.weighted for curve in curves):
        return None
    thresholds = _common_thresholds(curves)
    counts = _counts_at(curves, thresholds).astype(float)
    evident = []
    for kind, at_least in zip(KINDS, counts, strict=True):
        overall = at_least.sum(axis=0)
        shares, mean = at_least / at_least[:, -1:], overall / overall[-1]
        gaps = np.abs(shares - mean)
        curve, place = divmod(int(np.argmax(gaps)), mean.size)
        p_value = _p_value(at_least, overall)
        if p_value < SIGNIFICANCE / len(KINDS) and gaps[curve, place] >= GAP:
            difference = (
                f"at threshold {thresholds[place]:.6g}, {curves[curve].name!r} alarms on "
                f"{100 * shares[curve, place]:.0f}% of its {kind}, all curves on "
                f"{100 * mean[place]:.0f}% (p = {p_value:.1e})"
            )
            evident.append((float(gaps[curve, place]), difference))
    return max(evident, key=lambda pair: pair[0])[1] if evident else None


def _p_value(at_least: FloatArray, overall: FloatArray) -> float:
    """Return the chi-square p-value of curves by bins."""
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
class AveragedCurve(Tabular):
    """The mean of several curves, each with the same weight, and their scatter.

    It is not the curve of any classifier: see `meaning`.

    Attributes
    ----------
    by
        What was held fixed: "fpr" or "threshold".
    fpr, tpr
        The means at the sampled places.
    fpr_deviation, tpr_deviation
        Standard deviations over the curves.
    thresholds
        By threshold: `thresholds[i]` belongs to place i + 1, as place 0 is *never*.
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

    def _columns(self) -> Table:
        columns: dict[str, Any] = {} if self.thresholds is None else {"threshold": self._thresholds}
        columns |= {"fpr": self.fpr, "tpr": self.tpr, "fpr_deviation": self.fpr_deviation}
        return {**columns, "tpr_deviation": self.tpr_deviation}

    @property
    def _thresholds(self) -> list[float | None]:
        return [None, *(() if self.thresholds is None else self.thresholds.tolist())]

    def _picture(self) -> str:
        high, low = self.tpr + self.tpr_deviation, self.tpr - self.tpr_deviation
        lines = [Line("mean", self.fpr, self.tpr)]
        for name, tpr in (("mean + deviation", high), ("mean - deviation", low)):
            lines.append(Line(name, self.fpr, np.clip(tpr, 0, 1), dashed=True))
        return draw_lines(lines, "FPR", "TPR", whole=True, diagonal=True)

    @property
    def meaning(self) -> str:
        """What was averaged, in one sentence."""
        return MEANINGS[self.by].format(len(self.curves))

    @property
    def fpr_error(self) -> FloatArray:
        """The standard error of the mean FPR for independent curves.

        For folds, which share training rows, it is too small.
        """
        return self.fpr_deviation / math.sqrt(len(self.curves))

    @property
    def tpr_error(self) -> FloatArray:
        """The standard error of the mean TPR (see `fpr_error`)."""
        return self.tpr_deviation / math.sqrt(len(self.curves))


def average_curves(
    curves: Iterable[RocCurve], *, by: By = "fpr", samples: int = 101
) -> AveragedCurve:
    """Average the curves of one method over folds or repeated trainings.

    Fawcett's Algorithms 5 and 6, with the misprints of 6 corrected: its step is 0 where there are
    more samples than scores, and it misses the last point.

    Parameters
    ----------
    curves
        At least two, of the same or of different rows.
    by
        "fpr": mean TPR at the same FPR (vertical averaging). "threshold": both means at the same
        threshold; `ScoreScaleWarning` if scores evidently differ in meaning.
    samples
        The number of FPRs, evenly spaced, or of thresholds, at even ranks.

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
    as_choice(by, get_args(By), "by")
    average = _by_fpr if by == "fpr" else _by_threshold
    fpr, tpr, thresholds = average(several, places)
    if thresholds is not None:
        warn_of_scales(several)
    (mean_fpr, fpr_deviation), (mean_tpr, tpr_deviation) = map(_mean_and_deviation, (fpr, tpr))
    names = tuple(curve.name for curve in several)
    return AveragedCurve(by, names, mean_fpr, mean_tpr, fpr_deviation, tpr_deviation, thresholds)


def _as_curves(curves: Iterable[RocCurve]) -> list[RocCurve]:
    if isinstance(curves, RocCurve) or not hasattr(curves, "__iter__"):
        raise InputError(
            "curves", "be several curves", describe_type(curves), "Pass a list of them."
        )
    hint = Hint("Use RocCurve.from_scores.")
    several = [
        as_instance(curve, RocCurve, f"curves[{place}]", hint=hint)
        for place, curve in enumerate(curves)
    ]
    if len(several) < 2:
        raise InputError("curves", "be at least two", len(several))
    return several


def _mean_and_deviation(rates: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return both over the curves; equal rates deviate by exactly 0."""
    beyond = rates - rates[0]
    return rates[0] + beyond.mean(axis=0), beyond.std(axis=0, ddof=1)


def _by_fpr(curves: Sequence[RocCurve], samples: int) -> tuple[FloatArray, FloatArray, None]:
    """Return rates at the same FPRs (Algorithm 5)."""
    # divided, not stepped, so that 1/3 is the same double as a curve's own 1/3
    wanted = np.arange(samples) / (samples - 1)
    tpr = np.array([[curve.tpr_at(float(rate)) for rate in wanted] for curve in curves])
    return np.tile(wanted, (len(curves), 1)), tpr, None


def _by_threshold(
    curves: Sequence[RocCurve], samples: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return rates at the same thresholds (Algorithm 6)."""
    thresholds = _common_thresholds(curves)
    ranks = np.unique(np.rint(np.linspace(0, thresholds.size - 1, samples)).astype(int))
    sampled = thresholds[ranks]
    # the last point at or above each threshold; Fawcett prints one too far
    places = [(curve, np.insert(curve.index_at(sampled), 0, 0)) for curve in curves]
    fpr = np.array([curve.fpr[at] for curve, at in places])
    tpr = np.array([curve.tpr[at] for curve, at in places])
    return fpr, tpr, sampled


def pool_curves(curves: Iterable[RocCurve], *, name: str = "pooled") -> RocCurve:
    """Add the counts of several curves at every threshold.

    The result is exactly the curve of all rows together. The curves are of scoring classifiers,
    without weights; `ScoreScaleWarning` is given if scores evidently differ in meaning.

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
                Hint("Leave sample_weight out, or average by='fpr'."),
            )
    thresholds = _common_thresholds(several)
    warn_of_scales(several)
    fp, tp = np.insert(_counts_at(several, thresholds).sum(axis=1), 0, 0, axis=1)
    return RocCurve(as_name(name), ClassTotals(int(fp[-1]), int(tp[-1])), fp, tp, thresholds)
