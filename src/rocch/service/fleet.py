"""The workers that use one record: what each says of itself, and their status as a whole.

Each writes a row about once a second, in the background; whoever is asked reads them all. No
decision waits for that.
"""

from __future__ import annotations

import asyncio
import json
import logging
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from datetime import datetime, timedelta
from socket import gethostname
from threading import Lock
from typing import TYPE_CHECKING, Any

from rocch.database.record import fetch
from rocch.errors import StorageError
from rocch.service.served import now

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rocch.service.policy import Service

LOG = logging.getLogger("rocch.service")

# Seconds between two looks at oneself, and between two rows that say the same.
SECONDS_BETWEEN = 1.0
SECONDS_UNCHANGED = 10.0
# Seconds after which a worker counts as gone, and its row is deleted.
SECONDS_SILENT = 60.0
SECONDS_KEPT = 86_400.0
# Seconds that workers may take to follow one another.
SECONDS_TO_FOLLOW = 5.0
# Counts that are added up, and those of each minute of an hour.
TOTALS = ("total", "alarms", "referred", "requests")
MINUTES, HOUR = ("per_minute", "alarms_per_minute"), 60


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerState:
    """What a worker says of itself.

    Attributes
    ----------
    worker, at
        Its name, and when it said so.
    aim, seed
        Its aim in words, because command lines may differ, and the seed of its coins.
    since
        When it began to decide by this version and aim.
    minute
        The minute of its last count, since 1970.
    """

    worker: str
    at: str
    started_at: str
    model_version: int
    sha256: str
    aim_id: int | None
    since: str
    minute: int
    decisions: dict[str, Any]
    problems: list[str]
    aim: str = ""
    seed: int = 0

    @classmethod
    def read(cls, row: dict[str, Any]) -> WorkerState | None:
        """Return what a row of the record says; None if another release wrote too little."""
        said, known = json.loads(row["state"]), {field.name for field in fields(cls)}
        stated = {name: value for name, value in said.items() if name in known}
        try:
            return cls(worker=row["worker"], at=row["at"], **stated)
        except TypeError:
            return None

    @property
    def basis(self) -> tuple[int, str, int | None, str, int]:
        """What it decides by."""
        return self.model_version, self.sha256, self.aim_id, self.aim, self.seed

    def to_dict(self, this: str) -> dict[str, Any]:
        """Return what the status shows of it; `this` is the name of the one that is asked."""
        return {
            "name": self.worker,
            "at": self.at,
            "model_version": self.model_version,
            "aim_id": self.aim_id,
            "is_this": self.worker == this,
            "problems": self.problems,
        }


class Fleet:
    """A service among the workers that use the same record.

    Without others it says nothing and hears of nobody.
    """

    def __init__(self, service: Service, *, clock: Callable[[], str] = now) -> None:
        self._service, self._clock = service, clock
        self._last: WorkerState | None = None  # as it stands in the record
        self._heard: list[dict[str, Any]] = []  # rows that were read last
        self._basis: tuple[Any, str] | None = None
        self._writing, self._has_left = Lock(), False

    @property
    def name(self) -> str:
        """The name of this worker."""
        return self._service.settings.worker or f"{gethostname()}/0"

    def state(self) -> WorkerState:
        """Return what this worker says of itself."""
        service, at = self._service, self._clock()
        served, policy = service.in_force
        minute, decisions = service.monitor.counts()
        state = WorkerState(
            worker=self.name,
            at=at,
            started_at=service.started_at,
            model_version=served.version,
            sha256=served.sha256,
            aim_id=policy.id,
            since=at,
            minute=minute,
            decisions=decisions,
            problems=service.problems,
            aim=policy.words,
            seed=served.seed,
        )
        if self._basis is None or self._basis[0] != state.basis:
            self._basis = state.basis, at
        return replace(state, since=self._basis[1])

    def workers(self) -> list[WorkerState]:
        """Return the workers that are alive, by name; this one as it is now.

        While the record is away, those that were heard of before count.
        """
        this = self.state()
        if not self._service.is_shared:
            return [this]
        with suppress(StorageError), self._service.store.reading() as db:
            self._heard = fetch(db, "SELECT worker, at, state FROM workers")
        heard = [
            WorkerState.read(row)
            for row in self._heard
            if row["worker"] != self.name
            and abs(_seconds(this.at) - _seconds(row["at"])) <= SECONDS_SILENT
        ]
        states = [this, *(state for state in heard if state is not None)]
        return sorted(states, key=lambda state: state.worker)

    def write(self) -> None:
        """Write the row of this worker, if it has something to say."""
        with self._writing:
            if not self._has_left:
                self._write()

    def _write(self) -> None:
        state, last = self.state(), self._last
        is_same = last is not None and state == replace(last, at=state.at)
        if last and is_same and _seconds(state.at) - _seconds(last.at) < SECONDS_UNCHANGED:
            return
        columns = asdict(state)
        worker, at = columns.pop("worker"), columns.pop("at")
        with self._service.store.writing() as db:
            if last is None:
                oldest = datetime.fromisoformat(at) - timedelta(seconds=SECONDS_KEPT)
                text = oldest.isoformat(timespec="milliseconds")
                db.execute("DELETE FROM workers WHERE at < ?", (text,))
            db.execute(
                "INSERT INTO workers (worker, at, state) VALUES (?, ?, ?) "
                "ON CONFLICT (worker) DO UPDATE SET at = excluded.at, state = excluded.state",
                (worker, at, json.dumps(columns, allow_nan=False)),
            )
        self._last = state

    def leave(self) -> None:
        """Delete the row of this worker, which ends."""
        with self._writing, self._service.store.writing() as db:
            self._has_left = True
            db.execute("DELETE FROM workers WHERE worker = ?", (self.name,))

    async def run(self) -> None:
        """Write until canceled, and leave then."""
        try:
            while True:
                await self._try(self.write)
                await asyncio.sleep(SECONDS_BETWEEN)
        finally:
            await self._try(self.leave)

    async def _try(self, work: Callable[[], None]) -> None:
        try:
            await self._service.in_task_thread("fleet", work)
        except StorageError as error:  # others miss it meanwhile, and deciding goes on
            LOG.info("worker %s cannot tell how it is: %s", self.name, error)


def _seconds(at: str) -> float:
    return datetime.fromisoformat(at).timestamp()


def add_decisions(states: Sequence[WorkerState]) -> dict[str, Any]:
    """Return the sum of what workers decided, by the minute of the clock.

    Another release may have other counts; those that are not known are left out.
    """
    last = max(state.minute for state in states)
    counts = [state.decisions for state in states]
    sums: dict[str, Any] = {name: sum(each.get(name, 0) for each in counts) for name in TOTALS}
    for name in MINUTES:
        minutes = [
            _move_back(state.decisions.get(name, []), last - state.minute) for state in states
        ]
        sums[name] = [sum(each) for each in zip(*minutes, strict=True)]
    return sums


def _move_back(counts: list[int], minutes: int) -> list[int]:
    """Return the counts of the hour that ends some minutes later."""
    return [*[0] * HOUR, *counts, *[0] * min(minutes, HOUR)][-HOUR:]


def fleet_warnings(states: Sequence[WorkerState]) -> Iterator[tuple[str, str]]:
    """Yield a warning if workers decide by different versions or aims for long.

    The times are those of the states. One that has said nothing since the others had to follow may
    be gone.
    """
    followed = max(_seconds(state.since) for state in states) + SECONDS_TO_FOLLOW
    states = [state for state in states if _seconds(state.at) > followed]
    if len({state.basis for state in states}) > 1:
        words = ", ".join(
            f"{state.worker} by version {state.model_version} and {_describe_aim(state)}"
            for state in states
        )
        yield "workers_differ", f"Workers decide differently: {words}."


def _describe_aim(state: WorkerState) -> str:
    if state.aim_id is not None:
        return f"aim {state.aim_id}"
    return "no operator's aim" + (f" ({state.aim})" if state.aim else "")
