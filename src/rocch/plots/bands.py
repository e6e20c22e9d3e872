"""ROC curves with the doubt about them: bands, boxes around thresholds, averages with spread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rocch.arrays import FloatArray
from rocch.errors import InputError, describe_type
from rocch.plots.style import (
    HULL,
    Look,
    as_text,
    frame,
    looks,
    new_axes,
    percent,
    roc_frame,
    visible,
)
from rocch.roc.average import AveragedCurve
from rocch.roc.curve import RocCurve
from rocch.stats.bands import JOINT, RocBand, ThresholdBox

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


SPREADS = 12
"""At so many places, evenly along an average, its spread is drawn; more would hide the curve."""

REACH = {"vertical": ("at any one FPR", 0.25), "simultaneous": ("for the whole curve", 0.15)}
"""How far a kind of band reaches, in words, and how strongly it is shaded."""


@dataclass
class RocBandDisplay:
    """A ROC graph of bands, of boxes around thresholds, or of averaged curves.

    Build it with `from_bands` or `from_average`; `plot` draws it again.

    Attributes
    ----------
    bands
        Each is shaded around its curve; the legend says what kind it is.
    boxes
        Drawn around their thresholds' points.
    average, curves
        An average with the spread (one standard deviation) of the curves it was made of, and those
        curves, faint.
    figure_, ax_
        The figure and axes of the last drawing.
    band_fills_, band_lines_, box_patches_, average_line_, spreads_, curve_lines_
        The artists of the last drawing.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import numpy as np
    >>> import rocch
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(300) < 0.4
    >>> scores = {"nb": rng.normal(size=300) + y}
    >>> band = rocch.stats.bootstrap(y, scores, replicates=200).band("nb", kind="simultaneous")
    >>> display = rocch.plots.RocBandDisplay.from_bands(band)
    >>> display.ax_.get_legend_handles_labels()[1]
    ['nb', 'nb: 95 % band for the whole curve']
    """

    bands: Sequence[RocBand] = ()
    boxes: Sequence[ThresholdBox] = ()
    average: AveragedCurve | None = None
    curves: Sequence[RocCurve] = ()
    figure_: Figure = field(init=False, repr=False)
    ax_: Axes = field(init=False, repr=False)

    @classmethod
    def from_bands(
        cls, *bands: RocBand, boxes: Sequence[ThresholdBox] = (), ax: Axes | None = None
    ) -> Self:
        """Draw one or several bands, and boxes."""
        _check(bands, RocBand, "bands", "See rocch.stats.roc_band and Bootstrap.band.")
        _check(boxes, ThresholdBox, "boxes", "See rocch.stats.threshold_boxes and Bootstrap.boxes.")
        if not bands and not boxes:
            raise InputError(
                "bands", "be at least one, or boxes", "none", "See rocch.stats.roc_band."
            )
        return cls(bands, boxes).plot(ax)

    @classmethod
    def from_average(
        cls, average: AveragedCurve, *, curves: Sequence[RocCurve] = (), ax: Axes | None = None
    ) -> Self:
        """Draw an average with its spread, and the curves behind it if they are given."""
        _check([average], AveragedCurve, "average", "See rocch.roc.average_curves.")
        _check(curves, RocCurve, "curves", "Pass those that were averaged.")
        return cls(average=average, curves=curves).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on the given axes, or on new ones."""
        self.ax_ = new_axes() if ax is None else ax
        self.figure_ = self.ax_.figure  # type: ignore[assignment]
        frame(self.ax_)
        roc_frame(self.ax_)
        self._draw_bands()
        self._draw_boxes()
        self._draw_curves()
        self._draw_average()
        self.ax_.legend(loc="lower right", fontsize=9, framealpha=0.95)
        return self

    @property
    def _looks(self) -> dict[str, Look]:
        names = dict.fromkeys([*(b.model for b in self.bands), *(b.model for b in self.boxes)])
        found = looks(name for name in names if name != JOINT)
        return found | {JOINT: Look(HULL, "o", "-")}

    def _draw_bands(self) -> None:
        """Draw each model's curve once, and each of its bands, wide ones paler than narrow ones."""
        self.band_fills_: list[Any] = []
        self.band_lines_: dict[str, Any] = {}
        for band in self.bands:
            color, name = self._looks[band.model].color, as_text(band.model)
            if band.model not in self.band_lines_:
                (self.band_lines_[band.model],) = self.ax_.plot(
                    band.fpr, band.center, color=color, lw=1.6, zorder=3, label=name
                )
            reach, alpha = REACH[band.kind]
            fill: Any
            if band.fpr.size == 1:
                fill = self.ax_.vlines(band.fpr, band.low, band.high, color=color, lw=2, zorder=3)
                self.ax_.plot(band.fpr, band.center, "o", color=color, ms=5, zorder=4)
            else:
                fill = self.ax_.fill_between(
                    band.fpr, band.low, band.high, color=color, alpha=alpha, lw=0, zorder=1
                )
            fill.set_label(f"{name}: {percent(band.confidence)} band {reach}")
            self.band_fills_.append(fill)

    def _draw_boxes(self) -> None:
        from matplotlib.patches import Rectangle

        self.box_patches_: list[Any] = []
        named = set()
        for box in self.boxes:
            color = self._looks[box.model].color
            corner = box.fpr.low, box.tpr.low
            size = box.fpr.high - box.fpr.low, box.tpr.high - box.tpr.low
            patch = Rectangle(corner, *size, fill=False, ec=color, lw=1.1, zorder=4)
            if box.model not in named:
                named.add(box.model)
                level = percent(box.confidence)
                patch.set_label(f"{as_text(box.model)}: {level} box at a threshold")
            self.ax_.add_patch(patch)
            self.ax_.plot(*box.point, "o", color=color, ms=4, zorder=5)
            self.box_patches_.append(patch)

    def _draw_curves(self) -> None:
        self.curve_lines_ = []
        for number, curve in enumerate(self.curves):
            keep = visible(curve.fpr, curve.tpr)
            label = f"{len(self.curves)} curves" if number == 0 else None
            (line,) = self.ax_.plot(
                curve.fpr[keep], curve.tpr[keep], color="#999999", lw=0.7, zorder=1.5, label=label
            )
            self.curve_lines_.append(line)

    def _draw_average(self) -> None:
        self.average_line_, self.spreads_ = None, None
        mean = self.average
        if mean is None:
            return
        label = f"mean at each {'FPR' if mean.by == 'fpr' else 'threshold'}"
        (self.average_line_,) = self.ax_.plot(
            mean.fpr, mean.tpr, color=HULL, lw=1.8, zorder=4, label=label
        )
        moved = mean.by == "threshold"
        step = max(1, len(mean) // SPREADS)
        some = slice(step // 2, None, step)
        self.spreads_ = self.ax_.errorbar(
            mean.fpr[some],
            mean.tpr[some],
            yerr=_inside(mean.tpr[some], mean.tpr_deviation[some]),
            xerr=_inside(mean.fpr[some], mean.fpr_deviation[some]) if moved else None,
            fmt="none",
            ecolor="#B00020",
            elinewidth=1.2,
            capsize=2.5,
            zorder=5,
            label=f"one standard deviation of {len(mean.curves)} curves",
        )


def _inside(mean: FloatArray, deviation: FloatArray) -> FloatArray:
    """Return how far a spread is drawn down and up: rates end at 0 and 1."""
    return np.stack((np.minimum(deviation, mean), np.minimum(deviation, 1 - mean)))


def _check(given: Sequence[Any], kind: type, argument: str, hint: str) -> None:
    for one in given:
        if not isinstance(one, kind):
            raise InputError(argument, f"be {kind.__name__} objects", describe_type(one), hint)
