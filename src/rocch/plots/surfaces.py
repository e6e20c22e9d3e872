"""Pictures of ROC surfaces: miss-rate space, and distances from random allocation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np

from rocch.arrays import FloatArray, IntArray
from rocch.errors import Hint, InputError, format_count
from rocch.inputs import as_mapping, is_number
from rocch.multiclass.surface import (
    RocSurface,
    SurfaceMember,
    SurfacePoint,
    as_places,
    as_surface,
)
from rocch.multiclass.views import DistanceHistogram, miss_front, most_common_wrong_predictions
from rocch.plots.style import (
    CHOSEN,
    COLORS,
    DASHES,
    HULL,
    REFERENCE,
    REFERENCE_STYLE,
    RING_STYLE,
    Display,
    Style,
    as_text,
    frame,
    halo,
    new_axes,
    round_up,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection, PolyCollection
    from matplotlib.patches import StepPatch
    from matplotlib.text import Text

    from rocch.plots.style import GivenAxes

# A member of a surface: a result, a member, or its place.
Chosen: TypeAlias = SurfacePoint | SurfaceMember | int

# The projection along the diagonal of the cube: two directions at right angles to it.
DIAGONAL = np.array([[1, 1], [-1, 1], [0, -2]]) / np.sqrt([2, 6])
# Triangles with a side longer than this many times the median bridge a gap.
LONG = 3.0
# The share of the axes that the cube takes up: more would cut off labels.
ZOOM = 0.85
# Names up to the first length share a line with the label, up to the second have a line alone.
SHORT, LONGEST = 6, 16
# Elevation and azimuth from which the hollow side of the front, with the knee, is seen.
VIEW = (24.0, 38.0)
# Those of the two views of a surface.
VIEWS = ((24.0, 20.0), (24.0, 70.0))


def _new_3d_axes(number: int, size: tuple[float, float]) -> list[Axes]:
    return new_axes(1, number, size=size, subplot_kw={"projection": "3d"})


def _as_views(views: object, argument: str) -> tuple[tuple[float, float], ...]:
    several = views if isinstance(views, tuple | list) else ()
    valid = [
        tuple(map(float, view))
        for view in several
        if isinstance(view, tuple | list) and len(view) == 2 and all(map(is_number, view))
    ]
    if not valid or len(valid) < len(several) or not np.isfinite(valid).all():
        hint = Hint("For example: (24, 38).")
        raise InputError(argument, "be pairs of degrees, elevation and azimuth", repr(views), hint)
    return tuple((elevation, azimuth) for elevation, azimuth in valid)


def _check_3d(axes: list[Axes]) -> list[Axes]:
    if not all(hasattr(ax, "set_zlim") for ax in axes):
        hint = Hint("Make them with figure.add_subplot(projection='3d'), or leave ax out.")
        raise InputError("ax", "be three-dimensional", "flat axes", hint)
    return axes


def _frame_3d(ax: Any, surface: RocSurface, view: tuple[float, float]) -> None:
    from matplotlib.ticker import MaxNLocator

    top = round_up(surface.miss_rates)
    ax.set(xlim=(0, top), ylim=(0, top), zlim=(0, top))
    crowded = "upper", "upper", None  # two axes end in one corner, where their ticks would meet
    axes = (ax.xaxis, ax.yaxis, ax.zaxis)
    for axis, name, prune in zip(axes, surface.classes, crowded, strict=True):
        text = as_text(str(name), LONGEST)
        joint = " " if len(text) <= SHORT else "\n"
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


def _draw_mark(ax: Any, point: FloatArray, label: str) -> PathCollection:
    depth = {"depthshade": False} if len(point) == 3 else {}
    ring: PathCollection = ax.scatter(*point[:, None], s=110, zorder=10, **RING_STYLE, **depth)
    style: Style = {"color": CHOSEN, "fontsize": 9, "zorder": 11, "path_effects": [halo()]}
    ax.text(*point.tolist(), f"   {label}", **style)
    return ring


def triangulate(rates: FloatArray) -> IntArray:
    """Return the triangles between neighboring points of a front, without those across gaps.

    Neighbors are found along the diagonal of the cube, where no point hides another.
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
    """The Pareto front of miss rates of two or three classes, colored by errors.

    Compare Everson and Fieldsend, Figure 5. Build it with `from_surface`.

    Attributes
    ----------
    surface
        The surface.
    marks
        Places of members to mark, by name.
    view
        Elevation and azimuth in degrees, for three classes.
    front_
        The places of the members on the front.
    figure_, ax_, points_, sheet_, marks_
        The artists; marks by name. Three classes have 3D axes, and perhaps a sheet.

    Examples
    --------
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
        surface: RocSurface,
        *,
        marks: Mapping[str, Chosen] | None = None,
        view: tuple[float, float] = VIEW,
        ax: Axes | None = None,
    ) -> Self:
        """Draw the front of a surface of two or three classes.

        `marks` maps names to results of the surface, members, or places; by default, to the knee.
        For three classes `ax` needs `projection="3d"`.
        """
        checked = as_surface(surface)
        _check_classes(len(checked.classes), least=2)
        chosen = {"knee": checked.knee()} if marks is None else marks
        (seen,) = _as_views([view], "view")
        return cls(checked, as_places(checked, chosen, "marks"), seen).plot(ax)

    @property
    def _flat(self) -> bool:
        return len(self.surface.classes) == 2

    def _new_axes(self) -> list[Axes]:
        return new_axes(size=(6.4, 5.4)) if self._flat else _new_3d_axes(1, (7.2, 5.6))

    def _given_axes(self, ax: GivenAxes) -> list[Axes]:
        axes = super()._given_axes(ax)
        return axes if self._flat else _check_3d(axes)

    def _draw(self) -> None:
        self.front_: IntArray = miss_front(self.surface)
        self.sheet_: PolyCollection | None = None
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
        self.ax_.plot([0, 1], [1, 0], **REFERENCE_STYLE | {"lw": 0.9})
        self.ax_.text(
            0.52, 0.5, "random", color=REFERENCE, fontsize=8, rotation=-45, ha="left", va="bottom"
        )
        self.points_ = self._scatter(s=22, zorder=3)

    def _draw_3d(self) -> None:
        _frame_3d(self.ax_, self.surface, self.view)
        corners = triangulate(self._rates)
        if len(corners):
            self.sheet_ = self.ax_.plot_trisurf(
                *self._rates.T,
                triangles=corners,
                color="#9AA7B4",
                alpha=0.22,
                edgecolor="#8795A3",
                linewidth=0.25,
                shade=False,
                zorder=1,
            )
        self.points_ = self._scatter(s=16, depthshade=False, zorder=2)
        for place in self.marks.values():
            x, y, z = self.surface.miss_rates[place].tolist()
            self.ax_.plot([x, x], [y, y], [0, z], color=REFERENCE, lw=1.0, zorder=3)

    def _scatter(self, **style: Any) -> Any:
        style |= {"c": self.surface.errors[self.front_], "cmap": "viridis"}
        return self.ax_.scatter(*self._rates.T, edgecolor="#555555", linewidth=0.3, **style)

    def _draw_colors(self) -> None:
        from matplotlib.ticker import MaxNLocator

        whole = MaxNLocator(6, integer=True)
        bar = self.figure_.colorbar(self.points_, ax=self.ax_, shrink=0.6, pad=0.09, ticks=whole)
        bar.set_label(f"errors among {int(self.surface.totals.sum())} rows", fontsize=9)
        bar.ax.tick_params(labelsize=8)
        bar.outline.set_visible(False)


def _check_classes(classes: int, *, least: int) -> None:
    if not least <= classes <= 3:
        hint = Hint(
            "ParallelRatesDisplay shows any number of classes."
            if classes > 3
            else "MissFrontDisplay shows two classes in the plane."
        )
        wanted = "three" if least == 3 else "two or three"
        raise InputError("surface", f"have {wanted} classes", classes, hint)


@dataclass
class SurfaceDisplay(Display):
    """All members of a surface of three classes in the space of miss rates.

    Colors are members' most common wrong predictions, as in Everson and Fieldsend, Figure 6.
    Build it with `from_surface`.

    Attributes
    ----------
    surface
        The surface.
    views
        Elevation and azimuth in degrees of each view.
    wrong_predictions_
        The place of the class that each member wrongly predicts most often.
    figure_, axes_, points_
        The figure, and the artists of each view.

    Examples
    --------
    >>> import rocch
    >>> labels = rocch.multiclass.Confusion.from_labels
    >>> one, two = labels(list("aabbcc"), list("aabacb")), labels(list("aabbcc"), list("acbbcc"))
    >>> surface = rocch.multiclass.RocSurface.of({"one": one, "two": two})
    >>> display = rocch.plots.SurfaceDisplay.from_surface(surface)
    >>> display.wrong_predictions_, len(display.axes_)
    (array([0, 2]), 2)
    """

    panel = "view"
    grid = False
    surface: RocSurface
    views: Sequence[tuple[float, float]] = VIEWS

    @classmethod
    def from_surface(
        cls,
        surface: RocSurface,
        *,
        views: Sequence[tuple[float, float]] = VIEWS,
        ax: GivenAxes | None = None,
    ) -> Self:
        """Draw a surface of three classes; each view needs axes with `projection="3d"`."""
        checked = as_surface(surface)
        _check_classes(len(checked.classes), least=3)
        return cls(checked, _as_views(views, "views")).plot(ax)

    @property
    def _panels(self) -> int:
        return len(self.views)

    def _new_axes(self) -> list[Axes]:
        return _new_3d_axes(self._panels, (5.0 * self._panels, 4.9))

    def _given_axes(self, ax: GivenAxes) -> list[Axes]:
        return _check_3d(super()._given_axes(ax))

    def _draw(self) -> None:
        self.wrong_predictions_: IntArray = most_common_wrong_predictions(self.surface)
        style: Style = {"s": 10, "edgecolor": "white", "linewidth": 0.15, "depthshade": False}
        style["c"] = np.array(COLORS)[self.wrong_predictions_].tolist()
        self.points_: list[Any] = []
        for ax, view in zip(self.axes_, self.views, strict=True):
            _frame_3d(ax, self.surface, view)
            # one artist, so that nearer points cover farther ones
            self.points_.append(ax.scatter(*self.surface.miss_rates.T, **style))

    def _draw_legend(self) -> None:
        from matplotlib.lines import Line2D

        counts = np.bincount(self.wrong_predictions_, minlength=len(self.surface.classes))
        dots: Style = {"ls": "none", "marker": "o", "ms": 6}
        entries = [
            Line2D([], [], color=color, label=f"{as_text(str(name))}: {count}", **dots)
            for name, count, color in zip(self.surface.classes, counts, COLORS, strict=False)
        ]
        title = f"most common wrong prediction of {format_count(len(self.surface), 'member')}"
        style: Style = {"title": title, "fontsize": 9, "title_fontsize": 9}
        if self._own_figure:
            style |= {"loc": "outside upper center", "ncols": len(entries), "frameon": False}
            self.figure_.legend(handles=entries, **style)
        else:
            self.axes_[-1].legend(handles=entries, loc="upper left", **style)


@dataclass
class RandomDistanceDisplay(Display):
    """Histograms of members' signed distances from random allocation, one for each surface.

    Compare Everson and Fieldsend, Figure 8. Build it with `from_surfaces`.

    Attributes
    ----------
    names, histogram
        The surfaces' names, and the counts of their members.
    figure_, axes_, steps_, texts_
        The figure, and the artists of each surface.

    Examples
    --------
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
    def from_surfaces(
        cls,
        surfaces: RocSurface | Mapping[str, RocSurface],
        *,
        bins: int = 40,
        ax: GivenAxes | None = None,
    ) -> Self:
        """Draw one surface, or several by name, with at most `bins` common bins.

        Surfaces need equally many classes and the same objectives.
        """
        named = _as_surfaces(surfaces)
        return cls(tuple(named), DistanceHistogram.of(list(named.values()), bins=bins)).plot(ax)

    @property
    def _panels(self) -> int:
        return len(self.names)

    def _new_axes(self) -> list[Axes]:
        return new_axes(self._panels, size=(7.2, 1.0 + 2.1 * self._panels), sharex=True)

    def _draw(self) -> None:
        self.steps_: list[StepPatch] = []
        self.texts_: list[list[Text]] = []
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

    def _write(self, ax: Axes, place: int) -> list[Text]:
        found = self.histogram
        beyond, members = found.beyond[place], found.members[place]
        worse = f"{beyond or 'none'} of {members} worse than random"
        style: Style = {"transform": ax.get_xaxis_transform(), "fontsize": 8.5, "va": "top"}
        return [
            ax.text(found.perfect, 0.98, " no errors", color=REFERENCE, ha="left", **style),
            ax.text(0, 0.98, f"{worse} ", color=HULL, ha="right", **style),
            ax.set_title(as_text(self.names[place]), fontsize=10, loc="left"),
        ]


def _as_surfaces(surfaces: object) -> dict[str, RocSurface]:
    if isinstance(surfaces, RocSurface):
        return {"": surfaces}
    hint = Hint("Pass one RocSurface, or for example {'k-nn': one, 'MLP': another}.")
    named = as_mapping(surfaces, "surfaces", "names to RocSurface objects", hint=hint)
    return {
        str(name): as_surface(surface, f"surfaces[{name!r}]") for name, surface in named.items()
    }
