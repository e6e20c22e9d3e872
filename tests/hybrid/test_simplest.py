from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rocch
from tests.support.oracles import combining as oracle
from tests.support.strategies import judged_table

if TYPE_CHECKING:
    from rocch.arrays import BoolArray, FloatArray

lib: Any = rocch


def rows(size: int = 600, seed: int = 1) -> tuple[BoolArray, dict[str, FloatArray]]:
    rng = np.random.default_rng(seed)
    y = rng.random(size) < 0.4
    good = rng.normal(size=size) + 1.5 * y
    return y, {"good": good, "noise": rng.normal(size=size)}


def test_models_that_add_nothing_go() -> None:
    y, scores = rows()
    assert rocch.hybrid.simplest_subset(y, scores) == ("good",)


def test_models_that_win_at_different_slopes_stay() -> None:
    y = np.arange(1200) % 2 == 0
    rng = np.random.default_rng(2)
    left = np.where(y & (rng.random(1200) < 0.5), 5.0, 0.0) + rng.random(1200)
    right = np.where(~y & (rng.random(1200) < 0.5), -5.0, 0.0) + rng.random(1200)
    assert rocch.hybrid.simplest_subset(y, {"left": left, "right": right}) == ("left", "right")
    assert rocch.hybrid.simplest_subset(y, {"left": left, "right": right}, slopes=(1.5, 8)) == (
        "left",
    )
    assert rocch.hybrid.simplest_subset(y, {"left": left, "right": right}, slopes=(3, 3)) == (
        "left",
    )
    assert rocch.hybrid.simplest_subset(y, {"left": left, "right": right}, slopes=(0.1, 0.6)) == (
        "right",
    )


def test_of_equals_the_dearer_goes_and_then_the_last_by_name() -> None:
    y, scores = rows()
    twins = {"b": scores["good"], "a": scores["good"], "c": scores["good"]}
    assert rocch.hybrid.simplest_subset(y, twins) == ("a",)
    assert rocch.hybrid.simplest_subset(y, twins, costs={"a": 2, "b": 1, "c": 1}) == ("b",)


def test_one_model_stays_even_if_all_are_noise() -> None:
    rng = np.random.default_rng(3)
    y = rng.random(200) < 0.5
    kept = rocch.hybrid.simplest_subset(y, {name: rng.normal(size=200) for name in "abc"})
    assert len(kept) == 1


def test_models_that_only_label_take_part() -> None:
    y, scores = rows()
    oracle_like = y ^ (np.arange(y.size) % 50 == 0)
    kept = rocch.hybrid.simplest_subset(y, {**scores, "rule": oracle_like}, slopes=(0.5, 2))
    assert kept == ("rule",)


def test_weights_count() -> None:
    y, scores = rows()
    rule = np.where(np.arange(y.size) < 100, y, ~y)  # right on the first rows only
    weights = np.where(np.arange(y.size) < 100, 1000.0, 0.001)
    every = {**scores, "rule": rule}
    even = (0.5, 2.0)
    assert rocch.hybrid.simplest_subset(y, every, sample_weight=weights, slopes=even) == ("rule",)
    assert rocch.hybrid.simplest_subset(y, every, slopes=even) == ("good",)


@settings(max_examples=40)
@given(judged_table(models=4), st.sampled_from([0.0, 1.0, 2.0]))
def test_at_every_slope_the_loss_is_within_the_limit_and_nobody_more_can_go(
    table: tuple[list[bool], dict[str, list[float]]], limit: float
) -> None:
    labels, scores = table
    labels = [*labels, True, False]  # two rows of each class at least
    scores = {name: [*column, 1.0, 0.0] for name, column in scores.items()}
    kept = rocch.hybrid.simplest_subset(labels, scores, standard_errors=limit)
    assert kept
    assert _loss_is_within(labels, scores, kept, limit)
    for gone in kept if len(kept) > 1 else ():
        rest = tuple(name for name in kept if name != gone)
        assert not _loss_is_within(labels, scores, rest, limit)


def _loss_is_within(
    labels: list[bool], scores: dict[str, list[float]], kept: tuple[str, ...], limit: float
) -> bool:
    alarms = {
        name: oracle.settings(labels, column, vertices=True)
        for name, column in sorted(scores.items())
    }
    full = [a for name in alarms for a in alarms[name]]
    rest = [a for name in kept for a in alarms[name]]
    found = oracle.gains(labels, full, rest, [1] * len(labels))
    return all(gain <= limit * math.sqrt(square) * (1 + 1e-8) for _, gain, square in found)


def test_order_of_models_and_rows_changes_nothing() -> None:
    y, scores = rows()
    scores["also"] = scores["good"] + np.random.default_rng(5).normal(size=y.size) / 2
    kept = rocch.hybrid.simplest_subset(y, scores)
    order = np.random.default_rng(6).permutation(y.size)
    turned = {name: scores[name][order] for name in reversed(scores)}
    assert rocch.hybrid.simplest_subset(y[order], turned) == kept


def test_more_standard_errors_never_keep_more() -> None:
    rng = np.random.default_rng(8)
    y = rng.random(400) < 0.5
    scores = {f"m{i}": rng.normal(size=400) + (0.5 + 0.2 * i) * y for i in range(5)}
    sizes = [
        len(rocch.hybrid.simplest_subset(y, scores, standard_errors=k)) for k in (0, 0.5, 1, 3)
    ]
    assert all(a >= b for a, b in pairwise(sizes))
    assert sizes[0] > sizes[-1]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"standard_errors": -1}, "standard_errors must be a finite number, not negative"),
        ({"standard_errors": math.nan}, "standard_errors must be a finite number"),
        ({"slopes": (3, 1)}, "slopes must be a pair"),
        (
            {"costs": {"good": 1}},
            "costs must map every model to its cost per row; got none for 'noise'",
        ),
        ({"costs": {"good": 1, "noise": 1, "x": 1}}, "costs must name one of the models; got 'x'"),
        ({"costs": {"good": -1, "noise": 1}}, r"costs\['good'\] must be a finite number"),
        ({"costs": [1, 2]}, "costs must map every model to its cost per row"),
        ({"sample_weight": [0] * 600}, "sample_weight must leave both classes some weight"),
    ],
)
def test_bad_arguments_are_refused(given: dict[str, Any], says: str) -> None:
    y, scores = rows()
    with pytest.raises(rocch.InputError, match=says):
        lib.hybrid.simplest_subset(y, scores, **given)


@pytest.mark.parametrize(
    ("scores", "says"),
    [
        ({}, "scores must name at least one classifier"),
        ({"a": [1, 2]}, r"scores\['a'\] must have one value for each of the 4 rows"),
        ({"a": [True, False]}, r"scores\['a'\] must have one value for each of the 4 rows"),
        ({"a": [1, 2, 3, math.nan]}, r"scores\['a'\] must have no missing values"),
        ({"": [1, 2, 3, 4]}, "name must be a text that is not empty"),
    ],
)
def test_bad_scores_are_refused(scores: Any, says: str) -> None:
    with pytest.raises(rocch.InputError, match=says):
        rocch.hybrid.simplest_subset([0, 0, 1, 1], scores)


def test_one_row_of_a_class_is_too_few() -> None:
    with pytest.raises(rocch.UndefinedError, match="two rows of each class"):
        rocch.hybrid.simplest_subset([0, 0, 1], {"a": [1, 2, 3], "b": [2, 1, 3]})
