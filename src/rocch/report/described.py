"""What there is to say about each classifier by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rocch.report.answer import text_if_infinite
from rocch.report.eyesight import amounts, drawn, on_ground, visible
from rocch.report.question import Range
from rocch.report.summary import Classifier, CurvePoints, Histogram
from rocch.roc.hull import RocHull

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rocch.arrays import FloatArray
    from rocch.roc.curve import RocCurve
    from rocch.roc.hull import Member
    from rocch.stats.auc import AucEstimate

BINS = 40
TAIL = 0.002
"""The share of rows at either end that may share one bin, so that a stray score spoils nothing."""


def described(hull: RocHull, aucs: Mapping[str, AucEstimate]) -> tuple[Classifier, ...]:
    """Describe every classifier of a hull, in its order."""
    return tuple(_describe(hull, member, aucs.get(member.name)) for member in hull.members)


def _describe(hull: RocHull, member: Member, estimate: AucEstimate | None) -> Classifier:
    curve = member.curve(keep=False)
    own = RocHull(hull.totals, (member,))
    scores = None if curve is None else curve.thresholds
    return Classifier(
        name=member.name,
        scoring=member.scoring,
        on_hull=member.name in hull.winners,
        auc=curve.auc if curve is not None and member.scoring else None,
        auc_interval=None if estimate is None else Range(*estimate.interval),
        curve=None if curve is None else _drawn_curve(hull, curve),
        own_hull=drawn(hull.totals, own.false_positives, own.true_positives),
        lowest=None if scores is None else text_if_infinite(float(scores[-1])),
        highest=None if scores is None else text_if_infinite(float(scores[0])),
        distinct=None if scores is None else scores.size,
        largest_tie=None if curve is None or scores is None else _largest_tie(curve),
        histogram=None if curve is None or scores is None else _histogram(curve, scores),
    )


def _drawn_curve(hull: RocHull, curve: RocCurve) -> CurvePoints:
    """Return the points to draw; those of a classifier that outputs labels without the ends."""
    places = np.arange(len(curve)) if curve.scoring else np.arange(1, len(curve) - 1)
    fp, tp = on_ground(hull.totals, curve)
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
