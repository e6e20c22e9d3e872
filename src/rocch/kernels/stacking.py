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
MOST_STEPS, ENOUGH = 60, 1e-9

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
        return scores - log_sum(scores)


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
    counts = np.ones(rows) if counts is None else counts
    equal = np.full(models, 1 / models)
    if start is None:
        start = StackFit(equal, np.zeros(classes))
    parameters = np.concatenate((start.weights, start.intercepts[1:]))
    loss, gradient, curvature = _derivatives(parameters, outputs, labels, counts, penalty, equal)
    for _ in range(MOST_STEPS):
        held = np.zeros(parameters.size, dtype=bool)
        held[:models] = (parameters[:models] <= 0) & (gradient[:models] >= 0)
        free = np.flatnonzero(~held)
        step = np.zeros(parameters.size)
        inner = curvature[np.ix_(free, free)]
        ridge = RIDGE * (1 + np.trace(inner))
        step[free] = np.linalg.solve(inner + ridge * np.eye(free.size), -gradient[free])
        for halving in range(HALVINGS):
            moved = parameters + step / 2**halving
            moved[:models] = np.maximum(moved[:models], 0)
            found = _derivatives(moved, outputs, labels, counts, penalty, equal)
            if found[0] <= loss:
                break
        else:
            break
        gained = loss - found[0]
        parameters, (loss, gradient, curvature) = moved, found
        if gained <= ENOUGH * max(1.0, abs(loss)):
            break
    return StackFit(parameters[:models], np.append(0.0, parameters[models:]))


def _derivatives(
    parameters: FloatArray,
    outputs: FloatArray,
    labels: IntArray,
    counts: FloatArray,
    penalty: float,
    centre: FloatArray,
) -> tuple[float, FloatArray, FloatArray]:
    """Return the penalized loss, its gradient and its matrix of second derivatives."""
    rows, models, classes = outputs.shape
    fit = StackFit(parameters[:models], np.append(0.0, parameters[models:]))
    log_shares = fit.log_probabilities(outputs)
    shares = np.exp(log_shares)
    away = fit.weights - centre
    own = np.arange(rows)
    loss = -float(counts @ log_shares[own, labels]) + penalty / 2 * float(away @ away)
    # derivatives of the scores: a model's outputs, or 1 for the class of an intercept
    columns = np.zeros((rows, models + classes - 1, classes))
    columns[:, :models] = outputs
    for k in range(1, classes):
        columns[:, models + k - 1, k] = 1.0
    means = np.einsum("npk,nk->np", columns, shares)
    gradient = counts @ (means - columns[own, :, labels])
    gradient[:models] += penalty * away
    off = columns - means[:, :, None]
    weighted = off * (shares * counts[:, None])[:, None, :]
    curvature = np.einsum("npk,nqk->pq", weighted, off, optimize=True)
    curvature[np.arange(models), np.arange(models)] += penalty
    return loss, gradient, curvature
