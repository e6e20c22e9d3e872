from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocch.report.many_classes.answer import Weighed, answer
from rocch.report.many_classes.question import CostQuestion
from rocch.report.many_classes.rules import is_asked, is_plain
from rocch.report.many_classes.summary import Members

NAMES = ("a", "b", "c")
TOTALS = (4, 8, 12)


def members(*tables: tuple[int, ...], costs: Any = None) -> Members:
    """Return members with these counts, and the three single answers behind them."""
    single = [
        tuple(TOTALS[k] if j == c else 0 for k in range(3) for j in range(3)) for c in range(3)
    ]
    known = (*tables, *single)
    none = (None,) * 3
    return Members(
        (*range(len(tables)), -1, -2, -3),
        (-1,) * len(known),
        known,
        (*(costs or (None,) * len(tables)), *none),
        ("",) * len(known),
    )


def asked(costs: Any, shares: Any = (0.25, 0.25, 0.5)) -> CostQuestion:
    return CostQuestion(classes=NAMES, costs=costs, shares=shares)


ONES = ((0, 1, 1), (1, 0, 1), (1, 1, 0))
GOOD, SKEWED = (3, 1, 0, 0, 6, 2, 0, 0, 12), (4, 0, 0, 2, 6, 0, 1, 2, 9)

tables = st.lists(
    st.tuples(*(st.tuples(*[st.integers(0, 3)] * 2) for _ in TOTALS)), min_size=1, max_size=8
)
numbers = st.integers(1, 50)


def counts_of(wrong: tuple[tuple[int, int], ...]) -> tuple[int, ...]:
    """Return a confusion matrix with these errors, as far as there are rows."""
    cells: list[int] = []
    for k, (first, second) in enumerate(wrong):
        first = min(first, TOTALS[k])
        second = min(second, TOTALS[k] - first)
        row = [first, second]
        row.insert(k, TOTALS[k] - first - second)
        cells += row
    return tuple(cells)


def exact_cost(counts: tuple[int, ...], question: CostQuestion) -> Fraction:
    return sum(
        (
            Fraction(question.shares[k])
            * Fraction(question.costs[k][j])
            * counts[3 * k + j]
            / TOTALS[k]
            for k in range(3)
            for j in range(3)
        ),
        Fraction(0),
    )


@given(tables, st.lists(numbers, min_size=6, max_size=6), st.tuples(numbers, numbers, numbers))
def test_no_member_is_cheaper_by_exact_arithmetic(
    wrong: list[tuple[tuple[int, int], ...]], costs: list[int], weights: tuple[int, int, int]
) -> None:
    shares = np.array(weights) / sum(weights)
    question = asked(
        ((0, *costs[:2]), (costs[2], 0, costs[3]), (*costs[4:], 0)), tuple(shares.tolist())
    )
    choices = members(*map(counts_of, wrong))
    found = answer(choices, tuple("abcdefgh"), question)
    exact = [exact_cost(each, question) for each in choices.counts]
    assert found.cost == pytest.approx(float(min(exact)), rel=1e-12, abs=1e-15)
    near = [
        place for place, cost in enumerate(exact) if cost <= min(exact) * (1 + Fraction(1, 10**9))
    ]
    errors = [24 - sum(choices.counts[place][::4]) for place in near]
    assert found.member == near[errors.index(min(errors))]
    assert found.equals == len(near) - 1
    assert sum(map(sum, found.per_1000)) == pytest.approx(1000)
    assert found.error_rate == pytest.approx(shares @ np.array(found.miss_rates))


def test_costs_move_the_choice() -> None:
    choices = members(GOOD, SKEWED)
    assert answer(choices, ("one", "two"), asked(ONES)).member == 0
    dear = ((0, 50, 50), (1, 0, 1), (1, 1, 0))
    assert answer(choices, ("one", "two"), asked(dear)).member == 1


def test_shares_move_the_choice() -> None:
    choices = members(GOOD, SKEWED)
    rare = asked(ONES, (0.98, 0.01, 0.01))
    assert answer(choices, ("one", "two"), rare).member == 1
    assert answer(choices, ("one", "two"), asked(ONES, (0.0, 0.0, 1.0))).member == 0


@pytest.mark.parametrize("place", range(3))
def test_a_single_answer_is_taken_where_it_is_cheapest(place: int) -> None:
    poor = members((1, 3, 0, 2, 4, 2, 3, 3, 6))
    shares = tuple(0.98 if k == place else 0.01 for k in range(3))
    found = answer(poor, ("poor",), asked(ONES, shares))
    assert found.member == found.always == 1 + place
    name = NAMES[place]
    assert found.sentence.startswith(f"Always answer {name}: answers 2 of 100 rows wrongly")
    assert found.rule == f"Predict {name} for every row."


def test_of_equals_the_fewest_errors_count_and_then_the_first() -> None:
    tie = members(SKEWED, GOOD, GOOD)
    free = ((0, 0, 0), (0, 0, 0), (9, 9, 0))
    found = answer(tie, ("x", "y", "z"), asked(free))
    assert (found.member, found.equals) == (1, 2)  # and always answering c


def test_rounded_shares_do_not_break_a_tie() -> None:
    one_of_a, one_of_c = (3, 1, 0, 0, 8, 0, 0, 0, 12), (4, 0, 0, 0, 8, 0, 1, 0, 11)
    observed = asked(ONES, tuple(total / 24 for total in TOTALS))
    assert answer(members(one_of_a, one_of_c), ("x", "y"), observed).equals == 1


def test_the_plain_rule_is_told_for_comparison() -> None:
    flat = tuple(float(cost) for row in ONES for cost in row)
    own = (0.0, 5.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0)
    choices = members(SKEWED, GOOD, costs=(own, flat))
    dear = ((0, 50, 50), (1, 0, 1), (1, 1, 0))
    found = answer(choices, ("x", "y"), asked(dear))
    assert (found.member, found.plain) == (0, 1)
    assert found.plain_cost == pytest.approx(0.25 * 50 / 4 + 0.25 * 2 / 8)
    assert "most likely classes alone: 318.75" in found.sentence
    assert answer(members(GOOD), ("x",), asked(ONES)).plain is None
    first = answer(members(GOOD, SKEWED, costs=(flat, own)), ("x", "y"), asked(dear))
    assert first.plain == 0
    assert first.plain_cost == pytest.approx(found.plain_cost)


def test_the_standard_error_is_that_of_a_mean_of_rows() -> None:
    costs = ((0, 3, 1), (2, 0, 1), (1, 1, 0))
    shares = (0.2, 0.3, 0.5)
    found = Weighed.of(members(SKEWED), ("x",), asked(costs, shares)).told(0)
    variance = 0.0
    for k in range(3):
        rows = [costs[k][j] for j in range(3) for _ in range(SKEWED[3 * k + j])]
        variance += shares[k] ** 2 * float(np.var(rows)) / TOTALS[k]
    assert found.standard_error == pytest.approx(math.sqrt(variance))


def test_a_perfect_member_costs_nothing_and_misses_none() -> None:
    found = answer(members((4, 0, 0, 0, 8, 0, 0, 0, 12)), ("x",), asked(ONES))
    assert (found.cost, found.standard_error) == (0, 0)
    assert "misses none; costs 0 per 100 rows." in found.sentence


def test_rules_are_told_by_their_costs() -> None:
    assert is_plain((0, 2, 2, 0))
    assert not is_plain((1, 2, 2, 1))
    assert not is_plain(None)
    assert is_asked((0, 1, 1, 1, 0, 1, 1, 1, 0), asked(ONES))
    assert not is_asked((0, 2, 1, 1, 0, 1, 1, 1, 0), asked(ONES))
