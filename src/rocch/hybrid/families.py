"""Families of classifiers, whose parameters a search varies too."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from rocch.arrays import Features
from rocch.multiclass.models import SearchModel
from rocch.multiclass.parametric_models import KnnModel, MlpModel


class Family(BaseEstimator):
    """Classifiers that differ in their parameters, which the search varies."""

    # Made of rows, their labels and the family's parameters.
    search_model: type[KnnModel] | type[MlpModel]

    def fit(self, X: Features, y: ArrayLike) -> Self:
        """Store the rows and their labels."""
        self.X_, self.y_ = np.asarray(X, dtype=np.float64), np.asarray(y)
        self.__dict__.pop("model_", None)
        return self

    @cached_property
    def model_(self) -> SearchModel:
        """The model that the search varies."""
        return self.search_model(self.X_, self.y_, **self.get_params())

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name != "model_"}


class KnnFamily(Family):
    """Probabilistic nearest neighbors (Everson and Fieldsend, equation 11), leave-one-out.

    Parameters
    ----------
    most_neighbors
        The largest k, by default at most 200.
    scale
        Whether to divide the features by their standard deviations.
    """

    search_model = KnnModel

    def __init__(self, *, most_neighbors: int | None = None, scale: bool = True) -> None:
        self.most_neighbors = most_neighbors
        self.scale = scale


class MlpFamily(Family):
    """Perceptrons with one hidden layer, evaluated on the rows they are fitted to.

    Parameters
    ----------
    hidden
        The number of hidden units.
    """

    search_model = MlpModel

    def __init__(self, *, hidden: int = 5) -> None:
        self.hidden = hidden
