"""How errors are worded for people who type commands: by the options of the command."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import click

from rocch.errors import InfeasibleError, RocchError, Vocabulary

if TYPE_CHECKING:
    from collections.abc import Sequence

# The parameters that an argument of Python may come from, where the names differ. The first one
# that the command has is the one.
PARAMETERS = {
    "X": ("file", "files"),
    "columns": ("file", "files"),
    "default": ("default_cost",),
    "estimators": ("models", "model"),
    "folds": ("fold",),
    "frame": ("files",),
    "name": ("names",),
    "parameters": ("parameter",),
    "path": ("folder", "files"),
    "pos_label": ("positive",),
    "row_ids": ("row",),
    "sample_weight": ("weight",),
    "tags": ("tag",),
    "trusted": ("trust",),
    "y": ("label",),
    "y_true": ("label",),
}

# What comes from several options together.
WORDS = {
    "classifiers": "the classifiers",
    "costs": "the costs",
    "names": "the names",
    "question": "the question",
    "within": "the bounds",
    "y_proba": "the posteriors",
}

# The status to end with where no choice meets the limits.
INFEASIBLE = 3


class NoChoice(click.ClickException):
    """Nothing on offer keeps the limits."""

    exit_code = INFEASIBLE


class CommandLine(Vocabulary):
    """The words of one command: its options, and its arguments in capitals."""

    surface = "cli"

    def __init__(self, parameters: Sequence[click.Parameter]) -> None:
        self._parameters = {each.name: each for each in parameters}

    def name(self, argument: str) -> str:
        """Return the option that an argument's value comes from."""
        if argument in WORDS:
            return WORDS[argument]
        found = self._find(argument)
        if found is not None:
            return _written(found)
        return argument.replace("_", " ") if argument.isidentifier() else argument

    def entry(self, argument: str, key: str) -> str:
        """Return the column of a classifier."""
        if argument == "scores":
            return f"column {key}"
        return self.name(argument) if argument == "y_proba" else f"{self.name(argument)} {key}"

    def setting(self, argument: str, value: object) -> str:
        """Return the option with its value, ready to be pasted."""
        name, found = self.name(argument), self._find(argument)
        if isinstance(found, click.Option) and found.is_flag and not value:
            return f"no {name}"
        if isinstance(value, bool):
            return name
        values = value if isinstance(value, list) else [value]
        return " ".join(f"{name} {shlex.quote(self.value(each))}" for each in values)

    def interval(self, low: str, high: str) -> str:
        """Return an interval as it is typed."""
        return f"{low}..{high}"

    def value(self, value: object) -> str:
        """Return a value as it is typed."""
        return str(value).lower() if isinstance(value, bool) else super().value(value)

    def _find(self, argument: str) -> click.Parameter | None:
        candidates = (argument, *PARAMETERS.get(argument, ()))
        return next((self._parameters[n] for n in candidates if n in self._parameters), None)


def _written(parameter: click.Parameter) -> str:
    if isinstance(parameter, click.Argument):
        return parameter.human_readable_name.strip("[].")
    return max(parameter.opts, key=len)


def as_click_error(error: RocchError, command: click.Command | None) -> click.ClickException:
    """Return an error as the command line reports it."""
    message = error.to_text(CommandLine(command.params if command else ()))
    return NoChoice(message) if isinstance(error, InfeasibleError) else click.UsageError(message)
