"""The ROC graph: curves, the shaded hull, its winners, and what conditions pick on it."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rocch.errors import missing_extra
from rocch.roc.conditions import Conditions
from rocch.roc.hull import RocHull
from rocch.roc.point import ALWAYS, NEVER, end_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from rocch.roc.curve import RocCurve
    from rocch.roc.operating_point import OperatingPoint

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#7A4FBF", "#8C6D31")
"""Okabe and Ito's colours, which colour-blind people can tell apart, and two more."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
LINES = ("-", (0, (5, 1)), (0, (1, 1)), (0, (5, 1, 1, 1)))
"""Line styles: colours come round again after eight classifiers, the style then changes."""

MOST_INSIDE = 12
"""A legend of so many entries fits into the graph."""

LONGEST_NAME = 24
"""Longer names are cut in the middle, because the ends tell them apart."""

MOST_POINTS = 2_000
"""A curve is drawn with at most so many points, more than the eye can see; the hull in full."""


@dataclass
class RocHullDisplay:
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
    >>> display = rocch.RocHullDisplay.from_predictions(
    ...     [0, 0, 1, 1], {"nb": [0.1, 0.4, 0.35, 0.8]}
    ... )
    >>> display.ax_.get_xlabel()
    'False positive rate'
    """

    hull: RocHull
    curves: Sequence[RocCurve] = ()
    conditions: Sequence[Conditions] = ()
    points: Sequence[OperatingPoint] = ()
    figure_: Figure = field(init=False, repr=False)
    ax_: Axes = field(init=False, repr=False)

    @classmethod
    def from_hull(
        cls,
        hull: RocHull,
        *,
        conditions: Conditions | Sequence[Conditions] = (),
        points: Sequence[OperatingPoint] = (),
        ax: Axes | None = None,
    ) -> Self:
        """Draw a hull, with the curves it was built from where they are at hand."""
        curves = [curve for member in hull.members if (curve := member.curve()) is not None]
        given = (conditions,) if isinstance(conditions, Conditions) else tuple(conditions)
        return cls(hull, curves, given, points).plot(ax)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        scores: Mapping[str, Any],
        *,
        pos_label: Any = None,
        sample_weight: Any = None,
        conditions: Conditions | Sequence[Conditions] = (),
        ax: Axes | None = None,
    ) -> Self:
        """Draw the hull of classifiers given by their scores."""
        hull = RocHull.from_scores(y_true, scores, pos_label=pos_label, sample_weight=sample_weight)
        return cls.from_hull(hull, conditions=conditions, ax=ax)

    @classmethod
    def from_estimators(
        cls,
        estimators: Any,
        X: Any,  # noqa: N803 - scikit-learn's name
        y: Any,
        *,
        pos_label: Any = None,
        conditions: Conditions | Sequence[Conditions] = (),
        ax: Axes | None = None,
    ) -> Self:
        """Draw the hull of fitted classifiers, judged on labelled rows.

        `estimators` maps names to fitted classifiers, or lists (name, classifier) pairs.
        """
        from rocch.hybrid.scores import curve_of, named

        curves = [
            curve_of(estimator, X, y, pos_label=pos_label, name=name)
            for name, estimator in named(estimators)
        ]
        return cls.from_hull(RocHull.of(*curves), conditions=conditions, ax=ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on the given axes, or on new ones."""
        own_figure = ax is None
        self.ax_ = _axes() if ax is None else ax
        self.figure_ = self.ax_.figure  # type: ignore[assignment]
        self._frame()
        self._draw_hull()
        self._draw_curves()
        self._draw_vertices()
        self._draw_conditions()
        self._draw_points()
        self._draw_legend(own_figure)
        return self

    def _draw_legend(self, own_figure: bool) -> None:
        """Put the legend inside, or below the graph where it would cover too much of it."""
        handles, labels = self.ax_.get_legend_handles_labels()
        if len(labels) <= MOST_INSIDE or not own_figure:
            self.ax_.legend(loc="lower right", fontsize=9, framealpha=0.95)
            return
        width, height = self.figure_.get_size_inches()
        self.figure_.set_size_inches(width, height + 0.17 * (len(labels) // 2 + 1))
        self.figure_.legend(
            handles, labels, loc="outside lower center", ncols=2, fontsize=8, frameon=False
        )

    @property
    def _style(self) -> dict[str, tuple[str, str]]:
        names = [member.name for member in self.hull.members]
        return {
            name: (COLOURS[i % len(COLOURS)], MARKERS[i % len(MARKERS)])
            for i, name in enumerate(names)
        } | dict.fromkeys((NEVER, ALWAYS), ("#444444", "o"))

    @property
    def _line(self) -> dict[str, Any]:
        names = [member.name for member in self.hull.members]
        return {name: LINES[i // len(COLOURS) % len(LINES)] for i, name in enumerate(names)}

    def _frame(self) -> None:
        ax = self.ax_
        ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), aspect="equal")
        ax.set(xlabel="False positive rate", ylabel="True positive rate")
        ax.plot([0, 1], [0, 1], color="#999999", lw=0.8, ls=(0, (4, 4)), zorder=1)
        ax.text(
            0.62,
            0.595,
            "chance",
            color="#777777",
            fontsize=8,
            rotation=45,
            ha="center",
            va="center",
        )
        ax.grid(color="#e6e6e6", lw=0.6)
        ax.set_axisbelow(True)
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)

    def _draw_hull(self) -> None:
        x, y = self.hull.fpr, self.hull.tpr
        self.ax_.fill_between(x, y, color="#000000", alpha=0.05, lw=0, zorder=0)
        restricted = self.hull.slope_bounds is not None
        label = "hull, restricted" if restricted else f"hull (AUC {self.hull.auc:.3f})"
        (self.hull_line_,) = self.ax_.plot(x, y, color="#222222", lw=1.1, zorder=3, label=label)

    def _draw_curves(self) -> None:
        self.curve_lines_ = []
        for curve in self.curves:
            colour, marker = self._style[curve.name]
            if curve.scoring:
                keep = _visible(curve)
                (line,) = self.ax_.plot(
                    curve.fpr[keep],
                    curve.tpr[keep],
                    color=colour,
                    ls=self._line[curve.name],
                    lw=1.6,
                    alpha=0.85,
                    zorder=2,
                    label=f"{_as_text(curve.name)} (AUC {curve.auc:.3f})",
                )
            else:
                (line,) = self.ax_.plot(
                    curve.fpr[1:-1],
                    curve.tpr[1:-1],
                    ls="none",
                    marker=marker,
                    ms=6,
                    mfc="none",
                    color=colour,
                    zorder=2,
                    label=f"{_as_text(curve.name)} (labels)",
                )
            self.curve_lines_.append(line)

    def _draw_vertices(self) -> None:
        """Mark the vertices by winner; write the winner's name along each stretch it holds."""
        self.vertex_marks_ = {}
        inner = self.hull.vertices[1:-1]
        for name in sorted({vertex.classifier for vertex in inner}):
            own = [vertex for vertex in inner if vertex.classifier == name]
            colour, marker = self._style[name]
            self.vertex_marks_[name] = self.ax_.scatter(
                [vertex.fpr for vertex in own],
                [vertex.tpr for vertex in own],
                s=20,
                marker=marker,
                color=colour,
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
                    *spot, _as_text(name), color=self._style[name][0], fontsize=9, zorder=6
                )
                text.set_path_effects([_halo()])

    def _draw_conditions(self) -> None:
        self.iso_lines_: list[Any] = []
        self.stretch_line_: Any = None
        styles = ((0, (6, 2)), (0, (1.5, 1.5)), (0, (6, 2, 1, 2)))
        for i, given in enumerate(self.conditions):
            conditions = given.resolved(self.hull.judged)
            low, high = conditions.slope_range
            for slope in sorted({low, high}):
                self._draw_line(slope, styles[i % len(styles)], "" if low == high else "range: ")
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


def _as_text(name: str) -> str:
    """Return a name that matplotlib leaves alone: no formulas, no leading underscore, not long."""
    half = LONGEST_NAME // 2
    short = name if len(name) <= LONGEST_NAME else f"{name[:half]}…{name[-half:]}"
    return ("\u200b" if short.startswith("_") else "") + short.replace("$", r"\$")


def _halo() -> Any:
    from matplotlib.patheffects import withStroke

    return withStroke(linewidth=3, foreground="white")


def _names(point: OperatingPoint) -> str:
    names = dict.fromkeys(vertex.classifier for _, vertex in point.mix)
    return " or ".join(map(_as_text, names))


def _visible(curve: RocCurve) -> Any:
    """Pick the points to draw: evenly along the curve, always with both ends."""
    if len(curve) <= MOST_POINTS:
        return slice(None)
    length = curve.fpr + curve.tpr
    wanted = np.linspace(0, length[-1], MOST_POINTS)
    return np.unique(np.append(np.searchsorted(length, wanted), len(curve) - 1))


def _axes() -> Axes:
    try:
        from matplotlib import pyplot
    except ImportError:
        raise missing_extra("plot", "Drawing") from None
    _, ax = pyplot.subplots(figsize=(7.2, 7.2), layout="constrained")
    return ax
