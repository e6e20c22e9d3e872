"""What cannot work is reported before any model is fitted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression

import rocch

RNG = np.random.default_rng(5)
Y = np.array(["good", "bad"])[np.arange(60) % 2]
X = RNG.normal(size=(60, 2)) + (Y == "bad")[:, np.newaxis]


class Unfittable(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A model whose fitting shows that the checks came too late."""

    def fit(self, X: Any, y: Any) -> Unfittable:
        raise AssertionError(X, y)

    def predict_proba(self, X: Any) -> Any:
        raise NotImplementedError


def test_a_missing_positive_class_is_reported_before_fitting() -> None:
    model = rocch.RocchClassifier([("a", Unfittable())])
    unnamed = pytest.warns(rocch.PositiveClassWarning, match=r"'bad', 'good'.*pos_label")
    with unnamed, pytest.raises(AssertionError):
        model.fit(X, Y)
    known = rocch.Conditions(prevalence=0.5, false_positive=1, false_negative=5)
    with pytest.raises(rocch.InputError, match="pos_label must be named"):
        rocch.RocchClassifier([("a", Unfittable())], criterion=known).fit(X, Y)


@pytest.mark.parametrize("options", [{"pos_label": "bad"}, {"criterion": rocch.ErrorRate()}])
def test_nothing_is_missing_where_the_class_is_named_or_not_needed(options: Any) -> None:
    rocch.RocchClassifier([("lr", LogisticRegression())], **options).fit(X, Y)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"costs": rocch.CostMatrix({("bad", "fine"): 5}, default=1)}, "classes"),
        ({"costs": {"bad": 5}}, "costs"),
        ({"priors": {"bad": 0.5, "fine": 0.5}}, "priors must have exactly the classes"),
        ({"priors": {"bad": 0.5, "good": 0.6}}, "priors must sum to 1"),
    ],
)
def test_costs_and_priors_of_other_classes_are_refused_before_fitting(
    options: Any, text: str
) -> None:
    model = rocch.RocSurfaceClassifier([("a", Unfittable())], **options)
    with pytest.raises(rocch.InputError, match=text):
        model.fit(X, Y)
