"""Gain and lift: counted case by case, and the hull's answer to a capacity."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rocch
from rocch import RocCurve, RocHull
from rocch.roc import GainCurve
from rocch.roc.views import perfect_gain, perfect_lift
from tests.support.strategies import judged_rows, judged_table


@given(judged_rows())
def test_the_best_scored_k_cases_hold_that_many_positives(rows: Any) -> None:
    labels, scores = rows
    gain = GainCurve.of(RocCurve.from_scores(labels, scores))
    order = sorted(range(len(labels)), key=lambda i: -scores[i])
    for k in range(1, len(labels) + 1):
        last = scores[order[k - 1]]
        sure = [labels[i] for i in order[:k] if scores[i] > last]
        tied = [label for label, score in zip(labels, scores, strict=True) if score == last]
        found = sum(sure) + (k - len(sure)) * sum(tied) / len(tied)
        assert gain.recall_at(k / len(labels)) == pytest.approx(found / sum(labels))
        assert gain.lift_at(k / len(labels)) == pytest.approx(found / sum(labels) * len(labels) / k)


@given(judged_rows(), st.floats(0.001, 0.999))
def test_points_are_alarm_rate_and_lift_at_any_prevalence(rows: Any, share: float) -> None:
    curve = RocCurve.from_scores(*rows)
    gain = GainCurve.of(curve, prevalence=share)
    at = [point.performance(prevalence=share) for point in curve.points()]
    assert gain.predicted_positive_rate == pytest.approx(
        [one.predicted_positive_rate for one in at]
    )
    assert gain.recall.tolist() == curve.tpr.tolist()
    assert gain.lift_line[0][-1] == pytest.approx(1)
    x, lift = gain.lift_line
    for one in at[1:]:
        nearest = int(np.argmin(np.abs(x - one.predicted_positive_rate)))
        assert lift[nearest] == pytest.approx(one.lift, rel=1e-6)


@given(judged_table(), st.integers(1, 20), st.sampled_from([0.05, 0.5]))
def test_the_hull_finds_what_a_capacity_with_a_coin_finds(
    table: Any, twentieths: int, share: float
) -> None:
    hull = RocHull.from_scores(*table)
    limit = twentieths / 20
    best = hull.best(rocch.PredictedPositiveLimit(limit, prevalence=share), randomize=True)
    assert GainCurve.of(hull, prevalence=share).recall_at(limit) == pytest.approx(best.tpr)


def test_lift_is_constant_up_to_the_first_point_and_bends_after() -> None:
    curve = RocCurve.from_scores([0, 0, 0, 1, 1], [1, 1, 2, 2, 3], name="nb")
    x, lift = GainCurve.of(curve).lift_line
    assert lift[x <= 0.2] == pytest.approx(2.5)
    middle = np.interp(0.4, x, lift)
    assert middle == pytest.approx((0.5 + 0.25) / 0.4, rel=1e-3)


def test_references() -> None:
    assert [side.tolist() for side in perfect_gain(0.25)] == [[0, 0.25, 1], [0, 1, 1]]
    x, lift = perfect_lift(0.25)
    assert (x[0], lift[0], x[1], lift[1]) == (0, 4, 0.25, 4)
    assert (x[-1], lift[-1]) == pytest.approx((1, 1))
    assert lift[1:] * x[1:] == pytest.approx(1)


def test_a_perfect_classifier_has_the_perfect_gain() -> None:
    gain = GainCurve.of(RocHull.from_scores([0, 0, 0, 1], {"p": [1, 2, 3, 4]}))
    assert gain.name == "hull"
    wanted = perfect_gain(0.25)
    assert (gain.predicted_positive_rate.tolist(), gain.recall.tolist()) == tuple(
        side.tolist() for side in wanted
    )


def test_labeled_points_are_points_and_no_curve() -> None:
    rules = RocCurve.from_labels([0, 0, 1, 1], [0, 1, 1, 1], name="rules")
    gain = GainCurve.of(rules)
    assert (gain.predicted_positive_rate.tolist(), gain.recall.tolist()) == ([0.75], [1.0])
    assert [side.tolist() for side in gain.lift_line] == [[0.75], [pytest.approx(4 / 3)]]
    with pytest.raises(rocch.UndefinedError, match="recall_at is undefined for rules"):
        gain.recall_at(0.5)


def test_no_lift_without_alarms() -> None:
    gain = GainCurve.of(RocCurve.from_scores([0, 1], [1, 2]))
    assert gain.recall_at(0) == 0
    with pytest.raises(rocch.UndefinedError, match="lift_at is undefined where nothing alarms"):
        gain.lift_at(0)


@pytest.mark.parametrize("share", [-0.1, 1.1, "a lot", None])
def test_shares_lie_within_0_and_1(share: Any) -> None:
    gain = GainCurve.of(RocCurve.from_scores([0, 1], [1, 2]))
    with pytest.raises(
        rocch.InputError, match="predicted_positive_rate must be a number from 0 to 1"
    ):
        gain.recall_at(share)


@pytest.mark.parametrize("prevalence", [0, 1, "seldom"])
def test_gain_needs_both_classes(prevalence: Any) -> None:
    with pytest.raises(rocch.InputError, match="prevalence must be"):
        GainCurve.of(RocCurve.from_scores([0, 1], [1, 2]), prevalence=prevalence)


def test_arrays_are_read_only() -> None:
    gain = GainCurve.of(RocCurve.from_scores([0, 1], [1, 2]))
    for array in (gain.predicted_positive_rate, gain.recall, *gain.lift_line):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
