"""Fold models that are kept instead of one model refitted on all rows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if

from rocch.hybrid.features import accept_what_models_accept

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocch.arrays import FloatArray
    from rocch.hybrid.scores import Component

    AnyArray = np.ndarray[Any, Any]


def _answers(method: str) -> Any:
    def check(ensemble: FoldEnsemble) -> bool:
        return all(hasattr(model, method) for model in ensemble.models)

    return available_if(check)


class FoldEnsemble(ClassifierMixin, BaseEstimator):
    """Several fitted copies of one model that answer together: scores are averaged, labels voted.

    It is fitted already; `fit` does nothing.
    """

    def __init__(self, models: Sequence[Any]) -> None:
        self.models = models

    @classmethod
    def of(cls, components: Sequence[Component]) -> Component:
        """Return the fold models of one classifier as one component."""
        return replace(components[0], estimator=cls([c.estimator for c in components]))

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        accept_what_models_accept(tags, self.models)
        return tags

    def fit(self, X: Any, y: Any = None) -> FoldEnsemble:  # noqa: ARG002 - scikit-learn's signature
        """Do nothing."""
        return self

    @property
    def classes_(self) -> AnyArray:
        """The two labels."""
        classes: AnyArray = self.models[0].classes_
        return classes

    @_answers("predict_proba")
    def predict_proba(self, X: Any) -> FloatArray:
        """Return the mean of the models' probabilities."""
        return _mean([model.predict_proba(X) for model in self.models])

    @_answers("decision_function")
    def decision_function(self, X: Any) -> FloatArray:
        """Return the mean of the models' scores."""
        return _mean([model.decision_function(X) for model in self.models])

    def predict(self, X: Any) -> AnyArray:
        """Return the label that most models give; the first of the classes on a tie."""
        votes = sum((model.predict(X) == self.classes_[1]).astype(int) for model in self.models)
        return np.asarray(self.classes_[(2 * votes > len(self.models)).astype(int)])


def _mean(answers: list[FloatArray]) -> FloatArray:
    """Return the mean, summed one by one from the smallest: the same in every batch and order.

    Rounding never takes it out of the range of the answers: equal ones are their mean.
    """
    ordered = np.sort(np.asarray(answers, dtype=float), axis=0)
    mean: FloatArray = np.clip(sum(ordered) / len(answers), ordered[0], ordered[-1])
    return mean
