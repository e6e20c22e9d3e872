"""A real service under a load of feedback, killed and started again, and what must hold then."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import httpx

import rocch
from rocch.library.library import as_place
from rocch.service.store import Store
from rocch.service.tables import record_place
from tests.support.exported import COSTS, scored_rows

if TYPE_CHECKING:
    from pathlib import Path

SENDERS = 4


def library(folder: Path, url: str | None = None) -> Path | str:
    """Make a library with an export, in a folder or at a URL; return its place."""
    scores, y = scored_rows(0, 1000, 0.3)
    create = rocch.library.ClassifierLibrary.create
    with create(folder) if url is None else create(url, objects=folder) as made:
        made.add_scores(y, scores)
        made.export()
    return url or folder


def open_store(place: Path | str) -> Store:
    """Open the record of a service that keeps it with its library."""
    return Store(record_place(as_place(place)))


class Running:
    """A service in a process of its own."""

    def __init__(self, folder: Path | str) -> None:
        self.process = subprocess.Popen(  # noqa: S603 - our own program
            [sys.executable, "-m", "rocch", "serve", str(folder), "--port", "0", "--json"],
            stdout=subprocess.PIPE,
            text=True,
        )
        response = self._announcement()
        with open(response["tokens_file"], encoding="utf-8") as file:
            token = json.load(file)["operator"]
        self.client = httpx.Client(
            base_url=response["url"], headers={"Authorization": f"Bearer {token}"}, timeout=60
        )

    def _announcement(self) -> Any:
        """Return what it prints once it listens: one document, and then nothing for long."""
        assert self.process.stdout is not None
        text = ""
        for line in self.process.stdout:
            text += line
            if line == "}\n":
                break
        return json.loads(text)

    def send(self, method: str, path: str, body: Any = None) -> Any:
        answer = self.client.request(method, path, json=body)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def kill(self) -> None:
        """End it as a power failure would."""
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()
        self.client.close()


def event(name: str, number: int) -> dict[str, Any]:
    """Return one of endlessly many events of feedback."""
    if number % 3 == 2:
        scores, y = scored_rows(number, 40, 0.3)
        body: dict[str, Any] = {"kind": "outcomes", "scores": scores, "outcomes": y}
        return {"event_id": f"{name}-{number}", **body, "complete": True}
    alarms = 80 + number * 7 % 60
    return {"event_id": f"{name}-{number}", "kind": "load", "alarms": alarms, "capacity": 100}


def under_load(running: Running, round_: int, kill_after: int) -> dict[str, Any]:
    """Send feedback from several threads; kill the service amid it; return the answers."""
    acknowledged: dict[str, Any] = {}
    enough = threading.Event()

    def sending(sender: int) -> None:
        for number in range(10_000):
            body = event(f"{round_}-{sender}", number)
            try:
                response = running.send("POST", "/v1/feedback", body)
            except httpx.TransportError:
                return
            acknowledged[body["event_id"]] = response
            if len(acknowledged) >= kill_after:
                enough.set()

    with ThreadPoolExecutor(SENDERS) as senders:
        work = [senders.submit(sending, sender) for sender in range(SENDERS)]
        assert enough.wait(60)
        running.process.kill()
        for part in work:
            part.result()
    return acknowledged


def repeat(running: Running, acknowledged: dict[str, Any]) -> None:
    """Send a few events again, as a sender would who got no response: they are known."""
    for event_id in sorted(acknowledged)[-3:]:
        name, _, number = event_id.rpartition("-")
        response = running.send("POST", "/v1/feedback", event(name, int(number)))
        assert response == {**acknowledged[event_id], "duplicate": True}


def check(place: Path | str, acknowledged: dict[str, Any], unknown: int) -> None:
    """Hold the record against what was acknowledged; of some events nobody knows.

    The tuner stands where the last event led it, so no aim may have changed.
    """
    records = open_store(place)
    found = records.recent_feedback(10**6)
    stored = [row["event_id"] for row in found]
    assert len(stored) == len(set(stored))
    assert set(acknowledged) <= set(stored)
    assert len(set(stored) - set(acknowledged)) <= unknown
    words = {row["event_id"]: row["words"] for row in found}
    for event_id, response in acknowledged.items():
        assert words[event_id] == response["reaction"]["words"]
    tuner = records.tuner
    assert tuner is not None
    last = found[0]["words"]
    assert f"{tuner.position:.4g}:" in last
    records.close()


def survives(folder: Path | str, kill_after: list[int]) -> None:
    """Kill a service again and again; nothing that was acknowledged may be lost or count twice."""
    acknowledged: dict[str, Any] = {}
    for round_, after in enumerate(kill_after):
        running = Running(folder)
        try:
            if not round_:
                running.send("PUT", "/v1/conditions", {"question": COSTS, "tuning": "follow"})
            repeat(running, acknowledged)
            acknowledged |= under_load(running, round_, after)
        finally:
            running.kill()
        # each sender may have had one event under way when its service was killed
        check(folder, acknowledged, unknown=SENDERS * (round_ + 1))
