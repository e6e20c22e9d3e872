"""Detection error trade-off: false alarms against misses, for axes in normal deviates.

The axes of a DET graph are normal deviates (probit), not logarithms as Fawcett's slides say: two
normal distributions of scores then give a straight line (Martin et al., 1997). A rate of 0 or 1
lies at infinity there. Such points are not dropped: they are put where half a row would be.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from rocch.roc.path import RocPath

if TYPE_CHECKING:
    from rocch.arrays import BoolArray, FloatArray
    from rocch.roc.curve import RocCurve
    from rocch.roc.hull import RocHull
    from rocch.roc.judged import Judged


@dataclass(frozen=True, eq=False)
class DetCurve:
    """False positive and miss rates of one classifier, or of a hull.

    Attributes
    ----------
    path
        The ROC path that this is the image of.
    fpr, fnr
        False positive and miss rates at every point, as they are, read-only.
    floor
        The two rates that stand for 0 (for a false positive and for a miss) on the axes; 1 is
        drawn as far from 1. It is half a row's share of its class (a quarter of the axis for a
        class of one row); where rows are weighted or come from different samples, half the
        smallest rate that occurs.

    Examples
    --------
    >>> import rocch
    >>> curve = rocch.RocCurve.from_scores([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], name="nb")
    >>> det = rocch.DetCurve.of(curve)
    >>> det.fpr, det.fnr
    (array([0. , 0. , 0.5, 0.5, 1. ]), array([1. , 0.5, 0.5, 0. , 0. ]))
    >>> det.floor
    (0.25, 0.25)
    >>> det.at_infinity
    array([ True,  True, False,  True,  True])
    """

    path: RocPath

    @classmethod
    def of(cls, part: RocCurve | RocHull) -> DetCurve:
        """Map a curve or a hull."""
        return cls(RocPath.of(part))

    @property
    def name(self) -> str:
        """The classifier's name; "hull" for a hull."""
        return self.path.name

    @property
    def fpr(self) -> FloatArray:
        """False positive rates."""
        return self.path.fpr

    @cached_property
    def fnr(self) -> FloatArray:
        """Miss rates."""
        rates = 1 - self.path.tpr
        rates.flags.writeable = False
        return rates

    @cached_property
    def at_infinity(self) -> BoolArray:
        """Which points have a rate of 0 or 1, and so no place of their own on the axes."""
        return np.isin(self.fpr, (0, 1)) | np.isin(self.fnr, (0, 1))

    @cached_property
    def floor(self) -> tuple[float, float]:
        """The rates of false positives and of misses that stand for 0."""
        judged = self.path.judged
        return (
            _floor(self.fpr, judged.negatives, judged),
            _floor(self.fnr, judged.positives, judged),
        )

    def line(self, floor: tuple[float, float] | None = None) -> tuple[FloatArray, FloatArray]:
        """Return both rates along the curve, kept within the floor, with points enough to draw it.

        Several curves share a graph; pass the floor that they share.
        """
        path, (low_x, low_y) = self.path.refined(), floor or self.floor
        return np.clip(path.fpr, low_x, 1 - low_x), np.clip(1 - path.tpr, low_y, 1 - low_y)


def _floor(rates: FloatArray, total: int, judged: Judged) -> float:
    if not (judged.weighted or judged.pooled):
        return min(0.5 / total, 0.25)
    inside = np.minimum(rates, 1 - rates)
    inside = inside[inside > 0]
    return float(inside.min()) / 2 if inside.size else 0.25
