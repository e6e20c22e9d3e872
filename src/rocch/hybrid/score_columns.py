"""Classifiers that live elsewhere: their scores, or labels, come as columns of the data.

A hybrid of these decides rows whose features are precomputed scores, so everything that a hybrid
can do (aim, explain itself, become SQL, be saved) works where the models run in other systems.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from sklearn.base import BaseEstimator, ClassifierMixin

from rocch.hybrid.features import column_of
from rocch.inputs import answer_labels, as_array, as_scores, check_labels

if TYPE_CHECKING:
    import numpy as np

    from rocch.arrays import FloatArray

    AnyArray = np.ndarray[Any, Any]


class _Column(ClassifierMixin, BaseEstimator):
    """What both kinds have in common: the name of a column, and the two classes."""

    column: str
    classes: Any
    reads_column = True

    @property
    def classes_(self) -> AnyArray:
        """The two labels, the positive one last."""
        return answer_labels(self.classes)

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002 - scikit-learn's signature
        """Do nothing: the classifier was fitted elsewhere."""
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def _values(self, X: Any) -> AnyArray:
        return as_array(column_of(X, self.column, "X"), self.column)


class ScoreColumn(_Column):
    """A scoring classifier whose scores are a column of the data, higher for the positive class.

    Parameters
    ----------
    column
        The name of the column.
    classes
        The two labels, the positive one last.

    Examples
    --------
    >>> import pandas as pd
    >>> from rocch.hybrid.score_columns import ScoreColumn
    >>> rows = pd.DataFrame({"nb": [0.2, 0.9], "gbm": [0.1, 0.7]})
    >>> ScoreColumn("gbm").decision_function(rows)
    array([0.1, 0.7])
    """

    def __init__(self, column: str, classes: Any = (0, 1)) -> None:
        self.column = column
        self.classes = classes

    def decision_function(self, X: Any) -> FloatArray:
        """Return the scores of rows."""
        values = self._values(X)
        return as_scores(values, values.size, argument=self.column)

    def predict(self, X: Any) -> AnyArray:
        """Refuse: without conditions there is no threshold."""
        raise NotImplementedError("A column of scores has no threshold of its own; aim a hybrid.")


class LabelColumn(_Column):
    """A classifier that outputs labels only, which are a column of the data.

    Parameters
    ----------
    column
        The name of the column.
    classes
        The two labels, the positive one last.
    """

    def __init__(self, column: str, classes: Any = (0, 1)) -> None:
        self.column = column
        self.classes = classes

    def predict(self, X: Any) -> AnyArray:
        """Return the labels of rows, which must be of the two classes."""
        labels = self._values(X)
        check_labels(labels, self.classes, self.column, "hold labels of the two classes")
        return labels
