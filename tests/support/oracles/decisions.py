"""Operating points by definition: try every point, corner and step.

Source: Provost & Fawcett, *Robust Classification for Imprecise Environments* ("P&F"). Points
are (FPR, TPR) rates as fractions. Numbers that describe conditions always come in the order
prevalence, then the costs of a false positive, false negative, true positive, true negative.
"""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise, product
from typing import TypeAlias

Rates: TypeAlias = tuple[Fraction, Fraction]
Interval: TypeAlias = tuple[Fraction, Fraction]
Box: TypeAlias = tuple[Interval, Interval, Interval, Interval, Interval]
Limit: TypeAlias = tuple[Fraction, Fraction, Fraction]
Metric: TypeAlias = Callable[[Fraction, Fraction], Fraction]
Mix: TypeAlias = tuple[Fraction, Rates, Rates, Fraction]

WHOLE: Interval = (Fraction(0), Fraction(1))


def slope_range(
    prevalence: Interval,
    false_positive: Interval,
    false_negative: Interval,
    true_positive: Interval,
    true_negative: Interval,
) -> tuple[Fraction | None, Fraction | None]:
    """Return the least and greatest iso-performance slope over the box; None is infinite.

    P&F equation 2 and section 2.2.6 ("a range of slopes"), with costs of correct answers: the
    slope is (FP - TN)/(FN - TP) times the odds of negatives. It is monotone in each of the five
    numbers, so its extremes are at corners. Corners where it is 0/0 say nothing and are skipped.
    """
    found: list[Fraction | None] = []
    box = (prevalence, false_positive, false_negative, true_positive, true_negative)
    for share, fp, fn, tp, tn in product(*box):
        rise, run = (fp - tn) * (1 - share), (fn - tp) * share
        if rise < 0 or run < 0:
            raise ValueError("a wrong answer costs less than the right one")
        if rise or run:
            found.append(Fraction(rise) / run if run else None)
    if not found:
        raise ValueError("no corner of the box has a slope")
    finite = [slope for slope in found if slope is not None]
    return min(finite, default=None), None if None in found else max(finite)


def expected_cost(
    fpr: Fraction,
    tpr: Fraction,
    prevalence: Fraction,
    fp: Fraction,
    fn: Fraction,
    tp: Fraction,
    tn: Fraction,
) -> Fraction:
    """Return the mean cost per case of a classifier at this ROC point.

    P&F equation 1, with costs of correct answers (its footnote 1 leaves them out).
    """
    of_a_positive = (1 - tpr) * fn + tpr * tp
    of_a_negative = fpr * fp + (1 - fpr) * tn
    return prevalence * of_a_positive + (1 - prevalence) * of_a_negative


def cheapest(
    points: Sequence[Rates],
    prevalence: Fraction,
    fp: Fraction,
    fn: Fraction,
    tp: Fraction,
    tn: Fraction,
) -> tuple[Fraction, list[Rates]]:
    """Return the least expected cost of any point, and every point that has it, in given order.

    P&F Lemmas 1 to 3: at a slope equal to a segment's, both its ends are best.
    """
    costs = [expected_cost(*point, prevalence, fp, fn, tp, tn) for point in points]
    least = min(costs)
    return least, [point for point, cost in zip(points, costs, strict=True) if cost == least]


def worst_regret(point: Rates, points: Sequence[Rates], box: Box, steps: int) -> Fraction:
    """Return the most that the point can lose against the best of the points, over the box.

    P&F section 2.2.6, put into numbers: its cost (equation 1) minus the least cost, at every
    node of a grid with this many steps along each interval, corners included. Against one rival
    the loss is linear in each number by itself, so the corners alone (steps=1) are exact.
    """
    return max(
        expected_cost(*point, *conditions) - cheapest(points, *conditions)[0]
        for conditions in product(*(_grid(interval, steps) for interval in box))
    )


def best_under_limits(
    points: Sequence[Rates], value: Metric, limits: Sequence[Limit]
) -> tuple[Fraction, list[Rates]] | None:
    """Return the highest value(fpr, tpr) of any point within the limits, and all that reach it.

    P&F Theorem 8 and Corollary 9: a limit (a, b, c) means a * TPR + b * FPR <= c. No coin is
    used. None when no point is within the limits.
    """
    allowed = [point for point in points if _within(point, limits)]
    if not allowed:
        return None
    best = max(value(*point) for point in allowed)
    return best, [point for point in allowed if value(*point) == best]


def best_on_path(
    vertices: Sequence[Rates], value: Metric, limits: Sequence[Limit], steps: int
) -> tuple[Fraction, Rates] | None:
    """Return the highest value found walking along the hull, and the leftmost point that has it.

    P&F Theorems 7 and 8. The walk makes this many steps per segment and also stops where a limit
    cuts the segment, so that linear metrics are exact with any number of steps; for others the
    result is a lower bound. None when no stop is within the limits.
    """
    stops = [
        _blend(left, right, share)
        for left, right in pairwise(vertices)
        for share in sorted({*_grid(WHOLE, steps), *_cuts(left, right, limits)})
    ]
    best = best_under_limits(stops, value, limits)
    return None if best is None else (best[0], best[1][0])


def neyman_pearson_mix(vertices: Sequence[Rates], max_fpr: Fraction) -> Mix:
    """Return (tpr, left, right, probability of right) of the hull's point at FPR = max_fpr.

    P&F Theorem 7 and Corollary 10. Theorem 7 says that there is exactly one such point; on a
    vertical first segment there are several, and the highest is taken. At a vertex, left and
    right are both that vertex and the probability is 1. On a flat last segment the theorem's
    point has the same TPR as the segment's left end, and more false positives.
    """
    return _meet(vertices, lambda point: point[0], max_fpr)


def capacity_mix(
    vertices: Sequence[Rates],
    k: int | Fraction,
    positives: int | Fraction,
    negatives: int | Fraction,
) -> Mix:
    """Return (tpr, left, right, probability of right) of the hull's point that selects k cases.

    P&F Theorem 11 and section 3.6: "intersecting the line TP * P + FP * N = K with the ROCCH".
    Where k is more than there are cases, all are selected. At a vertex as in Neyman-Pearson.
    """
    most = min(Fraction(k), Fraction(positives + negatives))
    return _meet(vertices, lambda point: point[1] * positives + point[0] * negatives, most)


def _meet(vertices: Sequence[Rates], measure: Callable[[Rates], Fraction], target: Fraction) -> Mix:
    """Find where a linear measure, which never falls along the hull, reaches the target."""
    for vertex in reversed(vertices):
        if measure(vertex) == target:
            return vertex[1], vertex, vertex, Fraction(1)
    for left, right in pairwise(vertices):
        if measure(left) < target < measure(right):
            share = (target - measure(left)) / (measure(right) - measure(left))
            return _blend(left, right, share)[1], left, right, share
    raise ValueError("the hull does not reach the target")


def _blend(left: Rates, right: Rates, share: Fraction) -> Rates:
    """Return the rates of answering with right in this share of cases (P&F Theorem 7)."""
    (x0, y0), (x1, y1) = left, right
    return x0 + share * (x1 - x0), y0 + share * (y1 - y0)


def _cuts(left: Rates, right: Rates, limits: Sequence[Limit]) -> Iterator[Fraction]:
    """Yield the shares of right at which limit lines cut the segment between its ends."""
    for a, b, c in limits:
        start = a * left[1] + b * left[0] - c
        end = a * right[1] + b * right[0] - c
        if start * end < 0:
            yield start / (start - end)


def _within(point: Rates, limits: Sequence[Limit]) -> bool:
    """Tell whether the point keeps every limit (P&F Corollary 9)."""
    fpr, tpr = point
    return all(a * tpr + b * fpr <= c for a, b, c in limits)


def _grid(interval: Interval, steps: int) -> list[Fraction]:
    """Return evenly spaced numbers from one end of the interval to the other, ends included."""
    low, high = interval
    if low == high:
        return [low]
    return [low + (high - low) * Fraction(i, steps) for i in range(steps + 1)]
