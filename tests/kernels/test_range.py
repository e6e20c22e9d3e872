"""Tukey's studentized range against SciPy's, and Student's t for two values."""

from __future__ import annotations

import pytest
from scipy.special import stdtr
from scipy.stats import studentized_range

from rocch.kernels.bounds import range_quantile, range_tail


@pytest.mark.parametrize(("count", "degrees"), [(3, 1), (6, 5), (10, 19), (20, 200)])
def test_the_tail_is_scipys(count: int, degrees: int) -> None:
    for width in (0.0, 0.5, 3.0, 4.5, 9.0):
        expected = studentized_range.sf(width, count, degrees)
        assert range_tail(width, count, degrees) == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("degrees", [1, 3, 19, 10_000, 1_000_000])
def test_two_values_have_students_law(degrees: int) -> None:
    for t in (0.0, 0.7, 1.96, 4.0):
        expected = 2 * stdtr(degrees, -t)
        assert range_tail(t * 2**0.5, 2, degrees) == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("level", [0.5, 0.95, 0.9999])
def test_the_quantile_inverts_the_tail(level: float) -> None:
    width = range_quantile(level, 6, 7)
    assert range_tail(width, 6, 7) == pytest.approx(1 - level, rel=1e-6)


def test_the_tables_value() -> None:
    """Tukey's table: 5%, three values, ten degrees of freedom."""
    assert range_quantile(0.95, 3, 10) == pytest.approx(3.88, abs=0.005)
