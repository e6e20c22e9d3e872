"""Probabilistic nearest neighbours: two parameters, the number of neighbours and their strength.

Holmes and Adams (2002), eq. 11 in Everson and Fieldsend: the posterior of class j at x is
proportional to exp(beta * s_j), where s_j sums u(distance) over those of the k nearest rows of
the training data that belong to class j; the row itself is left out.

What the papers leave open is decided here. The kernel is tricube, u(d) = (1 - (d/h)^3)^3 / k. The
bandwidth h is the distance to the neighbour after the last, number k + 1: so the farthest of the k
still counts a little, and the kernel needs no scale of its own. The division by k makes beta mean
the same for every k; a constant kernel would give Holmes and Adams' own 1/k. Where all k + 1 are
equally far (duplicates of the row, say) nothing tells near from far, and u = 1/k. Equal distances
are taken in the order of the rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rocch.errors import bad_input
from rocch.inputs import as_flag, as_whole, check_length
from rocch.kernels.assignment import softmax
from rocch.multiclass.classes import Classes
from rocch.multiclass.features import as_features, feature_names
from rocch.multiclass.search.steps import as_vector, laplacian, reflected

if TYPE_CHECKING:
    from rocch.arrays import FloatArray, IntArray

MOST_NEIGHBOURS = 200
"""Tricube weights fall off early, so that many neighbours count for few: fronts grew up to here."""
STRONGEST = 100.0
"""The largest beta tried: one class has nearly all the probability then, whatever the costs."""
STEPS = np.array([4.0, 1.0])
"""The scales of the steps in k and beta; single steps in k would change next to nothing."""
BLOCK = 2**22
"""So many distances are held at a time."""


class Neighbours(NamedTuple):
    """The nearest training rows of each row, nearest first: one more than may count."""

    distances: FloatArray
    codes: IntArray


class KnnModel:
    """Nearest neighbours with the parameters `k` and `beta`, judged on their own training rows.

    Distances are Euclidean. Features should have comparable scales: scale them first, or say
    `scale=True`, which divides each by its standard deviation.

    Parameters
    ----------
    X, y
        The training rows, and their labels. Each row is judged by its neighbours, itself left out.
    most_neighbours
        The largest k; by default 200, or fewer where there are fewer rows to look at.
    scale
        Whether to divide the features by their standard deviations.

    Examples
    --------
    >>> import rocch
    >>> data = rocch.three_class_data(300, seed=1)
    >>> knn = rocch.KnnModel(data.X, data.y)
    >>> knn.posteriors([15, 20]).shape
    (300, 3)
    >>> knn.posteriors_of([15, 20], [[0.7, 0.3]]).round(2)
    array([[1., 0., 0.]])
    """

    parameter_names: tuple[str, ...] = ("k", "beta")

    def __init__(
        self, X: Any, y: Any, *, most_neighbours: int | None = None, scale: bool = False
    ) -> None:
        rows = as_features(X)
        self._names = feature_names(X)
        self.classes = Classes.of_labels(y, "y")
        self._codes = self.classes.codes(y, "y")
        check_length(self._codes.size, len(rows), "y")
        self.most_neighbours = _most(most_neighbours, len(rows))
        self._unit = _spread(rows) if as_flag(scale, "scale") else np.ones(rows.shape[1])
        self._rows = rows / self._unit
        self._judged = self._neighbours(self._rows, leave_out=True)
        self._sums: dict[int, FloatArray] = {}

    def start(self, number: int, rng: np.random.Generator) -> FloatArray:
        """Return random vectors: k uniform, beta uniform on a logarithmic scale from 1 on."""
        k = rng.integers(1, self.most_neighbours, number, endpoint=True)
        beta = STRONGEST ** rng.random(number)
        return np.stack((k.astype(np.float64), beta), axis=1)

    def perturb(self, parameters: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Take a Laplacian step in k, which stays whole, and one in beta."""
        low, high = np.array([0.5, 0.0]), np.array([self.most_neighbours + 0.5, STRONGEST])
        moved = reflected(laplacian(parameters, STEPS, rng), low, high)
        moved[0] = min(max(np.rint(moved[0]), 1), self.most_neighbours)
        return moved

    def posteriors(self, parameters: FloatArray) -> FloatArray:
        """Return the posteriors of the training rows, each judged by the others."""
        k, beta = self._read(parameters)
        if k not in self._sums:  # they depend on k alone, and few k are tried many times
            self._sums[k] = self._class_sums(self._judged, k)
        return softmax(beta * self._sums[k])

    def posteriors_of(self, parameters: FloatArray, X: Any) -> FloatArray:
        """Return the posteriors of new rows."""
        k, beta = self._read(parameters)
        rows = as_features(X, width=self._rows.shape[1], names=self._names) / self._unit
        return softmax(beta * self._class_sums(self._neighbours(rows, leave_out=False), k))

    def name_of(self, parameters: FloatArray) -> str:  # noqa: ARG002 - a model alone has one name
        """Return the model's name."""
        return "knn"

    def _read(self, parameters: FloatArray) -> tuple[int, float]:
        k, beta = as_vector(parameters, 2).tolist()
        if k not in range(1, self.most_neighbours + 1) or not 0 <= beta < np.inf:
            raise bad_input(
                "parameters",
                f"be a whole k from 1 to {self.most_neighbours} and a beta that is not negative",
                f"k = {k:g}, beta = {beta:g}",
                "Larger k need most_neighbours=.",
            )
        return int(k), beta

    def _neighbours(self, rows: FloatArray, *, leave_out: bool) -> Neighbours:
        step = max(1, BLOCK // len(self._rows))
        parts = [
            self._nearest(rows[first : first + step], first if leave_out else None)
            for first in range(0, len(rows), step)
        ]
        return Neighbours(*(np.concatenate(part) for part in zip(*parts, strict=True)))

    def _nearest(self, rows: FloatArray, first: int | None) -> Neighbours:
        squares = np.zeros((len(rows), len(self._rows)))
        for feature, known in zip(rows.T, self._rows.T, strict=True):
            squares += (feature[:, np.newaxis] - known) ** 2
        if first is not None:  # a training row is not its own neighbour
            place = np.arange(len(rows))
            squares[place, first + place] = np.inf
        order = np.argsort(squares, axis=1, kind="stable")[:, : self.most_neighbours + 1]
        return Neighbours(np.sqrt(np.take_along_axis(squares, order, axis=1)), self._codes[order])

    def _class_sums(self, near: Neighbours, k: int) -> FloatArray:
        weights = _tricube(near.distances[:, : k + 1])
        sums = np.zeros((len(weights), len(self.classes)))
        place = np.arange(len(weights))
        for neighbour in range(k):  # one after another, so that a row alone adds up alike
            sums[place, near.codes[:, neighbour]] += weights[:, neighbour]
        return sums


def _tricube(distances: FloatArray) -> FloatArray:
    """Return the weights of all neighbours but the last, whose distance is the bandwidth."""
    width = distances[:, -1:]
    flat = distances[:, :1] == width  # all equally far, perhaps at 0
    ratio = distances[:, :-1] / np.where(flat, 1.0, width)
    return np.asarray(np.where(flat, 1.0, (1 - ratio**3) ** 3) / (distances.shape[1] - 1))


def _most(most_neighbours: int | None, rows: int) -> int:
    if rows < 3:
        raise bad_input("X", "have at least 3 rows", rows, "Each needs two others.")
    if most_neighbours is None:
        return min(MOST_NEIGHBOURS, rows - 2)
    do = f"With {rows} rows at most {rows - 2} others can count, and one sets the bandwidth."
    most = as_whole(most_neighbours, "most_neighbours", least=1, do=do)
    if most > rows - 2:
        raise bad_input("most_neighbours", f"be at most {rows - 2}", most, do)
    return most


def _spread(rows: FloatArray) -> FloatArray:
    """Return the features' standard deviations; a constant one tells nothing and stays."""
    spread = rows.std(axis=0)
    return np.where(spread > 0, spread, 1.0)
