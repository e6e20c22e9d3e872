"""Pictures of the synthetic problem, after the paper's Figures 2 to 6 and 8."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib import pyplot
from matplotlib.ticker import MaxNLocator

import rocch
from roc_surfaces.kept import surface_of
from roc_surfaces.synthetic import MODELS, ROWS
from roc_surfaces_page.choices import fewest, never_alarmed, never_missed
from rocch.plots.style import COLOURS, DASHES, HULL, REFERENCE, frame

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from rocch.arrays import IntArray

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
    data = rocch.three_class_data(ROWS, seed=draw)
    names = np.array(data.classes.names)

    def best_rule(X: Any) -> Any:
        return names[data.posteriors(X).argmax(axis=1)]

    rocch.DecisionRegionsDisplay.from_classifiers(
        data.X,
        data.y,
        {"Best rule for equal costs": best_rule},
        posteriors=data.posteriors,
        ax=left,
    )
    left.legend(loc="lower left", fontsize=8, framealpha=0.9)
    _luck(right, many["fewest"], many["best rule"])
    return figure


def _luck(ax: Axes, fewest_errors: IntArray, best_rule: IntArray) -> None:
    low = int(min(fewest_errors.min(), best_rule.min()))
    high = int(max(fewest_errors.max(), best_rule.max(), PUBLISHED_FEWEST))
    bins = np.arange(low - 0.5, high + 1.5).tolist()
    ax.hist(fewest_errors, bins=bins, color=COLOURS[0], alpha=0.85, label="k-nn, fewest errors")
    style: dict[str, Any] = {"histtype": "step", "color": COLOURS[1], "lw": 1.6}
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
    data = rocch.three_class_data(ROWS, seed=draw)
    for row, (name, kind) in zip(axes, MODELS.items(), strict=True):
        surface = surface_of(found, name)
        rocch.DecisionRegionsDisplay.from_surface(
            surface,
            kind(data.X, data.y),
            data.X,
            data.y,
            {f"{name}: {words}": find(surface) for words, find in PANELS.items()},
            posteriors=data.posteriors,
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
    display = rocch.MissFrontDisplay.from_surface(surface_of(found, "k-nn"))
    display.figure_.set_size_inches(8.6, 5.8)
    display.ax_.set_box_aspect(None, zoom=1.12)
    return display.figure_


def whole_surface(found: Result) -> Figure:
    """Draw Figure 6."""
    return rocch.SurfaceDisplay.from_surface(surface_of(found, "k-nn")).figure_


def distances(found: Result) -> Figure:
    """Draw Figure 8's histograms."""
    both = {name: surface_of(found, name) for name in MODELS}
    display = rocch.RandomDistanceDisplay.from_surfaces(both)
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
    for (what, words), colour, marker in zip(told.items(), COLOURS, "os", strict=False):
        means = np.array([draw[f"{name} {what}"].mean(axis=1) for draw in draws])
        ax.fill_between(generations, means.min(axis=0), means.max(axis=0), color=colour, alpha=0.15)
        ax.plot(generations, means.mean(axis=0), marker, ls="-", color=colour, lw=1.8, label=words)
    level = np.mean([draw[f"{name} by costs"].mean() for draw in draws])
    style: dict[str, Any] = {"color": COLOURS[2], "lw": 1.4, "ls": (0, (1, 1))}
    ax.axhline(level, label="fewest errors, answering by the costs", **style)
    best = float(draws[0]["truth by costs"].mean())
    ax.axhline(best, color=REFERENCE, lw=1.2, ls=DASHES, label="true posteriors")
