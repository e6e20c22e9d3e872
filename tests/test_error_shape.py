"""An error is data: what it holds, how it is changed, and how vocabularies render it."""

import copy
import pickle
from typing import Any

import click
import pytest

import rocch
from rocch.cli.main import INFEASIBLE, PARAMETERS, CommandLine, as_click_error
from rocch.errors import (
    Hint,
    InfeasibleError,
    InputError,
    MissingExtraError,
    RocchError,
    StorageError,
    UndefinedError,
    UntrustedError,
    missing_column,
    missing_extra,
    renamed,
)
from rocch.service.errors import REQUEST, ServiceError
from tests.support.commands import PURPOSES, loaded

COMMAND = click.Command(
    "best",
    params=[
        click.Argument(["files"], metavar="FILE...", nargs=-1),
        click.Option(["--positive"]),
        click.Option(["-l", "--label"]),
        click.Option(["--max-fpr"]),
        click.Option(["--randomize"], is_flag=True),
        click.Option(["--trust"], multiple=True),
        click.Option(["--cost-ratio"]),
    ],
)
TYPED = CommandLine(COMMAND.params)


def test_data_are_kept_as_they_are() -> None:
    error = InputError(
        "max_fpr", "be at most {limit}", 5, "Write {example}.", limit=1, example=0.05
    )
    assert (error.argument, error.requirement, error.got) == ("max_fpr", "be at most {limit}", 5)
    assert error.problem == ""
    assert str(error) == "max_fpr must be at most 1; got 5. Write 0.05."
    assert error.to_dict() == {
        "argument": "max_fpr",
        "requirement": "be at most 1",
        "got": "5",
        "hint": "Write 0.05.",
    }


def test_a_sentence_has_no_argument_and_is_taken_as_it_is() -> None:
    error = StorageError("/data/{label}/x is damaged.", hint="Restore {path}.")
    assert error.argument is None
    assert str(error) == "/data/{label}/x is damaged. Restore path."
    assert error.to_dict() == {"hint": "Restore path."}
    assert isinstance(error, OSError)


def test_each_surface_names_arguments_and_values() -> None:
    error = InputError(
        "pos_label",
        "go with {max_fpr}, as {several}",
        (10, 20.5),
        "Set {randomize=} or {cost_ratio=}.",
        several=(0.1, 0.25),
        randomize=True,
        cost_ratio=(1, 2),
    )
    assert str(error) == (
        "pos_label must go with max_fpr, as (0.1, 0.25); got (10, 20.5). "
        "Set randomize=True or cost_ratio=(1, 2)."
    )
    assert error.to_text(TYPED) == (
        "--positive must go with --max-fpr, as 0.1..0.25; got 10..20.5. "
        "Set --randomize or --cost-ratio 1..2."
    )
    assert error.to_text(REQUEST) == (
        "pos_label must go with max_fpr, as [0.1, 0.25]; got [10, 20.5]. "
        'Set "randomize": true or "cost_ratio": [1, 2].'
    )


def test_hints_may_be_for_one_surface() -> None:
    error = UndefinedError("no curve.", hint=Hint("Use points().", cli="Use rocch hull."))
    assert str(error) == "no curve. Use points()."
    assert error.to_text(TYPED) == "no curve. Use rocch hull."
    assert error.to_text(REQUEST) == "no curve."
    assert "hint" not in error.to_dict(REQUEST)
    more = error.with_hint("Or wait.")
    assert str(more) == "no curve. Use points(). Or wait."
    assert more.to_text(REQUEST) == "no curve. Or wait."
    assert str(error) == "no curve. Use points()."


def test_user_data_may_hold_braces() -> None:
    error = missing_column("{x}", ["{label}", "{a=}", "plain"])
    assert str(error) == (
        "column must name a column of the data; got '{x}'. "
        "The columns are: '{label}', '{a=}', 'plain'."
    )
    assert str(InputError("a", "b", "c", "Write {unknown=}.")) == (
        "a must b; got c. Write {unknown=}."
    )


def test_arguments_are_renamed_everywhere() -> None:
    error = InputError(
        "cases, negatives", "exceed {cases}", 3, Hint("Set {cases=}.", http="See {cases}."), cases=4
    )
    assert str(error.rename(cases="capacity")) == (
        "capacity, negatives must exceed 4; got 3. Set capacity=4."
    )
    assert error.rename(cases="capacity").to_text(REQUEST).endswith("See 4.")
    assert str(error).startswith("cases, ")
    entry = InputError("scores['nb']", "rise", "others").rename(scores="columns")
    assert entry.argument == "columns['nb']"
    assert UndefinedError("metric is undefined.").rename(metric="x").argument is None


def test_errors_inside_are_renamed_and_keep_their_traceback() -> None:
    with pytest.raises(InputError) as raised, renamed(cases="capacity"):
        rocch.Capacity(-1, positives=1, negatives=1)
    assert raised.value.argument == "capacity"
    assert any(entry.name == "as_number" for entry in raised.traceback)
    with renamed(cases="capacity"):
        assert rocch.Capacity(1, positives=1, negatives=1).cases == 1


def test_an_error_says_where_it_occurred() -> None:
    error = InputError("max_fpr", "be given", "none").inside("row 3")
    assert str(error) == "in row 3, max_fpr must be given; got none."
    assert error.to_text(TYPED) == "in row 3, --max-fpr must be given; got none."


@pytest.mark.parametrize(
    "error",
    [
        InputError("a", "be {b}", (1, 2), Hint("c", cli="d"), b=3).inside("e"),
        UntrustedError("no.", hint="Use {trusted=}.", trusted=["x.Y"]),
        StorageError("no room.", hint="Free some."),
        missing_extra("plot", "Drawing"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_errors_travel_between_processes(error: RocchError) -> None:
    for twin in (pickle.loads(pickle.dumps(error)), copy.copy(error)):  # noqa: S301 - our own
        assert type(twin) is type(error)
        assert str(twin) == str(error)
        assert twin.to_text(TYPED) == error.to_text(TYPED)
        assert vars(twin) == vars(error)


def test_types_to_trust_are_data() -> None:
    error = UntrustedError("unknown types.", hint="Name them: {trusted=}", trusted=["a.B", "c.D e"])
    assert error.types == ("a.B", "c.D e")
    assert str(error) == "unknown types. Name them: trusted=['a.B', 'c.D e']"
    assert error.to_text(TYPED) == "unknown types. Name them: --trust a.B --trust 'c.D e'"
    assert UntrustedError("unknown types.").types == ()


def test_a_missing_extra_is_an_import_error() -> None:
    error = missing_extra("plot", "Drawing")
    assert isinstance(error, MissingExtraError | ImportError)
    assert error.to_dict() == {"hint": "Install it with: pip install 'rocch[plot]'"}


@pytest.mark.parametrize(
    ("argument", "written"),
    [
        ("y_true", "--label"),
        ("frame", "FILE"),
        ("costs", "the costs"),
        ("fold_rows", "fold rows"),
        ("the model", "the model"),
        ("scores['a, b']", "column 'a, b'"),
        ("y_proba['lr']", "the probabilities"),
        ("thresholds['nb']", "thresholds 'nb'"),
        ("max_fpr, randomize", "--max-fpr, --randomize"),
    ],
)
def test_the_options_of_the_command_name_arguments(argument: str, written: str) -> None:
    assert TYPED.arguments(argument) == written


def test_every_other_name_of_an_argument_is_a_parameter_of_some_command() -> None:
    parameters = {each.name for name in PURPOSES for each in loaded(name).params}
    for argument, others in PARAMETERS.items():
        assert set(others) <= parameters, argument
        assert argument not in others


@pytest.mark.parametrize(("value", "written"), [(True, "--randomize"), (False, "no --randomize")])
def test_flags_have_no_value(value: bool, written: str) -> None:
    assert TYPED.setting("randomize", value) == written


@pytest.mark.parametrize(
    ("value", "python", "typed", "sent"),
    [
        (True, "True", "true", "true"),
        ("text", "text", "text", "text"),
        (("a", "b"), "('a', 'b')", "('a', 'b')", "('a', 'b')"),
        ((0.1, 1234567.25), "(0.1, 1234567.25)", "0.1..1234567.25", "[0.1, 1234567.25]"),
        ((1, float("inf")), "(1, inf)", "1..inf", "[1, inf]"),
    ],
)
def test_values(value: Any, python: str, typed: str, sent: str) -> None:
    error = InputError("a", "b", value)
    texts = [error.to_dict(), error.to_dict(TYPED), error.to_dict(REQUEST)]
    assert [each["got"] for each in texts] == [python, typed, sent]


def test_the_command_line_ends_with_a_status_by_the_kind_of_error() -> None:
    assert as_click_error(InfeasibleError("none."), COMMAND).exit_code == INFEASIBLE
    assert as_click_error(UndefinedError("none."), None).exit_code == 2


@pytest.mark.parametrize("name", ["", "a[b]", "a['b", "{x}", "[", "a, b"])
def test_names_that_users_make_up_are_no_trouble(name: str) -> None:
    error = InputError(name, "be a known name", repr(name))
    assert str(error) == f"{name} must be a known name; got {name!r}."
    assert error.to_text(TYPED).endswith(" must be a known name; got " + repr(name) + ".")
    assert ServiceError.of(error).message.endswith(" must be a known name; got " + repr(name) + ".")


def test_requests_get_the_parts_of_an_error() -> None:
    refused = ServiceError.of(InputError("scores['nb']", "rise", "x" * 500, "Sort them."))
    assert (refused.status, refused.code, refused.argument) == (422, "bad_input", "scores.nb")
    assert refused.parts == {"requirement": "rise", "got": "x" * 200 + " ...", "hint": "Sort them."}
    assert refused.message == f"scores.nb must rise; got {'x' * 200} .... Sort them."
