"""The power of a test of a rate, by its definition: all counts, in fractions."""

from fractions import Fraction
from math import comb


def chance(count: int, rows: int, rate: Fraction) -> Fraction:
    """Return the binomial chance of a count."""
    return comb(rows, count) * rate**count * (1 - rate) ** (rows - count)


def rate_power(rate: Fraction, null: Fraction, rows: int, tail: Fraction) -> Fraction:
    """Return the chance of counts so far from `null`, towards `rate`, that they refute it."""
    power = Fraction(0)
    for count in range(rows + 1):
        beyond = range(count, rows + 1) if rate > null else range(count + 1)
        if sum((chance(k, rows, null) for k in beyond), Fraction(0)) <= tail:
            power += chance(count, rows, rate)
    return power
