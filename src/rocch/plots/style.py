"""How every picture looks: colours, line styles, names as plain text, frames and legends."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rocch.errors import bad_input, missing_extra
from rocch.roc.operating_point import ALWAYS, NEVER

if TYPE_CHECKING:
    from collections.abc import Iterable

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from rocch.arrays import FloatArray, IntArray

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#4338CA", "#8C6D31")
"""Okabe and Ito's colours, which colour-blind people can tell apart, and two more."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
LINES = ("-", (0, (5, 1)), (0, (1, 1)), (0, (5, 1, 1, 1)))
"""Line styles: colours come round again after eight classifiers, the style then changes."""

TRIVIAL, REFERENCE, HULL = "#444444", "#777777", "#222222"
"""Colours of the trivial classifiers' marks, of lines to compare with, and of the hull."""

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

    colour: str
    marker: str
    line: Any


def looks(names: Iterable[str]) -> dict[str, Look]:
    """Give each classifier its look, in the order of the names; the trivial ones are grey."""
    given = {
        name: Look(
            COLOURS[i % len(COLOURS)],
            MARKERS[i % len(MARKERS)],
            LINES[i // len(COLOURS) % len(LINES)],
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
        raise bad_input(
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
    """Give each class a colour and a symbol of its own; symbols shift where colours come again."""
    return [
        Look(
            COLOURS[i % len(COLOURS)],
            MARKERS[(i + i // len(COLOURS)) % len(MARKERS)],
            LINES[i // len(COLOURS) % len(LINES)],
        )
        for i, _ in enumerate(classes)
    ]


def tint(colour: str, share: float = 0.22) -> tuple[float, float, float]:
    """Return a colour mixed with white, of which it makes up the given share."""
    from matplotlib.colors import to_rgb

    red, green, blue = (1 - share * (1 - part) for part in to_rgb(colour))
    return red, green, blue
