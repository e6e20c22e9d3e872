"""The one place that turns what users have into arrays, or refuses it clearly.

Labels become booleans, scores become doubles, weights become doubles. NumPy arrays and sequences
are taken as they are; pandas, Polars and Arrow go through narwhals. Nothing is ever altered.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.errors import bad_input, shown

if TYPE_CHECKING:
    from rocch.arrays import BoolArray, FloatArray

    Labels = Any
    """Anything one-dimensional: list, NumPy array, pandas, Polars or Arrow column."""

LARGEST_EXACT_INTEGER = 2**53


def as_array(values: Any, argument: str) -> np.ndarray[Any, Any]:
    """Return one-dimensional data as a NumPy array."""
    if not isinstance(values, (np.ndarray, list, tuple)):
        values = _from_any_series(values, argument)
    try:
        array = np.asarray(values)
    except ValueError:
        array = np.empty((0, 0))
    if array.ndim != 1:
        raise bad_input(
            argument,
            "be one-dimensional",
            f"an array of shape {array.shape}" if array.size else "rows of unequal length",
            "Pass one value per row, for example one column of the data.",
        )
    if not array.size:
        raise bad_input(argument, "have at least one row", "none", "Pass the judged rows.")
    return array


def as_positive(y_true: Labels, pos_label: Any = None, *, argument: str = "y_true") -> BoolArray:
    """Return which rows belong to the positive class; both classes must occur."""
    labels = as_array(y_true, argument)
    positive = labels if labels.dtype == bool and pos_label is None else None
    if positive is None:
        _refuse_missing(labels, argument)
        positive = _is_positive(labels, pos_label, argument)
    hits = int(np.count_nonzero(positive))
    if hits in (0, positive.size):
        which = "positive" if hits else "negative"
        raise bad_input(
            argument,
            "hold both classes",
            f"{positive.size} rows that are all {which}",
            "A ROC curve needs at least one row of each class.",
        )
    return positive


def as_scores(y_score: Any, rows: int, *, argument: str = "y_score") -> FloatArray:
    """Return scores as doubles; infinite ones are allowed, NaN is not."""
    raw = as_array(y_score, argument)
    try:
        scores = np.ascontiguousarray(raw, dtype=np.float64)
    except (TypeError, ValueError):
        raise bad_input(
            argument, "be numbers", _first_not_number(raw), "Pass one numeric score per row."
        ) from None
    check_length(scores.size, rows, argument)
    if np.isnan(scores.min()):
        where = np.flatnonzero(np.isnan(scores))
        raise bad_input(
            argument,
            "have no missing values (NaN)",
            f"{where.size} of them, first in row {where[0]}",
            "Drop or fill those rows, for every classifier alike.",
        )
    if raw.dtype.kind in "iu" and np.abs(scores).max() >= LARGEST_EXACT_INTEGER:
        raise bad_input(
            argument,
            "be integers below 2**53 in size, or floats",
            "larger integers, which doubles cannot tell apart",
            "Rank them first, for example with scipy.stats.rankdata.",
        )
    return scores


def as_weights(sample_weight: Any, rows: int) -> FloatArray:
    """Return sample weights as doubles: finite, not negative, not all zero."""
    raw = as_array(sample_weight, "sample_weight")
    try:
        weights = raw.astype(np.float64)
    except (TypeError, ValueError):
        raise bad_input(
            "sample_weight", "be numbers", _first_not_number(raw), "Pass one weight per row."
        ) from None
    check_length(weights.size, rows, "sample_weight")
    unusable = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if unusable.size:
        raise bad_input(
            "sample_weight",
            "be finite and not negative",
            f"{weights[unusable[0]]} in row {unusable[0]}",
            "Use 0 to leave a row out.",
        )
    return weights


def as_columns(scores: Any, *, argument: str = "scores") -> dict[str, Any]:
    """Return named columns of scores from a mapping or from any data frame."""
    if not isinstance(scores, Mapping):
        import narwhals.stable.v1 as nw

        try:
            frame = nw.from_native(scores, eager_only=True)
        except TypeError:
            raise bad_input(
                argument,
                "map classifier names to scores, or be a data frame with one column each",
                f"a {type(scores).__name__}",
                "For example: {'nb': scores_nb, 'gbm': scores_gbm}.",
            ) from None
        scores = {name: frame[name].to_numpy() for name in frame.columns}
    if not scores:
        raise bad_input(argument, "name at least one classifier", "none", "Pass its scores.")
    return {str(name): column for name, column in scores.items()}


def check_length(size: int, rows: int, argument: str) -> None:
    """Refuse data that do not have one value per judged row."""
    if size != rows:
        raise bad_input(
            argument,
            f"have one value for each of the {rows} rows of y_true",
            f"{size}",
            "Check that both come from the same rows in the same order.",
        )


def as_name(name: Any) -> str:
    """Return a classifier's name, which must be a text that is not empty."""
    if not isinstance(name, str) or not name.strip():
        raise bad_input("name", "be a text that is not empty", repr(name), "Name the classifier.")
    return name


def _is_positive(labels: np.ndarray[Any, Any], pos_label: Any, argument: str) -> BoolArray:
    try:
        present = np.unique(labels).tolist()
    except TypeError:
        present = sorted({repr(label) for label in labels.tolist()})
    if pos_label is None:
        if set(present) <= {0, 1} or set(present) <= {-1, 1}:
            pos_label = 1
        else:
            raise bad_input(
                "pos_label",
                f"be given unless {argument} is boolean, 0/1 or -1/1",
                f"labels {shown(present)}",
                "Name the class whose detection counts as a hit; all others are negative.",
            )
    elif pos_label not in present:
        raise bad_input(
            "pos_label",
            f"occur in {argument}",
            repr(pos_label),
            f"The labels are: {shown(present)}.",
        )
    return np.asarray(labels == pos_label, dtype=bool)


def _refuse_missing(labels: np.ndarray[Any, Any], argument: str) -> None:
    if labels.dtype.kind == "f":
        missing = np.isnan(labels)
    elif labels.dtype.kind == "O":
        missing = np.array([label is None or label != label for label in labels.tolist()])
    else:
        return
    if missing.any():
        raise bad_input(
            argument,
            "have no missing labels",
            f"{np.count_nonzero(missing)} of them, first in row {np.flatnonzero(missing)[0]}",
            "Drop those rows, for every classifier alike.",
        )


def _from_any_series(values: Any, argument: str) -> Any:
    import narwhals.stable.v1 as nw

    try:
        return nw.from_native(values, series_only=True).to_numpy()
    except TypeError:
        pass
    if hasattr(values, "__array__"):
        return np.asarray(values)
    if not hasattr(values, "__len__") or isinstance(values, (str, bytes, Mapping)):
        raise bad_input(
            argument,
            "be an array, a list or a data frame's column",
            f"a {type(values).__name__}",
            "Pass one value per row.",
        )
    return list(values)


def _first_not_number(raw: np.ndarray[Any, Any]) -> str:
    for row, value in enumerate(raw.tolist()):
        try:
            float(value)
        except (TypeError, ValueError):
            return f"{value!r} in row {row}"
    return f"an array of type {raw.dtype}"
