"""Linear limits on FPR and TPR, and how far the hull's guarantee reaches under them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rocch.errors import GuaranteeError, bad_input
from rocch.inputs import as_number

if TYPE_CHECKING:
    from rocch.arrays import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class LinearLimit:
    """A limit: tpr x TPR + fpr x FPR may be at most `at_most`.

    The hull's guarantee holds for any number of limits that all have fpr >= 0 (go left from any
    point inside: the limits still hold and nothing is lost), and for any number that all have
    tpr <= 0 (go up). Corollary 9 is the case of one limit with both >= 0.

    Examples
    --------
    >>> import rocch
    >>> rocch.LinearLimit(tpr=50, fpr=950, at_most=100)  # at most 100 alarms
    LinearLimit(tpr=50.0, fpr=950.0, at_most=100.0)
    """

    tpr: float = 0.0
    fpr: float = 0.0
    at_most: float

    def __post_init__(self) -> None:
        for name in ("tpr", "fpr", "at_most"):
            number = as_number(getattr(self, name), name, do="State the limit in rates.")
            object.__setattr__(self, name, number)
        if not (self.tpr or self.fpr):
            raise bad_input("tpr, fpr", "not both be 0", "a limit on nothing", "Set one of them.")

    @property
    def limit(self) -> LinearLimit:
        """The limit itself."""
        return self

    def excess(self, fpr: FloatArray, tpr: FloatArray) -> FloatArray:
        """Return by how much points break the limit; rounding errors do not count."""
        value = self.tpr * tpr + self.fpr * fpr - self.at_most
        slack = 1e-12 * (abs(self.tpr) + abs(self.fpr) + abs(self.at_most))
        return np.where(np.abs(value) <= slack, 0.0, value)

    def __str__(self) -> str:
        if self.tpr and self.fpr:
            return f"{self.tpr:g} TPR + {self.fpr:g} FPR <= {self.at_most:g}"
        name, factor = ("TPR", self.tpr) if self.tpr else ("FPR", self.fpr)
        return f"{name} {'<=' if factor > 0 else '>='} {self.at_most / factor:g}"


def check_guarantee(limits: tuple[LinearLimit, ...]) -> None:
    """Refuse limits under which a point inside the hull could beat all of the hull."""
    if all(limit.fpr >= 0 for limit in limits) or all(limit.tpr <= 0 for limit in limits):
        return
    raise GuaranteeError(
        "limits must all allow going left (fpr >= 0) or all allow going up (tpr <= 0); got "
        f"{'; '.join(map(str, limits))}. Such limits can cut away the hull and leave a better "
        "point inside it, so the hull's answer is no longer guaranteed to be the best. Drop the "
        "limit that forbids being too good."
    )


def allowed_shares(
    x: FloatArray, y: FloatArray, limits: tuple[LinearLimit, ...]
) -> tuple[FloatArray, FloatArray]:
    """Return for each segment from where to where (0 = left end, 1 = right end) limits hold."""
    low, high = np.zeros(x.size - 1), np.ones(x.size - 1)
    for limit in limits:
        excess = limit.excess(x, y)
        start, step = excess[:-1], np.diff(excess)
        with np.errstate(divide="ignore", invalid="ignore"):
            crossing = -start / step
        high = np.where(step > 0, np.minimum(high, crossing), high)
        low = np.where(step < 0, np.maximum(low, crossing), low)
        high = np.where((step == 0) & (start > 0), -1.0, high)
    met_in_one_point = (low > high) & (low < high + 1e-12)  # but for rounding errors
    return np.where(met_in_one_point, high, low), high


def allowed_corners(
    x: FloatArray, y: FloatArray, limits: tuple[LinearLimit, ...]
) -> tuple[FloatArray, FloatArray]:
    """Return the ends of the parts of a path that keep the limits: vertices and crossings."""
    low, high = allowed_shares(x, y, limits)
    left = np.flatnonzero(low <= high)
    shares = np.stack((low[left], high[left]))
    return (
        (x[left] + shares * np.diff(x)[left]).ravel(),
        (y[left] + shares * np.diff(y)[left]).ravel(),
    )
