"""One mean of the comparisons of classes as an estimate: value, error and interval."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rocch.multiclass.aucs.weighting import effective_units
from rocch.stats.auc import AucEstimate, AucValue, auc_limits

if TYPE_CHECKING:
    from rocch.multiclass.aucs.moments import PlacementMoments
    from rocch.multiclass.aucs.weighting import Weights


def value_or_estimate(
    moments: PlacementMoments, weights: Weights, confidence: float, *, positives: int | None = None
) -> AucValue:
    """Return one model's AUC by these weights, without an interval where none is defined."""
    if not moments.lone(weights):
        return estimate(moments, weights, confidence, positives=positives)
    wins = moments.models[0]
    rows, groups = int(wins.totals.sum()), moments.all_units if moments.grouped else None
    return AucValue(float(wins.mean(weights)), None, None, confidence, rows, positives, groups)


def estimate(
    moments: PlacementMoments,
    weights: Weights,
    confidence: float,
    *,
    model: int = 0,
    positives: int | None = None,
) -> AucEstimate:
    """Return one model's AUC by these weights.

    The limits are those of two classes (see `rocch.stats.auc`), for as many
    independent units as the weights make of all classes.
    """
    wins = moments.models[model]
    value, variance = float(wins.mean(weights)), float(moments.covariance(weights, model, model))
    units = effective_units(weights, moments.units, moments.all_units)
    limits = auc_limits(value, variance, units, confidence=confidence)
    rows, groups = int(wins.totals.sum()), moments.all_units if moments.grouped else None
    return AucEstimate(value, math.sqrt(variance), limits, confidence, rows, positives, groups)
