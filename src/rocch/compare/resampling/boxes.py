"""Boxes around the points of fixed thresholds: an interval for FPR and one for TPR."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.compare.resampling.band_limits import wilson
from rocch.compare.resampling.bootstrap import bootstrap
from rocch.compare.resampling.fixed_thresholds import alarms_at
from rocch.compare.resampling.replicate import known_model
from rocch.compare.sample import Sample
from rocch.inputs import as_level, as_name
from rocch.kernels.bounds import clopper_pearson
from rocch.roc.conditions import Interval

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocch.arrays import BoolArray, FloatArray, IntArray
    from rocch.compare.resampling.bootstrapped import Bootstrap

EXACT = (
    "Both true rates of this threshold, named beforehand, lie within the box in at least {level} "
    "of samples, if the rows are independent."
)
ABOUT = (
    "Both true rates of this threshold, named beforehand, lie within the box in about {level} of "
    "samples, if the groups are independent."
)


@dataclass(frozen=True, slots=True)
class ThresholdBox:
    """Where the true point of one fixed threshold lies.

    Attributes
    ----------
    model, threshold
        Whose point it is; the threshold is None for a model that only labels.
    point
        FPR and TPR on the sample.
    fpr, tpr
        The two sides of the box; each has the root of the confidence, so that both hold together.
    confidence
        The confidence of the box, by itself: several boxes together hold less often.
    promise
        What the box promises, in words.
    """

    model: str
    threshold: float | None
    point: tuple[float, float]
    fpr: Interval
    tpr: Interval
    confidence: float
    promise: str


def threshold_boxes(
    y_true: Any,
    y_score: Any,
    thresholds: Any,
    *,
    confidence: float = 0.95,
    pos_label: Any = None,
    groups: Any = None,
    replicates: int = 2000,
    seed: int = 0,
    name: str = "classifier",
) -> tuple[ThresholdBox, ...]:
    """Return a box around the point of each threshold.

    The thresholds must have been fixed without looking at these rows. The sides are exact
    (Clopper and Pearson) where rows are independent; with `groups` they come from a bootstrap of
    whole groups. A model that only labels (Boolean alarms) takes None as its threshold.

    Examples
    --------
    >>> import rocch
    >>> y = [0] * 40 + [1] * 20
    >>> s = [*range(40), *range(30, 50)]
    >>> (box,) = rocch.threshold_boxes(y, s, [35])
    >>> box.point
    (0.125, 0.75)
    >>> print(f"FPR {box.fpr.low:.3f} to {box.fpr.high:.3f}")
    FPR 0.035 to 0.289
    """
    scores = {as_name(name): y_score}
    if groups is None:
        sample = Sample.of(y_true, scores, pos_label=pos_label)
        return _exact(sample, name, thresholds, as_level(confidence))
    drawn = bootstrap(
        y_true, scores, pos_label=pos_label, groups=groups, replicates=replicates, seed=seed
    )
    return boxes_of(drawn, name, thresholds, confidence=confidence)


def boxes_of(
    drawn: Bootstrap, model: str, thresholds: Any, *, confidence: float
) -> tuple[ThresholdBox, ...]:
    """Return a box around each threshold's point; see `Bootstrap.boxes`."""
    level = as_level(confidence)
    if drawn.sample.groups is None:
        return _exact(drawn.sample, model, thresholds, level)
    replicates = drawn.rates_at({known_model(model, drawn.models): thresholds})[model]
    drawn.check_enough(level)
    counts, totals = _counts(drawn.sample, alarms_at(drawn.sample, model, thresholds))
    sides = [
        wilson(
            hits / total,
            np.atleast_1d(rates.var(axis=0, ddof=1)),
            level**0.5,
            units=units,
            rows=total,
        )
        for hits, total, rates, units in zip(
            counts, totals, replicates, drawn.independent, strict=True
        )
    ]
    return tuple(_boxes(model, thresholds, (counts, totals), sides, level, ABOUT))


def _exact(sample: Sample, model: str, thresholds: Any, level: float) -> tuple[ThresholdBox, ...]:
    counts, totals = _counts(sample, alarms_at(sample, model, thresholds))
    sides = [
        clopper_pearson(hits, total, level**0.5) for hits, total in zip(counts, totals, strict=True)
    ]
    return tuple(_boxes(model, thresholds, (counts, totals), sides, level, EXACT))


def _counts(sample: Sample, alarms: BoolArray) -> tuple[list[IntArray], list[int]]:
    """Count the negatives and the positives that alarm, and all of them."""
    rows = [np.flatnonzero(~sample.positive), np.flatnonzero(sample.positive)]
    grid = np.atleast_2d(alarms)
    return [np.count_nonzero(grid[:, part], axis=1) for part in rows], [r.size for r in rows]


def _boxes(
    model: str,
    thresholds: Any,
    judged: tuple[list[IntArray], list[int]],
    sides: list[tuple[FloatArray, FloatArray]],
    level: float,
    promise: str,
) -> Iterator[ThresholdBox]:
    rates = [hits / total for hits, total in zip(*judged, strict=True)]
    wanted = [None] if thresholds is None else np.atleast_1d(thresholds).tolist()
    for i, threshold in enumerate(wanted):
        fpr, tpr = (Interval(float(low[i]), float(high[i])) for low, high in sides)
        yield ThresholdBox(
            model,
            threshold,
            (float(rates[0][i]), float(rates[1][i])),
            fpr,
            tpr,
            level,
            promise.format(level=f"{100 * level:g} %"),
        )
