"""What each model's posteriors do alone: AUCs, curves and hulls by class, plain answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.multiclass.auc import class_reference_curves, class_reference_hulls, multiclass_auc
from rocch.report.many_classes.calibration import calibration_errors
from rocch.report.many_classes.summary import Aucs, ClassHull, Estimate, Model
from rocch.report.question import Range
from rocch.report.summary import Points

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rocch.arrays import FloatArray, IntArray
    from rocch.multiclass.auc import PairwiseAucs
    from rocch.roc.curve import RocCurve
    from rocch.stats.auc import AucValue

MOST_POINTS = 300
"""A curve of a small picture is drawn with at most so many points."""
MOST_DRAWN = 60_000
"""All curves together have at most so many."""
LEAST_POINTS = 20


def judged_model(name: str, posteriors: FloatArray, truths: IntArray, *, most: int) -> Model:
    """Judge one model's posteriors; its curves keep at most so many points each."""
    size = posteriors.shape[1]
    curves = class_reference_curves(truths, posteriors, classes=list(range(size)))
    plain = np.zeros((size, size), dtype=np.int64)
    np.add.at(plain, (truths, posteriors.argmax(axis=1)), 1)
    return Model(
        name,
        _aucs(truths, posteriors, curves),
        tuple(_points(curve, most) for curve in curves.values()),
        tuple(map(tuple, plain.tolist())),
        calibration_errors(posteriors, truths),
    )


def class_hulls(
    posteriors: Mapping[str, FloatArray], truths: IntArray, classes: int
) -> tuple[ClassHull, ...]:
    """Return the joint hull of all models for each class against all others."""
    places = {name: place for place, name in enumerate(posteriors)}
    hulls = class_reference_hulls(truths, dict(posteriors), classes=list(range(classes)))
    return tuple(
        ClassHull(
            _counts(hull.false_positives, hull.true_positives),
            tuple(places.get(vertex.classifier, -1) for vertex in hull.vertices),
        )
        for hull in hulls.values()
    )


def points_each(models: int, classes: int) -> int:
    """Return how many points each of so many curves may have."""
    return int(np.clip(MOST_DRAWN // (models * classes), LEAST_POINTS, MOST_POINTS))


def _aucs(truths: IntArray, posteriors: FloatArray, curves: Mapping[Any, RocCurve]) -> Aucs:
    """Return all AUCs; without intervals where a class has a single row."""
    found = multiclass_auc(truths, posteriors, classes=list(curves))
    return Aucs(
        _estimate(found.hand_till),
        _estimate(found.total),
        _estimate(found.macro),
        tuple(map(_estimate, found.by_class.values())),
        _pairs(found.pairwise),
    )


def _estimate(found: AucValue) -> Estimate:
    return Estimate(found.value, None if found.interval is None else Range(*found.interval))


def _pairs(pairwise: PairwiseAucs) -> tuple[tuple[float | None, ...], ...]:
    rows: list[list[float | None]] = pairwise.separation.tolist()
    for place, row in enumerate(rows):
        row[place] = None
    return tuple(map(tuple, rows))


def _points(curve: RocCurve, most: int) -> Points:
    """Keep points evenly along the curve, and both ends."""
    length = curve.fpr + curve.tpr
    wanted = np.searchsorted(length, np.linspace(0, length[-1], most))
    kept = np.unique(wanted) if length.size > most else np.arange(length.size)
    return _counts(curve.false_positives[kept], curve.true_positives[kept])


def _counts(false_positives: IntArray, true_positives: IntArray) -> Points:
    return Points(tuple(false_positives.tolist()), tuple(true_positives.tolist()))
