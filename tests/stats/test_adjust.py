"""Adjusted p-values against textbook values, SciPy and the definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import false_discovery_control

from rocch.stats.pair_tests import Adjustment, adjust_p_values

P = st.lists(st.floats(0, 1), min_size=1, max_size=8).map(np.array)


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("holm", [0.03, 0.06, 0.06, 0.02]),
        ("bonferroni", [0.04, 0.16, 0.12, 0.02]),
        ("benjamini-hochberg", [0.02, 0.04, 0.04, 0.02]),
        ("none", [0.01, 0.04, 0.03, 0.005]),
    ],
)
def test_textbook_values(method: Adjustment, expected: list[float]) -> None:
    """Worked out by hand from the definitions."""
    given_p = np.array([0.01, 0.04, 0.03, 0.005])
    assert adjust_p_values(given_p, method) == pytest.approx(expected)


@given(P)
def test_benjamini_hochberg_is_scipys(p: np.ndarray[tuple[int], np.dtype[np.float64]]) -> None:
    assert adjust_p_values(p, "benjamini-hochberg") == pytest.approx(false_discovery_control(p))


@given(P, st.floats(0.001, 0.5))
def test_holm_rejects_step_by_step(
    p: np.ndarray[tuple[int], np.dtype[np.float64]], level: float
) -> None:
    """Going up from the smallest, reject while p <= level / (number of tests left)."""
    rejected = np.zeros(p.size, dtype=bool)
    for left, index in zip(range(p.size, 0, -1), np.argsort(p, kind="stable"), strict=True):
        if p[index] * left > level:
            break
        rejected[index] = True
    assert np.array_equal(adjust_p_values(p, "holm") <= level, rejected)


@given(P)
def test_one_method_is_never_stricter_than_the_next(
    p: np.ndarray[tuple[int], np.dtype[np.float64]],
) -> None:
    none, hochberg, holm, bonferroni = (
        adjust_p_values(p, m) for m in ("none", "benjamini-hochberg", "holm", "bonferroni")
    )
    assert (none <= hochberg + 1e-12).all()
    assert (hochberg <= holm + 1e-12).all()
    assert (holm <= bonferroni).all()
    assert bonferroni.max() <= 1
