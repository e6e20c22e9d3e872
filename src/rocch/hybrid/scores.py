"""Scores from fitted scikit-learn classifiers, whatever they offer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.errors import bad_input, shown
from rocch.inputs import as_name, as_positive
from rocch.roc.curve import RocCurve

if TYPE_CHECKING:
    from collections.abc import Iterable


def curve_of(estimator: Any, features: Any, y_true: Any, *, pos_label: Any, name: str) -> RocCurve:
    """Judge a fitted binary classifier on labelled rows.

    Probabilities are used where the classifier has them, else its decision function, else its
    labels alone, which give a single point.
    """
    classes = getattr(estimator, "classes_", None)
    if classes is None or len(classes) != 2:
        raise bad_input(
            "estimators",
            "be fitted classifiers for two classes",
            f"{name!r} with classes {None if classes is None else list(classes)}",
            "Fit it on labels of two classes first.",
        )
    if pos_label is None:
        pos_label = classes[1]
    if pos_label not in list(classes):
        raise bad_input(
            "pos_label",
            f"be a class of {name!r}",
            repr(pos_label),
            f"Its classes are: {shown(np.asarray(classes).tolist())}.",
        )
    positive = as_positive(y_true, pos_label)
    column = int(np.flatnonzero(np.asarray(classes) == pos_label)[0])
    if hasattr(estimator, "predict_proba"):
        scores = estimator.predict_proba(features)[:, column]
    elif hasattr(estimator, "decision_function"):
        scores = estimator.decision_function(features) * (1 if column == 1 else -1)
    else:
        alarms = np.asarray(estimator.predict(features) == pos_label)
        return RocCurve.from_labels(positive, alarms, name=name)
    return RocCurve.from_scores(positive, scores, name=name)


def named(estimators: Any) -> Iterable[tuple[str, Any]]:
    """Go through estimators given as a mapping, as (name, estimator) pairs, or as one alone."""
    if isinstance(estimators, (Mapping, list, tuple)) and not estimators:
        raise bad_input("estimators", "be at least one", "none", "Pass fitted classifiers.")
    if isinstance(estimators, Mapping):
        return [(as_name(name), estimator) for name, estimator in estimators.items()]
    if not isinstance(estimators, (list, tuple)):
        return [(type(estimators).__name__, estimators)]
    if not all(isinstance(pair, (list, tuple)) and len(pair) == 2 for pair in estimators):
        raise bad_input(
            "estimators",
            "be named",
            "a list of other things than (name, classifier) pairs",
            "For example: {'nb': fitted_nb, 'gbm': fitted_gbm}.",
        )
    return [(as_name(name), estimator) for name, estimator in estimators]
