"""How often intervals of AUCs, differences and rates hold the truth, and how wide they are.

Every table is Markdown; seeds are fixed. Scores are normal (binormal ROC curves), so that the true
AUC is known: Phi(shift / sqrt(1 + spread^2)), with the positives' standard deviation as spread.

    python -m studies.auc_coverage            # about three minutes
    python -m studies.auc_coverage --quick    # a tenth of the repetitions
"""

from __future__ import annotations

import argparse
import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.stats import binom, norm

import rocch
from rocch.stats import auc as auc_limits

if TYPE_CHECKING:
    from rocch.arrays import BoolArray, FloatArray, IntArray
    from rocch.stats.bands import RateMethod

Z = float(norm.ppf(0.975))
AUCS = (0.5, 0.7, 0.9, 0.99, 0.999)
SIZES = ((20, 20), (50, 50), (20, 200), (200, 200))
"""Positives and negatives."""


class Tally(NamedTuple):
    """How often an interval held the truth, and its mean width."""

    held: float
    width: float

    def __str__(self) -> str:
        return f"{100 * self.held:.1f} ({self.width:.3f})"


class Setting(NamedTuple):
    """A true AUC, the negatives and positives, and what was found in all repetitions."""

    true: float
    units: tuple[int, int]
    found: list[rocch.stats.AucEstimate]


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the repetitions")
    times = 200 if parser.parse_args().quick else 2000
    settings = [
        *one_auc("continuous scores", times, spread=1, digits=None),
        *one_auc("scores rounded to whole standard deviations", times, spread=1, digits=0),
        *one_auc("positives spread three times as much as negatives", times, spread=3, digits=None),
    ]
    weights(settings)
    clusters(times)
    pairs(times)
    rates()


def one_auc(title: str, times: int, *, spread: float, digits: int | None) -> list[Setting]:
    """Print coverage and width of the interval of one AUC, beside two usual ones."""
    settings = []
    print(f"\n**{title}**: coverage in % (mean width) of 95% intervals\n")
    print("| AUC | positives | negatives | rocch | AUC ± 1.96 se | logit, no fallback |")
    print("|---:|---:|---:|---:|---:|---:|")
    for auc in AUCS:
        for m, n in SIZES:
            rng = np.random.default_rng([m, n, int(1000 * auc)])
            y = np.arange(m + n) < m
            shift = math.sqrt(1 + spread**2) * float(norm.ppf(auc))
            true = auc if digits is None else rounded_auc(shift)
            found = []
            for _ in range(times):
                s = rng.normal(size=m + n) * np.where(y, spread, 1) + shift * y
                found.append(
                    rocch.stats.auc_interval(y, s if digits is None else np.round(s, digits))
                )
            cells = [tally([form(f) for f in found], true) for form in (ours, wald, logit)]
            print(f"| {auc} | {m} | {n} | {' | '.join(map(str, cells))} |", flush=True)
            settings.append(Setting(true, (n, m), found))
    return settings


def weights(settings: list[Setting]) -> None:
    """Print what other weights of Newcombe's formula beside DeLong's estimate would have done."""
    print(f"\n**the weight of Newcombe's formula**: the {len(settings)} settings above, every")
    print("fourth repetition\n")
    print("| weight | least coverage, % | settings below 93% | mean width |")
    print("|---:|---:|---:|---:|")
    chosen = auc_limits.PRIOR_WEIGHT
    for weight in (0.01, 1.0, 2.0, 3.0, 5.0):
        auc_limits.PRIOR_WEIGHT = weight
        cells = [tally([again(f, s.units) for f in s.found[::4]], s.true) for s in settings]
        held, width = np.array(cells).T
        print(
            f"| {weight:g} | {100 * held.min():.1f} | {np.count_nonzero(held < 0.93)} "
            f"| {width.mean():.4f} |",
            flush=True,
        )
    auc_limits.PRIOR_WEIGHT = chosen


def again(found: rocch.stats.AucEstimate, units: tuple[int, int]) -> tuple[float, float]:
    """Return the interval of an estimate, computed anew."""
    variance = found.standard_error**2
    return auc_limits.auc_limits(found.value, variance, units, confidence=found.confidence)


def ours(found: rocch.stats.AucEstimate) -> tuple[float, float]:
    """Return the interval that rocch gives."""
    return found.interval


def wald(found: rocch.stats.AucEstimate) -> tuple[float, float]:
    """Return two standard errors either way."""
    return found.value - Z * found.standard_error, found.value + Z * found.standard_error


def logit(found: rocch.stats.AucEstimate) -> tuple[float, float]:
    """Return two standard errors either way on the logit scale; no width where that is infinite."""
    if found.value in (0, 1):
        return found.value, found.value
    center = math.log(found.value / (1 - found.value))
    reach = Z * found.standard_error / (found.value * (1 - found.value))
    low, high = (1 / (1 + math.exp(-center - side * reach)) for side in (-1, 1))
    return low, high


def rounded_auc(shift: float) -> float:
    """Return the true AUC of rounded scores: a sum over whole numbers, ties half."""
    edges = np.arange(-12, 25) - 0.5
    negative, positive = (np.diff(norm.cdf(edges - center)) for center in (0, shift))
    below = np.cumsum(negative) - negative / 2
    return float(positive @ below)


def tally(intervals: list[tuple[float, float]], true: float) -> Tally:
    """Count how many intervals hold the truth."""
    low, high = np.array(intervals).T
    return Tally(float(np.mean((low <= true) & (true <= high))), float(np.mean(high - low)))


def clusters(times: int) -> None:
    """Print what rows that come in groups do to intervals that do not know of it."""
    print("\n**rows in groups**: coverage in % (mean width) of 95% intervals\n")
    print("| groups | rows each | classes in a group | with `groups` | without |")
    print("|---:|---:|---|---:|---:|")
    for count, each in ((20, 5), (50, 5), (50, 20)):
        for mixed in (False, True):
            rng = np.random.default_rng([count, each, mixed])
            who = np.repeat(np.arange(count), each)
            found: list[list[tuple[float, float]]] = [[], []]
            for _ in range(times // 2):
                y, s = grouped(rng, who, mixed=mixed)
                found[0].append(rocch.stats.auc_interval(y, s, groups=who).interval)
                found[1].append(rocch.stats.auc_interval(y, s).interval)
            true = float(norm.cdf(1.5 / 2))
            cells = " | ".join(str(tally(part, true)) for part in found)
            print(f"| {count} | {each} | {'both' if mixed else 'one'} | {cells} |", flush=True)


def grouped(
    rng: np.random.Generator, who: IntArray, *, mixed: bool
) -> tuple[BoolArray, FloatArray]:
    """Draw rows of which half the variance is their group's.

    Where classes mix, an easy patient scores low on negatives and high on positives. The AUC of
    rows from different groups is Phi(1.5 / 2) either way.
    """
    count = int(who[-1]) + 1
    y = np.arange(who.size) % 2 == 0 if mixed else who % 2 == 0
    own = rng.normal(size=count)[who] * np.where(y, 1, -1)
    return y, own + rng.normal(size=who.size) + 1.5 * y


def pairs(times: int) -> None:
    """Print the size of the paired test and the coverage of the difference's interval."""
    print("\n**two models on the same rows**, correlation 0.5: rejections at 5%, and coverage")
    print("in % (mean width) of 95% intervals of the difference\n")
    print("| AUCs | positives | negatives | rejected, % | rocch | difference ± 1.96 se |")
    print("|---|---:|---:|---:|---:|---:|")
    for one, other in ((0.5, 0.5), (0.7, 0.7), (0.9, 0.9), (0.99, 0.99), (0.95, 0.8), (0.99, 0.9)):
        for m, n in SIZES:
            rng = np.random.default_rng([m, n, int(1000 * one), int(1000 * other)])
            found = [paired(rng, m, n, (one, other)) for _ in range(times // 2)]
            rejected = np.mean([f.p_value <= 0.05 for f in found])
            mine = tally([f.interval for f in found], one - other)
            usual = tally([usual_difference(f) for f in found], one - other)
            print(
                f"| {one} and {other} | {m} | {n} | {100 * rejected:.1f} | {mine} | {usual} |",
                flush=True,
            )


def paired(
    rng: np.random.Generator, m: int, n: int, aucs: tuple[float, float]
) -> rocch.stats.AucDifference:
    """Draw two models' scores on the same rows and compare them."""
    y = np.arange(m + n) < m
    common = rng.normal(size=m + n)
    scores = {
        name: math.sqrt(0.5) * (common + rng.normal(size=m + n))
        + math.sqrt(2) * float(norm.ppf(auc)) * y
        for name, auc in zip("ab", aucs, strict=True)
    }
    return rocch.stats.compare_aucs(y, scores).differences[0]


def usual_difference(found: rocch.stats.AucDifference) -> tuple[float, float]:
    """Return two standard errors either way."""
    reach = Z * found.standard_error
    return found.difference - reach, found.difference + reach


def rates() -> None:
    """Print exact coverages of binomial intervals: sums over all counts, no simulation."""
    print("\n**rates**: coverage in % of 95% intervals over rates from 0.005 to 0.995\n")
    print("| rows | method | least | mean | mean width at rate 0.05 |")
    print("|---:|---|---:|---:|---:|")
    methods: tuple[RateMethod, ...] = ("clopper-pearson", "wilson")
    grid = np.arange(1, 200) / 200
    for rows in (20, 50, 200, 1000):
        for method in methods:
            ends = np.array(
                [rocch.stats.rate_interval(k, rows, method=method) for k in range(rows + 1)]
            )
            held = [coverage(ends, rows, rate) for rate in grid]
            width = binom.pmf(np.arange(rows + 1), rows, 0.05) @ (ends[:, 1] - ends[:, 0])
            print(
                f"| {rows} | {method} | {100 * min(held):.1f} | {100 * np.mean(held):.1f} "
                f"| {width:.3f} |"
            )


def coverage(ends: FloatArray, rows: int, rate: Any) -> float:
    """Return the chance that the interval of a drawn count holds the rate."""
    inside = (ends[:, 0] <= rate) & (rate <= ends[:, 1])
    return float(binom.pmf(np.arange(rows + 1), rows, rate) @ inside)


if __name__ == "__main__":
    main()
