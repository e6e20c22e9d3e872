"""Precision against recall at a stated prevalence, with the image of the hull."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from rocch.plots.picture import Picture, curves_of
from rocch.plots.style import DASHES, HULL, REFERENCE, percent, visible
from rocch.roc.views import PrecisionRecallCurve, iso_f1

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from rocch.roc.hull import RocHull


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
    >>> display = rocch.RocPrecisionRecallDisplay.from_predictions(
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
