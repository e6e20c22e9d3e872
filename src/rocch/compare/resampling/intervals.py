"""Intervals for the area under a curve, from its bootstrap replicates.

- *logit*: normal on the scale of log(AUC / (1 - AUC)), with the bootstrap's standard error; it
  stays inside (0, 1) by itself and keeps its coverage best where AUC is high and rows are few.
- *bca*: percentiles moved for bias and skewness (Efron 1987), from the replicates and the rows'
  influence, which for AUC are their placement values.
- *percentile*, *basic*, *normal*: the classics, cut off at 0 and 1.

Where the sample separates the classes perfectly every replicate does, and no replicate says how far
the truth may be from 1. A bound that needs no bootstrap then takes over; see `perfect`.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from rocch.inputs import as_choice, as_level
from rocch.roc.conditions import Interval

if TYPE_CHECKING:
    from rocch.arrays import FloatArray
    from rocch.compare.resampling.bootstrapped import Bootstrap
    from rocch.compare.sample import Sample
    from rocch.roc.curve import RocCurve

METHODS = ("logit", "bca", "percentile", "basic", "normal")
STANDARD = NormalDist()


def auc_interval(drawn: Bootstrap, model: str, *, confidence: float, method: str) -> Interval:
    """Return an interval for the area under a model's curve; see `Bootstrap.auc_interval`."""
    as_choice(method, METHODS, "method")
    level, curve = as_level(confidence), drawn.curve(model)
    if curve.auc in (0, 1):
        return perfect(curve.auc, drawn.independent_pairs, level)
    drawn.check_enough(level)
    moves = influence(curve, drawn.sample) if method == "bca" else None
    return interval(method, curve.auc, drawn.auc(model), level, moves)


def interval(
    method: str,
    estimate: float,
    replicates: FloatArray,
    confidence: float,
    influence: FloatArray | None = None,
) -> Interval:
    """Return an interval for a quantity between 0 and 1 whose estimate is neither."""
    tail = (1 - confidence) / 2
    z = STANDARD.inv_cdf(1 - tail)
    error = float(replicates.std(ddof=1))
    if method == "logit":
        centre, half = math.log(estimate / (1 - estimate)), z * error / (estimate * (1 - estimate))
        return Interval(_expit(centre - half), _expit(centre + half))
    if method == "normal":
        return _cut(estimate - z * error, estimate + z * error)
    shares = [tail, 1 - tail]
    if method == "bca" and influence is not None:
        shares = _moved_shares(estimate, replicates, influence, z)
    low, high = np.quantile(replicates, shares).tolist()
    return _cut(2 * estimate - high, 2 * estimate - low) if method == "basic" else _cut(low, high)


def perfect(auc: float, pairs: int, confidence: float) -> Interval:
    """Return an interval where the sample's AUC is exactly 0 or 1.

    With m pairs of a positive and a negative, no row (or cluster) in two of them, all m are ranked
    rightly with probability AUC ** m, whatever the scores' distribution. A true AUC below
    tail ** (1 / m) would therefore show a perfect sample with a probability below the tail's.
    """
    tail = (1 - confidence) / 2
    bound = tail ** (1 / pairs)
    return Interval(bound, 1.0) if auc == 1 else Interval(0.0, 1 - bound)


def influence(curve: RocCurve, sample: Sample) -> FloatArray:
    """Return how much each row, or each cluster, moves the AUC: centred placement values.

    A positive's placement is the share of negatives that it outranks, a negative's the share of
    positives that outrank it, ties half (DeLong, DeLong and Clarke-Pearson 1988).
    """
    scores = sample.models[curve.name].astype(np.float64)  # an alarm ranks above none
    steps = np.array([1.0, 0.0]) if curve.thresholds is None else curve.thresholds
    place = np.searchsorted(-steps, -scores)
    outranking, outranked = curve.fpr, curve.tpr
    placement = np.where(
        sample.positive,
        1 - (outranking[place] + outranking[place + 1]) / 2,
        (outranked[place] + outranked[place + 1]) / 2,
    )
    totals = np.where(sample.positive, curve.judged.positives, curve.judged.negatives)
    moves: FloatArray = (placement - curve.auc) / totals
    if sample.groups is None:
        return moves
    return np.asarray(np.bincount(sample.groups, weights=moves), dtype=np.float64)


def _moved_shares(
    estimate: float, replicates: FloatArray, influence: FloatArray, z: float
) -> list[float]:
    """Return the percentiles of BCa; ties with the estimate count half for the bias."""
    below = np.count_nonzero(replicates < estimate) + np.count_nonzero(replicates <= estimate)
    share = below / (2 * replicates.size)
    least = 0.5 / replicates.size  # all replicates on one side: as far as they can tell
    bias = STANDARD.inv_cdf(min(max(share, least), 1 - least))
    spread = float(np.sum(influence**2)) ** 1.5
    skew = float(np.sum(influence**3)) / (6 * spread) if spread else 0.0
    return [STANDARD.cdf(bias + (bias + side) / (1 - skew * (bias + side))) for side in (-z, z)]


def _cut(low: float, high: float) -> Interval:
    return Interval(max(low, 0.0), min(high, 1.0))


def _expit(value: float) -> float:
    """Return the logistic function without overflow."""
    if value < 0:
        return math.exp(value) / (1 + math.exp(value))
    return 1 / (1 + math.exp(-value))
