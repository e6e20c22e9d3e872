"""Parametric models for the search: probabilistic neighbors and a small network."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rocch.arrays import Features, FloatArray, IntArray
from rocch.errors import InputError
from rocch.inputs import as_flag, as_number, as_whole, check_length
from rocch.kernels.assignment import softmax
from rocch.multiclass.classes import Classes, as_features, feature_names
from rocch.multiclass.models import as_vector, laplacian_step, reflect


class _RowModel:
    """Training rows, standardized, on which a model is evaluated too."""

    _name: str

    def __init__(self, X: Features, y: ArrayLike, *, center: bool, scale: bool) -> None:
        rows, self._names = as_features(X), feature_names(X)
        self.classes = Classes.of_labels(y, "y")
        self._codes = self.classes.codes(y, "y")
        check_length(self._codes.size, len(rows), "y")
        spread = rows.std(axis=0) if scale else np.ones(rows.shape[1])
        self._unit = np.where(spread > 0, spread, 1.0)  # a constant feature keeps its scale
        self._center = rows.mean(axis=0) if center else np.zeros(rows.shape[1])
        self._rows = (rows - self._center) / self._unit

    def name_of(self, parameters: FloatArray) -> str:  # noqa: ARG002 - a model alone has one name
        """Return the model's name."""
        return self._name

    def _standardize(self, X: Features) -> FloatArray:
        """Return new rows in the training rows' units."""
        rows = as_features(X, width=self._unit.size, names=self._names)
        return np.asarray((rows - self._center) / self._unit)


# Probabilistic nearest neighbors (Holmes and Adams 2002, eq. 11 in Everson and Fieldsend): the
# probability of class j at x is proportional to exp(beta * s_j), where s_j sums u(distance) over
# those of the k nearest training rows that belong to class j; the row itself is left out.
#
# The papers leave the kernel open. Here it is tricube, u(d) = (1 - (d/h)^3)^3 / k, and the
# bandwidth h is the distance to neighbor k + 1, so the farthest of the k still counts a little. The
# division by k makes beta mean the same for every k, as Holmes and Adams' 1/k. Where all k + 1 are
# equally far (such as duplicates of the row), u = 1/k. Equal distances are taken in the order of
# the rows.

# Tricube weights fall off early, so fronts improve up to this many neighbors.
MOST_NEIGHBORS = 200
# The largest beta tried: one class then has nearly all the probability.
STRONGEST = 100.0
# The scales of the steps in k and beta; smaller ones in k would change next to nothing.
STEPS = np.array([4.0, 1.0])
# How many distances are held at a time.
BLOCK = 2**22


class KnnModel(_RowModel):
    """Probabilistic nearest neighbors, evaluated on their training rows.

    Parameters
    ----------
    X, y
        The training rows and labels. Features need comparable scales.
    most_neighbors
        The largest k; by default 200, or what the rows allow.
    scale
        Whether to divide the features by their standard deviations.

    Examples
    --------
    >>> import rocch
    >>> data = rocch.multiclass.three_class_data(300, seed=1)
    >>> knn = rocch.multiclass.KnnModel(data.X, data.y)
    >>> knn.probabilities([15, 20]).shape
    (300, 3)
    >>> knn.probabilities_of([15, 20], [[0.7, 0.3]]).round(2)
    array([[1., 0., 0.]])
    """

    parameter_names: tuple[str, ...] = ("k", "beta")
    _name = "knn"

    def __init__(
        self, X: Features, y: ArrayLike, *, most_neighbors: int | None = None, scale: bool = False
    ) -> None:
        super().__init__(X, y, center=False, scale=as_flag(scale, "scale"))
        rows = len(self._rows)
        if rows < 3:
            raise InputError("X", "have at least 3 rows", rows, "Each needs two others.")
        self.most_neighbors = min(MOST_NEIGHBORS, rows - 2)
        if most_neighbors is not None:
            hint = f"Of {rows} rows at most {rows - 2} can count, and one sets the bandwidth."
            self.most_neighbors = as_whole(
                most_neighbors, "most_neighbors", least=1, most=rows - 2, hint=hint
            )
        self._near = self._neighbors(self._rows, leave_out=True)
        self._sums: dict[int, FloatArray] = {}

    def start(self, number: int, rng: np.random.Generator) -> FloatArray:
        """Return random vectors: k uniform, beta log-uniform from 1 on."""
        k = rng.integers(1, self.most_neighbors, number, endpoint=True)
        beta = STRONGEST ** rng.random(number)
        return np.stack((k.astype(np.float64), beta), axis=1)

    def perturb(self, parameters: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Take a Laplacian step in k and beta."""
        low, high = np.array([0.5, 0.0]), np.array([self.most_neighbors + 0.5, STRONGEST])
        vector = reflect(laplacian_step(parameters, STEPS, rng), low, high)
        vector[0] = min(max(np.rint(vector[0]), 1), self.most_neighbors)
        return vector

    def probabilities(self, parameters: FloatArray) -> FloatArray:
        """Return the probabilities of the training rows, each by the others."""
        k, beta = self._read(parameters)
        if k not in self._sums:  # they depend on k alone, and few k are tried many times
            self._sums[k] = self._class_sums(*self._near, k)
        return softmax(beta * self._sums[k])

    def probabilities_of(self, parameters: FloatArray, X: Features) -> FloatArray:
        """Return the probabilities of new rows."""
        k, beta = self._read(parameters)
        near = self._neighbors(self._standardize(X), leave_out=False)
        return softmax(beta * self._class_sums(*near, k))

    def _read(self, parameters: FloatArray) -> tuple[int, float]:
        k, beta = as_vector(parameters, 2).tolist()
        if k not in range(1, self.most_neighbors + 1) or beta < 0:
            raise InputError(
                "parameters",
                f"be a whole k from 1 to {self.most_neighbors} and a beta that is not negative",
                f"k = {k:g}, beta = {beta:g}",
                "Larger k need {most_neighbors}.",
            )
        return int(k), beta

    def _neighbors(self, rows: FloatArray, *, leave_out: bool) -> tuple[FloatArray, IntArray]:
        step = max(1, BLOCK // len(self._rows))
        parts = [
            self._nearest(rows[first : first + step], first if leave_out else None)
            for first in range(0, len(rows), step)
        ]
        distances, codes = (np.concatenate(part) for part in zip(*parts, strict=True))
        return distances, codes

    def _nearest(self, rows: FloatArray, first: int | None) -> tuple[FloatArray, IntArray]:
        squares = np.zeros((len(rows), len(self._rows)))
        for feature, known in zip(rows.T, self._rows.T, strict=True):
            squares += (feature[:, np.newaxis] - known) ** 2
        if first is not None:  # a training row is not its own neighbor
            place = np.arange(len(rows))
            squares[place, first + place] = np.inf
        order = np.argsort(squares, axis=1, kind="stable")[:, : self.most_neighbors + 1]
        return np.sqrt(np.take_along_axis(squares, order, axis=1)), self._codes[order]

    def _class_sums(self, distances: FloatArray, codes: IntArray, k: int) -> FloatArray:
        weights = _tricube(distances[:, : k + 1])
        sums = np.zeros((len(weights), len(self.classes)))
        place = np.arange(len(weights))
        for neighbor in range(k):  # one after another, so that a row alone adds up alike
            sums[place, codes[:, neighbor]] += weights[:, neighbor]
        return sums


def _tricube(distances: FloatArray) -> FloatArray:
    width = distances[:, -1:]
    flat = distances[:, :1] == width  # all equally far, perhaps at 0
    ratio = distances[:, :-1] / np.where(flat, 1.0, width)
    return np.asarray(np.where(flat, 1.0, (1 - ratio**3) ** 3) / (distances.shape[1] - 1))


# A network with one hidden layer of tanh units, then a softmax (Everson and Fieldsend, section
# 4.3). It starts with one network fitted by a quasi-Newton method; the search then moves all its
# weights. Inputs are standardized.

# The scale of a step.
STEP = 0.1
# The fit adds DECAY / 2 times the sum of squared weights to the negative log-likelihood: without it
# the weights of separable classes would grow for ever.
DECAY = 1e-2
# Up to this many weights BFGS stores the full matrix of second derivatives, which takes fewer
# steps.
MOST_DENSE = 1000
# The largest number of quasi-Newton steps.
ROUNDS = 500


class MlpModel(_RowModel):
    """A network with one hidden layer, evaluated on its training rows as in the paper.

    Parameters
    ----------
    X, y
        The training rows and labels.
    hidden
        The number of hidden units.
    step
        The scale of the Laplacian step of each weight.
    restarts
        How many random networks are fitted; the most likely one is the start.

    Examples
    --------
    >>> import rocch
    >>> data = rocch.multiclass.three_class_data(300, seed=1)
    >>> len(rocch.multiclass.MlpModel(data.X, data.y).parameter_names)
    33
    """

    _name = "mlp"

    def __init__(
        self, X: Features, y: ArrayLike, *, hidden: int = 5, step: float = STEP, restarts: int = 5
    ) -> None:
        super().__init__(X, y, center=True, scale=True)
        self.hidden = as_whole(hidden, "hidden", least=1)
        self.restarts = as_whole(restarts, "restarts", least=1)
        self.step = as_number(step, "step", above=0)
        units = [f"h{j}" for j in range(self.hidden)]
        self.parameter_names: tuple[str, ...] = (
            *(f"x{i} to {unit}" for i in range(self._unit.size) for unit in units),
            *(f"bias of {unit}" for unit in units),
            *(f"{unit} to {name}" for unit in units for name in self.classes),
            *(f"bias of {name}" for name in self.classes),
        )

    def start(self, number: int, rng: np.random.Generator) -> FloatArray:  # noqa: ARG002
        """Return the most likely of a few fitted networks."""
        from scipy.optimize import minimize

        size = len(self.parameter_names)
        method = "BFGS" if size <= MOST_DENSE else "L-BFGS-B"
        options = {"maxiter": ROUNDS}
        fits = [
            minimize(
                self._loss, rng.standard_normal(size), jac=True, method=method, options=options
            )
            for _ in range(self.restarts)
        ]
        return np.asarray(min(fits, key=lambda fit: float(fit.fun)).x)[np.newaxis]

    def perturb(self, parameters: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Take a Laplacian step in every weight."""
        return laplacian_step(parameters, self.step, rng)

    def probabilities(self, parameters: FloatArray) -> FloatArray:
        """Return the probabilities of the training rows."""
        return self._forward(self._read(parameters), self._rows)[1]

    def probabilities_of(self, parameters: FloatArray, X: Features) -> FloatArray:
        """Return the probabilities of new rows."""
        return self._forward(self._read(parameters), self._standardize(X))[1]

    def _read(self, parameters: FloatArray) -> list[FloatArray]:
        inputs, hidden, classes = self._unit.size, self.hidden, len(self.classes)
        ends = np.cumsum([inputs * hidden, hidden, hidden * classes, classes])
        vector = as_vector(parameters, int(ends[-1]))
        first, bias, second, last = np.split(vector, ends[:-1])
        return [first.reshape(inputs, hidden), bias, second.reshape(hidden, classes), last]

    @staticmethod
    def _forward(weights: list[FloatArray], rows: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the hidden units and the probabilities."""
        hidden = np.tanh(_layer(rows, *weights[:2]))
        return hidden, softmax(_layer(hidden, *weights[2:]))

    def _loss(self, vector: FloatArray) -> tuple[float, FloatArray]:
        """Return the penalized negative log-likelihood and its gradient."""
        weights = self._read(vector)
        hidden, table = self._forward(weights, self._rows)
        place = np.arange(len(hidden))
        likely = np.maximum(table[place, self._codes], np.finfo(np.float64).tiny)
        error = table.copy()
        error[place, self._codes] -= 1
        back = (error @ weights[2].T) * (1 - hidden**2)
        slopes = (self._rows.T @ back, back.sum(axis=0), hidden.T @ error, error.sum(axis=0))
        gradient = np.concatenate([slope.ravel() for slope in slopes]) + DECAY * vector
        return float(-np.log(likely).sum() + DECAY / 2 * (vector @ vector)), gradient


def _layer(rows: FloatArray, weights: FloatArray, bias: FloatArray) -> FloatArray:
    """Add up weighted inputs in order, so that a row alone gives the same sum as in a batch."""
    total = np.tile(bias, (len(rows), 1))
    for column, weight in zip(rows.T, weights, strict=True):
        total += column[:, np.newaxis] * weight
    return total
