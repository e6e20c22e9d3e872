"""Limits with a confidence hold on new rows: many samples of a known truth."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

import rocch
from rocch.roc.criteria import Criterion

SAMPLES = 300
NEGATIVES, POSITIVES, SHIFT = 120, 80, 1.5
MAX_FPR, CONFIDENCE = 0.05, 0.95
# Three standard errors above the share of samples that may break a limit.
MOST_BROKEN = 0.05 + 3 * math.sqrt(0.05 * 0.95 / SAMPLES)


def draw(rng: np.random.Generator, models: int) -> tuple[Any, dict[str, Any]]:
    y = rng.permutation(np.arange(NEGATIVES + POSITIVES) >= NEGATIVES)
    return y, {f"model {i}": rng.normal(size=y.size) + SHIFT * y for i in range(models)}


def true_rates(criterion: Criterion, models: int) -> list[tuple[float, float]]:
    """Return the true FPR and TPR of the choice in each sample that has one."""
    rng = np.random.default_rng(26)
    found = []
    for _ in range(SAMPLES):
        hull = rocch.RocHull.from_scores(*draw(rng, models))
        try:
            point = hull.best(criterion).mix[0][1]
        except rocch.InfeasibleError:
            continue
        threshold = point.threshold
        assert isinstance(threshold, float)
        found.append((float(norm.sf(threshold)), float(norm.sf(threshold - SHIFT))))
    return found


@pytest.mark.parametrize("models", [1, 3])
def test_ceiling_on_fpr_holds_on_new_rows(models: int) -> None:
    plain = true_rates(rocch.NeymanPearson(MAX_FPR), models)
    sure = true_rates(rocch.NeymanPearson(MAX_FPR, confidence=CONFIDENCE), models)
    assert np.mean([fpr > MAX_FPR for fpr, _ in plain]) > 0.4
    assert np.mean([fpr > MAX_FPR for fpr, _ in sure]) <= MOST_BROKEN
    assert len(sure) > 0.95 * SAMPLES
    assert np.mean([tpr for _, tpr in sure]) > 0.2


@pytest.mark.parametrize("models", [1, 3])
def test_floor_on_tpr_holds_on_new_rows(models: int) -> None:
    plain = true_rates(rocch.MinimumTpr(0.7), models)
    sure = true_rates(rocch.MinimumTpr(0.7, confidence=CONFIDENCE), models)
    assert np.mean([tpr < 0.7 for _, tpr in plain]) > 0.4
    assert np.mean([tpr < 0.7 for _, tpr in sure]) <= MOST_BROKEN
    assert len(sure) == SAMPLES
    assert np.mean([fpr for fpr, _ in sure]) < 0.5


def test_other_rows_choose_a_model_at_no_cost_in_level() -> None:
    rng = np.random.default_rng(27)
    criterion = rocch.NeymanPearson(MAX_FPR, confidence=CONFIDENCE)
    hull, other = (rocch.RocHull.from_scores(*draw(rng, 3)) for _ in range(2))
    shared, whole = hull.best(criterion), hull.best(criterion, order=other)
    assert shared.guarantee is not None
    assert whole.guarantee is not None
    assert shared.guarantee.level == pytest.approx(0.05 / 3)
    assert whole.guarantee.level == pytest.approx(0.05)
