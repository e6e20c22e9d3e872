"""Summaries of many classes for tests: small, and made once."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

import rocch
from rocch.report import summarize, summarize_probabilities

if TYPE_CHECKING:
    from rocch.arrays import FloatArray
    from rocch.report import Summary

STRANGE_CLASSES = (
    "</script><script>alert(1)</script>",
    "a|b `c` *d* {{ 7*7 }}",
    "x\"y'z & <b>é</b> 😀",
    "z" * 70,
)
STRANGE_MODELS = ("<img src=x onerror=alert(1)>", "{% raw %}" + "y" * 60)


def drawn(
    classes: int, rows: int = 300, *, seed: int = 0, skill: float = 1.5
) -> tuple[list[int], FloatArray]:
    """Draw labels, and probabilities that depend on them; every class occurs."""
    rng = np.random.default_rng(seed)
    labels = np.concatenate([np.arange(classes), rng.integers(0, classes, rows - classes)])
    logits = rng.normal(size=(rows, classes))
    logits[np.arange(rows), labels] += skill
    weights = np.exp(logits)
    return labels.tolist(), weights / weights.sum(axis=1, keepdims=True)


def named(labels: list[int], names: Any) -> list[str]:
    return [names[label] for label in labels]


@cache
def wine() -> Summary:
    """Three cultivars, two models, unequal costs."""
    from sklearn.datasets import load_wine
    from sklearn.model_selection import cross_val_predict
    from sklearn.naive_bayes import GaussianNB
    from sklearn.tree import DecisionTreeClassifier

    data = load_wine()
    y = data.target_names[data.target]
    models = {"nb": GaussianNB(), "stump": DecisionTreeClassifier(max_depth=1, random_state=0)}
    probabilities = {
        name: cross_val_predict(model, data.data, y, method="predict_proba")
        for name, model in models.items()
    }
    costs = rocch.CostMatrix(
        {("class_0", "class_1"): 10}, classes=["class_0", "class_1", "class_2"], default=1
    )
    return summarize_probabilities(
        y, probabilities, costs, title="Wine", label="cultivar", generations=15
    )


@cache
def six_classes() -> Summary:
    """As many classes as trade off miss rates only."""
    labels, probabilities = drawn(6, seed=1)
    _, others = drawn(6, seed=2, skill=0.8)
    names = [f"kind {place}" for place in range(6)]
    return summarize_probabilities(
        named(labels, names), {"good": probabilities, "poor": others}, classes=names, generations=5
    )


@cache
def fourteen_classes() -> Summary:
    """Too many classes to search a surface."""
    labels, probabilities = drawn(14, seed=3)
    return summarize_probabilities(labels, probabilities, classes=list(range(14)))


@cache
def given_counts() -> Summary:
    """Classifiers that only predict, without probabilities."""
    labels, probabilities = drawn(3, seed=4)
    _, others = drawn(3, seed=5)
    confusions = {
        name: rocch.multiclass.Confusion.from_labels(labels, table.argmax(axis=1).tolist())
        for name, table in (("rules", probabilities), ("other", others))
    }
    return summarize(rocch.multiclass.RocSurface.of(confusions))


@cache
def strange() -> Summary:
    """Names that would like to be markup."""
    labels, probabilities = drawn(4, seed=6)
    models = dict.fromkeys(STRANGE_MODELS, probabilities)
    return summarize_probabilities(
        named(labels, STRANGE_CLASSES),
        models,
        classes=STRANGE_CLASSES,
        title="<i>title</i>",
        generations=2,
    )


@cache
def stacked_model() -> rocch.RocSurfaceClassifier:
    """Return a fitted model whose stack aims for new rows; its classes are whole numbers."""
    from sklearn.naive_bayes import GaussianNB
    from sklearn.tree import DecisionTreeClassifier

    data = rocch.multiclass.three_class_data(240, seed=2)
    models = [("nb", GaussianNB()), ("stump", DecisionTreeClassifier(max_depth=1, random_state=0))]
    costs = rocch.CostMatrix({(1, 2): 7}, classes=[1, 2, 3], default=1)
    return rocch.RocSurfaceClassifier(models, generations=5, draws=20, costs=costs).fit(
        data.X, data.y
    )


@cache
def stacked() -> Summary:
    """A fitted model that aims for new rows."""
    return summarize(stacked_model())


ALL = (wine, six_classes, fourteen_classes, given_counts, strange, stacked)
