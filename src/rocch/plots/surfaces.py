"""Pictures of ROC surfaces in miss-rate space, and of their distance from random allocation."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rocch.arrays import FloatArray, IntArray
from rocch.errors import InputError, describe_type, format_count, missing_extra
from rocch.inputs import is_number
from rocch.multiclass.surface import RocSurface, as_places, as_surface
from rocch.multiclass.views import DistanceHistogram, miss_front, most_common_wrong_predictions
from rocch.plots.style import (
    COLORS,
    DASHES,
    HULL,
    REFERENCE,
    as_axes,
    as_text,
    class_looks,
    frame,
    halo,
    new_axes,
    new_panels,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.patches import StepPatch


# --- The space of the miss rates of two or three classes: its axes, and members marked in it ------

MARK = "#B00020"
"""The color of a chosen member's mark, as of an operating point on a hull."""

DIAGONAL = np.array([[1, 1], [-1, 1], [0, -2]]) / np.sqrt([2, 6])
"""What the diagonal of the cube is seen along: two directions at right angles to it."""

LONG = 3.0
"""A side so many times as long as the median triangle's longest bridges a gap."""

ZOOM = 0.85
"""How much of the axes' room the cube takes up: more would cut off labels."""
SHORT, LONGEST = 6, 16
"""Names up to the first stand on the label's own line, up to the second whole on the next."""


def new_solid_axes(number: int, *, width: float, height: float) -> tuple[Figure, list[Any]]:
    """Return a figure with so many three-dimensional axes beside one another."""
    try:
        from matplotlib import pyplot
    except ImportError:
        raise missing_extra("plot", "Drawing") from None
    figure = pyplot.figure(figsize=(width, height), layout="constrained")
    return figure, [
        figure.add_subplot(1, number, place + 1, projection="3d") for place in range(number)
    ]


def as_views(views: Any, argument: str) -> tuple[tuple[float, float], ...]:
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


def check_solid(axes: Sequence[Any]) -> None:
    """Refuse axes that have no depth."""
    if not all(hasattr(ax, "set_zlim") for ax in axes):
        raise InputError(
            "ax",
            "be three-dimensional",
            "flat axes",
            "Make them with figure.add_subplot(projection='3d'), or leave ax out.",
        )


def frame_solid(ax: Any, surface: RocSurface, view: tuple[float, float]) -> None:
    """Name the axes, seen from the given elevation and azimuth, and leave them light.

    All three reach from 0 to the same rate, so that lengths can be compared.
    """
    from matplotlib.ticker import MaxNLocator

    top = math.ceil(20 * surface.miss_rates.max()) / 20 or 1.0
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


def mark(ax: Any, point: FloatArray, label: str) -> tuple[Any, Any]:
    """Ring a member's point and write its name beside it; return the ring and the text."""
    ring = ax.scatter(
        *([side] for side in point.tolist()),
        s=110,
        facecolor="none",
        edgecolor=MARK,
        linewidth=1.8,
        zorder=10,
        **({"depthshade": False} if len(point) == 3 else {}),
    )
    text = ax.text(*point.tolist(), f"   {label}", color=MARK, fontsize=9, zorder=11)
    text.set_path_effects([halo()])
    return ring, text


def sheet(rates: FloatArray) -> IntArray:
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


# --------------------------------------------------------------------------------------------------
# The trade-off between the miss rates of two or three classes (Everson and Fieldsend, Fig. 5).

VIEW = (24.0, 38.0)
"""Elevation and azimuth from which the front's hollow side, with the knee, faces the reader."""


@dataclass
class MissFrontDisplay:
    """The members that no other beats in every class's misses, colored by their errors.

    Build it with `from_surface`; `plot` draws it again.

    Attributes
    ----------
    surface
        The surface. Of one that trades off all rates, only the members on the miss-rate front are
        shown (see `SurfaceDisplay` for all).
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
    >>> truth = ["a", "a", "b", "b", "c", "c"]
    >>> labels = rocch.multiclass.Confusion.from_labels
    >>> labels = rocch.multiclass.Confusion.from_labels
    >>> surface = rocch.multiclass.RocSurface.of(
    ...     {
    ...         "one": labels(truth, ["a", "a", "b", "a", "c", "b"]),
    ...         "two": labels(truth, ["a", "c", "b", "b", "c", "c"]),
    ...     }
    ... )
    >>> display = rocch.plots.MissFrontDisplay.from_surface(surface)
    >>> display.ax_.get_zlabel()
    'miss rate of c'
    """

    surface: RocSurface
    marks: dict[str, int]
    view: tuple[float, float] = VIEW
    figure_: Figure = field(init=False, repr=False)
    ax_: Any = field(init=False, repr=False)

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

        Parameters
        ----------
        surface
            The surface.
        marks
            Maps names to members to mark: what the surface answered with, members, or places. By
            default the knee, where the largest miss rate is least.
        view
            Elevation and azimuth in degrees.
        ax
            Axes to draw on, with `projection="3d"` for three classes.
        """
        checked = as_surface(surface)
        check_size(len(checked.classes), least=2)
        chosen = {"knee": checked.knee()} if marks is None else marks
        (seen,) = as_views([view], "view")
        return cls(checked, as_places(checked, chosen, "marks"), seen).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw on the given axes, or on new ones."""
        self.front_: IntArray = miss_front(self.surface)
        self.sheet_: Any = None
        if len(self.surface.classes) == 2:
            self._plot_flat(ax)
        else:
            self._plot_solid(ax)
        self.ax_.set_title(self._title(), fontsize=10)
        self._draw_colors()
        self.marks_ = {
            name: mark(self.ax_, self.surface.miss_rates[place], as_text(name))[0]
            for name, place in self.marks.items()
        }
        return self

    @property
    def _rates(self) -> FloatArray:
        return self.surface.miss_rates[self.front_]

    def _plot_flat(self, ax: Any) -> None:
        self.ax_ = new_axes(6.4, 5.4) if ax is None else ax
        self.figure_ = self.ax_.figure
        frame(self.ax_)
        first, second = (as_text(str(name)) for name in self.surface.classes)
        self.ax_.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), aspect="equal")
        self.ax_.set(xlabel=f"miss rate of {first}", ylabel=f"miss rate of {second}")
        self.ax_.plot([0, 1], [1, 0], color=REFERENCE, lw=0.9, ls=DASHES, zorder=1)
        self.ax_.text(
            0.52, 0.5, "random", color=REFERENCE, fontsize=8, rotation=-45, ha="left", va="bottom"
        )
        self.points_ = self._scatter(s=22, zorder=3)

    def _plot_solid(self, ax: Any) -> None:
        if ax is None:
            self.figure_, (self.ax_,) = new_solid_axes(1, width=7.2, height=5.6)
        else:
            check_solid([ax])
            self.ax_, self.figure_ = ax, ax.figure
        frame_solid(self.ax_, self.surface, self.view)
        self.sheet_ = self._draw_sheet()
        self.points_ = self._scatter(s=16, depthshade=False, zorder=2)
        for place in self.marks.values():
            x, y, z = self.surface.miss_rates[place].tolist()
            self.ax_.plot([x, x], [y, y], [0, z], color=REFERENCE, lw=1.0, zorder=3)

    def _draw_sheet(self) -> Any:
        """Join neighboring points by a faint sheet, which lets the eye see the depth."""
        corners = sheet(self._rates)
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

    def _title(self) -> str:
        shown, members = len(self.front_), len(self.surface)
        every = format_count(members, "member")
        which = every if shown == members else f"{shown} of {every}"
        return f"Miss-rate front: {which}"


def check_size(classes: int, *, least: int) -> None:
    """Refuse a number of classes whose miss rates cannot be seen in space."""
    if not least <= classes <= 3:
        hint = (
            "ParallelRatesDisplay shows any number of classes."
            if classes > 3
            else "MissFrontDisplay shows two classes in the plane."
        )
        wanted = "three" if least == 3 else "two or three"
        raise InputError("surface", f"have {wanted} classes to be seen in space", classes, hint)


# --------------------------------------------------------------------------------------------------
# The whole surface of three classes, seen in miss-rate space (Everson and Fieldsend, Figure 6).

VIEWS = ((24.0, 20.0), (24.0, 70.0))
"""Elevations and azimuths of the two views: both look into the surface's hollow side."""


@dataclass
class SurfaceDisplay:
    """All members by their miss rates, colored by the class that most errors are answered with.

    Build it with `from_surface`; `plot` draws it again.

    Attributes
    ----------
    surface
        The surface, of three classes.
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
    >>> truth = ["a", "a", "b", "b", "c", "c"]
    >>> labels = rocch.multiclass.Confusion.from_labels
    >>> labels = rocch.multiclass.Confusion.from_labels
    >>> surface = rocch.multiclass.RocSurface.of(
    ...     {
    ...         "one": labels(truth, ["a", "a", "b", "a", "c", "b"]),
    ...         "two": labels(truth, ["a", "c", "b", "b", "c", "c"]),
    ...     }
    ... )
    >>> display = rocch.plots.SurfaceDisplay.from_surface(surface)
    >>> display.wrong_answers_, len(display.axes_)
    (array([0, 2]), 2)
    """

    surface: RocSurface
    views: Sequence[tuple[float, float]] = VIEWS
    figure_: Figure = field(init=False, repr=False)
    axes_: list[Any] = field(init=False, repr=False)

    @classmethod
    def from_surface(
        cls, surface: Any, *, views: Sequence[tuple[float, float]] = VIEWS, ax: Any = None
    ) -> Self:
        """Draw a surface of three classes.

        Parameters
        ----------
        surface
            The surface; `MissFrontDisplay` shows the front of its miss rates alone.
        views
            Elevation and azimuth in degrees of each view.
        ax
            Axes with `projection="3d"` to draw on, one for each view.
        """
        checked = as_surface(surface)
        check_size(len(checked.classes), least=3)
        return cls(checked, as_views(views, "views")).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw on the given axes, one for each view, or on new ones."""
        self.wrong_answers_: IntArray = most_common_wrong_predictions(self.surface)
        if ax is None:
            number = len(self.views)
            self.figure_, self.axes_ = new_solid_axes(number, width=5.0 * number, height=4.9)
        else:
            self.axes_ = as_axes(ax, len(self.views), "view")
            check_solid(self.axes_)
            self.figure_ = self.axes_[0].figure
        self.points_ = [
            self._draw(panel, view) for panel, view in zip(self.axes_, self.views, strict=True)
        ]
        self._draw_legend(ax is None)
        return self

    def _draw(self, ax: Any, view: tuple[float, float]) -> Any:
        frame_solid(ax, self.surface, view)
        colors = np.array([look.color for look in class_looks(self.surface.classes)])
        return ax.scatter(  # one artist, so that nearer points cover farther ones of any color
            *self.surface.miss_rates.T,
            c=colors[self.wrong_answers_].tolist(),
            s=10,
            edgecolor="white",
            linewidth=0.15,
            depthshade=False,
        )

    def _draw_legend(self, own_figure: bool) -> None:
        from matplotlib.lines import Line2D

        counts = np.bincount(self.wrong_answers_, minlength=len(self.surface.classes))
        entries = [
            Line2D([], [], ls="none", marker="o", ms=6, color=look.color, label=f"{name}: {count}")
            for name, count, look in zip(
                (as_text(str(name)) for name in self.surface.classes),
                counts,
                class_looks(self.surface.classes),
                strict=True,
            )
        ]
        title = f"most common wrong answer of {format_count(len(self.surface), 'member')}"
        style: dict[str, Any] = {"title": title, "fontsize": 9, "title_fontsize": 9}
        if own_figure:
            style |= {"loc": "outside upper center", "ncols": len(entries), "frameon": False}
            self.figure_.legend(handles=entries, **style)
        else:
            self.axes_[-1].legend(handles=entries, loc="upper left", **style)


# --- How far members lie from random allocation (Everson and Fieldsend, Figure 8) -----------------


@dataclass
class RandomDistanceDisplay:
    """Histograms of the signed distance from random allocation, one below another.

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

    names: tuple[str, ...]
    histogram: DistanceHistogram
    figure_: Figure = field(init=False, repr=False)
    axes_: list[Axes] = field(init=False, repr=False)

    @classmethod
    def from_surfaces(cls, surfaces: Any, *, bins: int = 40, ax: Any = None) -> Self:
        """Draw one surface, or several with the same bins.

        Parameters
        ----------
        surfaces
            A surface, or a mapping of names to surfaces with equally many classes and the same
            objectives.
        bins
            The largest number of bins; 0 is always an edge between two.
        ax
            Axes to draw on, one for each surface.
        """
        named = _named(surfaces)
        return cls(tuple(named), DistanceHistogram.of(list(named.values()), bins=bins)).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw on the given axes, one for each surface, or on new ones."""
        number = len(self.names)
        if ax is None:
            self.axes_ = new_panels(number, 1, width=7.2, height=1.0 + 2.1 * number, sharey=False)
        else:
            self.axes_ = as_axes(ax, number, "surface")
        self.figure_ = self.axes_[0].figure  # type: ignore[assignment]
        self.steps_: list[StepPatch] = []
        self.texts_: list[Any] = []
        for place, panel in enumerate(self.axes_):
            self._draw(panel, place)
        self.axes_[-1].set_xlabel("signed distance from random allocation (negative: better)")
        return self

    def _draw(self, ax: Axes, place: int) -> None:
        found, color = self.histogram, COLORS[place % len(COLORS)]
        frame(ax)
        counts = found.counts[place]
        self.steps_.append(
            ax.stairs(
                counts, found.edges, fill=True, fc=color, ec="white", lw=0.4, alpha=0.85, zorder=2
            )
        )
        ax.axvline(0, color=HULL, lw=1.2, zorder=3)
        ax.axvspan(0, 10, color="#B00020", alpha=0.06, lw=0, zorder=0)
        ax.axvline(found.perfect, color=REFERENCE, lw=1.0, ls=DASHES, zorder=1)
        beside = 0.03 * (max(found.edges[-1], 0) - found.perfect)
        ax.set_xlim(found.perfect - beside, max(found.edges[-1], 0) + 4 * beside)
        ax.set_ylim(0, 1.25 * counts.max())
        ax.set_ylabel("members")
        self.texts_.append(self._write(ax, place))

    def _write(self, ax: Axes, place: int) -> list[Any]:
        found = self.histogram
        beyond, members = found.beyond[place], found.members[place]
        said = f"{beyond if beyond else 'none'} of {members} worse than random"
        style: dict[str, Any] = {
            "transform": ax.get_xaxis_transform(),
            "fontsize": 8.5,
            "va": "top",
        }
        return [
            ax.text(found.perfect, 0.98, " no errors", color=REFERENCE, ha="left", **style),
            ax.text(0, 0.98, f"{said} ", color=HULL, ha="right", **style),
            ax.set_title(as_text(self.names[place]), fontsize=10, loc="left"),
        ]


def _named(surfaces: Any) -> dict[str, RocSurface]:
    if isinstance(surfaces, RocSurface):
        surfaces = {"": surfaces}
    if not isinstance(surfaces, Mapping) or not surfaces:
        raise InputError(
            "surfaces",
            "be a RocSurface, or map names to some",
            describe_type(surfaces) if surfaces or not isinstance(surfaces, Mapping) else "none",
            "For example: {'k-nn': one, 'MLP': another}.",
        )
    return {
        str(name): as_surface(surface, f"surfaces[{name!r}]") for name, surface in surfaces.items()
    }
