"""Limits with a confidence by definition: binomial sums, and every sample that can happen.

A law maps outcomes of one row to their chances. All chances are fractions.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import comb, factorial
from typing import TypeVar

Outcome = TypeVar("Outcome")


def chance_of_at_most(errors: int, rows: int, rate: Fraction) -> Fraction:
    """Return the chance of no more errors than these among rows with this error rate."""
    return sum(
        (comb(rows, k) * rate**k * (1 - rate) ** (rows - k) for k in range(errors + 1)),
        Fraction(0),
    )


def most_errors(rows: int, limit: Fraction, level: Fraction) -> int:
    """Return the most errors that are unlikely enough at the limit; -1 if none are."""
    passing = (k for k in range(rows) if chance_of_at_most(k, rows, limit) <= level)
    return max(passing, default=-1)


def order_statistic(
    false_positives: Sequence[int], rows: int, limit: Fraction, level: Fraction
) -> int:
    """Return how many settings of one scorer, from the strictest on, keep a limit on FPR."""
    kept = 0
    for errors in false_positives:
        if chance_of_at_most(errors, rows, limit) > level:
            break
        kept += 1
    return kept


def samples(
    law: Mapping[Outcome, Fraction], rows: int
) -> Iterator[tuple[dict[Outcome, int], Fraction]]:
    """Yield how often each outcome happens in a sample, with its chance (multinomial)."""
    outcomes = list(law)

    def deal(first: int, left: int) -> Iterator[list[int]]:
        if first == len(outcomes) - 1:
            yield [left]
            return
        for here in range(left + 1):
            for rest in deal(first + 1, left - here):
                yield [here, *rest]

    for counts in deal(0, rows):
        chance = Fraction(factorial(rows))
        for outcome, count in zip(outcomes, counts, strict=True):
            chance *= law[outcome] ** count / Fraction(factorial(count))
        yield dict(zip(outcomes, counts, strict=True)), chance


def chance_of_breaking(
    negatives: tuple[Mapping[Outcome, Fraction], int],
    positives: tuple[Mapping[Outcome, Fraction], int],
    breaks: Callable[[dict[Outcome, int], dict[Outcome, int]], bool],
) -> Fraction:
    """Return the chance that what a procedure chooses on a sample breaks its limit."""
    total = Fraction(0)
    for negative, p in samples(*negatives):
        for positive, q in samples(*positives):
            if p * q and breaks(negative, positive):
                total += p * q
    return total
