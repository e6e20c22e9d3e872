"""Servers that never outlive the tests, however these end.

A guard, which is this file run as a program, starts the server and reads from a pipe that we hold.
The pipe ends with us: after the last test, Ctrl-C, SIGKILL. Then the guard ends the server and
removes its folder. (A death signal of the kernel's would do on Linux only, follows a thread rather
than a process, and removes nothing.)
"""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SECONDS = 60
"""No server takes as long to start or stop; one that hangs fails its test."""


class GuardedProcess:
    """A server in a process of its own, which ends when we do.

    Parameters
    ----------
    command : list of str
        The server.
    folder : Path
        Its working folder, removed when we end without `release`. What the server prints goes to
        the file `log` in it.
    user : str, optional
        Who runs it; only root may name another.
    ending : int
        The signal that ends it at once.
    """

    def __init__(
        self,
        command: list[str],
        folder: Path,
        *,
        user: str | None = None,
        ending: int = signal.SIGKILL,
    ) -> None:
        task = {"command": command, "folder": str(folder), "user": user, "ending": int(ending)}
        self._guard = subprocess.Popen(  # noqa: S603 - this Python, with this file
            [sys.executable, "-I", "-S", __file__, json.dumps(task)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            cwd=folder,
            start_new_session=True,  # Ctrl-C is for the tests, which then end the server
        )
        assert self._guard.stdin is not None
        assert self._guard.stdout is not None
        self._to, self._from = self._guard.stdin, self._guard.stdout
        os.register_at_fork(after_in_child=self._to.close)  # a fork of ours may live longer
        line = self._from.readline()
        if not line:
            self.release()
            raise RuntimeError(f"{command[0]} does not run; {folder / 'log'} says why")
        self.pid = int(line)
        """The server's own."""

    @property
    def ended(self) -> bool:
        """Whether the server has ended, and is no zombie either."""
        return self._from.closed or bool(select.select([self._from], [], [], 0)[0])

    def wait(self) -> None:
        """Wait until the server has ended."""
        wait_until(lambda: self.ended, f"process {self.pid} has ended")

    def signal(self, number: int) -> None:
        """Send a signal to the server, unless it has ended."""
        if not self.ended:
            os.kill(self.pid, number)

    def release(self) -> None:
        """End the server if it runs; keep its folder."""
        if not self._to.closed:
            with suppress(BrokenPipeError):  # the guard could not start the server
                self._to.write(b"keep")
            self._to.close()
        self._guard.wait(SECONDS)
        self._from.close()


def wait_until(condition: Callable[[], bool], event: str) -> None:
    """Wait for another process, not for long."""
    deadline = time.monotonic() + SECONDS
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"waited {SECONDS} s until {event}")
        time.sleep(0.005)


def free_port() -> int:
    """Return a port of loopback that nobody uses.

    It lies below the ports that systems give to clients: none takes it while a server restarts.
    """
    for step in range(10_000):
        port = 20_000 + (os.getpid() * 7 + step) % 10_000
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise RuntimeError("no port of loopback is free")


def _guard(command: list[str], folder: str, user: str | None, ending: int) -> None:
    """Run the server; end it when our standard input ends."""
    as_user: dict[str, Any] = {"user": user, "group": user, "extra_groups": []} if user else {}
    with open(os.path.join(folder, "log"), "ab") as log:
        server = subprocess.Popen(  # noqa: S603 - what the tests ask for
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, **as_user
        )
    os.write(1, b"%d\n" % server.pid)

    def report_end() -> None:
        server.wait()
        os.close(1)

    threading.Thread(target=report_end, daemon=True).start()
    keep = sys.stdin.buffer.read()
    server.send_signal(ending)
    server.wait()
    if not keep:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    _guard(**json.loads(sys.argv[1]))
