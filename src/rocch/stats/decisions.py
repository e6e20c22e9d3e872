"""Decisions under belief: expected costs, the value of knowing, and rankings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, pairwise
from typing import Any, Literal

import numpy as np

from rocch.arrays import FloatArray
from rocch.errors import Hint, InputError, UndefinedError, describe_type, format_count
from rocch.inputs import as_instance, as_level
from rocch.kernels.envelopes import positions
from rocch.results import Record, Records, Table, Tabular, collect, draw, field_values, shorten
from rocch.roc.belief import Belief, as_belief
from rocch.roc.belief_axis import IndependentPart, Unit
from rocch.roc.conditions import OBSERVED, Case
from rocch.roc.criteria import LeastExpectedRegret, MinimaxRegret, least_expected_cost
from rocch.roc.curve import RocCurve
from rocch.roc.hull import SAME_SLOPE, RocHull
from rocch.roc.member import Member
from rocch.roc.operating_point import ALWAYS, NEVER, OperatingPoint, RocPoint
from rocch.roc.shapes import Atoms, Shape, point
from rocch.stats.arguments import Prevalence, resolve_belief
from rocch.stats.cost_axis import (
    ROUNDING,
    AxisName,
    CostAxis,
    Masses,
    Stretch,
    join_stretches,
    percent,
)
from rocch.stats.losses import check_unrestricted, compare_losses


@dataclass(frozen=True, eq=False)
class BestProbabilities:
    """How much of a belief lies where each vertex of a hull is best.

    Attributes
    ----------
    alone, ties
        Where a vertex is the only best one, and where it ties with the next.
    """

    hull: RocHull
    alone: FloatArray
    ties: FloatArray

    @classmethod
    def of(cls, hull: RocHull, belief: Belief) -> BestProbabilities:
        """Measure where each vertex is best."""
        room = 0.0 if belief.smooth else SAME_SLOPE  # only single conditions can tie
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

    def of_point(self, point: RocPoint) -> tuple[float, float]:
        """Return the probability that a point is best, and the part with ties."""
        place = np.flatnonzero((self.hull.fpr == point.fpr) & (self.hull.tpr == point.tpr))
        if not place.size:
            return 0.0, 0.0
        shared = float(np.concatenate(([0.0], self.ties, [0.0]))[place[0] : place[0] + 2].sum())
        return min(1.0, float(self.alone[place[0]]) + shared), shared

    def of_classifier(self, name: str) -> tuple[float, float]:
        """Return the same for a classifier."""
        holders = [set(names) for names in self.hull.names_at_vertices]
        either = [left | right for left, right in pairwise(holders)]
        masses = np.concatenate((self.alone, self.ties)).tolist()
        alone, shared = _mass_of(name, holders + either, masses)
        return min(1.0, alone + shared), shared


def _mass_of(
    name: str, holders: Iterable[set[str]], masses: Iterable[float]
) -> tuple[float, float]:
    """Return the mass that a classifier holds alone, and together with others."""
    own = [(names, mass) for names, mass in zip(holders, masses, strict=True) if name in names]
    alone = sum((mass for names, mass in own if len(names) == 1), 0.0)
    return alone, sum((mass for names, mass in own if len(names) > 1), 0.0)


# The cost of a fixed choice is linear in the weights of both errors, so the least expected cost is
# at the slope of their expected weights (`Belief.expected_case`). That need not be the choice for
# the belief's mean conditions (Ferri, Hernández-Orallo and Flach, 2019). A choice made once
# the conditions are known costs less; the difference is the value of knowing.


@dataclass(frozen=True, slots=True, repr=False)
class ChoiceAnalysis(Record):
    """An operating point, chosen before the conditions are known.

    Attributes
    ----------
    probability, shared
        That it turns out to be best, and the part of that with ties.
    expected_cost, expected_regret
        Per case, in the belief's unit; None without one.
    worst_regret
        The most that it can cost more than the best choice; None without a unit, or where costs can
        be infinite.
    """

    point: RocPoint
    probability: float
    shared: float
    expected_cost: float | None
    expected_regret: float | None
    worst_regret: float | None

    def _row(self) -> dict[str, Any]:
        return {**self.point._row(), **field_values(self)}


@dataclass(frozen=True, slots=True, repr=False)
class ClassifierAnalysis(Record):
    """A classifier used alone, its threshold set once the conditions are known.

    Attributes
    ----------
    probability, shared
        That it turns out to hold the best point, and the part of that with ties.
    expected_cost, expected_regret, worst_regret
        As for a `ChoiceAnalysis`; the regret is against all classifiers together.
    """

    classifier: str
    probability: float
    shared: float
    expected_cost: float | None
    expected_regret: float | None
    worst_regret: float | None


@dataclass(frozen=True, repr=False)
class DecisionAnalysis(Tabular):
    """The choices that a hull offers, under a belief about costs and class balance.

    Costs and regrets need a belief with a unit.

    Attributes
    ----------
    hull, belief
        The belief has a prevalence.
    """

    hull: RocHull
    belief: Belief

    @cached_property
    def choices(self) -> Records[ChoiceAnalysis]:
        """The vertices that can be best, both ends, and the safest point."""
        hull = self.hull
        places = {0, *hull.best_between(*self.belief.slope_range), len(hull) - 1}
        points = {(v.fpr, v.tpr): v for v in (hull.vertices[i] for i in sorted(places))}
        if self.belief.has_unit and self.belief.bounded:
            safest = self.minimax_regret.point
            points.setdefault((safest.fpr, safest.tpr), safest)
        return Records(self.analyze(points[rates]) for rates in sorted(points))

    @cached_property
    def classifiers(self) -> Records[ClassifierAnalysis]:
        """Every classifier by itself, by name; not for a restricted hull."""
        check_unrestricted(self.hull, "hull")
        members = sorted(self.hull.members, key=lambda member: member.name)
        return Records(self._analyze_alone(member) for member in members)

    @cached_property
    def least_expected_regret(self) -> OperatingPoint:
        """The fixed choice with the least expected cost and regret."""
        return self.hull.best(LeastExpectedRegret(self.belief))

    @cached_property
    def minimax_regret(self) -> OperatingPoint:
        """The fixed choice with the least worst regret."""
        return self.hull.best(MinimaxRegret(self.belief))

    @cached_property
    def safest(self) -> ChoiceAnalysis | None:
        """The choice with the least worst regret; None where costs can be infinite."""
        return self.analyze(self.minimax_regret.point) if self.belief.bounded else None

    @cached_property
    def at_mean(self) -> ChoiceAnalysis:
        """The choice for the belief's mean conditions."""
        return self.analyze(self._best_for(self.belief.mean))

    @cached_property
    def at_likely(self) -> ChoiceAnalysis | None:
        """The choice for the most likely conditions, if the belief names them."""
        likely = self.belief.likely
        return None if likely is None else self.analyze(self._best_for(likely))

    @property
    def gain_over_mean(self) -> float:
        """What choosing for the belief saves per case over choosing for its mean."""
        best, mean = self.least_expected_regret, self.at_mean.point
        saved = [float(self._expected.cost(at.fpr, at.tpr)) for at in (mean, best)]
        return max(0.0, saved[0] - saved[1])

    @property
    def value_of_knowing(self) -> float:
        """The most that knowing the conditions before choosing is worth, per case."""
        return self.least_expected_regret.value

    @property
    def value_of_knowing_costs(self) -> float:
        """The most that knowing the cost ratio alone is worth, per case."""
        mean = point(self.belief.mean.prevalence)  # costs are linear in the prevalence
        parts = [(w, replace(part, prevalence=mean)) for w, part in self._independent]
        return self._worth(Belief(parts=tuple(parts), unit=self.belief.require_unit()))

    @property
    def value_of_knowing_prevalence(self) -> float:
        """The most that knowing the prevalence alone is worth, per case."""
        case = self._expected
        both = case.false_positive + case.false_negative
        share = point(case.false_negative / both)
        parts = [(w, replace(part, share=share)) for w, part in self._independent]
        return self._worth(Belief(parts=tuple(parts), unit=Unit("sum_of_costs", both)))

    def analyze(self, at: RocPoint) -> ChoiceAnalysis:
        """Return the analysis of one point."""
        probabilities = self._probabilities.of_point(at)
        if not self.belief.has_unit:
            return ChoiceAnalysis(at, *probabilities, None, None, None)
        cost = float(self._expected.cost(at.fpr, at.tpr))
        regret = max(0.0, cost - self._least)
        worst = None
        if self.belief.bounded:
            costs = np.array([case.cost(at.fpr, at.tpr) for case in self._corners[0]])
            worst = max(0.0, float(np.max(costs - self._corners[1])))
        return ChoiceAnalysis(at, *probabilities, cost, regret, worst)

    def __str__(self) -> str:
        return " ".join((*self._describe_choices(), *self._describe_classifiers()))

    def _columns(self) -> Table:
        return collect(self.choices)

    def _describe_choices(self) -> list[str]:
        if not self.belief.has_unit:
            return [f"Belief: {self.belief}."]
        best = self.least_expected_regret
        lines = [
            f"Belief: {self.belief}.",
            f"It costs least in expectation to {best.rule()}: {best.expected_cost:.4g} per case.",
            f"Knowing the conditions before choosing is worth at most {best.value:.4g} per case.",
        ]
        if self.at_mean.point != best.point:
            lines.append(
                f"For the mean conditions one would {self.at_mean.point.rule()}; that costs "
                f"{self.gain_over_mean:.4g} more."
            )
        if self.belief.bounded:
            safest = self.minimax_regret
            lines.append(
                f"The safest is to {safest.rule()}: at most {safest.value:.4g} more than the best."
            )
        return lines

    def _describe_classifiers(self) -> list[str]:
        if self.hull.slope_bounds is not None:
            return []
        ranked = sorted(self.classifiers, key=lambda row: (-row.probability, row.classifier))
        likely = [f"{r.classifier} {r.probability:.1%}" for r in ranked if r.probability > 0]
        tied = ", some of it shared" if any(row.shared > 0 for row in ranked) else ""
        if not likely:
            return ["No classifier can be best: never or always alarming always is."]
        return [f"Probability of being the best classifier: {', '.join(likely)}{tied}."]

    @cached_property
    def _probabilities(self) -> BestProbabilities:
        return BestProbabilities.of(self.hull, self.belief)

    @cached_property
    def _expected(self) -> Case:
        return self.belief.expected_case

    @cached_property
    def _least(self) -> float:
        """The expected cost of choosing once the conditions are known."""
        return least_expected_cost(self.hull.fpr, self.hull.tpr, self.belief)

    @cached_property
    def _corners(self) -> tuple[list[Case], FloatArray]:
        cases = list(self.belief.corners())
        return cases, _least_costs(self.hull, cases)

    def _best_for(self, case: Case) -> RocPoint:
        return self.hull.vertices[self.hull.best_between(case.slope, case.slope)[0]]

    def _analyze_alone(self, member: Member) -> ClassifierAnalysis:
        probabilities = self._probabilities.of_classifier(member.name)
        if not self.belief.has_unit:
            return ClassifierAnalysis(member.name, *probabilities, None, None, None)
        own = RocHull(self.hull.totals, (member,))
        cost = least_expected_cost(own.fpr, own.tpr, self.belief)
        regret = max(0.0, cost - self._least)
        worst = None
        if self.belief.bounded:
            cases = list(self.belief.extremes(1 / (1 + own.slopes)))
            gaps = _least_costs(own, cases) - _least_costs(self.hull, cases)
            worst = max(0.0, float(gaps.max()))
        return ClassifierAnalysis(member.name, *probabilities, cost, regret, worst)

    @property
    def _independent(self) -> list[tuple[float, IndependentPart]]:
        parts = [(w, part) for w, part in self.belief.parts if isinstance(part, IndependentPart)]
        costs, balances = ([part.shares[i] for _, part in parts] for i in (0, 1))
        if len(parts) == len(self.belief.parts) and (_same(costs) or _same(balances)):
            return parts
        raise UndefinedError(
            "the value of knowing the costs alone, or the prevalence alone, is defined only "
            "where they are independent, which a sample or a pool does not ensure.",
            hint=Hint("Use value_of_knowing."),
        )

    def _worth(self, rest: Belief) -> float:
        fixed = self.least_expected_regret.expected_cost or 0.0
        saved = fixed - least_expected_cost(self.hull.fpr, self.hull.tpr, rest)
        return saved if saved > ROUNDING * fixed else 0.0


def decision_analysis(
    hull: RocHull, belief: Belief, *, prevalence: Prevalence | None = None
) -> DecisionAnalysis:
    """Analyze the choices that a hull offers under a belief about costs and class balance.

    Parameters
    ----------
    hull
        The classifiers.
    belief
        Costs and regrets need a unit (`Belief.with_unit`). For intervals use `hull.sensitivity`.
    prevalence
        For a belief about costs alone: a number, an interval, a belief or "observed".

    Examples
    --------
    >>> import rocch
    >>> y = [0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 1, 1, 0, 1, 1]
    >>> hull = rocch.RocHull.from_scores(y, {"nb": range(16)})
    >>> expert = rocch.Belief.cost_ratio(1, 50, likely=3).with_unit(false_positive=10)
    >>> analysis = rocch.stats.decision_analysis(hull, expert, prevalence=0.2)
    >>> analysis.least_expected_regret.rule()
    'alarm when nb >= 6.5'
    >>> analysis.at_mean.point.rule(), round(analysis.gain_over_mean, 3)
    ('alarm when nb >= 10.5', 0.433)
    >>> round(analysis.value_of_knowing, 3)
    0.394
    """
    as_instance(hull, RocHull, "hull", hint=Hint("See RocHull.from_scores."))
    believed = resolve_belief(belief, prevalence, hull.totals)
    hull.best_between(*believed.slope_range)  # refuses conditions outside a restricted hull
    return DecisionAnalysis(hull, believed)


def _least_costs(hull: RocHull, cases: Sequence[Case]) -> FloatArray:
    return np.array([float(np.min(case.cost(hull.fpr, hull.tpr))) for case in cases])


def _same(shapes: Sequence[Shape]) -> bool:
    fixed = [s.shares.tolist() for s in shapes if isinstance(s, Atoms) and s.shares.size == 1]
    return all(shape is shapes[0] for shape in shapes) or (
        len(fixed) == len(shapes) and all(share == fixed[0] for share in fixed)
    )


# Hand (2009), "Measuring classifier performance: a coherent alternative to the area under the ROC
# curve": one minus the expected cost with the best threshold for every cost, divided by that of the
# better trivial classifier. The two costs sum to one, with the same Beta belief for every
# classifier; the AUC uses a belief that depends on the classifier.

TRIVIAL = np.array([0.0, 1.0])


def h_measure(
    curve: RocCurve | RocHull,
    *,
    belief: Belief | Literal["symmetric", "balanced", "hmeasure"] = "symmetric",
    prevalence: Prevalence | None = None,
) -> float:
    """Return the H-measure: 1 for a perfect classifier, 0 for one no better than trivial ones.

    Parameters
    ----------
    curve
        A curve (its convex hull counts), or a hull: all its classifiers together.
    belief
        About the miss's share of both costs. "symmetric": Beta(2, 2) (Hand, 2009). With p for the
        prevalence, "balanced": Beta(2 - p, 1 + p), as Hand and Anagnostopoulos (2014) propose, and
        "hmeasure": Beta(1 / p, 2), the default of the R package of that name; both peak at 1 - p,
        "hmeasure" the more sharply the rarer the positives. Or any belief about costs.
    prevalence
        A number, an interval, a belief or "observed"; by default the belief's own, or "observed".

    Examples
    --------
    >>> import rocch
    >>> y = [0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 1, 1, 0, 1, 1]
    >>> curve = rocch.RocCurve.from_scores(y, range(16))
    >>> round(rocch.stats.h_measure(curve), 4)
    0.3976
    >>> round(rocch.stats.h_measure(curve, belief=rocch.Belief.cost_ratio(5, 10)), 4)
    0.3333
    """
    as_instance(curve, (RocCurve, RocHull), "curve")
    hull = RocHull.of(curve) if isinstance(curve, RocCurve) else curve
    believed = _h_belief(hull, belief, prevalence)
    hull.best_between(*believed.slope_range)  # refuses conditions outside a restricted hull
    chance = least_expected_cost(TRIVIAL, TRIVIAL, believed)
    if chance == 0:
        raise UndefinedError(
            "the H-measure is undefined where a trivial classifier costs nothing: the belief "
            "makes one kind of error free.",
            hint="Name costs for both.",
        )
    return max(0.0, 1 - least_expected_cost(hull.fpr, hull.tpr, believed) / chance)


def _h_belief(hull: RocHull, belief: Belief | str, prevalence: Prevalence | None) -> Belief:
    stated: Prevalence = OBSERVED if prevalence is None else prevalence
    if belief == "symmetric":
        believed = Belief.cost_share_beta(2, 2)
    elif belief in ("balanced", "hmeasure"):
        given = hull.totals.prevalence if stated == OBSERVED else stated
        share = as_level(given, "prevalence", hint="Write 5% as 0.05, for example.")
        # published for the false alarm's share: Beta(1 + p, 2 - p), and Beta(2, 1 + (1 - p) / p)
        shapes = (2 - share, 1 + share) if belief == "balanced" else (1 / share, 2)
        believed = Belief.cost_share_beta(*shapes)
    elif isinstance(belief, str):
        hint = Hint("For example: Belief.cost_share_beta(2, 2).")
        requirement = "be 'symmetric', 'balanced', 'hmeasure' or a Belief"
        raise InputError("belief", requirement, repr(belief), hint)
    else:
        believed = as_belief(belief)
    if prevalence is not None or not believed.has_prevalence:
        believed = believed.with_prevalence(stated)
    if not believed.has_unit:
        believed = believed.with_unit(sum_of_costs=1)
    return believed.resolved(hull.totals)


# The hull of all classifiers has the best one at each point of the cost axis (Provost and Fawcett,
# Table 2).

# The most followers that a sentence names.
MOST_FOLLOWERS = 4


@dataclass(frozen=True, slots=True, repr=False)
class RankedClassifier(Record):
    """How likely one classifier is to be the best of all.

    Attributes
    ----------
    alone, shared
        Belief that it alone is best, or together with others.
    stretches
        Where it is best on the axis.
    """

    classifier: str
    alone: float
    shared: float
    stretches: tuple[tuple[float, float], ...]

    @property
    def mass(self) -> float:
        """Belief that none is better."""
        return self.alone + self.shared

    def _row(self) -> dict[str, Any]:
        shares = {"mass": self.mass, "alone": self.alone, "shared": self.shared}
        return {"classifier": self.classifier, **shares}


@dataclass(frozen=True, eq=False, repr=False)
class Superiority(Tabular):
    """Which of many classifiers is best where, under a belief; see `rank_under_belief`.

    Attributes
    ----------
    hull, belief, cost_axis
        The classifiers, the belief with its prevalence, and the axis of the stretches.
    """

    hull: RocHull
    belief: Belief
    cost_axis: CostAxis
    _best: list[tuple[str, ...]]
    _masses: Masses

    def __str__(self) -> str:
        first, *others = [row for row in self.classifiers if row.mass > ROUNDING]
        text = f"{first.classifier} is best for {percent(first.mass)} of what you believe"
        text += "".join(
            f", {row.classifier} for {percent(row.mass)}" for row in others[:MOST_FOLLOWERS]
        )
        if len(others) > MOST_FOLLOWERS:
            text += f", {len(others) - MOST_FOLLOWERS} more for the rest"
        shared = any(row.shared > ROUNDING for row in others)
        return text + ("; shared wins count for all who share them." if shared else ".")

    def __repr__(self) -> str:
        members = format_count(len(self.hull.members), "classifier")
        return shorten(f"<Superiority of {members}: {self}>", end=">")

    def _columns(self) -> Table:
        return collect(self.classifiers)

    def _picture(self) -> str:
        return draw(self.stretches)

    @property
    def axis(self) -> AxisName:
        """The name of the axis, as in `LossComparison`."""
        return self.cost_axis.name

    @property
    def prevalence(self) -> float | None:
        """The prevalence, if it is one number."""
        return self.cost_axis.prevalence

    @property
    def error(self) -> float:
        """Bound on the error of each mass, beyond rounding."""
        return self._masses.error * 2 * len(self._best)

    @cached_property
    def stretches(self) -> Records[Stretch]:
        """The axis from 0 to 1, with all that are best on each stretch."""
        return join_stretches(self._best, self._masses)

    @cached_property
    def classifiers(self) -> Records[RankedClassifier]:
        """Every classifier, the likeliest best first; also "never" and "always" if best."""
        names = [member.name for member in self.hull.members]
        trivial = {name for holders in self._best for name in holders} & {NEVER, ALWAYS}
        rows = [self._rank(name) for name in (*names, *sorted(trivial, reverse=True))]
        return Records(sorted(rows, key=lambda row: -row.mass))

    def _rank(self, name: str) -> RankedClassifier:
        best = [set(names) for names in self._best]
        at_edges = [left | right for left, right in pairwise([best[0], *best, best[-1]])]
        masses = [*self._masses.between.tolist(), *self._masses.at.tolist()]
        alone, shared = _mass_of(name, best + at_edges, masses)
        own = join_stretches([(name,) if name in names else () for names in best], self._masses)
        where = tuple((stretch.low, stretch.high) for stretch in own if stretch.classifiers)
        return RankedClassifier(name, alone, shared, where)

    def pairwise(self) -> dict[tuple[str, str], float]:
        """Return the LC index of every pair; positive favors the first."""
        alone = {m.name: RocHull(self.hull.totals, (m,)) for m in self.hull.members}
        found = {}
        for (a, first), (b, second) in combinations(alone.items(), 2):
            index = compare_losses(first, second, belief=self.belief, names=(a, b)).lc_index
            found[a, b], found[b, a] = index, 0.0 - index
        return found


def rank_under_belief(
    classifiers: RocHull | RocCurve | Iterable[RocCurve] | Mapping[str, RocCurve],
    *,
    belief: Belief,
    prevalence: Prevalence | None = None,
    allow_different_rows: bool = False,
) -> Superiority:
    """Return which of many classifiers is best where, and for how much of a belief.

    A scoring classifier with a vertex of the hull also holds the hull's ends.

    Parameters
    ----------
    classifiers
        Their hull, or their curves.
    belief, prevalence, allow_different_rows
        As for `compare_losses`.

    Examples
    --------
    >>> import rocch
    >>> y = [0, 0, 0, 1, 1, 1]
    >>> hull = rocch.RocHull.from_scores(
    ...     y, {"nb": [1, 2, 6, 5, 4, 7], "gbm": [3, 4, 5, 2, 6, 7]}
    ... )
    >>> expert = rocch.Belief.cost_ratio(0.5, 2)
    >>> best = rocch.stats.rank_under_belief(hull, belief=expert, prevalence=0.5)
    >>> print(best)
    nb is best for 50% of what you believe, gbm for 50%.
    """
    hull = _as_hull(classifiers, allow_different_rows)
    believed = resolve_belief(belief, prevalence, hull.totals)
    axis = CostAxis(believed.fixed_prevalence)
    # a vertex is best between the odds of its two segments
    run, rise = np.diff(hull.false_positives), np.diff(hull.true_positives)
    inner = positions(run, rise, axis.weights(hull.totals))
    edges = np.concatenate(([0.0], inner, [1.0]))
    longer = np.diff(edges) > 0
    best = [hull.names_at_vertices[i] for i in np.flatnonzero(longer)]
    edges = edges[np.append(longer, True)]
    return Superiority(hull, believed, axis, best, axis.masses(believed, edges))


def _as_hull(
    given: RocHull | RocCurve | Iterable[RocCurve] | Mapping[str, RocCurve],
    allow_different_rows: bool,
) -> RocHull:
    if isinstance(given, RocHull):
        hull = given
    else:
        curves = given.values() if isinstance(given, Mapping) else given
        curves = [curves] if isinstance(curves, RocCurve) else curves
        if isinstance(curves, str | bytes) or not isinstance(curves, Iterable):
            raise InputError(
                "classifiers",
                "be a RocHull or RocCurve objects",
                describe_type(given),
                Hint("Use RocHull.from_scores for scores."),
            )
        hull = RocHull.of(*curves, allow_different_rows=allow_different_rows)
    check_unrestricted(hull, "classifiers")
    return hull
