"""Which files paths stand for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from rocch import InputError
from rocch.scale.files import files_of

if TYPE_CHECKING:
    from pathlib import Path


def touch(folder: Path, *names: str) -> list[Path]:
    files = [folder / name for name in names]
    for file in files:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    return files


def test_a_folder_stands_for_its_files_but_not_for_marks_of_writers(tmp_path: Path) -> None:
    wanted = touch(tmp_path, "a.parquet", "b/c.PQ", "part-0.snappy.parquet")
    touch(tmp_path, "_SUCCESS", ".x.parquet", "_temporary/0.parquet", "notes.txt", "b/.crc/d.pq")
    assert files_of(tmp_path) == tuple(sorted(wanted))
    assert files_of(str(tmp_path), suffixes=[".txt"]) == (tmp_path / "notes.txt",)


def test_a_folder_with_the_name_of_a_file_is_a_folder(tmp_path: Path) -> None:
    wanted = touch(tmp_path, "scores.parquet/part-0.parquet")
    assert files_of(tmp_path / "scores.parquet") == tuple(wanted)
    assert files_of(tmp_path / "*.parquet") == tuple(wanted)
    assert files_of(tmp_path) == tuple(wanted)


def test_patterns_stand_for_what_they_match_in_order(tmp_path: Path) -> None:
    first, second, _ = touch(tmp_path, "a.parquet", "b.parquet", "c.csv")
    assert files_of(tmp_path / "[ab].*", tmp_path / "c.csv")[:2] == (first, second)
    assert files_of(second, first) == (second, first)


def test_a_file_whose_name_looks_like_a_pattern_is_a_file(tmp_path: Path) -> None:
    (file,) = touch(tmp_path, "[ab].parquet")
    touch(tmp_path, "a.parquet")
    assert files_of(file) == (file,)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("none.parquet", "be an existing file, a folder or a pattern; got '.*none.parquet'"),
        ("none*.parquet", "match at least one file; got '.*none"),
        ("empty", "be a folder with files that end in '.parquet', '.pq'; got the folder '.*empty"),
    ],
)
def test_what_is_not_there_is_refused(tmp_path: Path, name: str, says: str) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=says):
        files_of(tmp_path / name)


def test_a_file_that_is_named_twice_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    touch(tmp_path, "a.parquet")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=r"name every file once; got '.*a.parquet' twice"):
        files_of("a.parquet", tmp_path / "*.parquet")


@pytest.mark.parametrize("mark", ["_delta_log/0.json", "metadata/v1.metadata.json"])
def test_tables_some_of_whose_rows_may_be_gone_are_refused(tmp_path: Path, mark: str) -> None:
    touch(tmp_path, "a.parquet", mark)
    with pytest.raises(InputError, match=r"(Delta|Iceberg) table .*deleted"):
        files_of(tmp_path)


@pytest.mark.parametrize(("paths", "says"), [((), "at least one file"), ((1,), "be a str")])
def test_paths_are_paths(paths: tuple[Any, ...], says: str) -> None:
    with pytest.raises(InputError, match=says):
        files_of(*paths)
