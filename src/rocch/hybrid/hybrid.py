"""The fitted hybrid: a hull, and the models that it needs to decide rows (Definition 2)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from rocch.arrays import AnyArray, BoolArray, Features, FloatArray, IntArray, Label
from rocch.errors import Hint, InputError, format_list
from rocch.hybrid.coin import content_texts, key_texts, tosses
from rocch.hybrid.gain import RowBatch
from rocch.hybrid.rule import (
    STACK,
    AtLeast,
    Batch,
    Expression,
    StackAtLeast,
    TermKind,
    choose_parts,
    expression_at,
)
from rocch.hybrid.stacking import AimScorer
from rocch.inputs import (
    as_array,
    as_name,
    as_positive,
    as_rate,
    as_whole,
    check_known,
    check_labels,
    positive_column,
    to_host,
)
from rocch.results import Record, Records, Table, Tabular, field_values
from rocch.roc.belief import Belief
from rocch.roc.conditions import OBSERVED, Case, Conditions, Interval
from rocch.roc.criteria import Criterion, ErrorRate, ExpectedCost, as_criterion
from rocch.roc.curve import RocCurve
from rocch.roc.guarantee import CROSSES_ONCE, Guarantee
from rocch.roc.hull import RocHull
from rocch.roc.knob import Knob
from rocch.roc.limits import Capacity
from rocch.roc.new_rows import NewRowsCost, regret_costs, vertex_cost
from rocch.roc.operating_point import ALWAYS, NEVER, OperatingPoint, RocPoint
from rocch.roc.question import Question
from rocch.roc.rate_intervals import join_rates, nested_saving_interval
from rocch.roc.savings import HALF, Amounts, Comparison, Saving, Single
from rocch.rows import ScoredRows
from rocch.stats.bands import rate_interval

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

ScoreMethod = Literal["predict_proba", "decision_function", "predict"]


@dataclass(frozen=True, slots=True, eq=False)
class Component:
    """A named, fitted binary classifier.

    Scores are probabilities, else the decision function, else predicted labels; `column` is the
    place of the positive class.
    """

    name: str
    estimator: BaseEstimator
    method: ScoreMethod
    column: int

    @classmethod
    def of(cls, name: str, estimator: BaseEstimator, pos_label: Label | None = None) -> Component:
        """Return a fitted classifier as a component."""
        classes = getattr(estimator, "classes_", None)
        if classes is None or len(classes) != 2:
            raise InputError(
                "estimators",
                "be fitted classifiers for two classes",
                f"{name!r} with classes {None if classes is None else format_list(classes)}",
                "Fit it on labels of two classes first; regressors have none.",
            )
        known = np.asarray(classes).tolist()
        if pos_label is None:
            pos_label = known[positive_column(known)[0]]
        check_known([pos_label], known, "pos_label", f"classes of {name!r}")
        scoring: tuple[ScoreMethod, ...] = ("predict_proba", "decision_function")
        method: ScoreMethod = next((m for m in scoring if hasattr(estimator, m)), "predict")
        return cls(name, estimator, method, known.index(pos_label))

    @property
    def scoring(self) -> bool:
        """Whether the classifier scores rows, rather than only labeling them."""
        return self.method != "predict"

    @property
    def kind(self) -> TermKind:
        """What the scores are, for a stack."""
        if self.method == "predict_proba":
            return "probability"
        return "score" if self.scoring else "label"

    @property
    def meaning(self) -> str:
        """What the scores are, in words."""
        if self.method == "predict_proba":
            return f"predict_proba, column {self.column}"
        if self.method == "decision_function":
            return "decision_function" if self.column else "minus decision_function"
        return "predict"

    def scores(self, features: Features) -> FloatArray | BoolArray:
        """Return scores, higher for the positive class, or whether each row is positive."""
        values = to_host(getattr(self.estimator, self.method)(features), "estimators")
        if self.method == "predict":
            return np.asarray(values == self.estimator.classes_[self.column], dtype=bool).ravel()
        if self.method == "predict_proba":
            if np.ndim(values) != 2:
                raise InputError(
                    "estimators",
                    "return one probability for each class",
                    f"an array of {np.ndim(values)} dimension(s) from {self.name!r}",
                )
            return np.asarray(values[:, self.column], dtype=np.float64)
        return np.asarray(values, dtype=np.float64).ravel() * (1 if self.column else -1)


def curve_of(
    estimator: BaseEstimator,
    features: Features,
    y_true: ArrayLike,
    *,
    pos_label: Label | None,
    name: str,
) -> RocCurve:
    """Return the ROC curve of a fitted binary classifier on labeled rows."""
    component = Component.of(name, estimator, pos_label)
    positive = as_positive(y_true, estimator.classes_[component.column])
    return RocCurve.from_rows(ScoredRows(positive, {name: component.scores(features)}), name)


def list_estimators(
    estimators: Mapping[Any, BaseEstimator] | Sequence[tuple[str, BaseEstimator]] | BaseEstimator,
) -> list[tuple[str, BaseEstimator]]:
    """Return a mapping, a list of pairs or a single estimator as (name, estimator) pairs."""
    if isinstance(estimators, (Mapping, list, tuple)) and not estimators:
        raise InputError("estimators", "be at least one", "none")
    if isinstance(estimators, Mapping):
        return [(as_name(name), estimator) for name, estimator in estimators.items()]
    if not isinstance(estimators, (list, tuple)):
        return [(type(estimators).__name__, estimators)]
    if not all(isinstance(pair, (list, tuple)) and len(pair) == 2 for pair in estimators):
        raise InputError(
            "estimators",
            "be (name, classifier) pairs or a mapping",
            "a list of something else",
            Hint("For example: {'nb': fitted_nb, 'gbm': fitted_gbm}."),
        )
    return [(as_name(name), estimator) for name, estimator in estimators]


def count_rows(features: Features) -> int:
    """Return the number of rows of features of any type."""
    return int(features.shape[0]) if hasattr(features, "shape") else len(features)


def rows_of(features: Features, rows: IntArray) -> Features:
    """Return some rows of features of any type."""
    from rocch.hybrid._sklearn_compat import _safe_indexing

    return _safe_indexing(features, rows)


class ScoredBatch:
    """Rows, and their scores so far."""

    def __init__(self, components: Mapping[str, Component], features: Features) -> None:
        self.components = components
        self.features = features
        self.rows = count_rows(features)
        self._scores: dict[str, AnyArray] = {}
        self._known: dict[str, BoolArray] = {}

    def __len__(self) -> int:
        return self.rows

    def scores(self, model: str, rows: IntArray | None = None) -> FloatArray:
        """Return a model's scores of some rows, or of all; no row is scored twice."""
        if rows is None and model not in self._scores:
            self._scores[model] = self.components[model].scores(self.features)
        else:
            self._score(model, np.arange(self.rows) if rows is None else rows)
        scores: FloatArray = self._scores[model]
        return scores if rows is None else scores[rows]

    def alarms(self, model: str, rows: IntArray | None = None) -> BoolArray:
        """Return which rows a model without scores predicts positive."""
        return np.asarray(self.scores(model, rows), dtype=bool)

    def _score(self, model: str, rows: IntArray) -> None:
        if model in self._scores and model not in self._known:
            return  # all rows are scored
        component = self.components[model]
        kind = float if component.scoring else bool
        scores = self._scores.setdefault(model, np.zeros(self.rows, dtype=kind))
        known = self._known.setdefault(model, np.zeros(self.rows, dtype=bool))
        new = rows[~known[rows]]
        if new.size:
            scores[new] = component.scores(rows_of(self.features, new))
            known[new] = True


# What a hybrid is aimed at.
Aim: TypeAlias = Question | Conditions | Criterion | Knob | OperatingPoint | RocPoint

# The key of each row.
Keys: TypeAlias = ArrayLike | Sequence[Label]

# Pairs of probability and expression: one, or several for a coin to choose from.
Mix: TypeAlias = tuple[tuple[float, Expression], ...]

# The note of points that are aimed for new rows.
FOR_NEW_ROWS = "aimed for new rows; exact=True gives the best on the evaluation rows"

# The stack where it predicts the likelier class.
STACK_AT_HALF = "the stack at probability 0.5"

# The note of guarantees on rows that fitted the stack, or models that were refitted.
NOT_FROZEN = (
    "The deployed models were refitted, chosen or stacked on the same rows, so the confidence is "
    "not exact; fit with check_size to certify them on rows of their own."
)

# The same where rows were held out, but an exact choice does not use them.
NOT_CHECKED = NOT_FROZEN.replace("fit with check_size", "leave exact=True out")

# Returns the coins of some rows.
Toss: TypeAlias = Callable[[IntArray], FloatArray]


@dataclass(frozen=True, eq=False)
class Hybrid:
    """A fitted hybrid: a hull and the models that decide rows.

    Attributes
    ----------
    hull, components
        The joint hull of the kept models, and these by name.
    classes
        The two labels, sorted; `classes[column]` is the positive one.
    direction_known
        Whether the positive class was named, or is evident (1 of 0/1 or -1/1, True, yes).
    effective_rows
        Numbers of negatives and positives; for weighted rows, (sum of weights)^2 / sum of squared
        weights.
    expressions
        When to alarm, for combinations of models on the hull.
    key_column
        The column of row keys, which the models never see.
    scorer
        What is aimed for new rows: the stack, or one calibrated model.
    checked
        The hull of the scorer, or without one of all models, on rows that fitted none of them.
    clustered
        Whether the rows belong to groups, and so are not independent.
    rows
        The evaluation rows, scored by all models and the stack; None in a loaded hybrid.
    """

    hull: RocHull
    components: Mapping[str, Component]
    classes: AnyArray
    column: int
    direction_known: bool
    effective_rows: tuple[float, float]
    expressions: Mapping[str, Expression] = field(default_factory=dict)
    n_features_in: int | None = None
    feature_names_in: AnyArray | None = None
    key_column: str | None = None
    scorer: AimScorer | None = None
    checked: RocHull | None = None
    clustered: bool = False
    rows: ScoredRows | None = None

    def __post_init__(self) -> None:
        self.classes.flags.writeable = False

    @property
    def positive(self) -> Label:
        """The label of the positive class."""
        return plain_label(self.classes[self.column])

    @property
    def negative(self) -> Label:
        """The label of the negative class."""
        return plain_label(self.classes[1 - self.column])

    @cached_property
    def of_columns(self) -> bool:
        """Whether all classifiers are columns of scores or labels."""
        return all(getattr(c.estimator, "reads_column", False) for c in self.components.values())

    @property
    def repeated(self) -> bool:
        """Whether rows were held out several times."""
        totals = self.hull.totals
        return not totals.weighted and sum(self.effective_rows) < 0.999 * totals.total

    def rate_intervals(self, point: OperatingPoint, confidence: float) -> tuple[Interval, Interval]:
        """Return Clopper-Pearson intervals of FPR and TPR at a point."""
        fpr, tpr = (
            rate_interval(min(rate * rows, rows), rows, confidence=confidence)
            for rate, rows in zip((point.fpr, point.tpr), self.effective_rows, strict=True)
        )
        return fpr, tpr

    def aim(self, criterion: Aim, *, randomize: bool, exact: bool) -> tuple[OperatingPoint, bool]:
        """Return the operating point for a criterion, a knob, or a point of the hull.

        Criteria with a slope are aimed for new rows, unless `exact`; the second result says
        whether it was so.
        """
        self.check_direction(criterion)
        amounts = None
        if isinstance(criterion, Question):
            randomize, amounts = randomize or criterion.randomize, criterion.amounts
            criterion = criterion.resolve(self.hull.totals).criterion
        if isinstance(criterion, RocPoint):
            criterion = OperatingPoint.at_point(criterion)
        if isinstance(criterion, OperatingPoint):
            self._check_reached(criterion)
            return criterion, False
        if isinstance(criterion, Knob):
            return criterion.on(self.hull, randomize=randomize), False
        given = as_criterion(criterion).resolved(self.hull.totals)
        if any(limit.confidence is not None for limit in given.limits):
            found = self._guarantee(criterion, exact=exact, randomize=randomize)
            by_scorer = self.scorer is not None and found.classifier == self.scorer.name
            return found, by_scorer and not exact
        best = self.hull.best(criterion, randomize=randomize)
        best = best.recompared(partial(self._informed, amounts=amounts, criterion=given))
        if exact or self.scorer is None or given.limits:
            return best, False
        objective = given.objective(self.hull.totals, self.hull.reachable)
        case = objective.case
        if case is None:
            return best, False
        threshold = self.scorer.threshold(case.slope)
        if math.isinf(threshold):
            point = self.hull.vertices[0 if threshold > 0 else -1]
        else:
            point = self.scorer.point(threshold)
        mix = ((1.0, point),)
        aimed = objective.operating_point(point.fpr, point.tpr, mix, note=FOR_NEW_ROWS)
        compare = partial(self._comparison, point, case, amounts)
        return aimed.compared_by(compare, 0 if self.rows is None else self.rows.size), True

    def _guarantee(
        self, criterion: Conditions | Criterion, *, exact: bool, randomize: bool
    ) -> OperatingPoint:
        """Return the best setting whose limits hold on new rows with their confidence."""
        hull = self.certifying_hull(exact=exact)
        found = hull.best(criterion, randomize=randomize)
        if found.guarantee is None:
            raise RuntimeError("limits with a confidence come with a guarantee")
        guarantee = self.qualify(found.guarantee, hull)
        return replace(found, guarantee=guarantee).estimated_by(lambda: found.on_new_rows)

    def certifying_hull(self, *, exact: bool) -> RocHull:
        """Return the hull on which limits with a confidence are certified.

        It is that of the scorer, on the rows that `check_size` held out or else on the evaluation
        rows; if `exact`, or without a scorer, of all models of the hull.
        """
        if self.clustered:
            raise _not_independent("rows in groups", "Keep one row of each group.")
        if self.checked is not None and not exact:
            return self.checked
        if self.repeated:
            hint = "Fit with check_size, or with a splitter that holds out each row once."
            raise _not_independent("rows that were held out several times", hint)
        hull = self.hull
        if self.scorer is not None and not exact:
            own = tuple(member for member in hull.members if member.name == self.scorer.name)
            hull = RocHull(hull.totals, own or hull.members, hull.slope_bounds)
        return hull

    def qualify(self, guarantee: Guarantee, hull: RocHull) -> Guarantee:
        """Return a guarantee of a certifying hull, which says whether it is exact."""
        names = {member.name for member in hull.members}
        is_frozen = self.is_frozen and hull is self.hull and STACK not in names
        is_frozen |= hull is self.checked
        crosses = CROSSES_ONCE if CROSSES_ONCE in guarantee.note else ""
        note = NOT_FROZEN if self.checked is None else NOT_CHECKED
        return guarantee.reserved("" if is_frozen else note, crosses)

    @property
    def is_frozen(self) -> bool:
        """Whether no model was fitted on the evaluation rows, nor again after them."""
        from sklearn.frozen import FrozenEstimator  # libraries are read without scikit-learn

        return self.of_columns or all(
            isinstance(component.estimator, FrozenEstimator)
            for component in self.components.values()
        )

    def check_on(self, batch: Batch, positive: BoolArray) -> Hybrid:
        """Return the hybrid with the hull of its scorer on rows that fitted no model."""
        names = [self.scorer.name] if self.scorer is not None else list(self.scoring)
        scores = {name: self.scores(batch, name) for name in names}
        return replace(self, checked=RocHull.from_rows(ScoredRows(positive, scores)))

    def _new_rows_cost(self, point: RocPoint, case: Case, confidence: float = 0.95) -> NewRowsCost:
        """Return what a choice aimed for new rows is expected to cost there.

        The evaluation rows are scored by models and stacks that were not fitted on them, and their
        labels decide no threshold, so their cost is the one to expect.
        """
        scorer, threshold = self.scorer, point.threshold
        if scorer is None or not isinstance(threshold, float):  # never or always: a known cost
            cost = float(case.cost(point.fpr, point.tpr))
            return NewRowsCost(cost, cost, Interval(cost, cost), confidence)
        rates = zip((point.fpr, point.tpr), scorer.trials, (0.0, 0.0), strict=True)
        expected, interval = join_rates(list(rates), case, confidence)
        apparent = float(case.cost(*scorer.fitted_rates(threshold)))
        return NewRowsCost(apparent, expected, interval, confidence, scorer.resamples)

    def _comparison(self, point: RocPoint, case: Case, amounts: Amounts | None) -> Comparison:
        """Return the comparison of a choice aimed for new rows."""
        cost, rows = self._new_rows_cost(point, case), self.rows
        threshold = point.threshold
        if self.scorer is None or not isinstance(threshold, float):
            return self._informed(Comparison(cost, case, rows), amounts)
        found = Comparison(cost, case, rows, self.scorer.name)
        if rows is None:
            found = replace(found, without_rows=self._default_saving(point, case, cost))
        else:
            scores = np.asarray(rows.scores[self.scorer.name], dtype=float)
            found = replace(found, cost=replace(cost, alarms=(scores >= threshold).astype(float)))
        return self._informed(found, amounts)

    def _default_saving(self, point: RocPoint, case: Case, cost: NewRowsCost) -> tuple[Saving, ...]:
        """Return the saving against the scorer's default threshold, by its curve alone."""
        scorer = self.scorer
        if scorer is None or cost.expected is None:
            return ()
        is_stack = scorer.name == STACK
        is_chance = not is_stack and self.components[scorer.name].kind == "probability"
        threshold = HALF if is_chance else 0.0
        other, level = scorer.point(threshold), cost.confidence
        rates, others = (point.fpr, point.tpr), (other.fpr, other.tpr)
        own, interval = join_rates(
            [(rate, size, 0.0) for rate, size in zip(others, scorer.trials, strict=True)],
            case,
            level,
        )
        bounds = nested_saving_interval(rates, others, scorer.trials, case, level)
        name = STACK_AT_HALF if is_stack else f"threshold {threshold:g}"
        return (Saving(name, own, interval, own - cost.expected, bounds),)

    def _informed(
        self, found: Comparison, amounts: Amounts | None, criterion: Criterion | None = None
    ) -> Comparison:
        """Return a comparison that knows the models: their kinds of scores, and labels."""
        if found.corners and criterion is not None:
            cases = [each.case for each in found.corners]
            singles = cache(partial(self._best_single_within, criterion, cases, found.model))
            corners = [
                replace(self._informed(each, amounts), single=partial(_item, singles, place))
                for place, each in enumerate(found.corners)
            ]
            found = replace(found, corners=tuple(corners))
        defaults = {
            name: HALF if part.kind == "probability" else 0.0
            for name, part in self.components.items()
            if part.scoring and found.rows is not None and name in found.rows.scores
        }
        if found.rows is not None and STACK in found.rows.scores:
            defaults[STACK] = 0.0  # log odds
        return replace(
            found,
            defaults=defaults,
            default_words={STACK: STACK_AT_HALF},
            single=cache(partial(self._best_single, found.case, found.model)),
            label_positive=partial(self.positives, argument="baseline"),
            amounts=amounts,
        )

    def _best_single(self, case: Case, chosen: str | None) -> Single | None:
        """Return the cheapest model, its cost on new rows and alarms, unless it is the choice."""
        rows = self._rows_of_models
        if rows is None or chosen in rows.scores:
            return None
        best = RocHull.from_rows(rows).best(ExpectedCost(case.conditions))
        cost = vertex_cost(rows, case, best)
        if best.is_trivial or cost.alarms is None:
            return None
        return str(best.classifier), cost, cost.alarms

    def _best_single_within(
        self, criterion: Criterion, cases: list[Case], chosen: str | None
    ) -> list[Single] | None:
        """Return the same for the least worst regret, with the cost at each corner."""
        rows = self._rows_of_models
        if rows is None or chosen in rows.scores:
            return None
        best = RocHull.from_rows(rows).best(criterion)
        found = [each.cost for each in regret_costs(rows, cases, best, {})]
        name = str(best.classifier)
        known = [(name, cost, cost.alarms) for cost in found if cost.alarms is not None]
        return known or None

    @property
    def _rows_of_models(self) -> ScoredRows | None:
        """The rows without the scores of the stack, if they were kept."""
        if self.rows is None:
            return None
        scores = {name: column for name, column in self.rows.scores.items() if name != STACK}
        return replace(self.rows, scores=scores)

    def mix(self, point: OperatingPoint) -> Mix:
        """Return the expressions at an operating point, with their probabilities."""
        return tuple((share, self.expression(place)) for share, place in point.mix)

    def expression(self, point: RocPoint) -> Expression:
        """Return when to alarm at a ROC point, on new rows."""
        found = self.evaluated_expression(point)
        if isinstance(found, AtLeast) and found.model == STACK and self.scorer is not None:
            return StackAtLeast(self.scorer.stack, found.threshold, found.written)
        return found

    def evaluated_expression(self, point: RocPoint) -> Expression:
        """Return when to alarm at a ROC point, on the evaluation rows.

        These hold scores of the stack as for new rows.
        """
        combined = self.expressions.get(point.classifier)
        if combined is not None and not isinstance(point.threshold, float):
            return combined
        return expression_at(point)

    def alarms(self, batch: Batch, mix: Mix, toss: Toss, rows: IntArray | None = None) -> BoolArray:
        """Return which rows alarm; a coin decides where expressions differ."""
        parts = [part.alarms(batch, rows) for _, part in mix]
        alarms = parts[0]
        if len(parts) == 1:
            return alarms
        differ = np.flatnonzero(np.any([alarms != other for other in parts[1:]], axis=0))
        if differ.size:
            alarms = alarms.copy()
            coins = toss(differ if rows is None else rows[differ])
            alarms[differ] = choose_parts(coins, [s for s, _ in mix], [p[differ] for p in parts])
        return alarms

    def labels(self, alarms: BoolArray) -> AnyArray:
        """Return alarms as labels."""
        # Booleans and 0/1 need no look-up, which takes longer.
        kind = self.classes.dtype
        negative, positive = self.classes if self.column else self.classes[::-1]
        if kind.kind == "b":
            return np.asarray(alarms == positive)
        if kind.kind == "i":
            plain = (negative, positive) == (0, 1)
            return alarms.astype(kind) if plain else np.where(alarms, positive, negative)
        return np.array([negative, positive], dtype=kind)[alarms.view(np.int8)]

    def scores(self, batch: Batch, name: str) -> FloatArray:
        """Return the scores of a model, or of the stack."""
        if name == STACK and self.scorer is not None:
            return self.scorer.stack.log_odds(batch)
        return batch.scores(name)

    @property
    def scoring(self) -> dict[str, RocCurve | None]:
        """The curves of what scores rows: models on the hull, and the stack with its weights."""
        members = [m for m in self.hull.members if m.scoring and m.name in self.components]
        curves = {member.name: member.curve() for member in members}
        if self.scorer is not None and self.scorer.name == STACK:
            curves[STACK] = self.scorer.fitted_curve
        return curves

    def reference_curve(self, model: str | None) -> RocCurve:
        """Return the curve of a kept scoring model, by default the one with the largest AUC."""
        known = {name: curve for name, curve in self.scoring.items() if curve is not None}
        if not known or (model is not None and model not in known):
            raise InputError(
                "model",
                "be a kept model that scores, on a hull that is not restricted",
                "none" if model is None else repr(model),
                f"There are: {format_list(sorted(known))}." if known else "Fit without bounds.",
            )
        return known[model or max(known, key=lambda name: (known[name].auc, name))]

    def positives(self, y: ArrayLike, argument: str) -> BoolArray:
        """Return which labels are positive."""
        self.check_direction()
        labels = as_array(y, argument)
        requirement = "hold labels that the hybrid was fitted on"
        check_labels(labels, self.classes.tolist(), argument, requirement)
        return np.array([label == self.positive for label in labels.tolist()], dtype=bool)

    def check_direction(self, criterion: Aim | Belief | None = None) -> None:
        """Refuse criteria that need `pos_label` if it is unknown."""
        if not self.direction_known:
            check_symmetric(criterion, self.classes)

    def _check_reached(self, point: OperatingPoint) -> None:
        """Refuse points of other hulls."""
        curves = {member.name: member.curve for member in self.hull.members}
        for _, place in point.mix:
            if place in self.hull.vertices or place.classifier in (NEVER, ALWAYS):
                continue
            curve = curves[place.classifier]() if place.classifier in curves else None
            if self._is_aimed_for_new_rows(place):
                continue
            if curve is not None and isinstance(place.lowest_score, float):
                own = curve.at(place.lowest_score)
                found = place.threshold, place.fpr, place.tpr
                if found == (own.threshold, own.fpr, own.tpr):
                    continue
            raise InputError(
                "criterion",
                "be an operating point of this hybrid's hull",
                f"a point of another hull ({place.rule()})",
                "The kept models are: {known}.",
                known=format_list(sorted(self.components)),
            )

    def _is_aimed_for_new_rows(self, place: RocPoint) -> bool:
        scorer, threshold = self.scorer, place.lowest_score
        if scorer is None or place.classifier != scorer.name or not isinstance(threshold, float):
            return False
        return math.isfinite(threshold) and place == scorer.point(threshold)


def _item(find: Callable[[], list[Single] | None], place: int) -> Single | None:
    found = find()
    return None if found is None else found[place]


def _not_independent(got: str, hint: str) -> InputError:
    return InputError("confidence", "be given where rows are independent", got, hint)


def check_symmetric(criterion: Aim | Belief | None, classes: AnyArray) -> None:
    """Refuse criteria other than the observed error rate."""
    if isinstance(criterion, ErrorRate) and criterion.prevalence == OBSERVED:
        return
    raise InputError(
        "pos_label",
        "be named to aim at anything but the observed error rate",
        f"labels {format_list(classes.tolist())} and no pos_label",
        Hint("For example: RocchClassifier(estimators, pos_label=...), the class to detect."),
    )


def cover(hull: RocHull, row_costs: Mapping[str, float]) -> frozenset[str]:
    """Return few names that hold all vertices: sole holders first, then a greedy set cover."""
    left = [set(vertex.classifiers) for vertex in hull.vertices[1:-1]]
    chosen = {name for holders in left if len(holders) == 1 for name in holders}
    while left := [holders for holders in left if not holders & chosen]:
        held = {name: sum(name in h for h in left) for h in left for name in h}
        chosen.add(min(held, key=lambda name: (-held[name], row_costs.get(name, 0.0), name)))
    return frozenset(chosen)


def plain_label(label: Label) -> Label:
    """Return a label as a Python object."""
    return label.item() if isinstance(label, np.generic) else label


@dataclass(frozen=True, slots=True, repr=False)
class FoldRate(Record):
    """Counts and rates of one vertex on one fold.

    Rates that scatter more than their counts explain mean that score scales differ between folds.
    """

    vertex: int
    classifier: str
    threshold: float | str | None
    fold: int
    negatives: float
    positives: float
    false_positives: float
    true_positives: float

    def _row(self) -> dict[str, Any]:
        return {**field_values(self), "fpr": self.fpr, "tpr": self.tpr}

    @property
    def fpr(self) -> float | None:
        """The false positive rate, or None without negatives."""
        return self.false_positives / self.negatives if self.negatives else None

    @property
    def tpr(self) -> float | None:
        """The true positive rate, or None without positives."""
        return self.true_positives / self.positives if self.positives else None


@dataclass(frozen=True, slots=True, repr=False)
class VertexCheck(Record):
    """Promised and reached rates of one vertex.

    Attributes
    ----------
    promised_fpr, promised_tpr
        Rates on the evaluation rows.
    fpr, tpr
        Rates of the deployed model on held-out rows.
    fpr_p_value, tpr_p_value
        P-values for equal rates (two proportions, normal approximation with pooled variance).
    """

    vertex: int
    classifier: str
    threshold: float | str | None
    promised_fpr: float
    promised_tpr: float
    fpr: float
    tpr: float
    negatives: int
    positives: int
    fpr_p_value: float
    tpr_p_value: float


def fold_rates(hybrid: Hybrid, rows: ScoredRows) -> Records[FoldRate]:
    """Return weighted counts of every vertex on every fold."""
    totals = _count_by_fold(rows, np.ones(len(rows), dtype=bool))
    batch = RowBatch(rows)
    rates = []
    for index, vertex in enumerate(hybrid.hull.vertices):
        counts = _count_by_fold(rows, hybrid.evaluated_expression(vertex).alarms(batch))
        rates += [
            FoldRate(index, vertex.classifier, vertex.threshold, fold, *total, *count)
            for fold, (total, count) in enumerate(zip(totals, counts, strict=True))
            if any(total)  # finding combinations may have used up a fold
        ]
    return Records(rates)


def _count_by_fold(rows: ScoredRows, chosen: BoolArray) -> list[tuple[float, float]]:
    """Return the chosen negatives and positives in each fold."""
    folds = rows.fold_numbers
    columns = []
    for among in (chosen & ~rows.positive, chosen & rows.positive):
        weights = None if rows.weights is None else rows.weights[among]
        columns.append(np.bincount(folds[among], weights, minlength=folds.max() + 1).tolist())
    return list(zip(*columns, strict=True))


def check_vertices(hybrid: Hybrid, batch: Batch, positive: BoolArray) -> Records[VertexCheck]:
    """Return promised and reached rates of every vertex on other rows."""
    negatives, positives = int(np.count_nonzero(~positive)), int(np.count_nonzero(positive))
    before = hybrid.effective_rows
    checks = []
    for index, vertex in enumerate(hybrid.hull.vertices):
        alarms = hybrid.expression(vertex).alarms(batch)
        fpr, tpr = (float(alarms[positive == kind].mean()) for kind in (False, True))
        checks.append(
            VertexCheck(
                index,
                vertex.classifier,
                vertex.threshold,
                vertex.fpr,
                vertex.tpr,
                fpr,
                tpr,
                negatives,
                positives,
                same_rate((vertex.fpr, before[0]), (fpr, negatives)),
                same_rate((vertex.tpr, before[1]), (tpr, positives)),
            )
        )
    return Records(checks)


def same_rate(one: tuple[float, float], other: tuple[float, float]) -> float:
    """Return the p-value for equal rates, each given as (rate, rows)."""
    (p, n), (q, m) = one, other
    pooled = (p * n + q * m) / (n + m)
    variance = pooled * (1 - pooled) * (1 / n + 1 / m)
    if variance <= 0:
        return 1.0
    return math.erfc(abs(p - q) / math.sqrt(2 * variance))


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Selection(Tabular):
    """Exactly K rows of a batch (Provost and Fawcett, Theorem 11 and section 3.4).

    Attributes
    ----------
    rows
        Sorted row numbers.
    inclusion_probability
        Probability of each row of the batch to be selected; the sum is K.
    point
        The operating point for K alarms.
    expected_true_positives
        Expected number of positives among the selected rows.
    """

    rows: IntArray
    inclusion_probability: FloatArray
    point: OperatingPoint
    expected_true_positives: float

    def __post_init__(self) -> None:
        self.rows.flags.writeable = self.inclusion_probability.flags.writeable = False

    def __str__(self) -> str:
        return (
            f"{self.rows.size:,} of {self.inclusion_probability.size:,} rows selected, "
            f"{self.expected_true_positives:.4g} positives expected among them"
        )

    def _columns(self) -> Table:
        """Return the selected rows."""
        chances = self.inclusion_probability[self.rows]
        return {"row": self.rows, "inclusion_probability": chances}

    @property
    def expected_precision(self) -> float | None:
        """The expected precision, or None if no rows are selected."""
        return self.expected_true_positives / self.rows.size if self.rows.size else None


def select_rows(
    hybrid: Hybrid,
    batch: ScoredBatch,
    k: int,
    *,
    prevalence: float | str | None,
    row_key: Keys | None,
    seed: int,
) -> Selection:
    """Select exactly K rows between two neighboring vertices of the hull.

    Where these differ, rows are drawn by systematic sampling in the order of their coins.
    """
    rows = len(batch)
    if not rows:
        raise InputError("X", "have at least one row", "none")
    observed = prevalence is None or (isinstance(prevalence, str) and prevalence == OBSERVED)
    share = hybrid.hull.totals.prevalence if observed else prevalence
    positives = as_rate(share, "prevalence") * rows
    size = as_whole(k, "k", least=0, most=rows, hint="It counts rows of the batch.")
    point = hybrid.hull.best(
        Capacity(size, positives=positives, negatives=rows - positives), randomize=True
    )
    left, right = _neighbors(hybrid, batch, size, positives)
    weights, whole = _inclusion_weights(left, right, size)
    chosen = weights == whole
    mixed = np.flatnonzero((weights > 0) & ~chosen)
    if mixed.size:
        order = mixed[_order_by_coin(batch, mixed, row_key, seed)]
        start = int(tosses([f"first of {size}"], seed)[0] * whole)
        chosen[order] = _draw_systematically(weights[order], whole, start)
    return Selection(np.flatnonzero(chosen), weights / whole, point, positives * point.tpr)


def _neighbors(
    hybrid: Hybrid, batch: ScoredBatch, size: int, positives: float
) -> tuple[BoolArray, BoolArray]:
    """Return the alarms of two neighboring vertices, at most and at least `size`."""
    # Start where the hull expects `size` alarms.
    hull = hybrid.hull
    expected = positives * hull.tpr + (len(batch) - positives) * hull.fpr
    first = int(np.searchsorted(expected, size, side="right")) - 1
    first = min(max(first, 0), len(hull) - 2)

    def alarms(vertex: int) -> BoolArray:
        return hybrid.expression(hull.vertices[vertex]).alarms(batch)

    left, right = alarms(first), alarms(first + 1)
    while left.sum() > size:  # ends at *never*
        first -= 1
        left, right = alarms(first), left
    while right.sum() < size:  # ends at *always*
        first += 1
        left, right = right, alarms(first + 1)
    return left, right


def _inclusion_weights(left: BoolArray, right: BoolArray, size: int) -> tuple[IntArray, int]:
    """Return inclusion probabilities as integers, and the integer for probability 1."""
    fewer, more = int(left.sum()), int(right.sum())
    if fewer == more:
        return left.astype(np.int64), 1
    return left * (more - size) + right * (size - fewer), more - fewer


def _order_by_coin(batch: ScoredBatch, rows: IntArray, row_key: Keys | None, seed: int) -> IntArray:
    if row_key is None:
        keys = content_texts(rows_of(batch.features, rows))
    else:
        texts = key_texts(row_key, len(batch))
        keys = [texts[row] for row in rows]
    return np.lexsort((np.array(keys), tosses(keys, seed)))


def _draw_systematically(weights: IntArray, whole: int, start: int) -> BoolArray:
    """Draw a fixed number of rows with probabilities weight / whole (Madow 1949).

    The sum of the weights is a multiple of `whole`, so their number does not depend on `start`.
    """
    ends = np.cumsum(weights) + start
    return np.asarray(ends // whole > (ends - weights) // whole)
