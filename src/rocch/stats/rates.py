"""How well counts determine a rate: binomial intervals, and those of both rates at a point."""

from __future__ import annotations

import math
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from rocch.errors import InputError, describe_type
from rocch.inputs import as_choice, as_level, as_number
from rocch.kernels.bounds import clopper_pearson, normal_quantile
from rocch.roc.conditions import Interval
from rocch.roc.curve import RocCurve
from rocch.roc.hull import RocHull
from rocch.roc.operating_point import ClassTotals, OperatingPoint, RocPoint

Method = Literal["clopper-pearson", "wilson"]


class PointIntervals(NamedTuple):
    """The intervals of both rates at one ROC point.

    They hold for a point fixed beforehand. A point chosen on the same rows among many is rather
    worse than it looks: see these as the least doubt. Each has the stated confidence on its own;
    both hold together with at least confidence^2, since different rows make them.
    """

    fpr: Interval
    tpr: Interval


def rate_interval(
    count: float, rows: float, *, method: Method = "clopper-pearson", confidence: float = 0.95
) -> Interval:
    """Return every rate that a count out of so many rows does not contradict.

    Parameters
    ----------
    count, rows
        How many of how many. Effective numbers of weighted rows need not be whole.
    method
        "clopper-pearson" never covers the truth less often than asked for, and so mostly more
        often; "wilson" is shorter and covers it as often as asked for on average.
    confidence
        How often such intervals hold the true rate.

    Returns
    -------
    Interval

    Raises
    ------
    InputError
        If there are no rows, or the count is not from 0 to their number.

    Examples
    --------
    No false alarm among 300 rows does not make the rate 0:

    >>> import rocch
    >>> print(rocch.stats.rate_interval(0, 300))
    0..0.012221
    >>> print(rocch.stats.rate_interval(0, 300, method="wilson"))
    0..0.012643
    """
    level = as_level(confidence)
    total = as_number(rows, "rows", least=0, hint="Pass how many rows were judged.")
    if not total:
        raise InputError("rows", "be more than 0", 0, "A rate needs rows of its class.")
    hits = as_number(count, "count", least=0, hint="Pass a count out of rows.")
    if hits > total:
        raise InputError("count", "not exceed rows", f"{hits:g} of {total:g}", "Check the totals.")
    wilson = as_choice(method, get_args(Method), "method") == "wilson"
    return (_wilson if wilson else _clopper_pearson)(hits, total, level)


def point_intervals(
    curve: RocCurve | RocHull,
    at: float | RocPoint | OperatingPoint,
    *,
    method: Method = "clopper-pearson",
    confidence: float = 0.95,
) -> PointIntervals:
    """Return how well FPR and TPR at a point are known from the judged rows.

    Parameters
    ----------
    judged
        The curve, or the hull, that the point belongs to: it knows how many rows there were.
    at
        A threshold of the curve, or a point (`curve.at(0.5)`, `hull.vertices[2]`).
    method, confidence
        As for `rate_interval`.

    Examples
    --------
    >>> import rocch
    >>> curve = rocch.RocCurve.from_scores([0] * 40 + [1] * 10, list(range(50)))
    >>> found = rocch.stats.point_intervals(curve, 40)
    >>> print(found.fpr, found.tpr)
    0..0.0880973 0.691503..1
    """
    totals = _plain_rows(curve)
    at = at.point if isinstance(at, OperatingPoint) else at
    point = at if isinstance(at, RocPoint) else _threshold(curve, at)
    counts = point.false_positives, point.true_positives
    rows = totals.negatives, totals.positives
    rates = zip(counts, rows, (point.fpr, point.tpr), strict=True)
    if any(abs(count - rate * total) > 1e-6 * total for count, total, rate in rates):
        raise InputError(
            "at",
            "be a point judged on the same rows",
            f"{counts[0]:g} false and {counts[1]:g} true positives of other rows",
            "Take it from this curve or hull.",
        )
    fpr, tpr = (
        rate_interval(count, rows, method=method, confidence=confidence)
        for count, rows in zip(counts, (totals.negatives, totals.positives), strict=True)
    )
    return PointIntervals(fpr, tpr)


def _clopper_pearson(hits: float, rows: float, confidence: float) -> Interval:
    low, high = clopper_pearson(np.array(hits), rows, confidence)
    return Interval(float(low), float(high))


def _wilson(hits: float, rows: float, confidence: float) -> Interval:
    """Keep the rates p with |hits / rows - p| <= z sqrt(p (1 - p) / rows) (Wilson, 1927)."""
    square = normal_quantile(confidence) ** 2
    misses = rows - hits
    middle = hits + square / 2
    reach = math.sqrt(square * (hits * misses / rows + square / 4))
    low = (middle - reach) / (rows + square) if hits else 0.0
    return Interval(low, (middle + reach) / (rows + square) if misses else 1.0)


def _plain_rows(curve: Any) -> ClassTotals:
    if not isinstance(curve, RocCurve | RocHull):
        raise InputError(
            "curve",
            "be a RocCurve or a RocHull",
            describe_type(curve),
            "It knows the rows.",
        )
    rows = curve.totals
    if rows.weighted or rows.pooled:
        raise InputError(
            "curve",
            "be counted from plain rows, the same for all",
            "weighted rows" if rows.weighted else "rates from different rows",
            "Use rocch.stats.rate_interval with the (effective) number of rows.",
        )
    return rows


def _threshold(curve: RocCurve | RocHull, at: Any) -> RocPoint:
    if isinstance(curve, RocCurve):
        return curve.at(at)
    raise InputError(
        "at", "be a point of the hull", repr(at), "A hull has several models; see hull.vertices."
    )
