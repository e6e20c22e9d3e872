"""Answers of least expected cost and nearest neighbors, row by row in plain Python."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

Row = Sequence[float]


def least_cost(posteriors: Row, costs: Sequence[Row]) -> int:
    """Return the first answer whose expected cost is least, in exact rationals."""
    size = len(posteriors)
    risks = [
        sum(Fraction(posteriors[k]) * Fraction(costs[k][j]) for k in range(size))
        for j in range(size)
    ]
    return risks.index(min(risks))


def least_cost_in_doubles(posteriors: Row, costs: Sequence[Row]) -> int:
    """Return the same in doubles, adding up truth by truth."""
    risks = []
    for j in range(len(costs[0])):
        risk = posteriors[0] * costs[0][j]
        for k in range(1, len(posteriors)):
            risk = risk + posteriors[k] * costs[k][j]
        risks.append(risk)
    return risks.index(min(risks))


def knn_posteriors(
    row: Row, others: Sequence[tuple[Row, int]], k: int, beta: float, classes: int
) -> list[float]:
    """Return the posteriors of one row from its neighbors (eq. 11, tricube)."""
    ranked = sorted((math.dist(row, other), place) for place, (other, _) in enumerate(others))
    width = ranked[k][0]
    sums = [0.0] * classes
    for distance, place in ranked[:k]:
        flat = ranked[0][0] == width
        weight = 1.0 if flat else (1 - (distance / width) ** 3) ** 3
        sums[others[place][1]] += weight / k
    powers = [math.exp(beta * each) for each in sums]
    return [power / sum(powers) for power in powers]
