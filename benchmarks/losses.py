"""Time the comparison of two losses under a belief, on prepared hulls.

The answer is checked against an oracle in fractions before it is timed.

    python benchmarks/losses.py
"""

from __future__ import annotations

import sys
import time
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import rocch

sys.path.append(str(Path(__file__).parents[1]))
from tests.support.oracles import losses as oracle

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocch.arrays import IntArray

EXPERT = rocch.Belief.cost_ratio(0.5, 10, likely=4)
PREVALENCE = 0.3


def main() -> None:
    """Check, time and print."""
    for kind in KINDS:
        check(*KINDS[kind](30))
    print("| hulls | vertices of each | stretches | LC index | ms | with all shapes, ms |")
    print("|---|---:|---:|---:|---:|---:|")
    for kind, make in KINDS.items():
        for vertices in (100, 1_000, 10_000):
            measure(kind, vertices, *make(vertices))


def measure(kind: str, vertices: int, a: rocch.RocHull, b: rocch.RocHull) -> None:
    """Time one pair."""
    found = compared(a, b)
    alone = best(lambda: compared(a, b).lc_index)
    shapes = best(lambda: compared(a, b).shapes())
    print(
        f"| {kind} | {vertices:,} | {len(found.stretches):,} | {found.lc_index:.4f} "
        f"| {alone * 1e3:.2f} | {shapes * 1e3:.1f} |",
        flush=True,
    )


def compared(a: rocch.RocHull, b: rocch.RocHull) -> rocch.stats.LossComparison:
    """Compare two hulls."""
    return rocch.stats.compare_losses(
        a, b, belief=EXPERT, prevalence=PREVALENCE, names=("a", "b"), allow_different_rows=True
    )


def crossing(vertices: int) -> tuple[rocch.RocHull, rocch.RocHull]:
    """Make two hulls that cross all the time: every other vertex of one long chain for each."""
    x, y = chain(2 * vertices - 2, 0)
    odd, even = np.arange(x.size) % 2 == 1, np.arange(x.size) % 2 == 0
    odd[-1] = even[-1] = True
    return hull(x[odd], y[odd]), hull(x[even], y[even])


def apart(vertices: int) -> tuple[rocch.RocHull, rocch.RocHull]:
    """Make two hulls judged on different rows: their common totals are large."""
    first, second = hull(*chain(vertices - 1, 0)), hull(*chain(vertices - 1, 1))
    return first, second


KINDS = {"same rows, crossing": crossing, "different rows": apart}


def chain(steps: int, seed: int) -> tuple[IntArray, IntArray]:
    """Sum up steps of distinct slopes, steepest first: every point is a vertex."""
    rng = np.random.default_rng(seed)
    slopes: set[Fraction] = set()
    while len(slopes) < steps:
        rise, run = rng.integers(1, 4 * int(steps**0.5) + 8, 2).tolist()
        slopes.add(Fraction(rise, run))
    ordered = sorted(slopes, reverse=True)
    runs, rises = ([s.denominator for s in ordered], [s.numerator for s in ordered])
    return np.cumsum(runs), np.cumsum(rises)


def hull(x: IntArray, y: IntArray) -> rocch.RocHull:
    """Make a hull of its vertices."""
    scores = np.arange(x.size)[::-1]
    curve = rocch.RocCurve.from_counts(
        x, y, negatives=int(x[-1]), positives=int(y[-1]), lowest_scores=scores
    )
    found = rocch.RocHull.of(curve)
    assert len(found) == x.size + 1
    return found


def check(a: rocch.RocHull, b: rocch.RocHull) -> None:
    """Compare partition and index with the definition, in fractions."""
    p = Fraction(PREVALENCE)
    rates = [
        [
            (
                Fraction(int(x), hull.totals.negatives),
                Fraction(int(y), hull.totals.positives),
            )
            for x, y in zip(hull.false_positives, hull.true_positives, strict=True)
        ]
        for hull in (a, b)
    ]
    first, second = (oracle.envelope(points, p) for points in rates)
    wanted = oracle.partition(first, second, oracle.turning_shares([*rates[0], *rates[1]], p))
    found = compared(a, b)
    assert [(s.low, s.high) for s in found.stretches] == [
        (float(x), float(y)) for x, y, _ in wanted
    ]
    low, top, high = (Fraction(t) / (1 + Fraction(t)) for t in (0.5, 4, 10))
    index = oracle.lc_index(wanted, lambda c: oracle.triangle_mass(low, top, high, c))
    assert abs(found.lc_index - index) < 1e-12
    assert all(x.high == y.low for x, y in pairwise(found.stretches))


def best(job: Callable[[], object], runs: int = 15) -> float:
    """Return the least time of some runs."""
    times = []
    for _ in range(runs):
        before = time.perf_counter()
        job()
        times.append(time.perf_counter() - before)
    return min(times)


if __name__ == "__main__":
    main()
