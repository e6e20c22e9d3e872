"""Cumulative gain and lift: what alarming on a share of all cases finds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rocch.errors import bad_input
from rocch.inputs import as_flag, as_rate
from rocch.plots.picture import Picture, curves_of
from rocch.plots.style import DASHES, HULL, REFERENCE, percent, visible
from rocch.roc.views import GainCurve, perfect_gain, perfect_lift

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from rocch.arrays import FloatArray
    from rocch.roc.hull import RocHull


@dataclass
class GainDisplay(Picture):
    """Gain curves (the share of positives found), or lift, over the share of cases alarmed.

    Attributes
    ----------
    hull
        What is drawn.
    prevalence
        The share of positives at which alarms are counted: a number, or "observed".
    lift
        Draw lift, the share found over the share alarmed, instead of the share found.
    capacity
        The share of cases that can be looked at, marked with what the hull finds there.
    figure_, ax_
        The figure and axes of the last drawing.
    curve_lines_, hull_line_, random_line_, perfect_line_, capacity_line_
        The artists of the last drawing; the curves by classifier.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import rocch
    >>> display = rocch.GainDisplay.from_predictions(
    ...     [0, 0, 1, 1], {"nb": [0.1, 0.4, 0.35, 0.8]}, capacity=0.5
    ... )
    >>> display.capacity_line_.get_label()
    'capacity 50 %: the hull finds 75 %'
    """

    hull: RocHull
    prevalence: float | str = "observed"
    lift: bool = False
    capacity: float | None = None
    figure_: Figure = field(init=False, repr=False)
    ax_: Axes = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.lift = as_flag(self.lift, "lift")
        if self.capacity is not None and as_rate(self.capacity, "capacity") == 0:
            raise bad_input("capacity", "be above 0", "0", "It is a share of all cases.")

    def _draw(self) -> None:
        joint = GainCurve.of(self.hull, prevalence=self.prevalence)
        x, y = self._line(joint)
        keep = visible(x, y)
        (self.hull_line_,) = self.ax_.plot(
            x[keep], y[keep], color=HULL, lw=1.1, zorder=3, label="hull"
        )
        self._draw_curves()
        self._draw_references(joint.prevalence)
        self._draw_capacity(joint)
        self._frame()

    def _frame(self) -> None:
        self.ax_.set(xlim=(-0.01, 1.01), xlabel="Share of all cases that alarm")
        if self.lift:
            self.ax_.set_ylim(bottom=0)
            self.ax_.set_ylabel("Lift: times as many positives as at random")
        else:
            self.ax_.set(ylim=(-0.01, 1.02), ylabel="Share of positives found")

    def _line(self, gain: GainCurve) -> tuple[FloatArray, FloatArray]:
        return gain.lift_line if self.lift else (gain.alarmed, gain.found)

    def _draw_curves(self) -> None:
        self.curve_lines_ = {}
        for curve in curves_of(self.hull):
            x, y = self._line(GainCurve.of(curve, prevalence=self.prevalence))
            keep = visible(x, y)
            self.curve_lines_[curve.name] = self._draw_classifier(curve, (x[keep], y[keep]))

    def _draw_references(self, prevalence: float) -> None:
        perfect = perfect_lift(prevalence) if self.lift else perfect_gain(prevalence)
        (self.random_line_,) = self.ax_.plot(
            [0, 1],
            [1, 1] if self.lift else [0, 1],
            color=REFERENCE,
            lw=1.1,
            ls=DASHES,
            zorder=1,
            label="alarming at random",
        )
        (self.perfect_line_,) = self.ax_.plot(
            *perfect,
            color=REFERENCE,
            lw=1.1,
            ls=(0, (1, 1.5)),
            zorder=1,
            label=f"no errors, {percent(prevalence)} positive",
        )

    def _draw_capacity(self, joint: GainCurve) -> None:
        self.capacity_line_ = None
        if self.capacity is None:
            return
        found = percent(joint.found_at(self.capacity))
        self.capacity_line_ = self.ax_.axvline(
            self.capacity,
            color="#B00020",
            lw=1.2,
            zorder=2,
            label=f"capacity {percent(self.capacity)}: the hull finds {found}",
        )
