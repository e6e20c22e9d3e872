"""Refusing columns that are not there, that were named twice, or whose names have several lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocch.errors import InputError, is_single_line, missing_column
from rocch.inputs import find_duplicates

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def need_column(names: Sequence[str], name: str, argument: str) -> None:
    """Refuse a column that is not there."""
    if name not in names:
        error = missing_column(name, names, argument)
        if len(names) == 1:
            raise error.with_hint("There is only one: say --delimiter if it should be cut.")
        raise error


def check_distinct(argument: str, names: Sequence[str]) -> None:
    """Refuse a name that was given twice."""
    twice = find_duplicates(names)
    if twice:
        raise InputError(argument, "have distinct columns", f"{twice[0]!r} twice", "Leave one out.")


def check_lines(names: Iterable[str], what: str = "classifier", argument: str = "FILE") -> None:
    """Refuse names that could write lines of their own among those of results."""
    for name in names:
        if not is_single_line(name):
            raise InputError(
                argument, f"name each {what} in one line", repr(name), "Rename it in the file."
            )
