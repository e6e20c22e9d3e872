"""Numbers, rates and counts as the page and its messages write them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rocch.numbers import fixed, per_100, significant

PERCENT = "\u00a0%"
"""A unit that stays with its number."""
CASES = 1000
"""Expected counts are for this many cases."""


def percent(share: float) -> str:
    """Write a share in percent.

    Examples
    --------
    >>> from rocch.service.wording import percent
    >>> percent(0.9996).replace("\u00a0", " ")
    '99.96 %'
    """
    return per_100(share) + PERCENT


def fine_percent(share: float) -> str:
    """Write a share in percent with three digits."""
    return significant(100 * share, 3) + PERCENT


def whole(number: float) -> str:
    """Write a count."""
    return fixed(number, 0)


def short(number: float) -> str:
    """Write a number with four digits."""
    return significant(number, 4)


def count(number: float, noun: str) -> str:
    """Write a count with its noun: 1 row, 2 rows."""
    return f"{whole(number)} {noun}{'' if number == 1 else 's'}"


def span(ends: Sequence[float], write: Callable[[float], str]) -> str:
    """Write an interval: 5 to 10 %, or 5 % where both ends read alike."""
    low, high = map(write, ends)
    return low if low == high else f"{low.removesuffix(PERCENT)} to {high}"


def rates(point: dict[str, Any]) -> str:
    """Write FPR and TPR; rates that nobody knows are left out."""
    known = [(name.upper(), point[name]) for name in ("fpr", "tpr") if point[name] is not None]
    return ", ".join(f"{name} {percent(rate)}" for name, rate in known)


def capital(text: str) -> str:
    """Return a text with a capital letter."""
    return text[:1].upper() + text[1:]


def counts_of(point: dict[str, Any], prevalence: Sequence[float]) -> dict[str, list[float]]:
    """Return what to expect of 1,000 cases at a prevalence from low to high.

    Examples
    --------
    >>> from rocch.service.wording import counts_of
    >>> counts_of({"fpr": 0.1, "tpr": 0.5}, (0.2, 0.4))["misses"]
    [100.0, 200.0]
    """
    fpr, tpr = point["fpr"], point["tpr"]
    per_case = {
        "alarms": [p * tpr + (1 - p) * fpr for p in prevalence],
        "hits": [p * tpr for p in prevalence],
        "misses": [p * (1 - tpr) for p in prevalence],
        "false_alarms": [(1 - p) * fpr for p in prevalence],
    }
    counts = {name: sorted(CASES * share for share in ends) for name, ends in per_case.items()}
    return {"prevalence": list(prevalence), **counts}
