"""Pictures for any number of classes: all error rates side by side, and decision regions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rocch.arrays import FloatArray, IntArray
from rocch.errors import InputError, format_count
from rocch.inputs import as_whole, check_length
from rocch.multiclass.classes import Classes
from rocch.multiclass.confusion import as_objectives
from rocch.multiclass.surface import RocSurface, as_places, as_surface
from rocch.multiclass.views import (
    DecisionRegions,
    Plane,
    even_sample,
    regions_of_classifiers,
    regions_of_members,
)
from rocch.plots.style import (
    COLORS,
    HULL,
    LONGEST_LABEL,
    MARKERS,
    as_axes,
    as_text,
    class_looks,
    halo,
    legend_below,
    new_axes,
    new_panels,
    tint,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import LineCollection, PathCollection, QuadMesh
    from matplotlib.contour import QuadContourSet
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.text import Text


# --- All error rates side by side, one line for each member: a surface of any number of classes ---

MOST_LINES = 300
"""So many lines can be told from a gray area."""

MOST_AXES = 60
"""So many axes can be named below the graph."""

ROOM = 80
"""So many letters have room side by side below the graph."""

SHADE = "#F3F3F1"
"""Every other class's axes stand on this shade."""


@dataclass
class ParallelRatesDisplay:
    """Parallel coordinates of the error rates, or of the miss rates, of a surface's members.

    Build it with `from_surface`; `plot` draws it again.

    Attributes
    ----------
    surface
        The surface.
    objectives
        "rates": an axis for each error, truth -> answer; "misses": an axis for each class.
    marks
        Chosen members by name, drawn as thick lines.
    most
        At most so many members are drawn as thin lines, taken evenly from the fewest errors
        to the most.
    figure_, ax_
        The figure and axes of the last drawing.
    shown_, lines_, mark_lines_, mark_labels_
        The places of the members drawn thinly, their artist, and the chosen members' lines and
        labels, by label.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import rocch
    >>> truth = ["a", "a", "b", "b", "c", "c"]
    >>> labels = rocch.multiclass.Confusion.from_labels
    >>> labels = rocch.multiclass.Confusion.from_labels
    >>> surface = rocch.multiclass.RocSurface.of(
    ...     {
    ...         "one": labels(truth, ["a", "a", "b", "a", "c", "b"]),
    ...         "two": labels(truth, ["a", "c", "b", "b", "c", "c"]),
    ...     }
    ... )
    >>> display = rocch.plots.ParallelRatesDisplay.from_surface(surface)
    >>> [label.get_text() for label in display.ax_.get_xticklabels()][:2]
    ['a → b', 'a → c']
    """

    surface: RocSurface
    objectives: str
    marks: dict[str, int]
    most: int = MOST_LINES
    figure_: Figure = field(init=False, repr=False)
    ax_: Axes = field(init=False, repr=False)

    @classmethod
    def from_surface(
        cls,
        surface: Any,
        *,
        objectives: str | None = None,
        marks: Any = None,
        most: int = MOST_LINES,
        ax: Axes | None = None,
    ) -> Self:
        """Draw a surface of any number of classes.

        Parameters
        ----------
        surface
            The surface.
        objectives
            "rates" or "misses"; by default what the surface trades off.
        marks
            Maps names to members to draw thickly: what the surface answered with, members, or
            places. By default the fewest errors and the knee.
        most
            How many members to draw thinly.
        ax
            Axes to draw on.
        """
        checked = as_surface(surface)
        what = as_objectives(objectives or checked.objectives)
        _check_readable(len(checked.classes), what)
        if marks is None:
            marks = {"fewest errors": checked.fewest_errors(), "knee": checked.knee()}
        places = as_places(checked, marks, "marks")
        lines = as_whole(most, "most", least=1, hint="Some hundred lines can be read.")
        return cls(checked, what, places, lines).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on the given axes, or on new ones."""
        axes = self._rates.shape[1]
        below = 0.075 * max(map(len, self._labels())) if self._upright else 0.0
        size = (max(7.2, 2.6 + 0.3 * axes), 4.2 + below)
        self.ax_ = new_axes(*size) if ax is None else ax
        self.figure_ = self.ax_.figure  # type: ignore[assignment]
        self._frame(axes)
        self._draw_members()
        self._draw_marks()
        return self

    @property
    def _rates(self) -> FloatArray:
        return self.surface.rates if self.objectives == "rates" else self.surface.miss_rates

    @property
    def _top(self) -> float:
        return math.ceil(20 * float(self._rates.max())) / 20 or 1.0

    def _frame(self, axes: int) -> None:
        beside = 0.02 * self._top
        self.ax_.set(xlim=(-0.4, axes - 0.6), ylim=(-beside, self._top + beside), ylabel="rate")
        self.ax_.set_xticks(range(axes), self._labels(), fontsize=9)
        self.ax_.tick_params(axis="x", length=0, labelrotation=90 if self._upright else 0)
        self.ax_.grid(axis="x", color="#D8D8D8", lw=0.8)
        self.ax_.set_axisbelow(True)
        for side in ("top", "right", "bottom"):
            self.ax_.spines[side].set_visible(False)
        if self.objectives == "rates":
            self._shade_truths()

    def _labels(self) -> list[str]:
        if self.objectives == "misses":
            return [as_text(str(name), LONGEST_LABEL) for name in self.surface.classes]
        return [
            " → ".join(as_text(str(name), LONGEST_LABEL) for name in pair)
            for pair in self.surface.classes.pairs
        ]

    @property
    def _upright(self) -> bool:
        """Whether the labels have no room side by side."""
        labels = self._labels()
        return len(labels) * (max(map(len, labels)) + 2) > ROOM

    def _shade_truths(self) -> None:
        """Set the errors of one class apart from those of the next."""
        size = len(self.surface.classes) - 1
        for place in range(0, size + 1, 2):
            left = place * size - 0.5
            self.ax_.axvspan(left, left + size, color=SHADE, lw=0, zorder=0)

    def _draw_members(self) -> None:
        from matplotlib.collections import LineCollection

        rates = self._rates
        self.shown_: IntArray = even_sample(self.surface, self.most)
        x = np.arange(rates.shape[1])
        paths = [np.column_stack([x, row]) for row in rates[self.shown_]]
        alpha = float(np.clip(30 / len(paths), 0.12, 0.6))
        self.lines_: LineCollection = LineCollection(
            paths, colors="#5A6B7B", linewidths=0.7, alpha=alpha, zorder=2
        )
        self.ax_.add_collection(self.lines_, autolim=False)
        shown, members = len(self.shown_), len(self.surface)
        every = format_count(members, "member")
        which = f"all {every}" if shown == members > 1 else f"{shown} of {every}"
        kind = {"rates": "Error rates, truth → answer", "misses": "Miss rates by class"}
        self.ax_.set_title(f"{kind[self.objectives]}: {which}", fontsize=10, loc="left")

    def _draw_marks(self) -> None:
        self.mark_lines_: dict[str, Line2D] = {}
        self.mark_labels_: dict[str, Text] = {}
        chosen = _joined(self.marks)
        last = self._rates.shape[1] - 1
        heights = _apart([float(self._rates[place, -1]) for place in chosen], self._top)
        for i, ((place, names), height) in enumerate(zip(chosen.items(), heights, strict=True)):
            color, rates = COLORS[i % len(COLORS)], self._rates[place]
            style: dict[str, Any] = {"color": color, "marker": MARKERS[i % len(MARKERS)]}
            (self.mark_lines_[names],) = self.ax_.plot(
                rates, lw=2.4, ms=5, mec="white", mew=0.6, zorder=4 + i, **style
            )
            text = self.ax_.annotate(
                names,
                (last, float(rates[-1])),
                xytext=(last + 0.35 * max(1, last / 12), height),
                color=color,
                fontsize=9,
                va="center",
                annotation_clip=False,
                arrowprops={"arrowstyle": "-", "color": color, "lw": 0.6},
            )
            text.set_path_effects([halo()])
            self.mark_labels_[names] = text


def _check_readable(classes: int, objectives: str) -> None:
    axes = classes if objectives == "misses" else classes * (classes - 1)
    if axes > MOST_AXES:
        hint = "Pass objectives='misses'." if classes <= MOST_AXES else "Show a few classes only."
        raise InputError(
            "surface", f"have at most {MOST_AXES} rates to be told apart", f"{axes}", hint
        )


def _joined(marks: dict[str, int]) -> dict[int, str]:
    """Return one label for each place, with all the names that it goes by."""
    names: dict[int, list[str]] = {}
    for name, place in marks.items():
        names.setdefault(place, []).append(as_text(name))
    return {place: ", ".join(own) for place, own in names.items()}


def _apart(heights: list[float], top: float) -> list[float]:
    """Move labels up, and down again below the top, until none covers another."""
    room = 0.06 * top
    order = np.argsort(heights, kind="stable")
    placed = np.array(heights, dtype=float)
    for before, after in pairwise(order):
        placed[after] = max(placed[after], placed[before] + room)
    ceiling = top
    for place in order[::-1]:
        placed[place] = min(placed[place], ceiling)
        ceiling = placed[place] - room
    return [float(height) for height in placed]


# --- Decision regions in a plane of two features (Everson and Fieldsend, Figures 2 to 4) ----------

WIDE = 3
"""So many panels stand beside one another; more go below."""


LONGEST_TITLE = 36
"""So many letters have room above a panel."""


@dataclass
class DecisionRegionsDisplay:
    r"""Panels of a plane, shaded by the class that is answered, with the rows on top.

    Build it with `from_classifiers` or `from_surface`; `plot` draws it again.

    Attributes
    ----------
    plane, classes, truths
        The grid over the two features with the rows, the classes, and each row's true class.
    regions
        What each panel's classifier answers, and how many rows it gets wrong.
    leads
        By how much each class is likelier than all others, or None where the truth is not known.
    figure_, axes_
        The figure and the axes of the last drawing, one for each panel.
    region_meshes_, row_marks_, boundary_lines_
        The artists of the last drawing, one list entry for each panel: the shading, the rows'
        symbols by class, and the boundaries.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import rocch
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LogisticRegression().fit(X[:, 2:], y)
    >>> display = rocch.plots.DecisionRegionsDisplay.from_classifiers(
    ...     X[:, 2:], y, {"logistic": model.predict}
    ... )
    >>> display.axes_[0].get_title()
    'logistic\n5 of 150 wrong'
    """

    plane: Plane
    classes: Classes
    truths: IntArray
    regions: Sequence[DecisionRegions]
    leads: FloatArray | None = None
    figure_: Figure = field(init=False, repr=False)
    axes_: list[Axes] = field(init=False, repr=False)

    @classmethod
    def from_classifiers(
        cls,
        X: Any,  # noqa: N803 - scikit-learn's name
        y: Any,
        classifiers: Any,
        *,
        classes: Any = None,
        probabilities: Any = None,
        resolution: int = 200,
        ax: Any = None,
    ) -> Self:
        """Draw one panel for each classifier.

        Parameters
        ----------
        X, y
            Rows of two features, and their labels.
        classifiers
            Maps the panels' names to fitted classifiers, or to functions of rows to labels.
        classes
            The classes in order; by default the labels of `y`, sorted.
        posteriors
            A function of rows to their true posteriors, where the truth is known: the best
            boundaries for equal costs are then drawn as lines.
        resolution
            How many places the grid has in each direction.
        ax
            Axes to draw on, as many as there are panels.
        """
        named = Classes.of_labels(y, "y") if classes is None else Classes.of(classes)
        plane, truths = _rows(X, y, named, resolution)
        regions = regions_of_classifiers(plane, X, truths, classifiers, named)
        return cls(plane, named, truths, regions, _leads(plane, probabilities, named)).plot(ax)

    @classmethod
    def from_surface(
        cls,
        surface: Any,
        model: Any,
        X: Any,  # noqa: N803 - scikit-learn's name
        y: Any,
        members: Any,
        *,
        probabilities: Any = None,
        resolution: int = 200,
        ax: Any = None,
    ) -> Self:
        """Draw one panel for each chosen member of a surface.

        Parameters
        ----------
        surface, model
            The surface, and the model that it was found with: its
            `posteriors_of(parameters, X)` gives the posteriors of new rows.
        X, y
            Rows of two features, and their labels.
        members
            Maps the panels' names to what the surface answered with, to members, or to places.
        posteriors, resolution, ax
            As for `from_classifiers`.
        """
        named = as_surface(surface).classes
        plane, truths = _rows(X, y, named, resolution)
        regions = regions_of_members(plane, surface, model, members)
        return cls(plane, named, truths, regions, _leads(plane, probabilities, named)).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw on the given axes, one for each panel, or on new ones."""
        if len(self.classes) > len(COLORS):
            raise InputError(
                "classes",
                f"be at most {len(COLORS)}, so that each has a color of its own",
                f"{len(self.classes)}",
                "Show the rows of fewer classes.",
            )
        number = len(self.regions)
        self.axes_ = _new_panels(number) if ax is None else as_axes(ax, number, "panel")
        self.figure_ = self.axes_[0].figure  # type: ignore[assignment]
        self.region_meshes_: list[QuadMesh] = []
        self.row_marks_: list[dict[Any, PathCollection]] = []
        self.boundary_lines_: list[list[QuadContourSet]] = []
        for panel, regions in zip(self.axes_, self.regions, strict=True):
            self._draw_panel(panel, regions)
        if ax is None:
            _label_outer(self.axes_, _columns(number))
            legend_below(self.figure_, self.axes_[0], columns=min(len(self.classes) + 1, 4))
        else:
            self.axes_[-1].legend(loc="best", fontsize=8, framealpha=0.9)
        return self

    def _draw_panel(self, ax: Axes, regions: DecisionRegions) -> None:
        self.region_meshes_.append(self._draw_regions(ax, regions))
        self.row_marks_.append(self._draw_rows(ax))
        self.boundary_lines_.append(self._draw_boundaries(ax))
        rows = "judged rows wrong" if regions.of_surface else "wrong"
        title = f"{as_text(regions.name, LONGEST_TITLE)}\n{regions.errors} of {regions.rows} {rows}"
        ax.set_title(title, fontsize=10)
        ax.set(xlabel=as_text(self.plane.names[0]), ylabel=as_text(self.plane.names[1]))

    def _draw_regions(self, ax: Axes, regions: DecisionRegions) -> QuadMesh:
        from matplotlib.colors import ListedColormap

        looks = class_looks(self.classes)
        return ax.pcolormesh(
            self.plane.x,
            self.plane.y,
            regions.codes,
            cmap=ListedColormap([tint(look.color) for look in looks]),
            vmin=-0.5,
            vmax=len(self.classes) - 0.5,
            shading="nearest",
            rasterized=True,  # thousands of cells would make a vector file heavy
            zorder=0,
        )

    def _draw_rows(self, ax: Axes) -> dict[Any, PathCollection]:
        drawn = {}
        for code, (name, look) in enumerate(
            zip(self.classes, class_looks(self.classes), strict=True)
        ):
            x, y = self.plane.points[self.truths == code].T
            drawn[name] = ax.scatter(
                x,
                y,
                s=20,
                marker=look.marker,
                color=look.color,
                edgecolor="white",
                linewidth=0.5,
                zorder=3,
                label=as_text(name if isinstance(name, str) else f"class {name}"),
            )
        return drawn

    def _draw_boundaries(self, ax: Axes) -> list[QuadContourSet]:
        """Draw where the leading classes are equally likely; the last class needs no line."""
        if self.leads is None:
            return []
        style: dict[str, Any] = {"colors": HULL, "linewidths": 1.4, "zorder": 2}
        lines = [
            ax.contour(self.plane.x, self.plane.y, lead, levels=[0.0], **style)
            for lead in self.leads[:-1]
            if lead.min() < 0 < lead.max()
        ]
        ax.plot([], [], color=HULL, lw=1.4, label="best boundaries, equal costs")
        return lines


def _rows(X: Any, y: Any, classes: Classes, resolution: int) -> tuple[Plane, IntArray]:  # noqa: N803
    plane = Plane.around(X, resolution=resolution)
    truths = classes.codes(y, "y")
    check_length(truths.size, len(plane.points), "y")
    return plane, truths


def _leads(plane: Plane, probabilities: Any, classes: Classes) -> FloatArray | None:
    return None if probabilities is None else plane.leads(probabilities, classes)


def _columns(panels: int) -> int:
    return {1: 1, 2: 2, 4: 2}.get(panels, WIDE)


def _label_outer(axes: list[Axes], columns: int) -> None:
    """Keep the features' names at the left and below the lowest panel of each column."""
    for i, ax in enumerate(axes):
        if i % columns:
            ax.set_ylabel("")
        if i + columns < len(axes):
            ax.set_xlabel("")
        ax.tick_params(labelbottom=i + columns >= len(axes))


def _new_panels(number: int) -> list[Axes]:
    columns = _columns(number)
    rows = -(-number // columns)
    axes = new_panels(rows, columns, width=0.8 + 3.2 * columns, height=3.4 * rows)
    for spare in axes[number:]:
        spare.remove()
    return axes[:number]
