"""Supervising workers and sharing a socket, as far as that needs no processes."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import pickle
import signal
import socket
import threading
from contextlib import contextmanager
from multiprocessing import Pipe
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
import uvicorn
from prometheus_client import values

import rocch
from rocch.errors import StorageError
from rocch.service import Settings, run, workers
from rocch.service.policy import Service
from rocch.service.protocol import LimitedProtocol
from rocch.service.workers import ABSENT, Loads, Restarts, SharingServer, Start, Supervisor, Worker
from tests.support.serving import TOKENS, Asking, OwnLoop, asking, served

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


# ---- rules -----------------------------------------------------------------------------------


def test_pauses_grow_to_a_limit_and_end_once_it_served_for_a_while() -> None:
    restarts = Restarts()
    pauses = [restarts.pause(served=1) for _ in range(2000)]
    assert pauses[:8] == [0, 1, 2, 4, 8, 16, 30, 30]
    assert pauses[-1] == 30
    assert restarts.pause(served=60) == 0
    assert restarts.pause(served=59) == 1


class OddError(Exception):
    """An error that cannot be made anew from its words."""

    def __init__(self, one: object, two: object) -> None:
        super().__init__(f"{one} and {two}")


def test_errors_travel_as_they_are_or_in_words() -> None:
    error = rocch.InputError("max_fpr", "be met, or {randomize=}", 0.1, "Try.", randomize=True)
    sent = workers.make_portable(error)
    assert sent is error
    received = pickle.loads(pickle.dumps(sent))  # noqa: S301 - just made
    assert (str(received), received.argument) == (str(error), "max_fpr")
    odd = workers.make_portable(OddError("this", "that"))
    assert (type(odd), str(odd)) == (RuntimeError, "OddError: this and that")


def test_workers_have_names() -> None:
    with run.listen("127.0.0.1", 0) as bound:
        named = Settings(workers=3).for_worker(2, bound)
        assert named.worker == f"{socket.gethostname()}:{bound.getsockname()[1]}/2"
    assert named.workers == 3


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "connections").write_bytes(ABSENT.to_bytes(4) * 2)
    return tmp_path


def test_loads_are_seen_by_others(folder: Path) -> None:
    loads, others = Loads(folder), Loads(folder)
    loads.put(0, 3)
    assert others.is_least(0)  # the other one is absent
    others.put(1, 2)
    assert not loads.is_least(0)
    assert loads.is_least(1)
    loads.put(0, 2)
    assert loads.is_least(0)
    loads.close()
    others.close()


def test_counters_need_room(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "none"))
    with (
        pytest.raises(StorageError, match="counters cannot be written") as refused,
        workers._shared_counters(2),
    ):
        pass
    assert "TMPDIR" in str(refused.value)


def test_what_cleans_up_sees_that_the_counters_are_used() -> None:
    fcntl = pytest.importorskip("fcntl")
    with workers._shared_counters(2) as counters:
        folder = os.open(counters, os.O_RDONLY)
        with pytest.raises(BlockingIOError):
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.close(folder)


# ---- counters --------------------------------------------------------------------------------


@contextmanager
def worker_of(folder: Path, counters: Path, number: int, loop: OwnLoop) -> Iterator[Asking]:
    """Open one of two workers in this process."""
    workers.share_counters(counters, number)
    settings = Settings(workers=2, worker=f"web-1:80/{number}")
    service = Service(served(), folder / "service.sqlite", TOKENS, settings, lock=False)
    try:
        from rocch.service import create_app

        yield Asking(service, create_app(service), loop)
    finally:
        service.close()


def numbers(ask: Asking) -> dict[str, float]:
    lines = ask.get("/metrics").text.splitlines()
    return {
        name: float(value)
        for name, _, value in (line.rpartition(" ") for line in lines if not line.startswith("#"))
    }


def test_counters_add_up_over_workers_and_restarts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(values, "ValueClass", values.ValueClass)
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", "")  # to be restored
    with OwnLoop() as loop, workers._shared_counters(2) as counters:  # noqa: SIM117 - in order
        with worker_of(tmp_path, counters, 0, loop) as first:
            with worker_of(tmp_path, counters, 1, loop) as second:
                first.decide(scores={"rules": [1, 0]})
                second.decide(scores={"rules": [1, 1, 1]})
                for each in (first, second):
                    found = numbers(each)
                    assert found["rocch_rows_total"] == 5
                    assert found["rocch_alarms_total"] == 4
                    assert found["rocch_referred_total"] == 0
                    assert found["rocch_decide_seconds_count"] == 2
                    assert found["rocch_workers"] == 2
            with worker_of(tmp_path, counters, 1, loop) as again:
                again.decide(scores={"rules": [0]})
                assert numbers(again)["rocch_rows_total"] == 6
                assert numbers(first)["rocch_rows_total"] == 6


def test_one_process_counts_for_itself() -> None:
    with asking() as ask:
        ask.decide(scores={"rules": [1, 0]})
        found = numbers(ask)
    assert found["rocch_rows_total"] == 2
    assert found["rocch_alarms_total"] == 1
    assert found["rocch_workers"] == 1


# ---- sharing a socket ------------------------------------------------------------------------

ASK = b"GET /v1/ready HTTP/1.1\r\nHost: x\r\n\r\n"


async def answer(_scope: Any, _receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body"})


def sharing(folder: Path, number: int) -> SharingServer:
    config = uvicorn.Config(
        answer, http=LimitedProtocol, lifespan="off", log_level="critical", ws="none"
    )
    config.load()
    service: Any = SimpleNamespace(is_ending=False)
    server = SharingServer(config, lambda: None, service, Loads(folder), number)
    server.lifespan = config.lifespan_class(config)
    return server


def connect(bound: socket.socket, times: int) -> list[socket.socket]:
    return [socket.create_connection(bound.getsockname(), timeout=60) for _ in range(times)]


async def ask_all(clients: list[socket.socket]) -> list[bytes]:
    for client in clients:
        client.sendall(ASK)
    return [await asyncio.to_thread(client.recv, 1000) for client in clients]


def test_connections_spread_and_are_served_when_one_ends(folder: Path) -> None:
    async def run_both() -> tuple[list[int], list[bytes], list[bytes]]:
        with run.listen("127.0.0.1", 0) as bound:
            servers = [sharing(folder, 0), sharing(folder, 1)]
            sockets = [bound.dup(), bound.dup()]
            for server, own in zip(servers, sockets, strict=True):
                await server.startup([own])
            clients = connect(bound, 16)
            first = await ask_all(clients)
            shares = [len(server.server_state.connections) for server in servers]
            servers[0].end()
            await servers[0].shutdown([sockets[0]])
            more = connect(bound, 4)
            second = await ask_all(more)
            await servers[1].shutdown([sockets[1]])
        for client in (*clients, *more):
            client.close()
        return shares, first, second

    with OwnLoop() as loop:
        shares, first, second = loop.run(asyncio.wait_for(run_both(), 60))
    assert shares == [8, 8]
    assert len(first) == 16
    assert len(second) == 4
    for each in (*first, *second):
        assert each.startswith(b"HTTP/1.1 204")


def test_one_that_hangs_keeps_nobody_from_accepting(folder: Path) -> None:
    async def run_one() -> list[bytes]:
        with run.listen("127.0.0.1", 0) as bound:
            server = sharing(folder, 0)
            Loads(folder).put(1, 0)  # it has no connections, and accepts none
            await server.startup([bound])
            clients = connect(bound, 3)
            answers = await ask_all(clients)
            waiting = connect(bound, 2)
            for client in waiting:
                client.sendall(ASK)
            await server.shutdown([bound])
            answers += [await asyncio.to_thread(client.recv, 1000) for client in waiting]
        for client in (*clients, *waiting):
            client.close()
        return answers

    with OwnLoop() as loop:
        answers = loop.run(asyncio.wait_for(run_one(), 60))
    assert len(answers) == 5
    for each in answers:
        assert each.startswith(b"HTTP/1.1 204")


class FullSocket(socket.socket):
    """A socket that once cannot accept, because too many files are open."""

    refusals = 1

    def accept(self) -> Any:
        if self.refusals:
            self.refusals -= 1
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        return super().accept()


def test_one_with_too_many_files_accepts_later(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(workers, "SECONDS_UNTIL_ACCEPTING", 0.0)

    async def run_one() -> list[bytes]:
        with run.listen("127.0.0.1", 0) as bound:
            server, full = sharing(folder, 0), FullSocket(fileno=os.dup(bound.fileno()))
            await server.startup([full])
            clients = connect(bound, 1)
            answers = await ask_all(clients)
            await server.shutdown([full])
        clients[0].close()
        return answers

    with OwnLoop() as loop:
        (answered,) = loop.run(asyncio.wait_for(run_one(), 60))
    assert answered.startswith(b"HTTP/1.1 204")
    assert [record.getMessage() for record in caplog.records] == [
        "a connection cannot be accepted: Too many open files"
    ]


def test_a_service_learns_of_its_end_and_terminals_leave_that_to_the_supervisor(
    folder: Path,
) -> None:
    server = sharing(folder, 0)
    server.handle_exit(signal.SIGINT, None)
    ends = [server.should_exit]
    server.handle_exit(signal.SIGTERM, None)
    ends.append(server.should_exit)
    assert ends == [False, True]
    assert server._service is not None
    assert server._service.is_ending


# ---- the supervisor --------------------------------------------------------------------------


class FakeProcess:
    """A process as the supervisor sees it; it ends when its end of a pipe is closed."""

    def __init__(self) -> None:
        self.sentinel, self._end = os.pipe()
        self.exitcode: int | None = None
        self.pid = 12345
        self.was_killed = False

    def end(self, code: int) -> None:
        self.exitcode = code
        os.close(self._end)

    def kill(self) -> None:
        self.was_killed = True
        self.end(-9)

    def join(self) -> None:
        os.close(self.sentinel)


def is_ready(_worker: Worker, _process: FakeProcess, pipe: Any) -> None:
    pipe.send(None)


def ends_with_pipe(_worker: Worker, process: FakeProcess, pipe: Any) -> None:
    """Serve, and end when the supervisor says so."""
    pipe.send(None)

    def follow() -> None:
        try:
            pipe.recv_bytes()
        except (EOFError, OSError):
            process.end(0)

    threading.Thread(target=follow, daemon=True).start()


def dies(_worker: Worker, process: FakeProcess, pipe: Any) -> None:
    pipe.send(None)
    process.end(-9)


def dies_before(_worker: Worker, process: FakeProcess, _pipe: Any) -> None:
    process.end(-11)


def leaves(_worker: Worker, process: FakeProcess, _pipe: Any) -> None:
    process.end(3)


def fails(_worker: Worker, process: FakeProcess, pipe: Any) -> None:
    pipe.send(rocch.InfeasibleError("no vertex fits."))
    process.end(1)


def cannot_be_made(_worker: Worker, _process: FakeProcess, _pipe: Any) -> None:
    raise OSError(errno.EAGAIN, "no more processes")


class Stage:
    """A supervisor of workers who act as they are told, one act for each start."""

    def __init__(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch, *acts: list[Callable[..., None]]
    ) -> None:
        self.announced = 0
        self.processes: list[FakeProcess] = []
        self.sent: list[tuple[int, int]] = []
        self._pipes: list[Any] = []
        self._acts = [list(each) for each in acts]
        monkeypatch.setattr(Worker, "start", self._start_one())
        self.on_term: Callable[[], None] = lambda: None
        monkeypatch.setattr("os.kill", self._send)
        self.bound = run.listen("127.0.0.1", 0)
        start = Start(folder, Settings(workers=len(acts)), folder / "service.sqlite")
        self.supervisor = Supervisor(start, self.bound, self._announce, folder)

    def _start_one(self) -> Callable[..., None]:
        def start(worker: Worker, *_: Any) -> None:
            worker._forget()
            process = FakeProcess()
            self.processes.append(process)
            worker.pipe, other = Pipe()
            self._pipes.append(other)
            act = self._acts[worker.number].pop(0)
            act(worker, process, other)
            worker.process, worker.due = process, None  # type: ignore[assignment] # in its place
            if not any(self._acts):
                self.on_last_start()

        return start

    def _send(self, pid: int, number: int) -> None:
        self.sent.append((pid, number))
        if number == signal.SIGTERM:
            self.on_term()

    def on_last_start(self) -> None:
        """Change nothing, unless a test does."""

    def _announce(self) -> None:
        self.announced += 1
        self.on_announcement()

    def on_announcement(self) -> None:
        self.signal(signal.SIGTERM)

    def signal(self, number: int) -> None:
        self.supervisor._note(number, None)

    def run(self) -> None:
        try:
            with self.supervisor.handling_signals():
                self.supervisor.run()
        finally:
            for pipe in self._pipes:
                pipe.close()
        assert self.bound.fileno() == -1


@pytest.fixture
def stage(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Stage]:
    return lambda *acts: Stage(folder, monkeypatch, *acts)


def test_it_announces_once_and_ends_all(stage: Callable[..., Stage]) -> None:
    play = stage([ends_with_pipe], [ends_with_pipe])
    play.run()
    assert play.announced == 1
    assert [process.exitcode for process in play.processes] == [0, 0]
    assert not any(process.was_killed for process in play.processes)


def test_one_that_only_starts_is_ended_at_once(stage: Callable[..., Stage]) -> None:
    def starts(_worker: Worker, _process: FakeProcess, _pipe: Any) -> None:
        play.signal(signal.SIGTERM)

    play = stage([ends_with_pipe], [starts])
    play.on_term = lambda: play.processes[1].end(-15)
    play.run()
    assert play.announced == 0
    assert play.sent == [(12345, signal.SIGTERM)]
    assert [process.exitcode for process in play.processes] == [0, -15]


def test_one_that_does_not_end_is_killed(
    stage: Callable[..., Stage], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(workers, "SECONDS_TO_END", 0)
    monkeypatch.setattr(workers, "SECONDS_MORE", 0)
    play = stage([is_ready], [is_ready])
    play.run()
    assert [process.was_killed for process in play.processes] == [True, True]
    assert caplog.messages == [
        "worker 0 has not ended, and is killed",
        "worker 1 has not ended, and is killed",
    ]


def test_who_interrupts_again_does_not_wait(
    stage: Callable[..., Stage], monkeypatch: pytest.MonkeyPatch
) -> None:
    play = stage([is_ready], [is_ready])
    monkeypatch.setattr(workers, "SECONDS_TO_END", 10**6)
    play.on_announcement = lambda: play.signal(signal.SIGINT)  # type: ignore[method-assign]
    wait = play.supervisor._wait

    def interrupt(*given: Any) -> None:
        if play.announced:
            play.signal(signal.SIGINT)
        else:
            wait(*given)

    monkeypatch.setattr(play.supervisor, "_wait", interrupt)
    play.run()
    assert [process.was_killed for process in play.processes] == [True, True]


@pytest.mark.parametrize(
    ("act", "kind", "words"),
    [
        (fails, rocch.InfeasibleError, "no vertex fits"),
        (dies_before, rocch.InputError, r"must all start; got one that ended by signal 11 \(Seg"),
        (leaves, rocch.InputError, "got one that ended by status 3"),
        (cannot_be_made, OSError, "no more processes"),
    ],
)
def test_one_that_cannot_start_fails_the_start(
    stage: Callable[..., Stage], act: Any, kind: type[Exception], words: str
) -> None:
    play = stage([ends_with_pipe], [act])
    with pytest.raises(kind, match=words):
        play.run()
    assert play.announced == 0
    assert play.processes[0].exitcode == 0


def test_where_no_process_can_be_made_no_other_is_ended(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_process: object) -> None:
        raise OSError(errno.EAGAIN, "no more processes")

    sent: list[Any] = []
    monkeypatch.setattr("os.kill", lambda *given: sent.append(given))
    monkeypatch.setattr("multiprocessing.context.SpawnProcess.start", refuse)
    monkeypatch.setattr("multiprocessing.resource_tracker.ensure_running", lambda: None)
    with run.listen("127.0.0.1", 0) as bound:
        start = Start(folder, Settings(workers=2), folder / "service.sqlite")
        supervisor = Supervisor(start, bound, lambda: None, folder)
        with supervisor.handling_signals(), pytest.raises(OSError, match="no more processes"):
            supervisor.run()
    assert sent == []


def test_one_that_dies_is_started_again(
    stage: Callable[..., Stage],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(Restarts, "pause", lambda _self, served: 0.0 * served)
    later = [fails, dies_before, cannot_be_made, ends_with_pipe]
    play = stage([is_ready], [dies, ends_with_pipe])

    def end_then_go_on() -> None:
        if later:
            play._acts[0].extend(later)
            later.clear()
            play.on_last_start = lambda: play.signal(signal.SIGTERM)  # type: ignore[method-assign]
            play.processes[0].end(-9)

    play.on_announcement = end_then_go_on  # type: ignore[method-assign]
    play.run()
    assert play.announced == 1
    assert caplog.messages == [
        "worker 1 is started again in 0 s: it ended by signal 9 (Killed)",
        "worker 0 is started again in 0 s: it ended by signal 9 (Killed)",
        "worker 0 is started again in 0 s: no vertex fits.",
        "worker 0 is started again in 0 s: it ended by signal 11 (Segmentation fault)",
        "worker 0 is started again in 0 s: [Errno 11] no more processes",
    ]


def test_a_hangup_waits_until_a_worker_is_ready(stage: Callable[..., Stage]) -> None:
    worker, pipes = Worker(0), Pipe()
    worker.process, worker.pipe = FakeProcess(), pipes[0]  # type: ignore[assignment]
    play = stage([ends_with_pipe])
    play.supervisor._workers = [worker]
    with play.supervisor.handling_signals():
        play.signal(signal.SIGHUP)
        play.signal(signal.SIGHUP)
        play.supervisor._reopen_if_told()
    assert play.sent == []
    pipes[1].send(None)
    worker.listen()
    assert play.sent == [(12345, signal.SIGHUP)]
    worker.reopen()
    assert len(play.sent) == 2
    worker.process.end(0)  # type: ignore[union-attr]
    worker.reopen()
    assert len(play.sent) == 2  # nobody is there
    assert play.supervisor.received == []
    for pipe in pipes:
        pipe.close()
    play.bound.close()


def test_signals_are_noted_and_handlers_restored(stage: Callable[..., Stage]) -> None:
    play = stage([ends_with_pipe])
    before = [signal.getsignal(number) for number in workers.SIGNALS]
    with play.supervisor.handling_signals():
        signal.raise_signal(signal.SIGHUP)
        signal.raise_signal(signal.SIGTERM)
        play.supervisor._wait([], None)  # which the signals have ended
    assert play.supervisor.received == [signal.SIGHUP, signal.SIGTERM]
    assert [signal.getsignal(number) for number in workers.SIGNALS] == before
    play.bound.close()


def test_an_interrupt_is_passed_on(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(supervisor: Supervisor) -> None:
        supervisor._note(signal.SIGINT, None)

    monkeypatch.setattr(Supervisor, "run", interrupt)
    with run.listen("127.0.0.1", 0) as bound, pytest.raises(KeyboardInterrupt):
        workers.supervise(
            Start(folder, Settings(workers=2), folder / "service.sqlite"), bound, lambda: None
        )


# ---- a worker --------------------------------------------------------------------------------


@pytest.fixture
def quiet(monkeypatch: pytest.MonkeyPatch) -> dict[Any, Any]:
    """Keep a worker in this process from changing it; return its handlers of signals."""
    handled: dict[Any, Any] = {}
    monkeypatch.setattr("rocch.service.workers.signal.signal", handled.__setitem__)
    monkeypatch.setattr("rocch.service.workers.signal.pthread_sigmask", lambda *_: set())
    monkeypatch.setattr(workers, "_end_with_supervisor", lambda *_: None)
    monkeypatch.setattr(workers, "start_log", lambda *_: None)
    monkeypatch.setattr(workers, "share_counters", lambda *_: None)
    monkeypatch.setattr(logging, "captureWarnings", lambda **_: None)
    return handled


def test_a_worker_serves_without_the_lock(
    folder: Path, monkeypatch: pytest.MonkeyPatch, quiet: dict[Any, Any]
) -> None:
    from tests.support.real_service import make_library

    ran: list[Any] = []
    monkeypatch.setattr(SharingServer, "run", lambda server, sockets: ran.append((server, sockets)))
    with make_library(folder / "models"), run.listen("127.0.0.1", 0) as bound:
        start = Start(folder / "models", Settings(workers=2), folder / "service.sqlite")
        parent = run.open_service(start.path, start.settings, environment={})
        lock = parent.hand_over()
        ours, other = Pipe()
        workers.work(start, 1, other, bound, folder)
        (server, sockets) = ran[0]
        assert sockets == [bound]
        name = f"{socket.gethostname()}:{bound.getsockname()[1]}/1"
        assert server._service.settings.worker == name
        assert set(quiet) == {signal.SIGINT, signal.SIGHUP, signal.SIGTERM}
        server._announce()
        assert ours.recv() is None
        ours.close()
        server._announce()  # nobody listens any more
        other.close()
        with pytest.raises(rocch.InputError, match="no other service uses"):
            run.open_service(start.path, environment={})
        lock.close()
        run.open_service(start.path, environment={}).close()


@pytest.mark.usefixtures("quiet")
def test_a_worker_says_why_it_cannot_start(folder: Path) -> None:
    ours, other = Pipe()
    with run.listen("127.0.0.1", 0) as bound, pytest.raises(SystemExit) as left:
        workers.work(
            Start(folder / "none", Settings(workers=2), folder / "service.sqlite"),
            0,
            other,
            bound,
            folder,
        )
    assert left.value.code == 1
    with pytest.raises(rocch.InputError, match="which does not exist"):
        raise ours.recv()


@pytest.mark.parametrize("serves", [True, False])
def test_a_worker_ends_with_its_supervisor(monkeypatch: pytest.MonkeyPatch, serves: bool) -> None:
    class LeftError(Exception):
        pass

    def leave(status: int) -> None:
        raise LeftError(status)

    ended: list[str] = []
    monkeypatch.setattr("os._exit", leave)
    monkeypatch.setattr("time.sleep", lambda _: ended.append("waited"))
    server: Any = SimpleNamespace(end=lambda: ended.append("told"))
    ours, other = Pipe()
    ours.close()
    with pytest.raises(LeftError) as left:
        workers._end_with_supervisor(other, [server] if serves else [])
    other.close()
    assert left.value.args == ((1,) if serves else (0,))
    assert ended == (["told", "waited"] if serves else [])
