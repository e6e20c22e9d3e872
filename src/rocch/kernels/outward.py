"""Fractions as doubles that are certainly not above them, or not below."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fractions import Fraction


def at_most(fraction: Fraction) -> float:
    """Return the greatest double that is not above a fraction."""
    nearest = float(fraction)
    return nearest if nearest <= fraction else math.nextafter(nearest, -math.inf)


def at_least(fraction: Fraction) -> float:
    """Return the least double that is not below a fraction."""
    nearest = float(fraction)
    return nearest if nearest >= fraction else math.nextafter(nearest, math.inf)
