"""The bootstrap on real score files.

The files are not part of the project; where the data folder is absent these tests are skipped.
The same behavior is tested elsewhere on generated data.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import rocch

if TYPE_CHECKING:
    from rocch.arrays import BoolArray, FloatArray

DATA = Path(__file__).parents[3] / "shared" / "data"

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason=f"no data folder {DATA.name} beside us")


def table(name: str, models: list[str]) -> tuple[BoolArray, dict[str, FloatArray]]:
    with (DATA / name).open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    y = np.array([float(row["label"]) == 1 for row in rows])
    return y, {model: np.array([float(row[model]) for row in rows]) for model in models}


def test_replicates_of_the_hiv_scores_equal_repeated_rows() -> None:
    y, scores = table("scores_rocr_hiv_wide.csv", ["nn", "svm"])
    drawn = rocch.stats.bootstrap(y, scores, replicates=10)
    for r in range(10):
        times = drawn.replicate(r).multiplicities
        repeated = {model: np.repeat(column, times) for model, column in scores.items()}
        hull = rocch.RocHull.from_scores(np.repeat(y, times), repeated)
        assert np.array_equal(drawn.hull()[r], (hull.false_positives, hull.true_positives))
        assert set(hull.winners) == {
            m for m, on in zip(drawn.models, drawn.holders[r], strict=True) if on
        }


def test_scores_that_separate_almost_perfectly_have_intervals_and_bands_of_some_width() -> None:
    y, scores = table("scores_asvspoof2019_la_dev_cm.csv", ["baseline", "fused", "lfcc"])
    drawn = rocch.stats.bootstrap(y, scores, replicates=100)
    for model in drawn.models:
        auc = drawn.curve(model).auc
        low, high = drawn.auc_interval(model)
        assert 0.9 < low < auc < high <= 1
        for kind in ("pointwise", "simultaneous"):
            band = drawn.band(model, kind=kind)
            assert band.contains(band.center)
            assert (band.low < band.high)[1:-1].all()
