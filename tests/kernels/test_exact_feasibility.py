from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from rocch.kernels.exact import solution


def solved(rows: list[list[int]], bounds: list[int]) -> list[Fraction] | None:
    return solution(np.array(rows, dtype=object), np.array(bounds, dtype=object))


@given(st.integers(0, 10_000))
def test_a_solution_exists_just_where_linear_programming_finds_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.integers(-5, 6, (rng.integers(1, 9), rng.integers(1, 6)))
    bounds = rng.integers(-6, 7, len(rows))
    found = solved(rows.tolist(), bounds.tolist())
    answer = linprog(np.zeros(rows.shape[1]), A_ub=rows, b_ub=bounds)
    assert (found is not None) == answer.success
    if found is not None:
        assert all(x >= 0 for x in found)
        for row, bound in zip(rows.tolist(), bounds.tolist(), strict=True):
            assert sum(a * x for a, x in zip(row, found, strict=True)) <= bound


def test_a_gap_far_below_doubles_decides() -> None:
    huge = 10**40
    # x <= 1 and huge x >= huge: just the point 1; one more, and there is none
    assert solved([[1], [-huge]], [1, -huge]) == [Fraction(1)]
    assert solved([[1], [-huge]], [1, -huge - 1]) is None


@pytest.mark.parametrize(("bounds", "exists"), [([0, 0], True), ([-1, 0], False)])
def test_degenerate_corners(bounds: list[int], exists: bool) -> None:
    assert (solved([[1, 1], [-1, -1]], bounds) is not None) == exists
