"""Evidence: one sequential test for every kind of feedback, valid whenever one looks.

Feedback is a sum of differences S that has no upward drift while nothing speaks for a move. With
a suitable V that grows with it, exp(x S - x^2 V / 2) has expectation at most 1 for every x > 0, at
all times. Averaging over x with a half-normal weight of variance 1 / PRIOR gives Robbins' normal
mixture, an "e-value" that stays below any level L, for ever, with probability at least 1 - 1/L.

V is a third of the sum of squares seen plus two thirds of the variance that is known to hold while
nothing speaks for a move: exp(x - x^2/6) <= 1 + x + x^2/3 makes that valid for differences of any
shape (Delyon, Electronic Journal of Probability 14, 2009), also for the very skew ones that rare
and expensive misses make, where a plain normal approximation moves far too easily.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

PRIOR = 1.0
"""At about eight times this V the test is sharpest: after a handful of units of feedback."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The evidence for turning the knob one way.

    Attributes
    ----------
    total
        The sum of differences: how much better that way looked, in units of one standard deviation.
    variance
        How large a total chance alone makes.

    Examples
    --------
    >>> from rocch.hybrid.tuning.evidence import Evidence
    >>> Evidence(10, 10).e_value > 40 > Evidence(9, 9).e_value
    True
    """

    total: float = 0.0
    variance: float = 0.0

    def __add__(self, other: Evidence) -> Evidence:
        return Evidence(self.total + other.total, self.variance + other.variance)

    @classmethod
    def of(cls, total: float, *, squares: float, expected_squares: float) -> Evidence:
        """Weigh a sum of differences by their squares, those seen and those expected by chance."""
        return cls(total, (squares + 2 * expected_squares) / 3)

    @property
    def log_e(self) -> float:
        """The logarithm of the e-value."""
        spread = self.variance + PRIOR
        return math.log(2) + math.log(PRIOR / spread) / 2 + _log_tilt(self.total / spread**0.5)

    def settled(self, alpha: float, window: float) -> bool:
        """Say whether this way has been looked at enough: it is worse, or a window has passed."""
        against = Evidence(-self.total, self.variance)
        return self.variance >= window or against.log_e >= math.log(2 / alpha)

    @property
    def e_value(self) -> float:
        """By how much a bet on this way would have multiplied its stake."""
        return math.exp(min(self.log_e, 700.0))


NOTHING = Evidence()


@dataclass(frozen=True, slots=True)
class Sides:
    """The evidence for turning left, and that for turning right."""

    left: Evidence = NOTHING
    right: Evidence = NOTHING

    def __add__(self, other: Sides) -> Sides:
        return Sides(self.left + other.left, self.right + other.right)

    def of_way(self, way: int) -> Evidence:
        """Return the evidence for left (-1) or right (1)."""
        return self.left if way < 0 else self.right

    def without(self, ways: Collection[int]) -> Sides:
        """Return the evidence with some sides starting anew."""
        return Sides(NOTHING if -1 in ways else self.left, NOTHING if 1 in ways else self.right)

    def decided(self, alpha: float) -> int:
        """Return -1 for left, 1 for right, 0 while neither is beyond chance.

        Each side gets half of `alpha`, so that both together err with at most that probability.
        """
        way = -1 if self.left.log_e >= self.right.log_e else 1
        return way if self.of_way(way).log_e >= math.log(2 / alpha) else 0


def _log_tilt(z: float) -> float:
    """Return z^2 / 2 + log(Phi(z)), also far to the left, where Phi underflows."""
    if z < -30:
        return math.log1p(-1 / (z * z)) - math.log(-z * math.sqrt(2 * math.pi))
    return z * z / 2 + math.log(math.erfc(-z / math.sqrt(2)) / 2)
