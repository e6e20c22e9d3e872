"""Scores on rows that the model was not fitted on, for any splitter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import _safe_indexing

from rocch.errors import bad_input
from rocch.hybrid.out_of_fold import fit_copy
from rocch.hybrid.scores import Component

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
    """Return each tested row's score by the copy that was fitted without it, in row order."""
    found = []
    for train, test in splits:
        fitted = fit_copy(estimator, features, np.asarray(y), {}, train)
        component = Component.of("setting", fitted, pos_label)
        found.append(component.scores(_safe_indexing(features, test)))
    rows = np.concatenate([test for _, test in splits])
    joined: Any = np.concatenate(found)
    ordered: FloatArray | BoolArray = joined[np.argsort(rows)]
    return ordered
