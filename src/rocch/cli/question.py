"""The options that state a question, made of the question's own fields."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from rocch.roc.question_table import METRIC_NAMES, QUESTION_FIELDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rocch.roc.question import Question
    from rocch.roc.question_table import FieldData

    Command = Callable[..., Any]

# The fields that bound conditions, and those that state a belief.
BALANCE = ("prevalence", "negatives_per_positive")
BOUNDS = (*BALANCE, "false_positive", "false_negative", "true_positive", "true_negative")
BELIEF = (*BALANCE, "cost_ratio", "likely")

TITLES = {
    "balance": "Class balance",
    "costs": "Costs",
    "belief": "A belief about costs",
    "limits": "Limits",
    "goal": "Other aims",
    "classes": "More than two classes",
}
METAVARS = {
    "share": "SHARE",
    "shares": "LOW..HIGH",
    "range": "LOW..HIGH",
    "ratio": "LOW..HIGH",
    "number": "NUMBER",
    "metric": "NAME",
    "costs": "TRUTH>PREDICTION=COST",
    "priors": "CLASS=SHARE,...",
}


class FieldOption(click.Option):
    """An option that states a field of a question."""

    def __init__(self, *declarations: Any, group: str, **settings: Any) -> None:
        super().__init__(*declarations, **settings)
        self.group = group


class QuestionCommand(click.Command):
    """A command that lists the options of a question under titles of their own."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the sections of the options."""
        titles = ("Options", *TITLES.values())
        sections: dict[str, list[tuple[str, str]]] = {title: [] for title in titles}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and not isinstance(parameter, click.Argument):
                title = TITLES.get(getattr(parameter, "group", ""), "Options")
                sections[title].append(record)
        for title, records in sections.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


def question_options(names: Iterable[str] | None = None) -> Callable[[Command], Command]:
    """Add an option for each field, or for those named; the command gets `question`."""
    chosen = [each for each in QUESTION_FIELDS if names is None or each.name in names]

    def decorate(command: Command) -> Command:
        @wraps(command)
        def with_question(**given: Any) -> Any:
            values = {each.name: given.pop(each.name) for each in chosen}
            return command(question=read_question(values), **given)

        return add_fields(with_question, chosen)

    return decorate


def add_fields(command: Command, fields: Iterable[FieldData], group: str = "") -> Command:
    """Add an option for each field."""
    for each in reversed(list(fields)):
        kind: dict[str, Any] = {"metavar": METAVARS.get(each.kind)}
        if each.kind == "flag":
            kind = {"is_flag": True}
        elif each.kind == "metric":
            kind["shell_complete"] = _complete_metrics
        elif each.kind == "costs":
            kind["multiple"] = True
        option = f"--{each.name.replace('_', '-')}"
        about: dict[str, Any] = {
            "cls": FieldOption,
            "group": group or each.group,
            "help": each.help,
        }
        command = click.option(option, each.name, **about, **kind)(command)
    return command


def read_question(values: dict[str, Any]) -> Question:
    """Return the question that options state; flags are yes or no, all others texts."""
    from rocch.roc.question import Question

    texts = {name: str(value) for name, value in values.items() if value not in (None, False)}
    return Question.from_strings(texts)


def check_question(question: Question) -> None:
    """Refuse a question that makes no sense, before a long file is read."""
    from rocch.roc.operating_point import ClassTotals

    # the real class balance is not known yet, and no check depends on it
    _ = question.resolve(ClassTotals(1, 1)).criterion


def _complete_metrics(
    ctx: click.Context,  # noqa: ARG001 - click's signature
    parameter: click.Parameter,  # noqa: ARG001
    incomplete: str,
) -> list[str]:
    return [name for name in METRIC_NAMES if name.startswith(incomplete)]
