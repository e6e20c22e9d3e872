"""Rows that stream past counters in this process, and rows that are held in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings

import rocch
from rocch.kernels import refine as kernel
from rocch.kernels.engine import SAVES_A_SECOND
from rocch.scale import passes as local
from rocch.scale import refine as refining
from rocch.scale.table import ScoreColumns, ScoreTable
from tests.support.engines import ENGINES, assert_identical, in_memory, parts, table
from tests.support.judged_frames import Case, cases, check, laid_out, noisy_labels

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from rocch.arrays import FloatArray

pytestmark = pytest.mark.filterwarnings("ignore::rocch.PositiveClassWarning")  # random labels

SLOW_ENOUGH = settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])


@given(case=cases(largest=60, buckets=(8, 64)))
@SLOW_ENOUGH
def test_compiled_loops_give_the_same_hulls(case: Case, folder: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(SAVES_A_SECOND, "passes", 0)
        check("DuckDB", case, folder)


@pytest.mark.parametrize("engine", ["Polars", "DuckDB", "pandas"])
@given(case=cases(largest=60, buckets=(16, 64)))
@SLOW_ENOUGH
def test_held_rows_give_the_same_hulls(engine: str, case: Case, folder: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel, "FETCH", 2)
        check(engine, case, folder)


@pytest.mark.parametrize("weight", [None, "w"])
@pytest.mark.parametrize("engine", ["Polars", "DuckDB", "pandas", "Dask"])
def test_held_rows_of_groups_are_kept_apart(
    engine: str, weight: str | None, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    generator = np.random.default_rng(41)
    scores = np.round(generator.normal(size=900), 2)
    rows = table(
        {
            "y": noisy_labels(scores, 42),
            "s": scores,
            "t": np.round(scores + generator.normal(size=900), 1),
            "w": generator.integers(0, 5, 900) / 4,
            "g": generator.choice(["a", "b", "c"], 900),
        }
    )
    monkeypatch.setattr(kernel, "FETCH", 8)
    held: list[int] = []
    keep = local.Reader._in_memory

    def hold(*asked: Any) -> Any:
        held.append(1)
        return keep(*asked)

    monkeypatch.setattr(local.Reader, "_in_memory", hold)
    frame = ENGINES[engine](parts(rows, (200, 500)), folder)
    hulls = rocch.scale.scan(frame, label="y", scores=["s", "t"], weight=weight, buckets=800).hull(
        by="g"
    )
    assert held == ([1] if weight is None else [])  # weights are counted by score at once
    for key, hull in hulls.items():
        mine = rows.filter(pa.compute.equal(rows["g"], key))
        assert_identical(hull, in_memory(mine, label="y", scores=["s", "t"], weight=weight))


@pytest.mark.parametrize("engine", ["Polars, lazy", "DuckDB"])
def test_rows_that_fit_the_budget_need_one_pass_more(
    engine: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel, "FETCH", 16)
    told: list[rocch.scale.Work] = []
    scores = np.random.default_rng(43).normal(size=20_000)
    rows = table({"y": noisy_labels(scores, 44), "s": scores})
    hull = rocch.scale.scan(
        ENGINES[engine]([rows], folder), label="y", scores="s", buckets=16_000, progress=told.append
    ).hull()
    assert_identical(hull, in_memory(rows, label="y", scores=["s"]))
    assert [work.passes for work in told] == [1, 2, 3]
    assert 16 < told[2].moved - told[1].moved <= 16_000  # rows that were held


def test_rows_that_change_before_they_are_held_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(kernel, "FETCH", 16)
    connection = duckdb.connect()
    connection.register("first", laid_out("normal"))
    connection.execute("create table judged as select * from first")

    def progress(work: Any) -> None:
        if work.passes == 2:
            connection.execute("update judged set y = not y")

    with pytest.raises(rocch.InputError, match="the same rows in every pass"):
        rocch.scale.scan(
            connection.table("judged"), label="y", scores="s", buckets=1024, progress=progress
        ).hull()


@pytest.mark.parametrize(("low", "high"), [(0, 1), (-1, 1)])
def test_whole_labels_of_either_kind(low: int, high: int, folder: Path) -> None:
    rows = laid_out("normal")
    labels = pa.array(np.where(rows["y"], high, low).astype(np.int8))
    hull = rocch.scale.scan(
        ENGINES["DuckDB"]([rows.set_column(0, "y", labels)], folder), label="y", scores="s"
    ).hull()
    assert_identical(hull, in_memory(rows, label="y", scores=["s"]))


@pytest.mark.parametrize(("classifiers", "buckets"), [(1, 2**22), (6, 6 * 2**20), (40, 2**24)])
def test_the_budget_grows_with_the_classifiers_up_to_a_bound(
    classifiers: int, buckets: int
) -> None:
    names = [f"s{i}" for i in range(classifiers)]
    rows = table({"y": [0, 1], **{name: [0.25, 0.75] for name in names}})
    asked = ScoreTable.of(rows, ScoreColumns("y", names))
    assert refining.TableRefiner.of(asked, buckets=None, progress=None).buckets == buckets
    assert refining.TableRefiner.of(asked, buckets=2**10, progress=None).buckets == 2**10


def many(change: Callable[[FloatArray], Any]) -> pa.Table:
    """Return more rows than are counted by score at once; their scores are read by the count."""
    scores = np.random.default_rng(45).normal(size=kernel.FETCH + 1000)
    return pa.table({"y": noisy_labels(scores, 46), "s": change(scores)})


@pytest.mark.parametrize("buckets", [None, 2000])
@pytest.mark.parametrize(
    "change",
    [
        lambda s: s,
        np.sort,
        lambda s: np.where(s > 1, np.inf, np.where(s < -1, -np.inf, s)),
        lambda s: np.where(np.arange(s.size) < 30_000, np.inf, s),
        lambda s: np.sign(s) * 10.0 ** (90 * s.clip(-3, 3)),
    ],
    ids=["normal", "sorted", "infinite ends", "an infinite head", "wide"],
)
def test_the_head_of_a_table_may_be_unlike_the_rest(
    change: Callable[[FloatArray], FloatArray], buckets: int | None, folder: Path
) -> None:
    rows = many(change)
    frame = ENGINES["DuckDB"]([rows], folder)
    hull = rocch.scale.scan(frame, label="y", scores="s", buckets=buckets).hull()
    assert_identical(hull, in_memory(rows, label="y", scores=["s"]))


@pytest.mark.parametrize("sign", [1, -1])
def test_the_largest_double_and_infinity_may_share_a_bucket(sign: int, folder: Path) -> None:
    ends = np.array([np.finfo(float).max, np.inf])
    rows = many(lambda s: np.where(np.arange(s.size) < 60_000, s, sign * ends[(s > 0).astype(int)]))

    def progress(work: Any) -> None:
        assert work.passes < 10

    hull = rocch.scale.scan(
        ENGINES["DuckDB"]([rows], folder), label="y", scores="s", buckets=2000, progress=progress
    ).hull()
    assert_identical(hull, in_memory(rows, label="y", scores=["s"]))


@pytest.mark.parametrize(
    "change",
    [
        lambda s: np.where(np.arange(s.size) == s.size - 3, np.nan, s),
        lambda s: pa.array(s, mask=np.arange(s.size) == s.size - 3),
    ],
    ids=["NaN", "null"],
)
def test_missing_scores_that_only_the_count_meets_are_named(
    change: Callable[[FloatArray], Any], folder: Path
) -> None:
    frame = ENGINES["DuckDB"]([many(change)], folder)
    with pytest.raises(rocch.InputError, match=r"scores\['s'\] must have no missing .* got 1 null"):
        rocch.scale.scan(frame, label="y", scores="s").hull()


def test_a_frame_may_be_empty(folder: Path) -> None:
    rows = many(lambda s: s)
    frame = ENGINES["DuckDB"]([rows.slice(0, 0), rows], folder)
    hull = rocch.scale.scan(frame, label="y", scores="s").hull()
    assert_identical(hull, in_memory(rows, label="y", scores=["s"]))


@pytest.mark.parametrize("change", ["delete from judged", "update judged set s = s * 1e6"])
def test_rows_that_are_gone_or_elsewhere_when_they_are_fetched_are_refused(
    change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection = duckdb.connect()
    connection.register("first", many(lambda s: s))
    monkeypatch.setattr(kernel, "FETCH", 16)
    connection.execute("create table judged as select * from first")

    def progress(work: Any) -> None:
        if work.passes == 2:
            connection.execute(change)

    with pytest.raises(rocch.InputError, match="the same rows in every pass"):
        rocch.scale.scan(
            connection.table("judged"), label="y", scores="s", progress=progress
        ).hull()
