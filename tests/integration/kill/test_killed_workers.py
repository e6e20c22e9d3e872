"""`kill -9` of workers under load, and of their supervisor."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from tests.support import killed_service
from tests.support.fleet import is_alive
from tests.support.killed_workers import kill_each_in_turn
from tests.support.real_service import make_library, running, wait_until

if not Path("/proc/self/task").exists():  # pragma: no cover
    pytest.skip("Linux lists the workers", allow_module_level=True)


def test_each_worker_is_killed_in_turn(tmp_path: Path) -> None:
    kill_each_in_turn(killed_service.library(tmp_path / "library"), 2)


def test_workers_end_with_their_supervisor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    make_library(tmp_path / "models").close()
    with running(tmp_path / "models", "--workers", "2") as service:
        workers = service.workers()
        assert len(list(temporary.iterdir())) == 1
        assert service.ask("GET", "/v1/health").status_code == 200
        os.kill(service.process.pid, signal.SIGKILL)
        wait_until(lambda: not any(is_alive(pid) for pid in workers))
    assert not list(temporary.iterdir())
    with running(tmp_path / "models", "--workers", "2") as again:
        assert again.ask("GET", "/v1/health").status_code == 200
        assert again.stop() == (0, "")
