"""QuaPy, an independent implementation, gives the same numbers.

The same thresholds for median sweeps, the same alarms for adjusted counts, the same posteriors for
EM. QuaPy stops EM early, so it is run to a tighter tolerance than its default here.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, get_args

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rocch
from rocch.stats.prevalence import Method

if TYPE_CHECKING:
    from rocch.arrays import BoolArray, FloatArray

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of QuaPy's own dependencies
    from quapy.method.aggregative import ACC, EMQ, MS2

PREVALENCES = [0.05, 0.3, 0.5, 0.9]


def generated(seed: int, rows: int, prevalence: float) -> tuple[BoolArray, FloatArray]:
    rng = np.random.default_rng(seed)
    y = np.arange(rows) < round(prevalence * rows)
    scores: FloatArray = rng.normal(size=rows) + 1.5 * y
    return y, scores.round(2)


def bundled() -> tuple[BoolArray, FloatArray, BoolArray, FloatArray]:
    """Return labels and log-odds of scikit-learn's own data: reference rows, then others."""
    features, y = load_breast_cancer(return_X_y=True)
    features = features[:, :2]  # only two, so that the classes overlap
    order = np.random.default_rng(4).permutation(y.size)
    train, reference, rest = np.split(order, [150, 350])
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(features[train], y[train])
    score = model.decision_function(features)
    return y[reference] == 1, score[reference], y[rest] == 1, score[rest]


def batch_at(y: BoolArray, score: FloatArray, prevalence: float, rows: int = 120) -> FloatArray:
    """Resample scores to a prevalence."""
    rng = np.random.default_rng(9)
    hits = round(rows * prevalence)
    return np.concatenate((rng.choice(score[y], hits), rng.choice(score[~y], rows - hits)))


def swept_by_quapy(y: BoolArray, score: FloatArray, batch: FloatArray) -> float:
    scorer = LogisticRegression()  # never asked for anything but its classes: scores are given
    scorer.classes_ = np.array([0, 1])
    model = MS2(scorer, fit_classifier=False, val_split=None)
    model.aggregation_fit(score, y.astype(int))
    return float(model.aggregate(batch)[1])


@pytest.mark.parametrize("prevalence", PREVALENCES)
def test_median_sweep_on_generated_data(prevalence: float) -> None:
    y, score = generated(1, 400, 0.4)
    _, batch = generated(2, 300, prevalence)
    curve = rocch.RocCurve.from_scores(y, score)
    found = rocch.stats.estimate_prevalence(curve, batch, method="adjusted_count")
    assert found.prevalence == pytest.approx(swept_by_quapy(y, score, batch), abs=1e-12)


@pytest.mark.parametrize("prevalence", PREVALENCES)
def test_median_sweep_on_bundled_data(prevalence: float) -> None:
    y, score, others, other_score = bundled()
    batch = batch_at(others, other_score, prevalence)
    curve = rocch.RocCurve.from_scores(y, score)
    found = rocch.stats.estimate_prevalence(curve, batch, method="adjusted_count")
    assert found.prevalence == pytest.approx(swept_by_quapy(y, score, batch), abs=1e-12)


@pytest.mark.parametrize("prevalence", PREVALENCES)
def test_adjusted_count_of_labels(prevalence: float) -> None:
    y, score = generated(3, 400, 0.4)
    _, batch = generated(4, 300, prevalence)
    curve = rocch.RocCurve.from_labels(y, score > 1)
    rate = np.mean(batch > 1)
    theirs = ACC.solve_adjustment(
        class_conditional_rates=ACC.getPteCondEstim([False, True], y, score > 1),
        unadjusted_counts=np.array([1 - rate, rate]),
        method="inversion",
        solver="exact-raise",
    )
    for method in get_args(Method):
        ours = rocch.stats.estimate_prevalence(curve, batch > 1, method=method)
        wanted = min(max(float(theirs[1]), 0.0), 1.0)
        assert ours.prevalence == pytest.approx(wanted, abs=1e-6)


def em_by_quapy(posterior: FloatArray, trained_at: float) -> float:
    both = np.column_stack((1 - posterior, posterior))
    return float(EMQ.EM(np.array([1 - trained_at, trained_at]), both, epsilon=1e-9)[0][1])


@pytest.mark.parametrize("prevalence", PREVALENCES)
def test_em_on_bundled_data(prevalence: float) -> None:
    y, _, others, other_score = bundled()
    posterior = 1 / (1 + np.exp(-batch_at(others, other_score, prevalence)))
    trained_at = float(y.mean())
    ours = rocch.stats.em_prevalence(posterior, trained_at=trained_at)
    assert ours == pytest.approx(em_by_quapy(posterior, trained_at), abs=1e-5)


@pytest.mark.parametrize("prevalence", PREVALENCES)
def test_likelihood_with_many_reference_rows_is_em_on_posteriors_per_bin(prevalence: float) -> None:
    """With a large reference the class laws hardly move, and what is left is Saerens's EM."""
    y, score = generated(5, 400_000, 0.5)
    _, batch = generated(6, 400, prevalence)
    curve = rocch.RocCurve.from_scores(y, score)
    found = rocch.stats.estimate_prevalence(curve, batch)
    cuts = np.unique(
        curve.lowest_scores[np.searchsorted(curve.fpr + curve.tpr, np.arange(1, 10) / 5) - 1]  # type: ignore[index]
    )
    bins = np.searchsorted(cuts, score, side="right")
    share = np.bincount(bins, weights=y) / np.bincount(bins)
    theirs = em_by_quapy(share[np.searchsorted(cuts, batch, side="right")], 0.5)
    assert found.prevalence == pytest.approx(theirs, abs=5e-4)
