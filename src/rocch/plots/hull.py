"""The ROC graph: curves, the shaded hull, its winners, and what conditions pick on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import cycle, groupby
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from rocch.plots.style import (
    CONDITION_DASHES,
    HULL,
    MOST_INSIDE,
    Picture,
    as_several,
    as_text,
    curves_of,
    halo,
    legend_below,
    roc_frame,
    visible,
)
from rocch.roc.belief import Belief
from rocch.roc.conditions import Conditions
from rocch.roc.curve import RocCurve
from rocch.roc.hull import RocHull
from rocch.roc.operating_point import OperatingPoint, end_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass
class RocHullDisplay(Picture):
    """A ROC graph of a hull and its curves, in the manner of scikit-learn's displays.

    Build it with `from_hull`, `from_predictions` or `from_estimators`; `plot` draws it again.

    Attributes
    ----------
    hull, curves
        What is drawn.
    conditions
        Conditions whose iso-performance lines are drawn: one line for exact ones, the two outer
        lines and the stretch of the hull between them for intervals.
    figure_, ax_
        The figure and axes of the last drawing.
    curve_lines_, hull_line_, vertex_marks_, iso_lines_, stretch_line_
        The artists of the last drawing.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import rocch
    >>> display = rocch.plots.RocHullDisplay.from_predictions(
    ...     [0, 0, 1, 1], {"nb": [0.1, 0.4, 0.35, 0.8]}
    ... )
    >>> display.ax_.get_xlabel()
    'False positive rate'
    """

    size: ClassVar[tuple[float, float]] = (7.2, 7.2)
    hull: RocHull
    curves: Sequence[RocCurve] = ()
    conditions: Conditions | Belief | Sequence[Conditions | Belief] = ()
    points: Sequence[OperatingPoint] = ()
    figure_: Figure = field(init=False, repr=False)
    ax_: Axes = field(init=False, repr=False)

    @classmethod
    def from_hull(cls, hull: RocHull, *, ax: Axes | None = None, **options: Any) -> Self:
        """Draw a hull, with the curves it was built from where they are at hand."""
        return super().from_hull(hull, ax=ax, **{"curves": curves_of(hull), **options})

    def _draw(self) -> None:
        roc_frame(self.ax_)
        self._draw_hull()
        self._draw_curves()
        self._draw_vertices()
        self._draw_conditions()
        self._draw_points()

    def _draw_legend(self, own_figure: bool) -> None:
        """Put the legend inside, or below the graph where it would cover too much of it."""
        if own_figure and len(self.ax_.get_legend_handles_labels()[1]) > MOST_INSIDE:
            legend_below(self.figure_, self.ax_)
        else:
            self.ax_.legend(loc="lower right", fontsize=9, framealpha=0.95)

    def _draw_hull(self) -> None:
        x, y = self.hull.fpr, self.hull.tpr
        self.ax_.fill_between(x, y, color="#000000", alpha=0.05, lw=0, zorder=0)
        restricted = self.hull.slope_bounds is not None
        label = "hull, restricted" if restricted else f"hull (AUC {self.hull.auc:.3f})"
        (self.hull_line_,) = self.ax_.plot(x, y, color=HULL, lw=1.1, zorder=3, label=label)

    def _draw_curves(self) -> None:
        self.curve_lines_ = []
        for curve in self.curves:
            look = self._looks[curve.name]
            if curve.scoring:
                keep = visible(curve.fpr, curve.tpr)
                (line,) = self.ax_.plot(
                    curve.fpr[keep],
                    curve.tpr[keep],
                    color=look.color,
                    ls=look.line,
                    lw=1.6,
                    alpha=0.85,
                    zorder=2,
                    label=f"{as_text(curve.name)} (AUC {curve.auc:.3f})",
                )
            else:
                (line,) = self.ax_.plot(
                    curve.fpr[1:-1],
                    curve.tpr[1:-1],
                    ls="none",
                    marker=look.marker,
                    ms=6,
                    mfc="none",
                    color=look.color,
                    zorder=2,
                    label=f"{as_text(curve.name)} (labels)",
                )
            self.curve_lines_.append(line)

    def _draw_vertices(self) -> None:
        """Mark the vertices by winner; write the winner's name along each stretch it holds."""
        self.vertex_marks_ = {}
        inner = self.hull.vertices[1:-1]
        for name in sorted({vertex.classifier for vertex in inner}):
            own = [vertex for vertex in inner if vertex.classifier == name]
            look = self._looks[name]
            self.vertex_marks_[name] = self.ax_.scatter(
                [vertex.fpr for vertex in own],
                [vertex.tpr for vertex in own],
                s=20,
                marker=look.marker,
                color=look.color,
                edgecolor="white",
                linewidth=0.6,
                zorder=4,
            )
        placed: list[tuple[float, float]] = []
        for name, run in groupby(inner, key=lambda vertex: vertex.classifier):
            stretch = list(run)
            middle = stretch[len(stretch) // 2]
            spot = (min(middle.fpr + 0.015, 0.9), max(middle.tpr - 0.035, 0.012))
            if all(abs(spot[1] - y) > 0.035 or abs(spot[0] - x) > 0.12 for x, y in placed):
                placed.append(spot)
                text = self.ax_.text(
                    *spot, as_text(name), color=self._looks[name].color, fontsize=9, zorder=6
                )
                text.set_path_effects([halo()])

    def _draw_conditions(self) -> None:
        self.iso_lines_: list[Any] = []
        self.stretch_line_: Any = None
        several = as_several(self.conditions)
        for given, dashes in zip(several, cycle(CONDITION_DASHES), strict=False):
            conditions = given.resolved(self.hull.totals)
            low, high = conditions.slope_range
            for slope in sorted({low, high}):
                self._draw_line(slope, dashes, "" if low == high else "range: ")
            if low < high:
                stretch = self.hull.best_between(low, high)
                (self.stretch_line_,) = self.ax_.plot(
                    self.hull.fpr[stretch.start : stretch.stop],
                    self.hull.tpr[stretch.start : stretch.stop],
                    color="#F0E442",
                    lw=7,
                    solid_capstyle="round",
                    alpha=0.75,
                    zorder=1.5,
                    label="can be best in the range",
                )

    def _draw_line(self, slope: float, style: Any, prefix: str) -> None:
        vertex = self.hull.vertices[self.hull.best_between(slope, slope)[0]]
        if np.isinf(slope):
            line = self.ax_.axvline(vertex.fpr, color="#555555", lw=1.1, ls=style, zorder=2.5)
        else:
            line = self.ax_.axline(
                (vertex.fpr, vertex.tpr), slope=slope, color="#555555", lw=1.1, ls=style, zorder=2.5
            )
        line.set_label(f"{prefix}equal cost, slope {slope:.3g}")
        self.iso_lines_.append(line)

    def _draw_points(self) -> None:
        for point in self.points:
            self.ax_.scatter(
                [point.fpr],
                [point.tpr],
                s=130,
                facecolor="none",
                edgecolor="#B00020",
                linewidth=1.8,
                zorder=5,
                label=f"{point.objective}: {end_name(point.fpr, point.tpr) or _names(point)}",
            )


def _names(point: OperatingPoint) -> str:
    names = dict.fromkeys(vertex.classifier for _, vertex in point.mix)
    return " or ".join(map(as_text, names))
