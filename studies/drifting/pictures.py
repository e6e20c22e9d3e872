"""The page's pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from matplotlib import pyplot
from matplotlib.lines import Line2D

from rocch.plots.style import COLORS, DASHES, HULL, REFERENCE, frame
from studies.drifting.numbers import WORDS, weekly
from studies.drifting.operate import POLICIES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from rocch.arrays import BoolArray, FloatArray
    from studies.drifting.numbers import Found, Year


class Line(NamedTuple):
    """How a policy is drawn."""

    color: str
    style: object = "-"


LINES = {
    "half": Line(COLORS[1]),
    "kept": Line(COLORS[5]),
    "usual": Line(COLORS[3]),
    "fixed": Line(REFERENCE, DASHES),
    "tuned": Line(COLORS[2]),
    "knob": Line(COLORS[0]),
    "pool": Line(HULL, (0, (1, 1.5))),
}
WHOLE = ("half", "kept", "usual", "fixed", "tuned", "knob", "pool")


def weather(title: str, year: Year) -> Figure:
    """Draw one year: prevalence with its estimates, and the cost of a miss."""
    figure, (top, bottom) = pyplot.subplots(
        2, 1, figsize=(9.5, 5.6), sharex=True, height_ratios=(3, 2), layout="constrained"
    )
    week = np.arange(1.0, year["prevalence"].size + 1)
    top.plot(week, year["prevalence"], color=HULL, lw=1.8, label="true prevalence")
    fits = year["kept fits"].astype(bool)
    for chosen, fill, words in ((fits, COLORS[0], "accepted"), (~fits, "white", "refused")):
        _estimates(top, year, week, chosen, fill, f"estimate from the week's rows, {words}")
    top.set(ylabel="Prevalence", ylim=(0, None))
    top.legend(fontsize=9, frameon=False)
    top.set_title(f"{title}: one of the years, and what its unlabeled rows say", loc="left")
    bottom.step(week, year["miss_cost"], where="mid", color=COLORS[1], lw=1.8)
    bottom.set(yscale="log", ylim=(0.9, 45), xlabel="Week", ylabel="A miss costs\n(false alarms)")
    bottom.set_yticks([1, 2, 5, 10, 20, 40], ["1", "2", "5", "10", "20", "40"])
    bottom.minorticks_off()
    bottom.set_xlim(0, week[-1] + 1)
    for ax in (top, bottom):
        frame(ax)
    return figure


def _estimates(
    ax: Axes, year: Year, week: FloatArray, chosen: BoolArray, fill: str, words: str
) -> None:
    if not chosen.any():
        return
    estimate, low, high = (year[f"kept {what}"][chosen] for what in ("estimate", "low", "high"))
    ax.vlines(week[chosen], low, high, color=COLORS[0], lw=0.9, alpha=0.55)
    ax.plot(week[chosen], estimate, "o", ms=4.5, mfc=fill, mec=COLORS[0], ls="", label=words)


def cumulative(found: Found) -> Figure:
    """Draw what has been spent so far, for each data set."""
    figure, axes = _panels(len(found))
    for ax, (title, years) in zip(axes, found.items(), strict=False):
        spent = np.cumsum(weekly(years, "kept"), axis=2) / weekly(years, "kept").shape[2]
        for policy in WHOLE:
            _band(ax, spent[:, POLICIES.index(policy)], policy)
        ax.set_title(title, loc="left", fontsize=10.5)
        ax.set_ylim(0, None)
    words = "Spent so far, per row of the year (false alarms)"
    _finish(figure, axes, len(found), words, WHOLE)
    figure.suptitle("What has been spent so far", x=0.01, ha="left", fontsize=12)
    return figure


def _panels(number: int) -> tuple[Figure, list[Axes]]:
    """Return panels, two in a row."""
    columns = min(number, 2)
    rows = -(-number // columns)
    figure, axes = pyplot.subplots(
        rows, columns, figsize=(10, 0.9 + 3.3 * rows), squeeze=False, layout="constrained"
    )
    return figure, list(axes.ravel())


def _band(ax: Axes, values: FloatArray, policy: str) -> None:
    """Draw the mean over repetitions, and one standard error to both sides."""
    week = np.arange(1, values.shape[1] + 1)
    mean, error = values.mean(axis=0), values.std(axis=0, ddof=1) / np.sqrt(len(values))
    line = LINES[policy]
    ax.fill_between(week, mean - error, mean + error, color=line.color, alpha=0.18, lw=0)
    ax.plot(week, mean, color=line.color, ls=line.style, lw=1.7, label=WORDS[policy])


def _finish(
    figure: Figure, axes: list[Axes], used: int, words: str, policies: tuple[str, ...]
) -> None:
    """Frame the panels that are used, and put one legend below them all."""
    for ax in axes[:used]:
        frame(ax)
        ax.set_xlim(0, None)
        ax.set_xlabel("Week", fontsize=9)
    for ax in axes[used:]:
        ax.axis("off")
    figure.supylabel(words, fontsize=10)
    handles = [
        Line2D([], [], color=LINES[name].color, ls=LINES[name].style, lw=2) for name in policies
    ]
    labels = [WORDS[name] for name in policies]
    figure.legend(handles, labels, loc="outside lower center", ncols=3, fontsize=9, frameon=False)
