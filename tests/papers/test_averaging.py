"""Fawcett, ROC Graphs: Algorithms 5 and 6 as they should have been printed."""

from __future__ import annotations

import numpy as np
import pytest

import rocch

Y = [False, True, False, True, True]
ONE = rocch.RocCurve.from_scores(Y, [0.1, 0.9, 0.4, 0.35, 0.8], name="one")
OTHER = rocch.RocCurve.from_scores(Y, [0.3, 0.6, 0.2, 0.7, 0.1], name="other")


def test_algorithm_6_is_misprinted_its_step_is_0_for_more_samples_than_scores() -> None:
    scores = 9  # distinct ones of both curves
    assert int(scores / 100) == 0  # "by int(length(T)/samples)" never ends
    found = rocch.roc.average_curves([ONE, OTHER], by="threshold", samples=100)
    assert found.thresholds is not None
    assert found.thresholds.size == scores


def test_algorithm_6_is_misprinted_it_can_miss_the_last_point() -> None:
    printed = range(1, 10 + 1, int(10 / 4))  # positions among 10 scores for 4 samples
    assert printed[-1] == 9
    for samples in range(2, 12):
        found = rocch.roc.average_curves([ONE, OTHER], by="threshold", samples=samples)
        assert (found.fpr[0], found.tpr[0]) == (0, 0)
        assert (found.fpr[-1], found.tpr[-1]) == (1, 1)


def test_algorithm_6_is_misprinted_its_point_alarms_below_the_threshold() -> None:
    """At threshold 0.85 a curve that scores 0.9 and 0.8 alarms on the row with 0.9 only."""
    assert ONE.lowest_scores is not None
    scores = [np.inf, *ONE.lowest_scores.tolist()]
    printed = next(i for i, score in enumerate(scores) if not score > 0.85)
    assert scores[printed] == 0.8  # "the point of greatest score less than or equal"
    assert ONE.at(0.85).true_positives == 1 != ONE.true_positives[printed]
    shifted = rocch.RocCurve.from_scores(Y, [0.1, 0.85, 0.4, 0.35, 0.8], name="shifted")
    found = rocch.roc.average_curves([ONE, shifted], by="threshold")
    assert found.thresholds is not None
    at = int(np.flatnonzero(found.thresholds == 0.85)[0]) + 1
    assert found.tpr[at] == pytest.approx(1 / 3)


def test_vertical_averaging_averages_the_tp_rate_and_takes_its_maximum() -> None:
    found = rocch.roc.average_curves([ONE, OTHER], samples=5)
    assert found.fpr.tolist() == [0, 0.25, 0.5, 0.75, 1]
    by_hand = [(ONE.tpr_at(x) + OTHER.tpr_at(x)) / 2 for x in found.fpr.tolist()]
    assert found.tpr.tolist() == by_hand
    assert found.tpr[0] == pytest.approx(2 / 3)  # the top of both vertical starts
