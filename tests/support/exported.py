"""A model in service, made of columns of scores, so that tests need no models."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
from sklearn.frozen import FrozenEstimator

import rocch
from rocch.hybrid import ScoreColumn
from rocch.service.served import ServedModel, own_view
from tests.support.hybrids import as_export

COSTS: dict[str, Any] = {"prevalence": 0.3, "false_positive": 1.0, "false_negative": 2.0}


def scored_rows(
    seed: int, size: int, prevalence: float
) -> tuple[dict[str, list[float]], list[int]]:
    """Draw rows with the scores of two classifiers that cross, and their true classes."""
    rng = np.random.default_rng(seed)
    y = rng.random(size) < prevalence
    nb = np.where(y, rng.normal(2.2, 2.2, size), rng.normal(0, 1, size))
    gbm = np.where(y, rng.normal(1.6, 0.8, size), rng.normal(0, 1, size))
    return {"nb": nb.tolist(), "gbm": gbm.tolist()}, y.astype(int).tolist()


@lru_cache(maxsize=8)
def served(version: int = 1, seed: int = 0, size: int = 2000) -> ServedModel:
    """Return one whose models' scores come with each request."""
    scores, y = scored_rows(seed, size, 0.3)
    models = [(name, FrozenEstimator(ScoreColumn(name))) for name in scores]
    model = as_export(rocch.RocchClassifier(models, stack=False).fit(pd.DataFrame(scores), y))
    digest = f"{seed:02d}{version:02d}" * 16
    loaded_at = f"2026-03-0{version}T06:00:00.000Z"
    return ServedModel(own_view(model), version, digest, loaded_at=loaded_at)


def again(export: ServedModel, version: int) -> ServedModel:
    """Return the same under another number."""
    return replace(export, version=version)
