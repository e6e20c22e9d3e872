"""What was named as files: one, several, folders, patterns."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Answer, Refusal

LABEL = ("--label", "y")


@pytest.fixture
def parts(scores_csv: Path, tmp_path: Path) -> Path:
    """Cut the scores into three CSV files in a folder, the last one compressed."""
    import gzip

    header, *lines = scores_csv.read_text(encoding="utf-8").splitlines()
    folder = tmp_path / "parts"
    folder.mkdir()
    for place, name in enumerate(("a.csv", "b.csv", "c.csv.gz")):
        text = "\n".join([header, *lines[place * 40 : place * 40 + 40], ""]).encode()
        (folder / name).write_bytes(gzip.compress(text) if name.endswith("gz") else text)
    return folder


def test_several_files_a_folder_and_a_pattern_are_one_table(
    answer: Answer, scores_csv: Path, parts: Path
) -> None:
    whole = answer("hull", scores_csv, *LABEL)
    assert answer("hull", parts, *LABEL) == whole
    assert answer("hull", f"{parts}/*.csv*", *LABEL) == whole
    assert answer("hull", *sorted(parts.iterdir()), *LABEL) == whole
    assert answer("best", parts, *LABEL, "--max-fpr", "0.1")["choice"]["note"] == ""


def test_a_folder_with_parquet_stands_for_that_alone(
    answer: Answer, scores_parquet: Path, parts: Path
) -> None:
    shutil.copy(scores_parquet, parts / "z.parquet")
    assert answer("hull", parts, *LABEL) == answer("hull", scores_parquet, *LABEL)


def test_columns_may_come_in_another_order(answer: Answer, tmp_path: Path) -> None:
    (tmp_path / "0.csv").write_text("y,a\n0,1\n1,5\n")
    (tmp_path / "1.csv").write_text("a,more,y\n2,x,0\n3,x,1\n")
    found = answer("hull", tmp_path, *LABEL)
    assert (found["positives"], found["negatives"], found["classifiers"]) == (2, 2, ["a"])


def test_a_file_without_a_column_is_named(refusal: Refusal, tmp_path: Path) -> None:
    (tmp_path / "0.csv").write_text("y,a\n0,1\n1,5\n")
    (tmp_path / "1.csv").write_text("y,b\n0,1\n1,5\n")
    line = refusal("hull", tmp_path, *LABEL)
    assert line.startswith("FILE must be files with the same columns; got ")
    assert "1.csv' without 'a'. Its columns are: 'y', 'b'." in line


def test_a_broken_file_among_several_is_named(refusal: Refusal, parts: Path) -> None:
    (parts / "b.csv").write_bytes(b"y,nb,gbm\n1,2\n")
    assert "must have 3 values in every row" in refusal("hull", parts, *LABEL)
    (parts / "b.csv").write_bytes(b"y,nb,gbm\n1,\xff,2\n")
    assert "b.csv' cannot be read" in refusal("hull", parts, *LABEL)


@pytest.mark.parametrize(
    ("named", "says"),
    [
        (("none-*.csv",), "FILE must match at least one file; got 'none-*.csv'."),
        (("-", "scores.csv"), "standard input (-) must be the only FILE."),
        (("scores.csv", "none.csv"), "FILE must be an existing file, a folder or a pattern"),
        (("scores.csv", "*.csv"), "FILE must name every file once"),
    ],
)
def test_what_cannot_be_meant_gets_one_line(
    refusal: Refusal,
    scores_csv: Path,
    monkeypatch: pytest.MonkeyPatch,
    named: tuple[str, ...],
    says: str,
) -> None:
    monkeypatch.chdir(scores_csv.parent)
    assert says in refusal("hull", *named, *LABEL)


def test_the_report_is_not_written_over_a_part(refusal: Refusal, parts: Path) -> None:
    line = refusal("report", parts, *LABEL, "--format", "md", "-o", parts / "a.csv")
    assert "--output must not be a file that is read" in line
