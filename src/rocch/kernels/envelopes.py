"""Which of two classifiers has the lower cost along the cost axis, decided on integers."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple, TypeAlias

import numpy as np

from rocch.arrays import BoolArray, FloatArray, IntArray
from rocch.kernels.hull import EXACT_IN_DOUBLES, SAFE_PRODUCT

# The cost of a hull's vertex (x false positives, y true positives) is a line along the cost axis;
# the lowest line is the hull's loss. In counts, at odds r : u (run : rise of a segment) a vertex
# costs u x - r y, up to a common term. The loss turns at the odds of a segment, and two losses
# cross at the odds of the line through the two best vertices. Adams and Hand (section 2) partition
# their axis by the sign of the difference; here the partition is exact.

# False and true positives at the vertices of a hull, from *never* to *always*.
Points: TypeAlias = tuple[IntArray, IntArray]


class Partition(NamedTuple):
    """Which of two envelopes loses less along the cost axis.

    `run` and `rise` are the rising odds at the edges between stretches; `better` is each stretch's
    sign: 1 where the first loses less, -1 where the second does, 0 for the same line. Losses are
    equal at the edges and at both ends of the axis.
    """

    run: IntArray
    rise: IntArray
    better: IntArray

    def along(self, weights: tuple[int, int]) -> Signs:
        """Return the partition of the axis with these weights."""
        inner = positions(self.run, self.rise, weights)
        edges = np.concatenate(([0.0], inner, [1.0]))
        return Signs(edges, self.better, np.zeros(edges.size, dtype=np.int64)).distinct()


class Signs(NamedTuple):
    """Which of two loses less along an axis from 0 to 1.

    `better` holds the signs (1: the first loses less, -1: the second, 0: neither) between the
    rising `edges`, `at` those at the edges.
    """

    edges: FloatArray
    better: IntArray
    at: IntArray

    def distinct(self) -> Signs:
        """Return the same without stretches whose ends are one double."""
        longer = np.diff(self.edges) > 0
        last = np.append(longer, True)
        return Signs(self.edges[last], self.better[longer], self.at[last])


class Pieces(NamedTuple):
    """Straight pieces of a difference, cut where it changes sign.

    `of` is the piece that each inner edge ends or (`crossing`) crosses; `sign` and `at` are the
    signs on the stretches and at the inner edges.
    """

    of: IntArray
    crossing: BoolArray
    sign: IntArray
    at: IntArray


def compare_envelopes(first: Points, second: Points) -> Partition:
    """Partition the cost axis by which of two hulls loses less.

    Counts of any size, on the same totals. Exact. O(n log n) for n vertices in all.
    """
    (xa, ya), (xb, yb) = (_roomy(points) for points in (first, second))
    run, rise, a, b = _turns((xa, ya), (xb, yb))
    dx, dy = xa[a] - xb[b], ya[a] - yb[b]
    inner = sign(run * dy[1:] - rise * dx[1:])
    at = np.concatenate(([0], inner, [0]))
    pieces = cut(at[:-1], at[1:], inner)
    runs, rises = (
        np.where(pieces.crossing, np.abs(line[pieces.of]), turn[pieces.of])
        for line, turn in ((dx, run), (dy, rise))
    )
    return Partition(runs, rises, pieces.sign)


def cut(left: IntArray, right: IntArray, at: IntArray) -> Pieces:
    """Cut straight pieces where they change sign, and join neighbors that need no edge.

    `left` and `right` are the signs at the ends of each piece, `at` those at the inner edges. An
    edge goes if the sign is the same before, at and after it.
    """
    crossed = left * right < 0
    piece = np.repeat(np.arange(left.size), 1 + crossed)
    before_crossing = np.append(piece[1:] == piece[:-1], False)
    after_crossing = np.append(False, before_crossing[:-1])
    signs = np.sign(left + right)[piece]
    signs[before_crossing] = left[piece[before_crossing]]
    signs[after_crossing] = right[piece[after_crossing]]
    edge = np.where(before_crossing, 0, np.append(at, 0)[piece])[:-1]
    needed = np.flatnonzero((signs[1:] != signs[:-1]) | (edge != signs[:-1]))
    sign_of = signs[np.append(needed, signs.size - 1)]
    return Pieces(piece[needed], before_crossing[needed], sign_of, edge[needed])


def positions(run: IntArray, rise: IntArray, weights: tuple[int, int]) -> FloatArray:
    """Return run a / (run a + rise b) for whole weights (a, b), each correctly rounded.

    With weights (positives, negatives) these are points of the cost axis; see `share_weights`.
    """
    a, b = weights
    if not run.size:
        return np.empty(0)
    if int(run.max()) * a + int(rise.max()) * b < EXACT_IN_DOUBLES:
        part = np.asarray(run * a, dtype=float)
        return np.asarray(part / (part + np.asarray(rise * b, dtype=float)))
    pairs = zip(run.tolist(), rise.tolist(), strict=True)
    return np.array([r * a / (r * a + u * b) for r, u in pairs])


def share_weights(negatives: int, positives: int, prevalence: float) -> tuple[int, int]:
    """Return the weights with which positions are the miss's share of both costs."""
    p = Fraction(prevalence)
    a, b = positives * (p.denominator - p.numerator), negatives * p.numerator
    common = math.gcd(a, b)
    return a // common, b // common


def sign(values: IntArray) -> IntArray:
    """Return the signs of integers of any size as int64."""
    return (values > 0).astype(np.int64) - (values < 0).astype(np.int64)


def _roomy(points: Points) -> Points:
    """Return counts in a type that holds their products, int64 or Python integers."""
    x, y = points
    wide = int(x[-1]) * int(y[-1]) >= SAFE_PRODUCT
    kind = object if wide else np.int64
    return x.astype(kind), y.astype(kind)


def _turns(first: Points, second: Points) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Merge the odds at which either loss turns; return also the best vertices in between."""
    steps = [(np.diff(x), np.diff(y)) for x, y in (first, second)]
    run = np.concatenate([step[0] for step in steps])
    rise = np.concatenate([step[1] for step in steps])
    whose = np.repeat([0, 1], [step[0].size for step in steps])
    start = [int(np.count_nonzero(step[0] == 0)) for step in steps]
    order = _rising(run, rise, np.flatnonzero((run != 0) & (rise != 0)))
    run, rise, whose = run[order], rise[order], whose[order]
    last = np.append(run[:-1] * rise[1:] != run[1:] * rise[:-1], [True] * bool(run.size))
    passed = np.flatnonzero(last)
    at_work = [
        np.concatenate(([begin], begin + np.cumsum(whose == hull)[passed]))
        for hull, begin in enumerate(start)
    ]
    return run[passed], rise[passed], at_work[0], at_work[1]


def _rising(run: IntArray, rise: IntArray, which: IntArray) -> IntArray:
    """Sort by odds: by rounded shares, and exactly if these leave anything out of order."""
    run, rise = run[which], rise[which]
    share = np.asarray(run / (run + rise), dtype=float)
    order = np.argsort(share, kind="stable")
    r, u = run[order], rise[order]
    if (r[:-1] * u[1:] > r[1:] * u[:-1]).any():
        odds = [Fraction(*pair) for pair in zip(run.tolist(), rise.tolist(), strict=True)]
        order = np.array(sorted(range(len(odds)), key=odds.__getitem__))
    return which[order]


# A probability is predicted positive if it is at least 1 - c, where c is the miss's share of both
# costs (Adams and Hand, section 1, as a threshold on class 0). Along c a curve is walked from
# *never* to *always*; the loss jumps at the scores and is straight in between.

# Far above the rounding error of a product of five rounded factors (about 6 x 2**-53).
DOUBT = 1e-14

# Smaller differences may be made of products that have lost their digits.
UNDERFLOW = 1e-290


class CurveCounts(NamedTuple):
    """A curve: falling scores, and the counts from (0, 0) on, one more than scores."""

    scores: FloatArray
    false_positives: IntArray
    true_positives: IntArray

    def at_least(self, scores: FloatArray) -> tuple[IntArray, IntArray]:
        """Return the counts of rows that score at least each of these scores."""
        place = np.searchsorted(-self.scores, -scores, side="right")
        return self.false_positives[place], self.true_positives[place]


def compare_implied(
    first: CurveCounts, second: CurveCounts, *, negatives: int, positives: int, prevalence: float
) -> Signs:
    """Partition the shares from 0 to 1 by which of two curves loses less at the implied threshold.

    Scores in [0, 1], same totals. Signs are exact, positions correctly rounded. O(n log n) for n
    distinct scores in all.
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
    """Return the exact signs of b (1 - s) dy - a s dx: floats first, fractions where in doubt."""
    a, b = weights
    gained = b / (a + b) * (1 - scores) * dy.astype(float)
    lost = a / (a + b) * scores * dx.astype(float)
    difference = gained - lost
    found = sign(difference)
    close = np.abs(difference) <= DOUBT * (np.abs(gained) + np.abs(lost)) + UNDERFLOW
    for i in np.flatnonzero(close & ((dx != 0) | (dy != 0))).tolist():
        s = Fraction(float(scores[i]))
        exact = b * (1 - s) * int(dy[i]) - a * s * int(dx[i])
        found[i] = (exact > 0) - (exact < 0)
    return found
