"""Who is better where along the cost axis, above what is believed (Adams and Hand, Figure 3)."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Self

from rocch.errors import bad_input, kind_of, missing_extra
from rocch.plots.style import COLOURS, as_text
from rocch.roc.operating_point import ALWAYS, NEVER
from rocch.stats.losses import LossComparison, percent
from rocch.stats.superiority import Superiority

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from rocch.stats.losses import CostAxis, Density

NARROW = 0.4
"""A belief that takes up less of the axis than this gets a second, zoomed graph."""

MARGIN = 0.12
"""Beside the belief in the zoomed graph, as a share of its width."""

TIMES = (1, 2, 5, 10, 0.5, 0.2, 0.1, 20, 4, 3, 7, 15, 6, 8, 9, 50, 30, 0.05, 100, 0.02)
"""How many times as bad: ticks, those first that are written where there is no room for all."""

ROOM = 0.045
"""Least distance between two of those ticks, as a share of the axis..."""

INCHES = 0.32
"""...and on narrow axes in inches, or they would run into one another."""

NARROW_INCHES = 5.0

BELIEF_HEIGHT = 1.0
ROW_HEIGHT = 0.3
GREY, FAINT = "#8A8A8A", "#F2EFE6"


class Row(NamedTuple):
    """One classifier's bars."""

    name: str
    label: str
    colour: str
    spans: tuple[tuple[float, float], ...]


@dataclass
class SuperiorityDisplay:
    """Bars where each classifier is better, above what is believed about the costs.

    Build it with `from_comparison` or `from_superiority`; `plot` draws it again.

    Attributes
    ----------
    shown
        The comparison, or the standings of many.
    zoom
        Whether a second graph shows the belief's surroundings; None leaves it to how narrow the
        belief is. On axes that you pass, there is one graph, which is zoomed if this is True.
    figure_, ax_, zoom_ax_
        The figure, and the axes of the last drawing; `zoom_ax_` is None without a second graph.
    bars_, density_, atoms_
        The artists of the last drawing on `ax_`: bars by classifier, the belief's outline and its
        single points (None where it has none).

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import rocch
    >>> y = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> lda = rocch.RocCurve.from_scores(y, [1, 2, 3, 7, 4, 5, 6, 8], name="lda")
    >>> qda = rocch.RocCurve.from_scores(y, [1, 4, 5, 6, 2, 3, 7, 8], name="qda")
    >>> expert = rocch.Belief.miss_costs(4, 10, likely=7)
    >>> comparison = rocch.compare_losses(lda, qda, belief=expert, prevalence=0.5)
    >>> display = rocch.SuperiorityDisplay.from_comparison(comparison)
    >>> sorted(display.bars_)
    ['lda', 'qda']
    """

    shown: LossComparison | Superiority
    zoom: bool | None = None
    figure_: Figure = field(init=False, repr=False)
    ax_: Axes = field(init=False, repr=False)

    @classmethod
    def from_comparison(
        cls, comparison: LossComparison, *, zoom: bool | None = None, ax: Axes | None = None
    ) -> Self:
        """Draw where each of two is better."""
        if not isinstance(comparison, LossComparison):
            raise bad_input(
                "comparison",
                "be a LossComparison",
                kind_of(comparison),
                "See compare_losses; for who_is_best use from_superiority.",
            )
        return cls(comparison, zoom).plot(ax)

    @classmethod
    def from_superiority(
        cls, superiority: Superiority, *, zoom: bool | None = None, ax: Axes | None = None
    ) -> Self:
        """Draw where each of many is best."""
        if not isinstance(superiority, Superiority):
            raise bad_input(
                "superiority", "be a Superiority", kind_of(superiority), "See who_is_best."
            )
        return cls(superiority, zoom).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on the given axes, or on new ones."""
        rows, density = self._rows(), self._axis.density(self.shown.belief)
        low, high = self._axis.support(self.shown.belief)
        closer = _closer(low, high)
        self.zoom_ax_: Axes | None = None
        near = _within(rows, *closer)
        if ax is None:
            wanted = 0 < high - low < NARROW if self.zoom is None else self.zoom
            self.ax_, *more = _axes([len(rows), len(near)] if wanted else [len(rows)])
            self.zoom_ax_ = more[0] if more else None
        else:
            self.ax_ = ax
        self.figure_ = self.ax_.figure  # type: ignore[assignment]
        if self.zoom_ax_ is not None:
            self._draw(self.zoom_ax_, near, density, closer)
            self.zoom_ax_.set_title("Closer: where the belief lies", loc="left", fontsize=10)
        self._draw(self.ax_, rows, density, closer if ax is not None and self.zoom else (0.0, 1.0))
        title = _wrapped(str(self.shown))
        if ax is None:  # beside long names the axes are narrow, the figure is not
            self.figure_.suptitle(title, x=0.01, ha="left", fontsize=11)
        else:
            self.ax_.set_title(title, loc="left", fontsize=11, pad=10)
        return self

    @property
    def _axis(self) -> CostAxis:
        return self.shown.cost_axis

    def _rows(self) -> list[Row]:
        """Return the bars, from top to bottom."""
        shown = self.shown
        if isinstance(shown, Superiority):
            colours = _colours([member.name for member in shown.hull.members])
            return [
                Row(s.classifier, _label(s.classifier, s.mass), colours[s.classifier], s.stretches)
                for s in shown.standings
                if s.stretches
            ]
        colours = _colours(shown.names)
        masses = zip((*shown.names, None), (shown.mass_a, shown.mass_b, shown.ties), strict=True)
        rows = []
        for name, mass in masses:
            spans = tuple((s.low, s.high) for s in shown.stretches if s.better == name)
            if name is not None:
                rows.append(Row(name, _label(name, mass), colours[name], spans))
            elif spans:
                rows.append(Row("", _label("no difference", mass), GREY, spans))
        return rows

    def _draw(
        self, ax: Axes, rows: Sequence[Row], density: Density, span: tuple[float, float]
    ) -> None:
        self._frame(ax, rows, span)
        low, high = self._axis.support(self.shown.belief)
        if low < high:
            ax.axvspan(low, high, color=FAINT, lw=0, zorder=0)
        self._draw_belief(ax, density)
        self.bars_ = {}
        for row, height in zip(rows, _heights(len(rows)), strict=True):
            bars = ax.hlines(
                [height] * len(row.spans),
                [left for left, _ in row.spans],
                [right for _, right in row.spans],
                color=row.colour,
                lw=7 if row.name else 4,
                zorder=3,
            )
            bars.set_capstyle("butt")
            if row.name:
                self.bars_[row.name] = bars

    def _draw_belief(self, ax: Axes, density: Density) -> None:
        self.density_ = self.atoms_ = None
        if density.x.size:
            top = float(density.height.max())
            heights = density.height / top * BELIEF_HEIGHT * 0.92
            ax.fill_between(density.x, heights, color="#B9AE8C", alpha=0.55, lw=0, zorder=1)
            (self.density_,) = ax.plot(density.x, heights, color="#6F6446", lw=1.1, zorder=2)
        if density.atoms.size:
            heights = density.masses / density.masses.max() * BELIEF_HEIGHT * 0.92
            self.atoms_ = ax.vlines(density.atoms, 0, heights, color="#6F6446", lw=2, zorder=2)
            ax.plot(density.atoms, heights, "o", color="#6F6446", ms=5, zorder=2)

    def _frame(self, ax: Axes, rows: Sequence[Row], span: tuple[float, float]) -> None:
        heights = _heights(len(rows))
        ax.set(xlim=span, ylim=(0, heights[0] + ROW_HEIGHT * 0.7))
        ax.set_yticks([*heights, BELIEF_HEIGHT * 0.4], [*(row.label for row in rows), "belief"])
        for label, colour in zip(ax.get_yticklabels(), _label_colours(rows), strict=True):
            label.set_color(colour)
        ax.tick_params(axis="y", length=0, labelsize=10)
        for side in ("top", "right", "left"):
            ax.spines[side].set_visible(False)
        ax.grid(axis="x", color="#E6E6E6", lw=0.6)
        ax.set_axisbelow(True)
        if self._axis.prevalence is None:
            ax.set_xlabel("probability-cost of the positive class")
            return
        ax.set_xlabel("miss's share of both costs")
        _times_as_bad(ax, span)


def _closer(low: float, high: float) -> tuple[float, float]:
    """Return the surroundings of a belief."""
    beside = MARGIN * (high - low) or 0.05
    return max(low - beside, 0.0), min(high + beside, 1.0)


def _within(rows: Sequence[Row], low: float, high: float) -> list[Row]:
    """Return the rows that have bars between two points."""
    return [row for row in rows if any(left < high and right > low for left, right in row.spans)]


def _label(name: str, mass: float) -> str:
    return f"{as_text(name)}  {percent(mass)}"


def _label_colours(rows: Sequence[Row]) -> list[str]:
    return [*(row.colour if row.name else "#666666" for row in rows), "#6F6446"]


def _colours(names: Sequence[str]) -> dict[str, str]:
    found = {name: COLOURS[i % len(COLOURS)] for i, name in enumerate(names)}
    return dict.fromkeys((NEVER, ALWAYS), "#444444") | found


def _heights(rows: int) -> list[float]:
    """Return the heights of the rows above the belief, the first on top."""
    return [BELIEF_HEIGHT + ROW_HEIGHT * (rows - i - 0.4) for i in range(rows)]


def _times_as_bad(ax: Axes, span: tuple[float, float]) -> None:
    """Write above the axis how many times as bad a miss is."""
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
    above.set_xlabel("a miss is so many times as bad as a false alarm", fontsize=9, color="#666666")


def _wrapped(text: str) -> str:
    return "\n".join(textwrap.wrap(text, 84)).replace("$", r"\$")


def _axes(rows: Sequence[int]) -> list[Axes]:
    """Make axes below one another, with room for so many rows each."""
    try:
        from matplotlib import pyplot
    except ImportError:
        raise missing_extra("plot", "Drawing") from None
    heights = [2.2 + 0.3 * count for count in rows]
    _, axes = pyplot.subplots(
        len(rows),
        1,
        figsize=(8.4, sum(heights)),
        height_ratios=heights,
        layout="constrained",
        squeeze=False,
    )
    return list(axes[:, 0])
