"""The best of several classifiers at known costs, whatever the number of classes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import rocch
from rocch import InputError, UndefinedError

ABC = ["a", "b", "c"]


def judged(seed: int, rows: int = 90) -> tuple[Any, dict[str, Any]]:
    rng = np.random.default_rng(seed)
    truths = np.arange(rows) % 3
    tables = {}
    for name, skill in (("weak", 0.2), ("strong", 0.5)):
        table = rng.dirichlet(np.ones(3), rows) ** 2 + skill * np.eye(3)[truths]
        tables[name] = table / table.sum(axis=1, keepdims=True)
    return np.array(ABC)[truths], tables


@pytest.mark.parametrize("seed", range(20))
def test_it_is_never_dearer_than_any_classifier_by_its_costs_or_plainly(seed: int) -> None:
    y, tables = judged(seed)
    rng = np.random.default_rng(seed)
    pairs = [(k, j) for k in ABC for j in ABC if k != j]
    costs = rocch.CostMatrix(dict(zip(pairs, rng.exponential(size=6).tolist(), strict=True)))
    for priors in ("observed", {"a": 0.7, "b": 0.2, "c": 0.1}):
        best = rocch.multiclass.best_classifier(y, tables, costs, priors)
        own = best.confusion.expected_cost(costs, priors)
        assert best.expected_cost == own
        for table in tables.values():
            for by in (costs, rocch.CostMatrix.zero_one(ABC)):
                answers = rocch.multiclass.assign(table, by, classes=ABC)
                assert own <= rocch.multiclass.Confusion.from_labels(y, answers).expected_cost(
                    costs, priors
                )
        assert best.member.costs is not None
        again = rocch.multiclass.assign(tables[best.member.model], best.member.costs, classes=ABC)
        assert rocch.multiclass.Confusion.from_labels(y, again) == best.confusion


def test_limits_hold_and_a_series_of_priors_serves() -> None:
    y, tables = judged(1)
    costs = rocch.CostMatrix.zero_one(ABC)
    best = rocch.multiclass.best_classifier(y, tables, costs, limits={"a": 0.5})
    assert best.confusion.miss_rates["a"] <= 0.5
    shares = pd.Series({"a": 0.5, "b": 0.25, "c": 0.25})
    assert rocch.multiclass.best_classifier(
        y, tables, costs, shares
    ) == rocch.multiclass.best_classifier(y, tables, costs, shares.to_dict())


@pytest.mark.parametrize("given", [{}, np.eye(3)])
def test_classifiers_must_be_named(given: Any) -> None:
    with pytest.raises(InputError, match="map classifiers' names to probabilities"):
        rocch.multiclass.best_classifier(ABC, given, rocch.CostMatrix.zero_one(ABC))


def test_rows_that_cannot_occur_have_no_answer() -> None:
    costs = rocch.CostMatrix.zero_one(["a", "b"])
    even, never = {"a": 0.5, "b": 0.5}, {"a": 0, "b": 1}
    with pytest.raises(UndefinedError, match="row 1 has no probability except for classes whose"):
        rocch.multiclass.assign(
            {"a": [0.5, 1], "b": [0.5, 0]}, costs, priors=never, trained_priors=even
        )
