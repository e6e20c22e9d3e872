"""Features as the models get them: number and names are checked here, contents by the models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import get_tags, indexable
from sklearn.utils.validation import validate_data

from rocch.errors import bad_input, missing_column
from rocch.inputs import column_values, on_host

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sklearn.base import BaseEstimator

    from rocch.hybrid.hybrid import Hybrid


def accept_what_models_accept(tags: Any, models: Iterable[Any]) -> None:
    """Set the tags of missing values and of sparse rows to what all of some models accept."""
    known = [get_tags(model).input_tags for model in models if hasattr(model, "__sklearn_tags__")]
    tags.input_tags.allow_nan = all(own.allow_nan for own in known)
    tags.input_tags.sparse = all(own.sparse for own in known)


def training_features(estimator: BaseEstimator, features: Any) -> Any:
    """Return rows that can be split, and note how many features they have under which names."""
    (rows,) = indexable(on_host(features, "X"))
    validate_data(estimator, _two_dimensional(rows), skip_check_array=True)
    return rows


def new_features(estimator: BaseEstimator, features: Any) -> Any:
    """Return rows to be decided, which must have the features that the models were fitted on."""
    plain = type(features) is np.ndarray and not hasattr(estimator, "feature_names_in_")
    if plain and features.shape[1:] == (getattr(estimator, "n_features_in_", None),):
        return features  # the common case at full speed: no names, the right number of columns
    features = on_host(features, "X")
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
    import narwhals.stable.v1 as nw

    try:
        frame = nw.from_native(features, eager_only=True)
    except TypeError:
        raise bad_input(
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
    import narwhals.stable.v1 as nw

    return nw.from_native(features, eager_only=True).drop(gone).to_native()


def only_columns(features: Any, names: Iterable[str] | None) -> Any:
    """Return some columns of a data frame, in their order, if it has names for its columns."""
    there = getattr(features, "columns", None)
    if there is None or names is None:
        return features
    import narwhals.stable.v1 as nw

    wanted = list(names)
    frame = nw.from_native(features, eager_only=True)
    missing = [name for name in wanted if name not in frame.columns]
    if missing:
        raise missing_column(missing[0], frame.columns, "X")
    return frame.select(wanted).to_native()


def _two_dimensional(features: Any) -> Any:
    shape = getattr(features, "shape", None) or np.shape(features)
    if len(shape) != 2:
        raise bad_input(
            "X",
            "be rows of features",
            f"an array of shape {tuple(shape)}",
            "Reshape your data: one row is X.reshape(1, -1), one feature X.reshape(-1, 1).",
        )
    return features
