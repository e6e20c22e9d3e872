"""Nulls and NaN are seen by every engine and every question: counted and refused, or left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

import rocch
from tests.support import scans
from tests.support.engines import ENGINES, connected, in_memory, on_engine, parts, table

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NAN = float("nan")
KEPT: dict[str, list[Any]] = {
    "y": [0.0, 0.0, 1.0, 1.0, 1.0, 0.0],
    "s": [0.1, 0.4, 0.35, 0.8, 0.5, 0.2],
    "w": [1.0, 2.0, 3.0, 1.0, 1.0, 1.0],
}
ASKED: dict[str, Any] = {"label": "y", "scores": ["s"], "weight": "w"}
ARGUMENTS = {"y": "label", "s": "scores['s']", "w": "weight"}
# as for arrays
REQUIREMENTS = {
    "y": "have no missing labels",
    "s": "have no missing values (NaN)",
    "w": "be finite and not negative",
}


def with_missing(column: str, values: list[float | None]) -> pa.Table:
    """Return the rows, and behind them one row for each value that is missing in a column."""
    more = {name: [kept[2]] * len(values) for name, kept in KEPT.items()} | {column: values}
    return table({name: [*kept, *more[name]] for name, kept in KEPT.items()})


def _written_by_polars(tables: list[pa.Table], folder: Path) -> Any:
    """Return a file that calls the greatest number its maximum although there is NaN."""
    file = folder / "polars.parquet"
    pl.concat([pl.DataFrame(rows) for rows in tables]).write_parquet(file, statistics="full")
    return connected().read_parquet(str(file))


def _as_a_table(tables: list[pa.Table], _folder: Path) -> Any:
    connection = connected()
    connection.register("rows", pa.concat_tables(tables))
    connection.execute("CREATE TABLE judged AS SELECT * FROM rows")
    return connection.table("judged")


def _by_a_query(tables: list[pa.Table], folder: Path) -> Any:
    """Return a query whose names need quotes, over a file that pyarrow wrote."""
    file = folder / "query.parquet"
    parquet.write_table(pa.concat_tables(tables), file)
    return connected().read_parquet(str(file)).project('*, s AS "a ""b"".c"')


FRAMES: dict[str, Callable[[list[pa.Table], Path], Any]] = {
    **ENGINES,
    "DuckDB, reading what Polars wrote": _written_by_polars,
    "DuckDB, a table": _as_a_table,
    "DuckDB, a query": _by_a_query,
}


def grouped(rows: pa.Table) -> pa.Table:
    return rows.append_column("g", pa.array(["all"] * rows.num_rows))


def refusal(ask: Callable[..., Any], frame: Any, **asked: Any) -> str:
    with pytest.raises(rocch.InputError) as caught:
        ask(frame, **asked)
    return str(caught.value)


@pytest.mark.parametrize("values", [[NAN], [NAN, None, NAN]], ids=["NaN", "NaN and null"])
@pytest.mark.parametrize("column", ARGUMENTS)
@pytest.mark.parametrize("engine", [on_engine(name) for name in FRAMES])
def test_what_is_missing_is_counted_and_refused_or_left_out(
    engine: str, column: str, values: list[float | None], folder: Path
) -> None:
    frame = FRAMES[engine](parts(with_missing(column, values), (3,)), folder)
    said = refusal(scans.hull, frame, **ASKED)
    assert said.startswith(f"{ARGUMENTS[column]} must {REQUIREMENTS[column]}; got {len(values)} ")
    assert f" null or NaN in {column!r}." in said
    assert said.endswith("set drop_nulls.")
    assert rocch.scale.scan(frame, drop_nulls=True, **ASKED).hull() == in_memory(
        table(KEPT), **ASKED
    )


@pytest.mark.parametrize("column", ARGUMENTS)
@pytest.mark.parametrize("question", scans.EVERY_QUESTION)
def test_every_question_sees_nan_that_the_statistics_of_files_hide(
    question: str, column: str, folder: Path
) -> None:
    ask = scans.EVERY_QUESTION[question]
    without, holed = grouped(table(KEPT)), grouped(with_missing(column, [NAN, NAN]))
    kept, frame = (FRAMES["DuckDB, reading Parquet"]([rows], folder) for rows in (without, holed))
    assert f"got 2 null or NaN in {column!r}" in refusal(ask, frame, **ASKED)
    left, expected = ask(frame, drop_nulls=True, **ASKED), ask(kept, drop_nulls=True, **ASKED)
    if question == "summary":
        left, expected = left.hull(), expected.hull()
    if question == "outlines":
        left, expected = str(left["s"].auc), str(expected["s"].auc)
    assert left == expected


@pytest.mark.parametrize("pos_label", [0, 1])
def test_a_missing_label_is_in_no_class_where_the_positive_one_is_named(
    pos_label: int, folder: Path
) -> None:
    frame = FRAMES["DuckDB, reading Parquet"]([with_missing("y", [NAN])], folder)
    asked: dict[str, Any] = {"label": "y", "scores": ["s"], "pos_label": pos_label}
    assert "got 1 null or NaN in 'y'" in refusal(scans.hull, frame, **asked)
    hull = rocch.scale.scan(frame, drop_nulls=True, **asked).hull()
    assert (hull.totals.negatives, hull.totals.positives) == (3, 3)


def test_every_double_is_the_same_behind_the_statistics(folder: Path) -> None:
    """Nothing that is done to see NaN may move a score."""
    tiny = 5e-324
    scores = [0.1, -0.0, tiny, -tiny, 1.7976931348623157e308, float("inf"), float("-inf"), 1 / 3]
    for kind in (pa.float64(), pa.float32()):
        column = pa.array(scores, pa.float64()).cast(kind, safe=False)
        rows = pa.table({"y": [0, 1] * 4, "s": column})
        frame = FRAMES["DuckDB, reading Parquet"]([rows], folder)
        hull = rocch.scale.scan(frame, label="y", scores=["s"]).hull()
        assert hull == in_memory(rows, label="y", scores=["s"])
