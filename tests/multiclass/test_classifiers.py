"""Fitted classifiers and posteriors from elsewhere, by name."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB

import rocch

NAMES = ["cat", "dog", "eel"]
ONE = np.array([[0.7, 0.2, 0.1], [0.2, 0.5, 0.3], [0.1, 0.1, 0.8]])
OTHER = np.array([[0.6, 0.3, 0.1], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4]])


class Reordered:
    """A fitted classifier whose classes stand in another order."""

    def __init__(self, model: Any, order: list[int]) -> None:
        self.model, self.order = model, order
        self.classes_ = model.classes_[order]

    def predict_proba(self, X: Any) -> Any:
        return self.model.predict_proba(X)[:, self.order]


def fitted(seed: int = 1) -> tuple[Any, Any]:
    data = rocch.multiclass.three_class_data(90, seed=seed)
    return LogisticRegression().fit(data.X, data.y), GaussianNB().fit(data.X, data.y)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, dict])
def test_frames_are_read_by_name_whatever_the_order(frame: Any) -> None:
    columns = {name: OTHER[:, NAMES.index(name)] for name in ("eel", "cat", "dog")}
    judged = rocch.multiclass.KnownProbabilities({"lr": ONE, "gbm": frame(columns)}, NAMES)
    assert np.array_equal(judged.probabilities(np.array([0.0])), ONE)
    assert np.array_equal(judged.probabilities(np.array([1.0])), OTHER)
    assert [judged.name_of(vector) for vector in judged.start(100, RNG())] == ["lr", "gbm"]


def RNG() -> np.random.Generator:  # noqa: N802 - a generator anew each time
    return np.random.default_rng(0)


def test_any_classifier_may_follow_any_other() -> None:
    judged = rocch.multiclass.KnownProbabilities({"lr": ONE, "gbm": OTHER}, NAMES)
    rng = RNG()
    assert {judged.perturb(np.array([0.0]), rng)[0] for _ in range(50)} == {0.0, 1.0}
    alone = rocch.multiclass.KnownProbabilities({"lr": ONE}, NAMES)
    assert {alone.perturb(np.array([0.0]), rng)[0] for _ in range(50)} == {0.0}
    assert isinstance(alone, rocch.multiclass.SearchModel)


def test_judged_posteriors_know_nothing_of_new_rows() -> None:
    judged = rocch.multiclass.KnownProbabilities({"lr": ONE}, NAMES)
    with pytest.raises(rocch.UndefinedError, match="Use FittedModels"):
        judged.probabilities_of(np.array([0.0]), ONE)


def test_fitted_models_answer_in_one_order_of_classes() -> None:
    lr, nb = fitted()
    new = rocch.multiclass.three_class_data(30, seed=2)
    models = rocch.multiclass.FittedModels({"lr": lr, "nb": Reordered(nb, [2, 0, 1])}, new.X)
    assert models.classes.names == (1, 2, 3)
    assert np.array_equal(models.probabilities(np.array([0.0])), lr.predict_proba(new.X))
    assert np.array_equal(models.probabilities(np.array([1.0])), nb.predict_proba(new.X))
    assert np.array_equal(
        models.probabilities_of(np.array([1.0]), new.X[:5]), nb.predict_proba(new.X[:5])
    )


def test_the_order_is_that_of_the_first_model() -> None:
    lr, nb = fitted()
    new = rocch.multiclass.three_class_data(30, seed=2)
    models = rocch.multiclass.FittedModels({"nb": Reordered(nb, [2, 0, 1]), "lr": lr}, new.X)
    assert models.classes.names == (3, 1, 2)
    assert np.array_equal(
        models.probabilities(np.array([1.0])), lr.predict_proba(new.X)[:, [2, 0, 1]]
    )
    assert rocch.multiclass.SurfaceSearch(models, new.y).run(3).classes.names == (3, 1, 2)


@pytest.mark.parametrize(
    ("y_proba", "message"),
    [
        ({}, "y_proba must map classifiers' names to probabilities; got none."),
        (
            ONE,
            "y_proba must map classifiers' names to probabilities; got an object of type ndarray",
        ),
        ({"": ONE}, "name must be a text that is not empty; got ''."),
        ({"lr": ONE, "nb": OTHER[:2]}, "y_proba['nb'] must have one value for each of the 3 rows"),
        ({"lr": ONE[:, :2]}, "y_proba['lr'] must have rows of 3 columns"),
        ({"lr": ONE * 2}, "y_proba['lr'] must sum to 1 in every row; got 2 in row 0"),
        ({"lr": ONE * np.nan}, "y_proba['lr'] must be probabilities: no missing values"),
        ({"lr": {"cat": [1.0], "dog": [0.0]}}, "y_proba['lr'] must have exactly the columns"),
    ],
)
def test_bad_posteriors(y_proba: Any, message: str) -> None:
    with pytest.raises(rocch.InputError, match=re.escape(message)):
        rocch.multiclass.KnownProbabilities(y_proba, NAMES)


@pytest.mark.parametrize("vector", [[2.0], [-1.0], [0.5], [np.nan], [0.0, 1.0], []])
def test_places_where_no_classifier_stands_are_refused(vector: list[float]) -> None:
    judged = rocch.multiclass.KnownProbabilities({"lr": ONE, "gbm": OTHER}, NAMES)
    with pytest.raises(rocch.InputError, match="parameters must be the place of a classifier"):
        judged.probabilities(np.array(vector))


def test_bad_models() -> None:
    lr, _ = fitted()
    data = rocch.multiclass.three_class_data(90, seed=1)
    lacking = GaussianNB().fit(data.X[data.y != 2], data.y[data.y != 2])
    ridge = RidgeClassifier().fit(data.X, data.y)
    cases: list[tuple[Any, str]] = [
        ({"lr": LogisticRegression()}, "models must be fitted; got 'lr' without classes_."),
        ({"rc": ridge}, "models must give probabilities (predict_proba); got 'rc'"),
        ({"lr": lr, "nb": lacking}, "models['nb'] must have exactly the classes 1, 2, 3"),
        ([lr], "models must map classifiers' names to fitted classifiers; got an object of type"),
        ({"lr": Flat(lr)}, "models['lr'] must have rows of 3 columns"),
    ]
    for models, message in cases:
        with pytest.raises(rocch.InputError, match=re.escape(message)):
            rocch.multiclass.FittedModels(models, data.X)


class Flat(Reordered):
    """A classifier that returns one column only."""

    def __init__(self, model: Any) -> None:
        super().__init__(model, [0, 1, 2])

    def predict_proba(self, X: Any) -> Any:
        return super().predict_proba(X)[:, 0]
