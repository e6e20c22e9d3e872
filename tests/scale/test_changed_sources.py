"""A source whose rows change between passes is refused, or answered right; never silently wrong."""

from __future__ import annotations

from contextlib import nullcontext
from itertools import count
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

import rocch
from tests.support.engines import in_memory
from tests.support.judged_frames import laid_out

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

BUCKETS = 64
"""Few enough for several passes over some thousand rows."""


def before() -> pa.Table:
    return laid_out("normal")


def _other_labels(rows: pa.Table) -> pa.Table:
    return rows.set_column(0, "y", laid_out("normal", seed=81)["y"])


def _labels_turned(rows: pa.Table) -> pa.Table:
    """Return as many rows of each class, with the same scores, otherwise matched."""
    return rows.set_column(0, "y", pa.array(rows["y"].to_pylist()[::-1]))


def _scores_moved(rows: pa.Table) -> pa.Table:
    return rows.set_column(1, "s", pa.array(np.array(rows["s"]) * 1.01))


def _scores_of_the_middle_swapped(rows: pa.Table) -> pa.Table:
    """Return the same scores and totals, where only rows between two quantiles swap labels."""
    scores, hits = np.array(rows["s"]), np.array(rows["y"])
    middle = np.flatnonzero(
        (scores > np.quantile(scores, 0.4)) & (scores < np.quantile(scores, 0.6))
    )
    hits[middle] = hits[middle][::-1]
    return rows.set_column(0, "y", pa.array(hits))


def _stretch_gone(rows: pa.Table) -> pa.Table:
    """Return all rows but those between two quantiles: cells that were there are empty now."""
    scores = np.array(rows["s"])
    low, high = np.quantile(scores, [0.4, 0.6])
    return rows.filter(pa.array((scores < low) | (scores > high)))


CHANGES: dict[str, Callable[[pa.Table], pa.Table]] = {
    "rows more": lambda rows: pa.concat_tables([rows, rows.slice(0, 10)]),
    "rows fewer": lambda rows: rows.slice(7),
    "no rows": lambda rows: rows.slice(0, 0),
    "a stretch gone": _stretch_gone,
    "labels drawn anew": _other_labels,
    "labels turned": _labels_turned,
    "scores moved": _scores_moved,
    "labels swapped in the middle": _scores_of_the_middle_swapped,
    "nulls": lambda rows: rows.set_column(
        1, "s", pa.array([None, *rows["s"].to_pylist()[1:]], pa.float64())
    ),
    "NaN": lambda rows: rows.set_column(
        1, "s", pa.array([float("nan"), *rows["s"].to_pylist()[1:]], pa.float64())
    ),
}
AFTER = [1, 2, 3]
"""After so many passes the source changes."""


def check(frame: Any, change: Callable[[], None], after: int, changed: pa.Table) -> None:
    """Demand an error, or the hull of either state of the rows."""

    def progress(work: Any) -> None:
        if work.passes == after:
            change()

    try:
        hull = rocch.scale.scan(
            frame, label="y", scores="s", buckets=BUCKETS, progress=progress
        ).hull()
    except rocch.InputError as error:
        assert "chang" in str(error) or "null" in str(error) or "missing" in str(error)  # noqa: PT017 - either outcome is right
        return
    right = [in_memory(before(), label="y", scores=["s"])]
    if not changed["s"].null_count and changed.num_rows:
        scores = np.array(changed["s"])
        right += [] if np.isnan(scores).any() else [in_memory(changed, label="y", scores=["s"])]
    assert hull in right


@pytest.mark.parametrize("after", AFTER)
@pytest.mark.parametrize("name", CHANGES)
def test_a_table_in_duckdb(name: str, after: int) -> None:
    changed = CHANGES[name](before())
    connection = duckdb.connect()
    connection.register("first", before())
    connection.register("second", changed)
    connection.execute("create table judged as select * from first")

    def change() -> None:
        connection.execute("create or replace table judged as select * from second")

    check(connection.table("judged"), change, after, changed)


@pytest.mark.parametrize("after", AFTER)
@pytest.mark.parametrize("name", CHANGES)
def test_a_file_that_polars_scans(name: str, after: int, tmp_path: Path) -> None:
    changed = CHANGES[name](before())
    file = tmp_path / "scores.parquet"
    parquet.write_table(before(), file)

    def change() -> None:
        other = tmp_path / "other.parquet"
        parquet.write_table(changed, other)
        other.replace(file)

    check(pl.scan_parquet(file), change, after, changed)


@pytest.mark.parametrize("after", AFTER)
def test_a_pandas_frame_changed_in_place(after: int) -> None:
    changed = _labels_turned(before())
    frame = before().to_pandas()

    def change() -> None:
        frame["y"] = np.array(changed["y"])

    check(frame, change, after, changed)


@pytest.mark.parametrize("ask", ["area", "outline", "summary"])
def test_other_questions_notice_it_too(ask: str) -> None:
    changed = _labels_turned(before())
    connection = duckdb.connect()
    connection.register("first", before())
    connection.register("second", changed)
    connection.execute("create table judged as select * from first")
    passes: list[int] = []

    def progress(work: Any) -> None:
        passes.append(work.passes)
        if work.passes == 1:
            connection.execute("create or replace table judged as select * from second")

    frame = connection.table("judged")
    asked: dict[str, Any] = {"label": "y", "scores": "s", "buckets": BUCKETS, "progress": progress}
    known = [rocch.auc(np.array(rows["y"]), np.array(rows["s"])) for rows in (before(), changed)]
    try:
        if ask == "area":
            found = rocch.scale.scan(frame, **asked).auc()["s"]
        elif ask == "outline":
            found = rocch.scale.scan(frame, **asked).curve(resolution=0.01)["s"].auc
        else:
            found = rocch.scale.scan(frame, **asked).summary().auc("s")
    except rocch.InputError as error:
        assert "chang" in str(error)  # noqa: PT017 - either outcome is right
        return
    assert any(found.low <= area <= found.high for area in known)


def _damage(file: Path) -> None:
    """Overwrite scores at the end; the rest, and what the file says of itself, stays."""
    about = parquet.read_metadata(file)
    column = about.row_group(about.num_row_groups - 1).column(1)
    with file.open("r+b") as content:
        content.seek(column.data_page_offset)
        content.write(b"\xff" * 400)


def _truncate(file: Path) -> None:
    """Leave half of a file; without its end alone Polars, which has read it, does very well."""
    content = file.read_bytes()
    file.write_bytes(content[: len(content) // 2])


LOSSES: dict[str, Callable[[Path], None]] = {
    "damaged": _damage,
    "cut off": _truncate,
    "gone": lambda file: file.unlink(),
}


def _read_by_dask(file: Path) -> Any:
    import dask.dataframe as dd

    return dd.from_map(  # type: ignore[no-untyped-call] # Dask is partly untyped
        lambda _: parquet.read_table(file).to_pandas(), [0]
    )


SOURCES: dict[str, Callable[[Path], Any]] = {
    "paths": nullcontext,
    "DuckDB": lambda file: nullcontext(duckdb.read_parquet(str(file))),
    "Polars": lambda file: nullcontext(pl.scan_parquet(file)),
    "Dask": lambda file: nullcontext(_read_by_dask(file)),
}


@pytest.mark.parametrize(("after", "weight"), [(1, None), (2, "w")])
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("source", SOURCES)
def test_a_file_that_is_lost_between_passes_is_refused(
    source: str, loss: str, after: int, weight: str | None, tmp_path: Path
) -> None:
    file = tmp_path / "scores.parquet"
    rows = before().append_column("w", pa.array(np.ones(before().num_rows)))
    parquet.write_table(rows, file, row_group_size=500)

    def progress(work: Any) -> None:
        if work.passes == after:
            LOSSES[loss](file)

    asked: dict[str, Any] = {"label": "y", "scores": "s", "weight": weight, "buckets": BUCKETS}
    with (
        pytest.raises(
            rocch.InputError, match=r"must be readable|must name files that can be read"
        ) as caught,
        SOURCES[source](file) as frame,
    ):
        rocch.scale.scan(frame, **asked, progress=progress).hull()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("source", ["paths", "DuckDB"])
def test_damage_that_is_met_while_rows_stream_is_refused(source: str, tmp_path: Path) -> None:
    """DuckDB has begun to give rows, and Arrow brings the error as one of its own."""
    file, places = tmp_path / "scores.parquet", np.arange(300_000)
    scores = np.sin(places * places)
    parquet.write_table(pa.table({"y": places % 3 == 0, "s": scores}), file, row_group_size=50_000)

    def progress(work: Any) -> None:
        if work.passes == 1:
            _damage(file)

    with (
        pytest.raises(rocch.InputError, match=r"must be readable|must name files that can be read"),
        SOURCES[source](file) as frame,
    ):
        rocch.scale.scan(frame, label="y", scores="s", buckets=2000, progress=progress).hull()


def test_an_error_in_progress_is_the_callers_own() -> None:
    def progress(_work: Any) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rocch.scale.scan(pl.DataFrame(before()), label="y", scores="s", progress=progress).hull()


@pytest.mark.parametrize(
    ("change", "weight"),
    [
        ("y = 2 where rowid < 100", None),
        ("y = null where rowid < 100", None),
        ("y = 7 where y = 0", None),
        ("w = -1 where rowid < 300", "w"),
        ("w = null where rowid = 3", "w"),
        ("w = w * 1e-9", "w"),
    ],
)
@pytest.mark.parametrize("rows", [1000, 80_000])
def test_labels_and_weights_that_change_right_after_the_survey(
    change: str, weight: str | None, rows: int
) -> None:
    connection = duckdb.connect()
    connection.execute(
        "create table t as select (hash(i) % 3 = 0)::int y, sin(i * i) + (hash(i) % 3 = 0)::int a, "
        "1 + (i % 5) / 8 w from range(?) t(i)",
        [rows],
    )

    def progress(work: Any) -> None:
        if work.passes == 1:
            connection.execute(f"update t set {change}")  # noqa: S608 - written here

    with pytest.raises(rocch.InputError, match="the same rows in every pass"):
        rocch.scale.scan(
            connection.table("t"), label="y", scores="a", weight=weight, progress=progress
        ).hull()


@pytest.mark.parametrize("weight", [None, "w"])
def test_counts_at_thresholds_notice_it_too(weight: str | None) -> None:
    """One more row is positive each time that the frame is read."""
    rows = pl.DataFrame({"i": range(1000)}).with_columns(s=pl.col("i").sin(), w=1 + pl.col("i") % 3)
    turns = count(300)

    def labeled(read: pl.DataFrame) -> pl.DataFrame:
        return read.with_columns(y=pl.col("i") < next(turns))

    schema = {**rows.schema, "y": pl.Boolean()}
    frame = rows.lazy().map_batches(labeled, schema=schema)
    with pytest.raises(rocch.InputError, match="the same rows in every pass"):
        rocch.scale.scan(frame, label="y", scores=["s"], weight=weight).counts({"s": [0.5]})
