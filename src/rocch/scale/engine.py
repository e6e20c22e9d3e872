"""The few things that engines do each in their own way: names, small tables, results."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import narwhals as nw
from narwhals.exceptions import DuplicateError, NarwhalsError

from rocch.errors import bad_input, in_one_line, kind_of
from rocch.inputs import is_missing, labels_by_type

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy as np

    AnyArray = np.ndarray[Any, Any]
    Frame = nw.LazyFrame[Any]


def as_frames(frame: Any) -> tuple[Frame, ...]:
    """Return a frame, or the frames of a list, as lazy ones."""
    given = frame if isinstance(frame, list | tuple) else [frame]
    if not given:
        raise bad_input("frame", "be at least one frame", "none", "Pass a data frame.")
    return tuple(map(_lazy, given))


def _lazy(frame: Any) -> Frame:
    try:
        lazy: Frame = nw.from_native(frame).lazy()
    except DuplicateError as error:
        raise bad_input(
            "frame", "have distinct columns", str(error).replace("\n", " "), "Rename one of them."
        ) from None
    except TypeError:
        raise bad_input(
            "frame",
            "be a frame of DuckDB, Spark, Polars, Dask, pandas or Arrow, or a list of such",
            kind_of(frame),
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
        raise bad_input(
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
        raise bad_input(
            "frame",
            "have columns of types that can be read",
            in_one_line(error),
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
        raise bad_input(
            "frame",
            "be readable to the end in every pass",
            in_one_line(error),
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
