"""What pictures of a surface show: fronts, distances, wrong answers and decision regions."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rocch.arrays import FloatArray, IntArray
from rocch.errors import InputError, UndefinedError, describe_type, format_count, format_list
from rocch.inputs import as_columns, as_scores, as_whole, check_length
from rocch.multiclass.classes import Classes, as_posteriors
from rocch.multiclass.members import answers_of
from rocch.multiclass.surface import RocSurface, as_places

# --- A few members of a surface that stand for all of it ------------------------------------------


def even_sample(surface: RocSurface, most: int) -> IntArray:
    """Pick at most so many members, evenly from the fewest errors to the most, in that order.

    No chance is involved: every so-manyth of the members sorted by errors is taken, with both
    ends, so that good and bad members are shown in their proportion.

    Examples
    --------
    >>> import rocch
    >>> from rocch.multiclass.views import even_sample
    >>> truth = ["a", "a", "a", "b", "b", "b"]
    >>> answers = {"1": "aaabaa", "2": "abbbbb", "3": "aabbba"}
    >>> surface = rocch.multiclass.RocSurface.of(
    ...     {
    ...         name: rocch.multiclass.Confusion.from_labels(truth, list(own))
    ...         for name, own in answers.items()
    ...     }
    ... )
    >>> even_sample(surface, 3), even_sample(surface, 1)
    (array([0, 1, 2]), array([0]))
    """
    order = np.argsort(surface.errors, kind="stable")
    if len(order) <= most:
        return order
    return order[np.linspace(0, len(order) - 1, most).round().astype(np.int64)]


# --- The members of a surface that no other beats in every class's misses -------------------------


def miss_front(surface: RocSurface) -> IntArray:
    """Return the places of the members on the miss-rate front, in order; of equals, the first.

    Members that trade off all rates need not lie on it: their misses are of different kinds. As
    printed, equation 13 keeps the dominated; meant are those that nobody dominates.

    Notes
    -----
    In lexicographic order the first of the remaining members is beaten by none of them. Taking
    it and dropping all that it dominates costs O(front x members x classes).

    Examples
    --------
    >>> import rocch
    >>> from rocch.multiclass import miss_front
    >>> truth = ["a", "a", "b", "b"]
    >>> surface = rocch.multiclass.RocSurface.of(
    ...     {
    ...         "one": rocch.multiclass.Confusion.from_labels(truth, ["a", "b", "b", "b"]),
    ...         "two": rocch.multiclass.Confusion.from_labels(truth, ["a", "a", "a", "b"]),
    ...     }
    ... )
    >>> miss_front(surface)
    array([0, 1])
    """
    misses, places = np.unique(surface.misses, axis=0, return_index=True)
    front = []
    while places.size:
        front.append(int(places[0]))
        beaten = (misses >= misses[0]).all(axis=1)
        misses, places = misses[~beaten], places[~beaten]
    return np.sort(np.array(front, dtype=np.int64))


# --- The wrong answer that each member of a surface gives most often ------------------------------


def most_common_wrong_answers(surface: RocSurface) -> IntArray:
    """Return for each member the place of the class that most of its errors are answered with.

    Of classes that are equally common, the first in order counts.

    Raises
    ------
    UndefinedError
        If a member makes no errors.

    Examples
    --------
    >>> import rocch
    >>> from rocch.multiclass.views import most_common_wrong_answers
    >>> truth = ["a", "a", "b", "b", "c", "c"]
    >>> one = rocch.multiclass.Confusion.from_labels(truth, ["a", "c", "b", "c", "c", "b"])
    >>> most_common_wrong_answers(rocch.multiclass.RocSurface.of({"one": one}))
    array([2])
    """
    if not surface.errors.all():
        raise UndefinedError(
            f"member {int(np.argmin(surface.errors))} makes no errors, so it has no most common "
            "one. It is the best for all costs: there is nothing to trade off."
        )
    into = surface.counts.sum(axis=1) - np.diagonal(surface.counts, axis1=1, axis2=2)
    answers: IntArray = into.argmax(axis=1)
    return answers


# --- How far the members of surfaces lie from random allocation, counted in bins ------------------


@dataclass(frozen=True, slots=True, eq=False)
class DistanceHistogram:
    """Members counted by their signed distance from random allocation; negative is better.

    Attributes
    ----------
    edges
        The bins' edges, 0 among them. A bin holds its upper edge and not its lower one, so that
        members exactly as good as random allocation do not count as beyond it.
    counts
        How many members of each surface lie in each bin (surfaces, bins).
    beyond, members
        How many members of each surface are worse than random allocation, and how many there are.
    perfect
        The distance of a classifier without errors.
    """

    edges: FloatArray
    counts: IntArray
    beyond: tuple[int, ...]
    members: tuple[int, ...]
    perfect: float

    @classmethod
    def of(cls, surfaces: Sequence[RocSurface], *, bins: int = 40) -> DistanceHistogram:
        """Count the members of surfaces in the same bins.

        Parameters
        ----------
        surfaces
            Surfaces of as many classes and with the same objectives, without which distances
            would not mean the same.
        bins
            The largest number of bins.

        Examples
        --------
        >>> import rocch
        >>> from rocch.multiclass.views import DistanceHistogram
        >>> truth = ["a", "a", "b", "b"]
        >>> one = rocch.multiclass.Confusion.from_labels(truth, ["a", "a", "a", "b"])
        >>> found = DistanceHistogram.of([rocch.multiclass.RocSurface.of({"one": one})], bins=5)
        >>> found.edges.round(1).tolist(), found.counts.tolist(), found.beyond
        ([-0.4, -0.3, -0.2, -0.1, 0.0], [[1, 0, 0, 0]], (0,))
        """
        _check_alike(surfaces)
        distances = [surface.distances for surface in surfaces]
        size = as_whole(bins, "bins", least=2, hint="40 show the shape of most.")
        width = _width(np.concatenate(distances), size)
        steps = [_steps(surface, width) for surface in surfaces]
        low = min(-1, *(int(own.min()) for own in steps))
        high = max(0, *(int(own.max()) + 1 for own in steps))
        return cls(
            np.arange(low, high + 1, dtype=np.float64) * width,
            np.stack([np.bincount(own - low, minlength=high - low) for own in steps]),
            tuple(int(np.count_nonzero(surface.beyond_random)) for surface in surfaces),
            tuple(len(surface) for surface in surfaces),
            _perfect(surfaces[0]),
        )


def _steps(surface: RocSurface, width: float) -> IntArray:
    """Return each member's bin, counted from 0 on; the side of 0 is decided without rounding."""
    steps = np.ceil(surface.distances / width).astype(np.int64) - 1
    beyond = surface.beyond_random
    return np.where(beyond, np.maximum(steps, 0), np.minimum(steps, -1))


def _perfect(surface: RocSurface) -> float:
    size = len(surface.classes)
    axes = size if surface.objectives == "misses" else size * (size - 1)
    return -(size - 1) / math.sqrt(axes)


def _width(distances: FloatArray, bins: int) -> float:
    low, high = min(float(distances.min()), 0.0), max(float(distances.max()), 0.0)
    # 0 is an edge, so each side may fill its last bin in part only: at most two bins more than the
    # range divided by the width. The half keeps the least distance off an edge.
    return (high - low) / (bins - 1.5) or 0.1


def _check_alike(surfaces: Sequence[RocSurface]) -> None:
    kinds = {(len(surface.classes), surface.objectives) for surface in surfaces}
    if len(kinds) > 1:
        raise InputError(
            "surfaces",
            "have equally many classes and the same objectives, or distances differ in meaning",
            " and ".join(f"{size} classes with {what}" for size, what in sorted(kinds)),
            "Draw them apart.",
        )


# --- What classifiers answer all over a plane of two features -------------------------------------

MARGIN = 0.08
"""How far the plane reaches beyond the rows, as a share of their range."""


@dataclass(frozen=True, slots=True, eq=False)
class Plane:
    """A grid over the two features of some rows.

    Attributes
    ----------
    names
        The names of the features.
    points
        The rows (n, 2).
    x, y
        Where the grid's columns and rows lie.
    grid
        All its places as rows of features, a data frame where the rows came as one.
    """

    names: tuple[str, str]
    points: FloatArray
    x: FloatArray
    y: FloatArray
    grid: Any

    @classmethod
    def around(cls, X: Any, *, resolution: int) -> Plane:
        """Lay a grid of so many places in each direction over the rows and a margin around them."""
        size = as_whole(resolution, "resolution", least=2, hint="200 is fine enough for most.")
        names, points = _two_features(X)
        x, y = (_ticks(column, size) for column in points.T)
        grid = np.stack([side.ravel() for side in np.meshgrid(x, y)], axis=1)
        return cls(names, points, x, y, _like(X, names, grid))

    def regions(self, answer: Callable[[Any], IntArray]) -> IntArray:
        """Return the place of the answered class, all over the grid (rows, columns)."""
        codes = answer(self.grid)
        return codes.reshape(self.y.size, self.x.size)

    def leads(self, posteriors: Callable[[Any], Any], classes: Classes) -> FloatArray:
        """Return by how much each class is likelier than all others (classes, rows, columns).

        Where a class's lead is 0 lies its boundary for equal costs.
        """
        if not callable(posteriors):
            raise InputError(
                "posteriors",
                "be a function of rows to true posteriors",
                describe_type(posteriors),
                "Leave it out where the truth is not known.",
            )
        shares = as_posteriors(
            posteriors(self.grid), classes, rows=self.x.size * self.y.size, argument="posteriors"
        )
        ranked = np.sort(shares, axis=1)
        rivals = np.where(shares == ranked[:, -1:], ranked[:, -2:-1], ranked[:, -1:])
        leads: FloatArray = (shares - rivals).T.reshape(len(classes), self.y.size, self.x.size)
        return leads


@dataclass(frozen=True, slots=True, eq=False)
class DecisionRegions:
    """What one classifier answers all over a plane, and how many rows it got wrong.

    Attributes
    ----------
    name
        What the classifier is called.
    codes
        The answered class's place over the grid (rows, columns).
    errors, rows
        How many of how many rows were answered wrongly.
    judged
        Whether those are the rows a surface was judged on; otherwise they are those shown.
    """

    name: str
    codes: IntArray
    errors: int
    rows: int
    judged: bool


def regions_of_classifiers(
    plane: Plane, X: Any, truths: IntArray, classifiers: Any, classes: Classes
) -> list[DecisionRegions]:
    """Ask named classifiers, each a fitted one or a function of rows to labels."""
    if not isinstance(classifiers, Mapping) or not classifiers:
        raise InputError(
            "classifiers",
            "map names to classifiers or their predict functions",
            describe_type(classifiers) if classifiers else "none",
            "For example: {'forest': forest.predict}.",
        )
    found = []
    for name, classifier in classifiers.items():
        answer = _coded(str(name), classifier, classes)
        wrong = int(np.count_nonzero(answer(X) != truths))
        found.append(DecisionRegions(str(name), plane.regions(answer), wrong, truths.size, False))
    return found


def regions_of_members(
    plane: Plane, surface: RocSurface, model: Any, members: Any
) -> list[DecisionRegions]:
    """Ask named members of a surface; their errors are those on the judged rows.

    A model may answer judged rows otherwise than new ones: k-nn leaves each row itself out.
    """
    places = as_places(surface, members, "members")
    if not places:
        raise InputError("members", "name a member", "none", "Pass surface.fewest_errors().")
    rows = int(surface.totals.sum())
    return [
        DecisionRegions(
            name,
            plane.regions(answers_of(surface, model, place)),
            int(surface.errors[place]),
            rows,
            True,
        )
        for name, place in places.items()
    ]


def _coded(name: str, classifier: Any, classes: Classes) -> Callable[[Any], IntArray]:
    """Return the classifier as a function to the classes' places, one for each row asked."""
    predict = getattr(classifier, "predict", classifier)
    if not callable(predict):
        raise InputError(
            f"classifiers[{name!r}]",
            "be a fitted classifier or a function of rows to labels",
            describe_type(classifier),
            "Pass model.predict.",
        )

    def answer(X: Any) -> IntArray:
        codes = classes.codes(predict(X), f"the answers of {name!r}")
        check_length(codes.size, len(X), f"the answers of {name!r}")
        return codes

    return answer


def _two_features(X: Any) -> tuple[tuple[str, str], FloatArray]:
    if hasattr(X, "columns"):
        columns = as_columns(X, argument="X")
    else:
        columns = dict(zip(("first feature", "second feature"), _array(X).T, strict=True))
    if len(columns) != 2:
        raise _not_two(f"{format_count(len(columns), 'column')}: {format_list(columns)}")
    rows = len(next(iter(columns.values())))
    points = np.stack([as_scores(column, rows, argument="X") for column in columns.values()], 1)
    if not np.isfinite(points).all():
        row = int(np.argwhere(~np.isfinite(points))[0, 0])
        raise InputError("X", "hold finite numbers", f"{points[row]} in row {row}", "Drop it.")
    first, second = columns
    return (first, second), points


def _array(X: Any) -> np.ndarray[Any, Any]:
    try:
        array = np.asarray(X)
    except ValueError:
        array = np.empty(0)
    if array.ndim != 2 or array.shape[1] != 2:
        raise _not_two(f"an array of shape {array.shape}" if array.size else describe_type(X))
    return array


def _not_two(got: str) -> Exception:
    return InputError(
        "X",
        "have exactly two features, because a plane has two sides",
        got,
        "Choose two columns and fit on them; for more see the pictures of the rates.",
    )


def _ticks(column: FloatArray, size: int) -> FloatArray:
    low, high = float(column.min()), float(column.max())
    beside = MARGIN * (high - low) or 0.5
    return np.linspace(low - beside, high + beside, size)


def _like(X: Any, names: tuple[str, str], grid: FloatArray) -> Any:
    """Return the grid as the kind of frame the rows came in: models remember columns' names."""
    if not hasattr(X, "columns"):
        return grid
    import narwhals as nw

    kind = nw.from_native(X, eager_only=True).implementation
    columns = dict(zip(names, grid.T, strict=True))
    return nw.from_dict(columns, backend=kind).to_native()
