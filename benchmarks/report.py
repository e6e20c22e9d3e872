"""How long a report takes, how much memory, and how fast its page answers.

Run: python benchmarks/report.py            (writes and removes 170 MB in a temporary folder)

Part 1 writes the report of 20 classifiers and 1,000,000 rows from a Parquet file, in a process of
its own. Part 2 opens the report of a hull of 5,000 vertices (20 classifiers) in headless Chromium
and turns knobs: the time to the first paint, from the event to the new sentence, and to the
charts' next frame. The answers are checked before anything is timed.
"""

from __future__ import annotations

import re
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import rocch

ROWS, CLASSIFIERS, VERTICES = 1_000_000, 20, 5_000

CHILD = """
import resource, sys
from rocch.cli.main import cli
cli.main(sys.argv[1:], standalone_mode=False)
print("peak", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""

COSTS: dict[str, Any] = {"prevalence": 0.1, "false_positive": 1, "false_negative": 5}
RATIO: dict[str, Any] = {"prevalence": 0.1, "cost_ratio": [1, 100]}

TURNS: dict[str, dict[str, Any]] = {
    "exact costs": COSTS,
    "ranges of costs and prevalence": {
        **COSTS,
        "false_negative": [1, 100],
        "prevalence": [0.01, 0.5],
    },
    "limits": {**COSTS, "max_fpr": 0.05, "capacity": 500, "population": 10_000},
    "a metric": {"maximize": "geometric_mean"},
    "a uniform belief": RATIO,
    "a most likely ratio": {**RATIO, "likely": 5},
    "a belief, prevalence in a range": {**RATIO, "likely": 5, "prevalence": [0.01, 0.5]},
}

REACT = """async ([question, factor]) => {
  const varied = { ...question };
  if (question.prevalence) varied.prevalence = [question.prevalence].flat().map((p) => p * factor);
  if (varied.prevalence?.length === 1) [varied.prevalence] = varied.prevalence;
  const start = performance.now();
  RocchApp.ask(varied);
  const said = performance.now() - start;
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  return [said, performance.now() - start];
}"""
"""Ask, as a knob does, and wait until the frame in which charts move has been drawn."""


def scores_file(folder: Path) -> Path:
    """Write labels and scores."""
    import pyarrow as pa
    from pyarrow import parquet

    rng = np.random.default_rng(0)
    y = rng.random(ROWS) < 0.1
    columns = {"y": y.astype(int)}
    for i in range(CLASSIFIERS):
        columns[f"model {i:02d}"] = rng.normal(size=ROWS) + (0.5 + i / 15) * y
    parquet.write_table(pa.table(columns), folder / "scores.parquet")
    return folder / "scores.parquet"


def many_vertices() -> rocch.RocHull:
    """Return a hull of so many vertices on an arc, its classifiers taking turns."""
    total = 10**8
    angle = np.linspace(0, np.pi / 2, VERTICES)
    fp = np.round(total * (1 - np.cos(angle))).astype(np.int64)
    tp = np.round(total * np.sin(angle)).astype(np.int64)
    curves = []
    for i in range(CLASSIFIERS):
        own = np.union1d(np.arange(1 + i, VERTICES - 1, CLASSIFIERS), [VERTICES - 1])
        curves.append(
            rocch.RocCurve.from_counts(
                fp[own],
                tp[own],
                negatives=total,
                positives=total,
                lowest_scores=-angle[own],
                name=f"classifier {i:02d}",
            )
        )
    return rocch.RocHull.of(*curves)


def write(folder: Path) -> None:
    """Time the whole command on a large file."""
    file, page = scores_file(folder), folder / "report.html"
    arguments = ["report", str(file), "--label", "y", "-o", str(page)]
    start = time.perf_counter()
    run = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", CHILD, *arguments], capture_output=True, text=True, check=True
    )
    seconds = time.perf_counter() - start
    assert "Use model" in run.stdout, run.stdout
    peak = float(re.findall(r"peak ([0-9.]+)", run.stdout)[0])
    print(f"## {CLASSIFIERS} classifiers x {ROWS:,} rows, from Parquet to HTML\n")
    print("| | asked | measured |\n|---|---:|---:|")
    print(f"| seconds, all in all | 20 | {seconds:.1f} |")
    print(f"| peak memory, MB | 2,000 | {peak:,.0f} |")
    print(f"| size of the page, MB | 6 | {page.stat().st_size / 1e6:.2f} |\n")


def steer(folder: Path) -> None:
    """Time the page's first paint and its reactions."""
    from playwright.sync_api import sync_playwright

    hull, page_file = many_vertices(), folder / "vertices.html"
    rocch.write_report(hull, page_file)
    print(f"## A hull of {len(hull):,} vertices in headless Chromium\n")
    print(f"The page has {page_file.stat().st_size / 1e6:.2f} MB.\n")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"),
            args=["--no-sandbox", "--disable-background-networking"],
        )
        paints = []
        for _ in range(5):
            page = browser.new_page()
            page.goto(page_file.as_uri())
            page.wait_for_timeout(500)
            entries = page.evaluate("performance.getEntriesByType('paint').map(e => e.startTime)")
            paints.append(max(entries))
            page.close()
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.goto(page_file.as_uri())
        page.wait_for_selector(".js-plotly-plot", timeout=60_000)
        page.wait_for_timeout(2_000)
        print("| | asked, ms | median, ms | worst of 20, ms |\n|---|---:|---:|---:|")
        print(f"| first paint | 1,000 | {statistics.median(paints):.0f} | {max(paints):.0f} |")
        for name, question in TURNS.items():
            times = [page.evaluate(REACT, [question, 1 + turn / 100]) for turn in range(20)]
            for what, asked, column in (("sentence", 50, 0), ("charts", 150, 1)):
                values = [row[column] for row in times]
                middle, worst = statistics.median(values), max(values)
                print(f"| {what}: {name} | {asked} | {middle:.1f} | {worst:.1f} |")
        browser.close()


if __name__ == "__main__":
    with TemporaryDirectory() as temporary:
        write(Path(temporary))
        steer(Path(temporary))
