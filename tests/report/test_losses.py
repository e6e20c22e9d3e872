"""The comparison of losses, against the library's own."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest

import rocch
from rocch.report.losses import FEW, USUAL, around, losses
from rocch.report.question import Question
from tests.support.asking import hull_of, rows_of


def asked(**said: Any) -> Question:
    return Question(**{"prevalence": 0.2, **said})


@pytest.mark.parametrize(
    ("said", "belief"),
    [
        ({}, USUAL),  # nothing said of costs
        ({"false_negative": 0}, USUAL),
        ({"false_positive": 0}, USUAL),
        ({"false_negative": 6}, (2, 6, 18)),  # right within a factor of three
        ({"false_positive": 2, "false_negative": 1}, (0.167, 0.5, 1.5)),
        ({"false_positive": (1, 2), "false_negative": (8, 16)}, (4, 8, 16)),
        ({"false_positive": 1e-9, "false_negative": 10}, USUAL),
    ],
)
def test_a_belief_around_costs(said: Any, belief: Any) -> None:
    assert around(asked(**said)) == pytest.approx(belief)


def test_without_costs_misses_are_believed_to_be_one_to_ten_times_as_bad() -> None:
    assert tuple(USUAL) == (1, 3, 10)


def test_a_belief_that_was_asked_about_is_taken() -> None:
    found = losses(hull_of(0), asked(belief=(2, 3, 7)), None, 0)
    assert (found.low, found.likely, found.high) == (2, 3, 7)
    assert found.belief == str(rocch.Belief.cost_ratio(2, 7, likely=3))
    assert (found.prevalence, found.resamples) == (0.2, 0)


def test_a_range_of_prevalence_is_taken_at_its_middle() -> None:
    assert losses(hull_of(0), asked(prevalence=(0.2, 0.4)), None, 0).prevalence == pytest.approx(
        0.3
    )


@pytest.mark.parametrize("seed", range(5))
def test_pairs_are_compared_as_by_themselves(seed: int) -> None:
    y, scores, _ = rows_of(seed, 60)
    hull = rocch.RocHull.from_scores(y, scores)
    found = losses(hull, asked(belief=(1, 2, 8)), None, 0)
    expert = rocch.Belief.cost_ratio(1, 8, likely=2)
    assert [(p.first, p.second) for p in found.pairs] == list(combinations(scores, 2))
    for pair in found.pairs:
        alone = [rocch.RocHull.from_scores(y, {n: scores[n]}) for n in (pair.first, pair.second)]
        index = rocch.stats.compare_losses(*alone, prevalence=0.2, belief=expert).lc_index
        assert pair.lc_index == pytest.approx(index)
        assert pair.interval is None
        assert pair.favored is None
    assert sum(row.chance for row in found.standings) == pytest.approx(1)


def test_with_rows_pairs_have_intervals() -> None:
    y, scores, _ = rows_of(3, 80)
    scores = {"a": next(iter(scores.values())), "b": np.random.default_rng(1).normal(size=80)}
    hull = rocch.RocHull.from_scores(y, scores)
    (pair,) = losses(hull, asked(belief=(1, 2, 8)), (y, scores), 40).pairs
    (own,) = rocch.stats.lc_intervals(
        y, scores, belief=rocch.Belief.cost_ratio(1, 8, likely=2), prevalence=0.2, replicates=40
    )
    assert pair.interval is not None
    assert (pair.lc_index, pair.favored) == (own.lc_index, own.favored)
    assert tuple(pair.interval) == tuple(own.interval)
    assert pair.interval.low <= pair.lc_index <= pair.interval.high


def test_of_many_classifiers_the_most_believed_is_compared_with_all_others() -> None:
    rng = np.random.default_rng(2)
    y = rng.random(60) < 0.4
    scores = {f"m{i}": rng.normal(size=60) + (3 if i == 4 else 0.3) * y for i in range(FEW + 2)}
    hull = rocch.RocHull.from_scores(y, scores)
    found = losses(hull, asked(), None, 0)
    assert found.standings[0].classifier == "m4"
    assert [(p.first, p.second) for p in found.pairs] == [
        ("m4", name) for name in scores if name != "m4"
    ]
    assert all(pair.lc_index > 0 for pair in found.pairs)


def test_where_doing_nothing_is_best_the_first_is_compared() -> None:
    scores = {f"m{i}": [7, 7, 7] for i in range(FEW + 1)}
    found = losses(rocch.RocHull.from_scores([0, 1, 1], scores), asked(prevalence=0.01), None, 0)
    assert found.standings[0].classifier == "never"
    assert {pair.first for pair in found.pairs} == {"m0"}


def test_one_classifier_has_no_pairs() -> None:
    y, scores, _ = rows_of(3, 40)
    only = {"m": next(iter(scores.values()))}
    hull = rocch.RocHull.from_scores(y, only)
    assert losses(hull, asked(), (y, only), 20).pairs == ()


def test_a_class_of_one_row_has_pairs_without_intervals() -> None:
    y = np.array([0, 1, 1, 1]) == 1
    scores = {"a": np.array([1.0, 2, 0, 4]), "b": np.array([2.0, 1, 3, 4])}
    found = losses(rocch.RocHull.from_scores(y, scores), asked(), (y, scores), 100)
    assert [pair.interval for pair in found.pairs] == [None]
    assert found.resamples == 0
