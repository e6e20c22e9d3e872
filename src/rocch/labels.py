"""Labels of classes: which there are, and which one is positive."""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import Decimal, InvalidOperation
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rocch.arrays import AnyArray, BoolArray, Columns, IntArray, Label
from rocch.errors import Hint, InputError, format_count, format_list
from rocch.inputs import as_array, check_length, is_number

# Texts that name a class as a truth value, in any case.
TRUTH_WORDS = {"true": True, "t": True, "yes": True, "false": False, "f": False, "no": False}

# What NumPy makes of missing values when it converts all values of an array to texts.
WRITTEN_MISSING = frozenset({"nan", "NaT", b"nan", b"NaT"})


def as_positive(
    y_true: ArrayLike, pos_label: Label | None = None, *, argument: str = "y_true"
) -> BoolArray:
    """Return which rows are positive; both classes must occur."""
    positive = _is_positive(as_array(y_true, argument), pos_label, argument)
    check_both_classes(int(np.count_nonzero(positive)), positive.size, argument)
    return positive


def check_both_classes(positives: int, rows: int, argument: str) -> None:
    """Refuse rows of one class."""
    if positives in (0, rows):
        which = "positive" if positives else "negative"
        raise InputError(
            argument,
            "hold both classes",
            f"{format_count(rows, 'row')}, all {which}",
            "A ROC curve needs at least one row of each class.",
        )


def as_outcomes(
    y_true: ArrayLike, pos_label: Label | None = None, *, argument: str = "y_true"
) -> BoolArray:
    """Return which rows are positive; one class may be absent."""
    return _is_positive(as_array(y_true, argument), pos_label, argument, may_be_absent=True)


def check_labels(
    labels: AnyArray,
    known: Iterable[object],
    argument: str,
    requirement: str,
    *,
    hint: str | Hint = "",
) -> None:
    """Refuse unknown labels."""
    classes = list(known)
    unknown = [label for label in distinct_labels(labels, argument) if label not in classes]
    if unknown:
        error = InputError(
            argument,
            requirement,
            format_list(unknown),
            "The labels are: {known}.",
            known=format_list(classes),
        )
        raise error.with_hint(hint)


def as_codes(names: ArrayLike | None, argument: str) -> IntArray:
    """Return the place of each row's name among the sorted names."""
    keys = as_array(names, argument)
    present = distinct_labels(keys, argument)
    if keys.dtype.kind not in "OT":
        return np.unique(keys, return_inverse=True)[1]
    codes = {key: code for code, key in enumerate(present)}
    return np.array([codes[key] for key in keys.tolist()])


def as_label_array(labels: Iterable[object]) -> AnyArray:
    """Return labels as an array that keeps their types."""
    given = list(labels)
    array = np.asarray(given)
    return array if array.tolist() == given else np.array(given, dtype=object)


def as_predicted_positive(
    y_pred: Columns, y_true: ArrayLike, pos_label: Label | None, *, argument: str = "y_pred"
) -> BoolArray:
    """Return which rows are predicted positive; predictions must be labels of `y_true`."""
    predicted, labels = as_array(y_pred, argument), as_array(y_true, "y_true")
    check_length(predicted.size, labels.size, argument)
    check_labels(
        predicted,
        distinct_labels(labels, "y_true"),
        argument,
        "hold labels that occur in y_true",
        hint=Hint("For scores use from_scores."),
    )
    if pos_label is not None:
        return is_one_of(predicted, [pos_label])
    return is_one_of(predicted, find_positive(distinct_labels(labels, "y_true"), "y_true"))


def distinct_labels(
    labels: AnyArray, argument: str, hint: str = "Drop those rows, for every classifier alike."
) -> list[Any]:
    """Return the distinct labels, sorted; missing and ambiguous ones (1 and "1") are refused.

    The hint says what to do about missing ones.
    """
    kinds = set(map(type, labels.tolist())) if labels.dtype.kind in "OT" else set()
    if kinds:
        distinct = _distinct(labels.tolist(), argument)
        present = [each.item() if isinstance(each, np.generic) else each for each in distinct]
    else:
        present = np.unique(labels).tolist()
    _check_none_missing(labels, present, argument, hint)
    if len(kinds) > 1:
        check_unambiguous(labels_by_type(labels.tolist(), argument), argument)
    try:
        return sorted(present)
    except TypeError:  # labels of different types have no order
        return sorted(present, key=repr)


def labels_by_type(labels: list[Any], argument: str) -> list[Any]:
    """Return the distinct labels of each type: 1 and True are equal, "1" and "True" are not."""
    return [label for _, label in _distinct(zip(map(type, labels), labels, strict=True), argument)]


def _distinct(labels: Iterable[Any], argument: str) -> list[Any]:
    try:
        return list(dict.fromkeys(labels))
    except TypeError:  # not hashable
        got, hint = "lists or other containers", "Pass texts or numbers."
        raise InputError(argument, "hold plain labels", got, hint) from None


def _check_none_missing(labels: AnyArray, present: list[Any], argument: str, hint: str) -> None:
    missing = _missing_places(labels, present)
    if not missing:
        return
    got = f"{len(missing)} of them, first at position {missing[0]}"
    if labels.dtype.kind in "SU":
        got += f", as the text {labels[missing[0]].item()!r}"
        hint += " NumPy writes missing values as this text; pass a list if a class is named so."
    raise InputError(argument, "have no missing labels", got, hint)


def _missing_places(labels: AnyArray, present: list[Any]) -> list[int]:
    """Return where labels are missing, also where NumPy wrote them as texts."""
    kind = labels.dtype.kind
    if kind == "f":
        gone = np.isnan(labels)
    elif kind in "mM":
        gone = np.isnat(labels)
    elif kind in "SU" and not WRITTEN_MISSING.isdisjoint(present):
        gone = np.isin(labels, [label for label in present if label in WRITTEN_MISSING])
    elif kind in "OT" and any(map(is_missing, present)):
        gone = np.fromiter(map(is_missing, labels.tolist()), dtype=bool)
    else:
        return []
    found: list[int] = np.flatnonzero(gone).tolist()
    return found


def check_unambiguous(labels: Iterable[object], argument: str) -> None:
    """Refuse labels that are equal only as text."""
    alike = _same_texts(labels)
    if alike:
        raise InputError(
            argument,
            "have no labels that are equal only as text",
            " and ".join(f"{label!r} ({type(label).__name__})" for label in alike),
            "Write all labels of a class in one type.",
        )


def _same_texts(labels: Iterable[object]) -> list[object]:
    """Return two labels that are equal only as text, or none."""
    by_text: dict[str, object] = {}
    for label in labels:
        text = label.decode(errors="replace") if isinstance(label, bytes) else str(label)
        other = by_text.setdefault(text, label)
        if other != label:
            return [other, label]
    return []


def _typed(label: Label, present: Iterable[object]) -> str:
    """Return a label as text, with types where another is equal only as text."""
    alike = _same_texts([label, *present])
    if not alike:
        return repr(label)
    return (
        f"{label!r} ({type(label).__name__}), which is not {alike[1]!r} ({type(alike[1]).__name__})"
    )


def _is_positive(
    labels: AnyArray, pos_label: Label | None, argument: str, *, may_be_absent: bool = False
) -> BoolArray:
    """Return which labels are positive; where there is one class, it may be the negative one."""
    if labels.dtype == bool and pos_label is None:
        return labels
    if pos_label is None and labels.dtype.kind in "iuf":
        positive: BoolArray = labels == 1
        others = labels.size - np.count_nonzero(positive)
        if any(np.count_nonzero(labels == negative) == others for negative in (0, -1)):
            return positive
    present = distinct_labels(labels, argument)
    if pos_label is None:
        return is_one_of(labels, find_positive(present, argument))
    if may_be_absent and len(present) == 1 and is_one_label(pos_label):
        check_unambiguous([pos_label, *present], argument)
    elif not is_one_label(pos_label) or pos_label not in present:
        error = InputError(
            "pos_label",
            f"be one label that occurs in {{{argument}}}",
            _typed(pos_label, present) if is_one_label(pos_label) else repr(pos_label),
            "The labels are: {known}.",
            known=format_list(present),
        )
        if may_be_absent:
            raise error.with_hint(Hint(f"If none is positive, pass {argument} == pos_label."))
        raise error
    return is_one_of(labels, [pos_label])


def is_one_of(labels: AnyArray, wanted: list[Any]) -> BoolArray:
    """Return which rows have one of the labels; unlike `numpy.isin`, types stay what they are."""
    found = np.zeros(labels.shape, dtype=bool)
    for label in wanted:
        found |= np.asarray(labels == label, dtype=bool)
    return found


def recognize_positive(labels: Iterable[Any]) -> list[bool] | None:
    """Return which of the distinct labels are positive, or None if they do not imply it.

    They do if all are truth values (booleans, or the texts true/false, t/f, yes/no in any case), or
    all are 0/1 or -1/1, as numbers or texts. One class may be absent, or written in several ways.
    """
    present = list(labels)
    truths = [_as_truth(label) for label in present]
    if None not in truths:
        return [truth is True for truth in truths]
    numbers = [_as_exact_number(label) for label in present]
    if set(numbers) <= {0, 1} or set(numbers) <= {-1, 1}:
        return [number == 1 for number in numbers]
    return None


def find_positive(labels: Iterable[Any], argument: str) -> list[Any]:
    """Return the positive ones of the distinct labels; labels that do not imply it are refused."""
    present = list(labels)
    positive = recognize_positive(present)
    if positive is None:
        raise InputError(
            "pos_label",
            f"be given unless {{{argument}}} is boolean, 0/1, -1/1, true/false, t/f or yes/no",
            f"labels {format_list(present)}",
            "Name the class whose detection counts as a hit; all others are negative."
            + _perhaps_scores(present),
        )
    return [label for label, is_hit in zip(present, positive, strict=True) if is_hit]


def positive_column(classes: list[Any]) -> tuple[int, bool]:
    """Return the place of the positive one of two classes, and whether they imply it.

    By default it is the second, as in scikit-learn.
    """
    positive = recognize_positive(classes) or []
    return (positive.index(True), True) if sum(positive) == 1 else (1, False)


def is_same_label(label: object, typed: str) -> bool:
    """Return whether a typed text names a label: 1 is also 1.0, and Yes is also yes."""
    text = _as_text(label)
    if text is None:
        text = str(label)
    if text == typed:
        return True
    if {text.lower(), typed.lower()} <= TRUTH_WORDS.keys():
        return text.lower() == typed.lower()
    number = _as_exact_number(text)
    return number is not None and number == _as_exact_number(typed)


def _as_text(label: object) -> str | None:
    if isinstance(label, bytes):
        return label.decode(errors="replace")
    return label if isinstance(label, str) else None


def _as_truth(label: Any) -> bool | None:
    if isinstance(label, bool | np.bool_):
        return bool(label)
    text = _as_text(label)
    return None if text is None else TRUTH_WORDS.get(text.strip().lower())


def _as_exact_number(label: Any) -> Any:
    """Return a text as a finite number or None, anything else unchanged."""
    text = _as_text(label)
    if text is None:
        return label
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def _perhaps_scores(labels: list[Any]) -> str:
    numbers = all(map(is_number, labels)) and all(map(math.isfinite, labels))
    if not numbers or (len(labels) < 3 and all(label == round(label) for label in labels)):
        return ""
    return " Are these scores? Labels come first: (y_true, y_score)."


def is_one_label(label: Any) -> bool:
    """Return whether a label is neither missing nor several."""
    return not np.ndim(label) and not is_missing(label)


def is_missing(label: object) -> bool:
    """Return whether a label is None, NaN or another library's NA."""
    try:
        return label is None or bool(label != label)
    except TypeError:
        return True
