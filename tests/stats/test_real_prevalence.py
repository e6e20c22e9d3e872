"""Real scores, resampled to other prevalences; skipped where the data folder is absent."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

import rocch

FILE = Path(__file__).parents[3] / "shared" / "data" / "scores_rocr_hiv_wide.csv"

pytestmark = pytest.mark.skipif(not FILE.is_file(), reason=f"no {FILE.name} beside us")


@pytest.mark.parametrize("model", ["nn", "svm"])
@pytest.mark.parametrize("share", [0.02, 0.6])
def test_another_prevalence_is_found_and_the_assumption_fits(model: str, share: float) -> None:
    """Half of the rows are the reference; the batch is drawn from the other half.

    Without replacement, so that both are samples of one population. Drawing with replacement
    would add the noise of that other half, of which the model rightly knows nothing.
    """
    with FILE.open(newline="") as stream:
        table = list(csv.DictReader(stream))
    y = np.array([row["label"] for row in table]) == "1"
    scores = np.array([float(row[model]) for row in table])
    rng = np.random.default_rng(12)
    covered, rejected, off = 0, 0, []
    for _ in range(20):
        order = rng.permutation(y.size)
        reference, rest = order[: y.size // 2], order[y.size // 2 :]
        curve = rocch.RocCurve.from_scores(y[reference], scores[reference], name=model)
        hits = int(rng.binomial(400, share))
        positives, negatives = rest[y[rest]], rest[~y[rest]]
        rows = np.concatenate(
            (
                rng.choice(positives, hits, replace=False),
                rng.choice(negatives, 400 - hits, replace=False),
            )
        )
        found = rocch.stats.estimate_prevalence(curve, scores[rows])
        covered += found.interval.low <= share <= found.interval.high
        rejected += found.rejected
        off.append(found.prevalence - share)
    assert covered >= 16  # three standard errors below 95%
    assert rejected <= 4  # and above 5%
    assert abs(np.mean(off)) < 0.04
