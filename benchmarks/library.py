"""What a classifier library costs: a million points, many processes, and the disk.

    OMP_NUM_THREADS=1 python benchmarks/library.py [FOLDER]

Every hull is compared with the batch hull of all that was added before a time is printed. The
folder should be on the disk that you want to know about: each addition waits for it. PostgreSQL, if
it is found, runs on this machine, with its data in the system's folder of temporary files.
"""

from __future__ import annotations

import multiprocessing
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np

from rocch import RocCurve, RocHull
from rocch.database.places import Place
from rocch.library import ClassifierLibrary

sys.path.append(str(Path(__file__).parents[1]))
from tests.support.postgres import PostgresServer, programs

ADDITIONS = 1_600
NEGATIVES = POSITIVES = 1_000_000
SHAPES = ((100, 10_000, False), (1_000, 1_000, False), (1_000, 1_000, True))
"""Batches, points of each, and whether they come from scores or from labels."""


def curve(number: int, points: int, *, scoring: bool = False) -> RocCurve:
    """Return a classifier near a concave curve of its own, so that they cross."""
    rng = np.random.default_rng(number)
    bend = rng.uniform(1.5, 4)
    along = np.sort(rng.random(points))
    fp = np.sort((along**bend * NEGATIVES).astype(np.int64))
    tp = np.sort((along ** (0.5 / bend) * POSITIVES * rng.uniform(0.999, 1)).astype(np.int64))
    thresholds = None
    if scoring:
        fp, tp = np.append(fp, NEGATIVES), np.append(tp, POSITIVES)
        thresholds = -np.arange(fp.size, dtype=float)
    return RocCurve.from_counts(
        fp,
        tp,
        negatives=NEGATIVES,
        positives=POSITIVES,
        lowest_scores=thresholds,
        name=f"model {number}",
    )


def a_million_points(folder: Path) -> None:
    """Print how long a million points take, in batches of several sizes."""
    print("| batches | points each | seconds | vertices | classifiers kept | disk |")
    print("|---:|---:|---:|---:|---:|---:|")
    for batches, points, scoring in (
        (100, 10_000, False),
        (1_000, 1_000, False),
        (1_000, 1_000, True),
    ):
        curves = [curve(number, points, scoring=scoring) for number in range(batches)]
        library = ClassifierLibrary.create(folder / f"{batches} {scoring}")
        start = perf_counter()
        for one in curves:
            library.add(one)
        taken = perf_counter() - start
        hull = library.hull
        assert hull == RocHull.of(*curves)
        library.close()
        kind = "scores" if scoring else "labels"
        print(
            f"| {batches:,} of {kind} | {points:,} | {taken:.1f} | {len(hull):,} | "
            f"{len(library)} | {size(library.path):.0f} kB |"
        )


def size(folder: Path) -> float:
    """Return the kilobytes of all files in a folder."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1024


def the_disk(folder: Path) -> None:
    """Print how the disk is used as additions go on: it follows the hull."""
    print("\n| additions | vertices | classifiers kept | disk |")
    print("|---:|---:|---:|---:|")
    library = ClassifierLibrary.create(folder / "disk")
    for number in range(1, 5_001):
        library.add(curve(number, 30, scoring=True))
        if number in (50, 500, 5_000):
            library.compact()
            vertices, kept = len(library.hull), len(library)
            print(f"| {number:,} | {vertices} | {kept} | {size(library.path):.0f} kB |")


def add_all(place: Place, numbers: range) -> None:
    """Add in a process of its own."""
    library = ClassifierLibrary(place)
    for number in numbers:
        library.add(curve(number, 30, scoring=True))


def processes(folder: Path) -> None:
    """Print how many additions a second one and eight processes make, in both databases."""
    print("\n| database | processes | additions | seconds | additions per second |")
    print("|---|---:|---:|---:|---:|")
    oracle = RocHull.of(*(curve(number, 30, scoring=True) for number in range(ADDITIONS)))
    for count in (1, 8):
        add_and_print("SQLite", ClassifierLibrary.create(folder / f"sqlite {count}"), count, oracle)
    if programs() is None:
        print("\nPostgreSQL was not found.")
        return
    server = PostgresServer()
    try:
        server.start()
        for count in (1, 8):
            files = str(folder / f"postgres {count}")
            library = ClassifierLibrary.create(server.new_schema(), objects=files)
            add_and_print("PostgreSQL", library, count, oracle)
    finally:
        server.close()


def add_and_print(database: str, library: ClassifierLibrary, count: int, oracle: RocHull) -> None:
    """Print how long several processes take together."""
    library.close()
    context = multiprocessing.get_context("fork")
    everyone = [
        context.Process(target=add_all, args=(library.place, range(first, ADDITIONS, count)))
        for first in range(count)
    ]
    start = perf_counter()
    for one in everyone:
        one.start()
    for one in everyone:
        one.join()
    taken = perf_counter() - start
    assert library.hull == oracle
    assert library.verify().sound
    print(f"| {database} | {count} | {ADDITIONS:,} | {taken:.1f} | {ADDITIONS / taken:.0f} |")


def main(folder: Path) -> None:
    """Run everything."""
    a_million_points(folder)
    the_disk(folder)
    processes(folder)


if __name__ == "__main__":
    with TemporaryDirectory(dir=sys.argv[1] if len(sys.argv) > 1 else None) as temporary:
        main(Path(temporary))
