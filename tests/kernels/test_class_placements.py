"""Placements of rows among many classes, against counting pair by pair."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from rocch.kernels.placements import class_placements, twice_placements
from tests.support.oracles.auc_variance import outranks
from tests.support.strategies import judged_posteriors


@given(judged_posteriors())
def test_placements_are_counted_pairs(drawn: tuple[list[int], list[list[list[float]]]]) -> None:
    labels, (posteriors,) = drawn
    found = class_placements(np.array(posteriors), np.array(labels))
    for row, truth in enumerate(labels):
        for code in range(max(labels) + 1):
            others = [r for r, label in enumerate(labels) if label == code and code != truth]
            above = sum(outranks(posteriors[row][truth], posteriors[r][truth]) for r in others)
            below = sum(outranks(posteriors[r][code], posteriors[row][code]) for r in others)
            assert found.outranks[row, code] == 2 * above
            assert found.outranked[row, code] == 2 * below


@given(judged_posteriors())
def test_both_sides_count_the_same_pairs(drawn: tuple[list[int], list[list[list[float]]]]) -> None:
    labels, (posteriors,) = drawn
    truths = np.array(labels)
    found = class_placements(np.array(posteriors), truths)
    codes = range(max(labels) + 1)
    won = [[found.outranks[truths == i, j].sum() for j in codes] for i in codes]
    lost = [[found.outranked[truths == j, i].sum() for j in codes] for i in codes]
    assert won == lost


def test_two_classes_have_the_placements_of_a_curve() -> None:
    rng = np.random.default_rng(0)
    scores = rng.integers(0, 50, size=400) / 64  # so that 1 - score ties where the score does
    truths = rng.integers(0, 2, size=400)
    found = class_placements(np.stack((1 - scores, scores), axis=1), truths)
    negatives, positives = twice_placements(scores, truths == 1)
    assert found.outranks[truths == 1, 0].tolist() == positives.tolist()
    assert found.outranked[truths == 0, 1].tolist() == negatives.tolist()
    assert found.outranks[truths == 0, 1].tolist() == negatives.tolist()


def test_what_came_is_not_touched() -> None:
    posteriors, truths = np.full((4, 2), 0.5), np.array([0, 1, 0, 1])
    posteriors.flags.writeable = truths.flags.writeable = False
    found = class_placements(posteriors, truths)
    assert found.outranks.tolist() == pytest.approx(np.array([[0, 2], [2, 0]] * 2))
