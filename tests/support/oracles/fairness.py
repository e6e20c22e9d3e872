"""Fair rates by enumeration, and by an exact linear program."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import NamedTuple

import numpy as np

from rocch.kernels.exact import solution


class GroupRows(NamedTuple):
    """Labels of one group, and the scores of each classifier."""

    labels: Sequence[bool]
    scores: Sequence[Sequence[float]]


class Rates(NamedTuple):
    """Rates as fractions of counts."""

    fpr: Fraction
    tpr: Fraction
    predicted_positive: Fraction


def settings(group: GroupRows) -> list[Rates]:
    """Return the rates at every threshold of every classifier, and of *never*."""
    found = []
    for scores in group.scores:
        for threshold in [float("inf"), *scores]:
            alarms = [score >= threshold for score in scores]
            fp = sum(a and not y for a, y in zip(alarms, group.labels, strict=True))
            tp = sum(a and y for a, y in zip(alarms, group.labels, strict=True))
            positives = sum(group.labels)
            negatives = len(group.labels) - positives
            found.append(
                Rates(
                    Fraction(fp, negatives),
                    Fraction(tp, positives),
                    Fraction(fp + tp, negatives + positives),
                )
            )
    return found


def cost(groups: Sequence[GroupRows], chosen: Sequence[Rates], alarm: int, miss: int) -> Fraction:
    """Return the expected cost per case at the observed prevalences."""
    total = Fraction(0)
    for group, rates in zip(groups, chosen, strict=True):
        positives = sum(group.labels)
        negatives = len(group.labels) - positives
        total += alarm * rates.fpr * negatives + miss * (1 - rates.tpr) * positives
    return total / sum(len(group.labels) for group in groups)


def spread(chosen: Sequence[Rates], names: Sequence[str]) -> Fraction:
    """Return the largest difference of any of the rates between two groups."""
    columns: list[list[Fraction]] = [[getattr(rates, name) for rates in chosen] for name in names]
    return max(max(column) - min(column) for column in columns)


def least_cost(
    groups: Sequence[GroupRows],
    names: Sequence[str],
    tolerance: Fraction,
    alarm: int,
    miss: int,
    least_tpr: Fraction = Fraction(0),
) -> Fraction | None:
    """Return the least cost of one setting for each group, tried one by one."""
    several = [[s for s in set(settings(g)) if s.tpr >= least_tpr] for g in groups]
    fair = (c for c in product(*several) if spread(c, names) <= tolerance)
    return min((cost(groups, chosen, alarm, miss) for chosen in fair), default=None)


def mixing_reaches(
    groups: Sequence[GroupRows],
    names: Sequence[str],
    tolerance: Fraction,
    alarm: int,
    miss: int,
    at_most: Fraction,
) -> bool:
    """Return whether some mix of settings meets the tolerance at a cost, by an exact program.

    All pairs of groups have rows of their own, and all settings are mixed, not only the hull's.
    """
    several = [sorted(set(settings(g))) for g in groups]
    places = [(g, s) for g, own in enumerate(several) for s in own]
    rows: list[list[Fraction]] = []
    bounds: list[Fraction] = []

    def add(coefficients: Sequence[Fraction | int], bound: Fraction | int) -> None:
        rows.append([Fraction(c) for c in coefficients])
        bounds.append(Fraction(bound))

    for group in range(len(groups)):
        own = [int(g == group) for g, _ in places]
        add(own, 1)
        add([-one for one in own], -1)
    for name in names:
        for one, other in product(range(len(groups)), repeat=2):
            if one != other:
                add([((g == one) - (g == other)) * getattr(s, name) for g, s in places], tolerance)
    nothing = Rates(Fraction(0), Fraction(1), Fraction(0))  # costs nothing
    costs = [
        cost(groups, [s if g == h else nothing for h in range(len(groups))], alarm, miss)
        for g, s in places
    ]
    add(costs, at_most)
    whole = [
        np.lcm.reduce([f.denominator for f in (*row, b)], dtype=object)
        for row, b in zip(rows, bounds, strict=True)
    ]
    table = np.array(
        [[int(f * w) for f in row] for row, w in zip(rows, whole, strict=True)], dtype=object
    )
    limits = np.array([int(b * w) for b, w in zip(bounds, whole, strict=True)], dtype=object)
    return solution(table, limits) is not None
