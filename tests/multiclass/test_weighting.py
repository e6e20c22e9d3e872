"""How each multi-class AUC weighs the comparisons of classes, and as how many rows it counts."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rocch
from rocch.multiclass import Classes
from rocch.multiclass.auc import (
    as_shares,
    class_weights,
    effective_units,
    measure_weights,
    pair_weights,
)

SIZES = st.lists(st.integers(2, 500), min_size=2, max_size=6)
ANIMALS = Classes.of(["cat", "dog", "eel"])
TOTALS = np.array([5, 3, 2])


def shares_of(sizes: list[int]) -> list[Fraction]:
    return [Fraction(size, sum(sizes)) for size in sizes]


@given(SIZES)
def test_weights_are_a_mean_over_different_classes(sizes: list[int]) -> None:
    shares = shares_of(sizes)
    matrices = [measure_weights(m, shares) for m in ("hand_till", "total", "macro")]
    matrices += [class_weights(code, shares) for code in range(len(sizes))]
    matrices.append(pair_weights(0, 1, len(sizes)))
    for weights in matrices:
        assert weights.sum() == 1
        assert not np.diag(weights).any()
        assert (weights >= 0).all()


@given(SIZES)
def test_units_of_one_class_against_the_rest_are_its_rows_and_theirs(sizes: list[int]) -> None:
    for code, size in enumerate(sizes):
        units = effective_units(class_weights(code, shares_of(sizes)), np.array(sizes), sum(sizes))
        assert sorted(units) == sorted((sum(sizes) - size, size))


@given(SIZES)
def test_units_of_a_pair_are_its_rows(sizes: list[int]) -> None:
    units = effective_units(pair_weights(1, 0, len(sizes)), np.array(sizes), sum(sizes))
    assert units == (sizes[0], sizes[1])


@given(SIZES)
def test_units_never_count_more_rows_than_there_are(sizes: list[int]) -> None:
    for measure in ("hand_till", "total", "macro"):
        weights = measure_weights(measure, shares_of(sizes))
        units = effective_units(weights, np.array(sizes), sum(sizes))
        assert min(units) >= 1
        assert 1 / units[0] + 1 / units[1] >= 4 / sum(sizes) * (1 - 1e-9)


def test_units_of_m_are_half_of_all_rows_where_classes_are_even() -> None:
    weights = measure_weights("hand_till", shares_of([20] * 6))
    assert effective_units(weights, np.array([20] * 6), 120) == (60, 60)


def test_units_are_not_more_than_the_groups_that_hold_all_classes() -> None:
    weights = class_weights(0, shares_of([20] * 4))
    assert effective_units(weights, np.array([12] * 4), 12) == (12, 12)


def test_two_classes_count_as_they_are_whatever_the_measure() -> None:
    for measure in ("hand_till", "total", "macro"):
        weights = measure_weights(measure, shares_of([30, 70]))
        assert effective_units(weights, np.array([30, 70]), 100) == (30, 70)


def test_shares_are_those_of_the_rows_or_as_given() -> None:
    assert as_shares("observed", ANIMALS, TOTALS) == (
        Fraction(1, 2),
        Fraction(3, 10),
        Fraction(1, 5),
    )
    given = as_shares({"eel": 0.5, "cat": np.float32(0.25), "dog": 0.25}, ANIMALS, TOTALS)
    assert given == (Fraction(1, 4), Fraction(1, 4), Fraction(1, 2))
    tenths = as_shares({"cat": 0.1, "dog": 0.2, "eel": 0.7}, ANIMALS, TOTALS)
    assert sum(tenths) == 1


@pytest.mark.parametrize(
    ("priors", "says"),
    [
        ([0.2, 0.3, 0.5], ["priors must map every class to its share", "list"]),
        ({"cat": 0.5, "dog": 0.5}, ["exactly the classes", "'cat', 'dog'"]),
        ({"cat": 0.5, "dog": 0.3, "eel": 0.1, "fox": 0.1}, ["have exactly", "'fox'"]),
        ({"cat": 0.5, "dog": 0.3, "eel": 0.1}, ["priors must sum to 1", "0.9"]),
        ({"cat": 0.5, "dog": 0.5, "eel": 0}, ["priors['eel']", "both excluded", "got 0"]),
        ({"cat": 1.2, "dog": -0.1, "eel": -0.1}, ["be a number from 0 to 1", "1.2"]),
        ({"cat": float("nan"), "dog": 0.5, "eel": 0.5}, ["priors['cat']", "nan"]),
        ({"cat": "half", "dog": 0.5, "eel": 0.5}, ["priors['cat']", "'half'"]),
    ],
)
def test_priors_that_cannot_be_used_are_refused(priors: Any, says: list[str]) -> None:
    with pytest.raises(rocch.InputError) as caught:
        as_shares(priors, ANIMALS, TOTALS)
    for words in says:
        assert words in str(caught.value)


def test_an_unknown_measure_is_refused() -> None:
    with pytest.raises(rocch.InputError, match=r"measure must be one of 'hand_till', 'total'"):
        measure_weights("micro", shares_of([1, 1]))
