"""Posteriors of rows by models that have not seen them: what a surface is judged on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.errors import bad_input, shown
from rocch.hybrid.out_of_fold import fit_copy
from rocch.multiclass.classes import Classes, as_posteriors
from rocch.multiclass.models import ask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rocch.arrays import FloatArray, IntArray

    AnyArray = np.ndarray[Any, Any]
    Splits = Sequence[tuple[IntArray | None, IntArray]]


def posteriors_of(name: str, estimator: Any, features: Any, classes: Classes) -> FloatArray:
    """Ask a fitted classifier, its columns brought into the order of the classes."""
    if not hasattr(estimator, "predict_proba"):
        raise bad_input(
            "estimators",
            "give probabilities (predict_proba)",
            f"{name!r}, which does not",
            "Wrap it in scikit-learn's CalibratedClassifierCV.",
        )
    known = np.asarray(estimator.classes_).tolist()
    if set(known) != set(classes):
        missing = [each for each in classes if each not in known]
        raise bad_input(
            "estimators",
            f"know the classes of y, {shown(classes, 30)}",
            f"{name!r}, which knows {shown(known, 30)}",
            "Every split must leave rows of every class to fit on: use fewer splits, or "
            "stratified ones; a class needs two rows at least."
            if missing
            else "Judge it on rows of all its classes.",
        )
    answers = ask(name, estimator, features, classes)
    return as_posteriors(answers, classes, argument=f"predict_proba of {name!r}")


def judged_rows(splits: Splits) -> IntArray:
    """Return the rows held out, in rising order; repeated splits hold out rows more than once."""
    return np.sort(np.concatenate([test for _, test in splits]), kind="stable")


def judge(
    models: Sequence[tuple[str, Any]],
    data: tuple[Any, AnyArray],
    splits: Splits,
    fit_params: Mapping[str, Mapping[str, Any]],
    classes: Classes,
    n_jobs: int | None,
) -> tuple[dict[str, FloatArray], dict[str, list[Any]]]:
    """Fit every model on every split; return posteriors of held-out rows, and the fold models."""
    from sklearn.utils.parallel import Parallel, delayed

    fitted = Parallel(n_jobs=n_jobs)(
        delayed(_fit_and_ask)(name, model, data, split, fit_params[name], (fold, classes))
        for name, model in models
        for fold, split in enumerate(splits)
    )
    order = np.argsort(np.concatenate([test for _, test in splits]), kind="stable")
    posteriors, fold_models = {}, {}
    for place, (name, _) in enumerate(models):
        own = fitted[place * len(splits) : (place + 1) * len(splits)]
        posteriors[name] = np.concatenate([answers for _, answers in own])[order]
        fold_models[name] = [model for model, _ in own]
    return posteriors, fold_models


def _fit_and_ask(
    name: str,
    estimator: Any,
    data: tuple[Any, AnyArray],
    split: tuple[IntArray | None, IntArray],
    fit_params: Mapping[str, Any],
    where: tuple[int, Classes],
) -> tuple[Any, FloatArray]:
    from sklearn.utils import _safe_indexing

    (features, labels), (train, test), (fold, classes) = data, split, where
    try:
        if train is not None:
            estimator = fit_copy(estimator, features, labels, fit_params, train)
        return estimator, posteriors_of(name, estimator, _safe_indexing(features, test), classes)
    except Exception as error:
        error.add_note(f"This happened to classifier {name!r} on split {fold} of the data.")
        raise
