from __future__ import annotations

import numpy as np

from rocch.kernels.assignment import softmax


def test_it_is_the_textbook_formula() -> None:
    scores = np.array([[0.0, np.log(3.0)], [2.0, 2.0]])
    assert np.allclose(softmax(scores), [[0.25, 0.75], [0.5, 0.5]])


def test_large_scores_do_not_overflow() -> None:
    assert softmax(np.array([[1e5, 0.0], [-1e5, -2e5]])).tolist() == [[1, 0], [1, 0]]


def test_a_row_alone_is_as_in_a_batch_bit_by_bit() -> None:
    scores = 10 * np.random.default_rng(0).normal(size=(203, 5))
    alone = np.concatenate([softmax(scores[i : i + 1]) for i in range(203)])
    assert np.array_equal(softmax(scores), alone)
