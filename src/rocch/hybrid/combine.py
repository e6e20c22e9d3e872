"""Combining classifiers: rules such as "gbm and nb" that extend the hull, found and confirmed."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from rocch.arrays import BoolArray, FloatArray, IntArray
from rocch.errors import InfeasibleError, InputError
from rocch.hybrid.gain import (
    ALL_SLOPES,
    ROUNDING,
    Gain,
    PredictionHull,
    RowBatch,
    as_costs,
    as_scored_rows,
    as_slopes,
    cost_per_row,
    find_cheapest_order,
    gain_of_adding,
    list_rules,
    predict_each,
    prediction_hull,
    rows_asked,
    split_chain,
    split_rows,
)
from rocch.hybrid.rule import And, Expression, Joined, Or
from rocch.inputs import (
    as_array,
    as_codes,
    as_number,
    as_rate,
    as_whole,
    check_length,
    is_number,
)
from rocch.kernels.hull import extend_hull, joint_counts, sums_where
from rocch.roc.curve import RocCurve
from rocch.roc.hull import RocHull
from rocch.rows import ScoredRows


def choose_finding_rows(
    find: Any, positive: BoolArray, random_state: Any, groups: Any = None
) -> BoolArray:
    """Return a mask of the rows to find with, from a mask or from a share of each class.

    With groups, whole groups are drawn, whatever their classes.
    """
    if not is_number(find):
        mask = as_array(find, "find")
        if mask.dtype != bool:
            raise _bad_find(f"values of type {mask.dtype}")
        check_length(mask.size, positive.size, "find")
        return mask
    if not 0 < find < 1:
        raise _bad_find(repr(find))
    rng = np.random.default_rng(as_whole(random_state, "random_state", least=0))
    if groups is not None:
        return _draw_groups(find, groups, rng)
    chosen = np.zeros(positive.size, dtype=bool)
    for rows in (np.flatnonzero(positive), np.flatnonzero(~positive)):
        chosen[rng.permutation(rows)[: round(find * rows.size)]] = True
    return chosen


def _draw_groups(share: float, groups: Any, rng: np.random.Generator) -> BoolArray:
    group = as_codes(groups, "groups")
    sizes = np.bincount(group)
    order = rng.permutation(sizes.size)
    before = np.cumsum(sizes[order]) - sizes[order]
    chosen: BoolArray = np.isin(group, order[before < share * group.size])
    return chosen


def _bad_find(got: str) -> InputError:
    return InputError(
        "find",
        "be a Boolean mask of the rows to find with, or a share between 0 and 1",
        got,
        "The other rows confirm; 0.5 is a good start.",
    )


# --- Iterative Boolean combination: thresholds joined by *and* and *or* that extend a hull --------
#
# After Khreich, Granger, Miri and Sabourin, *Iterative Boolean combination of classifiers in the
# ROC space* (2010). Every pair of thresholds of two models is tried with both operators; what
# becomes a vertex of the joint hull is tried again with every single model, round after round,
# until nothing extends the hull. Joint counts come from the rows, so dependence between models is
# no obstacle.


@dataclass(frozen=True, slots=True)
class Budget:
    """What each model costs per row, and the most that a rule may cost."""

    costs: Mapping[str, float]
    most: float
    prevalence: float | None

    def affordable(self, models: Iterable[str]) -> list[str]:
        """Return the models that may run on every row."""
        return [model for model in models if self.costs[model] <= self.most]


@dataclass(frozen=True, eq=False)
class Candidates:
    """Expressions with what is needed to combine them."""

    rows: ScoredRows
    expressions: Sequence[Expression]
    costs: Mapping[str, float]

    @cached_property
    def predictions(self) -> BoolArray:
        """One line for each expression."""
        return predict_each(self.rows, self.expressions)

    @cached_property
    def by_class(self) -> tuple[BoolArray, BoolArray]:
        """The predictions on negatives and on positives."""
        positive = self.rows.positive
        return self.predictions[:, ~positive], self.predictions[:, positive]

    @cached_property
    def counts(self) -> tuple[IntArray, IntArray]:
        """False and true positives."""
        return self.rows.count_all(self.predictions)

    @cached_property
    def row_costs(self) -> FloatArray:
        """What each row costs under each expression; one line if all cost the same."""
        alike = not any(isinstance(found, Joined) for found in self.expressions)
        distinct = self.expressions[:1] if alike else self.expressions  # one model's thresholds
        lines = np.zeros((len(distinct), len(self.rows)))
        for line, expression in zip(lines, distinct, strict=True):
            for model, asked in rows_asked(expression, self.rows).items():
                line += self.costs[model] * asked
        return lines


def search_combinations(
    rows: ScoredRows, budget: Budget, *, thresholds: int | None, rounds: int
) -> list[Expression]:
    """Return every combination that held a vertex of the joint hull when its round ended."""
    singles = {
        model: Candidates(rows, list_rules(rows, model, thresholds), budget.costs)
        for model in rows.scores
    }
    nothing = np.zeros((0, len(rows)), dtype=bool)
    cheap = [singles[model].predictions for model in budget.affordable(rows.scores)]
    hull = prediction_hull(rows, np.concatenate([nothing, *cheap])).counts
    pairs: Iterable[tuple[Candidates, Candidates]] = combinations(singles.values(), 2)
    found: list[Expression] = []
    for _ in range(rounds):
        rising = [each for first, second in pairs for each in _rising(hull, first, second, budget)]
        x, y = (np.array([each[i] for each in rising], dtype=np.int64) for i in (0, 1))
        hull, new = extend_hull(hull, x, y)
        if not new.size:
            break
        fresh = [rising[i][2] for i in new.tolist()]
        found += fresh
        survivors = Candidates(rows, fresh, budget.costs)
        pairs = [(survivors, single) for single in singles.values()]
    return found


def _rising(
    hull: tuple[IntArray, IntArray], first: Candidates, second: Candidates, budget: Budget
) -> list[tuple[int, int, Expression]]:
    """Return the combinations that would become vertices, with their false and true positives."""
    units, positive = first.rows.units[0], first.rows.positive
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
    if math.isfinite(budget.most):
        # these sums are rounded; confirmation decides exactly what fits
        limit = budget.most * (1 + ROUNDING)
        allowed = np.flatnonzero(_chain_costs(first, second, budget.prevalence) <= limit)
    found: list[tuple[int, int, Expression]] = []
    for i in allowed[extend_hull(hull, fp[allowed], tp[allowed])[1]].tolist():
        operator = And if i < both[0].size else Or
        a, b = divmod(i % both[0].size, len(second.expressions))
        expression = operator(first.expressions[a], second.expressions[b])
        found.append((int(fp[i]), int(tp[i]), expression))
    return found


def _chain_costs(first: Candidates, second: Candidates, prevalence: float | None) -> FloatArray:
    """Return what every *and*, then every *or*, costs per row in the cheaper order of its parts.

    A model in both parts is counted twice here, so this may overstate and never understates.
    """
    shares = _row_shares(first.rows, prevalence)
    a, b = first.row_costs * shares, second.row_costs * shares
    a_alone, b_alone = a.sum(axis=1)[:, np.newaxis], b.sum(axis=1)
    b_if_a, a_if_b = sums_where(b, first.predictions).T, sums_where(a, second.predictions)
    both = np.minimum(a_alone + b_if_a, b_alone + a_if_b)
    either = np.minimum(a_alone + b_alone - b_if_a, b_alone + a_alone - a_if_b)
    return np.concatenate([both.ravel(), either.ravel()])


def _row_shares(rows: ScoredRows, prevalence: float | None) -> FloatArray:
    """Return the share of each row in a mean at this prevalence; by default the observed one."""
    shares = np.ones(len(rows)) if rows.weights is None else rows.weights.copy()
    shares /= shares.sum()
    if prevalence is not None:
        for among, share in ((rows.positive, prevalence), (~rows.positive, 1 - prevalence)):
            shares[among] *= share / shares[among].sum()
    return shares


# --- Confirmation: what was found on some rows must show its worth on others ----------------------


@dataclass(frozen=True, slots=True)
class Combination:
    """A rule made of several models, and how it did on rows that were not used to find it.

    Attributes
    ----------
    name
        The models and operators, made unique: "gbm and nb", "gbm and nb 2".
    expression
        When to alarm, with its parts in the order that is cheapest to run.
    false_positives, true_positives, fpr, tpr
        Counts (weights, for weighted rows) and rates on the confirming rows.
    gain
        Where it most clearly beats the single models' hull on the confirming rows; None if nowhere.
    running_cost
        What it costs per row on the confirming rows, each part run only where it must be.
    confirmed, reason
        Whether it enters the hull, and why.
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
class Confirmation:
    """The confirming rows, and what a combination must show on them."""

    rows: ScoredRows
    budget: Budget
    slopes: tuple[float, float]
    standard_errors: float

    def confirm(self, expressions: Iterable[Expression]) -> list[Combination]:
        """Evaluate combinations, simplest first; confirm those that others do not outdo."""
        ranked = sorted(expressions, key=lambda found: (_size(found), found.words()))
        names = unique_names(ranked, self.rows.scores)
        alone = [self._evaluate(*pair) for pair in zip(ranked, names, strict=True)]
        return self._reject_outdone(alone)

    @cached_property
    def singles(self) -> list[str]:
        """The single models within the budget."""
        return self.budget.affordable(self.rows.scores)

    @cached_property
    def _single_hull(self) -> PredictionHull:
        """The single models at their best thresholds on the confirming rows."""
        rules = [rule for model in self.singles for rule in list_rules(self.rows, model)]
        return prediction_hull(self.rows, predict_each(self.rows, rules))

    def _evaluate(self, expression: Expression, name: str) -> Combination:
        """Compare one combination with the single models."""
        rows, budget = self.rows, self.budget
        predictions = predict_each(rows, [expression])
        counts = rows.count(predictions[0])
        gain = gain_of_adding(
            rows, self._single_hull, predictions, self.slopes, self.standard_errors
        )
        cost = cost_per_row(expression, rows, budget.costs, budget.prevalence)
        confirmed = False
        if cost > budget.most:
            reason = f"it costs {cost:.4g} per row here, above {budget.most:g}"
        elif gain is None:
            reason = "it gains nothing over the single models"
        else:
            confirmed = gain.exceeds(self.standard_errors)
            reason = f"it gains {gain}" if confirmed else f"it gains only {gain}"
        return Combination(
            name=name,
            expression=expression,
            false_positives=rows.amount(counts[0]),
            true_positives=rows.amount(counts[1]),
            fpr=counts[0] / rows.totals[0],
            tpr=counts[1] / rows.totals[1],
            gain=gain,
            running_cost=cost,
            confirmed=confirmed,
            reason=reason,
        )

    def _reject_outdone(self, alone: Sequence[Combination]) -> list[Combination]:
        """Confirm only those that hold a vertex beside the others; of equal ones the simplest."""
        passed = [i for i, combination in enumerate(alone) if combination.confirmed]
        predictions = predict_each(self.rows, (alone[i].expression for i in passed))
        _, new = extend_hull(self._single_hull.counts, *self.rows.count_all(predictions))
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
    """Return which models are combined how, without thresholds."""
    if not isinstance(expression, Joined):
        return ", ".join(expression.models) or expression.words()
    return f" {expression.word} ".join(
        f"({short_name(part)})" if isinstance(part, Joined) else short_name(part)
        for part in split_chain(expression)
    )


def _size(expression: Expression) -> int:
    parts = split_chain(expression)
    return 1 if len(parts) == 1 else sum(map(_size, parts))


# --- Search and confirmation ----------------------------------------------------------------------
#
# Among thousands of combinations some extend any hull by luck. So one part of the rows finds them,
# and another, not used to find them, must show a gain beyond its standard error.

# More rounds would make rules of more than five parts, which nobody can explain.
MOST_ROUNDS = 4


@dataclass(frozen=True, slots=True)
class Combinations:
    """What a search for combinations found, and what of it was confirmed.

    Attributes
    ----------
    found
        All combinations that extended the hull on the finding rows, simplest first.
    hull
        The joint hull on the confirming rows of the single models within the budget and the
        confirmed combinations, these as labeled points under their words.
    singles
        The hull of these single models alone; None if none is affordable.
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
        Names of at least two models to their scores on these rows, best out of fold; Boolean
        predictions for a model that only labels.
    find, random_state
        The rows to find with: a Boolean mask (to keep groups together, or to find in the past and
        confirm later), or a share to draw from each class with this seed. The others confirm.
    thresholds
        How many thresholds of each model to combine, at even ranks, beside those at the vertices of
        its own hull; by default only these. More are slower and can find more.
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

    Raises
    ------
    InfeasibleError
        If nothing can run within the budget.

    Notes
    -----
    The single models get their best thresholds on the confirming rows themselves, the combinations
    keep those of the finding rows; so the comparison favors the single models.

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
    rows = as_scored_rows(y_true, scores, pos_label=pos_label, sample_weight=sample_weight)
    if len(rows.scores) < 2:
        raise InputError("scores", "name at least two models", "one")
    limits = Budget(
        as_costs(costs, rows.scores),
        math.inf if budget is None else as_number(budget, "budget", least=0),
        None if prevalence is None else as_rate(prevalence, "prevalence"),
    )
    if as_whole(rounds, "rounds", least=1) > MOST_ROUNDS:
        raise InputError("rounds", f"be a whole number, at most {MOST_ROUNDS}", rounds)
    return combine_rows(
        rows,
        choose_finding_rows(find, rows.positive, random_state),
        limits,
        as_slopes(slopes),
        thresholds=None if thresholds is None else as_whole(thresholds, "thresholds", least=1),
        rounds=rounds,
        standard_errors=as_number(standard_errors, "standard_errors", least=0),
    )


def combine_rows(
    rows: ScoredRows,
    finding: BoolArray,
    budget: Budget,
    slopes: tuple[float, float],
    *,
    thresholds: int | None = None,
    rounds: int = 2,
    standard_errors: float = 1.0,
    argument: str = "find",
) -> Combinations:
    """Find combinations on some rows and confirm them on the others; models are sorted by name.

    `argument` is what the caller calls the choice of finding rows, for messages.
    """
    finders, others = split_rows(rows, finding, argument)
    expressions = [
        find_cheapest_order(found, finders, budget.costs, budget.prevalence)
        for found in search_combinations(finders, budget, thresholds=thresholds, rounds=rounds)
    ]
    confirmation = Confirmation(others, budget, slopes, standard_errors)
    found = confirmation.confirm(expressions)
    singles = [RocCurve.from_rows(others, model) for model in confirmation.singles]
    added = [
        RocCurve.from_labels(
            others.positive,
            combination.expression.alarms(RowBatch(others)),
            sample_weight=others.weights,
            name=combination.words,
        )
        for combination in found
        if combination.confirmed
    ]
    if not singles and not added:
        raise InfeasibleError(
            f"nothing can be run for {budget.most:g} per row: the cheapest model costs "
            f"{min(budget.costs.values()):g}, and no chain was confirmed. Raise the budget."
        )
    hull = RocHull.of(*singles, *added)
    return Combinations(tuple(found), hull, RocHull.of(*singles) if singles else None)
