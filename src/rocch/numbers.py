"""Numbers as people read and type them; the pages of reports write them by the same rules."""

from __future__ import annotations

import math
import re
from decimal import ROUND_HALF_UP, Context, Decimal

MOST_DECIMALS = 12

WIDE = Context(prec=400, rounding=ROUND_HALF_UP)
"""Room for the largest double to its last decimal."""

# Between these sizes JavaScript writes numbers without an exponent.
PLAIN = 1e-6, 1e21

# Two plain numbers with a dash between them; 1e-5 is one number.
DASHED = re.compile(r"([\d.,/]+\s*%?)\s*[-\u2013]\s*([\d.,/]+\s*%?)")
NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?", re.IGNORECASE)
GROUPED = re.compile(r"[-+]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?")
# Longer texts are no numbers that people type.
LONGEST = 100
# A comma that does not group thousands is a decimal one.
DECIMAL_COMMA = re.compile(r"[-+]?\d*,\d+")


def fixed(value: float, decimals: int) -> str:
    """Write a number with a fixed number of decimals; halves are rounded up, as in JavaScript."""
    step = Decimal(1).scaleb(-decimals)
    rounded = Decimal(value + 0.0).quantize(step, context=WIDE)  # there is one zero, not two
    return f"{rounded:,f}"


def significant(value: float, digits: int) -> str:
    """Write a number with significant digits, without trailing zeros; whole numbers stay whole.

    Examples
    --------
    >>> from rocch.numbers import significant
    >>> significant(0.04137, 2), significant(83.27, 2), significant(1234.5, 2)
    ('0.041', '83', '1,235')
    """
    text = fixed(value, _decimals(value, digits))
    return text.rstrip("0").rstrip(".") if "." in text else text


def count_cases(number: float) -> str:
    """Write an expected number of cases: whole from 10 on.

    Examples
    --------
    >>> from rocch.numbers import count_cases
    >>> count_cases(99.6), count_cases(1.25), count_cases(3)
    ('100', '1.3', '3')
    """
    return fixed(number, 0) if number >= 10 else significant(number, 2)


def per_100(rate: float, digits: int = 2) -> str:
    """Write a rate per 100 in significant digits; it is never 100 unless the rate is 1.

    Examples
    --------
    >>> from rocch.numbers import per_100
    >>> per_100(0.8327), per_100(0.0413), per_100(0.99996), per_100(1)
    ('83', '4.1', '99.996', '100')
    """
    value = 100 * rate
    decimals = _decimals(value, digits)
    text = fixed(value, decimals)
    while rate < 1 and float(text) >= 100 and decimals < MOST_DECIMALS:
        decimals += 1
        text = fixed(value, decimals)
    return text.rstrip("0").rstrip(".") if "." in text else text


def money(value: float) -> str:
    """Write a cost to be read: in three significant digits.

    Examples
    --------
    >>> from rocch.numbers import money
    >>> money(12.4), money(0.01239), money(12345.6), money(0)
    ('12.4', '0.0124', '12,300', '0')
    """
    return significant(_three_digits(value), 3)


def rough_threshold(text: str) -> str:
    """Write a threshold to be read: in three digits, and close to 1 as far as it differs from 1.

    Examples
    --------
    >>> from rocch.numbers import rough_threshold
    >>> rough_threshold("-0.8891715"), rough_threshold("0.99995"), rough_threshold("inf")
    ('-0.889', '0.99995', 'inf')
    """
    try:
        value = float(text)
    except ValueError:
        return text
    if not math.isfinite(value):
        return text
    rest = 1 - value
    decimals = max(_decimals(value, 3), _decimals(rest, 2) if 0 < rest < 0.1 else 0)
    rough = fixed(_three_digits(value), decimals)
    rough = rough.rstrip("0").rstrip(".") if "." in rough else rough
    return rough if len(rough) < len(text) else text


def _three_digits(value: float) -> float:
    """Round a number of four or more whole digits to three."""
    step = 10.0 ** (len(fixed(abs(value), 0).replace(",", "")) - 3)
    return value if step <= 1 else math.floor(value / step + 0.5) * step


def chance(p_value: float) -> str:
    """Write a p-value; what is small is only said to be small."""
    return "< 0.001" if p_value < 0.001 else fixed(p_value, 3)


def format_number(value: float) -> str:
    """Return the shortest digits of a finite number, as `String` writes them in JavaScript.

    So a page fills slots with the same text. It is a number in Python and SQL, too.

    Examples
    --------
    >>> from rocch.numbers import format_number
    >>> [format_number(value) for value in (20.0, 0.25, 1e-5, 2.5e-7, 1e21)]
    ['20', '0.25', '0.00001', '2.5e-7', '1e+21']
    """
    number = float(value) + 0.0  # one zero, without a sign
    if number == 0 or PLAIN[0] <= abs(number) < PLAIN[1]:
        text = f"{Decimal(repr(number)):f}"
        return text.removesuffix(".0")
    digits, _, power = repr(number).partition("e")
    return f"{digits.removesuffix('.0')}e{int(power):+d}"


def _decimals(value: float, digits: int) -> int:
    """Return how many decimals show this number of significant digits."""
    size, decimals = abs(value), 0
    while size and size < 10.0 ** (digits - 1) and decimals < MOST_DECIMALS:
        size, decimals = size * 10, decimals + 1
    return decimals


def parse_interval(text: str, *, is_share: bool = False) -> float | tuple[float, float] | None:
    """Read a number or an interval as people type it; None where it is neither.

    Examples
    --------
    >>> from rocch.numbers import parse_interval
    >>> parse_interval("10..40"), parse_interval("5-20"), parse_interval("1/4")
    ((10.0, 40.0), (5.0, 20.0), 0.25)
    >>> parse_interval("5..10%", is_share=True), parse_interval("0,05"), parse_interval("1,000")
    ((0.05, 0.1), 0.05, 1000.0)
    """
    dashed = DASHED.fullmatch(text.strip())
    parts = list(dashed.groups()) if dashed else re.split(r"\.{2,3}|…", text.strip())
    if len(parts) > 2:
        return None
    if is_share and parts[-1].rstrip().endswith("%") and len(parts) == 2:
        parts[0] = f"{parts[0].rstrip().removesuffix('%')}%"
    numbers = [_parse_number(part.strip(), is_share=is_share) for part in parts]
    if any(number is None for number in numbers):
        return None
    first, last = numbers[0] or 0.0, numbers[-1] or 0.0
    return first if len(numbers) == 1 else (first, last)


def _parse_number(text: str, *, is_share: bool) -> float | None:
    if text.lower() in ("inf", "infinity"):
        return math.inf
    percent = is_share and text.endswith("%")
    digits = text.removesuffix("%").rstrip() if percent else text
    if GROUPED.fullmatch(digits):
        digits = digits.replace(",", "")
    elif DECIMAL_COMMA.fullmatch(digits):
        digits = digits.replace(",", ".")
    top, slash, bottom = digits.partition("/")
    if slash:
        first, second = (_parse_number(part.strip(), is_share=False) for part in (top, bottom))
        return first / second / (100 if percent else 1) if first is not None and second else None
    found = NUMBER.fullmatch(digits)
    if found is None or len(digits) > LONGEST:
        return None
    # the decimal point is moved, because dividing by 100 would change the last digits
    power = int((found[2] or "e0")[1:]) - (2 if percent else 0)
    return float(f"{digits[: found.start(2) if found[2] else None]}e{power}")
