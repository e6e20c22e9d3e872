"""Workers of a real service that are killed in turn under load, and what must hold then."""

from __future__ import annotations

import http.client
import json
import os
import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

from rocch import Question
from rocch.service.store import Policy
from tests.support.exported import COSTS, scored_rows
from tests.support.killed_service import check, event, open_store
from tests.support.real_service import running, wait_until

if TYPE_CHECKING:
    from tests.support.real_service import RealService

SENDERS = 2
"""So many send feedback, and as many ask for decisions."""


class Sender:
    """Sends requests one after the other on one connection, and opens another where that is cut.

    Attributes
    ----------
    answered, cut, refused, unconfirmed
        How many requests were answered, how many connections were cut, how often an event was
        refused for now, and how many decisions said that their aim is not confirmed.
    failed
        What it ended by, if anything: only a connection that is cut is no failure.
    acknowledged
        The answers to feedback by event.
    must_reconnect
        Set to let it close its connection by itself.
    is_over
        Whether its service is being killed, so that it stops at the first cut.
    """

    def __init__(
        self, service: RealService, name: str, *, decides: bool, is_patient: bool = False
    ) -> None:
        self._service, self._name, self._decides = service, name, decides
        self._is_patient = is_patient  # whether it repeats events that are refused for now
        self.answered = self.cut = self.refused = self.unconfirmed = 0
        self.is_over = False
        self.failed: BaseException | None = None
        self.acknowledged: dict[str, Any] = {}
        self.must_reconnect = Event()
        self._connect()

    def _connect(self) -> None:
        address = self._service.told["url"].removeprefix("http://")
        self._connection = http.client.HTTPConnection(address, timeout=60)
        self._connection.connect()  # never refused: the socket is open whoever dies
        self.port = self._connection.sock.getsockname()[1]

    def send_until(self, over: Event) -> None:
        """Send; an event that was not acknowledged is sent again."""
        try:
            self._send_until(over)
        except BaseException as error:
            self.failed = error
            raise
        finally:
            self._connection.close()

    def _send_until(self, over: Event) -> None:
        number = 0
        while not over.is_set():
            if self.must_reconnect.is_set():
                self._connection.close()
                self._connect()
                self.must_reconnect.clear()
            try:
                self._send(number)
            except (http.client.RemoteDisconnected, http.client.IncompleteRead, ConnectionError):
                if self.is_over:
                    return
                self.cut += 1
                self._connection.close()
                self._connect()
                continue
            except _RefusalError:
                self.refused += 1
                over.wait(0.02)
                continue
            number += 1
            self.answered += 1

    def _send(self, number: int) -> None:
        path, body = "/v1/feedback", event(self._name, number)
        if self._decides:
            path, body = "/v1/decide", {"scores": scored_rows(number % 10, 20, 0.3)[0]}
        headers = {
            "Authorization": f"Bearer {self._service.tokens['caller']}",
            "Content-Type": "application/json",
        }
        self._connection.request("POST", path, json.dumps(body), headers)
        answer = self._connection.getresponse()
        content = answer.read()
        if self._is_patient and not self._decides and answer.status == 503:
            assert answer.headers["Retry-After"] == "1"
            raise _RefusalError
        assert answer.status == 200, content
        document = json.loads(content)
        if self._decides:
            self.unconfirmed += document["aim"]["unconfirmed_since"] is not None
        else:
            self.acknowledged[body["event_id"]] = document


class _RefusalError(Exception):
    """An event that its sender is to repeat."""


def follow_feedback(place: Path | str) -> None:
    """Put an aim in force, before the service starts, that lets feedback turn the knob."""
    store = open_store(place)
    store.put_policy(Policy(question=Question.from_dict(COSTS), tuning="follow"))
    store.close()


def kill_each_in_turn(place: Path | str, workers: int) -> None:
    """Kill every worker once; only its own connections are cut, and nothing is lost or twice."""
    follow_feedback(place)
    over = Event()
    with running(place, "--workers", str(workers)) as service:
        senders = [
            Sender(service, f"sender-{number}", decides=bool(number % 2))
            for number in range(2 * SENDERS)
        ]
        with ThreadPoolExecutor(len(senders)) as pool:
            work = [pool.submit(sender.send_until, over) for sender in senders]
            try:
                for worker in service.workers():
                    _kill(service, worker, senders)
            finally:
                over.set()
            for part in work:
                part.result()
        assert len(service.workers()) == workers
        status, said = service.stop()
    assert status == 0
    assert (
        said.count("is started again in 0 s: it ended by signal 9")
        == len(said.splitlines())
        == workers
    )
    acknowledged = {
        name: answer for sender in senders for name, answer in sender.acknowledged.items()
    }
    assert acknowledged
    for answer in acknowledged.values():
        answer["duplicate"] = False
    check(place, acknowledged, unknown=0)  # what was not acknowledged at first was sent again


def _kill(service: RealService, worker: int, senders: list[Sender]) -> None:
    """Kill a worker under load, and wait until another serves in its place."""
    _await_share(worker, senders)
    await_answers(senders, 5)
    before, cut = service.workers(), [sender.cut for sender in senders]
    own = _connected_to(worker, senders)
    assert own
    os.kill(worker, signal.SIGKILL)
    await_answers(senders, 20)  # which all get, however long the worker takes to start again
    wait_until(lambda: len(service.workers()) == len(before) and worker not in service.workers())
    assert [sender.cut for sender in senders] == [
        times + (sender in own) for times, sender in zip(cut, senders, strict=True)
    ]
    _await_share((set(service.workers()) - set(before)).pop(), senders)


def _connected_to(worker: int, senders: list[Sender]) -> list[Sender]:
    ports = client_ports(worker)
    return [sender for sender in senders if sender.port in ports]


def _await_share(worker: int, senders: list[Sender]) -> None:
    """Wait until a worker serves one of the senders, who may have to connect anew for that."""

    def has_one() -> bool:
        if _connected_to(worker, senders):
            return True
        senders[0].must_reconnect.set()
        return False

    wait_until(has_one)
    wait_until(lambda: not senders[0].must_reconnect.is_set())


def await_answers(senders: list[Sender], more: int) -> None:
    """Wait until each has got some more answers; whoever failed ends that."""
    wanted = [sender.answered + more for sender in senders]

    def are_there() -> bool:
        for failure in (sender.failed for sender in senders if sender.failed):
            raise failure
        pairs = zip(senders, wanted, strict=True)
        return all(sender.answered >= least for sender, least in pairs)

    wait_until(are_there)


def client_ports(pid: int) -> set[int]:
    """Return the ports of those who are connected to a process."""
    own = _inodes(pid)
    return {remote for inode, remote in _sockets().items() if inode in own}


def _inodes(pid: int) -> set[str]:
    found = set()
    for file in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(OSError):  # it has just been closed
            found.add(os.readlink(file).removeprefix("socket:[").rstrip("]"))
    return found


def _sockets() -> dict[str, int]:
    """Return the remote port of each connection, by the number of its socket."""
    found = {}
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        fields = line.split()
        if fields[3] == "01":  # established
            found[fields[9]] = int(fields[2].rpartition(":")[2], 16)
    return found
