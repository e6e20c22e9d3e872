"""Combining classifiers: rules such as "gbm and nb" that extend the hull, found and confirmed."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from rocch.arrays import BoolArray, FloatArray, IntArray
from rocch.errors import InfeasibleError, InputError
from rocch.hybrid.gain import (
    ALL_SLOPES,
    ROUNDING,
    DecidedSample,
    Envelope,
    Gain,
    as_costs,
    as_slopes,
    cost_per_row,
    envelope,
    gains,
    in_cheapest_order,
    parts,
    row_shares,
    spent,
    strongest,
)
from rocch.hybrid.rule import And, Expression, Joined, Or
from rocch.inputs import as_array, as_codes, as_number, as_rate, check_length, is_number
from rocch.kernels.hull import extend_hull, joint_counts, sums_where
from rocch.roc.curve import RocCurve
from rocch.roc.hull import RocHull

# --- Which rows find, and which confirm -----------------------------------------------------------


def rows_to_find(
    find: Any, positive: BoolArray, random_state: Any, groups: Any = None
) -> BoolArray:
    """Return a mask of the rows to find with, from a mask or from a share of each class.

    With groups, whole groups are drawn, whatever their classes.
    """
    if not is_number(find):
        return _mask(find, positive.size)
    if not 0 < find < 1:
        raise _bad_find(repr(find))
    if isinstance(random_state, bool) or not isinstance(random_state, int) or random_state < 0:
        raise InputError(
            "random_state", "be a whole number, not negative", repr(random_state), "Pass a seed."
        )
    rng = np.random.default_rng(random_state)
    if groups is not None:
        return _some_groups(find, groups, rng)
    chosen = np.zeros(positive.size, dtype=bool)
    for rows in (np.flatnonzero(positive), np.flatnonzero(~positive)):
        chosen[rng.permutation(rows)[: round(find * rows.size)]] = True
    return chosen


def _some_groups(find: float, groups: Any, rng: np.random.Generator) -> BoolArray:
    group = as_codes(groups, "groups")
    sizes = np.bincount(group)
    order = rng.permutation(sizes.size)
    before = np.cumsum(sizes[order]) - sizes[order]
    chosen: BoolArray = np.isin(group, order[before < find * group.size])
    return chosen


def _mask(find: Any, rows: int) -> BoolArray:
    mask = as_array(find, "find")
    if mask.dtype != bool:
        raise _bad_find(f"values of type {mask.dtype}")
    check_length(mask.size, rows, "find")
    return mask


def _bad_find(got: str) -> Exception:
    return InputError(
        "find",
        "be a Boolean mask of the rows to find with, or a share between 0 and 1",
        got,
        "The other rows confirm; 0.5 is a good start.",
    )


# --- Iterative Boolean combination: thresholds joined by *and* and *or* that extend a hull --------
#
# After Khreich, Granger, Miri and Sabourin, *Iterative Boolean combination of classifiers in the
# ROC space* (2010). Every pair of settings of two models is tried with both operators; what becomes
# a vertex of the joint hull is tried again with every single model, round after round, until
# nothing extends the hull. Joint counts come from the rows, so dependence between models is no
# obstacle.


@dataclass(frozen=True, slots=True)
class Budget:
    """How much a rule may cost per row, and what each model costs."""

    costs: Mapping[str, float]
    most: float
    prevalence: float | None


class Hit(NamedTuple):
    """A combination that rose above the hull: its counts, and how it is made."""

    false_positives: int
    true_positives: int
    expression: Expression


@dataclass(frozen=True, eq=False)
class Pool:
    """Expressions with what is needed to combine them: alarms, counts, and what rows cost."""

    sample: DecidedSample
    expressions: Sequence[Expression]
    costs: Mapping[str, float] | None = None

    @cached_property
    def alarms(self) -> BoolArray:
        """One row of alarms for each expression."""
        return self.sample.decisions(self.expressions)

    @cached_property
    def by_class(self) -> tuple[BoolArray, BoolArray]:
        """The alarms on negatives and on positives."""
        return self.alarms[:, ~self.sample.positive], self.alarms[:, self.sample.positive]

    @cached_property
    def counts(self) -> tuple[IntArray, IntArray]:
        """False and true positives."""
        return self.sample.count_all(self.alarms)

    @cached_property
    def spent(self) -> FloatArray:
        """What each row costs under each expression; one line if all cost the same."""
        costs = self.costs or {}
        alike = not any(isinstance(found, Joined) for found in self.expressions)
        distinct = self.expressions[:1] if alike else self.expressions  # one model's thresholds
        rows = [spent(expression, self.sample, costs) for expression in distinct]
        return np.array(rows).reshape(len(rows), len(self.sample))


def affordable(sample: DecidedSample, budget: Budget | None) -> list[str]:
    """Return the models that may be asked for every row."""
    return [
        model for model in sample.models if budget is None or budget.costs[model] <= budget.most
    ]


def search(
    sample: DecidedSample, *, thresholds: int | None, rounds: int, budget: Budget | None
) -> list[Expression]:
    """Return every combination that held a vertex of the joint hull when its round ended."""
    costs = None if budget is None else budget.costs
    singles = {
        model: Pool(sample, sample.settings(model, thresholds), costs) for model in sample.models
    }
    hull = _vertices(sample, [singles[model] for model in affordable(sample, budget)])
    pairs: Iterable[tuple[Pool, Pool]] = combinations(singles.values(), 2)
    found: list[Expression] = []
    for _ in range(rounds):
        hull, fresh = _round(hull, pairs, budget)
        if not fresh:
            break
        found += fresh
        survivors = Pool(sample, fresh, costs)
        pairs = [(survivors, single) for single in singles.values()]
    return found


def _round(
    hull: tuple[IntArray, IntArray], pairs: Iterable[tuple[Pool, Pool]], budget: Budget | None
) -> tuple[tuple[IntArray, IntArray], list[Expression]]:
    """Return the hull after all pairs were tried, and the combinations that are new on it."""
    hits = [hit for first, second in pairs for hit in _rising(hull, first, second, budget)]
    x = np.array([hit.false_positives for hit in hits], dtype=np.int64)
    y = np.array([hit.true_positives for hit in hits], dtype=np.int64)
    joint, new = extend_hull(hull, x, y)
    return joint, [hits[i].expression for i in new]


def _rising(
    hull: tuple[IntArray, IntArray], first: Pool, second: Pool, budget: Budget | None
) -> list[Hit]:
    """Return the combinations of two pools that would become vertices."""
    units, positive = first.sample.units, first.sample.positive
    weights = (None, None) if units is None else (units[~positive], units[positive])
    both = [
        joint_counts(a, b, w)
        for a, b, w in zip(first.by_class, second.by_class, weights, strict=True)
    ]
    either = [
        a[:, np.newaxis] + b - joint
        for a, b, joint in zip(first.counts, second.counts, both, strict=True)
    ]
    fp, tp = (np.concatenate([b.ravel(), e.ravel()]) for b, e in zip(both, either, strict=True))
    allowed = np.arange(fp.size)
    if budget is not None:
        # these sums are rounded; confirmation decides exactly what fits
        allowed = np.flatnonzero(
            _chain_costs(first, second, budget) <= budget.most * (1 + ROUNDING)
        )
    hits = []
    for i in allowed[extend_hull(hull, fp[allowed], tp[allowed])[1]].tolist():
        operator = And if i < both[0].size else Or
        a, b = divmod(i % both[0].size, len(second.expressions))
        expression = operator(first.expressions[a], second.expressions[b])
        hits.append(Hit(int(fp[i]), int(tp[i]), expression))
    return hits


def _chain_costs(first: Pool, second: Pool, budget: Budget) -> FloatArray:
    """Return what every *and*, then every *or*, costs per row in the cheaper order of its parts.

    A model that both parts ask is counted twice here, so this may overstate and never understates.
    """
    shares = row_shares(first.sample, budget.prevalence)
    a, b = first.spent * shares, second.spent * shares
    a_alone, b_alone = a.sum(axis=1)[:, np.newaxis], b.sum(axis=1)
    b_if_a, a_if_b = sums_where(b, first.alarms).T, sums_where(a, second.alarms)
    both = np.minimum(a_alone + b_if_a, b_alone + a_if_b)
    either = np.minimum(a_alone + b_alone - b_if_a, b_alone + a_alone - a_if_b)
    return np.concatenate([both.ravel(), either.ravel()])


def _vertices(sample: DecidedSample, pools: Sequence[Pool]) -> tuple[IntArray, IntArray]:
    """Return the counts at the vertices of the single models' hull."""
    decisions = [pool.alarms for pool in pools]
    nothing = np.zeros((0, len(sample)), dtype=bool)
    return envelope(sample, np.concatenate([nothing, *decisions])).counts


# --- Confirmation: what was found on some rows must show its worth on others ----------------------


@dataclass(frozen=True, slots=True)
class Combination:
    """A rule made of several models, and how it did on rows that were not used to find it.

    Attributes
    ----------
    name
        The models and operators, made unique: "gbm and nb", "gbm and nb 2".
    expression
        When to alarm; its parts stand in the order that is cheapest to run.
    false_positives, true_positives, fpr, tpr
        Counts (weights, for weighted rows) and rates on the confirming rows.
    gain
        Where it most clearly beats the single models' hull on the confirming rows: the slope, the
        gain there and its standard error. None if it does nowhere.
    running_cost
        What it costs per row on the confirming rows, each part asked only where it must be.
    confirmed
        Whether it enters the hull.
    reason
        Why, or why not.
    """

    name: str
    expression: Expression
    false_positives: float
    true_positives: float
    fpr: float
    tpr: float
    gain: Gain | None
    running_cost: float
    confirmed: bool
    reason: str

    @property
    def words(self) -> str:
        """The rule in plain words; its name on the hull."""
        return self.expression.words()

    def __str__(self) -> str:
        return (
            f"{self.words}: FPR {self.fpr:.3f}, TPR {self.tpr:.3f}, cost {self.running_cost:.4g} "
            f"per row; {'confirmed' if self.confirmed else 'not confirmed'}: {self.reason}"
        )


@dataclass(frozen=True, eq=False)
class Judge:
    """The confirming rows, and what a combination must show on them."""

    sample: DecidedSample
    budget: Budget
    slopes: tuple[float, float]
    standard_errors: float

    @cached_property
    def singles(self) -> list[str]:
        """The single models within the budget."""
        return affordable(self.sample, self.budget)

    def judged(self, expressions: Iterable[Expression]) -> list[Combination]:
        """Judge combinations, simplest first; those that others outdo are not confirmed."""
        ranked = sorted(expressions, key=lambda found: (_size(found), found.words()))
        alone = [
            self._alone(found, name)
            for found, name in zip(ranked, unique_names(ranked, self.sample.models), strict=True)
        ]
        return self._without_outdone(alone)

    @cached_property
    def _base(self) -> Envelope:
        """The single models at their best thresholds on the confirming rows."""
        settings = [s for model in self.singles for s in self.sample.settings(model)]
        return envelope(self.sample, self.sample.decisions(settings))

    def _alone(self, expression: Expression, name: str) -> Combination:
        """Judge one combination against the single models."""
        alarms = expression.alarms(self.sample)
        counts = self.sample.count(alarms)
        fpr, tpr = (count / all_ for count, all_ in zip(counts, self.sample.totals, strict=True))
        cost = cost_per_row(expression, self.sample, self.budget.costs, self.budget.prevalence)
        gain = self._gain(alarms, counts)
        confirmed, reason = self._verdict(gain, cost)
        return Combination(
            name=name,
            expression=expression,
            false_positives=self.sample.amount(counts[0]),
            true_positives=self.sample.amount(counts[1]),
            fpr=fpr,
            tpr=tpr,
            gain=gain,
            running_cost=cost,
            confirmed=confirmed,
            reason=reason,
        )

    def _gain(self, alarms: BoolArray, counts: tuple[int, int]) -> Gain | None:
        fp, tp = (
            np.append(known, count) for known, count in zip(self._base.counts, counts, strict=True)
        )
        if not extend_hull(self._base.counts, fp[-1:], tp[-1:])[1].size:
            return None
        ours = envelope(self.sample, np.vstack((self._base.alarms, alarms)), (fp, tp))
        found = gains(self.sample, ours, self._base, self.slopes)
        return strongest(found, self.standard_errors)

    def _verdict(self, gain: Gain | None, cost: float) -> tuple[bool, str]:
        if cost > self.budget.most:
            return False, f"it costs {cost:.4g} per row here, above {self.budget.most:g}"
        if gain is None:
            return False, "it gains nothing over the single models"
        if not gain.exceeds(self.standard_errors):
            return False, f"it gains only {gain}"
        return True, f"it gains {gain}"

    def _without_outdone(self, alone: Sequence[Combination]) -> list[Combination]:
        """Confirm only those that hold a vertex beside the others; of equal ones the simplest."""
        passed = [i for i, combination in enumerate(alone) if combination.confirmed]
        alarms = self.sample.decisions(alone[i].expression for i in passed)
        _, new = extend_hull(self._base.counts, *self.sample.count_all(alarms))
        outdone = set(passed) - {passed[i] for i in new.tolist()}
        reason = "other confirmed combinations do as well or better at every slope"
        return [
            replace(combination, confirmed=False, reason=reason) if i in outdone else combination
            for i, combination in enumerate(alone)
        ]


def unique_names(expressions: Iterable[Expression], taken: Iterable[str]) -> list[str]:
    """Name combinations by their models and operators, numbered from the second on."""
    seen = Counter(taken)
    names = []
    for expression in expressions:
        name = plain = short_name(expression)
        while seen[name]:
            seen[plain] += 1
            name = f"{plain} {seen[plain]}"
        seen[name] += 1
        names.append(name)
    return names


def short_name(expression: Expression) -> str:
    """Say which models are combined how, without thresholds."""
    if not isinstance(expression, Joined):
        return ", ".join(expression.models) or expression.words()
    operator = " and " if isinstance(expression, And) else " or "
    inside = parts(expression)
    return operator.join(
        f"({short_name(part)})" if isinstance(part, Joined) else short_name(part) for part in inside
    )


def _size(expression: Expression) -> int:
    inside = parts(expression)
    return 1 if len(inside) == 1 else sum(map(_size, inside))


# --------------------------------------------------------------------------------------------------
# Combining classifiers: rules such as "gbm and nb" that extend the hull, found and confirmed.
#
# Among thousands of combinations some extend any hull by luck. So one part of the rows finds them,
# and another, not used to find them, must show a gain beyond its standard error.

MOST_ROUNDS = 4
"""More would make rules of more than five parts, which nobody can explain."""


@dataclass(frozen=True, slots=True)
class Combinations:
    """What a search for combinations found, and what of it was confirmed.

    Attributes
    ----------
    found
        All combinations that extended the hull on the finding rows, simplest first.
    hull
        The joint hull on the confirming rows: the single models (those within the budget, if
        there is one) and the confirmed combinations, these as labeled points under their words.
    singles
        The hull of the single models alone on the confirming rows; None if none is affordable.
    """

    found: tuple[Combination, ...]
    hull: RocHull
    singles: RocHull | None

    @property
    def confirmed(self) -> tuple[Combination, ...]:
        """The combinations that hold a vertex of `hull` and gain more than their standard error."""
        return tuple(combination for combination in self.found if combination.confirmed)

    @property
    def rejected(self) -> tuple[Combination, ...]:
        """The others; each says why."""
        return tuple(combination for combination in self.found if not combination.confirmed)


def find_combinations(
    y_true: Any,
    scores: Any,
    *,
    find: Any = 0.5,
    pos_label: Any = None,
    sample_weight: Any = None,
    thresholds: int | None = None,
    rounds: int = 2,
    costs: Mapping[str, float] | None = None,
    budget: float | None = None,
    prevalence: float | None = None,
    slopes: tuple[float, float] = ALL_SLOPES,
    standard_errors: float = 1.0,
    random_state: int = 0,
) -> Combinations:
    """Search for rules of several models that extend their hull, and confirm them on other rows.

    Parameters
    ----------
    y_true, pos_label, sample_weight
        Labels and weights, as for `RocCurve.from_scores`.
    scores
        Names of models to their scores on these rows, best out of fold; Boolean alarms for a model
        that only labels. At least two models.
    find
        The rows to find with: a Boolean mask (choose it yourself to keep groups together, or to
        find in the past and confirm later), or a share to draw at random from each class. The
        other rows confirm.
    thresholds
        Thresholds of each model to combine: by default those at the vertices of its own hull on
        the finding rows. A number adds so many others, at even ranks (all, if there are no more):
        slower, and it can find what the vertices alone do not give.
    rounds
        How often what was found is combined with the single models again, 1 to 4. After one round
        a rule has two parts, after two up to three.
    costs, prevalence
        What one row costs each model (by default 1), and the share of positives where the rules
        will run (by default the observed one): for running costs and the order of the parts.
    budget
        The most that a rule may cost per row. Single models that cost more are left out of the
        hull, yet may be the later part of a chain.
    slopes
        Only gains at these slopes count: `conditions.slope_range`, for example.
    standard_errors
        How many standard errors a gain must exceed.
    random_state
        The seed for drawing a share.

    Returns
    -------
    Combinations

    Raises
    ------
    InputError
        If the data cannot be used, or too few rows of a class are left to find or to confirm with.
    InfeasibleError
        If nothing can be run within the budget.

    Notes
    -----
    The single models are given their best thresholds on the confirming rows themselves, the
    combinations keep those of the finding rows; so the comparison favors the single models.

    Examples
    --------
    >>> import numpy as np, rocch
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(4000) < 0.3
    >>> scores = {  # two symptoms, and only the ill have both
    ...     "fever": rng.normal(size=4000) + 2 * (y | (rng.random(4000) < 0.3)),
    ...     "cough": rng.normal(size=4000) + 2 * (y | (rng.random(4000) < 0.3)),
    ... }
    >>> result = rocch.hybrid.find_combinations(y, scores, rounds=1)
    >>> print(f"{result.singles.auc:.3f} -> {result.hull.auc:.3f}")
    0.820 -> 0.883
    >>> print(result.confirmed[0].name, result.confirmed[0].gain)
    cough and fever 0.0197 +- 0.00655 at slope 0.337
    """
    sample = DecidedSample.of(y_true, scores, pos_label=pos_label, sample_weight=sample_weight)
    if len(sample.models) < 2:
        raise InputError(
            "scores", "name at least two models", "one", "There is nothing to combine."
        )
    dear = as_costs(costs, sample.models)
    limit = None if budget is None else as_number(budget, "budget", least=0)
    prevalence = None if prevalence is None else as_rate(prevalence, "prevalence")
    finding = rows_to_find(find, sample.positive, random_state)
    finders, others = sample.part(finding, "find"), sample.part(~finding, "confirm")
    expressions = search(
        finders,
        thresholds=None if thresholds is None else _whole(thresholds, "thresholds", 1, None),
        rounds=_whole(rounds, "rounds", 1, MOST_ROUNDS),
        budget=None if limit is None else Budget(dear, limit, prevalence),
    )
    ordered = [in_cheapest_order(found, finders, dear, prevalence) for found in expressions]
    judge = Judge(
        others,
        Budget(dear, math.inf if limit is None else limit, prevalence),
        as_slopes(slopes),
        as_number(standard_errors, "standard_errors", least=0),
    )
    return _result(judge, judge.judged(ordered))


def _result(judge: Judge, found: Sequence[Combination]) -> Combinations:
    sample = judge.sample
    singles = [sample.curve(model) for model in judge.singles]
    added = [
        RocCurve.from_labels(
            sample.positive,
            combination.expression.alarms(sample),
            sample_weight=sample.weights,
            name=combination.words,
        )
        for combination in found
        if combination.confirmed
    ]
    if not singles and not added:
        raise InfeasibleError(
            f"nothing can be run for {judge.budget.most:g} per row: the cheapest model costs "
            f"{min(judge.budget.costs.values()):g}, and no chain was confirmed. Raise the budget."
        )
    hull = RocHull.of(*singles, *added)
    return Combinations(tuple(found), hull, RocHull.of(*singles) if singles else None)


def _whole(value: Any, argument: str, least: int, most: int | None) -> int:
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or value < least or (most is not None and value > most):
        upper = "" if most is None else f" and at most {most}"
        raise InputError(
            argument, f"be a whole number, at least {least}{upper}", repr(value), "See its default."
        )
    return int(value)
