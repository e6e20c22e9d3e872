"""The outline of a curve: some of its points, all of them exact, close enough to each other."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np

from rocch.errors import bad_input
from rocch.inputs import as_name, as_rate, is_number
from rocch.kernels.refine import thinned
from rocch.roc.curve import RocCurve
from rocch.roc.operating_point import ALWAYS, NEVER, RocPoint, Threshold, make_point, midpoint
from rocch.scale.area import FrameAuc

if TYPE_CHECKING:
    from rocch.arrays import FloatArray, IntArray
    from rocch.kernels.refine import Cells
    from rocch.roc.curve import Judged


@dataclass(frozen=True, eq=False, repr=False)
class CurveOutline:
    """Exact points of a classifier's ROC curve, from *never* to *always*, but not all of them.

    Between neighbouring points the curve is not known, except that it rises: it stays in the
    rectangle that has the two points as corners.

    Attributes
    ----------
    name
        The classifier's name.
    judged
        The rows behind the counts: totals of both classes.
    cells
        What lies between neighbouring points: the greatest and the least score, and the counts.
    auc
        The AUC, exact or a bracket, from all cells that were there before the outline was thinned.

    Examples
    --------
    >>> import numpy as np
    >>> import rocch
    >>> from rocch.kernels.refine import Cells
    >>> cells = Cells(
    ...     high=np.array([0.9, 0.6, 0.1]),
    ...     low=np.array([0.9, 0.4, 0.1]),
    ...     negatives=np.array([0, 2, 1]),
    ...     positives=np.array([2, 1, 0]),
    ... )
    >>> outline = rocch.CurveOutline.of(cells, rocch.Judged(negatives=3, positives=3), name="nb")
    >>> outline.thresholds
    array([0.9, 0.4, 0.1])
    >>> outline.true_positives
    array([0, 2, 3, 3])
    >>> [point.true_positives for point in outline.between(0.5)]
    [2, 3]
    """

    name: str
    judged: Judged
    cells: Cells
    auc: FrameAuc

    def __post_init__(self) -> None:
        for column in self.cells:
            column.flags.writeable = False

    def __repr__(self) -> str:
        return (
            f"<CurveOutline {self.name!r}: {len(self)} points, at most {self.resolution:.3g} "
            f"apart, {self.judged.positives} positives, {self.judged.negatives} negatives>"
        )

    def __len__(self) -> int:
        return self.cells.low.size + 1

    @classmethod
    def of(
        cls, cells: Cells, judged: Judged, *, name: str = "classifier", resolution: float = 0.001
    ) -> Self:
        """Outline a curve by the fewest points that are close enough to each other.

        Parameters
        ----------
        cells
            Disjoint intervals of scores with their counts, highest first; they are not changed.
        judged
            Totals of the rows that were counted.
        name
            The classifier's name.
        resolution
            How far neighbouring points may be apart in FPR and in TPR. Where one cell alone is
            wider, they are farther apart; 0 keeps every known point.

        Returns
        -------
        CurveOutline

        Raises
        ------
        InputError
            If cells overlap, are empty, or do not add up to the totals, or if the resolution is
            no rate.
        """
        area = FrameAuc.of(cells, judged)  # which also checks the cells
        kept = thinned(cells, as_rate(resolution, "resolution"))
        return cls(as_name(name), judged, kept, area)

    @property
    def thresholds(self) -> FloatArray:
        """The thresholds, from high to low; `thresholds[i]` belongs to point i + 1."""
        return self.cells.low

    @cached_property
    def false_positives(self) -> IntArray:
        """False positives at all points, in `judged.unit`, exact."""
        return _from_zero(self.cells.negatives)

    @cached_property
    def true_positives(self) -> IntArray:
        """True positives at all points, in `judged.unit`, exact."""
        return _from_zero(self.cells.positives)

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
        """How far neighbouring points are apart at most, in FPR or in TPR."""
        steps = self.judged.rates(self.cells.negatives, self.cells.positives)
        return float(max(step.max() for step in steps))

    @cached_property
    def curve(self) -> RocCurve:
        """The curve through the known points, straight in between, for pictures.

        It is the true curve only at its points: in between it is drawn as if the scores of each
        cell were tied, and the true curve may run above it or below. So its hull is one that the
        classifier reaches but perhaps not the highest, and its AUC is a guess (see `auc` for
        bounds). Its thresholds are right, but halfway to its next threshold there may lie other
        scores: take thresholds to deploy from `points`, and ask `between`, not `curve.at`.
        """
        return RocCurve(
            self.name, self.judged, self.false_positives, self.true_positives, self.thresholds
        )

    def between(self, threshold: float) -> tuple[RocPoint, RocPoint]:
        """Return the known points around the one where rows scoring at least `threshold` alarm.

        That one has at least the counts of the first and at most those of the second. Both are the
        same point where it is known, which is everywhere but inside a cell of several scores.

        Parameters
        ----------
        threshold
            A score, which need not occur.

        Returns
        -------
        tuple of two RocPoints

        Raises
        ------
        InputError
            If the threshold is not a number.
        """
        if not is_number(threshold):
            raise bad_input("threshold", "be a number", repr(threshold), "Pass a score.")
        alarmed = int(np.searchsorted(-self.cells.low, -threshold, side="right"))
        inside = alarmed < self.cells.high.size and self.cells.high[alarmed] >= threshold
        return self.point(alarmed), self.point(alarmed + inside)

    def points(self) -> list[RocPoint]:
        """Return all known points, from *never* to *always*."""
        return [self.point(index) for index in range(len(self))]

    def point(self, index: int) -> RocPoint:
        """Return one known point; negative indices count from *always* backwards."""
        known = self.curve.point(index)
        index %= len(self)
        return make_point(
            (known.fpr, known.tpr),
            (known.false_positives, known.true_positives),
            [self._holder(index)],
        )

    def _holder(self, index: int) -> tuple[str, Threshold, Threshold]:
        if index == 0:
            return NEVER, None, None
        if index == len(self) - 1:
            return ALWAYS, None, None
        threshold, lower = float(self.cells.low[index - 1]), float(self.cells.high[index])
        return self.name, threshold, midpoint(threshold, lower)


def _from_zero(counts: IntArray) -> IntArray:
    up_to: IntArray = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(counts)))
    up_to.flags.writeable = False
    return up_to
