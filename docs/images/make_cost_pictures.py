"""Redraw what the other papers show: the duality of hulls and cost curves, and volumes.

Run it from the repository's root: python docs/images/make_cost_pictures.py
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from letters import RED, draw_hull, entitle, few_words, hull_of, panels, say
from saving import save_all

import rocch
from rocch.plots.style import COLORS, DASHES, REFERENCE, frame

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def duality() -> Figure:
    """Draw the same hull as vertices in ROC space and as lines in the plane of costs."""
    figure, (left, right) = panels(2)
    given = rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=1.2)
    hull = hull_of("ABC")
    draw_hull(left, "ABC", "ABC", conditions=given, points=[hull.best(given)])
    few_words(left, ["equal cost"])
    entitle(left, "A vertex, and the line that touches it")
    rocch.plots.CostCurveDisplay.from_hull(hull, ax=right, conditions=given)
    few_words(right)
    at = rocch.roc.probability_cost(given).low
    cost = rocch.roc.CostCurve(hull).cost_at(at)
    right.plot(at, cost, "o", ms=10, mfc="none", mec=RED, mew=1.8, zorder=8)
    say(right, f"given conditions: {at:.2f}", (at + 0.015, 0.005))
    say(right, "never", (0.275, 0.325), REFERENCE, rotation=66, ha="center", va="center")
    say(right, "always", (0.725, 0.325), REFERENCE, rotation=-66, ha="center", va="center")
    say(right, "best of all", (0.17, 0.115), "#222222")
    entitle(right, "A line, and the condition at which it is lowest")
    return figure


def volumes() -> Figure:
    """Draw Figure 7 of Everson and Fieldsend: G and delta for two classes."""
    figure, (ax,) = panels(1)
    x = np.array([(0.04, 0.55), (0.15, 0.32), (0.42, 0.18)])
    y = np.array([(0.02, 0.72), (0.22, 0.22), (0.36, 0.08)])
    grid = np.linspace(0, 1, 1201)
    tops = {name: _staircase(points, grid) for name, points in (("X", x), ("Y", y))}
    free = 1 - grid  # random allocation
    for name, other, color, hatch in (
        ("X", "Y", COLORS[0], "//"),
        ("Y", "X", COLORS[1], "\\\\"),
    ):
        own = np.minimum(tops[name], free)
        rival = np.minimum(tops[other], free)
        if name == "X":
            ax.fill_between(
                grid,
                own,
                free,
                where=own < free,
                color=color,
                alpha=0.16,
                lw=0,
                label="dominated by X: $G(X)$",
            )
        ax.fill_between(
            grid,
            own,
            rival,
            where=own < rival,
            facecolor="none",
            edgecolor=color,
            hatch=hatch,
            lw=0,
            label=rf"by {name} alone: $\delta({name}, {other})$",
        )
    for points, color, marker, name in ((x, COLORS[0], "o", "X"), (y, COLORS[1], "s", "Y")):
        ax.plot(*points.T, marker, color=color, ms=7, ls="none", label=f"members of {name}")
    ax.plot([0, 1], [1, 0], color=REFERENCE, lw=1, ls=DASHES)
    say(
        ax,
        "random allocation",
        (0.70, 0.315),
        REFERENCE,
        rotation=-45,
        ha="center",
        va="center",
        rotation_mode="anchor",
    )
    ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), aspect="equal")
    ax.set(xlabel="Miss rate of class 1", ylabel="Miss rate of class 2")
    frame(ax)
    ax.legend(loc="upper right", fontsize=9)
    return figure


def _staircase(points: Any, grid: Any) -> Any:
    """Return the least height that points dominate to the right of each place."""
    reached = points[:, 0][:, None] <= grid
    return np.where(reached, points[:, 1][:, None], 1.0).min(axis=0)


PICTURES = {
    "theory-duality": duality,
    "theory-volumes": volumes,
}

if __name__ == "__main__":
    save_all(PICTURES)
