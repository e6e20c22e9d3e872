"""Dominance by definition: every pair, every objective, one candidate after another."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from math import factorial
from typing import TypeAlias

Counts: TypeAlias = Sequence[int]


def covers(one: Counts, other: Counts) -> bool:
    """Say whether one is less or equal in every objective."""
    return all(a <= b for a, b in zip(one, other, strict=True))


def coverer(point: Counts, members: Sequence[Counts]) -> int:
    """Return the place of the first member that covers the point, -1 for none."""
    return next((place for place, member in enumerate(members) if covers(member, point)), -1)


def front(points: Sequence[Counts]) -> list[int]:
    """Return the places of points that no other dominates; of equal ones the first."""
    return [
        i
        for i, point in enumerate(points)
        if not any(
            covers(other, point) and (list(other) != list(point) or j < i)
            for j, other in enumerate(points)
            if j != i
        )
    ]


def insert(members: dict[int, Counts], entered: int, batch: Sequence[Counts]) -> list[int]:
    """Change the members, by their numbers, as the batch demands; return the places that enter."""
    fresh = [place for place in front(batch) if coverer(batch[place], list(members.values())) < 0]
    for place in fresh:
        for number in [n for n, member in members.items() if covers(batch[place], member)]:
            del members[number]
    members.update({entered + i: batch[place] for i, place in enumerate(fresh)})
    return fresh


def corner_volume(point: Counts, totals: Counts, budget: int) -> Fraction:
    """Return the volume of {point <= x * totals, x <= 1, sum of x <= budget}, over all subsets."""
    rates = [Fraction(c, n) for c, n in zip(point, totals, strict=True)]
    rest = budget - sum(rates)
    total = Fraction(0)
    for size in range(len(rates) + 1):
        for cut in combinations(rates, size):
            base = rest - sum(1 - rate for rate in cut)
            total += (-1) ** size * max(base, Fraction(0)) ** len(rates)
    return total / factorial(len(rates))


def union_volume(points: Sequence[Counts], totals: Counts, budget: int) -> Fraction:
    """Return the volume that all points dominate together, by inclusion and exclusion of them."""
    total = Fraction(0)
    for size in range(1, len(points) + 1):
        for some in combinations(points, size):
            join = [max(column) for column in zip(*some, strict=True)]
            total -= (-1) ** size * corner_volume(join, totals, budget)
    return total
