"""Averages of curves are those of the slow definitions, at both ends too."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rocch
from tests.support.oracles import averages
from tests.support.strategies import judged_rows

lib: Any = rocch
Fold = tuple[list[bool], list[float]]
FOLDS = st.lists(judged_rows(largest=12), min_size=2, max_size=4)


def curves_of(folds: list[Fold]) -> list[rocch.RocCurve]:
    return [rocch.RocCurve.from_scores(y, s, name=f"fold {i}") for i, (y, s) in enumerate(folds)]


@given(FOLDS, st.integers(2, 9))
def test_vertical_averages_equal_the_oracle(folds: list[Fold], samples: int) -> None:
    found = rocch.roc.average_curves(curves_of(folds), samples=samples)
    wanted = [Fraction(i, samples - 1) for i in range(samples)]
    assert found.fpr == pytest.approx([float(rate) for rate in wanted])
    expected = [float(averages.vertical(folds, rate)) for rate in wanted]
    assert found.tpr.tolist() == pytest.approx(expected)  # also where a curve jumps
    assert found.tpr[-1] == 1
    assert not found.fpr_deviation.any()
    assert found.thresholds is None


@given(FOLDS, st.integers(2, 9))
@pytest.mark.filterwarnings("ignore::rocch.errors.ScoreScaleWarning")
def test_threshold_averages_equal_the_oracle(folds: list[Fold], samples: int) -> None:
    found = rocch.roc.average_curves(curves_of(folds), by="threshold", samples=samples)
    every = sorted({score + 0.0 for _, scores in folds for score in scores}, reverse=True)
    assert found.thresholds is not None
    assert (found.thresholds[0], found.thresholds[-1]) == (every[0], every[-1])
    assert len(found) == found.thresholds.size + 1 == min(samples, len(every)) + 1
    assert (found.fpr[0], found.tpr[0], found.fpr[-1], found.tpr[-1]) == (0, 0, 1, 1)
    for i, threshold in enumerate(found.thresholds.tolist(), start=1):
        fpr, tpr = averages.at_threshold(folds, threshold)
        assert (found.fpr[i], found.tpr[i]) == pytest.approx((float(fpr), float(tpr)))


def test_more_samples_than_scores_take_every_threshold() -> None:
    folds = [([False, True], [1.0, 2.0]), ([False, True], [1.5, 2.0])]
    found = rocch.roc.average_curves(curves_of(folds), by="threshold", samples=1000)
    assert found.thresholds is not None
    assert found.thresholds.tolist() == [2, 1.5, 1]
    assert found.fpr.tolist() == [0, 0, 0.5, 1]
    assert found.tpr.tolist() == [0, 1, 1, 1]


def test_each_rate_scatters_by_itself() -> None:
    """The deviation of TPR comes from TPRs, that of FPR from FPRs, with n - 1 below."""
    folds = [
        ([False, False, True, True], [1.0, 2.0, 1.0, 2.0]),
        ([False, False, True, True], [1.0, 1.0, 2.0, 2.0]),
        ([False, False, True, True], [1.0, 1.0, 1.0, 2.0]),
    ]
    found = rocch.roc.average_curves(curves_of(folds), by="threshold")
    assert found.fpr.tolist() == pytest.approx([0, 0.5 / 3, 1])
    assert found.tpr.tolist() == pytest.approx([0, 2 / 3, 1])
    assert found.fpr_deviation[1] == pytest.approx(np.std([0.5, 0, 0], ddof=1))
    assert found.tpr_deviation[1] == pytest.approx(np.std([0.5, 1, 0.5], ddof=1))
    assert found.fpr_error[1] == pytest.approx(found.fpr_deviation[1] / math.sqrt(3))
    assert found.tpr_error[1] == pytest.approx(found.tpr_deviation[1] / math.sqrt(3))


def test_at_no_false_alarms_the_highest_tpr_counts() -> None:
    folds = [([False, True, True], [1.0, 2.0, 3.0]), ([False, True, True], [2.0, 1.0, 3.0])]
    assert rocch.roc.average_curves(curves_of(folds)).tpr[0] == 0.75


def test_the_average_of_one_curve_twice_is_itself() -> None:
    rng = np.random.default_rng(0)
    y = rng.random(300) < 0.4
    curve = rocch.RocCurve.from_scores(y, rng.normal(size=300) + y)
    by_fpr = rocch.roc.average_curves([curve, curve])
    assert by_fpr.tpr == pytest.approx([curve.tpr_at(float(rate)) for rate in by_fpr.fpr])
    by_threshold = rocch.roc.average_curves([curve, curve], by="threshold", samples=300)
    assert np.array_equal(by_threshold.fpr, curve.fpr)
    assert np.array_equal(by_threshold.tpr, curve.tpr)
    assert not by_threshold.tpr_deviation.any()


def test_labels_only_can_be_averaged_by_fpr() -> None:
    y = [0, 0, 1, 1]
    rules = [rocch.RocCurve.from_labels(y, p) for p in ([0, 1, 1, 1], [0, 0, 0, 1])]
    assert rocch.roc.average_curves(rules, samples=3).tpr.tolist() == [0.25, 0.875, 1]


def test_weighted_curves_are_averaged_by_their_rates() -> None:
    y, s = [0, 0, 1, 1], [1, 2, 2, 3]
    curves = [rocch.RocCurve.from_scores(y, s, sample_weight=w) for w in ([1, 3, 1, 1], [1] * 4)]
    found = rocch.roc.average_curves(curves, by="threshold")
    assert found.fpr.tolist() == pytest.approx([0, 0, (0.75 + 0.5) / 2, 1])


def test_it_says_what_it_means_and_cannot_be_altered() -> None:
    folds = [([False, True], [1.0, 2.0]), ([False, True], [1.5, 2.0])]
    found = rocch.roc.average_curves(iter(curves_of(folds)))
    assert found.curves == ("fold 0", "fold 1")
    assert found.meaning == (
        "the mean TPR of 2 curves, each set to the same FPR by its own threshold"
    )
    by_threshold = rocch.roc.average_curves(curves_of(folds), by="threshold")
    assert by_threshold.meaning == (
        "the mean FPR and mean TPR of 2 curves, all set to the same threshold"
    )
    for array in (found.tpr, by_threshold.thresholds, found.fpr_deviation):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1  # type: ignore[index]


CURVE = rocch.RocCurve.from_scores([0, 1], [1, 2])
RULES = rocch.RocCurve.from_labels([0, 1], [0, 1], name="rules")


@pytest.mark.parametrize(
    ("curves", "options", "message"),
    [
        ([CURVE], {}, "curves must be at least two; got 1"),
        ([], {}, "curves must be at least two; got 0"),
        (CURVE, {}, "curves must be several curves; got an object of type RocCurve"),
        (7, {}, "curves must be several curves; got an object of type int"),
        ([CURVE, 7], {}, "be a RocCurve; got an object of type int"),
        ([CURVE, CURVE], {"samples": 1}, "samples must be a whole number, at least 2; got 1"),
        ([CURVE, CURVE], {"samples": 2.5}, "samples must be a whole number, at least 2"),
        ([CURVE, CURVE], {"samples": True}, "samples must be a whole number, at least 2"),
        ([CURVE, CURVE], {"by": "tpr"}, "by must be one of 'fpr', 'threshold'; got 'tpr'"),
        ([CURVE, RULES], {"by": "threshold"}, "curves must be of scoring .* got 'rules', which"),
    ],
)
def test_bad_input_is_refused(curves: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(rocch.InputError, match=message):
        lib.roc.average_curves(curves, **options)


def test_a_fold_without_both_classes_is_refused_when_its_curve_is_made() -> None:
    with pytest.raises(
        rocch.InputError, match="y_true must hold both classes; got 3 rows, all negative"
    ):
        rocch.RocCurve.from_scores([0, 0, 0], [1, 2, 3])


def test_labeled_points_that_are_not_nested_have_no_average() -> None:
    crossing = rocch.RocCurve.from_counts([1, 2], [3, 1], negatives=4, positives=4)
    with pytest.raises(rocch.UndefinedError, match="not nested"):
        rocch.roc.average_curves([crossing, RULES])
