"""Multi-class costs the slow and obvious way: standard library and fractions only."""

from __future__ import annotations

from fractions import Fraction
from typing import Any


def expected_cost(
    confusion: list[list[int]], costs: list[list[float]], priors: list[Fraction]
) -> Fraction:
    """004, equation 2."""
    risk = Fraction(0)
    for k, row in enumerate(confusion):
        for j, count in enumerate(row):
            risk += Fraction(costs[k][j]) * Fraction(count, sum(row)) * priors[k]
    return risk


def least_cost(posteriors: list[float], costs: list[list[float]]) -> set[int]:
    """004, equation 3: all answers of least conditional risk, without rounding."""
    size = len(posteriors)
    risks = [
        sum(Fraction(costs[k][j]) * Fraction(posteriors[k]) for k in range(size))
        for j in range(size)
    ]
    return {j for j in range(size) if risks[j] == min(risks)}


def cheapest(
    confusions: list[list[list[int]]], costs: list[list[float]], priors: list[Fraction]
) -> list[int]:
    """All members of least expected cost."""
    risks = [expected_cost(confusion, costs, priors) for confusion in confusions]
    return [place for place, risk in enumerate(risks) if risk == min(risks)]


def observed(confusion: list[list[int]]) -> list[Fraction]:
    """The observed shares of the classes."""
    rows = sum(map(sum, confusion))
    return [Fraction(sum(row), rows) for row in confusion]


def nondominated(points: list[tuple[int, ...]]) -> set[tuple[int, ...]]:
    """The points that no other point equals or betters throughout (004, equations 6 and 7)."""

    def dominates(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
        return one != other and all(a <= b for a, b in zip(one, other, strict=True))

    return {point for point in points if not any(dominates(one, point) for one in points)}
