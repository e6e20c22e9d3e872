"""Services that share a record, a load on all of them, and what must hold in the end.

Every event is sent to each service at about the same moment, and again until it is acknowledged.
"""

from __future__ import annotations

import json
import os
import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event
from typing import TYPE_CHECKING, Any

import httpx

from rocch.database.record import fetch
from rocch.library import ClassifierLibrary
from rocch.service.feedback import Feedback, record_feedback
from rocch.service.served import ServedModel
from rocch.service.sources import Version
from rocch.service.store import Store
from tests.support.exported import COSTS
from tests.support.killed_service import event, open_store
from tests.support.killed_workers import Sender, await_answers
from tests.support.real_service import wait_until

if TYPE_CHECKING:
    from concurrent.futures import Future

    from tests.support.real_service import RealService

TWINS = 2
"""So many streams of feedback go to every service; each service has one that asks to decide."""
SECONDS_BETWEEN_AIMS = 0.3


class Load:
    """A load on several services: decisions, feedback, and new aims one after the other.

    Attributes
    ----------
    aims
        The note of each aim that was acknowledged, by its number.
    unknown
        How many events may be stored without an acknowledgement.
    """

    def __init__(self, name: str, services: list[RealService]) -> None:
        self._services, self._name = services, name
        self._over = Event()
        self.deciders = [
            Sender(service, f"{name}-decider", decides=True, is_patient=True)
            for service in services
        ]
        self._senders = [
            [
                Sender(service, f"{name}-twin-{twin}", decides=False, is_patient=True)
                for twin in range(TWINS)
            ]
            for service in services
        ]
        self.aims: dict[int, str] = {}
        self._aim_failure: BaseException | None = None
        self._working: list[Future[None]] = []
        self._pool = ThreadPoolExecutor(len(self.all) + 1)

    @property
    def senders(self) -> list[Sender]:
        """Those who send feedback."""
        return [sender for senders in self._senders for sender in senders]

    @property
    def all(self) -> list[Sender]:
        """Those who send feedback, or ask to decide."""
        return [*self.senders, *self.deciders]

    @property
    def unknown(self) -> int:
        return len(self.senders)

    def __enter__(self) -> Load:
        self._working = [self._pool.submit(each.send_until, self._over) for each in self.all]
        self._working.append(self._pool.submit(self._keep_aiming))
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self._over.set()
        self._pool.shutdown()
        if kind is None:
            for each in self._working:
                each.result()

    def await_answers(self, more: int, senders: list[Sender] | None = None) -> None:
        """Wait until all who send get some more answers."""
        await_answers(self.all if senders is None else senders, more)
        if self._aim_failure is not None:
            raise self._aim_failure

    def give_up(self, service: RealService) -> None:
        """Let those who send to a service stop at its end."""
        for sender in self.of(service):
            sender.is_over = True

    def of(self, service: RealService) -> list[Sender]:
        """Return those who send to a service."""
        number = self._services.index(service)
        return [self.deciders[number], *self._senders[number]]

    def acknowledged(self) -> dict[str, Any]:
        """Return the answers to events; all that were sent for one are alike."""
        found: dict[str, Any] = {}
        for sender in self.senders:
            for event_id, answer in sender.acknowledged.items():
                alike = {**answer, "duplicate": False}
                assert found.setdefault(event_id, alike) == alike
        first = [
            event_id
            for sender in self.senders
            for event_id, answer in sender.acknowledged.items()
            if not answer["duplicate"]
        ]
        assert len(first) == len(set(first))
        return found

    def _keep_aiming(self) -> None:
        try:
            number = 0
            while not self._over.is_set():
                number += self._aim(number)
                self._over.wait(SECONDS_BETWEEN_AIMS)
        except BaseException as error:
            self._aim_failure = error
            raise

    def _aim(self, number: int) -> bool:
        """Put an aim in force; return whether that was acknowledged."""
        here = [each for each in self._services if not self.of(each)[0].is_over]
        if not here:
            return False
        service, note = here[number % len(here)], f"{self._name}-{number}"
        costs = {**COSTS, "false_negative": 2 + number % 5}
        body = {"question": costs, "tuning": "follow", "note": note}
        try:
            answer = httpx.put(
                f"{service.told['url']}/v1/conditions",
                json=body,
                headers={"Authorization": f"Bearer {service.tokens['operator']}"},
                timeout=60,
            )
        except httpx.TransportError:  # its worker was killed
            return False
        if answer.status_code == 503:
            assert answer.headers["Retry-After"] == "1"
            return False
        assert answer.status_code == 200, answer.text
        self.aims[answer.json()["current"]["id"]] = note
        return True


def check(place: Path | str, loads: list[Load]) -> int:
    """Hold a record against what was acknowledged, and replay it; return the number of events."""
    acknowledged: dict[str, Any] = {}
    for load in loads:
        acknowledged |= load.acknowledged()
    with closing(open_store(place)) as store:
        policies = {policy.id: policy for policy in store.history(10**6)}
        for load in loads:
            for number, note in load.aims.items():
                assert policies[number].note == note
        with store.reading() as db:
            columns = "event_id, aim_id, library_version, reaction"
            rows = fetch(db, f"SELECT {columns} FROM feedback ORDER BY number")  # noqa: S608
        stored = [row["event_id"] for row in rows]
        assert len(stored) == len(set(stored))
        assert set(acknowledged) <= set(stored)
        assert len(set(stored) - set(acknowledged)) <= sum(load.unknown for load in loads)
        models = _load_models(place)
        with TemporaryDirectory() as folder, closing(Store(Path(folder, "again"))) as again:
            for row in rows:
                name, _, number = row["event_id"].rpartition("-")
                receipt = record_feedback(
                    again,
                    models[row["library_version"]],
                    policies[row["aim_id"]],
                    Feedback(**event(name, int(number))),
                )
                assert receipt.reaction == json.loads(row["reaction"])
                answer = acknowledged.get(row["event_id"])
                assert answer is None or answer["reaction"] == receipt.reaction
            assert {k: asdict(v) for k, v in again.tuners.items()} == {
                k: asdict(v) for k, v in store.tuners.items()
            }
    return len(rows)


def _load_models(place: Path | str) -> dict[int, ServedModel]:
    found = {}
    with ClassifierLibrary(place) as library:
        for export in library.exports():
            about = (export.path, export.sha256, export.at, export.note, export.version)
            content = library.read_export(export)
            version = Version(*about, read=lambda content=content: content)  # type: ignore[misc]
            found[export.version] = ServedModel.load(version)
    return found


def kill_worker(service: RealService, number: int) -> None:
    """Kill one of a service's workers; return when another has begun in its place."""
    before = service.workers()
    worker = before[number % len(before)]
    os.kill(worker, signal.SIGKILL)
    wait_until(lambda: len(service.workers()) == len(before) and worker not in service.workers())


def is_alive(pid: int) -> bool:
    """Whether a process goes on; one that waits for its end to be noticed does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def list_workers(service: RealService) -> list[dict[str, Any]]:
    """Return what a service says of all workers of its record."""
    found: list[dict[str, Any]] = service.ask("GET", "/v1/status").json()["workers"]
    return found


def clients_of_all(services: list[RealService], workers: int) -> dict[str, httpx.Client]:
    """Return a connection to each worker, by its name; the caller closes them."""
    found: dict[str, httpx.Client] = {}

    def look() -> bool:
        for service in services:
            with suppress(httpx.TransportError):
                headers = {"Authorization": f"Bearer {service.tokens['operator']}"}
                limits = httpx.Limits(max_connections=1, max_keepalive_connections=1)
                client = httpx.Client(
                    base_url=service.told["url"], headers=headers, limits=limits, timeout=60
                )
                listed = client.get("/v1/status").json()["workers"]
                (name,) = [each["name"] for each in listed if each["is_this"]]
                if name in found:
                    client.close()
                else:
                    found[name] = client
        return len(found) == workers

    wait_until(look)
    return found
