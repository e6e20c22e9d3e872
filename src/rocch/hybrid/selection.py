"""Selection of models for the hull, and of settings that extend it."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import ParameterGrid
from sklearn.utils import Bunch
from sklearn.utils.parallel import Parallel, delayed

from rocch.arrays import AnyArray, BoolArray, Columns, Features, IntArray, Label
from rocch.errors import Hint, InfeasibleError, InputError, first_line, format_count
from rocch.hybrid.combine import Budget, Combinations, choose_finding_rows, combine_rows
from rocch.hybrid.expression import STACK, Expression, TermKind
from rocch.hybrid.gain import (
    ALL_SLOPES,
    Gain,
    RowBatch,
    as_costs,
    as_scored_rows,
    as_slopes,
    gain_of_adding,
    gains,
    list_rules,
    predict_each,
    prediction_hull,
    sort_models,
    split_rows,
)
from rocch.hybrid.hybrid import cover
from rocch.hybrid.stacking import AimScorer, StackedScores, find_scorer, forgetting_cost, stack_rows
from rocch.hybrid.training import (
    Cv,
    Data,
    Splits,
    evaluate_models,
    label_column,
    make_splits,
    order_rows,
)
from rocch.inputs import as_number, is_number, to_host
from rocch.kernels.counting import twice_pairs_won
from rocch.kernels.hull import extend_hull, twice_area
from rocch.labels import as_codes, as_positive
from rocch.progress import Progress, Verbose, track
from rocch.results import Record, Records, Table, Tabular, collect
from rocch.roc.conditions import Conditions
from rocch.roc.curve import RocCurve
from rocch.roc.hull import RocHull
from rocch.roc.operating_point import ClassTotals
from rocch.rows import ScoredRows

# Why a model is dropped that is nowhere the best.
NO_VERTEX = "holds no vertex of the hull: on the evaluation rows never the best at any slope"

# A model is kept if new rows may cost so much more without it, as a share of the cost of all
# errors.
WORTH_KEEPING = 0.02


@dataclass(frozen=True, slots=True)
class SelectionResult:
    """The selected models.

    Attributes
    ----------
    rows
        The evaluation rows, without those that found combinations.
    hull
        The hull of the selected models and combinations.
    names
        The selected models.
    discarded
        Reasons for dropping the others.
    expressions
        When to alarm, for combinations on the hull.
    combinations
        Results of the search for combinations.
    scorer
        What is aimed for new rows.
    """

    rows: ScoredRows
    hull: RocHull
    names: tuple[str, ...]
    discarded: dict[str, str]
    expressions: dict[str, Expression]
    combinations: Combinations | None
    scorer: AimScorer | None


def select_models(
    rows: ScoredRows,
    kinds: Mapping[str, TermKind],
    *,
    stack: bool,
    within: Conditions | None,
    row_budget: float | None,
    row_costs: Mapping[str, float],
    parsimonious: bool,
    combine: bool,
) -> SelectionResult:
    """Select few models that hold all vertices of the hull, alone, combined or stacked.

    Options are those of `RocchClassifier`; `kinds` says what each model's scores are, and
    `row_costs` may be empty.
    """
    discarded: dict[str, str] = {}
    names = list(rows.scores)
    slopes = ALL_SLOPES
    if within is not None:
        slopes = within.resolved(ClassTotals(*rows.totals)).slope_range
    combinations = None
    if combine and len(names) > 1:
        rows, combinations = _combine(rows, slopes, row_budget, row_costs)
        members = [member.name for member in combinations.hull.members]
    else:
        discarded = find_expensive(names, row_budget, row_costs)
        members = names = [name for name in names if name not in discarded]
    confirmed = combinations.confirmed if combinations else ()
    scorer = None
    if stack and not confirmed:
        stacked = _fit_stack(rows, {name: kinds[name] for name in members}, row_budget, row_costs)
        scorer = None if stacked is None else AimScorer.of(rows, stacked)
        if stacked is not None and scorer is not None and scorer.name == STACK:
            rows = replace(rows, scores={**rows.scores, STACK: stacked.scores})
            members = [*members, STACK]
    whole = combinations.hull if combinations and confirmed else RocHull.from_rows(rows, members)
    expressions = {c.words: c.expression for c in confirmed}
    costs: dict[str, float] = {}
    if row_costs:
        costs = {**row_costs, **{c.words: c.running_cost for c in confirmed}}
        if scorer is not None:
            costs[STACK] = math.fsum(row_costs[model] for model in scorer.stack.models)
    simple = _simplify(rows, whole, expressions, slopes, costs) if parsimonious else whole
    if parsimonious and not _is_member(STACK, simple):
        scorer = None
    hull = simple if within is None else simple.within(within)
    on_hull = cover(hull, costs)
    made_of = {name: part.models for name, part in expressions.items()}
    made_of |= {STACK: ()} if scorer is None else {STACK: scorer.stack.models}
    needed = {model for name in on_hull for model in made_of.get(name, (name,))}
    if scorer is not None:
        needed |= set(scorer.stack.models)
    elif not confirmed:  # a combination that is best at some slope has no calibrated scores
        scorer = find_scorer(rows, {name: kinds[name] for name in names if name in needed})
    for name in names:
        if name not in needed:
            discarded[name] = _why_discarded(name, rows, (whole, simple, hull), on_hull)
            if scorer is not None and discarded[name] == NO_VERTEX and STACK in rows.scores:
                own = {model: kinds[model] for model in members if model != STACK}
                cost = forgetting_cost(rows, own, name, np.asarray(rows.scores[STACK]))
                discarded[name] += f"; {cost}"
                if cost.upper > WORTH_KEEPING:
                    needed.add(name)
                    del discarded[name]
    return SelectionResult(
        rows,
        _reduce(hull, on_hull | needed) if on_hull else hull,
        tuple(name for name in rows.scores if name in needed),
        discarded,
        {name: part for name, part in expressions.items() if name in on_hull},
        combinations,
        scorer,
    )


def _fit_stack(
    rows: ScoredRows,
    kinds: Mapping[str, TermKind],
    row_budget: float | None,
    row_costs: Mapping[str, float],
) -> StackedScores | None:
    """Return the stack of the models that fit a budget together: the most expensive go first."""
    names = list(kinds)
    if row_budget is not None:
        names.sort(key=lambda name: row_costs[name])
        while math.fsum(row_costs[name] for name in names) > row_budget:
            names.pop()
    if len(names) < 2:
        return None
    return stack_rows(rows, {name: kinds[name] for name in kinds if name in names})


def find_expensive(
    names: Sequence[str], budget: float | None, costs: Mapping[str, float]
) -> dict[str, str]:
    """Return the models above a budget per row, and by how much; one must be within it."""
    if budget is None:
        return {}
    reasons = {
        name: f"costs {costs[name]:.3g} per row, above {budget:.3g}"
        for name in names
        if costs[name] > budget
    }
    if len(reasons) == len(names):
        least = min(names, key=lambda name: costs[name])
        raise InfeasibleError(
            f"no model runs within row_budget={budget:.3g}; the cheapest, {least!r}, costs "
            f"{costs[least]:.3g} per row.",
            hint="Raise the budget, or add a cheaper model.",
        )
    return reasons


def _reduce(hull: RocHull, names: Iterable[str]) -> RocHull:
    """Return the hull of some of its members."""
    members = tuple(member for member in hull.members if member.name in set(names))
    if len(members) == len(hull.members):
        return hull
    considered = max(hull.considered or 0, len(hull.members))
    return RocHull(hull.totals, members, hull.slope_bounds, considered)


def _combine(
    rows: ScoredRows,
    slopes: tuple[float, float],
    row_budget: float | None,
    row_costs: Mapping[str, float],
) -> tuple[ScoredRows, Combinations]:
    """Return the rows not used to find combinations, and the combinations."""
    rows = rows.once()  # so that no row both finds and confirms
    finding = _first_half(rows)
    budget = Budget(
        as_costs(row_costs or None, rows.scores),
        math.inf if row_budget is None else row_budget,
        None,
    )
    found = combine_rows(sort_models(rows), finding, budget, slopes, argument="cv")
    return rows.select(~finding), found


def _first_half(rows: ScoredRows) -> BoolArray:
    """Return a mask of the first splits; a single one is halved by groups or within classes."""
    folds, sizes = np.unique(rows.fold_numbers, return_counts=True)
    if folds.size > 1:
        first = np.cumsum(sizes) <= len(rows) / 2
        first[0] = True
        return np.isin(rows.fold_numbers, folds[first])
    if rows.groups is not None:
        names, sizes = np.unique(rows.groups, return_counts=True)
        return np.isin(rows.groups, names[np.cumsum(sizes) <= len(rows) / 2])
    finding = np.zeros(len(rows), dtype=bool)
    for among in (np.flatnonzero(rows.positive), np.flatnonzero(~rows.positive)):
        finding[among[: among.size // 2]] = True
    return finding


def _why_discarded(
    name: str, rows: ScoredRows, hulls: tuple[RocHull, RocHull, RocHull], selected: Iterable[str]
) -> str:
    """Return why a model is dropped; hulls are whole, simplified, and within bounds."""
    whole, simple, hull = hulls
    if not _is_member(name, whole):
        return "costs more per row than the budget, and no chain within it was confirmed"
    if _is_worse_than_chance(rows, name):
        return "worse than chance: are its scores reversed?"
    if not _is_member(name, simple):
        return "gains no more than one standard error at any slope"
    holders = [
        set(vertex.classifiers) for vertex in hull.vertices[1:-1] if name in vertex.classifiers
    ]
    if holders:
        others = sorted(set().union(*holders) & set(selected))
        return f"every vertex it holds is also held by {' or '.join(others)}"
    if any(name in vertex.classifiers for vertex in simple.vertices[1:-1]):
        return "holds a vertex only for conditions outside the bounds"
    return NO_VERTEX


def _is_member(name: str, hull: RocHull) -> bool:
    return any(member.name == name for member in hull.members)


def _is_worse_than_chance(rows: ScoredRows, name: str) -> bool:
    """Whether the AUC is below 0.5 by more than two standard errors."""
    rows = rows.once()
    positives = int(np.count_nonzero(rows.positive))
    negatives = len(rows) - positives
    pairs = positives * negatives
    # standard error of the rank sum, without ties
    error = math.sqrt((len(rows) + 1) / (12 * pairs))
    won = twice_pairs_won(rows.scores[name].astype(float), rows.positive) / (2 * pairs)
    return won < 0.5 - 2 * error


def simplest_subset(
    y_true: ArrayLike,
    scores: Columns,
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    slopes: tuple[float, float] = ALL_SLOPES,
    costs: Mapping[str, float] | None = None,
    standard_errors: float = 1.0,
) -> tuple[str, ...]:
    """Return the sorted names of a few models that lose at most one standard error to all.

    Models are dropped one by one, the smallest loss at the worst slope first, as long as no slope
    loses more than its standard error. On ties the most expensive one goes, then the last by name.

    Parameters
    ----------
    y_true, scores, pos_label, sample_weight, slopes
        As for `find_combinations`.
    costs
        Cost per row of each model.
    standard_errors
        Accepted loss in standard errors.

    Examples
    --------
    >>> import rocch
    >>> y = [0, 0, 0, 1, 1, 1]
    >>> scores = {"a": [1, 2, 4, 3, 5, 6], "again": [1, 2, 4, 3, 5, 6], "poor": [2, 1, 3, 3, 1, 2]}
    >>> rocch.hybrid.simplest_subset(y, scores)
    ('a',)
    """
    rows = as_scored_rows(y_true, scores, pos_label=pos_label, sample_weight=sample_weight)
    return _drop_models(
        rows,
        as_slopes(slopes),
        as_costs(costs, rows.scores),
        as_number(standard_errors, "standard_errors", least=0),
    )


def _drop_models(
    rows: ScoredRows,
    slopes: tuple[float, float],
    costs: Mapping[str, float],
    standard_errors: float = 1.0,
) -> tuple[str, ...]:
    predictions = {model: predict_each(rows, list_rules(rows, model)) for model in rows.scores}
    full = prediction_hull(rows, np.concatenate(list(predictions.values())))
    names = tuple(rows.scores)
    while len(names) > 1:
        losses = {}
        for model in names:
            rest = np.concatenate([predictions[other] for other in names if other != model])
            found = gains(rows, full, prediction_hull(rows, rest), slopes)
            if not any(gain.exceeds(standard_errors) for gain in found):
                losses[model] = max(gain.gain for gain in found)
        if not losses:
            break
        least = min(losses.values())
        tied = [model for model, loss in losses.items() if loss == least]
        dropped = max(tied, key=lambda model: (costs.get(model, 0.0), model))
        names = tuple(model for model in names if model != dropped)
    return names


def _simplify(
    rows: ScoredRows,
    whole: RocHull,
    expressions: Mapping[str, Expression],
    slopes: tuple[float, float],
    costs: Mapping[str, float],
) -> RocHull:
    """Return the hull of the simplest subset of its members."""
    if len(whole.members) < 2:
        return whole
    rows = rows.once()  # repeats are no further evidence
    batch = RowBatch(rows)
    scores = {
        name: expressions[name].alarms(batch) if name in expressions else rows.scores[name]
        for name in (member.name for member in whole.members)
    }
    return _reduce(whole, _drop_models(sort_models(replace(rows, scores=scores)), slopes, costs))


class ForwardStep(NamedTuple):
    """One step of forward selection."""

    model: str
    gain: Gain | None
    kept: bool
    reason: str


def select_forward(
    finders: ScoredRows, others: ScoredRows, slopes: tuple[float, float], standard_errors: float
) -> list[ForwardStep]:
    """Add models by area on the finding rows, and keep the first and those that others confirm.

    Models that add nothing come last.
    """
    points = {
        model: finders.count_all(predict_each(finders, list_rules(finders, model)))
        for model in finders.scores
    }
    hull: tuple[IntArray, IntArray]
    hull = np.array([0, finders.totals[0]]), np.array([0, finders.totals[1]])
    left, kept = list(points), list[str]()
    steps: list[ForwardStep] = []
    while left:
        areas = {model: twice_area(*extend_hull(hull, *points[model])[0]) for model in left}
        if kept and max(areas.values()) == twice_area(*hull):
            reason = "it adds nothing to those kept on the finding rows"
            return steps + [ForwardStep(model, None, False, reason) for model in left]
        best = min(left, key=lambda model: (-areas[model], model))
        step = _confirm_model(best, kept, (finders, others), slopes, standard_errors)
        steps.append(step)
        left.remove(best)
        if step.kept:
            kept.append(best)
            hull = extend_hull(hull, *points[best])[0]
    return steps


def _confirm_model(
    model: str,
    kept: Sequence[str],
    parts: tuple[ScoredRows, ScoredRows],
    slopes: tuple[float, float],
    standard_errors: float,
) -> ForwardStep:
    if not kept:
        return ForwardStep(model, None, True, "the largest area on the finding rows")
    finders, others = parts
    old = [rule for name in kept for rule in list_rules(others, name)]
    new = list_rules(finders, model)  # thresholds from the confirming rows would be optimistic
    before = prediction_hull(others, predict_each(others, old))
    gain = gain_of_adding(others, before, predict_each(others, new), slopes, standard_errors)
    if gain is None:
        reason = "it adds nothing to those kept on the confirming rows"
        return ForwardStep(model, None, False, reason)
    if not gain.exceeds(standard_errors):
        return ForwardStep(model, gain, False, f"it gains only {gain}")
    return ForwardStep(model, gain, True, f"it gains {gain}")


# What `ParameterGrid` takes, or settings one by one, as of a `ParameterSampler`.
ParamGrid: TypeAlias = Mapping[str, Any] | Iterable[Mapping[str, Any]]
# Parameters and an unfitted clone, by the name of the setting.
NamedSettings: TypeAlias = dict[str, tuple[dict[str, Any], BaseEstimator]]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Setting(Record):
    """One setting of a classifier.

    Attributes
    ----------
    name, params, estimator
        Name, parameters, and an unfitted clone.
    gain
        Its gain on the confirming rows over the settings kept before. None for the first, and
        without gain.
    kept, reason
        Whether it is kept, and why.
    """

    name: str
    params: Mapping[str, Any]
    estimator: BaseEstimator
    gain: Gain | None
    kept: bool
    reason: str

    def __str__(self) -> str:
        return f"{self.name}: {'kept' if self.kept else 'dropped'}, {self.reason}"

    def _row(self) -> dict[str, Any]:
        gain = {} if self.gain is None else self.gain._row()
        return {"name": self.name, "kept": self.kept, **gain, "reason": self.reason}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Settings(Tabular):
    """Results of `find_settings`.

    Attributes
    ----------
    tried
        All settings, the kept ones first, in the order of selection.
    hull
        The hull of the kept settings on the confirming rows.
    """

    tried: Records[Setting]
    hull: RocHull

    def __str__(self) -> str:
        names = ", ".join(setting.name for setting in self.kept)
        return f"{len(self.kept)} of {format_count(len(self.tried), 'setting')} kept: {names}"

    def _columns(self) -> Table:
        return collect(self.tried)

    @property
    def kept(self) -> tuple[Setting, ...]:
        """The settings that extend the hull."""
        return tuple(setting for setting in self.tried if setting.kept)

    @property
    def dropped(self) -> tuple[Setting, ...]:
        """The other settings."""
        return tuple(setting for setting in self.tried if not setting.kept)

    @property
    def estimators(self) -> list[tuple[str, BaseEstimator]]:
        """Names and clones of the kept settings."""
        return [(setting.name, setting.estimator) for setting in self.kept]


def find_settings(
    estimator: BaseEstimator,
    param_grid: ParamGrid,
    X: Features,
    y: ArrayLike,
    *,
    cv: Cv = 5,
    groups: ArrayLike | None = None,
    find: float | ArrayLike = 0.5,
    pos_label: Label | None = None,
    slopes: tuple[float, float] = ALL_SLOPES,
    standard_errors: float = 1.0,
    random_state: int = 0,
    n_jobs: int | None = None,
    verbose: Verbose = 0,
) -> Settings:
    """Find settings of a classifier that extend the hull (Provost and Fawcett, section 5).

    Settings are scored out of fold and added by the area they add on the finding rows. Each stays
    if, with its thresholds there, it extends the hull on the confirming rows by more than one
    standard error at some slope.

    Parameters
    ----------
    estimator
        A binary classifier.
    param_grid
        Values by parameter, as for `GridSearchCV`, for example `{"class_weight": [None,
        "balanced", {0: 1, 1: 10}]}`; or a `ParameterSampler`.
    X, y, pos_label
        Features as the classifier takes them, and labels.
    cv, groups
        Folds that hold out each row at most once; they keep groups whole. Rows never held out are
        ignored.
    find, random_state
        Finding rows: a Boolean mask, or a share of groups or of each class, and its seed. The
        others confirm.
    slopes, standard_errors
        As for `find_combinations`.
    n_jobs
        Number of parallel fits.
    verbose
        1 shows progress; a function is called with the number of settings done, and of all.

    Notes
    -----
    Models that score finding rows are fitted on confirming rows too, as in any cross-validation.

    Examples
    --------
    >>> import rocch
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> found = rocch.hybrid.find_settings(tree, {"max_depth": [1, 2, 3]}, X, y)
    >>> [name for name, clone in found.estimators]
    ['max_depth=2', 'max_depth=1']
    >>> print(found.dropped[0])
    max_depth=3: dropped, it adds nothing to those kept on the finding rows
    """
    data = to_host(X, "X"), label_column(y)
    positive = as_positive(data[1], pos_label, argument="y")
    label = pos_label if pos_label is not None else data[1][positive][0]
    candidates = _list_candidates(estimator, param_grid)
    splits = make_splits(cv, data, split_params={"groups": groups})
    index, *_ = order_rows(splits)
    if np.any(np.diff(index) == 0):
        raise InputError(
            "cv",
            "hold out each row at most once",
            "repeated splits",
            Hint("Use folds such as StratifiedKFold, GroupKFold or TimeSeriesSplit."),
        )
    with track("Trying settings", verbose, len(candidates)) as step:
        scores, failed = _score_candidates(candidates, data, splits, label, n_jobs, step)
    rows = as_scored_rows(positive[index], scores, pos_label=None, sample_weight=None)
    if is_number(find):
        own = None if groups is None else as_codes(groups, "groups")[index]
        finding = choose_finding_rows(find, rows.positive, random_state, own)
    else:
        finding = choose_finding_rows(find, positive, random_state)[index]
    finders, others = split_rows(rows, finding)
    steps = select_forward(
        finders,
        others,
        as_slopes(slopes),
        as_number(standard_errors, "standard_errors", least=0),
    )
    steps += [
        ForwardStep(name, None, False, f"it could not be fitted: {why}")
        for name, why in failed.items()
    ]
    steps.sort(key=lambda step: not step.kept)
    tried = [
        Setting(name, *candidates[name], gain, kept, reason) for name, gain, kept, reason in steps
    ]
    hull = RocHull.of(*(RocCurve.from_rows(others, each.name) for each in tried if each.kept))
    return Settings(Records(tried), hull)


def _list_candidates(estimator: BaseEstimator, param_grid: Any) -> NamedSettings:
    """Return parameters and clone of every setting by name."""
    is_grid = isinstance(param_grid, Mapping | list | tuple | str)
    if is_grid or not isinstance(param_grid, Iterable):
        try:
            param_grid = ParameterGrid(param_grid)
        except (TypeError, ValueError) as error:
            requirement = "map parameters to lists of values, or be a ParameterSampler"
            raise InputError("param_grid", requirement, first_line(error)) from None
    found: NamedSettings = {}
    seen: Counter[str] = Counter()
    for params in param_grid:
        plain = setting_name(params) or type(estimator).__name__
        seen[plain] += 1
        name = plain if seen[plain] == 1 else f"{plain} ({seen[plain]})"
        try:
            found[name] = dict(params), clone(estimator).set_params(**params)
        except (TypeError, ValueError) as error:
            raise InputError(
                "param_grid", "name parameters of the estimator", first_line(error)
            ) from None
    if not found:
        raise InputError("param_grid", "hold at least one setting", "none")
    return found


def setting_name(params: Mapping[str, Any]) -> str:
    """Return parameters as a name without double underscores, which scikit-learn forbids."""
    pairs = (
        f"{key.replace('__', '.')}={getattr(value, '__name__', value)}"
        for key, value in sorted(params.items())
    )
    return re.sub("__+", "_", " ".join(", ".join(pairs).split()))


def _score_candidates(
    candidates: NamedSettings,
    data: Data,
    splits: Splits,
    label: Label,
    n_jobs: int | None,
    step: Progress,
) -> tuple[dict[str, AnyArray], dict[str, str]]:
    """Return the held-out scores of settings, and the errors of those that cannot be fitted."""

    def score(name: str, setting: BaseEstimator) -> AnyArray | str:
        routed = Bunch(**{name: Bunch(fit={})})
        try:
            rows, _ = evaluate_models([(name, setting)], data, splits, routed, pos_label=label)
        except Exception as error:
            return " ".join(str(error).split())
        return rows.scores[name]

    results = Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(score)(name, setting) for name, (_, setting) in candidates.items()
    )
    scores: dict[str, AnyArray] = {}
    failed: dict[str, str] = {}
    for name, found in zip(candidates, results, strict=True):
        if isinstance(found, str):
            failed[name] = found
        else:
            scores[name] = found
        step.advance()
    if not scores:
        first = next(iter(failed.values()))
        raise InputError("estimator", "be fitted by some setting", f"errors only: {first}")
    return scores, failed
