"""AUCs from frames are those of the rows in memory, or between bounds around them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rocch
from rocch.scale import frame as areas
from tests.support import scans
from tests.support.cut_rows import Cut, cut_rows
from tests.support.engines import connected

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocch.scale import FrameAuc, Work

Columns = dict[str, Any]


def in_duckdb(columns: Columns) -> Any:
    connection = connected()
    connection.register("rows", pd.DataFrame(columns))
    connection.execute("CREATE TABLE t AS SELECT * FROM rows")
    return connection.table("t")


def in_parts(columns: Columns) -> Any:
    """Return rows in two frames of different engines."""
    half = len(columns["y"]) // 3
    first = pl.DataFrame({name: column[:half] for name, column in columns.items()})
    return [first, pd.DataFrame({name: column[half:] for name, column in columns.items()})]


ENGINES = {"duckdb": in_duckdb, "polars": pl.LazyFrame, "pandas": pd.DataFrame, "parts": in_parts}

engines = pytest.mark.parametrize("engine", ENGINES.values(), ids=list(ENGINES))


def columns_of(rows: int, *, share: float = 0.3, seed: int = 0) -> Columns:
    rng = np.random.default_rng(seed)
    y = rng.random(rows) < share
    return {"y": y, "good": rng.normal(size=rows) + 2 * y, "poor": rng.normal(size=rows) + 0.1 * y}


def ask(frame: Any, **options: Any) -> tuple[dict[str, FrameAuc], list[Work]]:
    told: list[Work] = []
    return scans.auc(frame, label="y", progress=told.append, **options), told


def check_exact(found: FrameAuc, y: Any, scores: Any) -> None:
    truth = rocch.stats.auc_interval(y, scores)
    assert found.exact
    assert found.value == truth.value == rocch.auc(y, scores)
    assert found.standard_error == truth.standard_error
    assert found.interval() == truth.interval
    assert (found.totals.negatives, found.totals.positives) == (sum(~y), sum(y))


@engines
def test_exact_aucs_are_those_of_the_rows(engine: Callable[[Columns], Any]) -> None:
    columns = columns_of(3000)
    found, told = ask(engine(columns), scores=["good", "poor"], buckets=1500)
    assert list(found) == ["good", "poor"]
    for name, auc in found.items():
        check_exact(auc, columns["y"], columns[name])
    # a survey, some buckets, and the rest of 6,000 scores in lots of at most 1,500
    assert [work.passes for work in told] == list(range(1, len(told) + 1))
    assert len(told) in range(4, 8)
    moved = np.diff([work.moved for work in told])
    assert moved.max() <= 1500


@engines
def test_brackets_are_as_narrow_as_asked_for(engine: Callable[[Columns], Any]) -> None:
    columns = columns_of(80_000)
    found, told = ask(engine(columns), scores=["good", "poor"], width=0.01)
    for name, auc in found.items():
        assert not auc.exact
        assert auc.high - auc.low <= 0.01
        truth = rocch.stats.auc_interval(columns["y"], columns[name])
        assert auc.low <= truth.value <= auc.high
        assert auc.variance_low is not None
        assert auc.variance_high is not None
        assert auc.variance_low <= truth.standard_error**2 <= auc.variance_high
    assert len(told) == 2
    assert told[-1].moved < 3200


@settings(max_examples=15)
@given(cut_rows(30), st.integers(8, 24))
def test_any_budget_gives_the_same(cut: Cut, buckets: int) -> None:
    labels, scores, _ = cut
    frame = pl.DataFrame({"y": labels, "s": scores})
    found, _ = ask(frame, buckets=buckets)
    check_exact(found["s"], np.array(labels), scores)


@settings(max_examples=15)
@given(cut_rows(30), st.integers(8, 24), st.floats(1e-6, 0.999))
def test_any_bracket_holds_the_truth(cut: Cut, buckets: int, width: float) -> None:
    labels, scores, _ = cut
    found, _ = ask(pl.DataFrame({"y": labels, "s": scores}), buckets=buckets, width=width)
    auc = found["s"]
    assert auc.low <= rocch.auc(labels, scores) <= auc.high
    assert auc.exact or auc.high - auc.low <= width


def extreme(kind: str, y: Any) -> Any:
    rng = np.random.default_rng(5)
    normal, sign = rng.normal(size=y.size), np.where(y, 1, -1)
    kinds = {
        "ties": np.round(normal + y, 1),
        "one score": np.zeros(y.size),
        "signed zeros": np.copysign(0.0, normal),
        "infinities": sign * np.where(rng.random(y.size) < 0.1, np.inf, normal),
        "magnitudes": 10.0 ** rng.uniform(-300, 300, y.size) * np.sign(normal),
        "neighbors": 1 + rng.integers(0, 900, y.size) * 2.0**-52,
        "sorted": np.sort(rng.exponential(size=y.size)) ** 4,
        "apart": sign * rng.uniform(1, 2, y.size),
    }
    return kinds[kind]


@pytest.mark.parametrize(
    "kind",
    [
        "ties",
        "one score",
        "signed zeros",
        "infinities",
        "magnitudes",
        "neighbors",
        "sorted",
        "apart",
    ],
)
def test_extreme_scores(kind: str) -> None:
    y = np.random.default_rng(6).random(2000) < 0.4
    scores = extreme(kind, y)
    frame = pl.DataFrame({"y": y, "s": scores})
    exact, _ = ask(frame, buckets=256)
    check_exact(exact["s"], y, scores)
    bracket, _ = ask(frame, buckets=256, width=0.02)
    assert bracket["s"].low <= exact["s"].value <= bracket["s"].high
    assert bracket["s"].high - bracket["s"].low <= 0.02


@pytest.mark.parametrize("unit", [1.0, 0.1])
def test_weighted_rows_are_counted_in_units(unit: float) -> None:
    columns = columns_of(2000)
    weights = np.random.default_rng(1).integers(0, 4, 2000) * unit
    curve = rocch.RocCurve.from_scores(columns["y"], columns["good"], sample_weight=weights)
    frame = in_duckdb({**columns, "w": weights})
    exact, _ = ask(frame, scores="good", weight="w", buckets=300)
    assert exact["good"].value == curve.auc
    assert exact["good"].totals.unit == curve.totals.unit
    assert exact["good"].totals.negatives == curve.totals.negatives
    assert exact["good"].variance_low is None
    bracket, _ = ask(frame, scores="good", weight="w", buckets=300, width=0.01)
    assert bracket["good"].low <= curve.auc <= bracket["good"].high
    assert bracket["good"].high - bracket["good"].low <= 0.01


def test_a_small_table_is_read_at_once() -> None:
    columns = columns_of(500)
    for width in (None, 0.5):
        found, told = ask(pl.DataFrame(columns), scores="good", width=width)
        check_exact(found["good"], columns["y"], columns["good"])
        assert len(told) == 2


def test_a_width_that_takes_too_many_cells_is_answered_exactly(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    columns = columns_of(3000)
    monkeypatch.setattr(areas, "MOST_BUCKETS", 1000)
    found, told = ask(pl.DataFrame(columns), scores="good", width=1e-4, buckets=1000)
    check_exact(found["good"], columns["y"], columns["good"])
    assert np.diff([work.moved for work in told]).max() <= 1000


def test_names_labels_and_missing_rows() -> None:
    columns = columns_of(400)
    text = np.where(columns["y"], "ill", "well")
    scores = np.where(np.arange(400) == 7, np.nan, columns["good"])
    frame = pd.DataFrame({"y": text, "s": scores, "other": text})
    found, _ = ask(frame, scores={"gbm": "s"}, pos_label="ill", drop_nulls=True)
    kept = np.arange(400) != 7
    check_exact(found["gbm"], columns["y"][kept], scores[kept])
    with pytest.raises(rocch.InputError, match="1 null or NaN in 's'"):
        ask(frame, scores="s", pos_label="ill")


@pytest.mark.parametrize("width", [0, 1, -0.1, 5, "narrow", True, np.nan, [0.1]])
def test_bad_widths_are_refused(width: Any) -> None:
    with pytest.raises(rocch.InputError, match=r"width must be a number between 0 and 1.* or None"):
        ask(pl.DataFrame(columns_of(10)), width=width)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scores": ["bad"]}, "bad"),
        ({"weight": "bad"}, "bad"),
        ({"buckets": 1}, "buckets must be a whole number, at least 2"),
        ({"buckets": 3}, "buckets must be at least 16, 8 for each classifier"),
        ({"drop_nulls": "yes"}, "drop_nulls must be True or False"),
        ({"pos_label": "x"}, "pos_label must be of the type of the labels"),
    ],
)
def test_bad_options_are_refused(options: dict[str, Any], message: str) -> None:
    columns = columns_of(50)
    frame = pl.DataFrame({**columns, "y": columns["y"].astype(int)})
    with pytest.raises(rocch.InputError, match=message):
        ask(frame, **options)
    with pytest.raises(rocch.InputError, match="progress must be a function of the work done"):
        rocch.scale.scan(frame, label="y", progress="bar").auc()  # type: ignore[arg-type]


@pytest.mark.parametrize(("positive", "which"), [(True, "positives"), (False, "negatives")])
@pytest.mark.parametrize("width", [None, 0.1])
def test_a_class_without_weight_is_refused(positive: bool, which: str, width: float | None) -> None:
    columns = columns_of(50)
    frame = pl.DataFrame({**columns, "w": (columns["y"] != positive).astype(float)})
    with pytest.raises(
        rocch.InputError, match=f"both classes some weight; got zero for the {which}"
    ):
        ask(frame, scores="good", weight="w", width=width)


def test_one_class_is_refused() -> None:
    with pytest.raises(rocch.InputError, match="hold both classes"):
        ask(pl.DataFrame({"y": [1, 1], "s": [0.1, 0.2]}))
