"""Net benefit: counted row by row in fractions, and the hull's best at every threshold."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rocch
from rocch import Conditions, RocCurve, RocHull
from rocch.roc import DecisionCurve
from rocch.roc.views import LAST, as_thresholds, has_probabilities, useful_thresholds
from tests.support.strategies import judged_table

GRID = [0.0, 0.125, 0.25, 0.5, 0.75, 0.875]
PROBABILITIES = st.sampled_from([i / 8 for i in range(9)])


@st.composite
def rows(draw: st.DrawFn) -> tuple[list[bool], list[float]]:
    labels = draw(st.permutations([True, False, *draw(st.lists(st.booleans(), max_size=20))]))
    return labels, draw(st.lists(PROBABILITIES, min_size=len(labels), max_size=len(labels)))


def slow(labels: list[bool], scores: list[float], cut: float, threshold: float) -> Fraction:
    """Count the net benefit of alarming from `cut` on (Vickers and Elkin's formula)."""
    alarms = [label for label, score in zip(labels, scores, strict=True) if score >= cut]
    odds = Fraction(threshold) / (1 - Fraction(threshold))
    return (alarms.count(True) - alarms.count(False) * odds) / len(labels)


@given(rows())
def test_read_as_probabilities_rows_alarm_from_the_threshold_on(drawn: Any) -> None:
    labels, scores = drawn
    curve = RocCurve.from_scores(labels, scores, name="nb")
    found = DecisionCurve.calibrated(curve, thresholds=GRID)
    wanted = [float(slow(labels, scores, t, t)) for t in GRID]
    assert found.name == "nb"
    assert found.net_benefit == pytest.approx(wanted, abs=1e-14)


@given(rows())
def test_at_best_is_the_best_cut_of_all(drawn: Any) -> None:
    labels, scores = drawn
    found = DecisionCurve.best(RocCurve.from_scores(labels, scores), thresholds=GRID)
    wanted = [max(Fraction(0), *(slow(labels, scores, cut, t) for cut in scores)) for t in GRID]
    assert found.net_benefit == pytest.approx([float(best) for best in wanted], abs=1e-14)


@given(judged_table(), st.sampled_from([0.02, 0.4]))
def test_the_hull_is_never_below_a_member_always_or_never(table: Any, share: float) -> None:
    labels, scores = table
    hull = RocHull.from_scores(labels, scores)
    options: Any = {"thresholds": GRID, "prevalence": share}
    best = DecisionCurve.best(hull, **options).net_benefit
    rivals = [
        DecisionCurve.best(RocCurve.from_scores(labels, s), **options) for s in scores.values()
    ]
    for rival in (*rivals, DecisionCurve.always(hull, **options)):
        assert (best >= rival.net_benefit - 1e-14).all()
    assert (best >= 0).all()


@given(judged_table(), st.sampled_from([0.02, 0.4]))
def test_net_benefit_is_prevalence_less_expected_cost(table: Any, share: float) -> None:
    hull = RocHull.from_scores(*table)
    found = DecisionCurve.best(hull, thresholds=GRID[1:], prevalence=share)
    for t, benefit in zip(GRID[1:], found.net_benefit, strict=True):
        costs = Conditions(prevalence=share, false_positive=t / (1 - t), false_negative=1)
        cost = hull.best(costs).expected_cost
        assert cost is not None
        assert benefit == pytest.approx(share - cost, abs=1e-12)
        assert costs.probability_threshold == pytest.approx(t)


def test_always_alarming_is_worth_nothing_at_a_threshold_equal_to_prevalence() -> None:
    curve = RocCurve.from_scores([0, 0, 0, 1], [1, 2, 3, 4])
    found = DecisionCurve.always(curve, thresholds=[0, 0.25, 0.5])
    assert (found.name, found.prevalence) == ("always", 0.25)
    assert found.net_benefit == pytest.approx([0.25, 0, -0.5])


def test_useful_thresholds_end_where_never_alarming_is_best() -> None:
    rules = RocCurve.from_counts([10], [40], negatives=100, positives=50, name="rules")
    hull = RocHull.of(rules)
    grid = useful_thresholds(hull, prevalence=0.5)
    assert (grid[0], grid[-1]) == (0, pytest.approx(0.8 / 0.9))  # slope 8: odds 8 at even balance
    assert (np.diff(grid) > 0).all()
    assert DecisionCurve.best(hull, thresholds=grid, prevalence=0.5).net_benefit[-1] == (
        pytest.approx(0, abs=1e-12)
    )
    assert min(abs(grid - 0.2 / 1.1)) < 1e-12  # slope 2/9: where always gives way to the rules


def test_useful_thresholds_stop_short_of_1() -> None:
    perfect = RocHull.from_scores([0, 1], {"p": [1, 2]})
    assert useful_thresholds(perfect)[-1] == LAST
    strong = RocHull.of(RocCurve.from_counts([1], [99], negatives=10**6, positives=99, name="s"))
    assert useful_thresholds(strong, prevalence=0.5)[-1] == LAST


@pytest.mark.parametrize(
    ("scores", "answer"),
    [([0, 1], True), ([0.2, 0.3], True), ([-0.1, 0.5], False), ([0, 2], False)],
)
def test_probabilities_are_scores_within_0_and_1(scores: list[float], answer: bool) -> None:
    assert has_probabilities(RocCurve.from_scores([0, 1], scores)) is answer


def test_labels_are_no_probabilities() -> None:
    rules = RocCurve.from_labels([0, 1], [0, 1], name="rules")
    assert not has_probabilities(rules)
    with pytest.raises(rocch.InputError, match=r"scores within \[0, 1\].*DecisionCurve\.best"):
        DecisionCurve.calibrated(rules, thresholds=[0.5])
    assert DecisionCurve.best(rules, thresholds=[0.5]).net_benefit.tolist() == [0.5]


@pytest.mark.parametrize("thresholds", [[1.0], [-0.1, 0.5], [np.inf], [0.5, 1.0]])
def test_thresholds_from_0_to_below_1(thresholds: Any) -> None:
    curve = RocCurve.from_scores([0, 1], [0, 1])
    with pytest.raises(rocch.InputError, match=r"thresholds must lie within \[0, 1\)"):
        DecisionCurve.best(curve, thresholds=thresholds)


@pytest.mark.parametrize("thresholds", [[], ["a"], [np.nan], 0.5, [[0.1]]])
def test_thresholds_must_be_numbers(thresholds: Any) -> None:
    with pytest.raises(rocch.InputError, match="thresholds must"):
        as_thresholds(thresholds)


@pytest.mark.parametrize("prevalence", [0, 1, "seldom"])
def test_net_benefit_needs_both_classes(prevalence: Any) -> None:
    curve = RocCurve.from_scores([0, 1], [0, 1])
    for build in (DecisionCurve.best, DecisionCurve.calibrated, DecisionCurve.always):
        with pytest.raises(rocch.InputError, match="prevalence must be"):
            build(curve, thresholds=[0.5], prevalence=prevalence)


def test_other_things_are_refused() -> None:
    anything: Any = [0.5]
    with pytest.raises(rocch.InputError, match="curve must be a RocCurve"):
        DecisionCurve.calibrated(anything, thresholds=[0.5])
    with pytest.raises(rocch.InputError, match="part must be a RocCurve or a RocHull"):
        DecisionCurve.best(anything, thresholds=[0.5])


def test_given_thresholds_are_not_frozen_and_ours_are() -> None:
    mine = np.array([0.25, 0.5])
    found = DecisionCurve.best(RocCurve.from_scores([0, 1], [0, 1]), thresholds=mine)
    mine[0] = 0.3
    assert found.thresholds.tolist() == [0.25, 0.5]
    with pytest.raises(ValueError, match="read-only"):
        found.net_benefit[0] = 1
