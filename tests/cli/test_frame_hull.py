"""Tables that DuckDB reads: the same answers as with the rows in memory, and clear refusals."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner

from rocch.cli import frame_hull
from rocch.cli.main import cli
from tests.support.parquet_parts import write_parts, write_table

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Answer, Refusal

LABEL = ("--label", "y")
COSTS = ("--prevalence", "0.2", "--false-positive", "1..2", "--false-negative", "9")
ENGINES = (("--engine", "memory"), ("--engine", "duckdb"))


@pytest.fixture
def parts(tmp_path: Path) -> Path:
    return write_parts(tmp_path / "parts")


def text(*arguments: object) -> str:
    result = CliRunner().invoke(cli, [*map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == 0, result.stderr
    return result.stdout


@pytest.mark.parametrize(
    "asked",
    [
        ("hull", "--scores", "a,b"),
        ("hull", "--row", "id", "--weight", "weight", "--scores", "b"),
        ("hull", "--scores", "a,gappy", "--drop-nulls"),
        ("hull", "--scores", "b,a", "--by", "country"),
        ("hull", "--scores", "a,gappy", "--by", "country", "--weight", "weight", "--drop-nulls"),
        ("best", "--scores", "a,b", *COSTS),
        (
            "best",
            "--scores",
            "a,b",
            "--prevalence",
            "0.2",
            "--cost-ratio",
            "5..9",
            "--false-positive=1",
        ),
        ("best", "--scores", "a,b", "--max-fpr", "0.1", "--randomize"),
    ],
    ids=lambda asked: " ".join(asked),
)
def test_both_engines_give_the_same(answer: Answer, parts: Path, asked: tuple[str, ...]) -> None:
    command, *options = asked
    memory, duckdb = (answer(command, parts, *LABEL, *options, *each) for each in ENGINES)
    if command == "best":
        own, theirs = memory["choice"], duckdb["choice"]
        if own["randomizing_gains"] > 0:  # curves show more than hulls
            assert "Only hulls' vertices could be searched for a, b" in theirs.pop("note")
            assert own.pop("note") == ""
            assert theirs.pop("randomizing_gains") >= own.pop("randomizing_gains")
        del memory["new_rows"]  # which needs the rows
        expected = duckdb.pop("new_rows")
        assert expected["expected"] is None
        assert expected["note"]
    assert duckdb == memory
    assert "weight" not in options or memory.get("positives", 0.5) % 1 == 0.5


def test_columns_that_are_no_scores_are_left_out(answer: Answer, parts: Path) -> None:
    options = ("--row", "id", "--weight", "weight", "--drop-nulls")
    for engine in ENGINES:
        assert answer("hull", parts, *LABEL, *options, *engine)["classifiers"] == [
            "a",
            "b",
            "gappy",
        ]


def test_groups_are_printed_one_after_the_other(parts: Path) -> None:
    for engine in ENGINES:
        out = text("hull", parts, *LABEL, "--scores", "a", "--by", "country", *engine)
        assert out.index("country: DE") < out.index("country: FR")
        assert out.count("Who wins where") == 2
    weighed = text("hull", parts, *LABEL, "--scores", "a", "--weight", "weight")
    assert "units of weight" in weighed


def test_counts_of_millions_are_written_out(tmp_path: Path) -> None:
    y = np.arange(1_234_567) % 2 == 0
    many = write_table(tmp_path / "many.parquet", y=y, s=np.round(np.sin(np.arange(len(y)))))
    printed = CliRunner().invoke(cli, ["hull", str(many), *LABEL]).stdout
    assert "e+" not in printed
    assert "1234567" in printed


def test_folders_named_for_groups_are_groups(answer: Answer, tmp_path: Path) -> None:
    for year in (2024, 2025):
        (tmp_path / f"year={year}").mkdir()
        write_table(tmp_path / f"year={year}" / "0.parquet", y=[0, 1, 1], a=[1, 2, year])
    found = answer("hull", tmp_path, *LABEL, "--by", "year", "--engine", "duckdb")
    assert list(found["groups"]) == ["2024", "2025"]
    assert found["groups"]["2024"]["classifiers"] == ["a"]


def test_folders_of_which_some_are_named_for_groups_are_read_without_groups(
    answer: Answer, refusal: Refusal, tmp_path: Path
) -> None:
    (tmp_path / "year=2024").mkdir()
    write_table(tmp_path / "year=2024" / "0.parquet", y=[0, 1, 1], a=[1, 2, 3])
    write_table(tmp_path / "1.parquet", y=[1, 0, 1], a=[4, 5, 6])
    memory, duckdb = (answer("hull", tmp_path, *LABEL, *engine) for engine in ENGINES)
    assert duckdb == memory
    assert "year" in refusal("hull", tmp_path, *LABEL, "--by", "year", "--engine", "duckdb")


@pytest.mark.parametrize(
    ("labels", "option"),
    [
        (pa.array([True, False, True, False]), ()),
        (pa.array([1, 0, 1, 0], pa.uint8()), ()),
        (pa.array([1.0, -1.0, 1.0, -1.0]), ()),
        (pa.array([1, 0, 1, 0], pa.decimal128(3, 1)), ()),
        (pa.array(["yes", "no", "yes", "no"]), ()),
        (pa.array(["1", "0", "1", "0"]), ()),
        (pa.array([2.0, 1.0, 2.0, 3.0]), ("--positive", "2")),
        (pa.array([False, True, False, True]), ("--positive", "false")),
        (pa.array(["ill", "well", "ill", "dead"]), ("--positive", "ill")),
        (pa.array(["ill", "well", "ill", "well"]).dictionary_encode(), ("--positive", "ill")),
    ],
    ids=str,
)
def test_labels_of_every_kind(
    answer: Answer, tmp_path: Path, labels: Any, option: tuple[str, ...]
) -> None:
    file = write_table(tmp_path / "s.parquet", y=labels, a=[4, 3, 2, 1])
    memory, duckdb = (
        answer("hull", file, *LABEL, "--scores", "a", *option, *each) for each in ENGINES
    )
    assert duckdb == memory
    assert duckdb["positives"] == 2


REFUSED: dict[str, tuple[dict[str, Any], tuple[str, ...], str]] = {
    "no label column": ({"z": [0, 1], "a": [1, 2]}, (), "--label must name a column of the data"),
    "no score column": ({"y": [0, 1], "a": [1, 2]}, ("--scores", "b"), "--scores must name a"),
    "no weight column": ({"y": [0, 1], "a": [1, 2]}, ("--weight", "w"), "--weight must name a"),
    "no group column": ({"y": [0, 1], "a": [1, 2]}, ("--by", "w"), "--by must name a column"),
    "no row column": ({"y": [0, 1], "a": [1, 2]}, ("--row", "w"), "--row must name a column"),
    "nothing numeric": ({"y": [0, 1], "a": ["x", "z"]}, (), "--scores must name score columns"),
    "text score": ({"y": [0, 1], "a": ["x", "z"]}, ("--scores", "a"), "must be"),
    "null score": ({"y": [0, 1, 1], "a": [1, 2, None]}, (), "--drop-nulls"),
    "null label": ({"y": [0, 1, None], "a": [1, 2, 3]}, (), "--drop-nulls"),
    "NaN score": ({"y": [0, 1, 1], "a": [1, 2, math.nan]}, (), "'a'"),
    "one class": ({"y": [0, 0], "a": [1, 2]}, (), "--label must hold both classes; got rows that"),
    "all positive": ({"y": [1, 1], "a": [1, 2]}, (), "rows that are all positive"),
    "no row": ({"y": pa.array([], pa.int8()), "a": pa.array([], pa.float64())}, (), "--label"),
    "three labels": ({"y": [0, 1, 2], "a": [1, 2, 3]}, (), "--positive must be given unless"),
    "text labels": ({"y": ["no", "maybe"], "a": [1, 2]}, (), "labels 'maybe', 'no'"),
    "other positive": ({"y": ["b", "c"], "a": [1, 2]}, ("--positive", "d"), "got 'd'. The labels"),
    "several positives": ({"y": ["Yes", "yes", "no"], "a": [1, 2, 3]}, (), "in one way; got"),
    "too many labels": ({"y": list(range(2000)), "a": [1.0] * 2000}, (), "more than 1,000"),
    "label as score": ({"y": [0, 1], "a": [1, 2]}, ("--scores", "a,y"), "not name the label"),
    "case": ({"y": [0, 1], "a": [1, 2], "A": [1, 2]}, (), "upper and lower case; got 'a', 'A'"),
    "a group of one class": (
        {"y": [0, 1, 1], "a": [1, 2, 3], "g": ["x", "x", "z"]},
        ("--by", "g"),
        "hold both classes",
    ),
}


@pytest.mark.parametrize(("table", "options", "says"), REFUSED.values(), ids=REFUSED.keys())
def test_bad_tables_get_one_line(
    refusal: Refusal, tmp_path: Path, table: dict[str, Any], options: tuple[str, ...], says: str
) -> None:
    file = write_table(tmp_path / "s.parquet", **table)
    assert says in refusal("hull", file, *LABEL, *options, "--engine", "duckdb")


def test_a_group_of_one_class_is_named_in_memory_too(refusal: Refusal, tmp_path: Path) -> None:
    file = write_table(tmp_path / "s.parquet", y=[0, 1, 1], a=[1, 2, 3], g=["x", "x", "z"])
    line = refusal("hull", file, *LABEL, "--by", "g")
    assert line.startswith("in group 'z' of --by g, ")


def test_files_whose_columns_differ_get_one_line(refusal: Refusal, tmp_path: Path) -> None:
    write_table(tmp_path / "0.parquet", y=[0, 1], a=[1.0, 2.0])
    write_table(tmp_path / "1.parquet", y=[0, 1], a=["x", "z"])
    line = refusal("hull", tmp_path, *LABEL, "--engine", "duckdb")
    assert line.startswith("FILE must be files with the same columns, of the same types; got ")
    write_table(tmp_path / "1.parquet", y=[0, 1], b=[1.0, 2.0])
    assert "missing in" in refusal("hull", tmp_path, *LABEL, "--engine", "duckdb")


def test_damage_in_the_middle_gets_one_line(refusal: Refusal, tmp_path: Path) -> None:
    file = write_table(tmp_path / "s.parquet", y=[0, 1] * 500, a=np.arange(1000.0))
    content = bytearray(file.read_bytes())
    content[4:400] = b"\xff" * 396
    file.write_bytes(bytes(content))
    line = refusal("hull", file, *LABEL, "--engine", "duckdb")
    assert line.startswith("FILE must name files that can be read to the end; got ")


def test_a_full_disk_gets_one_line(
    refusal: Refusal, parts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import duckdb

    def fail(*_: Any, **__: Any) -> None:
        raise duckdb.OutOfMemoryException("No space left on device")

    monkeypatch.setattr(frame_hull, "labels_of", fail)
    line = refusal("hull", parts, *LABEL, "--engine", "duckdb")
    assert line.startswith("the disk has no room for temporary files in ")


def test_memory_refuses_groups_of_long_files_and_pictures_of_groups(
    refusal: Refusal, parts: Path
) -> None:
    assert "--by, or --plot" in refusal("hull", parts, *LABEL, "--by", "country", "--plot", "x.png")
    long = ("--classifier", "a", "--row", "id", "--score", "b")
    assert refusal("hull", parts, *LABEL, "--by", "country", *long) == "--by goes with a wide file."
    assert "go with a wide file" in refusal("hull", parts, *LABEL, "--drop-nulls", *long)


def test_rows_that_are_all_dropped_get_one_line(refusal: Refusal, tmp_path: Path) -> None:
    file = tmp_path / "s.csv"
    file.write_text("y,a,b\n0,1,\n1,,2\n")
    assert "without missing values" in refusal("hull", file, *LABEL, "--drop-nulls")


def test_gaps_of_every_kind_are_dropped_from_csv(answer: Answer, tmp_path: Path) -> None:
    file = tmp_path / "s.csv"
    file.write_text("y,g,a\n0,x,1\n1,x,2\n,x,3\n1,,4\n1,x,NA\n0,x,nan\n0,x,0.5\n")
    found = answer("hull", file, *LABEL, "--by", "g", "--drop-nulls", "--scores", "a")
    ((name, group),) = found["groups"].items()
    assert (name, group["positives"], group["negatives"]) == ("x", 1, 2)


def test_comparing_says_that_no_resamples_were_drawn(answer: Answer, parts: Path) -> None:
    asked = ("compare", parts, *LABEL, "--scores", "a,b", "--prevalence", "0.2")
    belief = ("--cost-ratio", "5..10", "--engine", "duckdb")
    said = text(*asked, *belief)
    assert "no resamples say how sure this is" in said
    assert "AUC, which" not in said  # there are no curves, and no line without an answer
    assert "AUC, which does not know your costs: a 0." in text(*asked, *belief[:2])
    assert answer(*asked, *belief)["resampled"] == []
    duckdb, memory = (answer(*asked, *each)["comparison"] for each in (belief, belief[:2]))
    assert duckdb["lc_index"] == memory["lc_index"]


def test_a_report_tells_what_it_leaves_out(answer: Answer, parts: Path) -> None:
    asked = (
        "report",
        parts,
        *LABEL,
        "--scores",
        "a,b",
        "--false-positive",
        "1",
        "--false-negative",
        "5",
    )
    memory, duckdb = (answer(*asked, *each) for each in ENGINES)
    assert (duckdb["question"], duckdb["assumed"]) == (memory["question"], memory["assumed"])
    assert any("rows were not kept" in said for said in duckdb["remarks"])
    assert not any("not kept" in said for said in memory["remarks"])
    memory, duckdb = memory["binary"], duckdb["binary"]
    for same in ("data", "hull", "hull_auc", "winners", "dominator"):
        assert duckdb[same] == memory[same]
    assert duckdb["answer"]["parts"] == memory["answer"]["parts"]
    assert duckdb["certainty"] is None
    for one, other in zip(memory["classifiers"], duckdb["classifiers"], strict=True):
        assert other["auc"] == pytest.approx(one["auc"], abs=1e-5)
        assert other["auc_interval"] == pytest.approx(one["auc_interval"], abs=1e-3)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_report_on_weighted_rows(answer: Answer, parts: Path, engine: tuple[str, ...]) -> None:
    asked = ("report", parts, *LABEL, "--scores", "a,b", "--weight", "weight")
    made = answer(*asked, *engine)["binary"]
    assert made["data"]["weighted"]
    assert made["certainty"] is None


def test_a_report_reads_what_only_reports_know(refusal: Refusal, parts: Path) -> None:
    line = refusal("report", parts, *LABEL, "--default-cost", "1", "--engine", "duckdb")
    assert "--default-cost has no effect" in line
    line = refusal(
        "report",
        parts,
        "--label",
        "country",
        "--weight",
        "weight",
        "--costs",
        "DE>FR=1",
        "--scores",
        "a",
    )
    assert "--weight must go with two classes" in line


def test_a_picture_is_drawn_of_what_is_known(parts: Path, tmp_path: Path) -> None:
    picture = tmp_path / "hull.png"
    options = ("--scores", "a,b", "--engine", "duckdb", "--plot", picture)
    text("hull", parts, *LABEL, *options)
    text("best", parts, *LABEL, *options, *COSTS)
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_progress_names_the_passes(parts: Path) -> None:
    asked = ("hull", parts, *LABEL, "--engine", "duckdb", "--scores", "a", "--progress")
    result = CliRunner().invoke(cli, [*map(str, asked)], catch_exceptions=False)
    assert " over 600 rows" in result.stderr
