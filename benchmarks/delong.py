"""Time DeLong's covariance of several paired AUCs against `numpy.sort`, in one run.

The answer is checked against the definition first: placements pair by pair on few rows, and on all
rows by NumPy's own ranks and covariances. Times are the best of a few runs; what counts are the
ratios to sorting each model's scores once, because machines are noisy.

    python benchmarks/delong.py            # 10^6 rows, 5 models
    python benchmarks/delong.py --small    # 10^5 rows
"""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import rankdata

import rocch
from rocch.rows import ScoredRows
from rocch.stats.auc import auc_moments

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocch.arrays import BoolArray, FloatArray

MODELS = 5
KINDS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "normal": lambda s: s,
    "two digits (tied)": lambda s: np.round(s, 2),
    "probabilities near 0 and 1": lambda s: 1 / (1 + np.exp(-4 * s)),
    "log-normal, sigma 4": lambda s: np.exp(4 * s),
}


def main() -> None:
    """Check, time and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--small", action="store_true", help="10^5 rows only")
    size = 10**5 if parser.parse_args().small else 10**6
    check_by_definition()
    print("| rows | positives | scores | covariance, ms | x numpy.sort | compare_aucs, x sort |")
    print("|---:|---:|---|---:|---:|---:|")
    for kind, form in KINDS.items():
        compare(size, 0.1, kind, form)
    compare(size, 0.5, "normal", KINDS["normal"])


def rows(size: int, share: float, form: Any) -> tuple[BoolArray, dict[str, FloatArray]]:
    """Draw labels and correlated scores of several models."""
    rng = np.random.default_rng(size)
    y = rng.random(size) < share
    common = rng.normal(size=size) + y
    return y, {f"m{i}": form(common + rng.normal(size=size) / 2) for i in range(MODELS)}


def compare(size: int, share: float, kind: str, form: Any) -> None:
    """Check and time one kind of scores."""
    y, scores = rows(size, share, form)
    sample = ScoredRows.of(y, scores)
    assert np.allclose(auc_moments(sample).matrix, by_ranks(y, scores), rtol=1e-9, atol=0)
    sort = best(lambda: [np.sort(s) for s in scores.values()])
    moments = best(lambda: auc_moments(sample))
    whole = best(lambda: rocch.stats.compare_aucs(y, scores))
    print(
        f"| {size:,} | {100 * share:.0f}% | {kind} | {moments * 1e3:.0f} | {moments / sort:.2f} "
        f"| {whole / sort:.2f} |",
        flush=True,
    )


def by_ranks(y: BoolArray, scores: dict[str, FloatArray]) -> FloatArray:
    """Return Sun and Xu's covariance: ranks among all rows minus ranks within the class."""
    placed = [
        [(rankdata(s)[y == kind] - rankdata(s[y == kind])) for s in scores.values()]
        for kind in (False, True)
    ]
    n, m = int((~y).sum()), int(y.sum())
    lost, won = (np.array(side) / other for side, other in zip(placed, (m, n), strict=True))
    covariance: FloatArray = np.cov(lost) / n + np.cov(won) / m
    return covariance


def check_by_definition(size: int = 300) -> None:
    """Check against placements counted pair by pair."""
    y, scores = rows(size, 0.3, lambda s: np.round(s, 1))
    wins = [(np.sign(s[y][:, None] - s[~y][None, :]) + 1) / 2 for s in scores.values()]
    won, lost = (np.array([w.mean(axis=axis) for w in wins]) for axis in (1, 0))
    expected = np.cov(won) / y.sum() + np.cov(lost) / (~y).sum()
    assert np.allclose(auc_moments(ScoredRows.of(y, scores)).matrix, expected, rtol=1e-12, atol=0)


def best(job: Callable[[], Any], most: int = 5) -> float:
    """Return the least time of a few runs."""
    times = []
    for _ in range(most):
        before = time.perf_counter()
        job()
        times.append(time.perf_counter() - before)
    return min(times)


if __name__ == "__main__":
    main()
