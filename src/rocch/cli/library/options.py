"""Options that several commands of a library share."""

from __future__ import annotations

import json
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rocch.cli.question import BOUNDS, question_options

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rocch.roc.conditions import Conditions
    from rocch.roc.question import Question

    Command = Callable[..., Any]

folder_argument = click.argument(
    "folder", metavar="DIR", type=click.Path(path_type=Path, readable=False)
)
by_option = click.option("--by", help="Who does it.  [default: the present user]")
note_option = click.option("--note", default="", help="A note to remember.")
trust_option = click.option(
    "--trust",
    multiple=True,
    metavar="TYPE",
    help="Accept this type in a model, beside those on the allow-list; may be repeated.",
)
digest_option = click.option(
    "--digest",
    metavar="SHA256",
    help="The model file's digest, recorded when it was saved; boosters of LightGBM and XGBoost "
    "are read only with it.",
)


def about_options(command: Command) -> Command:
    """Add what is said about classifiers; the command gets it all as `about`."""

    @wraps(command)
    def with_about(
        by: str | None, tag: tuple[str, ...], parameter: tuple[str, ...], note: str, **rest: Any
    ) -> Any:
        if not all(one.strip() for one in tag):
            raise click.UsageError("--tag must be a text that is not empty; got ''. Leave it out.")
        about = {"by": by, "tags": tag, "parameters": read_parameters(parameter), "note": note}
        return command(about=about, **rest)

    wrapped: Command = with_about
    for add in (
        by_option,
        note_option,
        click.option(
            "--parameter",
            multiple=True,
            metavar="KEY=VALUE",
            help="A parameter to remember, such as max_depth=3; may be repeated.",
        ),
        click.option("--tag", multiple=True, help="A tag to find it by; may be repeated."),
    ):
        wrapped = add(wrapped)
    return wrapped


def read_parameters(pairs: Sequence[str]) -> dict[str, Any]:
    """Read KEY=VALUE; a value that is JSON is taken as such, anything else as a text."""
    read: dict[str, Any] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not (key and equals):
            raise click.UsageError(f"--parameter must be KEY=VALUE; got {pair!r}.")
        if key in read:
            raise click.UsageError(f"--parameter names {key!r} twice. Keep one.")
        read[key] = _value(value)
    return read


def _value(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError):
        return text


def _no_number(text: str) -> None:
    raise ValueError(text)  # NaN and infinities are no JSON, although Python reads them


def bounds_options(command: Command) -> Command:
    """Add bounds on conditions; the command gets them as `within`, None if none were given."""

    @wraps(command)
    def with_bounds(question: Question, **given: Any) -> Any:
        return command(within=_bounds(question), **given)

    return question_options(BOUNDS)(with_bounds)


def _bounds(question: Question) -> Conditions | None:
    from rocch.roc.conditions import OBSERVED

    if question and (question.conditions is None or question.balance == OBSERVED):
        raise click.UsageError(
            "bounds need both costs, --false-positive and --false-negative, and the class balance "
            "in numbers (--prevalence): they bound the slopes only together."
        )
    return question.conditions
