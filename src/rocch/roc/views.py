"""Other views of ROC space: DET, gain, precision and recall, cost curves and net benefit."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from rocch.arrays import BoolArray, FloatArray
from rocch.errors import Hint, InputError, UndefinedError, format_count
from rocch.inputs import (
    as_instance,
    as_level,
    as_number,
    as_rate,
    as_scores,
)
from rocch.results import Record, Records, Table, Tabular, collect
from rocch.roc.belief import Belief
from rocch.roc.conditions import OBSERVED, Conditions, Interval, as_conditions
from rocch.roc.curve import RocCurve
from rocch.roc.hull import RocHull
from rocch.roc.operating_point import ALWAYS, ClassTotals, RocPoint, fpr_at
from rocch.roc.sensitivity import WinningRange
from rocch.svg import Line, draw_lines

CurveOrHull: TypeAlias = RocCurve | RocHull

# The steps of a path of more points than this are too short to be seen.
FINE_ENOUGH = 2_000
# Where a segment is divided: more densely toward both ends, where images bend most (the normal
# deviate of a rate near 0, the precision of the first alarms).
SHARES = np.union1d(np.linspace(0, 1, 33)[:-1], 1 / (1 + np.exp(-np.linspace(-12, 12, 49))))


@dataclass(frozen=True, slots=True, eq=False)
class RocPath:
    """The rates of a classifier or hull.

    Points of a classifier that outputs labels are not joined, and have no trivial ends.
    """

    name: str
    totals: ClassTotals
    fpr: FloatArray
    tpr: FloatArray
    joined: bool

    @classmethod
    def of(cls, part: CurveOrHull) -> RocPath:
        """Return the path of a curve or a hull."""
        _check_part(part)
        if isinstance(part, RocHull):
            part.check_whole("the view")
            return cls("hull", part.totals, part.fpr, part.tpr, True)
        inner = slice(None) if part.scoring else slice(1, -1)
        return cls(part.name, part.totals, part.fpr[inner], part.tpr[inner], part.scoring)

    def refine(self) -> RocPath:
        """Return the path with more points on each segment."""
        if not self.joined or self.fpr.size > FINE_ENOUGH:
            return self
        return replace(self, fpr=_divide(self.fpr), tpr=_divide(self.tpr))

    def check_joined(self, what: str) -> None:
        """Raise if no line joins the points."""
        if not self.joined:
            raise UndefinedError(
                f"{what} is undefined for {self.name}: it outputs labels only, so no curve runs "
                "through its points.",
                hint=Hint("Use the hull: RocHull.of(curve)."),
            )


def as_prevalence(prevalence: float | str, totals: ClassTotals) -> float:
    """Return the stated or the observed prevalence, strictly between 0 and 1."""
    if isinstance(prevalence, str) and prevalence == OBSERVED:
        return totals.prevalence
    hint = "It is the share of positives where the classifier will work, or 'observed'."
    return as_level(prevalence, "prevalence", hint=hint)


def _check_part(part: CurveOrHull) -> None:
    hint = Hint("Build one with RocCurve.from_scores(y_true, y_score).")
    as_instance(part, (RocCurve, RocHull), "part", hint=hint)


def _divide(rates: FloatArray) -> FloatArray:
    """Put points into every segment, keeping its ends exactly."""
    between = rates[:-1, None] + np.diff(rates)[:, None] * SHARES
    return _read_only(np.append(between.ravel(), rates[-1]))


def _read_only(array: FloatArray) -> FloatArray:
    array.flags.writeable = False
    return array


@dataclass(frozen=True, eq=False, repr=False)
class _View(Tabular):
    """A ROC path in another space."""

    path: RocPath

    def __repr__(self) -> str:
        points = format_count(self.path.fpr.size, "point")
        return f"<{type(self).__name__} of {self.name!r}: {points}>"

    def _picture(self) -> str:
        (x, across), (y, upwards) = list(self._columns().items())[:2]
        words = x.replace("_", " "), y.replace("_", " ")
        return draw_lines([Line(self.name, across, upwards)], *words, whole=True)

    @property
    def name(self) -> str:
        """The classifier's name, or "hull"."""
        return self.path.name


@dataclass(frozen=True, eq=False, repr=False)
class DetCurve(_View):
    """Detection error trade-off (DET) of a classifier or a hull: false positives against misses.

    The axes are normal deviates (Martin et al., 1997), not logarithms as in Fawcett's slides, so
    that normal scores give a straight line. Rates of 0 lie at infinity and are drawn at `floor`.

    Attributes
    ----------
    path
        The ROC path.
    fpr, fnr
        False positive and miss rates, read-only.
    floor
        The rates that stand for 0.

    Examples
    --------
    >>> import rocch
    >>> curve = rocch.RocCurve.from_scores([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], name="nb")
    >>> det = rocch.roc.DetCurve.of(curve)
    >>> det.fpr, det.fnr
    (array([0. , 0. , 0.5, 0.5, 1. ]), array([1. , 0.5, 0.5, 0. , 0. ]))
    >>> det.floor
    (0.25, 0.25)
    >>> det.at_infinity
    array([ True,  True, False,  True,  True])
    """

    @classmethod
    def of(cls, part: CurveOrHull) -> DetCurve:
        """Return the DET curve of a curve or a hull."""
        return cls(RocPath.of(part))

    @property
    def fpr(self) -> FloatArray:
        """False positive rates."""
        return self.path.fpr

    @cached_property
    def fnr(self) -> FloatArray:
        """Miss rates."""
        return _read_only(1 - self.path.tpr)

    def _columns(self) -> Table:
        return {"fpr": self.fpr, "fnr": self.fnr}

    @cached_property
    def at_infinity(self) -> BoolArray:
        """Which points have a rate of 0 or 1."""
        return np.isin(self.fpr, (0, 1)) | np.isin(self.fnr, (0, 1))

    @cached_property
    def floor(self) -> tuple[float, float]:
        """The false positive rate and the miss rate that stand for 0.

        Half a row's share of its class, at most 0.25; for weighted or pooled rows, half the
        smallest rate.
        """
        totals = self.path.totals
        unequal = totals.weighted or totals.pooled
        fpr, fnr = (
            _smallest_half(rates) if unequal else min(0.5 / total, 0.25)
            for rates, total in ((self.fpr, totals.negatives), (self.fnr, totals.positives))
        )
        return fpr, fnr

    def line(self, floor: tuple[float, float] | None = None) -> tuple[FloatArray, FloatArray]:
        """Return both rates, clipped to the floor, with enough points to draw."""
        path, (low_x, low_y) = self.path.refine(), floor or self.floor
        return np.clip(path.fpr, low_x, 1 - low_x), np.clip(1 - path.tpr, low_y, 1 - low_y)


def _smallest_half(rates: FloatArray) -> float:
    inside = np.minimum(rates, 1 - rates)
    inside = inside[inside > 0]
    return float(inside.min()) / 2 if inside.size else 0.25


@dataclass(frozen=True, eq=False, repr=False)
class _PrevalenceView(_View):
    """A ROC path in a space that depends on the prevalence."""

    prevalence: float

    @classmethod
    def of(cls, part: CurveOrHull, *, prevalence: float | str = "observed") -> Self:
        """Return the view of a curve or a hull at a prevalence."""
        path = RocPath.of(part)
        return cls(path, as_prevalence(prevalence, path.totals))

    def _shares(self, path: RocPath) -> tuple[FloatArray, FloatArray]:
        """Return the shares of true and of predicted positives."""
        hits = self.prevalence * path.tpr
        return hits, hits + (1 - self.prevalence) * path.fpr

    def _from_zero(self, x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Start a line at 0: precision and lift are constant up to its first point."""
        if self.path.joined:
            x, y = np.concatenate(([0.0], x)), np.concatenate((y[:1], y))
        return _read_only(x), _read_only(y)


@dataclass(frozen=True, eq=False, repr=False)
class GainCurve(_PrevalenceView):
    """Gain and lift: recall over the predicted-positive rate, p TPR + (1 - p) FPR.

    Lift is recall divided by the predicted-positive rate.

    Attributes
    ----------
    path
        The ROC path.
    prevalence
        The share of positives, p.
    predicted_positive_rate, recall
        Both axes, read-only.

    Examples
    --------
    >>> import rocch
    >>> curve = rocch.RocCurve.from_scores([0, 0, 0, 1], [0.1, 0.2, 0.9, 0.8], name="nb")
    >>> gain = rocch.roc.GainCurve.of(curve)
    >>> gain.predicted_positive_rate, gain.recall
    (array([0.  , 0.25, 0.5 , 0.75, 1.  ]), array([0., 0., 1., 1., 1.]))
    >>> gain.recall_at(0.5), gain.lift_at(0.5)
    (1.0, 2.0)
    """

    def _columns(self) -> Table:
        rates = self.predicted_positive_rate.tolist()
        pairs = zip(rates, self.recall.tolist(), strict=True)
        lifts = [recall / rate if rate else None for rate, recall in pairs]
        return {"predicted_positive_rate": rates, "recall": self.recall, "lift": lifts}

    @property
    def recall(self) -> FloatArray:
        """The share of positives found, TPR."""
        return self.path.tpr

    @cached_property
    def predicted_positive_rate(self) -> FloatArray:
        """The share of all cases that are predicted positive."""
        return _read_only(self._shares(self.path)[1])

    @cached_property
    def lift_line(self) -> tuple[FloatArray, FloatArray]:
        """Predicted-positive rate and lift, with enough points to draw."""
        path = self.path.refine()
        rates = self._shares(path)[1]
        some = rates > 0
        return self._from_zero(rates[some], path.tpr[some] / rates[some])

    def recall_at(self, predicted_positive_rate: float) -> float:
        """Return the share of positives found at a predicted-positive rate."""
        self.path.check_joined("recall_at")
        rate = as_rate(predicted_positive_rate, "predicted_positive_rate")
        return float(np.interp(rate, self.predicted_positive_rate, self.recall))

    def lift_at(self, predicted_positive_rate: float) -> float:
        """Return the lift at a predicted-positive rate above 0."""
        recall = self.recall_at(predicted_positive_rate)
        if predicted_positive_rate == 0:
            raise UndefinedError(
                "lift_at is undefined where nothing alarms.",
                hint="Ask for a share > 0.",
            )
        return recall / predicted_positive_rate


def perfect_gain(prevalence: float) -> tuple[FloatArray, FloatArray]:
    """Return the gain curve of a classifier without errors."""
    return np.array([0.0, prevalence, 1.0]), np.array([0.0, 1.0, 1.0])


def perfect_lift(prevalence: float) -> tuple[FloatArray, FloatArray]:
    """Return the lift curve of a classifier without errors."""
    shares = np.concatenate(([0.0], np.geomspace(prevalence, 1, 200)))
    return shares, 1 / np.maximum(shares, prevalence)


@dataclass(frozen=True, eq=False, repr=False)
class PrecisionRecallCurve(_PrevalenceView):
    """Precision and recall of a classifier or a hull at a prevalence.

    Precision is interpolated through ROC space, not linearly in recall (Davis and Goadrich, 2006).

    Attributes
    ----------
    path
        The ROC path.
    prevalence
        The share of positives, which is also the precision of chance.
    recall, precision
        At the points with predicted positives, read-only; no precision is defined elsewhere.

    Examples
    --------
    >>> import rocch
    >>> curve = rocch.RocCurve.from_scores([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], name="nb")
    >>> pr = rocch.roc.PrecisionRecallCurve.of(curve)
    >>> pr.recall, pr.precision
    (array([0.5, 0.5, 1. , 1. ]), array([1.        , 0.5       , 0.66666667, 0.5       ]))
    >>> rare = rocch.roc.PrecisionRecallCurve.of(curve, prevalence=0.01)
    >>> round(rare.precision_at(1.0), 3)
    0.02
    """

    def _columns(self) -> Table:
        return {"recall": self.recall, "precision": self.precision}

    @property
    def recall(self) -> FloatArray:
        """The share of positives found."""
        return self._points[0]

    @property
    def precision(self) -> FloatArray:
        """The share of predicted positives that are positive."""
        return self._points[1]

    @cached_property
    def _points(self) -> tuple[FloatArray, FloatArray]:
        recall, precision = self._image(self.path)
        return _read_only(recall), _read_only(precision)

    @cached_property
    def line(self) -> tuple[FloatArray, FloatArray]:
        """Recall and precision along the curve, with enough points to draw."""
        return self._from_zero(*self._image(self.path.refine()))

    @cached_property
    def area(self) -> float:
        """The area under the curve, integrated in closed form."""
        self.path.check_joined("area")
        # on a segment a is linear in h, and h / a is integrated over h
        hits, alarms = self._shares(self.path)
        rise, run = np.diff(hits), np.diff(alarms)
        rising = rise > 0
        rise, run, h, a = rise[rising], run[rising], hits[:-1][rising], alarms[:-1][rising]
        slope = rise / run
        with np.errstate(divide="ignore", invalid="ignore"):
            bend = np.where(a > 0, (slope * a - h) * np.log1p(run / a), 0.0)
        return float(np.sum(slope * (rise - bend)) / self.prevalence)

    def precision_at(self, recall: float) -> float:
        """Return the highest precision at a recall above 0."""
        self.path.check_joined("precision_at")
        as_number(recall, "recall", above=0, most=1)
        fpr = fpr_at(self.path.fpr, self.path.tpr, recall)
        hits = self.prevalence * recall
        return hits / (hits + (1 - self.prevalence) * fpr)

    def _image(self, path: RocPath) -> tuple[FloatArray, FloatArray]:
        hits, alarms = self._shares(path)
        some = alarms > 0
        return path.tpr[some], hits[some] / alarms[some]


def iso_f1(score: float) -> tuple[FloatArray, FloatArray]:
    """Return recall and precision along the line of one F1 score."""
    value = as_level(score, "f1", hint="For example: 0.5.")
    recall = np.linspace(value / (2 - value), 1, 200)
    return recall, np.minimum(value * recall / (2 * recall - value), 1)


# Cost curves (Drummond and Holte, 2006): cost space is the point-line dual of ROC space. Its x axis
# is the *probability cost* of the positive class,
#
#     x = p c_fn / (p c_fn + (1 - p) c_fp) = 1 / (1 + slope),
#
# which is the prevalence if costs are equal (the only case that Fawcett's slides name; they also
# print the perfect classifier's line from (0, 0) to (0, 1), but it runs to (1, 0)). The y axis is
# the expected cost as a share of the cost of deciding every case wrongly,
#
#     y = (1 - x) FPR + x (1 - TPR).
#
# A ROC point becomes a line, a hull the lower envelope of its vertices' lines, and a segment of the
# hull the breakpoint at which its two ends cost the same.


@dataclass(frozen=True, slots=True, repr=False)
class CostLine(Record):
    """A ROC point in cost space: a line from FPR to the miss rate."""

    point: RocPoint
    fpr: float
    fnr: float

    def _row(self) -> dict[str, Any]:
        point = self.point._row()
        names = ("classifier", "threshold")
        return {**{name: point[name] for name in names}, "fpr": self.fpr, "fnr": self.fnr}

    def cost_at(self, x: float) -> float:
        """Return the normalized expected cost at a probability cost."""
        x = as_rate(x, "x")
        return (1 - x) * self.fpr + x * self.fnr


@dataclass(frozen=True, eq=False, repr=False)
class CostCurve(Tabular):
    """The lower envelope of classifiers' cost lines: the least cost at every probability cost.

    Attributes
    ----------
    hull
        The ROC hull, of which it is the dual.
    lines
        One line for each vertex, from *never* (y = x) to *always* (y = 1 - x).
    breakpoints
        Where neighboring lines cross, computed from integer counts and rounded once.

    Examples
    --------
    >>> import rocch
    >>> y = [0, 0, 0, 1, 1, 1]
    >>> cost = rocch.roc.CostCurve.of(
    ...     rocch.RocCurve.from_scores(y, [1, 2, 6, 5, 4, 7], name="nb"),
    ...     rocch.RocCurve.from_scores(y, [3, 4, 5, 2, 6, 7], name="gbm"),
    ... )
    >>> for row in cost.winning_ranges():
    ...     print(row)
    [0, 0.5] gbm
    [0.5, 1] nb
    >>> round(cost.cost_at(0.5), 4), cost.members["nb"].operating_range
    (0.1667, Interval(low=0.0, high=1.0))
    """

    hull: RocHull

    def __post_init__(self) -> None:
        hint = Hint("Use CostCurve.of for curves.")
        as_instance(self.hull, RocHull, "hull", hint=hint).check_whole("the view")

    @classmethod
    def of(cls, *parts: CurveOrHull, allow_different_rows: bool = False) -> CostCurve:
        """Return the joint envelope of curves and hulls; arguments as for `RocHull.of`."""
        return cls(RocHull.of(*parts, allow_different_rows=allow_different_rows))

    def __repr__(self) -> str:
        members = format_count(len(self.hull.members), "classifier")
        return f"<CostCurve of {members}: {len(self.hull)} lines>"

    def _columns(self) -> Table:
        """Return the lines, and the probability costs between which each is the lowest."""
        x, y = self.knots
        spans = {"probability_cost_low": x[:-1], "probability_cost_high": x[1:]}
        return {**collect(self.lines), **spans, "cost_low": y[:-1], "cost_high": y[1:]}

    def _picture(self) -> str:
        lines = [Line("least cost", *self.knots)]
        lines += [Line(name, *part.knots, dashed=True) for name, part in self.members.items()]
        shown = lines if len(lines) > 2 else lines[:1]
        return draw_lines(shown, "probability cost", "normalized expected cost")

    @cached_property
    def lines(self) -> tuple[CostLine, ...]:
        """The lines on the envelope, from left to right."""
        return cost_lines(self.hull)

    @cached_property
    def members(self) -> Mapping[str, CostCurve]:
        """Each classifier's envelope, trivial classifiers included."""
        totals = self.hull.totals
        return {m.name: CostCurve(RocHull(totals, (m,))) for m in self.hull.members}

    @property
    def breakpoints(self) -> FloatArray:
        """Where neighboring lines cross, from left to right."""
        return self._crossings[0]

    @cached_property
    def knots(self) -> tuple[FloatArray, FloatArray]:
        """The corners and ends of the envelope, x and y."""
        x, y = self._crossings
        corners = np.concatenate(([0.0], x, [1.0])), np.concatenate(([0.0], y, [0.0]))
        return _read_only(corners[0]), _read_only(corners[1])

    @cached_property
    def _crossings(self) -> tuple[FloatArray, FloatArray]:
        # the lines of a segment's ends are equal where x (rise / P) = (1 - x) (run / N)
        fp, tp = self.hull.false_positives.tolist(), self.hull.true_positives.tolist()
        n, p = self.hull.totals.negatives, self.hull.totals.positives
        x, y = [], []
        for i, (left, right) in enumerate(pairwise(fp)):
            run, rise = right - left, tp[i + 1] - tp[i]
            whole = run * p + rise * n
            x.append(run * p / whole)
            y.append((rise * left + run * (p - tp[i])) / whole)
        return _read_only(np.array(x)), _read_only(np.array(y))

    def line_at(self, x: float) -> CostLine:
        """Return the lowest line at x; at a breakpoint, the left one."""
        return self.lines[int(np.searchsorted(self.breakpoints, as_rate(x, "x"), side="left"))]

    def cost_at(self, x: float) -> float:
        """Return the least normalized expected cost at a probability cost."""
        return self.line_at(x).cost_at(x)

    @property
    def operating_range(self) -> Interval | None:
        """Where it costs less than both trivial classifiers; None if nowhere."""
        if len(self.hull) < 3:
            return None
        return Interval(float(self.breakpoints[0]), float(self.breakpoints[-1]))

    def winning_ranges(self) -> Records[WinningRange]:
        """Return the winners on touching ranges from 0 to 1, as in `hull.slope_ranges()`."""
        slopes = [math.inf, *self.hull.slopes.tolist(), 0.0]
        place = dict(zip(slopes, self.knots[0].tolist(), strict=True))
        return Records(
            WinningRange(row.classifier, place[row.high], place[row.low])
            for row in reversed(self.hull.slope_ranges())
        )


def cost_lines(part: CurveOrHull) -> tuple[CostLine, ...]:
    """Return the cost lines of the points of a curve or the vertices of a hull.

    Examples
    --------
    >>> import rocch
    >>> from rocch.roc.views import cost_lines
    >>> rules = rocch.RocCurve.from_labels([0, 0, 1, 1], [0, 1, 1, 1], name="rules")
    >>> [(line.point.classifier, line.fpr, line.fnr) for line in cost_lines(rules)]
    [('never', 0.0, 1.0), ('rules', 0.5, 0.0), ('always', 1.0, 0.0)]
    """
    _check_part(part)
    points = part.vertices if isinstance(part, RocHull) else part.points()
    totals = part.totals
    fpr, fnr = totals.rates(part.false_positives, totals.positives - part.true_positives)
    rates = zip(fpr.tolist(), fnr.tolist(), strict=True)
    return tuple(CostLine(point, *ends) for point, ends in zip(points, rates, strict=True))


def probability_cost(conditions: Conditions | Belief) -> Interval:
    """Return the range of probability costs of the positive class under conditions.

    It is p c_fn / (p c_fn + (1 - p) c_fp) = 1 / (1 + slope), with costs in excess of the right
    decision's.

    Examples
    --------
    >>> import rocch
    >>> rocch.roc.probability_cost(
    ...     rocch.Conditions(prevalence=1 / 6, false_positive=1, false_negative=1)
    ... ).low
    0.16666666666666666
    >>> vague = rocch.Conditions(prevalence=0.5, false_positive=1, false_negative=(1, 3))
    >>> rocch.roc.probability_cost(vague)
    Interval(low=0.5, high=0.75)
    """
    if isinstance(conditions, Belief):
        return conditions.axis_range
    low, high = as_conditions(conditions).slope_range
    return Interval(1 / (1 + high), 1 / (1 + low))


# Net benefit (Vickers and Elkin, 2006): to act from a risk of t on is to hold a needless action to
# be t / (1 - t) times as bad as a needed one is good. The net benefit at this *threshold
# probability*, per case and in units of a needed action, is
#
#     p TPR - (1 - p) FPR t / (1 - t),
#
# or p minus the expected cost at c_fn = 1 and c_fp = t / (1 - t). So the hull has the highest net
# benefit at every t, at the slope t / (1 - t) x (1 - p) / p.

# Steps of the grid of threshold probabilities, and its end: at 1 nothing is worth acting on.
STEPS = 500
LAST = 0.99


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DecisionCurve(Tabular):
    """Net benefit over threshold probabilities (Vickers and Elkin, 2006).

    Attributes
    ----------
    name
        The classifier's name, "hull" or "always".
    prevalence
        The share of positives.
    thresholds, net_benefit
        Threshold probabilities, and the net benefit at each, read-only.

    Examples
    --------
    >>> import rocch
    >>> y = [0, 0, 0, 1, 1]
    >>> curve = rocch.RocCurve.from_scores(y, [0.1, 0.2, 0.6, 0.4, 0.9], name="nb")
    >>> rocch.roc.DecisionCurve.calibrated(curve, thresholds=[0.3, 0.7]).net_benefit
    array([0.31428571, 0.2       ])
    >>> rocch.roc.DecisionCurve.best(curve, thresholds=[0.1, 0.7]).net_benefit
    array([0.37777778, 0.2       ])
    >>> rocch.roc.DecisionCurve.always(curve, thresholds=[0.3, 0.5]).net_benefit
    array([ 0.14285714, -0.2       ])
    """

    name: str
    prevalence: float
    thresholds: FloatArray
    net_benefit: FloatArray

    def __repr__(self) -> str:
        points = format_count(self.thresholds.size, "threshold")
        return f"<DecisionCurve of {self.name!r}: {points}, prevalence {self.prevalence:.4g}>"

    def _columns(self) -> Table:
        return {"threshold": self.thresholds, "net_benefit": self.net_benefit}

    def _picture(self) -> str:
        line = Line(self.name, self.thresholds, self.net_benefit)
        return draw_lines([line], "threshold probability", "net benefit")

    @classmethod
    def calibrated(
        cls, curve: RocCurve, *, thresholds: ArrayLike, prevalence: float | str = "observed"
    ) -> DecisionCurve:
        """Return the net benefit of predicting positive from a score of t on.

        Scores are read as probabilities, calibrated at the given prevalence.
        """
        if not has_probabilities(curve):
            raise InputError(
                "curve",
                "have scores within [0, 1] to be read as probabilities",
                f"{curve.name!r} with others, or with labels only",
                Hint("Use DecisionCurve.best, which needs no probabilities."),
            )
        grid, share = as_thresholds(thresholds), as_prevalence(prevalence, curve.totals)
        place = curve.index_at(grid)
        return cls._of(curve.name, curve.fpr[place], curve.tpr[place], grid, share)

    @classmethod
    def best(
        cls, part: CurveOrHull, *, thresholds: ArrayLike, prevalence: float | str = "observed"
    ) -> DecisionCurve:
        """Return the net benefit of the best point of a curve or hull at each threshold."""
        path = RocPath.of(part)
        hull = part if isinstance(part, RocHull) else RocHull.of(part)
        grid, share = as_thresholds(thresholds), as_prevalence(prevalence, path.totals)
        place = hull.best_each(grid / (1 - grid) * ((1 - share) / share))
        return cls._of(path.name, hull.fpr[place], hull.tpr[place], grid, share)

    @classmethod
    def always(
        cls, part: CurveOrHull, *, thresholds: ArrayLike, prevalence: float | str = "observed"
    ) -> DecisionCurve:
        """Return the net benefit of predicting all cases positive ("treat all")."""
        path = RocPath.of(part)
        grid, share = as_thresholds(thresholds), as_prevalence(prevalence, path.totals)
        return cls._of(ALWAYS, np.ones(1), np.ones(1), grid, share)

    @classmethod
    def _of(
        cls, name: str, fpr: FloatArray, tpr: FloatArray, grid: FloatArray, share: float
    ) -> DecisionCurve:
        benefit = share * tpr - (1 - share) * fpr * (grid / (1 - grid))
        return cls(name, share, _read_only(grid), _read_only(benefit))


def has_probabilities(curve: RocCurve) -> bool:
    """Whether all scores of a classifier lie within [0, 1]."""
    thresholds = as_instance(curve, RocCurve, "curve").lowest_scores
    return thresholds is not None and bool(thresholds[-1] >= 0 and thresholds[0] <= 1)


def useful_thresholds(hull: RocHull, *, prevalence: float | str = "observed") -> FloatArray:
    """Return thresholds from 0 to where *never* is best, with all changes of the best point."""
    path = RocPath.of(hull)
    share = as_prevalence(prevalence, path.totals)
    with np.errstate(divide="ignore"):
        changes = 1 / (1 + (1 - share) / share / hull.slopes)
    last = min(LAST, changes[0])
    return np.unique(np.concatenate((np.linspace(0, last, STEPS + 1), changes[changes < last])))


def as_thresholds(thresholds: ArrayLike) -> FloatArray:
    """Return threshold probabilities, from 0 to below 1."""
    grid = as_scores(thresholds, argument="thresholds").copy()
    if grid.min() < 0 or grid.max() >= 1:
        raise InputError(
            "thresholds",
            "lie within [0, 1)",
            f"{grid.min():g} to {grid.max():g}",
            "At a threshold probability of 1 a needless action is infinitely bad.",
        )
    return grid
