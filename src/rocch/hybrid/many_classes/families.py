"""Families of classifiers whose parameters the search may vary, in scikit-learn's manner."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator

from rocch.multiclass.parametric_models import KnnModel, MlpModel

if TYPE_CHECKING:
    from rocch.multiclass.models import SearchModel

    AnyArray = np.ndarray[Any, Any]


class Family(BaseEstimator):
    """Classifiers that differ in their parameters, over which a surface is searched.

    Fitting keeps the rows; the model that the search varies is made of them.
    """

    def fit(self, X: Any, y: Any) -> Self:
        """Keep the rows and their labels."""
        self.X_, self.y_ = np.asarray(X, dtype=np.float64), np.asarray(y)
        self.__dict__.pop("_model", None)
        return self

    @property
    def model_(self) -> SearchModel:
        """What the search varies, made of the rows when first asked for."""
        if "_model" not in self.__dict__:
            self._model = self.search_model(self.X_, self.y_)
        return self._model

    def search_model(self, X: Any, y: Any) -> SearchModel:
        """Return the model of some rows."""
        raise NotImplementedError

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_model"}


class KnnFamily(Family):
    """Probabilistic nearest neighbours (Everson and Fieldsend, equation 11) for all k and beta.

    Every row is judged by its neighbours, itself left out.

    Parameters
    ----------
    most_neighbours
        The largest k; by default 200, or fewer where there are fewer rows.
    scale
        Whether to divide the features by their standard deviations.
    """

    def __init__(self, *, most_neighbours: int | None = None, scale: bool = True) -> None:
        self.most_neighbours = most_neighbours
        self.scale = scale

    def search_model(self, X: Any, y: Any) -> SearchModel:
        """Return the model of some rows."""
        return KnnModel(X, y, most_neighbours=self.most_neighbours, scale=self.scale)


class MlpFamily(Family):
    """Multi-layer perceptrons with one hidden layer, for all their weights.

    They are judged on the rows that they are fitted to, as in the paper, so their rates flatter
    them: judge the result on other rows.

    Parameters
    ----------
    hidden
        How many hidden units there are.
    """

    def __init__(self, *, hidden: int = 5) -> None:
        self.hidden = hidden

    def search_model(self, X: Any, y: Any) -> SearchModel:
        """Return the model of some rows."""
        return MlpModel(X, y, hidden=self.hidden)
