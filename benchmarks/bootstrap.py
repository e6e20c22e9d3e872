"""Time the bootstrap of hulls, AUC and bands against resampling for scikit-learn's `roc_curve`.

    python benchmarks/bootstrap.py            # 10^4 and 10^5 rows, about a minute
    python benchmarks/bootstrap.py --small    # 10^4 rows only

Every answer is checked before it is timed: replicates against rows that are really repeated, and
the compiled path against NumPy's, bit by bit. The rival only draws rows and builds their curve,
which is less than a hull, an area and a band; it runs 40 times, and its time is scaled up to 2,000.
All times are the best of three runs. CPU seconds stand beside wall-clock seconds, because other
programs may share the machine.
"""

from __future__ import annotations

import argparse
import time
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from sklearn.metrics import roc_auc_score, roc_curve

import rocch
from rocch.kernels.engine import SAVES_A_SECOND

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocch.arrays import BoolArray, FloatArray

REPLICATES, RIVAL_RUNS, RUNS = 2000, 40, 3


class Seconds(NamedTuple):
    """How long something took, on the wall and of the processors."""

    wall: float
    cpu: float


def main() -> None:
    """Check, then print one table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--small", action="store_true", help="10^4 rows only")
    small = parser.parse_args().small
    print("| rows | positives | path | threads | s | CPU s | faster than roc_curve (CPU) |")
    print("|---:|---:|---|---:|---:|---:|---:|")
    for size in (10**4,) if small else (10**4, 10**5):
        for share in (0.1, 0.5):
            compare(size, share)


def compare(size: int, share: float) -> None:
    """Print the rows of the table for one sample."""
    rng = np.random.default_rng(size)
    y = rng.random(size) < share
    s = rng.normal(size=size) + y
    check(y, s)
    rival = scaled_rival(y, s)
    label = f"| {size:,} | {share:.0%} "
    print(
        f"{label}| roc_curve on drawn rows | 1 | {rival.wall:.1f} | {rival.cpu:.1f} | 1 |",
        flush=True,
    )
    for path in ("NumPy", "compiled"):
        choose(path)
        for workers in (1, 2):
            took = timed(partial(job, y, s, workers))
            print(
                f"{label}| {path} | {workers} | {took.wall:.2f} | {took.cpu:.2f} "
                f"| {rival.wall / took.wall:.0f} ({rival.cpu / took.cpu:.0f}) |",
                flush=True,
            )


def job(y: BoolArray, s: FloatArray, workers: int) -> None:
    """Bootstrap hull, AUC and a band."""
    drawn = rocch.stats.bootstrap(y, {"a": s}, replicates=REPLICATES, workers=workers)
    drawn.auc_interval("a")
    drawn.hull_auc("a")
    drawn.band("a", kind="simultaneous")


def scaled_rival(y: BoolArray, s: FloatArray) -> Seconds:
    """Draw rows within their classes and build scikit-learn's curve; scale a few runs up."""
    rng = np.random.default_rng(0)
    classes = np.flatnonzero(y), np.flatnonzero(~y)

    def some() -> None:
        for _ in range(RIVAL_RUNS):
            rows = np.concatenate([rng.choice(part, part.size) for part in classes])
            roc_curve(y[rows], s[rows])

    took = timed(some)
    return Seconds(*(seconds * REPLICATES / RIVAL_RUNS for seconds in took))


def check(y: BoolArray, s: FloatArray) -> None:
    """Check replicates against repeated rows, and both paths against each other."""
    found = []
    for path in ("NumPy", "compiled"):
        choose(path)
        found.append(rocch.stats.bootstrap(y, {"a": s}, replicates=5))
    one, other = found
    assert np.array_equal(one.aucs, other.aucs)
    assert np.array_equal(one.tprs, other.tprs)
    assert np.array_equal(one.joint.true_positives, other.joint.true_positives)
    for r in range(5):
        times = one.replicate(r).multiplicities
        labels, scores = np.repeat(y, times), np.repeat(s, times)
        hull = rocch.RocHull.from_scores(labels, {"a": scores})
        assert np.array_equal(one.hull("a")[r], (hull.false_positives, hull.true_positives))
        assert np.isclose(one.aucs[r, 0], roc_auc_score(labels, scores), rtol=1e-12, atol=0)


def choose(path: str) -> None:
    """Pick the path that the bootstrap takes."""
    SAVES_A_SECOND["resampling"] = 0 if path == "compiled" else 10**18


def timed(work: Callable[[], None]) -> Seconds:
    """Return the least wall-clock and CPU time of a few runs."""
    runs = []
    for _ in range(RUNS):
        wall, cpu = time.perf_counter(), time.process_time()
        work()
        runs.append((time.perf_counter() - wall, time.process_time() - cpu))
    return Seconds(min(run[0] for run in runs), min(run[1] for run in runs))


if __name__ == "__main__":
    main()
