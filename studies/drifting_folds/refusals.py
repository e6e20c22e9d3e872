"""A forest's weeks, scored by the refitted forest, by one fold's, and by those of all folds.

Reference scores are out of fold: five models made them. Weeks in which nothing but chance differs
from the training rows are scored in three ways, to see which difference the test of fit refuses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

import rocch
from drifting.training import models, rows_of, split
from drifting.world import draw

if TYPE_CHECKING:
    from drifting.training import Rows, Task
    from drifting.world import Plan
    from rocch.arrays import FloatArray
    from workbench.tables import Source

    Scores = dict[str, FloatArray]

FOLDS = 5


def refused_by_model(source: Source, task: Task, plan: Plan, repetition: int) -> dict[str, Any]:
    """Return the share of weeks refused, by who scores them."""
    rng = task.generator(repetition)
    rows = rows_of(source, task)
    training, places = split(rows, plan, rng)
    pool = rows.part(places)
    forest = dict(models(rows.features, plan.trees))["forest"]
    judged, scores = score(forest, training, pool, rng)
    curve = rocch.RocCurve.from_scores(training.positive, judged, name="forest")
    usual, even = float(training.positive.mean()), np.ones(pool.positive.size)
    weeks = [draw(rng, pool.positive, usual, plan.rows, even) for _ in range(plan.weeks)]
    return {
        who: np.mean([rocch.estimate_prevalence(curve, column[week]).rejected for week in weeks])
        for who, column in scores.items()
    }


def score(
    model: Any, training: Rows, pool: Rows, rng: np.random.Generator
) -> tuple[FloatArray, Scores]:
    """Return out-of-fold scores of the training rows, and the pool's scores in three ways."""
    X, y = training.features, training.positive
    judged = np.empty(y.size)
    by_fold = np.empty((FOLDS, pool.positive.size))
    for fold, (rest, held) in enumerate(StratifiedKFold(FOLDS).split(X, y)):
        fitted = clone(model).fit(X.iloc[rest], y[rest])
        judged[held] = fitted.predict_proba(X.iloc[held])[:, 1]
        by_fold[fold] = fitted.predict_proba(pool.features)[:, 1]
    refitted = clone(model).fit(X, y).predict_proba(pool.features)[:, 1]
    any_fold = rng.integers(FOLDS, size=pool.positive.size)
    mixed = by_fold[any_fold, np.arange(pool.positive.size)]
    return judged, {"refitted": refitted, "one fold": by_fold[0], "all folds": mixed}
