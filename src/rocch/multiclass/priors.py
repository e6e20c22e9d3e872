"""The class balance where the classifier will work: exact, between bounds, or believed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.errors import InputError, UndefinedError, bad_input, kind_of, shown
from rocch.inputs import is_number
from rocch.multiclass.dirichlet import DirichletBelief
from rocch.roc.conditions import OBSERVED, Interval, as_interval

if TYPE_CHECKING:
    from rocch.arrays import FloatArray, IntArray
    from rocch.multiclass.classes import Classes

SUM_TOLERANCE = 1e-9
"""How far the sum of exact priors may be from 1: rounding, not carelessness."""


@dataclass(frozen=True, slots=True)
class Priors:
    """Bounds on each class's share, in the classes' order; equal bounds are exact shares.

    `totals` are kept where the shares are those observed, which have no rounding.
    """

    low: FloatArray
    high: FloatArray
    totals: IntArray | None = None

    @property
    def exact(self) -> bool:
        """Whether every share is one number."""
        return bool((self.low == self.high).all())

    @property
    def shares(self) -> FloatArray:
        """The shares, which must be exact."""
        if not self.exact:
            raise InputError(
                "priors known only between bounds are no single class balance. Ask what they allow "
                "(RocSurface.optimal_within, RocSurface.least_regret), or state one."
            )
        return self.low

    @property
    def fractions(self) -> list[Fraction]:
        """The shares without rounding."""
        if self.totals is not None:
            return [Fraction(int(n), int(self.totals.sum())) for n in self.totals]
        return [Fraction(share) for share in self.shares.tolist()]


def as_priors(
    given: Any, classes: Classes, totals: IntArray | None, argument: str = "priors"
) -> Priors:
    """Return the shares of the classes from what users state.

    Parameters
    ----------
    given
        The word "observed", a mapping of every class to its share (a number or an interval), or a
        `DirichletBelief` about classes, which counts as its mean.
    classes
        The classes, whose order the answer has.
    totals
        How many judged rows each class has; without them, nothing is observed.
    """
    if totals is not None and isinstance(given, str) and given == OBSERVED:
        if not totals.sum():
            raise UndefinedError("there are no judged rows, so no class balance was observed.")
        observed = totals / totals.sum()
        return Priors(observed, observed, totals)
    if isinstance(given, DirichletBelief):
        given = given.mean
    if hasattr(given, "to_dict") and not isinstance(given, Mapping):
        given = given.to_dict()  # a pandas Series maps its index to its values
    if not isinstance(given, Mapping):
        raise bad_input(
            argument,
            "map every class to its share" + ("" if totals is None else ", or be 'observed'"),
            repr(given) if isinstance(given, str) else kind_of(given),
            "For example: {'ill': 0.1, 'well': 0.9}.",
        )
    return _of_mapping(given, classes, argument)


def _of_mapping(given: Mapping[Any, Any], classes: Classes, argument: str) -> Priors:
    unknown = [name for name in given if name not in classes.names]
    missing = [name for name in classes if name not in given]
    if unknown or missing:
        raise bad_input(
            argument,
            f"have a share for each of the classes {shown(classes, 30)}",
            f"shares of {shown(given, 30)}",
            "Name every class, and no others.",
        )
    shares = {name: _as_share(given[name], f"{argument}, {name!r},") for name in classes}
    low, high = np.array([list(shares[name]) for name in classes]).T
    if (low < 0).any() or (high > 1).any():
        raise bad_input(argument, "lie from 0 to 1", repr(dict(given)), "Write 5 % as 0.05.")
    if all(is_number(value) for value in given.values()):
        gap = abs(float(low.sum()) - 1) > SUM_TOLERANCE
    else:
        gap = low.sum() > 1 + SUM_TOLERANCE or high.sum() < 1 - SUM_TOLERANCE
    if gap:
        raise bad_input(
            argument,
            "sum to 1, or allow it",
            f"{low.sum():.10g}"
            if (low == high).all()
            else f"{low.sum():.10g} to {high.sum():.10g}",
            "Divide by the sum, or widen the intervals.",
        )
    rest_low, rest_high = low.sum() - low, high.sum() - high
    if not (low == high).all():  # what the others leave bounds each share too
        low, high = np.maximum(low, 1 - rest_high), np.minimum(high, 1 - rest_low)
        high = np.maximum(low, high)
    return Priors(np.ascontiguousarray(low), np.ascontiguousarray(high))


def _as_share(value: Any, argument: str) -> Interval:
    try:
        return as_interval(value, argument)
    except InputError:
        raise bad_input(
            argument,
            "be a share or an interval (low, high) of shares",
            repr(value),
            "For example: 0.1, or (0.05, 0.2).",
        ) from None
