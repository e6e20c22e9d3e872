"""The generated data that the areas share."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from .naming import rocch

Results: TypeAlias = dict[str, Any]


class Scored(NamedTuple):
    """Rows of two classes, with the scores of several classifiers."""

    y: Any
    scores: dict[str, Any]
    weights: Any
    groups: Any


@cache
def scored(rows: int = 240, seed: int = 3) -> Scored:
    """Draw rows: smooth scores, tied ones, wide ones, and pure noise."""
    rng = np.random.default_rng(seed)
    y = rng.random(rows) < 0.3
    scores = {
        "gbm": rng.normal(size=rows) + 1.3 * y,
        "tied": np.round(rng.normal(size=rows) + 1.1 * y, 1),
        "wide": rng.normal(size=rows) * np.where(y, 2.5, 1) + 1.2 * y,
        "noise": rng.normal(size=rows),
    }
    return Scored(y, scores, rng.integers(1, 5, rows) / 4, np.arange(rows) // 3)


@cache
def rules() -> Any:
    """Return a classifier that labels only."""
    rows = scored()
    total = rows.scores["gbm"] + rows.scores["wide"]
    labels = {"strict": total > 4, "loose": total > 0}
    return rocch.RocCurve.from_labels(rows.y, labels, name="rules")


@cache
def hull() -> Any:
    """Return the joint hull of all of them."""
    return rocch.RocHull.of(*curves().values(), rules())


@cache
def curves() -> dict[str, Any]:
    """Return a curve for each classifier."""
    rows = scored()
    return {
        name: rocch.RocCurve.from_scores(rows.y, score, name=name)
        for name, score in rows.scores.items()
    }


@cache
def chances() -> dict[str, Any]:
    """Return curves of two classifiers whose scores are probabilities."""
    rows = scored()
    return {
        name: rocch.RocCurve.from_scores(rows.y, 1 / (1 + np.exp(-rows.scores[name])), name=name)
        for name in ("gbm", "wide")
    }


@cache
def conditions() -> dict[str, Any]:
    """Return conditions of every kind."""
    return {
        "exact": rocch.Conditions(prevalence=0.1, false_positive=1, false_negative=12),
        "observed": rocch.Conditions(prevalence="observed", false_positive=2, false_negative=5),
        "vague": rocch.Conditions(
            prevalence=(0.05, 0.2), false_positive=(1, 2), false_negative=(8, 20)
        ),
        "steep": rocch.Conditions(prevalence=0.001, false_positive=1, false_negative=(1, 20)),
        "all costs": rocch.Conditions(
            prevalence=0.2, false_positive=3, false_negative=9, true_positive=1, true_negative=0.5
        ),
        "ratio": rocch.Conditions.from_ratio(
            negatives_per_positive=(4, 8), false_positive=1, false_negative=(10, 20)
        ),
    }


@cache
def beliefs() -> dict[str, Any]:
    """Return beliefs of every constructor."""
    from scipy import stats

    belief = rocch.Belief
    expert = belief.cost_ratio(5, 20, likely=10)
    sample = np.array([0.05, 0.1, 0.1, 0.3])
    return {
        "triangle": expert,
        "even": belief.cost_ratio(5, 10),
        "known": belief.cost_ratio(7),
        "open": belief.cost_ratio(1, float("inf")),
        "on times": belief.cost_ratio(2, 30, likely=4, on="times"),
        "on ratio": belief.cost_ratio(2, 30, likely=4, on="ratio"),
        "false alarms": belief.inverse_cost_ratio(2, 4, likely=3),
        "about": belief.cost_ratio_about(10, factor=2),
        "gamma": belief.cost_ratio_like(stats.gamma(3, scale=3)),
        "drawn": belief.cost_ratio_like([3.0, 5.0, 9.0, 20.0], weights=[1, 2, 2, 1]),
        "beta": belief.cost_share_beta(3, 2),
        "prevalence": belief.prevalence(0.05, 0.3, likely=0.15),
        "prevalence beta": belief.prevalence_beta(2, 9),
        "prevalence drawn": belief.prevalence_like(sample, weights=[1, 1, 2, 1]),
        "pooled": belief.pooled(expert, belief.cost_ratio(1, 4, likely=2), weights=[2, 1]),
        "sample": belief.sample(
            prevalence=[0.02, 0.05, 0.11], false_positive=20, false_negative=[50, 80, 400]
        ),
        "with costs": belief.prevalence(0.05, 0.3).with_costs(false_positive=1, false_negative=8),
        "unit": expert.with_unit(false_positive=2).with_prevalence(0.15),
        "unit of misses": expert.with_unit(false_negative=2).with_prevalence((0.1, 0.2)),
        "unit of both": expert.with_unit(sum_of_costs=1).with_prevalence("observed"),
        "joint": expert.with_unit(false_positive=1).with_prevalence(
            belief.prevalence(0.05, 0.3, likely=0.15)
        ),
    }


@cache
def three() -> Any:
    """Return a problem with three classes."""
    return rocch.three_class_data(120, seed=1)


@cache
def posteriors() -> dict[str, Any]:
    """Return posteriors of two models for it."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_predict
    from sklearn.naive_bayes import GaussianNB

    data = three()
    models = {"lr": LogisticRegression(), "nb": GaussianNB()}
    return {
        name: cross_val_predict(model, data.X, data.y, cv=3, method="predict_proba")
        for name, model in models.items()
    }
