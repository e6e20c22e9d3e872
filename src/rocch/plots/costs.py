"""Pictures along the cost axis: cost curves, net benefit, and who is better where."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from rocch.errors import Hint
from rocch.inputs import as_instance
from rocch.plots.style import (
    CHOSEN,
    HULL,
    HULL_STYLE,
    REFERENCE_STYLE,
    TRIVIAL,
    Display,
    HullDisplay,
    Style,
    as_text,
    curves_of,
    frame,
    looks,
    new_axes,
    resolve_conditions,
)
from rocch.roc.belief import Belief
from rocch.roc.conditions import Conditions
from rocch.roc.hull import RocHull
from rocch.roc.views import (
    CostCurve,
    DecisionCurve,
    as_thresholds,
    has_probabilities,
    probability_cost,
    useful_thresholds,
)
from rocch.stats.cost_axis import CostAxis, Density, percent
from rocch.stats.decisions import Superiority
from rocch.stats.losses import LossComparison

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.collections import LineCollection
    from matplotlib.lines import Line2D

# The most cost lines of one classifier, and of all.
MOST_LINES, LINES_IN_ALL = 12, 48
# The height below the axis as a share of that above: of all bars at most, and of one bar.
ROOM_BELOW, BAR = 0.3, 0.045


@dataclass
class CostCurveDisplay(HullDisplay):
    """Cost curves (Drummond and Holte, 2006): classifiers' envelopes and the joint one.

    Faint lines are single thresholds. Below the axis, a thin bar is a classifier's operating
    range, where it beats *never* and *always*; the thick part is where it is best of all.

    Attributes
    ----------
    hull
        The hull.
    conditions
        Conditions to mark: a line for exact ones, a band for intervals.
    figure_, ax_, envelope_line_, condition_marks_
        The artists.
    setting_lines_, curve_lines_, trivial_lines_, range_bars_, winning_bars_
        The artists by classifier.

    Examples
    --------
    >>> import rocch
    >>> display = rocch.plots.CostCurveDisplay.from_predictions(
    ...     [0, 0, 1, 1], {"nb": [0.1, 0.4, 0.35, 0.8]}
    ... )
    >>> display.ax_.get_ylabel()
    'Expected cost (1 = every case decided wrongly)'
    """

    legend_place = "upper left"
    hull: RocHull
    conditions: Conditions | Belief | Sequence[Conditions | Belief] = ()

    def _draw(self) -> None:
        self._joint = CostCurve(self.hull)
        self.ax_.set(
            xlim=(-0.01, 1.01),
            xlabel="Probability cost of positives\n(prevalence weighted by the cost of errors)",
            ylabel="Expected cost (1 = every case decided wrongly)",
        )
        (self.envelope_line_,) = self.ax_.plot(
            *self._joint.knots, color=HULL, lw=4.2, zorder=5, label="best of all (hull)"
        )
        self._draw_members()
        self._draw_trivial()
        self._draw_ranges()
        self._draw_conditions()

    @property
    def _top(self) -> float:
        highest = max(float(own.knots[1].max()) for own in self._joint.members.values())
        return min(0.52, 1.25 * highest or 0.52)

    def _draw_members(self) -> None:
        self.setting_lines_, self.curve_lines_ = {}, {}
        most = min(MOST_LINES, max(2, LINES_IN_ALL // len(self._joint.members)))
        for name, own in self._joint.members.items():
            look = self._looks[name]
            inner = own.lines[1:-1]
            ends = [[(0.0, inner[i].fpr), (1.0, inner[i].fnr)] for i in _spread(len(inner), most)]
            self.setting_lines_[name] = self._draw_segments(
                name, ends, lw=0.6, alpha=0.22, zorder=2
            )
            (self.curve_lines_[name],) = self.ax_.plot(
                *own.knots, color=look.color, ls=look.line, lw=1.6, zorder=6, label=as_text(name)
            )

    def _draw_trivial(self) -> None:
        style = REFERENCE_STYLE | {"zorder": 3}
        (never,) = self.ax_.plot([0, 1], [0, 1], **style, label="never or always alarm")
        (always,) = self.ax_.plot([0, 1], [1, 0], **style)
        self.trivial_lines_ = {"never": never, "always": always}

    def _draw_ranges(self) -> None:
        """Draw a bar per classifier below the axis: thin where it is useful, thick where best."""
        members, winning = self._joint.members, self._joint.winning_ranges()
        step = self._top * min(BAR, ROOM_BELOW / len(members))
        self.range_bars_: dict[str, LineCollection] = {}
        self.winning_bars_: dict[str, LineCollection] = {}
        for i, (name, own) in enumerate(members.items()):
            useful = [] if own.operating_range is None else [tuple(own.operating_range)]
            won = [(row.low, row.high) for row in winning if row.classifier == name]
            height = -(i + 1) * step
            both = (self.range_bars_, useful, 1.2), (self.winning_bars_, won, 4.5)
            for bars, ranges, width in both:
                ends = [[(low, height), (high, height)] for low, high in ranges]
                bars[name] = self._draw_segments(name, ends, lw=width, zorder=4)
        self.ax_.plot([], [], color=TRIVIAL, lw=1.2, label="below: beats never and always")
        self.ax_.plot([], [], color=TRIVIAL, lw=4.5, label="below: best of all")
        self.ax_.axhline(0, color="#333333", lw=0.8, zorder=4)
        self.ax_.spines["bottom"].set_visible(False)
        self.ax_.set_ylim(-(len(members) + 0.8) * step, self._top)
        self.ax_.set_yticks([tick for tick in self.ax_.get_yticks() if 0 <= tick <= self._top])

    def _draw_segments(
        self, name: str, ends: list[list[tuple[float, float]]], **style: Any
    ) -> LineCollection:
        from matplotlib.collections import LineCollection

        pieces = LineCollection(ends, colors=self._looks[name].color, **style)
        self.ax_.add_collection(pieces, autolim=False)
        return pieces

    def _draw_conditions(self) -> None:
        self.condition_marks_: list[Artist] = []
        for conditions, dashes in resolve_conditions(self.conditions, self.hull):
            at = probability_cost(conditions)
            style: Style = {"color": CHOSEN, "zorder": 1.5}
            style["label"] = f"given conditions: {at.low:.3g}"
            if at.exact:
                mark: Artist = self.ax_.axvline(at.low, lw=1.2, ls=dashes, **style)
            else:
                style["label"] += f" to {at.high:.3g}"
                mark = self.ax_.axvspan(at.low, at.high, alpha=0.1, lw=0, **style)
            self.condition_marks_.append(mark)


def _spread(count: int, most: int) -> list[int]:
    """Pick at most `most` of `count` places, evenly and with both ends."""
    return sorted({round(i) for i in np.linspace(0, count - 1, min(count, most))})


@dataclass
class NetBenefitDisplay(HullDisplay):
    """Decision curves (Vickers and Elkin, 2006) of classifiers.

    Full lines read scores within [0, 1] as probabilities, dotted lines use the best thresholds. If
    they differ, the probabilities are not calibrated at this prevalence, or rows are few.

    Attributes
    ----------
    hull
        The hull.
    prevalence
        The share of positives: a number, or "observed".
    thresholds
        Threshold probabilities; by default from 0 to where *never* is best.
    figure_, ax_, calibrated_lines_, best_lines_, hull_line_, always_line_, never_line_
        The artists; calibrated and best lines by classifier.

    Examples
    --------
    >>> import rocch
    >>> display = rocch.plots.NetBenefitDisplay.from_predictions(
    ...     [0, 0, 1, 1], {"nb": [0.1, 0.4, 0.35, 0.8]}
    ... )
    >>> sorted(display.calibrated_lines_)
    ['nb']
    """

    hull: RocHull
    prevalence: float | str = "observed"
    thresholds: ArrayLike | None = None

    def _draw(self) -> None:
        grid = (
            useful_thresholds(self.hull, prevalence=self.prevalence)
            if self.thresholds is None
            else np.sort(as_thresholds(self.thresholds))
        )
        self._options: Style = {"prevalence": self.prevalence, "thresholds": grid}
        best = DecisionCurve.best(self.hull, **self._options)
        self._draw_curves()
        self.hull_line_ = self._draw_curve(best, HULL_STYLE | {"zorder": 4}, "hull, at best")
        always = DecisionCurve.always(self.hull, **self._options)
        self.always_line_ = self._draw_curve(always, REFERENCE_STYLE, "always alarm")
        self.never_line_ = self.ax_.axhline(0, **REFERENCE_STYLE | {"ls": "-"}, label="never alarm")
        top = max(float(best.net_benefit.max()), 1e-6)
        self.ax_.set(
            xlim=(float(best.thresholds[0]), float(best.thresholds[-1])),
            ylim=(-0.2 * top, 1.08 * top),
            xlabel="Threshold probability: the risk from which on you would act",
            ylabel="Net benefit per case, in right alarms",
        )

    def _draw_curves(self) -> None:
        self.calibrated_lines_, self.best_lines_ = {}, {}
        for curve in curves_of(self.hull):
            look, name = self._looks[curve.name], as_text(curve.name)
            note = " (no probabilities)" if curve.scoring else " (labels)"
            if has_probabilities(curve):
                note = ""
                style: Style = {"color": look.color, "ls": look.line, "lw": 1.6, "zorder": 3}
                calibrated = DecisionCurve.calibrated(curve, **self._options)
                self.calibrated_lines_[curve.name] = self._draw_curve(calibrated, style, name)
            style = {"color": look.color, "ls": (0, (1, 1.2)), "lw": 1.2, "zorder": 2}
            best = DecisionCurve.best(curve, **self._options)
            self.best_lines_[curve.name] = self._draw_curve(best, style, f"{name}, at best{note}")

    def _draw_curve(self, curve: DecisionCurve, style: Style, label: str) -> Line2D:
        return self._draw_line((curve.thresholds, curve.net_benefit), **style, label=label)


# A belief narrower than the first gets a zoomed graph, with this margin as a share of its width.
NARROW, MARGIN = 0.4, 0.12
# Ticks of "times as bad", in order of precedence.
TIMES = (1, 2, 5, 10, 0.5, 0.2, 0.1, 20, 4, 3, 7, 15, 6, 8, 9, 50, 30, 0.05, 100, 0.02)
# The least distance between these ticks: a share of the axis, and on narrow axes also inches.
ROOM, INCHES, NARROW_INCHES = 0.045, 0.32, 5.0
BELIEF_HEIGHT, ROW_HEIGHT = 1.0, 0.3
GRAY, FAINT, BELIEF = "#8A8A8A", "#F2EFE6", "#6F6446"


class Row(NamedTuple):
    """Bars of a classifier, or of no difference if it has no name."""

    name: str | None
    label: str
    color: str
    spans: tuple[tuple[float, float], ...]


@dataclass
class SuperiorityDisplay(Display):
    """Bars where each classifier is better, above the belief (Adams and Hand, Figure 3).

    Build it with `from_comparison` or `from_superiority`.

    Attributes
    ----------
    shown
        The comparison of two, or the ranking of many.
    zoom
        Whether a second graph (on given axes, the only one) zooms in on the belief; None does so
        in new figures if the belief is narrow.
    figure_, ax_, zoom_ax_
        The figure and axes; `zoom_ax_` is None without a second graph.
    bars_, density_, atoms_
        The artists on `ax_`: bars by classifier, the belief's density and its atoms, or None.

    Examples
    --------
    >>> import rocch
    >>> y = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> lda = rocch.RocCurve.from_scores(y, [1, 2, 3, 7, 4, 5, 6, 8], name="lda")
    >>> qda = rocch.RocCurve.from_scores(y, [1, 4, 5, 6, 2, 3, 7, 8], name="qda")
    >>> expert = rocch.Belief.cost_ratio(4, 10, likely=7)
    >>> comparison = rocch.stats.compare_losses(lda, qda, belief=expert, prevalence=0.5)
    >>> display = rocch.plots.SuperiorityDisplay.from_comparison(comparison)
    >>> sorted(display.bars_)
    ['lda', 'qda']
    """

    grid = False
    shown: LossComparison | Superiority
    zoom: bool | None = None

    @classmethod
    def from_comparison(
        cls, comparison: LossComparison, *, zoom: bool | None = None, ax: Axes | None = None
    ) -> Self:
        """Draw where each of two classifiers is better."""
        hint = Hint("See rocch.stats.compare_losses; for a ranking use from_superiority.")
        return cls(as_instance(comparison, LossComparison, "comparison", hint=hint), zoom).plot(ax)

    @classmethod
    def from_superiority(
        cls, superiority: Superiority, *, zoom: bool | None = None, ax: Axes | None = None
    ) -> Self:
        """Draw where each of many classifiers is best."""
        hint = Hint("See rocch.stats.rank_under_belief.")
        return cls(as_instance(superiority, Superiority, "superiority", hint=hint), zoom).plot(ax)

    def _new_axes(self) -> list[Axes]:
        low, high = self._support
        zoomed = 0 < high - low < NARROW if self.zoom is None else self.zoom
        rows = self._rows()
        counts = [len(rows), len(_rows_within(rows, *self._closer))] if zoomed else [len(rows)]
        heights = [2.2 + 0.3 * count for count in counts]
        return new_axes(len(counts), size=(8.4, sum(heights)), height_ratios=heights)

    def _draw(self) -> None:
        rows, closer = self._rows(), self._closer
        density = self._axis.density(self.shown.belief)
        self.zoom_ax_ = self.axes_[1] if len(self.axes_) > 1 else None
        if self.zoom_ax_ is not None:
            self._draw_graph(self.zoom_ax_, _rows_within(rows, *closer), density, closer)
            self.zoom_ax_.set_title("Closer: where the belief lies", loc="left", fontsize=10)
        whole = self._own_figure or not self.zoom
        self._draw_graph(self.ax_, rows, density, (0.0, 1.0) if whole else closer)
        title = "\n".join(textwrap.wrap(str(self.shown), 84)).replace("$", r"\$")
        if self._own_figure:  # beside long names the axes are narrow, the figure is not
            self.figure_.suptitle(title, x=0.01, ha="left", fontsize=11)
        else:
            self.ax_.set_title(title, loc="left", fontsize=11, pad=10)

    @property
    def _axis(self) -> CostAxis:
        return self.shown.cost_axis

    @property
    def _support(self) -> tuple[float, float]:
        return self._axis.support(self.shown.belief)

    @property
    def _closer(self) -> tuple[float, float]:
        low, high = self._support
        beside = MARGIN * (high - low) or 0.05
        return max(low - beside, 0.0), min(high + beside, 1.0)

    def _rows(self) -> list[Row]:
        shown = self.shown
        if isinstance(shown, LossComparison):
            look = looks(shown.names)
            first, second = shown.names
            masses: dict[tuple[str, ...], float] = {(first,): shown.mass_a}
            masses[(second,)] = shown.mass_b
            masses[tuple(sorted(shown.names))] = shown.ties
            found = [
                (
                    best[0] if len(best) == 1 else None,
                    mass,
                    tuple((s.low, s.high) for s in shown.stretches if s.classifiers == best),
                )
                for best, mass in masses.items()
            ]
            if not found[-1][2]:  # the classifiers differ everywhere
                found.pop()
        else:
            look = looks(member.name for member in shown.hull.members)
            found = [(s.classifier, s.mass, s.stretches) for s in shown.classifiers if s.stretches]
        return [
            Row(
                name,
                f"{as_text(name or 'no difference')}  {percent(mass)}",
                look[name].color if name else GRAY,
                spans,
            )
            for name, mass, spans in found
        ]

    def _draw_graph(
        self, ax: Axes, rows: Sequence[Row], density: Density, span: tuple[float, float]
    ) -> None:
        heights = [BELIEF_HEIGHT + ROW_HEIGHT * (len(rows) - i - 0.4) for i in range(len(rows))]
        self._frame_rows(ax, rows, heights, span)
        low, high = self._support
        if low < high:
            ax.axvspan(low, high, color=FAINT, lw=0, zorder=0)
        self._draw_belief(ax, density)
        self.bars_ = {}
        for row, height in zip(rows, heights, strict=True):
            left, right = np.reshape(row.spans, (-1, 2)).T
            width = 7 if row.name else 4
            bars = ax.hlines(np.full(left.size, height), left, right, row.color, lw=width, zorder=3)
            bars.set_capstyle("butt")
            if row.name:
                self.bars_[row.name] = bars

    def _draw_belief(self, ax: Axes, density: Density) -> None:
        self.density_ = self.atoms_ = None
        if density.x.size:
            top = float(density.height.max())
            heights = density.height / top * BELIEF_HEIGHT * 0.92
            ax.fill_between(density.x, heights, color="#B9AE8C", alpha=0.55, lw=0, zorder=1)
            (self.density_,) = ax.plot(density.x, heights, color=BELIEF, lw=1.1, zorder=2)
        if density.atoms.size:
            heights = density.masses / density.masses.max() * BELIEF_HEIGHT * 0.92
            self.atoms_ = ax.vlines(density.atoms, 0, heights, color=BELIEF, lw=2, zorder=2)
            ax.plot(density.atoms, heights, "o", color=BELIEF, ms=5, zorder=2)

    def _frame_rows(
        self, ax: Axes, rows: Sequence[Row], heights: list[float], span: tuple[float, float]
    ) -> None:
        ax.set(xlim=span, ylim=(0, heights[0] + ROW_HEIGHT * 0.7))
        ax.set_yticks([*heights, BELIEF_HEIGHT * 0.4], [*(row.label for row in rows), "belief"])
        colors = [*(row.color if row.name else "#666666" for row in rows), BELIEF]
        for label, color in zip(ax.get_yticklabels(), colors, strict=True):
            label.set_color(color)
        ax.tick_params(axis="y", length=0, labelsize=10)
        frame(ax, axis="x", without=("top", "right", "left"))
        if self._axis.prevalence is None:
            ax.set_xlabel("probability-cost of the positive class")
            return
        ax.set_xlabel("miss's share of both costs")
        _draw_times(ax, span)


def _rows_within(rows: Sequence[Row], low: float, high: float) -> list[Row]:
    return [row for row in rows if any(left < high and right > low for left, right in row.spans)]


def _draw_times(ax: Axes, span: tuple[float, float]) -> None:
    """Label the top axis with how many times as bad a miss is."""
    wide = ax.get_window_extent().width / ax.figure.dpi
    room = max(ROOM, INCHES / wide if wide < NARROW_INCHES else 0) * (span[1] - span[0])
    placed: dict[float, str] = {}
    for times in TIMES:
        share = times / (1 + times)
        if span[0] <= share <= span[1] and all(abs(share - other) >= room for other in placed):
            placed[share] = f"{times:g}" if times >= 1 else f"1/{1 / times:.0f}"
    above = ax.secondary_xaxis("top")
    above.set_xticks(list(placed), list(placed.values()), fontsize=9, color="#666666")
    above.tick_params(length=2.5, color="#999999", pad=1)
    above.spines["top"].set_visible(False)
    text = "how many times as bad as a false alarm a miss is"
    above.set_xlabel(text, fontsize=9, color="#666666")
