"""Where one classifier loses less than another if both obey the threshold that the costs imply.

Whoever estimates probabilities alarms when the estimate is at least 1 - c, c being the miss's share
of both costs (Adams and Hand, section 1, where it is a threshold on class 0). Along c the points
of a curve are visited from *never* to *always*, each over a stretch between neighbouring scores;
the loss jumps at the scores and is straight in between.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rocch.kernels.envelopes import Signs, cut, positions, share_weights, sign

if TYPE_CHECKING:
    from rocch.arrays import FloatArray, IntArray

DOUBT = 1e-14
"""Far above the rounding error of a product of five rounded factors (about 6 x 2**-53)."""

UNDERFLOW = 1e-290
"""Smaller differences may be made of products that have lost their digits."""


class Scored(NamedTuple):
    """A curve: its scores, falling, and the counts from (0, 0) on, one more than scores."""

    scores: FloatArray
    false_positives: IntArray
    true_positives: IntArray

    def at_least(self, scores: FloatArray) -> tuple[IntArray, IntArray]:
        """Return the counts of rows that score at least so much."""
        place = np.searchsorted(-self.scores, -scores, side="right")
        return self.false_positives[place], self.true_positives[place]


def compare_implied(
    first: Scored, second: Scored, *, negatives: int, positives: int, prevalence: float
) -> Signs:
    """Partition the shares from 0 to 1 by which of two curves loses less at the implied threshold.

    Scores must lie in [0, 1], and both curves on the same totals. Signs are exact (the prevalence
    and the scores being taken as the fractions that their doubles are), and positions correctly
    rounded. Complexity: O(n log n) for n distinct scores in all.
    """
    steps = np.unique(np.concatenate((first.scores, second.scores)))[::-1]
    steps = steps[(steps > 0) & (steps < 1)]
    tops = np.concatenate(([1.0], steps))
    (xa, ya), (xb, yb) = first.at_least(tops), second.at_least(tops)
    dx, dy = xa - xb, ya - yb
    weights = share_weights(negatives, positives, prevalence)
    left = _better(dx, dy, tops, weights)
    right = _better(dx, dy, np.concatenate((steps, [0.0])), weights)
    pieces = cut(left, right, left[1:])
    edges = 1 - np.append(steps, 0.0)[pieces.of]
    crossing = pieces.of[pieces.crossing]
    edges[pieces.crossing] = positions(np.abs(dx[crossing]), np.abs(dy[crossing]), weights)
    return Signs(
        np.concatenate(([0.0], edges, [1.0])),
        pieces.sign,
        np.concatenate((left[:1], pieces.at, [0])),
    ).distinct()


def _better(dx: IntArray, dy: IntArray, scores: FloatArray, weights: tuple[int, int]) -> IntArray:
    """Return the signs of b (1 - s) dy - a s dx, exact: floats first, fractions where in doubt."""
    a, b = weights
    hits = b / (a + b) * (1 - scores) * dy.astype(float)
    alarms = a / (a + b) * scores * dx.astype(float)
    difference = hits - alarms
    found = sign(difference)
    close = np.abs(difference) <= DOUBT * (np.abs(hits) + np.abs(alarms)) + UNDERFLOW
    for i in np.flatnonzero(close & ((dx != 0) | (dy != 0))).tolist():
        s = Fraction(float(scores[i]))
        exact = b * (1 - s) * int(dy[i]) - a * s * int(dx[i])
        found[i] = (exact > 0) - (exact < 0)
    return found
