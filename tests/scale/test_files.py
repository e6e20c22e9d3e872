"""Parquet files of any size, opened by DuckDB."""

from __future__ import annotations

import math
import sys
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

import rocch
from rocch import InputError, MissingExtraError, StorageError
from rocch.scale.files import connect, open_files, parquet_types

if TYPE_CHECKING:
    from collections.abc import Iterator


def write(path: Path, **columns: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(pa.table(columns), path)
    return path


def rows(*paths: Any, **options: Any) -> list[tuple[Any, ...]]:
    with open_files(*paths, **options) as frame:
        return sorted(frame.fetchall())


def ask(frame: Any, query: str) -> Any:
    """Run another query on the connection of a table."""
    return frame.query("t", query).fetchall()


@pytest.fixture
def spilling(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Give temporary files a folder of their own, which must be empty in the end."""
    folder = tmp_path / "spilling"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    assert list(folder.iterdir()) == []


def test_one_file_several_a_folder_and_a_pattern_are_one_table(
    tmp_path: Path, spilling: Path
) -> None:
    files = [write(tmp_path / "s" / f"{i}.parquet", y=[i], a=[i / 2]) for i in range(3)]
    everything = [(0, 0.0), (1, 0.5), (2, 1.0)]
    assert rows(files[0]) == everything[:1]
    assert rows(*files) == everything
    assert rows(str(tmp_path / "s")) == everything
    assert rows(tmp_path / "s" / "*.parquet") == everything
    assert rows(tmp_path / "**" / "[12].parquet") == everything[1:]
    assert spilling.exists()


@settings(max_examples=10)
@given(
    st.lists(st.floats(allow_nan=False), min_size=1, max_size=30),
    st.lists(st.integers(0, 30), max_size=3),
)
def test_how_rows_are_spread_over_files_does_not_matter(
    scores: list[float], cuts: list[int]
) -> None:
    with tempfile.TemporaryDirectory() as name:
        ends = [0, *sorted(min(cut, len(scores)) for cut in cuts), len(scores)]
        for place, (start, end) in enumerate(pairwise(ends)):
            column = pa.array(scores[start:end], pa.float64())
            write(Path(name, f"{place}.parquet"), a=column)
        assert [a for (a,) in rows(name, threads=1)] == sorted(scores)


def test_names_that_look_like_patterns_or_hold_quotes_are_names(tmp_path: Path) -> None:
    file = write(tmp_path / "a[1]*'?.parquet", **{'y"x': [1], "a.b": [2]})
    assert rows(file) == [(1, 2)]
    assert rows(file, columns=["a.b", 'y"x']) == [(2, 1)]


def test_folders_named_for_a_value_add_a_column_of_texts(tmp_path: Path) -> None:
    for year in (2024, 2025):
        write(tmp_path / f"year={year}" / "p.parquet", y=[1])
    assert rows(tmp_path) == [(1, "2024"), (1, "2025")]
    assert rows(tmp_path, columns=["year"]) == [("2024",), ("2025",)]


def test_only_the_columns_that_are_needed_have_to_agree(tmp_path: Path) -> None:
    write(tmp_path / "0.parquet", y=[0], a=[1.0], more=["x"])
    write(tmp_path / "1.parquet", a=[2.0], y=[1])
    assert rows(tmp_path, columns=["y", "a", "y"]) == [(0, 1.0), (1, 2.0)]
    with pytest.raises(InputError, match=r"'more', which is VARCHAR in .* and missing in"):
        rows(tmp_path)


@pytest.mark.parametrize(
    "column", [pa.array([1.0], pa.float32()), pa.array([1]), pa.array(["1"]), pa.array([None])]
)
def test_a_column_of_another_type_is_refused_because_it_would_be_cast(
    tmp_path: Path, column: Any
) -> None:
    write(tmp_path / "0.parquet", a=column)
    write(tmp_path / "1.parquet", a=[1.0])
    with pytest.raises(InputError, match=r"frame must be files .* of the same types.*'a'.*DOUBLE"):
        rows(tmp_path)


def test_a_column_that_is_not_there_is_told_with_those_that_are(tmp_path: Path) -> None:
    file = write(tmp_path / "country=DE" / "0.parquet", y=[0], a=[1.0])
    message = (
        r"label must name a column of the data; got 'b'\. The columns are: 'y', 'a', 'country'"
    )
    with pytest.raises(InputError, match=message):
        rocch.scale.scan(file, label="b", scores="a").hull()


def test_columns_that_differ_in_case_alone_are_refused(tmp_path: Path) -> None:
    file = write(tmp_path / "0.parquet", y=[0], a=[1], A=[2])
    for columns in (None, ["y", "A"]):
        with pytest.raises(InputError, match="upper and lower case; got 'a', 'A'"):
            rows(file, columns=columns)
    assert rows(file, columns=["y"]) == [(0,)]


@pytest.mark.parametrize("kept", [0, 3, 50, -1])
def test_a_truncated_file_is_told_by_its_name(tmp_path: Path, kept: int) -> None:
    write(tmp_path / "0.parquet", y=[0], a=[1.0])
    file = write(tmp_path / "1.parquet", y=[0], a=[1.0])
    file.write_bytes(file.read_bytes()[:kept])
    with pytest.raises(InputError, match=r"can be read as Parquet; got .*1\.parquet': [^\n]*$"):
        rows(tmp_path)


def test_damage_in_the_middle_is_told_when_it_is_read(tmp_path: Path, spilling: Path) -> None:
    file = write(tmp_path / "0.parquet", a=[float(i) for i in range(1000)])
    content = bytearray(file.read_bytes())
    content[4:60] = b"\xff" * 56
    file.write_bytes(bytes(content))
    with pytest.raises(InputError, match=r"^frame must name files that can be read[^\n]*$"):
        rows(file)
    assert spilling.exists()


def test_a_limit_without_room_for_the_work_is_told(tmp_path: Path, spilling: Path) -> None:
    file = write(tmp_path / "0.parquet", a=[1.0])
    with (
        pytest.raises(InputError, match=r"memory_limit must be enough for the query; got '64MB'"),
        open_files(file, memory_limit="64MB") as frame,
    ):
        ask(frame, "SELECT list(range) FROM range(20000000)")
    assert spilling.exists()


@pytest.mark.parametrize("said", ["No space left on device", "see max_temp_directory_size"])
def test_a_full_disk_is_told(tmp_path: Path, spilling: Path, said: str) -> None:
    file = write(tmp_path / "0.parquet", a=[1.0])
    with pytest.raises(StorageError, match=r"no room for temporary files in .*TMPDIR") as told:
        fail(file, duckdb.OutOfMemoryException(said))
    assert str(spilling) in str(told.value)


def test_a_limit_that_is_reached_between_batches_is_told(tmp_path: Path, spilling: Path) -> None:
    """Arrow brings DuckDB's words as an error of its own, which frames name as a cause."""
    file = write(tmp_path / "0.parquet", a=[1.0])
    error = InputError("frame must be readable.")
    error.__cause__ = OSError("Out of Memory Error: failed to allocate")
    with pytest.raises(InputError, match=r"memory_limit must be enough for the query; got '1GB'"):
        fail(file, error)
    with pytest.raises(InputError, match=r"^mine$"):
        fail(file, InputError("mine"))
    assert spilling.exists()


def fail(file: Path, error: Exception) -> None:
    with open_files(file):
        raise error


def test_an_error_of_the_caller_stays_its_own(tmp_path: Path, spilling: Path) -> None:
    file = write(tmp_path / "0.parquet", a=[1.0])
    with pytest.raises(KeyError, match="mine"):
        fail(file, KeyError("mine"))
    with pytest.raises(InputError, match="files that can be read to the end; got Error"):
        fail(file, duckdb.Error())
    assert spilling.exists()


@pytest.mark.parametrize("limit", ["", "1", "lots", "-1GB", "0MB", "1 XB", 10**9, None])
def test_a_memory_limit_has_a_unit(tmp_path: Path, limit: Any) -> None:
    file = write(tmp_path / "0.parquet", a=[1.0])
    with pytest.raises(InputError, match="memory_limit must be a size such as 1GB"):
        rows(file, memory_limit=limit)


def test_settings_reach_the_engine(tmp_path: Path, spilling: Path) -> None:
    file = write(tmp_path / "0.parquet", a=[1.0])
    asked = "current_setting('memory_limit'), current_setting('threads'), "
    with open_files(file, memory_limit="512 MiB", threads=3) as frame:
        limit, threads, folder = frame.project(
            asked + "current_setting('temp_directory')"
        ).fetchall()[0]
        assert Path(folder).parent == spilling
    assert (limit, threads) == ("512.0 MiB", 3)
    with pytest.raises(InputError, match="threads"):
        rows(file, threads=0)


def test_the_table_is_closed_in_the_end(tmp_path: Path) -> None:
    with open_files(write(tmp_path / "0.parquet", a=[1.0])) as frame:
        pass
    with pytest.raises(duckdb.Error):
        frame.fetchall()


def test_progress_is_told_while_a_query_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from threading import Event

    file, told, heard = write(tmp_path / "0.parquet", a=[1.0]), [], Event()

    def hear(share: float) -> None:
        told.append(share)
        heard.set()

    monkeypatch.setattr("rocch.scale.files.OFTEN", 0.001)
    with open_files(file, progress=hear, threads=1) as frame:
        while not heard.is_set():
            ask(frame, "SELECT sum(sin(range)) FROM range(2000000)")
    assert all(0 <= share <= 1 for share in told)


def test_nan_is_seen_although_statistics_do_not_tell_of_it(tmp_path: Path) -> None:
    file = write(tmp_path / "0.parquet", a=[1.0, 2.0, math.nan])
    with open_files(file) as frame:
        told = frame.aggregate("sum(isnan(a)::int), max(a) FILTER (a < 'inf'::double)").fetchall()
        assert told == [(1, 2.0)]
        assert len(frame.filter("isnan(a)")) == 1
        assert len(frame.filter("NOT isnan(a)")) == 2


def test_footers_hold_names_and_types(tmp_path: Path) -> None:
    words = pa.array(["x", "z"]).dictionary_encode()
    pairs = pa.array([{"a": 1, "b": [1.5]}, None])
    file = write(tmp_path / "0.parquet", y=[1, 2], pairs=pairs, w=words, Y=[0.5, 1])
    with connect() as connection:
        types = parquet_types(connection, file)
    assert list(types) == ["y", "pairs", "w", "Y"]
    assert [types[name] for name in ("y", "w", "Y")] == ["BIGINT", "VARCHAR", "DOUBLE"]


@pytest.mark.parametrize("module", ["duckdb", "pyarrow"])
def test_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str) -> None:
    file = write(tmp_path / "0.parquet", a=[1.0])
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=r"rocch\[scale\]"):
        rows(file)


def test_hulls_of_files_are_those_of_their_rows(tmp_path: Path) -> None:
    y, a = [0, 1, 0, 1, 1], [0.1, 0.9, 0.4, 0.3, 0.4]
    write(tmp_path / "0.parquet", y=y[:2], a=a[:2])
    write(tmp_path / "1.parquet", y=y[2:], a=a[2:])
    scan = rocch.scale.scan(tmp_path, label="y", memory_limit="500MB", threads=1)
    assert scan.hull() == rocch.RocHull.from_scores(y, {"a": a})
    assert scan.auc()["a"].value == rocch.auc(y, a)
    files = sorted(map(str, tmp_path.iterdir()))
    assert rocch.scale.scan(files, label="y", scores="a").hull() == scan.hull()
    exact = scan.summary().refine(str(tmp_path / "*.parquet"))
    assert exact.hull() == scan.hull()


@pytest.mark.parametrize("path", ["", " "])
def test_an_empty_path_is_not_this_folder(path: str) -> None:
    with pytest.raises(rocch.InputError, match="frame must be a text that is not empty"):
        rocch.scale.scan(path, label="y").hull()
