"""A real Spark for the tests of this folder."""

from tests.support.spark_session import spark as spark
