"""Numbers that say how indices spread over splits, and where a published one falls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from rocch.arrays import FloatArray
    from studies.lc.examples import Example


def percentile(values: FloatArray, published: float, digits: int) -> float:
    """Return the percentage of values below a published one; of those equal to it, half.

    Ours are rounded like the published one, since more of it is not known.
    """
    ours, theirs = np.round(values, digits), round(published, digits)
    return 100 * float(np.mean(ours < theirs) + np.mean(ours == theirs) / 2)


def lead(found: dict[str, Any]) -> FloatArray:
    """Return A's lead in AUC."""
    return np.asarray(found["auc_a"] - found["auc_b"])


def opposed(found: dict[str, Any], reading: str) -> float:
    """Return the share of splits in which AUC favors one and the index the other."""
    return float(np.mean(lead(found) * found[f"lc_{reading}"] < 0))


def readings_opposed(found: dict[str, Any]) -> float:
    """Return the share of splits in which the two readings favor different ones."""
    return float(np.mean(found["lc_envelope"] * found["lc_implied"] < 0))


def favored(index: FloatArray) -> float:
    """Return the share of splits that favor A; half of those at 0 count."""
    return float(np.mean(index > 0) + np.mean(index == 0) / 2)


def as_published(example: Example, found: dict[str, Any], reading: str) -> float:
    """Return the share of splits in which AUC and index have both published signs."""
    signs = np.sign(example.auc_a - example.auc_b), np.sign(example.lc)
    return float(
        np.mean((np.sign(lead(found)) == signs[0]) & (np.sign(found[f"lc_{reading}"]) == signs[1]))
    )


def other_winner(index: FloatArray, before: FloatArray) -> float:
    """Return the share of the same splits that favor another one than before."""
    return float(np.mean(index * before[: index.size] < 0))


def undecided(found: dict[str, Any]) -> float:
    """Return the share of splits whose interval holds both signs."""
    return float(np.mean((found["low"] < 0) & (found["high"] > 0)))


def both_as_low(example: Example, found: dict[str, Any]) -> float:
    """Return the share of splits in which neither AUC is above the published one."""
    low_a, low_b = found["auc_a"] <= example.auc_a, found["auc_b"] <= example.auc_b
    return float(np.mean(low_a & low_b))


def nearest_split(example: Example, found: dict[str, Any]) -> int:
    """Return the seed of the split whose AUCs are nearest to the published ones."""
    a, b = found["auc_a"], found["auc_b"]
    return int(np.argmin((a - example.auc_a) ** 2 + (b - example.auc_b) ** 2))
