"""The DET graph: misses against false alarms on axes in normal deviates."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy.special import ndtr, ndtri

from rocch.inputs import as_flag
from rocch.plots.picture import Picture, curves_of
from rocch.plots.style import DASHES, HULL, REFERENCE, percent, visible
from rocch.roc.views import DetCurve

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

    from rocch.arrays import FloatArray
    from rocch.roc.curve import RocCurve
    from rocch.roc.hull import RocHull

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
    >>> display = rocch.DetDisplay.from_predictions(
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
        return self.hull.judged.weighted or self.hull.judged.pooled

    def _limits(self, images: list[DetCurve]) -> tuple[float, float]:
        """Return the limits of both axes: where the curves are, without much empty room."""
        rates = [curve.equal_error_rate for curve in self._curves if curve.scoring]
        good = max([self.hull.equal_error_rate, *rates]) < GOOD
        high = HALF if good else 1 - min(self._floor)
        seen = [_within(image.line(self._floor), high) for image in images]
        top = high if good else ndtr(ndtri(high) + MARGIN)
        return float(ndtr(ndtri(min(seen)) - MARGIN)), float(top)

    def _set_ticks(self, axis: Axis, floor: float, limits: tuple[float, float]) -> None:
        """Put ticks that read 0 and 100 % at the floor, and percentages where there is room."""
        inches = self.figure_.get_size_inches()[0] * self.ax_.get_position().width
        room = float(np.ptp(ndtri(limits))) * TICK_ROOM / inches
        ends = {floor: "0", 1 - floor: "100 %"}
        words = {place: word for place, word in ends.items() if limits[0] < place < limits[1]}
        for tick in TICKS:
            gaps = np.abs(ndtri(list(words)) - ndtri(tick))
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
        keep = visible(ndtri(x), ndtri(y))
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

    return FuncScale(axis, functions=(ndtri, ndtr))
