"""Costs and limits of named classes, as they are typed and as files hold them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocch import CostMatrix, InputError
from rocch.cli.options import add_costs_of_file, read_limit
from rocch.multiclass import ClassQuestion

if TYPE_CHECKING:
    from pathlib import Path

LONG = "truth,prediction,cost\na,b,3\nb,a,1..2\n"
LOW_HIGH = "truth,prediction,low,high\na,b,3,3\nb,a,1,2\n"
BY_TRUTH = "truth,a,b\na,0,3\nb,1-2,0\n"
BY_PREDICTION = "prediction,b,a\na,1..2,\nb,,3\n"
STATED = CostMatrix({("a", "b"): 3, ("b", "a"): (1, 2)})
NOTHING = ClassQuestion()


def write(folder: Path, text: str) -> Path:
    file = folder / "costs.csv"
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("cat>dog=0.05", (("cat", "dog"), 0.05)),
        ("cat = 0.1", ("cat", 0.1)),
        ("cat=10%", ("cat", 0.1)),
    ],
)
def test_a_limit_is_on_an_error_or_a_class(text: str, read: object) -> None:
    assert read_limit(text) == read


@pytest.mark.parametrize(
    "text", ["cat", "=0.1", "cat=", "cat>dog", "cat=0.1..0.2", "cat>=0.1", "a>b>c=1"]
)
def test_what_is_no_limit(text: str) -> None:
    with pytest.raises(InputError, match=r"^limits must") as error:
        read_limit(text)
    assert repr(text) in str(error.value)


@pytest.mark.parametrize("text", [LONG, LOW_HIGH, BY_TRUTH, BY_PREDICTION])
def test_every_kind_of_file_says_what_its_rows_are(tmp_path: Path, text: str) -> None:
    assert add_costs_of_file(NOTHING, write(tmp_path, text)).cost_matrix() == STATED


def test_a_parquet_file_of_costs(tmp_path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    file = tmp_path / "costs.parquet"
    columns = {"truth": ["a", "b"], "prediction": ["b", "a"], "low": [3.0, 1.0], "high": [3.0, 2.0]}
    parquet.write_table(pa.table(columns), file)
    assert add_costs_of_file(NOTHING, file).cost_matrix() == STATED


def test_file_options_and_default_add_up(tmp_path: Path) -> None:
    file = write(tmp_path, "truth,prediction,cost\na,b,3\n")
    typed = ClassQuestion.from_strings({"costs": "b>c=4..5", "default_cost": "1"})
    found = add_costs_of_file(typed, file).cost_matrix(["a", "b", "c"])
    assert found == CostMatrix(
        {("a", "b"): 3, ("b", "c"): (4, 5)}, classes=["a", "b", "c"], default=1
    )


def test_without_a_file_the_question_stays() -> None:
    assert add_costs_of_file(NOTHING, None) is NOTHING


def test_a_cost_is_stated_once(tmp_path: Path) -> None:
    file = write(tmp_path, "truth,prediction,cost\na,b,3\n")
    typed = ClassQuestion.from_strings({"costs": "a>b=1"})
    with pytest.raises(InputError, match=r"once; got 'a>b' in costs\.csv too"):
        add_costs_of_file(typed, file)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (",a,b\na,0,1\nb,1,0\n", "name every column"),
        ("x,a,b\na,0,1\nb,1,0\n", "costs_file must hold numbers"),
        ("a,b\n0,1\n1,0\n", "name its truths and predictions"),
        ("truth,a,b\na,0,1\n", "same classes in its rows and columns"),
        ("truth,a,b\na,0,much\nb,1,0\n", "'much' in column 'b'"),
        ("truth,a,b\na,0,2..1\nb,1,0\n", "run from low to high"),
        ("truth,prediction,price\na,b,1\n", "the columns truth, prediction and cost"),
        ("truth,prediction,cost\na,b,1\na,b,2\n", "state each cost once"),
        (
            "truth,prediction,cost\na,b,1\nb,a,\n",
            "predicting a when b is true must be a number",
        ),
        ("truth,prediction,cost\na,b,1\nb,a,-1\n", "not negative"),
        ("truth,prediction,cost\na,b,1\n", "no cost for"),
        ("truth,prediction,cost\n", "at least one row"),
    ],
)
def test_a_file_that_cannot_be_read_as_costs(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        add_costs_of_file(NOTHING, write(tmp_path, text)).cost_matrix()


def test_a_missing_file_of_costs(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^--costs-file must be an existing file"):
        add_costs_of_file(NOTHING, tmp_path / "none.csv")
