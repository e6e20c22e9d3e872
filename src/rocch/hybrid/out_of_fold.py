"""Scores on rows that the model was not fitted on, for any splitter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from rocch.errors import bad_input

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocch.arrays import BoolArray, FloatArray, IntArray

Split = tuple["IntArray", "IntArray"]


def checked_splits(splits: Sequence[Split], y: Any) -> BoolArray:
    """Return which rows are tested; none may be twice, and each training part needs both classes.

    A row that is never tested (the first ones of a series in time) is left out of the judgement. A
    row tested twice would be scored by two models, of which only one could be shown.
    """
    times = np.zeros(len(y), dtype=np.intp)
    for train, test in splits:
        times[test] += 1
        if len(set(np.asarray(y)[train].tolist())) < 2:
            raise bad_input(
                "cv", "leave both classes in every training part", "one class", "Stratify."
            )
    if times.max(initial=0) != 1:
        raise bad_input(
            "cv",
            "test each row at most once, and some rows at all",
            f"a row tested {times.max(initial=0)} times",
            "Use folds without repetition, such as StratifiedKFold, GroupKFold or TimeSeriesSplit.",
        )
    tested: BoolArray = times > 0
    return tested


def scores_out_of_fold(
    estimator: Any, features: Any, y: Any, splits: Sequence[Split], pos_label: Any
) -> FloatArray | BoolArray:
    """Return each tested row's score by the clone that was fitted without it, in row order.

    Probabilities where there are some, else the decision function, else alarms.
    """
    rows, found = [], []
    for train, test in splits:
        part, rest = (_safe_indexing(features, index) for index in (train, test))
        fitted = clone(estimator).fit(part, _safe_indexing(y, train))
        found.append(_scores(fitted, rest, pos_label))
        rows.append(test)
    joined: FloatArray | BoolArray = np.concatenate(found)[np.argsort(np.concatenate(rows))]
    return joined


def _scores(fitted: Any, features: Any, pos_label: Any) -> Any:
    positive = int(np.flatnonzero(np.asarray(fitted.classes_) == pos_label)[0])
    if hasattr(fitted, "predict_proba"):
        return fitted.predict_proba(features)[:, positive]
    if hasattr(fitted, "decision_function"):
        return fitted.decision_function(features) * (1 if positive == 1 else -1)
    return np.asarray(fitted.predict(features)) == pos_label
