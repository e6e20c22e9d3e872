"""Time `rocch hull` on CSV files, start to end, against DuckDB's own reading of the same files.

    python benchmarks/command_line.py            # needs about 2 GB of memory and a minute
    python benchmarks/command_line.py --small    # 2,000 rows only

Each command runs in a process of its own, so the times include the start of Python and all
imports. The hull is checked against `RocHull.from_scores` on the same numbers. What counts are the
ratios, because machines are noisy. "First run" has no cache of compiled code.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import numpy as np

import rocch

SMALL, LARGE = (2_000, 3), ((300_000, 10), (1_000_000, 20))
RUNS = 3


def main() -> None:
    """Print a table of times."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--small", action="store_true", help="2,000 rows only")
    sizes = (SMALL,) if parser.parse_args().small else (SMALL, *LARGE)
    print("| rows | classifiers | MB | DuckDB reads, s | first run, s | later runs, s | ratio |")
    print("|---:|---:|---:|---:|---:|---:|---:|")
    with TemporaryDirectory(prefix="rocch-benchmark-") as folder:
        for rows, classifiers in sizes:
            file = Path(folder, f"{rows}.csv")
            write_scores(file, rows, classifiers)
            compare(file, rows, classifiers, Path(folder, f"cache-{rows}"))
            file.unlink()


def write_scores(file: Path, rows: int, classifiers: int) -> None:
    """Write labels and normal scores with all their digits, and check the hull once."""
    rng = np.random.default_rng(rows)
    y = rng.random(rows) < 0.2
    scores = {f"m{i}": rng.normal(size=rows) + (i + 1) / 10 * y for i in range(classifiers)}
    table = {"y": y.astype(int), **scores}
    with duckdb.connect() as connection:
        connection.register("scores", table)
        connection.sql("SELECT * FROM scores").write_csv(str(file))
    found = json.loads(subprocess.check_output([*command(file), "--json"]))  # noqa: S603 - our own
    expected = [(point.fpr, point.tpr) for point in rocch.RocHull.from_scores(y, scores).vertices]
    assert [(point["fpr"], point["tpr"]) for point in found["vertices"]] == expected


def command(file: Path) -> list[str]:
    """Return the command that shows the hull."""
    return [sys.executable, "-m", "rocch.cli.main", "hull", str(file), "--label", "y"]


def compare(file: Path, rows: int, classifiers: int, cache: Path) -> None:
    """Print a line: DuckDB alone, the first run, and the best of later ones."""
    reading = min(seconds(lambda: read_by_duckdb(file)) for _ in range(RUNS))
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}

    def run() -> None:
        subprocess.run(  # noqa: S603 - our own command
            command(file), env=environment, stdout=subprocess.DEVNULL, check=True
        )

    first = seconds(run)
    later = min(seconds(run) for _ in range(RUNS))
    size = file.stat().st_size / 10**6
    print(
        f"| {rows:,} | {classifiers} | {size:.1f} | {reading:.2f} | {first:.2f} | {later:.2f} | "
        f"{later / reading:.1f} |",
        flush=True,
    )


def read_by_duckdb(file: Path) -> None:
    """Read a file into a table of numbers."""
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE scores AS FROM read_csv(?)", [str(file)])


def seconds(work: Callable[[], object]) -> float:
    """Return how long some work takes."""
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


if __name__ == "__main__":
    main()
