"""Features as models take them; columns of scores, and fold models, as models."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import get_tags, indexable
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import validate_data

from rocch.arrays import AnyArray, FloatArray
from rocch.errors import InputError, missing_column
from rocch.hybrid.hybrid import Hybrid
from rocch.hybrid.scores import Component
from rocch.inputs import (
    as_array,
    as_label_array,
    as_scores,
    check_labels,
    column_values,
    to_host,
)

# --- Features as the models get them: number and names are checked here, contents by the models ---


def accept_what_models_accept(tags: Any, models: Iterable[Any]) -> None:
    """Set the tags of missing values and of sparse rows to what all of some models accept."""
    known = [get_tags(model).input_tags for model in models if hasattr(model, "__sklearn_tags__")]
    tags.input_tags.allow_nan = all(own.allow_nan for own in known)
    tags.input_tags.sparse = all(own.sparse for own in known)


def training_features(estimator: BaseEstimator, features: Any) -> Any:
    """Return rows that can be split, and note how many features they have under which names."""
    (rows,) = indexable(to_host(features, "X"))
    validate_data(estimator, _two_dimensional(rows), skip_check_array=True)
    return rows


def new_features(estimator: BaseEstimator, features: Any) -> Any:
    """Return rows to be decided, which must have the features that the models were fitted on."""
    plain = type(features) is np.ndarray and not hasattr(estimator, "feature_names_in_")
    if plain and features.shape[1:] == (getattr(estimator, "n_features_in_", None),):
        return features  # the common case at full speed: no names, the right number of columns
    features = to_host(features, "X")
    if not hasattr(features, "shape"):
        (features,) = indexable(features)
    validate_data(estimator, _two_dimensional(features), reset=False, skip_check_array=True)
    return features


def model_features(
    estimator: BaseEstimator, hybrid: Hybrid, given: Any, columns: Iterable[str | None]
) -> Any:
    """Return what the models see: the rows without keys and other columns that are named."""
    named = (hybrid.key_column, *columns)
    rows = without_columns(given, named, hybrid.feature_names_in)
    if hybrid.of_columns:
        rows = only_columns(rows, hybrid.feature_names_in)
    return new_features(estimator, rows)


def column_of(features: Any, column: str, argument: str) -> Any:
    """Return a named column of a data frame."""
    import narwhals as nw

    try:
        frame = nw.from_native(features, eager_only=True)
    except TypeError:
        raise InputError(
            argument,
            "name a column of a data frame",
            f"{column!r} for rows without column names",
            f"Pass a data frame, or the values themselves: predict(X, {argument}=...).",
        ) from None
    if column not in frame.columns:
        raise missing_column(column, frame.columns, argument)
    return column_values(frame[column])


def without_columns(
    features: Any, columns: Iterable[str | None], known: Iterable[str] | None
) -> Any:
    """Return a data frame less some columns, unless the models know them as features."""
    there = getattr(features, "columns", None)
    if there is None:
        return features
    kept = set() if known is None else set(known)
    gone = [name for name in set(columns) if name in there and name not in kept]
    if not gone:
        return features
    import narwhals as nw

    return nw.from_native(features, eager_only=True).drop(gone).to_native()


def only_columns(features: Any, names: Iterable[str] | None) -> Any:
    """Return some columns of a data frame, in their order, if it has names for its columns."""
    there = getattr(features, "columns", None)
    if there is None or names is None:
        return features
    import narwhals as nw

    wanted = list(names)
    frame = nw.from_native(features, eager_only=True)
    missing = [name for name in wanted if name not in frame.columns]
    if missing:
        raise missing_column(missing[0], frame.columns, "X")
    return frame.select(wanted).to_native()


def _two_dimensional(features: Any) -> Any:
    shape = getattr(features, "shape", None) or np.shape(features)
    if len(shape) != 2:
        raise InputError(
            "X",
            "be rows of features",
            f"an array of shape {tuple(shape)}",
            "Reshape your data: one row is X.reshape(1, -1), one feature X.reshape(-1, 1).",
        )
    return features


# --- Classifiers that live elsewhere: their scores, or labels, come as columns of the data --------
#
# A hybrid of these decides rows whose features are precomputed scores, so everything that a hybrid
# can do (aim, explain itself, become SQL, be saved) works where the models run in other systems.


class _Column(ClassifierMixin, BaseEstimator):
    """What both kinds have in common: the name of a column, and the two classes."""

    column: str
    classes: Any
    reads_column = True

    @property
    def classes_(self) -> AnyArray:
        """The two labels, the positive one last."""
        return as_label_array(self.classes)

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002 - scikit-learn's signature
        """Do nothing: the classifier was fitted elsewhere."""
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def _values(self, X: Any) -> AnyArray:
        return as_array(column_of(X, self.column, "X"), self.column)


class ScoreColumn(_Column):
    """A scoring classifier whose scores are a column of the data, higher for the positive class.

    Parameters
    ----------
    column
        The name of the column.
    classes
        The two labels, the positive one last.

    Examples
    --------
    >>> import pandas as pd
    >>> from rocch.hybrid import ScoreColumn
    >>> rows = pd.DataFrame({"nb": [0.2, 0.9], "gbm": [0.1, 0.7]})
    >>> ScoreColumn("gbm").decision_function(rows)
    array([0.1, 0.7])
    """

    def __init__(self, column: str, classes: Any = (0, 1)) -> None:
        self.column = column
        self.classes = classes

    def decision_function(self, X: Any) -> FloatArray:
        """Return the scores of rows."""
        values = self._values(X)
        return as_scores(values, values.size, argument=self.column)

    def predict(self, X: Any) -> AnyArray:
        """Refuse: without conditions there is no threshold."""
        raise NotImplementedError("A column of scores has no threshold of its own; aim a hybrid.")


class LabelColumn(_Column):
    """A classifier that outputs labels only, which are a column of the data.

    Parameters
    ----------
    column
        The name of the column.
    classes
        The two labels, the positive one last.
    """

    def __init__(self, column: str, classes: Any = (0, 1)) -> None:
        self.column = column
        self.classes = classes

    def predict(self, X: Any) -> AnyArray:
        """Return the labels of rows, which must be of the two classes."""
        labels = self._values(X)
        check_labels(labels, self.classes, self.column, "hold labels of the two classes")
        return labels


# --- Fold models that are kept instead of one model refitted on all rows --------------------------


def _answers(method: str) -> Any:
    def check(ensemble: FoldEnsemble) -> bool:
        return all(hasattr(model, method) for model in ensemble.models)

    return available_if(check)


class FoldEnsemble(ClassifierMixin, BaseEstimator):
    """Several fitted copies of one model that answer together: scores are averaged, labels voted.

    It is fitted already; `fit` does nothing.
    """

    def __init__(self, models: Sequence[Any]) -> None:
        self.models = models

    @classmethod
    def of(cls, components: Sequence[Component]) -> Component:
        """Return the fold models of one classifier as one component."""
        return replace(components[0], estimator=cls([c.estimator for c in components]))

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        accept_what_models_accept(tags, self.models)
        return tags

    def fit(self, X: Any, y: Any = None) -> FoldEnsemble:  # noqa: ARG002 - scikit-learn's signature
        """Do nothing."""
        return self

    @property
    def classes_(self) -> AnyArray:
        """The two labels."""
        classes: AnyArray = self.models[0].classes_
        return classes

    @_answers("predict_proba")
    def predict_proba(self, X: Any) -> FloatArray:
        """Return the mean of the models' probabilities."""
        return _mean([model.predict_proba(X) for model in self.models])

    @_answers("decision_function")
    def decision_function(self, X: Any) -> FloatArray:
        """Return the mean of the models' scores."""
        return _mean([model.decision_function(X) for model in self.models])

    def predict(self, X: Any) -> AnyArray:
        """Return the label that most models give; the first of the classes on a tie."""
        votes = sum((model.predict(X) == self.classes_[1]).astype(int) for model in self.models)
        return np.asarray(self.classes_[(2 * votes > len(self.models)).astype(int)])


def _mean(answers: list[FloatArray]) -> FloatArray:
    """Return the mean, summed one by one from the smallest: the same in every batch and order.

    Rounding never takes it out of the range of the answers: equal ones are their mean.
    """
    ordered = np.sort(np.asarray(answers, dtype=float), axis=0)
    mean: FloatArray = np.clip(sum(ordered) / len(answers), ordered[0], ordered[-1])
    return mean
