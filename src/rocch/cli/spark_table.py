"""A table of Spark's, by the session that the environment describes."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rocch.cli.output import is_shown
from rocch.errors import InputError, missing_extra

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


@contextmanager
def spark_table(named: Sequence[str]) -> Iterator[Any]:
    """Yield the tables and paths as one frame, or a list of frames that count as one.

    A session that is there is used and left alone; another is begun as spark-submit or Spark's own
    configuration says, and ended.
    """
    spark = _pyspark()
    ours = spark.sql.SparkSession.getActiveSession() is None
    session: Any = None
    try:
        session = _begun(spark) if ours else spark.sql.SparkSession.getActiveSession()
        yield _frames(session, named)
    except spark.errors.PySparkException as error:
        raise InputError(f"Spark cannot do it: {_line(str(error))}.") from None
    except Exception as error:
        if not type(error).__module__.startswith("py4j"):
            raise
        raise InputError(f"Spark failed: {_cause(error)}.") from None
    finally:
        if ours and session is not None:
            session.stop()


def _pyspark() -> Any:
    with warnings.catch_warnings():
        # it warns of a pandas newer than itself, of which nothing is used here
        warnings.simplefilter("ignore", FutureWarning)
        try:
            import pyspark.errors
            import pyspark.sql
        except ImportError:
            raise missing_extra("spark", "Reading with Spark") from None
    return pyspark


def _begun(spark: Any) -> Any:
    """Begin a session; Spark's own bar shows how far each pass has got."""
    shown = str(is_shown()).lower()
    builder = spark.sql.SparkSession.builder.appName("rocch")
    session = builder.config("spark.ui.showConsoleProgress", shown).getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return session


def _frames(session: Any, named: Sequence[str]) -> Any:
    paths = [name for name in named if is_path(name)]
    frames = [session.read.parquet(*paths)] if paths else []
    frames += [session.table(name) for name in named if not is_path(name)]
    return frames[0] if len(frames) == 1 else frames


def is_path(name: str) -> bool:
    """Say whether a name is that of files; `catalogue.schema.table` is a table's."""
    return "/" in name or name.endswith(".parquet") or Path(name).exists()


def _line(text: str) -> str:
    return text.strip().splitlines()[0].strip().rstrip(".:;")


def _cause(error: Any) -> str:
    """Return what went wrong at the bottom of a Java exception."""
    cause = error.java_exception if hasattr(error, "java_exception") else None
    while cause is not None and cause.getCause() is not None:
        cause = cause.getCause()
    return _line(str(error) if cause is None else str(cause.toString()))
