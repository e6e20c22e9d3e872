"""The classifiers that Adams and Hand compare, with the choices that they leave open as fields.

Each says all that it is as text, because results are kept under that text.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, ClassVar

from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier

MOST_STEPS = 1000
"""Of a network's fit: one that has not settled by then is used as it is."""

ALMOST_NONE = 1e-12
"""Least spread of a direction within a class. Genuine payments of the credit card data have one of
five thousandths, which scikit-learn's own bound refuses; it is small, but it is no rounding."""


@dataclass(frozen=True)
class Network:
    """One hidden layer with weight decay: size and decay, or several to choose from.

    Attributes
    ----------
    hidden, decay
        Sizes of the hidden layer, and factors of the squared weights in scikit-learn's loss (it
        divides them by the number of rows). Of several, three-fold cross-validation chooses by log
        loss, on the design set alone.
    """

    hidden: tuple[int, ...] = (4,)
    decay: tuple[float, ...] = (1.0,)
    name: ClassVar[str] = "network"

    def made(self) -> Any:
        """Return it unfitted."""
        plain = MLPClassifier(
            (self.hidden[0],),
            alpha=self.decay[0],
            solver="lbfgs",
            max_iter=MOST_STEPS,
            random_state=0,
        )
        if len(self.hidden) == len(self.decay) == 1:
            return plain
        grid = {"hidden_layer_sizes": [(size,) for size in self.hidden], "alpha": [*self.decay]}
        return GridSearchCV(plain, grid, scoring="neg_log_loss", cv=3)


@dataclass(frozen=True)
class Quadratic:
    """Quadratic discriminant analysis; each class's covariance is drawn towards a ball."""

    regularised: float = 0.0
    name: ClassVar[str] = "QDA"

    def made(self) -> Any:
        """Return it unfitted."""
        return QuadraticDiscriminantAnalysis(reg_param=self.regularised, tol=ALMOST_NONE)


@dataclass(frozen=True)
class Linear:
    """Linear discriminant analysis."""

    name: ClassVar[str] = "LDA"

    def made(self) -> Any:
        """Return it unfitted."""
        return LinearDiscriminantAnalysis()


@dataclass(frozen=True)
class Nearest:
    """The share of positives among the nearest rows."""

    neighbours: int = 9
    name: ClassVar[str] = "nearest neighbours"

    def made(self) -> Any:
        """Return it unfitted."""
        return KNeighborsClassifier(self.neighbours)


Classifier = Network | Quadratic | Linear | Nearest


def fitted(model: Any, X: Any, y: Any) -> Any:
    """Fit a model; a network that ran out of steps is still the network that we compare."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, y)
