"""A classifier that notices groups split between fitting and predicting."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

ROWS = 300


class GroupSpy(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """Rank rows by the second feature; the first is the group, and none may have been fitted on."""

    def __init__(self, offset: float = 0.0) -> None:
        self.offset = offset

    def fit(self, X: Any, y: Any) -> Self:
        self.classes_ = np.unique(y)
        self.rows_, self.groups_ = len(X), set(X[:, 0].tolist())
        return self

    def decision_function(self, X: Any) -> Any:
        if self.rows_ < ROWS:  # not the final fit, on all rows
            assert self.groups_.isdisjoint(X[:, 0].tolist())
        return X[:, 1] + self.offset

    def predict(self, X: Any) -> Any:
        return self.classes_[(self.decision_function(X) > 0).astype(int)]


def grouped_rows() -> tuple[Any, Any, Any]:
    """Return features, labels and groups of rows in mixed order."""
    rng = np.random.default_rng(0)
    groups = rng.permutation(np.arange(ROWS) % 15)
    y = (rng.random(ROWS) < 0.4).astype(int)
    return np.column_stack([groups, rng.normal(size=ROWS) + y]), y, groups
