"""Pictures of ROC surfaces: error rates side by side, decision regions, and miss-rate space."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rocch.arrays import FloatArray, IntArray
from rocch.errors import InputError, format_count
from rocch.inputs import as_mapping, as_whole, check_length, is_number
from rocch.multiclass.classes import Classes
from rocch.multiclass.confusion import as_objectives
from rocch.multiclass.surface import RocSurface, as_places, as_surface
from rocch.multiclass.views import (
    DecisionRegions,
    DistanceHistogram,
    Plane,
    even_sample,
    miss_front,
    most_common_wrong_predictions,
    regions_of_classifiers,
    regions_of_members,
)
from rocch.plots.style import (
    CHOSEN,
    COLORS,
    DASHES,
    HULL,
    LONGEST_LABEL,
    MARKERS,
    REFERENCE,
    Display,
    as_text,
    frame,
    halo,
    legend_below,
    look_of,
    new_axes,
    tint,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection, QuadMesh
    from matplotlib.contour import QuadContourSet
    from matplotlib.lines import Line2D
    from matplotlib.text import Text

# Most lines that can be told from a gray area, and most axes that can be named below the graph.
MOST_LINES, MOST_AXES = 300, 60
# Letters that have room side by side below the graph.
ROOM = 80
# Every other class's axes stand on this shade.
SHADE = "#F3F3F1"


@dataclass
class ParallelRatesDisplay(Display):
    """Parallel coordinates of the error rates, or of the miss rates, of a surface's members.

    Build it with `from_surface`; `plot` draws it again.

    Attributes
    ----------
    surface
        The surface.
    objectives
        "rates": an axis for each error, truth -> prediction; "misses": an axis for each class.
    marks
        Chosen members by name, drawn as thick lines.
    most
        How many members are drawn as thin lines at most, taken evenly from the fewest errors to
        the most.
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
        surface: Any,
        *,
        objectives: str | None = None,
        marks: Any = None,
        most: int = MOST_LINES,
        ax: Axes | None = None,
    ) -> Self:
        """Draw a surface of any number of classes.

        By default `objectives` are what the surface trades off. `marks` maps names to results of
        the surface, members, or places; by default to the fewest errors and the knee.
        """
        checked = as_surface(surface)
        what = as_objectives(objectives or checked.objectives)
        _check_readable(len(checked.classes), what)
        if marks is None:
            marks = {"fewest errors": checked.fewest_errors(), "knee": checked.knee()}
        places = as_places(checked, marks, "marks")
        lines = as_whole(most, "most", least=1, hint="Some hundred lines can be read.")
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
        return _round_up(self._rates)

    def _frame_rates(self) -> None:
        axes, beside = self._rates.shape[1], 0.02 * self._top
        self.ax_.set(xlim=(-0.4, axes - 0.6), ylim=(-beside, self._top + beside), ylabel="rate")
        self.ax_.set_xticks(range(axes), self._labels(), fontsize=9)
        self.ax_.tick_params(axis="x", length=0, labelrotation=90 if self._upright else 0)
        self.ax_.grid(axis="x", color="#D8D8D8", lw=0.8)
        self.ax_.set_axisbelow(True)
        for side in ("top", "right", "bottom"):
            self.ax_.spines[side].set_visible(False)
        if self.objectives == "rates":  # set the errors of one class apart from those of the next
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
        """Whether the labels have no room side by side."""
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
        kind = {"rates": "Error rates, truth → answer", "misses": "Miss rates by class"}
        self.ax_.set_title(f"{kind[self.objectives]}: {which}", fontsize=10, loc="left")

    def _draw_marks(self) -> None:
        self.mark_lines_: dict[str, Line2D] = {}
        self.mark_labels_: dict[str, Text] = {}
        chosen = _label_places(self.marks)
        last = self._rates.shape[1] - 1
        heights = _separate([float(self._rates[place, -1]) for place in chosen], self._top)
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


def _label_places(marks: dict[str, int]) -> dict[int, str]:
    """Return one label for each place, with all the names that it goes by."""
    names: dict[int, list[str]] = {}
    for name, place in marks.items():
        names.setdefault(place, []).append(as_text(name))
    return {place: ", ".join(own) for place, own in names.items()}


def _separate(heights: list[float], top: float) -> list[float]:
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


def _round_up(rates: FloatArray) -> float:
    """Return where an axis of rates ends: the next twentieth."""
    return math.ceil(20 * float(rates.max())) / 20 or 1.0


# Most panels beside one another; more go below.
WIDE = 3
# Letters that have room above a panel.
LONGEST_TITLE = 36


@dataclass
class DecisionRegionsDisplay(Display):
    r"""Panels of a plane, shaded by the predicted class, with the rows on top.

    Build it with `from_classifiers` or `from_surface`; `plot` draws it again.

    Attributes
    ----------
    plane, classes, truths
        The grid over the two features with the rows, the classes, and each row's true class.
    regions
        What each panel's classifier predicts, and how many rows it gets wrong.
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
        probabilities
            A function of rows to their true class probabilities, where they are known: the best
            boundaries for equal costs are then drawn as lines.
        resolution
            How many places the grid has in each direction.
        ax
            Axes to draw on, as many as there are panels.
        """
        named = Classes.of_labels(y, "y") if classes is None else Classes.of(classes)
        plane, truths = _as_plane(X, y, named, resolution)
        regions = regions_of_classifiers(plane, X, truths, classifiers, named)
        leads = None if probabilities is None else plane.leads(probabilities, named)
        return cls(plane, named, truths, regions, leads).plot(ax)

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
            The surface, and the model that it was found with.
        X, y
            Rows of two features, and their labels.
        members
            Maps the panels' names to results of the surface, to members, or to places.
        probabilities, resolution, ax
            As for `from_classifiers`.
        """
        named = as_surface(surface).classes
        plane, truths = _as_plane(X, y, named, resolution)
        regions = regions_of_members(plane, surface, model, members)
        leads = None if probabilities is None else plane.leads(probabilities, named)
        return cls(plane, named, truths, regions, leads).plot(ax)

    def __post_init__(self) -> None:
        if len(self.classes) > len(COLORS):
            raise InputError(
                "classes",
                f"be at most {len(COLORS)}, so that each has its color",
                f"{len(self.classes)}",
                "Show the rows of fewer classes.",
            )

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
        self.row_marks_: list[dict[Any, PathCollection]] = []
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
        """Keep the features' names at the left and below the lowest panel of each column."""
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
        rows = "judged rows wrong" if regions.of_surface else "wrong"
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
            rasterized=True,  # thousands of cells would make a vector file heavy
            zorder=0,
        )

    def _draw_rows(self, ax: Axes) -> dict[Any, PathCollection]:
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


def _as_plane(X: Any, y: Any, classes: Classes, resolution: int) -> tuple[Plane, IntArray]:  # noqa: N803
    plane = Plane.around(X, resolution=resolution)
    truths = classes.codes(y, "y")
    check_length(truths.size, len(plane.points), "y")
    return plane, truths


# What the diagonal of the cube is seen along: two directions at right angles to it.
DIAGONAL = np.array([[1, 1], [-1, 1], [0, -2]]) / np.sqrt([2, 6])
# A side longer than this many times the median triangle's longest bridges a gap.
LONG = 3.0
# How much of the axes' room the cube takes up: more would cut off labels.
ZOOM = 0.85
# Names up to the first stand on the label's own line, up to the second whole on the next.
SHORT, LONGEST = 6, 16
# Elevation and azimuth from which the front's hollow side, with the knee, faces the reader.
VIEW = (24.0, 38.0)
# Those of the two views of a surface: both look into its hollow side.
VIEWS = ((24.0, 20.0), (24.0, 70.0))


def _new_3d_axes(number: int, size: tuple[float, float]) -> list[Any]:
    return new_axes(1, number, size=size, subplot_kw={"projection": "3d"})


def _as_views(views: Any, argument: str) -> tuple[tuple[float, float], ...]:
    """Return elevations and azimuths in degrees, at least one pair of them."""
    several = views if isinstance(views, tuple | list) else ()
    valid = [
        tuple(map(float, view))
        for view in several
        if isinstance(view, tuple | list) and len(view) == 2 and all(map(is_number, view))
    ]
    if not valid or len(valid) < len(several) or not np.isfinite(valid).all():
        hint = "For example: (24, 38), seen a little from above."
        raise InputError(argument, "be pairs of degrees, elevation and azimuth", repr(views), hint)
    return tuple((elevation, azimuth) for elevation, azimuth in valid)


def _check_3d(axes: list[Any]) -> list[Any]:
    if not all(hasattr(ax, "set_zlim") for ax in axes):
        raise InputError(
            "ax",
            "be three-dimensional",
            "flat axes",
            "Make them with figure.add_subplot(projection='3d'), or leave ax out.",
        )
    return axes


def _frame_3d(ax: Any, surface: RocSurface, view: tuple[float, float]) -> None:
    """Name the axes, seen from the given elevation and azimuth, and leave them light.

    All three reach from 0 to the same rate, so that lengths can be compared.
    """
    from matplotlib.ticker import MaxNLocator

    top = _round_up(surface.miss_rates)
    ax.set(xlim=(0, top), ylim=(0, top), zlim=(0, top))
    crowded = "upper", "upper", None  # two axes end in one corner, where their numbers would meet
    axes = (ax.xaxis, ax.yaxis, ax.zaxis)
    for axis, name, prune in zip(axes, surface.classes, crowded, strict=True):
        text = as_text(str(name), LONGEST)
        joint = " " if len(text) <= SHORT else "\n"  # long ones would leave the picture
        axis.set_label_text(f"miss rate of{joint}{text}", fontsize=9)
        axis.labelpad = 4 if joint == " " else 6
        axis.set_major_locator(MaxNLocator(4, prune=prune))
        axis.set_tick_params(labelsize=8, pad=0)
        axis.set_pane_color((0.975, 0.975, 0.975, 1.0))
        # matplotlib has no public way to color the grid of one of these axes
        axis._axinfo["grid"].update(color="#dddddd", linewidth=0.6)
    ax.computed_zorder = False  # marks stay on top of the points they mark
    ax.view_init(*view)
    ax.set_box_aspect((1, 1, 1), zoom=ZOOM)


def _draw_mark(ax: Any, point: FloatArray, label: str) -> Any:
    """Ring a member's point and write its name beside it; return the ring."""
    ring = ax.scatter(
        *([side] for side in point.tolist()),
        s=110,
        facecolor="none",
        edgecolor=CHOSEN,
        linewidth=1.8,
        zorder=10,
        **({"depthshade": False} if len(point) == 3 else {}),
    )
    text = ax.text(*point.tolist(), f"   {label}", color=CHOSEN, fontsize=9, zorder=11)
    text.set_path_effects([halo()])
    return ring


def triangulate(rates: FloatArray) -> IntArray:
    """Return the triangles between neighboring points, seen along the diagonal of the cube.

    No two points of a front lie behind one another in that direction. Triangles with a side much
    longer than most would bridge gaps, and are left out.
    """
    from matplotlib.tri import Triangulation

    flat = rates @ DIAGONAL
    if np.linalg.matrix_rank(flat - flat.mean(axis=0), tol=1e-9) < 2:
        return np.empty((0, 3), dtype=np.int64)
    triangles = Triangulation(*flat.T).triangles
    corners = flat[triangles]
    longest = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1)
    near: IntArray = triangles[longest <= LONG * np.median(longest)]
    return near


@dataclass
class MissFrontDisplay(Display):
    """The members that no other beats in every class's misses, colored by their errors.

    This is the trade-off of two or three classes in Everson and Fieldsend, Figure 5.

    Build it with `from_surface`; `plot` draws it again.

    Attributes
    ----------
    surface
        The surface, of which the members on the miss-rate front are shown.
    marks
        Chosen members by name.
    view
        Elevation and azimuth in degrees, from which three classes are seen.
    figure_, ax_
        The figure and axes of the last drawing; of three classes, the axes have depth.
    front_, points_, sheet_, marks_
        The places of the members shown, their artist, that of the sheet between them (three
        classes only, None where there is none), and the marks' rings by name.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import rocch
    >>> labels = rocch.multiclass.Confusion.from_labels
    >>> one, two = labels(list("aabbcc"), list("aabacb")), labels(list("aabbcc"), list("acbbcc"))
    >>> surface = rocch.multiclass.RocSurface.of({"one": one, "two": two})
    >>> display = rocch.plots.MissFrontDisplay.from_surface(surface)
    >>> display.ax_.get_zlabel()
    'miss rate of c'
    """

    grid = False
    surface: RocSurface
    marks: dict[str, int]
    view: tuple[float, float] = VIEW

    @classmethod
    def from_surface(
        cls,
        surface: Any,
        *,
        marks: Any = None,
        view: tuple[float, float] = VIEW,
        ax: Any = None,
    ) -> Self:
        """Draw the front of a surface of two or three classes.

        `marks` maps names to results of the surface, members, or places; by default to the knee,
        where the largest miss rate is least. For three classes `ax` has `projection="3d"`.
        """
        checked = as_surface(surface)
        _check_classes(len(checked.classes), least=2)
        chosen = {"knee": checked.knee()} if marks is None else marks
        (seen,) = _as_views([view], "view")
        return cls(checked, as_places(checked, chosen, "marks"), seen).plot(ax)

    @property
    def _flat(self) -> bool:
        return len(self.surface.classes) == 2

    def _new_axes(self) -> list[Any]:
        return new_axes(size=(6.4, 5.4)) if self._flat else _new_3d_axes(1, (7.2, 5.6))

    def _given_axes(self, ax: Any) -> list[Any]:
        return [ax] if self._flat else _check_3d([ax])

    def _draw(self) -> None:
        self.front_: IntArray = miss_front(self.surface)
        self.sheet_: Any = None
        if self._flat:
            self._draw_flat()
        else:
            self._draw_3d()
        shown, members = len(self.front_), len(self.surface)
        every = format_count(members, "member")
        which = every if shown == members else f"{shown} of {every}"
        self.ax_.set_title(f"Miss-rate front: {which}", fontsize=10)
        self._draw_colors()
        self.marks_ = {
            name: _draw_mark(self.ax_, self.surface.miss_rates[place], as_text(name))
            for name, place in self.marks.items()
        }

    @property
    def _rates(self) -> FloatArray:
        return self.surface.miss_rates[self.front_]

    def _draw_flat(self) -> None:
        frame(self.ax_)
        first, second = (as_text(str(name)) for name in self.surface.classes)
        self.ax_.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), aspect="equal")
        self.ax_.set(xlabel=f"miss rate of {first}", ylabel=f"miss rate of {second}")
        self.ax_.plot([0, 1], [1, 0], color=REFERENCE, lw=0.9, ls=DASHES, zorder=1)
        self.ax_.text(
            0.52, 0.5, "random", color=REFERENCE, fontsize=8, rotation=-45, ha="left", va="bottom"
        )
        self.points_ = self._scatter(s=22, zorder=3)

    def _draw_3d(self) -> None:
        _frame_3d(self.ax_, self.surface, self.view)
        self.sheet_ = self._draw_sheet()
        self.points_ = self._scatter(s=16, depthshade=False, zorder=2)
        for place in self.marks.values():
            x, y, z = self.surface.miss_rates[place].tolist()
            self.ax_.plot([x, x], [y, y], [0, z], color=REFERENCE, lw=1.0, zorder=3)

    def _draw_sheet(self) -> Any:
        """Join neighboring points by a faint sheet, which lets the eye see the depth."""
        corners = triangulate(self._rates)
        if not len(corners):
            return None
        return self.ax_.plot_trisurf(
            *self._rates.T,
            triangles=corners,
            color="#9AA7B4",
            alpha=0.22,
            edgecolor="#8795A3",
            linewidth=0.25,
            shade=False,
            zorder=1,
        )

    def _scatter(self, **style: Any) -> Any:
        return self.ax_.scatter(
            *self._rates.T,
            c=self.surface.errors[self.front_],
            cmap="viridis",
            edgecolor="#555555",
            linewidth=0.3,
            **style,
        )

    def _draw_colors(self) -> None:
        from matplotlib.ticker import MaxNLocator

        whole = MaxNLocator(6, integer=True)
        bar = self.figure_.colorbar(self.points_, ax=self.ax_, shrink=0.6, pad=0.09, ticks=whole)
        bar.set_label(f"errors among {int(self.surface.totals.sum())} rows", fontsize=9)
        bar.ax.tick_params(labelsize=8)
        bar.outline.set_visible(False)


def _check_classes(classes: int, *, least: int) -> None:
    """Refuse a number of classes whose miss rates cannot be seen in space."""
    if not least <= classes <= 3:
        hint = (
            "ParallelRatesDisplay shows any number of classes."
            if classes > 3
            else "MissFrontDisplay shows two classes in the plane."
        )
        wanted = "three" if least == 3 else "two or three"
        raise InputError("surface", f"have {wanted} classes to be seen in space", classes, hint)


@dataclass
class SurfaceDisplay(Display):
    """All members by their miss rates, colored by the class that most errors are taken for.

    This is the whole surface of three classes, as in Everson and Fieldsend, Figure 6.

    Build it with `from_surface`; `plot` draws it again.

    Attributes
    ----------
    surface
        The surface, of three classes; `MissFrontDisplay` shows the front of its miss rates alone.
    views
        Elevation and azimuth in degrees of each view.
    figure_, axes_
        The figure and the axes of the last drawing, one for each view.
    wrong_answers_, points_
        For each member the place of its most common wrong answer; the artist of each view.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import rocch
    >>> labels = rocch.multiclass.Confusion.from_labels
    >>> one, two = labels(list("aabbcc"), list("aabacb")), labels(list("aabbcc"), list("acbbcc"))
    >>> surface = rocch.multiclass.RocSurface.of({"one": one, "two": two})
    >>> display = rocch.plots.SurfaceDisplay.from_surface(surface)
    >>> display.wrong_answers_, len(display.axes_)
    (array([0, 2]), 2)
    """

    panel = "view"
    grid = False
    surface: RocSurface
    views: Sequence[tuple[float, float]] = VIEWS

    @classmethod
    def from_surface(
        cls, surface: Any, *, views: Sequence[tuple[float, float]] = VIEWS, ax: Any = None
    ) -> Self:
        """Draw a surface of three classes, on one `ax` with `projection="3d"` for each view."""
        checked = as_surface(surface)
        _check_classes(len(checked.classes), least=3)
        return cls(checked, _as_views(views, "views")).plot(ax)

    @property
    def _panels(self) -> int:
        return len(self.views)

    def _new_axes(self) -> list[Any]:
        return _new_3d_axes(self._panels, (5.0 * self._panels, 4.9))

    def _given_axes(self, ax: Any) -> list[Any]:
        return _check_3d(super()._given_axes(ax))

    def _draw(self) -> None:
        self.wrong_answers_: IntArray = most_common_wrong_predictions(self.surface)
        colors = np.array(COLORS)[self.wrong_answers_].tolist()
        self.points_ = []
        for ax, view in zip(self.axes_, self.views, strict=True):
            _frame_3d(ax, self.surface, view)
            points = ax.scatter(  # one artist, so that nearer points cover farther ones
                *self.surface.miss_rates.T,
                c=colors,
                s=10,
                edgecolor="white",
                linewidth=0.15,
                depthshade=False,
            )
            self.points_.append(points)

    def _draw_legend(self) -> None:
        from matplotlib.lines import Line2D

        counts = np.bincount(self.wrong_answers_, minlength=len(self.surface.classes))
        entries = [
            Line2D(
                [],
                [],
                ls="none",
                marker="o",
                ms=6,
                color=color,
                label=f"{as_text(str(name))}: {count}",
            )
            for name, count, color in zip(self.surface.classes, counts, COLORS, strict=False)
        ]
        title = f"most common wrong answer of {format_count(len(self.surface), 'member')}"
        style: dict[str, Any] = {"title": title, "fontsize": 9, "title_fontsize": 9}
        if self._own_figure:
            style |= {"loc": "outside upper center", "ncols": len(entries), "frameon": False}
            self.figure_.legend(handles=entries, **style)
        else:
            self.axes_[-1].legend(handles=entries, loc="upper left", **style)


@dataclass
class RandomDistanceDisplay(Display):
    """Histograms of the signed distance from random allocation, one below another.

    Compare Everson and Fieldsend, Figure 8.

    Build it with `from_surfaces`; `plot` draws it again.

    Attributes
    ----------
    names, histogram
        The surfaces' names, and their members counted in the same bins.
    figure_, axes_
        The figure and the axes of the last drawing, one for each surface.
    steps_, texts_
        The histograms' outlines, and what stands beside them.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import rocch
    >>> truth = ["a", "a", "b", "b"]
    >>> one = rocch.multiclass.Confusion.from_labels(truth, ["a", "a", "a", "b"])
    >>> surface = rocch.multiclass.RocSurface.of({"one": one})
    >>> display = rocch.plots.RandomDistanceDisplay.from_surfaces({"rules": surface})
    >>> display.histogram.beyond
    (0,)
    """

    panel = "surface"
    names: tuple[str, ...]
    histogram: DistanceHistogram

    @classmethod
    def from_surfaces(cls, surfaces: Any, *, bins: int = 40, ax: Any = None) -> Self:
        """Draw one surface, or several by name with the same bins.

        Surfaces have equally many classes and the same objectives. There are at most `bins`, and 0
        is always an edge between two.
        """
        named = _as_surfaces(surfaces)
        return cls(tuple(named), DistanceHistogram.of(list(named.values()), bins=bins)).plot(ax)

    @property
    def _panels(self) -> int:
        return len(self.names)

    def _new_axes(self) -> list[Axes]:
        return new_axes(self._panels, size=(7.2, 1.0 + 2.1 * self._panels), sharex=True)

    def _draw(self) -> None:
        self.steps_: list[Any] = []
        self.texts_: list[Any] = []
        for place, panel in enumerate(self.axes_):
            self._draw_histogram(panel, place)
        self.axes_[-1].set_xlabel("signed distance from random allocation (negative: better)")

    def _draw_histogram(self, ax: Axes, place: int) -> None:
        found, color = self.histogram, COLORS[place % len(COLORS)]
        counts = found.counts[place]
        self.steps_.append(
            ax.stairs(
                counts, found.edges, fill=True, fc=color, ec="white", lw=0.4, alpha=0.85, zorder=2
            )
        )
        ax.axvline(0, color=HULL, lw=1.2, zorder=3)
        ax.axvspan(0, 10, color=CHOSEN, alpha=0.06, lw=0, zorder=0)
        ax.axvline(found.perfect, color=REFERENCE, lw=1.0, ls=DASHES, zorder=1)
        beside = 0.03 * (max(found.edges[-1], 0) - found.perfect)
        ax.set_xlim(found.perfect - beside, max(found.edges[-1], 0) + 4 * beside)
        ax.set_ylim(0, 1.25 * counts.max())
        ax.set_ylabel("members")
        self.texts_.append(self._write(ax, place))

    def _write(self, ax: Axes, place: int) -> list[Any]:
        found = self.histogram
        beyond, members = found.beyond[place], found.members[place]
        worse = f"{beyond or 'none'} of {members} worse than random"
        style: dict[str, Any] = {
            "transform": ax.get_xaxis_transform(),
            "fontsize": 8.5,
            "va": "top",
        }
        return [
            ax.text(found.perfect, 0.98, " no errors", color=REFERENCE, ha="left", **style),
            ax.text(0, 0.98, f"{worse} ", color=HULL, ha="right", **style),
            ax.set_title(as_text(self.names[place]), fontsize=10, loc="left"),
        ]


def _as_surfaces(surfaces: Any) -> dict[str, RocSurface]:
    if isinstance(surfaces, RocSurface):
        return {"": surfaces}
    hint = "Pass one RocSurface, or for example {'k-nn': one, 'MLP': another}."
    named = as_mapping(surfaces, "surfaces", "names to RocSurface objects", hint=hint)
    return {
        str(name): as_surface(surface, f"surfaces[{name!r}]") for name, surface in named.items()
    }
