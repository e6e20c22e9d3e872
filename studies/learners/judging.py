"""One fold of a domain: every learner's scores of rows that it has not seen."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold

import rocch
from learners.rosters import ROSTERS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocch.arrays import FloatArray
    from workbench.tables import Source

    AnyArray = np.ndarray[Any, Any]

INNER_FOLDS = 5
MANY, HELD_OUT = 20_000, 0.25
"""Where rows are plenty, a quarter of them is held out to build the hull, rather than folds."""


def judge_fold(
    source: Source, domain: str, rosters: Sequence[str], fold: int, folds: int, seed: int
) -> dict[str, AnyArray]:
    """Fit all learners without one fold, and score it.

    Returns
    -------
    dict
        "test" and "building": which rows of the fold, and of those that the hybrid is built on,
        are positive; "test/NB", "building/NB" and so on: scores of these rows. Those of the fold
        come from a learner that was fitted on all other rows, those for building from inner folds
        of the other rows, as a hybrid makes them.
    """
    table = source.load(domain)
    X, y = table.features, table.positive
    outer = StratifiedKFold(folds, shuffle=True, random_state=seed)
    train, test = list(outer.split(X, y))[fold]
    learners: dict[str, Any] = {}
    for roster in rosters:
        learners |= ROSTERS[roster](X, seed)
    with warnings.catch_warnings():
        # networks and discriminants on few rows: their scores are judged as they are
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", "Variables are collinear")
        warnings.filterwarnings("ignore", "Found unknown categories")
        built = _built_on(learners, X.iloc[train], y[train], seed)
        fitted = {
            name: clone(learner).fit(X.iloc[train], y[train]) for name, learner in learners.items()
        }
        scores = {name: _scores(learner, X.iloc[test]) for name, learner in fitted.items()}
    return {
        "test": y[test],
        "building": built.positive,
        **{f"test/{name}": column for name, column in scores.items()},
        **{f"building/{name}": column for name, column in built.scores.items()},
    }


def _built_on(learners: dict[str, Any], X: Any, y: Any, seed: int) -> Any:
    inner: Any = StratifiedKFold(INNER_FOLDS, shuffle=True, random_state=seed)
    cv = HELD_OUT if len(y) > MANY else inner
    hybrid = rocch.RocchClassifier(
        list(learners.items()), cv=cv, refit=False, pos_label=True, random_state=seed
    )
    return hybrid.fit(X, y).out_of_fold_


def _scores(learner: Any, X: Any) -> FloatArray:
    if hasattr(learner, "predict_proba"):
        return np.asarray(learner.predict_proba(X)[:, 1])
    return np.asarray(learner.decision_function(X))
