"""Cost curves (Drummond and Holte, 2006): what classifiers cost under every condition at once.

Cost space is the point-line dual of ROC space. Its x axis is the *probability cost* of the
positive class, its prevalence weighted by what its errors cost,

    x = p c_fn / (p c_fn + (1 - p) c_fp) = 1 / (1 + slope),

of which plain prevalence is the case of equal costs. (Fawcett's slides name that case only, and
print the perfect classifier's line as running from (0, 0) to (0, 1): it runs to (1, 0).) The y
axis is the expected cost as a share of the cost of deciding every case wrongly,

    y = (1 - x) FPR + x (1 - TPR).

A ROC point becomes a line, a hull the lower envelope of its vertices' lines, and a segment of the
hull the breakpoint at which its two ends cost the same.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from rocch.errors import bad_input, kind_of
from rocch.inputs import as_rate
from rocch.roc.belief import Belief
from rocch.roc.conditions import Interval, as_conditions
from rocch.roc.curve import RocCurve
from rocch.roc.hull import RocHull
from rocch.roc.path import check_whole

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rocch.arrays import FloatArray
    from rocch.roc.conditions import Conditions
    from rocch.roc.point import RocPoint


@dataclass(frozen=True, slots=True)
class CostLine:
    """A ROC point in cost space: a line from its FPR at x = 0 to its miss rate at x = 1."""

    point: RocPoint
    fpr: float
    fnr: float

    def cost_at(self, x: float) -> float:
        """Return the normalised expected cost at a probability cost from 0 to 1."""
        x = as_rate(x, "x")
        return (1 - x) * self.fpr + x * self.fnr


@dataclass(frozen=True, slots=True)
class CostRange:
    """A range of probability costs, and the classifier that wins there.

    Where two ranges touch, both are equally good.
    """

    classifier: str
    low: float
    high: float

    def __str__(self) -> str:
        return f"[{self.low:.4g}, {self.high:.4g}] {self.classifier}"


@dataclass(frozen=True, eq=False, repr=False)
class CostCurve:
    """The lower envelope of classifiers' cost lines: the least cost at every probability cost.

    Attributes
    ----------
    hull
        The ROC hull that it is the dual of.
    lines
        One line for each vertex, from *never* (y = x) to *always* (y = 1 - x).
    breakpoints
        The probability costs at which one line gives way to the next, each computed from integer
        counts and rounded once.

    Examples
    --------
    >>> import rocch
    >>> y = [0, 0, 0, 1, 1, 1]
    >>> cost = rocch.CostCurve.of(
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
        if not isinstance(self.hull, RocHull):
            raise bad_input(
                "hull", "be a RocHull", kind_of(self.hull), "Use CostCurve.of for curves."
            )
        check_whole(self.hull)

    @classmethod
    def of(cls, *parts: RocCurve | RocHull, different_rows: bool = False) -> CostCurve:
        """Build the joint envelope of curves, labelled points and hulls, as `RocHull.of` does."""
        return cls(RocHull.of(*parts, different_rows=different_rows))

    def __repr__(self) -> str:
        return f"<CostCurve of {len(self.hull.members)} classifier(s): {len(self.hull)} lines>"

    @cached_property
    def lines(self) -> tuple[CostLine, ...]:
        """The lines on the envelope, from left to right."""
        return cost_lines(self.hull)

    @cached_property
    def members(self) -> Mapping[str, CostCurve]:
        """Each classifier's own envelope (with the trivial ones, which everyone can be)."""
        judged = self.hull.judged
        return {m.name: CostCurve(RocHull(judged, (m,))) for m in self.hull.members}

    @property
    def breakpoints(self) -> FloatArray:
        """Where neighbouring lines cross, from left to right."""
        return self._crossings[0]

    @cached_property
    def knots(self) -> tuple[FloatArray, FloatArray]:
        """The corners of the envelope, x and y, with both its ends; straight lines join them."""
        x, y = (
            np.concatenate(([0.0], side, [end]))
            for side, end in zip(self._crossings, (1, 0), strict=True)
        )
        x.flags.writeable = y.flags.writeable = False
        return x, y

    @cached_property
    def _crossings(self) -> tuple[FloatArray, FloatArray]:
        """Where the lines of a segment's ends cross.

        With a segment's run and rise in counts of N negatives and P positives, the lines of its
        ends are equal where x (rise / P) = (1 - x) (run / N).
        """
        fp, tp = self.hull.false_positives.tolist(), self.hull.true_positives.tolist()
        n, p = self.hull.judged.negatives, self.hull.judged.positives
        x, y = [], []
        for i, (left, right) in enumerate(pairwise(fp)):
            run, rise = right - left, tp[i + 1] - tp[i]
            whole = run * p + rise * n
            x.append(run * p / whole)
            y.append((rise * left + run * (p - tp[i])) / whole)
        crossings = np.array(x), np.array(y)
        for side in crossings:
            side.flags.writeable = False
        return crossings

    def line_at(self, x: float) -> CostLine:
        """Return the line that is lowest at x; at a breakpoint the left one, with fewer alarms."""
        return self.lines[int(np.searchsorted(self.breakpoints, as_rate(x, "x"), side="left"))]

    def cost_at(self, x: float) -> float:
        """Return the least normalised expected cost at a probability cost from 0 to 1."""
        return self.line_at(x).cost_at(x)

    @property
    def operating_range(self) -> Interval | None:
        """Where it costs less than both trivial classifiers; None if nowhere.

        On a single classifier's envelope this is Drummond and Holte's operating range of it.
        """
        if len(self.hull) < 3:
            return None
        return Interval(float(self.breakpoints[0]), float(self.breakpoints[-1]))

    def winning_ranges(self) -> list[CostRange]:
        """Say who wins where: touching ranges from 0 to 1, those of `hull.slope_ranges()`."""
        slopes = [math.inf, *self.hull.slopes.tolist(), 0.0]
        place = dict(zip(slopes, self.knots[0].tolist(), strict=True))
        return [
            CostRange(row.classifier, place[row.high], place[row.low])
            for row in reversed(self.hull.slope_ranges())
        ]


def cost_lines(part: RocCurve | RocHull) -> tuple[CostLine, ...]:
    """Return the line of every point of a curve, or of every vertex of a hull.

    Examples
    --------
    >>> import rocch
    >>> from rocch.compare.cost_curve import cost_lines
    >>> rules = rocch.RocCurve.from_labels([0, 0, 1, 1], [0, 1, 1, 1], name="rules")
    >>> [(line.point.classifier, line.fpr, line.fnr) for line in cost_lines(rules)]
    [('never', 0.0, 1.0), ('rules', 0.5, 0.0), ('always', 1.0, 0.0)]
    """
    if not isinstance(part, RocCurve | RocHull):
        raise bad_input("part", "be a RocCurve or a RocHull", kind_of(part), "Build one first.")
    points = part.points() if isinstance(part, RocCurve) else part.vertices
    judged = part.judged
    fpr, fnr = judged.rates(part.false_positives, judged.positives - part.true_positives)
    rates = zip(fpr.tolist(), fnr.tolist(), strict=True)
    return tuple(CostLine(point, *ends) for point, ends in zip(points, rates, strict=True))


def probability_cost(conditions: Conditions | Belief) -> Interval:
    """Return the probability cost of the positive class under conditions; always a pair.

    It is p c_fn / (p c_fn + (1 - p) c_fp), where each error's cost counts from that of the right
    decision; so it is 1 / (1 + slope) of the iso-performance lines. Exact conditions give a pair
    of equal numbers, a belief the ends of what it holds possible.

    Examples
    --------
    >>> import rocch
    >>> rocch.probability_cost(
    ...     rocch.Conditions(prevalence=1 / 6, false_positive=1, false_negative=1)
    ... ).low
    0.16666666666666666
    >>> vague = rocch.Conditions(prevalence=0.5, false_positive=1, false_negative=(1, 3))
    >>> rocch.probability_cost(vague)
    Interval(low=0.5, high=0.75)
    """
    if isinstance(conditions, Belief):
        return Interval(*conditions.axis_range)
    low, high = as_conditions(conditions).slope_range
    return Interval(1 / (1 + high), 1 / (1 + low))
