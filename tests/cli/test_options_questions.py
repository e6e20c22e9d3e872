"""Every field of a question, and combinations of them, asked by every command that takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
import pytest
from click.testing import CliRunner

import rocch
from rocch.cli.main import cli
from rocch.library.library import ClassifierLibrary
from rocch.numbers import significant
from rocch.roc.question_table import REFERRAL
from tests.support.commands import PURPOSES, loaded
from tests.support.questions import (
    QUESTIONS,
    REFERRALS,
    UNCERTIFIED,
    as_options,
    ask,
    best,
    refer,
    rows,
    write_csv,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import Answer, Refusal

# The commands that answer a question.
ANSWERING = ("best", "library best", "report", "serve")

ALL = {**QUESTIONS, **UNCERTIFIED}
every_question = pytest.mark.parametrize("texts", ALL.values(), ids=ALL.keys())


@pytest.fixture(scope="module")
def csv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_csv(tmp_path_factory.mktemp("questions"))


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("questions") / "library"
    y, scores = rows()
    with ClassifierLibrary.create(folder) as made:
        for name, column in scores.items():
            made.add(rocch.RocCurve.from_scores(y, column, name=name))
    return folder


@pytest.fixture
def printed() -> Callable[..., str]:
    """Return a function that runs a command in this process and returns its text."""

    def run(*arguments: object) -> str:
        result = CliRunner().invoke(cli, list(map(str, arguments)), catch_exceptions=False)
        assert result.exit_code == 0, result.stderr
        return result.stdout

    return run


def test_the_questions_use_every_field() -> None:
    used = set().union(*QUESTIONS.values(), *REFERRALS.values())
    assert used == {each.name for each in rocch.Question.fields()}


@pytest.mark.parametrize("name", ANSWERING)
def test_a_command_has_an_option_for_every_field(name: str) -> None:
    options = {each.name: each for each in loaded(name).params if isinstance(each, click.Option)}
    for each in rocch.Question.fields():
        if each.name in REFERRAL and name in ("best", "library best"):
            assert each.name not in options  # rocch refer has it
            continue
        option = options[each.name]
        assert option.opts == [f"--{each.name.replace('_', '-')}"]
        assert option.help == each.help
        assert option.is_flag == (each.kind == "flag")
        assert not option.required


# Commands without a question, whose options may have names of its fields.
OTHERS = ("auc", "demo", "power")


def test_options_of_fields_are_the_same_wherever_they_stand() -> None:
    fields = {each.name: each for each in rocch.Question.fields()}
    seen = set()
    for name in PURPOSES:
        for option in loaded(name).params:
            if isinstance(option, click.Option) and option.name in fields and name not in OTHERS:
                assert option.help == fields[option.name].help, (name, option.name)
                seen.add(name)
    assert {*ANSWERING, "compare", "refer", "library init", "library prune"} == seen


@every_question
def test_best_answers_as_in_python_and_says_which_rows_limits_are_about(
    texts: dict[str, str],
    csv: Path,
    answer: Answer,
    printed: Callable[..., str],
    jsonable: Callable[[Any], Any],
) -> None:
    command = ("best", csv, "--label", "label", *as_options(texts))
    text, found, wanted = printed(*command), answer(*command), best(texts)
    choice = found["choice"]
    assert choice["rule"] == wanted.rule()
    for name in ("fpr", "tpr", "objective", "value", "expected_cost"):
        assert choice[name] == jsonable(getattr(wanted, name)), name
    assert rocch.Question.from_dict(found["question"]).given.items() >= {
        (name, value) for name, value in ask(texts).given.items() if value != "observed"
    }
    limited = any(each.group == "limits" for each in ask(texts).given_fields)
    assert ("counted on the evaluation rows" in text) == (limited and "confidence" not in texts)
    assert (choice["guarantee"] is not None) == ("confidence" in texts)
    if choice["guarantee"] is not None:
        assert "on new rows, with 95% confidence" in text
        assert str(wanted.guarantee) in text
        assert choice["guarantee"]["models"] == 3


@pytest.mark.parametrize("texts", REFERRALS.values(), ids=REFERRALS.keys())
def test_refer_answers_as_in_python(
    texts: dict[str, str], csv: Path, answer: Answer, printed: Callable[..., str]
) -> None:
    command = ("refer", csv, "--label", "label", *as_options(texts))
    answered, wanted = answer(*command), refer(texts)
    found = answered["referral"]
    assert found["rule"] == wanted.rule()
    for name in ("referred", "fpr", "fnr", "wrong_among_decided", "expected_cost", "saves"):
        assert found[name] == getattr(wanted, name), name
    rule = rocch.hybrid.ReferralRule.from_referral(wanted, positive="1", negative="0")
    assert answered["sql"] == rule.to_sql()
    text = printed(*command)
    assert rule.to_sql() in text
    assert f"{wanted.referred:.4f}" in text
    assert wanted.note.lower() in text.lower()
    plain = wanted.plain.on_new_rows.expected
    assert plain is not None
    there = f"If every case is decided, expect {significant(plain, 3)} there."
    assert (there in " ".join(text.split())) == wanted.refers
    costs = "false_positive" in texts
    assert (("errors per case" in text), ("cost per case" in text)) == (not costs, costs)
    assert ("A referred case counts as 0." in text) == (wanted.refers and wanted.cost is None)


@every_question
def test_a_library_answers_as_in_python(
    texts: dict[str, str], library: Path, answer: Answer
) -> None:
    found = answer("library", "best", library, *as_options(texts))["choice"]
    wanted = best(texts)
    assert found["rule"] == wanted.rule()
    assert (found["fpr"], found["tpr"]) == (wanted.fpr, wanted.tpr)


@every_question
def test_a_report_answers_as_in_python(texts: dict[str, str], csv: Path, answer: Answer) -> None:
    options = ("--format", "json", "--resamples", "0")
    found = answer("report", csv, "--label", "label", *options, *as_options(texts))
    wanted = best(texts)
    point = found["binary"]["answer"]
    assert (point["fpr"], point["tpr"]) == (wanted.fpr, wanted.tpr)
    assert found["question"] == {**ask(texts).to_dict(), **found["question"]}


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        ({"prevalence": "5", "cost_ratio": "2"}, ("--prevalence", "5% is 0.05")),
        ({"max_fpr": "5..10%"}, ("--max-fpr must be a number", "5..10%")),
        ({"knob": "0.5", "max_fpr": "0.1"}, ("--knob must stand alone, without --max-fpr",)),
        ({"prevalence": "150%", "cost_ratio": "2"}, ("--prevalence must be at most 100%",)),
        ({"cost_ratio": "a"}, ("--cost-ratio must be a number or an interval; got 'a'",)),
        ({"cost_ratio": "-5"}, ("--cost-ratio", "not negative; got -5.")),
        ({"cost_ratio": "1e200"}, ("--cost-ratio", "from 0 to 1e+100")),
        ({"likely": "5"}, ("--likely must be given with --cost-ratio to have an effect",)),
        ({"capacity": "5"}, ("--capacity", "--population")),
        ({"maximize": "auc"}, ("--maximize", "precision, lift")),
        ({"confidence": "0.9"}, ("--confidence must be given with one of", "--max-fpr")),
        ({"max_fpr": "0.1", "confidence": "1"}, ("--confidence", "between 0 and 1")),
        (
            {"max_fpr": "0.1", "confidence": "0.9", "randomize": "true"},
            ("--randomize must be left out beside --confidence",),
        ),
        ({}, ("the question must state", "--false-positive", "--maximize")),
    ],
)
@pytest.mark.parametrize("command", ["best", "library best"])
def test_a_bad_question_is_refused_with_the_names_of_options(
    command: str,
    texts: dict[str, str],
    words: tuple[str, ...],
    csv: Path,
    library: Path,
    refusal: Refusal,
) -> None:
    where: tuple[object, ...] = (csv, "--label", "label") if command == "best" else (library,)
    line = refusal(*command.split(), *where, *as_options(texts))
    for each in words:
        assert each in line


def test_too_few_rows_for_a_guarantee_are_an_error_that_says_how_many_would_do(
    csv: Path, refusal: Refusal
) -> None:
    texts = {"max_fpr": "1%", "confidence": "95%"}
    line = refusal("best", csv, "--label", "label", *as_options(texts), status=3)
    assert "at least 408 negatives (there are 120)" in line  # log(0.05 / 3) / log(0.99)
    assert "lower --confidence" in line


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        ({}, "--refer-cost must be given, or --max-referred, or --max-wrong"),
        ({"refer_cost": "0.2"}, "--refer-cost must be given with"),
        ({"max_wrong": "a"}, "--max-wrong must be a number"),
        ({"cost_ratio": "5..10"}, "costs as numbers (--false-positive, --false-negative"),
    ],
)
def test_a_bad_referral_is_refused_with_the_names_of_options(
    texts: dict[str, str], words: str, csv: Path, refusal: Refusal
) -> None:
    assert words in refusal("refer", csv, "--label", "label", *as_options(texts))
