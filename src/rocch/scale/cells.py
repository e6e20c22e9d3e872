"""AUCs and curve outlines from counts in cells of scores."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

import numpy as np

from rocch.arrays import FloatArray, IntArray
from rocch.errors import InputError, UndefinedError
from rocch.inputs import as_level, as_name, as_rate, is_double, is_number
from rocch.kernels.cells import Cells, known_points, thin_cells
from rocch.kernels.exact import at_least, at_most
from rocch.kernels.placements import (
    Bracket,
    PlacementSums,
    auc_bracket,
    auc_from_sums,
    variance_bracket,
    variance_from_sums,
)
from rocch.results import Record, Table, Tabular
from rocch.roc.conditions import Interval
from rocch.roc.curve import RocCurve
from rocch.roc.operating_point import (
    ALWAYS,
    NEVER,
    ClassTotals,
    RocPoint,
    Threshold,
    make_point,
    midpoint,
)
from rocch.stats.auc import auc_limits, bracket_limits
from rocch.svg import Line, draw_lines

# Totals stay below, so that twice a total fits into 64 bits.
MOST = 2**62
# The error of interval limits, which are found by bisection in doubles.
LAST_DIGITS = 2.0**-48


def check_cells(cells: Cells, class_totals: ClassTotals) -> None:
    """Refuse cells that are out of order or do not add up to the totals."""
    totals = class_totals.negatives, class_totals.positives
    if min(totals) < 1 or max(totals) >= MOST:
        raise InputError(
            "totals",
            "have totals of both classes, below 2**62",
            f"{totals[0]} negatives and {totals[1]} positives",
            "Pass the totals of the rows in the cells.",
        )
    problem = _find_problem(cells, totals)
    if problem is not None:
        raise InputError("cells", *problem, "Use the cells that a summary of the frame returns.")


def _find_problem(cells: Cells, totals: tuple[int, int]) -> tuple[str, str] | None:
    """Return what the cells must be and what they are instead, or None."""
    counts = cells.negatives, cells.positives
    if len({column.shape for column in cells}) > 1 or cells.low.ndim != 1 or not cells.low.size:
        shapes = ", ".join(str(column.shape) for column in cells)
        return "have four columns of one length, with at least one cell", shapes
    for each in counts:
        if each.dtype.kind != "i":
            return "count rows in signed integers", f"counts of type {each.dtype}"
    if min(each.min() for each in counts) < 0:
        return "have counts that are not negative", "negative ones"
    upright, falling = cells.high >= cells.low, cells.low[:-1] > cells.high[1:]
    if not (upright.all() and falling.all()):
        return (
            "be disjoint and run from the highest scores to the lowest, with high >= low",
            "cells that overlap, are out of order, or have no bounds (NaN)",
        )
    # the sum in doubles shows that the one in integers cannot overflow
    if max(each.sum(dtype=float) for each in counts) >= 2 * MOST:
        return "hold fewer than 2**62 rows of each class", "more"
    held = int(cells.negatives.sum()), int(cells.positives.sum())
    if held != totals:
        wanted = f"hold all rows, {totals[0]} negatives and {totals[1]} positives"
        return wanted, f"{held[0]} and {held[1]}"
    return None


@dataclass(frozen=True, slots=True, repr=False)
class FrameAuc(Record):
    """The AUC of a classifier, from the counts in cells of its scores.

    It is exact if every cell with both classes is a single score. Otherwise the ranking inside some
    cells is unknown, and the AUC lies between `low` and `high`; both can be reached.

    Attributes
    ----------
    low, high
        Bounds of the AUC, rounded outward.
    exact
        Whether the AUC and its variance are exact.
    middle
        The AUC if each cell were one score: the middle of the bracket.
    totals
        Class totals.
    variance_low, variance_high
        Bounds of DeLong's variance; None with weights or a single row of a class.
    middle_variance
        DeLong's variance if each cell were one score, or None.

    Examples
    --------
    Six rows in three cells; in the second, two negatives and a positive score 0.4 to 0.6:

    >>> import numpy as np
    >>> import rocch
    >>> from rocch.kernels.cells import Cells
    >>> cells = Cells(
    ...     high=np.array([0.9, 0.6, 0.1]),
    ...     low=np.array([0.9, 0.4, 0.1]),
    ...     negatives=np.array([0, 2, 1]),
    ...     positives=np.array([2, 1, 0]),
    ... )
    >>> found = rocch.scale.FrameAuc.of(cells, rocch.roc.ClassTotals(negatives=3, positives=3))
    >>> print(found)
    AUC 0.7777 to 1.0000 (proven bracket; 95% interval 0.2077 to 1.0000)
    >>> found.exact, found.middle
    (False, 0.8888888888888888)
    """

    low: float
    high: float
    exact: bool
    middle: float
    totals: ClassTotals
    variance_low: float | None = None
    variance_high: float | None = None
    middle_variance: float | None = None

    @classmethod
    def of(cls, cells: Cells, class_totals: ClassTotals) -> Self:
        """Compute the AUC from cells.

        Parameters
        ----------
        cells
            Disjoint intervals of scores with the counts of all rows, highest first.
        class_totals
            The totals of these rows.
        """
        check_cells(cells, class_totals)
        variance = variance_bracket(cells) if _has_variance(class_totals) else None
        return cls._between(auc_bracket(cells), variance, class_totals)

    @classmethod
    def from_sums(cls, sums: PlacementSums, class_totals: ClassTotals) -> Self:
        """Compute the exact AUC from placement sums."""
        totals = class_totals.negatives, class_totals.positives
        area = _exactly(auc_from_sums(sums, *totals))
        variance = None
        if _has_variance(class_totals):
            variance = _exactly(variance_from_sums(sums, *totals))
        return cls._between(area, variance, class_totals)

    @classmethod
    def _between(cls, area: Bracket, variance: Bracket | None, class_totals: ClassTotals) -> Self:
        known = at_most(area.low), at_least(area.high), area.low == area.high, float(area.middle)
        if variance is None:
            return cls(*known, class_totals)
        low, middle, high = variance
        return cls(*known, class_totals, at_most(low), at_least(high), float(middle))

    @property
    def value(self) -> float:
        """The AUC, if it is exact."""
        self._check_exact("the AUC", "low and high")
        return self.middle

    @property
    def standard_error(self) -> float:
        """DeLong's standard error, if the AUC is exact."""
        variance = self._check_variance(self.middle_variance)
        self._check_exact("the standard error", "variance_low and variance_high")
        return math.sqrt(variance)

    def interval(self, confidence: float = 0.95) -> Interval:
        """Return the confidence interval of `rocch.stats.auc_interval`.

        For a bracket it encloses the intervals of all AUCs and variances between the bounds. It is
        undefined with weights or a single row of a class.

        Parameters
        ----------
        confidence
            The least probability of covering the true AUC.
        """
        level = as_level(confidence)
        units = self.totals.negatives, self.totals.positives
        if self.exact:
            variance = self._check_variance(self.middle_variance)
            return auc_limits(self.middle, variance, units, confidence=level)
        variance = self._check_variance(self.variance_high)
        aucs = Interval(self.low, self.high)
        low, high = bracket_limits(aucs, variance, units, confidence=level)
        return Interval(max(0.0, low - LAST_DIGITS), min(1.0, high + LAST_DIGITS))

    def __str__(self) -> str:
        if self.exact:
            digits, text, kind = 4, f"{self.middle:.4f}", "exact"
        else:
            # enough digits to tell the bounds apart
            digits = max(4, 1 - math.floor(math.log10(self.high - self.low)))
            step = Decimal(1).scaleb(-digits)
            least = Decimal(self.low).quantize(step, ROUND_FLOOR)
            greatest = Decimal(self.high).quantize(step, ROUND_CEILING)
            text, kind = f"{least} to {greatest}", "proven bracket"
        if self.middle_variance is not None:
            low, high = self.interval()
            kind += f"; 95% interval {low:.{digits}f} to {high:.{digits}f}"
        return f"AUC {text} ({kind})"

    def _row(self) -> dict[str, Any]:
        """Return the AUC, its proven bounds, and a 95% interval if it has one."""
        low, high = (None, None) if self.middle_variance is None else self.interval()
        return {
            "auc": self.middle,
            "low": self.low,
            "high": self.high,
            "exact": self.exact,
            "interval_low": low,
            "interval_high": high,
            "positives": self.totals.amount(self.totals.positives),
            "negatives": self.totals.amount(self.totals.negatives),
        }

    def _check_exact(self, what: str, instead: str) -> None:
        if not self.exact:
            raise UndefinedError(
                f"{what} is known only between bounds: the ranking inside some cells is unknown.",
                hint=f"Use {instead}, or split the cells until it is exact.",
            )

    def _check_variance(self, variance: float | None) -> float:
        if variance is not None:
            return variance
        if self.totals.weighted:
            raise UndefinedError(
                "the variance of an AUC of weighted rows is undefined: weights do not say how "
                "many independent rows there were.",
                hint="Count the rows without weights.",
            )
        kind = "negative" if self.totals.negatives < 2 else "positive"
        raise UndefinedError(
            f"the variance of an AUC is undefined with a single {kind} row; it takes at least two "
            "rows of each class."
        )


def _has_variance(class_totals: ClassTotals) -> bool:
    return not class_totals.weighted and min(class_totals.negatives, class_totals.positives) >= 2


def _exactly(value: Fraction) -> Bracket:
    return Bracket(value, value, value)


@dataclass(frozen=True, eq=False, repr=False)
class CurveOutline(Tabular):
    """Exact points of a ROC curve, from *never* to *always*, but not all of them.

    Between neighboring points the curve lies in the rectangle that they span.

    Attributes
    ----------
    name
        The name of the classifier.
    totals
        Class totals.
    cells
        The scores and counts between neighboring points.
    auc
        The AUC, from all cells before the outline was thinned.

    Examples
    --------
    >>> import numpy as np
    >>> import rocch
    >>> from rocch.kernels.cells import Cells
    >>> cells = Cells(
    ...     high=np.array([0.9, 0.6, 0.1]),
    ...     low=np.array([0.9, 0.4, 0.1]),
    ...     negatives=np.array([0, 2, 1]),
    ...     positives=np.array([2, 1, 0]),
    ... )
    >>> totals = rocch.roc.ClassTotals(negatives=3, positives=3)
    >>> outline = rocch.scale.CurveOutline.of(cells, totals, name="nb")
    >>> outline.lowest_scores
    array([0.9, 0.4, 0.1])
    >>> outline.true_positives
    array([0, 2, 3, 3])
    >>> [point.true_positives for point in outline.between(0.5)]
    [2, 3]
    """

    name: str
    totals: ClassTotals
    cells: Cells
    auc: FrameAuc

    def __post_init__(self) -> None:
        for column in self.cells:
            column.flags.writeable = False

    def __repr__(self) -> str:
        return (
            f"<CurveOutline {self.name!r}: {len(self)} points, at most {self.resolution:.3g} "
            f"apart, {self.totals.positives} positives, {self.totals.negatives} negatives>"
        )

    def _columns(self) -> Table:
        rows = [point._row() for point in self.points()]
        return {name: [row[name] for row in rows] for name in rows[0] if name != "classifier"}

    def _picture(self) -> str:
        lines = [Line(self.name, self.fpr, self.tpr)]
        return draw_lines(lines, "FPR", "TPR", whole=True, diagonal=True)

    def __len__(self) -> int:
        return self.cells.low.size + 1

    @classmethod
    def of(
        cls,
        cells: Cells,
        class_totals: ClassTotals,
        *,
        name: str = "classifier",
        resolution: float = 0.001,
    ) -> Self:
        """Outline a curve by as few points as a resolution allows.

        Parameters
        ----------
        cells, class_totals
            As for `FrameAuc.of`.
        name
            The name of the classifier.
        resolution
            The largest distance of neighboring points in FPR and TPR, except across a wider cell; 0
            keeps every known point.
        """
        area = FrameAuc.of(cells, class_totals)  # checks the cells too
        some = thin_cells(cells, as_rate(resolution, "resolution"))
        return cls(as_name(name), class_totals, some, area)

    @property
    def lowest_scores(self) -> FloatArray:
        """The lowest scores that alarm, falling; `lowest_scores[i]` belongs to point i + 1."""
        return self.cells.low

    @property
    def false_positives(self) -> IntArray:
        """False positives at all points, in `totals.unit`."""
        return self.curve.false_positives

    @property
    def true_positives(self) -> IntArray:
        """True positives at all points, in `totals.unit`."""
        return self.curve.true_positives

    @property
    def fpr(self) -> FloatArray:
        """False positive rates at all points."""
        return self.curve.fpr

    @property
    def tpr(self) -> FloatArray:
        """True positive rates at all points."""
        return self.curve.tpr

    @property
    def resolution(self) -> float:
        """The largest distance of neighboring points, in FPR or in TPR."""
        steps = self.totals.rates(self.cells.negatives, self.cells.positives)
        return float(max(step.max() for step in steps))

    @cached_property
    def curve(self) -> RocCurve:
        """The curve through the known points, for plots.

        Between points it is not the true curve: see `auc` for bounds, `between` for other
        thresholds, and `points` for thresholds to deploy.
        """
        return RocCurve(self.name, self.totals, *known_points(self.cells), self.lowest_scores)

    def between(self, threshold: float) -> tuple[RocPoint, RocPoint]:
        """Return the known points around that of a threshold, which need not be a score.

        Both are the same unless the threshold lies inside a cell of several scores.
        """
        if not is_double(threshold):
            got = "an integer beyond all doubles" if is_number(threshold) else repr(threshold)
            raise InputError("threshold", "be a number", got)
        index = int(np.searchsorted(-self.cells.low, -threshold, side="right"))
        inside = index < self.cells.high.size and self.cells.high[index] >= threshold
        return self.point(index), self.point(index + inside)

    def points(self) -> list[RocPoint]:
        """Return all known points, from *never* to *always*."""
        return [self.point(index) for index in range(len(self))]

    def point(self, index: int) -> RocPoint:
        """Return one known point; negative indices count from *always*."""
        known = self.curve.point(index)
        return make_point(
            (known.fpr, known.tpr),
            (known.false_positives, known.true_positives),
            [self._holder(index % len(self))],
        )

    def _holder(self, index: int) -> tuple[str, Threshold, Threshold]:
        if index == 0:
            return NEVER, None, None
        if index == len(self) - 1:
            return ALWAYS, None, None
        lowest, lower = float(self.cells.low[index - 1]), float(self.cells.high[index])
        return self.name, lowest, midpoint(lowest, lower)
