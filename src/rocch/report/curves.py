"""Classifiers in columns: their curves as far as the eye can see, scores, and the joint front.

Hulls that decide are never reduced.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from rocch.arrays import FloatArray, IntArray
from rocch.errors import InputError, describe_type
from rocch.numbers import significant
from rocch.report.answer import exact_threshold
from rocch.report.summary import (
    Classifier,
    CurvePoints,
    Front,
    Histogram,
    Points,
    Settings,
    finite_or_text,
)
from rocch.roc.conditions import Interval
from rocch.roc.curve import RocCurve
from rocch.roc.hull import RocHull
from rocch.roc.member import Member
from rocch.roc.operating_point import (
    ClassTotals,
    Holder,
    RocPoint,
    end_name,
    make_point,
    midpoint,
)
from rocch.scale.cells import FrameAuc
from rocch.stats.auc import AucEstimate

# A picture is taken to be this many pixels wide and high; few screens show it larger.
PIXELS = 1024

BINS = 40
# The share of rows at either end that may share one bin, so that a stray score spoils nothing.
TAIL = 0.002

# A front of this many points is kept in full. Of a longer one, the point with the fewest false
# alarms is kept in each step of TPR.
MOST_POINTS, SPACING = 10_000, 1e-4


# ---- what the eye can see -----------------------------------------------------------------------


def visible(fpr: FloatArray, tpr: FloatArray) -> IntArray:
    """Return which points of a rising curve to draw: the first in each pixel, and both ends.

    A point left out lies in the pixel of one that is kept, so no line moves by more than one.
    """
    column, row = (np.floor(rate * PIXELS).astype(np.int64) for rate in (fpr, tpr))
    moved = (np.diff(column, prepend=-1) != 0) | (np.diff(row, prepend=-1) != 0)
    moved[-1:] = True
    return np.flatnonzero(moved)


def visible_points(totals: ClassTotals, fp: IntArray, tp: IntArray) -> Points:
    """Return the points of a curve, or of a hull, that are worth drawing."""
    kept = visible(*totals.rates(fp, tp))
    return Points(amounts(totals, fp[kept]), amounts(totals, tp[kept]))


def align_counts(totals: ClassTotals, curve: RocCurve) -> tuple[IntArray, IntArray]:
    """Return a curve's counts on the totals of a hull, which differ where rows were pooled."""
    own = curve.totals
    by = totals.negatives // own.negatives, totals.positives // own.positives
    if by == (1, 1):
        return curve.false_positives, curve.true_positives
    # common multiples of totals can leave 64 bits
    return curve.false_positives.astype(object) * by[0], curve.true_positives.astype(object) * by[1]


def amounts(totals: ClassTotals, counts: IntArray) -> tuple[float, ...]:
    """Return counts as rows, or as their weights."""
    return tuple(totals.amount(count) for count in counts.tolist())


# ---- each classifier by itself ------------------------------------------------------------------


def describe_classifiers(
    hull: RocHull,
    members: Sequence[Member],
    estimates: Mapping[str, AucEstimate],
    aucs: Mapping[str, Any] | None,
) -> tuple[Classifier, ...]:
    """Describe classifiers, those of a hull; `aucs` are those of a scan, if curves have none."""
    found = tuple(_describe(hull, member, estimates.get(member.name)) for member in members)
    if aucs is None:
        return found
    if not isinstance(aucs, Mapping):
        raise _not_scanned(describe_type(aucs))
    return tuple(_with_scanned_auc(each, aucs) if each.auc is None else each for each in found)


def _describe(hull: RocHull, member: Member, estimate: AucEstimate | None) -> Classifier:
    curve = member.curve(keep=False)
    own = RocHull(hull.totals, (member,))
    scores = None if curve is None else curve.lowest_scores
    return Classifier(
        name=member.name,
        scoring=member.scoring,
        on_hull=member.name in hull.winners,
        auc=curve.auc if curve is not None and member.scoring else None,
        auc_interval=None if estimate is None else Interval(*estimate.interval),
        curve=None if curve is None else _visible_curve(hull, curve),
        own_hull=visible_points(hull.totals, own.false_positives, own.true_positives),
        lowest=None if scores is None else finite_or_text(float(scores[-1])),
        highest=None if scores is None else finite_or_text(float(scores[0])),
        distinct=None if scores is None else scores.size,
        largest_tie=None if curve is None or scores is None else _largest_tie(curve),
        histogram=None if curve is None or scores is None else _histogram(curve, scores),
    )


def _visible_curve(hull: RocHull, curve: RocCurve) -> CurvePoints:
    """Return the points to draw; those of a classifier that outputs labels without the ends."""
    places = np.arange(len(curve)) if curve.scoring else np.arange(1, len(curve) - 1)
    fp, tp = align_counts(hull.totals, curve)
    kept = places[visible(*hull.totals.rates(fp[places], tp[places]))]
    return CurvePoints(
        amounts(hull.totals, fp[kept]),
        amounts(hull.totals, tp[kept]),
        tuple(curve.point(int(place)).written_threshold for place in kept),
    )


def _largest_tie(curve: RocCurve) -> int | None:
    if curve.totals.weighted:
        return None
    return int(np.diff(curve.false_positives + curve.true_positives).max())


def _histogram(curve: RocCurve, scores: FloatArray) -> Histogram | None:
    """Count the scores of both classes in even bins; the end bins hold what lies beyond.

    A curve knows how many rows score at least any threshold, so no row is looked at.
    """
    finite = np.flatnonzero(np.isfinite(scores))
    if not finite.size:
        return None
    total = (curve.false_positives + curve.true_positives)[1:]
    inner = [np.searchsorted(total, share * int(total[-1])) for share in (TAIL, 1 - TAIL)]
    high, low = (scores[np.clip(place, finite[0], finite[-1])] for place in inner)
    if low == high:
        low, high = scores[finite[-1]], scores[finite[0]]
    if low == high:
        low, high = low - 0.5, high + 0.5
    share = np.arange(BINS + 1) / BINS
    edges = low * (1 - share) + high * share  # their difference could be infinite
    above = np.searchsorted(-scores, -edges, side="right")
    above[0], above[-1] = scores.size, 0
    sides = (
        np.diff(amounts(curve.totals, counts[above[::-1]]))[::-1]
        for counts in (curve.true_positives, curve.false_positives)
    )
    positives, negatives = (tuple(side.tolist()) for side in sides)
    return Histogram(tuple(edges.tolist()), positives, negatives)


# ---- AUCs of scanned tables, whose rows stay where they are -------------------------------------


def _with_scanned_auc(classifier: Classifier, aucs: Mapping[str, Any]) -> Classifier:
    found = aucs.get(classifier.name)
    if not isinstance(found, FrameAuc):
        raise _not_scanned(f"{describe_type(found)} for {classifier.name!r}")
    # weighted rows, or a class of a single row, have no interval
    interval = None if found.variance_high is None else Interval(*found.interval())
    return replace(classifier, auc=found.middle, auc_interval=interval)


def _not_scanned(got: str) -> InputError:
    return InputError("aucs", "be what Scan.auc returned for the same columns", got)


def describe_missing_rows(hull: RocHull, aucs: Mapping[str, Any] | None) -> Iterator[str]:
    """Say what is left out where rows and curves are not available."""
    if any(member.source is not None for member in hull.members):
        return
    yield (
        "The rows were not kept: curves are drawn as their hulls, settings between the vertices "
        "of these are not searched, and bands, resamples and histograms are left out."
    )
    widths = [each.high - each.low for each in (aucs or {}).values() if not each.exact]
    if widths:
        yield f"AUCs are known to within {significant(max(widths) / 2, 2)}."


# ---- the front ----------------------------------------------------------------------------------
# Under a limit, or where the worst regret is to be small, a point that is no vertex of the hull can
# be the best single setting. Fewer hits at the same false alarms can be it too, where alarms are
# limited. The page therefore knows the fewest false alarms for every number of hits; where these
# are too many points, enough of them to lose next to nothing.


class _Own(NamedTuple):
    """One classifier's front, in counts, and a function that returns what reaches each point."""

    false_positives: IntArray
    true_positives: IntArray
    holder: Callable[[int], Holder]


def joint_front(hull: RocHull) -> Front:
    """Return the fewest false alarms of any curve for every number of hits, and all vertices."""
    fronts = [_own_front(member, hull) for member in hull.members]
    fp, tp = (np.concatenate(column) for column in list(zip(*fronts, strict=True))[:2])
    order = np.lexsort((fp, tp))
    kept = order[_firsts(tp[order])]
    fp, tp = fp[kept], tp[kept]
    complete = tp.size <= MOST_POINTS
    if not complete:
        kept = _spaced(hull, fp, tp)
        fp, tp = fp[kept], tp[kept]
    points = {(p.false_positives, p.true_positives): p for p in _points(hull, fronts, fp, tp)}
    for vertex in hull.vertices:
        points[vertex.false_positives, vertex.true_positives] = vertex
    ordered = [points[counts] for counts in sorted(points)]
    names = [member.name for member in hull.members]
    return Front(settings(names, ordered), complete, 0.0 if complete else 2 * SPACING)


def settings(names: Sequence[str], points: Sequence[RocPoint]) -> Settings:
    """Return points in columns; the names are those of all classifiers."""
    place = {name: index for index, name in enumerate(names)}
    ends = [end_name(point.fpr, point.tpr) is not None for point in points]
    holders = [
        [place[name] for name in dict.fromkeys(point.classifiers) if name in place]
        for point in points
    ]
    first = [-1 if end else own[0] for end, own in zip(ends, holders, strict=True)]
    return Settings(
        tuple(point.false_positives for point in points),
        tuple(point.true_positives for point in points),
        tuple("" if end else p.written_threshold for end, p in zip(ends, points, strict=True)),
        tuple(first),
        tuple("" if end else exact_threshold(p) for end, p in zip(ends, points, strict=True)),
        tuple(tuple(own if end else own[1:]) for end, own in zip(ends, holders, strict=True)),
    )


def _own_front(member: Member, hull: RocHull) -> _Own:
    """Return a curve's own front, or where the curve is not available that of its own hull.

    The curve itself is not kept: of many large ones, only one is in memory at a time.
    """
    curve = member.curve(keep=False)
    own_hull = member.false_positives, member.true_positives
    fp, tp = own_hull if curve is None else align_counts(hull.totals, curve)
    order = np.arange(fp.size) if member.scoring else np.lexsort((fp, tp))
    own = order[_firsts(tp[order])]
    if curve is None:
        return _Own(fp[own], tp[own], lambda place: member.holder(int(own[place])))
    if curve.lowest_scores is None:
        points = [curve.point(int(i)) for i in own]
        return _Own(fp[own], tp[own], lambda place: _holder(points[place]))
    # the ends have no thresholds, but they are vertices, which know that
    last = curve.lowest_scores.size - 1
    at, below = (curve.lowest_scores[np.clip(own - shift, 0, last)].tolist() for shift in (1, 0))
    return _Own(fp[own], tp[own], lambda i: (member.name, at[i], midpoint(at[i], below[i])))


def _holder(point: RocPoint) -> Holder:
    return point.classifier, point.lowest_score, point.threshold


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
