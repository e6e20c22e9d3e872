"""Areas of tables: hulls, AUCs and outlines of frames and files, summaries, decisions."""

from __future__ import annotations

import importlib
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .data import Results, hull, scored
from .naming import rocch
from .reducing import outcome

if TYPE_CHECKING:
    from collections.abc import Callable

SCORES = ["gbm", "tied", "wide"]


@cache
def frame() -> Any:
    """Return the rows as a table of pandas."""
    import pandas as pd

    rows = scored(600, seed=9)
    columns = {"y": rows.y.astype(int), "w": rows.weights, "id": np.arange(rows.y.size)}
    country = np.array(["at", "ch", "de"])[rows.groups % 3]
    return pd.DataFrame({**columns, **rows.scores, "country": country})


def asked(table: Any, **options: Any) -> Results:
    """Ask one table everything that frames are asked."""
    known: dict[str, Any] = {"label": "y", "scores": SCORES, **options}
    seen: list[Any] = []
    summary = rocch.summarise_frame(table, **known, buckets=64).summary()
    return {
        "hull": rocch.hull_from_frame(table, **known, buckets=64, progress=seen.append).hull(),
        "weighted": rocch.hull_from_frame(table, **known, weight="w").hull(),
        "hulls": rocch.hulls_from_frame(table, **known).hull(by="country"),
        "aucs": rocch.auc_from_frame(table, **known).auc(),
        "rough aucs": rocch.auc_from_frame(table, **known, buckets=64).auc(width=0.05),
        "outlines": rocch.outlines_from_frame(table, **known).curve(resolution=0.05),
        "counts": rocch.counts_from_frame(table, **{**known, "scores": ["gbm"]}).counts(
            {"gbm": [0.5, 2.0]}
        ),
        "summary": told(summary),
        "refined": told(summary.refine(table)),
    }


def told(summary: Any) -> Results:
    """Return what a summary says."""
    return {
        "exact": [summary.classifiers, summary.weighted, summary.exact, summary.gap],
        "totals": summary.totals(),
        "hull": outcome(summary.hull),
        "inner hull": summary.inner_hull(),
        "aucs": [summary.auc(name) for name in summary.classifiers],
        "intervals": [outcome(summary.auc(name).interval) for name in summary.classifiers],
        "outline": summary.outline("gbm", resolution=0.05),
        "between": summary.outline("gbm").between(0.7),
    }


def frames() -> Results:
    import duckdb
    import polars as pl
    import pyarrow as pa

    whole = frame()
    polars = pl.from_pandas(whole)
    connection = duckdb.connect(config={"threads": 1})
    many = {
        "pandas": whole,
        "polars": polars,
        "lazy": polars.lazy(),
        "arrow": pa.Table.from_pandas(whole),
        "duckdb": connection.from_df(whole),
        "parts": [polars[:250].lazy(), whole[250:]],
    }
    return {name: asked(table) for name, table in many.items()}


def dask() -> Results:
    from dask import config
    from dask import dataframe as dd

    with config.set(scheduler="synchronous"):
        table = dd.from_pandas(frame(), npartitions=2)  # type: ignore[no-untyped-call]
        return {"hull": rocch.hull_from_frame(table, label="y", scores=SCORES).hull()}


def spark() -> Results:
    """Ask a table of Spark everything, and let rules decide it."""
    session = importlib.import_module("tests.support.spark_session")
    table = session.started().createDataFrame(frame())
    rule = rocch.Rule.from_point(
        hull().best(rocch.NeymanPearson(0.1), randomize=True), row_key="id"
    )
    decided = rocch.decide_frame(table, rule).orderBy("id").select("decision")
    return {**asked(table), "decided": [row[0] for row in decided.collect()]}


def files() -> Results:
    import duckdb
    import polars as pl

    connection = duckdb.connect(config={"threads": 1})
    found: Results = {}
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("parquet", "csv"):
            paths = [Path(folder) / f"{part}.{kind}" for part in "ab"]
            for path, rows in zip(paths, (frame()[:200], frame()[200:]), strict=True):
                write: Callable[..., Any] = getattr(rows, f"to_{kind}")
                write(path, index=False)
            if kind == "parquet":
                options: dict[str, Any] = {"memory_limit": "500MB", "threads": 1}
                opened = rocch.open_files(paths, label="y", scores=SCORES, buckets=64, **options)
                found["opened"] = {**asked(paths, **options), "hull": opened.hull()}
            names = list(map(str, paths))
            found[f"duckdb, {kind}"] = asked(getattr(connection, f"read_{kind}")(names))
            found[f"polars, {kind}"] = asked(getattr(pl, f"scan_{kind}")(names))
    return found


def merged() -> Results:
    given: dict[str, Any] = {"label": "y", "scores": SCORES, "buckets": 64}
    parts = [frame()[:100], frame()[100:350], frame()[350:]]
    summaries = [rocch.summarise_frame(part, **given).summary() for part in parts]
    grouped = rocch.summarise_frame(frame(), **{**given, "buckets": 256}).summary(by="country")
    with tempfile.TemporaryDirectory() as folder:
        summaries[0].save(Path(folder) / "summary")
        loaded = rocch.FrameSummary.load(Path(folder) / "summary")
    return {
        "merged": told(loaded.merge(*summaries[1:])),
        "sum": told(sum(summaries)),
        "refined": told((loaded + summaries[1]).refine(parts[:2])),
        "groups": [outcome(grouped.auc, "gbm", group) for group in ("at", "ch", "de")],
        "group hulls": [grouped.inner_hull(group) for group in ("at", "ch", "de")],
        "work": [rocch.Work(passes=1, rows=2, moved=3), summaries[0].work],
    }


def decisions() -> Results:
    import duckdb

    connection = duckdb.connect(config={"threads": 1})
    table = connection.from_df(frame())
    point = hull().best(rocch.NeymanPearson(0.1), randomize=True)
    rule = rocch.Rule.from_point(point, positive="yes", negative="no", row_key="id", seed=3)
    deciders = {
        "rule": rule,
        "point": hull().best(rocch.MinimumTpr(0.8)),
        "vertex": hull().vertices[2],
    }
    return {
        name: rocch.decide_frame(table, each, column="said").order("id").select("said").fetchall()
        for name, each in deciders.items()
    }
