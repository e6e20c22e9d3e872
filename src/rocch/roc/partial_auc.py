"""The area under a part of a ROC curve."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rocch.arrays import FloatArray
from rocch.errors import Hint, InputError
from rocch.roc.conditions import Bounds, Interval, as_interval


@dataclass(frozen=True, slots=True, kw_only=True)
class PartialAuc:
    """The area over a range of FPR, or the integral of 1 - FPR over a range of TPR.

    Parameters
    ----------
    fpr, tpr
        One range, such as `fpr=(0, 0.1)`.
    standardized
        Rescale the area such that random guessing has 1/2 and a perfect classifier 1 (McClish
        1989).

    Examples
    --------
    >>> import rocch
    >>> print(rocch.roc.PartialAuc(fpr=(0, 0.1), standardized=True))
    standardized partial AUC over FPR 0 to 0.1
    """

    fpr: Bounds | None = None
    tpr: Bounds | None = None
    standardized: bool = False

    def __post_init__(self) -> None:
        if (self.fpr is None) == (self.tpr is None):
            raise InputError(
                "fpr, tpr",
                "be one range, of FPR or of TPR",
                "neither" if self.fpr is None else "both",
                Hint("For example: fpr=(0, 0.1)."),
            )
        name = "tpr" if self.fpr is None else "fpr"
        object.__setattr__(self, name, _as_wide_interval(getattr(self, name), name))

    def __str__(self) -> str:
        name = "TPR" if self.fpr is None else "FPR"
        kind = "standardized partial AUC" if self.standardized else "partial AUC"
        return f"{kind} over {name} {self.range.low:g} to {self.range.high:g}"

    @property
    def range(self) -> Interval:
        """The range, of FPR or of TPR."""
        return _as_wide_interval(self.tpr if self.fpr is None else self.fpr, "fpr, tpr")

    def share(self, fpr: FloatArray, tpr: FloatArray, moved: float = 0) -> float:
        """Return the area under a curve, divided by that of a perfect classifier.

        The curve may be moved: to a higher FPR, or to a lower TPR.
        """
        low, high = self.range
        if self.fpr is None:
            ends = low + moved, min(high + moved, 1.0)
            area = _integral(tpr, 1 - fpr, *ends) if ends[0] < ends[1] else 0.0
        else:
            ends = max(low - moved, 0.0), high - moved
            area = _integral(fpr, tpr, *ends) if ends[0] < ends[1] else 0.0
        return area / (high - low)

    @property
    def scale(self) -> float:
        """The value of a perfect classifier less that of one without any area."""
        return self.value(1.0) - self.value(0.0)

    def value(self, share: float) -> float:
        """Return the area, perhaps standardized, that is a share of a perfect classifier's."""
        low, high = self.range
        if not self.standardized:
            return share * (high - low)
        middle = (low + high) / 2
        chance = 1 - middle if self.fpr is None else middle
        return (1 + (share - chance) / (1 - chance)) / 2


def _as_wide_interval(ends: Bounds | None, argument: str) -> Interval:
    hint = Hint("For example: (0, 0.1).")
    found = as_interval(ends, argument, least=0, most=1, hint=hint)
    if found.exact:
        raise InputError(argument, "run from low to a higher end", repr(ends), hint)
    return found


def _integral(x: FloatArray, y: FloatArray, low: float, high: float) -> float:
    """Integrate y over [low, high]; y may jump."""
    inside = (x > low) & (x < high)
    ends = np.interp([low, high], x, y)
    first = y[np.flatnonzero(x == low)[-1]] if (x == low).any() else ends[0]
    last = y[np.flatnonzero(x == high)[0]] if (x == high).any() else ends[1]
    xs = np.concatenate(([low], x[inside], [high]))
    ys = np.concatenate(([first], y[inside], [last]))
    return float(np.sum(np.diff(xs) * (ys[1:] + ys[:-1])) / 2)
