"""Hand and Till's matrix: exact, order-free, and usable where a class has a single row."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rocch
from rocch.multiclass.auc import measure_weights
from tests.support.oracles import multiclass_aucs as oracle
from tests.support.strategies import judged_posteriors

if TYPE_CHECKING:
    from random import Random

Drawn = tuple[list[int], list[list[list[float]]]]


@given(judged_posteriors())
def test_every_comparison_is_the_counted_one(drawn: Drawn) -> None:
    labels, (probabilities,) = drawn
    found = rocch.multiclass.pairwise_aucs(labels, probabilities)
    for i, j in found.classes.pairs:
        exact = oracle.comparison(labels, probabilities, i, j)
        assert found.matrix[i, j] == float(exact)
        pairs = 2 * labels.count(i) * labels.count(j)
        assert Fraction(int(found.twice_wins[i, j]), pairs) == exact
    assert (np.diag(found.matrix) == 0.5).all()
    assert np.array_equal(found.separation, found.separation.T)


@given(judged_posteriors())
def test_means_are_those_of_the_definitions(drawn: Drawn) -> None:
    labels, (probabilities,) = drawn
    found = rocch.multiclass.pairwise_aucs(labels, probabilities)
    shares = [Fraction(labels.count(i), len(labels)) for i in found.classes]
    assert found.mean(measure_weights("hand_till", shares)) == oracle.hand_till(
        labels, probabilities
    )
    assert found.mean(measure_weights("total", shares)) == oracle.total(labels, probabilities)
    own = [oracle.class_reference(labels, probabilities, i) for i in found.classes]
    macro = sum(own, start=Fraction(0)) / len(own)
    assert found.mean(measure_weights("macro", shares)) == macro
    assert found.auc("macro") == float(macro)


@given(judged_posteriors(), st.lists(st.integers(1, 3), min_size=4, max_size=4))
def test_priors_are_as_good_as_repeated_rows(drawn: Drawn, times: list[int]) -> None:
    """A population with other shares of the classes is what repeating their rows makes."""
    labels, (probabilities,) = drawn
    repeated = [row for row, label in enumerate(labels) for _ in range(times[label])]
    again = [labels[row] for row in repeated]
    priors = {i: again.count(i) / len(again) for i in set(labels)}
    found = rocch.multiclass.pairwise_aucs(labels, probabilities)
    there = rocch.multiclass.pairwise_aucs(again, [probabilities[row] for row in repeated])
    assert found.auc("total", priors=priors) == pytest.approx(there.auc("total"), abs=1e-14)
    assert found.auc("macro", priors=priors) == pytest.approx(there.auc("macro"), abs=1e-14)
    assert found.auc() == there.auc()


@given(judged_posteriors(), st.randoms(use_true_random=False))
@settings(max_examples=40)
def test_neither_the_order_of_rows_nor_of_classes_matters(drawn: Drawn, random: Random) -> None:
    labels, (probabilities,) = drawn
    order = random.sample(range(len(labels)), len(labels))
    classes = random.sample(range(max(labels) + 1), max(labels) + 1)
    shuffled = [[probabilities[row][code] for code in classes] for row in order]
    found = rocch.multiclass.pairwise_aucs(labels, probabilities)
    other = rocch.multiclass.pairwise_aucs(
        [labels[row] for row in order], shuffled, classes=classes
    )
    assert np.array_equal(other.twice_wins, found.twice_wins[np.ix_(classes, classes)])
    for measure in ("hand_till", "total", "macro"):
        assert other.auc(measure) == found.auc(measure)


def test_a_single_row_of_a_class_is_enough_for_a_value() -> None:
    found = rocch.multiclass.pairwise_aucs([0, 1, 2], np.eye(3))
    assert found.auc() == found.auc("total") == 1


def test_counts_cannot_be_written() -> None:
    found = rocch.multiclass.pairwise_aucs([0, 1, 2], np.eye(3))
    with pytest.raises(ValueError, match="read-only"):
        found.twice_wins[0, 1] = 0
    with pytest.raises(ValueError, match="read-only"):
        found.totals[0] = 0
