"""Errors and warnings, and helpers for their messages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from copy import copy
from difflib import get_close_matches
from typing import Self

# The name of an argument in a message.
PLACEHOLDER = re.compile(r"\{(\w+)\}")

# Control characters other than line breaks, line separators, marks that change the direction of
# text, and bytes of file names that are not text.
CONTROLS = re.compile(
    r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


class RocchError(Exception):
    """Base class of all errors."""


class InputError(RocchError, ValueError):
    """An argument, or data, that cannot be used.

    Other arguments are named in braces in the requirement and the hint, so that a command line or
    a service can rename them.

    Parameters
    ----------
    argument
        What is at fault. Alone, it is the whole message.
    requirement
        The text after "must".
    got
        What was passed.
    hint
        What to do about it.

    Examples
    --------
    >>> from rocch.errors import InputError
    >>> error = InputError("prevalence", "be given without {belief}", "both", "Leave one out.")
    >>> print(error)
    prevalence must be given without belief; got both. Leave one out.
    >>> print(error.to_text(lambda name: f"--{name}"))
    --prevalence must be given without --belief; got both. Leave one out.
    """

    # Where the argument occurs, if not in the call itself.
    where: str = ""

    def __init__(
        self, argument: str, requirement: str = "", got: object = "", hint: str = ""
    ) -> None:
        super().__init__(argument, requirement, str(got), hint)
        self.requirement, self.got, self.hint = requirement, str(got), hint
        self.argument = argument if requirement else None

    def inside(self, where: str) -> Self:
        """Return the same error with a note where the argument occurs."""
        error = copy(self)
        error.where = where
        return error

    def to_text(self, name_of: Callable[[str], str]) -> str:
        """Return the message with arguments renamed."""
        place = f"in {self.where}, " if self.where else ""
        if self.argument is None:
            return place + str(self.args[0])
        requirement, hint = (
            PLACEHOLDER.sub(lambda found: name_of(found[1]), text)
            for text in (self.requirement, self.hint)
        )
        message = f"{place}{name_of(self.argument)} must {requirement}; got {self.got}."
        return f"{message} {hint}" if hint else message

    def __str__(self) -> str:
        return self.to_text(lambda name: name)


class LengthError(InputError):
    """Data that do not have one value for each row."""


class CallError(InputError, TypeError):
    """A call with wrong arguments."""


class UntrustedError(InputError):
    """Types in a model file that need the caller's trust, listed in `types`."""

    def __init__(self, problem: str, types: Iterable[str]) -> None:
        super().__init__(problem)
        self.types = tuple(types)
        self.args = (problem, self.types)

    def __str__(self) -> str:
        return f"{self.args[0]} trusted={list(self.types)!r}."

    @property
    def typed(self) -> str:
        """The message for a command line, with options to paste."""
        return " ".join([self.args[0], *(f"--trust {kind}" for kind in self.types)])


class StorageError(RocchError, OSError):
    """A library or a record on disk that cannot be read or written."""


class UndefinedError(RocchError, ArithmeticError):
    """A quantity without a value here; it is never returned as NaN."""


class InfeasibleError(RocchError):
    """A criterion that no available choice can meet."""


class GuaranteeError(RocchError):
    """A question that the hull does not guarantee to answer best."""


class AssumptionError(RocchError):
    """A result whose assumption the data contradict or cannot confirm."""


class MissingExtraError(RocchError, ImportError):
    """An optional dependency that is not installed."""


class RocchWarning(UserWarning):
    """Base class of all warnings."""


class ModelVersionWarning(RocchWarning):
    """A model saved with other versions of its dependencies."""


class SampleWeightWarning(RocchWarning):
    """Classifiers that cannot be fitted with sample weights."""


class SurfaceWarning(RocchWarning):
    """A surface that was not searched because there are too many classes."""


class ScoreScaleWarning(RocchWarning):
    """Scores on different scales that share one threshold."""


def missing_column(column: str, existing: Iterable[str], argument: str = "column") -> InputError:
    """Return the error for an unknown column, listing the existing ones."""
    return InputError(
        argument,
        "name a column of the data",
        repr(column),
        f"The columns are: {', '.join(map(repr, existing))}.",
    )


def missing_extra(extra: str, purpose: str) -> MissingExtraError:
    """Return the error for an extra that is not installed."""
    return MissingExtraError(
        f"{purpose} needs the '{extra}' extra, which is not installed. "
        f"Install it with: pip install 'rocch[{extra}]'"
    )


def with_article(noun: str) -> str:
    """Return a noun with its article: "a RocHull"; none for plurals."""
    if noun.endswith("s") and not noun.endswith("ss"):
        return noun
    return f"{'an' if noun[:1].lower() in 'aeio' else 'a'} {noun}"


def describe_type(value: object) -> str:
    """Return the type of an object in words."""
    return f"an object of type {type(value).__name__}"


def escape_controls(text: str) -> str:
    r"""Escape characters that control a terminal.

    Examples
    --------
    >>> from rocch.errors import escape_controls
    >>> print(escape_controls("a\x1b[2J"))
    a\x1b[2J
    """
    return CONTROLS.sub(lambda found: ascii(found[0])[1:-1], text)


def escape_line(text: str) -> str:
    r"""Escape control characters and line breaks.

    Examples
    --------
    >>> from rocch.errors import escape_line
    >>> print(escape_line("a\nb"))
    a\nb
    """
    return escape_controls(text).replace("\n", "\\n")


def is_single_line(text: str) -> bool:
    """Return whether a text is not empty and has no line break."""
    return text.splitlines() == [text]


def escape_json(text: str) -> str:
    """Escape control characters in a JSON text without changing its meaning."""
    return CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def format_list(values: Iterable[object], most: int = 6) -> str:
    """Return a few values as text, and the number of the others."""
    items = list(values)
    rest = f" and {len(items) - most} more" if len(items) > most else ""
    plain = [item.item() if hasattr(item, "item") else item for item in items[:most]]
    return ", ".join(map(repr, plain)) + rest


def format_count(number: int, noun: str, form: str = "") -> str:
    """Return a count with its noun: 1 row, 2 rows; `form` formats the number."""
    return f"{number:{form}} {noun}{'' if number == 1 else 's'}"


def unknown_option(name: str, known: Iterable[str], of: str) -> InputError:
    """Return the error for an unknown option, with the closest one."""
    options = list(known)
    alike = get_close_matches(name, options, n=1)
    meant = f"Did you mean {alike[0]!r}? " if alike else ""
    return InputError(
        name, f"be an option of {of}", "another name", f"{meant}There are: {', '.join(options)}."
    )


def first_line(error: BaseException) -> str:
    """Return the first line of another library's error."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0].strip().rstrip(".:")
