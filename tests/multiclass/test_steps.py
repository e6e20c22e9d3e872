from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocch.multiclass.models import laplacian_step, reflect


def test_steps_are_laplacian_with_the_given_scales() -> None:
    rng = np.random.default_rng(0)
    steps = np.array(
        [laplacian_step(np.array([1.0, 5.0]), np.array([1.0, 3.0]), rng) for _ in range(20000)]
    )
    away = np.abs(steps - [1.0, 5.0])
    assert away.mean(axis=0) == pytest.approx([1, 3], rel=0.05)
    # heavy tails: P(|step| > 5 scales) is exp(-5) = 0.0067, a normal one's is below 0.0004
    assert np.mean(away > [5, 15]) == pytest.approx(np.exp(-5), rel=0.2)


@given(st.floats(-100, 100), st.floats(-10, 10), st.floats(0, 20))
def test_reflected_values_lie_within_and_inner_ones_stay(
    value: float, low: float, width: float
) -> None:
    lows, highs = np.array([low]), np.array([low + width])
    [got] = reflect(np.array([value]), lows, highs)
    assert low <= got <= low + width
    if low <= value <= low + width:
        assert got == pytest.approx(value, abs=1e-12)


def test_values_are_mirrored_at_the_bound_they_pass() -> None:
    low, high = np.full(4, 1.0), np.full(4, 3.0)
    assert reflect(np.array([0.5, 3.5, 6.0, -2.0]), low, high) == pytest.approx([1.5, 2.5, 2, 2])


def test_narrow_bounds_mirror_too() -> None:
    low, high = np.full(3, 1.0), np.full(3, 1.3)
    assert reflect(np.array([0.9, 1.35, 1.7]), low, high) == pytest.approx([1.1, 1.25, 1.1])
