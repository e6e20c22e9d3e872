"""Paired comparisons of multi-class AUCs."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings

import rocch
from rocch.roc import Interval
from tests.support.oracles import multiclass_aucs as oracle
from tests.support.strategies import judged_posteriors

if TYPE_CHECKING:
    from rocch.multiclass.auc import Measure

lib: Any = rocch
Drawn = tuple[list[int], list[list[list[float]]]]


def noisy(
    rng: np.random.Generator, y: Any, *spreads: float, classes: int = 3
) -> dict[str, np.ndarray[Any, Any]]:
    shared = rng.normal(size=(y.size, classes)) + 1.5 * np.eye(classes)[y]
    models = {}
    for index, spread in enumerate(spreads):
        odds = np.exp(shared + spread * rng.normal(size=shared.shape))
        models[f"m{index}"] = odds / odds.sum(axis=1, keepdims=True)
    return models


@given(judged_posteriors(models=2, largest=10))
@settings(max_examples=15)
def test_the_difference_of_m_and_its_error_are_exact(drawn: Drawn) -> None:
    labels, (one, other) = drawn
    (found,) = rocch.multiclass.compare_multiclass_aucs(labels, {"a": one, "b": other}).differences
    difference = oracle.hand_till(labels, one) - oracle.hand_till(labels, other)
    classes = len(set(labels))
    even = {
        (i, j): Fraction(1, classes * (classes - 1))
        for i in range(classes)
        for j in range(classes)
        if i != j
    }
    variance = (
        oracle.jackknife(labels, one, one, even)
        + oracle.jackknife(labels, other, other, even)
        - 2 * oracle.jackknife(labels, one, other, even)
    )
    assert found.difference == float(difference)
    assert found.standard_error == math.sqrt(variance)
    assert found.interval.low <= found.difference <= found.interval.high
    assert 0 < found.p_value <= 1


@pytest.mark.parametrize("measure", ["hand_till", "total", "macro"])
def test_each_models_estimate_is_its_own(measure: Measure) -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [20, 30, 50])
    models = noisy(rng, y, 0.5, 1.0, 2.0)
    found = rocch.multiclass.compare_multiclass_aucs(y, models, measure=measure)
    assert list(found.aucs) == ["m0", "m1", "m2"]
    for name, probabilities in models.items():
        assert found.aucs[name] == getattr(
            rocch.multiclass.multiclass_auc(y, probabilities), measure
        )
    errors = [estimate.standard_error for estimate in found.aucs.values()]
    assert np.sqrt(np.diag(found.covariance)) == pytest.approx(errors)
    assert len(found.differences) == 3
    assert found.overall.degrees == 2


def test_two_classes_have_delongs_test() -> None:
    rng = np.random.default_rng(1)
    y = np.arange(80) % 2
    scores = {
        name: np.round(64 * np.clip(0.6 * rng.random(80) + 0.3 * y, 0, 1)) / 64 for name in "ab"
    }
    models = {name: np.stack((1 - s, s), axis=1) for name, s in scores.items()}
    plain = rocch.stats.compare_aucs(y, scores)
    for measure in ("hand_till", "total", "macro"):
        found = lib.multiclass.compare_multiclass_aucs(y, models, measure=measure)
        assert found.differences == plain.differences
        assert found.overall == plain.overall


def test_models_that_rank_alike_do_not_differ() -> None:
    rng = np.random.default_rng(2)
    y = np.repeat([0, 1, 2], 20)
    probabilities = noisy(rng, y, 1.0)["m0"]
    order = rng.permutation(60)
    found = rocch.multiclass.compare_multiclass_aucs(
        y[order], {"a": probabilities[order], "b": probabilities[order].copy()}
    )
    (pair,) = found.differences
    assert (pair.difference, pair.standard_error, pair.p_value) == (0, 0, 1)
    assert pair.interval == Interval(0, 0)
    assert found.overall.p_value == 1


def test_few_rows_without_variance_are_no_proof() -> None:
    y = [0, 1, 2] * 4
    guess = np.full((12, 3), 1 / 3)
    (pair,) = rocch.multiclass.compare_multiclass_aucs(
        y, {"perfect": np.eye(3)[y], "guess": guess}
    ).differences
    assert (pair.difference, pair.z) == (0.5, math.inf)
    assert pair.p_value == 2.0**-5  # twelve rows count as six of either class


def test_equal_models_are_rejected_as_often_as_it_says() -> None:
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1, 2], [30, 40, 50])
    p_values = [
        rocch.multiclass.compare_multiclass_aucs(y, noisy(rng, y, 1.0, 1.0)).differences[0].p_value
        for _ in range(200)
    ]
    assert 0.02 <= np.mean(np.array(p_values) <= 0.05) <= 0.085


def test_a_worse_model_is_found_out_and_pairs_are_adjusted() -> None:
    rng = np.random.default_rng(4)
    y = np.repeat([0, 1, 2], 100)
    found = rocch.multiclass.compare_multiclass_aucs(
        y, noisy(rng, y, 0.2, 0.2, 4.0), measure="total", adjust="bonferroni"
    )
    worse = found.difference("m0", "m2")
    assert worse.difference > 0
    assert worse.adjusted_p_value == min(1, 3 * worse.p_value) < 0.001
    assert worse.interval.low > 0


def test_priors_reach_the_total() -> None:
    rng = np.random.default_rng(5)
    y = np.repeat([0, 1, 2], 30)
    models = noisy(rng, y, 0.2, 2.0)
    priors = {0: 0.9, 1: 0.05, 2: 0.05}
    found = rocch.multiclass.compare_multiclass_aucs(y, models, measure="total", priors=priors)
    assert found.aucs["m1"] == rocch.multiclass.multiclass_auc(y, models["m1"], priors=priors).total


def test_groups_widen_intervals_as_for_two_classes() -> None:
    rng = np.random.default_rng(6)
    who, y = np.repeat(np.arange(20), 4), np.arange(80) % 3 // 2  # so groups are uneven
    own = np.round(16 * rng.random(20))[who] / 32
    scores = {name: own + np.round(16 * rng.random(80)) / 64 + y / 8 for name in "ab"}
    models = {name: np.stack((1 - s, s), axis=1) for name, s in scores.items()}
    plain = rocch.stats.compare_aucs(y, scores, groups=who)
    found = rocch.multiclass.compare_multiclass_aucs(y, models, groups=who)
    assert found.differences == plain.differences
    assert found.aucs["a"].interval == plain.aucs["a"].interval
    assert found.aucs["a"].groups == 20


GOOD = np.eye(3)[[0, 1, 2] * 2]


@pytest.mark.parametrize(
    ("probabilities", "options", "says"),
    [
        ({"a": GOOD}, {}, ["y_proba", "at least two", "use rocch.multiclass.multiclass_auc"]),
        (GOOD, {}, ["y_proba", "at least two"]),
        ({}, {}, ["y_proba", "map classifiers' names"]),
        ({"a": GOOD, "b": GOOD[:5]}, {}, ["y_proba['b']", "6 rows"]),
        ({"a": GOOD, "b": GOOD * np.nan}, {}, ["y_proba['b']", "NaN"]),
        ({"a": GOOD, "b": GOOD[:, 0]}, {}, ["y_proba['b']", "(6,)"]),
        ({"a": GOOD, " ": GOOD}, {}, ["name"]),
        ({"a": GOOD, "b": GOOD}, {"measure": "micro"}, ["measure", "'micro'"]),
        ({"a": GOOD, "b": GOOD}, {"adjust": "some"}, ["adjust"]),
        ({"a": GOOD, "b": GOOD}, {"confidence": 1}, ["confidence"]),
    ],
)
def test_bad_input_is_refused(probabilities: Any, options: dict[str, Any], says: list[str]) -> None:
    with pytest.raises(rocch.InputError) as caught:
        lib.multiclass.compare_multiclass_aucs([0, 1, 2] * 2, probabilities, **options)
    for words in says:
        assert words in str(caught.value)


def test_a_single_row_of_a_class_cannot_be_compared() -> None:
    with pytest.raises(rocch.UndefinedError, match="single row"):
        rocch.multiclass.compare_multiclass_aucs([0, 1, 2, 0, 1, 1], {"a": GOOD, "b": GOOD})
