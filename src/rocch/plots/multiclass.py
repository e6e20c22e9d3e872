"""Pictures for many classes: parallel error rates and decision regions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from rocch.arrays import Features, FloatArray, IntArray, Label
from rocch.errors import Hint, InputError, format_count
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
    Display,
    Style,
    as_text,
    frame,
    halo,
    legend_below,
    look_of,
    new_axes,
    round_up,
    tint,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection, QuadMesh
    from matplotlib.contour import QuadContourSet
    from matplotlib.lines import Line2D
    from matplotlib.text import Text
    from sklearn.base import BaseEstimator

    from rocch.plots.style import GivenAxes
    from rocch.plots.surfaces import Chosen

# The most lines that stay distinct, and the most axes whose labels fit.
MOST_LINES, MOST_AXES = 300, 60
# The letters that fit side by side below the graph.
ROOM = 80
# The background of every other class's axes.
SHADE = "#F3F3F1"


@dataclass
class ParallelRatesDisplay(Display):
    """Parallel coordinates of the error rates or miss rates of a surface's members.

    Build it with `from_surface`.

    Attributes
    ----------
    surface
        The surface.
    objectives
        "rates": an axis for each error, truth -> prediction; "misses": an axis for each class.
    marks
        Places of members by name, drawn as thick lines.
    most
        The most thin lines, of members taken evenly by their errors.
    shown_
        The places of the members drawn as thin lines.
    figure_, ax_, lines_, mark_lines_, mark_labels_
        The artists; those of marks by label.

    Examples
    --------
    >>> import rocch
    >>> labels = rocch.multiclass.Confusion.from_labels
    >>> one, two = labels(list("aabbcc"), list("aabacb")), labels(list("aabbcc"), list("acbbcc"))
    >>> surface = rocch.multiclass.RocSurface.of({"one": one, "two": two})
    >>> display = rocch.plots.ParallelRatesDisplay.from_surface(surface)
    >>> [label.get_text() for label in display.ax_.get_xticklabels()][:2]
    ['a → b', 'a → c']
    """

    grid = False
    surface: RocSurface
    objectives: str
    marks: dict[str, int]
    most: int = MOST_LINES

    @classmethod
    def from_surface(
        cls,
        surface: RocSurface,
        *,
        objectives: str | None = None,
        marks: Mapping[str, Chosen] | None = None,
        most: int = MOST_LINES,
        ax: Axes | None = None,
    ) -> Self:
        """Draw a surface of any number of classes.

        `objectives` are by default those of the surface. `marks` maps names to results of the
        surface, members, or places; by default, to the fewest errors and the knee.
        """
        checked = as_surface(surface)
        what = as_objectives(objectives or checked.objectives)
        _check_readable(len(checked.classes), what)
        if marks is None:
            marks = {"fewest errors": checked.fewest_errors(), "knee": checked.knee()}
        places = as_places(checked, marks, "marks")
        lines = as_whole(most, "most", least=1)
        return cls(checked, what, places, lines).plot(ax)

    def _new_axes(self) -> list[Axes]:
        below = 0.075 * max(map(len, self._labels())) if self._upright else 0.0
        return new_axes(size=(max(7.2, 2.6 + 0.3 * self._rates.shape[1]), 4.2 + below))

    def _draw(self) -> None:
        self._frame_rates()
        self._draw_members()
        self._draw_marks()

    @property
    def _rates(self) -> FloatArray:
        return self.surface.rates if self.objectives == "rates" else self.surface.miss_rates

    @property
    def _top(self) -> float:
        return round_up(self._rates)

    def _frame_rates(self) -> None:
        axes, beside = self._rates.shape[1], 0.02 * self._top
        self.ax_.set(xlim=(-0.4, axes - 0.6), ylim=(-beside, self._top + beside), ylabel="rate")
        self.ax_.set_xticks(range(axes), self._labels(), fontsize=9)
        self.ax_.tick_params(axis="x", length=0, labelrotation=90 if self._upright else 0)
        frame(self.ax_, axis="x", without=("top", "right", "bottom"), color="#D8D8D8", lw=0.8)
        if self.objectives == "rates":  # separate the errors of one class from those of the next
            size = len(self.surface.classes) - 1
            for place in range(0, size + 1, 2):
                left = place * size - 0.5
                self.ax_.axvspan(left, left + size, color=SHADE, lw=0, zorder=0)

    def _labels(self) -> list[str]:
        if self.objectives == "misses":
            return [as_text(str(name), LONGEST_LABEL) for name in self.surface.classes]
        return [
            " → ".join(as_text(str(name), LONGEST_LABEL) for name in pair)
            for pair in self.surface.classes.pairs
        ]

    @property
    def _upright(self) -> bool:
        labels = self._labels()
        return len(labels) * (max(map(len, labels)) + 2) > ROOM

    def _draw_members(self) -> None:
        from matplotlib.collections import LineCollection

        rates = self._rates
        self.shown_: IntArray = even_sample(self.surface, self.most)
        x = np.arange(rates.shape[1])
        paths = [np.column_stack([x, row]) for row in rates[self.shown_]]
        alpha = float(np.clip(30 / len(paths), 0.12, 0.6))
        self.lines_ = LineCollection(paths, colors="#5A6B7B", linewidths=0.7, alpha=alpha, zorder=2)
        self.ax_.add_collection(self.lines_, autolim=False)
        shown, members = len(self.shown_), len(self.surface)
        every = format_count(members, "member")
        which = f"all {every}" if shown == members > 1 else f"{shown} of {every}"
        kind = {"rates": "Error rates, truth → prediction", "misses": "Miss rates by class"}
        self.ax_.set_title(f"{kind[self.objectives]}: {which}", fontsize=10, loc="left")

    def _draw_marks(self) -> None:
        self.mark_lines_: dict[str, Line2D] = {}
        self.mark_labels_: dict[str, Text] = {}
        chosen: dict[int, list[str]] = {}
        for name, place in self.marks.items():
            chosen.setdefault(place, []).append(as_text(name))
        last = self._rates.shape[1] - 1
        heights = _separate(self._rates[list(chosen), -1], self._top)
        for i, (place, labels) in enumerate(chosen.items()):
            names, look, rates = ", ".join(labels), look_of(i), self._rates[place]
            style: Style = {"color": look.color, "marker": look.marker}
            (self.mark_lines_[names],) = self.ax_.plot(
                rates, lw=2.4, ms=5, mec="white", mew=0.6, zorder=4 + i, **style
            )
            self.mark_labels_[names] = self.ax_.annotate(
                names,
                (last, float(rates[-1])),
                xytext=(last + 0.35 * max(1, last / 12), heights[i]),
                color=look.color,
                fontsize=9,
                va="center",
                annotation_clip=False,
                arrowprops={"arrowstyle": "-", "color": look.color, "lw": 0.6},
                path_effects=[halo()],
            )


def _check_readable(classes: int, objectives: str) -> None:
    axes = classes if objectives == "misses" else classes * (classes - 1)
    if axes > MOST_AXES:
        hint = Hint(
            "Pass objectives='misses'." if classes <= MOST_AXES else "Show a few classes only."
        )
        raise InputError("surface", f"have at most {MOST_AXES} rates to draw", axes, hint)


def _separate(heights: FloatArray, top: float) -> FloatArray:
    """Move labels so that none overlap."""
    room = 0.06 * top
    order = np.argsort(heights, kind="stable")
    placed = heights.copy()
    for before, after in pairwise(order):
        placed[after] = max(placed[after], placed[before] + room)
    ceiling = top
    for place in order[::-1]:
        placed[place] = min(placed[place], ceiling)
        ceiling = placed[place] - room
    return placed


# The most panels in a row.
WIDE = 3
# The letters that fit above a panel.
LONGEST_TITLE = 36


@dataclass
class DecisionRegionsDisplay(Display):
    r"""The predicted class over a plane of two features, a panel for each classifier.

    Build it with `from_classifiers` or `from_surface`.

    Attributes
    ----------
    plane, classes, truths
        The grid over the two features, the classes, and each row's true class.
    regions
        The predictions and errors of each panel's classifier.
    leads
        By how much each class is likelier than all others, or None if that is unknown.
    figure_, axes_, region_meshes_, row_marks_, boundary_lines_
        The figure, and the artists of each panel; those of rows by class.

    Examples
    --------
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

    panel = "panel"
    grid = False
    plane: Plane
    classes: Classes
    truths: IntArray
    regions: Sequence[DecisionRegions]
    leads: FloatArray | None = None

    @classmethod
    def from_classifiers(
        cls,
        X: Features,  # noqa: N803 - scikit-learn's name
        y: ArrayLike,
        classifiers: Mapping[str, BaseEstimator | Callable[[Features], ArrayLike]],
        *,
        classes: Sequence[Label] | None = None,
        probabilities: Callable[[Features], ArrayLike] | None = None,
        resolution: int = 200,
        ax: GivenAxes | None = None,
    ) -> Self:
        """Draw a panel for each classifier.

        Parameters
        ----------
        X, y
            Rows of two features, and their labels.
        classifiers
            A mapping of names to fitted classifiers, or to functions of rows to labels.
        classes
            The classes in order; by default the sorted labels of `y`.
        probabilities
            A function of rows to true class probabilities, to draw the best boundaries at equal
            costs.
        resolution
            The number of grid points in each direction.
        ax
            Axes to draw on, one for each panel.
        """
        named = Classes.of_labels(y, "y") if classes is None else Classes.of(classes)
        plane, truths, leads = _as_plane(X, y, named, resolution, probabilities)
        regions = regions_of_classifiers(plane, X, truths, classifiers, named)
        return cls(plane, named, truths, regions, leads).plot(ax)

    @classmethod
    def from_surface(
        cls,
        surface: RocSurface,
        model: Any,
        X: Features,  # noqa: N803 - scikit-learn's name
        y: ArrayLike,
        members: Mapping[str, Chosen],
        *,
        probabilities: Callable[[Features], ArrayLike] | None = None,
        resolution: int = 200,
        ax: GivenAxes | None = None,
    ) -> Self:
        """Draw a panel for each chosen member of a surface.

        Parameters
        ----------
        surface, model
            The surface, and the model that it was found with.
        members
            A mapping of names to results of the surface, members, or places.
        X, y, probabilities, resolution, ax
            As for `from_classifiers`.
        """
        named = as_surface(surface).classes
        plane, truths, leads = _as_plane(X, y, named, resolution, probabilities)
        regions = regions_of_members(plane, surface, model, members)
        return cls(plane, named, truths, regions, leads).plot(ax)

    def __post_init__(self) -> None:
        if len(self.classes) > len(COLORS):
            requirement = f"be at most {len(COLORS)}, one for each color"
            hint = "Show the rows of fewer classes."
            raise InputError("classes", requirement, len(self.classes), hint)

    @property
    def _panels(self) -> int:
        return len(self.regions)

    @property
    def _columns(self) -> int:
        return {1: 1, 2: 2, 4: 2}.get(self._panels, WIDE)

    def _new_axes(self) -> list[Axes]:
        columns = self._columns
        rows = -(-self._panels // columns)
        size = (0.8 + 3.2 * columns, 3.4 * rows)
        axes = new_axes(rows, columns, size=size, sharex=True, sharey=True)
        for spare in axes[self._panels :]:
            spare.remove()
        return axes[: self._panels]

    def _draw(self) -> None:
        self.region_meshes_: list[QuadMesh] = []
        self.row_marks_: list[dict[Label, PathCollection]] = []
        self.boundary_lines_: list[list[QuadContourSet]] = []
        for panel, regions in zip(self.axes_, self.regions, strict=True):
            self._draw_panel(panel, regions)

    def _draw_legend(self) -> None:
        if self._own_figure:
            self._label_outer()
            legend_below(self.figure_, self.axes_[0], columns=min(len(self.classes) + 1, 4))
        else:
            self.axes_[-1].legend(loc="best", fontsize=8, framealpha=0.9)

    def _label_outer(self) -> None:
        for i, ax in enumerate(self.axes_):
            lowest = i + self._columns >= self._panels
            if i % self._columns:
                ax.set_ylabel("")
            if not lowest:
                ax.set_xlabel("")
            ax.tick_params(labelbottom=lowest)

    def _draw_panel(self, ax: Axes, regions: DecisionRegions) -> None:
        self.region_meshes_.append(self._draw_regions(ax, regions))
        self.row_marks_.append(self._draw_rows(ax))
        self.boundary_lines_.append(self._draw_boundaries(ax))
        rows = "evaluation rows wrong" if regions.of_surface else "wrong"
        title = f"{as_text(regions.name, LONGEST_TITLE)}\n{regions.errors} of {regions.rows} {rows}"
        ax.set_title(title, fontsize=10)
        ax.set(xlabel=as_text(self.plane.names[0]), ylabel=as_text(self.plane.names[1]))

    def _draw_regions(self, ax: Axes, regions: DecisionRegions) -> QuadMesh:
        from matplotlib.colors import ListedColormap

        colors = [tint(COLORS[code]) for code in range(len(self.classes))]
        return ax.pcolormesh(
            self.plane.x,
            self.plane.y,
            regions.codes,
            cmap=ListedColormap(colors),
            vmin=-0.5,
            vmax=len(self.classes) - 0.5,
            shading="nearest",
            rasterized=True,  # thousands of cells make a vector file large
            zorder=0,
        )

    def _draw_rows(self, ax: Axes) -> dict[Label, PathCollection]:
        drawn = {}
        for code, name in enumerate(self.classes):
            look = look_of(code)
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
        if self.leads is None:
            return []
        style: Style = {"colors": HULL, "linewidths": 1.4, "zorder": 2}
        lines = [
            ax.contour(self.plane.x, self.plane.y, lead, levels=[0.0], **style)
            for lead in self.leads[:-1]
            if lead.min() < 0 < lead.max()
        ]
        ax.plot([], [], color=HULL, lw=1.4, label="best boundaries, equal costs")
        return lines


def _as_plane(
    X: Features,  # noqa: N803
    y: ArrayLike,
    classes: Classes,
    resolution: int,
    probabilities: Callable[[Features], ArrayLike] | None,
) -> tuple[Plane, IntArray, FloatArray | None]:
    """Return the plane, the code of each row's class, and the leads of each class."""
    plane = Plane.around(X, resolution=resolution)
    truths = classes.codes(y, "y")
    check_length(truths.size, len(plane.points), "y")
    return plane, truths, None if probabilities is None else plane.leads(probabilities, classes)
