"""Numbers as people read them. `page/words.js` has the same rules; both must write alike."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Context, Decimal

MOST_DECIMALS = 12

WIDE = Context(prec=400, rounding=ROUND_HALF_UP)
"""Room for the largest double to its last decimal."""


def fixed(value: float, decimals: int) -> str:
    """Write so many decimals, rounding halves up, as JavaScript does (Python: to even)."""
    step = Decimal(1).scaleb(-decimals)
    rounded = Decimal(value + 0.0).quantize(step, context=WIDE)  # there is one zero, not two
    return f"{rounded:,f}"


def significant(value: float, digits: int) -> str:
    """Write so many significant digits, without zeros at the end; whole numbers stay whole.

    Examples
    --------
    >>> from rocch.report.numbers import significant
    >>> significant(0.04137, 2), significant(83.27, 2), significant(1234.5, 2)
    ('0.041', '83', '1,235')
    """
    text = fixed(value, _decimals(value, digits))
    return text.rstrip("0").rstrip(".") if "." in text else text


def per_100(rate: float) -> str:
    """Write a rate as so many of 100; never 100 for less than all of them.

    Examples
    --------
    >>> from rocch.report.numbers import per_100
    >>> per_100(0.8327), per_100(0.0413), per_100(0.99996), per_100(1)
    ('83', '4.1', '99.996', '100')
    """
    value = 100 * rate
    decimals = _decimals(value, 2)
    text = fixed(value, decimals)
    while rate < 1 and float(text) >= 100 and decimals < MOST_DECIMALS:
        decimals += 1
        text = fixed(value, decimals)
    return text.rstrip("0").rstrip(".") if "." in text else text


def money(value: float) -> str:
    """Write a cost: two decimals from 1 on, none from 1,000 on, three digits below 1.

    Examples
    --------
    >>> from rocch.report.numbers import money
    >>> money(12.4), money(0.01239), money(12345.6), money(0)
    ('12.40', '0.0124', '12,346', '0')
    """
    if abs(value) < 0.5 / 10**MOST_DECIMALS:
        return "0"
    if abs(value) >= 1000:
        return fixed(value, 0)
    return fixed(value, 2) if abs(value) >= 1 else fixed(value, _decimals(value, 3))


def chance(p_value: float) -> str:
    """Write a p-value; what is small is only said to be small."""
    return "< 0.001" if p_value < 0.001 else fixed(p_value, 3)


def _decimals(value: float, digits: int) -> int:
    """Return how many decimals show so many significant digits."""
    size, decimals = abs(value), 0
    while size and size < 10.0 ** (digits - 1) and decimals < MOST_DECIMALS:
        size, decimals = size * 10, decimals + 1
    return decimals
