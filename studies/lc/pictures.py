"""The page's pictures."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib import pyplot

import rocch
from rocch.plots.style import COLORS, DASHES, REFERENCE, frame, halo, roc_frame
from studies.lc.figures import favored, opposed
from studies.lc.splits import READINGS, HeldOut, comparison
from studies.lc.tables import number, percent

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from studies.lc.examples import Example
    from studies.lc.tables import Found

BINS = np.linspace(-1, 1, 21)
A, B = COLORS[:2]
"""The colors of A and of B in every picture."""


def all_pictures(
    examples: tuple[Example, ...], found: Found, drawn: Found
) -> dict[str, Callable[[], Figure]]:
    """Return what draws each picture, by name."""
    made: dict[str, Callable[[], Figure]] = {
        "index_spread": partial(index_spread, examples, found),
        "auc_and_index": partial(auc_and_index, examples, found),
        "intervals_picture": partial(split_intervals, examples, found),
    }
    for example in examples:
        made[f"split_{example.key}"] = partial(one_split, example, drawn[example.key])
    return made


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
    ax.yaxis.set_major_formatter(lambda share, _: f"{100 * share:.0f} %")
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


def auc_and_index(examples: tuple[Example, ...], found: Found) -> Figure:
    """Draw each split at its AUCs, in the color of the one that the index favors."""
    figure, axes = pyplot.subplots(2, 2, figsize=(9.5, 9.6), layout="constrained")
    for ax, example in zip(axes.ravel(), examples, strict=True):
        _scatter(ax, example, found[example.key])
    figure.suptitle(
        "Color: whom the LC index favors (envelope). Side of the line: whom the AUC favors",
        x=0.01,
        ha="left",
    )
    return figure


def _scatter(ax: Axes, example: Example, ours: dict[str, Any]) -> None:
    a, b, index = ours["auc_a"], ours["auc_b"], ours["lc_envelope"]
    for name, color, which in zip(example.names, (A, B), (index > 0, index < 0), strict=True):
        ax.scatter(a[which], b[which], s=16, color=color, alpha=0.75, lw=0, label=f"LC: {name}")
    edge = [a, b] if example.stand_in else [a, b, [example.auc_a, example.auc_b]]
    low, high = np.min(np.concatenate(edge)) - 0.006, np.max(np.concatenate(edge)) + 0.006
    ax.plot([low, high], [low, high], color=REFERENCE, lw=1, ls=DASHES, zorder=1)
    if not example.stand_in:
        ax.plot(example.auc_a, example.auc_b, "*", ms=15, color="black", label="published")
    ax.set(xlim=(low, high), ylim=(low, high), aspect="equal")
    ax.set(xlabel=f"AUC of {example.names[0]}", ylabel=f"AUC of {example.names[1]}")
    ax.legend(loc="lower right", fontsize=9)
    share = percent(opposed(ours, "envelope"))
    ax.set_title(f"{example.title}: opposed in {share} of splits", loc="left", fontsize=10.5)
    frame(ax)


def split_intervals(examples: tuple[Example, ...], found: Found) -> Figure:
    """Draw every split's index with its interval, in the order of the indices."""
    figure, axes = pyplot.subplots(2, 2, figsize=(9.5, 7), sharey=True, layout="constrained")
    for ax, example in zip(axes.ravel(), examples, strict=True):
        _caterpillar(ax, example, found[example.key])
    for ax in axes[:, 0]:
        ax.set_ylabel("LC index (envelope)")
    figure.suptitle(
        "What each test set knows of its own index: 95 % of resamples of its rows",
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


def one_split(example: Example, one: dict[str, Any]) -> Figure:
    """Draw the ROC curves of one split, and above the belief who is better where."""
    figure, axes = pyplot.subplot_mosaic(
        [["curves", "envelope"], ["curves", "implied"]],
        figsize=(10, 5.4),
        width_ratios=[0.8, 1],
        layout="constrained",
    )
    scores, probabilities = (
        dict(zip(example.names, one[what], strict=True)) for what in ("scores", "probabilities")
    )
    split = HeldOut(one["y"], scores, probabilities)
    _curves(axes["curves"], split)
    for reading in READINGS:
        found = comparison(split, example.setup, reading)
        rocch.plots.SuperiorityDisplay.from_comparison(found, zoom=False, ax=axes[reading])
        title = f"{reading.capitalize()} reading: LC index {number(found.lc_index)}"
        axes[reading].set_title(title, loc="left", fontsize=10.5, pad=8)
        _smaller_ticks(axes[reading])
    figure.suptitle(_finding(example, one), x=0.01, ha="left")
    return figure


def _smaller_ticks(ax: Axes) -> None:
    """Keep the labels above a narrow graph apart."""
    for above in ax.child_axes:
        for label in above.get_xticklabels():
            label.set_fontsize(7.5)


def _finding(example: Example, one: dict[str, Any]) -> str:
    by_auc = example.winner(float(one["auc_a"] - one["auc_b"]))
    by_index = example.winner(float(one["lc_envelope"]))
    if by_auc == by_index:
        return f"{example.title}, one split: AUC and LC index both favor {by_auc}"
    return f"{example.title}, one split: AUC favors {by_auc}, the LC index {by_index}"


def _curves(ax: Axes, split: HeldOut) -> None:
    roc_frame(ax)
    frame(ax)
    for curve, color in zip(split.curves(), (A, B), strict=True):
        ax.plot(
            curve.fpr, curve.tpr, color=color, lw=1.7, label=f"{curve.name}: AUC {curve.auc:.4f}"
        )
    ax.legend(loc="lower right", fontsize=9.5).set_path_effects([halo()])
    ax.set_title("ROC curves of the test set", loc="left", fontsize=10.5)
