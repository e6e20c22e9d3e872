"""Metrics of FPR and TPR that rise with TPR and fall with FPR."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.errors import GuaranteeError

if TYPE_CHECKING:
    from rocch.arrays import FloatArray

Metric = Callable[[Any, Any], Any]
"""A function of FPR and TPR (arrays of equal shape) that rises with TPR and falls with FPR."""


def checked_metric(metric: Metric) -> Metric:
    """Let a user's function work on arrays, and refuse one that is not monotone."""

    def score(fpr: FloatArray, tpr: FloatArray) -> FloatArray:
        try:
            value = np.asarray(metric(fpr, tpr), dtype=float)
            if value.shape == np.shape(fpr):
                return value
        except (TypeError, ValueError):
            pass
        return np.asarray(np.vectorize(metric, otypes=[float])(fpr, tpr))

    steps = np.linspace(0, 1, 17)
    fpr, tpr = np.meshgrid(steps, steps)
    with np.errstate(all="ignore"):
        value = score(fpr.ravel(), tpr.ravel()).reshape(fpr.shape)
    worse = (np.diff(value, axis=0) < -1e-12).any() or (np.diff(value, axis=1) > 1e-12).any()
    if worse:
        raise GuaranteeError(
            "metric must rise with TPR and fall with FPR; this one does not everywhere. Without "
            "that the hull does not guarantee a best point (Theorem 8). Check the order of its "
            "arguments: metric(fpr, tpr)."
        )
    return score


def _alarms(fpr: Any, tpr: Any, p: float) -> Any:
    return p * tpr + (1 - p) * fpr


def _precision(fpr: Any, tpr: Any, p: float) -> Any:
    """Return precision; where nothing alarms it is undefined and never the best."""
    alarms = np.asarray(_alarms(fpr, tpr, p), dtype=float)
    return np.divide(p * tpr, alarms, out=np.full(alarms.shape, -np.inf), where=alarms > 0)


def _lift(fpr: Any, tpr: Any, p: float) -> Any:
    return _precision(fpr, tpr, p) / p


def _f1(fpr: Any, tpr: Any, p: float) -> Any:
    return 2 * p * tpr / (p + _alarms(fpr, tpr, p))


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
    "precision": (_precision, True),
    "lift": (_lift, True),
    "f1": (_f1, True),
    "accuracy": (_accuracy, True),
    "informedness": (_informedness, True),
    "geometric_mean": (_geometric_mean, False),
}
"""Metrics by name, and whether along a segment each is largest at an end."""
