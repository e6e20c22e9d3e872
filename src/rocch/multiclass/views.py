"""What classifiers answer all over a plane of two features."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.errors import bad_input, kind_of, quantity, shown
from rocch.inputs import as_columns, as_scores, as_whole, check_length
from rocch.multiclass.chosen import as_places
from rocch.multiclass.classes import as_posteriors
from rocch.multiclass.member_answers import answers_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocch.arrays import FloatArray, IntArray
    from rocch.multiclass.classes import Classes
    from rocch.multiclass.surface import RocSurface

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
        size = as_whole(resolution, "resolution", least=2, do="200 is fine enough for most.")
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
            raise bad_input(
                "posteriors",
                "be a function of rows to true posteriors",
                kind_of(posteriors),
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
        raise bad_input(
            "classifiers",
            "map names to classifiers or their predict functions",
            kind_of(classifiers) if classifiers else "none",
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
        raise bad_input("members", "name a member", "none", "Pass surface.fewest_errors().")
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
        raise bad_input(
            f"classifiers[{name!r}]",
            "be a fitted classifier or a function of rows to labels",
            kind_of(classifier),
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
        raise _not_two(f"{quantity(len(columns), 'column')}: {shown(columns)}")
    rows = len(next(iter(columns.values())))
    points = np.stack([as_scores(column, rows, argument="X") for column in columns.values()], 1)
    if not np.isfinite(points).all():
        row = int(np.argwhere(~np.isfinite(points))[0, 0])
        raise bad_input("X", "hold finite numbers", f"{points[row]} in row {row}", "Drop it.")
    first, second = columns
    return (first, second), points


def _array(X: Any) -> np.ndarray[Any, Any]:
    try:
        array = np.asarray(X)
    except ValueError:
        array = np.empty(0)
    if array.ndim != 2 or array.shape[1] != 2:
        raise _not_two(f"an array of shape {array.shape}" if array.size else kind_of(X))
    return array


def _not_two(came: str) -> Exception:
    return bad_input(
        "X",
        "have exactly two features, because a plane has two sides",
        came,
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
    import narwhals.stable.v1 as nw

    kind = nw.from_native(X, eager_only=True).implementation
    columns = dict(zip(names, grid.T, strict=True))
    return nw.from_dict(columns, backend=kind).to_native()
