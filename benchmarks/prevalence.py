"""Simulate prevalence estimates: coverage, errors, and what the test of fit rejects.

Scores are standard normal for negatives and lie `apart` higher for positives, unless said
otherwise. Each repetition draws new reference rows and a new batch; all draws are seeded.

    python benchmarks/prevalence.py                # 1000 repetitions; about 20 minutes
    python benchmarks/prevalence.py --repeat 100   # rougher, two minutes
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

import rocch

if TYPE_CHECKING:
    from rocch.arrays import FloatArray

Draw: TypeAlias = Callable[[np.random.Generator, int], "FloatArray"]


class Case(NamedTuple):
    """What is drawn: reference positives and negatives, a batch, and how far classes are apart."""

    positives: int
    negatives: int
    batch: int
    prevalence: float
    apart: float
    tied: bool = False


STILL = [
    Case(200, 200, 500, 0.3, 1.5),
    Case(200, 200, 500, 0.0, 1.5),
    Case(100, 100, 300, 0.0, 1.5),
    Case(200, 200, 500, 0.02, 1.5),
    Case(200, 200, 500, 1.0, 1.5),
    Case(50, 2000, 1000, 0.1, 1.5),
    Case(20, 200, 500, 0.3, 1.5),
    Case(10, 100, 1000, 0.3, 1.5),
    Case(5, 50, 500, 0.3, 1.5),
    Case(20, 200, 100_000, 0.3, 1.5),
    Case(200, 200, 20, 0.3, 1.5),
    Case(200, 200, 500, 0.3, 3.0),
    Case(200, 200, 500, 0.3, 1.5, tied=True),
    Case(200, 200, 500, 0.3, 0.3),
    Case(200, 200, 500, 0.3, 0.0),
    Case(2000, 2000, 5000, 0.1, 1.0),
]

SKEWED = [
    Case(200, 200, 500, 0.3, 3.0),
    Case(20, 200, 500, 0.3, 3.0),
    Case(10, 100, 1000, 0.3, 3.0),
    Case(10, 100, 1000, 0.7, 3.0),
    Case(5, 50, 500, 0.3, 3.0),
]
"""Exponential scores with means 1 and `apart`: a law that no constant was chosen on."""


def normal(mean: float, spread: float = 1.0) -> Draw:
    """Return how to draw normal scores."""
    return lambda rng, rows: mean + spread * rng.normal(size=rows)


def skewed(mean: float) -> Draw:
    """Return how to draw exponential scores."""
    return lambda rng, rows: mean * rng.exponential(size=rows)


def contaminated(draw: Draw) -> Draw:
    """Return how to draw scores of which a tenth comes from elsewhere."""
    return lambda rng, rows: np.where(rng.random(rows) < 0.1, 0.75, draw(rng, rows))


NOTHING = "nothing but the prevalence"
MOVED: dict[str, tuple[Draw, Draw]] = {
    NOTHING: (normal(0), normal(1.5)),
    "all scores 0.3 higher": (normal(0.3), normal(1.8)),
    "all scores 0.7 higher": (normal(0.7), normal(2.2)),
    "all scores spread 1.5 times": (normal(0, 1.5), normal(1.5, 1.5)),
    "negatives 0.5 higher": (normal(0.5), normal(1.5)),
    "positives at 0.75 instead of 1.5": (normal(0), normal(0.75)),
    "a tenth of the rows all score 0.75": (contaminated(normal(0)), contaminated(normal(1.5))),
}
"""How negatives and positives of the batch are drawn; references are at 0 and 1.5."""


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=1000, help="repetitions of each case")
    repeat = parser.parse_args().repeat
    print(f"{repeat} repetitions; a share of 0.95 has standard error {error(0.95, repeat):.3f}\n")
    print("| positives + negatives | batch | prevalence | apart | coverage | mean width ", end="")
    print("| bias | RMSE | bias, RMSE of adjusted count | rejected |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    for case in STILL:
        still(case, (normal(0), normal(case.apart)), repeat)
    for case in SKEWED:
        still(case, (skewed(1), skewed(case.apart)), repeat, "exponential")
    print("\n| what moved | rejected, batch 500 | 2000 | mean estimate (truth 0.3) |")
    print("|---|---:|---:|---:|")
    for what, draws in MOVED.items():
        moved(what, draws, repeat)


def still(case: Case, draws: tuple[Draw, Draw], repeat: int, law: str = "") -> None:
    """Print one row of the first table: only the prevalence moved."""
    rng = np.random.default_rng(20240607)
    pairs = [estimates(rng, case, draws) for _ in range(repeat)]
    likely, adjusted = zip(*pairs, strict=True)
    covered = [e.interval.low <= case.prevalence <= e.interval.high for e in likely]
    width = np.mean([e.interval.high - e.interval.low for e in likely])
    kind = ", ".join(filter(None, (f"{case.apart:g}", "tied" if case.tied else "", law)))
    print(
        f"| {case.positives} + {case.negatives} | {case.batch} | {case.prevalence:g} | {kind} "
        f"| {np.mean(covered):.3f} | {width:.3f} | {errors(likely, case)} "
        f"| {errors(adjusted, case).replace(' |', ',')} "
        f"| {np.mean([e.rejected for e in likely]):.3f} |",
        flush=True,
    )


def moved(what: str, draws: tuple[Draw, Draw], repeat: int) -> None:
    """Print one row of the second table: the classes moved as well."""
    rng = np.random.default_rng(20240607)
    shares = []
    for batch in (500, 2000):
        case = Case(500, 500, batch, 0.3, 1.5)
        pairs = (drawn(rng, case, MOVED[NOTHING], draws) for _ in range(repeat))
        found = [rocch.stats.estimate_prevalence(curve, scores) for curve, scores in pairs]
        shares.append(np.mean([e.rejected for e in found]))
    mean = np.mean([e.prevalence for e in found])
    print(f"| {what} | {shares[0]:.3f} | {shares[1]:.3f} | {mean:.2f} |", flush=True)


def estimates(
    rng: np.random.Generator, case: Case, draws: tuple[Draw, Draw]
) -> tuple[rocch.stats.PrevalenceEstimate, rocch.stats.PrevalenceEstimate]:
    """Draw once and estimate by both methods."""
    curve, batch = drawn(rng, case, draws, draws)
    likely = rocch.stats.estimate_prevalence(curve, batch)
    adjusted = rocch.stats.estimate_prevalence(curve, batch, method="adjusted_count")
    assert likely.interval.low <= likely.prevalence <= likely.interval.high
    assert likely.p_value == adjusted.p_value
    return likely, adjusted


def drawn(
    rng: np.random.Generator, case: Case, then: tuple[Draw, Draw], now: tuple[Draw, Draw]
) -> tuple[rocch.RocCurve, FloatArray]:
    """Draw reference rows and a batch."""
    y = np.arange(case.positives + case.negatives) < case.positives
    reference = np.concatenate((then[1](rng, case.positives), then[0](rng, case.negatives)))
    hits = int(rng.binomial(case.batch, case.prevalence))
    batch = np.concatenate((now[0](rng, case.batch - hits), now[1](rng, hits)))
    if case.tied:
        reference, batch = np.round(2 * reference), np.round(2 * batch)
    return rocch.RocCurve.from_scores(y, reference), batch


def errors(found: tuple[rocch.stats.PrevalenceEstimate, ...], case: Case) -> str:
    """Write bias and root mean square error."""
    off = np.array([e.prevalence for e in found]) - case.prevalence
    return f"{off.mean():+.3f} | {math.sqrt(np.mean(off**2)):.3f}"


def error(share: float, repeat: int) -> float:
    """Return the standard error of a share."""
    return math.sqrt(share * (1 - share) / repeat)


if __name__ == "__main__":
    main()
