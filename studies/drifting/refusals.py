"""Why estimates of prevalence are refused: pools that are small, and who scores the weeks.

Weeks are drawn from a pool with replacement. A pool differs by chance from the rows that the hull
was judged on, and more than the test of fit reckons with: it knows of the week's own noise only.
What small pools alone do is seen on normal scores, where all else is as assumed.

Reference scores are out of fold: five models made them. Weeks of a forest in which nothing but
chance differs from the training rows are scored by the refitted forest, by one fold's, and by those
of all folds, to see which difference the test refuses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import norm
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

import rocch
from studies.drifting.training import models, rows_of, split
from studies.drifting.world import draw

if TYPE_CHECKING:
    from rocch.arrays import BoolArray, FloatArray
    from studies.drifting.training import Rows, Task
    from studies.drifting.world import Plan
    from studies.workbench.tables import Source

    Scores = dict[str, FloatArray]


@dataclass(frozen=True)
class Sizes:
    """Positives and negatives of the reference rows and of a half of the pool, and a week's rows.

    Attributes
    ----------
    auc
        How well the scores tell the classes apart.
    """

    reference: tuple[int, int]
    half: tuple[int, int]
    rows: int
    auc: float

    @property
    def prevalence(self) -> float:
        """The usual share of positives."""
        return self.reference[0] / sum(self.reference)


def refusals(sizes: Sizes, times: int) -> dict[str, Any]:
    """Return which weeks are refused, from a pool of the given size and from an endless one."""
    rng = np.random.default_rng(0)
    found = [_refused(rng, sizes) for _ in range(times)]
    return dict(zip(("pool", "endless"), np.array(found).T, strict=True))


def _refused(rng: np.random.Generator, sizes: Sizes) -> tuple[bool, bool]:
    curve = rocch.RocCurve.from_scores(*scored(rng, sizes.reference, sizes.auc), name="normal")
    positives = int(rng.binomial(sizes.rows, sizes.prevalence))
    week = positives, sizes.rows - positives
    positive, pool = scored(rng, sizes.half, sizes.auc)
    drawn = [
        rng.choice(pool[positive == kind], size)
        for kind, size in zip((True, False), week, strict=True)
    ]
    batches = np.concatenate(drawn), scored(rng, week, sizes.auc)[1]
    first, second = (rocch.stats.estimate_prevalence(curve, batch).rejected for batch in batches)
    return first, second


def scored(
    rng: np.random.Generator, size: tuple[int, int], auc: float
) -> tuple[BoolArray, FloatArray]:
    """Draw classes and normal scores with a given AUC."""
    positive = np.arange(sum(size)) < size[0]
    return positive, rng.normal(size=positive.size) + np.sqrt(2) * norm.ppf(auc) * positive


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
        who: np.mean(
            [rocch.stats.estimate_prevalence(curve, column[week]).rejected for week in weeks]
        )
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
