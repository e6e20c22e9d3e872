"""The front: for every number of hits the fewest false alarms, which is what needs no coin.

Under a limit, or where the worst regret is to be small, a point that is no vertex of the hull can
be the best single setting. Fewer hits at the same false alarms can be it too, where alarms are
limited. The page therefore knows this front; where it is too long, it knows enough of it to lose
next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rocch.report.answer import exact_threshold
from rocch.report.eyesight import amounts, on_ground
from rocch.report.summary import Front, Settings
from rocch.roc.operating_point import RocPoint, Threshold, end_name, make_point, midpoint

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rocch.arrays import IntArray
    from rocch.roc.hull import Member, RocHull

Holder = tuple[str, Threshold, Threshold]

MOST = 10_000
"""A front of so many points is told in full."""

SPACING = 1e-4
"""Of a longer one, the point with the fewest false alarms is kept in each such step of TPR."""


class _Own(NamedTuple):
    """One classifier's front, in counts, with its holders: name, threshold, deployed threshold."""

    false_positives: IntArray
    true_positives: IntArray
    holder: Callable[[int], Holder]
    """What reaches the point at a place of these columns."""


def front_of(hull: RocHull) -> Front:
    """Return the fewest false alarms of any curve for every number of hits, and all vertices."""
    fronts = [_own_front(member, hull) for member in hull.members]
    fp, tp = _joint(fronts)
    complete = tp.size <= MOST
    if not complete:
        kept = _spaced(hull, fp, tp)
        fp, tp = fp[kept], tp[kept]
    points = {(p.false_positives, p.true_positives): p for p in _points(hull, fronts, fp, tp)}
    for vertex in hull.vertices:
        points[vertex.false_positives, vertex.true_positives] = vertex
    ordered = [points[counts] for counts in sorted(points)]
    return Front(settings(hull, ordered), complete, 0.0 if complete else 2 * SPACING)


def settings(hull: RocHull, points: Sequence[RocPoint]) -> Settings:
    """Return points in columns."""
    place = {member.name: index for index, member in enumerate(hull.members)}
    ends = [end_name(point.fpr, point.tpr) is not None for point in points]
    holders = [
        [place[name] for name in dict.fromkeys(point.classifiers) if name in place]
        for point in points
    ]
    first = [-1 if end else own[0] for end, own in zip(ends, holders, strict=True)]
    return Settings(
        tuple(point.false_positives for point in points),
        tuple(point.true_positives for point in points),
        tuple(first),
        tuple("" if end else p.written_threshold for end, p in zip(ends, points, strict=True)),
        tuple("" if end else exact_threshold(p) for end, p in zip(ends, points, strict=True)),
        tuple(tuple(own if end else own[1:]) for end, own in zip(ends, holders, strict=True)),
    )


def _own_front(member: Member, hull: RocHull) -> _Own:
    """Return a curve's own front, or where the curve is not at hand that of its own hull.

    The curve itself is not kept: of many large ones, only one is in memory at a time.
    """
    curve = member.curve(keep=False)
    own_hull = member.false_positives, member.true_positives
    fp, tp = own_hull if curve is None else on_ground(hull.totals, curve)
    order = np.arange(fp.size) if member.scoring else np.lexsort((fp, tp))
    own = order[_firsts(tp[order])]
    if curve is None:
        return _Own(fp[own], tp[own], lambda place: member.holder(int(own[place])))
    if curve.thresholds is None:
        points = [curve.point(int(i)) for i in own]
        return _Own(fp[own], tp[own], lambda place: _holder(points[place]))
    # the ends have no thresholds, but they are vertices, which know that
    last = curve.thresholds.size - 1
    at, below = (curve.thresholds[np.clip(own - shift, 0, last)].tolist() for shift in (1, 0))
    return _Own(fp[own], tp[own], lambda i: (member.name, at[i], midpoint(at[i], below[i])))


def _holder(point: RocPoint) -> Holder:
    return point.classifier, point.threshold, point.deployed_threshold


def _joint(fronts: Sequence[_Own]) -> tuple[IntArray, IntArray]:
    """Return for every number of hits the fewest false alarms of all."""
    fp, tp = (np.concatenate(column) for column in list(zip(*fronts, strict=True))[:2])
    order = np.lexsort((fp, tp))
    kept = order[_firsts(tp[order])]
    return fp[kept], tp[kept]


def _firsts(values: IntArray) -> IntArray:
    """Return where each of the values occurs first, in a sorted list."""
    return np.flatnonzero(np.append(values[:1] == values[:1], values[1:] != values[:-1]))


def _spaced(hull: RocHull, fp: IntArray, tp: IntArray) -> IntArray:
    """Return which points of a long front to keep: in each step of TPR the fewest false alarms."""
    step = hull.totals.positives * SPACING
    level = np.floor(np.asarray(tp, dtype=float) / step).astype(np.int64)
    order = np.lexsort((fp, level))
    return order[_firsts(level[order])]


def _points(hull: RocHull, fronts: Sequence[_Own], fp: IntArray, tp: IntArray) -> list[RocPoint]:
    """Return points of the front, each with everyone who reaches it."""
    holders: list[list[Holder]] = [[] for _ in range(tp.size)]
    for own in fronts:  # who reaches a point of the joint front has it on its own
        if not own.true_positives.size:
            continue
        where = np.searchsorted(own.true_positives, tp)
        where = np.minimum(where, own.true_positives.size - 1)
        same = (own.true_positives[where] == tp) & (own.false_positives[where] == fp)
        for i in np.flatnonzero(same).tolist():
            holders[i].append(own.holder(int(where[i])))
    rates = [rate.tolist() for rate in hull.totals.rates(fp, tp)]
    counts = amounts(hull.totals, fp), amounts(hull.totals, tp)
    return [
        make_point(rate, count, held)
        for rate, count, held in zip(
            zip(*rates, strict=True), zip(*counts, strict=True), holders, strict=True
        )
    ]
