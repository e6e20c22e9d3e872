"""The trade-off between the miss rates of two or three classes (Everson and Fieldsend, Fig. 5)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from rocch.errors import bad_input, quantity
from rocch.multiclass.surface import as_places, as_surface
from rocch.multiclass.views import miss_front
from rocch.plots.miss_space import as_views, check_solid, frame_solid, mark, new_solid_axes, sheet
from rocch.plots.style import DASHES, REFERENCE, as_text, frame, new_axes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from rocch.arrays import FloatArray, IntArray
    from rocch.multiclass.surface import RocSurface

VIEW = (24.0, 38.0)
"""Elevation and azimuth from which the front's hollow side, with the knee, faces the reader."""


@dataclass
class MissFrontDisplay:
    """The members that no other beats in every class's misses, coloured by their errors.

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
    >>> surface = rocch.RocSurface.of(
    ...     {
    ...         "one": rocch.Confusion.from_labels(truth, ["a", "a", "b", "a", "c", "b"]),
    ...         "two": rocch.Confusion.from_labels(truth, ["a", "c", "b", "b", "c", "c"]),
    ...     }
    ... )
    >>> display = rocch.MissFrontDisplay.from_surface(surface)
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
        self._draw_colours()
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
        """Join neighbouring points by a faint sheet, which lets the eye see the depth."""
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

    def _draw_colours(self) -> None:
        from matplotlib.ticker import MaxNLocator

        whole = MaxNLocator(6, integer=True)
        bar = self.figure_.colorbar(self.points_, ax=self.ax_, shrink=0.6, pad=0.09, ticks=whole)
        bar.set_label(f"errors among {int(self.surface.totals.sum())} rows", fontsize=9)
        bar.ax.tick_params(labelsize=8)
        bar.outline.set_visible(False)

    def _title(self) -> str:
        shown, members = len(self.front_), len(self.surface)
        every = quantity(members, "member")
        which = every if shown == members else f"{shown} of {every}"
        return f"Miss-rate front: {which}"


def check_size(classes: int, *, least: int) -> None:
    """Refuse a number of classes whose miss rates cannot be seen in space."""
    if not least <= classes <= 3:
        do = (
            "ParallelRatesDisplay shows any number of classes."
            if classes > 3
            else "MissFrontDisplay shows two classes in the plane."
        )
        wanted = "three" if least == 3 else "two or three"
        raise bad_input("surface", f"have {wanted} classes to be seen in space", classes, do)
