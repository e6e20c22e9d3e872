"""Cost space by definition: draw every line, cross every pair, look at all of them.

Source: Drummond & Holte, *Cost curves: an improved method for visualizing classifier performance*
(2006); Fawcett's *ROC Graphs* slides, "Cost curves". A point of ROC space, in counts, becomes the
line from (0, FPR) to (1, miss rate). Everything is exact.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import combinations
from typing import TypeAlias

Line: TypeAlias = tuple[Fraction, Fraction]
"""The heights at x = 0 and at x = 1."""


def lines(points: Iterable[tuple[int, int]], negatives: int, positives: int) -> set[Line]:
    """Return the lines of points given as (false positives, true positives), with both ends'."""
    every = {(0, 0), (negatives, positives), *points}
    return {(Fraction(fp, negatives), 1 - Fraction(tp, positives)) for fp, tp in every}


def height(line: Line, x: Fraction) -> Fraction:
    """Return the normalized expected cost of one line: (1 - x) FPR + x (1 - TPR)."""
    return (1 - x) * line[0] + x * line[1]


def lowest(every: Iterable[Line], x: Fraction) -> Fraction:
    """Return the height of the lower envelope."""
    return min(height(line, x) for line in every)


def breakpoints(every: Sequence[Line]) -> list[Fraction]:
    """Return every x in [0, 1] at which two different lines are lowest together."""
    found = set()
    for one, other in combinations(every, 2):
        left, right = one[0] - other[0], one[1] - other[1]
        if left != right:
            x = left / (left - right)
            if 0 <= x <= 1 and height(one, x) == lowest(every, x):
                found.add(x)
    return sorted(found)


def probability_cost(
    prevalence: Fraction, fp: Fraction, fn: Fraction, tp: Fraction, tn: Fraction
) -> Fraction:
    """Return the share of the positives' errors in the cost of deciding everything wrongly."""
    misses, alarms = prevalence * (fn - tp), (1 - prevalence) * (fp - tn)
    return misses / (misses + alarms)
