"""The oracle itself: a case by hand, and two classes."""

from fractions import Fraction

from tests.support.oracles import auc_variance
from tests.support.oracles import multiclass_aucs as oracle

LABELS = [0, 0, 1, 2]
POSTERIORS = [[0.7, 0.2, 0.1], [0.4, 0.5, 0.1], [0.4, 0.6, 0.0], [0.2, 0.2, 0.6]]


def test_a_case_by_hand() -> None:
    """Only one pair of rows is not ranked: the second row and the third, by the first class."""
    assert oracle.comparison(LABELS, POSTERIORS, 0, 1) == Fraction(3, 4)
    assert oracle.comparison(LABELS, POSTERIORS, 1, 0) == 1
    assert oracle.hand_till(LABELS, POSTERIORS) == (Fraction(7, 8) + 1 + 1) / 3
    assert oracle.class_reference(LABELS, POSTERIORS, 0) == Fraction(7, 8)
    assert oracle.total(LABELS, POSTERIORS) == Fraction(1, 2) * Fraction(7, 8) + Fraction(1, 2)


def test_two_classes_have_known_variances() -> None:
    labels, scores = [0, 1, 0, 1, 1, 0], [0.25, 0.5, 0.5, 0.75, 0.125, 0.0]
    posteriors = [[1 - score, score] for score in scores]
    weights = {(1, 0): Fraction(1)}
    truths, groups = [bool(label) for label in labels], list("uvwuvu")
    found = oracle.jackknife(labels, posteriors, posteriors, weights)
    assert found == auc_variance.delong(truths, scores, scores) > 0
    together = oracle.grouped(labels, (posteriors, posteriors), weights, groups)
    assert together == auc_variance.obuchowski(truths, scores, scores, groups)
