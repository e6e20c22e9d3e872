"""Everson and Fieldsend, section 5: volumes below random allocation, G and delta."""

from __future__ import annotations

from fractions import Fraction
from math import comb, factorial

import numpy as np
import pytest

from rocch.multiclass import dominated_share, exclusive_share, region_volume


def test_the_volume_below_random_allocation() -> None:
    assert region_volume(2) == Fraction(1, 2)
    assert region_volume(3) == Fraction(58, 720)
    assert float(region_volume(3)) == pytest.approx(0.0806, abs=5e-5)


def test_equation_15_subtracts_corners_once_where_they_overlap() -> None:
    def printed(q: int) -> Fraction:
        d = q * (q - 1)
        return Fraction((q - 1) ** d - d * (q - 2) ** d, factorial(d))

    assert [printed(q) == region_volume(q) for q in (2, 3, 4, 5)] == [True, True, False, False]
    assert region_volume(4) == printed(4) + Fraction(comb(12, 2), factorial(12))
    assert float(region_volume(4)) == pytest.approx(1.0e-3, rel=0.01)
    assert float(region_volume(5)) == pytest.approx(4.2e-7, rel=0.01)


def test_random_allocation_lies_on_the_simplex() -> None:
    rng = np.random.default_rng(0)
    answers = rng.dirichlet(np.ones(4))
    rates = np.tile(answers, (4, 1))
    assert rates[~np.eye(4, dtype=bool)].sum() == pytest.approx(3)
    assert (1 - np.diag(rates)).sum() == pytest.approx(3)


def test_g_of_a_single_point_is_a_staircase_not_the_gini_coefficient() -> None:
    assert dominated_share([[2, 4]], [10, 10]).value == 0.16  # FPR 0.2, TPR 0.6; the Gini is 0.4


def test_g_of_many_points_on_a_curve_nears_its_gini_coefficient() -> None:
    # TPR = sqrt(FPR) has an AUC of 2/3
    n = 10_000
    false_positives = np.arange(n + 1)
    misses = n - np.floor(np.sqrt(false_positives * n)).astype(np.int64)
    share = dominated_share(np.stack([false_positives, misses], axis=1), [n, n])
    assert share.value == pytest.approx(2 * 2 / 3 - 1, abs=4e-4)


def test_delta_is_not_symmetric() -> None:
    ours, theirs = [[1, 3], [3, 1]], [[2, 2]]
    there = exclusive_share(ours, [10, 10], theirs).value
    back = exclusive_share(theirs, [10, 10], ours).value
    assert there == pytest.approx(0.6**2 + 0.6**2 - 0.4**2 - (0.5**2 + 0.5**2 - 0.4**2))
    assert back == pytest.approx(0.6**2 - (0.5**2 + 0.5**2 - 0.4**2))
