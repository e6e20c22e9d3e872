"""Columns of a request: JSON lists become arrays, or are refused by name and position.

A body says which columns there are; what may be in one depends on the model that decides. So the
values of a column are checked here, once, when it is known whether they are scores, labels,
features or keys.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from pydantic import FailFast, Field, TypeAdapter, ValidationError

from rocch.errors import InputError, format_list
from rocch.hybrid.rule import ColumnBatch, check_probabilities, means_probabilities
from rocch.inputs import check_length

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rocch.arrays import AnyArray, FloatArray
    from rocch.hybrid.hybrid import Hybrid

# A number that is finite as a double; neither a bool nor a text is one.
Finite = Annotated[float, Field(strict=True, allow_inf_nan=False)]
NUMBERS: TypeAdapter[list[float]] = TypeAdapter(Annotated[list[Finite], FailFast()])
NUMBERS_OR_NULL: TypeAdapter[list[float | None]] = TypeAdapter(
    Annotated[list[Finite | None], FailFast()]
)
MISSING = type(None)
# Characters of a row key; whole numbers may have as many, with the sign.
LONGEST_KEY = 200
LOWEST_KEY, HIGHEST_KEY = 1 - 10 ** (LONGEST_KEY - 1), 10**LONGEST_KEY - 1
# Characters of a name, or of a value, that messages show.
LONGEST_NAME = 80
# Whole numbers with more bits are not written out in messages, because that takes long.
MOST_BITS = 4096


def score_batch(hybrid: Hybrid, scores: Mapping[str, Sequence[Any]]) -> ColumnBatch:
    """Return columns of scores, and of labels where a model only labels, as rows to be decided.

    Columns of classifiers that this version does not know are ignored: the next one may need
    them, or the last one did, and whoever sends both sees no difference when one takes over.
    """
    rows = _count_rows(scores, "scores")
    columns: dict[str, AnyArray] = {}
    meanings = hybrid.meanings(name for name in scores if name in hybrid.components)
    for name, values in scores.items():
        place = f"scores.{name[:LONGEST_NAME]}"
        check_length(len(values), rows, place)
        if name not in hybrid.components:
            continue
        if not hybrid.components[name].scoring:
            columns[name] = as_labels(values, hybrid, place)
            continue
        columns[name] = as_numbers(values, place)
        if means_probabilities(meanings[name]):
            check_probabilities(columns[name], place)
    if not columns:
        raise InputError(
            f"scores.{next(iter(scores))[:LONGEST_NAME]}",
            "be a known name, at least one of all",
            format_list([name[:LONGEST_NAME] for name in scores]),
            "The names are: {known}.",
            known=format_list(hybrid.components, 20),
        )
    return ColumnBatch(columns, (), (hybrid.negative, hybrid.positive))


def feature_rows(hybrid: Hybrid, features: Mapping[str, Sequence[Any]]) -> Any:
    """Return columns of features as the models were fitted on them: a data frame, or a matrix."""
    named = hybrid.feature_names_in is not None
    wanted = feature_names(hybrid) or [str(place) for place in range(len(features))]
    _check_names(features, wanted, hybrid.key_column)
    rows = _count_rows(features, "features")
    columns = {}
    for name in wanted:
        check_length(len(features[name]), rows, f"features.{name}")
        columns[name] = as_feature(features[name], f"features.{name}")
    return _frame(columns) if named else _matrix(list(columns.values()))


def feature_names(hybrid: Hybrid) -> list[str]:
    """Return the names under which features are sent: their own, or their positions."""
    if hybrid.feature_names_in is not None:
        return [str(name) for name in hybrid.feature_names_in]
    return [str(place) for place in range(hybrid.n_features_in or 0)]


def as_numbers(values: Sequence[Any], place: str) -> FloatArray:
    """Return a column of finite numbers."""
    return _validate(NUMBERS, values, place)


def as_labels(values: Sequence[Any], hybrid: Hybrid, place: str) -> AnyArray:
    """Return a column of labels; alarms as 0 and 1 work as well, where these are no labels."""
    alarm = {label: label == hybrid.positive for label in hybrid.classes.tolist()}
    if not {0, 1} & set(alarm):
        alarm |= {0: False, 1: True}
    try:
        alarms = [alarm[value] for value in values]
    except (KeyError, TypeError):  # lists and objects cannot be looked up
        wrong = (i for i, v in enumerate(values) if _is_nested(v) or v not in alarm)
        requirement = f"be one of {format_list(alarm)}"
        raise _wrong_value(values, next(wrong), place, requirement) from None
    return hybrid.labels(np.array(alarms, dtype=bool))


def as_feature(values: Sequence[Any], place: str) -> AnyArray:
    """Return a column of one feature; null is a missing value, which models may know."""
    kinds = set(map(type, values))
    if kinds <= {int, float, MISSING}:
        return _validate(NUMBERS_OR_NULL, values, place)
    if kinds & {list, dict}:
        position = next(i for i, value in enumerate(values) if _is_nested(value))
        raise _wrong_value(values, position, place, "be numbers, texts, flags or null")
    return np.array(values, dtype=bool if kinds == {bool} else object)


def as_keys(values: Sequence[Any], rows: int) -> list[str]:
    """Return row keys as the texts that coins are made of."""
    check_length(len(values), rows, "row_keys")
    for position, value in enumerate(values):
        if type(value) not in (int, str):
            requirement = "be texts or whole numbers"
        elif _is_long(value):
            requirement = f"have at most {LONGEST_KEY} characters"
        else:
            continue
        raise _wrong_value(values, position, "row_keys", requirement)
    return list(map(str, values))


def _validate(adapter: TypeAdapter[Any], values: Sequence[Any], place: str) -> FloatArray:
    try:
        return np.array(adapter.validate_python(values), dtype=np.float64)
    except ValidationError as error:
        position = int(error.errors(include_url=False)[0]["loc"][0])
        raise _wrong_value(values, position, place, "be finite numbers") from None


def _is_long(key: int | str) -> bool:
    """Whether a key is too long; whole numbers are not written out, which takes long for many."""
    if isinstance(key, str):
        return len(key) > LONGEST_KEY
    return not LOWEST_KEY <= key <= HIGHEST_KEY


def _check_names(given: Mapping[str, Any], names: Sequence[str], also: str | None) -> None:
    known = f"The features are: {format_list(names, 20)}."
    unknown = [name[:LONGEST_NAME] for name in given if name not in names and name != also]
    if unknown:
        raise InputError(f"features.{unknown[0]}", "be a known name", format_list(unknown), known)
    missing = [name for name in names if name not in given]
    if missing:
        raise InputError(
            "features", "have a column for each feature", f"none for {format_list(missing)}", known
        )


def _count_rows(columns: Mapping[str, Sequence[Any]], argument: str) -> int:
    rows = len(next(iter(columns.values()), ()))
    if not rows:
        raise InputError(argument, "have at least one row", "none", "Send one value per row.")
    return rows


def _is_nested(value: Any) -> bool:
    return isinstance(value, list | dict)


def _wrong_value(values: Sequence[Any], position: int, place: str, requirement: str) -> InputError:
    value = values[position]
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        got = f"a whole number of {value.bit_length()} bits"
    else:
        got = "null" if value is None else repr(value)
    got = got if len(got) <= LONGEST_NAME else got[:LONGEST_NAME] + " ..."
    return InputError(
        place, requirement, f"{got} at position {position}", "Send one value per row."
    )


def _frame(columns: dict[str, AnyArray]) -> Any:
    import narwhals as nw

    backend = next((name for name in ("pandas", "polars") if find_spec(name)), None)
    if backend is None:  # models see rows without names then, which scikit-learn allows
        return _matrix(list(columns.values()))
    return nw.from_dict(columns, backend=backend).to_native()  # type: ignore[arg-type]


def _matrix(columns: list[AnyArray]) -> AnyArray:
    if all(column.dtype != object for column in columns):
        return np.column_stack(columns)
    matrix = np.empty((columns[0].size, len(columns)), dtype=object)
    for place, column in enumerate(columns):
        matrix[:, place] = column
    return matrix
