"""Pictures of the synthetic problem, after the paper's Figures 2 to 6 and 8, and of real data.

Of real data: Figure 7 on two classes, promises kept or not, and many classes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib import pyplot
from matplotlib.ticker import MaxNLocator

import rocch
from rocch.plots.style import COLORS, DASHES, HULL, REFERENCE, frame
from studies.roc_surfaces.kept import surface_of
from studies.roc_surfaces.numbers import fewest, mean_of, never_alarmed, never_missed
from studies.roc_surfaces.synthetic import MODELS, ROWS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from rocch.arrays import FloatArray, IntArray
    from studies.roc_surfaces.tables import Cell

    Result = Mapping[str, Any]

PANELS = {
    "fewest errors": fewest,
    "A2 never missed": never_missed,
    "nothing taken for A2": never_alarmed,
}
PUBLISHED_FEWEST = 32


def data_and_luck(draw: int, many: Result) -> Figure:
    """Draw Figure 2, and how many errors other draws of the data allow."""
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9.6, 4.4), layout="constrained")
    data = rocch.multiclass.three_class_data(ROWS, seed=draw)
    names = np.array(data.classes.names)

    def best_rule(X: Any) -> Any:
        return names[data.probabilities(X).argmax(axis=1)]

    rocch.plots.DecisionRegionsDisplay.from_classifiers(
        data.X,
        data.y,
        {"Best rule for equal costs": best_rule},
        probabilities=data.probabilities,
        ax=left,
    )
    left.legend(loc="lower left", fontsize=8, framealpha=0.9)
    _luck(right, many["fewest"], many["best rule"])
    return figure


def _luck(ax: Axes, fewest_errors: IntArray, best_rule: IntArray) -> None:
    low = int(min(fewest_errors.min(), best_rule.min()))
    high = int(max(fewest_errors.max(), best_rule.max(), PUBLISHED_FEWEST))
    bins = np.arange(low - 0.5, high + 1.5).tolist()
    ax.hist(fewest_errors, bins=bins, color=COLORS[0], alpha=0.85, label="k-nn, fewest errors")
    style: dict[str, Any] = {"histtype": "step", "color": COLORS[1], "lw": 1.6}
    ax.hist(best_rule, bins=bins, label="the best rule itself", **style)
    ax.axvline(PUBLISHED_FEWEST, color=HULL, lw=1.2, ls=DASHES)
    frame(ax)
    ax.set_ylim(0, 1.3 * ax.get_ylim()[1])
    ax.text(PUBLISHED_FEWEST + 0.3, 0.96 * ax.get_ylim()[1], "the paper's 32", va="top", fontsize=9)
    ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set(xlabel="errors among 300 rows", ylabel="draws of the data")
    ax.set_title(f"Fewest errors on {len(fewest_errors)} draws of the data", fontsize=10)
    ax.legend(loc="upper left", fontsize=8.5, frameon=False)


def regions(draw: int, found: Result) -> Figure:
    """Draw Figures 3 and 4: three members of each surface."""
    figure, axes = pyplot.subplots(
        2, 3, figsize=(9.8, 7.0), layout="constrained", sharex=True, sharey=True
    )
    data = rocch.multiclass.three_class_data(ROWS, seed=draw)
    for row, (name, kind) in zip(axes, MODELS.items(), strict=True):
        surface = surface_of(found, name)
        rocch.plots.DecisionRegionsDisplay.from_surface(
            surface,
            kind(data.X, data.y),
            data.X,
            data.y,
            {f"{name}: {words}": find(surface) for words, find in PANELS.items()},
            probabilities=data.probabilities,
            resolution=150,
            ax=row,
        )
    _one_legend(figure, axes)
    return figure


def _one_legend(figure: Figure, axes: Any) -> None:
    """Keep one legend below all panels, and axes' names at the outside."""
    for ax in axes.flat:
        if (legend := ax.get_legend()) is not None:
            legend.remove()
        ax.label_outer()
    handles, labels = axes.flat[0].get_legend_handles_labels()
    style: dict[str, Any] = {"loc": "outside lower center", "ncols": 4, "frameon": False}
    figure.legend(handles, labels, fontsize=9, **style)


def miss_front(found: Result) -> Figure:
    """Draw Figure 5."""
    display = rocch.plots.MissFrontDisplay.from_surface(surface_of(found, "k-nn"))
    display.figure_.set_size_inches(8.6, 5.8)
    display.ax_.set_box_aspect(None, zoom=1.12)
    return display.figure_


def whole_surface(found: Result) -> Figure:
    """Draw Figure 6."""
    return rocch.plots.SurfaceDisplay.from_surface(surface_of(found, "k-nn")).figure_


def distances(found: Result) -> Figure:
    """Draw Figure 8's histograms."""
    both = {name: surface_of(found, name) for name in MODELS}
    display = rocch.plots.RandomDistanceDisplay.from_surfaces(both)
    display.figure_.set_size_inches(9.0, 5.0)
    return display.figure_


def over_fitting(draws: Sequence[Result]) -> Figure:
    """Draw what the cheapest members promise and keep, by generations."""
    figure, axes = pyplot.subplots(
        1, 2, figsize=(9.6, 4.2), layout="constrained", sharey=True, sharex=True
    )
    for ax, name in zip(axes, MODELS, strict=True):
        _promise_lines(ax, draws, name)
        ax.set_title(name, fontsize=10.5, loc="left")
        ax.set(xscale="log", xlabel="generations")
        frame(ax)
        generations = draws[0]["schedule"]
        ax.set_xticks(generations, [f"{number:,}" for number in generations])
        ax.minorticks_off()
    axes[0].set_ylabel("cost per row (an error costs 1 on average)")
    axes[0].set_ylim(bottom=0)
    handles, labels = axes[0].get_legend_handles_labels()
    style: dict[str, Any] = {"loc": "outside lower center", "ncols": 4, "frameon": False}
    figure.legend(handles, labels, fontsize=9, **style)
    return figure


def _promise_lines(ax: Axes, draws: Sequence[Result], name: str) -> None:
    generations = draws[0]["schedule"]
    told = {"promised": "promised on the 300 rows", "kept": "kept on new rows"}
    for (what, words), color, marker in zip(told.items(), COLORS, "os", strict=False):
        means = np.array([draw[f"{name} {what}"].mean(axis=1) for draw in draws])
        ax.fill_between(generations, means.min(axis=0), means.max(axis=0), color=color, alpha=0.15)
        ax.plot(generations, means.mean(axis=0), marker, ls="-", color=color, lw=1.8, label=words)
    level = np.mean([draw[f"{name} by costs"].mean() for draw in draws])
    style: dict[str, Any] = {"color": COLORS[2], "lw": 1.4, "ls": (0, (1, 1))}
    ax.axhline(level, label="fewest errors, answering by the costs", **style)
    best = float(draws[0]["truth by costs"].mean())
    ax.axhline(best, color=REFERENCE, lw=1.2, ls=DASHES, label="true posteriors")


GRID = np.linspace(0, 1, 2001)
HATCHES = {"k-nn": "//", "MLP": "\\\\"}


def volumes(found: Result) -> Figure:
    """Draw Figure 7 on two classes of iris: G and delta of two staircases."""
    figure, ax = pyplot.subplots(figsize=(9.0, 6.2), layout="constrained")
    surfaces = {name: surface_of(found, name) for name in MODELS}
    tops = {name: _staircase(one.miss_rates) for name, one in surfaces.items()}
    for (name, other), color in zip((("k-nn", "MLP"), ("MLP", "k-nn")), COLORS, strict=False):
        _shade(ax, name, (tops[name], tops[other]), color, found)
        ax.plot(*surfaces[name].miss_rates.T, "o", ms=4.5, color=color, zorder=3)
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
    ax: Axes, name: str, tops: tuple[FloatArray, FloatArray], color: str, found: Result
) -> None:
    own, rival = tops
    share, alone = float(found[f"{name} G"]), float(found[f"delta {name}"])
    ax.plot(GRID, own, color=color, lw=1.6, zorder=2, label=f"{name}: G = {share:.3f}")
    if name == "k-nn":
        ax.fill_between(GRID, own, 1 - GRID, color=color, alpha=0.14, lw=0, label=f"G of {name}")
    style: dict[str, Any] = {"facecolor": "none", "edgecolor": color, "lw": 0}
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
        "promised": ("promised", {"marker": "o", "mfc": "white", "mec": COLORS[0], "mew": 1.6}),
        "kept": ("kept", {"marker": "o", "mfc": COLORS[0], "mec": COLORS[0]}),
        "by costs": (
            "fewest errors, answering by the costs",
            {"marker": "|", "mec": COLORS[1], "mew": 2.6, "ms": 12},
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
    display = rocch.plots.ParallelRatesDisplay.from_surface(
        surface, objectives="misses", marks=marks, most=30
    )
    display.figure_.set_size_inches(9.6, 4.8)
    words = display.ax_.get_title(loc="left")
    display.ax_.set_title(f"{name}, k-nn. {words}", fontsize=10, loc="left")
    return display.figure_
