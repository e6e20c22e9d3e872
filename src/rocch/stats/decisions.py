"""Decisions under belief: chances, expected costs, what knowing is worth, and the H-measure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import numpy as np

from rocch.arrays import FloatArray
from rocch.errors import InputError, UndefinedError, describe_type
from rocch.inputs import as_rate
from rocch.roc.belief import Belief, as_belief
from rocch.roc.belief_axis import IndependentPart, Unit
from rocch.roc.conditions import OBSERVED, Case
from rocch.roc.criteria import LeastExpectedRegret, MinimaxRegret, least_expected_cost
from rocch.roc.curve import RocCurve
from rocch.roc.hull import SAME_SLOPE, Member, RocHull
from rocch.roc.operating_point import OperatingPoint, RocPoint
from rocch.roc.shapes import Atoms, Shape, point

# --------------------------------------------------------------------------------------------------
# The chances of being best: how much of a belief lies where each vertex, or classifier, wins.


class Chance(NamedTuple):
    """The probability of being best, and the part of it in which others are exactly as good."""

    probability: float
    shared: float


@dataclass(frozen=True, eq=False)
class Chances:
    """Masses of a belief along a hull.

    Attributes
    ----------
    alone
        Where each vertex is the only best one.
    ties
        Where each vertex and the next are equally good.
    """

    hull: RocHull
    alone: FloatArray
    ties: FloatArray

    @classmethod
    def of(cls, hull: RocHull, belief: Belief) -> Chances:
        """Measure where each vertex is best.

        Only single conditions can tie, and their slopes count as equal when 12 digits agree.
        """
        room = 0.0 if belief.smooth else SAME_SLOPE
        starts = np.maximum.accumulate(1 / (1 + hull.slopes * (1 + room)))
        stops = np.maximum.accumulate(1 / (1 + hull.slopes * (1 - room)))
        below, upto = belief.cumulative_mass(starts, inclusive=False), belief.cumulative_mass(stops)
        alone = np.append(below, 1.0) - np.insert(upto, 0, 0.0)
        possible = np.isin(np.arange(len(hull)), list(hull.best_between(*belief.slope_range)))
        return cls(
            hull,
            np.where(possible, np.maximum(alone, 0.0), 0.0),  # but for rounding errors
            np.where(possible[:-1] & possible[1:], np.maximum(upto - below, 0.0), 0.0),
        )

    def of_point(self, point: RocPoint) -> Chance:
        """Return a vertex's chance; a point inside the hull has none."""
        place = np.flatnonzero((self.hull.fpr == point.fpr) & (self.hull.tpr == point.tpr))
        if not place.size:
            return Chance(0.0, 0.0)
        shared = float(np.concatenate(([0.0], self.ties, [0.0]))[place[0] : place[0] + 2].sum())
        return Chance(min(1.0, float(self.alone[place[0]]) + shared), shared)

    def of_classifier(self, name: str) -> Chance:
        """Return a classifier's chance; it may share vertices, and the ends, with others."""
        holders = [set(vertex.classifiers) for vertex in self.hull.vertices]
        either = [left | right for left, right in pairwise(holders)]
        masses = np.concatenate((self.alone, self.ties)).tolist()
        zones = zip(masses, holders + either, strict=True)
        held = [(mass, names) for mass, names in zones if name in names]
        shared = sum(mass for mass, names in held if len(names) > 1)
        return Chance(min(1.0, sum(mass for mass, _ in held)), shared)


# --------------------------------------------------------------------------------------------------
# Decisions under belief: what each choice costs in expectation, and what knowing more is worth.
#
# A belief weighs the conditions. What a fixed choice costs is linear in the weights of both errors,
# so the choice with the least expected cost is the vertex at the slope of their expected weights
# (`Belief.expected_case`). It need not be the choice for the belief's mean conditions (Ferri,
# Hernández-Orallo and Flach, 2019). Who may choose once the conditions are known pays the least
# cost under each of them; the difference is what knowing is worth.


@dataclass(frozen=True, slots=True)
class ChoiceAnalysis:
    """An operating point, chosen before the conditions are known.

    Attributes
    ----------
    point
        The point.
    probability
        That it turns out to be best, among all points of the hull.
    shared
        The part of that in which another point is exactly as good.
    expected_cost, expected_regret
        Per case, in the belief's unit; None without one.
    worst_regret
        The most that it can cost more than the best choice, under any conditions that the belief
        holds possible; None without a unit, or where costs can be infinite.
    """

    point: RocPoint
    probability: float
    shared: float
    expected_cost: float | None
    expected_regret: float | None
    worst_regret: float | None


@dataclass(frozen=True, slots=True)
class ClassifierAnalysis:
    """A classifier used alone, its threshold set anew once the conditions are known.

    Attributes
    ----------
    classifier
        Its name.
    probability
        That it turns out to hold the best point; where never or always alarming is best, that is
        credited as on the hull.
    shared
        The part of that in which another classifier is exactly as good.
    expected_cost, expected_regret, worst_regret
        As for a `ChoiceAnalysis`; the regret is against all classifiers together.
    """

    classifier: str
    probability: float
    shared: float
    expected_cost: float | None
    expected_regret: float | None
    worst_regret: float | None


@dataclass(frozen=True)
class DecisionAnalysis:
    """What a belief about costs and class balance makes of the choices that a hull offers.

    Probabilities can always be had; whatever speaks of costs or regret needs a belief with a unit
    and otherwise raises `InputError`.

    Attributes
    ----------
    hull, belief
        What was weighed; an "observed" prevalence is resolved.
    """

    hull: RocHull
    belief: Belief

    @cached_property
    def choices(self) -> tuple[ChoiceAnalysis, ...]:
        """Every point that matters, from the fewest alarms to the most.

        Those are the vertices that can be best, never and always alarming, and the safest point.
        """
        hull = self.hull
        places = {0, *hull.best_between(*self.belief.slope_range), len(hull) - 1}
        points = {(v.fpr, v.tpr): v for v in (hull.vertices[i] for i in sorted(places))}
        if self.belief.has_unit and self.belief.bounded:
            safest = self.minimax_regret.point
            points.setdefault((safest.fpr, safest.tpr), safest)
        return tuple(self.weigh(points[rates]) for rates in sorted(points))

    @cached_property
    def classifiers(self) -> tuple[ClassifierAnalysis, ...]:
        """Every classifier by itself, by name; only a hull that is not restricted knows them."""
        if self.hull.slope_bounds is not None:
            raise InputError(
                "classifiers must be weighed on a hull that knows all their points; this one was "
                "restricted to bounds on conditions. Ask the unrestricted hull."
            )
        members = sorted(self.hull.members, key=lambda member: member.name)
        return tuple(self._weigh_alone(member) for member in members)

    @cached_property
    def least_expected_regret(self) -> OperatingPoint:
        """The fixed choice with the least expected cost, and so the least expected regret."""
        return self.hull.best(LeastExpectedRegret(self.belief))

    @cached_property
    def minimax_regret(self) -> OperatingPoint:
        """The fixed choice whose worst regret over all that is possible is the least."""
        return self.hull.best(MinimaxRegret(self.belief))

    @cached_property
    def at_mean(self) -> ChoiceAnalysis:
        """The choice for the belief's mean conditions, as if they were known."""
        return self.weigh(self._best_for(self.belief.mean))

    @cached_property
    def at_likely(self) -> ChoiceAnalysis | None:
        """The choice for the most likely conditions; None where the belief names none."""
        likely = self.belief.likely
        return None if likely is None else self.weigh(self._best_for(likely))

    @property
    def gain_over_mean(self) -> float:
        """What choosing for the whole belief saves per case against choosing for its mean."""
        best, mean = self.least_expected_regret, self.at_mean.point
        saved = [float(self._expected.cost(at.fpr, at.tpr)) for at in (mean, best)]
        return max(0.0, saved[0] - saved[1])

    @property
    def value_of_knowing(self) -> float:
        """What finding out the conditions before choosing is worth at most, per case."""
        return self.least_expected_regret.value

    @property
    def value_of_knowing_costs(self) -> float:
        """What finding out the cost ratio alone is worth at most, per case."""
        mean = point(self.belief.mean.prevalence)  # costs are linear in the prevalence
        parts = [(w, replace(part, prevalence=mean)) for w, part in self._independent]
        return self._worth(Belief(parts=tuple(parts), unit=self.belief.require_unit()))

    @property
    def value_of_knowing_prevalence(self) -> float:
        """What finding out the prevalence alone is worth at most, per case."""
        case = self.belief.expected_case
        both = case.false_positive + case.false_negative
        share = point(case.false_negative / both)
        parts = [(w, replace(part, share=share)) for w, part in self._independent]
        return self._worth(Belief(parts=tuple(parts), unit=Unit("sum_of_costs", both)))

    def weigh(self, at: RocPoint) -> ChoiceAnalysis:
        """Return what the belief makes of one point of ROC space."""
        chance = self._chances.of_point(at)
        if not self.belief.has_unit:
            return ChoiceAnalysis(at, *chance, None, None, None)
        cost = float(self._expected.cost(at.fpr, at.tpr))
        regret = max(0.0, cost - self._least)
        worst = None
        if self.belief.bounded:
            costs = np.array([case.cost(at.fpr, at.tpr) for case in self._corners[0]])
            worst = max(0.0, float(np.max(costs - self._corners[1])))
        return ChoiceAnalysis(at, *chance, cost, regret, worst)

    def __str__(self) -> str:
        return " ".join((*self._said_of_choices(), *self._said_of_classifiers()))

    def _said_of_choices(self) -> list[str]:
        if not self.belief.has_unit:
            return [f"Belief: {self.belief}."]
        best = self.least_expected_regret
        said = [
            f"Belief: {self.belief}.",
            f"It costs least in expectation to {best.rule()}: {best.expected_cost:.4g} per case.",
            f"Knowing the conditions before choosing is worth at most {best.value:.4g} per case.",
        ]
        if self.at_mean.point != best.point:
            said.append(
                f"For the mean conditions one would {self.at_mean.point.rule()}; that costs "
                f"{self.gain_over_mean:.4g} more."
            )
        if self.belief.bounded:
            safest = self.minimax_regret
            said.append(
                f"The safest is to {safest.rule()}: at most {safest.value:.4g} more than the best."
            )
        return said

    def _said_of_classifiers(self) -> list[str]:
        if self.hull.slope_bounds is not None:
            return []
        ranked = sorted(self.classifiers, key=lambda row: (-row.probability, row.classifier))
        likely = [f"{r.classifier} {r.probability:.1%}" for r in ranked if r.probability > 0]
        tied = ", some of it shared" if any(row.shared > 0 for row in ranked) else ""
        if not likely:
            return ["No classifier can be best: never or always alarming always is."]
        return [f"Probability of being the best classifier: {', '.join(likely)}{tied}."]

    @cached_property
    def _chances(self) -> Chances:
        return Chances.of(self.hull, self.belief)

    @cached_property
    def _expected(self) -> Case:
        return self.belief.expected_case

    @cached_property
    def _least(self) -> float:
        """The expected cost of choosing once the conditions are known."""
        return least_expected_cost(self.hull.fpr, self.hull.tpr, self.belief)

    @cached_property
    def _corners(self) -> tuple[list[Case], FloatArray]:
        """Extreme conditions, and the least cost under each."""
        cases = list(self.belief.corners())
        return cases, _least_costs(self.hull, cases)

    def _best_for(self, case: Case) -> RocPoint:
        return self.hull.vertices[self.hull.best_between(case.slope, case.slope)[0]]

    def _weigh_alone(self, member: Member) -> ClassifierAnalysis:
        chance = self._chances.of_classifier(member.name)
        if not self.belief.has_unit:
            return ClassifierAnalysis(member.name, *chance, None, None, None)
        own = RocHull(self.hull.totals, (member,))
        cost = least_expected_cost(own.fpr, own.tpr, self.belief)
        regret = max(0.0, cost - self._least)
        worst = None
        if self.belief.bounded:
            cases = list(self.belief.extremes(1 / (1 + own.slopes)))
            gaps = _least_costs(own, cases) - _least_costs(self.hull, cases)
            worst = max(0.0, float(gaps.max()))
        return ClassifierAnalysis(member.name, *chance, cost, regret, worst)

    @property
    def _independent(self) -> list[tuple[float, IndependentPart]]:
        """The belief's parts, if costs and prevalence say nothing about each other."""
        parts = [(w, part) for w, part in self.belief.parts if isinstance(part, IndependentPart)]
        costs, balances = ([part.shares[i] for _, part in parts] for i in (0, 1))
        if len(parts) == len(self.belief.parts) and (_same(costs) or _same(balances)):
            return parts
        raise UndefinedError(
            "what finding out the costs alone, or the prevalence alone, is worth can be told only "
            "where they are independent; in a sample or a pool one tells about the other. "
            "Use value_of_knowing."
        )

    def _worth(self, rest: Belief) -> float:
        """Return what is gained by choosing once the rest of the doubt is settled."""
        fixed = self.least_expected_regret.expected_cost or 0.0
        return max(0.0, fixed - least_expected_cost(self.hull.fpr, self.hull.tpr, rest))


def decision_analysis(hull: RocHull, belief: Belief, *, prevalence: Any = None) -> DecisionAnalysis:
    """Weigh the choices that a hull offers by a belief about costs and class balance.

    Parameters
    ----------
    hull
        The classifiers.
    belief
        What is believed; with a unit of cost (`Belief.with_unit`) expected costs and regrets can
        be asked for, without one probabilities only.
    prevalence
        For a belief about costs alone: a number, an interval, a belief or "observed".

    Raises
    ------
    InputError
        If no prevalence is named, or two are; for `Conditions`, whose intervals do not say what is
        likely (`hull.sensitivity` serves them); if a restricted hull cannot answer.

    Examples
    --------
    >>> import rocch
    >>> y = [0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 1, 1, 0, 1, 1]
    >>> hull = rocch.RocHull.from_scores(y, {"nb": range(16)})
    >>> expert = rocch.Belief.miss_costs(1, 50, likely=3).with_unit(false_positive=10)
    >>> weighed = rocch.stats.decision_analysis(hull, expert, prevalence=0.2)
    >>> weighed.least_expected_regret.rule()
    'alarm when nb >= 6.5'
    >>> weighed.at_mean.point.rule(), round(weighed.gain_over_mean, 3)
    ('alarm when nb >= 10.5', 0.433)
    >>> round(weighed.value_of_knowing, 3)
    0.394
    """
    if not isinstance(hull, RocHull):
        raise InputError("hull", "be a RocHull", describe_type(hull), "See RocHull.from_scores.")
    believed = as_belief(belief)
    if prevalence is not None:
        believed = believed.with_prevalence(prevalence)
    believed = believed.resolved(hull.totals)
    hull.best_between(*believed.slope_range)  # refuses what a restricted hull cannot answer
    return DecisionAnalysis(hull, believed)


def _least_costs(hull: RocHull, cases: Sequence[Case]) -> FloatArray:
    """Return what the best choice costs under each of several conditions."""
    return np.array([float(np.min(case.cost(hull.fpr, hull.tpr))) for case in cases])


def _same(shapes: Sequence[Shape]) -> bool:
    """Say whether several parts of a belief agree in a shape."""
    fixed = [s.shares.tolist() for s in shapes if isinstance(s, Atoms) and s.shares.size == 1]
    return all(shape is shapes[0] for shape in shapes) or (
        len(fixed) == len(shapes) and all(share == fixed[0] for share in fixed)
    )


# --- The H-measure: how much better than chance a classifier serves under doubt about the costs ---
#
# Hand (2009), "Measuring classifier performance: a coherent alternative to the area under the ROC
# curve": one minus the expected cost of a classifier whose threshold is best for every cost,
# divided by that of the better trivial classifier. The two costs sum to one and their shares are
# believed to be Beta-distributed, the same for every classifier; the AUC is the same thing with a
# belief that each classifier brings along itself.

TRIVIAL = np.array([0.0, 1.0])


def h_measure(
    curve: RocCurve | RocHull,
    *,
    belief: Belief | Literal["symmetric", "balanced"] = "symmetric",
    prevalence: Any = None,
) -> float:
    """Return the H-measure of a curve, or of all classifiers of a hull together.

    Parameters
    ----------
    curve
        A curve (its convex hull counts), or a hull.
    belief
        "symmetric": the miss's share of both costs is Beta(2, 2) (Hand, 2009). "balanced": it is
        Beta(1 + negatives, 1 + positives) of the class shares, so that errors on the rarer class
        are thought to be dearer, and most likely just so much that both classes matter alike (Hand
        and Anagnostopoulos, 2014; there the other class's share is Beta(1 + positives, 1 +
        negatives)). Or any belief about costs; without a unit, costs sum to one.
    prevalence
        The share of positives: a number, an interval or a belief; by default the belief's own, or
        else that of the judged rows ("observed").

    Returns
    -------
    float
        1 for a perfect classifier, 0 for one that never beats the trivial ones.

    Examples
    --------
    >>> import rocch
    >>> y = [0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 1, 1, 0, 1, 1]
    >>> curve = rocch.RocCurve.from_scores(y, range(16))
    >>> round(rocch.stats.h_measure(curve), 4)
    0.3976
    >>> round(rocch.stats.h_measure(curve, belief=rocch.Belief.miss_costs(5, 10)), 4)
    0.3333
    """
    if not isinstance(curve, RocCurve | RocHull):
        raise InputError(
            "curve", "be a RocCurve or a RocHull", describe_type(curve), "Pass one of them."
        )
    hull = RocHull.of(curve) if isinstance(curve, RocCurve) else curve
    believed = _believed(hull, belief, prevalence)
    hull.best_between(*believed.slope_range)  # refuses what a restricted hull cannot answer
    chance = least_expected_cost(TRIVIAL, TRIVIAL, believed)
    if chance == 0:
        raise UndefinedError(
            "the H-measure is undefined where a trivial classifier costs nothing: the belief holds "
            "that one kind of error is free. Name costs for both."
        )
    return max(0.0, 1 - least_expected_cost(hull.fpr, hull.tpr, believed) / chance)


def _believed(hull: RocHull, belief: Any, prevalence: Any) -> Belief:
    """Return the belief with a prevalence and a unit."""
    if isinstance(belief, str):
        believed = _named(hull, belief, OBSERVED if prevalence is None else prevalence)
    else:
        believed = as_belief(belief)
    if prevalence is not None or not believed.has_prevalence:
        believed = believed.with_prevalence(OBSERVED if prevalence is None else prevalence)
    if not believed.has_unit:
        believed = believed.with_unit(sum_of_costs=1)
    return believed.resolved(hull.totals)


def _named(hull: RocHull, name: str, prevalence: Any) -> Belief:
    if name == "symmetric":
        return Belief.cost_share_beta(2, 2)
    if name != "balanced":
        raise InputError(
            "belief",
            "be 'symmetric', 'balanced' or a Belief",
            repr(name),
            "For example: Belief.cost_share_beta(2, 2).",
        )
    observed = isinstance(prevalence, str) and prevalence == OBSERVED
    share = hull.totals.prevalence if observed else as_rate(prevalence, "prevalence")
    return Belief.cost_share_beta(2 - share, 1 + share)
