"""Classifiers whose score is a column of the features, so that tests can lay out any hull."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class ColumnScores(ClassifierMixin, BaseEstimator):  # type: ignore[misc] # scikit-learn is untyped
    """Scores by one column of the features; counts the rows that it is asked about."""

    def __init__(self, column: int = 0) -> None:
        self.column = column

    def fit(self, X: Any, y: Any) -> Self:
        self.classes_ = np.unique(y)
        self.n_features_in_ = X.shape[1]
        self.asked_ = 0
        return self

    def decision_function(self, X: Any) -> Any:
        self.asked_ += X.shape[0]
        return np.asarray(X)[:, self.column].astype(float)

    def predict(self, X: Any) -> Any:
        return self.classes_[(np.asarray(X)[:, self.column] >= 0.5).astype(int)]


class ColumnLabels(ClassifierMixin, BaseEstimator):  # type: ignore[misc] # scikit-learn is untyped
    """Labels alone: positive where a column of the features is at least a half."""

    def __init__(self, column: int = 0) -> None:
        self.column = column

    def fit(self, X: Any, y: Any) -> Self:  # noqa: ARG002
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return self.classes_[(np.asarray(X)[:, self.column] >= 0.5).astype(int)]


def scored_columns(*columns: Any) -> Any:
    """Return columns of scores as features."""
    return np.column_stack([np.asarray(column, dtype=float) for column in columns])
