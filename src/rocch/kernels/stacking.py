"""Stacking of class probabilities with non-negative weights.

Wolpert (1992) fits a model to the out-of-fold outputs of others; Breiman (1996) showed that weights
should not be negative. Here it is logistic regression on log probabilities, one weight for each
model and one intercept for each class:

    P(class k) is proportional to exp(intercept[k] + sum over models m of weight[m] * log p[m, k]).

For two classes that is logistic regression on the models' log odds.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rocch.arrays import FloatArray, IntArray

# Newton's steps: more than 30 were never needed. A step that gains less than this ends the search.
MOST_STEPS, ENOUGH = 60, 1e-13

# A step is halved until the loss falls; after this many halvings rounding errors decide.
HALVINGS = 30

# Keeps the equations solvable where two models agree on every row.
RIDGE = 1e-9


class StackFit(NamedTuple):
    """The weight of each model, and the intercept of each class (the first is 0)."""

    weights: FloatArray
    intercepts: FloatArray

    def log_probabilities(self, outputs: FloatArray) -> FloatArray:
        """Return the log of the stack's class probabilities: rows x classes."""
        scores = np.einsum("nmk,m->nk", outputs, self.weights) + self.intercepts
        return np.asarray(scores - log_sum(scores))


def log_sum(scores: FloatArray) -> FloatArray:
    """Return log(sum(exp)) of each row, as a column."""
    top = scores.max(axis=1, keepdims=True)
    total: FloatArray = top + np.log(np.exp(scores - top).sum(axis=1, keepdims=True))
    return total


def fit_stack(
    outputs: FloatArray,
    labels: IntArray,
    counts: FloatArray | None = None,
    *,
    penalty: float = 1.0,
    start: StackFit | None = None,
) -> StackFit:
    """Fit a stack by Newton's method on the weights that are not held at 0.

    Parameters
    ----------
    outputs
        Finite log probabilities, up to a constant in each row and model: rows x models x classes.
    labels
        The class of each row, as an index.
    counts
        How often each row counts; by default once.
    penalty
        Of the squared distance of the weights from equal ones that sum to 1, in rows.
    start
        Where to begin, for example at the fit to similar rows.

    Notes
    -----
    The loss is convex. A weight is held at 0 while the loss would rise with it, so the result meets
    the conditions of Karush, Kuhn and Tucker. A step takes O(rows * models^2 * classes).
    """
    rows, models, classes = outputs.shape
    problem = _Problem(outputs, labels, np.ones(rows) if counts is None else counts, penalty)
    if start is None:
        start = StackFit(problem.center, np.zeros(classes))
    parameters = np.concatenate((start.weights, start.intercepts[1:]))
    shares, loss = problem.evaluate(parameters)
    for _ in range(MOST_STEPS):
        gradient, curvature = problem.derivatives(parameters, shares)
        free = np.ones(parameters.size, dtype=bool)
        free[:models] = (parameters[:models] > 0) | (gradient[:models] < 0)
        inner = curvature[np.ix_(free, free)]
        inner[np.diag_indices_from(inner)] += RIDGE * (1 + np.trace(inner))
        step = np.zeros(parameters.size)
        step[free] = np.linalg.solve(inner, -gradient[free])
        for halving in range(HALVINGS):
            moved = parameters + step / 2**halving
            moved[:models] = np.maximum(moved[:models], 0)
            shares, new_loss = problem.evaluate(moved)
            if new_loss <= loss:
                break
        else:
            break
        gained, parameters, loss = loss - new_loss, moved, new_loss
        if gained <= ENOUGH * max(1.0, abs(loss)):
            break
    return StackFit(parameters[:models], np.append(0.0, parameters[models:]))


class _Problem:
    """The penalized log loss of a stack, as a function of weights and intercepts.

    `columns[k]` holds the derivatives of the score of class k + 1, less that of class 0, by these.
    """

    def __init__(
        self, outputs: FloatArray, labels: IntArray, counts: FloatArray, penalty: float
    ) -> None:
        rows, models, classes = outputs.shape
        self.columns = np.zeros((classes - 1, rows, models + classes - 1))
        for k, columns in enumerate(self.columns):
            columns[:, :models] = outputs[:, :, k + 1] - outputs[:, :, 0]
            columns[:, models + k] = 1.0
        self.is_class = np.stack([labels == k for k in range(1, classes)])
        self.counts, self.penalty = counts, penalty
        self.center = np.full(models, 1 / max(models, 1))

    def evaluate(self, parameters: FloatArray) -> tuple[FloatArray, float]:
        """Return the shares of all classes but the first, and the loss."""
        scores = self.columns @ parameters
        top = np.maximum(scores.max(axis=0), 0)
        shares = np.exp(scores - top)
        total = shares.sum(axis=0) + np.exp(-top)
        away = parameters[: self.center.size] - self.center
        reached = np.sum(scores, axis=0, where=self.is_class)
        loss = float(self.counts @ (top + np.log(total) - reached))
        return shares / total, loss + self.penalty / 2 * float(away @ away)

    def derivatives(
        self, parameters: FloatArray, shares: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return the gradient and the matrix of second derivatives."""
        size = self.center.size
        gradient, means = np.zeros(parameters.size), np.zeros(self.columns.shape[1:])
        curvature = np.zeros((parameters.size, parameters.size))
        for columns, share, own in zip(self.columns, shares, self.is_class, strict=True):
            weighted = columns * share[:, None]
            gradient += (self.counts * (share - own)) @ columns
            curvature += weighted.T @ (columns * self.counts[:, None])
            means += weighted
        curvature -= means.T @ (means * self.counts[:, None])
        gradient[:size] += self.penalty * (parameters[:size] - self.center)
        curvature[np.arange(size), np.arange(size)] += self.penalty
        return gradient, curvature
