"""Placements agree with the slow oracle, and are integers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given

from rocch.kernels.counting import twice_pairs_won
from rocch.kernels.placements import twice_placements
from tests.support.oracles import auc_variance
from tests.support.strategies import judged_rows


@given(judged_rows())
def test_placements_equal_the_oracle(rows: tuple[list[bool], list[float]]) -> None:
    labels, scores = rows
    n, m = labels.count(False), labels.count(True)
    lost, won = twice_placements(np.array(scores), np.array(labels))
    expected = auc_variance.placements(labels, scores)
    assert [Fraction(int(v), 2 * m) for v in lost] == expected[0]
    assert [Fraction(int(v), 2 * n) for v in won] == expected[1]


def test_both_sides_sum_to_the_wilcoxon_statistic_and_nothing_is_altered() -> None:
    rng = np.random.default_rng(0)
    for share in (0.02, 0.5, 0.95):
        y = rng.random(20_000) < share
        s = np.round(rng.normal(size=20_000) + y, 3)
        s.flags.writeable = y.flags.writeable = False
        lost, won = twice_placements(s, y)
        assert lost.dtype == won.dtype == np.int64
        assert lost.sum() == won.sum() == twice_pairs_won(s, y)


def test_the_order_of_rows_moves_placements_with_them() -> None:
    rng = np.random.default_rng(1)
    y, s = rng.random(500) < 0.3, rng.integers(0, 40, 500).astype(float)
    order = rng.permutation(500)
    placed, moved = np.empty(500, dtype=np.int64), np.empty(500, dtype=np.int64)
    placed[~y], placed[y] = twice_placements(s, y)
    moved[~y[order]], moved[y[order]] = twice_placements(s[order], y[order])
    assert np.array_equal(placed[order], moved)
