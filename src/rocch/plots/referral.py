"""Pictures of decisions that may be left to a person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.arrays import FloatArray
from rocch.numbers import money, per_100
from rocch.plots.style import (
    CHOSEN,
    COLORS,
    REFERENCE_STYLE,
    RING_STYLE,
    HullDisplay,
    Style,
    as_text,
    halo,
    new_axes,
    roc_frame,
)
from rocch.roc.conditions import Conditions
from rocch.roc.operating_point import RocPoint
from rocch.roc.referral import Referral, referral_slopes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

    from rocch.roc.hull import RocHull

# The color of what is referred: that of no classifier.
REFERRED = "#E69F00"
# For how many shares of referred cases the cost is drawn.
SHARES = 26
# How far an iso-performance line reaches from its tangent point, in the graph.
REACH = 0.22


@dataclass
class ReferralDisplay(HullDisplay):
    """What is referred to a person, and what a case costs by how many may be.

    On the left, the ROC curve of the scorer that decides: it predicts positive up to the first
    ring, refers the thick stretch, and predicts negative beyond the second. Two scorers have a ring
    each. On the right, the least cost of a case by the share that may be referred.

    Attributes
    ----------
    hull, conditions, cost, max_referred, max_wrong
        As for `RocHull.refer`.
    referral
        The result that is drawn.
    figure_, axes_, curve_lines_, stretch_line_, tangent_lines_, cost_line_
        The artists.

    Examples
    --------
    >>> import numpy as np, rocch
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(500) < 0.3
    >>> hull = rocch.RocHull.from_scores(y, {"nb": rng.normal(size=500) + 2 * y})
    >>> known = rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=5)
    >>> display = rocch.plots.ReferralDisplay.from_hull(hull, conditions=known, cost=0.3)
    >>> display.axes_[1].get_xlabel()
    'Cases that may be referred (%)'
    """

    size = (11.0, 5.2)
    hull: RocHull
    conditions: Conditions
    cost: float | None = None
    max_referred: float | None = None
    max_wrong: float | None = None

    def __post_init__(self) -> None:
        self.referral: Referral = self.hull.refer(
            self.conditions,
            cost=self.cost,
            max_referred=self.max_referred,
            max_wrong=self.max_wrong,
        )

    @property
    def _panels(self) -> int:
        return 2

    def _new_axes(self) -> list[Axes]:
        return new_axes(1, 2, size=self.size, gridspec_kw={"width_ratios": [1, 1.05]})

    def _draw(self) -> None:
        roc_frame(self.ax_)
        self._draw_curves()
        self._draw_tangents()
        self._draw_points()
        self._draw_costs(self.axes_[1])
        titles = self._title(), "What a case costs, by how many may be referred"
        for ax, title in zip(self.axes_, titles, strict=True):
            ax.set_title(title, loc="left", fontsize=10.5)

    def _title(self) -> str:
        found = self.referral
        if not found.refers:
            return "Every case is decided"
        if not found.decides:
            return "Every case is referred"
        if len(found.scorers) > 1:
            return "Referred: one alarms, the other does not"
        return "Referred: cases between two thresholds"

    def _draw_legend(self) -> None:
        self.ax_.legend(loc="lower right", fontsize=9, framealpha=0.95)
        self.axes_[1].legend(loc="upper right", fontsize=9, framealpha=0.95)

    def _draw_curves(self) -> None:
        found = self.referral
        self.curve_lines_: dict[str, Line2D] = {}
        self.stretch_line_: Line2D | None = None
        shown = found.scorers or [member.name for member in self.hull.members]
        for member in self.hull.members:
            curve = member.curve()
            if member.name in shown and curve is not None:
                self.curve_lines_[member.name] = self._draw_classifier(
                    curve, (curve.fpr, curve.tpr)
                )
        if len(found.scorers) == 1 and found.refers:
            self.stretch_line_ = self._draw_line(
                self._stretch(),
                color=REFERRED,
                lw=8,
                alpha=0.75,
                solid_capstyle="butt",
                zorder=1.5,
                label=f"referred: {per_100(found.referred)}% of all cases",
            )

    def _stretch(self) -> tuple[FloatArray, FloatArray]:
        """Return the points of the curve between the two thresholds."""
        upper, lower = self.referral.upper, self.referral.lower
        (name,) = self.referral.scorers
        (member,) = (each for each in self.hull.members if each.name == name)
        curve = member.curve()
        ends = (upper.fpr, lower.fpr), (upper.tpr, lower.tpr)
        if curve is None or not curve.scoring:
            return np.array(ends[0]), np.array(ends[1])
        inside = (curve.fpr >= upper.fpr) & (curve.fpr <= lower.fpr)
        inside &= (curve.tpr >= upper.tpr) & (curve.tpr <= lower.tpr)
        return curve.fpr[inside], curve.tpr[inside]

    def _draw_tangents(self) -> None:
        """Draw the lines of equal cost that touch the curve, where the cost alone decides."""
        self.tangent_lines_: list[Line2D] = []
        found, known = self.referral, self.conditions.resolved(self.hull.totals)
        limited = self.max_referred is not None or self.max_wrong is not None
        if limited or found.cost is None or len(found.scorers) != 1 or not found.refers:
            return
        slopes = referral_slopes(known.case, found.cost)
        for point, slope in zip((found.upper, found.lower), slopes or (), strict=True):
            steps = np.array([-1.0, 1.0]) * REACH / np.hypot(1, slope)
            line = point.fpr + steps, point.tpr + slope * steps
            style: Style = REFERENCE_STYLE | {"zorder": 2.5, "color": "#555555"}
            self.tangent_lines_.append(self._draw_line(line, **style))
        self.tangent_lines_[0].set_label("equal cost at each threshold")

    def _draw_points(self) -> None:
        found = self.referral
        points = [(found.upper, "positive", ">="), (found.lower, "negative", "<")]
        if not found.refers:
            points = points[:1]
        for place, (point, side, sign) in enumerate(points):
            self.ax_.scatter([point.fpr], [point.tpr], s=110, zorder=5, **RING_STYLE)
            self._write(point, side, sign, place)

    def _write(self, point: RocPoint, side: str, sign: str, place: int) -> None:
        if not isinstance(point.threshold, float):
            return
        name = as_text(point.classifier)
        if len(self.referral.scorers) > 1:
            text = f"{name} ≥ {point.written_threshold}"
        else:
            text = f"{side}: {name} {sign.replace('>=', '≥')} {point.written_threshold}"
        # beside and below the curve, the second one further down
        spot = point.fpr + 0.035, point.tpr - 0.035 - 0.01 * place
        align = "left"
        if spot[0] > 0.55:
            spot, align = (0.985, point.tpr - 0.13), "right"
        style: Style = {"fontsize": 9.5, "color": CHOSEN, "path_effects": [halo()], "zorder": 6}
        self.ax_.text(*spot, text, ha=align, va="top", **style)

    def _draw_costs(self, ax: Axes) -> None:
        found, plain = self.referral, self.referral.plain.expected_cost or 0.0
        shares = np.linspace(0, 1, SHARES)
        options: dict[str, Any] = {} if self.cost is None else {"cost": self.cost}
        costs = [
            self.hull.refer(self.conditions, max_referred=float(share), **options).expected_cost
            for share in shares
        ]
        label = "least cost" if self.cost is not None else "least cost, referred cases free"
        (self.cost_line_,) = ax.plot(100 * shares, costs, color=COLORS[0], lw=2, label=label)
        ax.axhline(plain, **REFERENCE_STYLE)
        ax.text(100, plain, f"every case decided: {money(plain)} ", va="bottom", ha="right")
        text = f"chosen: {money(found.expected_cost)}, {per_100(found.referred)}% referred"
        at = [100 * found.referred], [found.expected_cost]
        ax.scatter(*at, s=110, zorder=5, label=text, **RING_STYLE)
        top = max(plain, found.expected_cost, 1e-12)
        ax.set(xlim=(-1, 101), ylim=(0, 1.25 * top))
        ax.set(xlabel="Cases that may be referred (%)", ylabel="Expected cost per case")
