"""Tests of pairs of classifiers, and p-values adjusted for their number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, Self, TypeVar, cast, get_args

import numpy as np

from rocch.arrays import FloatArray
from rocch.errors import InputError, format_list
from rocch.inputs import as_choice
from rocch.results import Record, Records
from rocch.roc.conditions import Interval
from rocch.svg import Mark, draw_intervals

Adjustment = Literal["holm", "bonferroni", "benjamini-hochberg", "none"]


def adjust_p_values(p_values: FloatArray, method: Adjustment) -> FloatArray:
    """Return p-values adjusted for their number.

    Holm (1979) and Bonferroni bound the chance of any false rejection, Benjamini and Hochberg
    (1995) the expected share of false ones, for independent or positively dependent tests.
    """
    count = p_values.size
    if method == "none":
        return p_values.copy()
    if method == "bonferroni":
        return np.minimum(1, count * p_values)
    order = np.argsort(p_values, kind="stable")
    ranked = p_values[order]
    if method == "holm":
        steps = np.maximum.accumulate(ranked * np.arange(count, 0, -1))
    else:
        steps = np.minimum.accumulate((ranked * count / np.arange(1, count + 1))[::-1])[::-1]
    result = np.empty(count)
    result[order] = np.minimum(1, steps)
    return result


def as_adjustment(adjust: object) -> Adjustment:
    """Return one of the methods that adjust p-values."""
    return cast(Adjustment, as_choice(adjust, get_args(Adjustment), "adjust"))


def smallest_p_value(units: tuple[float, float]) -> float:
    """Return the smallest p-value for numbers of units of both classes.

    All units of a class favor one of two equal models with chance 2 / 2^units.
    """
    return float(2.0 ** (1 - min(units)))


@dataclass(frozen=True, slots=True, repr=False)
class CurveTest(Record):
    """The test of one pair of classifiers.

    Attributes
    ----------
    first, second
        The two classifiers.
    difference
        First less second; for whole curves the mean distance of TPRs at equal predicted-positive
        rates.
    standard_error, interval
        None for whole curves.
    z, degrees
        The difference in standard errors, and the degrees of freedom of Student's t distribution
        that it is compared with; None for the normal distribution. Whole curves have neither.
    p_value, adjusted_p_value
        Adjusted for the number of pairs.
    """

    # How differences are written.
    DIGITS: ClassVar[str] = "+.3g"

    first: str
    second: str
    difference: float
    standard_error: float | None
    interval: Interval | None
    z: float | None
    degrees: float | None
    p_value: float
    adjusted_p_value: float

    def __str__(self) -> str:
        p_values = f"p = {self.p_value:.3g}"
        if self.adjusted_p_value != self.p_value:
            p_values += f", adjusted {self.adjusted_p_value:.3g}"
        if self.interval is None or self.z is None:
            return f"{self.first} and {self.second}: {self.difference:.3g} apart, {p_values}"
        value, low, high = (f"{x:{self.DIGITS}}" for x in (self.difference, *self.interval))
        statistic = f"z = {self.z:.2f}"
        if self.degrees is not None:
            statistic = f"t = {self.z:.2f} with {self.degrees:.4g} d.f."
        return f"{self.first} - {self.second}: {value} ({low} to {high}), {statistic}, {p_values}"

    @classmethod
    def _draw(cls, records: Sequence[CurveTest]) -> str:
        marks = []
        for row in records:
            low, high = row.interval or (None, None)
            marks.append(Mark(f"{row.first} - {row.second}", low, high, row.difference))
        return draw_intervals(marks, "difference", reference=0)

    def reversed(self) -> Self:
        """Return the test with the two classifiers exchanged."""
        swapped = replace(self, first=self.second, second=self.first)
        if self.interval is None or self.z is None:
            return swapped
        low, high = self.interval
        return replace(
            swapped, difference=-self.difference, interval=Interval(-high, -low), z=-self.z
        )


Test = TypeVar("Test", bound=CurveTest)


def find_pair(tests: Sequence[Test], first: str, second: str) -> Test:
    """Return the test of two classifiers, first less second."""
    for test in tests:
        if (test.first, test.second) == (first, second):
            return test
        if (test.second, test.first) == (first, second):
            return test.reversed()
    known = dict.fromkeys(name for test in tests for name in (test.first, test.second))
    raise InputError(
        "first, second",
        "be two that were compared",
        f"{first!r} and {second!r}",
        "The compared ones are: {known}.",
        known=format_list(known),
    )


def adjust_tests(tests: Sequence[Test], method: Adjustment) -> Records[Test]:
    """Return tests with their p-values adjusted for their number."""
    p_values = adjust_p_values(np.array([test.p_value for test in tests]), method).tolist()
    return Records(replace(t, adjusted_p_value=p) for t, p in zip(tests, p_values, strict=True))
