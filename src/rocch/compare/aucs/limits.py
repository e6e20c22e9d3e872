"""Limits of an AUC and of the difference of two that stay where such numbers can lie.

An AUC plus and minus two standard errors reaches past 1, and has no width where no pair is
misranked. Newcombe ("Confidence intervals for an effect size measure based on the Mann-Whitney
statistic. Part 2", Statistics in Medicine 25, 2006, method 5) instead keeps every AUC that the one
seen does not contradict, with the variance that *it* would have. His variance assumes
exponential scores; here it is scaled to DeLong's estimate, as far as the rows can say something
about that. docs/coverage.md shows the measured coverage.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rocch.kernels.bounds import normal_quantile
from rocch.roc.conditions import Interval

if TYPE_CHECKING:
    from collections.abc import Callable

PRIOR_WEIGHT = 2.0
"""How much evidence (rows of the rarer class that are neither right nor wrong throughout) DeLong's
estimate needs to count as much as Newcombe's formula. Chosen by measured
coverage: with almost no weight that is too low in many settings; from 1 on it hardly changes."""

STEPS = 60
"""Halvings of an interval no longer than 1; more would not change a double."""


def auc_limits(
    auc: float, variance: float, units: tuple[int, int], *, confidence: float
) -> Interval:
    """Return the interval of an AUC; `units` are the independent units of either class."""

    def scale(end: float) -> float:
        return _scale(end, _evidence(end, units), variance, units)

    return _limits(Interval(auc, auc), scale, units, confidence)


def bracket_limits(
    aucs: Interval, variance: float, units: tuple[int, int], *, confidence: float
) -> Interval:
    """Return an interval that encloses those of all AUCs in a bracket, with that variance or less.

    DeLong's variance of an AUC is at most (1 / (n - 1) + 1 / (m - 1)) AUC (1 - AUC), with n and m
    the rows of either class. So by how much Newcombe's variance is multiplied (`_scale`) grows with
    AUC (1 - AUC) until that bound reaches the variance, and falls from there on. Newcombe's factor
    itself is least at the end of the bracket that lies farther from 1/2.
    """
    most = 1 / (units[0] - 1) + 1 / (units[1] - 1)

    def scale(end: float) -> float:
        evidence = max(_evidence(end, units), 4 * min(units) * variance / most)
        return _scale(end, evidence, variance, units)

    return _limits(aucs, scale, units, confidence)


def difference_limits(
    aucs: tuple[float, float], intervals: tuple[Interval, Interval], correlation: float
) -> Interval:
    """Return the interval of a difference from those of its parts (Zou and Donner's MOVER).

    G. Y. Zou, "Toward using confidence intervals to compare correlations" (Psychological Methods
    12, 2007): the distance to either limit is that of correlated errors, with the errors taken
    from the limits that matter on that side. So it inherits their good behaviour close to 1.
    """
    (a, b), (of_a, of_b) = aucs, intervals

    def distance(x: float, y: float) -> float:
        return math.sqrt(max(0.0, x * x + y * y - 2 * correlation * x * y))

    low = (a - b) - distance(a - of_a.low, of_b.high - b)
    high = (a - b) + distance(of_a.high - a, b - of_b.low)
    return Interval(max(low, -1.0), min(high, 1.0))


def _variance_factor(auc: float, units: tuple[int, int]) -> float:
    """Return Newcombe's variance of an AUC, divided by AUC (1 - AUC)."""
    n, m = units
    mean = (n + m) / 2 - 1
    return (1 + mean * ((1 - auc) / (2 - auc) + auc / (1 + auc))) / (n * m)


def _evidence(auc: float, units: tuple[int, int]) -> float:
    """Return how many rows of the rarer class are neither right nor wrong throughout, about."""
    return 4 * min(units) * auc * (1 - auc)


def _scale(auc: float, evidence: float, variance: float, units: tuple[int, int]) -> float:
    """Return by what to multiply Newcombe's variance: 1 where the rows say nothing about it."""
    # evidence x (variance / Newcombe's); AUC (1 - AUC) cancels, so AUC = 0 does no harm
    estimate = 4 * min(units) * variance / _variance_factor(auc, units)
    return (estimate + PRIOR_WEIGHT) / (evidence + PRIOR_WEIGHT)


def _limits(
    aucs: Interval, scale: Callable[[float], float], units: tuple[int, int], confidence: float
) -> Interval:
    """Return what does not contradict all AUCs of a bracket.

    `scale` is asked at the end that lies farther from 1/2, or at its mirror image.
    """
    least, most = aucs
    if least + most > 1:  # not to lose digits close to 1
        low, high = _limits(Interval(1 - most, 1 - least), scale, units, confidence)
        return Interval(1 - high, 1 - low)
    reach = normal_quantile(confidence) * math.sqrt(scale(least))

    def contradicted(other: float) -> bool:
        spread = other * (1 - other) * _variance_factor(other, units)
        return max(least - other, other - most) > reach * math.sqrt(spread)

    return Interval(_edge(contradicted, least, 0.0), _edge(contradicted, most, 1.0))


def _edge(contradicted: Callable[[float], bool], inside: float, end: float) -> float:
    """Return the value between `inside` and an end where contradiction begins."""
    if not contradicted(end):
        return end
    outside = end
    for _ in range(STEPS):
        middle = (inside + outside) / 2
        if contradicted(middle):
            outside = middle
        else:
            inside = middle
    return inside
