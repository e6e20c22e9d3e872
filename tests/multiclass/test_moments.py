"""The variance of multi-class AUCs: the jackknife, exactly, and DeLong's for two classes."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import rocch
from rocch.arrays import AnyArray
from rocch.multiclass.auc import (
    Measure,
    PlacementMoments,
    class_weights,
    measure_weights,
    pair_weights,
)
from rocch.multiclass.classes import ProbabilityRows
from tests.support.oracles import auc_variance
from tests.support.oracles import multiclass_aucs as oracle
from tests.support.strategies import judged_posteriors

if TYPE_CHECKING:
    from random import Random

Drawn = tuple[list[int], list[list[list[float]]]]


def moments_of(labels: Any, models: Any, groups: Any = None) -> PlacementMoments:
    tables = {f"m{place}": np.array(model) for place, model in enumerate(models)}
    return PlacementMoments.of(ProbabilityRows.of(labels, tables, groups=groups))


def all_weights(labels: list[int]) -> list[AnyArray]:
    classes = sorted(set(labels))
    shares = [Fraction(labels.count(code), len(labels)) for code in classes]
    return [
        *(measure_weights(measure, shares) for measure in get_args(Measure)),
        class_weights(classes[-1], shares),
        pair_weights(0, 1, len(classes)),
    ]


@given(judged_posteriors(models=2, largest=10))
@settings(max_examples=15)
def test_covariances_are_the_jackknifes(drawn: Drawn) -> None:
    labels, models = drawn
    found = moments_of(labels, models)
    for weights in all_weights(labels):
        entries = {(i, j): weights[i, j] for i, j in np.argwhere(weights).tolist()}
        for one, other in ((0, 0), (0, 1)):
            expected = oracle.jackknife(labels, models[one], models[other], entries)
            assert found.covariance(weights, one, other) == expected


def test_two_classes_have_delongs_covariance() -> None:
    rng = np.random.default_rng(3)
    labels = [0, 1] * 10
    first, second = (rng.integers(0, 9, size=20) / 8 for _ in range(2))
    models = [np.stack((1 - score, score), axis=1).tolist() for score in (first, second)]
    found = moments_of(labels, models)
    truths = [bool(label) for label in labels]
    expected = auc_variance.delong(truths, first.tolist(), second.tolist())
    for measure in get_args(Measure):
        weights = measure_weights(measure, [Fraction(1, 2)] * 2)
        assert found.covariance(weights, 0, 1) == expected


@given(judged_posteriors(models=2, largest=10), st.randoms(use_true_random=False))
@settings(max_examples=15)
def test_groups_of_rows_vary_together(drawn: Drawn, random: Random) -> None:
    labels, (one, other) = drawn
    groups = [random.choice("uvwxyz") for _ in labels]
    assume(all(len({g for g, k in zip(groups, labels, strict=True) if k == c}) > 1 for c in labels))
    found = moments_of(labels, [one, other], groups)
    for weights in all_weights(labels):
        entries = {(i, j): weights[i, j] for i, j in np.argwhere(weights).tolist()}
        for models, places in (((one, one), (0, 0)), ((one, other), (0, 1))):
            expected = oracle.grouped(labels, models, entries, groups)
            assert found.covariance(weights, *places) == expected


def test_groups_of_one_row_are_rows() -> None:
    rng = np.random.default_rng(6)
    labels = [0, 1, 2] * 5
    models = [rng.dirichlet(np.ones(3), size=15) for _ in range(2)]
    plain, grouped = moments_of(labels, models), moments_of(labels, models, range(15))
    assert (plain.all_units, plain.units.tolist()) == (grouped.all_units, grouped.units.tolist())
    for weights in all_weights(labels):
        assert plain.covariance(weights, 0, 1) == grouped.covariance(weights, 0, 1)


def test_the_variance_is_that_of_many_samples() -> None:
    """An outside check: estimates scatter as much as they say, in mean over 300 samples."""
    rng = np.random.default_rng(11)
    y = np.repeat([0, 1, 2], [20, 40, 60])
    values, variances = [], []
    for _ in range(300):
        logits = rng.normal(size=(120, 3)) + 1.5 * np.eye(3)[y]
        probabilities = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
        found = moments_of(y.tolist(), [probabilities.tolist()])
        weights = measure_weights("hand_till", [Fraction(1, 3)] * 3)
        values.append(float(found.models[0].mean(weights)))
        variances.append(float(found.covariance(weights)))
    assert np.mean(variances) == pytest.approx(np.var(values, ddof=1), rel=0.2)


def test_a_class_with_one_row_has_no_variance() -> None:
    found = moments_of(["a", "a", "b", "c"], [np.full((4, 3), 1 / 3)])
    with pytest.raises(rocch.UndefinedError, match=r"one of 'b', 'c'.*use multiclass_auc"):
        found.covariance(measure_weights("hand_till", [Fraction(1, 3)] * 3))


def test_a_class_in_one_group_has_no_variance() -> None:
    found = moments_of(["a", "a", "b", "b"], [np.full((4, 2), 1 / 2)], [1, 2, 3, 3])
    with pytest.raises(rocch.UndefinedError, match=r"one group of a class.*one of 'b'"):
        found.covariance(measure_weights("hand_till", [Fraction(1, 2)] * 2))
