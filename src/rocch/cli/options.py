"""Options that several commands share, in the same words."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable


def interval(text: str) -> tuple[float, float]:
    """Read a number, or an interval written 10..20, as a pair of bounds."""
    try:
        ends = [float(end) for end in text.split("..")]
    except ValueError:
        ends = []
    if len(ends) not in (1, 2):
        raise click.BadParameter(f"{text!r} is neither a number nor an interval such as 10..20.")
    if ends[0] > ends[-1]:
        low_first = "..".join(reversed(text.split("..")))
        raise click.BadParameter(f"{text!r} must run from low to high. Write {low_first}.")
    return ends[0], ends[-1]


def share(text: str) -> str | tuple[float, float]:
    """Read a prevalence: the word 'observed', a number or an interval."""
    return text if text == "observed" else interval(text)


INTERVAL: dict[str, Any] = {"type": interval, "metavar": "LOW..HIGH"}
"""What makes an option take a number or an interval."""


def balance_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the two ways to state the class balance."""
    for add in (
        click.option("--negatives-per-positive", **INTERVAL, help="Class balance: 5 or 4..6."),
        click.option(
            "--prevalence",
            type=share,
            metavar="LOW..HIGH",
            help="Share of positives: 0.1, 0.1..0.2 or 'observed'.",
        ),
    ):
        command = add(command)
    return command


def data_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the file, its label column, the positive class and the score columns."""
    for add in (
        click.option("--json", "as_json", is_flag=True, help="Print JSON for programs."),
        click.option(
            "--scores",
            metavar="A,B,...",
            help="Columns with scores, comma-separated.  [default: every other numeric column]",
        ),
        click.option("--positive", help="The positive class, where it is not 1 or true."),
        click.option("--label", required=True, help="The column with the true classes."),
        click.argument("file", type=click.Path(path_type=Path)),
    ):
        command = add(command)
    return command
