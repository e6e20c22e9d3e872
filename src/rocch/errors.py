"""Errors and warnings, and helpers for their messages."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from dataclasses import asdict, dataclass
from difflib import get_close_matches
from typing import Any, Literal, Self

from rocch.numbers import format_number

# A placeholder in a message: the name of an argument or a value, or an argument with its value.
PLACEHOLDER = re.compile(r"\{(\w+)(=?)\}")

# One entry of an argument, such as scores['nb'].
ENTRY = re.compile(r"(\w+)\[(.*)\]", re.DOTALL)

# Control characters other than line breaks, line separators, marks that change the direction of
# text, and bytes of file names that are not text.
CONTROLS = re.compile(
    r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


class Vocabulary:
    """How a surface names arguments and writes values; this one is Python's.

    The command line and the service override it.
    """

    # The field of `Hint` that is meant for this surface.
    surface: Literal["python", "cli", "http"] = "python"

    def name(self, argument: str) -> str:
        """Return what an argument is called here."""
        return argument

    def entry(self, argument: str, key: str) -> str:
        """Return what one entry of an argument is called here; the key is written as in Python."""
        return f"{self.name(argument)}[{key}]"

    def setting(self, argument: str, value: object) -> str:
        """Return how to set an argument to a value."""
        return f"{self.name(argument)}={value!r}"

    def interval(self, low: str, high: str) -> str:
        """Return how an interval is written."""
        return f"({low}, {high})"

    def value(self, value: object) -> str:
        """Return how a value is written: a pair of numbers as an interval, all else as text."""
        if isinstance(value, tuple) and len(value) == 2:
            low, high = value
            if isinstance(low, int | float) and isinstance(high, int | float):
                return self.interval(*map(_format_end, value))
        return str(value)

    def arguments(self, names: str) -> str:
        """Return one argument, one entry of it, or several separated by commas."""
        entry = ENTRY.fullmatch(names)
        if entry:
            return self.entry(entry[1], entry[2])
        return ", ".join(map(self.name, names.split(", ")))


PYTHON = Vocabulary()


def _format_end(number: float) -> str:
    return format_number(number) if math.isfinite(number) else f"{number:g}"


@dataclass(frozen=True)
class Hint:
    """Advice for Python, and what other surfaces say instead, if anything."""

    python: str = ""
    cli: str = ""
    http: str = ""


class RocchError(Exception):
    """Base class of all errors.

    An error is data: what is at fault, what it must be, what came, and what to do. Each surface
    renders it in its own vocabulary. In the requirement and the hint, `{name}` stands for the
    argument of that name. With a value of this name, `{name=}` is the argument set to it, and
    `{name}` the value alone. User data that may hold braces are passed as values.

    Parameters
    ----------
    problem
        The argument at fault, or several separated by commas. Without a requirement, a whole
        sentence, taken as it is.
    requirement
        The text after "must".
    got
        What was passed. A pair of numbers is an interval.
    hint
        What to do about it: a text for every surface, or a `Hint`.
    values
        What placeholders stand for.

    Examples
    --------
    >>> from rocch.errors import Hint, InfeasibleError, InputError
    >>> print(InputError("prevalence", "be given without {belief}", "both", "Leave one out."))
    prevalence must be given without belief; got both. Leave one out.
    >>> print(InfeasibleError("no vertex fits.", hint="Pass {randomize=}.", randomize=True))
    no vertex fits. Pass randomize=True.
    >>> error = InputError("cases", "not be negative", -1, Hint(cli="Count anew."))
    >>> print(error.rename(cases="capacity"))
    capacity must not be negative; got -1.
    """

    # Where the argument occurs, if not in the call itself.
    where: str = ""

    def __init__(
        self,
        problem: str,
        requirement: str = "",
        got: object = "",
        hint: str | Hint = "",
        **values: Any,
    ) -> None:
        self.argument = problem if requirement else None
        self.problem = "" if requirement else problem
        self.requirement, self.got, self.hint, self.values = requirement, got, hint, values
        super().__init__(self.to_text())

    def inside(self, where: str) -> Self:
        """Return the same error with a note where the argument occurs."""
        return self._changed(where=where)

    def with_hint(self, hint: str | Hint) -> Self:
        """Return the same error with more advice."""
        both = {
            surface: " ".join(filter(None, (_hint_for(h, surface) for h in (self.hint, hint))))
            for surface in ("python", "cli", "http")
        }
        return self._changed(hint=Hint(**both))

    def rename(self, **names: str) -> Self:
        """Return the same error with other names of arguments.

        This is for functions that pass what they got on to others, under other names.
        """

        def changed(text: str) -> str:
            return PLACEHOLDER.sub(lambda it: f"{{{names.get(it[1], it[1])}{it[2]}}}", text)

        hint = self.hint
        return self._changed(
            argument=None if self.argument is None else _Renamed(names).arguments(self.argument),
            requirement=changed(self.requirement),
            hint=changed(hint)
            if isinstance(hint, str)
            else Hint(**{surface: changed(text) for surface, text in asdict(hint).items()}),
            values={names.get(name, name): value for name, value in self.values.items()},
        )

    def to_dict(self, vocabulary: Vocabulary = PYTHON) -> dict[str, str]:
        """Return the parts that there are, rendered: argument, requirement, got and hint."""
        return {name: text for name, text in self._parts(vocabulary).items() if text}

    def to_text(self, vocabulary: Vocabulary = PYTHON) -> str:
        """Return the message in the vocabulary of a surface."""
        parts = self._parts(vocabulary)
        message = self.problem
        if self.argument is not None:
            message = "{argument} must {requirement}; got {got}.".format_map(parts)
        place = f"in {self._render(self.where, vocabulary)}, " if self.where else ""
        return " ".join(filter(None, (place + message, parts["hint"])))

    def __str__(self) -> str:
        return self.to_text()

    def _parts(self, vocabulary: Vocabulary) -> dict[str, str]:
        return {
            "argument": vocabulary.arguments(self.argument or ""),
            "requirement": self._render(self.requirement, vocabulary),
            "got": vocabulary.value(self.got),
            "hint": self._render(_hint_for(self.hint, vocabulary.surface), vocabulary),
        }

    def _render(self, template: str, vocabulary: Vocabulary) -> str:
        def filled(placeholder: re.Match[str]) -> str:
            name, is_setting = placeholder[1], placeholder[2]
            if name in self.values:
                value = self.values[name]
                return vocabulary.setting(name, value) if is_setting else vocabulary.value(value)
            return placeholder[0] if is_setting else vocabulary.name(name)

        return PLACEHOLDER.sub(filled, template)

    def _changed(self, **attributes: object) -> Self:
        error = copy(self)
        vars(error).update(attributes)
        error.args = (error.to_text(),)
        return error


class _Renamed(Vocabulary):
    """Arguments under other names."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    def name(self, argument: str) -> str:
        return self._names.get(argument, argument)


def _hint_for(hint: str | Hint, surface: str) -> str:
    return hint if isinstance(hint, str) else str(getattr(hint, surface))


@contextmanager
def renamed(**names: str) -> Iterator[None]:
    """Rename the arguments of errors that are raised inside.

    Examples
    --------
    >>> from rocch import Capacity
    >>> from rocch.errors import renamed
    >>> with renamed(cases="capacity"):
    ...     Capacity(-1, positives=5, negatives=5)
    Traceback (most recent call last):
    rocch.errors.InputError: capacity must be a finite number, not negative; got -1. It is ...
    """
    try:
        yield
    except RocchError as error:
        raise error.rename(**names).with_traceback(error.__traceback__) from error.__cause__


class InputError(RocchError, ValueError):
    """An argument, or data, that cannot be used."""


class LengthError(InputError):
    """Data that do not have one value for each row."""


class CallError(InputError, TypeError):
    """A call with wrong arguments."""


class UntrustedError(InputError):
    """Types in a model file that need the caller's trust, listed in `types`."""

    @property
    def types(self) -> tuple[str, ...]:
        """The names of the types."""
        return tuple(self.values.get("trusted", ()))


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


class PositiveClassWarning(RocchWarning):
    """A positive class that is not named, or that has lower scores than the other one."""


class ScoreScaleWarning(RocchWarning):
    """Scores on different scales that share one threshold."""


def missing_column(column: str, existing: Iterable[str], argument: str = "column") -> InputError:
    """Return the error for an unknown column, listing the existing ones."""
    return InputError(
        argument,
        "name a column of the data",
        repr(column),
        "The columns are: {existing}.",
        existing=", ".join(map(repr, existing)),
    )


def missing_extra(extra: str, purpose: str) -> MissingExtraError:
    """Return the error for an extra that is not installed."""
    return MissingExtraError(
        f"{purpose} needs the '{extra}' extra, which is not installed.",
        hint=f"Install it with: pip install 'rocch[{extra}]'",
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


def join_words(words: Iterable[str]) -> str:
    """Return words as a sentence lists them: a, b and c."""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def format_count(number: int, noun: str, form: str = "") -> str:
    """Return a count with its noun: 1 row, 2 rows; `form` formats the number."""
    return f"{number:{form}} {noun}{'' if number == 1 else 's'}"


def unknown_option(name: str, known: Iterable[str], argument: str, requirement: str) -> InputError:
    """Return the error for an unknown name of an option or a field, with the closest one."""
    options = list(known)
    alike = get_close_matches(name, options, n=1)
    meant = f"Did you mean {alike[0]!r}? " if alike else ""
    return InputError(
        argument,
        requirement,
        repr(name),
        f"{meant}There are: {{known}}.",
        known=", ".join(options),
    )


def first_line(error: BaseException) -> str:
    """Return the first line of another library's error."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0].strip().rstrip(".:")


def levels_to_caller() -> int:
    """Return how many frames above the warning the package was called."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("rocch."):
        level, frame = level + 1, frame.f_back
    return level
