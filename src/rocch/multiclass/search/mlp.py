"""A small network with one hidden layer: tanh units, then a softmax over the classes.

Everson and Fieldsend, section 4.3. It begins with one network, fitted by a quasi-Newton method; the
search then moves all its weights. Inputs are standardised inside, so that weights of one size fit
all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rocch.errors import bad_input
from rocch.inputs import as_whole, check_length, is_number
from rocch.kernels.assignment import softmax
from rocch.multiclass.classes import Classes
from rocch.multiclass.features import as_features, feature_names
from rocch.multiclass.search.steps import as_vector, laplacian

if TYPE_CHECKING:
    from rocch.arrays import FloatArray

STEP = 0.1
DECAY = 1e-2
"""The fit adds DECAY / 2 times the sum of squared weights to the data's negative log-likelihood:
without it the weights of separable classes would grow for ever."""
MOST_DENSE = 1000
"""Up to so many weights the whole matrix of second derivatives is kept, which takes fewer steps."""
ROUNDS = 500
"""The fit takes at most so many quasi-Newton steps."""


class Weights(NamedTuple):
    """A parameter vector, taken apart."""

    into_hidden: FloatArray
    hidden_bias: FloatArray
    into_classes: FloatArray
    class_bias: FloatArray


class MlpModel:
    """A network with one hidden layer, whose weights and biases are the parameters.

    Parameters
    ----------
    X, y
        The training rows, on which it is also judged, and their labels.
    hidden
        The number of hidden units.
    step
        The scale of the Laplacian step that each weight takes when the search moves it.
    restarts
        How many random networks are fitted; the one with the greatest penalised likelihood is
        the start (half of 0.01 times the sum of squared weights is added to the loss).

    Notes
    -----
    The network is judged on the rows that it was fitted to, as in the paper. What holds on new rows
    has to be checked on new rows.

    Examples
    --------
    >>> import rocch
    >>> data = rocch.three_class_data(300, seed=1)
    >>> len(rocch.MlpModel(data.X, data.y).parameter_names)
    33
    """

    def __init__(
        self, X: Any, y: Any, *, hidden: int = 5, step: float = STEP, restarts: int = 5
    ) -> None:
        rows = as_features(X)
        self._names = feature_names(X)
        self.classes = Classes.of_labels(y, "y")
        self._codes = self.classes.codes(y, "y")
        check_length(self._codes.size, len(rows), "y")
        self.hidden = as_whole(hidden, "hidden", least=1, do="Pass 5, for example.")
        self.restarts = as_whole(restarts, "restarts", least=1, do="Pass 5, for example.")
        self.step = _as_step(step)
        spread = rows.std(axis=0)
        self._centre = rows.mean(axis=0)
        self._unit = np.where(spread > 0, spread, 1.0)  # a constant feature becomes 0
        self._rows = (rows - self._centre) / self._unit
        self.parameter_names = _names(rows.shape[1], self.hidden, self.classes)

    def start(self, number: int, rng: np.random.Generator) -> FloatArray:  # noqa: ARG002
        """Return one network: the most likely of a few that were fitted from random weights."""
        size = len(self.parameter_names)
        fits = [self._fit(rng.standard_normal(size)) for _ in range(self.restarts)]
        return np.asarray(min(fits, key=lambda fit: float(fit.fun)).x)[np.newaxis]

    def perturb(self, parameters: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Take a Laplacian step in every weight."""
        return laplacian(parameters, self.step, rng)

    def posteriors(self, parameters: FloatArray) -> FloatArray:
        """Return the posteriors of the training rows."""
        return self._forward(self._read(parameters), self._rows)[1]

    def posteriors_of(self, parameters: FloatArray, X: Any) -> FloatArray:
        """Return the posteriors of new rows."""
        rows = (
            as_features(X, width=self._unit.size, names=self._names) - self._centre
        ) / self._unit
        return self._forward(self._read(parameters), rows)[1]

    def name_of(self, parameters: FloatArray) -> str:  # noqa: ARG002 - a model alone has one name
        """Return the model's name."""
        return "mlp"

    def _read(self, parameters: FloatArray) -> Weights:
        inputs, hidden, classes = self._unit.size, self.hidden, len(self.classes)
        ends = np.cumsum([inputs * hidden, hidden, hidden * classes, classes])
        vector = as_vector(parameters, int(ends[-1]))
        first, bias, second, last = np.split(vector, ends[:-1])
        return Weights(first.reshape(inputs, hidden), bias, second.reshape(hidden, classes), last)

    def _forward(self, weights: Weights, rows: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return what the hidden units say, and the posteriors."""
        said = np.tanh(_layer(rows, weights.into_hidden, weights.hidden_bias))
        return said, softmax(_layer(said, weights.into_classes, weights.class_bias))

    def _fit(self, vector: FloatArray) -> Any:
        from scipy.optimize import minimize

        method = "BFGS" if vector.size <= MOST_DENSE else "L-BFGS-B"
        return minimize(self._loss, vector, jac=True, method=method, options={"maxiter": ROUNDS})

    def _loss(self, vector: FloatArray) -> tuple[float, FloatArray]:
        """Return the penalised negative log-likelihood and its gradient (back-propagation)."""
        weights = self._read(vector)
        said, posteriors = self._forward(weights, self._rows)
        place = np.arange(len(said))
        likely = np.maximum(posteriors[place, self._codes], np.finfo(np.float64).tiny)
        error = posteriors.copy()
        error[place, self._codes] -= 1
        back = (error @ weights.into_classes.T) * (1 - said**2)
        slopes = (self._rows.T @ back, back.sum(axis=0), said.T @ error, error.sum(axis=0))
        gradient = np.concatenate([slope.ravel() for slope in slopes]) + DECAY * vector
        return float(-np.log(likely).sum() + DECAY / 2 * (vector @ vector)), gradient


def _layer(rows: FloatArray, weights: FloatArray, bias: FloatArray) -> FloatArray:
    """Add up weighted inputs one after another, so that a row alone adds up as in a batch."""
    total = np.tile(bias, (len(rows), 1))
    for column, weight in zip(rows.T, weights, strict=True):
        total += column[:, np.newaxis] * weight
    return total


def _names(inputs: int, hidden: int, classes: Classes) -> tuple[str, ...]:
    into_hidden = [f"x{i} to h{j}" for i in range(inputs) for j in range(hidden)]
    into_classes = [f"h{j} to {name}" for j in range(hidden) for name in classes]
    hidden_biases = [f"bias of h{j}" for j in range(hidden)]
    class_biases = [f"bias of {name}" for name in classes]
    return (*into_hidden, *hidden_biases, *into_classes, *class_biases)


def _as_step(step: Any) -> float:
    if not is_number(step) or not 0 < step < np.inf:
        raise bad_input("step", "be a finite number above 0", repr(step), "Pass 0.1, for example.")
    return float(step)
