"""Classifiers A to E, which stand in for those of Provost and Fawcett, and how they are drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib import pyplot

import rocch
from rocch.plots.style import halo

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

RED = "#B00020"
KNOTS = {
    "A": [(2, 28), (5, 44), (10, 56), (18, 64), (30, 71), (50, 80), (75, 91)],
    "B": [(4, 30), (9, 46), (15, 60), (20, 66), (25, 71), (32, 76), (45, 84), (65, 92)],
    "C": [(5, 12), (12, 34), (20, 56), (27, 72), (35, 84), (45, 92), (60, 97), (80, 99)],
    "D": [(10, 25), (25, 48), (45, 68), (70, 86)],
}
"""False and true positives of 100 each at the curves' corners."""
POINTS = {"E": (20, 71)}


def scored(name: str) -> rocch.RocCurve:
    """Return the curve through a classifier's corners: one score for the rows between two."""
    corners = [*KNOTS[name], (100, 100)]
    steps = np.diff([(0, 0), *corners], axis=0)
    scores = np.arange(len(corners), 0, -1)
    y = np.repeat([0, 1], 100)
    return rocch.RocCurve.from_scores(
        y,
        np.concatenate([np.repeat(scores, steps[:, 0]), np.repeat(scores, steps[:, 1])]),
        name=name,
    )


def labeled(name: str) -> rocch.RocCurve:
    """Return a classifier that only answers yes or no."""
    false, true = POINTS[name]
    rows = np.arange(100)
    said = np.concatenate([rows < false, rows < true])
    return rocch.RocCurve.from_labels(np.repeat([0, 1], 100), said, name=name)


def curve_of(name: str) -> rocch.RocCurve:
    """Return a classifier by its letter."""
    return scored(name) if name in KNOTS else labeled(name)


def hull_of(names: str) -> rocch.RocHull:
    """Return the joint hull of classifiers, each named by a letter."""
    return rocch.RocHull.of(*map(curve_of, names))


def draw_hull(ax: Axes, names: str, show: str, **options: Any) -> rocch.RocHull:
    """Draw a hull and some of its curves; the colors hang on the place among all names."""
    hull = hull_of(names)
    rocch.plots.RocHullDisplay.from_hull(hull, ax=ax, curves=[curve_of(n) for n in show], **options)
    for text in ax.texts:
        text.set_clip_on(True)
    return hull


def panels(number: int, *, height: float = 5.0) -> tuple[Figure, list[Axes]]:
    """Return square graphs beside one another."""
    figure, axes = pyplot.subplots(
        1, number, figsize=(5.0 * number, height), layout="constrained", squeeze=False
    )
    return figure, list(axes[0])


def entitle(ax: Axes, title: str) -> None:
    """Write what a panel shows above its left edge."""
    ax.set_title(title, loc="left", fontsize=10.5)


def few_words(ax: Axes, keep: Sequence[str] = ()) -> None:
    """Leave in the legend what the graph does not say by itself, or drop it."""
    handles, labels = ax.get_legend_handles_labels()
    kept = [(h, t) for h, t in zip(handles, labels, strict=True) if t.startswith(tuple(keep))]
    if keep and kept:
        ax.legend(*zip(*kept, strict=True), loc="lower right", fontsize=8.5, framealpha=0.95)
    elif (legend := ax.get_legend()) is not None:
        legend.remove()


def say(ax: Axes, text: str, at: tuple[float, float], color: str = RED, **style: Any) -> None:
    """Write a short text that stays readable on lines."""
    words = ax.text(*at, text, color=color, fontsize=9, zorder=7, **style)
    words.set_path_effects([halo()])
