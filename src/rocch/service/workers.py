"""Several processes that serve the same model, and the supervisor that keeps them running.

All workers accept from one listening socket, which the supervisor holds open as well. So a worker
that dies takes only its own connections with it: those that wait to be accepted are accepted by the
others at once, and nobody waits until it has started again. (A socket for each worker, with
SO_REUSEPORT, would spread connections more evenly, but let a share of all clients wait for the
restart of a worker that died.)

`uvicorn.supervisors.Multiprocess` does something else: SIGHUP restarts its workers, an error of a
worker at its start stays in the worker, a worker that keeps dying is started again without pause,
one that does not end is waited for forever, and workers outlive a supervisor that is killed.
"""

from __future__ import annotations

import asyncio
import logging
import mmap
import multiprocessing
import os
import pickle
import shutil
import signal
import socket
import sys
import threading
import time
import warnings
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import connection, resource_tracker
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from prometheus_client import values

from rocch.errors import InputError, RocchWarning, StorageError
from rocch.service.audit import lock_file, shipping
from rocch.service.monitor import SHARED_COUNTERS
from rocch.service.run import (
    SECONDS_TO_END,
    Server,
    handle_signals,
    make_config,
    open_service,
    start_log,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess
    from types import FrameType

    import uvicorn

    from rocch.database.places import Place
    from rocch.service.policy import Service
    from rocch.service.run import Settings

LOG = logging.getLogger("rocch.service")

# Seconds beyond those for requests under way, after which a worker is killed.
SECONDS_MORE = 3
# A worker that served for so long has recovered: if it dies, it starts again at once.
SECONDS_TO_RECOVER = 60.0
# The longest pause before a worker is started again, in seconds.
LONGEST_PAUSE = 30.0
# How long to wait for a worker with fewer connections to accept one, in seconds.
PATIENCE = 0.002
# How long to accept nobody once a connection could not be accepted, in seconds.
SECONDS_UNTIL_ACCEPTING = 1.0
# The file of the numbers of connections, and the number of a worker that does not serve.
LOADS, ABSENT = "connections", 2**32 - 1
# Bytes of a new file of counters, and its kinds, as prometheus_client names them.
COUNTERS_SIZE, COUNTERS_KINDS = 2**16, ("counter", "histogram")
# What ends a supervisor, or is passed on to its workers.
SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGTERM", "SIGINT", "SIGHUP") if hasattr(signal, name)
)
# What a terminal sends to workers too; it must not end one before it can handle signals.
GROUP_SIGNALS = SIGNALS[1:]


@dataclass(frozen=True, slots=True)
class Start:
    """What every worker opens, see `open_service`, and the record that it uses."""

    path: Place
    settings: Settings
    record: Place
    state: Place | None = None
    tokens_file: Path | None = None
    log_level: str = "warning"


def supervise(start: Start, bound: socket.socket, announce: Callable[[], object]) -> None:
    """Serve by several workers until a signal ends them; requests under way are served first.

    Everything has been opened once before, so that what is wrong with it is known. The caller
    holds the lock of its folder, if there is one.

    Parameters
    ----------
    start
        What to serve.
    bound
        A socket that listens; it is closed at the end.
    announce
        Called once, when all workers are ready.

    Raises
    ------
    RocchError
        If a worker cannot start the first time.
    KeyboardInterrupt
        If SIGINT ended it.
    """
    if os.name == "nt":  # pragma: no cover
        raise InputError("workers", "be 1 on Windows", start.settings.workers, "Leave it out.")
    with (
        shipping(start.settings, start.record),
        _shared_counters(start.settings.workers) as counters,
    ):
        supervisor = Supervisor(start, bound, announce, counters)
        with supervisor.handling_signals():
            supervisor.run()
    if signal.SIGINT in supervisor.received:
        raise KeyboardInterrupt


@contextmanager
def _shared_counters(workers: int) -> Iterator[Path]:
    """Make the folder of the workers' counters.

    Its files are written in full beforehand: one that could not grow, because the disk became full,
    would end its worker, and one that has just begun cannot be read.
    """
    try:
        folder = TemporaryDirectory(prefix="rocch-metrics-", ignore_cleanup_errors=True)
        for kind in COUNTERS_KINDS:
            for number in range(workers):
                Path(folder.name, f"{kind}_{number}.db").write_bytes(bytes(COUNTERS_SIZE))
        Path(folder.name, LOADS).write_bytes(ABSENT.to_bytes(4) * workers)
    except OSError as error:
        raise StorageError(
            f"the workers' counters cannot be written: {error.strerror or error}.",
            hint="Make room, or name another folder for temporary files by TMPDIR.",
        ) from None
    with folder as name:
        # what cleans /tmp leaves a locked folder alone; counting does not change a file's times
        held = os.open(name, os.O_RDONLY)
        lock_file(held, exclusive=False)
        try:
            yield Path(name)
        finally:
            os.close(held)


class Restarts:
    """When to start a worker again that died: at once, and ever later if it keeps dying.

    Examples
    --------
    >>> from rocch.service.workers import Restarts
    >>> restarts = Restarts()
    >>> [restarts.pause(served=0.5) for _ in range(5)]
    [0.0, 1.0, 2.0, 4.0, 8.0]
    >>> restarts.pause(served=3600)
    0.0
    """

    def __init__(self) -> None:
        self._deaths = 0

    def pause(self, *, served: float) -> float:
        """Return how many seconds to wait, after a worker died that had served for so long."""
        if served >= SECONDS_TO_RECOVER:
            self._deaths = 0
        self._deaths += 1
        if self._deaths == 1:
            return 0.0
        return float(min(2 ** min(self._deaths - 2, 10), LONGEST_PAUSE))


class Worker:
    """A worker as its supervisor sees it: a process that is started again when it dies.

    Attributes
    ----------
    pipe
        The worker says there that it is ready, or why it is not. It ends when this is closed, be it
        because the supervisor was killed.
    ready_at
        Since when it serves; None before.
    failure
        Why it could not start.
    due
        When to start it again; None while it runs.
    must_reopen
        Whether it is to open its audit log anew once it can.
    """

    def __init__(self, number: int) -> None:
        self.number = number
        self.restarts = Restarts()
        self.process: SpawnProcess | None = None
        self.pipe: Connection | None = None
        self.due: float | None = 0.0
        self._forget()

    def _forget(self) -> None:
        self.ready_at: float | None = None
        self.failure: Exception | None = None
        self.must_reopen = False

    def start(self, start: Start, bound: socket.socket, counters: Path) -> None:
        """Start a fresh interpreter; never a fork, because models may have threads."""
        self._forget()
        context = multiprocessing.get_context("spawn")
        self.pipe, other = context.Pipe()
        with other:
            process = context.Process(
                target=work, args=(start, self.number, other, bound, counters), daemon=False
            )
            resource_tracker.ensure_running()  # it would unblock signals, the first time
            mask = signal.pthread_sigmask(signal.SIG_BLOCK, GROUP_SIGNALS)
            try:
                process.start()
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        self.process, self.due = process, None

    @property
    def is_running(self) -> bool:
        """Whether its process has not ended."""
        return self.process is not None and self.process.exitcode is None

    @property
    def is_ready(self) -> bool:
        """Whether it serves."""
        return self.due is None and self.ready_at is not None

    def listen(self) -> None:
        """Take what it says, if anything."""
        if self.pipe is None:
            return
        with suppress(EOFError, OSError):  # its process has ended
            while self.pipe.poll():
                said = self.pipe.recv()
                if said is None:
                    self.ready_at = time.monotonic()
                else:
                    self.failure = said
        if self.ready_at is not None and self.must_reopen:
            self.must_reopen = False
            self.send(signal.SIGHUP)

    def reopen(self) -> None:
        """Let it open its audit log anew, as soon as it can."""
        self.must_reopen = True
        self.listen()

    def send(self, number: int) -> None:
        """Send it a signal."""
        pid = None if self.process is None else self.process.pid
        if pid is not None and self.is_running:
            os.kill(pid, number)

    def bury(self) -> None:
        """Note that its process ended, and when to start another."""
        self.listen()
        now = time.monotonic()
        served = 0.0 if self.ready_at is None else now - self.ready_at
        self.due = now + self.restarts.pause(served=served)
        self.close()

    @property
    def end(self) -> str:
        """How its process ended."""
        code = (None if self.process is None else self.process.exitcode) or 0
        return f"status {code}" if code >= 0 else f"signal {-code} ({signal.strsignal(-code)})"

    def explain(self) -> Exception:
        """Return why it could not start."""
        return self.failure or InputError(
            "workers",
            "all start",
            f"one that ended by {self.end}",
            "The log says more, or memory is short: try fewer.",
        )

    def close(self) -> None:
        """Tell it to end, or forget that it did."""
        if self.pipe is not None:
            self.pipe.close()
            self.pipe = None


class Supervisor:
    """Starts workers, starts them again, and ends them; see `supervise`."""

    def __init__(
        self, start: Start, bound: socket.socket, announce: Callable[[], object], counters: Path
    ) -> None:
        self._start, self._bound, self._announce = start, bound, announce
        self._counters, self._loads = counters, Loads(counters)
        self._workers = [Worker(number) for number in range(start.settings.workers)]
        self._is_announced = False
        self._waker, self._woken = socket.socketpair()
        self.received: list[int] = []

    @contextmanager
    def handling_signals(self) -> Iterator[None]:
        """Note signals, and wake up by them."""
        for end in (self._waker, self._woken):
            end.setblocking(False)
        before = {number: signal.signal(number, self._note) for number in SIGNALS}
        waker = signal.set_wakeup_fd(self._waker.fileno(), warn_on_full_buffer=False)
        try:
            yield
        finally:
            signal.set_wakeup_fd(waker)
            for number, handler in before.items():
                signal.signal(number, handler)
            self._waker.close()
            self._woken.close()
            self._loads.close()

    def _note(self, number: int, _frame: Any) -> None:
        self.received.append(number)

    @property
    def _is_ending(self) -> bool:
        return signal.SIGTERM in self.received or signal.SIGINT in self.received

    def run(self) -> None:
        """Keep all workers running until a signal ends them."""
        try:
            while not self._is_ending:
                self._start_due()
                started = [worker for worker in self._workers if worker.due is None]
                self._wait(started, self._seconds_until_due())
                self._reopen_if_told()
                for worker in self._workers:
                    worker.listen()
                    if worker.due is None and not worker.is_running:
                        self._bury(worker)
                self._announce_if_ready()
        finally:
            self._end()

    def _start_due(self) -> None:
        now = time.monotonic()
        for worker in self._workers:
            if worker.due is not None and worker.due <= now:
                try:
                    worker.start(self._start, self._bound, self._counters)
                except OSError as error:  # there may be too many processes
                    worker.failure = error
                    self._bury(worker)

    def _seconds_until_due(self) -> float | None:
        due = [worker.due for worker in self._workers if worker.due is not None]
        return max(0.0, min(due) - time.monotonic()) if due else None

    def _wait(self, workers: list[Worker], seconds: float | None) -> None:
        """Wait for a worker's word or end, be it over already, or for a signal."""
        ends = [worker.process.sentinel for worker in workers if worker.process is not None]
        pipes = [worker.pipe for worker in workers if worker.pipe is not None]
        connection.wait([self._woken, *ends, *pipes], seconds)
        with suppress(BlockingIOError):
            self._woken.recv(4096)

    def _reopen_if_told(self) -> None:
        hangup = getattr(signal, "SIGHUP", None)
        while hangup in self.received:
            self.received.remove(hangup)
            for worker in self._workers:
                worker.reopen()

    def _bury(self, worker: Worker) -> None:
        worker.bury()
        self._loads.put(worker.number, ABSENT)
        if worker.ready_at is None and not self._is_announced:
            raise worker.explain()
        wait = max(0.0, (worker.due or 0.0) - time.monotonic())
        why = worker.failure or f"it ended by {worker.end}"
        LOG.error("worker %s is started again in %.0f s: %s", worker.number, wait, why)

    def _announce_if_ready(self) -> None:
        if not self._is_announced and all(worker.is_ready for worker in self._workers):
            self._is_announced = True
            self._announce()

    def _end(self) -> None:
        """End all workers, if need be by force."""
        self._bound.close()  # nobody connects any more once the last worker has closed it
        for worker in self._workers:
            worker.listen()
            if worker.ready_at is None:  # it would notice only once all is loaded
                worker.send(signal.SIGTERM)
            worker.close()
        end = time.monotonic() + SECONDS_TO_END + SECONDS_MORE
        interrupts = self.received.count(signal.SIGINT)
        # whoever interrupts again does not want to wait
        while time.monotonic() < end and self.received.count(signal.SIGINT) == interrupts:
            running = [worker for worker in self._workers if worker.is_running]
            if not running:
                break
            self._wait(running, end - time.monotonic())
        for worker in self._workers:
            if worker.process is not None and worker.is_running:
                LOG.error("worker %s has not ended, and is killed", worker.number)
                worker.process.kill()
                worker.process.join()


def work(start: Start, number: int, pipe: Connection, bound: socket.socket, counters: Path) -> None:
    """Serve as one of several workers, in a process of its own, until the supervisor is gone."""
    for ignored in GROUP_SIGNALS:  # until the service can handle them
        signal.signal(ignored, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, GROUP_SIGNALS)
    serving: list[Server] = []
    threading.Thread(target=_end_with_supervisor, args=(pipe, serving), daemon=True).start()
    settings = start.settings.for_worker(number, bound)
    start_log(start.log_level, settings.worker)
    logging.captureWarnings(capture=True)
    share_counters(counters, number)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RocchWarning)  # the supervisor has shown them
            service = open_service(
                start.path,
                settings,
                state=start.state,
                tokens_file=start.tokens_file,
                lock=False,
            )
    except Exception as error:
        LOG.debug("it cannot start", exc_info=True)
        _tell(pipe, make_portable(error))
        sys.exit(1)
    with closing(service):
        handle_signals(service)
        config = make_config(service, start.log_level)
        server = SharingServer(config, lambda: _tell(pipe, None), service, Loads(counters), number)
        serving.append(server)
        server.run(sockets=[bound])
    supervisor = multiprocessing.parent_process()
    if supervisor is not None and not supervisor.is_alive():  # then nobody else does
        shutil.rmtree(counters, ignore_errors=True)


class Loads:
    """How many connections each worker has, in a file that all of them see."""

    def __init__(self, folder: Path) -> None:
        with open(folder / LOADS, "r+b") as file:
            self._memory = mmap.mmap(file.fileno(), 0)
        self._counts = memoryview(self._memory).cast("I")

    def put(self, number: int, connections: int) -> None:
        """Publish a worker's number."""
        self._counts[number] = connections

    def is_least(self, number: int) -> bool:
        """Whether no worker has fewer connections."""
        return self._counts[number] <= min(self._counts)

    def close(self) -> None:
        """Release the file."""
        self._counts.release()
        self._memory.close()


class SharingServer(Server):
    """The server of a worker, which accepts from a socket that others accept from, too.

    Event loops accept all who wait, so the first worker that wakes up would get every connection
    of a client. This one accepts one at a time, and lets a worker with fewer go first. That costs
    at most `PATIENCE`, because a worker that hangs must not keep the others from accepting.
    """

    def __init__(
        self,
        config: uvicorn.Config,
        announce: Callable[[], object],
        service: Service,
        loads: Loads,
        number: int,
    ) -> None:
        super().__init__(config, announce, service)
        self._loads, self._number = loads, number
        self._accepting: set[asyncio.Task[None]] = set()
        self._bound: socket.socket | None = None
        self.server_state.connections = _Connections(self._publish)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """End by a signal, but not by a terminal's, which the supervisor gets as well."""
        if sig != signal.SIGINT:
            super().handle_exit(sig, frame)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and accept by one's own rule."""
        await super().startup([])
        for bound in sockets or ():  # it is one
            bound.setblocking(False)
            self._bound = bound
        self._publish()
        self._watch()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept by this rule no more, and end."""
        self._unwatch()
        self._bound = None
        self._publish()
        if self._accepting:
            await asyncio.wait(self._accepting)
        await super().shutdown(sockets)

    def _watch(self) -> None:
        if self._bound is not None:
            asyncio.get_running_loop().add_reader(self._bound, self._accept_or_wait)

    def _unwatch(self) -> None:
        if self._bound is not None:
            asyncio.get_running_loop().remove_reader(self._bound)

    def _publish(self) -> None:
        count = len(self.server_state.connections) + len(self._accepting)
        self._loads.put(self._number, ABSENT if self._bound is None else count)

    def _accept_or_wait(self) -> None:
        if self._loads.is_least(self._number):
            self._accept()
        else:
            self._pause(PATIENCE, self._accept)

    def _accept(self) -> None:
        """Accept one connection, if no other worker was faster."""
        if self._bound is None:
            return
        try:
            connection = self._bound.accept()[0]
        except (BlockingIOError, InterruptedError, ConnectionAbortedError):
            return
        except OSError as error:  # too many files are open; other workers may have room
            LOG.error("a connection cannot be accepted: %s", error.strerror or error)
            self._pause(SECONDS_UNTIL_ACCEPTING)
            return
        task = asyncio.get_running_loop().create_task(self.begin(connection))
        self._accepting.add(task)
        self._publish()
        task.add_done_callback(self._accepting.discard)

    def _pause(self, seconds: float, then: Callable[[], None] = lambda: None) -> None:
        self._unwatch()

        def go_on() -> None:
            self._watch()
            then()

        asyncio.get_running_loop().call_later(seconds, go_on)


class _Connections(set[Any]):
    """The connections of a server, whose number is published whenever it changes."""

    def __init__(self, publish: Callable[[], None]) -> None:
        super().__init__()
        self._publish = publish

    def add(self, element: Any) -> None:
        super().add(element)
        self._publish()

    def discard(self, element: Any) -> None:
        super().discard(element)
        self._publish()


def share_counters(folder: Path, number: int) -> None:
    """Let the metrics of this process count in files of its own, which all workers read.

    They are named by the worker's number rather than its process, so that a worker that is started
    again counts on, and there are never more of them.
    """
    os.environ[SHARED_COUNTERS] = str(folder)
    values.ValueClass = values.MultiProcessValue(lambda: number)  # type: ignore[no-untyped-call]


def make_portable(error: Exception) -> Exception:
    """Return an error that can be sent to another process: itself if possible, else its words."""
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 - its own
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def _tell(pipe: Connection, said: Exception | None) -> None:
    with suppress(OSError):  # the supervisor is gone
        pipe.send(said)


def _end_with_supervisor(pipe: Connection, serving: list[Server]) -> None:
    """Wait until the supervisor closes its side, or is gone; then end well, but not too late."""
    with suppress(EOFError, OSError):
        pipe.recv_bytes()  # it says nothing
    if not serving:  # nobody is served yet
        os._exit(0)
    serving[0].end()
    time.sleep(SECONDS_TO_END + SECONDS_MORE)
    os._exit(1)
