"""The page's pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib import pyplot

from rocch.plots.style import COLORS, DASHES, REFERENCE, frame
from studies.lc.figures import favored
from studies.lc.splits import READINGS
from studies.lc.tables import number, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from studies.lc.examples import Example
    from studies.lc.tables import Found

BINS = np.linspace(-1, 1, 21)
A, B = COLORS[:2]
"""The colors of A and of B in every picture."""


def index_spread(examples: tuple[Example, ...], found: Found) -> Figure:
    """Draw how the index spreads over the splits, in both readings."""
    figure, axes = pyplot.subplots(
        len(examples), 2, figsize=(9.5, 9.6), sharex=True, sharey=True, layout="constrained"
    )
    for row, example in zip(axes, examples, strict=True):
        for ax, reading in zip(row, READINGS, strict=True):
            _histogram(ax, example, found[example.key][f"lc_{reading}"])
            ax.set_title(f"{example.title}, {reading} reading", loc="left", fontsize=10.5)
        row[0].set_ylabel("share of splits")
    for ax in axes[-1]:
        ax.set_xlabel("LC index")
    figure.suptitle("LC indices of all splits, and whom they favor", x=0.01, ha="left")
    return figure


def _histogram(ax: Axes, example: Example, index: Any) -> None:
    heights, _ = np.histogram(index, BINS)
    middles = (BINS[:-1] + BINS[1:]) / 2
    colors = [A if middle > 0 else B for middle in middles]
    ax.bar(middles, heights / index.size, width=0.092, color=colors)
    ax.set(xlim=(-1.06, 1.06), ylim=(0, 1.02), yticks=[0, 0.25, 0.5, 0.75, 1])
    ax.yaxis.set_major_formatter(lambda share, _: f"{100 * share:.0f}%")
    ax.axvline(example.lc, color="black", lw=1.4, ls=DASHES)
    right = example.lc < 0.5
    ax.text(
        example.lc + (0.03 if right else -0.03),
        0.97,
        f"published {number(example.lc, example.digits)}{', other data' * example.stand_in}",
        ha="left" if right else "right",
        va="top",
        fontsize=9,
    )
    _name_sides(ax, example, index)
    frame(ax)


def _name_sides(ax: Axes, example: Example, index: Any) -> None:
    """Write under the published value who each side favors, and in how many splits."""
    first = favored(index)
    sides = ((-0.2, B, example.names[1], 1 - first), (0.5, A, example.names[0], first))
    for x, color, name, share in sides:
        text = f"{name}\n{percent(share)}"
        ax.text(x, 0.72, text, color=color, ha="center", va="center", fontsize=9.5)


def split_intervals(examples: tuple[Example, ...], found: Found) -> Figure:
    """Draw every split's index with its interval, in the order of the indices."""
    figure, axes = pyplot.subplots(2, 2, figsize=(9.5, 7), sharey=True, layout="constrained")
    for ax, example in zip(axes.ravel(), examples, strict=True):
        _caterpillar(ax, example, found[example.key])
    for ax in axes[:, 0]:
        ax.set_ylabel("LC index (envelope)")
    figure.suptitle(
        "What each test set knows of its own index: 95% of resamples of its rows",
        x=0.01,
        ha="left",
    )
    return figure


def _caterpillar(ax: Axes, example: Example, ours: dict[str, Any]) -> None:
    order = np.lexsort((ours["favored"], ours["lc_envelope"]))
    index, low, high = (ours[name][order] for name in ("lc_envelope", "low", "high"))
    places = np.arange(index.size)
    both = (low < 0) & (high > 0)
    ax.vlines(places[both], low[both], high[both], color="#C9C9C9", lw=1.6)
    for color, which in ((A, ~both & (index > 0)), (B, ~both & (index <= 0))):
        ax.vlines(places[which], low[which], high[which], color=color, lw=1.6, alpha=0.5)
    ax.scatter(places, index, s=7, color=[A if i > 0 else B for i in index], zorder=3)
    ax.axhline(0, color=REFERENCE, lw=0.8, ls=DASHES)
    ax.set(ylim=(-1.06, 1.06), xlabel="splits, in the order of their indices")
    both_share = percent(float(both.mean()))
    ax.set_title(f"{example.title}: both signs possible in {both_share}", loc="left", fontsize=10.5)
    frame(ax)
