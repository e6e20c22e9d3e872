"""What many years say together: means, paired differences, and how sure they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from studies.drifting.operate import POLICIES
from studies.workbench.page import signed as true_minus

if TYPE_CHECKING:
    from rocch.arrays import FloatArray

    Year = dict[str, np.ndarray[Any, Any]]
    Years = list[Year]
    Found = dict[str, Years]
    """The repetitions of each data set, by its title."""

WORDS = {
    # know costs and the true prevalence
    "knob": "hybrid, knob",
    "single": "best-AUC model, re-aimed",
    "probability": "probabilities trusted",
    # know costs
    "estimated": "hybrid, estimated prevalence",
    "safest": "hybrid, safest over the interval",
    "last_month": "hybrid, last month's share",
    "feedback": "hybrid, turned by feedback",
    "tuned": "TunedThresholdClassifierCV, monthly",
    "usual": "hybrid, training prevalence",
    # know nothing new
    "kept": "hybrid, as in the first week",
    "half": "best-AUC model at 0.5",
    # in hindsight
    "fixed": "best fixed rule of the year",
    "pool": "best rule for the pool, weekly",
}
"""What policies are called."""

KNOB = POLICIES.index("knob")


class Mean(NamedTuple):
    """A mean over repetitions, and its standard error."""

    mean: float
    error: float

    @classmethod
    def of(cls, values: FloatArray) -> Mean:
        """Return the mean of independent values."""
        times = values.size
        return cls(float(values.mean()), float(values.std(ddof=1) / np.sqrt(times)))

    def written(self, digits: int, *, signed: bool = False) -> str:
        """Write it with its standard error."""
        sign = "+" if signed else ""
        return true_minus(f"{self.mean:{sign}.{digits}f} ± {self.error:.{digits}f}")


def weekly(years: Years, year: str) -> FloatArray:
    """Return costs per row by repetition, policy and week."""
    return np.array([one[f"{year} cost"] for one in years], dtype=float)


def totals(years: Years, year: str) -> FloatArray:
    """Return costs per row over the whole year, by repetition and policy."""
    return np.asarray(weekly(years, year).mean(axis=2))


def more(years: Years, year: str, policy: str) -> Mean:
    """Return what a policy costs more than the hybrid with the knob, in percent of its cost.

    The repetitions' differences are paired: same models, rows and weather. The knob's mean cost,
    by which they are divided, counts as known.
    """
    costs = totals(years, year)
    extra = costs[:, POLICIES.index(policy)] - costs[:, KNOB]
    return Mean.of(100 * extra / costs[:, KNOB].mean())


def refused(years: Years, year: str, weeks: slice) -> Mean:
    """Return the share of weeks, in percent, whose estimate of prevalence is refused."""
    fits = np.array([one[f"{year} fits"][weeks] for one in years])
    return Mean.of(100 * (1 - fits.mean(axis=1)))


def covered(years: Years, year: str, weeks: slice) -> float:
    """Return the share of weeks, in percent, whose interval holds the true prevalence."""
    true, low, high = (
        np.array([one[name][weeks] for one in years])
        for name in ("prevalence", f"{year} low", f"{year} high")
    )
    return 100 * float(((low <= true) & (true <= high)).mean())


def rise(years: Years, policy: str, broken_from: int) -> Mean:
    """Return by how much percent the break raised a policy's cost in the weeks it lasted."""
    place = POLICIES.index(policy)
    kept, broken = (
        weekly(years, year)[:, place, broken_from:].mean(axis=1) for year in ("kept", "broken")
    )
    return Mean.of(100 * (broken - kept) / kept.mean())
