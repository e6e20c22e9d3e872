"""The whole surface of three classes, seen in miss-rate space (Everson and Fieldsend, Figure 6)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rocch.errors import quantity
from rocch.multiclass.surface import as_surface
from rocch.multiclass.views import most_common_wrong_answers
from rocch.plots.miss_front_display import check_size
from rocch.plots.miss_space import as_views, check_solid, frame_solid, new_solid_axes
from rocch.plots.style import as_axes, as_text, class_looks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from rocch.arrays import IntArray
    from rocch.multiclass.surface import RocSurface

VIEWS = ((24.0, 20.0), (24.0, 70.0))
"""Elevations and azimuths of the two views: both look into the surface's hollow side."""


@dataclass
class SurfaceDisplay:
    """All members by their miss rates, coloured by the class that most errors are answered with.

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
    >>> surface = rocch.RocSurface.of(
    ...     {
    ...         "one": rocch.Confusion.from_labels(truth, ["a", "a", "b", "a", "c", "b"]),
    ...         "two": rocch.Confusion.from_labels(truth, ["a", "c", "b", "b", "c", "c"]),
    ...     }
    ... )
    >>> display = rocch.SurfaceDisplay.from_surface(surface)
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
        self.wrong_answers_: IntArray = most_common_wrong_answers(self.surface)
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
        colours = np.array([look.colour for look in class_looks(self.surface.classes)])
        return ax.scatter(  # one artist, so that nearer points cover farther ones of any colour
            *self.surface.miss_rates.T,
            c=colours[self.wrong_answers_].tolist(),
            s=10,
            edgecolor="white",
            linewidth=0.15,
            depthshade=False,
        )

    def _draw_legend(self, own_figure: bool) -> None:
        from matplotlib.lines import Line2D

        counts = np.bincount(self.wrong_answers_, minlength=len(self.surface.classes))
        entries = [
            Line2D([], [], ls="none", marker="o", ms=6, color=look.colour, label=f"{name}: {count}")
            for name, count, look in zip(
                (as_text(str(name)) for name in self.surface.classes),
                counts,
                class_looks(self.surface.classes),
                strict=True,
            )
        ]
        title = f"most common wrong answer of {quantity(len(self.surface), 'member')}"
        style: dict[str, Any] = {"title": title, "fontsize": 9, "title_fontsize": 9}
        if own_figure:
            style |= {"loc": "outside upper center", "ncols": len(entries), "frameon": False}
            self.figure_.legend(handles=entries, **style)
        else:
            self.axes_[-1].legend(handles=entries, loc="upper left", **style)
