"""What is stated about named classes on the command line: costs, shares and limits."""

from __future__ import annotations

from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rocch.cli.question import FieldOption, add_fields
from rocch.errors import InputError, format_list
from rocch.numbers import parse_interval
from rocch.roc.question_table import CLASS_QUESTION_FIELDS

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocch.multiclass.classes import Pair
    from rocch.multiclass.question import ClassQuestion

    Command = Callable[..., Any]


def class_question_options(command: Command) -> Command:
    """Add costs and shares of classes; the command gets `class_question` and `costs_file`."""

    @wraps(command)
    def with_question(costs_file: Path | None, **given: Any) -> Any:
        from rocch.multiclass.question import ClassQuestion

        texts = {each.name: given.pop(each.name) for each in CLASS_QUESTION_FIELDS}
        texts["costs"] = ",".join(texts["costs"])
        stated = {name: text for name, text in texts.items() if text not in (None, "")}
        question = ClassQuestion.from_strings(stated)
        return command(class_question=question, costs_file=costs_file, **given)

    file = click.option(
        "--costs-file",
        cls=FieldOption,
        group="classes",
        type=click.Path(path_type=Path),
        help="Costs in a file: columns truth, prediction, cost (or low, high); or a square table "
        "whose first column is named truth.",
    )
    return file(add_fields(with_question, CLASS_QUESTION_FIELDS, group="classes"))


def add_costs_of_file(question: ClassQuestion, file: Path | None) -> ClassQuestion:
    """Return the question with the costs of a file too; each cost may be stated once."""
    from dataclasses import replace

    if file is None:
        return question
    found, stated = _read_costs(file), dict(question.costs or {})
    twice = [">".join(map(str, pair)) for pair in stated if pair in found]
    if twice:
        raise InputError(
            "costs", "state each cost once", f"{format_list(twice)} in {file.name} too"
        )
    return replace(question, costs=found | stated)


def read_limit(text: str) -> tuple[Pair | str, float]:
    """Read a limit on one error, cat>dog=0.05, or on all misses of a class, cat=0.1."""
    what, _, value = text.rpartition("=")
    rate = parse_interval(value, is_share=True)
    if not what.strip() or not isinstance(rate, float):
        raise InputError(
            "limits",
            "be a name and a rate",
            repr(text),
            "For example: 'cat>dog=0.05' (truth first), or 'cat=0.1' for all misses of a class.",
        )
    from rocch.multiclass.question import parse_pair

    return (parse_pair(what, text, "limits") if ">" in what else what.strip()), rate


def _read_costs(file: Path) -> dict[Pair, Any]:
    from rocch.cli.data import TableSource, whole_table
    from rocch.cli.table import text_of
    from rocch.multiclass.costs import PREDICTION, TRUTH, entries_of_columns

    columns = whole_table(TableSource(file, "--costs-file"))
    for name, column in columns.items():
        if name in (TRUTH, PREDICTION):
            columns[name] = [text_of(value) for value in column]
        else:
            columns[name] = [_read_cell(text_of(value), name) for value in column]
    return entries_of_columns(columns, "costs_file")


def _read_cell(text: str, column: str) -> Any:
    if not text:
        return None
    bounds = parse_interval(text)
    if bounds is None:
        got = f"{text!r} in column {column!r}"
        raise InputError("costs_file", "hold numbers or intervals such as 10..20", got)
    return bounds
