"""Pictures: the paper's Figures 3 and 4, and promises kept or not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib import pyplot

import rocch
from rocch.plots.style import COLORS, DASHES, REFERENCE, frame
from studies.roc_surfaces.kept import surface_of
from studies.roc_surfaces.numbers import fewest, mean_of, never_alarmed, never_missed
from studies.roc_surfaces.synthetic import MODELS, ROWS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from studies.roc_surfaces.tables import Cell

    Result = Mapping[str, Any]

PANELS = {
    "fewest errors": fewest,
    "A2 never missed": never_missed,
    "nothing taken for A2": never_alarmed,
}


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
