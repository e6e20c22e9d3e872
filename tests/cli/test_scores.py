"""Labels and scores out of tables: rows in memory or in DuckDB, wide files and long ones."""

from __future__ import annotations

import csv
import json
import math
import random
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner
from pyarrow import parquet

from rocch.cli import scores
from rocch.cli.main import cli
from rocch.cli.table import Coded
from tests.support.commands import without_aucs
from tests.support.parquet_parts import write_parts, write_table

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Answer, Refusal

    Judged = dict[str, list[float]]

LABEL = ("--label", "y")
COSTS = ("--prevalence", "0.2", "--false-positive", "1..2", "--false-negative", "9")
DUCKDB = (*LABEL, "--engine", "duckdb")
BELIEF = ("--prevalence", "0.2", "--cost-ratio", "5..10")
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
        del memory["new_rows"], memory["savings"]  # which need the rows
        expected, savings = duckdb.pop("new_rows"), duckdb.pop("savings")
        assert expected["expected"] is None
        assert expected["note"] == savings["note"] != ""
    assert without_aucs(duckdb) == without_aucs(memory)
    assert "weight" not in options or memory.get("positives", 0.5) % 1 == 0.5


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_both_engines_give_the_same_from_texts(
    answer: Answer, parts: Path, tmp_path: Path, kind: str
) -> None:
    table = parquet.read_table(parts, partitioning=None).to_pylist()
    file = tmp_path / f"x.{kind}"
    if kind == "csv":
        with file.open("w", newline="") as content:
            writer = csv.DictWriter(content, list(table[0]))
            writer.writeheader()
            writer.writerows(table)
    else:
        file.write_text("\n".join(map(json.dumps, table)))
    for options in (
        ("--scores", "a,gappy", "--drop-nulls"),
        ("--scores", "a,gappy", "--by", "country", "--weight", "weight", "--drop-nulls"),
    ):
        memory, duckdb = (answer("hull", file, *LABEL, *options, *each) for each in ENGINES)
        assert memory == answer("hull", parts, *LABEL, *options)
        assert without_aucs(duckdb) == without_aucs(memory)


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
    assert without_aucs(duckdb) == without_aucs(memory)
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
    assert memory["aucs"]
    assert without_aucs(duckdb) == without_aucs(memory)
    assert duckdb["positives"] == 2


REFUSED: dict[str, tuple[dict[str, Any], tuple[str, ...], str]] = {
    "no label column": ({"z": [0, 1], "a": [1, 2]}, (), "--label must name a column of the data"),
    "no score column": ({"y": [0, 1], "a": [1, 2]}, ("--scores", "b"), "--scores must name a"),
    "no weight column": ({"y": [0, 1], "a": [1, 2]}, ("--weight", "w"), "--weight must name a"),
    "no group column": ({"y": [0, 1], "a": [1, 2]}, ("--by", "w"), "--by must name a column"),
    "no row column": ({"y": [0, 1], "a": [1, 2]}, ("--row", "w"), "--row must name a column"),
    "nothing numeric": ({"y": [0, 1], "a": ["x", "z"]}, (), "--scores must name score columns"),
    "text score": ({"y": [0, 1], "a": ["x", "z"]}, ("--scores", "a"), "must hold"),
    "null score": ({"y": [0, 1, 1], "a": [1, 2, None]}, (), "--drop-nulls"),
    "null label": ({"y": [0, 1, None], "a": [1, 2, 3]}, (), "--drop-nulls"),
    "NaN score": ({"y": [0, 1, 1], "a": [1, 2, math.nan]}, (), "'a'"),
    "one class": ({"y": [0, 0], "a": [1, 2]}, (), "--label must hold both classes; got rows that"),
    "all positive": ({"y": [1, 1], "a": [1, 2]}, (), "rows that are all positive"),
    "no row": ({"y": pa.array([], pa.int8()), "a": pa.array([], pa.float64())}, (), "one row"),
    "three labels": ({"y": [0, 1, 2], "a": [1, 2, 3]}, (), "--positive must be given unless"),
    "text labels": ({"y": ["no", "maybe"], "a": [1, 2]}, (), "labels 'maybe', 'no'"),
    "other positive": ({"y": ["b", "c"], "a": [1, 2]}, ("--positive", "d"), "got 'd'. The labels"),
    "too many labels": ({"y": list(range(2000)), "a": [1.0] * 2000}, (), "more than 1,000"),
    "label as score": ({"y": [0, 1], "a": [1, 2]}, ("--scores", "a,y"), "not name the label"),
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


@pytest.mark.parametrize("engine", ENGINES)
def test_the_positive_class_may_be_written_in_several_ways(
    answer: Answer, tmp_path: Path, engine: tuple[str, ...]
) -> None:
    file = write_table(tmp_path / "s.parquet", y=["Yes", "yes", "no"], a=[1, 2, 3])
    assert answer("hull", file, *LABEL, *engine)["positives"] == 2
    file = write_table(tmp_path / "s.parquet", y=["1", "1.0", "x"], a=[1, 2, 3])
    assert answer("hull", file, *LABEL, "--positive", "1", *engine)["positives"] == 2


def test_columns_that_are_not_used_may_differ_between_files(answer: Answer, tmp_path: Path) -> None:
    write_table(tmp_path / "0.parquet", y=[0, 1], a=[1.0, 2.0], note=["x", "z"])
    write_table(tmp_path / "1.parquet", y=[0, 1], a=[1.0, 2.0], note=[1, 2])
    for engine in ENGINES:
        assert answer("hull", tmp_path, *LABEL, *engine)["classifiers"] == ["a"]


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

    monkeypatch.setattr(scores, "_duckdb_frame", fail)
    line = refusal("hull", parts, *LABEL, "--engine", "duckdb", "--scores", "a")
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


@pytest.mark.parametrize("label", ["NA", "n/a", "NaN", "null", ""])
def test_missing_labels_of_every_spelling(
    answer: Answer, refusal: Refusal, tmp_path: Path, label: str
) -> None:
    file = tmp_path / "labels.csv"
    file.write_text(f"y,a\nyes,0.9\n{label},0.5\nYes,0.3\nno,0.2\nno,0.4\n")
    asked = ("hull", file, "--label", "y", "--positive", "yes")
    assert "--label must have no missing values; got one in row 2." in refusal(*asked)
    found = answer(*asked, "--drop-nulls")
    assert (found["positives"], found["negatives"]) == (2, 2)


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_a_bad_weight_is_named_by_its_row(refusal: Refusal, tmp_path: Path, engine: str) -> None:
    file = tmp_path / "weights.csv"
    file.write_text("y,a,w\n1,0.9,1\n0,0.5,2\n1,0.3,-2\n")
    asked = ("hull", file, "--label", "y", "--weight", "w", "--engine", engine)
    assert "--weight must be finite and not negative; got -2 in row 3." in refusal(*asked)


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


@pytest.fixture
def read_by(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note where the rows are."""
    seen: list[str] = []
    for name, engine in (("_duckdb_frame", "duckdb"), ("_read_wide", "memory")):
        true = getattr(scores, name)

        def noted(*given: Any, true: Any = true, engine: str = engine) -> Any:
            seen.append(engine)
            return true(*given)

        monkeypatch.setattr(scores, name, noted)
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
        (1, ("--memory-limit", "200MB"), "duckdb"),
    ],
)
@pytest.mark.parametrize("kind", ["csv", "parquet", "jsonl"])
def test_many_rows_stay_in_duckdb(
    answer: Answer,
    scores_csv: Path,
    scores_parquet: Path,
    kind: str,
    read_by: list[str],
    monkeypatch: pytest.MonkeyPatch,
    large: int,
    options: tuple[str, ...],
    which: str,
) -> None:
    file = {"csv": scores_csv, "parquet": scores_parquet}.get(kind, scores_csv.with_name("x.jsonl"))
    if kind == "jsonl":
        with scores_csv.open(encoding="utf-8") as content:
            lines = [json.dumps(row) for row in csv.DictReader(content)]
        file.write_text("\n".join(lines), encoding="utf-8")
    monkeypatch.setattr(scores, "LARGE", large)
    found = answer("hull", file, *LABEL, *options)
    assert read_by == [which]
    monkeypatch.undo()
    memory = tuple(option for option in options if option not in ("--memory-limit", "200MB"))
    if "--engine" not in memory:
        memory = (*memory, "--engine", "memory")
    assert without_aucs(answer("hull", file, *LABEL, *memory)) == without_aucs(found)


def test_standard_input_may_stay_in_duckdb(answer: Answer, scores_csv: Path) -> None:
    asked = ["hull", "-", *DUCKDB, "--json"]
    result = CliRunner().invoke(cli, asked, input=scores_csv.read_bytes())
    memory = without_aucs(answer("hull", scores_csv, *LABEL))
    assert without_aucs(json.loads(result.stdout)) == memory


@pytest.mark.parametrize(
    ("named", "options", "says"),
    [
        ("none.parquet", DUCKDB, "FILE must be an existing file, or - for standard input; "),
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
def test_what_needs_rows_says_so(
    refusal: Refusal, scores_parquet: Path, command: tuple[str, ...], option: str
) -> None:
    name, *options = command
    line = refusal(name, scores_parquet, *DUCKDB, *options)
    assert line.startswith(f"{option} needs the rows in memory, and DuckDB keeps none.")
    assert "--engine memory" in line
    line = refusal(name, "some.table", *LABEL, "--spark", *options)
    assert line.startswith(f"{option} needs the rows in memory, and Spark keeps them.")


def test_too_many_rows_are_refused_where_they_are_needed(
    refusal: Refusal, scores_csv: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scores, "LARGE", 1)
    line = refusal("best", scores_csv, *LABEL, *BELIEF, "--out-of-sample")
    assert line.startswith("--out-of-sample needs the rows in memory, and DuckDB keeps none.")


def test_rows_with_weights_are_not_drawn_again(refusal: Refusal, scores_csv: Path) -> None:
    weight = (*LABEL, "--scores", "nb", "--weight", "gbm")
    line = refusal("best", scores_csv, *weight, *COSTS, "--out-of-sample")
    assert line == "--out-of-sample needs rows without weights. Leave out --weight."


def test_a_broken_footer_gets_one_line(refusal: Refusal, scores_parquet: Path) -> None:
    scores_parquet.write_bytes(scores_parquet.read_bytes()[:-10])
    for options in (DUCKDB, LABEL):
        line = refusal("hull", scores_parquet, *options)
        assert "FILE must name files that can be read as Parquet; got" in line


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


def write_long(path: Path, lines: list[Line]) -> Path:
    text = "\n".join(["model,id,y,score", *map(",".join, lines)])
    path.write_text(text + "\n", encoding="utf-8")
    return path


def test_a_long_file_is_the_wide_one(
    answer: Answer, scores_csv: Path, tmp_path: Path, lines: list[Line]
) -> None:
    wide = answer("hull", scores_csv, "--label", "y")
    assert answer("hull", write_long(tmp_path / "long.csv", lines), *LONG) == wide


def test_the_order_of_lines_does_not_matter(
    answer: Answer, scores_csv: Path, tmp_path: Path, lines: list[Line]
) -> None:
    wide = answer("hull", scores_csv, "--label", "y", "--scores", "gbm,nb")
    random.Random(4).shuffle(lines)  # noqa: S311 - no secret
    file = write_long(tmp_path / "long.csv", lines)
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
    file = write_long(tmp_path / "long.csv", [*lines[:-1], ("svm", "r999", "1", "0.5")])
    found = answer("hull", file, *LONG, "--scores", "nb")
    assert found == answer("hull", scores_csv, "--label", "y", "--scores", "nb")


def test_best_and_compare_take_long_files_too(
    answer: Answer, scores_csv: Path, tmp_path: Path, lines: list[Line]
) -> None:
    file = write_long(tmp_path / "long.csv", lines)
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
    assert why in refusal("hull", write_long(tmp_path / "long.csv", change(lines)), *LONG)


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
    file = write_long(tmp_path / "long.csv", lines)
    assert why in refusal("hull", file, "--label", "y", *options.split())


def test_a_key_of_several_columns(answer: Answer, refusal: Refusal, tmp_path: Path) -> None:
    rows = [(c, v, (c * v) % 2) for c in (1, 2, 3) for v in (1, 2)]
    long = [f"{m},c{c},{v},{y},{y + c / 9 + i}" for c, v, y in rows for i, m in enumerate("pq")]
    file = tmp_path / "long.csv"
    file.write_text("\n".join(["model,city,visit,y,s", *long]) + "\n")
    asked = ("--classifier", "model", "--score", "s", *LABEL)
    found = answer("hull", file, *asked, "--row", "city,visit")
    assert (found["classifiers"], found["positives"], found["negatives"]) == (["p", "q"], 2, 4)
    assert "for row 'c1'" in refusal("hull", file, *asked, "--row", "city")
    assert "--row must name a column" in refusal("hull", file, *asked, "--row", "city,day")
    assert "'city' twice" in refusal("hull", file, *asked, "--row", "city,city")


def test_a_key_whose_name_has_a_comma(answer: Answer, tmp_path: Path) -> None:
    file = tmp_path / "wide.csv"
    file.write_text('"id, old",y,a\n1,0,1\n2,1,2\n')
    assert answer("hull", file, *LABEL, "--row", "id, old")["classifiers"] == ["a"]


def test_parts_of_a_key_cannot_be_confused() -> None:
    first = Coded.of(["a,b", "a", "a,b"])
    second = Coded.of(["c", "b,c", "c"])
    joined = scores.join_key([first, second])
    assert joined.codes.tolist() == [0, 1, 0]
    assert joined.names == ("a\\,b,c", "a,b\\,c")


@pytest.mark.parametrize(
    "name", ["id", "ID", "patient_id", "row", "Index", "case key", "nr", "patientId", "Unnamed: 0"]
)
def test_an_id_is_not_taken_for_a_classifier(
    answer: Answer, refusal: Refusal, tmp_path: Path, name: str
) -> None:
    file = tmp_path / "wide.csv"
    file.write_text(f"{name},y,a\n1,0,1\n1,1,2\n")
    line = refusal("hull", file, *LABEL)
    assert f"got the numeric column {name!r}, which looks like an id" in line
    assert f"--row {name}, or name the classifiers with --scores" in line
    assert answer("hull", file, *LABEL, "--row", name)["classifiers"] == ["a"]
    assert answer("hull", file, *LABEL, "--scores", f"{name},a")["classifiers"] == [name, "a"]
    assert "--row must name a column" in refusal("hull", file, *LABEL, "--row", "none")


@pytest.mark.parametrize("name", ["grid", "valid", "tidy", "monkey", "narrow", "xgb"])
def test_other_names_are_no_ids(answer: Answer, tmp_path: Path, name: str) -> None:
    file = tmp_path / "wide.csv"
    file.write_text(f"{name},y\n1,0\n2,1\n")
    assert answer("hull", file, *LABEL)["classifiers"] == [name]


@pytest.mark.parametrize(
    ("values", "refused"),
    [
        (range(20), True),
        (range(19), False),
        ([*range(20), 3], False),
        ([*range(20), 3.5], False),
        ([f"{n}.0" for n in range(500, 560)], True),
        ([*range(100), 7], False),
        ([n + 0.5 for n in range(100)], False),
    ],
)
def test_whole_numbers_that_all_differ_look_like_ids(
    tmp_path: Path, values: Any, refused: bool
) -> None:
    rows = [f"{value},{n % 2},{n % 5}" for n, value in enumerate(values)]
    (tmp_path / "wide.csv").write_text("\n".join(["patient,y,a", *rows]) + "\n")
    table = {"patient": [*map(float, values)], "y": [n % 2 for n in range(len(rows))]}
    write_table(tmp_path / "wide.parquet", **table)
    for name in ("wide.csv", "wide.parquet"):
        result = CliRunner().invoke(cli, ["hull", str(tmp_path / name), *LABEL])
        assert ("'patient', which looks like an id" in result.stderr) is refused
        assert (result.exit_code == 2) is refused


def test_a_long_table_read_as_wide_is_noticed(
    answer: Answer, refusal: Refusal, tmp_path: Path, lines: list[Line]
) -> None:
    file = write_long(tmp_path / "long.csv", lines)
    line = refusal("hull", file, *LABEL)
    assert "a long table: every 'id' has a row for each of 2 values of 'model'" in line
    assert "--classifier model --row id --score score" in line
    assert "a long table" in refusal("hull", file, *LABEL, "--row", "id")
    assert answer("hull", file, *LABEL, "--scores", "score")["positives"] % 2 == 0
    numbered = [(model, row[1:], y, score) for model, row, y, score in lines]
    file = write_long(tmp_path / "long.csv", numbered)
    assert "--classifier model --row id --score score" in refusal("hull", file, *LABEL)


def test_a_text_beside_scores_makes_no_long_table(answer: Answer, tmp_path: Path) -> None:
    rows = [f"{'ab'[n % 2]},p{n // 2},{n % 3 % 2},{n % 7}" for n in range(40)]
    (tmp_path / "wide.csv").write_text("\n".join(["sex,site,y,s", *rows]) + "\n")
    # every site has one row of each sex, but their labels differ
    assert answer("hull", tmp_path / "wide.csv", *LABEL)["classifiers"] == ["s"]


@pytest.mark.parametrize("text", ["y,s\n1,0.5\n0,\n0,0.1\n", "y,s\n1,0.5\n,0.2\n0,0.1\n"])
def test_missing_values_name_the_option_that_drops_them(
    refusal: Refusal, tmp_path: Path, text: str
) -> None:
    file = tmp_path / "gaps.csv"
    file.write_text(text, encoding="utf-8")
    assert "Set --drop-nulls" in refusal("hull", file, "--label", "y", "--scores", "s")


def test_whole_numbers_beside_scores_are_named(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    lines = [f"{i % 2},{i / 40 + i % 2},{20 + i % 30}" for i in range(40)]
    path.write_text("\n".join(["y,model,age", *lines]))
    taken = CliRunner().invoke(cli, ["hull", str(path), *LABEL])
    assert "rocch: 'age' (whole numbers) also taken for scores." in taken.stderr
    named = CliRunner().invoke(cli, ["hull", str(path), *LABEL, "--scores", "model,age"])
    assert "whole numbers" not in named.stderr
