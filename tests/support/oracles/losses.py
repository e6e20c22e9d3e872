"""Comparing losses by definition: every line against every line, in fractions.

Source: Adams and Hand, *Comparing classifiers when the misallocation costs are uncertain* ("A&H").
A classifier is the list of its ROC points as (FPR, TPR) fractions. Losses are per case: equation 1
of A&H, pi0 f0 c0 + pi1 f1 c1, with class 1 the positive one.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations, pairwise
from typing import TypeAlias

Rates: TypeAlias = tuple[Fraction, Fraction]
Loss: TypeAlias = Callable[[Fraction], Fraction]
Stretch: TypeAlias = tuple[Fraction, Fraction, int]


def loss(point: Rates, share: Fraction, prevalence: Fraction) -> Fraction:
    """Return A&H's equation 1 for costs that sum to 1, the share being the miss's (their c1)."""
    fpr, tpr = point
    return (1 - prevalence) * fpr * (1 - share) + prevalence * (1 - tpr) * share


def envelope(points: Sequence[Rates], prevalence: Fraction) -> Loss:
    """Return the least loss over all points, at each share."""
    return lambda share: min(loss(point, share, prevalence) for point in points)


def implied(rows: Sequence[tuple[bool, Fraction]], prevalence: Fraction) -> Loss:
    """Return the loss of alarming where the estimated probability is at least 1 - share."""
    positives = [score for positive, score in rows if positive]
    negatives = [score for positive, score in rows if not positive]

    def at(share: Fraction) -> Fraction:
        fpr, tpr = (
            Fraction(sum(score >= 1 - share for score in scores), len(scores))
            for scores in (negatives, positives)
        )
        return loss((fpr, tpr), share, prevalence)

    return at


def turning_shares(points: Sequence[Rates], prevalence: Fraction) -> set[Fraction]:
    """Return every share at which two of the points cost the same, and both ends."""
    found = {Fraction(0), Fraction(1)}
    for (fpr, tpr), (other_fpr, other_tpr) in combinations(set(points), 2):
        alarm = (1 - prevalence) * (fpr - other_fpr)
        hit = prevalence * (tpr - other_tpr)
        if alarm * hit > 0:
            found.add(alarm / (alarm + hit))
    return found


def partition(first: Loss, second: Loss, shares: set[Fraction]) -> list[Stretch]:
    """Return stretches with the sign of who loses less, neighbors of one sign joined.

    Between two neighboring `shares` the sign must be constant, so that the middle tells it.
    """
    found: list[Stretch] = []
    for low, high in pairwise(sorted(shares)):
        middle = (low + high) / 2
        one, other = first(middle), second(middle)
        sign = (one < other) - (one > other)
        if found and found[-1][2] == sign:
            found[-1] = (found[-1][0], high, sign)
        else:
            found.append((low, high, sign))
    return found


def triangle_mass(low: Fraction, top: Fraction, high: Fraction, upto: Fraction) -> Fraction:
    """Return the mass of A&H's triangle (section 3) below a share."""
    if upto <= low:
        return Fraction(0)
    if upto >= high:
        return Fraction(1)
    if upto <= top:
        return (upto - low) ** 2 / ((high - low) * (top - low))
    return 1 - (high - upto) ** 2 / ((high - low) * (high - top))


def lc_index(stretches: Sequence[Stretch], mass_upto: Callable[[Fraction], Fraction]) -> Fraction:
    """Return A&H's LC index (section 4)."""
    return sum(
        (sign * (mass_upto(high) - mass_upto(low)) for low, high, sign in stretches), Fraction(0)
    )
