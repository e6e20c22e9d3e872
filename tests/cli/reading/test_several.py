"""Several files that are one table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocch.cli.reading.several import open_tables
from rocch.cli.reading.table_file import TableFile

if TYPE_CHECKING:
    from pathlib import Path


def test_progress_runs_over_all_files(tmp_path: Path) -> None:
    parts = tuple(tmp_path / f"{place}.csv" for place in range(3))
    for part in parts:
        part.write_text("y,a\n0,1\n1,5\n")
    with open_tables(TableFile(parts[0], parts=parts)) as table:
        assert (table.names, table.numeric()) == (["y", "a"], ["y", "a"])
        assert table.reached() == (0, 3000)
        told = [table.reached() for _ in table.chunks(["a"])]
    assert told == [(1000, 3000), (2000, 3000), (3000, 3000)]


def test_one_file_is_opened_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "0.csv"
    file.write_text("y,a\n0,1\n1,5\n")
    with open_tables(TableFile(file)) as table:
        assert [chunk["a"] for chunk in table.chunks(["a"])] == [["1", "5"]]
