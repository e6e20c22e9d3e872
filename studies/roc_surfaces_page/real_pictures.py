"""Pictures of real data: Figure 7 on two classes, promises kept or not, and many classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib import pyplot

import rocch
from roc_surfaces.kept import surface_of
from roc_surfaces.synthetic import MODELS
from roc_surfaces_page.told import mean_of
from rocch.plots.style import COLOURS, DASHES, REFERENCE, frame

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from roc_surfaces_page.tables import Cell
    from rocch.arrays import FloatArray

    Result = Mapping[str, Any]

GRID = np.linspace(0, 1, 2001)
HATCHES = {"k-nn": "//", "MLP": "\\\\"}


def volumes(found: Result) -> Figure:
    """Draw Figure 7 on two classes of iris: G and delta of two staircases."""
    figure, ax = pyplot.subplots(figsize=(9.0, 6.2), layout="constrained")
    surfaces = {name: surface_of(found, name) for name in MODELS}
    tops = {name: _staircase(one.miss_rates) for name, one in surfaces.items()}
    for (name, other), colour in zip((("k-nn", "MLP"), ("MLP", "k-nn")), COLOURS, strict=False):
        _shade(ax, name, (tops[name], tops[other]), colour, found)
        ax.plot(*surfaces[name].miss_rates.T, "o", ms=4.5, color=colour, zorder=3)
    ax.plot([0, 1], [1, 0], color=REFERENCE, lw=1, ls=DASHES)
    ax.text(0.62, 0.39, "random allocation", color=REFERENCE, rotation=-45, ha="center", fontsize=9)
    first, second = surfaces["k-nn"].classes
    ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), aspect="equal")
    ax.set(xlabel=f"miss rate of {first}", ylabel=f"miss rate of {second}")
    frame(ax)
    ax.legend(loc="center left", bbox_to_anchor=(1.02, 0.5), fontsize=9, frameon=False)
    ax.set_title("G and delta for two classes of iris, by the sepals alone", fontsize=10.5)
    return figure


def _staircase(rates: FloatArray) -> FloatArray:
    """Return the least height that points dominate at each place, at most random allocation."""
    reached = rates[:, :1] <= GRID
    lowest = np.where(reached, rates[:, 1:], 1.0).min(axis=0)
    return np.asarray(np.minimum(lowest, 1 - GRID))


def _shade(
    ax: Axes, name: str, tops: tuple[FloatArray, FloatArray], colour: str, found: Result
) -> None:
    own, rival = tops
    share, alone = float(found[f"{name} G"]), float(found[f"delta {name}"])
    ax.plot(GRID, own, color=colour, lw=1.6, zorder=2, label=f"{name}: G = {share:.3f}")
    if name == "k-nn":
        ax.fill_between(GRID, own, 1 - GRID, color=colour, alpha=0.14, lw=0, label=f"G of {name}")
    style: dict[str, Any] = {"facecolor": "none", "edgecolor": colour, "lw": 0}
    words = f"by {name} alone: delta = {alone:.3f}"
    ax.fill_between(GRID, own, rival, where=own < rival, hatch=HATCHES[name], label=words, **style)


def promises(cells: Sequence[Cell]) -> Figure:
    """Draw what members promise and keep on each data set, beside simpler choices."""
    figure, ax = pyplot.subplots(figsize=(9.6, 0.9 + 0.31 * len(cells)), layout="constrained")
    places = _places(cells)
    for place, cell in zip(places, cells, strict=True):
        means = {
            w: mean_of(cell.splits, w) for w in ("promised", "kept", "by costs", "most likely")
        }
        ends = [means["promised"], means["kept"]]
        ax.plot(ends, [place] * 2, color="#9AA7B4", lw=2.4, zorder=1, solid_capstyle="round")
        _marks(ax, place, means)
    ax.set_yticks(places, [f"{cell.name}, {cell.kind}" for cell in cells])
    ax.set(xlabel="cost per row (an error costs 1 on average)", ylim=(places[-1] + 0.7, -0.7))
    ax.set_xlim(left=-0.008)
    frame(ax)
    handles, labels = ax.get_legend_handles_labels()
    shown = dict(zip(labels, handles, strict=True))
    style: dict[str, Any] = {"loc": "outside upper center", "ncols": 4, "frameon": False}
    figure.legend(shown.values(), shown.keys(), fontsize=9, **style)
    return figure


def _places(cells: Sequence[Cell]) -> list[float]:
    """Leave a gap where another data set begins."""
    places, place = [], 0.0
    for before, cell in zip((None, *cells), cells, strict=False):
        place += 0 if before is None else 1.0 if before.name == cell.name else 1.5
        places.append(place)
    return places


def _marks(ax: Axes, place: float, means: dict[str, float]) -> None:
    looks: dict[str, tuple[str, dict[str, Any]]] = {
        "promised": ("promised", {"marker": "o", "mfc": "white", "mec": COLOURS[0], "mew": 1.6}),
        "kept": ("kept", {"marker": "o", "mfc": COLOURS[0], "mec": COLOURS[0]}),
        "by costs": (
            "fewest errors, answering by the costs",
            {"marker": "|", "mec": COLOURS[1], "mew": 2.6, "ms": 12},
        ),
        "most likely": ("most likely class", {"marker": "x", "mec": REFERENCE, "mew": 1.6}),
    }
    for what, (words, look) in looks.items():
        style: dict[str, Any] = {"ls": "none", "ms": 7.5, "zorder": 3, "label": words}
        ax.plot(means[what], place, **style | look)


def many_classes(found: Result, name: str) -> Figure:
    """Draw the miss rates of a surface of many classes side by side."""
    surface = surface_of(found, "k-nn")
    marks = {"fewest errors": surface.fewest_errors(), "knee": surface.knee()}
    display = rocch.ParallelRatesDisplay.from_surface(
        surface, objectives="misses", marks=marks, most=30
    )
    display.figure_.set_size_inches(9.6, 4.8)
    words = display.ax_.get_title(loc="left")
    display.ax_.set_title(f"{name}, k-nn. {words}", fontsize=10, loc="left")
    return display.figure_
