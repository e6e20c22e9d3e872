from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rocch.hybrid.combine import Budget, search_combinations
from rocch.hybrid.gain import (
    as_scored_rows,
    cost_per_row,
    find_cheapest_order,
    list_rules,
    predict_each,
)
from rocch.kernels.hull import extend_hull
from rocch.rows import ScoredRows
from tests.support.oracles import combining as oracle
from tests.support.strategies import judged_table


def sample_of(labels: Any, scores: Any, weights: Any = None) -> ScoredRows:
    return as_scored_rows(labels, scores, pos_label=None, sample_weight=weights)


def search(sample: ScoredRows, budget: Budget | None = None, **options: Any) -> list[Any]:
    free = Budget(dict.fromkeys(sample.scores, 1.0), math.inf, None)
    return search_combinations(sample, budget or free, **options)


def joint_hull(
    sample: ScoredRows, found: list[Any], most: int | None = None
) -> list[tuple[int, int]]:
    """Return the hull of the single models and of what was found."""
    singles = [s for model in sample.scores for s in list_rules(sample, model, most)]
    ends = np.array([0, sample.totals[0]]), np.array([0, sample.totals[1]])
    alarms = predict_each(sample, [*singles, *found])
    (x, y), _ = extend_hull(ends, *sample.count_all(alarms))
    return list(zip(x.tolist(), y.tolist(), strict=True))


@pytest.mark.parametrize("vertices", [True, False])
def test_one_round_finds_the_hull_of_all_pairs(vertices: bool) -> None:
    @settings(max_examples=60)
    @given(judged_table(models=3, largest=14))
    def check(table: tuple[list[bool], dict[str, list[float]]]) -> None:
        labels, scores = table
        sample, most = sample_of(labels, scores), None if vertices else 1000
        found = search(sample, thresholds=most, rounds=1)
        expected = oracle.combined_hull(labels, scores, vertices=vertices)
        assert joint_hull(sample, found, most) == expected

    check()


@settings(max_examples=60)
@given(judged_table(models=3, largest=20), st.randoms(use_true_random=False))
def test_order_of_models_and_rows_changes_nothing(
    table: tuple[list[bool], dict[str, list[float]]], random: Any
) -> None:
    labels, scores = table
    found = search(sample_of(labels, scores), thresholds=None, rounds=3)
    order = list(range(len(labels)))
    random.shuffle(order)
    turned = {name: [scores[name][i] for i in order] for name in reversed(scores)}
    again = search(sample_of([labels[i] for i in order], turned), thresholds=None, rounds=3)
    assert [e.words() for e in again] == [e.words() for e in found]


def area(points: list[tuple[int, int]]) -> int:
    return sum((b[0] - a[0]) * (a[1] + b[1]) for a, b in pairwise(points))


def some_rows(seed: int, size: int = 300, models: int = 3) -> tuple[Any, dict[str, Any]]:
    rng = np.random.default_rng(seed)
    y = rng.random(size) < 0.4
    return y, {f"m{i}": rng.normal(size=size) + 0.8 * y for i in range(models)}


def test_every_round_extends_the_hull_and_all_found_extend_it() -> None:
    sample = sample_of(*some_rows(1))
    areas = []
    for rounds in (1, 2, 3):
        found = search(sample, thresholds=None, rounds=rounds)
        areas.append(area(joint_hull(sample, found)))
    assert area(joint_hull(sample, [])) < areas[0] < areas[1] <= areas[2]


def test_rounds_end_when_nothing_extends_the_hull() -> None:
    y = [False, False, True, True]
    perfect = sample_of(y, {"a": [1, 2, 3, 4], "b": [1, 2, 3, 4]})
    assert search(perfect, thresholds=None, rounds=4) == []


def test_a_model_without_any_vertex_takes_no_part() -> None:
    y, scores = some_rows(2)
    scores["flat"] = np.zeros(y.size)
    found = search(sample_of(y, scores), thresholds=None, rounds=1)
    assert found
    assert all("flat" not in e.models for e in found)


def test_more_thresholds_can_only_help() -> None:
    sample = sample_of(*some_rows(3))
    few = search(sample, thresholds=None, rounds=1)
    many = search(sample, thresholds=1000, rounds=1)
    assert area(joint_hull(sample, many)) > area(joint_hull(sample, few))


def test_a_capped_number_of_thresholds_includes_the_vertices() -> None:
    sample = sample_of(*some_rows(4))
    own = set(list_rules(sample, "m0"))
    capped = list_rules(sample, "m0", 20)
    assert own <= set(capped)
    assert 20 <= len(capped) <= 20 + len(own)
    assert len(list_rules(sample, "m0", 10**6)) == len(sample) - 1


def test_integer_weights_are_repeated_rows() -> None:
    y, scores = some_rows(5, size=120)
    weights = np.random.default_rng(6).integers(1, 4, size=120)
    weighted = search(sample_of(y, scores, weights), thresholds=None, rounds=2)
    repeated = {name: np.repeat(column, weights) for name, column in scores.items()}
    plain = search(sample_of(np.repeat(y, weights), repeated), thresholds=None, rounds=2)
    assert [e.words() for e in weighted] == [e.words() for e in plain]


def test_huge_weights_give_the_same_answer() -> None:
    y, scores = some_rows(7, size=120)
    plain = search(sample_of(y, scores), thresholds=None, rounds=2)
    huge = sample_of(y, scores, np.full(120, 2.0**54))
    assert huge.totals[0] * huge.totals[1] > 2**64
    assert search(huge, thresholds=None, rounds=2) == plain


@pytest.mark.parametrize("prevalence", [None, 0.05])
@pytest.mark.parametrize("most", [3.0, 6.0, 12.0])
def test_all_that_is_found_within_a_budget_fits_it(most: float, prevalence: float | None) -> None:
    sample = sample_of(*some_rows(8))
    costs = {"m0": 1.0, "m1": 4.0, "m2": 20.0}
    found = search(sample, thresholds=50, rounds=2, budget=Budget(costs, most, prevalence))
    assert found
    for expression in found:
        order = find_cheapest_order(expression, sample, costs, prevalence)
        assert cost_per_row(order, sample, costs, prevalence) <= most * (1 + 1e-9)


def test_the_budget_search_misses_no_affordable_pair() -> None:
    """Try every pair of two models in both orders, and compare the hulls."""
    y, scores = some_rows(9, size=80, models=2)
    sample, costs, most = sample_of(y, scores), {"m0": 1.0, "m1": 10.0}, 4.0
    from rocch.hybrid import And, Or

    pairs = [
        operator(a, b)
        for operator in (And, Or)
        for one, other in (("m0", "m1"), ("m1", "m0"))
        for a in list_rules(sample, one)
        for b in list_rules(sample, other)
    ]
    cheap = [e for e in pairs if cost_per_row(e, sample, costs, None) <= most]
    found = search(sample, thresholds=None, rounds=1, budget=Budget(costs, most, None))
    ends = np.array([0, sample.totals[0]]), np.array([0, sample.totals[1]])
    hulls = [
        extend_hull(
            ends, *sample.count_all(predict_each(sample, [*list_rules(sample, "m0"), *some]))
        )[0]
        for some in (cheap, found)
    ]
    assert 0 < len(cheap) < len(pairs)
    assert np.array_equal(hulls[0], hulls[1])
