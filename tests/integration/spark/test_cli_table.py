"""Tables of Spark's on the command line: a real session, in this process."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocch.cli import spark_table
from tests.support.commands import without_aucs

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

    from tests.conftest import Answer, Refusal


LABEL = ("--label", "y")


@pytest.mark.timeout(300)
def test_paths_and_tables_give_the_hull_of_the_rows(
    spark: SparkSession, answer: Answer, scores_parquet: Path
) -> None:
    memory = without_aucs(answer("hull", scores_parquet, *LABEL))
    assert without_aucs(answer("hull", "--spark", scores_parquet, *LABEL)) == memory
    spark.read.parquet(str(scores_parquet)).createOrReplaceTempView("judged")
    best = ("--prevalence", "0.2", "--false-positive", "1", "--false-negative", "9")
    one, other = (
        answer("best", *where, *LABEL, *best)["choice"]["mix"]
        for where in ((scores_parquet,), ("--spark", "judged"))
    )
    assert one == other
    assert spark.sparkContext._jsc is not None  # it was there before, and is left alone


@pytest.mark.timeout(300)
def test_several_count_as_one_table(spark: SparkSession, scores_parquet: Path) -> None:
    spark.read.parquet(str(scores_parquet)).createOrReplaceTempView("judged")
    with spark_table.spark_table(["judged", str(scores_parquet)]) as frames:
        assert [frame.count() for frame in frames] == [120, 120]


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("named", "says"),
    [
        ("no_such.table", "TABLE_OR_VIEW_NOT_FOUND"),
        ("./none.parquet", "PATH_NOT_FOUND"),
        ("no such name", "Spark cannot do it"),
    ],
)
def test_what_spark_does_not_find_gets_one_line(
    spark: SparkSession, refusal: Refusal, named: str, says: str
) -> None:
    assert spark is not None
    assert says in refusal("hull", "--spark", named, *LABEL)


@pytest.mark.timeout(300)
def test_bad_columns_get_one_line(
    spark: SparkSession, refusal: Refusal, scores_parquet: Path
) -> None:
    assert spark is not None
    line = refusal("hull", "--spark", scores_parquet, "--label", "target")
    assert line.startswith("--label must name a column of the data; got 'target'.")


@pytest.mark.timeout(300)
def test_a_truncated_file_gets_one_line(
    spark: SparkSession, refusal: Refusal, scores_parquet: Path
) -> None:
    assert spark is not None
    scores_parquet.write_bytes(scores_parquet.read_bytes()[:-20])
    assert "Spark" in refusal("hull", "--spark", scores_parquet, *LABEL)
