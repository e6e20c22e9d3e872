"""Number formats, against decimals and by their laws."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocch.numbers import MOST_DECIMALS, fixed, format_number, money, per_100, significant

SIZES = st.floats(-1e30, 1e30, allow_nan=False)


def read(text: str) -> Fraction:
    return Fraction(text.replace(",", ""))


@given(SIZES, st.integers(0, 12))
def test_fixed_is_the_nearest_number_with_so_many_decimals(value: float, decimals: int) -> None:
    text = fixed(value, decimals)
    assert abs(read(text) - Fraction(value)) <= Fraction(1, 2 * 10**decimals)
    assert len(text.partition(".")[2]) == decimals


@given(SIZES, st.integers(0, 12))
def test_fixed_rounds_as_decimals_do_half_up(value: float, decimals: int) -> None:
    with localcontext(prec=60):
        step = Decimal(1).scaleb(-decimals)
        rounded = Decimal(value).quantize(step, rounding=ROUND_HALF_UP)
    assert read(fixed(value, decimals)) == Fraction(rounded)


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [
        (12.5, 0, "13"),
        (0.125, 2, "0.13"),
        (2.5, 0, "3"),
        (-2.5, 0, "-3"),
        (1.005, 2, "1.00"),  # the double lies below
        (1234567.0, 0, "1,234,567"),
        (999.5, 0, "1,000"),
        (-0.0, 0, "0"),
        (1e22, 1, "10,000,000,000,000,000,000,000.0"),
        (1e28, 0, "9,999,999,999,999,999,583,119,736,832"),
    ],
)
def test_fixed_by_hand(value: float, decimals: int, text: str) -> None:
    assert fixed(value, decimals) == text


@given(SIZES, st.integers(0, 3))
def test_thousands_are_parted(value: float, decimals: int) -> None:
    whole = fixed(value, decimals).partition(".")[0]
    assert re.fullmatch(r"-?\d{1,3}(,\d{3})*", whole)


@given(st.floats(1e-9, 1e9), st.integers(1, 6))
def test_significant_digits_are_right_within_half_a_unit(value: float, digits: int) -> None:
    text = significant(value, digits)
    size = 0
    while Fraction(10) ** size <= Fraction(value):
        size += 1
    while Fraction(10) ** (size - 1) > Fraction(value):
        size -= 1
    unit = min(Fraction(1), Fraction(10) ** (size - digits))  # whole numbers stay whole
    least = Fraction(1, 10**MOST_DECIMALS)
    assert abs(read(text) - Fraction(value)) <= max(unit, least) * Fraction(1000001, 2000000)
    assert not (("." in text) and text.endswith(("0", ".")))


@given(st.integers(1, 10**9), st.integers(0, 10**9))
def test_a_hundred_of_a_hundred_is_said_of_all_alone(rows: int, missed: int) -> None:
    hits = max(rows - missed, 0)
    said = read(per_100(hits / rows))
    assert (said >= 100) == (hits == rows)
    assert abs(said - Fraction(100 * hits, rows)) <= Fraction(1, 2)


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_higher_rate_never_reads_lower(one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert read(per_100(low)) <= read(per_100(high))


@pytest.mark.parametrize(
    ("rate", "text"),
    [
        (0, "0"),
        (0.0004, "0.04"),
        (0.099, "9.9"),
        (0.0999, "10"),
        (0.125, "13"),
        (0.996, "99.6"),
        (0.99995, "99.995"),
        (1, "100"),
    ],
)
def test_so_many_of_100_by_hand(rate: float, text: str) -> None:
    assert per_100(rate) == text


@given(st.floats(-1e12, 1e12, allow_nan=False))
def test_money_is_right_within_what_it_shows(value: float) -> None:
    text = money(value)
    assert abs(read(text) - Fraction(value)) <= abs(Fraction(value)) / 200 + Fraction(1, 10**12)
    digits = re.sub(r"[-.,]", "", text).strip("0")
    assert len(digits) <= 3


@pytest.mark.parametrize(
    ("cost", "text"),
    [
        (0, "0"),
        (-0.0, "0"),
        (1e-15, "0"),  # and not a dozen zeros
        (0.5, "0.5"),
        (0.00012349, "0.000123"),
        (1, "1"),
        (-12.345, "-12.3"),
        (999.999, "1,000"),
        (1000.5, "1,000"),
    ],
)
def test_money_by_hand(cost: float, text: str) -> None:
    assert money(cost) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (20, "20"),
        (-1.5, "-1.5"),
        (1e-6, "0.000001"),
        (9.99e-7, "9.99e-7"),
        (1e-7, "1e-7"),
        (1e20, "100000000000000000000"),
        (1.5e21, "1.5e+21"),
        (5e-324, "5e-324"),
        (1 / 3, "0.3333333333333333"),
    ],
)
def test_numbers_are_written_as_in_javascript(value: float, text: str) -> None:
    assert format_number(value) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_are_the_same_doubles(value: float) -> None:
    assert float(format_number(value)) == value
