"""Confusion-matrix measures at any prevalence agree with scikit-learn on real counts."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import metrics

import rocch


def test_measures_agree_with_scikit_learn() -> None:
    rng = np.random.default_rng(1)
    y = rng.random(400) < 0.3
    alarm = rng.random(400) < np.where(y, 0.7, 0.2)
    point = rocch.RocCurve.from_labels(y, alarm).points()[1]
    got = point.performance(prevalence=float(y.mean()))
    assert got.precision == pytest.approx(metrics.precision_score(y, alarm))
    assert got.recall == pytest.approx(metrics.recall_score(y, alarm))
    assert got.accuracy == pytest.approx(metrics.accuracy_score(y, alarm))
    assert got.error_rate == pytest.approx(1 - metrics.accuracy_score(y, alarm))
    assert got.balanced_accuracy == pytest.approx(metrics.balanced_accuracy_score(y, alarm))
    assert got.cohen_kappa == pytest.approx(metrics.cohen_kappa_score(y, alarm))
    assert got.matthews_correlation == pytest.approx(metrics.matthews_corrcoef(y, alarm))
    for beta in (0.5, 1.0, 2.0):
        assert got.f_score(beta) == pytest.approx(metrics.fbeta_score(y, alarm, beta=beta))
    positive, negative = metrics.class_likelihood_ratios(y, alarm)
    assert got.positive_likelihood_ratio == pytest.approx(positive)
    assert got.negative_likelihood_ratio == pytest.approx(negative)
    assert got.diagnostic_odds_ratio == pytest.approx(positive / negative)
    assert got.informedness == pytest.approx(positive * got.fpr - got.fpr)
    assert got.specificity == pytest.approx(metrics.recall_score(~y, ~alarm))
    assert got.negative_predictive_value == pytest.approx(metrics.precision_score(~y, ~alarm))
    assert got.lift == pytest.approx(got.precision / y.mean())
    assert got.predicted_positive_rate == pytest.approx(alarm.mean())


def test_another_prevalence_reweights_the_columns() -> None:
    low = rocch.roc.Performance(fpr=0.1, tpr=0.8, prevalence=0.01)
    assert low.precision == pytest.approx(0.008 / (0.008 + 0.099))
    assert low.true_negative_share + low.false_positive_share == pytest.approx(0.99)
    assert low.true_positive_share + low.false_negative_share == pytest.approx(0.01)
    assert low.fnr == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("rates", "measure"),
    [
        ((0, 0, 0.5), "precision"),
        ((0, 0, 0.5), "lift"),
        ((0.2, 0.5, 0), "lift"),
        ((1, 1, 0.5), "negative_predictive_value"),
        ((0, 0.5, 0.5), "positive_likelihood_ratio"),
        ((1, 1, 0.5), "negative_likelihood_ratio"),
        ((0, 0.5, 0.5), "diagnostic_odds_ratio"),
        ((0.5, 1, 0.5), "diagnostic_odds_ratio"),
        ((0, 0, 0.5), "matthews_correlation"),
        ((0, 0, 0), "cohen_kappa"),
        ((1, 1, 1), "cohen_kappa"),
    ],
)
def test_undefined_measures_raise(rates: tuple[float, float, float], measure: str) -> None:
    performance = rocch.roc.Performance(fpr=rates[0], tpr=rates[1], prevalence=rates[2])
    with pytest.raises(rocch.UndefinedError, match="undefined"):
        getattr(performance, measure)


def test_f_score_without_positives_and_alarms_raises() -> None:
    with pytest.raises(rocch.UndefinedError, match="f_score"):
        rocch.roc.Performance(fpr=0, tpr=0, prevalence=0).f_score()


@pytest.mark.parametrize("rate", [-0.1, 1.1, "0.5", True, float("nan")])
def test_rates_are_checked(rate: float) -> None:
    with pytest.raises(rocch.InputError, match="prevalence must be a number from 0 to 1"):
        rocch.roc.Performance(fpr=0, tpr=1, prevalence=rate)
