"""Distances of whole curves, against slow definitions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocch.kernels.resampling import (
    coarsen,
    double_ranks,
    sample_positions,
    tpr_difference,
    tpr_difference_of_samples,
)

few_scores = st.lists(st.integers(0, 4), min_size=4, max_size=9)


def slow_hits(scores: list[int], labels: list[bool], alarms: int) -> Fraction:
    """Expected hits when rows alarm in the order of their scores and ties are broken by lot."""
    hits, room = Fraction(0), alarms
    for level in sorted(set(scores), reverse=True):
        tied = [label for score, label in zip(scores, labels, strict=True) if score == level]
        taken = min(room, len(tied))
        hits += Fraction(sum(tied) * taken, len(tied))
        room -= taken
    return hits


def slow_distance(one: list[int], other: list[int], labels: list[bool]) -> Fraction:
    gaps = [
        abs(slow_hits(one, labels, k) - slow_hits(other, labels, k)) for k in range(len(labels) + 1)
    ]
    return sum(gaps, Fraction(0)) / len(gaps) / sum(labels)


@given(st.data())
def test_distance_is_the_mean_gap_of_hits_at_equal_alarms(data: st.DataObject) -> None:
    one = data.draw(few_scores)
    other = data.draw(st.lists(st.integers(0, 4), min_size=len(one), max_size=len(one)))
    labels = data.draw(st.lists(st.booleans(), min_size=len(one), max_size=len(one)))
    labels[0] = True
    first, second = (double_ranks(np.array(scores, dtype=float)) for scores in (one, other))
    expected = float(slow_distance(one, other, labels))
    assert tpr_difference(first, second, np.array(labels)) == pytest.approx(expected, abs=1e-12)


def test_double_ranks_are_twice_the_mid_ranks() -> None:
    assert double_ranks(np.array([3.0, 1.0, 3.0, -2.0])).tolist() == [7, 4, 7, 2]


def test_very_many_ranks_are_coarsened_and_tell_the_same() -> None:
    rng = np.random.default_rng(1)
    positive = rng.random(60_000) < 0.3
    one, other = (double_ranks(rng.normal(size=60_000) + d * positive) for d in (1.0, 1.3))
    assert np.array_equal(coarsen(one[:50]), one[:50])
    few = coarsen(one), coarsen(other)
    assert np.unique(few[0]).size <= 2**14 + 1
    assert tpr_difference(*few, positive) == pytest.approx(
        tpr_difference(one, other, positive), rel=1e-3
    )


def test_exchanging_all_rows_or_none_changes_nothing() -> None:
    rng = np.random.default_rng(0)
    positive = rng.random(50) < 0.4
    one, other = (double_ranks(rng.normal(size=50)) for _ in range(2))
    seen = tpr_difference(one, other, positive)
    for heads in (False, True):
        assert tpr_difference(one, other, positive, np.full(50, heads)) == pytest.approx(seen)
    some = np.arange(50) % 2 == 0
    assert tpr_difference(one, other, positive, some) != pytest.approx(seen)


def test_standing_does_not_depend_on_class_balance() -> None:
    scores = np.array([1.0, 2.0, 3.0, 4.0])
    positive = np.array([False, True, False, True])
    twice = np.concatenate((scores, scores[~positive])), np.concatenate((positive, [False, False]))
    assert sample_positions(scores, positive, 0.5) == pytest.approx(
        sample_positions(*twice, 0.5)[:4]
    )
    assert sample_positions(scores, positive, 0.5)[0] == 0.125


def test_tpr_between_is_the_area_between_the_curves() -> None:
    # Members rank perfectly, the others worst: TPR min(1, 2u) against max(0, 2u - 1).
    standings = np.array([8.0, 7, 6, 5, 4, 3, 2, 1])
    positive = np.array([True, False, True, False, False, True, False, True])
    member = np.array([True, False, True, False, True, False, True, False])
    assert tpr_difference_of_samples(standings, positive, member, 0.5) == pytest.approx(
        0.5, abs=2e-3
    )


def test_tied_standings_alarm_together() -> None:
    positive = np.array([True, False, True, False])
    member = np.array([True, True, False, False])
    tied = np.zeros(4)
    assert tpr_difference_of_samples(tied, positive, member, 0.5) == 0
