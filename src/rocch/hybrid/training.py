"""Fitting named models: features, labels, weights, splits, metadata and out-of-fold scores."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from time import perf_counter
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, clone, is_classifier
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import (
    BaseCrossValidator,
    GroupShuffleSplit,
    PredefinedSplit,
    StratifiedGroupKFold,
    StratifiedShuffleSplit,
    TimeSeriesSplit,
    check_cv,
)
from sklearn.utils import Bunch, Tags, assert_all_finite, column_or_1d, get_tags, indexable
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_consistent_length, has_fit_parameter, validate_data

from rocch.arrays import AnyArray, BoolArray, Features, FloatArray, IntArray, Label
from rocch.errors import (
    Hint,
    InputError,
    SampleWeightWarning,
    describe_type,
    first_line,
    format_count,
    format_list,
    missing_column,
)
from rocch.hybrid._sklearn_compat import _BaseComposition, _check_method_params, _safe_indexing
from rocch.hybrid.components import Component, list_estimators
from rocch.inputs import (
    as_array,
    as_level,
    as_numpy,
    as_weights,
    check_known,
    check_unique,
    column_values,
    is_number,
    to_host,
)
from rocch.labels import as_codes, distinct_labels, positive_column
from rocch.roc.curve import whole_weights
from rocch.rows import ClassLabels, ScoredRows

# Features and labels of the same rows.
Data: TypeAlias = tuple[Features, AnyArray]

# Classifiers by name.
Models: TypeAlias = Sequence[tuple[str, BaseEstimator]]

# A number of folds, a share to hold out, a splitter, or pairs of rows to fit on and to hold out.
Cv: TypeAlias = float | BaseCrossValidator | Iterable[tuple[ArrayLike, ArrayLike]] | None

# What scikit-learn takes as `random_state`.
RandomSource: TypeAlias = int | np.random.RandomState | None

# Row numbers to fit on (None for a model that is fitted already) and to hold out, by split.
Splits: TypeAlias = Sequence[tuple[IntArray | None, IntArray]]


class FittedClassifier(ClassifierMixin, BaseEstimator):
    """A classifier that is fitted already."""

    def fit(self, X: Features, y: ArrayLike | None = None, **params: Any) -> Self:  # noqa: ARG002 - scikit-learn's signature
        """Do nothing."""
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return True


def accept_what_models_accept(tags: Tags, models: Iterable[BaseEstimator]) -> None:
    """Set the tags for missing values and sparse rows to what all models accept."""
    known = [get_tags(model).input_tags for model in models if hasattr(model, "__sklearn_tags__")]
    tags.input_tags.allow_nan = all(own.allow_nan for own in known)
    tags.input_tags.sparse = all(own.sparse for own in known)


def training_features(estimator: BaseEstimator, features: Features) -> Features:
    """Return features that can be split; set `n_features_in_` and `feature_names_in_`."""
    (rows,) = indexable(to_host(features, "X"))
    validate_data(estimator, _two_dimensional(rows), skip_check_array=True)
    return rows


def new_features(estimator: BaseEstimator, features: Features) -> Features:
    """Return new rows after checking number and names of features."""
    plain = type(features) is np.ndarray and not hasattr(estimator, "feature_names_in_")
    if plain and features.shape[1:] == (getattr(estimator, "n_features_in_", None),):
        return features  # the common case, fast
    features = to_host(features, "X")
    if not hasattr(features, "shape"):
        (features,) = indexable(features)
    validate_data(estimator, _two_dimensional(features), reset=False, skip_check_array=True)
    return features


def column_of(features: Features, column: str, argument: str) -> AnyArray:
    """Return a named column of a data frame."""
    import narwhals as nw

    try:
        frame = nw.from_native(features, eager_only=True)
    except TypeError:
        raise InputError(
            argument,
            "name a column of a data frame",
            f"{column!r} for rows without column names",
            Hint(
                "Pass a data frame."
                if argument == "X"
                else f"Pass a data frame, or the values themselves: predict(X, {argument}=...)."
            ),
        ) from None
    if column not in frame.columns:
        raise missing_column(column, frame.columns, argument)
    return column_values(frame[column])


def without_columns(
    features: Features, columns: Iterable[str | None], known: Iterable[str] | None
) -> Features:
    """Return a data frame without some columns, unless they are known features."""
    present = getattr(features, "columns", None)
    if present is None:
        return features
    wanted = set() if known is None else set(known)
    dropped = [name for name in set(columns) if name in present and name not in wanted]
    if not dropped:
        return features
    import narwhals as nw

    return nw.from_native(features, eager_only=True).drop(dropped).to_native()


def only_columns(features: Features, names: Iterable[str] | None) -> Features:
    """Return some columns, if there are names."""
    if names is None or getattr(features, "columns", None) is None:
        return features
    import narwhals as nw

    wanted = list(names)
    frame = nw.from_native(features, eager_only=True)
    missing = [name for name in wanted if name not in frame.columns]
    if missing:
        raise missing_column(missing[0], frame.columns, "X")
    return frame.select(wanted).to_native()


def _two_dimensional(features: Features) -> Features:
    shape = getattr(features, "shape", None) or np.shape(features)
    if len(shape) != 2:
        raise InputError(
            "X",
            "be rows of features",
            f"an array of shape {tuple(shape)}",
            Hint("Reshape your data: one row is X.reshape(1, -1), one feature X.reshape(-1, 1)."),
        )
    return features


class Target(NamedTuple):
    """Labels of two classes; `classes[column]` is positive, which is `known` or a guess."""

    labels: AnyArray
    classes: AnyArray
    column: int
    known: bool

    @property
    def pos_label(self) -> Label:
        """The positive class."""
        label: Label = self.classes[self.column]
        return label


def as_binary(y: ArrayLike, features: Features, pos_label: Label | None) -> Target:
    """Return labels of two classes, and which one is positive."""
    labels = label_column(y)
    if labels.dtype.kind not in "biufOUST":
        raise InputError("y", "be numbers, texts or flags", f"labels of type {labels.dtype}")
    check_consistent_length(features, labels)
    classes = _two_classes(labels)
    known = classes.tolist()
    if pos_label is None:
        return Target(labels, classes, *positive_column(known))
    check_known([pos_label], known, "pos_label", "labels")
    return Target(labels, classes, known.index(pos_label), True)


def label_column(y: ArrayLike | None) -> AnyArray:
    """Return labels as an array without missing or ambiguous ones."""
    if y is None:
        hint = Hint("This classifier requires y to be passed, but the target y is None.")
        raise InputError("y", "be labels", "none", hint)  # scikit-learn's checks want these words
    labels = column_or_1d(as_numpy(y, "y"), warn=True)
    distinct_labels(labels, "y")
    if labels.dtype != object or not labels.size:
        return np.asarray(labels)
    plain = np.array(labels.tolist())
    # Integers and flags in object arrays, and texts in lists, get their NumPy type.
    texts = isinstance(y, list | tuple) and all(isinstance(label, str) for label in labels)
    return plain if texts or plain.dtype.kind in "biu" else labels


def _two_classes(labels: AnyArray) -> AnyArray:
    """Return the two classes that occur, sorted."""
    assert_all_finite(labels, input_name="y")
    check_classification_targets(labels)
    classes = np.unique(labels)
    if classes.size > 2:
        raise InputError(
            "y",
            "hold two classes",
            f"{classes.size} classes",
            "Only binary classification is supported. The type of the target is "  # as above
            f"{type_of_target(labels)}. For several classes: rocch.RocSurfaceClassifier.",
        )
    if classes.size < 2:
        got = f"one class only, {format_list(classes.tolist())}" if classes.size else "no rows"
        raise InputError("y", "hold two classes", got)
    return classes


def weights_of(
    hull_weight: ArrayLike | None, sample_weight: ArrayLike | None, labels: AnyArray
) -> FloatArray | None:
    """Return the weights of rows for the hull."""
    weights = None
    for name, given in (("sample_weight", sample_weight), ("hull_weight", hull_weight)):
        if given is not None:
            many = np.full(labels.size, given) if is_number(given) else given
            weights = as_weights(many, labels.size, argument=name)
            whole_weights(labels == labels[0], weights, name)  # refuses a class without weight
    return weights


def hold_out_rows(
    share: float | None,
    cv: Cv,
    labels: AnyArray,
    groups: ArrayLike | None,
    random_state: RandomSource,
) -> tuple[IntArray | None, IntArray | None]:
    """Return the rows to fit on (None: all), and those held out for the final check."""
    if share is None:
        return None, None
    splitter = _hold_out(share, "check_size", groups, random_state)
    if isinstance(cv, TimeSeriesSplit):
        start = labels.size - max(1, round(share * labels.size))
        return np.arange(start), np.arange(start, labels.size)
    train, test = next(splitter.split(labels, labels, groups))
    return train, test


def make_splits(
    cv: Cv,
    data: Data,
    *,
    models: Models = (),
    rest: IntArray | None = None,
    groups: ArrayLike | None = None,
    split_params: Mapping[str, Any] | None = None,
    random_state: RandomSource = None,
) -> Splits:
    """Return splits as row numbers, without training rows if all models are frozen.

    Splitters split the rows `rest`. Fixed splits refer to all rows, and lose those held out.
    """
    features, labels = data
    rows = np.arange(labels.size) if rest is None else rest
    if models and all(isinstance(model, FrozenEstimator) for _, model in models):
        splits: Splits = [(None, rows)]
    else:
        fixed = isinstance(cv, PredefinedSplit) or not (hasattr(cv, "split") or is_number(cv))
        splitter, params = _splitter(cv, labels, groups, split_params or {}, random_state)
        if rest is None or fixed:
            used = np.zeros(labels.size, dtype=bool)
            used[rows] = True
            splits = [
                (train[used[train]], test[used[test]])
                for train, test in _split(splitter, features, labels, params)
            ]
        else:
            params = {
                name: None if value is None else _safe_indexing(value, rest)
                for name, value in params.items()
            }
            part = _safe_indexing(features, rest), labels[rest]
            splits = [(rest[train], rest[test]) for train, test in _split(splitter, *part, params)]
    splits = [(train, test) for train, test in splits if test.size]
    _check_splits(splits, labels)
    return splits


def order_rows(splits: Splits) -> tuple[IntArray, IntArray, IntArray]:
    """Return held-out rows, sorted, the split of each, and the sorting order."""
    rows = np.concatenate([test for _, test in splits])
    folds = np.repeat(np.arange(len(splits)), [test.size for _, test in splits])
    order = np.argsort(rows, kind="stable")
    return rows[order], folds[order], order


def _splitter(
    cv: Cv,
    labels: AnyArray,
    groups: ArrayLike | None,
    split_params: Mapping[str, Any],
    random_state: RandomSource,
) -> tuple[BaseCrossValidator, Mapping[str, Any]]:
    """Return the splitter and the arguments of `split`."""
    own = split_params.get("groups") if groups is None else groups
    if isinstance(cv, float):
        return _hold_out(cv, "cv", own, random_state), {"groups": own}
    try:
        if is_number(cv) and own is not None:
            return StratifiedGroupKFold(cv), {"groups": own}
        return check_cv(cv, labels, classifier=True), split_params
    except (TypeError, ValueError) as error:
        raise InputError("cv", "split the rows", first_line(error)) from None


def _hold_out(
    share: float, argument: str, groups: ArrayLike | None, random_state: RandomSource
) -> BaseCrossValidator:
    as_level(share, argument, hint="For example: 0.2 for a fifth of the rows.")
    kind = StratifiedShuffleSplit if groups is None else GroupShuffleSplit
    return kind(n_splits=1, test_size=share, random_state=random_state)


def _split(
    splitter: BaseCrossValidator, features: Features, labels: AnyArray, params: Mapping[str, Any]
) -> list[tuple[IntArray, IntArray]]:
    try:
        found = list(splitter.split(features, labels, **params))
    except (TypeError, ValueError) as error:
        raise InputError("cv", "split the rows", first_line(error)) from error
    return [_as_row_numbers(split, labels.size) for split in found]


def _as_row_numbers(split: Iterable[ArrayLike], rows: int) -> tuple[IntArray, IntArray]:
    """Return a split as row numbers."""
    sides = []
    for side in map(np.asarray, split):
        mask = side.dtype == bool
        if (mask and side.size != rows) or (side.size and side.dtype.kind not in "biu"):
            raise InputError(
                "cv",
                f"give row numbers, or masks of {rows} rows",
                f"a mask of {side.size}" if mask else f"values of type {side.dtype}",
            )
        numbers = np.flatnonzero(side) if mask else side.astype(np.intp)
        beyond = numbers[(numbers < -rows) | (numbers >= rows)]
        if beyond.size:
            hint = "Number the rows from 0."
            raise InputError("cv", f"split the {rows} rows", f"row {beyond[0]}", hint)
        sides.append(numbers % rows)
    train, test = sides
    shared = int(np.isin(test, train).sum())
    if shared:
        raise InputError(
            "cv",
            "hold out rows that are not fitted on",
            f"{format_count(shared, 'row')} on both sides of a split",
            "Scores of rows used for fitting are too good.",
        )
    return train, test


def _check_splits(splits: Splits, labels: AnyArray) -> None:
    """Refuse splits with a single class to fit or evaluate on."""
    if not splits:
        raise InputError("cv", "hold out some rows", "none", "For example: 5 for five folds.")
    parts = [(train, f"to fit on in split {fold}") for fold, (train, _) in enumerate(splits)]
    parts.append((np.concatenate([test for _, test in splits]), "to evaluate on"))
    for rows, purpose in parts:
        if rows is not None and (labels[rows] == labels[rows[:1]]).all():
            raise InputError(
                "cv",
                f"leave rows of at least two classes {purpose}",
                "one class",
                "Use another number of splits, or a stratified splitter.",
            )


def list_models(estimators: Models) -> list[tuple[str, BaseEstimator]]:
    """Return (name, model) pairs, without those set to "drop"."""
    pairs = list_estimators(estimators)
    return [(name, model) for name, model in pairs if not isinstance(model, str) or model != "drop"]


class NamedModels(ClassifierMixin, _BaseComposition):
    """A classifier with parameters `estimators`, (name, model) pairs, and `cv`."""

    estimators: Any  # as given, and unchecked
    cv: Any

    def named_models(self) -> list[tuple[str, BaseEstimator]]:
        """Return (name, model) pairs after checks, without dropped ones."""
        models = list_models(self.estimators)
        list_estimators(models)  # refuses that all were dropped
        names = [name for name, _ in models]
        check_unique(names, "estimators")
        taken = {*super().get_params(deep=False), "splitter"}
        wrong = [name for name in names if "__" in name or name in taken]
        if wrong:
            raise InputError(
                "estimators",
                "have names without '__', other than those of parameters",
                format_list(wrong),
                "Parameters of models are written name__parameter.",
            )
        for name, model in models:
            if not (hasattr(model, "fit") and _predicts(model)) or isinstance(model, type):
                raise InputError(
                    "estimators",
                    "be classifiers with fit and predict",
                    f"{name!r}: {describe_type(model)}",
                    Hint("For example: [('nb', GaussianNB())]; wrap a function in RuleClassifier."),
                )
        return models

    def routed(
        self,
        models: Models,
        sample_weight: ArrayLike | None,
        groups: ArrayLike | None,
        params: Mapping[str, Any],
    ) -> Bunch:
        """Return the arguments of each model's `fit`, and of the splitter."""
        if groups is not None:  # splitters take missing values for a group
            distinct_labels(as_array(groups, "groups"), "groups")
        if not get_config()["enable_metadata_routing"]:
            return _route_by_hand(models, sample_weight, groups, params)
        given = {"sample_weight": sample_weight, "groups": groups, **params}
        return process_routing(
            self, "fit", **{name: value for name, value in given.items() if value is not None}
        )

    def get_metadata_routing(self) -> MetadataRouter:
        """Return the metadata routing."""
        router = MetadataRouter(owner=self).add_self_request(self)
        fits = MethodMapping().add(caller="fit", callee="fit")
        router.add(**dict(self.named_models()), method_mapping=fits)
        return router.add(
            splitter=self.cv, method_mapping=MethodMapping().add(caller="fit", callee="split")
        )

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters, including those of the models if `deep`."""
        return dict(self._get_params("estimators", deep=deep))

    def set_params(self, **params: Any) -> Self:
        """Set parameters, models, or their parameters (`gbm__max_depth=3`)."""
        self._set_params("estimators", **params)
        return self

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        accept_what_models_accept(tags, [model for _, model in list_models(self.estimators)])
        return tags


def _predicts(model: BaseEstimator) -> bool:
    # Stacks hide `predict` until they are fitted.
    plain = hasattr(model, "predict") or hasattr(model, "search_model")
    return plain or (hasattr(model, "__sklearn_tags__") and is_classifier(model))


def _route_by_hand(
    models: Models,
    sample_weight: ArrayLike | None,
    groups: ArrayLike | None,
    params: Mapping[str, Any],
) -> Bunch:
    """Return the parameters if metadata routing is off."""
    if params:
        raise InputError(
            "params",
            "be routed",
            f"{format_list(params)} without routing",
            Hint("Turn it on: sklearn.set_config(enable_metadata_routing=True)."),
        )
    routed = Bunch(splitter=Bunch(split={} if groups is None else {"groups": groups}))
    routed.update((name, Bunch(fit={})) for name, _ in models)
    if sample_weight is None:
        return routed
    unweighted = []
    for name, model in models:
        if has_fit_parameter(model, "sample_weight"):
            routed[name].fit["sample_weight"] = sample_weight
        elif not isinstance(model, FrozenEstimator):
            unweighted.append(name)
    if unweighted:
        warnings.warn(
            f"{format_list(unweighted)} cannot be fitted with sample_weight; for these the weights "
            "count in the hull only.",
            SampleWeightWarning,
            stacklevel=3,
        )
    return routed


class FittedModel(NamedTuple):
    """A model fitted on one split, and its output for the held-out rows."""

    estimator: BaseEstimator
    held_out: FloatArray | BoolArray
    seconds: float


# A model's output for rows, from its name, the fitted model and the rows.
Output: TypeAlias = Callable[[str, BaseEstimator, Features], FloatArray | BoolArray]


def _fit_one(
    name: str,
    estimator: BaseEstimator,
    data: Data,
    split: tuple[IntArray | None, IntArray],
    fit_params: Mapping[str, Any],
    fold: int,
    output: Output,
) -> FittedModel:
    train, test = split
    try:
        if train is not None:
            estimator = fit_copy(estimator, *data, fit_params, train)
        rows = _safe_indexing(data[0], test)
        start = perf_counter()
        return FittedModel(estimator, output(name, estimator, rows), perf_counter() - start)
    except Exception as error:
        error.add_note(f"This happened to classifier {name!r} on split {fold} of the data.")
        raise


def cross_fit(
    models: Models,
    data: Data,
    splits: Splits,
    routed: Bunch,
    output: Output,
    n_jobs: int | None = 1,
    advance: Callable[[], object] = lambda: None,
) -> dict[str, list[FittedModel]]:
    """Fit a copy of every model on each split, and keep its output for the held-out rows.

    `routed` holds the arguments of each model's `fit`; `advance` is called after each.
    """
    found = []
    for each in Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(_fit_one)(name, model, data, split, routed[name].fit, fold, output)
        for name, model in models
        for fold, split in enumerate(splits)
    ):
        found.append(each)
        advance()
    size = len(splits)
    return {name: found[i * size : (i + 1) * size] for i, (name, _) in enumerate(models)}


def join_held_out(folds: Iterable[FittedModel], order: IntArray) -> AnyArray:
    """Return a model's output for all held-out rows, in the order of the rows."""
    return np.concatenate([fold.held_out for fold in folds])[order]


def fit_copy(
    estimator: BaseEstimator,
    features: Features,
    labels: AnyArray,
    fit_params: Mapping[str, Any],
    rows: IntArray | None = None,
) -> BaseEstimator:
    """Fit a copy of an estimator on some rows, or on all."""
    given = _check_method_params(features, fit_params, indices=rows)
    if rows is not None:
        features, labels = _safe_indexing(features, rows), labels[rows]
    return clone(estimator).fit(features, labels, **given)


def _scores(
    name: str, estimator: BaseEstimator, rows: Features, pos_label: Label
) -> FloatArray | BoolArray:
    return Component.of(name, estimator, pos_label).scores(rows)


def evaluate_models(
    models: Models,
    data: Data,
    splits: Splits,
    routed: Bunch,
    *,
    pos_label: Label,
    weights: FloatArray | None = None,
    groups: ArrayLike | None = None,
    n_jobs: int | None = 1,
    advance: Callable[[], object] = lambda: None,
) -> tuple[ScoredRows, dict[str, list[FittedModel]]]:
    """Return held-out scores of all models, and the models fitted on each split."""
    output = partial(_scores, pos_label=pos_label)
    fitted = cross_fit(models, data, splits, routed, output, n_jobs, advance)
    index, folds, order = order_rows(splits)
    rows = ScoredRows(
        data[1][index] == pos_label,
        {name: join_held_out(own, order) for name, own in fitted.items()},
        None if weights is None else weights[index],
        None if groups is None else as_codes(groups, "groups")[index],
        folds,
        index,
        ClassLabels.of(data[1], pos_label),
    )
    for array in (rows.positive, rows.weights, rows.folds, rows.index, *rows.scores.values()):
        if array is not None:
            array.flags.writeable = False
    return rows, fitted
