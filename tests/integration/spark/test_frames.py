"""A real Spark gives the hull that the rows have in memory, to the last bit."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings

import rocch
from rocch.kernels.cuts import magnitudes
from rocch.scale.engines import collect, with_magnitudes
from tests.support.engines import assert_identical, in_memory, parts, plain, spark_frame, table
from tests.support.judged_frames import Case, cases, laid_out, noisy_labels, powers_and_beside

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder that all examples of a property may write to."""
    return tmp_path_factory.mktemp("frames")


def hard_columns(size: int = 150) -> dict[str, Any]:
    """Return scores that are hard in many ways, as doubles, singles, integers and decimals."""
    generator = np.random.default_rng(90)
    steps = generator.integers(0, 10, size)
    tiny = np.nextafter(0, 1)
    units = generator.integers(-(10**9), 10**9, size)
    return {
        "ties": steps / 4,
        "one": np.full(size, 0.25),
        "infinite": np.array([np.inf, -np.inf, 0, 1, 1.7e308, -1.7e308, 2, 3, 4, 5])[steps],
        "ulp": 1 + steps * np.spacing(1.0),
        "wide": (-1.0) ** steps * 10.0 ** generator.integers(-300, 300, size),
        "subnormal": (steps - 5) * tiny,
        "zeros": np.array([0.0, -0.0, tiny, -tiny])[steps % 4],
        "any": generator.integers(0, 2**62, size).view(np.float64),
        "single": (units / 1e9).astype(np.float32),
        "long": units * 9_007_199,
        "money": pa.array([Decimal(int(u)).scaleb(-4) for u in units]),
    }


def test_every_kind_of_score_in_one_table(spark: SparkSession, folder: Path) -> None:
    columns = hard_columns()
    rows = table({"y": noisy_labels(columns["any"], 91), **columns})
    frame = spark_frame(spark, parts(rows, (0, 5, 5, 140)), folder)  # skewed, and two are empty
    assert frame.rdd.getNumPartitions() >= 5
    hull = rocch.scale.scan(frame, label="y", scores=list(columns)).hull()
    assert_identical(hull, in_memory(rows, label="y", scores=list(columns)))
    few = ["ulp", "single"]  # that need several passes
    hull = rocch.scale.scan(frame, label="y", scores=few, buckets=200).hull()
    assert_identical(hull, in_memory(rows, label="y", scores=few))


def test_magnitudes_are_those_of_the_kernel(spark: SparkSession, folder: Path) -> None:
    frame = nw.from_native(spark_frame(spark, [table({"s": powers_and_beside()})], folder))
    found = collect(with_magnitudes(frame, {"along": nw.col("s")}).select("s", "along"))
    np.testing.assert_array_equal(found["along"], magnitudes(found["s"]))


@pytest.mark.parametrize("name", ["s", "S"])
def test_columns_that_spark_cannot_tell_apart_are_refused(spark: SparkSession, name: str) -> None:
    frame = spark.createDataFrame([(0, 0.1, 0.2), (1, 0.3, 0.4)], ["y", "s", name])
    with pytest.raises(rocch.InputError, match="distinct columns; got 's' more than once"):
        rocch.scale.scan(frame, label="y", scores=["s"]).hull()


@pytest.mark.parametrize("name", ["a b", "a.b", "a`b", "s.y", 'a"b', "SELECT"])
def test_odd_column_names_are_taken_as_they_are(
    spark: SparkSession, name: str, folder: Path
) -> None:
    rows = table({"y": [0, 0, 1, 1], name: [0.1, 0.4, 0.35, 0.8]})
    frame = spark_frame(spark, [rows], folder)
    hull = rocch.scale.scan(frame, label="y", scores=[name]).hull()
    assert_identical(hull, in_memory(rows, label="y", scores=[name]))


@given(case=cases(largest=24, buckets=(64,)))
@settings(max_examples=4, suppress_health_check=[HealthCheck.too_slow])
def test_hulls_are_identical(spark: SparkSession, case: Case, folder: Path) -> None:
    frame = spark_frame(spark, parts(case.rows, case.cuts), folder)
    assert_identical(rocch.scale.scan(frame, **case.arguments).hull(), case.expected())


def test_few_passes_for_scores_of_every_size(spark: SparkSession, folder: Path) -> None:
    rows = laid_out("1e-300 to 1e300")
    works: list[Any] = []
    hull = rocch.scale.scan(
        spark_frame(spark, parts(rows, (100,)), folder),
        label="y",
        scores="s",
        buckets=2048,
        progress=works.append,
    ).hull()
    assert_identical(hull, in_memory(rows, label="y", scores=["s"]))
    assert len(works) <= 8


@pytest.mark.filterwarnings("ignore::rocch.PositiveClassWarning")  # random labels
@pytest.mark.parametrize("divisor", [1, 7])
def test_groups_weights_and_texts_as_labels(
    spark: SparkSession, divisor: int, folder: Path
) -> None:
    generator = np.random.default_rng(92)
    scores = np.round(generator.normal(size=240), 2)
    labels = np.where(noisy_labels(scores, 93), "bad", "good")
    weights = generator.integers(1, 9, 240) / divisor
    country = np.array(["de", "fr", "se"])[generator.integers(0, 3, 240)]
    rows = table({"y": labels, "s": scores, "t": -(scores**3), "w": weights, "c": country})
    frame = spark_frame(spark, parts(rows, (80, 80)), folder)
    asked: dict[str, Any] = {"label": "y", "scores": ["s", "t"], "pos_label": "bad", "weight": "w"}
    hulls = rocch.scale.scan(frame, **asked).hull(by="c")
    assert set(hulls) == {"de", "fr", "se"}
    for name, hull in hulls.items():
        assert_identical(hull, in_memory(rows.filter(pa.array(country == name)), **asked))


def test_texts_that_imply_the_positive_class(spark: SparkSession, folder: Path) -> None:
    rows = broken(y=["no", "No", "yes", "YES"])
    hull = rocch.scale.scan(spark_frame(spark, [rows], folder), label="y", scores="s").hull()
    assert_identical(hull, in_memory(rows, label="y", scores=["s"]))


def test_spark_and_other_frames_count_as_one_table(spark: SparkSession, folder: Path) -> None:
    rows = laid_out("a few ties")
    first, second = parts(rows, (1500,))
    frames = [spark_frame(spark, [first], folder), pl.DataFrame(second)]
    hull = rocch.scale.scan(frames, label="y", scores="s").hull()
    assert_identical(hull, in_memory(rows, label="y", scores=["s"]))


def test_summaries_areas_and_counts(spark: SparkSession, folder: Path) -> None:
    rows = laid_out("normal")
    first, second = parts(rows, (1500,))
    frame = spark_frame(spark, parts(first, (10,)), folder)
    asked: dict[str, Any] = {"label": "y", "scores": "s"}
    merged = (
        rocch.scale.scan(frame, **asked).summary()
        + rocch.scale.scan(pl.DataFrame(second), **asked).summary()
    )
    refined = merged.refine([frame, pl.DataFrame(second)])
    assert_identical(refined.hull(), in_memory(rows, label="y", scores=["s"]))
    area = rocch.scale.scan(frame, **asked).auc()["s"]
    assert area.value == rocch.auc(plain(first, "y"), plain(first, "s"))
    (point,) = rocch.scale.scan(frame, label="y", scores=["s"]).counts({"s": [0.5]})["s"]
    assert point.true_positives == np.count_nonzero(plain(first, "y") & (plain(first, "s") >= 0.5))


def broken(**changes: Any) -> pa.Table:
    columns: dict[str, Any] = {"y": [0, 0, 1, 1], "s": [0.1, 0.4, 0.35, 0.8], "w": [1.0, 2, 3, 1]}
    return table({**columns, **changes})


MISTAKES: list[tuple[dict[str, Any], dict[str, Any], str, str]] = [
    ({}, {"label": "z"}, "label", "'y', 's', 'w'"),
    ({}, {"scores": "q"}, "scores", "'q'"),
    ({"s": list("1234")}, {}, "scores", "'s'"),
    ({"s": [0.1, None, 0.2, float("nan")]}, {}, "scores", "set drop_nulls"),
    ({"y": [0, None, 1, float("nan")]}, {}, "label", "got 2 null or NaN in 'y'"),
    ({"w": [1, None, 1, float("nan")]}, {"weight": "w"}, "weight", "got 2 null or NaN in 'w'"),
    ({"y": [1, 1, 1, 1]}, {}, "label", "class"),
    ({"y": list("nnpp")}, {}, "pos_label", "'n', 'p'"),
    ({"w": [1, 2, -3, 1]}, {"weight": "w"}, "weight", "negative"),
    ({"w": [1, 2, 5e-324, 1]}, {"weight": "w"}, "weight", "got 1 other weight in 'w'"),
    ({"w": [0, 0, 3, 1]}, {"weight": "w"}, "weight", "both classes some weight"),
    ({"s": [2**53, 1, 3, 4]}, {}, "scores", "2**53"),
]


@pytest.mark.parametrize(("changes", "asked", "argument", "said"), MISTAKES)
def test_mistakes_are_named(
    spark: SparkSession,
    folder: Path,
    changes: dict[str, Any],
    asked: dict[str, Any],
    argument: str,
    said: str,
) -> None:
    frame = spark_frame(spark, [broken(**changes)], folder)
    with pytest.raises(rocch.InputError) as caught:
        rocch.scale.scan(frame, **{"label": "y", "scores": "s", **asked}).hull()
    assert argument in str(caught.value.argument)
    assert said in str(caught.value)


def test_truth_values_are_scores(spark: SparkSession, folder: Path) -> None:
    frame = spark_frame(spark, [broken(s=[False, True, True, True])], folder)
    hull = rocch.scale.scan(frame, label="y", scores="s", weight="w").hull()
    expected = in_memory(broken(s=[0, 1, 1, 1]), label="y", scores=["s"], weight="w")
    assert_identical(hull, expected)


@pytest.mark.parametrize(("last", "fine"), [("0.12345678901234567891", False), ("0.3", True)])
def test_decimals_must_stay_distinct(
    spark: SparkSession, folder: Path, last: str, fine: bool
) -> None:
    scores = [Decimal(text) for text in ("0.12345678901234567890", "0.5", "0.75", last)]
    rows = broken(s=pa.array(scores, pa.decimal128(38, 20)))
    frame = spark_frame(spark, [rows], folder)
    if fine:
        assert rocch.scale.scan(frame, label="y", scores="s").hull().totals.positives == 2
        return
    with pytest.raises(rocch.InputError, match="stay distinct as doubles"):
        rocch.scale.scan(frame, label="y", scores="s").hull()


def test_nulls_and_nan_are_dropped_when_asked(spark: SparkSession, folder: Path) -> None:
    """For Spark NaN is a number above infinity; it must not slip through as one."""
    rows = broken(s=[0.1, 0.4, None, 0.8], t=[1.0, float("nan"), 2.0, 3.0], y=[0, 0, 1, 1])
    more = table({"y": [0, 1], "s": [0.5, 0.6], "w": [1.0, 1.0], "t": [float("inf"), 0.0]})
    whole = pa.concat_tables([rows, more])
    frame = spark_frame(spark, [rows, more], folder)
    hull = rocch.scale.scan(frame, label="y", scores=["s", "t"], drop_nulls=True).hull()
    kept = whole.take(pa.array([0, 3, 4, 5]))
    assert_identical(hull, in_memory(kept, label="y", scores=["s", "t"]))


def unsteady(spark: SparkSession) -> DataFrame:
    """Return rows whose scores are other ones in every scan."""
    from pyspark.sql import functions as f

    drawn = f.expr("cast(java_method('java.lang.Math', 'random') as double)")
    return spark.range(3000).select((f.col("id") % 3 == 0).alias("y"), drawn.alias("s"))


def test_rows_that_change_in_every_scan_are_refused(spark: SparkSession) -> None:
    with pytest.raises(rocch.InputError, match="chang"):
        rocch.scale.scan(unsteady(spark), label="y", scores="s", buckets=64).hull()


def test_random_columns_with_a_seed_of_their_own_are_answered(spark: SparkSession) -> None:
    """Spark draws the seed when the column is written, so every scan sees the same rows."""
    from pyspark.sql import functions as f

    frame = spark.range(3000).select((f.col("id") % 3 == 0).alias("y"), f.rand().alias("s"))
    seen = [(row.y, row.s) for row in frame.collect()]
    hull = rocch.scale.scan(frame, label="y", scores="s", buckets=256).hull()
    expected = rocch.RocHull.from_scores([y for y, _ in seen], {"s": [s for _, s in seen]})
    assert_identical(hull, expected)


def test_the_auc_is_that_of_the_rows(spark: SparkSession) -> None:
    rng = np.random.default_rng(0)
    y = rng.random(800) < 0.3
    scores = np.round(rng.normal(size=800) + y, 3)
    frame = spark.createDataFrame(pd.DataFrame({"y": y, "s": scores}))
    works: list[rocch.scale.Work] = []
    found = rocch.scale.scan(frame, label="y", buckets=600, progress=works.append).auc()["s"]
    truth = rocch.stats.auc_interval(y, scores)
    assert found.exact
    assert (found.value, found.standard_error) == (truth.value, truth.standard_error)
    assert works[-1].passes <= 4  # a survey, buckets, and one lot or two
    assert np.diff([work.moved for work in works]).max() <= 600


def test_groups_are_asked_as_if_they_were_alone(spark: SparkSession) -> None:
    rng = np.random.default_rng(1)
    y = rng.random(400) < 0.3
    columns = {"y": y, "s": np.round(rng.normal(size=400) + y, 2), "g": rng.integers(0, 2, 400)}
    rows = pl.DataFrame(columns).with_columns(w=pl.lit(0.5))
    scan = rocch.scale.scan(
        spark.createDataFrame(rows.to_pandas()), label="y", scores="s", weight="w"
    )
    for group in (0, 1):
        alone = rocch.scale.scan(rows.filter(g=group), label="y", scores="s", weight="w")
        assert scan.auc(by="g")[group] == alone.auc()
        assert scan.counts({"s": [0.5]}, by="g")[group] == alone.counts({"s": [0.5]})
