"""The one place that turns what users have into arrays and numbers, or refuses it clearly.

Labels become booleans, scores become doubles, weights become doubles. NumPy arrays and sequences
are taken as they are; pandas, Polars and Arrow go through narwhals. Nothing is ever altered.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.errors import bad_input, kind_of, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rocch.arrays import BoolArray, FloatArray

    AnyArray = np.ndarray[Any, Any]

LARGEST_EXACT_INTEGER = 2**53
# Weights other than 0 stay between these: sums and products of them neither overflow nor vanish.
SMALLEST_WEIGHT, LARGEST_WEIGHT = 2.0**-500, 2.0**500
NUMERIC_KINDS = "biufOSU"
"""Kinds of NumPy data that may be numbers: no dates, no complex numbers."""


def as_array(values: Any, argument: str) -> AnyArray:
    """Return one-dimensional data as a NumPy array."""
    if not isinstance(values, (np.ndarray, list, tuple)):
        values = _from_any_series(values, argument)
    if np.ma.isMaskedArray(values) and np.ma.getmaskarray(values).any():
        raise bad_input(
            argument,
            "have no missing values",
            f"a masked one at position {np.argmax(np.ma.getmaskarray(values))}",
            "Drop those rows, for every classifier alike.",
        )
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


def as_positive(y_true: Any, pos_label: Any = None, *, argument: str = "y_true") -> BoolArray:
    """Return which rows belong to the positive class; both classes must occur."""
    labels = as_array(y_true, argument)
    positive = labels if labels.dtype == bool and pos_label is None else None
    if positive is None:
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


def as_outcomes(y_true: Any, pos_label: Any = None) -> BoolArray:
    """Return which rows turned out positive; in operation a period may hold one class only."""
    labels = as_array(y_true, "y_true")
    if pos_label is None:
        return labels if labels.dtype == bool else _is_positive(labels, None, "y_true")
    if np.ndim(pos_label):
        raise bad_input("pos_label", "be one label", repr(pos_label), "Name the positive class.")
    present = distinct_labels(labels, "y_true")
    if len(present) > 1 and pos_label not in present:
        raise bad_input(
            "pos_label",
            "occur in y_true where several labels do",
            repr(pos_label),
            f"The labels are: {shown(present)}. If none is positive, pass y_true == pos_label.",
        )
    return np.asarray([label == pos_label for label in labels.tolist()], dtype=bool)


def as_alarms(y_pred: Any, y_true: Any, pos_label: Any, *, argument: str = "y_pred") -> BoolArray:
    """Return which predicted labels are the positive one; they must be labels of `y_true`."""
    predicted, labels = as_array(y_pred, argument), as_array(y_true, "y_true")
    check_length(predicted.size, labels.size, argument)
    present, known = distinct_labels(predicted, argument), distinct_labels(labels, "y_true")
    unknown = [label for label in present if label not in known]
    if unknown:
        raise bad_input(
            argument,
            "hold labels that occur in y_true",
            shown(unknown),
            f"The labels are: {shown(known)}. For scores use from_scores.",
        )
    if pos_label is None:
        pos_label = True if labels.dtype == bool else 1
    return np.asarray(predicted == pos_label, dtype=bool)


def as_scores(y_score: Any, rows: int, *, argument: str = "y_score") -> FloatArray:
    """Return scores as doubles; infinite ones are allowed, NaN is not."""
    raw = as_array(y_score, argument)
    scores = _as_doubles(raw, argument, "Pass one numeric score per row.")
    check_length(scores.size, rows, argument)
    if np.isnan(scores.min()):
        where = np.flatnonzero(np.isnan(scores))
        raise bad_input(
            argument,
            "have no missing values (NaN)",
            f"{where.size} of them, first at position {where[0]}",
            "Drop or fill those rows, for every classifier alike.",
        )
    if raw.dtype.kind in "iuO" and _has_inexact_integers(raw):
        raise bad_input(
            argument,
            "be integers below 2**53 in size, or floats",
            "larger integers, which doubles cannot tell apart",
            "Rank them first, for example with scipy.stats.rankdata.",
        )
    return scores


def as_weights(
    sample_weight: Any, size: int, *, argument: str = "sample_weight", rows: str = "rows"
) -> FloatArray:
    """Return weights as doubles, one for each row (or what else is weighed): not negative."""
    raw = as_array(sample_weight, argument)
    weights = _as_doubles(raw, argument, "Pass one weight per row.")
    check_length(weights.size, size, argument, rows)
    within = (weights >= SMALLEST_WEIGHT) & (weights <= LARGEST_WEIGHT)
    unusable = np.flatnonzero(~(within | (weights == 0)))
    if unusable.size:
        first = weights[unusable[0]]
        finite = np.isfinite(first) and first >= 0
        raise bad_input(
            argument,
            f"be 0, or from {SMALLEST_WEIGHT:.2g} to {LARGEST_WEIGHT:.2g}"
            if finite
            else "be finite and not negative",
            f"{first} at position {unusable[0]}",
            "State weights in another unit; only their ratios count."
            if finite
            else "Use 0 to leave a row out.",
        )
    return weights


def as_columns(scores: Any, *, argument: str = "scores") -> dict[str, Any]:
    """Return named columns of scores from a mapping or from any data frame."""
    pairs = list(scores.items()) if isinstance(scores, Mapping) else _frame(scores, argument)
    if not pairs:
        raise bad_input(argument, "name at least one classifier", "none", "Pass its scores.")
    twice = repeated(str(name) for name, _ in pairs)
    if twice:
        raise bad_input(argument, "have distinct names", shown(twice), "Rename one of them.")
    return {str(name): column for name, column in pairs}


def repeated(names: Iterable[str]) -> list[str]:
    """Return the names that occur more than once, sorted."""
    return sorted(name for name, times in Counter(names).items() if times > 1)


def check_length(size: int, wanted: int, argument: str, rows: str = "rows") -> None:
    """Refuse data that do not have one value per judged row (or what else there is)."""
    if size != wanted:
        raise bad_input(
            argument,
            f"have one value for each of the {wanted} {rows}",
            f"{size}",
            f"Check that both come from the same {rows} in the same order.",
        )


def as_name(name: Any) -> str:
    """Return a classifier's name, which must be a text that is not empty."""
    if not isinstance(name, str) or not name.strip():
        raise bad_input("name", "be a text that is not empty", repr(name), "Name the classifier.")
    return name


def is_number(value: Any) -> bool:
    """Say whether a value is one real number (of Python's or NumPy's), and not NaN."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return False
    return not math.isnan(value)


def as_number(
    value: Any,
    argument: str,
    *,
    least: float = -math.inf,
    most: float = math.inf,
    do: str = "Pass a number.",
) -> float:
    """Return a finite number within bounds as a float."""
    if not is_number(value) or not math.isfinite(value) or not least <= value <= most:
        bounds = {
            (-math.inf, math.inf): "be a finite number",
            (0, math.inf): "be a finite number, not negative",
            (0, 1): "be a number from 0 to 1",
        }
        raise bad_input(argument, bounds[least, most], repr(value), do)
    return float(value)


def as_flag(value: Any, argument: str) -> bool:
    """Return a yes or no, which must be one and not a word for it."""
    if not isinstance(value, bool | np.bool_):
        raise bad_input(argument, "be True or False", repr(value), "Pass one of them.")
    return bool(value)


def as_whole(value: Any, argument: str, *, least: int, do: str) -> int:
    """Return a whole number that is not too small."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise bad_input(argument, f"be a whole number, at least {least}", repr(value), do)
    return int(value)


def as_rate(value: Any, argument: str) -> float:
    """Return a number between 0 and 1."""
    return as_number(value, argument, least=0, most=1, do="Write 5 % as 0.05, for example.")


def as_level(
    value: Any, argument: str = "confidence", *, do: str = "Write 95 % as 0.95, for example."
) -> float:
    """Return a number strictly between 0 and 1: a confidence, a significance, a tolerance."""
    if not is_number(value) or not 0 < value < 1:
        raise bad_input(
            argument,
            "be a number between 0 and 1, both excluded",
            repr(value),
            do,
        )
    return float(value)


def as_choice(value: Any, choices: Iterable[str], argument: str) -> str:
    """Return one of a few words."""
    words = list(choices)
    if not isinstance(value, str) or value not in words:
        raise bad_input(argument, f"be one of {shown(words)}", repr(value), "Pass one of them.")
    return value


def as_progress(progress: Any) -> Callable[[int, int], object]:
    """Return what is told how far long work is; nothing is told where nobody asks."""
    if progress is None:
        return lambda _done, _total: None
    if not callable(progress):
        raise bad_input(
            "progress",
            "be a function of two numbers, done and total",
            kind_of(progress),
            "Leave it out, or pass print.",
        )
    return progress  # type: ignore[no-any-return]


def distinct_labels(labels: AnyArray, argument: str) -> list[Any]:
    """Return the labels that occur, once each; missing ones are refused."""
    if labels.dtype.kind == "f":
        missing = np.isnan(labels)
    elif labels.dtype.kind == "O":
        missing = np.array([is_missing(label) for label in labels.tolist()])
    else:
        missing = np.zeros(0, dtype=bool)
    if missing.any():
        raise bad_input(
            argument,
            "have no missing labels",
            f"{np.count_nonzero(missing)} of them, first at position {np.flatnonzero(missing)[0]}",
            "Drop those rows, for every classifier alike.",
        )
    if labels.dtype.kind != "O":
        present: list[Any] = np.unique(labels).tolist()
        return present
    try:
        distinct = dict.fromkeys(labels.tolist())
    except TypeError:
        raise bad_input(
            argument, "hold plain labels", "lists or other containers", "Pass one label per row."
        ) from None
    try:
        return sorted(distinct)
    except TypeError:  # labels of different kinds have no order of their own
        return sorted(distinct, key=repr)


def _is_positive(labels: AnyArray, pos_label: Any, argument: str) -> BoolArray:
    present = distinct_labels(labels, argument)
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
    elif np.ndim(pos_label) or pos_label not in present:
        raise bad_input(
            "pos_label",
            f"be one label that occurs in {argument}",
            repr(pos_label),
            f"The labels are: {shown(present)}.",
        )
    return np.asarray(labels == pos_label, dtype=bool)


def is_missing(label: Any) -> bool:
    """Say whether a label or key is None, NaN or another library's NA, which equals nothing."""
    try:
        return label is None or bool(label != label)
    except TypeError:
        return True


def _as_doubles(raw: AnyArray, argument: str, do: str) -> FloatArray:
    try:
        if raw.dtype.kind not in NUMERIC_KINDS:
            raise TypeError
        return np.ascontiguousarray(raw, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise bad_input(argument, "be numbers", _first_not_number(raw), do) from None


def _has_inexact_integers(raw: AnyArray) -> bool:
    if raw.dtype.kind == "O":
        whole = [value for value in raw.tolist() if isinstance(value, int)]
        return any(abs(value) >= LARGEST_EXACT_INTEGER for value in whole)
    return bool(raw.max() >= LARGEST_EXACT_INTEGER or raw.min() <= -LARGEST_EXACT_INTEGER)


def _first_not_number(raw: AnyArray) -> str:
    for position, value in enumerate(raw.tolist()):
        try:
            float(value)
        except (TypeError, ValueError, OverflowError):
            return f"{value!r} at position {position}"
    return f"data of type {raw.dtype}"


def _from_any_series(values: Any, argument: str) -> Any:
    import narwhals.stable.v1 as nw

    try:
        return nw.from_native(values, series_only=True).to_numpy()
    except TypeError:
        pass
    if hasattr(values, "__array__"):
        return np.asarray(values)
    ordered = hasattr(values, "__len__") and hasattr(values, "__getitem__")
    if not ordered or isinstance(values, (str, bytes, Mapping)):
        raise bad_input(
            argument,
            "be an array, a list or a data frame's column",
            kind_of(values),
            "Pass one value per row.",
        )
    return list(values)


def _frame(scores: Any, argument: str) -> list[tuple[Any, Any]]:
    import narwhals.stable.v1 as nw
    from narwhals.exceptions import NarwhalsError

    try:
        frame = nw.from_native(scores, eager_only=True)
        return [(column.name, column.to_numpy()) for column in frame.iter_columns()]
    except NarwhalsError:
        twice = repeated(map(str, getattr(scores, "columns", ())))
        raise bad_input(
            argument, "have distinct column names", shown(twice), "Rename one of them."
        ) from None
    except TypeError:
        raise bad_input(
            argument,
            "map classifier names to scores, or be a data frame with one column each",
            kind_of(scores),
            "For example: {'nb': scores_nb, 'gbm': scores_gbm}.",
        ) from None
