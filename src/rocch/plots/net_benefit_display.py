"""Decision curves: net benefit at each threshold probability (Vickers and Elkin)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.plots.picture import Picture, curves_of
from rocch.plots.style import DASHES, HULL, REFERENCE, as_text
from rocch.roc.views import (
    DecisionCurve,
    as_thresholds,
    has_probabilities,
    useful_thresholds,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from rocch.roc.curve import RocCurve
    from rocch.roc.hull import RocHull


@dataclass
class NetBenefitDisplay(Picture):
    """Decision curves of the classifiers, read as probabilities and at their best.

    A full line takes a classifier's scores for probabilities and alarms from the threshold
    probability on; it is drawn where all scores lie within [0, 1]. A thin dotted line in the same
    colour sets the classifier to its best threshold instead, which needs no probabilities; where
    the two part, the probabilities are not calibrated at this prevalence (or the sample is small).

    Attributes
    ----------
    hull
        What is drawn.
    prevalence
        The share of positives at which net benefit is meant: a number, or "observed".
    thresholds
        Threshold probabilities to draw at; by default from 0 to where never alarming is best.
    figure_, ax_
        The figure and axes of the last drawing.
    calibrated_lines_, best_lines_, hull_line_, always_line_, never_line_
        The artists of the last drawing; the first two by classifier.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import rocch
    >>> display = rocch.NetBenefitDisplay.from_predictions(
    ...     [0, 0, 1, 1], {"nb": [0.1, 0.4, 0.35, 0.8]}
    ... )
    >>> sorted(display.calibrated_lines_)
    ['nb']
    """

    hull: RocHull
    prevalence: float | str = "observed"
    thresholds: Any = None
    figure_: Figure = field(init=False, repr=False)
    ax_: Axes = field(init=False, repr=False)

    def _draw(self) -> None:
        self._options: dict[str, Any] = {
            "prevalence": self.prevalence,
            "thresholds": self._grid(),
        }
        best = DecisionCurve.best(self.hull, **self._options)
        self._draw_curves()
        style = {"color": HULL, "lw": 1.1, "zorder": 4, "label": "hull, at best"}
        self.hull_line_ = self._line(best, style)
        self._draw_references()
        self._frame(best)

    def _grid(self) -> Any:
        if self.thresholds is None:
            return useful_thresholds(self.hull, prevalence=self.prevalence)
        return np.sort(as_thresholds(self.thresholds))

    def _frame(self, best: DecisionCurve) -> None:
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
            if has_probabilities(curve):
                self.calibrated_lines_[curve.name] = self._line(
                    DecisionCurve.calibrated(curve, **self._options),
                    {"color": look.colour, "ls": look.line, "lw": 1.6, "zorder": 3, "label": name},
                )
            self.best_lines_[curve.name] = self._line(
                DecisionCurve.best(curve, **self._options),
                {
                    "color": look.colour,
                    "ls": (0, (1, 1.2)),
                    "lw": 1.2,
                    "zorder": 2,
                    "label": f"{name}, at best" + _why_alone(curve),
                },
            )

    def _line(self, curve: DecisionCurve, style: dict[str, Any]) -> Any:
        (line,) = self.ax_.plot(curve.thresholds, curve.net_benefit, **style)
        return line

    def _draw_references(self) -> None:
        always = DecisionCurve.always(self.hull, **self._options)
        style: dict[str, Any] = {"color": REFERENCE, "lw": 1.1, "zorder": 1}
        self.always_line_ = self._line(always, style | {"ls": DASHES, "label": "always alarm"})
        self.never_line_ = self.ax_.axhline(0, **style, label="never alarm")


def _why_alone(curve: RocCurve) -> str:
    """Say why a classifier has no line that reads its scores as probabilities."""
    if not curve.scoring:
        return " (labels)"
    return "" if has_probabilities(curve) else " (no probabilities)"
