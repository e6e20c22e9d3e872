"""Cost curves: what every classifier costs under every condition, and who wins where."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import cycle
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from rocch.plots.picture import Picture, as_several
from rocch.plots.style import CONDITION_DASHES, DASHES, HULL, REFERENCE, TRIVIAL, as_text
from rocch.roc.views import CostCurve, probability_cost

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.collections import LineCollection
    from matplotlib.figure import Figure

    from rocch.roc.belief import Belief
    from rocch.roc.conditions import Conditions
    from rocch.roc.hull import RocHull

MOST_LINES = 12
"""Of each classifier so many settings are drawn at most, and fewer of many classifiers."""

LINES_IN_ALL = 48
"""So many settings can be seen in one picture; more would be a grey mass."""

ROOM_BELOW = 0.3
"""The bars below the axis take at most this much of the height above it."""

BAR = 0.045
"""One bar takes so much of that height, if there are few of them."""


@dataclass
class CostCurveDisplay(Picture):
    """Cost curves after Drummond and Holte, with the ranges in which each classifier is of use.

    Faint lines are single settings of a classifier; its own envelope is the best of them at each
    point; the joint envelope is the best of all. Below the axis a thin bar shows a classifier's
    operating range, in which it beats never and always alarming; the thick part is where it wins.

    Attributes
    ----------
    hull
        What is drawn.
    conditions
        One or several conditions to mark: a vertical line for exact ones, a band for intervals.
    figure_, ax_
        The figure and axes of the last drawing.
    setting_lines_, curve_lines_, envelope_line_, trivial_lines_, range_bars_, winning_bars_
        The artists of the last drawing; all but the envelope by classifier.
    condition_marks_
        The lines and bands of the conditions.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import rocch
    >>> display = rocch.CostCurveDisplay.from_predictions(
    ...     [0, 0, 1, 1], {"nb": [0.1, 0.4, 0.35, 0.8]}
    ... )
    >>> display.ax_.get_ylabel()
    'Expected cost (1 = every case decided wrongly)'
    """

    legend_place: ClassVar[Literal["best", "upper left"]] = "upper left"
    hull: RocHull
    conditions: Conditions | Belief | Sequence[Conditions | Belief] = ()
    figure_: Figure = field(init=False, repr=False)
    ax_: Axes = field(init=False, repr=False)

    def _draw(self) -> None:
        self._joint = CostCurve(self.hull)
        self._frame()
        self._draw_envelope()
        self._draw_members()
        self._draw_trivial()
        self._draw_ranges()
        self._draw_conditions()

    @property
    def _top(self) -> float:
        """The height of the picture: the costliest envelope, with some room above."""
        highest = max(float(own.knots[1].max()) for own in self._joint.members.values())
        return min(0.52, 1.25 * highest or 0.52)

    def _frame(self) -> None:
        self.ax_.set(
            xlim=(-0.01, 1.01),
            xlabel="Probability cost of positives\n(prevalence weighted by the cost of errors)",
            ylabel="Expected cost (1 = every case decided wrongly)",
        )

    def _draw_envelope(self) -> None:
        (self.envelope_line_,) = self.ax_.plot(
            *self._joint.knots, color=HULL, lw=4.2, zorder=5, label="best of all (hull)"
        )

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
                *own.knots, color=look.colour, ls=look.line, lw=1.6, zorder=6, label=as_text(name)
            )

    def _draw_trivial(self) -> None:
        style: dict[str, Any] = {"color": REFERENCE, "lw": 1.1, "ls": DASHES, "zorder": 3}
        (never,) = self.ax_.plot([0, 1], [0, 1], **style, label="never or always alarm")
        (always,) = self.ax_.plot([0, 1], [1, 0], **style)
        self.trivial_lines_ = {"never": never, "always": always}

    def _draw_ranges(self) -> None:
        """Draw one bar per classifier below the axis: thin where it is of use, thick where best."""
        members, winning = self._joint.members, self._joint.winning_ranges()
        step = self._top * min(BAR, ROOM_BELOW / len(members))
        self.range_bars_: dict[str, LineCollection] = {}
        self.winning_bars_: dict[str, LineCollection] = {}
        for i, (name, own) in enumerate(members.items()):
            useful = [] if own.operating_range is None else [own.operating_range]
            won = [(row.low, row.high) for row in winning if row.classifier == name]
            height = -(i + 1) * step
            for bars, ranges, width in (
                (self.range_bars_, useful, 1.2),
                (self.winning_bars_, won, 4.5),
            ):
                ends = [[(low, height), (high, height)] for low, high in ranges]
                bars[name] = self._draw_segments(name, ends, lw=width, zorder=4)
        self.ax_.plot([], [], color=TRIVIAL, lw=1.2, label="below: beats never and always")
        self.ax_.plot([], [], color=TRIVIAL, lw=4.5, label="below: best of all")
        self.ax_.axhline(0, color="#333333", lw=0.8, zorder=4)
        self.ax_.spines["bottom"].set_visible(False)
        self._limit_height(-(len(members) + 0.8) * step)

    def _draw_segments(self, name: str, ends: list[Any], **style: Any) -> LineCollection:
        """Draw straight pieces in a classifier's colour, without moving the limits."""
        from matplotlib.collections import LineCollection

        pieces = LineCollection(ends, colors=self._looks[name].colour, **style)
        self.ax_.add_collection(pieces, autolim=False)
        return pieces

    def _limit_height(self, bottom: float) -> None:
        self.ax_.set_ylim(bottom, self._top)
        self.ax_.set_yticks([tick for tick in self.ax_.get_yticks() if 0 <= tick <= self._top])

    def _draw_conditions(self) -> None:
        self.condition_marks_ = []
        several = as_several(self.conditions)
        for given, dashes in zip(several, cycle(CONDITION_DASHES), strict=False):
            at = probability_cost(given.resolved(self.hull.judged))
            style: dict[str, Any] = {"color": "#B00020", "zorder": 1.5}
            if at.exact:
                mark: Any = self.ax_.axvline(at.low, lw=1.2, ls=dashes, **style)
            else:
                mark = self.ax_.axvspan(at.low, at.high, alpha=0.1, lw=0, **style)
            text = f"{at.low:.3g}" if at.exact else f"{at.low:.3g} to {at.high:.3g}"
            mark.set_label(f"given conditions: {text}")
            self.condition_marks_.append(mark)


def _spread(count: int, most: int) -> list[int]:
    """Pick at most so many places out of `count`, evenly and with both ends."""
    return sorted({round(i) for i in np.linspace(0, count - 1, min(count, most))})
