"""The oracles of combining against examples worked out by hand."""

from fractions import Fraction
from typing import TypeAlias

from tests.support.oracles.combining import (
    cheapest,
    combined_hull,
    count,
    gain,
    gains,
    settings,
    stretches,
)

F: TypeAlias = Fraction
LABELS = [True, True, False, False]
NEVER, ALWAYS = [False] * 4, [True] * 4
ONES = [1] * 4


def test_counts_weigh_rows() -> None:
    assert count(LABELS, [True, False, True, True], [1, 5, 2, 3]) == (5, 1)


def test_a_perfect_decision_saves_every_miss_without_doubt() -> None:
    assert gain(LABELS, LABELS, NEVER, F(1), ONES) == (F(1, 2), F(0))
    assert gain(LABELS, LABELS, ALWAYS, F(3), ONES) == (F(3, 4), F(0))
    assert gain(LABELS, LABELS, ALWAYS, None, ONES) == (F(1), F(0))


def test_half_of_the_hits_are_saved_with_doubt() -> None:
    # Saved on positives: 1 and 0, mean 1/2, variance of the mean 1/4; each weighs 1/2 at slope 1.
    assert gain(LABELS, [True, False, False, False], NEVER, F(1), ONES) == (F(1, 4), F(1, 16))


def test_stretches_and_gains_run_over_all_slopes() -> None:
    half = [[True, False, False, False]]
    assert stretches(LABELS, half, [], ONES) == [(0, F(1, 2)), (F(1, 2), 1), (1, None)]
    found = gains(LABELS, half, [], ONES)
    assert [slope for slope, *_ in found] == [0, F(1, 2), F(1, 2), 1, 1, None]
    assert [saved for _, saved, _ in found] == [0, 0, 0, F(1, 4), F(1, 4), 0]


def test_the_cheapest_decision_depends_on_the_slope() -> None:
    half = [[True, False, False, False]]
    assert cheapest(LABELS, half, F(1, 4), ONES) == ALWAYS
    assert cheapest(LABELS, half, F(2), ONES) == half[0]


def test_settings_are_those_of_every_score_or_of_the_own_hull() -> None:
    scores = [3.0, 1.0, 2.0, 0.0]
    assert len(settings(LABELS, scores, vertices=False)) == 4
    own = settings(LABELS, scores, vertices=True)
    assert own == [[True, False, False, False], [True, True, True, False], ALWAYS]


def test_two_models_that_err_apart_are_perfect_together() -> None:
    labels, scores = [True, False, False], {"a": [1.0, 1.0, 0.0], "b": [1.0, 0.0, 1.0]}
    assert combined_hull(labels, scores, vertices=True) == [(0, 0), (0, 1), (2, 1)]
