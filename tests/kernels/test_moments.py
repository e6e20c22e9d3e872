"""Partial moments: every power against quadrature, and against 60 digits where it is hard."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from rocch.arrays import FloatArray
from rocch.kernels.moments import (
    MASS,
    Piece,
    Powers,
    beta_moment,
    linear_moment,
    quantile_moment,
)

POWERS = [Powers(0, 0), Powers(1, 0), Powers(0, 1), Powers(1, -1), Powers(-1, 1)]
PIECES = {
    "even": Piece(0.2, 0.7, 2.0, 2.0),
    "rising": Piece(0.2, 0.7, 0.0, 4.0),
    "falling": Piece(0.6, 0.95, 5.0, 0.0),
    "low": Piece(1e-9, 1e-6, 1e6, 0.0),
    "high": Piece(1 - 1e-6, 1 - 1e-9, 1e6, 2e6),
    "narrow": Piece(0.9, 0.9 + 1e-7, 0.0, 2e7),
    "narrower": Piece(0.1, 0.1 + 1e-12, 1e12, 1e12),
}


def exact(piece: Piece, end: float, powers: Powers) -> float:
    """Integrate s^i (1 - s)^j times the line, with 80 digits."""
    with localcontext() as context:
        context.prec = 80
        low, high, left, right = (Decimal(x) for x in piece)
        top = min(max(Decimal(end), low), high)
        if top <= low:
            return 0.0
        if powers.rest < 0:  # substitute 1 - s
            low, top, left, right, high = 1 - top, 1 - low, right, left, 1 - low
            first = 1 - Decimal(piece.high)
            powers = Powers(-1, 1)
        else:
            first = low
        rise = (right - left) / (high - first)
        at_zero = left - rise * first
        if powers.share < 0:  # (1 - s) / s
            area = at_zero * (top.ln() - low.ln()) + (rise - at_zero) * (top - low)
            return float(area - rise * (top**2 - low**2) / 2)
        terms = {
            Powers(0, 0): (at_zero, rise, Decimal(0)),
            Powers(1, 0): (Decimal(0), at_zero, rise),
            Powers(0, 1): (at_zero, rise - at_zero, -rise),
        }[powers]
        return float(
            sum(t * (top ** (k + 1) - low ** (k + 1)) / (k + 1) for k, t in enumerate(terms))
        )


@pytest.mark.parametrize("powers", POWERS, ids=str)
@pytest.mark.parametrize("piece", PIECES.values(), ids=PIECES.keys())
def test_straight_pieces_to_the_last_digits(piece: Piece, powers: Powers) -> None:
    ends = np.linspace(piece.low, piece.high, 7)
    found = linear_moment(piece, ends, powers)
    wanted = [exact(piece, float(end), powers) for end in ends]
    np.testing.assert_allclose(found, wanted, rtol=2e-10, atol=1e-25)
    ordinary = piece.low > 1e-3 and piece.high < 0.99
    if ordinary:
        np.testing.assert_allclose(found, wanted, rtol=5e-15, atol=1e-25)


@given(
    st.floats(0.001, 0.9),
    st.floats(1e-6, 0.09),
    st.floats(0, 5),
    st.floats(0, 5),
    st.floats(0, 1),
    st.sampled_from(POWERS),
)
def test_any_straight_piece(
    low: float, width: float, left: float, right: float, share: float, powers: Powers
) -> None:
    piece = Piece(low, low + width, left, right)
    end = low + share * width
    found = float(linear_moment(piece, np.array(end), powers))
    assert found == pytest.approx(exact(piece, end, powers), rel=1e-12, abs=1e-16)


def test_below_and_above_a_piece() -> None:
    piece = PIECES["rising"]
    for powers in POWERS:
        below, whole, above = linear_moment(piece, np.array([0.0, 0.7, 1.0]), powers)
        assert below == 0
        assert whole == above > 0


@pytest.mark.parametrize(
    ("piece", "powers"),
    [(Piece(0, 0.5, 2, 2), Powers(-1, 1)), (Piece(0.5, 1, 2, 2), Powers(1, -1))],
)
def test_a_density_that_does_not_vanish_at_the_pole_has_no_moment(
    piece: Piece, powers: Powers
) -> None:
    assert linear_moment(piece, np.array([1.0]), powers)[0] == np.inf
    inside = linear_moment(piece, np.array([0.75]), powers)[0]
    assert np.isfinite(inside) == (powers.rest < 0)


def test_a_density_that_vanishes_at_the_pole_has_one() -> None:
    # 2s on [0, 1]: the integral of 2 (1 - s) is 1; and the mirror image
    assert linear_moment(Piece(0, 1, 0, 2), np.array([1.0]), Powers(-1, 1))[0] == pytest.approx(1)
    assert linear_moment(Piece(0, 1, 2, 0), np.array([1.0]), Powers(1, -1))[0] == pytest.approx(1)


def test_simpson_is_exact_in_fractions() -> None:
    piece = Piece(0.25, 0.75, 1.0, 3.0)  # 2 + 4 (s - 1/2)
    wanted = sum(
        Fraction(4) * (Fraction(3, 4) ** k - Fraction(1, 4) ** k) / k * (1 if k == 3 else 0)
        for k in (2, 3)
    )
    assert linear_moment(piece, np.array([0.75]), Powers(1, 0))[0] == float(wanted)


@pytest.mark.parametrize("powers", POWERS, ids=str)
@pytest.mark.parametrize(("a", "b"), [(2, 2), (1.5, 8), (30, 2.5), (400, 100)])
def test_beta_moments_against_quadrature(a: float, b: float, powers: Powers) -> None:
    density = stats.beta(a, b).pdf
    for end in (0.1, 0.5, 0.83, 1.0):
        wanted = integrate.quad(
            lambda s: density(s) * s**powers.share * (1 - s) ** powers.rest,
            0,
            end,
            points=[end * a / (a + b)],
            limit=200,
        )[0]
        found = beta_moment(a, b, np.array([end]), powers)[0]
        assert found == pytest.approx(wanted, rel=1e-9, abs=1e-12)


def test_beta_moments_that_do_not_exist() -> None:
    assert beta_moment(0.5, 2, np.array([0.0, 0.5]), Powers(-1, 1)).tolist() == [0.0, np.inf]
    assert beta_moment(2, 1, np.array([1.0]), Powers(1, -1))[0] == np.inf


def quantile_of(distribution: Any) -> Callable[..., FloatArray]:
    def quantile(mass: FloatArray, *, from_top: bool = False) -> FloatArray:
        return np.asarray(distribution.isf(mass) if from_top else distribution.ppf(mass))

    return quantile


@pytest.mark.parametrize("powers", POWERS[1:], ids=str)
def test_quantile_moments_against_quadrature(powers: Powers) -> None:
    shares = stats.beta(3, 4)
    masses = shares.cdf(np.array([0.05, 0.3, 0.62, 0.99, 1.0]))
    found, error = quantile_moment(quantile_of(shares), masses, powers.of, np.array([]))
    for end, value in zip((0.05, 0.3, 0.62, 0.99, 1.0), found, strict=True):
        wanted = integrate.quad(
            lambda s: float(powers.of(np.array(s))) * shares.pdf(s), 0, end, limit=200
        )[0]
        assert value == pytest.approx(wanted, abs=1e-8)
    assert 0 <= error < 1e-7


def test_kinks_are_cut_at() -> None:
    triangle = stats.triang(0.4)
    masses = np.array([1.0])
    quantile, mean = quantile_of(triangle), Powers(1, 0).of
    blunt, _ = quantile_moment(quantile, masses, mean, np.array([]))
    sharp, error = quantile_moment(quantile, masses, mean, np.array([0.4]))
    assert abs(sharp[0] - triangle.mean()) < 1e-14 < abs(blunt[0] - triangle.mean())
    assert error < 1e-12


def test_powers() -> None:
    shares = np.array([0.0, 0.25, 1.0])
    assert MASS.of(shares).tolist() == [1, 1, 1]
    assert Powers(1, 0).of(shares).tolist() == [0, 0.25, 1]
    assert Powers(1, -1).of(shares).tolist() == pytest.approx([0, 1 / 3, np.inf])
    assert Powers(-1, 1).of(shares).tolist() == pytest.approx([np.inf, 3, 0])
