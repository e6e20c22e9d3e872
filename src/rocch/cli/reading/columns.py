"""Columns gathered chunk by chunk: numbers become doubles at once, names become codes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.errors import InputError
from rocch.inputs import LARGEST_EXACT_INTEGER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocch.arrays import BoolArray, FloatArray, IntArray

MISSING = {"", "na", "n/a", "nan", "null", "none", "?"}
"""What stands for a missing value in files, in lower case."""
DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+(?:[eE][+-]?\d+)?")
WHOLE = re.compile(r"[+-]?\d+")
LEAVE_OUT = "Fix the file, or leave the column out."


LOOKED_AT = 100
"""So many values of a column say whether it is one of numbers."""


def text_of(value: Any) -> str:
    """Return a value as text; whole numbers without a point, a missing value as nothing."""
    if isinstance(value, float | np.floating):
        return "" if value != value else str(int(value)) if value.is_integer() else str(value)
    return "" if value is None else str(value).strip()


def is_missing(value: Any) -> bool:
    """Say whether a value stands for none."""
    return text_of(value).lower() in MISSING


def is_number(value: Any, *, decimal_comma: bool = False) -> bool:
    """Say whether a value is a number, or the text of one."""
    if value is None or isinstance(value, bool):
        return False
    try:
        _as_float(value, decimal_comma=decimal_comma)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def mostly_numbers(values: Sequence[Any], *, decimal_comma: bool = False) -> bool:
    """Say whether at least half of some values are numbers: one that is not is then a mistake."""
    numbers = sum(is_number(value, decimal_comma=decimal_comma) for value in values)
    return numbers > 0 and 2 * numbers >= len(values)


def _as_float(value: Any, *, decimal_comma: bool) -> float:
    if isinstance(value, str):
        return float(_checked(value, decimal_comma=decimal_comma))
    return float(value)


def _checked(text: str, *, decimal_comma: bool) -> str:
    """Refuse marks that would be read over: 1_000, or the point of 1.000 beside decimal commas."""
    if "_" in text or (decimal_comma and "." in text):
        raise ValueError
    return text.replace(",", ".") if decimal_comma else text


@dataclass(frozen=True, slots=True)
class NumberRule:
    """What numbers a column may hold, and what to do about others.

    With `gaps` missing values are no mistake; they become NaN.
    """

    finite: bool = False
    gaps: bool = False
    decimal_comma: bool = False
    hint: str = LEAVE_OUT


class Numbers:
    """A column of numbers, of which none may be missing unless the rule allows it."""

    def __init__(self, name: str, rule: NumberRule) -> None:
        self._name, self._rule = name, rule
        self._parts: list[FloatArray] = []
        self._rows = 0

    def add(self, values: Any) -> None:
        """Take the next chunk."""
        part = self._doubles(values)
        usable = ~np.isinf(part) if self._rule.finite else np.ones(part.size, dtype=bool)
        if not self._rule.gaps:
            usable &= ~np.isnan(part)
        if not usable.all():
            place = int(np.argmin(usable))
            raise self._unusable(values[place], self._rows + place + 1)
        self._check_exact(values, part)
        self._parts.append(part)
        self._rows += part.size

    def _doubles(self, values: Any) -> FloatArray:
        if isinstance(values, np.ndarray) and values.dtype.kind in "iuf":
            return values.astype(np.float64)
        try:
            if isinstance(values, list) and isinstance(values[0], str):
                return self._from_texts(values)
            return np.fromiter(map(float, values), np.float64, len(values))
        except (TypeError, ValueError, OverflowError):
            return np.array([self._double(value, place) for place, value in enumerate(values)])

    def _from_texts(self, texts: list[str]) -> FloatArray:
        comma = self._rule.decimal_comma
        _checked("".join(texts), decimal_comma=comma)  # all at once, because it is faster
        if comma:
            texts = [text.replace(",", ".") for text in texts]
        return np.fromiter(map(float, texts), np.float64, len(texts))

    def _double(self, value: Any, place: int) -> float:
        try:
            return _as_float(value, decimal_comma=self._rule.decimal_comma)
        except (TypeError, ValueError, OverflowError):
            if self._rule.gaps and is_missing(value):
                return np.nan
            raise self._unusable(value, self._rows + place + 1) from None

    def _unusable(self, value: Any, row: int) -> InputError:
        argument, written = f"column {self._name!r}", text_of(value)
        if is_missing(value):
            got = f"one in row {row}" + (f", written {written!r}" if written else "")
            hint = "Drop or fill such rows first."
            return InputError(argument, "have no missing values", got, hint)
        got = f"{written!r} in row {row}"
        if is_number(value, decimal_comma=self._rule.decimal_comma):
            return InputError(argument, "hold finite numbers", got, self._rule.hint)
        hint = self._rule.hint
        if self._rule.decimal_comma and "." in written:
            hint = "With --decimal-comma numbers have no points."
        elif DECIMAL_COMMA.fullmatch(written):
            hint = "Say --decimal-comma if commas are decimal points here."
        return InputError(argument, "hold numbers", got, hint)

    def _check_exact(self, values: Any, part: FloatArray) -> None:
        """Refuse whole numbers that doubles cannot tell apart; floats are what they are."""
        if isinstance(values, np.ndarray) and values.dtype.kind == "f":
            return
        for place in np.flatnonzero(np.abs(part) >= LARGEST_EXACT_INTEGER).tolist():
            written = values[place]
            if not isinstance(written, float) and WHOLE.fullmatch(str(written).strip()):
                raise InputError(
                    f"column {self._name!r}",
                    "hold whole numbers below 2**53 in size, or floats",
                    f"{written} in row {self._rows + place + 1}",
                    "Rank them first; doubles cannot tell such numbers apart.",
                )

    def whole(self) -> FloatArray:
        """Return the column; it is asked for once."""
        found = np.concatenate(self._parts)
        self._parts.clear()
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """A column of names: those that occur, in the order they came, and which row has which."""

    names: tuple[str, ...]
    codes: IntArray

    def texts(self) -> list[str]:
        """Return the name of each row."""
        return [self.names[code] for code in self.codes.tolist()]

    def only(self, rows: BoolArray) -> Coded:
        """Return what some of the rows say, without the names that then do not occur."""
        used, codes = np.unique(self.codes[rows], return_inverse=True)
        return Coded(tuple(self.names[code] for code in used), codes)


class Codes:
    """A column of names, of which none may be missing; numbers are names as written.

    With `gaps` they may, and have the code -1.
    """

    def __init__(self, argument: str, *, gaps: bool = False) -> None:
        self._argument, self._gaps = argument, gaps
        self._seen: dict[str, int] = {}
        self._parts: list[IntArray] = []
        self._rows = 0

    def add(self, values: Any) -> None:
        """Take the next chunk."""
        if isinstance(values, np.ndarray) and values.dtype.kind in "biuf":
            distinct, which = np.unique(values, return_inverse=True)
            part = self._numbered(distinct.tolist())[which]
        else:
            part = self._numbered(values)
        if not self._gaps and part.min() < 0:
            row = self._rows + int(np.argmin(part)) + 1
            raise InputError(
                self._argument, "have no missing values", f"one in row {row}", "Drop the row."
            )
        self._parts.append(part)
        self._rows += part.size

    def _numbered(self, values: Sequence[Any]) -> IntArray:
        """Return each value's code, -1 for a missing one."""
        seen = self._seen
        texts = map(text_of, values)
        return np.fromiter(
            (
                -1 if not text or text.lower() == "nan" else seen.setdefault(text, len(seen))
                for text in texts
            ),
            np.int64,
            len(values),
        )

    def whole(self) -> Coded:
        """Return the column; it is asked for once."""
        return Coded(tuple(self._seen), np.concatenate(self._parts))


class Raw:
    """A column as it is in the file, to be carried along."""

    def __init__(self) -> None:
        self._values: list[Any] = []

    def add(self, values: Any) -> None:
        """Take the next chunk; numbers and texts become Python's own."""
        if isinstance(values, np.ndarray) and values.dtype.kind in "biufOSU":
            values = values.tolist()
        self._values.extend(values)

    def whole(self) -> list[Any]:
        """Return the column."""
        return self._values
