"""Long files: one line for each score."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyarrow import parquet

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Answer, Refusal

    Judged = dict[str, list[float]]

LONG = ("--label", "y", "--classifier", "model", "--row", "id", "--score", "score")
Line = tuple[str, str, str, str]


@pytest.fixture
def lines(judged: Judged) -> list[Line]:
    """Return the judged rows as lines (model, id, y, score), the rows in the same order."""
    return [
        (model, f"r{row}", f"{judged['y'][row]:g}", repr(judged[model][row]))
        for row in range(len(judged["y"]))
        for model in ("nb", "gbm")
    ]


def write(path: Path, lines: list[Line]) -> Path:
    text = "\n".join(["model,id,y,score", *map(",".join, lines)])
    path.write_text(text + "\n", encoding="utf-8")
    return path


def test_a_long_file_is_the_wide_one(
    answer: Answer, scores_csv: Path, tmp_path: Path, lines: list[Line]
) -> None:
    wide = answer("hull", scores_csv, "--label", "y")
    assert answer("hull", write(tmp_path / "long.csv", lines), *LONG) == wide


def test_the_order_of_lines_does_not_matter(
    answer: Answer, scores_csv: Path, tmp_path: Path, lines: list[Line]
) -> None:
    wide = answer("hull", scores_csv, "--label", "y", "--scores", "gbm,nb")
    random.Random(4).shuffle(lines)  # noqa: S311 - no secret
    file = write(tmp_path / "long.csv", lines)
    assert answer("hull", file, *LONG, "--scores", "gbm,nb") == wide


def test_parquet_with_numbers_as_ids(
    answer: Answer, scores_csv: Path, tmp_path: Path, judged: Judged
) -> None:
    count = len(judged["y"])
    table = {
        "model": ["nb"] * count + ["gbm"] * count,
        "id": [*range(count), *range(count)],
        "y": [*judged["y"], *judged["y"]],
        "score": [*judged["nb"], *judged["gbm"]],
    }
    parquet.write_table(pa.table(table), tmp_path / "long.parquet")
    wide = answer("hull", scores_csv, "--label", "y")
    assert answer("hull", tmp_path / "long.parquet", *LONG) == wide


def test_classifiers_may_be_chosen_and_the_others_may_have_gaps(
    answer: Answer, scores_csv: Path, tmp_path: Path, lines: list[Line]
) -> None:
    file = write(tmp_path / "long.csv", [*lines[:-1], ("svm", "r999", "1", "0.5")])
    found = answer("hull", file, *LONG, "--scores", "nb")
    assert found == answer("hull", scores_csv, "--label", "y", "--scores", "nb")


def test_best_and_compare_take_long_files_too(
    answer: Answer, scores_csv: Path, tmp_path: Path, lines: list[Line]
) -> None:
    file = write(tmp_path / "long.csv", lines)
    for command, *options in (
        ("best", "--max-fpr", "0.1"),
        ("compare", "--prevalence", "0.3", "--cost-ratio", "2..8", "--resamples", "0"),
    ):
        assert answer(command, file, *LONG, *options) == answer(
            command, scores_csv, "--label", "y", *options
        )


CHANGES: dict[str, tuple[Any, str]] = {
    "a score twice": (
        lambda lines: [*lines, ("nb", "r5", "0", "0.5")],
        "one score of every classifier for every row; got several of 'nb' for row 'r5'",
    ),
    "a score too few": (lambda lines: lines[1:], "got none of 'nb' for row 'r0'"),
    "labels differ": (
        lambda lines: [("nb", "r0", "0", "0.1"), *lines[1:]],
        "be the same wherever a row occurs; got '0' of 'nb' and '1' elsewhere for row 'r0'",
    ),
    "a label is missing": (
        lambda lines: [("nb", "r0", "", "0.1"), *lines[1:]],
        "--label must have no missing values; got one in row 1",
    ),
    "a classifier is missing": (
        lambda lines: [*lines, ("", "r0", "1", "0.1")],
        "--classifier must have no missing values; got one in row 241",
    ),
    "an id is missing": (
        lambda lines: [*lines, ("nb", "", "1", "0.1")],
        "--row must have no missing values; got one in row 241",
    ),
    "a score is text": (
        lambda lines: [*lines[:-1], ("gbm", "r119", "0", "high")],
        "column 'score' must hold numbers; got 'high' in row 240",
    ),
    "one class": (
        lambda lines: [(model, row, "0", score) for model, row, _, score in lines],
        "--label must hold both classes; got 120 rows, all negative",
    ),
}


@pytest.mark.parametrize(("change", "why"), CHANGES.values(), ids=CHANGES.keys())
def test_bad_lines_get_one_line(
    refusal: Refusal, tmp_path: Path, lines: list[Line], change: Any, why: str
) -> None:
    assert why in refusal("hull", write(tmp_path / "long.csv", change(lines)), *LONG)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ("--classifier model", "--row is missing: a long file needs"),
        ("--classifier model --row id", "--score is missing"),
        ("--score score", "--classifier is missing"),
        ("--classifier m --row id --score score", "--classifier must name a column"),
        ("--classifier model --row i --score score", "--row must name a column"),
        ("--classifier model --row id --score s", "--score must name a column"),
        ("--classifier model --row id --score y", "must have distinct columns; got 'y' twice"),
        ("--classifier model --row id --score score --scores svm", "classifiers are: 'nb', 'gbm'"),
        ("--classifier model --row id --score score --scores nb,nb", "got 'nb' twice"),
    ],
)
def test_bad_options_get_one_line(
    refusal: Refusal, tmp_path: Path, lines: list[Line], options: str, why: str
) -> None:
    file = write(tmp_path / "long.csv", lines)
    assert why in refusal("hull", file, "--label", "y", *options.split())


def test_in_a_wide_file_the_row_is_no_score(
    answer: Answer, refusal: Refusal, tmp_path: Path
) -> None:
    file = tmp_path / "wide.csv"
    file.write_text("id,y,a\n1,0,1\n2,1,2\n", encoding="utf-8")
    assert answer("hull", file, "--label", "y")["classifiers"] == ["id", "a"]
    assert answer("hull", file, "--label", "y", "--row", "id")["classifiers"] == ["a"]
    assert "--row must name a column" in refusal("hull", file, "--label", "y", "--row", "key")
