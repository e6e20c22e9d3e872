"""A real Spark, local: one Java machine for each process of tests, started when first asked for."""

from __future__ import annotations

import functools
import os
import shutil
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING, NoReturn

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SETTINGS = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "1g",
    # light compiling and collecting: starting takes half the time, and the tests are short
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "3",
    "spark.sql.session.timeZone": "UTC",
}


def absent() -> str | None:
    """Return why there can be no Spark here, if so."""
    if find_spec("pyspark") is None:
        return "pyspark is not installed"
    if shutil.which("java") is None and not os.environ.get("JAVA_HOME"):
        return "no java on the PATH"
    return None


@functools.cache
def started() -> SparkSession:
    """Return the session, started once; it ends with the process."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2]").appName("rocch tests")
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return session


def missed(reason: str) -> NoReturn:
    """Skip visibly, or fail where Spark is required."""
    if os.environ.get("ROCCH_NEED_JAVA") == "1":
        pytest.fail(f"Spark is required here: {reason}")
    pytest.skip(reason)


@pytest.fixture(scope="session")
def spark() -> SparkSession:
    """Return Spark, where it can be had."""
    reason = absent()
    if reason is not None:
        missed(reason)
    return started()
