"""Combining classifiers by definition: rows one at a time, every pair, exact fractions.

Decisions are lists of alarms, one per row. The cost at slope m is (m FPR + 1 - TPR) / (1 + m); None
stands for an infinite slope, at which only false alarms cost.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations, pairwise
from typing import TypeAlias

from .hulls import Counts, hull, slopes

Alarms: TypeAlias = Sequence[bool]
Slope: TypeAlias = Fraction | None


def count(labels: Sequence[bool], alarms: Alarms, weights: Sequence[int]) -> Counts:
    """Return false and true positives, each row as often as its weight says."""
    rows = list(zip(labels, alarms, weights, strict=True))
    fp = sum(weight for label, alarm, weight in rows if alarm and not label)
    return fp, sum(weight for label, alarm, weight in rows if alarm and label)


def stretches(
    labels: Sequence[bool], ours: Sequence[Alarms], theirs: Sequence[Alarms], weights: Sequence[int]
) -> list[tuple[Slope, Slope]]:
    """Return the stretches of slopes between neighboring breakpoints of the two hulls."""
    ends = count(labels, [True] * len(labels), weights)
    breaks: set[Slope] = {Fraction(0), None}
    for decisions in (ours, theirs):
        vertices = hull([count(labels, alarms, weights) for alarms in decisions], *ends)
        breaks |= set(slopes(vertices, *ends))
    ordered = sorted(slope for slope in breaks if slope is not None)
    return list(pairwise([*ordered, None]))


def gain(
    labels: Sequence[bool],
    ours: Alarms,
    theirs: Alarms,
    slope: Slope,
    weights: Sequence[int],
) -> tuple[Fraction, Fraction]:
    """Return the gain of one decision over another at a slope, and the square of its error."""
    factors = (
        (Fraction(1), Fraction(0)) if slope is None else (slope / (1 + slope), 1 / (1 + slope))
    )
    total = squared = Fraction(0)
    for positive, factor in zip((False, True), factors, strict=True):
        saved = [
            (weight, (a - b if label else b - a))
            for label, a, b, weight in zip(labels, ours, theirs, weights, strict=True)
            if label == positive
        ]
        mean, variance = _mean(saved)
        total += factor * mean
        squared += factor**2 * variance
    return total, squared


def gains(
    labels: Sequence[bool], ours: Sequence[Alarms], theirs: Sequence[Alarms], weights: Sequence[int]
) -> list[tuple[Slope, Fraction, Fraction]]:
    """Return slope, gain and squared error at both ends of every stretch, low slopes first."""
    found = []
    for low, high in stretches(labels, ours, theirs, weights):
        assert low is not None
        within = low + 1 if high is None else (low + high) / 2
        best = [cheapest(labels, decisions, within, weights) for decisions in (ours, theirs)]
        found += [(end, *gain(labels, best[0], best[1], end, weights)) for end in (low, high)]
    return found


def cheapest(
    labels: Sequence[bool], decisions: Sequence[Alarms], slope: Fraction, weights: Sequence[int]
) -> Alarms:
    """Return the decision with the least cost at a slope, *never* and *always* included."""
    negatives, positives = count(labels, [True] * len(labels), weights)

    def cost(alarms: Alarms) -> Fraction:
        fp, tp = count(labels, alarms, weights)
        return slope * Fraction(fp, negatives) - Fraction(tp, positives)

    size = len(labels)
    return min([[False] * size, *decisions, [True] * size], key=cost)


def settings(labels: Sequence[bool], scores: Sequence[float], *, vertices: bool) -> list[Alarms]:
    """Return a model's alarms at every distinct score, or at the vertices of its own hull."""
    ones = [1] * len(labels)
    every: list[Alarms] = [
        [score >= t for score in scores] for t in sorted(set(scores), reverse=True)
    ]
    if not vertices:
        return every
    ends = count(labels, [True] * len(labels), ones)
    kept = hull([count(labels, alarms, ones) for alarms in every], *ends)
    return [alarms for alarms in every if count(labels, alarms, ones) in kept]


def combined_hull(
    labels: Sequence[bool], scores: Mapping[str, Sequence[float]], *, vertices: bool
) -> list[Counts]:
    """Return the hull of all settings and of every *and* and *or* of two models' settings."""
    ones = [1] * len(labels)
    models = [settings(labels, column, vertices=vertices) for column in scores.values()]
    points = [count(labels, alarms, ones) for model in models for alarms in model]
    for first, second in combinations(models, 2):
        for a in first:
            for b in second:
                both = [x and y for x, y in zip(a, b, strict=True)]
                either = [x or y for x, y in zip(a, b, strict=True)]
                points += [count(labels, both, ones), count(labels, either, ones)]
    return hull(points, *count(labels, [True] * len(labels), ones))


def _mean(values: Sequence[tuple[int, int]]) -> tuple[Fraction, Fraction]:
    """Return the weighted mean and its variance, with the correction for one mean taken."""
    values = [(weight, value) for weight, value in values if weight]
    total, size = sum(weight for weight, _ in values), len(values)
    mean = Fraction(sum(weight * value for weight, value in values), total)
    spread = sum((Fraction(weight, total) ** 2 * (value - mean) ** 2) for weight, value in values)
    return mean, spread * Fraction(size, size - 1)
