"""What models for many classes do alone: AUCs, curves, calibration, and warnings about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rocch.arrays import BoolArray, FloatArray, IntArray
from rocch.multiclass.auc import (
    PairwiseAucs,
    class_reference_curves,
    class_reference_hulls,
    multiclass_auc,
)
from rocch.multiclass.classes import Classes
from rocch.multiclass.confusion import count_predictions
from rocch.multiclass.surface import RocSurface
from rocch.report.summary import Aucs, ClassHull, Estimate, Model, Points
from rocch.roc.conditions import Interval
from rocch.roc.curve import RocCurve
from rocch.stats.auc import AucValue

# The most points of a curve in a small picture, and of all curves together.
MOST_POINTS, LEAST_POINTS, MOST_DRAWN = 300, 20, 60_000

# Calibration is looked at in this many bins. A mean difference beyond this is worth a warning, if
# it is also this many times as large as what chance alone would show.
BINS, GAP, NOISE = 10, 0.05, 2.0

# Rates of a class with fewer rows are known to about ten percent at best.
RARE = 30
MOST_NAMED = 6


def describe_models(
    names: Sequence[str], probabilities: Mapping[str, FloatArray], truths: IntArray | None
) -> tuple[Model, ...]:
    """Describe models by their probabilities, as far as these are available."""
    curves = len(names) * max((table.shape[1] for table in probabilities.values()), default=1)
    most = int(np.clip(MOST_DRAWN // max(curves, 1), LEAST_POINTS, MOST_POINTS))
    return tuple(
        describe_model(name, probabilities[name], truths, most=most)
        if truths is not None and name in probabilities
        else Model(name, None, (), None, None)
        for name in names
    )


def describe_model(name: str, probabilities: FloatArray, truths: IntArray, *, most: int) -> Model:
    """Describe one model by its probabilities; its curves keep at most this many points each."""
    size = probabilities.shape[1]
    curves = class_reference_curves(truths, probabilities, classes=list(range(size)))
    plain = count_predictions(truths, probabilities.argmax(axis=1), size)
    return Model(
        name,
        _aucs(truths, probabilities, curves),
        tuple(_points(curve, most) for curve in curves.values()),
        tuple(map(tuple, plain.tolist())),
        calibration_errors(probabilities, truths),
    )


def _aucs(truths: IntArray, probabilities: FloatArray, curves: Mapping[Any, RocCurve]) -> Aucs:
    """Return all AUCs; without intervals where a class has a single row."""
    found = multiclass_auc(truths, probabilities, classes=list(curves))
    return Aucs(
        _estimate(found.hand_till),
        _estimate(found.total),
        _estimate(found.macro),
        tuple(map(_estimate, found.by_class.values())),
        _pairs(found.pairwise),
    )


def _estimate(found: AucValue) -> Estimate:
    return Estimate(found.value, None if found.interval is None else Interval(*found.interval))


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


def describe_hulls(
    probabilities: Mapping[str, FloatArray], truths: IntArray | None
) -> tuple[ClassHull, ...]:
    """Return the joint hull of all models for each class against all others."""
    if truths is None or not probabilities:
        return ()
    places = {name: place for place, name in enumerate(probabilities)}
    labels = list(range(next(iter(probabilities.values())).shape[1]))
    hulls = class_reference_hulls(truths, dict(probabilities), classes=labels)
    return tuple(
        ClassHull(
            _counts(hull.false_positives, hull.true_positives),
            tuple(places.get(vertex.classifier, -1) for vertex in hull.vertices),
        )
        for hull in hulls.values()
    )


# ---- warnings and remarks -----------------------------------------------------------------------


def calibration_errors(probabilities: FloatArray, truths: IntArray) -> tuple[float, ...]:
    """Return for each class how far probabilities are, on average, from the share that comes true.

    Rows are gathered in ten bins of equally many rows by their probability; each bin's mean is
    compared with the share of its rows that are of the class.
    """
    return tuple(
        float(_gap(column, truths == place)[0]) for place, column in enumerate(probabilities.T)
    )


def is_miscalibrated(probabilities: FloatArray, truths: IntArray) -> bool:
    """Return whether some class's probabilities are off by more than a little, and than chance."""
    gaps = [_gap(column, truths == place) for place, column in enumerate(probabilities.T)]
    return any(gap > GAP and gap > NOISE * noise for gap, noise in gaps)


def _gap(expected: FloatArray, found: BoolArray) -> tuple[float, float]:
    """Return the mean gap, and the mean that chance would show if probabilities were right."""
    order = np.argsort(expected, kind="stable")
    gap = noise = 0.0
    for part in np.array_split(order, min(BINS, order.size)):
        gap += abs(expected[part].sum() - found[part].sum())
        variance = (expected[part] * (1 - expected[part])).sum()
        noise += np.sqrt(2 / np.pi * variance)
    return gap / order.size, noise / order.size


def find_class_warnings(
    classes: Classes,
    totals: IntArray,
    probabilities: Mapping[str, FloatArray],
    truths: IntArray | None,
    surface: RocSurface | None,
) -> tuple[str, ...]:
    """Return warnings: rare classes, miscalibrated probabilities, classes never predicted."""
    found = []
    numbers = zip(classes, totals.tolist(), strict=True)
    rare = [f"{name} ({number})" for name, number in numbers if number < RARE]
    if rare:
        found.append(
            f"Few rows: {list_some(rare)}. Rates of classes with fewer than {RARE} rows are vague."
        )
    off = [
        name
        for name, table in probabilities.items()
        if truths is not None and is_miscalibrated(table, truths)
    ]
    if off:
        found.append(
            f"The probabilities of {list_some(off)} do not come true as often as they say. Rules "
            "that weigh them by costs suffer from that: calibrate."
        )
    for name, table in probabilities.items():
        times = np.bincount(table.argmax(axis=1), minlength=len(classes))
        found += _never(f"{name} never has as most likely", classes, times)
    if not probabilities and surface is not None:
        found += _never("No classifier ever predicts", classes, surface.counts.sum(axis=(0, 1)))
    return tuple(found)


def _never(start: str, classes: Classes, predicted: IntArray) -> list[str]:
    absent = [label for label, times in zip(classes, predicted, strict=True) if not times]
    return [f"{start}: {list_some(absent)}."] if absent else []


def list_some(names: Sequence[str]) -> str:
    """List a few names, and how many more there are."""
    rest = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + rest
