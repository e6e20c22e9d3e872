"""Fitting named models: labels, weights, splits, metadata, and scores out of fold."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn import get_config
from sklearn.base import ClassifierMixin, is_classifier
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import (
    GroupShuffleSplit,
    PredefinedSplit,
    StratifiedGroupKFold,
    StratifiedShuffleSplit,
    TimeSeriesSplit,
    check_cv,
)
from sklearn.utils import Bunch, assert_all_finite, column_or_1d
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_consistent_length, has_fit_parameter

from rocch.arrays import AnyArray, BoolArray, FloatArray, IntArray
from rocch.errors import InputError, SampleWeightWarning, describe_type, format_count, format_list
from rocch.hybrid._sklearn_compat import _BaseComposition, _safe_indexing
from rocch.hybrid.features import accept_what_models_accept
from rocch.hybrid.gain import DecidedSample
from rocch.hybrid.scores import Component, named
from rocch.inputs import (
    as_array,
    as_codes,
    as_number,
    as_numpy,
    as_weights,
    distinct_labels,
    find_duplicates,
    is_number,
)
from rocch.roc.curve import RocCurve, whole_weights
from rocch.roc.hull import RocHull

# --- What comes before fitting: labels, weights, splits, and what goes to which model -------------

EVIDENT = ({0, 1}, {-1, 1})
"""Labels of which 1 (or True) is evidently the positive one."""


class Target(NamedTuple):
    """Labels of two classes, and which of them is to be detected."""

    labels: AnyArray
    classes: AnyArray
    column: int
    """The place of the class to detect."""
    known: bool
    """Whether that class was named, or is evident; otherwise it is a guess."""

    @property
    def pos_label(self) -> Any:
        """The class to detect."""
        return self.classes[self.column]


def as_binary(y: Any, features: Any, pos_label: Any) -> Target:
    """Return labels of two classes, and which of them is to be detected."""
    labels = label_column(y)
    if labels.dtype.kind not in "biufOUST":
        raise InputError(
            "y", "be numbers, texts or flags", f"labels of type {labels.dtype}", "Name the classes."
        )
    check_consistent_length(features, labels)
    classes = two_classes(labels)
    known = classes.tolist()
    if pos_label is None:
        return Target(labels, classes, 1, set(known) in EVIDENT)
    if pos_label not in known:
        raise InputError(
            "pos_label",
            "be a label of y",
            repr(pos_label),
            f"The labels are: {format_list(known)}.",
        )
    return Target(labels, classes, known.index(pos_label), True)


def label_column(y: Any) -> AnyArray:
    """Return labels as one column, of which none is missing or ambiguous."""
    if y is None:
        raise InputError(
            "This classifier requires y to be passed, but the target y is None. Pass the labels."
        )
    labels = column_or_1d(as_numpy(y, "y"), warn=True)
    distinct_labels(labels, "y")
    if labels.dtype != object or not labels.size:
        return np.asarray(labels)
    plain = np.array(labels.tolist())
    # numbers and flags that came as objects are what they are, and so are texts in a list
    texts = isinstance(y, list | tuple) and all(isinstance(label, str) for label in labels)
    return plain if texts or plain.dtype.kind in "biu" else labels


def two_classes(labels: AnyArray) -> AnyArray:
    """Return the two classes that occur, sorted; other numbers of classes are refused."""
    assert_all_finite(labels, input_name="y")
    check_classification_targets(labels)
    classes = np.unique(labels)
    if classes.size > 2:
        raise InputError(
            "Only binary classification is supported. The type of the target is "
            f"{type_of_target(labels)}."
        )
    if classes.size < 2:
        got = f"one class only, {format_list(classes.tolist())}" if classes.size else "no rows"
        raise InputError("y", "hold two classes", got, "Add rows of the class that is missing.")
    return classes


def weights_of(hull_weight: Any, sample_weight: Any, labels: AnyArray) -> FloatArray | None:
    """Return what each row counts for the hull."""
    weights = None
    for name, given in (("sample_weight", sample_weight), ("hull_weight", hull_weight)):
        if given is None:
            continue
        many = np.full(labels.size, given) if is_number(given) else given
        weights = as_weights(many, labels.size, argument=name)
        whole_weights(labels == labels[0], weights, name)  # which refuses none for a class
    return weights


def checked_costs(row_costs: Any, names: Sequence[str]) -> Mapping[str, float] | None:
    """Return the running cost per row of every model, if costs were given."""
    if row_costs is None:
        return None
    if not isinstance(row_costs, Mapping) or set(row_costs) != set(names):
        got = f"costs for {format_list(row_costs)}" if isinstance(row_costs, Mapping) else None
        raise InputError(
            "row_costs",
            "map every model's name to its running cost per row",
            got or describe_type(row_costs),
            f"The models are: {format_list(names)}.",
        )
    return {name: as_number(cost, "row_costs", least=0) for name, cost in row_costs.items()}


def routed_by_hand(
    models: Sequence[tuple[str, Any]], sample_weight: Any, groups: Any, params: Mapping[str, Any]
) -> Bunch:
    """Say what goes where when scikit-learn's metadata routing is off."""
    if params:
        raise InputError(
            "params",
            "be routed",
            f"{format_list(params)} without routing",
            "Turn it on: sklearn.set_config(enable_metadata_routing=True).",
        )
    routed = Bunch(splitter=Bunch(split={} if groups is None else {"groups": groups}))
    unweighted = []
    for name, model in models:
        takes = has_fit_parameter(model, "sample_weight")
        routed[name] = Bunch(
            fit={"sample_weight": sample_weight} if takes and sample_weight is not None else {}
        )
        if not takes and not isinstance(model, FrozenEstimator):
            unweighted.append(name)
    if sample_weight is not None and unweighted:
        warnings.warn(
            f"{format_list(unweighted)} cannot be fitted with sample_weight; for these the weights "
            "count in the hull only.",
            SampleWeightWarning,
            stacklevel=3,
        )
    return routed


def checking_rows(
    share: Any, cv: Any, labels: AnyArray, groups: Any, random_state: Any
) -> tuple[IntArray | None, IntArray | None]:
    """Return the rows to work with (None: all) and those held out for the check at the end."""
    if share is None:
        return None, None
    as_share(share, "check_size")
    if isinstance(cv, TimeSeriesSplit):
        start = labels.size - max(1, round(share * labels.size))
        return np.arange(start), np.arange(start, labels.size)
    train, test = next(hold_out(share, groups, random_state).split(labels, labels, groups))
    return train, test


def splits_of(
    models: Sequence[tuple[str, Any]],
    cv: Any,
    data: tuple[Any, AnyArray],
    rest: IntArray | None,
    groups: Any,
    split_params: Mapping[str, Any],
    random_state: Any,
) -> list[tuple[IntArray | None, IntArray]]:
    """Return the splits in numbers of rows; fitted models need none to be fitted on.

    With rows held out for the check (`rest` are the others), splitters split the rest. Splits that
    are fixed beforehand are about all rows; they only lose those held out.
    """
    features, labels = data
    rows = np.arange(labels.size) if rest is None else rest
    if all(isinstance(model, FrozenEstimator) for _, model in models):
        return [(None, rows)]
    splitter, split_params = _splitter(cv, labels, groups, split_params, random_state)
    fixed = isinstance(cv, PredefinedSplit) or not (hasattr(cv, "split") or is_number(cv))
    if rest is None or fixed:
        kept = np.zeros(labels.size, dtype=bool)
        kept[rows] = True
        found = [
            tuple(side[kept[side]] for side in _numbered(split, labels.size))
            for split in splitter.split(features, labels, **split_params)
        ]
    else:
        split_params = {name: _safe_indexing(v, rest) for name, v in split_params.items()}
        part = _safe_indexing(features, rest), labels[rest]
        found = [
            tuple(rest[side] for side in _numbered(split, rest.size))
            for split in splitter.split(*part, **split_params)
        ]
    if not any(test.size for _, test in found):
        raise InputError("cv", "hold out some rows", "none", "For example: 5 for five folds.")
    return [(train, test) for train, test in found if test.size]


def _splitter(
    cv: Any, labels: AnyArray, groups: Any, split_params: Mapping[str, Any], random_state: Any
) -> tuple[Any, Mapping[str, Any]]:
    """Return the splitter and what its `split` gets; a plain number respects groups, too."""
    number = is_number(cv) and not isinstance(cv, float)
    given = {} if groups is None else {"groups": groups}
    if isinstance(cv, float):
        return hold_out(as_share(cv, "cv"), groups, random_state), given
    if number and groups is not None:
        return StratifiedGroupKFold(int(cv)), given
    return check_cv(cv, labels, classifier=True), split_params


def hold_out(share: float, groups: Any, random_state: Any) -> Any:
    """Return a splitter that holds out one share of the rows, or of the groups."""
    kind = StratifiedShuffleSplit if groups is None else GroupShuffleSplit
    return kind(n_splits=1, test_size=share, random_state=random_state)


def as_share(share: Any, argument: str) -> float:
    """Return a share of the rows that leaves some on both sides."""
    if not is_number(share) or not 0 < share < 1:
        raise InputError(
            argument, "be a share between 0 and 1", repr(share), "For example: 0.2 for a fifth."
        )
    return float(share)


def _numbered(split: Any, rows: int) -> tuple[IntArray, IntArray]:
    """Return both sides of a split as row numbers, where it may give masks."""
    sides = []
    for side in map(np.asarray, split):
        mask = side.dtype == bool
        if (mask and side.size != rows) or (side.size and side.dtype.kind not in "biu"):
            raise InputError(
                "cv",
                f"give row numbers, or masks of {rows} rows",
                f"a mask of {side.size}" if mask else f"values of type {side.dtype}",
                "See scikit-learn's splitters.",
            )
        sides.append(np.flatnonzero(side) if mask else side.astype(np.intp))
    train, test = sides
    for side in sides:
        if side.size and not (-rows <= side.min() and side.max() < rows):
            raise InputError(
                "cv",
                f"split the {rows} rows",
                f"row {side.max() if side.max() >= rows else side.min()}",
                "Number the rows from 0.",
            )
    fitted = np.zeros(rows, dtype=bool)
    fitted[train] = True
    if fitted[test].any():
        raise InputError(
            "cv",
            "hold out rows that are not fitted on",
            f"{format_count(int(np.count_nonzero(fitted[test])), 'row')} on both sides of a split",
            "Scores of rows that a model has seen would flatter it.",
        )
    return train % rows, test % rows


# --- What classifiers made of named models share: their parameters, tags and metadata routing -----


def present(estimators: Any) -> list[tuple[str, Any]]:
    """Return the named models, less those replaced by the word "drop"."""
    pairs = named(estimators)
    return [(name, model) for name, model in pairs if not isinstance(model, str) or model != "drop"]


class NamedModels(ClassifierMixin, _BaseComposition):
    """A classifier with `estimators`, pairs of name and model, and `cv`."""

    estimators: Any
    cv: Any

    def named_models(self) -> list[tuple[str, Any]]:
        """Return the named models, less those that were dropped by `set_params(name="drop")`."""
        models = present(self.estimators)
        named(models)  # refuses that all were dropped
        self._check_names([name for name, _ in models])
        for name, model in models:
            if not (hasattr(model, "fit") and _answers(model)) or isinstance(model, type):
                raise InputError(
                    "estimators",
                    "be classifiers with fit and predict",
                    f"{name!r}: {describe_type(model)}",
                    "For example: [('nb', GaussianNB())]; wrap a function in RuleClassifier.",
                )
        return models

    def _check_names(self, names: list[str]) -> None:
        """Refuse names that could not be told apart from others or from parameters."""
        twice = find_duplicates(names)
        if twice:
            raise InputError("estimators", "have distinct names", format_list(twice), "Rename one.")
        taken = {*super().get_params(deep=False), "splitter"}
        wrong = [name for name in names if "__" in name or name in taken]
        if wrong:
            raise InputError(
                "estimators",
                "have names without '__' that are no parameters' names",
                format_list(wrong),
                "Rename it: parameters of models are written name__parameter.",
            )

    def routed(
        self, models: list[tuple[str, Any]], sample_weight: Any, groups: Any, params: Any
    ) -> Any:
        """Return what each model's `fit` and the splitter get."""
        if groups is not None:  # splitters would take missing ones for a group
            distinct_labels(as_array(groups, "groups"), "groups")
        if not get_config()["enable_metadata_routing"]:
            return routed_by_hand(models, sample_weight, groups, params)
        given = {"sample_weight": sample_weight, "groups": groups, **params}
        return process_routing(
            self, "fit", **{name: value for name, value in given.items() if value is not None}
        )

    def get_metadata_routing(self) -> MetadataRouter:
        """Say which metadata goes where: to the models' `fit`, and to the splitter."""
        router = MetadataRouter(owner=self).add_self_request(self)
        fits = MethodMapping().add(caller="fit", callee="fit")
        router.add(**dict(self.named_models()), method_mapping=fits)
        return router.add(
            splitter=self.cv, method_mapping=MethodMapping().add(caller="fit", callee="split")
        )

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters, with those of the models if deep."""
        return dict(self._get_params("estimators", deep=deep))

    def set_params(self, **params: Any) -> Self:
        """Set parameters, also of models (`gbm__max_depth=3`) and models themselves."""
        self._set_params("estimators", **params)
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        accept_what_models_accept(tags, [model for _, model in present(self.estimators)])
        return tags


def _answers(model: Any) -> bool:
    """Say whether a model predicts, or will: stacks hide `predict` until they are fitted."""
    plain = hasattr(model, "predict") or hasattr(model, "search_model")
    return plain or (hasattr(model, "__sklearn_tags__") and is_classifier(model))


# --- Scores of rows by models that have not seen them: what the hybrid's hull is judged on --------


@dataclass(frozen=True, eq=False, slots=True)
class OutOfFold:
    """Rows judged by models that were fitted without them.

    Attributes
    ----------
    rows
        Which rows of the data were judged, in rising order. With repeated splits a row occurs once
        for each time it was held out; rows that never were (the start of a time series) are absent.
    folds
        The split in which each was held out.
    positive
        Whether each belongs to the positive class.
    scores
        For each classifier its scores; for one that only labels, its alarms.
    weights
        What each row counts, or None where all count the same.
    seconds_per_row
        How long each classifier took to score a row.
    groups
        The group of each, where rows belong together.
    """

    rows: IntArray
    folds: IntArray
    positive: BoolArray
    scores: Mapping[str, FloatArray | BoolArray]
    weights: FloatArray | None
    seconds_per_row: Mapping[str, float]
    groups: AnyArray | None = None

    def __post_init__(self) -> None:
        for array in (self.rows, self.folds, self.positive, self.weights, *self.scores.values()):
            if array is not None:
                array.flags.writeable = False

    @property
    def effective_rows(self) -> tuple[float, float]:
        """How many negatives and positives of equal weight would say as much as these.

        A row that was held out several times counts once.
        """
        counts = []
        weights = np.ones(self.rows.size) if self.weights is None else self.weights
        place = np.cumsum(self.first) - 1
        for kind in (False, True):
            per_row = np.bincount(place, weights * (self.positive == kind))
            counts.append(float(per_row.sum() ** 2 / (per_row**2).sum()))
        return counts[0], counts[1]

    @property
    def first(self) -> BoolArray:
        """Which entries are their row's first; the others come from repeated splits."""
        return np.diff(self.rows, prepend=-1) > 0

    def once(self) -> OutOfFold:
        """Return every row once, as it was held out first."""
        return self if self.first.all() else self.part(self.first)

    @property
    def sample(self) -> DecidedSample:
        """The rows as combinations and rules take them."""
        return DecidedSample(self.positive, self.scores, self.weights)

    def curve(self, name: str) -> RocCurve:
        """Return one classifier's curve (or point, if it only labels) on these rows."""
        return self.sample.curve(name)

    def part(self, chosen: BoolArray) -> OutOfFold:
        """Return some of the rows."""
        return replace(
            self,
            rows=self.rows[chosen],
            folds=self.folds[chosen],
            positive=self.positive[chosen],
            scores={name: scores[chosen] for name, scores in self.scores.items()},
            weights=None if self.weights is None else self.weights[chosen],
            groups=None if self.groups is None else self.groups[chosen],
        )

    def hull(self, names: Iterable[str]) -> RocHull:
        """Return the joint hull of some classifiers on these rows."""
        names = list(names)
        scoring = {name: self.scores[name] for name in names if self.scores[name].dtype != bool}
        parts: list[RocCurve | RocHull] = [self.curve(n) for n in names if n not in scoring]
        if scoring:
            parts.append(RocHull.from_scores(self.positive, scoring, sample_weight=self.weights))
        return RocHull.of(*parts)


class Fitted(NamedTuple):
    """What fitting one model on one split gave."""

    component: Component
    scores: FloatArray | BoolArray
    seconds: float


def fit_and_score(
    name: str,
    estimator: Any,
    data: tuple[Any, AnyArray],
    split: tuple[IntArray | None, IntArray],
    fit_params: Mapping[str, Any],
    where: tuple[int, Any],
) -> Fitted:
    """Fit a copy of a model on the rows of a split, and score those held out.

    `where` is the number of the split and the positive class; training rows of None mean a model
    that is fitted already.
    """
    from rocch.hybrid._sklearn_compat import _safe_indexing

    features, labels = data
    train, test = split
    fold, pos_label = where
    try:
        if train is not None:
            estimator = fit_copy(estimator, features, labels, fit_params, train)
        component = Component.of(name, estimator, pos_label)
        start = perf_counter()
        scores = component.scores(_safe_indexing(features, test))
        return Fitted(component, scores, perf_counter() - start)
    except Exception as error:
        error.add_note(f"This happened to classifier {name!r} on split {fold} of the data.")
        raise


def fit_copy(
    estimator: Any,
    features: Any,
    labels: AnyArray,
    fit_params: Mapping[str, Any],
    rows: IntArray | None = None,
) -> Any:
    """Fit a copy of an estimator on some rows, or on all."""
    from sklearn.base import clone

    from rocch.hybrid._sklearn_compat import _check_method_params, _safe_indexing

    given = _check_method_params(features, fit_params, indices=rows)
    if rows is not None:
        features, labels = _safe_indexing(features, rows), labels[rows]
    return clone(estimator).fit(features, labels, **given)


def judge(
    estimators: Sequence[tuple[str, Any]],
    data: tuple[Any, AnyArray],
    splits: Sequence[tuple[IntArray | None, IntArray]],
    fit_params: Mapping[str, Mapping[str, Any]],
    *,
    pos_label: Any,
    weights: FloatArray | None,
    groups: Any,
    n_jobs: int | None,
) -> tuple[OutOfFold, dict[str, list[Component]]]:
    """Fit every model on every split; return the held-out scores and the fitted models."""
    from sklearn.utils.parallel import Parallel, delayed

    check_splits(splits, data[1])
    fitted = Parallel(n_jobs=n_jobs)(
        delayed(fit_and_score)(name, model, data, split, fit_params[name], (fold, pos_label))
        for name, model in estimators
        for fold, split in enumerate(splits)
    )
    by_name = {
        name: fitted[i * len(splits) : (i + 1) * len(splits)]
        for i, (name, _) in enumerate(estimators)
    }
    rows = np.concatenate([test for _, test in splits])
    folds = np.repeat(np.arange(len(splits)), [test.size for _, test in splits])
    order = np.argsort(rows, kind="stable")
    rows, folds = rows[order], folds[order]
    judged = OutOfFold(
        rows,
        folds,
        data[1][rows] == pos_label,
        {name: np.concatenate([f.scores for f in own])[order] for name, own in by_name.items()},
        None if weights is None else weights[rows],
        {name: sum(f.seconds for f in own) / rows.size for name, own in by_name.items()},
        None if groups is None else as_codes(groups, "groups")[rows],
    )
    return judged, {name: [f.component for f in own] for name, own in by_name.items()}


def check_splits(splits: Sequence[tuple[IntArray | None, IntArray]], labels: AnyArray) -> None:
    """Refuse splits that leave one class only to fit on, or to judge on."""
    first = labels == labels[0]
    for fold, (train, _) in enumerate(splits):
        if train is not None and (first[train].all() or not first[train].any()):
            raise InputError(
                "cv",
                "leave rows of both classes to fit on",
                f"split {fold} with one class only",
                "Use fewer splits, or a stratified splitter.",
            )
    held_out = first[np.concatenate([test for _, test in splits])]
    if held_out.all() or not held_out.any():
        raise InputError(
            "cv",
            "hold out rows of both classes",
            "rows of one class only",
            "Use more splits, or a stratified splitter.",
        )


# --- Scores on rows that the model was not fitted on, for any splitter ----------------------------

Split = tuple["IntArray", "IntArray"]


def checked_splits(splits: Sequence[Split], y: Any) -> BoolArray:
    """Return which rows are tested; none may be twice, and each training part needs both classes.

    A row that is never tested (the first ones of a series in time) is left out of the judgment. A
    row tested twice would be scored by two models, of which only one could be shown.
    """
    times = np.zeros(len(y), dtype=np.intp)
    for train, test in splits:
        times[test] += 1
        if len(set(np.asarray(y)[train].tolist())) < 2:
            raise InputError(
                "cv", "leave both classes in every training part", "one class", "Stratify."
            )
    if times.max(initial=0) != 1:
        raise InputError(
            "cv",
            "test each row at most once, and some rows at all",
            f"a row tested {times.max(initial=0)} times",
            "Use folds without repetition, such as StratifiedKFold, GroupKFold or TimeSeriesSplit.",
        )
    tested: BoolArray = times > 0
    return tested


def scores_out_of_fold(
    estimator: Any, features: Any, y: Any, splits: Sequence[Split], pos_label: Any
) -> FloatArray | BoolArray:
    """Return each tested row's score by the copy that was fitted without it, in row order."""
    found = []
    for train, test in splits:
        fitted = fit_copy(estimator, features, np.asarray(y), {}, train)
        component = Component.of("setting", fitted, pos_label)
        found.append(component.scores(_safe_indexing(features, test)))
    rows = np.concatenate([test for _, test in splits])
    joined: Any = np.concatenate(found)
    ordered: FloatArray | BoolArray = joined[np.argsort(rows)]
    return ordered
