"""A service as users run it: a process of its own, beside a library on a disk or a server."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Any

import httpx

import rocch
from rocch.service.security import ROLES
from tests.support.serving import judged

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SECONDS = 60
"""No test takes as long; a service that hangs fails it rather than all."""
NO_COSTS = "rocch: nobody has stated costs, "
TOKENS = {str(role): f"{role}-token-for-tests" for role in ROLES}
"""Those of services whose record is on a server."""


def make_library(folder: Path) -> rocch.library.ClassifierLibrary:
    """Make a library of one classifier's scores, with an export."""
    library = rocch.library.ClassifierLibrary.create(folder)
    scores, y = judged()
    library.add_scores(y, {"gbm": scores["gbm"]})
    library.export(note="first")
    return library


def add_another(library: rocch.library.ClassifierLibrary) -> None:
    """Add a classifier that extends the hull, and export again."""
    scores, y = judged()
    library.add_scores(y, {"nb": scores["nb"]})
    library.export(note="second")


class RealService:
    """A running service, and who asks it."""

    def __init__(self, process: subprocess.Popen[str], told: dict[str, Any], log: IO[str]) -> None:
        self.process, self.told, self._log = process, told, log
        self.tokens = TOKENS
        if told["tokens_file"] is not None:
            self.tokens = json.loads(Path(told["tokens_file"]).read_text(encoding="utf-8"))
        self.client = httpx.Client(base_url=told["url"], timeout=SECONDS)

    def ask(self, method: str, path: str, role: str = "operator", **more: Any) -> httpx.Response:
        headers = {"Authorization": f"Bearer {self.tokens[role]}"}
        return self.client.request(method, path, headers=headers, **more)

    def workers(self) -> list[int]:
        """Return the processes of its workers, as Linux lists them."""
        parent = self.process.pid
        listed = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
        return sorted(int(pid) for pid in listed if b"spawn_main" in _command(pid))

    def stop(self, number: int = signal.SIGTERM) -> tuple[int, str]:
        """End it by a signal; return its status and what it said on standard error."""
        self.process.send_signal(number)
        self.process.communicate(timeout=SECONDS)
        return self.process.returncode, self.said

    @property
    def said(self) -> str:
        """What it said on standard error so far."""
        return _read(self._log)


@contextmanager
def running(place: Path | str, *options: str) -> Iterator[RealService]:
    """Run `rocch serve` on a free port, until the block ends; a library may be at a URL."""
    command = [sys.executable, "-m", "rocch", "serve", str(place), "--port", "0", "--json"]
    named = TOKENS if isinstance(place, str) else {}
    tokens = {f"ROCCH_{role.upper()}_TOKEN": token for role, token in named.items()}
    with TemporaryFile("w+", encoding="utf-8") as log:  # a pipe that nobody reads would fill up
        process = subprocess.Popen(  # noqa: S603 - this Python, with arguments of the tests
            [*command, *options],
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            env={**os.environ, **tokens, "PYTHONUNBUFFERED": "1"},
        )
        try:
            service = RealService(process, _told(process, log), log)
            with service.client:
                yield service
        finally:
            process.kill()
            process.communicate()


def _read(log: IO[str]) -> str:
    """Return what a service said, but for the line about a model without an aim."""
    log.seek(0)
    return "".join(line for line in log if not line.startswith(NO_COSTS))


def _command(pid: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:  # it has just ended
        return b""


def wait_until(true: Callable[[], Any], seconds: float = SECONDS) -> None:
    """Wait for something that another process brings about."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it never came about"
        time.sleep(0.01)


def _told(process: subprocess.Popen[str], log: IO[str]) -> dict[str, Any]:
    assert process.stdout is not None
    lines: list[str] = []
    while "}" not in "".join(lines):
        line = process.stdout.readline()
        if not line:
            raise AssertionError(_read(log))
        lines.append(line)
    told: dict[str, Any] = json.loads("".join(lines))
    return told
