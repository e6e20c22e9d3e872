"""Other pictures of curves and hulls: DET, gain and lift, precision and recall."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import scipy

from rocch.arrays import FloatArray
from rocch.errors import InputError
from rocch.inputs import as_flag, as_rate
from rocch.plots.style import (
    DASHES,
    HULL,
    REFERENCE,
    Picture,
    curves_of,
    percent,
    visible,
)
from rocch.roc.curve import RocCurve
from rocch.roc.hull import RocHull
from rocch.roc.views import (
    DetCurve,
    GainCurve,
    PrecisionRecallCurve,
    iso_f1,
    perfect_gain,
    perfect_lift,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure


# --- The DET graph: misses against false alarms on axes in normal deviates ------------------------

LOW_TICKS = (0.01, 0.1, 0.001, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 0.4, 0.2, 0.05)
TICKS = tuple(tick for low in LOW_TICKS for tick in (low, 1 - low))
"""Rates that get a tick, those that come first before others that would crowd them."""

TICK_ROOM = 0.36
"""A tick needs so many inches."""

GOOD = 0.25
"""Where every equal error rate is below this, rates above one half are left out of view."""

HALF = 0.55
"""The highest rate in view then; a little more than one half, so that the eye finds it."""

MARGIN = 0.12
"""Room between the rates that stand for 0 and the frame, in normal deviates."""


@dataclass
class DetDisplay(Picture):
    """A DET graph: the further to the lower left, the better; normal scores give straight lines.

    Rates of 0 lie at infinity on these axes. They are drawn where half a row would be, at the tick
    that reads 0, and the labels of the axes say so.

    Attributes
    ----------
    hull
        What is drawn.
    with_hull
        Whether the hull's own line is drawn too.
    figure_, ax_
        The figure and axes of the last drawing; data on the axes are rates.
    curve_lines_, hull_line_, equal_line_
        The artists of the last drawing; the curves by classifier.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import rocch
    >>> display = rocch.plots.DetDisplay.from_predictions(
    ...     [0, 0, 1, 1], {"nb": [0.1, 0.4, 0.35, 0.8]}
    ... )
    >>> print(display.ax_.get_xlabel())
    False positive rate
    (0 is drawn at half a row: 25 %)
    """

    size: ClassVar[tuple[float, float]] = (7.2, 7.2)
    hull: RocHull
    with_hull: bool = True
    figure_: Figure = field(init=False, repr=False)
    ax_: Axes = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.with_hull = as_flag(self.with_hull, "with_hull")

    def _draw(self) -> None:
        joint, self._curves = DetCurve.of(self.hull), curves_of(self.hull)
        images = [DetCurve.of(curve) for curve in self._curves]
        floors = [image.floor for image in (joint, *images)]
        self._floor = min(x for x, _ in floors), min(y for _, y in floors)
        self._frame([joint, *images])
        self.hull_line_ = self._draw_hull(joint) if self.with_hull else None
        self.curve_lines_ = {
            image.name: self._draw_curve(curve, image)
            for curve, image in zip(self._curves, images, strict=True)
        }

    def _frame(self, images: list[DetCurve]) -> None:
        low, high = self._limits(images)
        self.ax_.set(xscale=_probit(self.ax_.xaxis), yscale=_probit(self.ax_.yaxis))
        self.ax_.set(xlim=(low, high), ylim=(low, high), box_aspect=1)
        axes = (self.ax_.xaxis, self.ax_.yaxis)
        words = ("False positive rate", "Miss rate")
        half = "half the smallest rate" if self._unequal_rows else "half a row"
        for axis, floor, word in zip(axes, self._floor, words, strict=True):
            self._set_ticks(axis, floor, (low, high))
            note = f"\n(0 is drawn at {half}: {percent(floor)})" if floor > low else ""
            axis.set_label_text(word + note)
        self.equal_line_ = self.ax_.axline(
            (low, low), (high, high), color=REFERENCE, lw=0.9, ls=DASHES, zorder=1
        )
        self.equal_line_.set_label("equal error rates")

    @property
    def _unequal_rows(self) -> bool:
        return self.hull.totals.weighted or self.hull.totals.pooled

    def _limits(self, images: list[DetCurve]) -> tuple[float, float]:
        """Return the limits of both axes: where the curves are, without much empty room."""
        rates = [curve.equal_error_rate for curve in self._curves if curve.scoring]
        good = max([self.hull.equal_error_rate, *rates]) < GOOD
        high = HALF if good else 1 - min(self._floor)
        seen = [_within(image.line(self._floor), high) for image in images]
        top = high if good else scipy.special.ndtr(scipy.special.ndtri(high) + MARGIN)
        return float(scipy.special.ndtr(scipy.special.ndtri(min(seen)) - MARGIN)), float(top)

    def _set_ticks(self, axis: Axis, floor: float, limits: tuple[float, float]) -> None:
        """Put ticks that read 0 and 100 % at the floor, and percentages where there is room."""
        inches = self.figure_.get_size_inches()[0] * self.ax_.get_position().width
        room = float(np.ptp(scipy.special.ndtri(limits))) * TICK_ROOM / inches
        ends = {floor: "0", 1 - floor: "100 %"}
        words = {place: word for place, word in ends.items() if limits[0] < place < limits[1]}
        for tick in TICKS:
            gaps = np.abs(scipy.special.ndtri(list(words)) - scipy.special.ndtri(tick))
            if max(limits[0], floor) < tick < min(limits[1], 1 - floor) and (gaps >= room).all():
                words[tick] = percent(tick)
        axis.set_ticks(list(words), list(words.values()), fontsize=8.5)

    def _draw_hull(self, joint: DetCurve) -> Any:
        x, y = joint.line(self._floor)
        label = f"hull (equal error rate {percent(self.hull.equal_error_rate)})"
        (line,) = self.ax_.plot(x, y, color=HULL, lw=1.1, zorder=3, label=label)
        return line

    def _draw_curve(self, curve: RocCurve, image: DetCurve) -> Any:
        x, y = image.line(self._floor)
        keep = visible(scipy.special.ndtri(x), scipy.special.ndtri(y))
        rate = f" (equal error rate {percent(curve.equal_error_rate)})" if curve.scoring else ""
        return self._draw_classifier(curve, (x[keep], y[keep]), rate)


def _within(line: tuple[FloatArray, FloatArray], high: float) -> float:
    """Return the lowest rate of either kind on the part of a line where both are below a limit."""
    x, y = line
    seen = (x <= high) & (y <= high)
    return float(min(x[seen].min(), y[seen].min())) if seen.any() else high


def _probit(axis: Axis) -> Any:
    """Return the scale on which equal steps of a normal deviate are equally long."""
    from matplotlib.scale import FuncScale

    return FuncScale(axis, functions=(scipy.special.ndtri, scipy.special.ndtr))


# --- Cumulative gain and lift: what alarming on a share of all cases finds ------------------------


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
    >>> display = rocch.plots.GainDisplay.from_predictions(
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
            raise InputError("capacity", "be above 0", "0", "It is a share of all cases.")

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
        return gain.lift_line if self.lift else (gain.predicted_positive_rate, gain.recall)

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
        found = percent(joint.recall_at(self.capacity))
        self.capacity_line_ = self.ax_.axvline(
            self.capacity,
            color="#B00020",
            lw=1.2,
            zorder=2,
            label=f"capacity {percent(self.capacity)}: the hull finds {found}",
        )


# --- Precision against recall at a stated prevalence, with the image of the hull ------------------


@dataclass
class RocPrecisionRecallDisplay(Picture):
    """Precision-recall curves, computed from ROC rates at any prevalence.

    Lines between points are straight in ROC space and therefore bent here; the hull's image is the
    best that any mix of the classifiers can reach.

    Attributes
    ----------
    hull
        What is drawn.
    prevalence
        The share of positives at which precision is meant: a number, or "observed".
    f1
        Values of F1 whose lines are drawn for comparison.
    figure_, ax_
        The figure and axes of the last drawing.
    curve_lines_, hull_line_, baseline_, f1_lines_
        The artists of the last drawing; the curves by classifier, the F1 lines by value.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import rocch
    >>> display = rocch.plots.RocPrecisionRecallDisplay.from_predictions(
    ...     [0, 0, 1, 1], {"nb": [0.1, 0.4, 0.35, 0.8]}, prevalence=0.1
    ... )
    >>> display.baseline_.get_label()
    'chance: 10 % of cases are positive'
    """

    size: ClassVar[tuple[float, float]] = (7.2, 5.8)
    hull: RocHull
    prevalence: float | str = "observed"
    f1: Sequence[float] = ()
    figure_: Figure = field(init=False, repr=False)
    ax_: Axes = field(init=False, repr=False)

    def _draw(self) -> None:
        self.ax_.set(
            xlim=(-0.01, 1.01),
            ylim=(-0.01, 1.02),
            xlabel="Recall: share of positives found",
            ylabel="Precision: share of alarms that are right",
        )
        self._draw_f1()
        self._draw_hull()
        self._draw_curves()

    def _draw_hull(self) -> None:
        image = PrecisionRecallCurve.of(self.hull, prevalence=self.prevalence)
        x, y = image.line
        keep = visible(x, y)
        (self.hull_line_,) = self.ax_.plot(
            x[keep], y[keep], color=HULL, lw=1.1, zorder=3, label=f"hull (area {image.area:.3f})"
        )
        self.baseline_ = self.ax_.axhline(
            image.prevalence,
            color=REFERENCE,
            lw=1.1,
            ls=DASHES,
            zorder=1,
            label=f"chance: {percent(image.prevalence)} of cases are positive",
        )

    def _draw_curves(self) -> None:
        self.curve_lines_ = {}
        for curve in curves_of(self.hull):
            image = PrecisionRecallCurve.of(curve, prevalence=self.prevalence)
            x, y = image.line
            keep = visible(x, y)
            words = f" (area {image.area:.3f})" if curve.scoring else ""
            self.curve_lines_[curve.name] = self._draw_classifier(curve, (x[keep], y[keep]), words)

    def _draw_f1(self) -> None:
        self.f1_lines_ = {}
        for value in self.f1:
            recall, precision = iso_f1(value)
            (line,) = self.ax_.plot(recall, precision, color="#bbbbbb", lw=0.8, zorder=0.5)
            self.ax_.text(
                1.015, precision[-1], f"F1 {value:g}", color=REFERENCE, fontsize=8, va="center"
            )
            self.f1_lines_[value] = line
