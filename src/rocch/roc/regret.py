"""Regret: what a choice loses against the best one for the conditions that turn out to hold.

It is measured in a fixed unit of cost. The worst over what is possible, or the mean over what is
believed, can be made small.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from rocch.roc.belief import Belief, as_belief
from rocch.roc.conditions import Conditions, as_conditions
from rocch.roc.limits import LinearLimit, allowed_corners
from rocch.roc.objective import Objective, without_noise

if TYPE_CHECKING:
    from rocch.arrays import FloatArray
    from rocch.roc.hull import RocHull

SAME_POINT = 1e-12
"""Points of a path count as one where FPR + TPR differ by no more."""


@dataclass(frozen=True, slots=True)
class MinimaxRegret:
    """The least worst-case regret over interval conditions, or over what a belief holds possible.

    Regret is what a choice costs more, per case, than the best choice for the conditions that turn
    out to hold, in the unit in which the costs are stated. Under limits (`Constrained`), the best
    choice is the best that keeps them: a point of the hull where a coin may be tossed, else the
    best single point of any curve.
    """

    conditions: Conditions | Belief
    limits: tuple[LinearLimit, ...] = field(default=(), init=False)

    def __post_init__(self) -> None:
        if not isinstance(self.conditions, Belief):
            as_conditions(self.conditions)

    def objective(
        self,
        hull: RocHull,
        limits: tuple[LinearLimit, ...] = (),
        *,
        among: tuple[FloatArray, FloatArray] | None = None,
    ) -> Objective:
        """Return the worst regret over the box of conditions, to be made small.

        It is against the best of the hull that keeps the limits, or of the points in `among`.
        """
        conditions = self.conditions.resolved(hull.judged)
        hull.best_between(*conditions.slope_range)  # refuses what a restricted hull cannot answer
        corners = list(conditions.corners())
        allowed = among or allowed_corners(hull.fpr, hull.tpr, limits)
        least = [float(np.min(case.cost(*allowed), initial=np.inf)) for case in corners]

        def worst(fpr: FloatArray, tpr: FloatArray) -> FloatArray:
            regret = np.full(np.shape(fpr), -np.inf)
            for case, best in zip(corners, least, strict=True):
                regret = np.maximum(regret, without_noise(case.cost(fpr, tpr), best))
            return -regret

        return Objective("least worst regret", worst, sign=-1.0, best_at_corners=False)


@dataclass(frozen=True, slots=True)
class LeastExpectedRegret:
    """The least regret to be expected under a belief about costs and prevalence.

    Costs are linear in their weights, so the same choice has the least expected cost. It can differ
    from the choice for the belief's mean. The belief needs a unit of cost and a prevalence, which
    may be the word "observed".

    Examples
    --------
    >>> import rocch
    >>> hull = rocch.RocHull.from_scores([0, 0, 1, 1], {"nb": [0.1, 0.4, 0.35, 0.8]})
    >>> expert = rocch.Belief.miss_costs(1, 10, likely=2).with_unit(false_positive=1)
    >>> answer = hull.best(rocch.LeastExpectedRegret(expert.with_prevalence("observed")))
    >>> round(answer.value, 3), round(answer.expected_cost, 3)
    (0.0, 0.25)
    """

    belief: Belief
    limits: tuple[LinearLimit, ...] = field(default=(), init=False)

    def __post_init__(self) -> None:
        as_belief(self.belief)

    def objective(
        self,
        hull: RocHull,
        limits: tuple[LinearLimit, ...] = (),
        *,
        among: tuple[FloatArray, FloatArray] | None = None,
    ) -> Objective:
        """Return the expected regret, to be made small; against whom, see `MinimaxRegret`."""
        belief = self.belief.resolved(hull.judged)
        hull.best_between(*belief.slope_range)  # refuses what a restricted hull cannot answer
        case = belief.expected_case
        allowed = among or allowed_corners(hull.fpr, hull.tpr, limits)
        least = least_expected_cost(*allowed, belief)

        def regret(fpr: FloatArray, tpr: FloatArray) -> FloatArray:
            return np.asarray(-np.maximum(case.cost(fpr, tpr) - least, 0.0))

        return Objective(
            "least expected regret",
            regret,
            sign=-1.0,
            case=case,
            slope=case.slope,
            prevalence=case.prevalence,
        )


def least_expected_cost(fpr: FloatArray, tpr: FloatArray, belief: Belief) -> float:
    """Return the expected cost of choosing among points once the conditions are known.

    The points must be those of a concave path, as a hull's are, in any order. Points that are one
    but for rounding count once: the slope between them means nothing.
    """
    order = np.lexsort((tpr, fpr))
    steps = np.diff(fpr[order] + tpr[order])
    apart = order[np.concatenate(([True], steps > SAME_POINT))]
    fpr, tpr = fpr[apart], tpr[apart]
    runs, rises = np.diff(fpr), np.diff(tpr)
    breaks = np.maximum.accumulate(runs / (runs + rises))
    edges = np.concatenate(([0.0], breaks, [1.0]))
    weights = belief.stretches(edges, costs=True)
    return float(weights.alarm @ fpr + weights.miss @ (1 - tpr))
