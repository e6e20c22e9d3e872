"""Net benefit and decision curves (Vickers and Elkin, 2006).

Someone who would act from a risk of t on holds a needless action to be t / (1 - t) times as bad as
a needed one is good. The net benefit of a classifier at that *threshold probability* is, per case
and in units of a needed action,

    p TPR - (1 - p) FPR t / (1 - t).

It is p minus the expected cost at c_fn = 1 and c_fp = t / (1 - t), so the hull holds the highest
net benefit at every t, reached at the slope t / (1 - t) x (1 - p) / p.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.errors import bad_input, kind_of
from rocch.inputs import as_array, as_scores
from rocch.roc.curve import RocCurve
from rocch.roc.hull import RocHull
from rocch.roc.path import RocPath, stated_prevalence
from rocch.roc.point import ALWAYS

if TYPE_CHECKING:
    from rocch.arrays import FloatArray

STEPS = 500
"""A grid of threshold probabilities has so many steps, and every place where the best changes."""

LAST = 0.99
"""Threshold probabilities end here at the latest; at 1 nothing is worth acting on."""


@dataclass(frozen=True, slots=True, eq=False)
class DecisionCurve:
    """The net benefit of one way to decide, at many threshold probabilities.

    Attributes
    ----------
    name
        The classifier's name, or "hull", or "always".
    prevalence
        The share of positives at which it is meant.
    thresholds, net_benefit
        Threshold probabilities, and the net benefit at each, read-only.

    Examples
    --------
    >>> import rocch
    >>> y = [0, 0, 0, 1, 1]
    >>> curve = rocch.RocCurve.from_scores(y, [0.1, 0.2, 0.6, 0.4, 0.9], name="nb")
    >>> rocch.DecisionCurve.calibrated(curve, thresholds=[0.3, 0.7]).net_benefit
    array([0.31428571, 0.2       ])
    >>> rocch.DecisionCurve.best(curve, thresholds=[0.1, 0.7]).net_benefit
    array([0.37777778, 0.2       ])
    >>> rocch.DecisionCurve.always(curve, thresholds=[0.3, 0.5]).net_benefit
    array([ 0.14285714, -0.2       ])
    """

    name: str
    prevalence: float
    thresholds: FloatArray
    net_benefit: FloatArray

    def __post_init__(self) -> None:
        self.thresholds.flags.writeable = self.net_benefit.flags.writeable = False

    @classmethod
    def calibrated(
        cls, curve: RocCurve, *, thresholds: Any, prevalence: float | str = "observed"
    ) -> DecisionCurve:
        """Take the scores for probabilities: at threshold probability t, rows scoring >= t alarm.

        The probabilities are used as they come, so they should be calibrated at the prevalence
        that is stated.
        """
        if not has_probabilities(curve):
            raise bad_input(
                "curve",
                "have scores within [0, 1] to be read as probabilities",
                f"{curve.name!r} with others, or with labels only",
                "Use DecisionCurve.best, which needs no probabilities.",
            )
        grid, share = as_thresholds(thresholds), stated_prevalence(prevalence, curve.judged)
        falling = -np.asarray(curve.thresholds)
        place = np.searchsorted(falling, -grid, side="right")
        return cls(
            curve.name, share, grid, _benefit(curve.fpr[place], curve.tpr[place], grid, share)
        )

    @classmethod
    def best(
        cls, part: RocCurve | RocHull, *, thresholds: Any, prevalence: float | str = "observed"
    ) -> DecisionCurve:
        """Set the classifier (or the hull) to its best point at each threshold probability.

        Never and always alarming are on every hull, so it is never below either.
        """
        path = RocPath.of(part)
        hull = part if isinstance(part, RocHull) else RocHull.of(part)
        grid, share = as_thresholds(thresholds), stated_prevalence(prevalence, path.judged)
        place = hull.best_each(grid / (1 - grid) * ((1 - share) / share))
        return cls(path.name, share, grid, _benefit(hull.fpr[place], hull.tpr[place], grid, share))

    @classmethod
    def always(
        cls, part: RocCurve | RocHull, *, thresholds: Any, prevalence: float | str = "observed"
    ) -> DecisionCurve:
        """Alarm on everyone ("treat all"). Alarming on nobody has a net benefit of 0."""
        path = RocPath.of(part)
        grid, share = as_thresholds(thresholds), stated_prevalence(prevalence, path.judged)
        return cls(ALWAYS, share, grid, _benefit(np.ones(1), np.ones(1), grid, share))


def has_probabilities(curve: RocCurve) -> bool:
    """Say whether a classifier's scores can be read as probabilities: all within [0, 1]."""
    if not isinstance(curve, RocCurve):
        raise bad_input("curve", "be a RocCurve", kind_of(curve), "Build it from scores.")
    thresholds = curve.thresholds
    return thresholds is not None and bool(thresholds[-1] >= 0 and thresholds[0] <= 1)


def useful_thresholds(hull: RocHull, *, prevalence: float | str = "observed") -> FloatArray:
    """Return threshold probabilities from 0 to where never alarming becomes best.

    An even grid, and every place at which the hull's best point changes.
    """
    path = RocPath.of(hull)
    share = stated_prevalence(prevalence, path.judged)
    with np.errstate(divide="ignore"):
        changes = 1 / (1 + (1 - share) / share / hull.slopes)
    last = min(LAST, changes[0])
    return np.unique(np.concatenate((np.linspace(0, last, STEPS + 1), changes[changes < last])))


def as_thresholds(thresholds: Any) -> FloatArray:
    """Return threshold probabilities, from 0 to below 1."""
    rows = as_array(thresholds, "thresholds").size
    grid = as_scores(thresholds, rows, argument="thresholds").copy()
    if grid.min() < 0 or grid.max() >= 1:
        raise bad_input(
            "thresholds",
            "lie within [0, 1)",
            f"{grid.min():g} to {grid.max():g}",
            "At a threshold probability of 1 a needless action is infinitely bad.",
        )
    return grid


def _benefit(fpr: FloatArray, tpr: FloatArray, grid: FloatArray, share: float) -> FloatArray:
    return share * tpr - (1 - share) * fpr * (grid / (1 - grid))
