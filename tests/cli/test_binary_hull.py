"""`rocch hull`: who wins where, from a file."""

from __future__ import annotations

import math
import os
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner
from pyarrow import parquet

import rocch
from rocch import RocHull
from rocch.cli.binary import HullResult, find_best
from rocch.cli.main import cli
from rocch.roc.conditions import cost_ratios, format_ratios

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import Answer, Refusal

    Judged = dict[str, list[float]]

KEYS = {
    "positives",
    "negatives",
    "weighted",
    "different_rows",
    "classifiers",
    "auc",
    "aucs",
    "slope_bounds",
    "dominator",
    "vertices",
    "slope_ranges",
}
VERTEX_KEYS = {
    "classifier",
    "lowest_score",
    "threshold",
    "false_positives",
    "true_positives",
    "fpr",
    "tpr",
    "classifiers",
    "lowest_scores",
    "thresholds",
}


def python_hull(judged: Judged) -> RocHull:
    return RocHull.from_scores(judged["y"], {"nb": judged["nb"], "gbm": judged["gbm"]})


def shown(*arguments: object) -> str:
    result = CliRunner().invoke(cli, ["hull", *map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == 0, result.stderr
    assert result.stderr == ""
    return result.stdout


def write(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_json_equals_the_python_api(
    answer: Answer, jsonable: Callable[[Any], Any], scores_csv: Path, judged: Judged
) -> None:
    found, hull = answer("hull", scores_csv, "--label", "y"), python_hull(judged)
    assert set(found) == KEYS
    assert found["aucs"] == {name: rocch.auc(judged["y"], judged[name]) for name in ("nb", "gbm")}
    assert all(set(vertex) == VERTEX_KEYS for vertex in found["vertices"])
    assert found["positives"] == hull.totals.positives == 40
    assert found["negatives"] == hull.totals.negatives == 80
    assert found["classifiers"] == ["nb", "gbm"]
    assert found["auc"] == hull.auc
    assert found["dominator"] is hull.dominator() is None
    assert found["vertices"] == jsonable(hull.vertices)
    assert found["slope_ranges"] == jsonable(hull.slope_ranges())
    assert found["slope_ranges"][-1]["high"] == "inf"


def test_csv_and_parquet_give_the_same(
    answer: Answer, scores_csv: Path, scores_parquet: Path
) -> None:
    csv, parquet = (answer("hull", f, "--label", "y") for f in (scores_csv, scores_parquet))
    assert csv == parquet
    assert shown(scores_csv, "--label", "y") == shown(scores_parquet, "--label", "y")


def test_the_tables_name_winners_rates_and_slopes(scores_csv: Path, judged: Judged) -> None:
    out, hull = shown(scores_csv, "--label", "y"), python_hull(judged)
    assert "120 rows, 40 positive (33.33%)" in out
    assert f"hull AUC {hull.auc:.4f}" in out
    rows = [line.split() for line in out.splitlines()]
    for vertex in hull.vertices[1:-1]:
        rates = [f"{vertex.fpr:.4f}", f"{vertex.tpr:.4f}"]
        assert any(row[:1] == [vertex.classifier] and row[2:4] == rates for row in rows)
    for line in hull.slope_ranges():
        high = "inf" if math.isinf(line.high) else f"{line.high:.4g}"
        ratios = format_ratios(cost_ratios((line.low, line.high), 1 / 3))
        assert [f"{line.low:.4g}", high, *ratios.split(), line.classifier] in rows
    assert "the class balance of these rows, 33.33% positive." in out


def test_a_dominator_is_named(tmp_path: Path) -> None:
    file = write(tmp_path / "s.csv", "y,good,bad", "0,1,2", "1,2,1", "1,3,3")
    assert "good dominates: its curve alone is the hull." in shown(file, "--label", "y")


def test_only_the_columns_asked_for_are_scores(
    answer: Answer, scores_csv: Path, judged: Judged
) -> None:
    found = answer("hull", scores_csv, "--label", "y", "--scores", "gbm")
    assert found["classifiers"] == ["gbm"]
    assert found["auc"] == RocHull.from_scores(judged["y"], {"gbm": judged["gbm"]}).auc
    both = answer("hull", scores_csv, "--label", "y", "--scores", "gbm, nb")
    assert both["classifiers"] == ["gbm", "nb"]


def test_text_columns_are_left_out_unless_asked_for(answer: Answer, tmp_path: Path) -> None:
    file = write(tmp_path / "s.csv", "id,y,a", "p1,0,1", "p2,1,2", "p3,1,3")
    assert answer("hull", file, "--label", "y")["classifiers"] == ["a"]


@pytest.mark.parametrize(
    ("positive", "negative", "option"),
    [
        ("1", "0", None),
        ("1", "-1", None),
        ("1.0", "0.0", None),
        ("1.0", "0", None),
        ("true", "false", None),
        ("True", "False", None),
        ("TRUE", "FALSE", None),
        ("yes", "no", None),
        (" 1", "0 ", None),
        ("1.0", "0.0", "1"),
        ("1", "0", "1.0"),
        ("2", "1", "2"),
        ("0", "1", "0"),
        ("false", "true", "false"),
        ("ill", "well", "ill"),
        ("krank", "gesünder", "krank"),
    ],
)
def test_labels_of_every_kind(
    answer: Answer,
    judged: Judged,
    tmp_path: Path,
    positive: str,
    negative: str,
    option: str | None,
) -> None:
    rows = zip(judged["y"], judged["nb"], strict=True)
    lines = [f"{positive if y else negative},{score}" for y, score in rows]
    file = write(tmp_path / "s.csv", "label,nb", *lines)
    chosen = () if option is None else ("--positive", option)
    found = answer("hull", file, "--label", "label", *chosen)
    hull = RocHull.from_scores(judged["y"], {"nb": judged["nb"]})
    assert (found["positives"], found["auc"]) == (40, hull.auc)


def test_with_positive_all_other_labels_are_negative(answer: Answer, tmp_path: Path) -> None:
    file = write(tmp_path / "s.csv", "y,a", "x,1", "z,2", "w,3", "x,4")
    found = answer("hull", file, "--label", "y", "--positive", "x")
    assert (found["positives"], found["negatives"]) == (2, 2)


@pytest.mark.parametrize(
    ("labels", "option"),
    [
        ([True, False, True, False], None),
        ([1, 0, 1, 0], None),
        ([1.0, 0.0, 1.0, 0.0], "1"),
        (["ill", "well", "ill", "well"], "ill"),
    ],
    ids=["bool", "int", "float", "text"],
)
def test_parquet_labels_of_every_kind(
    answer: Answer, tmp_path: Path, labels: list[Any], option: str | None
) -> None:
    file = tmp_path / "s.parquet"
    parquet.write_table(pa.table({"y": labels, "a": [4, 3, 2, 1]}), file)
    chosen = () if option is None else ("--positive", option)
    found = answer("hull", file, "--label", "y", *chosen)
    assert (found["positives"], found["negatives"], found["classifiers"]) == (2, 2, ["a"])
    assert found["vertices"][1]["tpr"] == 0.5


@pytest.mark.parametrize(
    "column",
    [
        pa.array([4, 3, 2, 1], pa.int8()),
        pa.array([4, 3, 2, 1], pa.float32()),
        pa.array([4, 3, 2, 1], pa.decimal128(5, 2)),
    ],
    ids=["int8", "float32", "decimal"],
)
def test_parquet_scores_of_every_kind(answer: Answer, tmp_path: Path, column: Any) -> None:
    file = tmp_path / "s.parquet"
    parquet.write_table(pa.table({"y": [1, 0, 1, 0], "a": column}), file)
    found = answer("hull", file, "--label", "y")
    assert [vertex["lowest_score"] for vertex in found["vertices"]] == [None, 4.0, 2.0, None]


def test_a_byte_order_mark_is_not_part_of_a_name(answer: Answer, scores_csv: Path) -> None:
    plain = answer("hull", scores_csv, "--label", "y")
    scores_csv.write_bytes(b"\xef\xbb\xbf" + scores_csv.read_bytes())
    assert answer("hull", scores_csv, "--label", "y") == plain


def test_windows_line_ends_and_blank_lines_do_not_matter(answer: Answer, scores_csv: Path) -> None:
    plain = answer("hull", scores_csv, "--label", "y")
    scores_csv.write_bytes(scores_csv.read_bytes().replace(b"\n", b"\r\n") + b"\r\n")
    assert answer("hull", scores_csv, "--label", "y") == plain


def test_infinite_scores_are_written_as_text(answer: Answer, tmp_path: Path) -> None:
    file = write(tmp_path / "s.csv", "y,a", "1,inf", "0,1", "1,2", "0,-inf")
    found = answer("hull", file, "--label", "y")
    assert found["vertices"][1]["lowest_score"] == 2
    assert found["slope_ranges"] == [{"classifier": "a", "low": 0.0, "high": "inf"}]
    file = write(tmp_path / "t.csv", "y,a", "1,inf", "0,1", "1,0", "0,-inf")
    assert answer("hull", file, "--label", "y")["vertices"][1]["lowest_score"] == "inf"


@pytest.mark.parametrize("name", ["[red]x", "[/]", "[bold]y[/bold]", "a[0]", ":smile:", "\\[x]"])
def test_markup_in_a_column_name_stays_text(tmp_path: Path, name: str) -> None:
    file = write(tmp_path / "s.csv", f"y,{name}", "0,1", "1,2", "0,2", "1,3")
    out = shown(file, "--label", "y")
    assert f"classifiers: {name}; hull AUC" in out
    assert f"{name} dominates" in out
    assert out.count(name) >= 4


def test_the_file_is_only_read(
    answer: Answer, scores_csv: Path, scores_parquet: Path, tmp_path: Path
) -> None:
    files = (scores_csv, scores_parquet)
    before = [(f.read_bytes(), f.stat().st_mtime_ns) for f in files]
    for file in files:
        file.chmod(0o444)
        answer("hull", file, "--label", "y")
        shown(file, "--label", "y")
    assert [(f.read_bytes(), f.stat().st_mtime_ns) for f in files] == before
    assert sorted(f.name for f in tmp_path.iterdir()) == ["scores.csv", "scores.parquet"]


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_a_picture_is_drawn_when_asked_for(scores_csv: Path, tmp_path: Path, kind: str) -> None:
    picture = tmp_path / f"hull.{kind}"
    shown(scores_csv, "--label", "y", "--plot", picture)
    start = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[kind]
    assert picture.read_bytes().startswith(start)


def test_a_picture_needs_matplotlib(
    refusal: Refusal, scores_csv: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    line = refusal("hull", scores_csv, "--label", "y", "--plot", tmp_path / "hull.png")
    assert "pip install 'rocch[plot]'" in line


def test_a_picture_that_cannot_be_written_gets_one_line(
    refusal: Refusal, scores_csv: Path, tmp_path: Path
) -> None:
    picture = tmp_path / "no such folder" / "hull.png"
    assert "no such folder" in refusal("hull", scores_csv, "--label", "y", "--plot", picture)


def test_a_picture_of_an_unknown_kind_gets_one_line(
    refusal: Refusal, scores_csv: Path, tmp_path: Path
) -> None:
    assert "foo" in refusal("hull", scores_csv, "--label", "y", "--plot", tmp_path / "hull.foo")


BAD_CSV = {
    "empty": ("", ("FILE", "must", "header", "at least one row")),
    "header alone": ("y,a\n", ("FILE", "must", "at least one row")),
    "ragged": ("y,a\n0,1\n1,2,3\n", ("FILE", "must", "2 values", "3 in row 2")),
    "short row": ("y,a,b\n0,1,2\n1,2\n", ("FILE", "must", "3 values", "2 in row 2")),
    "ragged after a blank line": ("y,a\n\n0,1\n1,2,3\n", ("FILE", "must", "3 in row 2")),
    "one name twice": ("y,a,a\n0,1,1\n1,2,2\n", ("FILE", "distinct", "'a'")),
    "one class": ("y,a\n0,1\n0,2\n", ("must hold both classes", "all negative")),
    "text in a score": ("y,a\n0,1\n1,x\n", ("'a'", "must hold numbers", "'x' in row 2")),
    "missing score": ("y,a\n0,1\n1,\n", ("'a'", "no missing values", "row 2")),
    "missing first score": ("y,a,b\n0,,1\n1,1,2\n0,2,3\n", ("'a'", "no missing values", "row 1")),
    "NaN score": ("y,a\n0,1\n1,nan\n", ("'a'", "no missing values", "row 2, written 'nan'")),
    "missing label": ("y,a\n0,1\n,2\n1,3\n", ("--label", "missing", "row 2")),
    "NaN label": ("y,a\n0,1\nnan,2\n1,3\n", ("missing",)),
    "text labels": ("y,a\nno,1\nmaybe,2\n", ("--positive", "'maybe', 'no'")),
    "three labels": ("y,a\n0,1\n1,2\n2,3\n", ("must", "0/1", "2")),
    "no score column": ("y,id\n0,p1\n1,p2\n", ("--scores", "must", "'y', 'id'")),
    "one column": ("y#a\n0#1\n1#2\n", ("--label", "must", "'y#a'", "--delimiter")),
    "no name": (",y,a\n1,0,1\n2,1,2\n", ("FILE", "name every column", "index=False")),
    "no name behind": ("y,,a\n1,0,1\n2,1,2\n", ("FILE", "empty name for column 2", "header")),
    "decimal commas": ("y;a\n0;0,5\n1;0,7\n", ("'a'", "decimal points", "--decimal-comma")),
    "later decimal commas": ("y;a\n0;1\n1;0,7\n", ("'0,7' in row 2", "--decimal-comma")),
    "underscores": ("y,a\n0,1\n1,1_0\n", ("'a'", "must hold numbers", "'1_0' in row 2")),
    "huge whole numbers": (
        "y,a\n0,9007199254740993\n1,2\n",
        ("'a'", "below 2**53", "9007199254740993 in row 1"),
    ),
}


@pytest.mark.parametrize(("text", "says"), BAD_CSV.values(), ids=BAD_CSV.keys())
def test_a_bad_csv_gets_one_line(
    refusal: Refusal, tmp_path: Path, text: str, says: tuple[str, ...]
) -> None:
    file = tmp_path / "bad.csv"
    file.write_text(text, encoding="utf-8")
    line = refusal("hull", file, "--label", "y")
    for words in says:
        assert words in line
    assert file.read_text(encoding="utf-8") == text


BAD_PARQUET = {
    "null label": ({"y": [0, 1, None], "a": [1.0, 2.0, 3.0]}, ()),
    "null bool label": ({"y": [True, False, None], "a": [1.0, 2.0, 3.0]}, ()),
    "null bool label, positive": ({"y": [True, False, None], "a": [1.0, 2.0, 3.0]}, ("True",)),
    "null text label, positive": ({"y": ["a", "b", None], "a": [1.0, 2.0, 3.0]}, ("a",)),
    "null score": ({"y": [0, 1, 1], "a": [1.0, 2.0, None]}, ()),
    "NaN score": ({"y": [0, 1, 1], "a": [1.0, 2.0, math.nan]}, ()),
}


@pytest.mark.parametrize(("table", "positive"), BAD_PARQUET.values(), ids=BAD_PARQUET.keys())
def test_missing_values_in_parquet_get_one_line(
    refusal: Refusal, tmp_path: Path, table: dict[str, Any], positive: tuple[str, ...]
) -> None:
    file = tmp_path / "bad.parquet"
    parquet.write_table(pa.table(table), file)
    chosen = ("--positive", *positive) if positive else ()
    line = refusal("hull", file, "--label", "y", *chosen)
    assert "missing" in line
    assert "must" in line


@pytest.mark.parametrize("content", [b"", b"no", b"PAR1 this is not Parquet PAR1"])
def test_unreadable_parquet_gets_one_line(refusal: Refusal, tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "bad.parquet"
    file.write_bytes(content)
    line = refusal("hull", file, "--label", "y")
    assert "bad.parquet" in line
    assert "be read" in line


@pytest.mark.parametrize("content", [b"y,a\n0,\xe9\n1,2\n", b"\xff\xfe\x00"])
def test_a_csv_that_is_not_utf_8_gets_one_line(
    refusal: Refusal, tmp_path: Path, content: bytes
) -> None:
    file = tmp_path / "bad.csv"
    file.write_bytes(content)
    assert "cannot be read" in refusal("hull", file, "--label", "y")


def test_a_missing_file_gets_one_line(refusal: Refusal, tmp_path: Path) -> None:
    line = refusal("hull", tmp_path / "none.csv", "--label", "y")
    assert line.startswith("FILE must be an existing file, or - for standard input; got ")
    assert "none.csv" in line


def test_an_empty_folder_is_no_file(refusal: Refusal, tmp_path: Path) -> None:
    line = refusal("hull", tmp_path, "--label", "y")
    assert line.startswith("FILE must be a folder with files that end in '.parquet', ")
    assert repr(str(tmp_path)) in line


def test_a_missing_label_column_names_those_that_exist(
    refusal: Refusal, scores_csv: Path, scores_parquet: Path
) -> None:
    for file in (scores_csv, scores_parquet):
        line = refusal("hull", file, "--label", "target")
        assert line.startswith("--label must name a column of the data; got 'target'.")
        assert "'y', 'nb', 'gbm'" in line


def test_a_missing_score_column_names_those_that_exist(refusal: Refusal, scores_csv: Path) -> None:
    line = refusal("hull", scores_csv, "--label", "y", "--scores", "nb,svm")
    assert line.startswith("--scores must name a column of the data; got 'svm'.")
    assert "'y', 'nb', 'gbm'" in line


def test_text_in_a_score_column_asked_for(refusal: Refusal, tmp_path: Path) -> None:
    file = write(tmp_path / "s.csv", "id,y,a", "p1,0,1", "p2,1,2")
    line = refusal("hull", file, "--label", "y", "--scores", "a,id")
    assert "'id' must hold numbers; got 'p1' in row 1." in line


def test_text_in_a_parquet_score_column_asked_for(refusal: Refusal, tmp_path: Path) -> None:
    file = tmp_path / "s.parquet"
    parquet.write_table(pa.table({"id": ["p1", "p2"], "y": [0, 1], "a": [1, 2]}), file)
    line = refusal("hull", file, "--label", "y", "--scores", "a,id")
    assert "'id'" in line
    assert "must" in line
    assert "'p1'" in line


def test_a_positive_class_that_does_not_occur_names_those_that_do(
    refusal: Refusal, tmp_path: Path
) -> None:
    file = write(tmp_path / "s.csv", "y,a", "ill,1", "well,2")
    line = refusal("hull", file, "--label", "y", "--positive", "sick")
    assert "'sick'" in line
    assert "'ill', 'well'" in line


def test_reserved_names_are_refused(refusal: Refusal, tmp_path: Path) -> None:
    file = write(tmp_path / "s.csv", "y,never", "0,1", "1,2")
    assert "'never'" in refusal("hull", file, "--label", "y")


def test_the_label_is_not_a_score(refusal: Refusal, scores_csv: Path) -> None:
    line = refusal("hull", scores_csv, "--label", "y", "--scores", "nb,y")
    assert "--scores" in line
    assert "'y'" in line


def test_a_score_column_named_twice_is_refused(refusal: Refusal, scores_csv: Path) -> None:
    line = refusal("hull", scores_csv, "--label", "y", "--scores", "nb,nb")
    assert "'nb'" in line


def test_many_rows_give_what_the_python_api_gives(answer: Answer, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    y = rng.random(5000) < 0.1
    scores = rng.normal(size=5000) + y
    file = tmp_path / "s.parquet"
    parquet.write_table(pa.table({"y": y, "a": scores}), file)
    hull = RocHull.from_scores(y, {"a": scores})
    found = answer("hull", file, "--label", "y")
    assert found["auc"] == hull.auc
    assert len(found["vertices"]) == len(hull)


def test_every_reason_not_to_write_is_one_line_and_leaves_nothing(
    refusal: Refusal, scores_csv: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    locked = tmp_path / "locked"
    locked.mkdir()
    for picture, why in (
        (tmp_path / "no" / "x.png", "an existing folder"),
        (scores_csv / "x.png", "an existing folder"),
        (tmp_path, "be a file such as hull.png"),
        (tmp_path / "x", "be a file such as hull.png"),
        ("-", "be a file such as hull.png"),
        (tmp_path / "x.foo", "'.foo'"),
    ):
        assert why in refusal("hull", scores_csv, "--label", "y", "--plot", picture)
    monkeypatch.setattr("os.access", lambda _, mode: mode != os.W_OK)
    line = refusal("hull", scores_csv, "--label", "y", "--plot", locked / "x.png")
    assert "--plot must be writable" in line
    assert sorted(file.name for file in tmp_path.iterdir()) == ["locked", "scores.csv"]
    assert list(locked.iterdir()) == []


def test_a_hull_within_bounds_says_how_far_it_is_known(judged: Judged) -> None:
    bounds = rocch.Conditions(prevalence=0.2, false_positive=1, false_negative=(4, 8))
    hull = python_hull(judged).within(bounds)
    low, high = (f"{slope:.4g}" for slope in bounds.slope_range)
    found = HullResult.of(hull)
    assert found.auc is None
    first = str(next(iter(found.parts())))
    ratios = format_ratios(cost_ratios(bounds.slope_range, 1 / 3))
    assert f"known only for slopes from {low} to {high} (a miss is {ratios} times as bad" in first
    question = rocch.Question(prevalence=0.2, false_positive=1, false_negative=(4, 8))
    _, second, *_ = find_best(hull, question).parts()
    assert str(second).endswith("(a miss is 4 to 8 times as bad at prevalence 0.2)")


def test_different_rows_have_no_class_balance() -> None:
    curves = [
        rocch.RocCurve.from_counts([3], [20], positives=40, negatives=60, name="old"),
        rocch.RocCurve.from_counts([2], [9], positives=10, negatives=90, name="new"),
    ]
    hull = RocHull.of(*curves, allow_different_rows=True)
    bounds = rocch.Conditions(prevalence=0.2, false_positive=1, false_negative=(4, 8))
    texts = [str(part) for part in HullResult.of(hull).parts()]
    assert texts[0].startswith("different rows, compared by their rates; classifiers: old, new;")
    assert not any("times as bad" in text for text in texts)
    assert "times as bad" not in str(next(iter(HullResult.of(hull.within(bounds)).parts())))
