"""Scores of rows by fitted classifiers, each asked only for the rows that need it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from rocch.arrays import BoolArray, FloatArray, IntArray
from rocch.errors import InputError, format_list
from rocch.inputs import (
    as_name,
    as_positive,
    to_host,
)
from rocch.roc.curve import RocCurve

# --- Scores from fitted scikit-learn classifiers, whatever they offer -----------------------------

Answer = Literal["predict_proba", "decision_function", "predict"]


@dataclass(frozen=True, slots=True, eq=False)
class Component:
    """A fitted binary classifier under its name, and how it is asked for scores.

    Probabilities are used where the classifier has them, else its decision function, else its
    labels alone. Scores are always higher for the positive class.
    """

    name: str
    estimator: Any
    answer: Answer
    column: int
    """The place of the positive class among the classifier's classes."""

    @classmethod
    def of(cls, name: str, estimator: Any, pos_label: Any = None) -> Component:
        """Find out how a fitted classifier answers, and where its positive class stands."""
        classes = getattr(estimator, "classes_", None)
        if classes is None or len(classes) != 2:
            raise InputError(
                "estimators",
                "be fitted classifiers for two classes",
                f"{name!r} with classes {None if classes is None else format_list(classes)}",
                "Fit it on labels of two classes first; regressors have none.",
            )
        known = np.asarray(classes).tolist()
        if pos_label is None:
            pos_label = known[1]
        if pos_label not in known:
            raise InputError(
                "pos_label",
                f"be a class of {name!r}",
                repr(pos_label),
                f"Its classes are: {format_list(known)}.",
            )
        answers: tuple[Answer, ...] = ("predict_proba", "decision_function")
        answer: Answer = next((a for a in answers if hasattr(estimator, a)), "predict")
        return cls(name, estimator, answer, known.index(pos_label))

    @property
    def scoring(self) -> bool:
        """Whether it scores, so that its threshold can be moved."""
        return self.answer != "predict"

    @property
    def meaning(self) -> str:
        """What the scores are, for those who compute them elsewhere."""
        if self.answer == "predict_proba":
            return f"predict_proba, column {self.column}"
        if self.answer == "decision_function":
            return "decision_function" if self.column else "minus decision_function"
        return "predict"

    def scores(self, features: Any) -> FloatArray | BoolArray:
        """Return the scores of rows; where it only labels, which of them alarm."""
        answers = to_host(getattr(self.estimator, self.answer)(features), "estimators")
        if self.answer == "predict":
            return np.asarray(answers == self.estimator.classes_[self.column], dtype=bool).ravel()
        if self.answer == "predict_proba":
            if np.ndim(answers) != 2:
                raise InputError(
                    "estimators",
                    "return one probability for each class",
                    f"an array of {np.ndim(answers)} dimension(s) from {self.name!r}",
                    "predict_proba has a column for each of its classes_.",
                )
            return np.asarray(answers[:, self.column], dtype=np.float64)
        return np.asarray(answers, dtype=np.float64).ravel() * (1 if self.column else -1)


def curve_of(estimator: Any, features: Any, y_true: Any, *, pos_label: Any, name: str) -> RocCurve:
    """Judge a fitted binary classifier on labeled rows."""
    component = Component.of(name, estimator, pos_label)
    positive = as_positive(y_true, estimator.classes_[component.column])
    scores = component.scores(features)
    if component.scoring:
        return RocCurve.from_scores(positive, scores, name=name)
    return RocCurve.from_labels(positive, scores, name=name)


def named(estimators: Any) -> Iterable[tuple[str, Any]]:
    """Go through estimators given as a mapping, as (name, estimator) pairs, or as one alone."""
    if isinstance(estimators, (Mapping, list, tuple)) and not estimators:
        raise InputError("estimators", "be at least one", "none", "Pass classifiers with names.")
    if isinstance(estimators, Mapping):
        return [(as_name(name), estimator) for name, estimator in estimators.items()]
    if not isinstance(estimators, (list, tuple)):
        return [(type(estimators).__name__, estimators)]
    if not all(isinstance(pair, (list, tuple)) and len(pair) == 2 for pair in estimators):
        raise InputError(
            "estimators",
            "be named",
            "a list of other things than (name, classifier) pairs",
            "For example: {'nb': fitted_nb, 'gbm': fitted_gbm}.",
        )
    return [(as_name(name), estimator) for name, estimator in estimators]


# --- Rows to be decided: each model scores only the rows it is asked about, and each only once ----


class ScoredBatch:
    """Rows, and the scores that models have given them so far."""

    def __init__(self, components: Mapping[str, Component], features: Any) -> None:
        from rocch.hybrid._sklearn_compat import _num_samples

        self.components = components
        self.features = features
        self.rows: int = _num_samples(features)
        self._scores: dict[str, Any] = {}
        self._known: dict[str, BoolArray] = {}

    def __len__(self) -> int:
        return self.rows

    def scores(self, model: str, rows: IntArray | None = None) -> FloatArray:
        """Return a model's scores on some rows, or on all; no row is scored twice."""
        if rows is None and model not in self._scores:
            self._scores[model] = self.components[model].scores(self.features)
        else:
            self._score(model, np.arange(self.rows) if rows is None else rows)
        scores: FloatArray = self._scores[model]
        return scores if rows is None else scores[rows]

    def alarms(self, model: str, rows: IntArray | None = None) -> BoolArray:
        """Return the alarms of a model that only labels, in the same way."""
        return np.asarray(self.scores(model, rows), dtype=bool)

    def _score(self, model: str, rows: IntArray) -> None:
        if model in self._scores and model not in self._known:
            return  # all rows are scored
        component = self.components[model]
        kind = float if component.scoring else bool
        scores = self._scores.setdefault(model, np.zeros(self.rows, dtype=kind))
        known = self._known.setdefault(model, np.zeros(self.rows, dtype=bool))
        new = rows[~known[rows]]
        if new.size:
            scores[new] = component.scores(rows_of(self.features, new))
            known[new] = True


def rows_of(features: Any, rows: IntArray) -> Any:
    """Return some rows of features of any kind."""
    from rocch.hybrid._sklearn_compat import _safe_indexing

    return _safe_indexing(features, rows)
