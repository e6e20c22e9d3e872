"""What differs between two fingerprints."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from .naming import fields

TOLERANCE = 1e-12
"""Floats that agree to this relative difference count as equal."""

# The rows that a member of a hull keeps by reference are inputs, not results.
INPUTS = {"positive", "scores", "rows"}

INTERVAL = {"exact", "high", "low"}


def differences(before: Any, after: Any, path: str = "") -> Iterator[str]:
    """Yield a line for every place where two reduced results differ."""
    if isinstance(before, list) and isinstance(after, dict) and after.keys() == INTERVAL:
        after = [after["low"], after["high"]]  # a pair that has become an interval
    if isinstance(before, dict) and isinstance(after, dict):
        before = _renamed(before, after)
        if path.endswith("/source"):
            before, after = (
                {key: value for key, value in each.items() if key not in INPUTS}
                for each in (before, after)
            )
        for key in sorted(before.keys() | after.keys()):
            place = f"{path}/{key}"
            if key not in after:
                yield f"{place}: is missing after"
            elif key not in before:
                yield f"{place}: is new after"
            else:
                yield from differences(before[key], after[key], place)
    elif isinstance(before, list) and isinstance(after, list):
        if len(before) != len(after):
            yield f"{path}: {len(before)} items, after {len(after)}"
        for number, (one, other) in enumerate(zip(before, after, strict=False)):
            yield from differences(one, other, f"{path}/{number}")
    elif not same_leaf(before, after):
        yield f"{path}: {_short(before)}, after {_short(after)}"


def _renamed(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """Return the earlier fields by their present names, where the table of moves has them."""
    names = {
        key: next((new for new in fields().get(key, ()) if new in after and new not in before), key)
        for key in before
        if key not in after
    }
    return {names.get(key, key): value for key, value in before.items()}


def same_leaf(one: Any, other: Any) -> bool:
    """Say whether two leaves are the same: floats nearly, everything else exactly."""
    if type(one) is not type(other):
        return False
    if isinstance(one, float):
        both_nan = math.isnan(one) and math.isnan(other)
        return both_nan or math.isclose(one, other, rel_tol=TOLERANCE, abs_tol=0.0)
    return bool(one == other)


def leaves(value: Any) -> int:
    """Count the numbers, texts and flags of a reduced result."""
    if isinstance(value, dict):
        return sum(map(leaves, value.values()))
    if isinstance(value, list):
        return sum(map(leaves, value))
    return 1


def _short(value: Any, most: int = 100) -> str:
    text = repr(value)
    return text if len(text) <= most else f"{text[:most]}..."
