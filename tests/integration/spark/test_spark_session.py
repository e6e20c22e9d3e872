"""Spark itself: that it starts, computes, and is missed visibly where it is not there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support import spark_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_spark_computes(spark: SparkSession) -> None:
    assert spark.range(10).selectExpr("sum(id)").first()[0] == 45  # type: ignore[index]


def test_without_java_there_is_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    assert spark_session.absent() == "no java on the PATH"


@pytest.mark.parametrize(("needed", "outcome"), [("1", "Failed"), ("0", "Skipped")])
def test_what_is_missed_fails_only_where_it_is_required(
    monkeypatch: pytest.MonkeyPatch, needed: str, outcome: str
) -> None:
    monkeypatch.setenv("ROCCH_NEED_JAVA", needed)
    with pytest.raises(BaseException, match="no java") as missed:
        spark_session.missed("no java")
    assert type(missed.value).__name__ == outcome
