"""Learners of the literature that scikit-learn does not have.

Naive Bayes reads numbers cut into intervals by entropy, until cutting on no longer pays (Fayyad and
Irani, 1993): the discretization that Dougherty, Kohavi and Sahami (1995) found best for it. MC4 is
a decision tree in the manner of C4.5, with Laplace's correction at the leaves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy.special import xlogy
from scipy.stats import beta
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.tree import DecisionTreeClassifier

if TYPE_CHECKING:
    from rocch.arrays import FloatArray, IntArray


class EntropyCuts(TransformerMixin, BaseEstimator):
    """Turns each column of numbers into the number of its interval, from 1; 0 where it is missing.

    Attributes
    ----------
    cuts_
        For each column where it is cut; an empty array if no cut pays.
    """

    def fit(self, X: Any, y: Any) -> Self:
        """Find the cuts of every column."""
        columns = np.asarray(X, dtype=float).T
        classes, codes = np.unique(y, return_inverse=True)
        self.cuts_ = [_cuts(column, codes, classes.size) for column in columns]
        self.n_features_in_ = len(self.cuts_)
        return self

    def transform(self, X: Any) -> IntArray:
        """Return the numbers of the intervals."""
        columns = np.asarray(X, dtype=float).T
        found = [
            np.where(np.isnan(column), 0, 1 + np.searchsorted(cuts, column, side="right"))
            for column, cuts in zip(columns, self.cuts_, strict=True)
        ]
        return np.column_stack(found)

    def get_feature_names_out(self, names: Any = None) -> Any:
        """Return the columns' own names."""
        return np.asarray(names, dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.target_tags.required = True
        return tags


def _cuts(column: FloatArray, codes: IntArray, classes: int) -> FloatArray:
    known = ~np.isnan(column)
    order = np.argsort(column[known], kind="stable")
    values, codes = column[known][order], codes[known][order]
    counts = np.zeros((values.size + 1, classes))
    counts[np.arange(1, values.size + 1), codes] = 1
    found: list[float] = []
    _divide(values, np.cumsum(counts, axis=0), 0, values.size, found)
    return np.sort(found)


def _divide(values: FloatArray, below: FloatArray, low: int, high: int, found: list[float]) -> None:
    """Cut the rows from low to high where it pays most, if it pays, and then both parts."""
    places = low + 1 + np.flatnonzero(np.diff(values[low:high]) > 0)
    if not places.size:
        return
    left, right = below[places] - below[low], below[high] - below[places]
    rows = high - low
    within = (left.sum(axis=1) * entropy(left) + right.sum(axis=1) * entropy(right)) / rows
    best = int(within.argmin())
    whole = below[high] - below[low]
    gain = entropy(whole) - within[best]
    if gain <= _price(whole, left[best], right[best]):
        return
    place = int(places[best])
    found.append(float((values[place - 1] + values[place]) / 2))
    _divide(values, below, low, place, found)
    _divide(values, below, place, high, found)


def _price(whole: FloatArray, left: FloatArray, right: FloatArray) -> float:
    """Return what telling of the cut costs in bits a row: the least gain by the MDL principle."""
    rows = whole.sum()
    kinds = [np.count_nonzero(part) for part in (whole, left, right)]
    told = [k * entropy(part) for k, part in zip(kinds, (whole, left, right), strict=True)]
    extra = np.log2(3.0 ** kinds[0] - 2) - (told[0] - told[1] - told[2])
    return float((np.log2(rows - 1) + extra) / rows)


def entropy(counts: FloatArray) -> FloatArray:
    """Return the entropy in bits of the classes counted along the last axis."""
    shares = counts / counts.sum(axis=-1, keepdims=True)
    return np.asarray(-xlogy(shares, shares).sum(axis=-1) / np.log(2))


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
