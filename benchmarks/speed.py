"""Time hulls, curves and AUCs against `numpy.sort` and scikit-learn, in one run.

Every answer is checked before it is timed. Times are the best of a few runs; what counts are the
ratios, because machines are noisy.

    python benchmarks/speed.py            # all sizes; needs about 3 GB and two minutes
    python benchmarks/speed.py --small    # 10^3 to 10^5 rows only
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.metrics import roc_auc_score, roc_curve

import rocch
from rocch.kernels.engine import SAVES_A_SECOND

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocch.arrays import BoolArray, FloatArray

FIRST = """
import time
import numpy as np
from rocch import RocHull
rng = np.random.default_rng(0)
y = rng.random(10**7) < 0.1
s = rng.normal(size=y.size) + y
jobs = [lambda: RocHull.from_scores(y, {"a": s})] * 2 + [lambda: np.sort(s)]
times = [time.perf_counter()]
for job in jobs:
    job()
    times.append(time.perf_counter())
print("first hull of 10^7 in a process, second, numpy.sort:", *np.diff(times).round(3))
"""


def main() -> None:
    """Run all comparisons and print tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--small", action="store_true", help="10^3 to 10^5 rows only")
    small = parser.parse_args().small
    print("| rows | scores | work | ms | x numpy.sort | faster than scikit-learn |")
    print("|---:|---|---|---:|---:|---:|")
    for size in (10**3, 10**4, 10**5):
        for kind in ("normal", "tied"):
            compare(size, kind, fast=False)
    if not small:
        for kind in ("normal", "tied"):
            compare(10**7, kind, fast=False)
            compare(10**7, kind, fast=True)
        joint()
        subprocess.run([sys.executable, "-c", FIRST], check=True)  # noqa: S603 - the text above


def rows(size: int, kind: str) -> tuple[BoolArray, FloatArray]:
    """Draw labels (10% positive) and scores."""
    rng = np.random.default_rng(size)
    y = rng.random(size) < 0.1
    s = rng.normal(size=size) + y
    return y, np.round(s, 2) if kind == "tied" else s


def compare(size: int, kind: str, *, fast: bool) -> None:
    """Check and time the three jobs at one size."""
    y, s = rows(size, kind)
    SAVES_A_SECOND["passes"] = 0 if fast else 10**18
    sort = best(lambda: np.sort(s))
    theirs = best(lambda: roc_curve(y, s, drop_intermediate=False), most=3)
    their_auc = best(lambda: roc_auc_score(y, s), most=3)
    check(y, s)
    path = "compiled" if fast else "NumPy"
    jobs: dict[str, tuple[Callable[[], Any], float]] = {
        f"hull, {path}": (lambda: rocch.RocHull.from_scores(y, {"a": s}), theirs),
        "curve": (lambda: rocch.RocCurve.from_scores(y, s), theirs),
        "AUC": (lambda: rocch.auc(y, s), their_auc),
    }
    for name, (job, rival) in jobs.items():
        mine = best(job)
        print(
            f"| {size:,} | {kind} | {name} | {mine * 1e3:.3f} | {mine / sort:.2f} "
            f"| {rival / mine:.1f} |",
            flush=True,
        )


def check(y: BoolArray, s: FloatArray) -> None:
    """Check hull, curve and AUC against scikit-learn's points."""
    fpr, tpr, thresholds = roc_curve(y, s, drop_intermediate=False)
    curve = rocch.RocCurve.from_scores(y, s)
    assert np.array_equal(curve.fpr, fpr)
    assert np.array_equal(curve.tpr, tpr)
    assert np.array_equal(curve.lowest_scores, thresholds[1:])  # type: ignore[arg-type]
    assert np.isclose(rocch.auc(y, s), roc_auc_score(y, s))
    assert rocch.RocHull.from_scores(y, {"a": s}) == rocch.RocHull.of(
        rocch.RocCurve.from_scores(y, s, name="a")
    )


def joint(models: int = 100, size: int = 10**5) -> None:
    """Check and time the joint hull of many models."""
    rng = np.random.default_rng(0)
    y = rng.random(size) < 0.1
    scores = {f"m{i}": rng.normal(size=size) + rng.uniform(0.5, 1.5) * y for i in range(models)}
    SAVES_A_SECOND["passes"] = 0
    fast = rocch.RocHull.from_scores(y, scores)
    SAVES_A_SECOND["passes"] = 10**18
    assert fast == rocch.RocHull.from_scores(y, scores)
    sorts = best(lambda: [np.sort(s) for s in scores.values()], most=3)
    for path, threshold in (("NumPy", 10**18), ("compiled", 0)):
        SAVES_A_SECOND["passes"] = threshold
        mine = best(lambda: rocch.RocHull.from_scores(y, scores), most=3)
        print(
            f"| {models} x {size:,} | normal | joint hull, {path} | {mine * 1e3:.1f} "
            f"| {mine / sorts:.2f} | |"
        )


def best(job: Callable[[], Any], most: int = 5) -> float:
    """Return the least time of a few runs: many if they are short, few if they are long."""
    times: list[float] = []
    started = time.perf_counter()
    while len(times) < most or (time.perf_counter() - started < 0.3 and len(times) < 200):
        before = time.perf_counter()
        job()
        times.append(time.perf_counter() - before)
    return min(times)


if __name__ == "__main__":
    main()
