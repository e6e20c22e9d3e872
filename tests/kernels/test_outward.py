"""Doubles around a fraction, none in between."""

from __future__ import annotations

import math
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from rocch.kernels.exact import at_least, at_most


@given(st.fractions(0, 1) | st.floats(0, 1).map(Fraction))
def test_they_are_the_nearest_on_either_side(fraction: Fraction) -> None:
    low, high = at_most(fraction), at_least(fraction)
    assert low <= fraction <= high
    assert high in (low, math.nextafter(low, math.inf))
    assert (low == high) == (Fraction(float(fraction)) == fraction)


def test_the_ends_stay() -> None:
    assert (at_most(Fraction(0)), at_least(Fraction(1))) == (0.0, 1.0)
    assert (at_most(Fraction(1, 10**400)), at_least(Fraction(1, 10**400))) == (0.0, 5e-324)
