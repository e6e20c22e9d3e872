"""Rows for libraries and surfaces: labels as the values that they stand for, and features."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from rocch.arrays import AnyArray
from rocch.cli.data import open_table
from rocch.cli.scores import (
    FEW_ROWS,
    ID_NAME,
    LEAVE_OUT,
    find_positive_rows,
    find_score_columns,
    join_key,
    read_long,
)
from rocch.cli.table import check_distinct, need_column
from rocch.errors import InputError, format_list
from rocch.inputs import find_duplicates
from rocch.labels import find_positive, is_same_label
from rocch.multiclass.classes import Classes

if TYPE_CHECKING:
    from rocch.arrays import FloatArray, IntArray
    from rocch.cli.data import TableSource
    from rocch.cli.scores import ScoresSource
    from rocch.cli.table import Coded, Table

ENCODE = "Encode texts as numbers first, or name the columns to use with --features."
TRUTH = {"true": True, "false": False}


@dataclass(frozen=True, slots=True, eq=False)
class LabeledRows:
    """Features and the class of each row."""

    features: FloatArray
    feature_names: tuple[str, ...]
    labels: AnyArray
    classes: Classes

    @property
    def totals(self) -> IntArray:
        """How many rows each class has."""
        return np.bincount(self.classes.codes(self.labels, "--label"))


def labeled_rows(source: TableSource, *, label: str, features: str | None) -> LabeledRows:
    """Read features, which must be numbers, and the classes' names, as they are written."""
    with open_table(source) as table:
        need_column(table.names, label, "--label")
        names = _feature_columns(table.names, label, features)
        columns = table.select(names, {label: "--label"}, finite=True, hint=ENCODE)
        numbers, labels = columns.numbers(), np.array(columns.coded(label).texts())
    if features is None:
        _check_no_ids(numbers)
    classes = Classes.of_labels(labels, "--label")
    return LabeledRows(np.column_stack([*numbers.values()]), tuple(names), labels, classes)


def _feature_columns(columns: Sequence[str], label: str, features: str | None) -> list[str]:
    if features is None:
        names = [name for name in columns if name != label]
    else:
        names = [name.strip() for name in features.split(",")]
        for name in names:
            need_column(columns, name, "--features")
        check_distinct("--features", names)
    if label in names or not names:
        got = "none" if not names else f"the label {label!r}"
        raise InputError("--features", "be columns besides the label", got, "Name some.")
    return names


def _check_no_ids(columns: Mapping[str, FloatArray]) -> None:
    """Refuse to take a column for a feature that looks like an id: by its name, or as it counts."""
    ids = [name for name, own in columns.items() if ID_NAME.fullmatch(name) or _counts_rows(own)]
    if ids:
        others = [name for name in columns if name not in ids]
        raise InputError(
            "--features",
            "name the features where another column could be taken for one",
            f"the column {ids[0]!r}, which looks like an id",
            "For example: --features {others}" if others else "",
            others=shlex.quote(",".join(others)),
        )


def _counts_rows(values: FloatArray) -> bool:
    """Whether a column numbers its rows, in any order; whole numbers with gaps may be features."""
    steps = np.diff(np.sort(values))
    return bool(values.size >= FEW_ROWS and (steps == 1).all())


@dataclass(frozen=True, slots=True, eq=False)
class ScoreRows:
    """Labels, the positive one, each classifier's scores, and the ids of the rows if known."""

    labels: AnyArray
    positive: Any
    scores: dict[str, FloatArray]
    row_ids: Sequence[str] | None


def read_score_rows(data: ScoresSource, names: Iterable[str]) -> ScoreRows:
    """Read a file of scores, wide or long; `names` rename classifiers, as OLD=NEW."""
    with open_table(data.table) as table:
        need_column(table.names, data.label, "--label")
        if data.is_long:
            rows = read_long(table, data)
            labels, scores, ids = rows.labels, rows.scores, rows.ids
        else:
            wanted, key = find_score_columns(table, data), data.key(table.names)
            coded = {data.label: "--label", **dict.fromkeys(key, "--row")}
            columns = table.select(wanted, coded, hint=LEAVE_OUT)
            labels, scores = columns.coded(data.label), columns.numbers()
            ids = join_key([columns.coded(name) for name in key]).texts() if key else None
    values, positive = as_values(labels, data.positive)
    return ScoreRows(values, positive, rename(scores, names), ids)


def rename(scores: dict[str, FloatArray], names: Iterable[str]) -> dict[str, FloatArray]:
    """Return the scores under new names, given as OLD=NEW."""
    new: dict[str, str] = {}
    for pair in names:
        old = _old_name(pair, scores)
        if old in new:
            raise click.UsageError(f"--name renames {old!r} twice. Keep one.")
        new[old] = pair[len(old) + 1 :]
    listed = [new.get(name, name) for name in scores]
    twice = find_duplicates(listed)
    if twice:
        raise InputError("--name", "make distinct names", f"{twice[0]!r} twice", "Choose another.")
    return dict(zip(listed, scores.values(), strict=True))


def _old_name(pair: str, scores: Iterable[str]) -> str:
    """Return which classifier is renamed; a name may have an equals sign in it."""
    known = [name for name in scores if pair.startswith(f"{name}=") and pair != f"{name}="]
    if not known:
        raise InputError(
            "--name",
            "be OLD=NEW, with a classifier of the file",
            repr(pair),
            "The classifiers are: {known}.",
            known=format_list(scores),
        )
    return max(known, key=len)


def as_values(labels: Coded, positive: str | None) -> tuple[AnyArray, Any]:
    """Return the label of each row, and the positive one; an export predicts these."""
    hits = find_positive_rows(labels, positive)
    own = [bool(hits[labels.codes == code].any()) for code in range(len(labels.names))]
    values = _values(labels.names)
    label = values[own.index(True)]
    # 1 and 1.0 beside texts are written differently and yet the same
    meant = [label if is_hit else value for value, is_hit in zip(values, own, strict=True)]
    return np.array(meant)[labels.codes], label


def _values(names: Sequence[str]) -> list[Any]:
    """Return names as truth values or numbers if all of them are, else as texts."""
    readings: tuple[Callable[[str], Any], ...] = (lambda text: TRUTH[text.lower()], int, float)
    for read in readings:
        try:
            return [read(name) for name in names]
        except (KeyError, ValueError):
            continue
    return list(names)


@dataclass(frozen=True, slots=True, eq=False)
class ModelRows:
    """Features, labels, the positive one if named, and the ids of the rows if known."""

    features: Any
    labels: AnyArray
    positive: Any
    row_ids: Sequence[str] | None


def read_model_rows(data: ScoresSource, model: Any, features: str | None) -> ModelRows:
    """Read the rows that a model is evaluated on; columns go to it by name if it knows names."""
    classes = getattr(model, "classes_", None)
    if classes is None:
        raise InputError(
            "--model", "hold a fitted classifier", type(model).__name__, "Fit it before saving it."
        )
    known = np.asarray(classes).tolist()
    hint = "Encode it as numbers first, or leave the column out with --features."
    with open_table(data.table) as table:
        need_column(table.names, data.label, "--label")
        key = data.key(table.names)
        coded = {data.label: "--label", **dict.fromkeys(key, "--row")}
        names = _model_columns(table, model, features, tuple(coded))
        texts = _text_columns(table, names, model)
        columns = table.select([n for n in names if n not in texts], coded, hint=hint)
        found = {**columns.numbers(), **{name: table.values(name) for name in texts}}
        labels = columns.coded(data.label)
        ids = join_key([columns.coded(name) for name in key]).texts() if key else None
    return ModelRows(
        _as_fitted({name: found[name] for name in names}, model),
        _as_classes(labels, known),
        _positive_class(data.positive, known),
        ids,
    )


def _model_columns(table: Table, model: Any, typed: str | None, others: Sequence[str]) -> list[str]:
    """Return the columns with features: the model's own, those named, or all others."""
    own = getattr(model, "feature_names_in_", None)
    if typed is not None:
        names = [name.strip() for name in typed.split(",")]
    else:
        names = [n for n in table.names if n not in others] if own is None else list(own)
    for name in names:
        need_column(table.names, name, "--features")
    check_distinct("--features", names)
    if own is not None and set(names) != set(own):
        raise InputError(
            "--features",
            "be the model's: {expected}",
            format_list(names),
            "Leave it.",
            expected=format_list(own),
        )
    count = getattr(model, "n_features_in_", len(names))
    if len(names) != count:
        needs = f"be the {count} of the model, in its order"
        raise InputError("--features", needs, format_list(names), "Name them.")
    return names if own is None else list(own)


def _text_columns(table: Table, names: Sequence[str], model: Any) -> list[str]:
    """Return the columns to hand over as texts: a model that knows names may encode them."""
    if not hasattr(model, "feature_names_in_"):
        return []
    numeric = set(table.numeric())
    return [name for name in names if name not in numeric]


def _as_fitted(columns: dict[str, Any], model: Any) -> Any:
    """Return features as the model met them when it was fitted: with names, or without."""
    if not hasattr(model, "feature_names_in_"):
        return np.column_stack([*columns.values()])
    try:
        import pandas as pd
    except ImportError:
        raise InputError(
            "the model was fitted on a data frame and is evaluated on one, which needs pandas. "
            "Install it with: pip install pandas"
        ) from None
    return pd.DataFrame(columns)


def _as_classes(labels: Coded, classes: Sequence[Any]) -> AnyArray:
    """Return the label of each row as a class of a model."""
    meant = np.array([classes[_class_of(name, classes)] for name in labels.names])
    return np.asarray(meant[labels.codes])


def _positive_class(positive: str | None, classes: Sequence[Any]) -> Any:
    """Return the positive class of a model: the one named, or else the evident one."""
    if positive is not None:
        return classes[_class_of(positive, classes, "--positive")]
    if len(classes) != 2:  # which is refused for another reason
        return None
    return next(iter(find_positive(classes, "label")), None)


def _class_of(name: str, classes: Sequence[Any], argument: str = "--label") -> int:
    for place, known in enumerate(classes):
        if is_same_label(known, name):
            return place
    raise InputError(
        argument,
        "hold the classes of the model" if argument == "--label" else "be a class of the model",
        repr(name),
        "Its classes are: {known}.",
        known=format_list(classes),
    )
