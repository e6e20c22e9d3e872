"""How every picture looks, and how pictures of a hull are begun and finished."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Self

import numpy as np

from rocch.arrays import FloatArray, IntArray
from rocch.errors import InputError, describe_type, missing_extra
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


# --- How every picture looks: colors, line styles, names as plain text, frames and legends -------

COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#4338CA", "#8C6D31")
"""Okabe and Ito's colors, which color-blind people can tell apart, and two more."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
LINES = ("-", (0, (5, 1)), (0, (1, 1)), (0, (5, 1, 1, 1)))
"""Line styles: colors come round again after eight classifiers, the style then changes."""

TRIVIAL, REFERENCE, HULL = "#444444", "#777777", "#222222"
"""Colors of the trivial classifiers' marks, of lines to compare with, and of the hull."""

DASHES = (0, (4, 3))
"""The line style of what is drawn for comparison only."""

CONDITION_DASHES = ((0, (6, 2)), (0, (1.5, 1.5)), (0, (6, 2, 1, 2)))
"""One line style for each of several given conditions."""

MOST_INSIDE = 12
"""A legend of so many entries fits into the ROC graph."""

LONGEST_NAME = 24
"""Longer names are cut in the middle, because the ends tell them apart."""

LONGEST_LABEL = 12
"""The same for a class's name in the label of an axis, where there is less room."""

MOST_POINTS = 2_000
"""A line is drawn with at most so many points, more than the eye can see."""


class Look(NamedTuple):
    """How one classifier is drawn, in every picture of the same hull."""

    color: str
    marker: str
    line: Any


def looks(names: Iterable[str]) -> dict[str, Look]:
    """Give each classifier its look, in the order of the names; the trivial ones are gray."""
    given = {
        name: Look(
            COLORS[i % len(COLORS)],
            MARKERS[i % len(MARKERS)],
            LINES[i // len(COLORS) % len(LINES)],
        )
        for i, name in enumerate(names)
    }
    return given | dict.fromkeys((NEVER, ALWAYS), Look(TRIVIAL, "o", "-"))


def as_text(name: str, most: int = LONGEST_NAME) -> str:
    """Return a name that matplotlib leaves alone: no formulas, no leading underscore, not long."""
    half = most // 2
    short = name if len(name) <= most else f"{name[:half]}…{name[-half:]}"
    return ("\u200b" if short.startswith("_") else "") + short.replace("$", r"\$")


def percent(share: float) -> str:
    """Write a share as a percentage, with three digits or as many as keep it apart from 100 %."""
    texts = (f"{100 * share:.{digits}g}" for digits in range(3, 17))
    return next(text for text in texts if share >= 1 or text != "100") + " %"


def halo() -> Any:
    """Return the effect that keeps text readable on top of lines."""
    from matplotlib.patheffects import withStroke

    return withStroke(linewidth=3, foreground="white")


def new_axes(width: float = 7.2, height: float = 7.2) -> Axes:
    """Return axes in a figure of their own."""
    try:
        from matplotlib import pyplot
    except ImportError:
        raise missing_extra("plot", "Drawing") from None
    _, ax = pyplot.subplots(figsize=(width, height), layout="constrained")
    return ax


def new_panels(
    rows: int, columns: int, *, width: float, height: float, **options: Any
) -> list[Axes]:
    """Return axes beside and below one another, which share what they measure."""
    try:
        from matplotlib import pyplot
    except ImportError:
        raise missing_extra("plot", "Drawing") from None
    size = (width, height)
    shared: dict[str, Any] = {"sharex": True, "sharey": True, **options}
    _, axes = pyplot.subplots(
        rows, columns, figsize=size, squeeze=False, layout="constrained", **shared
    )
    return list(axes.ravel())


def as_axes(ax: Any, number: int, what: str) -> list[Any]:
    """Return axes that were given, of which there must be one for each thing to draw."""
    axes = list(np.ravel(ax))
    if len(axes) != number:
        raise InputError(
            "ax",
            f"be {number} axes, one for each {what}",
            len(axes),
            "Make them with pyplot.subplots, or leave ax out.",
        )
    return axes


def frame(ax: Axes) -> None:
    """Draw a light grid behind everything, and no box."""
    ax.grid(color="#e6e6e6", lw=0.6)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def roc_frame(ax: Axes) -> None:
    """Make axes those of a ROC graph, with the diagonal of chance."""
    ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), aspect="equal")
    ax.set(xlabel="False positive rate", ylabel="True positive rate")
    ax.plot([0, 1], [0, 1], color="#999999", lw=0.8, ls=(0, (4, 4)), zorder=1)
    ax.text(
        0.62, 0.595, "chance", color="#777777", fontsize=8, rotation=45, ha="center", va="center"
    )


def legend_below(figure: Figure, ax: Axes, *, columns: int = 2) -> None:
    """Put the legend below the graph, where it covers nothing, and make room for it.

    Entries run along the rows, so that those drawn first stand in the first row.
    """
    handles, labels = ax.get_legend_handles_labels()
    rows = -(-len(labels) // columns)
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
    """Pick the points to draw: evenly along the path as it is seen, always with both ends."""
    if x.size <= MOST_POINTS:
        return slice(None)
    steps = sum(np.abs(np.diff(side)) / (np.ptp(side) or 1.0) for side in (x, y))
    length = np.concatenate(([0.0], np.cumsum(steps)))
    wanted = np.linspace(0, length[-1], MOST_POINTS)
    return np.unique(np.append(np.searchsorted(length, wanted), x.size - 1))


def class_looks(classes: Iterable[object]) -> list[Look]:
    """Give each class a color and a symbol of its own; symbols shift where colors come again."""
    return [
        Look(
            COLORS[i % len(COLORS)],
            MARKERS[(i + i // len(COLORS)) % len(MARKERS)],
            LINES[i // len(COLORS) % len(LINES)],
        )
        for i, _ in enumerate(classes)
    ]


def tint(color: str, share: float = 0.22) -> tuple[float, float, float]:
    """Return a color mixed with white, of which it makes up the given share."""
    from matplotlib.colors import to_rgb

    red, green, blue = (1 - share * (1 - part) for part in to_rgb(color))
    return red, green, blue


# --- What all pictures of a hull share: how they are made, and how they are begun and finished ----


class Picture(ABC):
    """A picture of a hull, in the manner of scikit-learn's displays.

    The fields of a display beside the hull are its options; all three ways of making one take
    them by name. A display that is drawn keeps its artists under names that end in `_`.
    """

    hull: RocHull
    figure_: Figure
    ax_: Axes
    size: ClassVar[tuple[float, float]] = (7.2, 5.2)
    """Width and height of a figure of its own, in inches, without the legend."""
    legend_place: ClassVar[Literal["best", "upper left"]] = "best"
    """Where the legend goes on axes that were given; elsewhere it stands below the graph."""

    @classmethod
    def from_hull(cls, hull: RocHull, *, ax: Axes | None = None, **options: Any) -> Self:
        """Draw a hull, with the curves it was built from where they are at hand."""
        return cls(as_hull(hull), **options).plot(ax)  # type: ignore[call-arg]

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        scores: Mapping[str, Any],
        *,
        pos_label: Any = None,
        sample_weight: Any = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> Self:
        """Draw classifiers given by their scores."""
        hull = RocHull.from_scores(y_true, scores, pos_label=pos_label, sample_weight=sample_weight)
        return cls.from_hull(hull, ax=ax, **options)

    @classmethod
    def from_estimators(
        cls,
        estimators: Any,
        X: Any,  # noqa: N803 - scikit-learn's name
        y: Any,
        *,
        pos_label: Any = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> Self:
        """Draw fitted classifiers, judged on labeled rows.

        `estimators` maps names to fitted classifiers, or lists (name, classifier) pairs.
        """
        from rocch.hybrid.hybrid import curve_of, list_estimators

        curves = [
            curve_of(estimator, X, y, pos_label=pos_label, name=name)
            for name, estimator in list_estimators(estimators)
        ]
        return cls.from_hull(RocHull.of(*curves), ax=ax, **options)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on the given axes, or on new ones."""
        self.ax_ = new_axes(*self.size) if ax is None else ax
        self.figure_ = self.ax_.figure  # type: ignore[assignment]
        frame(self.ax_)
        self._draw()
        self._draw_legend(ax is None)
        return self

    def shade(
        self, name: str, x: FloatArray, low: FloatArray, high: FloatArray
    ) -> FillBetweenPolyCollection:
        """Shade a band in the color of a classifier, in the units of the axes.

        `name` is a classifier's, or "hull".
        """
        color = self._looks[name].color if name in self._looks else HULL
        return self.ax_.fill_between(x, low, high, color=color, alpha=0.15, lw=0, zorder=1)

    @abstractmethod
    def _draw(self) -> None:
        """Draw everything but the grid and the legend."""

    def _draw_classifier(
        self, curve: RocCurve, line: tuple[FloatArray, FloatArray], words: str = ""
    ) -> Line2D:
        """Draw the line of a scoring classifier, or the points of one that only labels."""
        look, name = self._looks[curve.name], as_text(curve.name)
        style: dict[str, Any] = {"color": look.color, "lw": 1.6, "alpha": 0.85}
        if curve.scoring:
            style |= {"ls": look.line, "zorder": 2, "label": name + words}
        else:
            style |= {"ls": "none", "marker": look.marker, "ms": 7, "mfc": "none", "mew": 1.6}
            style |= {"zorder": 4, "label": f"{name} (labels)"}
        (drawn,) = self.ax_.plot(*line, **style)
        return drawn

    def _draw_legend(self, own_figure: bool) -> None:
        if own_figure:
            legend_below(self.figure_, self.ax_)
        else:
            self.ax_.legend(loc=self.legend_place, fontsize=8, framealpha=0.9)

    @property
    def _looks(self) -> dict[str, Look]:
        return looks(member.name for member in self.hull.members)


def as_hull(given: object) -> RocHull:
    """Return a hull, or refuse what is none."""
    if not isinstance(given, RocHull):
        raise InputError(
            "hull", "be a RocHull", describe_type(given), "Build it with RocHull.of(...)."
        )
    return given


def curves_of(hull: RocHull) -> list[RocCurve]:
    """Return the members' curves, as far as they are still at hand."""
    members = as_hull(hull).members
    return [curve for member in members if (curve := member.curve()) is not None]


def as_several(
    conditions: Conditions | Belief | Sequence[Conditions | Belief],
) -> tuple[Conditions | Belief, ...]:
    """Return one or several conditions, or beliefs about them, as a tuple."""
    several = conditions if isinstance(conditions, tuple | list) else (conditions,)
    return tuple(given if isinstance(given, Belief) else as_conditions(given) for given in several)
