"""Fitted binary classifiers, and batches of rows that they score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from rocch.arrays import AnyArray, BoolArray, Features, FloatArray, IntArray, Label
from rocch.errors import Hint, InputError, format_count, format_list
from rocch.hybrid.expression import TermKind
from rocch.inputs import as_name, check_known, to_host
from rocch.labels import as_positive, positive_column
from rocch.roc.curve import RocCurve
from rocch.rows import ScoredRows

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

ScoreMethod = Literal["predict_proba", "decision_function", "predict"]

# What columns are that came without their model.
RECORDED = "as recorded"


@dataclass(frozen=True, slots=True, eq=False)
class Component:
    """A named, fitted binary classifier.

    Scores are probabilities, else the decision function, else predicted labels; `column` is the
    place of the positive class.
    """

    name: str
    estimator: BaseEstimator
    method: ScoreMethod
    column: int

    @classmethod
    def of(cls, name: str, estimator: BaseEstimator, pos_label: Label | None = None) -> Component:
        """Return a fitted classifier as a component."""
        classes = getattr(estimator, "classes_", None)
        if classes is None or len(classes) != 2:
            known = "not fitted, or no classifier" if classes is None else "fitted on "
            raise InputError(
                "estimators",
                "be fitted classifiers for two classes",
                f"{name!r}, which is {known}{'' if classes is None else format_list(classes)}",
                "Fit it on labels of two classes first.",
            )
        known = np.asarray(classes).tolist()
        if pos_label is None:
            pos_label = known[positive_column(known)[0]]
        check_known([pos_label], known, "pos_label", f"classes of {name!r}")
        scoring: tuple[ScoreMethod, ...] = ("predict_proba", "decision_function")
        method: ScoreMethod = next((m for m in scoring if hasattr(estimator, m)), "predict")
        return cls(name, estimator, method, known.index(pos_label))

    @property
    def scoring(self) -> bool:
        """Whether the classifier scores rows, rather than only labeling them."""
        return self.method != "predict"

    @property
    def reads_column(self) -> bool:
        """Whether scores or labels are a column of the rows."""
        return bool(getattr(self.estimator, "reads_column", False))

    @property
    def kind(self) -> TermKind:
        """What the scores are, for a stack."""
        if self.method == "predict_proba":
            return "probability"
        return "score" if self.scoring else "label"

    @property
    def meaning(self) -> str:
        """What the scores are, in words; nobody says what columns of scores were made by."""
        if self.reads_column:
            return f"{'scores' if self.scoring else 'labels'} {RECORDED}"
        if self.method == "predict_proba":
            return f"predict_proba, column {self.column}"
        if self.method == "decision_function":
            return "decision_function" if self.column else "minus decision_function"
        return "predict"

    def scores(self, features: Features) -> FloatArray | BoolArray:
        """Return scores, higher for the positive class, or whether each row is positive."""
        values = to_host(getattr(self.estimator, self.method)(features), "estimators")
        if self.method == "predict":
            return np.asarray(values == self.estimator.classes_[self.column], dtype=bool).ravel()
        if self.method == "predict_proba":
            if np.ndim(values) != 2:
                raise InputError(
                    "estimators",
                    "return one probability for each class",
                    f"{format_count(np.ndim(values), 'dimension')} instead of 2 from {self.name!r}",
                )
            return np.asarray(values[:, self.column], dtype=np.float64)
        return np.asarray(values, dtype=np.float64).ravel() * (1 if self.column else -1)


def curve_of(
    estimator: BaseEstimator,
    features: Features,
    y_true: ArrayLike,
    *,
    pos_label: Label | None,
    name: str,
) -> RocCurve:
    """Return the ROC curve of a fitted binary classifier on labeled rows."""
    component = Component.of(name, estimator, pos_label)
    positive = as_positive(y_true, estimator.classes_[component.column])
    return RocCurve.from_rows(ScoredRows(positive, {name: component.scores(features)}), name)


def list_estimators(
    estimators: Mapping[Any, BaseEstimator] | Sequence[tuple[str, BaseEstimator]] | BaseEstimator,
) -> list[tuple[str, BaseEstimator]]:
    """Return a mapping, a list of pairs or a single estimator as (name, estimator) pairs."""
    if isinstance(estimators, (Mapping, list, tuple)) and not estimators:
        raise InputError("estimators", "be at least one", "none")
    if isinstance(estimators, Mapping):
        return [(as_name(name), estimator) for name, estimator in estimators.items()]
    if not isinstance(estimators, (list, tuple)):
        return [(type(estimators).__name__, estimators)]
    if not all(isinstance(pair, (list, tuple)) and len(pair) == 2 for pair in estimators):
        raise InputError(
            "estimators",
            "be (name, classifier) pairs or a mapping",
            "a list of something else",
            Hint("For example: {'nb': fitted_nb, 'gbm': fitted_gbm}."),
        )
    return [(as_name(name), estimator) for name, estimator in estimators]


def count_rows(features: Features) -> int:
    """Return the number of rows of features of any type."""
    return int(features.shape[0]) if hasattr(features, "shape") else len(features)


def rows_of(features: Features, rows: IntArray) -> Features:
    """Return some rows of features of any type."""
    from rocch.hybrid._sklearn_compat import _safe_indexing

    return _safe_indexing(features, rows)


class ScoredBatch:
    """Rows, and their scores so far."""

    def __init__(self, components: Mapping[str, Component], features: Features) -> None:
        self.components = components
        self.features = features
        self.rows = count_rows(features)
        self._scores: dict[str, AnyArray] = {}
        self._known: dict[str, BoolArray] = {}

    def __len__(self) -> int:
        return self.rows

    def scores(self, model: str, rows: IntArray | None = None) -> FloatArray:
        """Return a model's scores of some rows, or of all; no row is scored twice."""
        if rows is None and model not in self._scores:
            self._scores[model] = self.components[model].scores(self.features)
        else:
            self._score(model, np.arange(self.rows) if rows is None else rows)
        scores: FloatArray = self._scores[model]
        return scores if rows is None else scores[rows]

    def alarms(self, model: str, rows: IntArray | None = None) -> BoolArray:
        """Return which rows a model without scores predicts positive."""
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
