"""Multi-class AUCs of published scores.

The file is not part of the project; where the data folder is absent these tests are skipped.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

import rocch

DATA = Path(__file__).parents[3] / "shared" / "data"
CLASSES = ["F", "L", "M", "VF"]

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason=f"no data folder {DATA.name} beside us")


def test_hpc_scores_have_their_known_auc() -> None:
    with (DATA / "scores_hpc_cv_multiclass.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    y = [row["obs"] for row in rows]
    probabilities = np.array([[float(row[name]) for name in CLASSES] for row in rows])
    probabilities /= probabilities.sum(axis=1, keepdims=True)  # as scikit-learn asks for
    found = rocch.multiclass.multiclass_auc(y, probabilities)
    assert found.hand_till.value == pytest.approx(0.8289, abs=5e-5)
    for kind, average, value in (
        ("ovo", "macro", found.hand_till.value),
        ("ovr", "weighted", found.total.value),
        ("ovr", "macro", found.macro.value),
    ):
        theirs = roc_auc_score(y, probabilities, multi_class=kind, average=average)
        assert value == pytest.approx(theirs, abs=1e-13)
    assert found.hand_till.interval is not None
    low, high = found.hand_till.interval
    assert 0.81 < low < 0.8289 < high < 0.85
    assert {found.pairs[0].first, found.pairs[0].second} == {"F", "M"}
