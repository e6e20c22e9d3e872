from __future__ import annotations

import math
from fractions import Fraction
from itertools import permutations
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rocch
from rocch.hybrid import And, AtLeast, Or, Predicts, StackAtLeast
from rocch.hybrid.expression import Constant

if TYPE_CHECKING:
    from rocch.hybrid.expression import Expression

lib: Any = rocch
MODELS = ("a", "b", "c")
COSTS = {"a": 0.1, "b": 1.1, "c": 0.3}
SIZE = 8


def leaves() -> st.SearchStrategy[Expression]:
    at_least = st.builds(AtLeast, st.sampled_from(MODELS), st.integers(0, 4).map(float))
    return st.one_of(at_least, st.just(Predicts("rule")), st.booleans().map(Constant))


def rules(largest: int = 5) -> st.SearchStrategy[Expression]:
    return st.recursive(
        leaves(),
        lambda inner: st.builds(And, inner, inner) | st.builds(Or, inner, inner),
        max_leaves=largest,
    )


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[bool], dict[str, Any]]:
    """Draw labels of both classes, three models' scores, and a rule's alarms."""
    labels = [True, False, *draw(st.lists(st.booleans(), min_size=SIZE - 2, max_size=SIZE - 2))]
    column = st.lists(st.integers(0, 4).map(float), min_size=SIZE, max_size=SIZE)
    alarms = st.lists(st.booleans(), min_size=SIZE, max_size=SIZE)
    return labels, {**{name: draw(column) for name in MODELS}, "rule": draw(alarms)}


def decide(rule: Expression, row: dict[str, Any], asked: set[str]) -> bool:
    """Decide one row by plain recursion, and note which models had to be asked."""
    match rule:
        case Constant(alarm):
            return alarm
        case Predicts(model):
            asked.add(model)
            return bool(row[model])
        case AtLeast(model, threshold):
            asked.add(model)
            return bool(row[model] >= threshold)
        case StackAtLeast(stack, threshold):
            asked.update(stack.models)
            values = [float(row[term.model]) * term.weight for term in stack.terms]
            return stack.intercept + sum(values) >= threshold
        case And(first, second):
            return decide(first, row, asked) and decide(second, row, asked)
        case Or(first, second):
            return decide(first, row, asked) or decide(second, row, asked)


def eager(rule: Expression, row: dict[str, Any]) -> bool:
    """Decide one row by asking everybody first."""
    match rule:
        case And(first, second):
            answers = eager(first, row), eager(second, row)
            return all(answers)
        case Or(first, second):
            answers = eager(first, row), eager(second, row)
            return any(answers)
    return decide(rule, row, set())


def rows_of(scores: dict[str, Any]) -> list[dict[str, Any]]:
    return [dict(zip(scores, values, strict=True)) for values in zip(*scores.values(), strict=True)]


@given(rules(), tables())
def test_the_cost_is_that_of_the_models_asked_row_by_row(
    rule: Expression, table: tuple[list[bool], dict[str, Any]]
) -> None:
    labels, scores = table
    costs = {**COSTS, "rule": 0.5}
    exact = {model: Fraction(str(cost)) for model, cost in costs.items()}
    per_class: dict[bool, list[Fraction]] = {True: [], False: []}
    for label, row in zip(labels, rows_of(scores), strict=True):
        asked: set[str] = set()
        decide(rule, row, asked)
        per_class[label].append(sum((exact[model] for model in asked), Fraction(0)))
    every = [*per_class[True], *per_class[False]]
    got = rocch.hybrid.running_cost(rule, labels, scores, costs=costs)
    assert got == float(sum(every) / SIZE)
    means = {label: sum(found) / len(found) for label, found in per_class.items()}
    rare = rocch.hybrid.running_cost(rule, labels, scores, costs=costs, prevalence=0.01)
    assert rare == float((means[True] + 99 * means[False]) / 100)


@given(rules(), tables())
def test_asking_in_turn_decides_like_asking_everybody(
    rule: Expression, table: tuple[list[bool], dict[str, Any]]
) -> None:
    labels, scores = table
    sample = lib_sample(labels, scores)
    expected = [eager(rule, row) for row in rows_of(scores)]
    assert rule.alarms(sample).tolist() == expected


@settings(max_examples=60)
@given(rules(4), tables(), st.sampled_from([None, 0.2]))
def test_the_cheapest_order_decides_alike_and_is_never_dearer(
    rule: Expression, table: tuple[list[bool], dict[str, Any]], prevalence: float | None
) -> None:
    labels, scores = table
    given: Any = {"costs": {**COSTS, "rule": 0.5}, "prevalence": prevalence}
    order = rocch.hybrid.cheapest_order(rule, labels, scores, **given)
    sample = lib_sample(labels, scores)
    assert order.alarms(sample).tolist() == rule.alarms(sample).tolist()
    assert sorted(order.models) == sorted(rule.models)
    cost = rocch.hybrid.running_cost(order, labels, scores, **given)
    assert cost <= rocch.hybrid.running_cost(rule, labels, scores, **given)
    if isinstance(rule, And | Or):
        turned = type(rule)(rule.second, rule.first)
        assert cost <= rocch.hybrid.running_cost(turned, labels, scores, **given)


def lib_sample(labels: Any, scores: Any) -> Any:
    from rocch.hybrid.gain import RowBatch
    from rocch.rows import ScoredRows

    return RowBatch(ScoredRows.of(labels, scores))


def test_a_cheap_model_goes_first_and_only_the_open_rows_are_dear() -> None:
    y = [0] * 90 + [1] * 10
    scores = {"cheap": [0.0] * 80 + [1.0] * 20, "dear": [0.0] * 88 + [1.0] * 12}
    rule = And(AtLeast("dear", 0.5), AtLeast("cheap", 0.5))
    costs = {"cheap": 1, "dear": 100}
    assert rocch.hybrid.running_cost(rule, y, scores, costs=costs) == pytest.approx(100.12)
    chain = rocch.hybrid.cheapest_order(rule, y, scores, costs=costs)
    assert chain.models == ("cheap", "dear")
    assert rocch.hybrid.running_cost(chain, y, scores, costs=costs) == pytest.approx(21)
    assert rocch.hybrid.running_cost(chain, y, scores) == pytest.approx(1.2)


def test_an_or_asks_the_second_only_where_the_first_is_silent() -> None:
    y, scores = [0, 0, 1, 1], {"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]}
    rule = Or(AtLeast("a", 0.5), AtLeast("b", 0.5))
    assert rocch.hybrid.running_cost(rule, y, scores, costs={"a": 1, "b": 10}) == pytest.approx(6)


def test_three_parts_of_one_operator_are_ordered_freely() -> None:
    rng = np.random.default_rng(4)
    y = rng.random(200) < 0.5
    scores = {name: rng.random(200) for name in "abc"}
    rule = And(AtLeast("a", 0.1), And(AtLeast("b", 0.5), AtLeast("c", 0.9)))
    order = rocch.hybrid.cheapest_order(rule, y, scores)
    assert order.models == ("c", "b", "a")


def test_of_equally_cheap_orders_the_first_in_words_is_taken() -> None:
    costs = {"a": 0.1, "b": 0.2, "c": 0.3}
    y, scores = [0, 1, 1], {name: [1, 1, 1] for name in costs}
    for first, second, third in permutations(costs):
        rule = And(And(AtLeast(first, 1), AtLeast(second, 1)), AtLeast(third, 1))
        assert rocch.hybrid.running_cost(rule, y, scores, costs=costs) == 0.6
        assert rocch.hybrid.cheapest_order(rule, y, scores, costs=costs).models == ("a", "b", "c")


@pytest.mark.parametrize(("a", "b", "budget"), [(0.1, 0.6, 0.4), (0.3, 0.6, 0.6), (0.2, 0.8, 0.6)])
def test_a_rule_that_costs_exactly_the_budget_is_within_it(
    a: float, b: float, budget: float
) -> None:
    ones = np.arange(10) > 0  # each errs on every tenth row of a class, whatever the other does
    alarms = np.array([(first, second) for first in ones for second in ones] * 2)
    y = np.repeat([True, False], 200)
    scores = dict(zip("ab", np.vstack((alarms, ~alarms)).T, strict=True))
    find = np.arange(400) // 100 % 2 == 0
    found = rocch.hybrid.find_combinations(
        y, scores, find=find, costs={"a": a, "b": b}, budget=budget, rounds=1
    )
    both = next(c for c in found.found if c.name == "a and b")  # b is asked for half of them
    assert both.running_cost == budget
    assert both.confirmed


def test_weights_decide_how_often_rows_are_open() -> None:
    y, scores = [0, 0, 1, 1], {"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]}
    rule = And(AtLeast("a", 0.5), AtLeast("b", 0.5))
    got = rocch.hybrid.running_cost(rule, y, scores, sample_weight=[1, 1, 3, 3])
    assert got == pytest.approx(1 + 6 / 8)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (
            lambda r, y, s: lib.hybrid.running_cost(r, y, {"a": s["a"]}),
            "expression must name one of the models; got 'b'",
        ),
        (lambda r, y, s: lib.hybrid.cheapest_order(r, y, {"a": s["a"]}), "The models are: 'a'"),
        (
            lambda r, y, s: lib.hybrid.running_cost(r, y, s, prevalence=2),
            "prevalence must be a number",
        ),
        (
            lambda r, y, s: lib.hybrid.running_cost(r, y, s, costs={"a": 1}),
            "the models 'a', 'b'; got 'a'",
        ),
        (
            lambda r, y, s: lib.hybrid.running_cost(r, y, s, costs={"a": 1, "b": math.inf}),
            "be a finite",
        ),
    ],
)
def test_bad_input_is_refused(call: Any, says: str) -> None:
    y, scores = [0, 0, 1, 1], {"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]}
    with pytest.raises(rocch.InputError, match=says):
        call(And(AtLeast("a", 0.5), AtLeast("b", 0.5)), y, scores)


def test_too_many_orders_are_refused() -> None:
    rule: Any = AtLeast("a", 1.0)
    for threshold in range(8):
        rule = And(rule, AtLeast("a", float(threshold)))
    with pytest.raises(rocch.InputError, match="at most 5040 orders of its parts; got 362880"):
        rocch.hybrid.cheapest_order(rule, [0, 1], {"a": [0, 1]})
