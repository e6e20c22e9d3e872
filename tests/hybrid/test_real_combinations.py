"""Combinations of real scores; skipped where the data folder is absent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import rocch
from rocch.hybrid.gain import RowBatch
from rocch.rows import ScoredRows

DATA = Path(__file__).parents[3] / "shared" / "data"

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason=f"no data folder {DATA.name} beside us")


def hiv() -> tuple[Any, dict[str, Any], Any]:
    table = pd.read_csv(DATA / "scores_rocr_hiv_wide.csv")
    scores = {model: table[model].to_numpy() for model in ("nn", "svm")}
    return (table["label"] == 1).to_numpy(), scores, table["fold"].to_numpy()


def test_folds_find_and_other_folds_confirm() -> None:
    y, scores, fold = hiv()
    result = rocch.hybrid.find_combinations(y, scores, find=fold % 2 == 0)
    assert result.singles is not None
    assert result.hull.auc >= result.singles.auc
    assert len(result.found) > len(result.confirmed)
    for c in result.confirmed:
        assert c.gain is not None
        assert c.gain.exceeds(1)
        assert 1 < c.running_cost < 2


def test_near_perfect_scores_leave_little_to_combine() -> None:
    table = pd.read_csv(DATA / "scores_asvspoof2019_la_dev_cm.csv")
    y = (table["label"] == 1).to_numpy()
    scores = {model: table[model].to_numpy() for model in ("baseline", "fused", "lfcc")}
    result = rocch.hybrid.find_combinations(y, scores)
    assert result.hull.auc >= 0.9999
    kept = rocch.hybrid.simplest_subset(y, scores)
    assert "lfcc" in kept  # it separates all but a handful alone
    assert "fused" not in kept


def test_markers_of_patients_can_be_labels_too() -> None:
    table = pd.read_csv(DATA / "scores_proc_asah.csv")
    scores = {
        "wfns": table["wfns"].to_numpy() >= 3,
        "s100b": table["s100b"].to_numpy(),
        "ndka": table["ndka"].to_numpy(),
    }
    result = rocch.hybrid.find_combinations(table["outcome"], scores, pos_label="Poor")
    sample = ScoredRows.of(table["outcome"], scores, pos_label="Poor")
    for c in result.found:
        lazy = c.expression.alarms(RowBatch(sample))
        assert lazy.shape == (113,)
        assert np.count_nonzero(lazy) > 0
