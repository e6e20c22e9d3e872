"""The same rows in every engine, cut into parts of any size, so that all can be asked alike."""

from __future__ import annotations

from collections import deque
from itertools import count, pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

import rocch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from _pytest.mark import ParameterSet
    from pyspark.sql import DataFrame, SparkSession

Parts: TypeAlias = "list[pa.Table]"
Build: TypeAlias = "Callable[[Parts, Path], Any]"

_NUMBERS = count()
_CONNECTIONS: deque[Any] = deque(maxlen=32)


def table(columns: Mapping[str, Any]) -> pa.Table:
    """Return columns (NumPy arrays, lists or Arrow arrays; None is null, NaN stays NaN)."""
    return pa.table({name: pa.array(values) for name, values in columns.items()})


def parts(rows: pa.Table, cuts: Iterable[int] = ()) -> Parts:
    """Cut rows before each of the given places; equal places make empty parts."""
    places = [0, *sorted(min(cut, rows.num_rows) for cut in cuts), rows.num_rows]
    return [rows.slice(start, stop - start) for start, stop in pairwise(places)]


def write_parts(tables: Parts, folder: Path) -> Path:
    """Write each part to a Parquet file in a new folder, and return the folder."""
    place = folder / f"table{next(_NUMBERS)}"
    place.mkdir()
    for number, rows in enumerate(tables):
        parquet.write_table(rows, place / f"part{number:03}.parquet")
    return place


def spark_frame(spark: SparkSession, tables: Parts, folder: Path) -> DataFrame:
    """Return a Spark frame with one partition (at least) for each part, empty ones too."""
    place = write_parts(tables, folder)
    files = sorted(map(str, place.iterdir()))
    frame = spark.read.parquet(files[0])
    for file in files[1:]:
        frame = frame.union(spark.read.parquet(file))
    return frame


def _pandas(tables: Parts, _folder: Path) -> Any:
    return pa.concat_tables(tables).to_pandas(types_mapper=_decimals)


def _decimals(kind: pa.DataType) -> Any:
    """Return Arrow's type for decimals, of which pandas itself has none."""
    return pd.ArrowDtype(kind) if pa.types.is_decimal(kind) else None


def _pandas_on_arrow(tables: Parts, _folder: Path) -> Any:
    return pa.concat_tables(tables).to_pandas(types_mapper=pd.ArrowDtype)


def _arrow(tables: Parts, _folder: Path) -> Any:
    return pa.concat_tables(tables)


def _polars(tables: Parts, _folder: Path) -> Any:
    return pl.concat([pl.DataFrame(rows) for rows in tables], rechunk=False)


def _polars_lazy(tables: Parts, folder: Path) -> Any:
    return _polars(tables, folder).lazy()


def _polars_scan(tables: Parts, folder: Path) -> Any:
    return pl.scan_parquet(write_parts(tables, folder) / "*.parquet")


def connected() -> Any:
    """Return a new connection, and keep the last ones open: before DuckDB 1.5 no relation does."""
    import duckdb

    _CONNECTIONS.append(duckdb.connect())
    return _CONNECTIONS[-1]


def _duckdb(tables: Parts, _folder: Path) -> Any:
    return connected().from_arrow(pa.concat_tables(tables))


def _duckdb_parquet(tables: Parts, folder: Path) -> Any:
    return connected().read_parquet(str(write_parts(tables, folder) / "*.parquet"))


def _dask(tables: Parts, folder: Path) -> Any:
    import dask.dataframe as dd

    # pandas calls an empty column of whole numbers with nulls by another type than a full one
    whole = _pandas(tables, folder)
    ends = [0]
    for rows in tables:
        ends.append(ends[-1] + rows.num_rows)
    pieces = [whole.iloc[start:stop] for start, stop in pairwise(ends)]
    return dd.from_map(  # type: ignore[no-untyped-call] # Dask is partly untyped
        lambda place: pieces[place], range(len(pieces)), meta=whole.iloc[:0]
    )


ENGINES: dict[str, Build] = {
    "pandas": _pandas,
    "pandas on Arrow": _pandas_on_arrow,
    "Arrow": _arrow,
    "Polars": _polars,
    "Polars, lazy": _polars_lazy,
    "Polars, scanning Parquet": _polars_scan,
    "DuckDB": _duckdb,
    "DuckDB, reading Parquet": _duckdb_parquet,
    "Dask": _dask,
}
"""Every engine but Spark, which needs a session: see `spark_frame`."""

SLOW = {"Dask"}
"""Engines whose every query costs tens of milliseconds."""

IN_EVERY_RUN = {"DuckDB", "Polars"}
"""Engines that the quick tests ask; the others are left to `pytest -m integration`."""


def on_engine(name: str, *more: Any) -> ParameterSet:
    """Return the parameters of a test that is slow unless every run asks this engine."""
    return pytest.param(name, *more, marks=() if name in IN_EVERY_RUN else pytest.mark.slow)


EVERY_ENGINE = [on_engine(name) for name in ENGINES]
"""All of them, as the parameters of a test."""


def in_memory(
    rows: pa.Table,
    *,
    label: str,
    scores: Sequence[str],
    pos_label: Any = None,
    weight: str | None = None,
) -> rocch.RocHull:
    """Return the hull of the same rows by the path that never saw a frame."""
    return rocch.RocHull.from_scores(
        plain(rows, label),
        {name: plain(rows, name) for name in scores},
        pos_label=pos_label,
        sample_weight=None if weight is None else plain(rows, weight),
    )


def plain(rows: pa.Table, column: str) -> Any:
    """Return a column as NumPy has it."""
    return rows[column].combine_chunks().to_numpy(zero_copy_only=False)


def assert_identical(got: rocch.RocHull, expected: rocch.RocHull) -> None:
    """Demand the same hull to the last bit: totals, counts, names, thresholds of both kinds."""
    assert isinstance(got, rocch.RocHull)
    facts = [
        (
            hull.totals.negatives,
            hull.totals.positives,
            hull.totals.unit,
            hull.totals.weighted,
        )
        for hull in (got, expected)
    ]
    assert facts[0] == facts[1]
    assert got.vertices == expected.vertices
    assert got == expected
    assert got.slope_ranges() == expected.slope_ranges()
    # equality cannot tell 0.0 from -0.0, but whoever writes a threshold down can
    assert [v.lowest_scores for v in got.vertices].__repr__().count("-0.0,") == 0
