"""Rates that differ little between groups, at the least expected cost."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from rocch.arrays import AnyArray, BoolArray, Columns, FloatArray, IntArray, Label
from rocch.errors import Hint, InfeasibleError, InputError, format_count
from rocch.hybrid.aimed import alarm_probability
from rocch.hybrid.expression import expression_at
from rocch.hybrid.fair_search import FairChoice, Group, Problem
from rocch.hybrid.gain import RowBatch
from rocch.hybrid.grouped_rule import GroupedRule
from rocch.hybrid.rule import Rule
from rocch.inputs import as_array, as_choice, as_flag, as_level, as_rate, check_known, check_length
from rocch.kernels.certify import two_rates_high
from rocch.labels import as_codes, distinct_labels
from rocch.results import Table, Tabular, collect, shorten
from rocch.roc.conditions import OBSERVED, Conditions, Interval, as_conditions
from rocch.roc.criteria import Criterion, ErrorRate, LinearLimit
from rocch.roc.hull import RocHull
from rocch.roc.limits import Constrained
from rocch.roc.operating_point import ClassTotals, OperatingPoint
from rocch.roc.question_table import find_name
from rocch.rows import ScoredRows
from rocch.svg import Line, Mark, draw_intervals, draw_lines

# Which rates must be alike: of one kind, or FPR and TPR together (equalized odds).
FairKind = Literal["fpr", "tpr", "both", "predicted_positive"]
RATES: dict[str, tuple[str, ...]] = {
    "fpr": ("fpr",),
    "tpr": ("tpr",),
    "both": ("fpr", "tpr"),
    "predicted_positive": ("predicted_positive",),
}
WORDS = {"fpr": "FPR", "tpr": "TPR", "predicted_positive": "predicted-positive rate"}

# Limits of one group: one, or several.
GroupLimits: TypeAlias = Criterion | LinearLimit | Sequence[Criterion | LinearLimit]

# A rate as weighted shares: weights, hits and rows.
Parts: TypeAlias = list[tuple[float, float, float]]

# A group with fewer rows of a class is named: its rate deviates by 0.16 and more.
FEW_ROWS = 10

# How many tolerances a curve of costs has, unless they are given.
CURVE_POINTS = 21


class RateDifference(NamedTuple):
    """A rate of one group minus that of another, with an interval for new rows."""

    rate: str
    group: Label
    other: Label
    difference: float
    interval: Interval


@dataclass(frozen=True, repr=False)
class FairnessCheck(Tabular):
    """How much rates differ between groups on some rows, and on new ones.

    Attributes
    ----------
    differences
        All pairs of groups, with simultaneous intervals: each pair has its share of the error
        probability (Bonferroni). The ends of an interval are exact bounds, as for limits on both
        rates.
    cost, violation
        The cost per case and the largest difference on these rows.
    confidence
        The stated coverage of all intervals together.
    chose_rule
        Whether these rows chose the rule. If so, the intervals are optimistic.
    """

    differences: tuple[RateDifference, ...]
    cost: float
    violation: float
    confidence: float
    chose_rule: bool

    @property
    def largest(self) -> float:
        """The largest difference that the intervals allow."""
        return max(max(-d.interval.low, d.interval.high) for d in self.differences)

    @property
    def _level(self) -> str:
        """The confidence, and of how many intervals."""
        count = len(self.differences)
        several = f" for {count} differences together" if count > 1 else ""
        return f"{100 * self.confidence:g}% confidence{several}"

    def __str__(self) -> str:
        rows = (
            "These rows chose the rule, so this is optimistic"
            if self.chose_rule
            else "These rows did not choose the rule"
        )
        return (
            f"Rates differ by at most {self.violation:.3g} between groups on these rows, and by at "
            f"most {self.largest:.3g} on new ones ({self._level}). {rows}."
        )

    def _columns(self) -> Table:
        return collect(self.differences)

    def _picture(self) -> str:
        marks = [
            Mark(f"{d.rate}: {d.group} - {d.other}", *d.interval, d.difference)
            for d in self.differences
        ]
        return draw_intervals(marks, "difference of rates", reference=0)


@dataclass(frozen=True, eq=False, repr=False)
class FairnessCosts(Tabular):
    """What fairness costs: the least expected cost for each tolerance.

    Attributes
    ----------
    tolerances
        Largest allowed differences of rates, ascending.
    deterministic
        Costs with one setting for each group; NaN where none meets the tolerance.
    randomized
        Costs with a coin.
    """

    tolerances: FloatArray
    deterministic: FloatArray
    randomized: FloatArray

    def __repr__(self) -> str:
        return f"<FairnessCosts at {format_count(self.tolerances.size, 'tolerance')}>"

    def _columns(self) -> Table:
        costs = {"deterministic": self.deterministic, "randomized": self.randomized}
        return {"tolerance": self.tolerances, **costs}

    def _picture(self) -> str:
        lines = [
            Line("without a coin", self.tolerances, self.deterministic),
            Line("with a coin", self.tolerances, self.randomized, dashed=True),
        ]
        return draw_lines(lines, "tolerance", "cost per case")


@dataclass(frozen=True, eq=False, repr=False)
class FairRates(Tabular):
    """The best rules whose rates differ by at most a tolerance between all pairs of groups.

    Made by `fair_rates`. All of it speaks of the evaluation rows; see `differences` and `check`
    for new ones.

    Attributes
    ----------
    kind, tolerance, randomize
        What was asked for.
    deterministic
        The best choice of one setting for each group; None if there is none.
    randomized
        The best choice with coins.
    unconstrained
        The best choice whose rates may differ, of the kind that `randomize` allows.
    labels
        The labels of negatives and positives: those of the rows if `pos_label` was named.
    """

    problem: Problem = field(repr=False)
    kind: FairKind
    tolerance: float
    randomize: bool
    deterministic: FairChoice | None
    randomized: FairChoice
    unconstrained: FairChoice
    labels: tuple[Label, Label] = (False, True)

    @property
    def chosen(self) -> FairChoice:
        """The randomized choice if a coin was allowed, otherwise the deterministic one."""
        if self.randomize or self.deterministic is None:
            return self.randomized
        return self.deterministic

    @property
    def points(self) -> Mapping[Label, OperatingPoint]:
        """The operating point of each group."""
        return self.chosen.points

    @property
    def cost(self) -> float:
        """The expected cost per case."""
        return self.chosen.cost

    @property
    def violation(self) -> float:
        """The largest difference of the rates between two groups on the evaluation rows."""
        return self.chosen.violation

    @property
    def price(self) -> float:
        """What fairness costs: the cost beyond that of the best rules without it."""
        return max(0.0, self.cost - self.unconstrained.cost)

    @property
    def coin_gain(self) -> float:
        """What a coin saves; infinite if no single settings meet the tolerance."""
        if self.deterministic is None:
            return math.inf
        return max(0.0, self.deterministic.cost - self.randomized.cost)

    def __repr__(self) -> str:
        return shorten(f"<FairRates of {len(self.points)} groups: {self}>", end=">")

    def __str__(self) -> str:
        names = " and ".join(WORDS[rate] for rate in self.problem.rates)
        differ = "differs" if len(self.problem.rates) == 1 else "differ"
        price = f"{self.price:.3g}" if self.price else "nothing"
        return (
            f"expected cost {self.cost:.4g} per case, {price} of it for fairness; {names} "
            f"{differ} by at most {self.violation:.3g} between groups on the evaluation rows "
            f"(without a tolerance: {self.unconstrained.violation:.3g}); {self._coin_words()}"
            f"{self._small_group_words()}"
        )

    def _small_group_words(self) -> str:
        """Name groups with so few rows that their rates, and what fairness costs, are chance."""
        few = [
            f"{group.name!r} has {count:g} {kind}"
            for group in self.problem.groups
            for kind, units in (("negatives", group.negatives), ("positives", group.positives))
            if (count := group.hull.totals.amount(units)) < FEW_ROWS
        ]
        if not few:
            return ""
        return f"; too few rows to know their rates: {', '.join(few)} (merge groups, or leave out)"

    def _coin_words(self) -> str:
        if self.deterministic is None:
            return "without a coin, no settings meet the tolerance"
        may = "gains" if self.randomize else "would gain"
        gap = self.deterministic.gap
        doubt = f"; other settings may cost up to {gap:.2g} less" if gap else ""
        gain = f"{self.coin_gain:.3g} per case" if self.coin_gain else "nothing"
        return f"a coin {may} {gain}{doubt}"

    def _columns(self) -> Table:
        """Return a row for each group."""
        rows = []
        for group in self.problem.groups:
            point, totals = self.points[group.name], group.hull.totals
            positive = point.performance(prevalence=group.case.prevalence).predicted_positive_rate
            amounts = totals.total, totals.amount(totals.positives)
            rates = point.fpr, point.tpr, positive, point.expected_cost
            rows.append((group.name, *amounts, *rates, point.rule()))
        names = ("group", "rows", "positives", "fpr", "tpr", "predicted_positive", "cost", "rule")
        return dict(zip(names, zip(*rows, strict=True), strict=True))

    def rule(
        self,
        *,
        group: str = "group",
        unknown: Label | None = None,
        positive: Label | None = None,
        negative: Label | None = None,
        row_key: str | None = None,
        seed: int = 0,
    ) -> GroupedRule:
        """Return the rule of each group, in words, JSON and SQL.

        Parameters
        ----------
        group
            The column of groups.
        unknown
            The group whose rule decides rows of unknown or missing groups; by default these are
            refused.
        positive, negative
            What to predict, by default `labels`.
        row_key, seed
            As for `Rule.from_point`.
        """
        usual = self.labels
        options: Any = {
            "positive": usual[1] if positive is None else positive,
            "negative": usual[0] if negative is None else negative,
            "row_key": row_key,
        }
        rules = {n: Rule.from_point(p, **options, seed=seed) for n, p in self.points.items()}
        return GroupedRule(rules, group, unknown)

    def cost_curve(self, tolerances: ArrayLike | None = None) -> FairnessCosts:
        """Return what fairness costs for other tolerances.

        By default from 0 to where the tolerance does not matter any more, its own one included.
        """
        if tolerances is None:
            grid = np.linspace(0, self.unconstrained.violation or 1.0, CURVE_POINTS)
            grid = np.union1d(grid, [self.tolerance])
        else:
            given = as_array(np.atleast_1d(np.asarray(tolerances)), "tolerances").tolist()
            grid = np.unique([as_rate(each, "tolerances") for each in given])
        single, mixed = [], []
        for tolerance in grid.tolist():
            found = self.problem.deterministic(tolerance)
            single.append(math.nan if found is None else found.cost)
            try:
                mixed.append(self.problem.randomized(tolerance).cost)
            except InfeasibleError:
                mixed.append(math.nan)
        # what meets a tolerance meets larger ones, so costs cannot rise
        return FairnessCosts(grid, np.fmin.accumulate(single), np.fmin.accumulate(mixed))

    def differences(self, *, confidence: float = 0.95) -> FairnessCheck:
        """Return intervals for differences of rates on new rows, from the evaluation rows.

        They are optimistic, because these rows chose the rule; see `check`.
        """
        counts = []
        for group in self.problem.groups:
            if group.hull.totals.weighted:
                raise InputError("sample_weight", "be left out for intervals", "weighted rows")
            point = self.points[group.name]
            sizes = group.negatives, group.positives
            counts.append((point.fpr * sizes[0], point.tpr * sizes[1], *sizes))
        return self._compare(np.array(counts), confidence, chose_rule=True)

    def check(
        self,
        y_true: ArrayLike,
        scores: Columns,
        groups: ArrayLike,
        *,
        pos_label: Label | None = None,
        confidence: float = 0.95,
    ) -> FairnessCheck:
        """Return how much rates differ on rows of their own, with intervals for new rows.

        Parameters
        ----------
        y_true, scores, groups, pos_label
            Rows that took no part in choosing the rule, as for `fair_rates`.
        confidence
            The stated coverage of all intervals together.
        """
        rows = ScoredRows.of(y_true, scores, pos_label=pos_label)
        alarms = np.zeros(len(rows))
        names, codes = as_sensitive_groups(groups, rows.positive)
        check_known(names, self.points, "groups", "groups of the rule")
        mixes = {
            name: tuple((share, expression_at(place)) for share, place in self.points[name].mix)
            for name in names
        }
        needed = {model for mix in mixes.values() for _, part in mix for model in part.models}
        check_known(needed, rows.scores, "scores", "classifiers with scores here")
        for code, name in enumerate(names):
            mix = mixes[name]
            own = np.flatnonzero(codes == code)
            alarms[own] = alarm_probability(RowBatch(rows), mix, own)
        return self.check_alarms(rows.positive, alarms, groups, confidence=confidence)

    def check_alarms(
        self,
        positive: BoolArray,
        alarms: FloatArray,
        groups: ArrayLike,
        *,
        confidence: float = 0.95,
    ) -> FairnessCheck:
        """Return `check` of rows with known probabilities of an alarm."""
        names, codes = as_sensitive_groups(groups, positive)
        known = [group.name for group in self.problem.groups]
        check_known(names, known, "groups", "groups of the rule")
        check_known(known, names, "groups", "groups that occur in these rows")
        counts, same = [], []
        for group in self.problem.groups:
            own = codes == names.index(group.name)
            kinds = own & ~positive, own & positive
            counts.append([*(alarms[k].sum() for k in kinds), *(k.sum() for k in kinds)])
            same.append(ClassTotals.of(positive[own]).rows == group.hull.totals.rows)
        return self._compare(np.array(counts), confidence, chose_rule=all(same))

    def _compare(self, counts: FloatArray, confidence: float, *, chose_rule: bool) -> FairnessCheck:
        """Compare rates of groups by (expected) false and true positives, negatives, positives."""
        as_level(confidence)
        groups, rates = self.problem.groups, self.problem.rates
        pairs = list(combinations(range(len(groups)), 2))
        level = (1 - confidence) / (2 * len(pairs) * len(rates))
        found, spread = [], 0.0
        for rate in rates:
            own = [_parts(g, rate, row) for g, row in zip(groups, counts, strict=True)]
            values = [sum(weight * hits / rows for weight, hits, rows in parts) for parts in own]
            spread = max(spread, max(values) - min(values))
            for one, other in pairs:
                low = -_highest_difference(own[other], own[one], level)
                high = _highest_difference(own[one], own[other], level)
                names = groups[one].name, groups[other].name
                difference = values[one] - values[other]
                found.append(RateDifference(rate, *names, difference, Interval(low, high)))
        total = counts[:, 2:].sum()
        cost = 0.0
        for group, (fp, tp, negatives, positives) in zip(groups, counts.tolist(), strict=True):
            share = (negatives + positives) / total
            prevalence = group.case.prevalence
            if group.own_prevalence:
                prevalence = positives / (negatives + positives)
            case = group.case._replace(prevalence=prevalence)
            cost += share * case.cost(fp / negatives, tp / positives)
        return FairnessCheck(tuple(found), float(cost), spread, confidence, chose_rule)


def _parts(group: Group, rate: str, counts: FloatArray) -> Parts:
    """Return a group's rate as weighted shares of hits among rows."""
    fp, tp, negatives, positives = counts.tolist()
    if rate == "fpr":
        return [(1.0, fp, negatives)]
    if rate == "tpr":
        return [(1.0, tp, positives)]
    if group.own_prevalence:
        return [(1.0, fp + tp, negatives + positives)]
    p = group.case.prevalence
    return [part for part in ((p, tp, positives), (1 - p, fp, negatives)) if part[0]]


def _highest_difference(one: Parts, other: Parts, level: float) -> float:
    """Return a one-sided upper bound of the difference between two groups' rates."""
    rest = [(weight, rows - hits, rows) for weight, hits, rows in other]
    if len(one) == 1:
        return _high([*one, *rest], level) - 1
    return _high(one, level / 2) + _high(rest, level / 2) - 1


def _high(parts: Parts, level: float) -> float:
    (weight, hits, rows), (other, more, size) = parts
    return two_rates_high((weight, other), (hits, more), (rows, size), level)


def as_group_column(groups: ArrayLike) -> AnyArray:
    """Return the group of each row; the name of a column is refused."""
    if isinstance(groups, str):
        hint = Hint(
            f"Pass the column itself: groups=X[{groups!r}]. Its name is for new rows: "
            f"group={groups!r}, where the rule is made."
        )
        raise InputError("groups", "hold the group of each row", repr(groups), hint)
    return as_array(groups, "groups")


def as_sensitive_groups(groups: ArrayLike, positive: BoolArray) -> tuple[list[Label], IntArray]:
    """Return the names of groups, and the place of each row's group among them.

    Each group must hold both classes.
    """
    given = as_group_column(groups)
    check_length(given.size, positive.size, "groups")
    names, codes = distinct_labels(given, "groups"), as_codes(groups, "groups")
    if len(names) < 2:
        raise InputError("groups", "name at least two groups", f"only {names[0]!r}")
    sizes = np.bincount(codes, minlength=len(names))
    hits = np.bincount(codes, positive, minlength=len(names))
    for name, size, count in zip(names, sizes.tolist(), hits.tolist(), strict=True):
        if count in (0, size):
            kind = "positive" if count else "negative"
            raise InputError(
                "groups",
                "hold both classes in every group",
                f"{name!r} with {format_count(size, 'row')}, all {kind}",
                "Rates need rows of each class: merge the group with another one, or leave it out.",
            )
    return names, codes


def as_group_limits(
    limits: GroupLimits | Mapping[Any, GroupLimits] | None, names: Sequence[Label]
) -> dict[Label, Constrained]:
    """Return the limits of each group, as those of a criterion."""
    if isinstance(limits, Mapping):
        check_known(limits, names, "limits", "groups")
        each: dict[Label, Any] = {name: limits.get(name) for name in names}
    else:
        each = dict.fromkeys(names, limits)
    found = {}
    for name, given in each.items():
        several = () if given is None else given if isinstance(given, Sequence) else (given,)
        found[name] = Constrained(ErrorRate(), *several)
        if any(each.confidence is not None for each in several):
            raise InputError(
                "limits",
                "have no confidence here",
                "one with a confidence",
                "Limits of groups hold on the evaluation rows alone. Leave {confidence} out.",
            )
    return found


def fair_rates(
    y_true: ArrayLike,
    scores: Columns,
    groups: ArrayLike,
    conditions: Conditions,
    *,
    tolerance: float,
    rates: FairKind = "both",
    limits: GroupLimits | Mapping[Any, GroupLimits] | None = None,
    randomize: bool = False,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
) -> FairRates:
    """Return the best rule for each group such that rates differ little between all groups.

    Parameters
    ----------
    y_true, scores, pos_label, sample_weight
        As for `RocHull.from_scores`. Each group may use any of the classifiers.
    groups
        The group of each row.
    conditions
        Exact costs. With prevalence "observed", each group has its own; a stated one holds for all
        groups. Groups count by their shares among the rows.
    tolerance
        The largest allowed difference of a rate between two groups.
    rates
        Which rates must be alike: "fpr" (predictive equality), "tpr" (equal opportunity), "both"
        (equalized odds) or "predicted_positive" (demographic parity).
    limits
        Limits such as `MinimumTpr(0.8)`, `NeymanPearson(0.1)` or `MinimumPrecision(0.5)`: one or
        several for all groups, or a mapping from groups to these.
    randomize
        Whether a coin may choose between settings. If not, each group has one setting; the choice
        is the best one, or its `gap` says how far from it.

    Raises
    ------
    InfeasibleError
        If the limits cannot be met.

    Examples
    --------
    >>> import numpy as np
    >>> import rocch
    >>> rng = np.random.default_rng(0)
    >>> groups = rng.choice(["a", "b"], 2000)
    >>> y = rng.random(2000) < np.where(groups == "a", 0.5, 0.2)
    >>> scores = {"nb": rng.normal(size=2000) + np.where(groups == "a", 1, 2) * y}
    >>> costs = rocch.Conditions(prevalence="observed", false_positive=1, false_negative=2)
    >>> fair = rocch.hybrid.fair_rates(y, scores, groups, costs, rates="tpr", tolerance=0.02)
    >>> fair.violation <= 0.02 < fair.unconstrained.violation
    True
    >>> print(fair.rule(group="region"))
    for region = 'a': predict True when nb >= ...
    for region = 'b': predict True when nb >= ...
    """
    rows = ScoredRows.of(y_true, scores, pos_label=pos_label, sample_weight=sample_weight)
    return find_fair_rates(
        rows,
        groups,
        conditions,
        tolerance=tolerance,
        rates=rates,
        limits=limits,
        randomize=randomize,
    )


def find_fair_rates(
    rows: ScoredRows,
    groups: ArrayLike,
    conditions: Conditions,
    *,
    tolerance: float,
    rates: FairKind,
    limits: GroupLimits | Mapping[Any, GroupLimits] | None,
    randomize: bool,
) -> FairRates:
    """Return `fair_rates` of scored rows."""
    tolerance = as_rate(tolerance, "tolerance")
    named = find_name(rates, RATES) if isinstance(rates, str) else None
    kind: Any = as_choice(named or rates, get_args(FairKind), "rates")
    randomize = as_flag(randomize, "randomize")
    given: Any = conditions
    if isinstance(given, Criterion | LinearLimit):
        hint = "State costs, and limits of each group with {limits}."
        got = f"a {type(given).__name__}"
        raise InputError("conditions", "be Conditions", got, hint)
    costs = as_conditions(conditions)
    names, codes = as_sensitive_groups(groups, rows.positive)
    own_limits = as_group_limits(limits, names)
    weights = np.ones(len(rows)) if rows.weights is None else rows.weights
    shares = np.bincount(codes, weights) / weights.sum()
    found = []
    for code, (name, share) in enumerate(zip(names, shares.tolist(), strict=True)):
        hull = RocHull.from_rows(rows.select(codes == code))
        case = costs.resolved(hull.totals).case
        resolved = own_limits[name].resolved(hull.totals).limits
        found.append(Group(name, hull, share, case, resolved, costs.prevalence == OBSERVED))
    problem = Problem(tuple(found), RATES[kind])
    randomized = problem.randomized(tolerance)
    deterministic = problem.deterministic(tolerance)
    if deterministic is None and not randomize:
        raise problem.no_single_settings(tolerance, randomized)
    free = problem.randomized(1.0) if randomize else problem.deterministic(1.0)
    labels = rows.labels
    known = labels is not None and len(labels.negatives) == 1
    return FairRates(
        problem,
        kind,
        tolerance,
        randomize,
        deterministic,
        randomized,
        free or randomized,
        (labels.negatives[0], labels.positive) if labels is not None and known else (False, True),
    )
