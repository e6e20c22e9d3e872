"""ROC curves by definition: count, compare every pair, integrate piece by piece.

Sources: Provost & Fawcett, *Robust Classification for Imprecise Environments* ("P&F"), and
Fawcett's *ROC Graphs* slides ("Fawcett"). Everything is exact: integers and fractions.

A point is (false positives, true positives, threshold), in counts or in summed weights. The
curve interpolates linearly between neighboring points, from (0, 0) to (1, 1) in rates; both
classes must be present.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import TypeAlias

CountPoint: TypeAlias = tuple[int, int, float | None]
WeightedPoint: TypeAlias = tuple[Fraction, Fraction, float | None]
Curve: TypeAlias = Sequence[CountPoint] | Sequence[WeightedPoint]
Rates: TypeAlias = tuple[Fraction, Fraction]


def points(labels: Sequence[bool], scores: Sequence[float]) -> list[CountPoint]:
    """Count the false and true positives at every distinct score, highest first.

    P&F section 2.1: "each threshold defines a classifier"; Table 1 with its footnote 3: equal
    scores make one point. A case is called positive when its score >= the threshold. The first
    point, *never*, has no threshold.
    """
    found: list[CountPoint] = [(0, 0, None)]
    for threshold in _thresholds(scores):
        alarms = [label for label, score in zip(labels, scores, strict=True) if score >= threshold]
        found.append((alarms.count(False), alarms.count(True), threshold))
    return found


def weighted_points(
    labels: Sequence[bool], scores: Sequence[float], weights: Sequence[Fraction]
) -> list[WeightedPoint]:
    """Sum the weights of the false and true positives at every distinct score, highest first.

    P&F Table 1, with each case adding its weight instead of 1. A score whose cases all weigh 0
    still has its point, equal to the one before it.
    """
    found: list[WeightedPoint] = [(Fraction(0), Fraction(0), None)]
    for threshold in _thresholds(scores):
        false = true = Fraction(0)
        for label, score, weight in zip(labels, scores, weights, strict=True):
            false += weight if score >= threshold and not label else 0
            true += weight if score >= threshold and label else 0
        found.append((false, true, threshold))
    return found


def auc(labels: Sequence[bool], scores: Sequence[float]) -> Fraction:
    """Return the chance that a random positive outranks a random negative, ties counting half.

    P&F section 3.5 and Fawcett, "Area under an ROC Curve": the Wilcoxon rank statistic.
    """
    positives = [score for label, score in zip(labels, scores, strict=True) if label]
    negatives = [score for label, score in zip(labels, scores, strict=True) if not label]
    wins = Fraction(0)
    for positive in positives:
        for negative in negatives:
            if positive > negative:
                wins += 1
            elif positive == negative:
                wins += Fraction(1, 2)
    return wins / (len(positives) * len(negatives))


def trapezoid_auc(points: Curve) -> Fraction:
    """Add up the trapezoids under the curve's segments.

    Fawcett, Algorithm 4. As printed, its last trapezoid ends at (1, 1) although the sums are
    still counts; here it ends at the curve's own last point, (N, P).
    """
    return sum(
        ((x1 - x0) * (y0 + y1) / 2 for (x0, y0), (x1, y1) in _segments(points)), start=Fraction(0)
    )


def tpr_at_fpr(points: Curve, fpr: Fraction) -> Fraction:
    """Return the largest TPR that the interpolated curve has at this FPR, in [0, 1].

    Fawcett, "Method of Vertical Averaging": "choosing the maximum TP for each FP and
    interpolating between points when necessary" (TP_FOR_FP in Algorithm 5).
    """
    return max(
        y1 if x0 == x1 else _line(x0, y0, x1, y1, fpr)
        for (x0, y0), (x1, y1) in _segments(points)
        if x0 <= fpr <= x1
    )


def fpr_at_tpr(points: Curve, tpr: Fraction) -> Fraction:
    """Return the smallest FPR that the interpolated curve has at this TPR, in [0, 1].

    The mirror image of Fawcett's TP_FOR_FP: the best point on a horizontal line.
    """
    return min(
        x0 if y0 == y1 else _line(y0, x0, y1, x1, tpr)
        for (x0, y0), (x1, y1) in _segments(points)
        if y0 <= tpr <= y1
    )


def partial_auc_fpr(points: Curve, low: Fraction, high: Fraction) -> Fraction:
    """Integrate TPR over FPR in [low, high], for 0 <= low <= high <= 1; not rescaled.

    Fawcett, Algorithm 4's trapezoids, cut off at both limits. The mean height of a straight
    piece is its height in the middle.
    """
    area = Fraction(0)
    for (x0, y0), (x1, y1) in _segments(points):
        start, stop = max(x0, low), min(x1, high)
        if start < stop:
            area += (stop - start) * _line(x0, y0, x1, y1, (start + stop) / 2)
    return area


def partial_auc_tpr(points: Curve, low: Fraction, high: Fraction) -> Fraction:
    """Integrate 1 - FPR over TPR in [low, high], for 0 <= low <= high <= 1; not rescaled.

    Fawcett, Algorithm 4's area, sliced horizontally: the part to the right of the curve.
    """
    area = Fraction(0)
    for (x0, y0), (x1, y1) in _segments(points):
        start, stop = max(y0, low), min(y1, high)
        if start < stop:
            area += (stop - start) * (1 - _line(y0, x0, y1, x1, (start + stop) / 2))
    return area


def equal_error_rate(points: Curve) -> Fraction:
    """Return the FPR at which the interpolated curve has FPR = 1 - TPR.

    Fawcett, "DET curves" (one kind of error against the other): where both are equal. FPR + TPR
    rises along the curve from 0 to 2, so there is exactly one such point.
    """
    for (x0, y0), (x1, y1) in _segments(points):
        if x0 + y0 < 1 <= x1 + y1:
            return _line(x0 + y0, x0, x1 + y1, x1, Fraction(1))
    raise ValueError("the curve does not run from (0, 0) to (1, 1)")


def non_dominated(points: list[tuple[int, int]]) -> set[tuple[int, int]]:
    """Keep every (false positives, true positives) that no other point is northwest of.

    P&F section 2.1: a point is better than another "if it is to the northwest (TP is higher, FP
    is lower, or both)".
    """
    return {
        (fp, tp)
        for fp, tp in points
        if not any(f <= fp and t >= tp and (f < fp or t > tp) for f, t in points)
    }


def _thresholds(scores: Sequence[float]) -> list[float]:
    """Return the distinct scores, highest first; adding 0.0 turns -0.0 into 0.0."""
    return sorted({score + 0.0 for score in scores}, reverse=True)


def _segments(points: Curve) -> Iterator[tuple[Rates, Rates]]:
    """Yield the curve's segments in rates (P&F section 1.2), left to right."""
    negatives, positives, _ = points[-1]
    return pairwise((Fraction(fp) / negatives, Fraction(tp) / positives) for fp, tp, _ in points)


def _line(x0: Fraction, y0: Fraction, x1: Fraction, y1: Fraction, x: Fraction) -> Fraction:
    """Return the height at x of the line through (x0, y0) and (x1, y1), where x0 != x1."""
    return y0 + (x - x0) / (x1 - x0) * (y1 - y0)
