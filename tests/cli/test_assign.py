"""`rocch assign`: predictions of least expected cost, from a file of probabilities."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner
from pyarrow import parquet

import rocch
from rocch.cli.assign import align_costs
from rocch.cli.main import cli
from tests.support.probabilities import (
    COSTS,
    NAMES,
    TRUTHS,
    probabilities_of_rows,
    write_probabilities,
)

if TYPE_CHECKING:
    from click.testing import Result

    from tests.conftest import Answer, Refusal

HPC = Path(__file__).parents[3] / "shared" / "data" / "scores_hpc_cv_multiclass.csv"


@pytest.fixture
def probabilities() -> dict[str, list[float]]:
    return probabilities_of_rows()


@pytest.fixture
def truths() -> list[str]:
    return TRUTHS


@pytest.fixture
def file(tmp_path: Path, probabilities: dict[str, list[float]], truths: list[str]) -> Path:
    return write_probabilities(tmp_path, probabilities, truths)


@pytest.fixture
def costs() -> rocch.CostMatrix:
    return rocch.CostMatrix({("eel", "cat"): 3, ("dog", "cat"): 2}, classes=NAMES, default=1)


def ran(*arguments: object) -> Result:
    result = CliRunner().invoke(cli, ["assign", *map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == 0, result.stderr
    return result


def test_predictions_are_those_of_python(
    file: Path, probabilities: dict[str, list[float]], costs: rocch.CostMatrix
) -> None:
    result = ran(file, *COSTS, "cat,dog,eel")
    assert result.stderr == ""
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    predictions = rocch.multiclass.assign(probabilities, costs).tolist()
    assert [row["prediction"] for row in rows] == predictions
    assert len(set(predictions)) == 3
    risks = rocch.multiclass.prediction_risks(probabilities, costs)
    expected = [risks[name][row] for row, name in enumerate(predictions)]
    assert [float(row["expected_cost"]) for row in rows] == pytest.approx(expected, abs=1e-15)


def test_all_columns_are_kept_in_front(file: Path) -> None:
    lines = ran(file, *COSTS, "cat,dog,eel").stdout.splitlines()
    before = file.read_text(encoding="utf-8").splitlines()
    assert lines[0] == before[0] + ",prediction,expected_cost"
    assert all(line.startswith(old + ",") for line, old in zip(lines, before, strict=True))


def test_one_column_may_be_kept_alone(file: Path) -> None:
    lines = ran(file, *COSTS, "cat,dog,eel", "--row", "key").stdout.splitlines()
    assert lines[0] == "key,prediction,expected_cost"
    assert [line.split(",")[0] for line in lines[1:]] == [f"r{row}" for row in range(40)]


def test_a_file_is_written(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "predictions.csv"
    result = ran(file, *COSTS, "cat,dog,eel", "-o", out)
    assert result.stdout == f"Written: {out}\n"
    assert out.read_text(encoding="utf-8") == ran(file, *COSTS, "cat,dog,eel").stdout


def test_costs_from_a_file_name_the_classes(file: Path, tmp_path: Path, answer: Answer) -> None:
    table = tmp_path / "costs.csv"
    table.write_text("truth,cat,dog,eel\ncat,0,1,1\ndog,2,0,1\neel,3,1,0\n", encoding="utf-8")
    assert answer("assign", file, "--costs-file", table) == answer(
        "assign", file, *COSTS, "dog,eel,cat"
    )
    turned = tmp_path / "turned.csv"
    turned.write_text("prediction,cat,dog,eel\ncat,0,1,1\ndog,2,0,1\neel,3,1,0\n", encoding="utf-8")
    other = answer("assign", file, "--costs-file", turned)
    assert other["rows"] != answer("assign", file, "--costs-file", table)["rows"]


def test_parquet_gives_the_same(file: Path, tmp_path: Path, answer: Answer) -> None:
    with file.open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    columns: dict[str, Any] = {name: [row[name] for row in rows] for name in rows[0]}
    columns |= {name: [float(value) for value in columns[name]] for name in NAMES}
    path = tmp_path / "probabilities.parquet"
    parquet.write_table(pa.table(columns), path)
    options = (*COSTS, "cat,dog,eel", "--label", "truth", "--row", "key")
    assert answer("assign", path, *options) == answer("assign", file, *options)


def test_json_evaluates_by_the_truth(
    file: Path,
    answer: Answer,
    probabilities: dict[str, list[float]],
    truths: list[str],
    costs: rocch.CostMatrix,
) -> None:
    found = answer("assign", file, *COSTS, "cat,dog,eel", "--label", "truth", "--row", "key")
    assert set(found) == {"classes", "costs", "mean_expected_cost", "evaluation", "rows"}
    ours = rocch.multiclass.Confusion.from_labels(
        truths, rocch.multiclass.assign(probabilities, costs)
    )
    likely = [max(NAMES, key=lambda name: probabilities[name][row]) for row in range(40)]
    theirs = rocch.multiclass.Confusion.from_labels(truths, likely)
    best, most_likely = found["evaluation"]["least_cost"], found["evaluation"]["most_likely"]
    assert best["cost"] == ours.expected_cost(costs)
    assert best["confusion"]["errors"] == ours.errors
    assert most_likely["cost"] == theirs.expected_cost(costs)
    assert most_likely["confusion"]["errors"] == theirs.errors
    assert best["cost"] < most_likely["cost"]
    savings = found["evaluation"]["savings"]
    assert savings["expected"] == pytest.approx(best["cost"])
    against, always = savings["baselines"]
    assert against["baseline"] == "the most likely class"
    assert against["saves"] == pytest.approx(most_likely["cost"] - best["cost"])
    assert always["baseline"].startswith("always predicting ")
    low, high = savings["interval"]
    assert low < best["cost"] < high
    rows = best["confusion"]["rows"]
    cells = {(cell["truth"], cell["prediction"]): cell["rows"] for cell in rows}
    assert all(ours[pair] == rows for pair, rows in cells.items())
    assert set(found["rows"][0]) == {"key", "prediction", "expected_cost"}
    mean = sum(row["expected_cost"] for row in found["rows"]) / 40
    assert found["mean_expected_cost"] == pytest.approx(mean)


def test_without_truth_nothing_is_evaluated(file: Path, answer: Answer) -> None:
    assert answer("assign", file, *COSTS, "cat,dog,eel")["evaluation"] is None


def test_the_summary_goes_to_standard_error(file: Path, truths: list[str]) -> None:
    plain = ran(file, *COSTS, "cat,dog,eel")
    result = ran(file, *COSTS, "cat,dog,eel", "--label", "truth")
    assert result.stdout == plain.stdout
    lines = [line.split() for line in result.stderr.splitlines()]
    assert "cost per row" in result.stderr
    assert "most likely class" in result.stderr
    for name in NAMES:
        (row,) = [line for line in lines if line[:1] == [name]]
        assert sum(map(int, row[1:4])) == truths.count(name)


def test_many_classes_make_no_table(tmp_path: Path) -> None:
    names = [f"c{place:02}" for place in range(26)]
    rows = np.full((26, 26), 0.02) + np.eye(26) * 0.48
    lines = [",".join([*names, "y"])]
    lines += [",".join([*map(str, row), name]) for row, name in zip(rows, names, strict=True)]
    path = tmp_path / "letters.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    options = ("--classes", ",".join(names), "--default-cost", "1", "--costs", "c00>c01=40")
    result = ran(path, *options, "--label", "y")
    assert "cost per row" in result.stderr
    assert "truths in rows" not in result.stderr
    assert result.stdout.splitlines()[1].split(",")[27] == "c00"


def test_another_class_balance(
    file: Path, answer: Answer, probabilities: dict[str, list[float]], costs: rocch.CostMatrix
) -> None:
    balance = ("--priors", "cat=0.8,dog=0.1,eel=0.1", "--trained-priors", "cat=.2,dog=.4,eel=.4")
    found = answer("assign", file, *COSTS, "cat,dog,eel", *balance, "--label", "truth")
    new, old = {"cat": 0.8, "dog": 0.1, "eel": 0.1}, {"cat": 0.2, "dog": 0.4, "eel": 0.4}
    expected = rocch.multiclass.assign(probabilities, costs, priors=new, trained_priors=old)
    assert [row["prediction"] for row in found["rows"]] == expected.tolist()
    assert expected.tolist() != rocch.multiclass.assign(probabilities, costs).tolist()
    truths = [row["truth"] for row in found["rows"]]
    confusion = rocch.multiclass.Confusion.from_labels(truths, expected)
    assert found["evaluation"]["least_cost"]["cost"] == confusion.expected_cost(costs, new)


def test_numbers_may_name_classes(tmp_path: Path, answer: Answer) -> None:
    path = tmp_path / "p.parquet"
    parquet.write_table(pa.table({"0": [0.9, 0.2], "1": [0.1, 0.8], "y": [0.0, 1.0]}), path)
    found = answer("assign", path, "--costs", "0>1=1", "--costs", "1>0=1", "--label", "y")
    assert [row["prediction"] for row in found["rows"]] == ["0", "1"]
    assert found["evaluation"]["least_cost"]["confusion"]["errors"] == 0


def test_dates_and_gaps_beside_the_probabilities_become_json(
    tmp_path: Path, answer: Answer
) -> None:
    path = tmp_path / "p.parquet"
    day = np.array(["2024-02-29", "2024-03-01"], dtype="datetime64[D]")
    columns = {"day": day, "note": ["x", None], "a": [0.9, 0.2], "b": [0.1, 0.8]}
    parquet.write_table(pa.table(columns), path)
    rows = answer("assign", path, "--default-cost", "1", "--classes", "a,b")["rows"]
    assert rows[0]["day"] == "2024-02-29"
    assert [row["note"] for row in rows] == ["x", None]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ("", "state what errors cost"),
        ("--costs cat", "have the form TRUTH>PREDICTION=COST"),
        ("--default-cost 1", "--classes"),
        ("--costs cat>dog=1", "no cost for predicting cat when dog is true"),
        ("--costs cat>dog=1 --default-cost 1", "Are all classes named (--classes)?"),
        ("--default-cost 1 --classes cat,dog,cow", "have a column for each class; got none for"),
        ("--default-cost 1 --classes cat", "two or more distinct classes"),
        (
            "--costs cat>cow=1 --default-cost 1 --classes cat,dog,eel",
            "the costs must name one of the classes",
        ),
        ("--costs cat>dog=1..2 --default-cost 1 --classes cat,dog,eel", "'cat>dog' is 1..2"),
        ("--costs cat>dog=-1 --default-cost 1 --classes cat,dog,eel", "not negative"),
        ("--default-cost 0 --classes cat,dog,eel", "the costs must make at least one error"),
        ("--default-cost 1 --classes cat,dog,eel --label y", "--label must name a column"),
        (
            "--default-cost 1 --classes cat,dog,eel --label remark",
            "--label must name one of the classes",
        ),
        ("--default-cost 1 --classes cat,dog,eel --row y", "--row must name a column"),
        (
            "--default-cost 1 --classes cat,dog,eel --priors cat=1",
            "--priors must be given together with --trained-priors",
        ),
        ("--default-cost 1 --classes cat,dog,eel --priors cat", "have the form CLASS=SHARE"),
        (
            "--default-cost 1 --classes cat,dog,eel --priors cat=1 --trained-priors cat=1",
            "--priors must have exactly the classes",
        ),
        ("--costs-file none.csv", "--costs-file must be an existing file"),
        ("--default-cost 1 --classes cat,dog,remark", "column 'remark' must hold numbers; got"),
    ],
)
def test_bad_options_get_one_line(refusal: Refusal, file: Path, options: str, why: str) -> None:
    assert why in refusal("assign", file, *options.split())


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a,b\n0.5,0.5\n0.2,0.7\n", "sum to 1 in every row; got 0.9 in row 2."),
        ("a,b\n0.5,0.5\n1.2,-0.2\n", "got -0.2 in row 2, column 'b'"),
        ("a,b\n0.5,0.5\n,0.7\n", "column 'a' must have no missing values; got one in row 2"),
        ("a,b\n0.5,NA\n", "got one in row 1, written 'NA'"),
        ("a,b\n0.5,inf\n", "column 'b' must hold finite numbers; got 'inf' in row 1"),
        ("a,b,prediction\n0.5,0.5,a\n", "got a column 'prediction'"),
        ("a,b,a\n0.5,0.5,1\n", "FILE must have distinct columns"),
        ("a;c\n0.5;0.5\n", "have a column for each class"),
    ],
)
def test_bad_files_get_one_line(refusal: Refusal, tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "p.csv"
    path.write_text(text, encoding="utf-8")
    assert why in refusal("assign", path, "--default-cost", "1", "--classes", "a,b")


def test_a_class_without_rows_has_no_rates_but_the_others_have(
    answer: Answer, tmp_path: Path
) -> None:
    path = tmp_path / "p.csv"
    path.write_text("a,b,y\n0.5,0.5,a\n0.2,0.8,a\n", encoding="utf-8")
    found = answer("assign", path, "--default-cost", "1", "--classes", "a,b", "--label", "y")
    assert found["evaluation"]["least_cost"]["confusion"]["errors"] == 1
    confusion = found["evaluation"]["least_cost"]["confusion"]
    assert [cell["rate"] for cell in confusion["rows"]] == [0.5, 0.5, None, None]
    assert confusion["miss_rates"] is None


def test_inputs_are_never_written(refusal: Refusal, file: Path, tmp_path: Path) -> None:
    before = file.read_text(encoding="utf-8")
    options = ("assign", file, *COSTS, "cat,dog,eel", "-o")
    assert "not be a file that is read" in refusal(*options, file)
    assert "be a CSV file" in refusal(*options, tmp_path / "out.parquet")
    assert "be a CSV file" in refusal(*options, tmp_path)
    assert "an existing folder" in refusal(*options, tmp_path / "no" / "folder.csv")
    assert file.read_text(encoding="utf-8") == before


@pytest.mark.skipif(not HPC.exists(), reason="needs ../shared/data")
def test_published_probabilities(answer: Answer) -> None:
    options = ("--classes", "VF,F,M,L", "--default-cost", "1", "--costs", "L>VF=20")
    found = answer("assign", HPC, *options, "--label", "obs", "--row", "Resample")
    assert len(found["rows"]) == 3467
    assert found["classes"] == ["VF", "F", "M", "L"]
    evaluation = found["evaluation"]
    assert evaluation["least_cost"]["cost"] < evaluation["most_likely"]["cost"]


def test_no_csv_is_written_under_the_name_of_another_kind(refusal: Refusal, file: Path) -> None:
    for name in ("out.jsonl", "out.feather"):
        line = refusal("assign", file, *COSTS, "cat,dog,eel", "-o", file.with_name(name))
        assert "be a CSV file" in line


def test_only_one_file_comes_through_standard_input(refusal: Refusal, file: Path) -> None:
    assert "only one file" in refusal("assign", "-", "--costs-file", "-")
    assert "--costs-file must have a header" in refusal(
        "assign", file, "--costs-file", _empty(file)
    )


def _empty(file: Path) -> Path:
    costs = file.with_name("costs.csv")
    costs.write_text("", encoding="utf-8")
    return costs


def test_decimal_commas_are_carried_along_and_understood(tmp_path: Path, answer: Answer) -> None:
    path = tmp_path / "p.csv"
    path.write_text("a;b\n0,25;0,75\n", encoding="utf-8")
    options = (path, "--default-cost", "1", "--classes", "a,b", "--decimal-comma")
    (row,) = answer("assign", *options)["rows"]
    assert (row["a"], row["prediction"]) == (0.25, "b")
    assert ran(*options).stdout.splitlines()[1] == '"0,25","0,75",b,0.25'


def test_costs_may_be_in_any_kind_of_file(file: Path, tmp_path: Path, answer: Answer) -> None:
    rows = [("cat", "dog", 1), ("cat", "eel", 1), ("dog", "cat", 2)]
    rows += [("dog", "eel", 1), ("eel", "cat", 3), ("eel", "dog", 1)]
    columns: dict[str, list[Any]] = {
        name: list(column)
        for name, column in zip(
            ("truth", "prediction", "cost"), zip(*rows, strict=True), strict=True
        )
    }
    parquet.write_table(pa.table(columns), tmp_path / "costs.parquet")
    lines = ["truth;prediction;cost", *(f"{t};{p};{c}" for t, p, c in rows)]
    (tmp_path / "costs.txt").write_text("\n".join(lines), encoding="utf-8")
    wanted = answer("assign", file, *COSTS, "eel,cat,dog")
    for name in ("costs.parquet", "costs.txt"):
        assert answer("assign", file, "--costs-file", tmp_path / name) == wanted


@pytest.mark.parametrize(
    ("costs", "written"),
    [
        ([0.473, 0.43456], ["0.4730", "0.4346"]),
        ([0.00123456, 0], ["0.001235", "0.000000"]),
        ([12.3456, 1], ["12.35", "1.00"]),
        ([1234567.8], ["1,234,568"]),
        ([0.0, 0.0], ["0", "0"]),
    ],
)
def test_costs_share_their_decimals(costs: list[float], written: list[str]) -> None:
    assert align_costs(costs) == written
