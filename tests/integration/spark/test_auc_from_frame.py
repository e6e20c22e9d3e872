"""Spark ranks the rows as NumPy does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

import rocch

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from rocch.scale import Work

lib: Any = rocch


def test_the_auc_is_that_of_the_rows(spark: SparkSession) -> None:
    rng = np.random.default_rng(0)
    y = rng.random(800) < 0.3
    scores = np.round(rng.normal(size=800) + y, 3)
    frame = spark.createDataFrame(pd.DataFrame({"y": y, "s": scores}))
    told: list[Work] = []
    found = lib.scale.scan(frame, label="y", buckets=600, progress=told.append).auc()["s"]
    truth = rocch.stats.auc_interval(y, scores)
    assert found.exact
    assert (found.value, found.standard_error) == (truth.value, truth.standard_error)
    assert told[-1].passes <= 4  # a survey, buckets, and one lot or two
    assert np.diff([work.moved for work in told]).max() <= 600
