"""Scores that do not mean the same are noticed; chance differences and trifles are not."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import rocch
from rocch.roc.average import _p_value


def fold(
    rng: np.random.Generator, size: int, *, shift: float = 0, factor: float = 1, name: str = "fold"
) -> rocch.RocCurve:
    y = np.arange(size) % 4 == 0
    scores = factor * (rng.normal(size=size) + 1.5 * y) + shift
    return rocch.RocCurve.from_scores(y, scores, name=name)


@pytest.mark.parametrize("change", [{"shift": 1.5}, {"factor": 4}, {"factor": 0.2}])
def test_a_fold_on_another_scale_is_noticed(change: dict[str, Any]) -> None:
    rng = np.random.default_rng(0)
    folds = [fold(rng, 300) for _ in range(4)]
    odd = fold(rng, 300, name="odd", **change)
    message = "scores do not mean the same in all 5 curves: .*'odd' alarms on .*by='fpr'"
    with pytest.warns(rocch.ScoreScaleWarning, match=message):
        rocch.roc.average_curves([*folds, odd], by="threshold")
    with pytest.warns(rocch.ScoreScaleWarning, match=message) as caught:
        rocch.roc.pool_curves([*folds, odd])
    assert caught[0].filename == __file__


def test_averages_by_fpr_compare_ranks_and_need_no_common_scale() -> None:
    rng = np.random.default_rng(1)
    folds = [fold(rng, 300), fold(rng, 300, shift=100)]
    found = rocch.roc.average_curves(folds)  # a warning would be an error
    assert found.thresholds is None


def test_folds_that_differ_by_chance_are_left_in_peace() -> None:
    rng = np.random.default_rng(2)
    for size in (12, 40, 400):
        for _ in range(100):
            rocch.roc.pool_curves([fold(rng, size) for _ in range(5)])


def test_the_test_behind_it_rejects_as_often_as_it_says() -> None:
    rng = np.random.default_rng(3)
    times = 600
    rejected = 0
    for _ in range(times):
        scores = [np.sort(rng.integers(0, 30, 60)) for _ in range(4)]
        at_least = np.array([60 - np.searchsorted(s, np.arange(29, -1, -1)) for s in scores])
        rejected += _p_value(at_least, at_least.sum(axis=0)) < 0.05
    assert 0.025 < rejected / times < 0.08


def test_many_rows_do_not_make_a_trifle_worth_a_warning() -> None:
    rng = np.random.default_rng(4)
    rocch.roc.pool_curves([fold(rng, 20_000), fold(rng, 20_000, shift=0.1)])


def test_few_rows_or_one_score_cannot_tell() -> None:
    few = [rocch.RocCurve.from_scores([0, 1], [i, i + 1]) for i in (0, 5)]
    assert rocch.roc.pool_curves(few).auc == 0.75
    constant = [rocch.RocCurve.from_scores([0, 1] * 50, [1] * 100)] * 2
    assert rocch.roc.pool_curves(constant).auc == 0.5


def test_weighted_curves_are_not_tested() -> None:
    rng = np.random.default_rng(5)
    y = np.arange(400) % 2
    curves = [
        rocch.RocCurve.from_scores(y, rng.normal(size=400) + s, sample_weight=rng.random(400))
        for s in (0, 9)
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rocch.roc.average_curves(curves, by="threshold")
