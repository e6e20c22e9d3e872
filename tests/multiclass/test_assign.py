from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rocch
from rocch import InputError
from tests.support.oracles.multiclass import least_cost

NAMES = ["a", "b", "c"]
NO_MAPPING: Any = [[1]]


@given(st.integers(0, 10_000))
def test_answers_have_the_least_conditional_risk(seed: int) -> None:
    rng = np.random.default_rng(seed)
    probabilities = rng.dirichlet([1, 1, 1], 20)
    costs = rocch.CostMatrix(
        {(k, j): float(rng.integers(1, 9)) for k in NAMES for j in NAMES if k != j}
    )
    answers = rocch.multiclass.assign(probabilities, costs, classes=NAMES)
    for row, answer in zip(probabilities.tolist(), answers, strict=True):
        assert NAMES.index(answer) in least_cost(row, costs.values.tolist())


def test_equal_costs_give_the_most_likely_class() -> None:
    probabilities = np.random.default_rng(0).dirichlet([1, 1, 1], 200)
    answers = rocch.multiclass.assign(
        probabilities, rocch.CostMatrix.zero_one(NAMES), classes=NAMES
    )
    assert answers.tolist() == [NAMES[place] for place in probabilities.argmax(axis=1)]


def test_two_classes_answer_by_the_threshold_of_the_costs() -> None:
    # 004's rule with the misprint corrected: predict 1 when P(1|x) > l21 / (l12 + l21)
    costs = rocch.CostMatrix({(1, 2): 3, (2, 1): 1})
    p = np.array([0.2499, 0.2501])
    assert rocch.multiclass.assign({1: p, 2: 1 - p}, costs).tolist() == [2, 1]


def test_a_transposed_matrix_would_answer_otherwise() -> None:
    probabilities = {"a": [0.3], "b": [0.7]}
    assert rocch.multiclass.assign(
        probabilities, rocch.CostMatrix({("a", "b"): 5, ("b", "a"): 1})
    ) == ["a"]
    assert rocch.multiclass.assign(
        probabilities, rocch.CostMatrix({("a", "b"): 1, ("b", "a"): 5})
    ) == ["b"]


def test_right_answers_may_cost_something_too() -> None:
    costs = rocch.CostMatrix({("a", "b"): 5, ("b", "a"): 5, ("a", "a"): 4})
    # answering a costs 4 p + 5 (1 - p), answering b costs 5 p: equal at p = 5/6
    answers = rocch.multiclass.assign({"a": [0.83, 0.84], "b": [0.17, 0.16]}, costs)
    assert answers.tolist() == ["b", "a"]


def test_ties_go_to_the_first_class() -> None:
    costs = rocch.CostMatrix.zero_one(NAMES)
    assert rocch.multiclass.assign([[0.25, 0.375, 0.375]], costs, classes=NAMES) == ["b"]


def test_another_class_balance_corrects_the_posteriors() -> None:
    costs = rocch.CostMatrix.zero_one(["a", "b"])
    even, rare = {"a": 0.5, "b": 0.5}, {"a": 0.1, "b": 0.9}
    probabilities = {"a": [0.85, 0.95], "b": [0.15, 0.05]}
    moved = rocch.multiclass.assign(probabilities, costs, priors=rare, trained_priors=even)
    assert moved.tolist() == ["b", "a"]  # the threshold has moved to 0.9
    answers = rocch.multiclass.prediction_risks(
        probabilities, costs, priors=rare, trained_priors=even
    )
    assert answers["b"] == pytest.approx([0.085 / 0.22, 0.095 / 0.14])


def test_a_belief_decides_by_its_mean() -> None:
    belief = rocch.multiclass.DirichletBelief.about({("a", "b"): 9, ("b", "a"): 1}, strength=5)
    assert rocch.multiclass.assign({"a": [0.09, 0.11], "b": [0.91, 0.89]}, belief).tolist() == [
        "b",
        "a",
    ]


def test_costs_of_each_row() -> None:
    frame = pd.DataFrame({"a": [0.2, 0.2, 0.2], "b": [0.8, 0.8, 0.8]})
    costs = rocch.multiclass.RowCosts({("a", "b"): [1, 5, 3], ("b", "a"): pd.Series([1, 1, 1])})
    assert rocch.multiclass.assign(frame, costs).tolist() == ["b", "a", "b"]
    assert rocch.multiclass.assign(
        frame.to_numpy()[:, ::-1], costs, classes=["b", "a"]
    ).tolist() == [
        "b",
        "a",
        "b",
    ]
    for row in range(3):
        one = rocch.CostMatrix({("a", "b"): [1, 5, 3][row], ("b", "a"): 1})
        assert (
            rocch.multiclass.assign(frame[row : row + 1], one)
            == rocch.multiclass.assign(frame, costs)[row]
        )


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (
            lambda: rocch.multiclass.assign([[1, 0]], rocch.CostMatrix.zero_one("ab")),
            "classes must",
        ),
        (
            lambda: rocch.multiclass.assign([[1, 0]], rocch.CostMatrix.zero_one(["a", "b"])),
            "name the columns of an array",
        ),
        (
            lambda: rocch.multiclass.assign(
                [[1, 0]], rocch.CostMatrix.zero_one(["a", "b"]), classes=["a", "c"]
            ),
            "have exactly the classes 'a', 'c'; got 'a', 'b'",
        ),
        (
            lambda: rocch.multiclass.assign({"a": [1], "b": [0]}, {("a", "b"): 1}),  # type: ignore[arg-type]
            "be a CostMatrix",
        ),
        (
            lambda: rocch.multiclass.assign(
                {"a": [1], "b": [0]}, rocch.CostMatrix({("a", "b"): (1, 2), ("b", "a"): 1})
            ),
            "costs must be exact here",
        ),
        (
            lambda: rocch.multiclass.assign(
                {"a": [1], "b": [0]}, rocch.CostMatrix.zero_one(["a", "b"]), priors={"a": 1, "b": 0}
            ),
            "given together with trained_priors",
        ),
        (
            lambda: rocch.multiclass.assign(
                {"a": [1], "b": [0]},
                rocch.CostMatrix.zero_one(["a", "b"]),
                priors={"a": 0.5, "b": 0.5},
                trained_priors={"a": 1, "b": 0},
            ),
            "above 0; got 0 for 'b'",
        ),
        (
            lambda: rocch.multiclass.assign(
                {"a": [1], "b": [0]},
                rocch.CostMatrix.zero_one(["a", "b"]),
                priors="observed",
                trained_priors={"a": 0.5, "b": 0.5},
            ),
            "priors must",
        ),
        (
            lambda: rocch.multiclass.RowCosts({("a", "b"): 1, ("b", "a"): 1}),
            "differ from row to row",
        ),
        (lambda: rocch.multiclass.RowCosts(NO_MAPPING), "map .truth, prediction."),
        (
            lambda: rocch.multiclass.RowCosts({("a", "b"): [1, 2], ("b", "a"): [1]}),
            "each of the 2 rows",
        ),
        (lambda: rocch.multiclass.RowCosts({("a", "b"): [1, -2], ("b", "a"): 1}), "not negative"),
        (
            lambda: rocch.multiclass.RowCosts({("a", "b"): [3, 1], ("b", "a"): 2, ("a", "a"): 2}),
            "at least that of the right prediction, 2; got 1 in row 1",
        ),
        (
            lambda: rocch.multiclass.assign(
                {"a": [1], "b": [0]}, rocch.multiclass.RowCosts({("a", "b"): [1, 2], ("b", "a"): 1})
            ),
            "one value for the one row",
        ),
    ],
)
def test_bad_input(call: Any, why: str) -> None:
    with pytest.raises(InputError, match=why):
        call()


def test_twenty_six_classes() -> None:
    names = [chr(ord("A") + i) for i in range(26)]
    probabilities = np.random.default_rng(1).dirichlet(np.full(26, 0.3), 100)
    costs = rocch.CostMatrix({("Q", "O"): 40}, classes=names, default=1)
    plain = rocch.multiclass.assign(probabilities, rocch.CostMatrix.zero_one(names), classes=names)
    careful = rocch.multiclass.assign(probabilities, costs, classes=names)
    assert (careful == "O").sum() <= (plain == "O").sum()
    for row, answer in zip(probabilities[:10].tolist(), careful, strict=False):
        assert names.index(answer) in least_cost(row, costs.values.tolist())
