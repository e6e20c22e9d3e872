from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import confusion_matrix

import rocch
from rocch import InputError, UndefinedError
from rocch.multiclass import Classes
from tests.support.oracles.multiclass import expected_cost, observed

NAMES = ["a", "b", "c"]
TRUTH = ["a", "a", "a", "a", "b", "b", "c", "c", "c", "c"]
ANSWER = ["a", "b", "b", "a", "b", "a", "c", "c", "a", "b"]


def test_counts_are_scikit_learns() -> None:
    confusion = rocch.multiclass.Confusion.from_labels(TRUTH, ANSWER)
    assert confusion.counts.tolist() == confusion_matrix(TRUTH, ANSWER).tolist()
    assert confusion.errors == 5
    assert confusion["c", "a"] == 1
    assert pd.DataFrame(confusion.rows).shape == (9, 4)


def test_both_rates_by_their_right_names() -> None:
    # 004, equation 12 sums the errors of a true class: misses, not false positives
    confusion = rocch.multiclass.Confusion.from_labels(TRUTH, ANSWER)
    assert confusion.miss_rates == {"a": 0.5, "b": 0.5, "c": 0.5}
    assert confusion.false_alarm_rates == {"a": 2 / 6, "b": 3 / 8, "c": 0.0}


@given(st.integers(0, 10_000))
def test_expected_cost_is_equation_2_rounded_once(seed: int) -> None:
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 50, (3, 3)) + np.eye(3, dtype=int)
    costs = rocch.CostMatrix({(k, j): float(rng.random()) for k in NAMES for j in NAMES if k != j})
    confusion = rocch.multiclass.Confusion(Classes.of(NAMES), counts)
    want = expected_cost(counts.tolist(), costs.values.tolist(), observed(counts.tolist()))
    assert confusion.expected_cost(costs) == float(want)
    shares = {"a": 0.5, "b": 0.25, "c": 0.25}
    fixed = [Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)]
    want = expected_cost(counts.tolist(), costs.values.tolist(), fixed)
    assert confusion.expected_cost(costs, shares) == float(want)


def test_the_right_direction_of_the_cost_matrix() -> None:
    # a transposed matrix is a mistake that nobody sees
    confusion = rocch.multiclass.Confusion.from_labels(
        ["a"] * 4 + ["b"] * 4, list("aabb") + list("bbbb")
    )
    dear_misses = rocch.CostMatrix({("a", "b"): 10, ("b", "a"): 1})
    assert confusion.expected_cost(dear_misses) == 2.5
    assert confusion.expected_cost(rocch.CostMatrix({("a", "b"): 1, ("b", "a"): 10})) == 0.25


def test_bounds_give_a_range_that_samples_fill() -> None:
    rng = np.random.default_rng(0)
    confusion = rocch.multiclass.Confusion.from_labels(TRUTH, ANSWER)
    costs = rocch.CostMatrix(
        {(k, j): (1.0, 2.0 + i) for i, (k, j) in enumerate(confusion.classes.pairs)}
    )
    low, high = confusion.expected_cost_range(
        costs, {"a": (0.2, 0.6), "b": (0.1, 0.5), "c": (0.3, 0.4)}
    )
    seen = []
    for _ in range(4000):
        shares = rng.dirichlet([1, 1, 1])
        if not (0.2 <= shares[0] <= 0.6 and 0.1 <= shares[1] <= 0.5 and 0.3 <= shares[2] <= 0.4):
            continue
        values = np.where(rng.random((3, 3)) < 0.5, costs.low, costs.high)
        seen.append(float((shares[:, None] * values * confusion.rates).sum()))
    near, rounding = 0.1 * (high - low), 1e-12
    assert low - rounding <= min(seen) <= low + near
    assert high - near <= max(seen) <= high + rounding


def test_exact_bounds_give_the_cost_itself() -> None:
    confusion = rocch.multiclass.Confusion.from_labels(TRUTH, ANSWER)
    costs = rocch.CostMatrix.zero_one(NAMES)
    assert confusion.expected_cost_range(costs) == pytest.approx((0.5, 0.5))


def test_beliefs_count_as_their_means() -> None:
    confusion = rocch.multiclass.Confusion.from_labels(TRUTH, ANSWER)
    costs = rocch.multiclass.DirichletBelief(dict.fromkeys(confusion.classes.pairs, 1))
    priors = rocch.multiclass.DirichletBelief({"a": 2, "b": 1, "c": 1})
    assert confusion.expected_cost(costs, priors) == pytest.approx(0.5 / 6)


@pytest.mark.parametrize(
    ("priors", "why"),
    [
        ({"a": 0.5, "b": 0.5}, "exactly the classes 'a', 'b', 'c'"),
        ({"a": 0.5, "b": 0.25, "c": 0.25, "d": 0}, "have exactly"),
        ({"a": 0.5, "b": 0.3, "c": 0.3}, "sum to 1, or allow it; got 1.1"),
        ({"a": (0.5, 0.6), "b": (0.4, 0.6), "c": (0.2, 0.3)}, "got 1.1 to 1.5"),
        ({"a": 1.5, "b": -0.25, "c": -0.25}, "be a number from 0 to 1"),
        ({"a": "x", "b": 0.5, "c": 0.5}, r"priors\['a'\] must be a number or an interval"),
        ([0.5, 0.25, 0.25], "map every class to its share"),
        ("even", "or be 'observed'; got"),
        ({"a": (0.2, 0.6), "b": 0.2, "c": (0.2, 0.6)}, "priors must be exact here"),
    ],
)
def test_priors_that_are_refused(priors: Any, why: str) -> None:
    confusion = rocch.multiclass.Confusion.from_labels(TRUTH, ANSWER)
    with pytest.raises(InputError, match=why):
        confusion.expected_cost(rocch.CostMatrix.zero_one(NAMES), priors)


@pytest.mark.parametrize(
    ("truth", "answer", "why"),
    [
        (["a", "b"], ["a"], "each of the 2 rows"),
        (["a", "b"], ["a", "z"], "name one of the classes; got 'z'"),
        (["a", "a"], ["a", "a"], "two or more"),
        (["a", None], ["a", "a"], "missing"),
    ],
)
def test_labels_that_are_refused(truth: Any, answer: Any, why: str) -> None:
    with pytest.raises(InputError, match=why):
        rocch.multiclass.Confusion.from_labels(truth, answer)


def test_a_class_that_does_not_occur_has_counts_but_no_rates() -> None:
    confusion = rocch.multiclass.Confusion.from_labels(
        ["a", "b", "b"], ["a", "b", "c"], classes=NAMES
    )
    assert confusion.counts.tolist() == [[1, 0, 0], [0, 1, 1], [0, 0, 0]]
    assert confusion.expected_cost(rocch.CostMatrix.zero_one(NAMES)) == pytest.approx(1 / 3)
    assert [row["rate"] for row in confusion.rows[-3:]] == [None] * 3
    for undefined in (
        lambda: confusion.rates,
        lambda: confusion.miss_rates,
        lambda: confusion.expected_cost(
            rocch.CostMatrix.zero_one(NAMES), {"a": 0.2, "b": 0.3, "c": 0.5}
        ),
    ):
        with pytest.raises(UndefinedError, match=r"no rows of 'c'|no evaluation rows"):
            undefined()
    with pytest.raises(UndefinedError, match="two classes"):
        rocch.multiclass.Confusion.from_labels(["a"], ["b"], classes=NAMES).false_alarm_rates  # noqa: B018


@pytest.mark.parametrize(
    "counts", [[[1, -1], [0, 2]], [[1, 0.5], [0, 2]], [[1, 2, 3]], [[1], [2, 3]], "xy"]
)
def test_counts_that_are_refused(counts: Any) -> None:
    with pytest.raises(InputError, match="counts must be 2 by 2 whole numbers"):
        rocch.multiclass.Confusion(Classes.of(["a", "b"]), counts)


def test_it_prints_as_a_table_and_compares_by_value() -> None:
    one, two = (rocch.multiclass.Confusion.from_labels(TRUTH, ANSWER) for _ in range(2))
    assert one == two
    assert hash(one) == hash(two)
    assert one != "confusion"
    assert str(one).splitlines()[1:3] == ["   a  b  c", "a  2  2  0"]
    turned = one.in_order(Classes.of(["c", "a", "b"]))
    assert turned["c", "a"] == one["c", "a"]
    with pytest.raises(InputError, match="pair must name"):
        one["a"]  # type: ignore[index]
