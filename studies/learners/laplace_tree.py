"""A decision tree in the manner of C4.5, with Laplace's correction at the leaves (MC4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy.stats import beta
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.tree import DecisionTreeClassifier

if TYPE_CHECKING:
    from rocch.arrays import FloatArray, IntArray

SLACK = 0.1
"""A subtree goes if a leaf in its place errs at most so many rows more, as in C4.5."""


class LaplaceTree(ClassifierMixin, BaseEstimator):
    """Splits by entropy, prunes by C4.5's pessimistic errors, counts with Laplace's correction.

    Splits are binary, on one-hot columns for nominal features, and by gain rather than gain ratio:
    that is scikit-learn's tree. Missing numbers go to the side that is better.

    Parameters
    ----------
    confidence
        C4.5's CF: errors of a leaf are taken at the upper end of their interval of this level. 1
        leaves the tree unpruned.
    min_samples_leaf
        The fewest rows of a leaf.
    """

    def __init__(
        self, confidence: float = 0.25, min_samples_leaf: int = 2, random_state: Any = None
    ) -> None:
        self.confidence = confidence
        self.min_samples_leaf = min_samples_leaf
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Grow the tree and prune it."""
        self.tree_ = DecisionTreeClassifier(
            criterion="entropy",
            min_samples_leaf=self.min_samples_leaf,
            random_state=self.random_state,
        ).fit(X, y)
        nodes = self.tree_.tree_
        self.counts_ = nodes.value[:, 0, :] * nodes.weighted_n_node_samples[:, np.newaxis]
        self.answering_ = answering_nodes(nodes, self.counts_, self.confidence)
        self.classes_ = self.tree_.classes_
        return self

    def predict_proba(self, X: Any) -> FloatArray:
        """Return (n of the class + 1) / (n + number of classes) at each row's leaf."""
        counts = self.counts_[self.answering_[self.tree_.apply(X)]] + 1
        return np.asarray(counts / counts.sum(axis=1, keepdims=True))

    def predict(self, X: Any) -> Any:
        """Return the more frequent class at each row's leaf."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def pessimistic_errors(counts: FloatArray, confidence: float) -> FloatArray:
    """Return how many rows of each node err at the upper end of the interval of their share."""
    rows = counts.sum(axis=1)
    errors = rows - counts.max(axis=1)
    return np.asarray(rows * beta.ppf(1 - confidence, errors + 1, rows - errors))


def answering_nodes(nodes: Any, counts: FloatArray, confidence: float) -> IntArray:
    """Return for each node the one that answers: itself, or the ancestor that became a leaf.

    Children have higher numbers than their parents, so one way up and one way down are enough.
    """
    answering = np.arange(nodes.node_count)
    if confidence >= 1:
        return answering
    alone = pessimistic_errors(counts, confidence)
    below = alone.copy()
    left, right = nodes.children_left, nodes.children_right
    inner = np.flatnonzero(left >= 0)
    for node in inner[::-1]:
        split = below[left[node]] + below[right[node]]
        below[node] = split if alone[node] > split + SLACK else alone[node]
    for node in inner:
        if answering[node] != node or below[node] == alone[node]:
            answering[[left[node], right[node]]] = answering[node]
    return answering
