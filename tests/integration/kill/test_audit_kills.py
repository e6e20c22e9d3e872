"""Processes killed while they ship decisions: each that was acknowledged is recorded once."""

from __future__ import annotations

import random
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import httpx
import pytest

from rocch.service.store import Store
from tests.support import audited
from tests.support.real_service import make_library, running
from tests.support.serving import judged

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.real_service import RealService

pytest.importorskip("fcntl")  # elsewhere open files cannot be moved

KILLS = 30
COLUMNS = judged(9, 2)[0][["gbm"]].to_dict("list")


def test_thirty_kills(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trial = audited.Trial(tmp_path, monkeypatch)
    chance = random.Random(7)  # noqa: S311 - a test's dice
    for kill in range(KILLS):
        trial.kill(chance, by_line=bool(kill % 2))
        trial.check()
    assert len(trial.acknowledged) > 300
    assert trial.unshipped > 10  # the next start had something to do


def test_a_service_that_is_killed_and_one_that_is_stopped(tmp_path: Path) -> None:
    folder, audit = tmp_path / "models", tmp_path / "audit.jsonl"
    make_library(folder).close()
    acknowledged: set[int] = set()
    chance = random.Random(3)  # noqa: S311
    for end in (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM):
        with running(folder, "--audit", str(audit), "--audit-to-record") as service:
            acknowledged |= decide_until(service, end, chance.randint(50, 400))
    store = Store(folder / "service.sqlite")
    recorded = audited.recorded(store)
    store.close()
    assert len(recorded) == len(audit.read_text().splitlines())
    assert acknowledged <= set(recorded)


def decide_until(service: RealService, end: signal.Signals, wanted: int) -> set[int]:
    """Ask for decisions without a pause, and end the service amid it; return their ids."""
    acknowledged: set[int] = set()
    enough = threading.Event()

    def send() -> None:
        while True:
            try:
                answer = service.ask("POST", "/v1/decide", json={"scores": COLUMNS})
            except httpx.TransportError:
                return
            assert answer.status_code == 200, answer.text
            acknowledged.add(int(answer.json()["decision_id"], 16))
            if len(acknowledged) >= wanted:
                enough.set()

    with ThreadPoolExecutor(1) as senders:
        sending = senders.submit(send)
        assert enough.wait(60)
        service.stop(end)
        sending.result()
    return acknowledged
