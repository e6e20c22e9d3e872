"""Sensitivity: how much the choice depends on what is not known about the conditions.

Provost and Fawcett, section 2.2.6: a range of slopes picks a stretch of the hull. If that is one
point, or one classifier's small range of thresholds, the choice does not depend on what is
unknown. An earlier text of the paper adds (Figure 8c) when doing nothing is best, and how far each
classifier is from beating it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rocch.arrays import FloatArray
from rocch.roc.conditions import Conditions, as_conditions
from rocch.roc.criteria import MinimaxRegret, without_noise
from rocch.roc.hull import Member, RocHull
from rocch.roc.operating_point import ALWAYS, NEVER, OperatingPoint, RocPoint


@dataclass(frozen=True, slots=True)
class Choice:
    """A vertex that is best for part of the range, and what choosing it can cost at worst.

    `worst_regret` is, in the unit of the costs and per case, the most that it can cost more than
    the best choice for the conditions that turn out to hold.
    """

    point: RocPoint
    low: float
    high: float
    worst_regret: float


@dataclass(frozen=True, slots=True)
class Shortfall:
    """How much a classifier must improve to beat a trivial one at a given slope.

    Measured where it comes closest: against *never* at its point with the highest TPR / FPR,
    against *always* at its point with the lowest (1 - TPR) / (1 - FPR). `tpr_gain` is the rise in
    TPR needed there (None where even a TPR of 1 would not do), `fpr_cut` the fall in FPR that would
    do as well (None where even an FPR of 0 would not).
    """

    classifier: str
    rival: str
    slope: float
    fpr: float
    tpr: float
    tpr_gain: float | None
    fpr_cut: float | None


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """What vague conditions leave open.

    Attributes
    ----------
    conditions
        The conditions asked about.
    slope_range
        The slopes that they allow.
    choices
        Every vertex that is best for part of that range, from the lowest slopes to the highest,
        with its own part of the range and its worst regret.
    switches
        The slopes within the range at which the best vertex changes.
    minimax
        The operating point whose worst regret (its `value`) is the least; not always one that is
        best somewhere, for a point between two extremes may be the safest.
    never_range, always_range
        The part of the range in which never (or always) alarming is best; None if there is none.
    shortfalls
        For those parts, how much each classifier would have to improve to beat that.
    """

    conditions: Conditions
    slope_range: tuple[float, float]
    choices: tuple[Choice, ...]
    switches: tuple[float, ...]
    minimax: OperatingPoint
    never_range: tuple[float, float] | None
    always_range: tuple[float, float] | None
    shortfalls: tuple[Shortfall, ...]

    @property
    def insensitive(self) -> bool:
        """Whether one point is best throughout."""
        return len(self.choices) == 1

    @property
    def classifiers(self) -> tuple[str, ...]:
        """The classifiers that can be best, each credited as on the hull, sorted by name."""
        return tuple(sorted({choice.point.classifier for choice in self.choices}))

    @property
    def same_classifier(self) -> str | None:
        """The one classifier that is best throughout (its threshold may move), if there is one."""
        shared = set.intersection(*(set(choice.point.classifiers) for choice in self.choices))
        return min(shared) if shared else None

    def __str__(self) -> str:
        low, high = self.slope_range
        if self.insensitive:
            return f"One choice is best throughout: {self.choices[0].point.rule()}."
        if self.same_classifier is not None:
            return (
                f"{self.same_classifier} is best throughout; only its threshold moves "
                f"({len(self.choices)} settings between slopes {low:.4g} and {high:.4g})."
            )
        among = any(choice.point.tpr == self.minimax.tpr for choice in self.choices)
        between = "" if among else " (a point between those that can be best)"
        return (
            f"The choice depends on what is unknown: {', '.join(self.classifiers)} can each be "
            f"best. The safest is to {self.minimax.rule()}{between}: it costs at most "
            f"{self.minimax.value:.4g} more per case than the best choice."
        )


def analyze(hull: RocHull, conditions: Conditions) -> Sensitivity:
    """See `RocHull.sensitivity`."""
    conditions = as_conditions(conditions).resolved(hull.totals)
    low, high = conditions.slope_range
    edges = [math.inf, *hull.slopes.tolist(), 0.0]
    indices = best_for_a_stretch(hull, edges, low, high)
    regrets = _worst_regrets(hull, conditions)
    choices = tuple(
        Choice(
            hull.vertices[i],
            max(low, min(edges[i + 1], high)),
            min(high, max(edges[i], low)),
            float(regrets[i]),
        )
        for i in reversed(indices)
    )
    never = _overlap((edges[1], math.inf), (low, high)) if 0 in indices else None
    always = _overlap((0.0, edges[-2]), (low, high)) if len(hull) - 1 in indices else None
    return Sensitivity(
        conditions,
        (low, high),
        choices,
        tuple(sorted(s for s in hull.slopes.tolist() if low < s < high)),
        hull.best(MinimaxRegret(conditions)),
        never,
        always,
        tuple(_shortfalls(hull, never, always)),
    )


def best_for_a_stretch(hull: RocHull, edges: list[float], low: float, high: float) -> list[int]:
    """Return the vertices that are best for more than a single slope of a range.

    One that is best only at an end of the range is matched there by its neighbor. Where the range
    is a single slope, all that are best at it count.
    """
    indices = list(hull.best_between(low, high))
    wide = [i for i in indices if max(low, edges[i + 1]) < min(high, edges[i])]
    return wide or indices


def _worst_regrets(hull: RocHull, conditions: Conditions) -> FloatArray:
    """Return each vertex's greatest regret; it is reached at a corner of the box."""
    costs = [case.cost(hull.fpr, hull.tpr) for case in conditions.corners()]
    regrets = [without_noise(cost, float(cost.min())) for cost in costs]
    return np.asarray(np.max(regrets, axis=0))


def _overlap(one: tuple[float, float], other: tuple[float, float]) -> tuple[float, float] | None:
    low, high = max(one[0], other[0]), min(one[1], other[1])
    return (low, high) if low <= high else None


def _shortfalls(
    hull: RocHull, never: tuple[float, float] | None, always: tuple[float, float] | None
) -> list[Shortfall]:
    """Measure every classifier at both ends of the range in which a trivial one is best."""
    rows = []
    for rival, span in ((NEVER, never), (ALWAYS, always)):
        slopes = sorted({slope for slope in span or () if 0 < slope < math.inf})
        for member in hull.members:
            closest = _closest(hull, member, rival)
            if closest is not None:
                rows += [_shortfall(member.name, rival, slope, *closest) for slope in slopes]
    return rows


def _closest(hull: RocHull, member: Member, rival: str) -> tuple[float, float] | None:
    """Return the point at which a classifier comes closest to beating a trivial one.

    On the classifier's own hull that is the vertex next to the end. One that never beats chance
    has no such vertex; its curve is then looked at, if it is at hand.
    """
    fpr, tpr = hull.totals.rates(member.false_positives, member.true_positives)
    if not fpr.size:
        curve = member.curve()
        if curve is None or len(curve) < 3:
            return None
        fpr, tpr = curve.fpr[1:-1], curve.tpr[1:-1]
    good, bad = (tpr, fpr) if rival == NEVER else (1 - fpr, 1 - tpr)
    with np.errstate(divide="ignore", invalid="ignore"):
        place = int(np.argmax(np.where(bad > 0, good / bad, np.where(good > 0, np.inf, 0.0))))
    return float(fpr[place]), float(tpr[place])


def _shortfall(name: str, rival: str, slope: float, fpr: float, tpr: float) -> Shortfall:
    line = slope * fpr if rival == NEVER else 1 - slope * (1 - fpr)
    gap = max(line - tpr, 0.0)
    cut = gap / slope
    return Shortfall(
        name,
        rival,
        slope,
        fpr,
        tpr,
        gap if gap <= 1 - tpr else None,
        cut if cut <= fpr else None,
    )
