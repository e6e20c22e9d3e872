"""The few things that engines do each in their own way: small tables, long form, results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

from rocch.errors import bad_input, kind_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
    except TypeError:
        raise bad_input(
            "frame",
            "be a frame of DuckDB, Spark, Polars, Dask, pandas or Arrow, or a list of such",
            kind_of(frame),
            "For arrays use RocHull.from_scores.",
        ) from None
    return lazy


def collected(frame: Frame) -> dict[str, AnyArray]:
    """Run a query; return its columns."""
    result = frame.collect()
    return {name: result[name].to_numpy() for name in result.columns}


def small_table(columns: Mapping[str, AnyArray], like: Frame) -> Frame:
    """Make a small table in the engine of another, to be joined with it."""
    native = like.to_native()
    engine = like.implementation
    if engine.is_polars():
        import polars as pl

        return nw.from_native(pl.LazyFrame(dict(columns)))
    if engine.is_dask():
        import dask.dataframe as dd
        import pandas as pd

        return nw.from_native(dd.from_pandas(pd.DataFrame(dict(columns)), npartitions=1))
    if engine.is_pandas():
        import pandas as pd

        return nw.from_native(pd.DataFrame(dict(columns))).lazy()
    import pyarrow as pa

    small = pa.table(dict(columns))
    if engine.is_pyarrow():
        return nw.from_native(small).lazy()
    if engine.is_duckdb():
        return nw.from_native(native.query("_", "SELECT * FROM small"))
    return nw.from_native(native.sparkSession.createDataFrame(small))


def long_form(frame: Frame, parts: Sequence[Mapping[str, nw.Expr]]) -> Frame:
    """Give each row of a wide table as many rows as there are parts, with the same columns.

    Spark reads the table once for all parts. Where columns are stored apart (Parquet in DuckDB) or
    the parts share what was read (Polars, Dask), a union costs no more than that.
    """
    if len(parts) == 1 or not frame.implementation.is_spark_like():
        return nw.concat([frame.select(**part) for part in parts], how="vertical")
    return _exploded(frame, parts)


def _exploded(frame: Frame, parts: Sequence[Mapping[str, nw.Expr]]) -> Frame:
    from importlib import import_module

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
    return nw.from_native(wide.select(functions.inline(rows)))
