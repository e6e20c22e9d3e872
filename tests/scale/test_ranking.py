"""Rows are ranked in lots that fit a budget, in few passes, and from one and the same table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import polars as pl
import pytest

import rocch
from rocch.kernels.placements import auc_from_sums
from rocch.scale.refine import TableRefiner, placement_sums
from rocch.scale.table import ScoreColumns, ScoreTable
from tests.support import scans

if TYPE_CHECKING:
    from rocch.scale import Work


def rare(rows: int, positives: int) -> pl.DataFrame:
    rng = np.random.default_rng(2)
    y = np.arange(rows) % (rows // positives) == 0
    return pl.DataFrame({"y": y, "s": rng.normal(size=rows) + y})


def ranked(frame: pl.DataFrame, buckets: int) -> tuple[TableRefiner, list[Work]]:
    told: list[Work] = []
    table = ScoreTable.of(frame, ScoreColumns("y", ["s"]))
    refiner = TableRefiner.of(table, buckets=buckets, progress=told.append)
    (sums,) = placement_sums(refiner)
    positives = int(frame["y"].sum())
    found = float(auc_from_sums(sums, len(frame) - positives, positives))
    assert found == rocch.auc(frame["y"], frame["s"])
    return refiner, told


def test_a_rare_class_takes_few_passes() -> None:
    """Each positive spoils one bucket: 100,000 rows in lots of 4,000 would take 25 passes."""
    _, told = ranked(rare(100_000, 500), 4000)
    assert len(told) <= 6
    assert np.diff([work.moved for work in told]).max() <= 4000


def test_even_classes_take_one_pass_for_each_lot() -> None:
    _, told = ranked(rare(20_000, 10_000), 4000)
    assert len(told) in (7, 8)  # a survey, buckets, and 5 lots or 6: cells are not torn apart


def test_a_lot_never_has_more_rows_than_the_budget() -> None:
    """All cells have 8, 16 or 32 rows, so that lots would like to have 64."""
    rows = np.arange(1024)
    _, told = ranked(pl.DataFrame({"y": rows % 2 == 0, "s": rows / 1024}), 63)
    assert np.diff([work.moved for work in told]).max() <= 63


def test_cells_do_not_pile_up() -> None:
    refiner, told = ranked(rare(100_000, 500), 1000)
    assert told[-1].moved > 4000
    (series,) = refiner.series
    assert series.rows.sum() == 100_000
    # at most three for each positive: it, or its cell, and the negatives around it
    assert series.rows.size <= 3 * 500


def test_crowded_scores_are_cut_until_a_lot_can_hold_them() -> None:
    rng = np.random.default_rng(3)
    scores = np.concatenate((rng.random(2000), 0.5 + 1e-12 * rng.random(3000)))
    frame = pl.DataFrame({"y": rng.random(5000) < 0.5, "s": scores})
    _, told = ranked(frame, 500)
    assert np.diff([work.moved for work in told]).max() <= 500


def test_rows_without_weight_are_no_obstacle() -> None:
    rng = np.random.default_rng(4)
    y, scores = rng.random(3000) < 0.02, rng.random(3000)
    weights = np.where(rng.random(3000) < 0.5, 0, rng.integers(1, 9, 3000))
    frame = pl.DataFrame({"y": y, "s": scores, "w": weights})
    found = rocch.scale.scan(frame, label="y", scores="s", weight="w", buckets=64).auc()["s"]
    assert found.value == rocch.RocCurve.from_scores(y, scores, sample_weight=weights).auc


def disturbed(change: str, after: int, **options: Any) -> Any:
    """Ask for the AUC of a table that is changed after so many passes."""
    connection = duckdb.connect()
    connection.execute(
        "CREATE TABLE t AS SELECT i % 3 = 0 AS y, (i * 7919 % 1000) / 1000 AS s "
        "FROM range(1000) r(i)"
    )

    def disturb(work: Work) -> None:
        if work.passes == after:
            connection.execute(change)

    return scans.auc(connection.table("t"), label="y", progress=disturb, **options)["s"]


@pytest.mark.parametrize("after", [1, 2, 5])
@pytest.mark.parametrize(
    "change",
    [
        "UPDATE t SET y = NOT y",
        "UPDATE t SET s = s / 2",
        "DELETE FROM t WHERE s < 0.01",
        "DELETE FROM t",
        "INSERT INTO t SELECT true, 0.001",
    ],
)
def test_a_table_that_changes_is_noticed(change: str, after: int) -> None:
    if after == 1 and change.startswith("UPDATE t SET s"):
        # the survey knows the rows, positives and ends only: this is just the table that is ranked
        assert disturbed(change, after, buckets=200).exact
        return
    with pytest.raises(rocch.InputError, match="frame must hold the same rows in every pass"):
        disturbed(change, after, buckets=200)


def test_a_change_after_the_last_pass_does_not_matter() -> None:
    assert disturbed("DELETE FROM t", 2).exact
    assert disturbed("DELETE FROM t", 2, width=0.1) == disturbed("SELECT 1", 2, width=0.1)
