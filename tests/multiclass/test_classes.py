from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from rocch import InputError
from rocch.multiclass import Classes
from rocch.multiclass.classes import as_probabilities

ABC = Classes.of(["a", "b", "c"])


def test_labels_are_sorted_as_scikit_learn_sorts_them() -> None:
    assert Classes.of_labels([3, 1, 10, 1]).names == (1, 3, 10)
    assert Classes.of_labels(np.array([3, 1, 10], dtype=object)).names == (1, 3, 10)
    assert Classes.of_labels(np.array([3, "a"], dtype=object)).names == ("a", 3)
    assert Classes.of_labels(np.array(["b", "a"])).names == ("a", "b")
    assert Classes.of_labels(pd.Series(["b", "a"])).names == ("a", "b")


def test_pairs_go_row_by_row_of_the_confusion_matrix() -> None:
    assert ABC.pairs == (
        ("a", "b"),
        ("a", "c"),
        ("b", "a"),
        ("b", "c"),
        ("c", "a"),
        ("c", "b"),
    )


@pytest.mark.parametrize(
    "labels",
    [
        ["c", "a", "c"],
        np.array(["c", "a", "c"]),
        np.array(["c", "a", "c"], dtype=object),
        pd.Series(["c", "a", "c"], dtype="category"),
        pl.Series(["c", "a", "c"]),
    ],
)
def test_codes_are_places_whatever_holds_the_labels(labels: Any) -> None:
    assert ABC.codes(labels, "y").tolist() == [2, 0, 2]


def test_codes_follow_the_given_order_not_the_sorted_one() -> None:
    assert Classes.of(["c", "a", "b"]).codes(["a", "b", "c"], "y").tolist() == [1, 2, 0]
    assert Classes.of([7, 2]).codes(np.array([2, 7, 7]), "y").tolist() == [1, 0, 0]


@pytest.mark.parametrize(
    ("names", "why"),
    [
        (["a"], "two or more distinct classes; got only 'a'"),
        (["a", "b", "a"], "'a' twice"),
        (["a", None], "no missing names"),
        ([], "two or more distinct classes"),
        ([["a", "b"]], "plain labels"),
        ([1, "1"], r"equal only as text; got 1 \(int\) and '1' \(str\)"),
        (5, "classes must"),
    ],
)
def test_names_that_are_no_classes(names: Any, why: str) -> None:
    with pytest.raises(InputError, match=why):
        Classes.of(names)


def test_a_label_that_is_no_class_is_named() -> None:
    with pytest.raises(InputError, match=r"y_pred must name one of the classes; got 'd'"):
        ABC.codes(["a", "d"], "y_pred")


def test_a_class_without_rows_is_named() -> None:
    with pytest.raises(InputError, match=r"every class; got none of 'b'"):
        ABC.truths(["a", "c"])


def test_one_class_only_is_refused() -> None:
    with pytest.raises(InputError, match="two or more"):
        Classes.of_labels(["a", "a"])


POSTERIORS = np.array([[0.5, 0.3, 0.2], [0.1, 0.2, 0.7]])


@pytest.mark.parametrize(
    "given",
    [
        POSTERIORS,
        POSTERIORS.tolist(),
        pd.DataFrame(POSTERIORS, columns=["a", "b", "c"])[["c", "a", "b"]],
        pl.DataFrame({"b": [0.3, 0.2], "a": [0.5, 0.1], "c": [0.2, 0.7]}),
        {"c": [0.2, 0.7], "a": [0.5, 0.1], "b": [0.3, 0.2]},
    ],
)
def test_posteriors_are_read_by_name(given: Any) -> None:
    assert as_probabilities(given, ABC).tolist() == POSTERIORS.tolist()


def test_columns_of_classes_that_are_numbers() -> None:
    frame = pl.DataFrame({"2": [0.25], "1": [0.75]})
    assert as_probabilities(frame, Classes.of([1, 2])).tolist() == [[0.75, 0.25]]


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ([[0.5, 0.3, 0.3]], "sum to 1 in every row; got 1.1 in row 0. If"),
        ([[0.5, np.nan, 0.5]], r"NaN.*row 0, column 'b'"),
        ([[1.5, -0.5, 0.0]], r"none below 0; got -0.5 in row 0, column 'b'"),
        ([[np.inf, 0, 0]], "sum to 1"),
        ([[0.5, 0.5]], r"rows of 3 columns; got an array of shape \(1, 2\)"),
        ([0.5, 0.3, 0.2], "shape"),
        (np.empty((0, 3)), "have rows"),
        ([["x", "y", "z"]], "table of numbers"),
        ({"a": [1.0], "b": [0.0]}, "exactly the columns"),
        ({"a": [1.0], "b": [0.0], "c": [0.0], "d": [0.0]}, "have exactly"),
        ({"a": [1.0, 0.0], "b": [0.0], "c": [0.0]}, "each of the 2 rows"),
    ],
)
def test_posteriors_that_are_none(given: Any, why: str) -> None:
    with pytest.raises(InputError, match=why):
        as_probabilities(given, ABC)


def test_single_precision_is_precise_enough() -> None:
    given = np.full((1, 3), 1 / 3, dtype=np.float32)
    assert as_probabilities(given, ABC).dtype == np.float64


def test_the_number_of_rows_is_checked() -> None:
    with pytest.raises(InputError, match="each of the 3 rows"):
        as_probabilities(POSTERIORS, ABC, rows=3)
