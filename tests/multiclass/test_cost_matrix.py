from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import rocch
from rocch import InputError
from rocch.multiclass import Classes, ClassQuestion

COSTS = {
    ("cat", "dog"): 3.0,
    ("cat", "eel"): 1.0,
    ("dog", "cat"): 2.0,
    ("dog", "eel"): 4.0,
    ("eel", "cat"): 5.0,
    ("eel", "dog"): 6.0,
}
MATRIX = [[0, 3, 1], [2, 0, 4], [5, 6, 0]]
SQUARE = pd.DataFrame(MATRIX, index=["cat", "dog", "eel"], columns=["cat", "dog", "eel"])


def test_truth_comes_first() -> None:
    costs = rocch.CostMatrix(COSTS)
    assert costs.values.tolist() == MATRIX
    assert costs["eel", "dog"] == 6
    assert costs.exact


@pytest.mark.parametrize(
    "frame",
    [
        SQUARE.rename_axis(index="truth"),
        SQUARE.rename_axis(columns="prediction"),
        SQUARE.rename_axis(index="truth", columns="prediction"),
        SQUARE.T.rename_axis(index="prediction"),
        SQUARE.T.rename_axis(columns="truth"),
        SQUARE.rename_axis(index="truth").reset_index(),
        SQUARE.rename_axis(index="truth").iloc[::-1],
        pl.DataFrame(SQUARE.rename_axis(index="truth").reset_index()),
        pl.DataFrame(SQUARE.T.rename_axis(index="prediction").reset_index()),
        pl.DataFrame([{"truth": k, "prediction": j, "cost": c} for (k, j), c in COSTS.items()]),
        pd.DataFrame(rocch.CostMatrix(COSTS).rows),
    ],
)
def test_a_frame_that_says_what_its_rows_are(frame: Any) -> None:
    assert rocch.CostMatrix(frame) == rocch.CostMatrix(COSTS)


def test_an_empty_diagonal_costs_nothing() -> None:
    frame = pd.DataFrame({"truth": ["a", "b"], "a": [np.nan, 2], "b": [3, np.nan]})
    assert rocch.CostMatrix(frame).values.tolist() == [[0, 3], [2, 0]]


def test_class_names_that_are_numbers_survive_column_names_that_are_texts() -> None:
    frame = pl.DataFrame({"truth": [1, 2], "1": [0.0, 2.0], "2": [3.0, 0.0]})
    assert rocch.CostMatrix(frame)[1, 2] == 3


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (np.array(MATRIX), "name its truths and predictions; got an object of type ndarray"),
        (MATRIX, "name its truths and predictions"),
        (SQUARE, "name its truths and predictions; got no names"),
        (SQUARE.rename_axis(index="truth", columns="truth"), "name its truths"),
        (pl.DataFrame({"cat": [0, 1], "dog": [1, 0]}), "name its truths"),
        (SQUARE.rename_axis(index="truth").drop(columns="cat"), "same classes in its rows"),
        (pd.DataFrame({"truth": ["a"], "prediction": ["b"], "price": [1]}), "truth, prediction"),
        (
            pd.DataFrame({"truth": ["a"] * 2, "prediction": ["b"] * 2, "cost": [1, 2]}),
            "state each cost once",
        ),
        (5, "name its truths and predictions"),
        ({"cat": 3}, r"pairs \(truth, prediction\); got 'cat'"),
        ({("a", "b"): 1}, "no cost for predicting a when b is true"),
        (
            {("a", "b"): -1, ("b", "a"): 1},
            "the cost of predicting b when a is true must be a finite number, not negative",
        ),
        ({("a", "b"): np.nan, ("b", "a"): 1}, "number or an interval"),
        ({("a", "b"): np.inf, ("b", "a"): 1}, "finite"),
        ({("a", "b"): (3, 1), ("b", "a"): 1}, "from low to high"),
        ({("a", "b"): "x", ("b", "a"): 1}, "number or an interval"),
        ({("a", "b"): 0, ("b", "a"): 0}, "at least one error"),
        ({("a", "b"): 1, ("b", "a"): 3, ("a", "a"): 2}, "at least that of the right prediction, 2"),
        ({}, "two or more distinct classes"),
    ],
)
def test_costs_that_are_refused(given: Any, why: str) -> None:
    with pytest.raises(InputError, match=why):
        rocch.CostMatrix(given)


def test_a_default_fills_the_gaps_and_unknown_classes_are_refused() -> None:
    costs = rocch.CostMatrix({("a", "b"): 5}, classes=["c", "b", "a"], default=1)
    assert costs.classes.names == ("c", "b", "a")
    assert costs.values.tolist() == [[0, 1, 1], [1, 0, 1], [1, 5, 0]]
    with pytest.raises(InputError, match="name one of the classes; got 'd'"):
        rocch.CostMatrix({("a", "d"): 5}, classes=["a", "b"], default=1)


def test_intervals_have_no_single_matrix() -> None:
    costs = rocch.CostMatrix({("a", "b"): (1, 3), ("b", "a"): 2})
    assert costs["a", "b"] == rocch.roc.Interval(1, 3)
    assert not costs.exact
    assert costs.middle().values.tolist() == [[0, 2], [2, 0]]
    with pytest.raises(InputError, match="optimal_within"):
        costs.values  # noqa: B018 - reading it is what is refused


def test_the_order_of_classes_can_change_the_names_cannot() -> None:
    costs = rocch.CostMatrix(COSTS)
    other = costs.in_order(Classes.of(["eel", "cat", "dog"]))
    assert other["cat", "dog"] == 3
    assert other == costs
    assert hash(other) == hash(costs)
    assert other.values[0].tolist() == [0, 5, 6]
    with pytest.raises(InputError, match="have exactly the classes 'cat', 'cow'"):
        costs.in_order(Classes.of(["cat", "cow"]))


def test_equality_and_words() -> None:
    costs = rocch.CostMatrix({("a", "b"): (1, 3), ("b", "a"): 2, ("a", "a"): 0.5})
    assert repr(costs) == ("CostMatrix({('a', 'b'): 1..3, ('b', 'a'): 2, ('a', 'a'): 0.5})")
    assert costs != rocch.CostMatrix({("a", "b"): (1, 4), ("b", "a"): 2, ("a", "a"): 0.5})
    assert costs != rocch.CostMatrix.zero_one(["a", "c"])
    assert costs != "costs"


def test_right_predictions_as_expensive_as_usual_errors_are_written() -> None:
    entries = {(0, 0): 1, (1, 1): 1, (2, 2): 1, (0, 1): 5}
    costs = rocch.CostMatrix(entries, classes=[0, 1, 2], default=1)
    assert "(1, 1): 1" in repr(costs)
    again = ClassQuestion.from_costs(costs)
    assert (again.default_cost, again.costs) == (1, entries)


def test_many_costs_are_told_as_a_rule_with_exceptions() -> None:
    costs = rocch.CostMatrix({("a", "c"): 9}, classes=["a", "b", "c", "d"], default=1)
    told = "CostMatrix({('a', 'c'): 9}, classes=['a', 'b', 'c', 'd'], default=1)"
    assert repr(costs) == told
    pairs = [(k, j) for k in "abc" for j in "abcd" if k != j]
    twice = rocch.CostMatrix(
        dict(zip(pairs, [5, 5, *range(10, 17)], strict=True))
        | {("d", "a"): 1, ("d", "b"): 2, ("d", "c"): 3}
    )
    assert repr(twice).endswith("default=5)")
    assert "('a', 'b')" not in repr(twice)


def test_a_frame_with_other_names_is_told_what_it_should_say() -> None:
    with pytest.raises(InputError, match="axes named 'Truth'"):
        rocch.CostMatrix(SQUARE.rename_axis(index="Truth"))
    table = pd.DataFrame({"truth": ["a", "b"], "answer": ["b", "a"], "cost": [1, 2]})
    with pytest.raises(InputError, match="truth, prediction and cost"):
        rocch.CostMatrix(table)


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame([[0, 1], [2, 0]]).rename_axis(index="truth"),
        pd.DataFrame({"truth": [0, 1], 0: [0, 2], 1: [1, 0]}),
        pd.DataFrame(
            {"truth": [0, 0, 1, 1], "prediction": [0, 1, 0, 1], "cost": [0, 1, 2, 0]}
        ).pivot(index="truth", columns="prediction", values="cost"),
    ],
)
def test_classes_that_are_numbers_in_pandas(frame: Any) -> None:
    assert rocch.CostMatrix(frame).values.tolist() == [[0, 1], [2, 0]]


def test_costs_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        rocch.CostMatrix(COSTS).low[0, 1] = 9
