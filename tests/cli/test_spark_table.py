"""Tables of Spark's, by a session of the environment: a real one, in this process."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

from rocch import InputError
from rocch.cli import spark_table

if TYPE_CHECKING:
    from tests.conftest import Refusal

LABEL = ("--label", "y")


def test_without_the_extra_it_is_named(refusal: Refusal, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("pyspark", "pyspark.sql", "pyspark.errors"):
        monkeypatch.setitem(sys.modules, module, None)
    line = refusal("hull", "--spark", "some.table", *LABEL)
    assert "Reading with Spark needs the 'spark' extra" in line
    assert "pip install 'rocch[spark]'" in line


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("s3a://bucket/scores", True),
        ("scores/2026", True),
        ("scores.parquet", True),
        ("catalogue.schema.scores", False),
        ("scores", False),
    ],
)
def test_paths_are_told_from_tables(name: str, path: bool) -> None:
    assert spark_table.is_path(name) is path


class Session:
    """A session that notes what was asked of it."""

    def __init__(self) -> None:
        self.asked: list[Any] = []

    def __getattr__(self, name: str) -> Any:
        def noted(*given: Any) -> Session:
            self.asked.append((name, *given))
            return self

        return self if name in ("sparkContext", "builder", "read") else noted


def stand_in(monkeypatch: pytest.MonkeyPatch, error: Exception | None = None) -> Session:
    """Put a stand-in in Spark's place, which has no session yet."""
    from types import SimpleNamespace

    session = Session()
    own = SimpleNamespace(getActiveSession=lambda: None, builder=session)
    spark = SimpleNamespace(
        sql=SimpleNamespace(SparkSession=own), errors=SimpleNamespace(PySparkException=KeyError)
    )
    monkeypatch.setattr(spark_table, "_pyspark", lambda: spark)
    if error is not None:

        def fail(*_: Any) -> None:
            raise error

        monkeypatch.setattr(spark_table, "_frames", fail)
    return session


def test_a_session_that_was_begun_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    session = stand_in(monkeypatch)
    with spark_table.spark_table(["s3a://a", "b", "c/d"]):
        pass
    assert session.asked == [
        ("appName", "rocch"),
        ("config", "spark.ui.showConsoleProgress", "false"),
        ("getOrCreate",),
        ("setLogLevel", "ERROR"),
        ("parquet", "s3a://a", "c/d"),
        ("table", "b"),
        ("stop",),
    ]


class Java:
    """An exception of Java's with a cause."""

    def __init__(self, said: str, cause: Java | None = None) -> None:
        self._said, self._cause = said, cause

    def getCause(self) -> Java | None:  # noqa: N802 - Java's word
        return self._cause

    def toString(self) -> str:  # noqa: N802 - Java's word
        return self._said


def test_the_cause_of_a_failure_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    kind = type("Py4JJavaError", (Exception,), {"__module__": "py4j.protocol"})
    error = kind("at line\nat line")
    error.java_exception = Java("job aborted", Java("java.io.IOException: no disk.\nat x"))
    for raised, says in (
        (error, "Spark failed: java.io.IOException: no disk."),
        (kind("lost\nat x"), "Spark failed: lost."),
        (KeyError("odd"), "Spark cannot do it: 'odd'."),
    ):
        session = stand_in(monkeypatch, raised)
        with (
            pytest.raises(InputError, match=says.replace(".", r"\.")),
            spark_table.spark_table("a"),
        ):
            pass
        assert session.asked[-1] == ("stop",)
    stand_in(monkeypatch, ValueError("mine"))
    with pytest.raises(ValueError, match="mine"), spark_table.spark_table("a"):
        pass
