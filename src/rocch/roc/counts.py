"""From labels and scores to counts: what a curve is made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rocch.errors import bad_input
from rocch.inputs import as_alarms, as_array, as_positive, as_scores, as_weights
from rocch.kernels.counting import distinct_counts, integer_weights, weighted_counts
from rocch.roc.judged import Judged, fingerprint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocch.arrays import BoolArray, FloatArray, IntArray


class Counts(NamedTuple):
    """Counts at the points of a curve, from (0, 0) to the totals, and how each is reached."""

    judged: Judged
    false_positives: IntArray
    true_positives: IntArray
    thresholds: FloatArray | None = None
    settings: tuple[str | None, ...] | None = None


def count_scores(y_true: Any, y_score: Any, *, pos_label: Any, sample_weight: Any) -> Counts:
    """Count a scoring classifier's points."""
    positive = as_positive(y_true, pos_label)
    scores = as_scores(y_score, positive.size)
    if sample_weight is None:
        judged = judged_rows(positive)
        thresholds, fp, tp = distinct_counts(scores, positive)
    else:
        judged, weights = _judged_weights(positive, sample_weight)
        thresholds, fp, tp = weighted_counts(scores, positive, weights)
    return Counts(judged, _from_zero(fp), _from_zero(tp), thresholds)


def count_labels(y_true: Any, y_pred: Any, *, pos_label: Any, sample_weight: Any) -> Counts:
    """Count the points of a classifier that outputs labels only, at each of its settings."""
    positive = as_positive(y_true, pos_label)
    if sample_weight is None:
        judged, weights = judged_rows(positive), np.ones(positive.size, dtype=np.int64)
    else:
        judged, weights = _judged_weights(positive, sample_weight)
    settings = y_pred if isinstance(y_pred, Mapping) else {None: y_pred}
    if not settings:
        raise bad_input(
            "y_pred", "have at least one setting", "none", "Pass the predictions of each setting."
        )
    points = []
    for setting, predicted in settings.items():
        argument = "y_pred" if setting is None else f"y_pred[{setting!r}]"
        alarm = as_alarms(predicted, y_true, pos_label, argument=argument)
        hits = int(weights[alarm & positive].sum())
        points.append((int(weights[alarm].sum()) - hits, hits, setting))
    return _labelled(judged, points)


def given_counts(
    false_positives: Any, true_positives: Any, *, negatives: int, positives: int, thresholds: Any
) -> Counts:
    """Check counts that are known already."""
    fp = [_as_count(count, "false_positives") for count in np.atleast_1d(false_positives).tolist()]
    tp = [_as_count(count, "true_positives") for count in np.atleast_1d(true_positives).tolist()]
    judged = Judged(_as_total(negatives, "negatives"), _as_total(positives, "positives"))
    if len(fp) != len(tp) or not fp:
        raise bad_input(
            "false_positives, true_positives",
            "have one count each per point, and at least one point",
            f"{len(fp)} and {len(tp)}",
            "Pass both counts of every point.",
        )
    if max(fp) > judged.negatives or max(tp) > judged.positives:
        raise bad_input(
            "false_positives, true_positives",
            "not exceed negatives and positives",
            f"up to {max(fp)} of {negatives} and {max(tp)} of {positives}",
            "Check the totals.",
        )
    if thresholds is None:
        settings = [None] if len(fp) == 1 else [str(i + 1) for i in range(len(fp))]
        return _labelled(judged, list(zip(fp, tp, settings, strict=True)))
    scores = as_array(thresholds, "thresholds")
    if scores.size != len(fp):
        raise bad_input(
            "thresholds",
            f"have one for each point, and {len(fp)} in all",
            scores.size,
            "The point (0, 0) has none and is not listed.",
        )
    scores = as_scores(scores, len(fp), argument="thresholds").copy()
    return _scored(judged, fp, tp, scores)


def judged_rows(positive: BoolArray) -> Judged:
    """Return what plain rows are: totals and a fingerprint of the labels."""
    hits = int(np.count_nonzero(positive))
    return Judged(positive.size - hits, hits, rows=fingerprint(positive))


def whole_weights(
    positive: BoolArray, sample_weight: Any, argument: str = "sample_weight"
) -> tuple[IntArray, float]:
    """Return weights in whole units, and the unit; both classes must have some weight."""
    given = as_weights(sample_weight, positive.size, argument=argument)
    weights, unit = integer_weights(given) if given.any() else (given.astype(np.int64), 1.0)
    if not weights[positive].any() or not weights[~positive].any():
        raise bad_input(
            argument,
            "leave both classes some weight",
            "zero for one class, or so little beside the largest that it is rounded to zero",
            "A ROC curve needs at least one row of each class.",
        )
    return weights, unit


def _judged_weights(positive: BoolArray, sample_weight: Any) -> tuple[Judged, IntArray]:
    weights, unit = whole_weights(positive, sample_weight)
    hits, total = int(weights[positive].sum()), int(weights.sum())
    return Judged(total - hits, hits, unit, True, fingerprint(positive, weights)), weights


def _scored(judged: Judged, fp: list[int], tp: list[int], thresholds: FloatArray) -> Counts:
    rising = fp == sorted(fp) and tp == sorted(tp)
    total = (fp[-1], tp[-1]) == (judged.negatives, judged.positives)
    if not (rising and total and (np.diff(thresholds) < 0).all()):
        raise bad_input(
            "thresholds",
            "fall while the counts rise to the totals",
            "points in another order, or without the last one",
            "Sort the points from the highest threshold to the lowest score.",
        )
    return Counts(judged, _as_counts([0, *fp]), _as_counts([0, *tp]), thresholds)


def _labelled(judged: Judged, points: Sequence[tuple[int, int, str | None]]) -> Counts:
    points = sorted(points, key=lambda point: point[:2])
    fp = _as_counts([0, *(point[0] for point in points), judged.negatives])
    tp = _as_counts([0, *(point[1] for point in points), judged.positives])
    settings = tuple(None if setting is None else str(setting) for *_, setting in points)
    return Counts(judged, fp, tp, settings=settings)


def _as_count(count: Any, argument: str) -> int:
    try:
        whole = int(count)
    except (TypeError, ValueError, OverflowError):
        whole = -1
    if isinstance(count, bool) or whole != count or whole < 0:
        raise bad_input(argument, "be counts: whole and not negative", repr(count), "Count rows.")
    return whole


def _as_total(count: Any, argument: str) -> int:
    total = _as_count(count, argument)
    if not total:
        raise bad_input(argument, "be at least 1", 0, "A ROC point needs rows of both classes.")
    return total


def _as_counts(counts: list[int]) -> IntArray:
    return np.array(counts, dtype=np.int64 if max(counts) < 2**63 else object)


def _from_zero(counts: IntArray) -> IntArray:
    return np.concatenate((np.zeros(1, dtype=np.int64), counts))
