"""The ROC convex hull by definition: try every point against every pair of others.

Source: Provost & Fawcett, *Robust Classification for Imprecise Environments* ("P&F"). Points
are integer (false positives, true positives) counts, so every comparison is exact.
"""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, pairwise
from typing import TypeAlias

Counts: TypeAlias = tuple[int, int]


def hull(points: Iterable[Counts], negatives: int, positives: int) -> list[Counts]:
    """Return the vertices of the northwest boundary of the points' convex hull, left to right.

    P&F section 2.2.2: "the northwest boundary [...] of the convex hull of the set of points";
    section 3.2.1: it includes "the degenerate classifiers that define the ROCCH endpoints". A
    vertex is a point that is not on or below the segment between any two others. *Never* and
    *always* stay, even where another point lies straight above *never*.
    """
    ends = {(0, 0), (negatives, positives)}
    every = ends | set(points)
    return sorted(point for point in every if point in ends or not _covered(point, every))


def joint_hull(
    members: Mapping[str, Sequence[Counts]], negatives: int, positives: int
) -> list[tuple[Counts, tuple[str, ...]]]:
    """Return the vertices of all members' hull, each with the sorted names that have this point.

    P&F section 2.2.3, step 2: the hull "of the set of points representing the predictive
    behavior of all classifiers of interest". *Never* and *always* are credited to nobody.
    """
    everything = [point for curve in members.values() for point in curve]
    ends = ((0, 0), (negatives, positives))
    return [
        (vertex, () if vertex in ends else _owners(vertex, members))
        for vertex in hull(everything, negatives, positives)
    ]


def hull_auc(vertices: Sequence[Counts], negatives: int, positives: int) -> Fraction:
    """Return the area under the hull, in rates: the sum of its segments' trapezoids.

    P&F section 3.5: no classifier has a larger AUC.
    """
    twice = sum((x1 - x0) * (y0 + y1) for (x0, y0), (x1, y1) in pairwise(vertices))
    return Fraction(twice, 2 * negatives * positives)


def slopes(vertices: Sequence[Counts], negatives: int, positives: int) -> list[Fraction | None]:
    """Return each segment's slope in rates, left to right; None where it is infinite.

    P&F section 3.2.1: the hull is concave, so its slopes fall from left to right.
    """
    return [
        Fraction((y1 - y0) * negatives, (x1 - x0) * positives) if x1 > x0 else None
        for (x0, y0), (x1, y1) in pairwise(vertices)
    ]


def _covered(point: Counts, every: set[Counts]) -> bool:
    """Tell whether the point is on or below the segment between any two others."""
    others = sorted(every - {point})
    return any(_on_or_below(point, left, right) for left, right in combinations(others, 2))


def _on_or_below(point: Counts, left: Counts, right: Counts) -> bool:
    """Tell whether the point is on or straight below the segment from left to right."""
    (x, y), (x0, y0), (x1, y1) = point, left, right
    if not x0 <= x <= x1:
        return False
    if x0 == x1:
        return y <= max(y0, y1)
    return (y - y0) * (x1 - x0) <= (y1 - y0) * (x - x0)


def _owners(vertex: Counts, members: Mapping[str, Sequence[Counts]]) -> tuple[str, ...]:
    """Return the sorted names of the members that have exactly this point."""
    return tuple(sorted(name for name, curve in members.items() if vertex in curve))
