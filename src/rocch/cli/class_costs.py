"""What is said about named classes on the command line: costs, shares and limits.

A cost names the truth first and then the answer, `cat>dog=3`: a cat that is answered "dog" costs 3.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rocch.cli.options import INTERVAL, interval

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rocch.multiclass.costs import CostMatrix

    Pair = tuple[str, str]

SHARE = re.compile(r"\s*(?P<name>.+?)\s*=\s*(?P<share>[^=,]+)(?:,|$)")


def cost(text: str) -> tuple[Pair, tuple[float, float]]:
    """Read a cost such as cat>dog=3, or cat>dog=10..20."""
    what, _, value = text.rpartition("=")
    return _pair(what, text, "cat>dog=3"), interval(value)


def limit(text: str) -> tuple[Pair | str, float]:
    """Read a limit on one error, cat>dog=0.05, or on all misses of a class, cat=0.1."""
    what, _, value = text.rpartition("=")
    key = _pair(what, text, "cat>dog=0.05") if ">" in what else what.strip()
    try:
        number = float(value)
    except ValueError:
        key = ""
    if not key:
        raise click.BadParameter(
            f"{text!r} is no limit such as 'cat>dog=0.05' (truth first, then the answer), or "
            "'cat=0.1' for all misses of a class. Put it in quotes, as shells read > otherwise."
        )
    return key, number


def shares(text: str) -> str | dict[str, tuple[float, float]]:
    """Read shares of classes such as cat=0.2,dog=0.8, or the word 'observed'."""
    if text == "observed":
        return text
    found = list(SHARE.finditer(text))
    if not found or "".join(each.group() for each in found) != text:
        raise click.BadParameter(f"{text!r} does not name shares such as 'cat=0.2,dog=0.8'.")
    given = [(each["name"], interval(each["share"])) for each in found]
    if len(dict(given)) < len(given):
        raise click.BadParameter(f"{text!r} names a class twice.")
    return dict(given)


def _pair(what: str, text: str, example: str) -> Pair:
    truth, *rest = (part.strip() for part in what.split(">"))
    if len(rest) > 1:
        raise click.BadParameter(
            f"{text!r} has more than one '>'. Classes with such names are best put in a file."
        )
    if not rest or not truth or not rest[0]:
        raise click.BadParameter(
            f"{text!r} is not of the form '{example}': truth first, then the answer. Put it in "
            "quotes, as shells read > otherwise."
        )
    return truth, rest[0]


def cost_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the ways to state what errors cost."""
    for add in (
        click.option("--default-cost", **INTERVAL, help="Cost of all errors that are not stated."),
        click.option(
            "--cost",
            "stated",
            type=cost,
            multiple=True,
            metavar="TRUTH>ANSWER=COST",
            help="Cost of one error, truth first: 'cat>dog=3'. May be given often.",
        ),
        click.option(
            "--costs",
            "costs_file",
            type=click.Path(path_type=Path),
            help="Costs in a file: columns truth, prediction, cost (or low, high); or a square "
            "table whose first column is named truth.",
        ),
    ):
        command = add(command)
    return command


def costs_from(
    file: Path | None,
    stated: Iterable[tuple[Pair, tuple[float, float]]],
    default: tuple[float, float] | None,
    classes: Iterable[str] | None = None,
) -> CostMatrix | None:
    """Return what was said about costs, if anything was; each cost may be said once."""
    from rocch.multiclass.costs import CostMatrix

    entries: dict[Pair, Any] = {} if file is None else _entries_of_file(file)
    for pair, value in stated:
        if pair in entries:
            raise click.UsageError(f"the cost of {'>'.join(pair)!r} is stated twice. Keep one.")
        entries[pair] = value
    if not entries and default is None:
        return None
    if not entries and classes is None:
        raise click.UsageError(
            "--default-cost alone does not say what the classes are: name them with --classes."
        )
    names = None if classes is None else list(classes)
    return CostMatrix(entries, classes=names, default=default)


def _entries_of_file(file: Path) -> dict[Pair, Any]:
    from rocch.cli.reading.columns import text_of
    from rocch.cli.reading.formats import whole_table
    from rocch.cli.reading.table_file import TableFile
    from rocch.multiclass.costs import PREDICTION, TRUTH, entries_of_columns

    columns = whole_table(TableFile(file, "--costs"))
    for name, column in columns.items():
        if name in (TRUTH, PREDICTION):
            columns[name] = [text_of(value) for value in column]
        else:
            columns[name] = [_cell(text_of(value), name) for value in column]
    if {"low", "high"} <= set(columns):
        for bound in ("low", "high"):
            columns[bound] = [cell and cell[0] for cell in columns[bound]]
    return entries_of_columns(columns, "--costs")


def _cell(text: str, column: str) -> tuple[float, float] | None:
    from rocch.errors import InputError

    try:
        return interval(text) if text else None
    except click.BadParameter as error:
        raise InputError(
            "--costs",
            "hold numbers or intervals such as 10..20",
            f"{text!r} in column {column!r}",
            error.message,
        ) from None
