"""Pictures of curves and hulls: ROC, DET, gain and lift, precision and recall, and bands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy.special import ndtr, ndtri

from rocch.arrays import FloatArray
from rocch.errors import Hint, InputError
from rocch.inputs import as_flag, as_instance, as_number
from rocch.plots.style import (
    CHOSEN,
    HULL,
    HULL_STYLE,
    REFERENCE,
    REFERENCE_STYLE,
    RING_STYLE,
    Display,
    HullDisplay,
    LineStyle,
    Look,
    Style,
    as_text,
    curves_of,
    halo,
    legend_below,
    looks,
    percent,
    resolve_conditions,
    roc_frame,
    roc_legend,
    visible,
)
from rocch.roc.average import AveragedCurve
from rocch.roc.belief import Belief
from rocch.roc.conditions import Conditions
from rocch.roc.curve import RocCurve
from rocch.roc.hull import RocHull
from rocch.roc.operating_point import OperatingPoint, end_name
from rocch.roc.views import (
    DetCurve,
    GainCurve,
    PrecisionRecallCurve,
    iso_f1,
    perfect_gain,
    perfect_lift,
)
from rocch.stats.bands import JOINT, RocBand, ThresholdBox

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.lines import Line2D
    from matplotlib.scale import FuncScale

# The most entries of a legend inside the ROC graph.
MOST_INSIDE = 12


@dataclass
class RocHullDisplay(HullDisplay):
    """A ROC graph of a hull and its curves.

    Attributes
    ----------
    hull, curves
        The hull and its curves.
    conditions
        Conditions whose iso-performance lines are drawn: one line for exact ones, the outer two
        and the stretch of the hull between them for intervals.
    points
        Operating points to mark.
    max_fpr
        The largest FPR to show: 0.01 for alarms that must be rare. Names stay readable.
    figure_, ax_, curve_lines_, hull_line_, vertex_marks_, iso_lines_, stretch_line_
        The artists.

    Examples
    --------
    >>> import rocch
    >>> display = rocch.plots.RocHullDisplay.from_predictions(
    ...     [0, 0, 1, 1], {"nb": [0.1, 0.4, 0.35, 0.8]}
    ... )
    >>> display.ax_.get_xlabel()
    'False positive rate'
    """

    size = (7.2, 7.2)
    hull: RocHull
    curves: Sequence[RocCurve] = ()
    conditions: Conditions | Belief | Sequence[Conditions | Belief] = ()
    points: Sequence[OperatingPoint] = ()
    max_fpr: float = 1.0

    def __post_init__(self) -> None:
        as_number(self.max_fpr, "max_fpr", above=0, most=1, hint="Write 1% as 0.01.")

    @classmethod
    def from_hull(cls, hull: RocHull, *, ax: Axes | None = None, **options: Any) -> Self:
        """Draw a hull with its curves, as far as they are known."""
        return super().from_hull(hull, ax=ax, **{"curves": curves_of(hull), **options})

    def _draw(self) -> None:
        roc_frame(self.ax_, self.max_fpr)
        self._draw_hull()
        self.curve_lines_ = [self._draw_curve(curve) for curve in self.curves]
        self._draw_vertices()
        self._draw_conditions()
        self._draw_points()

    def _draw_legend(self) -> None:
        if self._own_figure and len(self.ax_.get_legend_handles_labels()[1]) > MOST_INSIDE:
            legend_below(self.figure_, self.ax_)
        else:
            roc_legend(self.ax_, "lower right" if self.max_fpr == 1 else "best")

    def _draw_hull(self) -> None:
        x, y = self.hull.fpr, self.hull.tpr
        self.ax_.fill_between(x, y, color="#000000", alpha=0.05, lw=0, zorder=0)
        restricted = self.hull.slope_bounds is not None
        label = "hull, restricted" if restricted else f"hull (AUC {self.hull.auc:.3f})"
        (self.hull_line_,) = self.ax_.plot(x, y, **HULL_STYLE, label=label)

    def _draw_curve(self, curve: RocCurve) -> Line2D:
        if curve.scoring:
            seen = slice(int(np.searchsorted(curve.fpr, self.max_fpr, side="right")) + 1)
            line = curve.fpr[seen], curve.tpr[seen]
            return self._draw_classifier(curve, line, f" (AUC {curve.auc:.3f})")
        points = curve.fpr[1:-1], curve.tpr[1:-1]
        return self._draw_classifier(curve, points, ms=6, mew=1, alpha=1, zorder=2)

    def _draw_vertices(self) -> None:
        self.vertex_marks_ = {}
        width = self.max_fpr
        inner = [vertex for vertex in self.hull.vertices[1:-1] if vertex.fpr <= width]
        style: Style = {"s": 20, "edgecolor": "white", "linewidth": 0.6, "zorder": 4}
        for name in sorted({vertex.classifier for vertex in inner}):
            own = [(vertex.fpr, vertex.tpr) for vertex in inner if vertex.classifier == name]
            look = self._looks[name]
            self.vertex_marks_[name] = self.ax_.scatter(
                *np.transpose(own), marker=look.marker, color=look.color, **style
            )
        placed: list[tuple[float, float]] = []
        for name, run in groupby(inner, key=lambda vertex: vertex.classifier):
            stretch = list(run)
            middle = stretch[len(stretch) // 2]
            spot = min(middle.fpr + 0.015 * width, 0.9 * width), max(middle.tpr - 0.035, 0.012)
            if all(abs(spot[1] - y) > 0.035 or abs(spot[0] - x) > 0.12 * width for x, y in placed):
                placed.append(spot)
                style = {"fontsize": 9, "zorder": 6, "path_effects": [halo()], "clip_on": True}
                self.ax_.text(*spot, as_text(name), color=self._looks[name].color, **style)

    def _draw_conditions(self) -> None:
        self.iso_lines_: list[Any] = []  # AxLine, or Line2D at an infinite slope
        self.stretch_line_: Line2D | None = None
        for conditions, dashes in resolve_conditions(self.conditions, self.hull):
            low, high = conditions.slope_range
            for slope in sorted({low, high}):
                self._draw_iso_line(slope, dashes, "" if low == high else "range: ")
            if low < high:
                stretch = list(self.hull.best_between(low, high))
                (self.stretch_line_,) = self.ax_.plot(
                    self.hull.fpr[stretch],
                    self.hull.tpr[stretch],
                    color="#F0E442",
                    lw=7,
                    solid_capstyle="round",
                    alpha=0.75,
                    zorder=1.5,
                    label="can be best in the range",
                )

    def _draw_iso_line(self, slope: float, dashes: LineStyle, prefix: str) -> None:
        vertex = self.hull.vertices[self.hull.best_between(slope, slope)[0]]
        style: Style = {"color": "#555555", "lw": 1.1, "ls": dashes, "zorder": 2.5}
        if np.isinf(slope):
            line = self.ax_.axvline(vertex.fpr, **style)
        else:
            line = self.ax_.axline((vertex.fpr, vertex.tpr), slope=slope, **style)
        line.set_label(f"{prefix}equal cost, slope {slope:.3g}")
        self.iso_lines_.append(line)

    def _draw_points(self) -> None:
        for point in self.points:
            names = dict.fromkeys(vertex.classifier for _, vertex in point.mix)
            chosen = end_name(point.fpr, point.tpr) or " or ".join(map(as_text, names))
            label = f"{point.objective}: {chosen}"
            self.ax_.scatter([point.fpr], [point.tpr], s=130, zorder=5, label=label, **RING_STYLE)


# Rates that may have a tick on a DET graph, in order of precedence.
LOW_TICKS = (0.01, 0.1, 0.001, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 0.4, 0.2, 0.05)
TICKS = tuple(tick for low in LOW_TICKS for tick in (low, 1 - low))
# The least distance between ticks, in inches.
TICK_ROOM = 0.36
# If every equal error rate is below the first, rates are shown up to the second.
GOOD, HALF = 0.25, 0.55
# The margin beside the rates that stand for 0, in normal deviates.
MARGIN = 0.12


@dataclass
class DetDisplay(HullDisplay):
    """A DET graph, in which normal scores give straight lines.

    Rates of 0 lie at infinity and are drawn at half a row.

    Attributes
    ----------
    hull
        The hull.
    with_hull
        Whether to draw the hull's line.
    figure_, ax_, curve_lines_, hull_line_, equal_line_
        The artists; curves by classifier. Data are rates.

    Examples
    --------
    >>> import rocch
    >>> display = rocch.plots.DetDisplay.from_predictions(
    ...     [0, 0, 1, 1], {"nb": [0.1, 0.4, 0.35, 0.8]}
    ... )
    >>> print(display.ax_.get_xlabel())
    False positive rate
    (0 is drawn at half a row: 25%)
    """

    size = (7.2, 7.2)
    hull: RocHull
    with_hull: bool = True

    def __post_init__(self) -> None:
        self.with_hull = as_flag(self.with_hull, "with_hull")

    def _draw(self) -> None:
        curves = curves_of(self.hull)
        joint, images = DetCurve.of(self.hull), [DetCurve.of(curve) for curve in curves]
        floors = [image.floor for image in (joint, *images)]
        self._floor = min(x for x, _ in floors), min(y for _, y in floors)
        self._frame_rates(self._limits(curves, [joint, *images]))
        self.hull_line_ = None
        if self.with_hull:
            label = f"hull (equal error rate {percent(self.hull.equal_error_rate)})"
            (self.hull_line_,) = self.ax_.plot(*joint.line(self._floor), **HULL_STYLE, label=label)
        self.curve_lines_ = {
            curve.name: self._draw_curve(curve, image)
            for curve, image in zip(curves, images, strict=True)
        }

    def _frame_rates(self, limits: tuple[float, float]) -> None:
        low, high = limits
        self.ax_.set(xscale=_probit(self.ax_.xaxis), yscale=_probit(self.ax_.yaxis))
        self.ax_.set(xlim=(low, high), ylim=(low, high), box_aspect=1)
        axes = (self.ax_.xaxis, self.ax_.yaxis)
        unequal = self.hull.totals.weighted or self.hull.totals.pooled
        half = "half the smallest rate" if unequal else "half a row"
        names = ("False positive rate", "Miss rate")
        for axis, floor, name in zip(axes, self._floor, names, strict=True):
            self._set_ticks(axis, floor, limits)
            note = f"\n(0 is drawn at {half}: {percent(floor)})" if floor > low else ""
            axis.set_label_text(name + note)
        style = REFERENCE_STYLE | {"lw": 0.9, "label": "equal error rates"}
        self.equal_line_ = self.ax_.axline((low, low), (high, high), **style)

    def _limits(self, curves: list[RocCurve], images: list[DetCurve]) -> tuple[float, float]:
        rates = [curve.equal_error_rate for curve in curves if curve.scoring]
        good = max([self.hull.equal_error_rate, *rates]) < GOOD
        high = HALF if good else 1 - min(self._floor)
        lowest = min(_lowest_rate(image.line(self._floor), high) for image in images)
        top = high if good else ndtr(ndtri(high) + MARGIN)
        return float(ndtr(ndtri(lowest) - MARGIN)), float(top)

    def _set_ticks(self, axis: Axis, floor: float, limits: tuple[float, float]) -> None:
        """Put 0 and 100% at the floor, and percentages where there is room."""
        inches = self.figure_.get_size_inches()[0] * self.ax_.get_position().width
        room = float(np.ptp(ndtri(limits))) * TICK_ROOM / inches
        ends = {floor: "0", 1 - floor: "100%"}
        labels = {place: label for place, label in ends.items() if limits[0] < place < limits[1]}
        for tick in TICKS:
            gaps = np.abs(ndtri(list(labels)) - ndtri(tick))
            if max(limits[0], floor) < tick < min(limits[1], 1 - floor) and (gaps >= room).all():
                labels[tick] = percent(tick)
        axis.set_ticks(list(labels), list(labels.values()), fontsize=8.5)

    def _draw_curve(self, curve: RocCurve, image: DetCurve) -> Line2D:
        x, y = image.line(self._floor)
        keep = visible(ndtri(x), ndtri(y))
        rate = f" (equal error rate {percent(curve.equal_error_rate)})" if curve.scoring else ""
        return self._draw_classifier(curve, (x[keep], y[keep]), rate)


def _lowest_rate(line: tuple[FloatArray, FloatArray], high: float) -> float:
    """Return the lowest rate where both rates are below a limit."""
    x, y = line
    seen = (x <= high) & (y <= high)
    return float(min(x[seen].min(), y[seen].min())) if seen.any() else high


def _probit(axis: Axis) -> FuncScale:
    from matplotlib.scale import FuncScale

    return FuncScale(axis, functions=(ndtri, ndtr))


@dataclass
class GainDisplay(HullDisplay):
    """Gain curves, or lift, over the predicted-positive rate.

    Attributes
    ----------
    hull
        The hull.
    prevalence
        The share of positives: a number, or "observed".
    lift
        Whether to draw lift instead of gain.
    capacity
        A predicted-positive rate to mark, with what the hull finds there.
    figure_, ax_, curve_lines_, hull_line_, random_line_, perfect_line_, capacity_line_
        The artists; curves by classifier.

    Examples
    --------
    >>> import rocch
    >>> display = rocch.plots.GainDisplay.from_predictions(
    ...     [0, 0, 1, 1], {"nb": [0.1, 0.4, 0.35, 0.8]}, capacity=0.5
    ... )
    >>> display.capacity_line_.get_label()
    'capacity 50%: the hull finds 75%'
    """

    hull: RocHull
    prevalence: float | str = "observed"
    lift: bool = False
    capacity: float | None = None

    def __post_init__(self) -> None:
        self.lift = as_flag(self.lift, "lift")
        if self.capacity is not None:
            as_number(self.capacity, "capacity", above=0, most=1, hint="Write 5% as 0.05.")

    def _draw(self) -> None:
        joint = GainCurve.of(self.hull, prevalence=self.prevalence)
        self.hull_line_ = self._draw_line(self._line(joint), **HULL_STYLE, label="hull")
        self.curve_lines_ = {
            curve.name: self._draw_classifier(
                curve, self._line(GainCurve.of(curve, prevalence=self.prevalence))
            )
            for curve in curves_of(self.hull)
        }
        self._draw_references(joint.prevalence)
        self._draw_capacity(joint)
        self.ax_.set(xlim=(-0.01, 1.01), xlabel="Share of all cases that alarm")
        if self.lift:
            self.ax_.set_ylim(bottom=0)
            self.ax_.set_ylabel("Lift: times as many positives as at random")
        else:
            self.ax_.set(ylim=(-0.01, 1.02), ylabel="Share of positives found")

    def _line(self, gain: GainCurve) -> tuple[FloatArray, FloatArray]:
        return gain.lift_line if self.lift else (gain.predicted_positive_rate, gain.recall)

    def _draw_references(self, prevalence: float) -> None:
        perfect = perfect_lift(prevalence) if self.lift else perfect_gain(prevalence)
        (self.random_line_,) = self.ax_.plot(
            [0, 1], [1, 1] if self.lift else [0, 1], **REFERENCE_STYLE, label="alarming at random"
        )
        style = REFERENCE_STYLE | {"ls": (0, (1, 1.5))}
        (self.perfect_line_,) = self.ax_.plot(
            *perfect, **style, label=f"no errors, {percent(prevalence)} positive"
        )

    def _draw_capacity(self, joint: GainCurve) -> None:
        self.capacity_line_ = None
        if self.capacity is None:
            return
        found = percent(joint.recall_at(self.capacity))
        label = f"capacity {percent(self.capacity)}: the hull finds {found}"
        self.capacity_line_ = self.ax_.axvline(
            self.capacity, color=CHOSEN, lw=1.2, zorder=2, label=label
        )


@dataclass
class RocPrecisionRecallDisplay(HullDisplay):
    """Precision-recall curves at any prevalence, interpolated through ROC space.

    Attributes
    ----------
    hull
        The hull.
    prevalence
        The share of positives: a number, or "observed".
    f1
        F1 scores whose lines are drawn.
    figure_, ax_, curve_lines_, hull_line_, baseline_, f1_lines_
        The artists; curves by classifier, F1 lines by value.

    Examples
    --------
    >>> import rocch
    >>> display = rocch.plots.RocPrecisionRecallDisplay.from_predictions(
    ...     [0, 0, 1, 1], {"nb": [0.1, 0.4, 0.35, 0.8]}, prevalence=0.1
    ... )
    >>> display.baseline_.get_label()
    'chance: 10% of cases are positive'
    """

    size = (7.2, 5.8)
    hull: RocHull
    prevalence: float | str = "observed"
    f1: Sequence[float] = ()

    def _draw(self) -> None:
        self.ax_.set(
            xlim=(-0.01, 1.01),
            ylim=(-0.01, 1.02),
            xlabel="Recall: share of positives found",
            ylabel="Precision: share of alarms that are right",
        )
        self._draw_f1()
        joint = PrecisionRecallCurve.of(self.hull, prevalence=self.prevalence)
        label = f"hull (area {joint.area:.3f})"
        self.hull_line_ = self._draw_line(joint.line, **HULL_STYLE, label=label)
        label = f"chance: {percent(joint.prevalence)} of cases are positive"
        self.baseline_ = self.ax_.axhline(joint.prevalence, **REFERENCE_STYLE, label=label)
        self.curve_lines_ = {}
        for curve in curves_of(self.hull):
            image = PrecisionRecallCurve.of(curve, prevalence=self.prevalence)
            area = f" (area {image.area:.3f})" if curve.scoring else ""
            self.curve_lines_[curve.name] = self._draw_classifier(curve, image.line, area)

    def _draw_f1(self) -> None:
        self.f1_lines_ = {}
        for value in self.f1:
            recall, precision = iso_f1(value)
            self.f1_lines_[value] = self._draw_line(
                (recall, precision), color="#bbbbbb", lw=0.8, zorder=0.5
            )
            self.ax_.text(
                1.015, precision[-1], f"F1 {value:g}", color=REFERENCE, fontsize=8, va="center"
            )


# How many error bars an average has; more would hide the curve.
SPREADS = 12
# The opacity of a band's shade, and the style of its edges. Shades are light, because those of
# several models lie on top of each other.
BAND_STYLES: dict[tuple[str, str], tuple[float, LineStyle]] = {
    ("pointwise", "bootstrap"): (0.16, "-"),
    ("simultaneous", "bootstrap"): (0.1, (0, (4, 2))),
    ("simultaneous", "kolmogorov"): (0.05, (0, (1, 1.5))),
}


@dataclass
class RocBandDisplay(Display):
    """A ROC graph of bands, boxes around thresholds, or an average of curves.

    Build it with `from_bands` or `from_average`.

    Attributes
    ----------
    bands, boxes
        The bands, and boxes around the points of thresholds.
    average, curves
        An average with its standard deviation, and the curves behind it.
    figure_, ax_, band_fills_, band_lines_, box_patches_, average_line_, spreads_, curve_lines_
        The artists.

    Examples
    --------
    >>> import numpy as np
    >>> import rocch
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(300) < 0.4
    >>> scores = {"nb": rng.normal(size=300) + y}
    >>> band = rocch.stats.bootstrap(y, scores, replicates=200).band("nb", kind="simultaneous")
    >>> display = rocch.plots.RocBandDisplay.from_bands(band)
    >>> display.ax_.get_legend_handles_labels()[1]
    ['nb (AUC 0.750)', '95% simultaneous band']
    """

    size = (7.2, 7.2)
    bands: Sequence[RocBand] = ()
    boxes: Sequence[ThresholdBox] = ()
    average: AveragedCurve | None = None
    curves: Sequence[RocCurve] = ()

    @classmethod
    def from_bands(
        cls, *bands: RocBand, boxes: Sequence[ThresholdBox] = (), ax: Axes | None = None
    ) -> Self:
        """Draw bands and boxes."""
        for band in bands:
            as_instance(band, RocBand, "bands", hint=Hint("See rocch.stats.roc_band."))
        for box in boxes:
            as_instance(box, ThresholdBox, "boxes", hint=Hint("See rocch.stats.threshold_boxes."))
        if not bands and not boxes:
            raise InputError(
                "bands",
                "be at least one, or boxes",
                "none",
                Hint("See rocch.stats.roc_band."),
            )
        return cls(bands, boxes).plot(ax)

    @classmethod
    def from_average(
        cls, average: AveragedCurve, *, curves: Sequence[RocCurve] = (), ax: Axes | None = None
    ) -> Self:
        """Draw an average with its standard deviation, and the curves behind it."""
        as_instance(average, AveragedCurve, "average", hint=Hint("See rocch.roc.average_curves."))
        for curve in curves:
            as_instance(curve, RocCurve, "curves")
        return cls(average=average, curves=curves).plot(ax)

    def _draw(self) -> None:
        roc_frame(self.ax_)
        self._draw_bands()
        self._draw_boxes()
        self._name_kinds()
        self._draw_curves()
        self._draw_average()

    def _draw_legend(self) -> None:
        roc_legend(self.ax_)

    @property
    def _looks(self) -> dict[str, Look]:
        names = dict.fromkeys([*(b.model for b in self.bands), *(b.model for b in self.boxes)])
        found = looks(name for name in names if name != JOINT)
        return found | {JOINT: Look(HULL, "o", "-")}

    def _draw_bands(self) -> None:
        self.band_fills_: list[Any] = []  # areas, or lines at a single FPR
        self.band_lines_: dict[str, Line2D] = {}
        for band in self.bands:
            color, curve = self._looks[band.model].color, band.curve
            if band.model not in self.band_lines_:
                keep = visible(curve.fpr, curve.tpr)
                (self.band_lines_[band.model],) = self.ax_.plot(
                    curve.fpr[keep],
                    curve.tpr[keep],
                    color=color,
                    lw=1.5,
                    zorder=3,
                    label=f"{as_text(band.model)} (AUC {curve.auc:.3f})",
                )
            self.band_fills_.append(self._draw_band(band, color))

    def _draw_band(self, band: RocBand, color: str) -> Any:
        x, low, high = band.outline()
        if x.size == 1:
            self.ax_.plot(x, band.center, "o", color=color, ms=5, zorder=4)
            return self.ax_.vlines(x, low, high, color=color, lw=2, zorder=3)
        opacity, dashes = BAND_STYLES[band.kind, band.method]
        alpha = opacity / len({each.model for each in self.bands}) ** 0.5
        for edge in (low, high):
            self.ax_.plot(x, edge, color=color, lw=0.7, ls=dashes, alpha=0.8, zorder=2)
        return self.ax_.fill_between(x, low, high, color=color, alpha=alpha, lw=0, zorder=1)

    def _draw_boxes(self) -> None:
        from matplotlib.patches import Rectangle

        self.box_patches_: list[Rectangle] = []
        named = set(self.band_lines_)
        for box in self.boxes:
            color = self._looks[box.model].color
            corner = box.fpr.low, box.tpr.low
            size = box.fpr.high - box.fpr.low, box.tpr.high - box.tpr.low
            patch = Rectangle(corner, *size, fill=False, ec=color, lw=1.1, zorder=4)
            label = None if box.model in named else as_text(box.model)
            named.add(box.model)
            self.ax_.add_patch(patch)
            self.ax_.plot(*box.point, "o", color=color, ms=4, zorder=5, label=label)
            self.box_patches_.append(patch)

    def _name_kinds(self) -> None:
        """Name each kind of band and box once: in gray, if several models have it."""
        kinds: dict[str, tuple[float, LineStyle, set[str]]] = {}
        for band in self.bands:
            word = "Kolmogorov" if band.method == "kolmogorov" else band.kind
            label = f"{percent(band.confidence)} {word} band"
            own = BAND_STYLES[band.kind, band.method]
            kinds.setdefault(label, (*own, set()))[2].add(band.model)
        for box in self.boxes:
            label = f"{percent(box.confidence)} box at a threshold"
            kinds.setdefault(label, (0.0, "-", set()))[2].add(box.model)
        for label, (alpha, dashes, models) in kinds.items():
            color = self._looks[min(models)].color if len(models) == 1 else REFERENCE
            style: Style = {"fc": (color, 2 * alpha), "ec": color, "ls": dashes, "lw": 0.8}
            self.ax_.fill([np.nan], [np.nan], **style, label=label)  # seen in the legend only

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
            ecolor=CHOSEN,
            elinewidth=1.2,
            capsize=2.5,
            zorder=5,
            label=f"one standard deviation of {len(mean.curves)} curves",
        )


def _inside(mean: FloatArray, deviation: FloatArray) -> FloatArray:
    """Return the lengths of error bars down and up, within 0 and 1."""
    return np.stack((np.minimum(deviation, mean), np.minimum(deviation, 1 - mean)))
