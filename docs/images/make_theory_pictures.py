"""Redraw the papers' figures for the theory pages, on curves of our own.

The originals' data were not published, so what is kept is what each figure shows. Curves A to G
stand in for those of Provost and Fawcett; beliefs are the published numbers of Adams and Hand.

Run it from the repository's root: python docs/images/make_theory_pictures.py
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib import pyplot

import rocch
from rocch.plots.style import COLOURS, DASHES, REFERENCE, frame, halo, roc_frame
from saving import save_all

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

RED = "#B00020"
FIVE_TO_ONE = 1 / 6
KNOTS = {
    "A": [(2, 28), (5, 44), (10, 56), (18, 64), (30, 71), (50, 80), (75, 91)],
    "B": [(4, 30), (9, 46), (15, 60), (20, 66), (25, 71), (32, 76), (45, 84), (65, 92)],
    "C": [(5, 12), (12, 34), (20, 56), (27, 72), (35, 84), (45, 92), (60, 97), (80, 99)],
    "D": [(10, 25), (25, 48), (45, 68), (70, 86)],
}
"""False and true positives of 100 each at the curves' corners."""
POINTS = {"E": (20, 71), "F": (15, 58), "G": (55, 78)}


def scored(name: str) -> rocch.RocCurve:
    """Return the curve through a classifier's corners: one score for the rows between two."""
    corners = [*KNOTS[name], (100, 100)]
    steps = np.diff([(0, 0), *corners], axis=0)
    scores = np.arange(len(corners), 0, -1)
    y = np.repeat([0, 1], 100)
    return rocch.RocCurve.from_scores(
        y,
        np.concatenate([np.repeat(scores, steps[:, 0]), np.repeat(scores, steps[:, 1])]),
        name=name,
    )


def labelled(name: str) -> rocch.RocCurve:
    """Return a classifier that only answers yes or no."""
    false, true = POINTS[name]
    rows = np.arange(100)
    said = np.concatenate([rows < false, rows < true])
    return rocch.RocCurve.from_labels(np.repeat([0, 1], 100), said, name=name)


def curve_of(name: str) -> rocch.RocCurve:
    """Return a classifier by its letter."""
    return scored(name) if name in KNOTS else labelled(name)


def hull_of(names: str) -> rocch.RocHull:
    """Return the joint hull of classifiers, each named by a letter."""
    return rocch.RocHull.of(*map(curve_of, names))


def draw_hull(ax: Axes, names: str, show: str, **options: Any) -> rocch.RocHull:
    """Draw a hull and some of its curves; the colours hang on the place among all names."""
    hull = hull_of(names)
    rocch.RocHullDisplay.from_hull(hull, ax=ax, curves=[curve_of(n) for n in show], **options)
    for text in ax.texts:
        text.set_clip_on(True)
    return hull


def slopes(low: float, high: float | None = None) -> rocch.Conditions:
    """Return conditions whose iso-performance lines have these slopes."""
    cost = low if high is None else (low, high)
    return rocch.Conditions(prevalence=0.5, false_positive=cost, false_negative=1)


def panels(number: int, *, height: float = 5.0) -> tuple[Figure, list[Axes]]:
    """Return square graphs beside one another."""
    figure, axes = pyplot.subplots(
        1, number, figsize=(5.0 * number, height), layout="constrained", squeeze=False
    )
    return figure, list(axes[0])


def entitle(ax: Axes, title: str) -> None:
    """Write what a panel shows above its left edge."""
    ax.set_title(title, loc="left", fontsize=10.5)


def few_words(ax: Axes, keep: Sequence[str] = ()) -> None:
    """Leave in the legend what the graph does not say by itself, or drop it."""
    handles, labels = ax.get_legend_handles_labels()
    kept = [(h, t) for h, t in zip(handles, labels, strict=True) if t.startswith(tuple(keep))]
    if keep and kept:
        ax.legend(*zip(*kept, strict=True), loc="lower right", fontsize=8.5, framealpha=0.95)
    elif (legend := ax.get_legend()) is not None:
        legend.remove()


def say(ax: Axes, text: str, at: tuple[float, float], colour: str = RED, **style: Any) -> None:
    """Write a short text that stays readable on lines."""
    words = ax.text(*at, text, color=colour, fontsize=9, zorder=7, **style)
    words.set_path_effects([halo()])


def neyman_pearson_bars() -> Figure:
    """Draw Figures 1 and 2: three classifiers under three limits, and their curves."""
    figure, (left, right) = panels(2)
    limits, curves = (0.05, 0.22, 0.45), [scored(name) for name in "ABC"]
    best = {limit: max(curves, key=lambda c, at=limit: c.tpr_at(at)) for limit in limits}
    for i, curve in enumerate(curves):
        heights = [curve.tpr_at(limit) for limit in limits]
        left.bar(np.arange(3) + (i - 1) * 0.26, heights, width=0.24, color=COLOURS[i])
        for j, height in enumerate(heights):
            style = {"fontweight": "bold"} if best[limits[j]] is curve else {}
            left.text(j + (i - 1) * 0.26, height + 0.015, curve.name, ha="center", **style)
    left.set_xticks(range(3), [f"FPR at most {limit:g}" for limit in limits])
    left.set(ylim=(0, 1.02), ylabel="True positive rate")
    frame(left)
    left.grid(visible=False, axis="x")
    entitle(left, "The best under each limit is another one")
    roc_frame(right)
    frame(right)
    for curve, colour in zip(curves, COLOURS, strict=False):
        right.plot(curve.fpr, curve.tpr, color=colour, lw=1.8, label=curve.name)
    for limit, curve in best.items():
        right.axvline(limit, color=REFERENCE, lw=1, ls=DASHES)
        height = curve.tpr_at(limit)
        right.plot(limit, height, "o", ms=11, mfc="none", mec=RED, mew=1.8, zorder=5)
        say(right, curve.name, (limit - 0.035, height + 0.03), fontweight="bold", ha="center")
    right.legend(loc="lower right", fontsize=9)
    entitle(right, "The curves behind it")
    return figure


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
    entitle(right, r"Equal costs ($\alpha$) ask for A, dear misses ($\beta$) for C")
    return figure


def newcomers() -> Figure:
    """Draw Figure 6: E extends the hull, F and G do not."""
    figure, (ax,) = panels(1)
    draw_hull(ax, "ABCEFG", "ACEFG")
    before = hull_of("AC")
    ax.plot(before.fpr, before.tpr, color="#444444", lw=1.3, ls=DASHES, zorder=2.6)
    few_words(ax)
    for name in "FG":
        false, true = POINTS[name]
        say(ax, name, (false / 100 + 0.02, true / 100 - 0.035), "#555555")
    arrow = {"arrowstyle": "-", "color": "#777777", "lw": 0.8}
    ax.annotate(
        "hull without E", (0.25, 0.73), (0.36, 0.60), fontsize=9, color="#444444", arrowprops=arrow
    )
    entitle(ax, "E extends the hull; F and G can be forgotten")
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


def ranges() -> Figure:
    """Draw the form of Table 2: for which slopes which classifier is best."""
    figure, ax = pyplot.subplots(figsize=(9, 2.2), layout="constrained")
    rows = hull_of("ACE").slope_ranges()
    low, high = 0.03, 40
    for height, row in enumerate(rows):
        ends = np.clip((row.low, row.high), low, high)
        colour = COLOURS["ABCE".index(row.classifier)]
        ax.plot(ends, [height] * 2, color=colour, lw=10, solid_capstyle="butt")
        ax.axvline(ends[0], color=REFERENCE, lw=0.8, ls=DASHES, zorder=0)
    ax.set(xscale="log", xlim=(low, high), xlabel="Slope of the lines of equal cost")
    ax.set_xticks([0.05, 0.2, 0.5, 1, 2, 5, 20], ["1/20", "1/5", "1/2", "1", "2", "5", "20"])
    ax.minorticks_off()
    ax.set_yticks(range(len(rows)), [row.classifier for row in rows])
    ax.set_ylim(-0.6, len(rows) - 0.4)
    frame(ax)
    ax.grid(visible=False)
    ax.tick_params(axis="y", length=0)
    return figure


def between_vertices() -> Figure:
    """Draw Figure 8: under a limit the hull lies above every curve, and a coin reaches it."""
    figure, (ax,) = panels(1)
    hull, limit = draw_hull(ax, "ABCD", "ABC"), rocch.NeymanPearson(0.22)
    alone, mixed = hull.best(limit), hull.best(limit, randomise=True)
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
        say(ax, text, at, COLOURS[place])
    for vertex, chance in ((left, share), (right, 1 - share)):
        say(ax, f"{chance:.0%}", (vertex.fpr - 0.035, vertex.tpr + 0.015), "#222222")
    ax.set(xlim=(0.03, 0.45), ylim=(0.45, 0.95), aspect="auto")
    entitle(ax, "At most 22 % false alarms: the hull beats every curve")
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
    for (name, score), colour in zip(ranked.items(), COLOURS, strict=False):
        curve = rocch.RocCurve.from_scores(y, score, name=name)
        ax.plot(curve.fpr, curve.tpr, color=colour, lw=1.9, label=f"${name}$")
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


def duality() -> Figure:
    """Draw the same hull as vertices in ROC space and as lines in the plane of costs."""
    figure, (left, right) = panels(2)
    given = rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=1.2)
    hull = hull_of("ABC")
    draw_hull(left, "ABC", "ABC", conditions=given, points=[hull.best(given)])
    few_words(left, ["equal cost"])
    entitle(left, "A vertex, and the line that touches it")
    rocch.CostCurveDisplay.from_hull(hull, ax=right, conditions=given)
    few_words(right)
    at = rocch.probability_cost(given).low
    cost = rocch.CostCurve(hull).cost_at(at)
    right.plot(at, cost, "o", ms=10, mfc="none", mec=RED, mew=1.8, zorder=8)
    say(right, f"given conditions: {at:.2f}", (at + 0.015, 0.005))
    say(right, "never", (0.275, 0.325), REFERENCE, rotation=66, ha="center", va="center")
    say(right, "always", (0.725, 0.325), REFERENCE, rotation=-66, ha="center", va="center")
    say(right, "best of all", (0.17, 0.115), "#222222")
    entitle(right, "A line, and the condition at which it is lowest")
    return figure


def beliefs() -> Figure:
    """Draw the beliefs of Adams and Hand's four examples: triangles on the miss's share."""
    figure, ax = pyplot.subplots(figsize=(9, 3.6), layout="constrained")
    examples = {
        "diabetes: 4 to 10 times, likely 7": (4, 10, 7),
        "heart: 2 to 20 times, likely 16": (2, 20, 16),
        "banking: 5 to 10 times, likely 9": (5, 10, 9),
        "marketing: 6.7 to 15.4 times, likely 10.5": (1 / 0.15, 1 / 0.065, 1 / 0.095),
    }
    for (label, (low, high, likely)), colour in zip(examples.items(), COLOURS, strict=False):
        ends = [times / (1 + times) for times in (low, likely, high)]
        height = 2 / (ends[2] - ends[0])
        ax.fill_between(ends, [0, height, 0], color=colour, alpha=0.12, lw=0)
        ax.plot(ends, [0, height, 0], color=colour, lw=1.8, label=label)
    ax.set(xlim=(0.64, 0.97), ylim=(0, None), xlabel="Miss's share of both costs", ylabel="Belief")
    above = ax.secondary_xaxis("top")
    times = (2, 3, 4, 5, 7, 10, 15, 20)
    above.set_xticks([t / (1 + t) for t in times], [str(t) for t in times])
    above.set_xlabel("a miss is so many times as bad as a false alarm", fontsize=9)
    frame(ax)
    ax.legend(loc="upper left", fontsize=9)
    return figure


def volumes() -> Figure:
    """Draw Figure 7 of Everson and Fieldsend: G and delta for two classes."""
    figure, (ax,) = panels(1)
    x = np.array([(0.04, 0.55), (0.15, 0.32), (0.42, 0.18)])
    y = np.array([(0.02, 0.72), (0.22, 0.22), (0.36, 0.08)])
    grid = np.linspace(0, 1, 1201)
    tops = {name: _staircase(points, grid) for name, points in (("X", x), ("Y", y))}
    free = 1 - grid  # random allocation
    for name, other, colour, hatch in (
        ("X", "Y", COLOURS[0], "//"),
        ("Y", "X", COLOURS[1], "\\\\"),
    ):
        own = np.minimum(tops[name], free)
        rival = np.minimum(tops[other], free)
        if name == "X":
            ax.fill_between(
                grid,
                own,
                free,
                where=own < free,
                color=colour,
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
            edgecolor=colour,
            hatch=hatch,
            lw=0,
            label=rf"by {name} alone: $\delta({name}, {other})$",
        )
    for points, colour, marker, name in ((x, COLOURS[0], "o", "X"), (y, COLOURS[1], "s", "Y")):
        ax.plot(*points.T, marker, color=colour, ms=7, ls="none", label=f"members of {name}")
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


def cost_draws() -> Figure:
    """Draw Figure 1 of Everson and Fieldsend: costs drawn evenly, and around an expectation."""
    figure, axes = pyplot.subplots(1, 2, figsize=(8.4, 3.0), layout="constrained")
    about = {"a": 6, "b": 3, "c": 1}
    even = rocch.DirichletBelief(dict.fromkeys(about, 1))
    sure = rocch.DirichletBelief.about(about, strength=30)
    corners = np.array([(0, 0), (1, 0), (0.5, 3**0.5 / 2)])
    for ax, belief, title in (
        (axes[0], even, "Nothing is known: even over all costs"),
        (axes[1], sure, "About 6 : 3 : 1, strength 30"),
    ):
        spots = belief.sample(600, seed=1) @ corners
        ax.plot(*np.vstack([corners, corners[:1]]).T, color="#333333", lw=1)
        ax.plot(*spots.T, ".", ms=4, color=COLOURS[0], alpha=0.6)
        for name, spot, side in zip(about, corners, ("right", "left", "center"), strict=True):
            shift = {"right": -0.03, "left": 0.03, "center": 0}[side]
            lift = 0.03 if side == "center" else 0
            ax.text(spot[0] + shift, spot[1] + lift, f"all on {name}", ha=side, fontsize=9)
        ax.set(aspect="equal", xlim=(-0.3, 1.3), ylim=(-0.05, 0.97))
        ax.axis("off")
        ax.set_title(title, fontsize=10.5)
    return figure


PICTURES = {
    "theory-limits": neyman_pearson_bars,
    "theory-hull": hull_and_lines,
    "theory-newcomers": newcomers,
    "theory-sensitivity": sensitivity,
    "theory-ranges": ranges,
    "theory-between-vertices": between_vertices,
    "theory-workforce": workforce,
    "theory-duality": duality,
    "theory-beliefs": beliefs,
    "theory-volumes": volumes,
    "theory-cost-draws": cost_draws,
}

if __name__ == "__main__":
    save_all(PICTURES)
