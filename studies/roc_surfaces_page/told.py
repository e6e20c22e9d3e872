"""Numbers as text: ranges over draws, shares, and means over splits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


def whole_range(values: Iterable[Any]) -> str:
    """Write whole numbers as the least and the greatest of them."""
    numbers = [int(value) for value in values]
    low, high = min(numbers), max(numbers)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def share_range(values: Iterable[Any], digits: int = 3) -> str:
    """Write shares as the least and the greatest of them."""
    low, high = (f"{value:.{digits}f}" for value in _ends(values))
    return low if low == high else f"{low} to {high}"


def _ends(values: Iterable[Any]) -> tuple[float, float]:
    numbers = [float(value) for value in values]
    return min(numbers), max(numbers)


def how_many(truths: Sequence[bool]) -> str:
    """Write how often something holds."""
    return f"{sum(truths)} of {len(truths)}"


def percent_more(new: float, old: float) -> str:
    """Write by how many percent a number is greater."""
    return f"{100 * (new / old - 1):.0f}"


def percent(share: float) -> str:
    """Write a share as a percentage."""
    return f"{100 * share:.1f} %"


def mean_of(results: Iterable[Mapping[str, Any]], what: str) -> float:
    """Return the mean of something over splits, and over costs where it is given for each."""
    return float(np.mean([np.mean(result[what]) for result in results]))
