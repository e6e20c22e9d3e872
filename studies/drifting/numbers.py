"""What many years say together: means, paired differences, and how sure they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.stats import t as student

from studies.drifting.operate import POLICIES
from studies.workbench.page import signed as true_minus

if TYPE_CHECKING:
    from rocch.arrays import FloatArray

    Year = dict[str, np.ndarray[Any, Any]]
    Years = list[Year]
    Found = dict[str, Years]
    """The repetitions of each data set, by its title."""

KNOWN_BY = {
    "costs and true prevalence": {
        "knob": "hybrid, knob",
        "held_knob": "hybrid of a hold-out, knob",
        "single": "best-AUC model, re-aimed",
        "probability": "probabilities trusted",
    },
    "costs": {
        "estimated": "hybrid, estimated prevalence",
        "safest": "hybrid, safest over the interval",
        "held_estimated": "hybrid of a hold-out, estimated",
        "last_month": "hybrid, last month's share",
        "feedback": "hybrid, turned by feedback",
        "tuned": "TunedThresholdClassifierCV, monthly",
        "usual": "hybrid, training prevalence",
    },
    "nothing new": {
        "kept": "hybrid, as in the first week",
        "half": "best-AUC model at 0.5",
    },
    "all, in hindsight": {
        "fixed": "best fixed rule of the year",
        "pool": "best rule for the pool, weekly",
        "weekly": "cheapest rule on each week's rows",
    },
}
"""What each policy is told while the year runs, and what it is called."""

WORDS = {name: words for group in KNOWN_BY.values() for name, words in group.items()}
KNOB = POLICIES.index("knob")


class Mean(NamedTuple):
    """A mean over repetitions, and its standard error."""

    mean: float
    error: float
    times: int

    @classmethod
    def of(cls, values: FloatArray) -> Mean:
        """Return the mean of independent values."""
        times = values.size
        return cls(float(values.mean()), float(values.std(ddof=1) / np.sqrt(times)), times)

    @property
    def reach(self) -> float:
        """Half the width of the 95 % interval, by Student's distribution."""
        return float(student.ppf(0.975, self.times - 1)) * self.error

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


def between(years: Years, year: str, policy: str, other: str) -> Mean:
    """Return what a policy costs more than another, in percent of the knob's cost.

    The repetitions' differences are paired: same models, rows and weather. The knob's mean cost,
    by which they are divided, counts as known.
    """
    costs = totals(years, year)
    extra = costs[:, POLICIES.index(policy)] - costs[:, POLICIES.index(other)]
    return Mean.of(100 * extra / costs[:, KNOB].mean())


def more(years: Years, year: str, policy: str) -> Mean:
    """Return what a policy costs more than the hybrid with the knob, in percent of its cost."""
    return between(years, year, policy, "knob")


def beaten(years: Years, year: str, policy: str) -> float:
    """Return the share of years, in percent, in which a policy cost less than the knob."""
    costs = totals(years, year)
    return float(100 * (costs[:, POLICIES.index(policy)] < costs[:, KNOB]).mean())


def shares_of_last_month(year: Year, which: str) -> FloatArray:
    """Return for each week the number of positives in the month before; nan in the first."""
    month, positives = year["month"], year[f"{which} positives"]
    by_month = np.bincount(month, positives)
    return np.where(month > 0, by_month[month - 1], np.nan)


class Told(NamedTuple):
    """How good the estimates of prevalence were over some weeks, in all repetitions."""

    error: float
    bias: float
    covered: float
    refused: Mean


def told(years: Years, year: str, who: str, weeks: slice) -> Told:
    """Judge the estimates of one hybrid."""
    true = np.array([one["prevalence"][weeks] for one in years])
    estimate, low, high, fits = (
        np.array([one[f"{year} {who} {what}"][weeks] for one in years])
        for what in ("estimate", "low", "high", "fits")
    )
    off = estimate - true
    covered = (low <= true) & (true <= high)
    refused = Mean.of(100 * (1 - fits.mean(axis=1)))
    return Told(float(np.abs(off).mean()), float(off.mean()), 100 * float(covered.mean()), refused)


def em_error(years: Years, year: str, weeks: slice) -> float:
    """Return the mean absolute error of plain EM."""
    off = [one[f"{year} em"][weeks] - one["prevalence"][weeks] for one in years]
    return float(np.abs(off).mean())


def rise(years: Years, policy: str, broken_from: int) -> Mean:
    """Return by how much percent the break raised a policy's cost in the weeks it lasted."""
    place = POLICIES.index(policy)
    kept, broken = (
        weekly(years, year)[:, place, broken_from:].mean(axis=1) for year in ("kept", "broken")
    )
    return Mean.of(100 * (broken - kept) / kept.mean())
