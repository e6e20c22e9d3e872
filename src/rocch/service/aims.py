"""What to aim at, in the words of a request: conditions, limits, a metric or a knob's position."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from rocch.errors import InputError, format_list
from rocch.inputs import is_number
from rocch.roc.knob import Knob
from rocch.service.answers import json_text, plain
from rocch.service.misfits import cut

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rocch.roc.asked import Asked

Word: TypeAlias = float | tuple[float, float] | str
"""What one word is set to: a number, an interval, or a name."""

BALANCE = ("prevalence", "negatives_per_positive")
COSTS = ("false_positive", "false_negative", "true_positive", "true_negative")
CONDITIONS = (*BALANCE, *COSTS)
"""Words about class balance and costs."""

RATIOS = ("cost_ratio", "inverse_cost_ratio")
NUMBERS = (
    "likely",
    "max_fpr",
    "min_tpr",
    "capacity",
    "positives",
    "negatives",
    "population",
    "max_share",
)
CRITERION = (*RATIOS, *NUMBERS, "maximize", "knob")
"""Words about what "best" means."""

RANGES = {*CONDITIONS, *RATIOS}
"""Words that may be intervals."""
NAMES = {"prevalence": "observed", "maximize": "f1"}
"""Words that may be texts, and an example of each."""
NAMED = {"maximize"}
"""Words that must be texts."""
REMEMBERED = 1024
"""Criteria that are kept once they have been made."""


@dataclass(frozen=True, slots=True)
class Aim:
    """An aim in words; equal words are one aim, so that what follows from it can be kept.

    Examples
    --------
    >>> from rocch.service.aims import Aim
    >>> aim = Aim.of({"prevalence": 0.1, "false_positive": 1, "false_negative": [5, 10]})
    >>> aim.words
    'prevalence 0.1, false positive 1, false negative 5..10'
    >>> aim.to_dict()["conditions"]["false_negative"]
    [5.0, 10.0]
    """

    conditions: tuple[tuple[str, Word], ...] = ()
    limits: tuple[tuple[str, Word], ...] = ()
    randomize: bool = False

    @classmethod
    def of(
        cls,
        conditions: Mapping[str, Any] | None = None,
        criterion: Mapping[str, Any] | None = None,
        *,
        randomize: bool = False,
    ) -> Aim:
        """Make an aim of words that were set; those set to None were not."""
        return cls(
            _words(conditions or {}, CONDITIONS), _words(criterion or {}, CRITERION), randomize
        )

    @classmethod
    def from_texts(cls, texts: Mapping[str, str], *, randomize: bool = False) -> Aim:
        """Make an aim of words as they are typed: numbers, or intervals written LOW..HIGH."""
        check_known(texts, (*CONDITIONS, *CRITERION))
        known = {name: typed(text, name) for name, text in texts.items()}
        conditions = {name: known[name] for name in CONDITIONS if name in known}
        criterion = {name: known[name] for name in CRITERION if name in known}
        return cls.of(conditions, criterion, randomize=randomize)

    @classmethod
    def from_asked(cls, asked: Asked, *, randomize: bool = False) -> Aim:
        """Make an aim of what was asked on the command line."""
        said = {name: getattr(asked, name) for name in asked.given}
        conditions = {name: said[name] for name in CONDITIONS if name in said}
        criterion = {name: said[name] for name in CRITERION if name in said}
        return cls.of(conditions, criterion, randomize=randomize)

    def __bool__(self) -> bool:
        """Say whether anything was said about what to aim at."""
        return bool(self.conditions or self.limits)

    @property
    def words(self) -> str:
        """The aim in plain words."""
        said = (f"{name.replace('_', ' ')} {_text(word)}" for name, word in self._all)
        return ", ".join((*said, *(["a coin may be tossed"] if self.randomize else [])))

    @property
    def _all(self) -> tuple[tuple[str, Word], ...]:
        return (*self.conditions, *self.limits)

    def criterion(self) -> Any:
        """Return what "best" means, as a hybrid can aim at it; made once for equal words.

        Raises
        ------
        InputError
            If the words make no sense, alone or together.
        """
        return _criterion(self.conditions, self.limits)

    def to_dict(self) -> dict[str, Any]:
        """Return the aim as plain data."""
        return {
            "conditions": _data(self.conditions),
            "criterion": _data(self.limits),
            "randomize": self.randomize,
        }


def as_word(value: Any, name: str) -> Word:
    """Return what a word is set to, or refuse what it cannot be."""
    if isinstance(value, str) and name in NAMES:
        return value
    if name in NAMED:
        raise _not_a_word(value, name)
    pair = name in RANGES and isinstance(value, list | tuple) and len(value) == 2
    low, high = value if pair else (value, value)
    if name in RATIOS and pair and high in ("inf", math.inf):
        high = math.inf  # "at least so many times as bad"
    elif not _finite(high):
        raise _not_a_word(value, name)
    if not _finite(low):
        raise _not_a_word(value, name)
    low, high = float(low), float(high)
    if low > high:
        raise InputError(name, "run from low to high", f"{low:g}..{high:g}", "Swap the two.")
    return low if low == high else (low, high)


def typed(text: str, name: str) -> Word:
    """Read a word as it is typed."""
    try:
        ends = [float(end) for end in text.split("..")]
    except ValueError:
        if name in NAMES:
            return text
        ends = []
    if len(ends) not in (1, 2):
        raise _not_a_word(text, name)
    return as_word(ends if len(ends) > 1 else ends[0], name)


def _words(given: Mapping[str, Any], known: tuple[str, ...]) -> tuple[tuple[str, Word], ...]:
    check_known(given, known)
    said = ((name, given.get(name)) for name in known)  # in one order, for equal words are equal
    return tuple((name, as_word(value, name)) for name, value in said if value is not None)


def check_known(given: Mapping[str, Any], known: tuple[str, ...]) -> None:
    """Refuse words that are not among those known."""
    unknown = [name for name in given if name not in known]
    if unknown:
        got = format_list([name[:80] for name in unknown])
        raise InputError(unknown[0][:80], "be a known word", got, f"There are: {', '.join(known)}.")


def _may_be(name: str) -> str:
    kinds = [] if name in NAMED else ["a finite number"]
    if name in RANGES:
        open_end = ', which may be "inf"' if name in RATIOS else ""
        kinds.append(f"an interval of two, from low to high{open_end}")
    if name in NAMES:
        kinds.append(f"a text such as {NAMES[name]!r}")
    return " or ".join(kinds)


def _not_a_word(value: Any, name: str) -> InputError:
    got = cut(json_text(value))
    example = '[5, "inf"]' if name in RATIOS else NAMES.get(name, 0.1)
    return InputError(name, f"be {_may_be(name)}", got, f"For example: {example}.")


def _finite(number: Any) -> bool:
    try:
        return is_number(number) and math.isfinite(number)
    except OverflowError:  # a whole number beyond all doubles
        return False


def _text(word: Word) -> str:
    if isinstance(word, tuple):
        return f"{word[0]:.6g}..{word[1]:.6g}"
    return word if isinstance(word, str) else f"{word:.6g}"


def _data(words: tuple[tuple[str, Word], ...]) -> dict[str, Any] | None:
    return plain(dict(words)) or None


@lru_cache(maxsize=REMEMBERED)
def _criterion(
    conditions: tuple[tuple[str, Word], ...], limits: tuple[tuple[str, Word], ...]
) -> Any:
    from rocch.roc.asked import Asked

    said: dict[str, Any] = {**dict(conditions), **dict(limits)}
    knob = said.pop("knob", None)
    if knob is None:
        return Asked(**said).criterion
    if said:
        raise InputError(
            "knob",
            "stand alone",
            f"{format_list(said)} beside it",
            "It says by itself where to operate.",
        )
    return Knob(knob)
