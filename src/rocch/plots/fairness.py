"""The picture of fair rates: the groups' points, and what fairness costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from rocch.arrays import Label
from rocch.errors import Hint
from rocch.hybrid.fairness import FairRates
from rocch.inputs import as_instance
from rocch.plots.style import (
    CHOSEN,
    COLORS,
    REFERENCE_STYLE,
    Display,
    Look,
    Style,
    as_text,
    halo,
    look_of,
    new_axes,
    roc_frame,
    roc_legend,
    tint,
    visible,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

# The most groups whose names stand in the legend of the ROC graph.
MOST_NAMED = 12


@dataclass
class FairnessDisplay(Display):
    """The points of groups on their hulls, and the cost for each tolerance.

    On the left, hollow markers are the best points where rates may differ; arrows lead to the
    chosen ones. The shaded band or box holds the rates that the tolerance allows. On the right,
    one line is the least cost with a single setting for each group, the other with a coin.

    Attributes
    ----------
    fair
        The result of `fair_rates`.
    tolerances
        Where costs are computed; by default from 0 to where the tolerance does not matter.
    figure_, ax_, axes_
        The figure, the graph of groups, and both graphs.
    hull_lines_, point_marks_, free_marks_
        The artists by group.
    allowed_
        The band or box of allowed rates; None for the predicted-positive rate.
    costs_, deterministic_line_, randomized_line_, chosen_mark_
        The costs, and the artists that show them.

    Examples
    --------
    >>> import numpy as np
    >>> import rocch
    >>> rng = np.random.default_rng(0)
    >>> groups = rng.choice(["a", "b"], 400)
    >>> y = rng.random(400) < np.where(groups == "a", 0.5, 0.3)
    >>> costs = rocch.Conditions(prevalence="observed", false_positive=1, false_negative=2)
    >>> scores = {"nb": rng.normal(size=400) + np.where(groups == "a", 1, 2) * y}
    >>> fair = rocch.hybrid.fair_rates(y, scores, groups, costs, rates="tpr", tolerance=0.02)
    >>> display = rocch.plots.FairnessDisplay.from_rates(fair)
    >>> sorted(display.point_marks_)
    ['a', 'b']
    """

    size: ClassVar[tuple[float, float]] = (11.2, 5.0)
    panel: ClassVar[str] = "graph: groups and costs"
    fair: FairRates
    tolerances: ArrayLike | None = None

    @classmethod
    def from_rates(
        cls,
        fair: FairRates,
        *,
        tolerances: ArrayLike | None = None,
        ax: Sequence[Axes] | None = None,
    ) -> Self:
        """Draw the result of `rocch.hybrid.fair_rates`, or `fair` of a view."""
        hint = Hint("See rocch.hybrid.fair_rates; a view has it as view.fair.")
        return cls(as_instance(fair, FairRates, "fair", hint=hint), tolerances).plot(ax)

    @property
    def _panels(self) -> int:
        return 2

    def _new_axes(self) -> list[Axes]:
        return new_axes(columns=2, size=self.size, width_ratios=(1, 1.1))

    def _draw(self) -> None:
        self._draw_groups()
        self._draw_allowed()
        self._draw_costs()

    def _draw_groups(self) -> None:
        roc_frame(self.ax_)
        self.hull_lines_: dict[Label, Line2D] = {}
        self.point_marks_: dict[Label, Line2D] = {}
        self.free_marks_: dict[Label, Line2D] = {}
        groups = self.fair.problem.groups
        for place, group in enumerate(groups):
            look, name = look_of(place), as_text(str(group.name))
            x, y = group.hull.fpr, group.hull.tpr
            seen = visible(x, y)
            style = {"color": look.color, "ls": look.line, "lw": 1.5, "alpha": 0.75, "zorder": 2}
            (line,) = self.ax_.plot(x[seen], y[seen], **style)
            self.hull_lines_[group.name] = line
            self._draw_points(group.name, name if place < MOST_NAMED else None, look)
        legend = {"mfc": "none", "mec": "#444444", "ls": "none", "ms": 6, "mew": 1.3}
        self.ax_.plot([], [], "o", **legend, label="best, if rates may differ")
        self.ax_.set_title("Each group on its own ROC hull", fontsize=11)

    def _draw_points(self, group: Label, name: str | None, look: Look) -> None:
        free, point = self.fair.unconstrained.points[group], self.fair.points[group]
        style = {"marker": look.marker, "ls": "none", "color": look.color}
        (self.free_marks_[group],) = self.ax_.plot(
            free.fpr, free.tpr, **style | {"mfc": "white", "ms": 6, "mew": 1.3, "zorder": 4}
        )
        (self.point_marks_[group],) = self.ax_.plot(
            point.fpr,
            point.tpr,
            **style | {"ms": 8, "mec": "white", "mew": 0.9, "zorder": 6},
            label=name,
        )
        if np.hypot(free.fpr - point.fpr, free.tpr - point.tpr) > 0.03:
            arrow = {"arrowstyle": "->", "color": look.color, "lw": 1.0, "shrinkA": 4, "shrinkB": 5}
            ends = (point.fpr, point.tpr), (free.fpr, free.tpr)
            self.ax_.annotate("", ends[0], ends[1], arrowprops=arrow, zorder=5)

    def _draw_allowed(self) -> None:
        """Shade where rates may lie; around the points, as far as the tolerance allows."""
        style: Style = {"color": tint(CHOSEN, 0.13), "lw": 0, "zorder": 0.5}
        points = self.fair.points.values()
        label = f"differ by at most {self.fair.tolerance:g}"
        spans = []
        for values in ([p.fpr for p in points], [p.tpr for p in points]):
            room = max(0.0, self.fair.tolerance - (max(values) - min(values))) / 2
            spans.append((max(0.0, min(values) - room), min(1.0, max(values) + room)))
        (left, right), (low, high) = spans
        self.allowed_ = None
        if self.fair.kind == "fpr":
            self.allowed_ = self.ax_.axvspan(left, right, **style, label=label)
        elif self.fair.kind == "tpr":
            self.allowed_ = self.ax_.axhspan(low, high, **style, label=label)
        elif self.fair.kind == "both":
            from matplotlib.patches import Rectangle

            box = Rectangle((left, low), right - left, high - low, **style, label=label)
            self.allowed_ = self.ax_.add_patch(box)

    def _draw_costs(self) -> None:
        ax, fair = self.axes_[1], self.fair
        self.costs_ = costs = fair.cost_curve(self.tolerances)
        free = fair.unconstrained
        ax.axhline(free.cost, **REFERENCE_STYLE, label="rates may differ")
        (self.deterministic_line_,) = ax.plot(
            costs.tolerances,
            costs.deterministic,
            color=COLORS[0],
            lw=1.8,
            drawstyle="steps-post",
            label="one setting for each group",
        )
        (self.randomized_line_,) = ax.plot(
            costs.tolerances,
            costs.randomized,
            color=COLORS[1],
            lw=1.8,
            ls="--",
            label="with a coin",
        )
        (self.chosen_mark_,) = ax.plot(
            fair.tolerance, fair.cost, "o", color=CHOSEN, ms=8, zorder=6, label="chosen"
        )
        text = ax.annotate(
            f"fairness costs {fair.price:.3g}\nof {fair.cost:.3g} per case",
            (fair.tolerance, fair.cost),
            (12, 12),
            textcoords="offset points",
            color=CHOSEN,
            fontsize=9,
        )
        text.set_path_effects([halo()])
        ax.set(xlabel="Tolerance: largest difference between two groups")
        ax.set(ylabel="Least expected cost per case", xlim=(0, None))
        ax.set_ylim(*self._cost_range())
        ax.set_title("What fairness costs", fontsize=11)

    def _cost_range(self) -> tuple[float, float]:
        """Return where the axis of costs ends: with the chosen cost, without a steep beginning."""
        costs, chosen = self.costs_, self.fair.cost
        low = min(self.fair.unconstrained.cost, chosen)
        usual = [chosen, *costs.randomized, *costs.deterministic[1:]]
        high = float(np.nanmax(usual))
        room = 0.08 * ((high - low) or high or 1.0)
        return low - room, high + 2 * room

    def _draw_legend(self) -> None:
        roc_legend(self.ax_)
        self.axes_[1].legend(loc="upper right", fontsize=9, framealpha=0.95)
