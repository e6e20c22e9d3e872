"""Bounds of predictive values: exact at the rows' prevalence, enumerated at a stated one."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy.stats import binom, binomtest

from rocch.kernels.bounds import predictive_bounds
from tests.support.oracles import predictive

if TYPE_CHECKING:
    from rocch.arrays import FloatArray


def grid(rows: tuple[int, int]) -> tuple[FloatArray, FloatArray]:
    right, wrong = np.meshgrid(np.arange(rows[0] + 1.0), np.arange(rows[1] + 1.0), indexing="ij")
    return right, wrong


def test_at_the_prevalence_of_the_rows_bounds_are_binomial() -> None:
    right, wrong = np.array([0, 3, 7, 12]), np.array([5, 0, 2, 8])
    low, high = predictive_bounds(right, wrong, (12, 9), 0.9)
    for k, (r, w) in enumerate(zip(right.tolist(), wrong.tolist(), strict=True)):
        exact = binomtest(r, r + w).proportion_ci(0.9, "exact")
        assert (low[k], high[k]) == pytest.approx(tuple(exact), abs=1e-12)


@pytest.mark.parametrize("share", [None, 0.1])
def test_without_predictions_nothing_is_known(share: float | None) -> None:
    low, high = predictive_bounds(np.array([0]), np.array([0]), (12, 9), 0.95, share)
    assert (low.tolist(), high.tolist()) == ([0.0], [1.0])


@pytest.mark.parametrize("share", [0.01, 0.3, 0.9])
def test_bounds_enclose_the_predictive_value_and_follow_the_counts(share: float) -> None:
    rows = (12, 30)
    right, wrong = grid(rows)
    low, high = predictive_bounds(right, wrong, rows, 0.95, share)
    assert ((low >= 0) & (high <= 1)).all()
    for r, w in np.ndindex(right.shape):
        if r + w:
            tpr, fpr = Fraction(r, rows[0]), Fraction(w, rows[1])
            value = predictive.predictive_value(tpr, fpr, Fraction(share))
            assert low[r, w] <= float(value) + 1e-12
            assert float(value) <= high[r, w] + 1e-12
    # the (0, 0) corner is unknown, so leave out no predictions at all
    for bound in (low, high):
        assert (np.diff(bound, axis=0)[:, 1:] >= -1e-12).all()
        assert (np.diff(bound, axis=1)[1:] <= 1e-12).all()


@pytest.mark.parametrize("rows", [(5, 5), (20, 40), (60, 15)])
@pytest.mark.parametrize("confidence", [0.9, 0.95])
def test_bounds_hold_at_least_as_often_as_stated(rows: tuple[int, int], confidence: float) -> None:
    """The chance of every table is summed up; nothing is simulated."""
    right, wrong = grid(rows)
    share = 0.2
    low, high = predictive_bounds(right, wrong, rows, confidence, share)
    rates = (0.01, 0.1, 0.35, 0.5, 0.8, 0.95, 0.995)
    for tpr in rates:
        chances = binom.pmf(right, rows[0], tpr)
        for fpr in rates:
            value = float(predictive.predictive_value(tpr, fpr, share))
            held = (low - 1e-12 <= value) & (value <= high + 1e-12)
            assert (chances * binom.pmf(wrong, rows[1], fpr))[held].sum() >= confidence


def test_a_billion_rows_leave_hardly_any_width() -> None:
    rows = (10**9, 10**9)
    low, high = predictive_bounds(np.array([9e8]), np.array([1e8]), rows, 0.95, 0.5)
    assert low[0] < 0.9 < high[0]
    assert high[0] - low[0] < 1e-4
