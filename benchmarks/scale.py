"""Exact hulls of large tables: time, memory and passes, against what the engines do themselves.

    python benchmarks/scale.py                         # everything; 10 GB of memory, 4 GB of disk
    python benchmarks/scale.py parquet spark           # some parts
    python benchmarks/scale.py --rows 1e6 growth       # smaller: at most so many rows
    python benchmarks/scale.py --folder /data          # where tables are written (and found again)

Parts: memory (arrays), parquet (one file, ten files, tied and skewed scores, under a memory limit),
wide (20 classifiers against one), spark (against Spark's own metrics), growth (the exponent), and
engines (Polars and Dask). Every hull is compared with the in-memory hull of the same rows, vertex
by vertex, before a line is printed. Hulls are taken twice and the second time counts, since the
first in a process also imports and compiles. Each measurement has a process of its own, so that its
peak of resident memory is its own; times that are compared come from the same process.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import rocch

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocch.arrays import BoolArray, FloatArray

LABEL, CLASSIFIERS, CHUNK = "y", 20, 2**20
MEMORY_LIMIT = "700MB"
SHAPES: dict[str, Callable[[FloatArray], FloatArray]] = {
    "normal": lambda s: s,
    "tied": lambda s: np.round(s, 3),
    "skewed": lambda s: np.exp(3 * s),
}
PLAIN = "SELECT min(s0), max(s0), sum(y) FROM scores"


class Measured(NamedTuple):
    """What one hull cost, and its vertices."""

    seconds: float
    """Once what it needs is imported and compiled."""
    first: float
    """The first time in a process."""
    work: rocch.scale.Work
    vertices: list[tuple[Any, ...]]
    peak: int
    """The peak of resident memory in bytes."""
    rivals: dict[str, float]
    """Seconds that the same process needed for other things."""


def main() -> None:
    """Run the parts that were asked for."""
    parts = {
        "memory": memory,
        "parquet": parquet,
        "wide": wide,
        "spark": spark,
        "growth": growth,
        "engines": engines,
    }
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", choices=[*parts, []], help="all, unless some are named")
    parser.add_argument("--rows", type=float, default=1e8, help="at most so many rows")
    parser.add_argument("--folder", type=Path, help="where tables are written, and found again")
    options = parser.parse_args()
    with TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        for name in options.parts or parts:
            parts[name](folder, int(options.rows))


def drawn(
    rng: np.random.Generator, size: int, kind: str, columns: int = 1
) -> tuple[BoolArray, list[FloatArray]]:
    """Draw labels (30% positive) and the scores of classifiers, the later the better."""
    y = rng.random(size) < 0.3
    scores = []
    for column in range(columns):
        s = rng.standard_normal(size)
        s[y] += 1 + 0.05 * column
        scores.append(
            np.round(s, 3) if kind == "tied" else np.exp(3 * s) if kind == "skewed" else s
        )
    return y, scores


def table(folder: Path, rows: int, kind: str = "normal", columns: int = 1, files: int = 1) -> str:
    """Write a table, unless it is there already; return the pattern of its files."""
    name = f"{kind}-{rows}-{columns}-{files}"
    if not (folder / name).exists():
        unfinished = folder / f"{name}.unfinished"
        unfinished.mkdir(parents=True)
        for number in range(files):
            write(unfinished / f"{number}.parquet", rows // files, kind, columns, seed=number)
        unfinished.rename(folder / name)
    return str(folder / name / "*.parquet")


def write(path: Path, rows: int, kind: str, columns: int, seed: int) -> None:
    """Write one Parquet file, a million rows at a time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(seed)
    names = [f"s{column}" for column in range(columns)]
    schema = pa.schema([(LABEL, pa.int8()), *((name, pa.float64()) for name in names)])
    with pq.ParquetWriter(path, schema, compression="zstd") as out:
        for start in range(0, rows, CHUNK):
            y, scores = drawn(rng, min(CHUNK, rows - start), kind, columns)
            out.write_table(pa.table([y.astype(np.int8), *scores], schema=schema))


def bytes_scanned(pattern: str, columns: int) -> int:
    """Return the compressed bytes of the label and the first score columns."""
    import pyarrow.parquet as pq

    total = 0
    for path in Path(pattern).parent.glob("*.parquet"):
        about = pq.ParquetFile(path).metadata
        for group in range(about.num_row_groups):
            chunks = (about.row_group(group).column(i) for i in range(columns + 1))
            total += sum(chunk.total_compressed_size for chunk in chunks)
    return total


def apart(function: Callable[..., Any], *arguments: Any) -> Any:
    """Run a function in a fresh process."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(function, *arguments).result()


def peak_memory() -> int:
    """Return the peak of this process's resident memory in bytes."""
    text = Path("/proc/self/status").read_text(encoding="ascii")
    return next(int(line.split()[1]) * 1024 for line in text.splitlines() if line[:5] == "VmHWM")


def timed(job: Callable[[], Any]) -> tuple[float, Any]:
    """Run a job once; return seconds and result."""
    start = time.perf_counter()
    result = job()
    return time.perf_counter() - start, result


def vertices_of(hull: rocch.RocHull) -> list[tuple[Any, ...]]:
    """Return a hull's vertices as plain values, which travel between processes."""
    return [
        (v.classifiers, v.lowest_score, v.false_positives, v.true_positives) for v in hull.vertices
    ]


def expected(pattern: str, columns: int) -> list[tuple[Any, ...]]:
    """Return the vertices of the in-memory hull."""
    import pyarrow.parquet as pq

    names = [f"s{column}" for column in range(columns)]
    rows = pq.read_table(Path(pattern).parent, columns=[LABEL, *names])
    scores = {name: rows[name].to_numpy() for name in names}
    return vertices_of(rocch.RocHull.from_scores(rows[LABEL].to_numpy() == 1, scores))


def checked(measured: Measured, pattern: str, columns: int = 1) -> Measured:
    """Compare with the in-memory hull."""
    assert measured.vertices == apart(expected, pattern, columns), "the hulls differ"
    return measured


def measured(frame: Any, columns: int = 1, **rivals: float) -> Measured:
    """Take a hull from a frame, twice."""
    told: list[rocch.scale.Work] = []
    scores = [f"s{column}" for column in range(columns)]
    (first, _), (seconds, hull) = (
        timed(
            lambda: rocch.scale.scan(frame, label=LABEL, scores=scores, progress=told.append).hull()
        )
        for _ in range(2)
    )
    return Measured(seconds, first, told[-1], vertices_of(hull), peak_memory(), rivals)


def memory(_: Path, most: int) -> None:
    """Print what a hull of arrays costs beside `numpy.sort` of the scores alone."""
    print("\n| arrays of | scores | hull | numpy.sort | hull / sort | cores | extra memory |")
    print("|---:|---|---:|---:|---:|---:|---:|")
    for kind in ("normal", "tied", "skewed"):
        seconds, sort, cores, share = apart(in_memory, most, kind)
        print(
            f"| {most:,} | {kind} | {seconds:.2f} s | {sort:.2f} s | {seconds / sort:.2f} | "
            f"{cores:.1f} | {share:.2f} of the scores' bytes |",
            flush=True,
        )


def in_memory(size: int, kind: str) -> tuple[float, float, float, float]:
    """Return seconds of the hull and of a sort, cores used, and extra memory as a share."""
    rng = np.random.default_rng(0)
    for some in ("normal", "tied"):  # loads what is compiled
        y, (s,) = drawn(rng, 2**22, some)
        rocch.RocHull.from_scores(y, {"a": s})
    y, s = np.empty(size, dtype=bool), np.empty(size)
    for start in range(0, size, CHUNK // 8):  # in small parts, so that drawing leaves no high peak
        part = slice(start, start + CHUNK // 8)
        y[part], (s[part],) = drawn(rng, s[part].size, kind)
    before, worked = peak_memory(), time.process_time()
    seconds, hull = timed(lambda: rocch.RocHull.from_scores(y, {"a": s}))
    worked, extra = time.process_time() - worked, peak_memory() - before
    sort = timed(lambda: np.sort(s))[0]
    assert hull == rocch.RocHull.of(rocch.RocCurve.from_scores(y, s, name="a"))
    return seconds, sort, worked / seconds, extra / s.nbytes


def in_duckdb(pattern: str, columns: int = 1) -> Measured:
    """Take a hull out of Parquet files under a memory limit; time plain scans first."""
    import duckdb

    with duckdb.connect(config={"memory_limit": MEMORY_LIMIT}) as connection:
        scores = connection.read_parquet(pattern)
        scores.create_view("scores")
        plain = min(timed(lambda: connection.execute(PLAIN).fetchall())[0] for _ in range(3))
        return measured(scores, columns, plain=plain)


def parquet(folder: Path, most: int) -> None:
    """Print what a hull of Parquet files costs beside two plain scans of them."""
    print(f"\nParquet files in DuckDB, which may use {MEMORY_LIMIT}\n")
    print(
        "| rows | files | hull | first | two plain scans | ratio | passes | moved | peak memory |"
    )
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    for kind, files in (("normal", 1), ("normal", 10), ("tied", 1), ("skewed", 1)):
        pattern = table(folder, most, kind, files=files)
        got = checked(apart(in_duckdb, pattern), pattern)
        scans = 2 * got.rivals["plain"]
        print(
            f"| {most:,} {kind} | {files} | {got.seconds:.2f} s | {got.first:.2f} s | "
            f"{scans:.2f} s | {got.seconds / scans:.2f} | {got.work.passes} | {got.work.moved:,} | "
            f"{got.peak / 1e6:,.0f} MB |",
            flush=True,
        )


def wide(folder: Path, most: int) -> None:
    """Print what twenty classifiers cost beside one."""
    print("\n| rows | classifiers | hull | times one | passes | groups moved | peak memory |")
    print("|---:|---:|---:|---:|---:|---:|---:|")
    rows = min(most, 10**7)
    pattern = table(folder, rows, columns=CLASSIFIERS)
    one = math.nan
    for columns in (1, CLASSIFIERS):
        got = checked(apart(in_duckdb, pattern, columns), pattern, columns)
        one = got.seconds if columns == 1 else one
        print(
            f"| {rows:,} | {columns} | {got.seconds:.2f} s | {got.seconds / one:.1f} | "
            f"{got.work.passes} | {got.work.moved:,} | {got.peak / 1e6:,.0f} MB |",
            flush=True,
        )


def growth(folder: Path, most: int) -> None:
    """Print how time grows with the rows, and the exponent."""
    print("\n| rows | hull | passes | groups moved | scanned in one pass | peak memory |")
    print("|---:|---:|---:|---:|---:|---:|")
    sizes = [10**power for power in (5, 6, 7, 8) if most // 100 <= 10**power <= most]
    times = []
    for rows in sizes:
        pattern = table(folder, rows)
        got = checked(apart(in_duckdb, pattern), pattern)
        times.append(got.seconds)
        print(
            f"| {rows:,} | {got.seconds:.2f} s | {got.work.passes} | {got.work.moved:,} | "
            f"{bytes_scanned(pattern, 1) / 1e6:,.0f} MB | {got.peak / 1e6:,.0f} MB |",
            flush=True,
        )
    exponent = np.polyfit(np.log(sizes), np.log(times), 1)[0]
    print(f"\nTime grows with the rows to the power of {exponent:.2f}.", flush=True)


def in_polars(pattern: str) -> Measured:
    """Take a hull from a lazy frame of Polars."""
    import polars as pl

    frame = pl.scan_parquet(pattern)
    plain = frame.select(pl.col("s0").min(), pl.col("s0").max().alias("high"), pl.col(LABEL).sum())
    return measured(frame, plain=min(timed(plain.collect)[0] for _ in range(3)))


def in_dask(pattern: str) -> Measured:
    """Take a hull from a Dask frame."""
    import dask.dataframe as dd
    from dask import base

    compute: Any = base.compute
    frame = dd.read_parquet(pattern, split_row_groups=True)
    plain = frame["s0"].min(), frame["s0"].max(), frame[LABEL].sum()
    return measured(frame, plain=min(timed(lambda: compute(*plain))[0] for _ in range(3)))


def engines(folder: Path, most: int) -> None:
    """Print what other engines on this machine need."""
    print("\n| engine | rows | hull | two plain scans | ratio | passes | peak memory |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    rows = min(most, 10**7)
    pattern = table(folder, rows)
    for name, job in {"DuckDB": in_duckdb, "Polars": in_polars, "Dask": in_dask}.items():
        got = checked(apart(job, pattern), pattern)
        scans = 2 * got.rivals["plain"]
        print(
            f"| {name} | {rows:,} | {got.seconds:.2f} s | {scans:.2f} s | "
            f"{got.seconds / scans:.2f} | {got.work.passes} | {got.peak / 1e6:,.0f} MB |",
            flush=True,
        )


def spark(folder: Path, most: int) -> None:
    """Print what a hull costs beside the metrics that Spark has."""
    print("\n| Spark, local[2] | rows | seconds | times the hull |")
    print("|---|---:|---:|---:|")
    rows = min(most, 5 * 10**6)
    pattern, warm = table(folder, rows), table(folder, 10**5)
    got = checked(apart(in_spark, pattern, warm), pattern)
    ours = {f"hull, {got.work.passes} passes": got.first, "the same once more": got.seconds}
    for name, seconds in (ours | got.rivals).items():  # the rivals saw these rows once, too
        print(f"| {name} | {rows:,} | {seconds:.2f} | {seconds / got.first:.1f} |", flush=True)


def in_spark(pattern: str, warm: str) -> Measured:
    """Take a hull from a Spark frame, and Spark's own areas, which must be the same."""
    session = spark_session()
    try:
        jobs: dict[str, Callable[[Any], Any]] = {
            "BinaryClassificationMetrics (mllib), its curve and area": mllib_area,
            "BinaryClassificationEvaluator (ml), its area": ml_area,
        }
        few, frame = (session.read.parquet(str(Path(one).parent)) for one in (warm, pattern))
        measured(few)  # the first of everything waits for Java's compiler
        for job in jobs.values():
            job(few)
        got = measured(frame)
        answers = {name: timed(partial(job, frame)) for name, job in jobs.items()}
    finally:
        session.stop()
    area = apart(exact_area, pattern)
    for name, (_, answer) in answers.items():
        assert np.isclose(answer, area, atol=1e-3), f"{name}: {answer}, not {area}"
    return got._replace(rivals={name: seconds for name, (seconds, _) in answers.items()})


def spark_session() -> Any:
    """Start Spark on two cores of this machine."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings: dict[str, Any] = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": "4g",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "4",
    }
    session = SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return session


def mllib_area(frame: Any) -> float:
    """Ask the older metrics for every point of the curve, and for its area."""
    from pyspark.mllib.evaluation import BinaryClassificationMetrics

    pairs = frame.selectExpr("s0", f"double({LABEL})").rdd.map(tuple)
    metrics = BinaryClassificationMetrics(pairs)
    assert metrics._java_model.roc().count()  # Python has no name for it, and no need of the points
    return float(metrics.areaUnderROC)


def ml_area(frame: Any) -> float:
    """Ask the newer evaluator for the area."""
    from pyspark.ml.evaluation import BinaryClassificationEvaluator

    evaluator = BinaryClassificationEvaluator(rawPredictionCol="s0", labelCol=LABEL)
    return float(evaluator.evaluate(frame))


def exact_area(pattern: str) -> float:
    """Return the area under the curve of all rows."""
    import pyarrow.parquet as pq

    rows = pq.read_table(Path(pattern).parent, columns=[LABEL, "s0"])
    return rocch.auc(rows[LABEL].to_numpy() == 1, rows["s0"].to_numpy())


if __name__ == "__main__":
    main()
