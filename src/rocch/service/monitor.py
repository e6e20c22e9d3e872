"""What the service notices by itself: how much it decides, and how many positives come in.

The scores of incoming rows, beside the labeled rows that the hull was judged on, tell today's
prevalence, if only the prevalence moved; whether that can be is tested each time.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Protocol

import numpy as np

from rocch.errors import RocchError, format_count
from rocch.service.activity import Activity
from rocch.service.errors import REQUEST
from rocch.service.score_window import ScoreWindow
from rocch.stats.prevalence import estimate_prevalence

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rocch.arrays import FloatArray
    from rocch.hybrid.hybrid import Hybrid
    from rocch.roc.curve import RocCurve
    from rocch.service.activity import Decisions

WINDOW = 5000
"""So many rows are looked at together: enough to tell a prevalence, few enough to follow it."""
FEWEST_ROWS = 200
SECONDS_BETWEEN = 10.0
CONFIDENCE, SIGNIFICANCE = 0.99, 0.001
"""Stricter than usual, because it is looked at again and again, all day long."""

NO_CURVE = (
    "no model of this export scores rows and keeps its whole curve, with which scores of today "
    "could be compared"
)


class Export(Protocol):
    """What the monitor needs to know of the export that decides."""

    @property
    def version(self) -> int:
        """Its number, which rises."""

    @property
    def hybrid(self) -> Hybrid:
        """What deciding takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrevalenceNow:
    """The prevalence of the rows that came in last, as far as their scores tell.

    Attributes
    ----------
    estimated, interval
        The estimate, and every prevalence that the scores do not contradict; None where there is
        no estimate.
    rows, model
        How many rows it rests on, and whose scores.
    fits
        Whether it was tested, and not rejected, that only the prevalence moved.
    problem
        Why there is no estimate, or why not to trust it.
    """

    estimated: float | None = None
    interval: tuple[float, float] | None = None
    rows: int = 0
    model: str | None = None
    fits: bool = False
    problem: str | None = None


class Monitor:
    """Counts decisions and keeps the last scores; safe to use from several threads.

    Parameters
    ----------
    clock
        Returns seconds that never run backwards.

    Examples
    --------
    >>> from rocch.service.monitor import Monitor
    >>> monitor = Monitor(clock=lambda: 0.0)
    >>> monitor.decided(10, 3)
    >>> monitor.decisions().alarms
    3
    """

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock, self._estimating = Lock(), Lock()
        self._activity = Activity()
        self._windows: dict[str, ScoreWindow] = {}
        self._version: int | None = None
        self._curves: tuple[int, dict[str, RocCurve]] = (-1, {})
        self._last: tuple[int, float, PrevalenceNow] | None = None

    def decided(
        self,
        rows: int,
        alarms: int,
        scores: Mapping[str, FloatArray] | None = None,
        *,
        version: int | None = None,
    ) -> None:
        """Take note of a request that was decided.

        Parameters
        ----------
        rows, alarms
            How many rows it had, and how many of them alarmed.
        scores
            The scores of models on all of its rows, where they are at hand.
        version
            The export that decided. The scores of an older one are of no use beside newer ones.
        """
        now = self._clock()
        with self._lock:
            self._activity.add(now, rows=rows, alarms=alarms)
            if scores and self._current(version):
                for model, column in scores.items():
                    if column.dtype == np.float64:  # others are labels
                        self._window(model).add(column)

    def decisions(self) -> Decisions:
        """Return how much was decided."""
        with self._lock:
            return self._activity.at(self._clock())

    def prevalence(self, served: Export) -> PrevalenceNow:
        """Return today's prevalence, estimated anew if the last time is long enough ago.

        Estimating takes a while, so this is not for the thread that answers requests. A second
        thread that asks meanwhile waits and gets the same answer.
        """
        with self._estimating:
            now, last = self._clock(), self._last
            if last and last[0] == served.version and now - last[1] < SECONDS_BETWEEN:
                return last[2]
            with self._lock:
                self._current(served.version)
                scores = {model: window.scores() for model, window in self._windows.items()}
            found = self._estimated(served, scores)
            self._last = (served.version, now, found)
            return found

    def _current(self, version: int | None) -> bool:
        """Forget the scores of older exports; say whether this version's are of use."""
        known = self._version
        if version is None or version == known:
            return True
        if known is not None and version < known:
            return False
        if known is not None:
            self._windows.clear()
        self._version = version
        return True

    def swapped(self, old: Export, new: Export) -> None:
        """Let a new export take over; scores stay of use where a model's curve stays the same."""
        with self._estimating:
            before, now = self._reference(old), self._reference(new)
            same = {model for model, curve in now.items() if before.get(model) == curve}
            with self._lock:
                kept = self._windows if self._current(old.version) else {}
                self._windows = {model: kept[model] for model in kept if model in same}
                self._version = new.version

    def _window(self, model: str) -> ScoreWindow:
        if model not in self._windows:
            self._windows[model] = ScoreWindow(WINDOW)
        return self._windows[model]

    def _estimated(self, served: Export, scores: Mapping[str, FloatArray]) -> PrevalenceNow:
        curves = self._reference(served)
        if not curves:
            return PrevalenceNow(problem=NO_CURVE)
        rows = {model: scores[model].size if model in scores else 0 for model in curves}
        enough = [model for model in curves if rows[model] >= FEWEST_ROWS]
        if not enough:
            most = max(rows.values())
            missing = f"{format_count(most, 'row')} with scores so far, {FEWEST_ROWS} are needed"
            return PrevalenceNow(rows=most, problem=missing)
        best = max(enough, key=lambda model: (curves[model].auc, model))
        return _estimate(curves[best], scores[best])

    def _reference(self, served: Export) -> dict[str, RocCurve]:
        """Return the curves of the models that score, which are made once for each export."""
        version, curves = self._curves
        if version != served.version:
            curves = _curves_of(served.hybrid)
            self._curves = (served.version, curves)
        return curves


def _curves_of(hybrid: Hybrid) -> dict[str, RocCurve]:
    kept = [m for m in hybrid.hull.members if m.scoring and m.name in hybrid.components]
    found = {member.name: member.curve() for member in kept}
    return {name: curve for name, curve in found.items() if curve is not None}


def _estimate(curve: RocCurve, scores: FloatArray) -> PrevalenceNow:
    try:
        found = estimate_prevalence(curve, scores, confidence=CONFIDENCE, significance=SIGNIFICANCE)
    except RocchError as error:
        return PrevalenceNow(rows=scores.size, model=curve.name, problem=error.to_text(REQUEST))
    low, high = found.interval
    return PrevalenceNow(
        estimated=found.prevalence,
        interval=(low, high),
        rows=found.rows,
        model=curve.name,
        fits=found.fits,
        problem=None if found.fits else f"by the scores of {curve.name}, {found.verdict}",
    )
