"""Class-reference curves and hulls: each class in turn against all others together."""

from __future__ import annotations

from typing import Any

import numpy as np

from rocch.multiclass.aucs.judged_classes import JudgedClasses
from rocch.roc.curve import RocCurve
from rocch.roc.hull import RocHull


def class_reference_curves(
    y_true: Any, y_proba: Any, *, classes: Any = None
) -> dict[Any, RocCurve]:
    """Return one ROC curve per class: that class against all others (one-vs-rest).

    The others are mixed as in these rows; with another balance among them the curve would differ.

    Parameters
    ----------
    y_true, y_proba, classes
        As for `rocch.multiclass_auc`.

    Returns
    -------
    dict
        Maps each class, in order, to its curve, which is named after the class.

    Raises
    ------
    InputError
        If labels or posteriors cannot be used.

    Examples
    --------
    >>> import rocch
    >>> y = ["cat", "cat", "dog", "eel"]
    >>> P = [[0.7, 0.2, 0.1], [0.4, 0.5, 0.1], [0.4, 0.6, 0.0], [0.2, 0.2, 0.6]]
    >>> {name: curve.auc for name, curve in rocch.class_reference_curves(y, P).items()}
    {'cat': 0.875, 'dog': 1.0, 'eel': 1.0}
    """
    judged = JudgedClasses.of(y_true, classes)
    posteriors = judged.posteriors(y_proba)
    return {
        name: RocCurve.from_scores(judged.truths == code, posteriors[:, code], name=str(name))
        for code, name in enumerate(judged.classes)
    }


def class_reference_hulls(y_true: Any, y_proba: Any, *, classes: Any = None) -> dict[Any, RocHull]:
    """Return one joint hull per class: which model is best at telling it from all others.

    Parameters
    ----------
    y_true, classes
        As for `rocch.multiclass_auc`.
    y_proba
        Maps names of models to posteriors, each as for `rocch.multiclass_auc`; or one model's
        posteriors alone, which is then called "classifier".

    Returns
    -------
    dict
        Maps each class, in order, to the hull of all models, whose names are kept.

    Raises
    ------
    InputError
        If labels or posteriors cannot be used.

    Examples
    --------
    >>> import rocch
    >>> y = ["cat", "cat", "dog", "eel"]
    >>> nb = [[0.7, 0.2, 0.1], [0.4, 0.5, 0.1], [0.4, 0.6, 0.0], [0.2, 0.2, 0.6]]
    >>> knn = [[0.8, 0.2, 0.0], [0.6, 0.4, 0.0], [0.4, 0.4, 0.2], [0.4, 0.2, 0.4]]
    >>> for name, hull in rocch.class_reference_hulls(y, {"nb": nb, "knn": knn}).items():
    ...     print(name, hull.dominator())
    cat knn
    dog nb
    eel knn
    """
    judged = JudgedClasses.of(y_true, classes)
    models = judged.models(y_proba)
    return {
        name: RocHull.from_scores(
            judged.truths == code,
            {model: np.ascontiguousarray(matrix[:, code]) for model, matrix in models.items()},
        )
        for code, name in enumerate(judged.classes)
    }
