"""Data for pictures of a surface: fronts, distances, common errors and decision regions."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from rocch.arrays import Columns, Features, FloatArray, IntArray
from rocch.errors import Hint, InputError, UndefinedError
from rocch.inputs import as_columns, as_function, as_mapping, as_whole, check_length
from rocch.multiclass.archive import Archive
from rocch.multiclass.classes import Classes, as_features, as_probabilities
from rocch.multiclass.surface import Chosen, RocSurface, as_places

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


def even_sample(surface: RocSurface, most: int) -> IntArray:
    """Return the places of at most `most` members, evenly from the fewest errors to the most."""
    order = np.argsort(surface.errors, kind="stable")
    if len(order) <= most:
        return order
    return order[np.linspace(0, len(order) - 1, most).round().astype(np.int64)]


def miss_front(surface: RocSurface) -> IntArray:
    """Return the places of the members on the miss-rate front; of equals, the first.

    Members that trade off all rates need not lie on it.

    Examples
    --------
    >>> import rocch
    >>> from rocch.multiclass import miss_front
    >>> truth, labels = list("aabb"), rocch.multiclass.Confusion.from_labels
    >>> surface = rocch.multiclass.RocSurface.of(
    ...     {"one": labels(truth, list("abbb")), "two": labels(truth, list("aaab"))}
    ... )
    >>> miss_front(surface)
    array([0, 1])
    """
    # equation 13 as printed keeps the dominated; the non-dominated are meant
    return Archive(surface.totals).insert(surface.misses)


def most_common_wrong_predictions(surface: RocSurface) -> IntArray:
    """Return the class that most errors of each member are predicted as, by place."""
    if not surface.errors.all():
        raise UndefinedError(
            f"member {int(np.argmin(surface.errors))} makes no errors, so it has no most common "
            "one.",
            hint="It is the best for all costs: there is nothing to trade off.",
        )
    into = surface.counts.sum(axis=1) - np.diagonal(surface.counts, axis1=1, axis2=2)
    return np.asarray(into.argmax(axis=1))


@dataclass(frozen=True, slots=True, eq=False)
class DistanceHistogram:
    """Members by their signed distance from random allocation; negative is better.

    Counts are (surfaces, bins); bins include their upper edges. `perfect` is the distance of a
    classifier without errors.
    """

    edges: FloatArray
    counts: IntArray
    beyond: tuple[int, ...]
    members: tuple[int, ...]
    perfect: float

    @classmethod
    def of(cls, surfaces: Sequence[RocSurface], *, bins: int = 40) -> DistanceHistogram:
        """Count the members of comparable surfaces in the same bins, at most `bins`."""
        kinds = {(len(surface.classes), surface.objectives) for surface in surfaces}
        if len(kinds) > 1:
            raise InputError(
                "surfaces",
                "have equally many classes and the same objectives, or distances differ in meaning",
                " and ".join(f"{size} classes with {what}" for size, what in sorted(kinds)),
            )
        ((classes, _),) = kinds
        distances = np.concatenate([surface.distances for surface in surfaces])
        width = _bin_width(distances, as_whole(bins, "bins", least=2))
        steps = [_bin_numbers(surface, width) for surface in surfaces]
        low = min(-1, *(int(own.min()) for own in steps))
        high = max(0, *(int(own.max()) + 1 for own in steps))
        return cls(
            np.arange(low, high + 1, dtype=np.float64) * width,
            np.stack([np.bincount(own - low, minlength=high - low) for own in steps]),
            tuple(int(np.count_nonzero(surface.beyond_random)) for surface in surfaces),
            tuple(len(surface) for surface in surfaces),
            -(classes - 1) / math.sqrt(surfaces[0].objective_counts.shape[1]),
        )


def _bin_numbers(surface: RocSurface, width: float) -> IntArray:
    steps = np.ceil(surface.distances / width).astype(np.int64) - 1
    beyond = surface.beyond_random
    return np.where(beyond, np.maximum(steps, 0), np.minimum(steps, -1))


def _bin_width(distances: FloatArray, bins: int) -> float:
    low, high = min(float(distances.min()), 0.0), max(float(distances.max()), 0.0)
    # 0 is an edge, so there are at most two bins more than the range divided by the width; the half
    # keeps the least distance off an edge
    return (high - low) / (bins - 1.5) or 0.1


# How far the plane reaches beyond the rows, as a share of their range.
MARGIN = 0.08


@dataclass(frozen=True, slots=True, eq=False)
class Plane:
    """A grid over the two features of some rows."""

    names: tuple[str, str]
    points: FloatArray
    x: FloatArray
    y: FloatArray
    grid: Features

    @classmethod
    def around(cls, X: Features, *, resolution: int) -> Plane:
        """Return a grid of `resolution` points each way over the rows and a margin."""
        size = as_whole(resolution, "resolution", least=2)
        columns = as_columns(X, argument="X") if hasattr(X, "columns") else None
        points = as_features(np.column_stack(list(columns.values())) if columns else X, width=2)
        first, second = columns or ("first feature", "second feature")
        x, y = (_ticks(column, size) for column in points.T)
        grid = np.stack([side.ravel() for side in np.meshgrid(x, y)], axis=1)
        if columns is None:
            return cls((first, second), points, x, y, grid)
        import narwhals as nw

        # models remember column names, so the grid is the same kind of frame as the rows
        kind = nw.from_native(X, eager_only=True).implementation
        frame = nw.from_dict({first: grid[:, 0], second: grid[:, 1]}, backend=kind)
        return cls((first, second), points, x, y, frame.to_native())

    def regions(self, predict: Callable[[Features], IntArray]) -> IntArray:
        """Return the predicted class's place over the grid (rows, columns)."""
        return predict(self.grid).reshape(self.y.size, self.x.size)

    def leads(self, probabilities: Callable[[Features], Columns], classes: Classes) -> FloatArray:
        """Return each class's lead over all others (classes, rows, columns)."""
        as_function(probabilities, "probabilities", "rows")
        size = self.x.size * self.y.size
        shares = as_probabilities(
            probabilities(self.grid), classes, rows=size, argument="probabilities"
        )
        ranked = np.sort(shares, axis=1)
        rivals = np.where(shares == ranked[:, -1:], ranked[:, -2:-1], ranked[:, -1:])
        return np.asarray((shares - rivals).T.reshape(len(classes), self.y.size, self.x.size))


def _ticks(column: FloatArray, size: int) -> FloatArray:
    low, high = float(column.min()), float(column.max())
    beside = MARGIN * (high - low) or 0.5
    return np.linspace(low - beside, high + beside, size)


@dataclass(frozen=True, slots=True, eq=False)
class DecisionRegions:
    """A classifier's predictions over a plane, and its errors on some rows.

    `of_surface` means the evaluation rows of a surface.
    """

    name: str
    codes: IntArray
    errors: int
    rows: int
    of_surface: bool


# A fitted classifier, or a function of rows.
Predictor: TypeAlias = "BaseEstimator | Callable[[Features], Columns]"


def regions_of_classifiers(
    plane: Plane,
    X: Features,
    truths: IntArray,
    classifiers: Mapping[Any, Predictor],
    classes: Classes,
) -> list[DecisionRegions]:
    """Return the regions of named classifiers: fitted ones, or functions of rows."""
    hint = Hint("For example: {'forest': forest.predict}.")
    given = as_mapping(classifiers, "classifiers", "names to classifiers", hint=hint)
    found = []
    for name, classifier in given.items():
        predict = _predict_codes(str(name), classifier, classes)
        wrong = int(np.count_nonzero(predict(X) != truths))
        found.append(DecisionRegions(str(name), plane.regions(predict), wrong, truths.size, False))
    return found


def regions_of_members(
    plane: Plane, surface: RocSurface, model: object, members: Mapping[Any, Chosen]
) -> list[DecisionRegions]:
    """Return the regions of named members, with their errors on evaluation rows."""
    hint = Hint("For example: {'fewest errors': surface.fewest_errors()}.")
    given = as_mapping(members, "members", "names to members", hint=hint)
    places = as_places(surface, given, "members")
    rows = int(surface.totals.sum())
    return [
        DecisionRegions(
            name,
            plane.regions(surface.predictor(model, place)),
            int(surface.errors[place]),
            rows,
            True,
        )
        for name, place in places.items()
    ]


def _predict_codes(
    name: str, classifier: Predictor, classes: Classes
) -> Callable[[Features], IntArray]:
    own = getattr(classifier, "predict", classifier)
    hint = "Pass a fitted classifier, or its predict."
    given = as_function(own, f"classifiers[{name!r}]", "rows to labels", hint=hint)

    def predict(X: Features) -> IntArray:
        codes = classes.codes(given(X), f"the predictions of {name!r}")
        check_length(codes.size, len(X), f"the predictions of {name!r}")
        return codes

    return predict
