"""AUCs of weighted rows: exact against fractions, and their intervals hold the truth."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import rocch
from tests.support.oracles import auc_variance
from tests.support.strategies import judged_table

Y = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]
NB = [1, 5, 3, 7, 2, 4, 6, 8, 3, 9]
GBM = [1, 2, 3, 6, 4, 5, 7, 8, 9, 9]
WEIGHTS = [1, 2, 5, 1, 3, 2, 2, 1, 4, 1]


@given(judged_table(), st.data())
def test_value_and_covariance_are_those_of_the_definitions(
    table: tuple[list[bool], dict[str, list[float]]], data: st.DataObject
) -> None:
    labels, scores = table
    some = st.sampled_from([0, 0.5, 1, 3, 0.1, 1e-9, 7e5])
    weights = data.draw(st.lists(some, min_size=len(labels), max_size=len(labels)))
    assume(all(sum(w > 0 for w, y in zip(weights, labels, strict=True) if y is k) > 1
               for k in (False, True)) and len(scores) > 1)  # fmt: skip
    # weights are rounded to a grid of 2^-60 of the largest, so the oracle takes them as they are
    exact = [Fraction(w) for w in weights]
    found = rocch.stats.compare_aucs(labels, scores, sample_weight=weights)
    names = list(scores)
    for i, a in enumerate(names):
        value = auc_variance.weighted_auc(labels, scores[a], exact)
        assert found.aucs[a].value == pytest.approx(float(value), abs=1e-9)
        for j, b in enumerate(names):
            wanted = auc_variance.weighted(labels, scores[a], scores[b], exact)
            assert found.covariance[i, j] == pytest.approx(float(wanted), abs=1e-9)


def test_equal_weights_change_nothing() -> None:
    plain = rocch.stats.compare_aucs(Y, {"nb": NB, "gbm": GBM})
    equal = rocch.stats.compare_aucs(Y, {"nb": NB, "gbm": GBM}, sample_weight=[0.3] * 10)
    assert equal.aucs == plain.aucs
    assert equal.differences == plain.differences


def test_whole_weights_are_groups_of_equal_rows() -> None:
    """A row of weight 3 is three rows of one group, not three independent rows."""
    y, s, who = (np.repeat(column, WEIGHTS) for column in (Y, GBM, np.arange(10)))
    found = rocch.stats.auc_interval(Y, GBM, sample_weight=WEIGHTS)
    grouped = rocch.stats.auc_interval(y, s, groups=who)
    assert (found.value, found.standard_error) == (grouped.value, grouped.standard_error)
    independent = rocch.stats.auc_interval(y, s)
    assert found.value == independent.value
    assert found.standard_error > independent.standard_error


def test_weights_go_with_groups() -> None:
    who = np.array(list("abcdeabcde"))
    again = np.repeat(np.arange(10), WEIGHTS)
    found = rocch.stats.auc_interval(Y, NB, sample_weight=WEIGHTS, groups=who)
    repeated = rocch.stats.auc_interval(np.array(Y)[again], np.array(NB)[again], groups=who[again])
    assert found.groups == 5
    assert (found.value, found.standard_error) == (repeated.value, repeated.standard_error)


def test_only_ratios_of_weights_within_a_class_count() -> None:
    weights = np.where(Y, 8.0, 0.25) * WEIGHTS
    found = rocch.stats.auc_interval(Y, NB, sample_weight=weights)
    assert found == rocch.stats.auc_interval(Y, NB, sample_weight=WEIGHTS)
    assert found.value == pytest.approx(rocch.auc(Y, NB, sample_weight=WEIGHTS), abs=1e-15)


def test_rows_without_weight_do_not_count() -> None:
    found = rocch.stats.auc_interval([*Y, 1], [*NB, -7], sample_weight=[*WEIGHTS, 0])
    kept = rocch.stats.auc_interval(Y, NB, sample_weight=WEIGHTS)
    assert (found.interval, found.standard_error) == (kept.interval, kept.standard_error)
    with pytest.raises(rocch.UndefinedError, match="a single positive row"):
        rocch.stats.auc_interval([0, 0, 1, 1], [1, 2, 3, 4], sample_weight=[1, 1, 1, 0])
    with pytest.raises(rocch.InputError, match="sample_weight must have one value for each"):
        rocch.stats.compare_aucs(Y, {"nb": NB, "gbm": GBM}, sample_weight=[1, 2])


def test_huge_weights_do_not_overflow() -> None:
    weights = np.array(WEIGHTS) * 2.0**60
    found = rocch.stats.auc_interval(Y, NB, sample_weight=weights)
    assert found == rocch.stats.auc_interval(Y, NB, sample_weight=WEIGHTS)


@pytest.mark.parametrize("method", ["newcombe", "delong"])
def test_weights_undo_unequal_sampling(method: Any) -> None:
    """Rows with high scores are sampled four times as often, so plain intervals are wrong."""
    rng = np.random.default_rng(5)
    true = 0.5 * math.erfc(-1 / 2)  # of unit normal scores, one apart
    held = {True: 0, False: 0}
    times = 300
    for _ in range(times):
        y = np.arange(600) < 300
        s = rng.normal(size=600) + y
        chance = np.where(s > 0.5, 0.8, 0.2)
        sampled = rng.random(600) < chance
        for weighted in held:
            low, high = rocch.stats.auc_interval(
                y[sampled],
                s[sampled],
                sample_weight=1 / chance[sampled] if weighted else None,
                method=method,
            ).interval
            held[weighted] += low <= true <= high
    assert 0.91 < held[True] / times < 0.99
    assert held[False] / times < 0.9
