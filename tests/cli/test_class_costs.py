"""Costs, shares and limits of named classes, as they are typed and as files hold them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
import pytest

from rocch import CostMatrix, InputError
from rocch.cli.class_costs import cost, costs_from, limit, shares

if TYPE_CHECKING:
    from pathlib import Path

LONG = "truth,prediction,cost\na,b,3\nb,a,1..2\n"
LOW_HIGH = "truth,prediction,low,high\na,b,3,3\nb,a,1,2\n"
BY_TRUTH = "truth,a,b\na,0,3\nb,1..2,0\n"
BY_PREDICTION = "prediction,b,a\na,1..2,\nb,,3\n"
STATED = CostMatrix({("a", "b"): 3, ("b", "a"): (1, 2)})


def write(folder: Path, text: str) -> Path:
    file = folder / "costs.csv"
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("cat>dog=3", (("cat", "dog"), (3.0, 3.0))),
        (" big cat > dog = 10..20", (("big cat", "dog"), (10.0, 20.0))),
        ("a=b>c=1", (("a=b", "c"), (1.0, 1.0))),
        ("cat>cat=0.5", (("cat", "cat"), (0.5, 0.5))),
    ],
)
def test_a_cost_names_the_truth_first(text: str, read: object) -> None:
    assert cost(text) == read


@pytest.mark.parametrize("text", ["cat", "cat=3", "cat>=3", ">dog=3", "cat>dog", "cat>dog=x", ""])
def test_what_is_no_cost(text: str) -> None:
    with pytest.raises(click.BadParameter, match=r"truth first|neither a number"):
        cost(text)


def test_an_arrow_in_a_name_is_ambiguous() -> None:
    with pytest.raises(click.BadParameter, match="more than one '>'"):
        cost("a>b>c=1")


@pytest.mark.parametrize(
    ("text", "read"),
    [("cat>dog=0.05", (("cat", "dog"), 0.05)), ("cat = 0.1", ("cat", 0.1))],
)
def test_a_limit_is_on_an_error_or_a_class(text: str, read: object) -> None:
    assert limit(text) == read


@pytest.mark.parametrize("text", ["cat", "=0.1", "cat=", "cat>dog", "cat=0.1..0.2", "cat>=0.1"])
def test_what_is_no_limit(text: str) -> None:
    with pytest.raises(click.BadParameter, match="truth first"):
        limit(text)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("observed", "observed"),
        ("a=0.2,b=0.8", {"a": (0.2, 0.2), "b": (0.8, 0.8)}),
        ("a = 0.1..0.3 , b=0.7..0.9", {"a": (0.1, 0.3), "b": (0.7, 0.9)}),
        ("x, y=0.2,z=0.8", {"x, y": (0.2, 0.2), "z": (0.8, 0.8)}),
    ],
)
def test_shares(text: str, read: object) -> None:
    assert shares(text) == read


@pytest.mark.parametrize("text", ["", "0.5", "a=", "=0.5", "a=0.5,b", "a=0.5,a=0.5", "a=x,b=1"])
def test_what_names_no_shares(text: str) -> None:
    with pytest.raises(click.BadParameter, match=r"shares such as|twice|neither a number"):
        shares(text)


@pytest.mark.parametrize("text", [LONG, LOW_HIGH, BY_TRUTH, BY_PREDICTION])
def test_every_kind_of_file_says_what_its_rows_are(tmp_path: Path, text: str) -> None:
    assert costs_from(write(tmp_path, text), (), None) == STATED


def test_a_parquet_file_of_costs(tmp_path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    file = tmp_path / "costs.parquet"
    columns = {"truth": ["a", "b"], "prediction": ["b", "a"], "low": [3.0, 1.0], "high": [3.0, 2.0]}
    parquet.write_table(pa.table(columns), file)
    assert costs_from(file, (), None) == STATED


def test_file_options_and_default_add_up(tmp_path: Path) -> None:
    file = write(tmp_path, "truth,prediction,cost\na,b,3\n")
    found = costs_from(file, [cost("b>c=4..5")], (1.0, 1.0), ["a", "b", "c"])
    assert found == CostMatrix(
        {("a", "b"): 3, ("b", "c"): (4, 5)}, classes=["a", "b", "c"], default=1
    )


def test_nothing_said_is_nothing() -> None:
    assert costs_from(None, (), None) is None


@pytest.mark.parametrize("stated", [["a>b=1"], ["b>a=1", "b>a=1"]])
def test_a_cost_is_stated_once(tmp_path: Path, stated: list[str]) -> None:
    file = write(tmp_path, "truth,prediction,cost\na,b,3\n")
    with pytest.raises(click.UsageError, match="stated twice"):
        costs_from(file, map(cost, stated), None)


def test_a_default_alone_names_no_classes() -> None:
    with pytest.raises(click.UsageError, match="--classes"):
        costs_from(None, (), (1.0, 1.0))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (",a,b\na,0,1\nb,1,0\n", "name every column"),
        ("x,a,b\na,0,1\nb,1,0\n", "--costs must hold numbers"),
        ("a,b\n0,1\n1,0\n", "name its truths and predictions"),
        ("truth,a,b\na,0,1\n", "same classes in its rows and columns"),
        ("truth,a,b\na,0,much\nb,1,0\n", "'much' in column 'b'"),
        ("truth,a,b\na,0,2..1\nb,1,0\n", "run from low to high"),
        ("truth,prediction,price\na,b,1\n", "the columns truth, prediction and cost"),
        ("truth,prediction,cost\na,b,1\na,b,2\n", "state each cost once"),
        ("truth,prediction,cost\na,b,1\nb,a,\n", "'b' predicted as 'a' must be a number"),
        ("truth,prediction,cost\na,b,1\nb,a,-1\n", "not negative"),
        ("truth,prediction,cost\na,b,1\n", "no cost for"),
        ("truth,prediction,cost\n", "at least one row"),
    ],
)
def test_a_file_that_cannot_be_read_as_costs(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        costs_from(write(tmp_path, text), (), None)


def test_a_missing_file_of_costs(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^--costs must be an existing file"):
        costs_from(tmp_path / "none.csv", (), None)
