"""Whatever the distribution: the exact hull in few passes, and never more groups than allowed."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import rocch
from tests.support.engines import (
    ENGINES,
    SLOW,
    assert_identical,
    in_memory,
    on_engine,
    parts,
    table,
)
from tests.support.judged_frames import DISTRIBUTIONS, laid_out, noisy_labels

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.filterwarnings("ignore::rocch.PositiveClassWarning")  # random labels

FEW = 8
"""So many passes are enough for every distribution here, the survey included."""


def told(frame: Any, **asked: Any) -> tuple[Any, list[Any]]:
    """Return the hull and what was told after each pass."""
    works: list[Any] = []
    hull = rocch.scale.scan(frame, label="y", progress=works.append, **asked).hull()
    return hull, works


def check_work(works: list[Any], rows: int, buckets: int) -> None:
    """Demand that passes are counted one by one and that none moved more than allowed."""
    assert [work.passes for work in works] == list(range(1, len(works) + 1))
    assert {work.rows for work in works} == {rows}
    moved = [0, *(work.moved for work in works)]
    assert all(0 <= after - before <= buckets for before, after in pairwise(moved)), moved


@pytest.mark.parametrize(
    ("engine", "name"),
    [
        *(("Polars, lazy", name) for name in sorted(DISTRIBUTIONS)),
        *(("DuckDB", name) for name in ("both signs", "clusters around zero", "infinite ends")),
    ],
)
def test_few_passes_for_every_distribution(engine: str, name: str, folder: Path) -> None:
    rows = laid_out(name)
    hull, works = told(ENGINES[engine](parts(rows, (1000,)), folder), buckets=512)
    assert_identical(hull, in_memory(rows, label="y", scores=["s"]))
    check_work(works, rows.num_rows, 512)
    assert len(works) <= FEW, [(work.passes, work.moved) for work in works]


OTHERS = sorted(set(ENGINES) - {"DuckDB", "Polars, lazy"})


@pytest.mark.parametrize("engine", [on_engine(name) for name in OTHERS])
def test_other_engines_go_through_the_same_passes(engine: str, folder: Path) -> None:
    for name in ("1e-300 to 1e300",) if engine in SLOW else ("1e-300 to 1e300", "normal"):
        rows = laid_out(name)
        hull, works = told(ENGINES[engine](parts(rows, (1000,)), folder), buckets=512)
        assert_identical(hull, in_memory(rows, label="y", scores=["s"]))
        same = told(pl.DataFrame(rows), buckets=512)[1]
        assert len(works) <= FEW
        check_work(works, rows.num_rows, 512)
        if engine.startswith("Polars"):
            assert [work.passes for work in works] == [work.passes for work in same]


def test_default_buckets_need_very_few_passes() -> None:
    for name in DISTRIBUTIONS:
        rows = laid_out(name)
        hull, works = told(pl.DataFrame(rows))
        assert_identical(hull, in_memory(rows, label="y", scores=["s"]))
        assert len(works) <= 3, name


@pytest.mark.parametrize("buckets", [8, 16, 64])
@pytest.mark.parametrize("name", ["normal", "1e-300 to 1e300", "nested clusters", "Cantor"])
def test_tiny_budgets_end_too(name: str, buckets: int) -> None:
    rows = laid_out(name)
    rows = rows.take(pa.array(np.arange(0, rows.num_rows, 8)))
    hull, works = told(pl.DataFrame(rows), buckets=buckets)
    assert_identical(hull, in_memory(rows, label="y", scores=["s"]))
    check_work(works, rows.num_rows, buckets)


def wide(rows: int, classifiers: int) -> pa.Table:
    """Return classifiers that differ in scale, spread and order."""
    generator = np.random.default_rng(30)
    base = generator.normal(size=rows)
    hits = noisy_labels(base, 31)
    columns = {
        f"m{i}": np.exp((base + generator.normal(size=rows)) * (i + 1)) for i in range(classifiers)
    }
    return table({"y": hits, **columns})


def test_one_scan_serves_all_classifiers() -> None:
    rows = wide(2000, 8)
    names = [f"m{i}" for i in range(8)]
    hull, works = told(pl.DataFrame(rows), scores=names, buckets=2**13)
    assert_identical(hull, in_memory(rows, label="y", scores=names))
    check_work(works, 2000, 2**13)
    alone = [len(told(pl.DataFrame(rows), scores=[n], buckets=2**10)[1]) for n in names]
    assert len(works) <= max(alone) + 1


def test_the_groups_moved_are_bounded_over_all_classifiers_and_groups() -> None:
    rows = wide(3000, 3)
    frame = pl.DataFrame(rows).with_columns(g=pl.int_range(pl.len()) % 4)
    works: list[Any] = []
    hulls = rocch.scale.scan(
        frame, label="y", scores=["m0", "m1", "m2"], buckets=600, progress=works.append
    ).hull(by="g")
    check_work(works, 3000, 600)
    assert len(works) <= 2 * FEW  # a pass has room for 50 groups of each of twelve hulls
    for key, hull in hulls.items():
        own = rows.take(pa.array(np.flatnonzero(np.arange(3000) % 4 == key)))
        assert_identical(hull, in_memory(own, label="y", scores=["m0", "m1", "m2"]))


def test_a_rare_class_and_a_useless_score_end_quickly() -> None:
    generator = np.random.default_rng(32)
    scores = generator.normal(size=20_000)
    for hits in (generator.random(20_000) < 0.001, generator.random(20_000) < 0.5):
        rows = table({"y": hits, "s": scores})
        hull, works = told(pl.DataFrame(rows), buckets=1024)
        assert_identical(hull, in_memory(rows, label="y", scores=["s"]))
        check_work(works, 20_000, 1024)
        assert len(works) <= FEW


def test_the_worst_score_of_all_ends_too() -> None:
    """Every positive below every negative: the whole curve lies under the diagonal."""
    rows = table(
        {"y": np.arange(4000) < 2000, "s": np.random.default_rng(33).random(4000).cumsum()}
    )
    hull, works = told(pl.DataFrame(rows), buckets=64)
    assert len(hull) == 2
    assert_identical(hull, in_memory(rows, label="y", scores=["s"]))
    assert len(works) <= FEW


def test_a_perfect_and_a_concave_curve() -> None:
    """Concave: every distinct score is a vertex, so that none can be thrown away."""
    perfect = table({"y": np.arange(4000) >= 2000, "s": np.linspace(0, 1, 4000)})
    hull, works = told(pl.DataFrame(perfect), buckets=64)
    assert_identical(hull, in_memory(perfect, label="y", scores=["s"]))
    assert len(works) <= FEW
    steps = np.repeat(np.arange(60), 60)
    hits = np.concatenate([np.arange(60) < step for step in range(60)])
    concave = table({"y": hits, "s": steps + np.sqrt(2)})
    hull, works = told(pl.DataFrame(concave), buckets=16)
    assert len(hull) == len(in_memory(concave, label="y", scores=["s"]))
    assert_identical(hull, in_memory(concave, label="y", scores=["s"]))
    check_work(works, 3600, 16)
