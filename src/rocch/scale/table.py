"""A table of labels and scores in any engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import reduce
from numbers import Real
from operator import or_
from typing import Any

import narwhals as nw
import numpy as np
from narwhals.dtypes import DType

from rocch.arrays import Label
from rocch.errors import InputError, describe_type, format_list, missing_column
from rocch.inputs import NUMBERS, as_flag, as_name, check_unique
from rocch.labels import check_unambiguous, find_positive, is_missing, labels_by_type
from rocch.scale.engines import (
    Frame,
    as_doubles,
    as_frames,
    column_of,
    distinct_labels_of,
    distinct_objects,
    holds_objects,
    literal,
    missing,
    read_errors,
    unreadable_number_type,
)

By = str | Sequence[str]
Schema = Mapping[str, DType]
GroupKey = tuple[Any, ...]

# Columns of `ScoreTable.rows`.
LABEL, POSITIVE, WEIGHT = "label", "positive", "weight"
CONVERT = "Convert it first."

# Types of columns that hold texts.
TEXTS = (nw.String, nw.Categorical, nw.Enum)


def score_column(index: int) -> str:
    """Return the name of a classifier's column in `ScoreTable.rows`."""
    return f"score_{index}"


@dataclass(frozen=True, slots=True)
class ScoreColumns:
    """The columns of labels, scores, weights and groups of a table.

    Attributes
    ----------
    label, weight
        The columns of labels and weights.
    scores
        The column of each classifier; before it is resolved also a list, a name or None.
    pos_label
        The positive class.
    by
        The column of groups, or several.
    drop_nulls
        Whether to drop rows with a missing value in these columns.
    """

    label: str
    scores: Any = None
    pos_label: Label | None = None
    weight: str | None = None
    by: By | None = None
    drop_nulls: bool = False

    def __post_init__(self) -> None:
        as_flag(self.drop_nulls, "drop_nulls")
        _as_score_columns(self.scores)
        if self.by is None or isinstance(self.by, str):
            return
        if not isinstance(self.by, list | tuple) or not self.by:
            got = "none" if isinstance(self.by, list | tuple) else describe_type(self.by)
            raise InputError("by", "be a column, or a list of columns", got)
        check_unique(map(str, self.by), "by")
        object.__setattr__(self, "by", tuple(self.by))  # the class is frozen

    @property
    def group_columns(self) -> tuple[str, ...]:
        """The columns of groups."""
        if self.by is None:
            return ()
        return (self.by,) if isinstance(self.by, str) else tuple(self.by)

    @property
    def other_columns(self) -> list[tuple[str, str]]:
        """The used columns other than scores, each after the argument that names it."""
        weights = [] if self.weight is None else [("weight", self.weight)]
        return [("label", self.label), *(("by", name) for name in self.group_columns), *weights]

    @property
    def used_columns(self) -> list[str] | None:
        """All used columns; None if scores are not named."""
        if self.scores is None:
            return None
        others = [name for _, name in self.other_columns]
        names = [*others, *_as_score_columns(self.scores).values()]
        return [name for name in names if isinstance(name, str)]

    def group_names(self, keys: Iterable[GroupKey]) -> tuple[Any, ...]:
        """Return groups for users: values, tuples or None."""
        single = isinstance(self.by, str)
        return tuple(key[0] if single else key or None for key in keys)


def _as_score_columns(scores: Any) -> dict[Any, Any]:
    if isinstance(scores, Mapping):
        return dict(scores)
    if scores is not None and not isinstance(scores, str | list | tuple):
        raise InputError(
            "scores",
            "be a column, a list of columns, or a mapping from names to columns",
            describe_type(scores),
        )
    names = [scores] if isinstance(scores, str) else list(scores or ())
    check_unique(map(str, names), "scores")
    return {str(name): name for name in names}


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """Frames that count as one table, their columns, and the texts of the positive class."""

    frames: tuple[Frame, ...]
    columns: ScoreColumns
    positive_texts: tuple[Any, ...] = ()

    @classmethod
    @read_errors()
    def of(cls, frame: Any, wanted: ScoreColumns) -> ScoreTable:
        """Check the wanted columns."""
        frames = as_frames(frame)
        schemas = [each.collect_schema() for each in frames]
        for schema in schemas:
            for argument, name in wanted.other_columns:
                _check_column(schema, name, argument)
        table = cls(frames, replace(wanted, scores=_choose_scores(wanted, frames[0])))
        for each, schema in zip(frames, schemas, strict=True):
            table._check_schema(schema)
            table._check_label(each, schema[wanted.label])
        return table if wanted.pos_label is not None else table._with_positive_texts()

    @property
    def names(self) -> tuple[str, ...]:
        """The classifiers."""
        return tuple(self.columns.scores)

    @property
    def by(self) -> tuple[str, ...]:
        """The columns of groups."""
        return self.columns.group_columns

    @property
    def row_groups(self) -> list[str]:
        """The columns of groups in `rows`."""
        return [f"group_{index}" for index in range(len(self.by))]

    @property
    def is_weighted(self) -> bool:
        """Whether rows have weights."""
        return self.columns.weight is not None

    def _check_schema(self, schema: Schema) -> None:
        for name, column in self.columns.scores.items():
            _check_column(schema, column, "scores")
            _check_numeric(schema[column], f"scores[{name!r}]", column)
        if self.columns.weight is not None:
            _check_numeric(schema[self.columns.weight], "weight", self.columns.weight)
        for name in self.by:
            if not _can_name_groups(schema[name]):
                raise InputError(
                    "by",
                    "name columns of texts, whole numbers, booleans or dates",
                    f"{name!r} with {schema[name]}",
                    "Bin it first.",
                )

    def _check_label(self, frame: Frame, kind: DType) -> None:
        label, pos_label = self.columns.label, self.columns.pos_label
        objects = kind != nw.String and holds_objects(frame, label)
        if kind == nw.Object and not objects:
            raise InputError(
                "label",
                "be a column of texts, numbers, booleans or dates",
                f"{label!r} with {kind}",
                CONVERT,
            )
        if pos_label is None:
            fits = objects or kind.is_numeric() or kind == nw.Boolean or kind in TEXTS
            requirement = f"name the positive class where labels are {kind}"
        else:
            fits = _is_of(pos_label, kind)
            if objects:
                fits = isinstance(pos_label, NUMBERS | str | date) and not is_missing(pos_label)
            requirement = f"be of the type of the labels ({kind})"
        if not fits:
            got = "none" if pos_label is None else repr(pos_label)
            raise InputError(
                "pos_label",
                requirement,
                got,
                "Pass one of the values of {known}.",
                known=repr(label),
            )

    def _with_positive_texts(self) -> ScoreTable:
        """Find the positive class of texts and objects by what they say, in all frames together."""
        label, found = self.columns.label, []
        for frame in map(self.complete_rows, self.frames):
            kind = frame.collect_schema()[label]
            if holds_objects(frame, label):
                found += distinct_objects(frame, label, "label")
            elif kind in TEXTS:
                found += distinct_labels_of(frame, label, kind)
        present = labels_by_type(found, "label")
        return replace(self, positive_texts=tuple(find_positive(present, "label")))

    def rows(self, frame: Frame) -> Frame:
        """Return labels, groups, and scores and weights as doubles."""
        schema, used = frame.collect_schema(), self.columns
        label = column_of(used.label, frame)
        columns = {LABEL: label, POSITIVE: self._positive(label, schema[used.label], frame)}
        if used.weight is not None:
            columns[WEIGHT] = as_doubles(used.weight, schema[used.weight], frame, rounded=True)
        for index, name in enumerate(self.by):
            columns[self.row_groups[index]] = _as_group(column_of(name, frame), schema[name], frame)
        for index, column in enumerate(used.scores.values()):
            columns[score_column(index)] = as_doubles(column, schema[column], frame)
        return self.complete_rows(frame).select(**columns)

    def complete_rows(self, frame: Frame) -> Frame:
        """Return a frame without the rows to drop."""
        if not self.columns.drop_nulls:
            return frame
        schema = frame.collect_schema()
        used = sorted(set(self.columns.used_columns or ()))
        absent = [missing(column_of(name, frame), schema[name]) for name in used]
        return frame.filter(*(~each for each in absent))

    def check_objects(self) -> None:
        """Refuse labels and groups, in columns of objects, that are equal only as texts.

        Some engines turn both 1 and "1" into one text.
        """
        for argument, column in self.columns.other_columns:
            found = [
                value
                for frame in self.frames
                if holds_objects(frame, column)
                for value in distinct_objects(self.complete_rows(frame), column, argument)
            ]
            check_unambiguous(found, argument)
            if found and argument == "label" and self.columns.pos_label is not None:
                check_unambiguous([self.columns.pos_label, *found], "label, pos_label")

    def _positive(self, label: nw.Expr, kind: DType, frame: Frame) -> nw.Expr:
        if self.columns.pos_label is not None:
            label = label == literal(self.columns.pos_label, kind, frame)
        elif kind.is_numeric():
            label = label > literal(0, kind, frame)
        elif kind != nw.Boolean:
            hits = [label == text for text in self.positive_texts]
            label = reduce(or_, hits) if hits else label.is_null()
        return label


def sorted_groups(keys: Sequence[GroupKey], by: Sequence[str]) -> list[GroupKey]:
    """Return the distinct keys of groups, sorted; values of several types are refused."""
    distinct = set(keys)
    try:
        if any(len(set(map(_type_of, values))) > 1 for values in zip(*keys, strict=True)):
            raise TypeError
        return sorted(distinct)
    except TypeError:
        raise InputError("by", "have values of one type", f"several in {format_list(by)}") from None


def _type_of(value: Any) -> type:
    """Return a value's type, with NumPy's and pandas' types as Python's."""
    if isinstance(value, bool | np.bool_):
        return bool
    return next((kind for kind in (str, Real, datetime, date) if isinstance(value, kind)), object)


def _can_name_groups(kind: DType) -> bool:
    """Whether values of a type are exact and the same in all engines."""
    if kind.is_numeric():
        return bool(kind.is_integer())
    return not kind.is_nested() and kind not in (nw.Time, nw.Binary, nw.Duration)


def _as_group(column: nw.Expr, kind: DType, frame: Frame) -> nw.Expr:
    """Return groups in a type that can be joined."""
    if kind in (nw.Int128, nw.UInt128):  # DuckDB's sums
        return column.cast(nw.Int64)
    is_arrow_text = kind == nw.String and frame.implementation.is_pyarrow()  # of several types
    return column.cast(nw.String) if is_arrow_text or kind in (nw.Categorical, nw.Enum) else column


def _is_of(label: Any, kind: DType) -> bool:
    """Whether a label fits the type of a column."""
    if kind.is_numeric():
        return isinstance(label, Real) and not isinstance(label, bool | np.bool_)
    if kind == nw.Boolean:
        return isinstance(label, bool | np.bool_)
    if kind in TEXTS:
        return isinstance(label, str)
    return isinstance(label, date | str)


def _check_column(schema: Schema, name: Any, argument: str) -> None:
    if not isinstance(name, str) or name not in schema:
        raise missing_column(name, schema, argument)
    if name == "*":
        raise InputError(
            argument,
            "name one column",
            "'*', which stands for all columns in several engines",
            "Rename that column.",
        )


def _choose_scores(wanted: ScoreColumns, frame: Frame) -> dict[str, str]:
    """Map classifiers to the named columns, or to all other numeric columns."""
    schema, others = frame.collect_schema(), [name for _, name in wanted.other_columns]
    columns = _as_score_columns(wanted.scores)
    if wanted.scores is None:
        _check_readable(frame, others)
        numeric = [name for name, kind in schema.items() if kind.is_numeric()]
        columns = {name: name for name in numeric if name not in others}
    if not columns:
        hint = f"There are: {format_list(schema)}."
        raise InputError("scores", "name at least one column of numbers", "none", hint)
    for column in columns.values():
        if column in others:
            raise InputError("scores", "not name the label, weights or groups", repr(column))
    return {as_name(name): column for name, column in columns.items()}


def _check_readable(frame: Frame, others: Sequence[str]) -> None:
    """Refuse to leave out numeric columns whose types cannot be read."""
    for name in frame.collect_schema():
        kind = "" if name in others else unreadable_number_type(frame, name)
        if kind:
            raise InputError(
                "scores",
                "be named where columns of numbers cannot be read",
                f"{name!r} with {kind}",
                "Convert it first, or name the columns of scores.",
            )


def _check_numeric(kind: DType, argument: str, column: str) -> None:
    if not kind.is_numeric() and kind != nw.Boolean:
        raise InputError(argument, "be a column of numbers", f"{column!r} with {kind}", CONVERT)
