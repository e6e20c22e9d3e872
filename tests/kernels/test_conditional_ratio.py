"""Moreira's conditional law, against quadrature and against his own formula on random numbers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, stats

from rocch.kernels.bounds import chance_below


def chance(ratio: float, strength: float, dimensions: int) -> float:
    return float(chance_below(np.array([ratio]), np.array([strength]), dimensions)[0])


@pytest.mark.parametrize("dimensions", [1, 2, 3, 9])
@pytest.mark.parametrize("strength", [0.0, 0.5, 20.0, 1e8])
@pytest.mark.parametrize("ratio", [1e-6, 0.5, 3.84, 40.0, 1e6])
def test_agrees_with_quadrature(ratio: float, strength: float, dimensions: int) -> None:
    def density(z: float) -> float:
        rest = (strength + ratio) * (1 - z * z / ratio)
        within = stats.chi2.cdf(rest, dimensions - 1) if dimensions > 1 else 1.0
        return float(2 * stats.norm.pdf(z) * within)

    wanted = integrate.quad(density, 0, min(np.sqrt(ratio), 9), epsabs=1e-12, limit=400)[0]
    assert chance(ratio, strength, dimensions) == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize("strength", [0.3, 4.0, 30.0])
def test_agrees_with_moreiras_formula_on_random_numbers(strength: float) -> None:
    rng = np.random.default_rng(3)
    q1, rest = rng.chisquare(1, 200_000), rng.chisquare(4, 200_000)
    both = q1 + rest
    ratios = (both - strength + np.sqrt((both + strength) ** 2 - 4 * rest * strength)) / 2
    for ratio in (1.0, 4.0, 8.0):
        seen = np.mean(ratios <= ratio)
        assert chance(ratio, strength, 5) == pytest.approx(seen, abs=0.004)


def test_runs_from_all_dimensions_to_one_as_the_direction_becomes_clear() -> None:
    assert chance(stats.chi2.ppf(0.95, 6), 0.0, 6) == pytest.approx(0.95)
    assert chance(stats.chi2.ppf(0.95, 1), 1e12, 6) == pytest.approx(0.95)
    assert chance(stats.chi2.ppf(0.9, 1), 0.0, 1) == pytest.approx(0.9)


def test_no_ratio_has_no_chance_below() -> None:
    assert chance(0.0, 5.0, 3) == 0
