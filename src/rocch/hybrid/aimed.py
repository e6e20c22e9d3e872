"""A hybrid aimed at run time: for all rows, for each row, or for each group."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils.metaestimators import available_if

from rocch.arrays import AnyArray, BoolArray, DataFrame, Features, FloatArray, IntArray, Label
from rocch.errors import Hint, InputError, format_count, format_list
from rocch.frames import FrameLibrary, make_frame
from rocch.hybrid.coin import content_texts, key_texts, tosses
from rocch.hybrid.components import Component, ScoredBatch, count_rows, rows_of
from rocch.hybrid.expression import AtLeast, Batch, Stack, StackAtLeast
from rocch.hybrid.grouped_rule import GroupedRule, places_of_groups
from rocch.hybrid.hybrid import Aim, Hybrid, Keys, Mix, Toss
from rocch.hybrid.rule import Rule
from rocch.hybrid.scoring import ScoredRates, score_criterion
from rocch.hybrid.training import (
    FittedClassifier,
    accept_what_models_accept,
    column_of,
    new_features,
    only_columns,
    without_columns,
)
from rocch.inputs import (
    as_flag,
    as_instance,
    as_mapping,
    as_text,
    as_weights,
    as_whole,
    check_known,
    check_length,
)
from rocch.labels import as_positive, check_unambiguous
from rocch.results import Tabular, write_html
from rocch.roc.conditions import OBSERVED, Interval, RowConditions
from rocch.roc.criteria import ErrorRate, as_criterion
from rocch.roc.knob import Knob
from rocch.roc.new_rows import NewRowsCost
from rocch.roc.operating_point import OperatingPoint, RocPoint
from rocch.roc.question import Question
from rocch.roc.savings import Baseline, Savings

if TYPE_CHECKING:
    from rocch.hybrid.fairness import FairnessCheck, FairRates


class View(FittedClassifier):
    """An immutable classifier that shares a fitted hybrid."""

    hybrid: Hybrid
    # Attributes that cannot be changed.
    aimed_by: frozenset[str] = frozenset()

    def __setattr__(self, name: str, value: object) -> None:
        if name in self.aimed_by or not name.startswith("_"):
            raise AttributeError(
                f"an aimed classifier cannot be changed ({name!r}). Aim anew: model.at(...)."
            )
        super().__setattr__(name, value)  # scikit-learn sets private attributes

    def __delattr__(self, name: str) -> None:
        if name in self.aimed_by:
            raise AttributeError(f"an aimed classifier cannot be changed ({name!r}).")
        super().__delattr__(name)

    def freeze(self, **values: Any) -> None:
        """Set the attributes of the view, once."""
        self.__dict__.update(values, aimed_by=frozenset(values))

    def __sklearn_clone__(self) -> Self:
        return self

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.requires_fit = False
        accept_what_models_accept(tags, self.used_models())
        return tags

    def used_models(self) -> list[BaseEstimator]:
        """Return the fitted models that may run."""
        return [component.estimator for component in self.hybrid.components.values()]

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002 - scikit-learn's
        """Return the parameters, without the fitted hybrid."""
        params: dict[str, Any] = super().get_params(deep=False)
        return {name: value for name, value in params.items() if name != "hybrid"}

    def saved_params(self) -> dict[str, Any]:
        """Return the parameters that make the same view of a loaded hybrid, without its rows."""
        return self.get_params()

    def set_params(self, **params: Any) -> Self:
        """Refuse changes."""
        if params:
            raise InputError(
                "params",
                "be empty for an aimed classifier",
                params,
                Hint("Aim anew: model.at(...)."),
            )
        return self

    def features(self, given: Features, *columns: str | None) -> Features:
        """Return the features after checks, without the column of row keys and other columns."""
        hybrid = self.hybrid
        rows = without_columns(given, (hybrid.key_column, *columns), hybrid.feature_names_in)
        if hybrid.of_columns:
            rows = only_columns(rows, hybrid.feature_names_in)
        return new_features(self, rows)

    def batch(self, given: Features, *columns: str | None) -> ScoredBatch:
        """Return the rows to be scored."""
        return ScoredBatch(self.hybrid.components, self.features(given, *columns))

    def _shown(self) -> Tabular | None:
        """Return what notebooks show below the rule."""
        return None

    def _repr_html_(self) -> str:
        shown = self._shown()
        text = str(self).removeprefix(f"<{type(self).__name__}: ").removesuffix(">")
        return write_html(text, () if shown is None else shown._tables())

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """Return the rule and its cost instead of scikit-learn's diagram."""
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    @property
    def classes_(self) -> AnyArray:
        """The two labels."""
        return self.hybrid.classes

    @property
    def n_features_in_(self) -> int:
        """The number of features."""
        if self.hybrid.n_features_in is None:
            raise AttributeError("n_features_in_")
        return self.hybrid.n_features_in

    @property
    def feature_names_in_(self) -> AnyArray:
        """The names of the features."""
        if self.hybrid.feature_names_in is None:
            raise AttributeError("feature_names_in_")
        return self.hybrid.feature_names_in


def _if_underlying_has(method: str) -> Any:
    return available_if(lambda view: view._underlying_has(method))


class AimedClassifier(View):
    """A hybrid aimed at one operating point, immutable; made by `RocchClassifier.at`.

    Attributes
    ----------
    point
        The operating point; `rates_are` says what its rates are.
    rule
        The rule in words, JSON and SQL.
    for_new_rows
        Whether it is aimed for new rows; otherwise it is the best on the evaluation rows.
    """

    criterion: Aim
    exact: bool
    randomize: bool
    row_key: str | None
    seed: int
    point: OperatingPoint
    for_new_rows: bool
    _mix: Mix

    def __init__(
        self,
        hybrid: Hybrid,
        criterion: Aim,
        *,
        exact: bool = False,
        randomize: bool = False,
        row_key: str | None = None,
        seed: int = 0,
    ) -> None:
        exact, randomize = as_flag(exact, "exact"), as_flag(randomize, "randomize")
        point, for_new_rows = hybrid.aim(criterion, randomize=randomize, exact=exact)
        if row_key is not None:
            hint = Hint("It names a column; keys themselves go to predict(X, row_key=keys).")
            as_text(row_key, "row_key", hint=hint)
        self.freeze(
            hybrid=hybrid,
            criterion=criterion,
            exact=exact,
            randomize=randomize,
            row_key=row_key or hybrid.key_column,
            seed=as_whole(seed, "seed", least=0),
            point=point,
            for_new_rows=for_new_rows,
            _mix=hybrid.mix(point),
        )

    def __repr__(self) -> str:
        return f"<AimedClassifier: {self.rule} ({self._rates})>"

    def _shown(self) -> OperatingPoint:
        return self.point

    @property
    def rule(self) -> Rule:
        """When to predict the positive class."""
        return rule_of(self, self.point, self._mix)

    def __str__(self) -> str:
        _, *others = str(self._estimated_point).splitlines()
        return "\n".join([f"{self.rule} ({self._rates})", *others])

    @property
    def _rates(self) -> str:
        return f"FPR {self.point.fpr:.4g}, TPR {self.point.tpr:.4g}, {self.rates_are}"

    @property
    def rates_are(self) -> str:
        """What the rates of the point are: "expected on new rows", "on the evaluation rows", ...

        Those of an aim for new rows are cross-fitted: each evaluation row is scored by stacks, or
        calibrated, without it. Its decisions on the evaluation rows themselves have other rates.
        """
        return self.hybrid.describe_rates(
            [place for _, place in self.point.mix],
            for_new_rows=self.for_new_rows,
            guaranteed=self.point.guarantee is not None,
            exact=self.exact,
        )

    @property
    def on_new_rows(self) -> NewRowsCost:
        """What the rule is expected to cost on new rows, with a 95% interval."""
        return self._estimated_point.on_new_rows

    def savings(self, baseline: Baseline | None = None, *, X: Features | None = None) -> Savings:
        """Return what the rule saves on new rows against today's practice.

        It is compared with its own model at the threshold of `predict` (for a stack, at the
        probability 0.5), with the best single model at its own best threshold, with never and
        always alarming, and with `baseline`. Without costs there is no saving, and the `note` says
        so.

        Parameters
        ----------
        baseline
            Today's rule: the name of a model, (name, threshold), a threshold of the same model,
            labels predicted for the rows passed to `fit`, or a fitted classifier.
        X
            The rows passed to `fit`, for a fitted classifier to predict. If it was fitted on the
            same rows, it seems better than it is: pass labels from `cross_val_predict` instead.

        Examples
        --------
        >>> import rocch
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.naive_bayes import GaussianNB
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> model = rocch.RocchClassifier([("nb", GaussianNB())], pos_label=0).fit(X, y)
        >>> known = rocch.Conditions(prevalence=0.1, false_positive=1, false_negative=50)
        >>> print(model.at(known).savings())
        saves ... per case against ... at threshold 0.5 (95%: ... to ...)
        """
        return self._estimated_point.savings(baseline, X=X)

    @property
    def _estimated_point(self) -> OperatingPoint:
        """The operating point with its estimates, which a copy has lost."""
        if self.point.is_estimated:
            return self.point
        return self.hybrid.aim(self.criterion, randomize=self.randomize, exact=self.exact)[0]

    def used_models(self) -> list[BaseEstimator]:
        """Return the fitted models that the rule needs."""
        return [self.hybrid.components[name].estimator for name in self.rule.models]

    def rate_intervals(self, *, confidence: float = 0.95) -> tuple[Interval, Interval]:
        """Return Clopper-Pearson intervals of FPR and TPR from the evaluation rows.

        At points of the hull they are optimistic, because these were chosen on the same rows; see
        `on_new_rows`.

        Examples
        --------
        >>> import rocch
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.naive_bayes import GaussianNB
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> model = rocch.RocchClassifier([("nb", GaussianNB())]).fit(X, y)
        >>> fpr, tpr = model.at(rocch.NeymanPearson(0)).rate_intervals()
        >>> round(fpr.low, 4), round(fpr.high, 4)
        (0.0, 0.0172)
        """
        return self.hybrid.rate_intervals(self.point, confidence)

    def predict(self, X: Features, row_key: Keys | None = None) -> AnyArray:
        """Return the predicted labels.

        If the point needs coins, they depend on `row_key`: by default the column named when aiming,
        else the row contents.
        """
        keys = read_keys(self, [self._mix], X, row_key)
        batch = self.batch(X, self.row_key)
        toss = make_toss(batch.features, keys, self.seed)
        return self.hybrid.labels(self.hybrid.alarms(batch, self._mix, toss))

    def decision_probability(self, X: Features) -> FloatArray:
        """Return the probability of predicting each row positive: 0 or 1 unless a coin decides."""
        return alarm_probability(self.batch(X, self.row_key), self._mix)

    def scores(self, X: Features) -> DataFrame:
        """Return a data frame with a column for each model that the rule needs.

        The rule's SQL and Python decide on such a table. Columns hold scores, or labels of a model
        that only labels, and the row key if a coin may need it. The frame is of the library of `X`,
        with its index; for arrays, of the first one installed.
        """
        keys = [self.row_key] if len(self._mix) > 1 else []
        return score_frame(self, X, self.rule.models, keys)

    def score(self, X: Features, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return how good predictions are by the criterion, greater is better.

        It is the negative expected cost per case under costs or a belief, the accuracy under the
        error rate (or without a criterion), and otherwise the value that the criterion maximizes:
        of limits alone the TPR, of `MinimaxRegret` the negative regret. An "observed" prevalence is
        that of these rows.
        """
        criterion = self.criterion
        is_error_rate = isinstance(criterion, ErrorRate) and criterion.prevalence == OBSERVED
        if is_error_rate or isinstance(criterion, Knob | RocPoint | OperatingPoint):
            return float(super().score(X, y, sample_weight))
        hybrid = self.hybrid
        positive, predicted = hybrid.positives(y, "y"), self.predict(X) == hybrid.positive
        check_length(positive.size, predicted.size, "y")
        weights = None if sample_weight is None else as_weights(sample_weight, positive.size)
        scored = ScoredRates(positive, predicted, weights)
        if isinstance(criterion, Question):
            criterion = criterion.resolve(scored.totals).criterion
        return score_criterion(as_criterion(criterion), scored, hybrid.hull.reachable)

    @_if_underlying_has("predict_proba")
    def predict_proba(self, X: Features) -> FloatArray:
        """Return class probabilities of the stack or the underlying model, or observed shares."""
        stack = self._stack
        if stack is not None:
            shares = expit(stack.log_odds(self.batch(X, self.row_key)))
            columns = (1 - shares, shares) if self.hybrid.column else (shares, 1 - shares)
            return np.column_stack(columns)
        features = self.features(X, self.row_key)
        component = self._underlying()
        if component is None:
            share = self.hybrid.hull.totals.prevalence
            row = [1 - share, share] if self.hybrid.column else [share, 1 - share]
            return np.tile(row, (count_rows(features), 1))
        probabilities: FloatArray = component.estimator.predict_proba(features)
        same_order = component.column == self.hybrid.column
        return probabilities if same_order else probabilities[:, ::-1]

    @_if_underlying_has("decision_function")
    def decision_function(self, X: Features) -> FloatArray:
        """Return scores minus the threshold, for `classes_[1]`."""
        ((_, part),) = self._mix
        batch = self.batch(X, self.row_key)
        if isinstance(part, StackAtLeast):
            scores = part.stack.log_odds(batch)
        elif isinstance(part, AtLeast):
            scores = batch.scores(part.model)
        else:
            raise AttributeError("decision_function")
        margins = scores - np.float64(part.threshold)
        return np.asarray(margins if self.hybrid.column else -margins, dtype=float)

    @property
    def _stack(self) -> Stack | None:
        """The stack, or the calibrated model, behind the point, if any."""
        if self.for_new_rows and self.hybrid.scorer is not None:
            return self.hybrid.scorer.stack
        part = self._mix[0][1]
        return part.stack if len(self._mix) == 1 and isinstance(part, StackAtLeast) else None

    def _underlying(self) -> Component | None:
        """Return the model behind the point, if any."""
        components = self.hybrid.components
        names = {place.classifier for _, place in self.point.mix} & set(components)
        models = self.rule.models or names
        return components[min(models)] if models else None

    def _underlying_has(self, method: str) -> bool:
        stack = self._stack
        several = stack is not None and len(stack.terms) > 1
        if several and method == "predict_proba":  # calibrated, whatever its models output
            return True
        if stack is not None and (several or method == "predict_proba"):
            return all(self.hybrid.components[name].method == method for name in stack.models)
        component = self._underlying()
        if component is None:
            return method == "predict_proba"
        if method == "predict_proba":
            return len(self.rule.models) <= 1 and component.method == method
        alone = len(self._mix) == 1 and isinstance(self._mix[0][1], AtLeast)
        return alone and component.method == method


class RowAimedClassifier(View):
    """A hybrid aimed at each row by its own conditions; made by `RocchClassifier.at_rows`.

    Attributes
    ----------
    vertex
        Index of the vertex that is best for each row on the evaluation rows.
    log_odds
        The log odds from which on each row alarms, if aimed for new rows; otherwise None.
    """

    conditions: RowConditions
    exact: bool
    vertex: IntArray
    log_odds: FloatArray | None

    def __init__(self, hybrid: Hybrid, conditions: RowConditions, *, exact: bool = False) -> None:
        as_instance(conditions, RowConditions, "conditions", hint=Hint("For one aim use at(...)."))
        hybrid.check_direction()
        slopes = conditions.slopes(hybrid.hull.totals)
        vertex = hybrid.hull.best_each(slopes)
        vertex.flags.writeable = False
        log_odds = None
        if not as_flag(exact, "exact") and hybrid.scorer is not None:
            log_odds = hybrid.scorer.log_odds_at(slopes)
            log_odds.flags.writeable = False
        self.freeze(
            hybrid=hybrid, conditions=conditions, exact=exact, vertex=vertex, log_odds=log_odds
        )

    def predict(self, X: Features) -> AnyArray:
        """Return the predicted labels of rows in the order of the conditions."""
        batch = self.batch(X)
        check_length(len(batch), self.vertex.size, "X")
        if self.log_odds is not None and self.hybrid.scorer is not None:
            found = self.hybrid.scorer.stack.log_odds(batch)
            return self.hybrid.labels(found >= self.log_odds)
        mixes = [((1.0, self.hybrid.expression(v)),) for v in self.hybrid.hull.vertices]
        return self.hybrid.labels(decide_each(batch, mixes, self.vertex).astype(bool))


class GroupedClassifier(View):
    """A hybrid aimed at a criterion for each group; made by `RocchClassifier.at_each`.

    Attributes
    ----------
    points, rules
        The operating point and the rule of each group.
    """

    group: str | None
    exact: bool
    randomize: bool
    row_key: str | None
    seed: int
    # The group whose rule decides rows of unknown groups.
    unknown: Label | None = None
    _views: dict[Label, AimedClassifier]

    def __init__(
        self,
        hybrid: Hybrid,
        criteria: Mapping[Any, Aim],
        *,
        group: str | None = None,
        exact: bool = False,
        randomize: bool = False,
        row_key: str | None = None,
        seed: int = 0,
    ) -> None:
        hint = Hint("For example: {'DE': known, 'FR': NeymanPearson(0.05)}.")
        criteria = as_mapping(criteria, "criteria", "groups to criteria", hint=hint)
        check_unambiguous(criteria, "criteria")
        options: Any = {"exact": exact, "randomize": randomize, "row_key": row_key, "seed": seed}
        views = {
            name: AimedClassifier(hybrid, given, **options) for name, given in criteria.items()
        }
        self.freeze(
            hybrid=hybrid,
            group=group,
            exact=exact,
            randomize=randomize,
            row_key=row_key or hybrid.key_column,
            seed=seed,
            _views=views,
        )

    def __repr__(self) -> str:
        groups = format_count(len(self.points), "group")
        return f"<{type(self).__name__} of {groups}: {format_list(self.points)}>"

    def __str__(self) -> str:
        return self.rule.words

    @property
    def criteria(self) -> dict[Label, Aim]:
        """The criterion of each group."""
        return {name: view.criterion for name, view in self._views.items()}

    @property
    def points(self) -> dict[Label, OperatingPoint]:
        """The operating point of each group."""
        return {name: view.point for name, view in self._views.items()}

    @property
    def rules(self) -> dict[Label, Rule]:
        """The rule of each group."""
        return {
            name: rule_of(self, point, mix)
            for (name, point), mix in zip(self.points.items(), self._mixes, strict=True)
        }

    @property
    def rule(self) -> GroupedRule:
        """The rules of all groups, as one over the column of groups."""
        return GroupedRule(self.rules, self.group or "group", self.unknown)

    def predict(
        self, X: Features, groups: ArrayLike | None = None, row_key: Keys | None = None
    ) -> AnyArray:
        """Return the labels by each group's rule.

        By default, `groups` is the column named when aiming.
        """
        batch, which = self._grouped_batch(X, groups)
        mixes = self._mixes
        toss = make_toss(batch.features, read_keys(self, mixes, X, row_key), self.seed)

        def alarms(batch: ScoredBatch, mix: Mix, rows: IntArray) -> BoolArray:
            return self.hybrid.alarms(batch, mix, toss, rows)

        return self.hybrid.labels(decide_each(batch, mixes, which, alarms).astype(bool))

    def decision_probability(self, X: Features, groups: ArrayLike | None = None) -> FloatArray:
        """Return the probability of predicting each row positive."""
        batch, which = self._grouped_batch(X, groups)
        return decide_each(batch, self._mixes, which)

    @property
    def _mixes(self) -> list[Mix]:
        return [view._mix for view in self._views.values()]

    def _grouped_batch(
        self, given: Features, groups: ArrayLike | None
    ) -> tuple[ScoredBatch, IntArray]:
        """Return the rows, and their groups as indices of criteria."""
        which = places_of_groups(self._groups(given, groups), list(self.points), self.unknown)
        batch = self.batch(given, self.row_key, self.group)
        check_length(which.size, len(batch), "groups")
        return batch, which

    def _groups(self, given: Features, groups: ArrayLike | None) -> ArrayLike:
        """Return the groups of rows, by default the column of groups."""
        if groups is not None:
            return groups
        if self.group is None:
            hint = Hint("Pass the group of each row, or name a column when aiming: group=...")
            raise InputError("groups", "be given", "none", hint)
        return column_of(given, self.group, "group")


class FairClassifier(GroupedClassifier):
    """A hybrid with fair rates by group, immutable; made by `RocchClassifier.at_fair`.

    It needs the group of each row.

    Attributes
    ----------
    points, rules, rule
        The operating point and the rule of each group, and the rules as one.
    fair
        How the points were found (`FairRates`); None in a loaded model.
    """

    fair: FairRates | None
    _points: dict[Label, OperatingPoint]

    def __init__(
        self,
        hybrid: Hybrid,
        points: Mapping[Any, OperatingPoint],
        *,
        group: str | None = None,
        unknown: Label | None = None,
        row_key: str | None = None,
        seed: int = 0,
        fair: FairRates | None = None,
    ) -> None:
        if group is not None:
            hint = Hint("It names a column; groups themselves go to predict(X, groups=...).")
            as_text(group, "group", hint=hint)
        if unknown is not None:
            check_known([unknown], points, "unknown", "groups with a rule")
        self.freeze(
            hybrid=hybrid,
            group=group,
            unknown=unknown,
            row_key=row_key or hybrid.key_column,
            seed=as_whole(seed, "seed", least=0),
            fair=fair,
            _points=dict(points),
        )

    def __str__(self) -> str:
        return super().__str__() if self.fair is None else f"{super().__str__()}\n{self.fair}"

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters, without the fitted hybrid and the search for fair rates."""
        params = super().get_params(deep)
        return {name: value for name, value in params.items() if name != "fair"}

    def check(
        self,
        X: Features,
        y: ArrayLike,
        groups: ArrayLike | None = None,
        *,
        confidence: float = 0.95,
    ) -> FairnessCheck:
        """Return how much rates differ between groups on rows used for nothing else.

        By default, `groups` is the column named when aiming. Intervals are for new rows.
        """
        if self.fair is None:
            hint = Hint("Check it before saving; fit and aim again otherwise.")
            raise InputError("the model", "know its fair rates", "a loaded model", hint)
        groups = self._groups(X, groups)
        alarms = self.decision_probability(X, groups)
        positive = as_positive(self.hybrid.positives(y, "y"), argument="y")
        check_length(positive.size, alarms.size, "y")
        return self.fair.check_alarms(positive, alarms, groups, confidence=confidence)

    @property
    def criteria(self) -> dict[Label, Aim]:
        """The operating point of each group."""
        return dict(self._points)

    @property
    def points(self) -> dict[Label, OperatingPoint]:
        """The operating point of each group."""
        return dict(self._points)

    @property
    def _mixes(self) -> list[Mix]:
        return [self.hybrid.mix(point) for point in self._points.values()]


def rule_of(view: AimedClassifier | GroupedClassifier, point: OperatingPoint, mix: Mix) -> Rule:
    """Return the rule of a mix of expressions."""
    hybrid = view.hybrid
    return Rule(
        mix,
        hybrid.positive,
        hybrid.negative,
        point.fpr,
        point.tpr,
        view.seed,
        view.row_key,
        hybrid.meanings(name for _, part in mix for name in part.models),
    )


def read_keys(
    view: AimedClassifier | GroupedClassifier,
    mixes: Sequence[Mix],
    given: Features,
    row_key: Keys | None,
) -> Keys | None:
    """Return `row_key`, or the column that the view names if a coin may need it."""
    if row_key is None and view.row_key is not None and any(len(mix) > 1 for mix in mixes):
        return column_of(given, view.row_key, "row_key")
    return row_key


def make_toss(features: Features, row_key: Keys | None, seed: int) -> Toss:
    """Return the function from row numbers to coins, made of keys or row contents."""
    if row_key is None:
        return lambda rows: tosses(content_texts(rows_of(features, rows)), seed)
    keys = np.array(key_texts(row_key, count_rows(features)), dtype=object)
    return lambda rows: tosses(keys[rows].tolist(), seed)


def score_frame(
    view: View, given: Features, models: Iterable[str], keys: Iterable[str | None] = ()
) -> Any:
    """Return the scores, or labels, of models as a data frame of the library of `given`."""
    hybrid, named = view.hybrid, [key for key in keys if key is not None]
    batch = view.batch(given, *named)
    columns: dict[str, AnyArray] = {key: column_of(given, key, "row_key") for key in named}
    for name in models:
        scores = batch.scores(name)
        is_score = hybrid.components[name].scoring
        columns[name] = scores if is_score else hybrid.labels(scores.astype(bool))
    return frame_like(given, columns)


def frame_like(given: Features, columns: Mapping[str, AnyArray]) -> Any:
    """Return columns as a data frame of the library of some rows, with their index."""
    import narwhals as nw

    frame = nw.from_native(given, eager_only=True, pass_through=True)
    library = frame.implementation.value if isinstance(frame, nw.DataFrame) else None
    known: FrameLibrary | None = library if library in get_args(FrameLibrary) else None
    found = make_frame(columns, known)
    if known == "pandas":
        found.index = given.index
    return found


def alarm_probability(batch: Batch, mix: Mix, rows: IntArray | None = None) -> FloatArray:
    """Return the probability that each row alarms."""
    return np.asarray(sum(share * part.alarms(batch, rows) for share, part in mix), dtype=float)


def decide_each(
    batch: ScoredBatch,
    mixes: Sequence[Mix],
    which: IntArray,
    decide: Callable[[ScoredBatch, Mix, IntArray], AnyArray] = alarm_probability,
) -> FloatArray:
    """Return the decision on each row by its mix; `which` holds indices of mixes."""
    # Score the rows of each first model at once.
    used = np.unique(which)
    first = {i: {part.models[0] for _, part in mixes[i] if part.models} for i in used}
    for model in set().union(*first.values()):
        needed = [i for i in used if model in first[i]]
        batch.scores(model, np.flatnonzero(np.isin(which, needed)))
    decisions = np.zeros(len(batch))
    for i in used:
        rows = np.flatnonzero(which == i)
        decisions[rows] = decide(batch, mixes[i], rows)
    return decisions
