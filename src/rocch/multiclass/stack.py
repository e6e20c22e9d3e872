"""Stacks: class probabilities of several models, joined with weights that are not negative."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rocch.arrays import Columns, FloatArray, IntArray, Label
from rocch.errors import InputError, format_list
from rocch.kernels.assignment import softmax
from rocch.kernels.stacking import fit_stack
from rocch.multiclass.classes import Classes, ClassNames, ProbabilityRows, probabilities_by_name
from rocch.results import Table, Tabular

# Smaller probabilities count as this one, so that no model rules a class out by itself.
CLIP = 1e-3

# How many rows speak for equal weights; chosen by studies/new_rows_many.py.
PENALTY = 10.0

# Parts of the rows that are left out in turn.
FOLDS = 10


@dataclass(frozen=True, slots=True, repr=False)
class ProbabilityStack(Tabular):
    """Several models' class probabilities, joined by logistic regression on their logarithms.

    The probability of class k is proportional to exp(intercept of k + the sum over models of their
    weight times the log of their probability of k). With one model it calibrates the model.

    Attributes
    ----------
    classes
        The classes.
    weights
        The weight of each model, by name. Those with weight 0 are not needed to predict.
    intercepts
        The intercept of each class; the first is 0.

    Examples
    --------
    >>> import rocch
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.model_selection import cross_val_predict
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> models = {"nb": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=2, random_state=0)}
    >>> P = {m: cross_val_predict(f, X, y, method="predict_proba") for m, f in models.items()}
    >>> stack = rocch.multiclass.ProbabilityStack.fit(y, P)
    >>> print(stack)
    0.672 nb + 0.278 tree
    >>> stack.predict_proba(P).shape
    (178, 3)
    """

    classes: Classes
    weights: Mapping[str, float]
    intercepts: Mapping[Label, float]

    @classmethod
    def fit(
        cls, y_true: ArrayLike, y_proba: Columns, *, classes: ClassNames | None = None
    ) -> ProbabilityStack:
        """Fit the weights to labeled rows that the models were not fitted on.

        Parameters
        ----------
        y_true
            The labels.
        y_proba
            The probabilities by model, for example out of fold.
        classes
            The classes in the order of arrays' columns; by default the labels, sorted.
        """
        rows = ProbabilityRows.of(y_true, y_proba, classes=classes)
        return cls.of_rows(rows.probabilities, rows.truths, rows.classes)

    @classmethod
    def of_rows(
        cls, probabilities: Mapping[str, FloatArray], truths: IntArray, classes: Classes
    ) -> ProbabilityStack:
        """Fit the weights to arrays that are known to fit together."""
        found = fit_stack(_logs(probabilities), truths, penalty=PENALTY)
        weights = dict(zip(probabilities, found.weights.tolist(), strict=True))
        return cls(classes, weights, dict(zip(classes, found.intercepts.tolist(), strict=True)))

    def __hash__(self) -> int:
        return hash((self.classes, *self.weights.items(), *self.intercepts.items()))

    def __str__(self) -> str:
        parts = [f"{weight:.3g} {name}" for name, weight in self.weights.items() if weight]
        return " + ".join(parts) or "the shares of the classes"

    def _columns(self) -> Table:
        return {"model": list(self.weights), "weight": list(self.weights.values())}

    @property
    def components(self) -> tuple[str, ...]:
        """The models that are needed to predict."""
        needed = tuple(name for name, weight in self.weights.items() if weight > 0)
        return needed or tuple(self.weights)[:1]  # one at least, which says how many rows there are

    def predict_proba(self, y_proba: Mapping[str, Columns]) -> FloatArray:
        """Return the stack's probabilities, from those of its components by name."""
        missing = [name for name in self.components if name not in y_proba]
        if missing:
            needed = f"have the probabilities of {format_list(self.components)}"
            raise InputError("y_proba", needed, f"none of {format_list(missing)}")
        tables = probabilities_by_name({n: y_proba[n] for n in self.components}, self.classes)
        # in this order for every row, alone and in a batch
        scores = np.array(list(self.intercepts.values()))[np.newaxis]
        for name, table in tables.items():
            scores = scores + self.weights[name] * np.log(np.maximum(table, CLIP))
        return softmax(scores)


def _logs(probabilities: Mapping[str, FloatArray]) -> FloatArray:
    """Return finite log probabilities: rows x models x classes."""
    return np.log(np.maximum(np.stack(list(probabilities.values()), axis=1), CLIP))


def cross_fit_stack(
    probabilities: Mapping[str, FloatArray], truths: IntArray, folds: IntArray
) -> FloatArray:
    """Return each row's probabilities by a stack that is fitted to the rows of other folds."""
    logs = _logs(probabilities)
    start = fit_stack(logs, truths, penalty=PENALTY)
    stacked = np.empty((truths.size, logs.shape[2]))
    for fold in np.unique(folds):
        held_out = folds == fold
        rest = ~held_out
        found = fit_stack(logs[rest], truths[rest], penalty=PENALTY, start=start)
        stacked[held_out] = np.exp(found.log_probabilities(logs[held_out]))
    return stacked


def deal_folds(truths: IntArray, units: IntArray, folds: int = FOLDS) -> IntArray:
    """Deal units to folds like cards, class by class, and return the fold of each row.

    Rows of a unit stay together; its class is that of its first row.
    """
    _, first, own = np.unique(units, return_index=True, return_inverse=True)
    shuffled = np.random.default_rng(0).permutation(first.size)
    order = shuffled[np.argsort(truths[first[shuffled]], kind="stable")]
    dealt = np.empty(first.size, dtype=np.int64)
    dealt[order] = np.arange(first.size) % folds
    return dealt[own]
