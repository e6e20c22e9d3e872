"""Decisions that may be left to a person, by definition: try every pair of settings.

A setting is a list of booleans: which rows it calls positive. A pair of settings decides a row
positive where both do, negative where neither does, and refers the others. For two thresholds of
one scorer these are the rows between them.

Numbers that describe conditions come in the order prevalence, cost of a false positive, of a false
negative, of a true positive, of a true negative. A referred case costs r more than a right
decision.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import NamedTuple, TypeAlias

Alarms: TypeAlias = Sequence[bool]
Costs: TypeAlias = tuple[Fraction, Fraction, Fraction, Fraction, Fraction]


class Outcome(NamedTuple):
    """What a pair of settings costs per case, refers, and gets wrong of what it decides."""

    cost: Fraction
    referred: Fraction
    wrong: Fraction

    @property
    def wrong_among_decided(self) -> Fraction:
        """The share of wrong decisions; 0 where nothing is decided, so nothing is wrong."""
        decided = 1 - self.referred
        return self.wrong / decided if decided else Fraction(0)


def settings(scores: Sequence[float]) -> list[Alarms]:
    """Return the alarms at every threshold, from never to always."""
    thresholds = sorted(set(scores), reverse=True)
    return [[False] * len(scores), *([score >= t for score in scores] for t in thresholds)]


def outcome(labels: Alarms, one: Alarms, other: Alarms, costs: Costs, r: Fraction) -> Outcome:
    """Return the outcome of a pair of settings at a prevalence: row by row."""
    prevalence, fp, fn, tp, tn = costs
    cost = referred = wrong = Fraction(0)
    shares = (1 - prevalence) / labels.count(False), prevalence / labels.count(True)
    for label, first, second in zip(labels, one, other, strict=True):
        share = shares[label]
        right, error = (tp, fn) if label else (tn, fp)
        if first != second:
            cost += share * (right + r)
            referred += share
        elif first != label:
            cost += share * error
            wrong += share
        else:
            cost += share * right
    return Outcome(cost, referred, wrong)


def one_scorer(labels: Alarms, scores: Sequence[float]) -> Iterator[tuple[Alarms, Alarms]]:
    """Return all pairs of thresholds of one scorer, equal ones included."""
    del labels
    yield from combinations_with_replacement(settings(scores), 2)


def two_scorers(one: Sequence[Alarms], other: Sequence[Alarms]) -> Iterator[tuple[Alarms, Alarms]]:
    """Return all pairs of a setting of one scorer and a setting of another."""
    yield from product(one, other)


def best(
    labels: Alarms,
    pairs: Iterator[tuple[Alarms, Alarms]],
    costs: Costs,
    r: Fraction,
    *,
    max_referred: Fraction | None = None,
    max_wrong: Fraction | None = None,
) -> Outcome | None:
    """Return the cheapest outcome within the limits, of equal ones that with fewest referred."""
    found = []
    for one, other in pairs:
        each = outcome(labels, one, other, costs, r)
        if max_referred is not None and each.referred > max_referred:
            continue
        if max_wrong is not None and each.wrong > max_wrong * (1 - each.referred):
            continue
        found.append(each)
    return min(found, default=None)
