"""What reads a file: this process, DuckDB or Spark; and what needs the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from rocch.cli import engine

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Answer, Refusal

LABEL = ("--label", "y")
DUCKDB = (*LABEL, "--engine", "duckdb")
COSTS = ("--prevalence", "0.2", "--false-positive", "1", "--false-negative", "9")
BELIEF = ("--prevalence", "0.2", "--cost-ratio", "5..10")


@pytest.fixture
def read_by(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note which engine reads."""
    from rocch.cli import frame_hull, scores_file

    seen: list[str] = []
    for module, name, said in (
        (frame_hull, "hull_from_frame", "duckdb"),
        (scores_file, "scores_from_file", "memory"),
    ):
        true = getattr(module, name)

        def noted(*given: Any, true: Any = true, said: str = said) -> Any:
            seen.append(said)
            return true(*given)

        monkeypatch.setattr(module, name, noted)
    return seen


@pytest.mark.parametrize(
    ("large", "options", "which"),
    [
        (240, (), "memory"),  # 120 rows of two classifiers
        (239, (), "duckdb"),
        (239, ("--scores", "nb"), "memory"),
        (119, ("--scores", "nb"), "duckdb"),
        (1, ("--engine", "memory"), "memory"),
        (10**9, ("--engine", "duckdb"), "duckdb"),
        (1, ("--input-format", "parquet", "--memory-limit", "200MB"), "duckdb"),
    ],
)
def test_large_parquet_goes_to_duckdb(
    answer: Answer,
    scores_parquet: Path,
    read_by: list[str],
    monkeypatch: pytest.MonkeyPatch,
    large: int,
    options: tuple[str, ...],
    which: str,
) -> None:
    from pyarrow import parquet

    # the label is a column of numbers too, and counts as one unless scores are named
    table = parquet.read_table(scores_parquet)
    y = [bool(each) for each in table["y"].to_pylist()]
    parquet.write_table(table.set_column(0, "y", [y]), scores_parquet)
    monkeypatch.setattr(engine, "LARGE", large)
    answer("hull", scores_parquet, *LABEL, *options)
    assert read_by == [which]


def test_what_is_no_parquet_stays_in_memory(
    answer: Answer, scores_csv: Path, read_by: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "LARGE", 1)
    answer("hull", scores_csv, *LABEL)
    assert read_by == ["memory"]


@pytest.mark.parametrize(
    ("named", "options", "says"),
    [
        ("scores.csv", DUCKDB, "--engine duckdb reads Parquet files; "),
        ("scores.parquet", (*DUCKDB, "--input-format", "csv"), "reads Parquet files; "),
        ("-", DUCKDB, "--engine duckdb reads files by their names, not standard input."),
        ("none.parquet", DUCKDB, "FILE must be an existing file, a folder or a pattern; "),
        (
            "scores.parquet",
            (*DUCKDB, "--classifier", "a", "--row", "b", "--score", "c"),
            "--engine duckdb reads wide tables",
        ),
        (
            "scores.parquet",
            (*LABEL, "--spark", "--classifier", "a", "--row", "b", "--score", "c"),
            "--spark reads wide tables",
        ),
        ("scores.parquet", (*DUCKDB, "--spark"), "--spark and --engine duckdb contradict"),
        (
            "scores.parquet",
            (*LABEL, "--engine", "memory", "--memory-limit", "1GB"),
            "--memory-limit has no effect",
        ),
        ("scores.parquet", (*DUCKDB, "--memory-limit", "much"), "--memory-limit must be a size"),
        ("scores.parquet", (*LABEL, "--engine", "polars"), "'polars' is not one of"),
    ],
)
def test_engines_say_what_they_cannot_read(
    refusal: Refusal,
    scores_csv: Path,
    scores_parquet: Path,
    monkeypatch: pytest.MonkeyPatch,
    named: str,
    options: tuple[str, ...],
    says: str,
) -> None:
    assert scores_csv.parent == scores_parquet.parent
    monkeypatch.chdir(scores_csv.parent)
    assert says in refusal("hull", named, *options)


@pytest.mark.parametrize(
    ("command", "option"),
    [
        (("best", *COSTS, "--out-of-sample"), "--out-of-sample"),
        (("compare", *BELIEF, "--resamples", "100"), "--resamples"),
        (("compare", *BELIEF, "--reading", "implied"), "--reading implied"),
        (("report", "--resamples", "100"), "--resamples"),
        (("report", "--fold", "gbm"), "--fold"),
    ],
)
def test_what_needs_rows_says_so_before_they_are_read(
    refusal: Refusal, scores_parquet: Path, command: tuple[str, ...], option: str
) -> None:
    name, *options = command
    line = refusal(name, scores_parquet, *DUCKDB, *options)
    assert line.startswith(f"{option} needs the rows in memory, and DuckDB keeps none.")
    assert "--engine memory" in line
    line = refusal(name, "some.table", *LABEL, "--spark", *options)
    assert line.startswith(f"{option} needs the rows in memory, and Spark keeps them.")


def test_rows_with_weights_are_not_drawn_again(refusal: Refusal, scores_csv: Path) -> None:
    weight = (*LABEL, "--scores", "nb", "--weight", "gbm")
    line = refusal("best", scores_csv, *weight, *COSTS, "--out-of-sample")
    assert line == "--out-of-sample needs rows without weights. Leave out --weight."


def test_a_broken_footer_gets_one_line(refusal: Refusal, scores_parquet: Path) -> None:
    scores_parquet.write_bytes(scores_parquet.read_bytes()[:-10])
    for options in (DUCKDB, LABEL):
        line = refusal("hull", scores_parquet, *options)
        assert "FILE must name files that can be read as Parquet; got" in line
