"""Averages of ROC curves by definition, in fractions (Fawcett, Algorithms 5 and 6, corrected)."""

from collections.abc import Sequence
from fractions import Fraction

from .curves import points, tpr_at_fpr

Rows = tuple[Sequence[bool], Sequence[float]]


def vertical(curves: Sequence[Rows], fpr: Fraction) -> Fraction:
    """Return the mean of the curves' highest TPRs at one FPR."""
    return sum((tpr_at_fpr(points(*rows), fpr) for rows in curves), start=Fraction(0)) / len(curves)


def at_threshold(curves: Sequence[Rows], threshold: float) -> tuple[Fraction, Fraction]:
    """Return the mean shares of negatives and of positives that score at least so much."""
    shares = []
    for kind in (False, True):
        rates = []
        for labels, scores in curves:
            own = [score for label, score in zip(labels, scores, strict=True) if label is kind]
            rates.append(Fraction(sum(score >= threshold for score in own), len(own)))
        shares.append(sum(rates, start=Fraction(0)) / len(rates))
    return shares[0], shares[1]
