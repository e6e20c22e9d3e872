"""Every error a user can meet, and how its message is built.

A message names the argument, says what it must be, what came, and what to do next.
"""

from __future__ import annotations

import inspect
import re
from difflib import get_close_matches
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Class = TypeVar("Class", bound=type)


CONTROLS = re.compile(
    r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
# What a terminal obeys instead of showing it: control characters other than the end of a line,
# separators of lines, marks that turn the direction of what follows, and bytes of file names that
# are no text.


class RocchError(Exception):
    """The root of all errors that rocch raises on purpose."""


class InputError(RocchError, ValueError):
    """Data or an argument that cannot be used."""

    argument: str | None = None
    """The argument at fault, where the message begins with its name."""


class CallError(InputError, TypeError):
    """A call whose arguments do not fit, by their number or their names."""


class WordsError(InputError):
    """Words that do not go together, each named as its user typed it.

    Parameters
    ----------
    template
        The message, with the names of arguments in braces.
    """

    def __init__(self, template: str) -> None:
        super().__init__(template.replace("{", "").replace("}", ""))
        self.template = template

    def worded(self, word: Callable[[str], str]) -> str:
        """Return the message with another word for each name."""
        return re.sub(r"\{(\w+)\}", lambda name: word(name[1]), self.template)


class UntrustedError(InputError):
    """Types in a model's file that are built only if whoever loads it vouches for them.

    Parameters
    ----------
    said
        The message, up to where the types are to be named.
    types
        The types.
    """

    def __init__(self, said: str, types: Iterable[str]) -> None:
        self.said, self.types = said, tuple(types)
        super().__init__(f"{said} trusted={list(self.types)!r}.")

    @property
    def typed(self) -> str:
        """The message for a command line, which ends with options to be pasted."""
        return " ".join([self.said, *(f"--trust {kind}" for kind in self.types)])


class StorageError(RocchError, OSError):
    """A library or a record on disk that cannot be read or written."""


class UndefinedError(RocchError, ArithmeticError):
    """A quantity that has no value here; it is never returned as NaN."""


class InfeasibleError(RocchError):
    """A criterion that nothing on offer can meet."""


class GuaranteeError(RocchError):
    """A question to which the hull's answer would no longer be guaranteed to be the best."""


class AssumptionError(RocchError):
    """A result that rests on an assumption which the data contradict or could not confirm."""


class MissingExtraError(RocchError, ImportError):
    """An optional part of rocch that is not installed."""


class RocchWarning(UserWarning):
    """The root of all warnings that rocch gives."""


class ModelVersionWarning(RocchWarning):
    """A model that was saved with other releases of what it rests on."""


class SampleWeightWarning(RocchWarning):
    """Classifiers that cannot be fitted with the weights that were given."""


class SurfaceWarning(RocchWarning):
    """A surface that was not searched, because there are too many classes."""


class ScoreScaleWarning(RocchWarning):
    """Scores that are set to one threshold although they evidently do not mean the same."""


def bad_input(argument: str, must: str, came: object, do: str) -> InputError:
    """Build the house's message for an argument that cannot be used."""
    error = InputError(f"{argument} must {must}; got {came}. {do}")
    error.argument = argument
    return error


def missing_column(column: str, existing: Iterable[str], argument: str = "column") -> InputError:
    """Build the message for a column that is not there, listing those that are."""
    return bad_input(
        argument,
        "name a column of the data",
        repr(column),
        f"The columns are: {', '.join(map(repr, existing))}.",
    )


def missing_extra(extra: str, purpose: str) -> MissingExtraError:
    """Build the message for an optional dependency that is needed now."""
    return MissingExtraError(
        f"{purpose} needs the '{extra}' extra, which is not installed. "
        f"Install it with: pip install 'rocch[{extra}]'"
    )


def kind_of(value: object) -> str:
    """Write what kind of object came, for a message."""
    return f"an object of type {type(value).__name__}"


def visible(text: str) -> str:
    r"""Write out the characters that a terminal would obey; text from data may hold any.

    Examples
    --------
    >>> from rocch.errors import visible
    >>> print(visible("a\x1b[2J"))
    a\x1b[2J
    """
    return CONTROLS.sub(lambda found: ascii(found[0])[1:-1], text)


def visible_line(text: str) -> str:
    r"""Write out the ends of lines as well, for names that are to stay in one line.

    Examples
    --------
    >>> from rocch.errors import visible_line
    >>> print(visible_line("a\nb"))
    a\nb
    """
    return visible(text).replace("\n", "\\n")


def is_one_line(text: str) -> bool:
    """Say whether a text is not empty and breaks no line, so that it cannot write further ones."""
    return text.splitlines() == [text]


def visible_json(text: str) -> str:
    """Write the same characters in a JSON text as JSON writes them; it means what it meant."""
    return CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def shown(values: Iterable[object], most: int = 6) -> str:
    """Write a few values for a message, and how many more there are."""
    items = list(values)
    rest = f" and {len(items) - most} more" if len(items) > most else ""
    plain = [item.item() if hasattr(item, "item") else item for item in items[:most]]
    return ", ".join(map(repr, plain)) + rest


def quantity(number: int, noun: str, form: str = "") -> str:
    """Write a number of things: 1 row, 2 rows, with a format such as "," for the number."""
    return f"{number:{form}} {noun}{'' if number == 1 else 's'}"


def are_all(number: int) -> str:
    """Write the verb for a number of things: 1 row that is, 2 rows that are all."""
    return "is" if number == 1 else "are all"


def unknown_option(name: str, known: Iterable[str], of: str) -> InputError:
    """Build the message for an option that does not exist, with the one that was probably meant."""
    options = list(known)
    alike = get_close_matches(name, options, n=1)
    meant = f"; did you mean {alike[0]!r}?" if alike else "."
    error = InputError(
        f"unknown option {name!r}{meant} The options for {of} are: {', '.join(options)}."
    )
    error.argument = name
    return error


def _unknown_argument(function: Callable[..., Any], named: Iterable[str]) -> str:
    """Write which argument a function does not have, and which one was probably meant."""
    known = list(inspect.signature(function).parameters)[1:]
    for name in named:
        if name not in known:
            alike = get_close_matches(name, known, n=1)
            return f"got {name!r}" + (f", perhaps for {alike[0]!r}" if alike else "")
    return ""


def explain_call(example: str) -> Callable[[Class], Class]:
    """Let a class answer a call that does not fit its arguments with an example that does."""

    def change(cls: Class) -> Class:
        plain = vars(cls)["__init__"]

        @wraps(plain)
        def init(self: Any, *given: Any, **named: Any) -> None:
            try:
                plain(self, *given, **named)
            except TypeError as error:
                try:
                    inspect.signature(plain).bind(self, *given, **named)
                except TypeError as misfit:
                    problem = _unknown_argument(plain, named) or f"got {misfit}"
                    text = f"must be called otherwise; {problem}. For example: {example}."
                    raise CallError(f"{cls.__name__} {text}") from None
                raise error from None

        cls.__init__ = init  # type: ignore[misc]  # the same method, which says more
        return cls

    return change


def in_one_line(error: BaseException) -> str:
    """Write what another library's error says first, for a message."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0].strip().rstrip(".:")
