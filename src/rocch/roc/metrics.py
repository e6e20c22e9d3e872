"""Metrics of FPR and TPR that rise with TPR and fall with FPR."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.errors import GuaranteeError, bad_input

if TYPE_CHECKING:
    from rocch.arrays import FloatArray

Metric = Callable[[Any, Any], Any]
"""A function of FPR and TPR (arrays of equal shape) that rises with TPR and falls with FPR."""


def checked_metric(metric: Metric) -> Metric:
    """Let a user's function work on arrays, and refuse one that is not monotone.

    Where the function is undefined (NaN) it is never the best.
    """

    def score(fpr: FloatArray, tpr: FloatArray) -> FloatArray:
        value = _values(metric, np.asarray(fpr, dtype=float), np.asarray(tpr, dtype=float))
        return np.where(np.isnan(value), -np.inf, value)

    steps = np.linspace(0, 1, 17)
    fpr, tpr = np.meshgrid(steps, steps)
    value = _values(metric, fpr, tpr)
    if np.isnan(value).all():
        raise bad_input(
            "metric", "return numbers", "NaN everywhere", "Check the function on a few rates."
        )
    with np.errstate(invalid="ignore"):  # infinite values may stand side by side
        falls_with_tpr = (np.diff(value, axis=0) < -1e-12).any()
        rises_with_fpr = (np.diff(value, axis=1) > 1e-12).any()
    if falls_with_tpr or rises_with_fpr:
        raise GuaranteeError(
            "metric must rise with TPR and fall with FPR; this one does not everywhere. Without "
            "that the hull does not guarantee a best point (Theorem 8). Check the order of its "
            "arguments: metric(fpr, tpr)."
        )
    return score


def _values(metric: Metric, fpr: FloatArray, tpr: FloatArray) -> FloatArray:
    """Call a function on arrays; where it takes only numbers, on one after the other."""
    with np.errstate(all="ignore"):
        try:
            value = np.asarray(metric(fpr, tpr), dtype=float)
            if value.shape == fpr.shape:
                return value
        except (TypeError, ValueError, ZeroDivisionError):
            pass
        try:
            pairs = zip(fpr.ravel().tolist(), tpr.ravel().tolist(), strict=True)
            return np.array([_value(metric, *pair) for pair in pairs]).reshape(fpr.shape)
        except (TypeError, ValueError) as error:
            raise bad_input(
                "metric",
                "be a function of FPR and TPR that returns a number",
                f"one that fails: {error}",
                "Try it on two arrays of rates.",
            ) from None


def _value(metric: Metric, fpr: float, tpr: float) -> float:
    try:
        return float(metric(fpr, tpr))
    except ZeroDivisionError:
        return np.nan


def _divide(part: Any, whole: Any) -> Any:
    """Divide; where the whole is 0 the ratio is undefined, and never the best."""
    part, whole = np.broadcast_arrays(part, np.asarray(whole, dtype=float))
    return np.divide(part, whole, out=np.full(whole.shape, -np.inf), where=whole > 0)


def _alarms(fpr: Any, tpr: Any, p: float) -> Any:
    return p * tpr + (1 - p) * fpr


def _precision(fpr: Any, tpr: Any, p: float) -> Any:
    return _divide(p * tpr, _alarms(fpr, tpr, p))


def _lift(fpr: Any, tpr: Any, p: float) -> Any:
    return _divide(_precision(fpr, tpr, p), p)


def _f1(fpr: Any, tpr: Any, p: float) -> Any:
    return _divide(2 * p * tpr, p + _alarms(fpr, tpr, p))


def _accuracy(fpr: Any, tpr: Any, p: float) -> Any:
    return p * tpr + (1 - p) * (1 - fpr)


def hit_rate(fpr: Any, tpr: Any, p: float = 0.0) -> Any:  # noqa: ARG001 - one signature for all
    """Return the TPR, in the shape of both."""
    return tpr + 0.0 * fpr


def _informedness(fpr: Any, tpr: Any, p: float) -> Any:  # noqa: ARG001
    return tpr - fpr


def _geometric_mean(fpr: Any, tpr: Any, p: float) -> Any:  # noqa: ARG001
    return np.sqrt(tpr * (1 - fpr))


METRICS: dict[str, tuple[Callable[[Any, Any, float], Any], bool]] = {
    "tpr": (hit_rate, True),
    "recall": (hit_rate, True),
    "precision": (_precision, True),
    "lift": (_lift, True),
    "f1": (_f1, True),
    "accuracy": (_accuracy, True),
    "informedness": (_informedness, True),
    "geometric_mean": (_geometric_mean, False),
}
"""Metrics by name, and whether along a segment each is largest at an end."""

NEED_POSITIVES = ("precision", "lift", "f1")
"""Metrics that mean nothing where there are no positives."""
