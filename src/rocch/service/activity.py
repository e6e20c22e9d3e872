"""How much was decided: in all, and in each of the last sixty minutes."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

MINUTES = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Decisions:
    """What was decided since the service started.

    Attributes
    ----------
    total, alarms, requests
        Rows, alarms among them, and the requests that they came in.
    per_minute, alarms_per_minute
        Rows and alarms of the last sixty minutes, the oldest first; the last one is not over yet.
    """

    total: int
    alarms: int
    requests: int
    per_minute: list[int]
    alarms_per_minute: list[int]

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)


class Activity:
    """Counts of decisions, by the minute.

    Times are seconds of any clock that does not run backwards; the counts of a minute are dropped
    an hour later. It takes no lock: its owner does.

    Examples
    --------
    >>> from rocch.service.activity import Activity
    >>> activity = Activity()
    >>> activity.add(30.0, rows=10, alarms=2)
    >>> activity.add(65.0, rows=5, alarms=0)
    >>> activity.at(70.0).per_minute[-2:]
    [10, 5]
    """

    def __init__(self) -> None:
        self._minute = 0
        self._rows, self._alarms = [0] * MINUTES, [0] * MINUTES
        self._total = self._total_alarms = self._requests = 0

    def add(self, time: float, *, rows: int, alarms: int) -> None:
        """Count one request."""
        self._advance(time)
        self._rows[self._minute % MINUTES] += rows
        self._alarms[self._minute % MINUTES] += alarms
        self._total += rows
        self._total_alarms += alarms
        self._requests += 1

    def at(self, time: float) -> Decisions:
        """Return the counts as they stand."""
        self._advance(time)
        oldest = (self._minute + 1) % MINUTES
        return Decisions(
            total=self._total,
            alarms=self._total_alarms,
            requests=self._requests,
            per_minute=self._rows[oldest:] + self._rows[:oldest],
            alarms_per_minute=self._alarms[oldest:] + self._alarms[:oldest],
        )

    def _advance(self, time: float) -> None:
        """Empty the places of the minutes that have passed since the last look."""
        minute = int(time // 60)
        for passed in range(max(self._minute + 1, minute - MINUTES + 1), minute + 1):
            self._rows[passed % MINUTES] = self._alarms[passed % MINUTES] = 0
        self._minute = max(self._minute, minute)
