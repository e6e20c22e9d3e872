"""A hybrid aimed at run time: for all rows, for each row, or for each group."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if

from rocch.arrays import AnyArray, BoolArray, FloatArray, IntArray
from rocch.errors import InputError, describe_type, format_list
from rocch.hybrid.coin import as_seed, content_texts, key_texts, tosses
from rocch.hybrid.features import accept_what_models_accept, column_of, model_features
from rocch.hybrid.hybrid import Hybrid, Mix, Toss
from rocch.hybrid.rule import AtLeast, Rule
from rocch.hybrid.scores import Component, ScoredBatch, rows_of
from rocch.inputs import as_array, as_flag, check_length, check_unambiguous
from rocch.roc.conditions import Interval, RowConditions
from rocch.roc.operating_point import OperatingPoint

# --- A hybrid aimed at run time: an immutable view that is itself a scikit-learn classifier -------


class View(ClassifierMixin, BaseEstimator):
    """What aimed classifiers have in common: a fitted hybrid that they look at, unchanged."""

    hybrid: Hybrid
    aimed_by: frozenset[str] = frozenset()
    """The attributes that say what it is, and cannot be changed."""

    def __setattr__(self, name: str, value: object) -> None:
        if name in self.aimed_by or not name.startswith("_"):
            raise AttributeError(
                f"an aimed classifier cannot be changed ({name!r}). Aim anew: model.at(...)."
            )
        super().__setattr__(name, value)  # scikit-learn keeps notes of its own while fitting

    def __delattr__(self, name: str) -> None:
        if name in self.aimed_by:
            raise AttributeError(f"an aimed classifier cannot be changed ({name!r}).")
        super().__delattr__(name)

    def freeze(self, **values: Any) -> None:
        """Set once what the view is made of."""
        self.__dict__.update(values, aimed_by=frozenset(values))

    def __sklearn_clone__(self) -> Self:
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.requires_fit = False
        accept_what_models_accept(tags, self.models_asked())
        return tags

    def models_asked(self) -> list[Any]:
        """Return the fitted models that may be asked to decide rows."""
        return [component.estimator for component in self.hybrid.components.values()]

    def fit(self, X: Any, y: Any = None, **params: Any) -> Self:  # noqa: ARG002 - scikit-learn's signature
        """Do nothing: an aimed classifier is fitted already, as a frozen estimator is."""
        return self

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002 - scikit-learn's
        """Return how it was aimed; the fitted hybrid is no parameter."""
        params: dict[str, Any] = super().get_params(deep=False)
        return {name: value for name, value in params.items() if name != "hybrid"}

    def set_params(self, **params: Any) -> Self:
        """Refuse changes; aim anew instead."""
        if params:
            raise InputError("an aimed classifier cannot be changed. Aim anew: model.at(...).")
        return self

    def features(self, given: Any, *others: str | None) -> Any:
        """Return what the models see: the rows without keys and other columns that are named."""
        return model_features(self, self.hybrid, given, others)

    @property
    def classes_(self) -> AnyArray:
        """The labels."""
        return self.hybrid.classes

    @property
    def n_features_in_(self) -> int:
        """How many features the hybrid was fitted on."""
        if self.hybrid.n_features_in is None:
            raise AttributeError("n_features_in_")
        return self.hybrid.n_features_in

    @property
    def feature_names_in_(self) -> AnyArray:
        """The names of the features, where it was fitted on a data frame."""
        if self.hybrid.feature_names_in is None:
            raise AttributeError("feature_names_in_")
        return self.hybrid.feature_names_in


def _answers(method: str) -> Any:
    """Return a check that the underlying model has a method, for scikit-learn's `available_if`."""

    def check(view: AimedClassifier) -> bool:
        return view._underlying_answers(method)

    return available_if(check)


class AimedClassifier(View):
    """A hybrid aimed at one operating point; made by `RocchClassifier.at`.

    It cannot be changed and never refits; `clone` returns it as it is. Only the models that the
    operating point needs are evaluated.

    Attributes
    ----------
    point
        The operating point: rates, thresholds, and what randomizing would gain.
    rule
        The rule in words, JSON and SQL.
    classes_, n_features_in_, feature_names_in_
        As for any scikit-learn classifier.
    """

    def __init__(
        self,
        hybrid: Hybrid,
        criterion: Any,
        *,
        randomize: bool = False,
        row_key: str | None = None,
        seed: int = 0,
    ) -> None:
        randomize = as_flag(randomize, "randomize")
        point = hybrid.aim(criterion, randomize=randomize)
        if row_key is not None and not isinstance(row_key, str):
            raise InputError(
                "row_key",
                "name a column of the data",
                repr(row_key),
                "Keys themselves go to predict(X, row_key=keys).",
            )
        self.freeze(
            hybrid=hybrid,
            criterion=criterion,
            randomize=randomize,
            row_key=row_key or hybrid.key_column,
            seed=as_seed(seed),
            point=point,
            _mix=hybrid.mix(point),
        )

    if TYPE_CHECKING:
        criterion: Any
        randomize: bool
        row_key: str | None
        seed: int
        point: OperatingPoint
        _mix: Mix

    def __repr__(self) -> str:
        return (
            f"<AimedClassifier: {self.rule} (FPR {self.point.fpr:.4g}, TPR {self.point.tpr:.4g})>"
        )

    @property
    def rule(self) -> Rule:
        """When to answer with the positive class: in words, as JSON, as SQL."""
        hybrid, point = self.hybrid, self.point
        return Rule(
            self._mix,
            hybrid.positive,
            hybrid.negative,
            point.fpr,
            point.tpr,
            self.seed,
            self.row_key,
            {name: hybrid.components[name].meaning for _, p in self._mix for name in p.models},
        )

    def models_asked(self) -> list[Any]:
        """Return the fitted models that the rule needs."""
        return [self.hybrid.components[name].estimator for name in self.rule.models]

    def rate_intervals(self, *, confidence: float = 0.95) -> tuple[Interval, Interval]:
        """Return how well FPR and TPR at this point are known from the judged rows.

        Exact binomial intervals for a point fixed beforehand. The point was chosen on the same
        rows, among many, so the truth is rather worse than better: see these as the least doubt.
        `RocchClassifier.out_of_sample_choice` judges the choice on rows that did not make it.

        Examples
        --------
        No false alarm among a few hundred negatives does not make the rate 0:

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

    def predict(self, X: Any, row_key: Any = None) -> AnyArray:
        """Decide rows.

        Parameters
        ----------
        X
            The rows.
        row_key
            A key for each row, which the coin is made of, where the point needs one. By default the
            column named when aiming, or else the row's content.
        """
        keys = self.keys(X, row_key)
        return self.decide(self.features(X, self.row_key), keys)

    def decision_probability(self, X: Any) -> FloatArray:
        """Return for each row the probability of answering with the positive class.

        It is the coin's, so 0 or 1 unless the point is a mix; it says nothing about how likely the
        row is to be positive, which is `predict_proba`.
        """
        batch = ScoredBatch(self.hybrid.components, self.features(X, self.row_key))
        parts = [share * part.alarms(batch) for share, part in self._mix]
        return np.asarray(sum(parts), dtype=float)

    @_answers("predict_proba")
    def predict_proba(self, X: Any) -> FloatArray:
        """Return the class probabilities of the underlying model, never the coin's.

        Where nobody knows better than always giving one answer, they are the observed shares.
        """
        return self.probabilities(self.features(X, self.row_key))

    @_answers("decision_function")
    def decision_function(self, X: Any) -> FloatArray:
        """Return by how much rows exceed the threshold, for `classes_[1]`."""
        return self.margins(self.features(X, self.row_key))

    def keys(self, given: Any, row_key: Any = None) -> Any:
        """Return the row keys: those passed, or the column named, where a coin needs them."""
        return keys_of(self, given, row_key, needed=len(self._mix) > 1)

    def decide(self, features: Any, row_key: Any) -> AnyArray:
        """Decide rows whose features are checked and free of the key."""
        batch = ScoredBatch(self.hybrid.components, features)
        toss = coins(features, row_key, self.seed)
        return self.hybrid.labels(self.hybrid.alarms(batch, self._mix, toss))

    def probabilities(self, features: Any) -> FloatArray:
        """Return the underlying model's class probabilities of rows whose features are checked."""
        component = self._underlying()
        if component is None:
            share = self.hybrid.hull.totals.prevalence
            row = [1 - share, share] if self.hybrid.column else [share, 1 - share]
            return np.tile(row, (len(ScoredBatch({}, features)), 1))
        chances: FloatArray = component.estimator.predict_proba(features)
        return chances if component.column == self.hybrid.column else chances[:, ::-1]

    def margins(self, features: Any) -> FloatArray:
        """Return margins of rows whose features are checked."""
        ((_, part),) = self._mix
        if not isinstance(part, AtLeast):
            raise AttributeError("decision_function")
        margins = self.hybrid.components[part.model].scores(features) - np.float64(part.threshold)
        return np.asarray(margins if self.hybrid.column else -margins, dtype=float)

    def _underlying(self) -> Component | None:
        """Return the one model behind the point; none where one answer is always given."""
        components = self.hybrid.components
        names = {place.classifier for _, place in self.point.mix} & set(components)
        models = {model for _, part in self._mix for model in part.models} or names
        return components[min(models)] if models else None

    def _underlying_answers(self, method: str) -> bool:
        models = {model for _, part in self._mix for model in part.models}
        component = self._underlying()
        if method == "decision_function":
            alone = len(self._mix) == 1 and isinstance(self._mix[0][1], AtLeast)
            return alone and component is not None and component.answer == method
        return len(models) <= 1 and (component is None or component.answer == method)


def keys_of(view: Any, given: Any, row_key: Any, *, needed: bool) -> Any:
    """Return row keys that were passed, or else those in the column that a view names."""
    if row_key is not None or view.row_key is None or not needed:
        return row_key
    return column_of(given, view.row_key, "row_key")


def coins(features: Any, row_key: Any, seed: int) -> Toss:
    """Return how rows get their coins: by their keys, or else by their content."""
    if row_key is None:
        return lambda rows: tosses(content_texts(rows_of(features, rows)), seed)
    size = len(ScoredBatch({}, features))
    keys = np.array(key_texts(row_key, size), dtype=object)

    def toss(rows: IntArray) -> FloatArray:
        return tosses(keys[rows].tolist(), seed)

    return toss


# --- Views that aim each row on its own: by the row's conditions, or by its group -----------------


class RowAimedClassifier(View):
    """A hybrid aimed at each of some rows by the row's own conditions; made by `at_rows`.

    Attributes
    ----------
    vertex
        For each row, the number of the hull's vertex that decides it.
    """

    def __init__(self, hybrid: Hybrid, conditions: RowConditions) -> None:
        if not isinstance(conditions, RowConditions):
            raise InputError(
                "conditions",
                "be RowConditions",
                describe_type(conditions),
                "For one aim use at(...).",
            )
        hybrid.check_direction()
        vertex = hybrid.hull.best_each(conditions.slopes(hybrid.hull.totals))
        vertex.flags.writeable = False
        self.freeze(hybrid=hybrid, conditions=conditions, vertex=vertex)

    if TYPE_CHECKING:
        conditions: RowConditions
        vertex: IntArray

    def predict(self, X: Any) -> AnyArray:
        """Decide the rows that the conditions belong to, in their order."""
        return self.decide(self.features(X), None)

    def keys(self, given: Any) -> None:
        """Return no keys: no coin is tossed."""

    def decide(self, features: Any, row_key: None) -> AnyArray:  # noqa: ARG002 - no coin is tossed
        """Decide rows whose features are checked."""
        batch = ScoredBatch(self.hybrid.components, features)
        check_length(len(batch), self.vertex.size, "X")
        mixes = [((1.0, self.hybrid.expression(v)),) for v in self.hybrid.hull.vertices]

        def alarms(mix: Mix, rows: IntArray) -> BoolArray:
            return mix[0][1].alarms(batch, rows)

        return self.hybrid.labels(each(batch, mixes, self.vertex, alarms).astype(bool))


class GroupedClassifier(View):
    """A hybrid with an operating point for each group of rows; made by `at_each`.

    Attributes
    ----------
    points, rules
        The operating point and the rule of each group.
    """

    def __init__(
        self,
        hybrid: Hybrid,
        criteria: Mapping[Any, Any],
        *,
        group: str | None = None,
        randomize: bool = False,
        row_key: str | None = None,
        seed: int = 0,
    ) -> None:
        if not isinstance(criteria, Mapping) or not criteria:
            raise InputError(
                "criteria",
                "map groups to criteria",
                describe_type(criteria) if criteria else "nothing",
                "For example: {'DE': known, 'FR': NeymanPearson(0.05)}.",
            )
        check_unambiguous(criteria, "criteria")
        views = {
            name: AimedClassifier(hybrid, given, randomize=randomize, row_key=row_key, seed=seed)
            for name, given in criteria.items()
        }
        self.freeze(
            hybrid=hybrid,
            _criteria=dict(criteria),
            group=group,
            randomize=randomize,
            row_key=row_key or hybrid.key_column,
            seed=seed,
            _views=views,
        )

    if TYPE_CHECKING:
        _criteria: dict[Any, Any]
        group: str | None
        randomize: bool
        row_key: str | None
        seed: int
        _views: dict[Any, AimedClassifier]

    @property
    def criteria(self) -> dict[Any, Any]:
        """What each group is aimed at."""
        return dict(self._criteria)

    @property
    def points(self) -> dict[Any, OperatingPoint]:
        """The operating point of each group."""
        return {name: view.point for name, view in self._views.items()}

    @property
    def rules(self) -> dict[Any, Rule]:
        """The rule of each group."""
        return {name: view.rule for name, view in self._views.items()}

    def predict(self, X: Any, groups: Any = None, row_key: Any = None) -> AnyArray:
        """Decide rows, each by its group's rule.

        Parameters
        ----------
        X
            The rows.
        groups
            The group of each row; by default the column named when aiming.
        row_key
            As for `AimedClassifier.predict`.
        """
        which = self._places(X, groups)
        needed = any(len(mix) > 1 for mix in self._mixes)
        row_key = keys_of(self, X, row_key, needed=needed)
        features = self.features(X, self.row_key, self.group)
        batch = ScoredBatch(self.hybrid.components, features)
        check_length(which.size, len(batch), "groups")
        toss = coins(features, row_key, self.seed)

        def alarms(mix: Mix, rows: IntArray) -> BoolArray:
            return self.hybrid.alarms(batch, mix, toss, rows)

        return self.hybrid.labels(each(batch, self._mixes, which, alarms).astype(bool))

    def decision_probability(self, X: Any, groups: Any = None) -> FloatArray:
        """Return for each row the probability of answering with the positive class."""
        which = self._places(X, groups)
        features = self.features(X, self.row_key, self.group)
        batch = ScoredBatch(self.hybrid.components, features)
        check_length(which.size, len(batch), "groups")

        def chance(mix: Mix, rows: IntArray) -> FloatArray:
            return np.asarray(sum(p * part.alarms(batch, rows) for p, part in mix), dtype=float)

        return each(batch, self._mixes, which, chance)

    @property
    def _mixes(self) -> list[Mix]:
        return [self.hybrid.mix(view.point) for view in self._views.values()]

    def _places(self, given: Any, groups: Any) -> IntArray:
        """Return for each row its group's place among the criteria."""
        if groups is None:
            if self.group is None:
                raise InputError(
                    "groups",
                    "be given",
                    "none",
                    "Pass the group of each row, or name a column: at_each(..., group=...).",
                )
            groups = column_of(given, self.group, "group")
        names = as_array(groups, "groups").tolist()
        places = {name: place for place, name in enumerate(self._views)}
        strangers = [name for name in dict.fromkeys(names) if name not in places]
        if strangers:
            raise InputError(
                "groups",
                "have a criterion each",
                format_list(strangers),
                f"Known: {format_list(places)}.",
            )
        return np.array([places[name] for name in names])


def each(
    batch: ScoredBatch,
    mixes: Sequence[Mix],
    which: IntArray,
    answer: Callable[[Mix, IntArray], Any],
) -> FloatArray:
    """Answer each row by its own mix; `which` says which. Each model runs once at most."""
    used = np.unique(which)
    first = {i: {part.models[0] for _, part in mixes[i] if part.models} for i in used}
    for model in set().union(*first.values()):
        asked = [i for i in used if model in first[i]]
        batch.scores(model, np.flatnonzero(np.isin(which, asked)))
    answers = np.zeros(len(batch))
    for i in used:
        rows = np.flatnonzero(which == i)
        answers[rows] = answer(mixes[i], rows)
    return answers
