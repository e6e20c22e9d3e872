"""The AUC of a classifier whose rows were counted in cells: exact, or a proven bracket."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import TYPE_CHECKING, Self

from rocch.errors import UndefinedError
from rocch.inputs import as_level
from rocch.kernels.exact import at_least, at_most
from rocch.kernels.placements import (
    Bracket,
    auc_bracket,
    auc_from_sums,
    variance_bracket,
    variance_from_sums,
)
from rocch.roc.conditions import Interval
from rocch.scale.checked_cells import check_cells
from rocch.stats.auc import auc_limits, bracket_limits

if TYPE_CHECKING:
    from fractions import Fraction

    from rocch.kernels.placements import PlacementSums
    from rocch.kernels.refine import Cells
    from rocch.roc.curve import Judged

LAST_DIGITS = 2.0**-48
"""What the limits of intervals, which are found by halving in doubles, may be wrong by."""


@dataclass(frozen=True, slots=True)
class FrameAuc:
    """The AUC of a classifier, as the cells of its scores determine it.

    Where every cell that holds both classes is a single score, it is exact. Elsewhere the ranking
    inside some cells is unknown, and the AUC is bracketed: it lies between `low` and `high`
    whatever that ranking is, and some ranking reaches either bound. Bounds are rounded outward, so
    that the truth, a fraction, is never outside.

    Attributes
    ----------
    low, high
        Bounds of the AUC. Where it is exact they are the doubles around it (one double, if it is
        one).
    exact
        Whether the AUC is known exactly, and its variance too.
    middle
        The middle of the bracket, correctly rounded: the AUC if each cell were one score.
    judged
        The rows behind it: totals of both classes.
    variance_low, variance_high
        Bounds of DeLong's variance of the AUC, rounded outward. None for weighted rows and where a
        class has a single row: there it is undefined.
    middle_variance
        DeLong's variance if each cell were one score, correctly rounded; None like its bounds.

    Examples
    --------
    Six rows in three cells; in the second, two negatives and a positive score 0.4 to 0.6:

    >>> import numpy as np
    >>> import rocch
    >>> from rocch.kernels.refine import Cells
    >>> cells = Cells(
    ...     high=np.array([0.9, 0.6, 0.1]),
    ...     low=np.array([0.9, 0.4, 0.1]),
    ...     negatives=np.array([0, 2, 1]),
    ...     positives=np.array([2, 1, 0]),
    ... )
    >>> found = rocch.FrameAuc.of(cells, rocch.Judged(negatives=3, positives=3))
    >>> print(found)
    AUC 0.7777 to 1.0000 (proven bracket; 95 % interval 0.2077 to 1.0000)
    >>> found.exact, found.middle
    (False, 0.8888888888888888)
    """

    low: float
    high: float
    exact: bool
    middle: float
    judged: Judged
    variance_low: float | None = None
    variance_high: float | None = None
    middle_variance: float | None = None

    @classmethod
    def of(cls, cells: Cells, judged: Judged) -> Self:
        """Find the AUC from cells, which must hold all judged rows.

        Parameters
        ----------
        cells
            Disjoint intervals of scores with their counts, highest first.
        judged
            Totals of the rows that were counted.

        Returns
        -------
        FrameAuc

        Raises
        ------
        InputError
            If cells overlap, are empty, or do not add up to the totals.
        """
        check_cells(cells, judged)
        variance = variance_bracket(cells) if _has_variance(judged) else None
        return cls._between(auc_bracket(cells), variance, judged)

    @classmethod
    def from_sums(cls, sums: PlacementSums, judged: Judged) -> Self:
        """Find the AUC exactly from sums over all judged rows.

        Parameters
        ----------
        sums
            Sums of the rows' placements (`rocch.kernels.placements`).
        judged
            Totals of these rows.

        Returns
        -------
        FrameAuc
        """
        totals = judged.negatives, judged.positives
        area = auc_from_sums(sums, *totals)
        variance = variance_from_sums(sums, *totals) if _has_variance(judged) else None
        return cls._between(_known(area), None if variance is None else _known(variance), judged)

    @classmethod
    def _between(cls, area: Bracket, variance: Bracket | None, judged: Judged) -> Self:
        known = at_most(area.low), at_least(area.high), area.low == area.high, float(area.middle)
        if variance is None:
            return cls(*known, judged)
        low, middle, high = variance
        return cls(*known, judged, at_most(low), at_least(high), float(middle))

    @property
    def value(self) -> float:
        """The AUC, correctly rounded, where it is exact; otherwise there is only a bracket."""
        self._check_exact("the AUC", "low and high")
        return self.middle

    @property
    def standard_error(self) -> float:
        """DeLong's standard error of the AUC, where it is exact."""
        variance = self._variance(self.middle_variance)
        self._check_exact("the standard error", "variance_low and variance_high")
        return math.sqrt(variance)

    def interval(self, confidence: float = 0.95) -> Interval:
        """Return every AUC that the rows do not contradict, as `rocch.auc_interval` does.

        For a bracket it encloses the intervals of all AUCs and variances between the bounds, so
        also that of the truth.

        Parameters
        ----------
        confidence
            How often such intervals hold the true AUC, at least.

        Returns
        -------
        Interval

        Raises
        ------
        InputError
            If the confidence is not between 0 and 1.
        UndefinedError
            If rows were weighted, or a class has a single row.
        """
        level = as_level(confidence)
        units = self.judged.negatives, self.judged.positives
        if self.exact:
            variance = self._variance(self.middle_variance)
            return auc_limits(self.middle, variance, units, confidence=level)
        variance = self._variance(self.variance_high)
        aucs = Interval(self.low, self.high)
        low, high = bracket_limits(aucs, variance, units, confidence=level)
        return Interval(max(0.0, low - LAST_DIGITS), min(1.0, high + LAST_DIGITS))

    def __str__(self) -> str:
        digits = self._digits()
        sure = "exact" if self.exact else "proven bracket"
        if self.middle_variance is not None:
            low, high = self.interval()
            sure += f"; 95 % interval {low:.{digits}f} to {high:.{digits}f}"
        return f"AUC {self._written(digits)} ({sure})"

    def _digits(self) -> int:
        """Return how many digits tell the bounds apart, and no fewer than four."""
        return 4 if self.exact else max(4, 1 - math.floor(math.log10(self.high - self.low)))

    def _written(self, digits: int) -> str:
        if self.exact:
            return f"{self.middle:.{digits}f}"
        step = Decimal(1).scaleb(-digits)
        low = Decimal(self.low).quantize(step, ROUND_FLOOR)
        high = Decimal(self.high).quantize(step, ROUND_CEILING)
        return f"{low} to {high}"

    def _check_exact(self, what: str, instead: str) -> None:
        if not self.exact:
            raise UndefinedError(
                f"{what} is known only between bounds: the ranking inside some cells is unknown. "
                f"Use {instead}, or split the cells until it is exact."
            )

    def _variance(self, variance: float | None) -> float:
        if variance is not None:
            return variance
        if self.judged.weighted:
            raise UndefinedError(
                "the variance of an AUC of weighted rows is undefined: weights do not say how "
                "many independent rows there were. Count the rows without weights."
            )
        kind = "negative" if self.judged.negatives < 2 else "positive"
        raise UndefinedError(
            f"the variance of an AUC is undefined with a single {kind} row; it takes at least two "
            "rows of each class. Judge more rows."
        )


def _has_variance(judged: Judged) -> bool:
    return not judged.weighted and min(judged.negatives, judged.positives) >= 2


def _known(exactly: Fraction) -> Bracket:
    return Bracket(exactly, exactly, exactly)
