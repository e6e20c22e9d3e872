"""Limits on single error rates, and on the misses of classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.errors import InfeasibleError, InputError, bad_input, kind_of
from rocch.inputs import as_rate

if TYPE_CHECKING:
    from rocch.arrays import FloatArray, IntArray
    from rocch.multiclass.classes import Classes


@dataclass(frozen=True, slots=True)
class RateLimits:
    """The largest rates allowed: by (truth, prediction), or by class for its misses."""

    rates: Mapping[Any, float]

    @classmethod
    def of(cls, limits: Any) -> RateLimits:
        """Read limits; None means none."""
        if limits is None:
            return cls({})
        if not isinstance(limits, Mapping):
            raise bad_input(
                "limits",
                "map (truth, prediction), or a class, to a rate",
                kind_of(limits),
                "For example: {('ill', 'well'): 0.02, 'well': 0.3}.",
            )
        return cls({what: as_rate(rate, f"the limit on {what!r}") for what, rate in limits.items()})

    @property
    def tell_errors_apart(self) -> bool:
        """Whether some limit is on a single kind of error, and not on all misses of a class."""
        return any(isinstance(what, tuple) for what in self.rates)

    def kept_by(self, counts: IntArray, classes: Classes) -> IntArray:
        """Return the places of the confusion matrices (n, Q, Q) that keep all limits.

        Quotients are rounded to the nearest double, so a rate of 29/100 keeps a limit of 0.29.
        """
        reached = {what: _rate_of(what, counts, classes) for what in self.rates}
        allowed = np.ones(len(counts), dtype=bool)
        for what, limit in self.rates.items():
            allowed &= reached[what] <= limit
        if not allowed.any():
            least = ", ".join(
                f"{what!r}: {reached[what].min():.4g} (limit {limit:g})"
                for what, limit in self.rates.items()
            )
            raise InfeasibleError(
                "no member of the surface keeps all limits at once. Each rate alone can be as low "
                f"as {least}. Relax a limit, search longer, or offer other classifiers."
            )
        return np.flatnonzero(allowed)


def _rate_of(what: Any, counts: IntArray, classes: Classes) -> FloatArray:
    """Return every member's rate of an error, or of the misses of a class."""
    totals = counts[0].sum(axis=1)
    if isinstance(what, tuple) and len(what) == 2 and what not in classes.names:
        k, j = (classes.place(name, "limits") for name in what)
        if k == j:
            raise InputError(
                f"limits: {what!r} is no error. Limit the misses of a class by its name alone."
            )
        rates: FloatArray = counts[:, k, j] / totals[k]
        return rates
    k = classes.place(what, "limits")
    misses: FloatArray = (totals[k] - counts[:, k, k]) / totals[k]
    return misses
