"""Multi-class hybrids on real rows that neither fitted nor judged them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import rocch

DATA = Path(__file__).parents[3] / "shared" / "data"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason=f"no data folder {DATA.name} beside us")


def real(name: str) -> tuple[Any, Any]:
    frame = pd.read_csv(DATA / f"{name}.csv")
    return frame.drop(columns="target").to_numpy(), frame["target"].astype(str).to_numpy()


def test_wine_costs_less_when_answered_by_its_costs() -> None:
    X, y = load_wine(return_X_y=True)
    X = X[:, [0, 9]]
    old, new = np.arange(len(y)) % 2 == 0, np.arange(len(y)) % 2 == 1
    model = rocch.RocSurfaceClassifier([("nb", GaussianNB())], generations=50)
    model.fit(X[old], y[old])
    dear = rocch.CostMatrix({(0, 2): 10, (1, 2): 10}, classes=[0, 1, 2], default=1)
    plain = rocch.multiclass.Confusion.from_labels(y[new], model.predict(X[new]))
    assert model.at(dear).confusion(X[new], y[new]).expected_cost(dear) < plain.expected_cost(dear)


@needs_data
def test_thyroids_where_missing_the_ill_is_dear() -> None:
    X, y = real("ann_thyroid")
    old, new = slice(None, 3772), slice(3772, None)
    models = [
        ("tree", DecisionTreeClassifier(max_depth=6, min_samples_leaf=5, random_state=0)),
        ("forest", RandomForestClassifier(30, min_samples_leaf=3, random_state=0)),
    ]
    plain_surface = rocch.RocSurfaceClassifier(models, cv=3, generations=100, stack=False)
    model = plain_surface.fit(X[old], y[old])
    costs = rocch.CostMatrix(
        {("1", "3"): 75, ("2", "3"): 10, ("1", "2"): 20}, classes=["1", "2", "3"], default=1
    )
    reached = model.at(costs).confusion(X[new], y[new])
    plain = model.confusion(X[new], y[new])
    assert reached.totals.tolist() == [73, 177, 3178]
    assert reached.expected_cost(costs) < plain.expected_cost(costs)
    assert reached["1", "3"] <= plain["1", "3"]
    stacked = rocch.RocSurfaceClassifier(models, cv=3, generations=5).fit(X[old], y[old])
    by_stack = stacked.at(costs).confusion(X[new], y[new])
    assert by_stack["1", "3"] <= plain["1", "3"]


@pytest.mark.slow
@needs_data
@pytest.mark.parametrize(("name", "classes"), [("vehicle", 4), ("satimage", 6)])
def test_surfaces_of_more_classes(name: str, classes: int) -> None:
    X, y = real(name)
    model = rocch.RocSurfaceClassifier(
        [("nb", make_pipeline(StandardScaler(), GaussianNB()))], objectives="misses", generations=20
    ).fit(X, y)
    names = model.classes_.tolist()
    assert len(names) == classes
    rng = np.random.default_rng(0)
    for _ in range(3):
        costs = rocch.CostMatrix(
            {
                (k, j): float(c)
                for k, c in zip(names, rng.exponential(size=classes), strict=True)
                for j in names
                if j != k
            }
        )
        own = model.at(costs, exact=True).point.expected_cost
        assert own is not None
        assert all(own <= member.confusion.expected_cost(costs) for member in model.surface_)


@needs_data
def test_ten_kinds_of_yeast_one_of_them_with_five_rows() -> None:
    X, y = real("yeast")
    naive = [("nb", make_pipeline(StandardScaler(), GaussianNB()))]
    model = rocch.RocSurfaceClassifier(naive, objectives=None, stack=False).fit(X, y)
    rare = rocch.CostMatrix(
        {("ERL", other): 200 for other in model.classes_ if other != "ERL"},
        classes=model.classes_,
        default=1,
    )
    assert len(model.surface_) == 1  # no search, but an answer for every cost matrix
    found, plain = model.at(rare).point, model.default_.point
    assert found.confusion.miss_rates["ERL"] <= plain.confusion.miss_rates["ERL"]
    assert found.expected_cost is not None
    assert found.expected_cost <= plain.confusion.expected_cost(rare)
