"""Redraw the figures of Provost and Fawcett for the theory page, on curves of our own.

The paper does not print the numbers behind its curves, so what each figure shows is kept.

Run it from the repository's root: python docs/images/make_theory_pictures.py
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from letters import RED, draw_hull, entitle, few_words, panels, say
from saving import save_all

import rocch
from rocch.plots.style import COLORS, DASHES, REFERENCE, frame, roc_frame

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FIVE_TO_ONE = 1 / 6


def slopes(low: float, high: float | None = None) -> rocch.Conditions:
    """Return conditions whose iso-performance lines have these slopes."""
    cost = low if high is None else (low, high)
    return rocch.Conditions(prevalence=0.5, false_positive=cost, false_negative=1)


def hull_and_lines() -> Figure:
    """Draw Figures 3 and 4: who can be best, and what two conditions pick."""
    figure, (left, right) = panels(2)
    hull = draw_hull(left, "ABCD", "ABCD")
    few_words(left, ["hull", "A", "B", "C", "D"])
    entitle(left, "Only A and C can ever be best; B and D never")
    a, b = (
        rocch.Conditions(prevalence=FIVE_TO_ONE, false_positive=1, false_negative=cost)
        for cost in (1, 25)
    )
    chosen = [hull.best(a), hull.best(b)]
    draw_hull(right, "ABCD", "AC", conditions=[a, b], points=chosen)
    few_words(right)
    say(right, r"$\alpha$: slope 5", (0.17, 0.955), "#444444")
    say(right, r"$\beta$: slope 1/5", (0.16, 0.84), "#444444", rotation=11, rotation_mode="anchor")
    entitle(right, r"Equal costs ($\alpha$) ask for A, expensive misses ($\beta$) for C")
    return figure


def sensitivity() -> Figure:
    """Draw Figure 7, and 8c of the earlier text: low and high sensitivity, and doing nothing."""
    figure, axes = panels(3)
    for ax, given, title in zip(
        axes,
        (slopes(0.2, 0.5), slopes(0.5, 3), slopes(19)),
        (
            "Slopes 1/5 to 1/2: C, whatever holds",
            "Slopes 1/2 to 3: C, E or A",
            "Slope 19: never alarming is best",
        ),
        strict=True,
    ):
        draw_hull(ax, "ABCE", "ACE", conditions=given)
        few_words(ax, ["can be best"])
        entitle(ax, title)
    axes[2].plot(0, 0, "o", ms=11, mfc="none", mec=RED, mew=1.8, zorder=5, clip_on=False)
    say(axes[2], "the best line of slope 19\npasses through the origin", (0.22, 0.04))
    return figure


def between_vertices() -> Figure:
    """Draw Figure 8: under a limit the hull lies above every curve, and a coin reaches it."""
    figure, (ax,) = panels(1)
    hull, limit = draw_hull(ax, "ABCD", "ABC"), rocch.NeymanPearson(0.22)
    alone, mixed = hull.best(limit), hull.best(limit, randomize=True)
    few_words(ax)
    ax.axvline(0.22, color=RED, lw=1.2, ls=DASHES)
    for point, fill in ((mixed, RED), (alone, "white")):
        ax.plot(point.fpr, point.tpr, "o", ms=10, mfc=fill, mec=RED, mew=1.8, zorder=6)
    (share, left), (_, right) = mixed.mix
    say(ax, f"with a coin: TPR {mixed.tpr:.3f}", (0.205, mixed.tpr + 0.012), ha="right")
    say(ax, f"without: TPR {alone.tpr:.3f}", (alone.fpr - 0.013, alone.tpr + 0.002), ha="right")
    for text, at, place in (
        ("A", (0.36, 0.725), 0),
        ("B", (0.40, 0.825), 1),
        ("C", (0.19, 0.50), 2),
    ):
        say(ax, text, at, COLORS[place])
    for vertex, chance in ((left, share), (right, 1 - share)):
        say(ax, f"{chance:.0%}", (vertex.fpr - 0.035, vertex.tpr + 0.015), "#222222")
    ax.set(xlim=(0.03, 0.45), ylim=(0.45, 0.95), aspect="auto")
    entitle(ax, "At most 22% false alarms: the hull beats every curve")
    return figure


def workforce() -> Figure:
    """Draw Figure 9: two rankings, and the cut-off at which they change places."""
    figure, (ax,) = panels(1)
    y = np.repeat([1, 0], 50)
    ranked = {
        "R_a": np.where(np.arange(100) < 20, 1, 0),
        "R_b": np.where(np.arange(100) < 80, 1, 0),
    }
    roc_frame(ax)
    frame(ax)
    for (name, score), color in zip(ranked.items(), COLORS, strict=False):
        curve = rocch.RocCurve.from_scores(y, score, name=name)
        ax.plot(curve.fpr, curve.tpr, color=color, lw=1.9, label=f"${name}$")
    for cases in (20, 50, 80):
        x = np.array([0.0, 1.0])
        ax.plot(x, cases / 50 - x, color=REFERENCE, lw=1, ls=DASHES, zorder=1.5)
        say(
            ax,
            f"{cases} cases",
            (cases / 100 + 0.09, cases / 100 - 0.09),
            "#555555",
            rotation=-45,
            ha="center",
            va="center",
            rotation_mode="anchor",
        )
    ax.plot(0.375, 0.625, "o", ms=11, mfc="none", mec=RED, mew=1.8, zorder=5)
    ax.legend(loc="lower right", fontsize=10)
    entitle(ax, "$R_a$ fills small workforces better, $R_b$ large ones")
    return figure


PICTURES = {
    "theory-hull": hull_and_lines,
    "theory-sensitivity": sensitivity,
    "theory-between-vertices": between_vertices,
    "theory-workforce": workforce,
}

if __name__ == "__main__":
    save_all(PICTURES)
