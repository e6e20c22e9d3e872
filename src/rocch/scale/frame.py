"""A table of labels and scores in any engine, and what engines do each in their own way."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from importlib import import_module
from importlib.metadata import version
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
from narwhals.exceptions import DuplicateError, NarwhalsError

from rocch.arrays import AnyArray
from rocch.errors import InputError, describe_type, first_line, format_list, missing_column
from rocch.inputs import (
    NUMBERS,
    as_flag,
    as_name,
    check_unambiguous,
    find_duplicates,
    is_missing,
    labels_by_type,
)

if TYPE_CHECKING:
    Frame = nw.LazyFrame[Any]
    Schema = Mapping[str, Any]


# --- The few things that engines do each in their own way: names, small tables, results -----------


def as_frames(frame: Any) -> tuple[Frame, ...]:
    """Return a frame, or the frames of a list, as lazy ones."""
    given = frame if isinstance(frame, list | tuple) else [frame]
    if not given:
        raise InputError("frame", "be at least one frame", "none", "Pass a data frame.")
    return tuple(map(_lazy, given))


def _lazy(frame: Any) -> Frame:
    try:
        lazy: Frame = nw.from_native(frame).lazy()
    except DuplicateError as error:
        raise InputError(
            "frame", "have distinct columns", str(error).replace("\n", " "), "Rename one of them."
        ) from None
    except TypeError:
        raise InputError(
            "frame",
            "be a frame of DuckDB, Spark, Polars, Dask, pandas or Arrow, or a list of such",
            describe_type(frame),
            "For files use open_files, for arrays RocHull.from_scores.",
        ) from None
    _check_names(lazy)
    _check_types(lazy)
    return _showing_nan(lazy) if lazy.implementation.is_duckdb() else lazy


def _showing_nan(frame: Frame) -> Frame:
    """Let DuckDB see NaN in every column of floats.

    It trusts the statistics of Parquet files, which leave NaN out, and plans as if there were none.
    A function of which it knows no statistics hides them; this one returns its argument.
    """
    floats = [name for name, kind in frame.collect_schema().items() if kind.is_float()]
    if not floats:
        return frame
    quoted = ['"' + name.replace('"', '""') + '"' for name in floats]
    same = ", ".join(f"nextafter({name}, {name}) AS {name}" for name in quoted)
    seen: Frame = nw.from_native(frame.to_native().project(f"* REPLACE ({same})"))
    return seen


def _check_names(frame: Frame) -> None:
    """Refuse columns that Spark cannot tell apart; it does not see upper and lower case."""
    if not frame.implementation.is_spark_like():
        return
    names = [name.lower() for name in frame.to_native().columns]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputError(
            "frame",
            "have distinct columns",
            f"{twice[0]!r} more than once, upper and lower case being the same to Spark",
            "Rename one of them.",
        )


def _check_types(frame: Frame) -> None:
    """Refuse columns of which narwhals cannot even name the type, as of decimals below 0 digits."""
    try:
        frame.collect_schema()
    except ValueError as error:
        if type(error) is not ValueError:  # an engine's own, over what it reads
            raise
        raise InputError(
            "frame",
            "have columns of types that can be read",
            first_line(error),
            "Convert those columns first.",
        ) from None


def unread_number(frame: Frame, column: str) -> str:
    """Return the type of a column of numbers that narwhals does not know; nothing for others."""
    engine, native = frame.implementation, frame.to_native()
    if frame.collect_schema()[column] != nw.Unknown:
        return ""
    if engine.is_pyarrow():
        kind = str(native.schema.field(column).type)
    elif engine.is_pandas() or engine.is_dask():
        kind = str(native[column].dtype)
    else:
        return ""
    return kind if kind.startswith(("float", "decimal")) else ""


def column_of(name: str, frame: Frame) -> nw.Expr:
    """Return a column by its name; Spark and DuckDB 1 would read dots in it as fields."""
    engine = frame.implementation
    if engine.is_spark_like():
        quoted = name.replace("`", "``")
        return nw.col(f"`{quoted}`")
    if "." in name and is_duckdb_1(frame):
        return nw.col(f'"{name}"')
    return nw.col(name)


def is_duckdb_1(frame: Frame) -> bool:
    """Say whether a frame is of the first version of DuckDB, which does a few things otherwise."""
    return frame.implementation.is_duckdb() and version("duckdb").startswith("1.")


def holds_objects(frame: Frame, column: str) -> bool:
    """Say whether a column's values may be of several types, or of one that the schema hides."""
    if not (frame.implementation.is_pandas() or frame.implementation.is_dask()):
        return False
    kind = frame.to_native()[column].dtype
    if hasattr(kind, "categories"):
        kind = kind.categories.dtype
        return str(kind) == "object" or kind.kind in "biuf"
    return str(kind) == "object"


def distinct_objects(frame: Frame, column: str, argument: str) -> list[Any]:
    """Return the values of such a column that are not missing, once in each type."""
    values = frame.to_native()[column]
    if frame.implementation.is_dask():
        meta = (column, object)
        values = values.map_partitions(_distinct_part, argument, meta=meta).compute()
    present = labels_by_type(_distinct_part(values, argument).tolist(), argument)
    return [value for value in present if not is_missing(value)]


def _distinct_part(values: Any, argument: str) -> Any:
    """Return the distinct values of one part of a column, as a column."""
    if hasattr(values.dtype, "categories"):
        values = values.drop_duplicates()
    found = labels_by_type(values.tolist(), argument)
    return type(values)(found, name=values.name, dtype=object)


def nan_is_greatest(frame: Frame) -> bool:
    """Say whether an engine's maximum is NaN where there is one; others skip it."""
    engine = frame.implementation
    return engine.is_duckdb() or engine.is_spark_like()


@contextmanager
def reading() -> Iterator[None]:
    """Turn an engine's error about what it reads, such as a damaged file, into one of ours.

    It decorates whatever reads a frame, not single queries: engines look at files when a query is
    written down already.
    """
    try:
        yield
    except RuntimeError as error:
        if "interrupted" in str(error).lower():  # as DuckDB says that Ctrl-C was pressed
            raise KeyboardInterrupt from None
        raise
    except _errors_of_engines() as error:
        if "INTERRUPT Error" in str(error):
            raise KeyboardInterrupt from None
        raise InputError(
            "frame",
            "be readable to the end in every pass",
            first_line(error),
            "Check whether files behind it were changed, moved or damaged.",
        ) from error


def _errors_of_engines() -> tuple[type[BaseException], ...]:
    """Return what engines raise over what they read; one that is not loaded raises nothing.

    Polars panics, which is not even an `Exception`, over a file that is shorter than it was.
    """
    names = {
        "duckdb": "Error",
        "pyarrow": "ArrowException",
        "polars.exceptions": "PanicException",
    }
    loaded = [getattr(sys.modules[name], names[name]) for name in names if name in sys.modules]
    return (OSError, NarwhalsError, *loaded)


def collected(frame: Frame) -> dict[str, AnyArray]:
    """Run a query; return its columns. Whoever asks does so within `reading`."""
    result = frame.collect()
    return {name: result[name].to_numpy() for name in result.columns}


def small_table(columns: Mapping[str, Any], like: Frame) -> Frame:
    """Make a small table in the engine of another, to be joined with it."""
    lazy: Frame = nw.from_native(_native_table(dict(columns), like)).lazy()
    return lazy


def _native_table(columns: dict[str, Any], like: Frame) -> Any:
    engine, native = like.implementation, like.to_native()
    if engine.is_polars():
        import polars as pl

        return pl.LazyFrame(columns)
    if engine.is_pandas() or engine.is_dask():
        import pandas as pd

        frame = pd.DataFrame(columns)
        if engine.is_pandas():
            return frame
        dask: Any = import_module("dask.dataframe")
        return dask.from_pandas(frame, npartitions=1)
    import pyarrow as pa

    small = pa.table(columns)
    if engine.is_duckdb():
        return native.query("_", "SELECT * FROM small")
    return small if engine.is_pyarrow() else native.sparkSession.createDataFrame(small)


def long_form(frame: Frame, parts: Sequence[Mapping[str, nw.Expr]]) -> Frame:
    """Give each row of a wide table as many rows as there are parts, with the same columns.

    Spark reads the table once for all parts. Where columns are stored apart (Parquet in DuckDB) or
    the parts share what was read (Polars, Dask), a union costs no more than that.
    """
    if len(parts) > 1 and frame.implementation.is_spark_like():
        return _exploded(frame, parts)
    return nw.concat([frame.select(**part) for part in parts], how="vertical")


def _exploded(frame: Frame, parts: Sequence[Mapping[str, nw.Expr]]) -> Frame:
    names = list(parts[0])
    columns = {f"{name}_{i}": part[name] for i, part in enumerate(parts) for name in names}
    wide = frame.select(**columns).to_native()
    functions = import_module(f"{type(wide).__module__.split('.sql')[0]}.sql.functions")
    rows = functions.array(
        *(
            functions.struct(*(functions.col(f"{name}_{i}").alias(name) for name in names))
            for i in range(len(parts))
        )
    )
    exploded: Frame = nw.from_native(wide.select(functions.inline(rows)))
    return exploded


# --------------------------------------------------------------------------------------------------
# A table of labels and scores in any engine: which columns are what, and its rows as numbers.

LABEL, POSITIVE, WEIGHT = "label", "positive", "weight"
"""Columns of `ScoreTable.rows`: as it is, whether it is positive, and what the row weighs."""


def score_column(index: int) -> str:
    """Return the name of a classifier's column in `ScoreTable.rows`."""
    return f"score_{index}"


def group_column(index: int) -> str:
    """Return the name of a group's column in `ScoreTable.rows`."""
    return f"group_{index}"


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """Frames that count as one table, and which of their columns are labels and scores."""

    frames: tuple[Frame, ...]
    label: str
    scores: Mapping[str, str]
    """The column of each classifier."""
    pos_label: Any
    weight: str | None
    by: tuple[str, ...]
    drop_nulls: bool
    single_group: bool = False
    """Whether groups are named by one column, and so are values and not tuples."""

    @classmethod
    @reading()
    def of(
        cls,
        frame: Any,
        *,
        label: Any,
        scores: Any,
        pos_label: Any = None,
        weight: Any = None,
        by: Any = None,
        drop_nulls: Any = False,
    ) -> ScoreTable:
        """Check what was said against the columns that there are."""
        frames = as_frames(frame)
        schemas = [each.collect_schema() for each in frames]
        groups = _group_names(by)
        others = [name for name in (weight, *groups) if name is not None]
        for schema in schemas:
            _need(schema, label, "label")
            if weight is not None:
                _need(schema, weight, "weight")
            for name in groups:
                _need(schema, name, "by")
        if scores is None:
            _check_read(frames[0], [label, *others])
        chosen = _chosen(scores, schemas[0], [label, *others])
        drop = as_flag(drop_nulls, "drop_nulls")
        single = isinstance(by, str)
        table = cls(frames, label, chosen, pos_label, weight, groups, drop, single)
        for each, schema in zip(frames, schemas, strict=True):
            table._check(schema)
            table._check_label(each, schema[label])
        return table

    @property
    def names(self) -> tuple[str, ...]:
        """The classifiers."""
        return tuple(self.scores)

    def _check(self, schema: Schema) -> None:
        for name, column in self.scores.items():
            _need(schema, column, "scores")
            _check_numeric(schema[column], f"scores[{name!r}]", column)
        if self.weight is not None:
            _check_numeric(schema[self.weight], "weight", self.weight)
        for name in self.by:
            if not _names_groups(schema[name]):
                raise InputError(
                    "by",
                    "name columns of texts, whole numbers, truth values or dates",
                    f"{name!r} with {schema[name]}",
                    "Cut it into classes first.",
                )

    def _check_label(self, frame: Frame, kind: Any) -> None:
        objects = kind != nw.String and holds_objects(frame, self.label)
        if kind == nw.Object and not objects:
            raise InputError(
                "label",
                "be a column of texts, numbers, truth values or dates",
                f"{self.label!r} with {kind}",
                "Convert it first.",
            )
        if self.pos_label is None:
            if not kind.is_numeric() and kind != nw.Boolean:
                raise InputError(
                    "pos_label",
                    f"name the positive class where labels are {kind}",
                    "none",
                    f"Pass one of the values of {self.label!r}.",
                )
        elif not (_is_plain(self.pos_label) if objects else _is_of(self.pos_label, kind)):
            raise InputError(
                "pos_label",
                f"be of the kind of the labels ({kind})",
                repr(self.pos_label),
                f"Pass one of the values of {self.label!r}.",
            )

    def rows(self, frame: Frame) -> Frame:
        """Return a frame's rows: scores and weights as doubles, groups, and who is positive."""
        schema, label = frame.collect_schema(), column_of(self.label, frame)
        columns = {LABEL: label, POSITIVE: self._positive(label, schema[self.label], frame)}
        if self.weight is not None:
            columns[WEIGHT] = as_doubles(self.weight, schema[self.weight], frame, rounded=True)
        for index, name in enumerate(self.by):
            columns[group_column(index)] = _group(column_of(name, frame), schema[name], frame)
        for index, column in enumerate(self.scores.values()):
            columns[score_column(index)] = as_doubles(column, schema[column], frame)
        return self.kept(frame).select(**columns)

    def kept(self, frame: Frame) -> Frame:
        """Return a frame without the rows that are to be dropped."""
        if not self.drop_nulls:
            return frame
        schema = frame.collect_schema()
        used = {self.label, *self.scores.values(), *self.by, *self._weights}
        gone = [missing(column_of(name, frame), schema[name]) for name in sorted(used)]
        return frame.filter(*(~each for each in gone))

    def check_objects(self) -> None:
        """Refuse labels, and groups, that are equal only as text, where columns hold any objects.

        Engines differ in what such a column holds: of 1 and "1" some make one text.
        """
        for argument, column in (("label", self.label), *(("by", name) for name in self.by)):
            found = [
                value
                for frame in self.frames
                if holds_objects(frame, column)
                for value in distinct_objects(self.kept(frame), column, argument)
            ]
            check_unambiguous(found, argument)
            if found and argument == "label":
                check_unambiguous([self.pos_label, *found], "label, pos_label")

    @property
    def _weights(self) -> tuple[str, ...]:
        return () if self.weight is None else (self.weight,)

    def _positive(self, label: nw.Expr, kind: Any, frame: Frame) -> nw.Expr:
        if self.pos_label is not None:
            label = label == literal(self.pos_label, kind, frame)
        elif kind != nw.Boolean:
            label = label > literal(0, kind, frame)
        return label


def literal(value: Any, kind: Any, frame: Frame) -> Any:
    """Return a value to be compared with a column.

    Arrow gives whole numbers 19 digits, which do not fit beside those of every decimal.
    """
    whole = isinstance(value, Integral) and kind.is_decimal()
    return Decimal(int(value)) if whole and frame.implementation.is_pyarrow() else value


def as_doubles(column: str, kind: Any, frame: Frame, *, rounded: bool = False) -> nw.Expr:
    """Return a column as doubles.

    Arrow and DuckDB 1 round decimals rightly only if they read them as texts. Whole numbers that no
    double holds Arrow refuses to round otherwise.
    """
    engine = frame.implementation
    arrow = engine.is_pyarrow() or engine.is_pandas() or engine.is_dask()
    values = column_of(column, frame)
    decimal = kind.is_decimal() and (arrow or is_duckdb_1(frame))
    if decimal or (arrow and rounded and kind in (nw.Int64, nw.UInt64)):
        values = values.cast(nw.String)
    return values.cast(nw.Float64)


def _names_groups(kind: Any) -> bool:
    """Say whether values of a column can name groups: exact, and of one kind in all engines."""
    if kind.is_numeric():
        return bool(kind.is_integer())
    return not kind.is_nested() and kind not in (nw.Time, nw.Binary, nw.Duration)


def _group(column: nw.Expr, kind: Any, frame: Frame) -> nw.Expr:
    """Return groups so that they can be joined with a table of them."""
    if kind in (nw.Int128, nw.UInt128):  # as DuckDB's sums are
        return column.cast(nw.Int64)
    several = kind == nw.String and frame.implementation.is_pyarrow()  # kinds of text
    return column.cast(nw.String) if several or kind in (nw.Categorical, nw.Enum) else column


def sorted_groups(keys: Sequence[tuple[Any, ...]], by: Sequence[str]) -> list[tuple[Any, ...]]:
    """Return the distinct keys of groups in order; values of several types have none.

    Some of those are equal all the same, as True and 1 are.
    """
    distinct = set(keys)
    try:
        if any(len(set(map(_type_of, values))) > 1 for values in zip(*keys, strict=True)):
            raise TypeError
        return sorted(distinct)
    except TypeError:
        raise InputError(
            "by", "have values of one type", f"several in {format_list(by)}", "Write them alike."
        ) from None


def _type_of(value: Any) -> type:
    """Return the type of a group's value; those of NumPy and pandas count as Python's."""
    if isinstance(value, bool | np.bool_):
        return bool
    return next((kind for kind in (str, Real, datetime, date) if isinstance(value, kind)), object)


def _is_of(label: Any, kind: Any) -> bool:
    """Say whether a label is of the kind of a column."""
    if kind.is_numeric():
        return isinstance(label, Real) and not isinstance(label, bool | np.bool_)
    if kind == nw.Boolean:
        return isinstance(label, bool | np.bool_)
    if kind in (nw.String, nw.Categorical, nw.Enum):
        return isinstance(label, str)
    return isinstance(label, date | str)


def _is_plain(label: Any) -> bool:
    """Say whether a label can be one of a column of objects."""
    return isinstance(label, NUMBERS | str | date) and not is_missing(label)


def missing(column: nw.Expr, kind: Any) -> nw.Expr:
    """Say where a column has no value: null, or NaN."""
    return column.is_null() | column.is_nan() if kind.is_float() else column.is_null()


def _need(schema: Schema, name: Any, argument: str) -> None:
    if not isinstance(name, str):
        raise InputError(argument, "be the name of a column", describe_type(name), "Pass a text.")
    if name not in schema:
        raise missing_column(name, schema, argument)
    if name == "*":
        raise InputError(
            argument,
            "name one column",
            "'*', which stands for all columns in several engines",
            "Rename that column.",
        )


def _group_names(by: Any) -> tuple[str, ...]:
    if by is not None and not isinstance(by, str | list | tuple):
        raise InputError(
            "by", "be a column, or a list of columns", describe_type(by), "Name the groups."
        )
    names = () if by is None else (by,) if isinstance(by, str) else tuple(by)
    twice = find_duplicates(map(str, names))
    if twice or (by is not None and not names):
        raise InputError(
            "by", "name distinct columns", format_list(twice) or "none", "Name each once."
        )
    return names


def _check_read(frame: Frame, others: Sequence[str]) -> None:
    """Refuse to leave out columns of numbers whose types cannot be read."""
    for name in frame.collect_schema():
        kind = "" if name in others else unread_number(frame, name)
        if kind:
            raise InputError(
                "scores",
                "be named where columns of numbers cannot be read",
                f"{name!r} with {kind}",
                "Convert it first, or name the columns of scores.",
            )


def _chosen(scores: Any, schema: Schema, others: Sequence[str]) -> dict[str, str]:
    """Return the column of each classifier that was asked for."""
    if scores is None:
        names = [name for name, kind in schema.items() if kind.is_numeric() and name not in others]
        pairs: Iterable[tuple[Any, Any]] = zip(names, names, strict=True)
    elif isinstance(scores, Mapping):
        pairs = scores.items()
    elif not isinstance(scores, str | list | tuple):
        raise InputError(
            "scores",
            "be a column, a list of columns, or a mapping from names to columns",
            describe_type(scores),
            "Name the columns of scores.",
        )
    else:
        names = [scores] if isinstance(scores, str) else list(scores)
        pairs = zip(names, names, strict=True)
    pairs = list(pairs)
    if not pairs:
        raise InputError(
            "scores",
            "name at least one column of numbers",
            "none",
            f"There are: {format_list(schema)}.",
        )
    twice = find_duplicates(str(name) for name, _ in pairs)
    if twice:
        raise InputError("scores", "have distinct names", format_list(twice), "Name each once.")
    for _, column in pairs:
        _need(schema, column, "scores")
        if column in others:
            raise InputError(
                "scores", "not name the label, weights or groups", repr(column), "Leave it out."
            )
    return {as_name(name): column for name, column in pairs}


def _check_numeric(kind: Any, argument: str, column: str) -> None:
    if not kind.is_numeric() and kind != nw.Boolean:
        raise InputError(
            argument, "be a column of numbers", f"{column!r} with {kind}", "Convert it first."
        )
