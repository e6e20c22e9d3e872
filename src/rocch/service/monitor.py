"""What the service notices by itself: how much it decides, and how many positives come in.

The scores of incoming rows, compared with the labeled rows behind the hull, tell today's
prevalence, provided that only the prevalence changed; that is tested each time.
"""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
from prometheus_client import CollectorRegistry, Counter, Histogram

from rocch.errors import RocchError, format_count
from rocch.service.errors import REQUEST
from rocch.stats.prevalence import estimate_prevalence

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rocch.arrays import FloatArray
    from rocch.roc.curve import RocCurve
    from rocch.service.served import Served

MINUTES = 60
# Rows that are compared together: enough to tell a prevalence, few enough to follow it.
WINDOW = 5000
FEWEST_ROWS = 200
SECONDS_BETWEEN = 10.0
# Stricter than usual, because estimates are looked at again and again, all day long.
CONFIDENCE, SIGNIFICANCE = 0.99, 0.001
# Buckets of the histogram of decision times.
SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)

NO_CURVE = (
    "no model of this export scores rows and keeps its whole curve, with which scores of today "
    "could be compared"
)


class Activity:
    """Counts of decisions, in total and by the minute; its owner locks it.

    Times are seconds of a clock that never runs backwards. Counts of a minute are dropped an hour
    later.

    Examples
    --------
    >>> from rocch.service.monitor import Activity
    >>> activity = Activity()
    >>> activity.add(30.0, rows=10, alarms=2)
    >>> activity.add(65.0, rows=5, alarms=0)
    >>> activity.counts(70.0)["per_minute"][-2:]
    [10, 5]
    """

    def __init__(self) -> None:
        self._minute = 0
        self._rows, self._alarms = deque([0] * MINUTES, MINUTES), deque([0] * MINUTES, MINUTES)
        self._totals = {"total": 0, "alarms": 0, "requests": 0}

    def add(self, time: float, *, rows: int, alarms: int) -> None:
        """Count one request."""
        self._advance(time)
        self._rows[-1] += rows
        self._alarms[-1] += alarms
        self._totals["total"] += rows
        self._totals["alarms"] += alarms
        self._totals["requests"] += 1

    def counts(self, time: float) -> dict[str, Any]:
        """Return rows, alarms and requests in total, and those of the last sixty minutes.

        The oldest minute comes first; the last one is not over yet.
        """
        self._advance(time)
        minutes = {"per_minute": list(self._rows), "alarms_per_minute": list(self._alarms)}
        return {**self._totals, **minutes}

    def _advance(self, time: float) -> None:
        minute = int(time // 60)
        passed = [0] * min(minute - self._minute, MINUTES)
        self._rows.extend(passed)
        self._alarms.extend(passed)
        self._minute = max(self._minute, minute)


@dataclass(frozen=True, slots=True, kw_only=True)
class PrevalenceNow:
    """The prevalence of the last rows by the scores of a model.

    The interval holds every prevalence that the scores do not contradict. A problem says why there
    is no estimate, or why not to trust it.
    """

    estimated: float | None = None
    interval: tuple[float, float] | None = None
    rows: int = 0
    model: str | None = None
    problem: str | None = None


class Monitor:
    """Counts decisions and keeps the last scores; safe for several threads.

    The clock gives seconds that never run backwards.

    Examples
    --------
    >>> from rocch.service.monitor import Monitor
    >>> monitor = Monitor(clock=lambda: 0.0)
    >>> monitor.add(10, 3)
    >>> monitor.decisions()["alarms"]
    3
    """

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock, self._estimating = Lock(), Lock()
        self._activity = Activity()
        self._scores: dict[str, deque[float]] = {}
        self._version: int | None = None
        self._last: tuple[int, float, PrevalenceNow] | None = None

    def add(
        self,
        rows: int,
        alarms: int,
        scores: Mapping[str, FloatArray] | None = None,
        *,
        version: int | None = None,
    ) -> None:
        """Count a decided request, and keep the scores of models on all of its rows.

        Scores of an older version of the export are of no use beside newer ones.
        """
        now = self._clock()
        with self._lock:
            self._activity.add(now, rows=rows, alarms=alarms)
            if scores and self._is_current(version):
                for model, column in scores.items():
                    if column.dtype == np.float64:  # others are labels
                        last = self._scores.setdefault(model, deque(maxlen=WINDOW))
                        last.extend(column[-WINDOW:].tolist())

    def decisions(self) -> dict[str, Any]:
        """Return how much was decided, see `Activity.counts`."""
        with self._lock:
            return self._activity.counts(self._clock())

    def prevalence(self, served: Served) -> PrevalenceNow:
        """Return today's prevalence, estimated anew if the last time is long enough ago.

        Estimating takes a while, so it belongs in a thread. A second thread waits meanwhile and
        gets the same result.
        """
        with self._estimating:
            now, last = self._clock(), self._last
            if last and last[0] == served.version and now - last[1] < SECONDS_BETWEEN:
                return last[2]
            with self._lock:
                self._is_current(served.version)
                scores = {model: np.array(last) for model, last in self._scores.items()}
            found = _estimate(served.reference_curves, scores)
            self._last = (served.version, now, found)
            return found

    def _is_current(self, version: int | None) -> bool:
        """Return whether a version's scores are of use; forget those of older exports."""
        known = self._version
        if version is None or version == known:
            return True
        if known is not None and version < known:
            return False
        if known is not None:
            self._scores.clear()
        self._version = version
        return True

    def replace_export(self, old: Served, new: Served) -> None:
        """Let a new export take over; scores of models with the same curve stay of use."""
        with self._estimating:
            before, now = old.reference_curves, new.reference_curves
            with self._lock:
                known = self._scores if self._is_current(old.version) else {}
                self._scores = {
                    model: scores
                    for model, scores in known.items()
                    if model in now and before.get(model) == now[model]
                }
                self._version = new.version


def _estimate(curves: dict[str, RocCurve], scores: Mapping[str, FloatArray]) -> PrevalenceNow:
    """Estimate by the model of largest AUC among those with enough scores."""
    if not curves:
        return PrevalenceNow(problem=NO_CURVE)
    rows = {model: scores[model].size if model in scores else 0 for model in curves}
    enough = [model for model in curves if rows[model] >= FEWEST_ROWS]
    if not enough:
        most = max(rows.values())
        missing = f"{format_count(most, 'row')} with scores so far, {FEWEST_ROWS} are needed"
        return PrevalenceNow(rows=most, problem=missing)
    best = max(enough, key=lambda model: (curves[model].auc, model))
    curve = curves[best]
    try:
        found = estimate_prevalence(
            curve, scores[best], confidence=CONFIDENCE, significance=SIGNIFICANCE
        )
    except RocchError as error:
        return PrevalenceNow(rows=rows[best], model=best, problem=error.to_text(REQUEST))
    low, high = found.interval
    return PrevalenceNow(
        estimated=found.prevalence,
        interval=(low, high),
        rows=found.rows,
        model=best,
        problem=None if found.fits else f"by the scores of {best}, {found.verdict}",
    )


class Metrics:
    """What is counted for Prometheus beside the status, in a registry of the service's own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        own: dict[str, Any] = {"registry": self.registry, "namespace": "rocch"}
        self.requests = Counter("requests", "Requests answered.", ("route", "status"), **own)
        self.seconds = Histogram(
            "decide_seconds", "Time to decide a request, once it is read.", buckets=SECONDS, **own
        )
        self.swaps = Counter("library_swaps", "New exports taken over.", **own)
