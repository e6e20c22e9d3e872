"""The fitted hybrid: a hull, and the models that it needs to decide rows (Definition 2)."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from rocch.arrays import AnyArray, BoolArray, FloatArray, IntArray, Label
from rocch.errors import Hint, InputError, format_list
from rocch.hybrid.components import RECORDED, Component
from rocch.hybrid.expression import STACK, AtLeast, Batch, Expression, StackAtLeast, expression_at
from rocch.hybrid.rule import PROBABILITIES, choose_parts
from rocch.hybrid.stacking import AimScorer
from rocch.inputs import as_array
from rocch.labels import check_labels
from rocch.roc.belief import Belief
from rocch.roc.conditions import OBSERVED, Case, Conditions, Interval
from rocch.roc.criteria import Criterion, ErrorRate, ExpectedCost, as_criterion
from rocch.roc.curve import RocCurve
from rocch.roc.guarantee import CROSSES_ONCE, Guarantee
from rocch.roc.hull import RocHull
from rocch.roc.knob import Knob
from rocch.roc.new_rows import NewRowsCost, join_corners, regret_costs, vertex_cost
from rocch.roc.operating_point import ALWAYS, NEVER, OperatingPoint, RocPoint
from rocch.roc.question import Question
from rocch.roc.rate_intervals import join_rates, nested_saving_interval
from rocch.roc.savings import HALF, Amounts, Comparison, Saving, Single
from rocch.rows import ScoredRows
from rocch.stats.bands import rate_interval

# What a hybrid is aimed at.
Aim: TypeAlias = Question | Conditions | Criterion | Knob | OperatingPoint | RocPoint

# The key of each row.
Keys: TypeAlias = ArrayLike | Sequence[Label]

# Pairs of probability and expression: one, or several for a coin to choose from.
Mix: TypeAlias = tuple[tuple[float, Expression], ...]

# The note of points that are aimed for new rows.
FOR_NEW_ROWS = "aimed for new rows; exact=True gives the best on the evaluation rows"

# What the rates of a choice are: cross-fitted ones of a threshold that no labels decided, cross-
# fitted ones of a chosen threshold, those on rows that `check_size` held out, or plain counts.
EXPECTED = "expected on new rows"
CROSS_FITTED = "cross-fitted on the evaluation rows"
HELD_OUT = "on the rows held out by check_size"
COUNTED = "on the evaluation rows"

# The stack where it predicts the likelier class.
STACK_AT_HALF = "the stack at probability 0.5"

# The note of guarantees on rows that fitted the stack, or models that were refitted.
NOT_FROZEN = (
    "The deployed models were refitted, chosen or stacked on the same rows, so the confidence is "
    "not exact; fit with check_size=0.3, for example, to certify them on rows of their own."
)

# The same where rows were held out, but an exact choice does not use them.
NOT_CHECKED = (
    "The deployed models were refitted, chosen or stacked on the same rows, so the confidence is "
    "not exact; leave exact=True out to certify them on the rows that check_size held out."
)

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
        return all(component.reads_column for component in self.components.values())

    def meanings(self, models: Iterable[str]) -> dict[str, str]:
        """Return what the column of each model must hold, in words."""
        terms = () if self.scorer is None else self.scorer.stack.terms
        shares = {term.model for term in terms if term.kind == "probability"}
        found = {name: self.components[name] for name in models}
        return {
            name: f"{PROBABILITIES} {RECORDED}"
            if part.reads_column and name in shares
            else part.meaning
            for name, part in found.items()
        }

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

    def describe_rates(
        self, places: Iterable[RocPoint], *, for_new_rows: bool, guaranteed: bool, exact: bool
    ) -> str:
        """Return what the rates of a choice are, in words.

        Rates of the stack are never plain counts of its decisions on the evaluation rows, because
        it was fitted on these: each row is scored by stacks of others.
        """
        if guaranteed and self.checked is not None and not exact:
            return HELD_OUT
        if for_new_rows and not guaranteed:
            return EXPECTED
        return CROSS_FITTED if any(STACK in each.classifiers for each in places) else COUNTED

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
            hint = Hint(
                "Fit with check_size=0.3, for example, or a splitter that holds out each row once."
                if self.checked is None
                else "Leave exact=True out, which uses the rows that check_size held out."
            )
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
        by_curve: dict[str, Any] = {}
        if rows is None and self.scorer is not None and cost.expected is not None:
            against = partial(self._saving_by_curve, self.scorer, point, case, cost)
            by_curve = {"against_curve": against, "curves": self._known_curves}
        if self.scorer is None or not isinstance(threshold, float):
            return self._informed(Comparison(cost, case, rows, **by_curve), amounts)
        found = Comparison(cost, case, rows, self.scorer.name, **by_curve)
        if rows is None:
            found = replace(found, without_rows=self._default_saving(point, case, cost))
        else:
            scores = np.asarray(rows.scores[self.scorer.name], dtype=float)
            alarms = scores >= threshold
            found = replace(found, cost=replace(cost, alarms=alarms.astype(float)), decides=alarms)
        return self._informed(found, amounts)

    def _default_saving(self, point: RocPoint, case: Case, cost: NewRowsCost) -> tuple[Saving, ...]:
        """Return the saving against the scorer's default threshold, by its curve alone."""
        scorer = self.scorer
        if scorer is None or cost.expected is None:
            return ()
        is_stack = scorer.name == STACK
        is_chance = not is_stack and self.components[scorer.name].kind == "probability"
        threshold = HALF if is_chance else 0.0
        words = STACK_AT_HALF if is_stack else f"{scorer.name} at threshold {threshold:g}"
        return (self._saving_by_curve(scorer, point, case, cost, words, scorer.name, threshold),)

    @property
    def _known_curves(self) -> dict[str, RocCurve]:
        return {name: curve for name, curve in self.scoring.items() if curve is not None}

    def _saving_by_curve(
        self,
        scorer: AimScorer,
        point: RocPoint,
        case: Case,
        cost: NewRowsCost,
        words: str,
        model: str,
        threshold: float,
    ) -> Saving:
        """Return the saving against a model at a threshold, by curves alone.

        Without rows it is not known how two models differ on them, so the bounds of both costs are
        subtracted: that holds however they depend on each other, since standard deviations add up
        at most.
        """
        is_own = model == scorer.name
        other = scorer.point(threshold) if is_own else self._known_curves[model].at(threshold)
        rates, others = (point.fpr, point.tpr), (other.fpr, other.tpr)
        own, interval = join_rates(
            [(rate, size, 0.0) for rate, size in zip(others, scorer.trials, strict=True)],
            case,
            cost.confidence,
        )
        expected, (low, high) = cost.expected or 0.0, cost.interval or (0.0, 0.0)
        if is_own and isinstance(point.threshold, float):
            bounds = nested_saving_interval(rates, others, scorer.trials, case, cost.confidence)
        else:
            bounds = Interval(interval.low - high, interval.high - low)
        return Saving(words, own, interval, own - expected, bounds)

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
        if found.rows is None and found.cost.expected is None and found.counted is None:
            found = replace(found, counted=self._counted(found, amounts))
        return replace(
            found,
            defaults=self._defaults(found.models),
            default_words={STACK: STACK_AT_HALF},
            single=cache(partial(self._best_single, found.case, found.model)),
            amounts=amounts,
        )

    def _defaults(self, models: Collection[str]) -> dict[str, float]:
        """Return the threshold of `predict` of each of these models."""
        defaults = {
            name: HALF if part.kind == "probability" else 0.0
            for name, part in self.components.items()
            if part.scoring and name in models
        }
        return defaults | ({STACK: 0.0} if STACK in models else {})  # log odds

    def _counted(self, found: Comparison, amounts: Amounts | None) -> Comparison | None:
        """Return a comparison on the evaluation rows, for a choice whose rows were not kept."""
        curves, parts = self._known_curves, []
        for each in found.corners or (found,):
            seen = each.cost.apparent
            if seen is None:
                return None
            cost = NewRowsCost(seen, seen, Interval(seen, seen), each.cost.confidence)
            against = partial(self._counted_saving, each.case, seen)
            default = self._default_threshold(found.model)
            known = () if default is None else (against(default[0], str(found.model), default[1]),)
            part = Comparison(
                cost,
                each.case,
                model=found.model,
                defaults=self._defaults(curves),
                default_words={STACK: STACK_AT_HALF},
                without_rows=known,
                against_curve=against,
                curves=curves,
            )
            parts.append(part)
        whole = replace(parts[0], amounts=amounts)
        if len(parts) == 1:
            return whole
        cost = join_corners([part.cost for part in parts])
        return replace(whole, cost=cost, corners=tuple(parts))

    def _default_threshold(self, model: str | None) -> tuple[str, float] | None:
        """Return the threshold of a model's `predict`, in words and as a number, if known."""
        if model is None or model not in self._known_curves:
            return None
        if model == STACK:
            return STACK_AT_HALF, 0.0
        part = self.components[model]
        if part.reads_column:
            return None
        threshold = HALF if part.kind == "probability" else 0.0
        return f"threshold {threshold:g}", threshold

    def _counted_saving(
        self, case: Case, seen: float, words: str, model: str, threshold: float
    ) -> Saving:
        """Return the saving against a model at a threshold, on the evaluation rows."""
        if self.scorer is not None and model == self.scorer.name == STACK:
            other = self.scorer.point(threshold)  # cross-fitted, as the stack on the hull
        else:
            other = self._known_curves[model].at(threshold)
        cost = float(case.cost(other.fpr, other.tpr))
        saves = cost - seen
        return Saving(words, cost, Interval(cost, cost), saves, Interval(saves, saves))

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
                f"There are: {format_list(sorted(known))}." if known else "Fit without {within}.",
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


def _not_independent(got: str, hint: str | Hint) -> InputError:
    return InputError("confidence", "be left out where rows are not independent", got, hint)


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
