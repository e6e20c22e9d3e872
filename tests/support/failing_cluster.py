"""A small Spark cluster in which tasks fail and executors die while a hull is computed.

Run as a script with a folder; prints one line of JSON. Every scan reads its rows through a task
that looks for a file: `fail` makes the first task that finds it fail, `kill` makes it end the Java
machine that it runs in. The file is put there after a given pass, so that the next one is hit.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from tests.support.spark_session import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pyspark.sql import SparkSession

ROWS, TASKS, BUCKETS = 3000, 4, 1024


def session(folder: Path) -> SparkSession:
    """Start two executors of one core each."""
    from pyspark.sql import SparkSession

    settings = {
        **SETTINGS,
        "spark.executor.memory": "512m",
        "spark.executor.extraJavaOptions": SETTINGS["spark.driver.extraJavaOptions"],
        "spark.local.dir": str(folder / "spark"),
    }
    builder = SparkSession.builder.master("local-cluster[2,1,1024]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    started = builder.getOrCreate()
    started.sparkContext.setLogLevel("OFF")
    return started


def judged() -> dict[str, Any]:
    """Return the rows, the same in every process."""
    generator = np.random.default_rng(95)
    hits = generator.random(ROWS) < 0.4
    return {"y": hits, "s": generator.normal(size=ROWS) + hits}


def trap(folder: str) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """Return a source that makes rows from their numbers, unless a file tells it to fail."""

    def sprung(word: str) -> bool:
        try:  # renaming succeeds for one task only
            os.rename(f"{folder}/{word}", f"{folder}/{word}.{os.getpid()}")
        except FileNotFoundError:
            return False
        return True

    def read(batches: Iterable[Any]) -> Iterator[Any]:
        rows = judged()
        for batch in batches:
            if sprung("fail"):
                raise RuntimeError("this task fails once")
            if sprung("kill"):
                os.kill(executor(), signal.SIGKILL)
            places = batch.column(0).to_numpy()
            yield pa.RecordBatch.from_pydict({name: c[places] for name, c in rows.items()})

    def executor() -> int:
        """Return the Java machine above this worker: the first ancestor that is none of Python."""
        process = os.getpid()
        while b"java" not in Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")[0]:
            process = int(Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[1])
        return process

    return read


def computed(spark: SparkSession, folder: Path, word: str, after: int) -> dict[str, Any]:
    """Compute the hull while the trap is set after some pass, and say what happened."""
    import rocch

    passes = []

    def progress(work: Any) -> None:
        passes.append(work.passes)
        if work.passes == after:
            (folder / word).touch()

    if after == 0:
        (folder / word).touch()
    frame = spark.range(0, ROWS, 1, TASKS).mapInArrow(trap(str(folder)), "y boolean, s double")
    hull = rocch.scale.scan(frame, label="y", scores="s", buckets=BUCKETS, progress=progress).hull()
    rows = judged()
    expected = rocch.RocHull.from_scores(rows["y"], {"s": rows["s"]})
    return {
        "identical": hull == expected and hull.vertices == expected.vertices,
        "passes": len(passes),
        "sprung": len(list(folder.glob(f"{word}.*"))),
    }


def main() -> None:
    """Let a task fail in the survey and in a later pass, and an executor die in a later pass."""
    folder = Path(sys.argv[1])
    spark = session(folder)
    answers = {}
    for word, after in (("fail", 0), ("fail", 1), ("kill", 1)):
        own = folder / f"{word}{after}"
        own.mkdir()
        answers[f"{word} after {after}"] = computed(spark, own, word, after)
    spark.stop()
    sys.stdout.write(json.dumps(answers) + "\n")


if __name__ == "__main__":
    main()
