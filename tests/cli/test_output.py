"""Results as JSON, on the terminal and in pipes."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pytest
from click import unstyle
from click.testing import CliRunner
from rich.console import Console

import rocch
from rocch.cli.main import cli
from rocch.cli.output import (
    ATTRIBUTES,
    make_table,
    plain,
    print_parts,
    show,
    to_json,
    write_csv,
)
from rocch.multiclass import ClassQuestion, Confusion
from rocch.multiclass.classes import Classes
from rocch.report.parts import Code, Section, Table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocch.cli.output import Printed
    from tests.conftest import Refusal

# Longer than a line of most terminals.
LONG = "gradient boosting with four hundred shallow trees and a learning rate of one in a hundred"


class Pair(NamedTuple):
    low: float
    high: float


@dataclass(frozen=True)
class Inner:
    name: str
    _hidden: int = 0


@dataclass(frozen=True)
class Outer:
    inner: Inner
    ends: Pair
    table: dict[Any, Any]

    def parts(self) -> Iterator[Printed]:
        yield f"the name is {self.inner.name}"


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (Outer(Inner("a"), Pair(0, math.inf), {}), '{"inner": {"name": "a"}, "ends": [0, "inf"]'),
        ({"a": -math.inf, "b": None}, '{"a": "-inf", "b": null}'),
        ({("a", "b"): 1.5}, '[[["a", "b"], 1.5]]'),
        ({1: "x"}, '[[1, "x"]]'),
        (np.array([[1, 2], [3, 4]]), "[[1, 2], [3, 4]]"),
        (np.array([0.5, math.inf]), '[0.5, "inf"]'),
        ((np.int64(3), np.float32(0.5), np.bool_(True)), "[3, 0.5, true]"),
        (range(2), "[0, 1]"),
        ((each for each in "ab"), '["a", "b"]'),
        ([date(2024, 2, 29), Path("a/b")], '["2024-02-29", "a/b"]'),
        (
            rocch.Belief.cost_ratio(5, 10),
            '"a miss is 5 to 10 times as bad as a false alarm (uniform on',
        ),
        (rocch.Question(max_fpr=0.1), '{"max_fpr": 0.1}'),
        (ClassQuestion(default_cost=1), '{"default_cost": 1'),
    ],
)
def test_values_become_json(value: Any, written: str) -> None:
    found = json.dumps(json.loads(to_json(value)))
    assert found.startswith(written)


def test_what_is_not_a_number_is_refused() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        to_json({"a": math.nan})


def test_what_is_undefined_is_null() -> None:
    confusion = Confusion.from_labels(["a", "a"], ["a", "b"], classes=Classes.of(["a", "b"]))
    found = plain(confusion)
    assert found["errors"] == 1
    assert found["miss_rates"] is None


def test_listed_attributes_exist() -> None:
    hull = rocch.RocHull.from_scores([0, 1, 0, 1], {"a": [1, 2, 3, 4], "b": [1, 3, 2, 4]})
    costs = rocch.Conditions(prevalence=0.5, false_positive=1, false_negative=(1, 9))
    belief = rocch.Belief.cost_ratio(1, 9).with_unit(false_positive=1).with_prevalence(0.5)
    a, b = (rocch.RocHull(hull.totals, (member,)) for member in hull.members)
    found: dict[str, Any] = {
        "Belief": belief,
        "ClassQuestion": ClassQuestion(default_cost=1),
        "Classes": Classes.of(["a", "b"]),
        "Confusion": Confusion.from_labels(["a", "b"], ["a", "b"]),
        "CostMatrix": rocch.CostMatrix.zero_one(["a", "b"]),
        "DecisionAnalysis": rocch.stats.decision_analysis(hull, belief),
        "LossComparison": rocch.stats.compare_losses(a, b, belief=belief, names=("a", "b")),
        "OperatingPoint": hull.best(rocch.NeymanPearson(0.5)),
        "Question": rocch.Question(max_fpr=0.1),
        "Sensitivity": hull.sensitivity(costs),
        "Superiority": rocch.stats.rank_under_belief(hull, belief=belief),
    }
    for name, value in found.items():
        assert type(value).__name__ == name
        written = plain(value)
        names = ATTRIBUTES[name]
        if not isinstance(names, str):
            assert {each for each in names if each != "*"} <= set(written)
    assert found["OperatingPoint"].rule() == plain(found["OperatingPoint"])["rule"]


def test_one_result_for_people_and_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    result = Outer(Inner("x"), Pair(1, 2), {})
    show(result, as_json=False, written=[Path("out.csv"), None])
    assert capsys.readouterr().out == "the name is x\nWritten: out.csv\n"
    show(result, as_json=True, written=[Path("out.csv")])
    assert json.loads(capsys.readouterr().out)["inner"] == {"name": "x"}


def test_parts_are_printed_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    table = Table(("name", ">number"), (("a", "1"), ("bb", "22")))
    print_parts(["first [bold]", Section("Title", (table, Code("sql", "SELECT 1")))], err=True)
    printed = capsys.readouterr()
    assert printed.out == ""
    lines = [line.rstrip() for line in printed.err.splitlines()]
    assert lines[:3] == ["first [bold]", "", "Title"]
    assert "  a           1" in lines
    assert "  bb         22" in lines
    assert lines[-1] == "SELECT 1"


def test_no_blank_line_stands_before_the_first_title(capsys: pytest.CaptureFixture[str]) -> None:
    print_parts([Section("Title", ("text",)), Section("Next", ())])
    assert capsys.readouterr().out == "Title\ntext\n\nNext\n"


def test_a_table_without_headings_has_no_rule(capsys: pytest.CaptureFixture[str]) -> None:
    print_parts([make_table("", ">", rows=[("a", "1")])])
    assert capsys.readouterr().out.split() == ["a", "1"]


def wide_file(folder: Path) -> Path:
    rows = ["0,0.1,0.4,0.3", "1,0.9,0.5,0.6", "0,0.6,0.2,0.4", "1,0.4,0.8,0.2"]
    file = folder / "scores.csv"
    file.write_text("\n".join([f"y,{LONG} one,{LONG} two,c", *rows]) + "\n", encoding="utf-8")
    return file


@pytest.mark.parametrize(
    "words",
    [
        ("hull",),
        ("best", "--cost-ratio", "1..9"),
        ("best", "--false-positive", "1", "--false-negative", "1..9"),
        ("compare", "--cost-ratio", "1..9"),
        ("report", "--resamples", "0"),
    ],
)
def test_piped_tables_do_not_break_names(tmp_path: Path, words: tuple[str, ...]) -> None:
    typed = [words[0], str(wide_file(tmp_path)), "--label", "y", *words[1:]]
    result = CliRunner().invoke(cli, typed, catch_exceptions=False, env={"COLUMNS": "40"})
    assert result.exit_code == 0, result.stderr
    rows = [line for line in result.stdout.splitlines() if line.startswith("  ")]
    assert any(LONG in row for row in rows)
    assert all(row.count("gradient") == row.count("in a hundred") for row in rows)


def test_numbers_are_never_broken_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Console, "is_terminal", property(lambda _: True))
    rows = [(LONG, "0.12345678", "0.87654321"), ("b", "1", "2")]
    table = make_table("classifier", ">first number", ">second number", rows=rows)
    runner = CliRunner(env={"COLUMNS": "60"})
    with runner.isolation() as (out, *_):
        print_parts([table])
        text = out.getvalue().decode()
    assert "0.12345678" in text
    assert "0.87654321" in text
    assert LONG not in text  # it is folded
    assert max(map(len, unstyle(text).splitlines())) <= 60


COSTS = ("--false-positive", "1", "--false-negative", "9")
PREVALENCE = {
    "best": ("best", "scores.csv", "--label", "y", "--cost-ratio", "2"),
    "compare": ("compare", "scores.csv", "--label", "y", "--cost-ratio", "2..9"),
    "report": ("report", "scores.csv", "--label", "y", "--resamples", "0"),
    "library best": ("library", "best", "lib", "--cost-ratio", "2"),
    "library init": ("library", "init", "new", *COSTS),
    "library prune": ("library", "prune", "lib", *COSTS),
}


@pytest.mark.parametrize("name", PREVALENCE)
def test_a_prevalence_may_be_a_percentage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    found = []
    for place, prevalence in enumerate(("10%", "10 %", "0.1")):
        folder = tmp_path / str(place)
        folder.mkdir()
        monkeypatch.chdir(folder)
        wide_file(folder)
        with rocch.library.ClassifierLibrary.create("lib") as library:
            library.add_scores([0, 1, 0, 1], {"a": [1, 2, 3, 4]})
        typed = [*PREVALENCE[name], "--prevalence", prevalence, "--json"]
        result = CliRunner().invoke(cli, typed, catch_exceptions=False)
        assert result.exit_code == 0, result.stderr
        found.append(json.loads(result.stdout))
    for each in found:
        each.pop("created_at", None)
    assert found[0] == found[1] == found[2]


def test_json_and_a_table_do_not_share_standard_output(refusal: Refusal, tmp_path: Path) -> None:
    file = tmp_path / "p.csv"
    file.write_text("a,b\n0.5,0.5\n", encoding="utf-8")
    options = ("--classes", "a,b", "--default-cost", "1", "-o", "-")
    assert "both use standard output" in refusal("assign", file, *options, "--json")


def test_tables_on_a_terminal_cannot_steer_it(monkeypatch: pytest.MonkeyPatch) -> None:
    runner = CliRunner()
    with runner.isolation() as (out, *_):
        monkeypatch.setattr("sys.stdout.isatty", lambda: True)
        write_csv(Path("-"), ["a\x1b[31m"], [["b\x07"], [1.5]])
        assert out.getvalue().decode() == "a\\x1b[31m\nb\\x07\n1.5\n"
