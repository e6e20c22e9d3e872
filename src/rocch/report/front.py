"""The front: for every number of hits the fewest false alarms, which is what needs no coin.

Under a limit, or where the worst regret is to be small, a point that is no vertex of the hull can
be the best single setting. Fewer hits at the same false alarms can be it too, where alarms are
limited. The page therefore knows this front; where it is too long, it knows enough of it to lose
next to nothing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rocch.report.eyesight import on_ground
from rocch.report.summary import Front, Settings
from rocch.roc.point import RocPoint, end_name, make_point

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocch.arrays import IntArray
    from rocch.roc.hull import RocHull
    from rocch.roc.member import Member

MOST = 10_000
"""A front of so many points is told in full."""

SPACING = 1e-4
"""Of a longer one, the point with the fewest false alarms is kept in each such step of TPR."""


class _Places(NamedTuple):
    """Points in counts, each with the classifier that reaches it and its place on that curve."""

    false_positives: IntArray
    true_positives: IntArray
    member: IntArray
    place: IntArray


def front_of(hull: RocHull) -> Front:
    """Return the fewest false alarms of any curve for every number of hits, and all vertices."""
    places = _joint_front(hull)
    complete = places.place.size <= MOST
    if not complete:
        places = _Places(*(column[_spaced(hull, places)] for column in places))
    points = {(p.false_positives, p.true_positives): p for p in _points(hull, places)}
    for vertex in hull.vertices:
        points[vertex.false_positives, vertex.true_positives] = vertex
    ordered = [points[counts] for counts in sorted(points)]
    return Front(settings(hull, ordered), complete, 0.0 if complete else 2 * SPACING)


def settings(hull: RocHull, points: Sequence[RocPoint]) -> Settings:
    """Return points in columns."""
    place = {member.name: index for index, member in enumerate(hull.members)}
    ends = [end_name(point.fpr, point.tpr) is not None for point in points]
    holders = [[place[n] for n in point.classifiers if n in place] for point in points]
    first = [-1 if end else own[0] for end, own in zip(ends, holders, strict=True)]
    return Settings(
        tuple(point.false_positives for point in points),
        tuple(point.true_positives for point in points),
        tuple(first),
        tuple("" if end else p.written_threshold for end, p in zip(ends, points, strict=True)),
        tuple(tuple(own if end else own[1:]) for end, own in zip(ends, holders, strict=True)),
    )


def _joint_front(hull: RocHull) -> _Places:
    """Merge the curves' fronts one by one, so that no more than two are held at a time."""
    joint = _Places(*(np.zeros(0, dtype=np.int64) for _ in range(4)))
    for number, member in enumerate(hull.members):
        fp, tp = _counts(member, hull)
        order = np.arange(fp.size) if member.scoring else np.lexsort((fp, tp))
        own = order[_fewest(tp[order])]
        joint = _merged(joint, _Places(fp[own], tp[own], np.full(own.size, number), own))
    return joint


def _counts(member: Member, hull: RocHull) -> tuple[IntArray, IntArray]:
    """Return a curve's points, or where it is not at hand those of its own hull."""
    curve = member.curve()
    if curve is None:
        return member.false_positives, member.true_positives
    return on_ground(hull.judged, curve)


def _merged(one: _Places, other: _Places) -> _Places:
    columns = [np.concatenate(pair) for pair in zip(one, other, strict=True)]
    order = np.lexsort(columns[:2])
    kept = order[_fewest(columns[1][order])]
    return _Places(*(column[kept] for column in columns))


def _fewest(tp: IntArray) -> IntArray:
    """Return the first place of every number of hits, of points in the order of TP, then of FP."""
    return np.flatnonzero(np.append(True, tp[1:] != tp[:-1])) if tp.size else np.zeros(0, int)


def _spaced(hull: RocHull, places: _Places) -> IntArray:
    """Return which points of a long front to keep: in each step of TPR the fewest false alarms."""
    step = hull.judged.positives * SPACING
    level = np.floor(np.asarray(places.true_positives, dtype=float) / step).astype(np.int64)
    order = np.lexsort((places.false_positives, level))
    return order[_fewest(level[order])]


def _points(hull: RocHull, places: _Places) -> list[RocPoint]:
    """Return each point with everyone who reaches it."""
    holders: dict[tuple[int, int], list[RocPoint]] = {}
    keys = list(zip(places.false_positives.tolist(), places.true_positives.tolist(), strict=True))
    for member in hull.members:
        for key, index in _reached(_counts(member, hull), keys, places, rising=member.scoring):
            holders.setdefault(key, []).append(_point(member, hull, key, index))
    return [_together(points) for points in holders.values()]


def _reached(
    counts: tuple[IntArray, IntArray], keys: list[tuple[int, int]], places: _Places, *, rising: bool
) -> list[tuple[tuple[int, int], int]]:
    """Return which points of the front a classifier reaches, and where on its own curve."""
    fp, tp = counts
    if not rising:
        own = zip(fp.tolist(), tp.tolist(), strict=True)
        found = {point: index for index, point in reversed(list(enumerate(own)))}
        return [(key, found[key]) for key in keys if key in found]
    if not fp.size:
        return []
    # both coordinates rise along a curve, so their sum finds the one place that can match
    sums = places.false_positives + places.true_positives
    index = np.minimum(np.searchsorted(fp + tp, sums), fp.size - 1)
    same = (fp[index] == places.false_positives) & (tp[index] == places.true_positives)
    return [(keys[i], int(index[i])) for i in np.flatnonzero(same)]


def _point(member: Member, hull: RocHull, key: tuple[int, int], index: int) -> RocPoint:
    """Return a point of the front as one classifier reaches it, in the hull's own counts."""
    curve = member.curve()
    counts = hull.judged.amount(key[0]), hull.judged.amount(key[1])
    if curve is not None:
        return replace(curve.point(index), false_positives=counts[0], true_positives=counts[1])
    fpr, tpr = (float(r[0]) for r in hull.judged.rates(*(np.array([c]) for c in key)))
    return make_point((fpr, tpr), counts, [member.holder(index)])


def _together(points: list[RocPoint]) -> RocPoint:
    """Return one point that names everyone who reaches it."""
    if len(points) == 1:
        return points[0]
    first = points[0]
    holders = [(p.classifier, p.threshold, p.deployed_threshold) for p in points]
    counts = first.false_positives, first.true_positives
    return make_point((first.fpr, first.tpr), counts, holders)
