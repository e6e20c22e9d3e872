"""The style of all pictures, and base classes of displays."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, cycle
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from rocch.arrays import AnyArray, Columns, Features, FloatArray, IntArray, Label
from rocch.errors import Hint, InputError, missing_extra
from rocch.inputs import as_instance
from rocch.roc.belief import Belief
from rocch.roc.conditions import Conditions, as_conditions
from rocch.roc.curve import RocCurve
from rocch.roc.hull import RocHull
from rocch.roc.operating_point import ALWAYS, NEVER

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import FillBetweenPolyCollection
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.patheffects import withStroke
    from sklearn.base import BaseEstimator

    # Axes for each panel of a display.
    GivenAxes: TypeAlias = Axes | Sequence[Axes] | AnyArray

LineStyle: TypeAlias = str | tuple[float, tuple[float, ...]]
# Arguments of matplotlib's functions.
Style: TypeAlias = dict[str, Any]

# Okabe and Ito's colors, which color-blind people can distinguish, and two more.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#4338CA", "#8C6D31")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
# Line styles, which change after eight classifiers, when colors repeat.
LINES: tuple[LineStyle, ...] = ("-", (0, (5, 1)), (0, (1, 1)), (0, (5, 1, 1, 1)))
# Colors of trivial classifiers, reference lines, the hull, and choices.
TRIVIAL, REFERENCE, HULL, CHOSEN = "#444444", "#777777", "#222222", "#B00020"
# The style of reference lines.
DASHES = (0, (4, 3))
# Line styles of conditions.
CONDITION_DASHES = ((0, (6, 2)), (0, (1.5, 1.5)), (0, (6, 2, 1, 2)))
HULL_STYLE: Style = {"color": HULL, "lw": 1.1, "zorder": 3}
RING_STYLE: Style = {"facecolor": "none", "edgecolor": CHOSEN, "linewidth": 1.8}
REFERENCE_STYLE: Style = {"color": REFERENCE, "lw": 1.1, "ls": DASHES, "zorder": 1}

# Longer names, and names in labels of axes, are shortened in the middle: the ends distinguish them.
LONGEST_NAME, LONGEST_LABEL = 24, 12
# ROC graphs of fewer inches have small texts.
NARROW = 4.0
# The most points of a line.
MOST_POINTS = 2_000


class Look(NamedTuple):
    """The style of a classifier or class."""

    color: str
    marker: str
    line: LineStyle


def look_of(place: int) -> Look:
    """Return the style of a classifier or class by its place."""
    return Look(
        COLORS[place % len(COLORS)],
        MARKERS[place % len(MARKERS)],
        LINES[place // len(COLORS) % len(LINES)],
    )


def looks(names: Iterable[str]) -> dict[str, Look]:
    """Return the style of each classifier by name; trivial ones are gray."""
    found = {name: look_of(place) for place, name in enumerate(names)}
    return found | dict.fromkeys((NEVER, ALWAYS), Look(TRIVIAL, "o", "-"))


def as_text(name: str, most: int = LONGEST_NAME) -> str:
    """Return a name, shortened and escaped for matplotlib."""
    half = most // 2
    short = name if len(name) <= most else f"{name[:half]}…{name[-half:]}"
    return ("\u200b" if short.startswith("_") else "") + short.replace("$", r"\$")


def percent(share: float) -> str:
    """Return a percentage with three digits, or enough to differ from 100%."""
    texts = (f"{100 * share:.{digits}g}" for digits in range(3, 17))
    return next(text for text in texts if share >= 1 or text != "100") + "%"


def round_up(rates: FloatArray) -> float:
    """Return the next twentieth above all rates, where their axis ends."""
    return math.ceil(20 * float(rates.max())) / 20 or 1.0


def halo() -> withStroke:
    """Return a white outline for text on top of lines."""
    from matplotlib.patheffects import withStroke

    return withStroke(linewidth=3, foreground="white")


def tint(color: str, share: float = 0.22) -> tuple[float, float, float]:
    """Return a color mixed with white."""
    from matplotlib.colors import to_rgb

    red, green, blue = (1 - share * (1 - part) for part in to_rgb(color))
    return red, green, blue


def new_axes(
    rows: int = 1, columns: int = 1, *, size: tuple[float, float], **options: Any
) -> list[Axes]:
    """Return the axes of a new figure, row by row."""
    try:
        from matplotlib import pyplot
    except ImportError:
        raise missing_extra("plot", "Drawing") from None
    _, axes = pyplot.subplots(
        rows, columns, figsize=size, squeeze=False, layout="constrained", **options
    )
    return list(axes.ravel())


def frame(
    ax: Axes,
    *,
    axis: Literal["both", "x"] = "both",
    without: Iterable[str] = ("top", "right"),
    **style: Any,
) -> None:
    """Draw a light grid and no box."""
    ax.grid(axis=axis, **{"color": "#e6e6e6", "lw": 0.6, **style})
    ax.set_axisbelow(True)
    for side in without:
        ax.spines[side].set_visible(False)


def is_narrow(ax: Axes) -> bool:
    """Return whether a graph is as small as in a journal's column."""
    return float(ax.bbox.width) / ax.figure.dpi < NARROW


def roc_frame(ax: Axes, max_fpr: float = 1.0) -> None:
    """Set up the axes of a ROC graph, with the diagonal of chance."""
    ax.set(xlim=(-0.01 * max_fpr, 1.01 * max_fpr), ylim=(-0.01, 1.01), aspect=max_fpr)
    ax.set(xlabel="False positive rate", ylabel="True positive rate")
    ax.plot([0, 1], [0, 1], color="#999999", lw=0.8, ls=(0, (4, 4)), zorder=1)
    if max_fpr == 1:
        style: Style = {"fontsize": 6.5 if is_narrow(ax) else 8, "ha": "center", "va": "center"}
        ax.text(0.62, 0.595, "chance", color="#777777", rotation=45, clip_on=True, **style)
    else:  # as percentages, which are shorter
        ax.locator_params("x", nbins=5)
        ax.xaxis.set_major_formatter(lambda rate, _: f"{100 * rate:.3g}%")


def roc_legend(ax: Axes, place: Literal["lower right", "best"] = "lower right") -> None:
    """Put the legend below the curves of a ROC graph, or where it hides least."""
    style: Style = {"loc": place, "framealpha": 0.95, "fontsize": 9}
    if is_narrow(ax):
        style |= {"fontsize": 6.5, "handlelength": 1.4, "labelspacing": 0.25, "borderpad": 0.3}
        style["markerscale"] = 0.5
    ax.legend(**style)


def legend_below(figure: Figure, ax: Axes, *, columns: int = 2) -> None:
    """Put the legend below the graph, and make room for it."""
    handles, labels = ax.get_legend_handles_labels()
    rows = -(-len(labels) // columns)
    # entries run along the rows
    order = list(chain.from_iterable(range(i, len(labels), columns) for i in range(columns)))
    width, height = figure.get_size_inches()
    figure.set_size_inches(width, height + 0.19 * rows)
    figure.legend(
        [handles[i] for i in order],
        [labels[i] for i in order],
        loc="outside lower center",
        ncols=columns,
        fontsize=8.5,
        frameon=False,
    )


def visible(x: FloatArray, y: FloatArray) -> IntArray | slice:
    """Pick the points to draw: evenly along a path, with both ends."""
    if x.size <= MOST_POINTS:
        return slice(None)
    steps = sum(np.abs(np.diff(side)) / (np.ptp(side) or 1.0) for side in (x, y))
    length = np.concatenate(([0.0], np.cumsum(steps)))
    wanted = np.linspace(0, length[-1], MOST_POINTS)
    return np.unique(np.append(np.searchsorted(length, wanted), x.size - 1))


class Display(ABC):
    """A picture in the style of scikit-learn's displays.

    Its artists have names that end in `_`: `axes_` are the axes of all panels, `ax_` the first.
    """

    figure_: Figure
    ax_: Any  # Axes, or 3D axes, which have no types
    axes_: list[Any]
    # Width and height of a new figure without the legend, in inches.
    size: ClassVar[tuple[float, float]] = (7.2, 5.2)
    # What each panel shows.
    panel: ClassVar[str] = "display"
    # Whether to draw a light grid.
    grid: ClassVar[bool] = True

    def plot(self, ax: GivenAxes | None = None) -> Self:
        """Draw on the given axes, one for each panel, or on new ones."""
        self._own_figure = ax is None
        self.axes_ = self._new_axes() if ax is None else self._given_axes(ax)
        self.ax_ = self.axes_[0]
        self.figure_ = self.ax_.figure
        for panel in self.axes_ if self.grid else ():
            frame(panel)
        self._draw()
        self._draw_legend()
        return self

    def _new_axes(self) -> list[Axes]:
        return new_axes(size=self.size)

    def _given_axes(self, ax: GivenAxes) -> list[Axes]:
        axes = list(np.ravel(np.asarray(ax, dtype=object)))
        if len(axes) != self._panels:
            requirement = f"be {self._panels} axes, one for each {self.panel}"
            hint = Hint("Make them with pyplot.subplots, or leave ax out.")
            raise InputError("ax", requirement, len(axes), hint)
        return axes

    @property
    def _panels(self) -> int:
        return 1

    @abstractmethod
    def _draw(self) -> None:
        """Draw everything but the grid and the legend."""

    def _draw_legend(self) -> None:  # noqa: B027 - not all displays have one
        """Draw the legend."""


class HullDisplay(Display):
    """A picture of a hull and its classifiers.

    All three constructors take the other fields of a display as options.
    """

    hull: RocHull
    ax_: Axes
    # The place of the legend on given axes; elsewhere it is below the graph.
    legend_place: ClassVar[Literal["best", "upper left"]] = "best"

    @classmethod
    def from_hull(cls, hull: RocHull, *, ax: Axes | None = None, **options: Any) -> Self:
        """Draw a hull with its curves, as far as they are known."""
        return cls(as_hull(hull), **options).plot(ax)  # type: ignore[call-arg]

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        scores: Columns,
        *,
        pos_label: Label | None = None,
        sample_weight: ArrayLike | None = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> Self:
        """Draw classifiers given by their scores."""
        hull = RocHull.from_scores(y_true, scores, pos_label=pos_label, sample_weight=sample_weight)
        return cls.from_hull(hull, ax=ax, **options)

    @classmethod
    def from_estimators(
        cls,
        estimators: Mapping[str, BaseEstimator] | Iterable[tuple[str, BaseEstimator]],
        X: Features,  # noqa: N803 - scikit-learn's name
        y: ArrayLike,
        *,
        pos_label: Label | None = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> Self:
        """Draw fitted classifiers, a mapping or (name, classifier) pairs, on labeled rows."""
        from rocch.hybrid.components import curve_of, list_estimators

        curves = [
            curve_of(estimator, X, y, pos_label=pos_label, name=name)
            for name, estimator in list_estimators(estimators)
        ]
        return cls.from_hull(RocHull.of(*curves), ax=ax, **options)

    def shade(
        self, name: str, x: FloatArray, low: FloatArray, high: FloatArray
    ) -> FillBetweenPolyCollection:
        """Shade a band in the color of a classifier, or of "hull"."""
        color = self._looks[name].color if name in self._looks else HULL
        return self.ax_.fill_between(x, low, high, color=color, alpha=0.15, lw=0, zorder=1)

    def _draw_line(self, line: tuple[FloatArray, FloatArray], **style: Any) -> Line2D:
        """Draw as many points of a line as can be seen."""
        keep = visible(*line)
        (drawn,) = self.ax_.plot(line[0][keep], line[1][keep], **style)
        return drawn

    def _draw_classifier(
        self,
        curve: RocCurve,
        line: tuple[FloatArray, FloatArray],
        remark: str = "",
        **different: Any,
    ) -> Line2D:
        """Draw the line of a scoring classifier, or the points of one that outputs labels."""
        look, name = self._looks[curve.name], as_text(curve.name)
        style: Style = {"color": look.color, "lw": 1.6, "alpha": 0.85}
        if curve.scoring:
            style |= {"ls": look.line, "zorder": 2, "label": name + remark}
        else:
            style |= {"ls": "none", "marker": look.marker, "ms": 7, "mfc": "none", "mew": 1.6}
            style |= {"zorder": 4, "label": f"{name} (labels)"}
        return self._draw_line(line, **style | different)

    def _draw_legend(self) -> None:
        if self._own_figure:
            legend_below(self.figure_, self.ax_)
        else:
            self.ax_.legend(loc=self.legend_place, fontsize=8, framealpha=0.9)

    @property
    def _looks(self) -> dict[str, Look]:
        return looks(member.name for member in self.hull.members)


def as_hull(given: object) -> RocHull:
    """Return a hull, or raise."""
    return as_instance(given, RocHull, "hull", hint=Hint("Build it with RocHull.of(...)."))


def curves_of(hull: RocHull) -> list[RocCurve]:
    """Return the members' curves, as far as they are known."""
    members = as_hull(hull).members
    return [curve for member in members if (curve := member.curve()) is not None]


def resolve_conditions(
    conditions: Conditions | Belief | Sequence[Conditions | Belief], hull: RocHull
) -> Iterator[tuple[Conditions | Belief, LineStyle]]:
    """Yield one or several conditions or beliefs, each with a line style."""
    several = conditions if isinstance(conditions, tuple | list) else (conditions,)
    for given, dashes in zip(several, cycle(CONDITION_DASHES), strict=False):
        stated = given if isinstance(given, Belief) else as_conditions(given)
        yield stated.resolved(hull.totals), dashes
