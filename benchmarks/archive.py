"""Time the archive against filtering archive and batch anew each time, and G from samples.

    python benchmarks/archive.py            # about half a minute
    python benchmarks/archive.py --whole    # the rival filters every batch, some minutes
    python benchmarks/archive.py --small    # a tenth of the candidates

The candidates are confusion counts of a problem with three classes of 100 rows: probabilistic
nearest neighbors with k and beta drawn at random, 100 random costs for each. The rival calls
`moocore.is_nondominated` on the archive and the next batch. It is timed on every 100th batch, at
the archive that has grown by then, and scaled up; with --whole it does it all. Both answers are
checked first: each timed batch against the rival's, and the archive in the end against the rival's
filter of all candidates at once. G is checked against rates compared one by one. CPU seconds stand
beside wall-clock seconds, because other programs may share the machine.
"""

from __future__ import annotations

import argparse
import time
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import moocore
import numpy as np

from rocch.kernels.engine import SAVES_A_SECOND
from rocch.multiclass import Archive, dominated_share
from rocch.multiclass.volumes import DominatedSamples, Region

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocch.arrays import FloatArray, IntArray

T = TypeVar("T")
CLASSES, ROWS, BATCH, EVERY, SAMPLES, RUNS = 3, 100, 100, 100, 100_000, 3
TOTALS = [ROWS] * (CLASSES * (CLASSES - 1))
OFF_DIAGONAL = np.flatnonzero(~np.eye(CLASSES, dtype=bool))
CENTERS = np.array([[(0.7, 0.3), (0.3, 0.3)], [(-0.7, 0.7), (0.4, 0.7)], [(1.0, 1.0), (0.0, 1.0)]])
VARIANCE = 0.035
"""A little more than Everson and Fieldsend's, so that about as many as their 7,500 are kept."""


class Seconds(NamedTuple):
    """How long something took, on the wall and of the processors."""

    wall: float
    cpu: float


def main() -> None:
    """Check, then print two tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--small", action="store_true", help="a tenth of the candidates")
    parser.add_argument("--whole", action="store_true", help="the rival filters every batch")
    options = parser.parse_args()
    counts = candidates(1000 if options.small else 10_000)
    members = filtering(counts, whole=options.whole)
    shares(members)


def filtering(counts: IntArray, *, whole: bool) -> IntArray:
    """Print how long the candidates take; return the archive's counts in the end."""
    rival = timed_rival(counts, every=1 if whole else EVERY)
    print(f"\nFiltering {len(counts):,} candidates in batches of {BATCH}:\n")
    print("| path | members | s | CPU s | faster than moocore (CPU) |")
    print("|---|---:|---:|---:|---:|")
    everything = counts[moocore.is_nondominated(counts.astype(float))]
    for path in ("NumPy", "compiled"):
        choose(path)
        fill(counts[:BATCH])
        took, archive = timed(lambda: fill(counts))
        assert same_set(archive.counts, everything)
        ratios = f"{rival.wall / took.wall:.0f} ({rival.cpu / took.cpu:.0f})"
        print(f"| {path} | {len(archive):,} | {took.wall:.2f} | {took.cpu:.2f} | {ratios} |")
    how = "all batches" if whole else f"every {EVERY}th batch, scaled up"
    print(f"| moocore, {how} | {len(everything):,} | {rival.wall:.1f} | {rival.cpu:.1f} | 1 |")
    return archive.counts


def shares(members: IntArray) -> None:
    """Print how long G takes."""
    print(f"\nG from {SAMPLES:,} samples against {len(members):,} members:\n")
    print("| path | G | s | CPU s |")
    print("|---|---|---:|---:|")
    check_samples(members)
    for path in ("NumPy", "compiled"):
        choose(path)
        took, share = best_of(lambda: dominated_share(members, TOTALS, samples=SAMPLES))
        error = f"{share.value:.4f} +- {share.standard_error:.4f}"
        print(f"| {path} | {error} | {took.wall:.3f} | {took.cpu:.3f} |")


def candidates(batches: int) -> IntArray:
    """Return the counts off the diagonal, 100 rows for each k and beta."""
    rng = np.random.default_rng(0)
    truths = np.repeat(np.arange(CLASSES), ROWS)
    places = CENTERS[truths, rng.integers(0, 2, truths.size)]
    distances, classes = neighbors(rng.normal(places, VARIANCE**0.5), truths)
    counts = np.empty((batches * BATCH, len(TOTALS)), dtype=np.int64)
    cells = CLASSES * truths + CLASSES**2 * np.arange(BATCH)[:, None]
    for batch in range(batches):
        p = posteriors(distances, classes, int(rng.integers(2, 150)), rng.exponential(2))
        costs = np.zeros((BATCH, CLASSES**2))
        costs[:, OFF_DIAGONAL] = rng.dirichlet(np.ones(len(TOTALS)), BATCH)
        answers = (p @ costs.reshape(BATCH, CLASSES, CLASSES)).argmin(axis=2)
        tally = np.bincount((cells + answers).ravel(), minlength=BATCH * CLASSES**2)
        counts[batch * BATCH :][:BATCH] = tally.reshape(BATCH, -1)[:, OFF_DIAGONAL]
    return counts


def neighbors(points: FloatArray, truths: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return each row's distances to the others, rising, and their classes as zeros and ones."""
    distances = np.sqrt(((points[:, None] - points) ** 2).sum(axis=2))
    np.fill_diagonal(distances, np.inf)
    near = np.argsort(distances, axis=1)[:, :-1]
    return np.take_along_axis(distances, near, axis=1), np.eye(CLASSES)[truths[near]]


def posteriors(distances: FloatArray, classes: FloatArray, k: int, beta: float) -> FloatArray:
    """Return probabilistic nearest neighbors with a tricube kernel as wide as the next one."""
    weights = (1 - (distances[:, :k] / distances[:, k : k + 1]) ** 3) ** 3
    scores = beta * np.einsum("nk,nkq->nq", weights, classes[:, :k])
    likely: FloatArray = np.exp(scores - scores.max(axis=1, keepdims=True))
    likely /= likely.sum(axis=1, keepdims=True)
    return likely


def fill(counts: IntArray) -> Archive:
    """Put all candidates into an archive, batch after batch."""
    archive = Archive(TOTALS)
    for start in range(0, len(counts), BATCH):
        archive.insert(counts[start : start + BATCH])
    return archive


def timed_rival(counts: IntArray, every: int) -> Seconds:
    """Filter archive and batch anew, on some batches, whose answers are checked; scale up."""
    archive, runs = Archive(TOTALS), []
    for number, start in enumerate(range(0, len(counts), BATCH)):
        batch = counts[start : start + BATCH]
        if number % every == every // 2:
            both = np.concatenate([archive.counts, batch]).astype(float)
            took, kept = timed(partial(moocore.is_nondominated, both))
            runs.append(took)
            archive.insert(batch)
            assert same_set(archive.counts, both[kept])
        else:
            archive.insert(batch)
    factor = len(counts) / BATCH / len(runs)
    wall, cpu = (factor * sum(column) for column in zip(*runs, strict=True))
    return Seconds(wall, cpu)


def check_samples(members: IntArray) -> None:
    """Check on a few samples that those are dominated whose rates are."""
    drawn = DominatedSamples(TOTALS, samples=300)
    drawn.add(members)
    points = np.concatenate(list(Region(CLASSES, "rates").draw(300, 0)))
    expected = [(members / ROWS <= point).all(axis=1).any() for point in points]
    assert drawn.dominated.tolist() == expected


def same_set(one: IntArray, other: IntArray | FloatArray) -> bool:
    """Say whether two arrays have the same rows, in any order."""
    return np.array_equal(np.unique(one, axis=0), np.unique(other, axis=0))


def choose(path: str) -> None:
    """Pick the path that dominance takes."""
    SAVES_A_SECOND["dominance"] = 0 if path == "compiled" else 10**18


def best_of(work: Callable[[], T]) -> tuple[Seconds, T]:
    """Return the least wall-clock and CPU time of a few runs, and what came out."""
    runs = [timed(work) for _ in range(RUNS)]
    return Seconds(*map(min, zip(*(took for took, _ in runs), strict=True))), runs[0][1]


def timed(work: Callable[[], T]) -> tuple[Seconds, T]:
    """Return how long one run takes, and what came out."""
    wall, cpu = time.perf_counter(), time.process_time()
    answer = work()
    return Seconds(time.perf_counter() - wall, time.process_time() - cpu), answer


if __name__ == "__main__":
    main()
