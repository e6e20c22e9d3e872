"""Pictures of domains: who wins where, and what hybrids save."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matplotlib import pyplot
from matplotlib.patches import Patch

from rocch.plots.style import COLORS, HULL, REFERENCE, frame

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from studies.robustness.domain import Domain
    from studies.robustness.saving import Saving

LEAST, MOST = 1 / 64, 64
"""Slopes are drawn between these; beyond, almost every case is one class or one error is free."""


def winners(rounds: Mapping[str, Sequence[Domain]]) -> Figure:
    """Draw who wins at which slope, a bar for each domain and a panel for each round."""
    names = list(
        dict.fromkeys(n for domains in rounds.values() for d in domains for n in d.learners)
    )
    colors = dict(zip(names, (*COLORS, HULL), strict=False))
    tall = max(len(domains) for domains in rounds.values())
    figure, axes = pyplot.subplots(
        1, len(rounds), figsize=(10, 0.42 * tall + 1.6), squeeze=False, layout="constrained"
    )
    for ax, (title, domains) in zip(axes.flat, rounds.items(), strict=True):
        for place, domain in enumerate(domains):
            _bar(ax, place, domain, colors)
        _slope_axis(ax, [domain.title for domain in domains], title)
    axes[0, -1].label_outer()
    marks = [Patch(color=color, label=name) for name, color in colors.items()]
    figure.legend(handles=marks, loc="outside lower center", ncols=9, frameon=False, fontsize=9)
    return figure


def _bar(ax: Axes, place: int, domain: Domain, colors: Mapping[str, str]) -> None:
    for row in domain.averaged_hull.slope_ranges():
        low, high = max(row.low, LEAST), min(row.high, MOST)
        if low < high:
            ax.barh(
                place, high - low, left=low, height=0.7, color=colors[row.classifier],
                ec="white", lw=0.8,
            )  # fmt: skip


def _slope_axis(ax: Axes, titles: Sequence[str], title: str) -> None:
    ax.set_xscale("log", base=2)
    ticks = [1 / 64, 1 / 16, 1 / 4, 1, 4, 16, 64]
    ax.set_xticks(ticks, ["1/64", "1/16", "1/4", "1", "4", "16", "64"])
    ax.set(
        xlim=(LEAST, MOST), xlabel="Slope (misses expensive on the left, false alarms on the right)"
    )
    ax.set_yticks(range(len(titles)), titles)
    ax.invert_yaxis()
    ax.tick_params(axis="y", length=0)
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    ax.set_title(title, fontsize=11, loc="left")


def savings(rounds: Mapping[str, Mapping[str, Saving]]) -> Figure:
    """Draw what hybrids save over the picked learner, on building rows and on new ones."""
    tall = max(len(found) for found in rounds.values())
    figure, axes = pyplot.subplots(
        1, len(rounds), figsize=(10, 0.45 * tall + 1.7), sharey=True, squeeze=False,
        layout="constrained",
    )  # fmt: skip
    for ax, (title, found) in zip(axes.flat, rounds.items(), strict=True):
        frame(ax)
        ax.axvline(0, color=REFERENCE, lw=1)
        for place, saving in enumerate(found.values()):
            _dots(ax, place, saving)
        ax.set_yticks(range(len(found)), found.keys())
        ax.set_title(title, fontsize=11, loc="left")
        ax.set_xlabel("Saved over the picked learner, % of its cost")
    axes[0, 0].invert_yaxis()
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False)
    return figure


def _dots(ax: Axes, place: int, saving: Saving) -> None:
    marks: list[tuple[str, str, Any, float]] = [
        ("on the rows that built it", "o", saving.saved("building"), -0.22),
        ("on new rows", "s", saving.saved("new"), 0.0),
        ("on new rows, parsimonious", "^", saving.saved("new", parsimonious=True), 0.22),
    ]
    for (words, marker, saved, shift), color in zip(marks, COLORS, strict=False):
        ax.errorbar(
            saved.percent, place + shift, xerr=1.96 * saved.error, fmt=marker, color=color,
            ms=5, lw=1.2, label=words if place == 0 else None,
        )  # fmt: skip
