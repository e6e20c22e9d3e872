"""Time the search for Everson and Fieldsend's two ROC surfaces, and set them beside the paper's.

    python benchmarks/surface.py            # T = 10,000 generations of 100 cost draws, a minute
    python benchmarks/surface.py --small    # T = 1,000

The data are the paper's: 300 synthetic points of three classes (drawn anew, so that numbers of
errors can only be alike). The rival is a plain NumPy prototype of the same loop; its confusion
counts and its archive are checked against ours first. Both then go on for some generations from
the same finished archive, because the cost of a generation grows with it. Times include
fitting, compiling (from its cache) and the start; CPU seconds stand beside those of the wall clock,
because other programs may share the machine.
"""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import rocch
from rocch.kernels import assignment
from rocch.multiclass import Archive
from rocch.multiclass.volumes import DominatedSamples

if TYPE_CHECKING:
    from rocch.arrays import BoolArray, FloatArray, IntArray
    from rocch.multiclass import RocSurface

DATA = rocch.multiclass.three_class_data(300, seed=0)
TRUTHS = DATA.y - 1
WRONG = ~np.eye(3, dtype=bool)
SAMPLES, RIVAL_RUNS = 100_000, 200
PAPER = {"knn": ("7,500", "32", "0"), "mlp": ("4,800", "not said", "4")}


class Found(NamedTuple):
    """A search after all its generations, and what it found on the way."""

    search: rocch.multiclass.SurfaceSearch
    early: RocSurface
    late: RocSurface
    seconds: float
    cpu_seconds: float


def main() -> None:
    """Check the rival, then print two tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--small", action="store_true", help="T = 1,000 generations only")
    generations = 1000 if parser.parse_args().small else 10_000
    check_rival()
    models: dict[str, Any] = {
        "knn": rocch.multiclass.KnnModel(DATA.X, DATA.y),
        "mlp": rocch.multiclass.MlpModel(DATA.X, DATA.y),
    }
    found = {name: searched(model, generations) for name, model in models.items()}
    print_surfaces(found, generations)
    print_speed(found)


def searched(model: Any, generations: int) -> Found:
    """Run a search, with a stop after a fifth of the generations."""
    wall, cpu = time.perf_counter(), time.process_time()
    search = rocch.multiclass.SurfaceSearch(model, DATA.y)
    early = search.run(generations // 5)
    late = search.run(generations - generations // 5)
    return Found(search, early, late, time.perf_counter() - wall, time.process_time() - cpu)


def print_surfaces(found: dict[str, Found], generations: int) -> None:
    """Print what was found, beside what the paper found."""
    shares = {name: dominated(each.late) for name, each in found.items()}
    print(
        f"| model | T | s | CPU s | members (paper) | fewest errors of {len(TRUTHS)} (paper) ",
        end="",
    )
    print("| beyond random (paper) | G | G at T/5 | only this one dominates |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    for name, each in found.items():
        rates = each.late.counts[:, WRONG]
        beyond = np.count_nonzero((rates / 100).sum(axis=1) > 2)
        members, errors, outside = PAPER[name]
        [other] = [shares[rival] for rival in shares if rival != name]
        print(
            f"| {name} | {generations:,} | {each.seconds:.1f} | {each.cpu_seconds:.1f} "
            f"| {len(rates):,} ({members}) "
            f"| {rates.sum(axis=1).min()} ({errors}) | {beyond} ({outside}) "
            f"| {shares[name].mean():.4f} | {dominated(each.early).mean():.4f} "
            f"| {np.mean(shares[name] & ~other):.4f} |"
        )


def dominated(surface: RocSurface) -> BoolArray:
    """Say which points of a fixed sample of the better-than-random region a surface dominates."""
    samples = DominatedSamples(np.repeat(surface.totals, 2), samples=SAMPLES)
    samples.add(surface.counts[:, WRONG])
    return samples.dominated


def print_speed(found: dict[str, Found]) -> None:
    """Print how long a generation takes at the end, for us and for the prototype."""
    print("\n| model | members | our CPU ms a generation | prototype's | times as fast |")
    print("|---|---:|---:|---:|---:|")
    for name, each in found.items():
        rival = Prototype(each.search.model, each.late)
        theirs = each_takes(lambda rival=rival: [rival.step() for _ in range(RIVAL_RUNS)])
        ours = each_takes(lambda search=each.search: search.run(RIVAL_RUNS))
        members = len(each.late.models)
        print(f"| {name} | {members:,} | {ours:.2f} | {theirs:.2f} | {theirs / ours:.1f} |")


def each_takes(work: Any) -> float:
    """Return the CPU milliseconds of one of so many generations."""
    start = time.process_time()
    work()
    return (time.process_time() - start) / RIVAL_RUNS * 1000


class Prototype:
    """Algorithm 1 as one would first write it with NumPy, beginning with a finished archive."""

    def __init__(self, model: Any, surface: RocSurface) -> None:
        self.model, self.rng = model, np.random.default_rng(0)
        self.counts: IntArray = surface.counts[:, WRONG]
        self.parameters: FloatArray = surface.parameters

    def step(self) -> None:
        """Run one generation."""
        parent = self.parameters[self.rng.integers(len(self.parameters))]
        child = self.model.perturb(parent, self.rng)
        costs = np.zeros((100, 3, 3))
        costs[:, WRONG] = self.rng.dirichlet(np.ones(6), 100)
        for counts in confusions(self.model.probabilities(child), costs)[:, WRONG]:
            if not (self.counts <= counts).all(axis=1).any():
                stay = ~(counts <= self.counts).all(axis=1)
                self.counts = np.vstack((self.counts[stay], counts))
                self.parameters = np.vstack((self.parameters[stay], child))


def confusions(posteriors: FloatArray, costs: FloatArray) -> IntArray:
    """Return the confusion counts of each cost matrix."""
    answers = np.einsum("ik,dkj->dij", posteriors, costs).argmin(axis=2)
    counts = np.zeros((len(costs), 3, 3), dtype=int)
    np.add.at(counts, (np.arange(len(costs))[:, np.newaxis], TRUTHS, answers), 1)
    return counts


def check_rival() -> None:
    """Compare confusion counts and archives on a few draws."""
    rng = np.random.default_rng(2)
    posteriors = DATA.probabilities(DATA.X)
    costs = np.zeros((1000, 3, 3))
    costs[:, WRONG] = rng.dirichlet(np.ones(6), 1000)
    counts = confusions(posteriors, costs)
    assert np.array_equal(counts, assignment.count_draws(posteriors, TRUTHS, costs, 3))
    archive = Archive(np.full(6, 100))
    kept: list[IntArray] = []
    for part in np.split(counts[:, WRONG], 10):
        archive.insert(part)
        for each in part:
            if not any((old <= each).all() for old in kept):
                kept = [old for old in kept if not (each <= old).all()] + [each]
    assert {tuple(row) for row in archive.counts.tolist()} == {tuple(row.tolist()) for row in kept}


if __name__ == "__main__":
    main()
