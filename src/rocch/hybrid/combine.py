"""Rules of several classifiers that extend the hull, found and confirmed."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rocch.arrays import BoolArray, Columns, FloatArray, IntArray, Label
from rocch.errors import InfeasibleError, InputError, format_count
from rocch.hybrid.expression import And, Expression, Joined, Or
from rocch.hybrid.gain import (
    ALL_SLOPES,
    ROUNDING,
    Gain,
    as_costs,
    as_scored_rows,
    as_slopes,
    cost_per_row,
    find_cheapest_order,
    gain_of_adding,
    list_rules,
    predict_each,
    prediction_hull,
    rows_to_score,
    split_chain,
    split_rows,
)
from rocch.inputs import as_array, as_level, as_number, as_rate, as_whole, check_length, is_number
from rocch.kernels.hull import extend_hull, joint_counts, sums_where
from rocch.labels import as_codes
from rocch.progress import Verbose, track
from rocch.results import Record, Records, Table, Tabular, collect, field_values
from rocch.roc.hull import RocHull
from rocch.rows import ScoredRows


def choose_finding_rows(
    find: float | ArrayLike,
    positive: BoolArray,
    random_state: int,
    groups: ArrayLike | None = None,
) -> BoolArray:
    """Return a mask of the rows to find with, from a mask or a share."""
    if not is_number(find):
        mask = as_array(find, "find")
        if mask.dtype != bool:
            raise InputError(
                "find",
                "be a Boolean mask of the rows to find with, or a share between 0 and 1",
                f"values of type {mask.dtype}",
                "For example: 0.5.",
            )
        check_length(mask.size, positive.size, "find")
        return mask
    share = as_level(find, "find", hint="For example: 0.5, or a Boolean mask of the rows.")
    rng = np.random.default_rng(as_whole(random_state, "random_state", least=0))
    if groups is not None:
        group = as_codes(groups, "groups")
        sizes = np.bincount(group)
        order = rng.permutation(sizes.size)
        before = np.cumsum(sizes[order]) - sizes[order]
        return np.isin(group, order[before < share * group.size])
    chosen = np.zeros(positive.size, dtype=bool)
    for rows in (np.flatnonzero(positive), np.flatnonzero(~positive)):
        chosen[rng.permutation(rows)[: round(share * rows.size)]] = True
    return chosen


# The search follows Khreich, Granger, Miri and Sabourin, *Iterative Boolean combination of
# classifiers in the ROC space* (2010). Every pair of thresholds of two models is tried with *and*
# and *or*; vertices of the joint hull are tried again with every single model, until nothing
# extends the hull. Joint counts come from the rows, so models may depend on each other.


@dataclass(frozen=True, slots=True)
class Budget:
    """Each model's cost per row, and the most that a rule may cost."""

    costs: Mapping[str, float]
    most: float
    prevalence: float | None

    def affordable(self, models: Iterable[str]) -> list[str]:
        """Return the models within the budget."""
        return [model for model in models if self.costs[model] <= self.most]


@dataclass(frozen=True, eq=False)
class ExpressionPool:
    """Expressions to combine."""

    rows: ScoredRows
    expressions: Sequence[Expression]
    costs: Mapping[str, float]

    @cached_property
    def predictions(self) -> BoolArray:
        """One line per expression."""
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
        """The cost of each row by expression; one line if all cost the same."""
        same = not any(isinstance(found, Joined) for found in self.expressions)
        distinct = self.expressions[:1] if same else self.expressions  # one model's thresholds
        lines = np.zeros((len(distinct), len(self.rows)))
        for line, expression in zip(lines, distinct, strict=True):
            for model, scored in rows_to_score(expression, self.rows).items():
                line += self.costs[model] * scored
        return lines


def search_combinations(
    rows: ScoredRows,
    budget: Budget,
    *,
    thresholds: int | None,
    rounds: int,
    advance: Callable[[], object] = lambda: None,
) -> list[Expression]:
    """Return every combination that was a vertex of the joint hull after its round.

    `advance` is called after each pair of pools.
    """
    singles = {
        model: ExpressionPool(rows, list_rules(rows, model, thresholds), budget.costs)
        for model in rows.scores
    }
    nothing = np.zeros((0, len(rows)), dtype=bool)
    cheap = [singles[model].predictions for model in budget.affordable(rows.scores)]
    hull = prediction_hull(rows, np.concatenate([nothing, *cheap])).counts
    pairs: Iterable[tuple[ExpressionPool, ExpressionPool]] = combinations(singles.values(), 2)
    found: list[Expression] = []
    for _ in range(rounds):
        rising: list[tuple[int, int, Expression]] = []
        for first, second in pairs:
            rising += _rising(hull, first, second, budget)
            advance()
        x, y = (np.array([each[i] for each in rising], dtype=np.int64) for i in (0, 1))
        hull, new = extend_hull(hull, x, y)
        if not new.size:
            break
        fresh = [rising[i][2] for i in new.tolist()]
        found += fresh
        survivors = ExpressionPool(rows, fresh, budget.costs)
        pairs = [(survivors, single) for single in singles.values()]
    return found


def _rising(
    hull: tuple[IntArray, IntArray], first: ExpressionPool, second: ExpressionPool, budget: Budget
) -> list[tuple[int, int, Expression]]:
    """Return the combinations that would become vertices, with their counts."""
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
        # these sums are rounded; confirmation is exact
        limit = budget.most * (1 + ROUNDING)
        allowed = np.flatnonzero(_chain_costs(first, second, budget.prevalence) <= limit)
    found: list[tuple[int, int, Expression]] = []
    for i in allowed[extend_hull(hull, fp[allowed], tp[allowed])[1]].tolist():
        operator = And if i < both[0].size else Or
        a, b = divmod(i % both[0].size, len(second.expressions))
        expression = operator(first.expressions[a], second.expressions[b])
        found.append((int(fp[i]), int(tp[i]), expression))
    return found


def _chain_costs(
    first: ExpressionPool, second: ExpressionPool, prevalence: float | None
) -> FloatArray:
    """Return upper bounds on the cost of every *and*, then every *or*, in the cheaper order."""
    shares = _row_shares(first.rows, prevalence)  # a model in both parts counts twice here
    a, b = first.row_costs * shares, second.row_costs * shares
    a_alone, b_alone = a.sum(axis=1)[:, np.newaxis], b.sum(axis=1)
    b_if_a, a_if_b = sums_where(b, first.predictions).T, sums_where(a, second.predictions)
    both = np.minimum(a_alone + b_if_a, b_alone + a_if_b)
    either = np.minimum(a_alone + b_alone - b_if_a, b_alone + a_alone - a_if_b)
    return np.concatenate([both.ravel(), either.ravel()])


def _row_shares(rows: ScoredRows, prevalence: float | None) -> FloatArray:
    """Return each row's share in a mean at a prevalence."""
    shares = np.ones(len(rows)) if rows.weights is None else rows.weights.copy()
    shares /= shares.sum()
    if prevalence is not None:
        for among, share in ((rows.positive, prevalence), (~rows.positive, 1 - prevalence)):
            shares[among] *= share / shares[among].sum()
    return shares


@dataclass(frozen=True, slots=True, repr=False)
class Combination(Record):
    """A rule of several models, with its results on the confirming rows.

    Attributes
    ----------
    name
        A unique name of models and operators: "gbm and nb", "gbm and nb 2".
    expression
        When to alarm, in the order that is cheapest to run.
    false_positives, true_positives, fpr, tpr
        Counts (or weights) and rates.
    gain
        The clearest gain over the hull of single models, if any.
    running_cost
        The cost per row, each part run only where needed.
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
        """The rule in plain words, its name on the hull."""
        return self.expression.words()

    def __str__(self) -> str:
        return (
            f"{self.words}: FPR {self.fpr:.3f}, TPR {self.tpr:.3f}, cost {self.running_cost:.4g} "
            f"per row; {'confirmed' if self.confirmed else 'not confirmed'}: {self.reason}"
        )

    def _row(self) -> dict[str, Any]:
        row = {"name": self.name, "rule": self.words, **field_values(self)}
        return row | ({"gain": None} if self.gain is None else self.gain._row())


def _confirm(
    rows: ScoredRows,
    expressions: Iterable[Expression],
    budget: Budget,
    slopes: tuple[float, float],
    standard_errors: float,
) -> list[Combination]:
    """Evaluate combinations, simplest first; confirm those on the hull that clearly gain."""
    rules = [rule for model in budget.affordable(rows.scores) for rule in list_rules(rows, model)]
    hull = prediction_hull(rows, predict_each(rows, rules))
    ranked = sorted(expressions, key=lambda found: (_size(found), found.words()))
    names = unique_names(ranked, rows.scores)
    predictions = predict_each(rows, ranked)
    fp, tp = rows.count_all(predictions)
    evaluated = []
    for i, (name, expression) in enumerate(zip(names, ranked, strict=True)):
        gain = gain_of_adding(rows, hull, predictions[i : i + 1], slopes, standard_errors)
        cost = cost_per_row(expression, rows, budget.costs, budget.prevalence)
        confirmed = False
        if cost > budget.most:
            reason = f"it costs {cost:.4g} per row here, above {budget.most:g}"
        elif gain is None:
            reason = "it gains nothing over the single models"
        else:
            confirmed = gain.exceeds(standard_errors)
            reason = f"it gains {gain}" if confirmed else f"it gains only {gain}"
        combination = Combination(
            name=name,
            expression=expression,
            false_positives=rows.amount(int(fp[i])),
            true_positives=rows.amount(int(tp[i])),
            fpr=int(fp[i]) / rows.totals[0],
            tpr=int(tp[i]) / rows.totals[1],
            gain=gain,
            running_cost=cost,
            confirmed=confirmed,
            reason=reason,
        )
        evaluated.append(combination)
    # only vertices of the joint hull are confirmed, and of equal ones the simplest
    passed = np.flatnonzero([combination.confirmed for combination in evaluated])
    _, new = extend_hull(hull.counts, fp[passed], tp[passed])
    reason = "other confirmed combinations do as well or better at every slope"
    for i in np.delete(passed, new).tolist():
        evaluated[i] = replace(evaluated[i], confirmed=False, reason=reason)
    return evaluated


def unique_names(expressions: Iterable[Expression], taken: Iterable[str]) -> list[str]:
    """Name combinations by models and operators, numbered from the second on."""
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
    """Return models and operators without thresholds."""
    if not isinstance(expression, Joined):
        return ", ".join(expression.models) or expression.words()
    return f" {expression.word} ".join(
        f"({short_name(part)})" if isinstance(part, Joined) else short_name(part)
        for part in split_chain(expression)
    )


def _size(expression: Expression) -> int:
    parts = split_chain(expression)
    return 1 if len(parts) == 1 else sum(map(_size, parts))


# Among thousands of combinations some extend any hull by luck. So some rows find them, and others
# must confirm a gain beyond its standard error.

# More rounds would make rules of more than five parts.
MOST_ROUNDS = 4


@dataclass(frozen=True, slots=True, repr=False)
class Combinations(Tabular):
    """Combinations found and confirmed.

    Attributes
    ----------
    found
        All combinations that extended the hull on the finding rows, simplest first.
    hull
        The joint hull on the confirming rows: affordable models and confirmed combinations, by
        their words.
    singles
        The hull of affordable models alone; None if there are none.
    """

    found: Records[Combination]
    hull: RocHull
    singles: RocHull | None

    def __str__(self) -> str:
        found = format_count(len(self.found), "combination")
        alone = "" if self.singles is None else f", {self.singles.auc:.4f} with single models"
        return f"{found} found, {len(self.confirmed)} confirmed: AUC {self.hull.auc:.4f}{alone}"

    def _columns(self) -> Table:
        return collect(self.found)

    @property
    def confirmed(self) -> tuple[Combination, ...]:
        """The combinations on `hull`."""
        return tuple(combination for combination in self.found if combination.confirmed)

    @property
    def rejected(self) -> tuple[Combination, ...]:
        """The others; `reason` explains each."""
        return tuple(combination for combination in self.found if not combination.confirmed)


def find_combinations(
    y_true: ArrayLike,
    scores: Columns,
    *,
    find: float | ArrayLike = 0.5,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    thresholds: int | None = None,
    rounds: int = 2,
    costs: Mapping[str, float] | None = None,
    budget: float | None = None,
    prevalence: float | None = None,
    slopes: tuple[float, float] = ALL_SLOPES,
    standard_errors: float = 1.0,
    random_state: int = 0,
    verbose: Verbose = 0,
) -> Combinations:
    """Find rules of several models that extend their hull, and confirm them on other rows.

    Parameters
    ----------
    y_true, pos_label, sample_weight
        Labels and weights, as for `RocCurve.from_scores`.
    scores
        Scores by model, best out of fold; Boolean predictions for models that only label.
    find, random_state
        The rows to find with: a Boolean mask, or a share to draw from each class. Others confirm.
    thresholds
        How many thresholds of each model to combine, beside those of its hull.
    rounds
        How often to combine results with single models, 1 to 4.
    costs, prevalence
        Each model's cost per row (by default 1), and the share of positives where the rules will
        run (by default the observed one).
    budget
        The most that a rule may cost per row. More expensive models may be later parts of a chain.
    slopes
        Count gains at these slopes only, such as `conditions.slope_range`.
    standard_errors
        How many standard errors a gain must exceed.
    verbose
        1 shows progress; a function is called with the number of pairs combined, and of all.

    Notes
    -----
    Single models get their best thresholds on the confirming rows, so the comparison favors them.

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
    as_whole(rounds, "rounds", least=1, most=MOST_ROUNDS)
    return combine_rows(
        rows,
        choose_finding_rows(find, rows.positive, random_state),
        limits,
        as_slopes(slopes),
        thresholds=None if thresholds is None else as_whole(thresholds, "thresholds", least=1),
        rounds=rounds,
        standard_errors=as_number(standard_errors, "standard_errors", least=0),
        verbose=verbose,
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
    verbose: Verbose = 0,
) -> Combinations:
    """Find combinations on some rows and confirm them on the others."""
    finders, others = split_rows(rows, finding, argument)
    pairs = math.comb(len(rows.scores), 2) + (rounds - 1) * len(rows.scores)
    with track("Combining models", verbose, pairs) as step:
        expressions = [
            find_cheapest_order(found, finders, budget.costs, budget.prevalence)
            for found in search_combinations(
                finders, budget, thresholds=thresholds, rounds=rounds, advance=step.advance
            )
        ]
    found = _confirm(others, expressions, budget, slopes, standard_errors)
    models = budget.affordable(others.scores)
    confirmed = {each.words: each.expression for each in found if each.confirmed}
    if not models and not confirmed:
        raise InfeasibleError(
            f"nothing can be run for {budget.most:g} per row: the cheapest model costs "
            f"{min(budget.costs.values()):g}, and no chain was confirmed.",
            hint="Raise the budget.",
        )
    added = dict(zip(confirmed, predict_each(others, confirmed.values()), strict=True))
    joint = replace(others, scores={**others.scores, **added})
    hull = RocHull.from_rows(joint, [*models, *confirmed])
    return Combinations(Records(found), hull, RocHull.from_rows(others, models) if models else None)
