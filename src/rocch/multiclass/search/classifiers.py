"""Classifiers that are fitted already: only the costs vary, and which of them answers.

With several classifiers the search finds the front of all of them together: who is best for which
costs, as Srinivasan's hull in many dimensions says it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.errors import UndefinedError, bad_input, kind_of, shown
from rocch.inputs import as_name, is_number, on_host
from rocch.multiclass.classes import Classes, as_posteriors

if TYPE_CHECKING:
    from rocch.arrays import FloatArray


class JudgedPosteriors:
    """Named classifiers, known by their posteriors on the judged rows.

    Parameters
    ----------
    y_proba
        The posteriors by the classifiers' names. Frames and mappings are read by the names of
        their columns, whatever their order; arrays have their columns in the order of `classes`.
    classes
        The names of the classes in order.

    Raises
    ------
    InputError
        If posteriors are none, classes are missing, or the classifiers were not judged on the same
        number of rows.

    Examples
    --------
    >>> import rocch
    >>> lr = [[0.7, 0.2, 0.1], [0.2, 0.5, 0.3]]
    >>> rules = {"dog": [0.2, 0.9], "cat": [0.8, 0.0], "eel": [0.0, 0.1]}
    >>> judged = rocch.JudgedPosteriors({"lr": lr, "rules": rules}, ["cat", "dog", "eel"])
    >>> judged.posteriors([1])
    array([[0.8, 0.2, 0. ],
           [0. , 0.9, 0.1]])
    """

    parameter_names: tuple[str, ...] = ("classifier",)

    def __init__(self, y_proba: Mapping[str, Any], classes: Any) -> None:
        self.classes = Classes.of(classes)
        self.names = _names(y_proba, "y_proba", "posteriors")
        tables: list[FloatArray] = []
        for name, given in y_proba.items():
            rows = len(tables[0]) if tables else None
            tables.append(
                as_posteriors(given, self.classes, rows=rows, argument=f"y_proba[{name!r}]")
            )
        self._posteriors = np.stack(tables)

    def start(self, number: int, rng: np.random.Generator) -> FloatArray:  # noqa: ARG002
        """Return every classifier once, as its place among them."""
        return np.arange(len(self.names), dtype=np.float64)[:, np.newaxis]

    def perturb(self, parameters: FloatArray, rng: np.random.Generator) -> FloatArray:  # noqa: ARG002
        """Pick any of the classifiers: none is nearer to another."""
        return np.array([float(rng.integers(len(self.names)))])

    def posteriors(self, parameters: FloatArray) -> FloatArray:
        """Return a classifier's posteriors of the judged rows."""
        return np.asarray(self._posteriors[self._place(parameters)])

    def posteriors_of(self, parameters: FloatArray, X: Any) -> FloatArray:  # noqa: ARG002
        """Raise: posteriors of new rows cannot be had from those of old ones."""
        name = self.name_of(parameters)
        raise UndefinedError(
            f"The classifier {name!r} is known by its posteriors on the judged rows only. "
            "Use FittedModels with the fitted classifiers to answer new rows."
        )

    def name_of(self, parameters: FloatArray) -> str:
        """Return the classifier's name."""
        return self.names[self._place(parameters)]

    def _place(self, parameters: FloatArray) -> int:
        values = np.asarray(parameters).tolist()
        places = range(len(self.names))
        if len(values) != 1 or not is_number(values[0]) or values[0] not in places:
            raise bad_input(
                "parameters",
                "be the place of a classifier",
                repr(values),
                f"There are, from 0 on: {shown(self.names)}.",
            )
        return int(values[0])


class FittedModels(JudgedPosteriors):
    """Named scikit-learn classifiers, fitted before, and judged on rows they were not fitted to.

    Parameters
    ----------
    models
        The fitted classifiers by their names; each must have `predict_proba`, and the same
        classes, in any order.
    X_judged
        The rows to judge them on.

    Raises
    ------
    InputError
        If a classifier is not fitted, gives no probabilities, or lacks a class.

    Examples
    --------
    >>> import rocch
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.naive_bayes import GaussianNB
    >>> old, new = rocch.three_class_data(300, seed=1), rocch.three_class_data(300, seed=2)
    >>> fitted = {"lr": LogisticRegression(), "nb": GaussianNB()}
    >>> fitted = {name: model.fit(old.X, old.y) for name, model in fitted.items()}
    >>> models = rocch.FittedModels(fitted, new.X)
    >>> surface = rocch.SurfaceSearch(models, new.y).run(100)
    >>> sorted(set(surface.models))
    ['lr', 'nb']
    """

    def __init__(self, models: Mapping[str, Any], X_judged: Any) -> None:
        names = _names(models, "models", "a fitted classifier")
        self._models = dict(models)
        first = _classes_of(names[0], self._models[names[0]])
        for name in names[1:]:
            _check_same(first, names[0], _classes_of(name, self._models[name]), name)
        classes = Classes.of(first, "models")
        asked = {name: ask(name, self._models[name], X_judged, classes) for name in names}
        super().__init__(asked, classes)

    def posteriors_of(self, parameters: FloatArray, X: Any) -> FloatArray:
        """Return a classifier's posteriors of new rows."""
        name = self.name_of(parameters)
        asked = ask(name, self._models[name], X, self.classes)
        return as_posteriors(asked, self.classes, argument=f"models[{name!r}]")


def _names(given: Any, argument: str, what: str) -> tuple[str, ...]:
    if not isinstance(given, Mapping) or not given:
        came = "none" if isinstance(given, Mapping) else kind_of(given)
        raise bad_input(
            argument, f"map classifiers' names to {what}", came, "For example: {'lr': ...}."
        )
    return tuple(map(as_name, given))


def _classes_of(name: str, model: Any) -> list[Any]:
    if not hasattr(model, "predict_proba"):
        raise bad_input(
            "models",
            "give probabilities (predict_proba)",
            f"{name!r}: {kind_of(model)}",
            "Calibrate it, for example with scikit-learn's CalibratedClassifierCV.",
        )
    classes = getattr(model, "classes_", None)
    if classes is None:
        raise bad_input(
            "models", "be fitted", f"{name!r} without classes_", "Fit it on labelled rows first."
        )
    return list(np.asarray(classes).tolist())


def _check_same(first: list[Any], name: str, others: list[Any], other: str) -> None:
    if sorted(map(repr, first)) != sorted(map(repr, others)):
        raise bad_input(
            "models",
            "know the same classes",
            f"{shown(first, 30)} for {name!r} and {shown(others, 30)} for {other!r}",
            "Fit them on rows of all classes.",
        )


def ask(name: str, model: Any, X: Any, classes: Classes) -> FloatArray:
    """Return a model's posteriors, their columns in our order."""
    answer = np.asarray(on_host(model.predict_proba(X), f"models[{name!r}]"), dtype=np.float64)
    if answer.ndim != 2 or answer.shape[1] != len(classes):
        raise bad_input(
            f"models[{name!r}]",
            f"return one probability for each of its {len(classes)} classes",
            f"an array of shape {answer.shape}",
            "predict_proba has a column for each of its classes_.",
        )
    own = _classes_of(name, model)
    return np.ascontiguousarray(answer[:, [own.index(each) for each in classes]])
