"""A process that decides and ships its audit until it is killed, and what must hold then."""

from __future__ import annotations

import os
import signal
import sys
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rocch.library.store
import rocch.service.audit
import rocch.service.store
from rocch.service.audit import AuditLog, AuditShipper, read_decisions
from rocch.service.store import Store
from tests.support.adders import acknowledged, context

if TYPE_CHECKING:
    import random

    import pytest

CODE = tuple(
    module.__file__ for module in (rocch.service.audit, rocch.service.store, rocch.library.store)
)
HOST = "web-1"


def line(number: int) -> dict[str, Any]:
    """Return the line of a decision; a few are longer than a batch of the child's."""
    return {
        "decisions": [0, 1] * (400 if number % 7 == 0 else 1),
        "decision_id": f"{number:032x}",
        "decided_at": "2026-03-02T09:00:00.000Z",
        "model": {"version": 3},
        "aim": {"id": 5},
    }


def decide_and_ship(folder: Path, first: int, said: Any, killed_at: int | None) -> None:
    """Write decisions, say the number of each, ship them, and move the file now and then."""
    rocch.service.audit.BATCH = 600
    if killed_at is not None:
        kill_at_line(killed_at)
    log, store = AuditLog(folder / "audit.jsonl"), Store(folder / "service.sqlite")
    shipper = AuditShipper(log.path, store, HOST)
    for number in count(first):
        log.write(line(number))
        os.write(said.fileno(), number.to_bytes(4, "big"))
        if number % 3 == 0:
            shipper.ship()
        if number % 10 == 5:
            log.path.rename(folder / f"audit.{number}")
            log.write(line(number + 10**6))  # no signal has come yet
            os.write(said.fileno(), (number + 10**6).to_bytes(4, "big"))
            log.reopen()


def kill_at_line(moment: int) -> None:
    """Let this process be killed as soon as so many lines of the shipper and the record ran."""
    left = iter(range(moment))

    def trace(frame: Any, event: str, _: Any) -> Any:
        if not frame.f_code.co_filename.startswith(CODE):
            return None
        if event == "line" and next(left, None) is None:
            os.kill(os.getpid(), signal.SIGKILL)
        return trace

    sys.settrace(trace)


class Trial:
    """A machine whose process is killed again and again."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self.folder, self.acknowledged = folder, set[int]()
        self.kills = self.unshipped = 0
        self._next = 1
        self._context = context(patch)

    def kill(self, chance: random.Random, *, by_line: bool) -> None:
        """Let a process run until it gets to a line, or for a moment."""
        heard, said = self._context.Pipe(duplex=False)
        moment = chance.randrange(6000) if by_line else None
        child = self._context.Process(
            target=decide_and_ship, args=(self.folder, self._next, said, moment)
        )
        child.start()
        said.close()
        if moment is None:
            first = os.read(heard.fileno(), 4)  # it has begun in earnest
            self.acknowledged.add(int.from_bytes(first, "big"))
            child.join(chance.uniform(0, 0.2))
            child.kill()
        child.join()
        assert child.exitcode == -signal.SIGKILL
        self.acknowledged.update(acknowledged(heard))
        heard.close()
        self.kills += 1
        # numbers go on behind the last that may have been written without being said
        self._next = max({each % 10**6 for each in self.acknowledged} | {self._next}) + 2

    def check(self) -> None:
        """Start again, and compare the record with what was acknowledged and what is written."""
        store = Store(self.folder / "service.sqlite")
        before = recorded(store)
        shipper = AuditShipper(self.folder / "audit.jsonl", store, HOST)
        shipper.ship()
        shipper.ship()
        shipper.close()
        found = recorded(store)
        store.close()
        assert set(before) <= set(found)
        self.unshipped += len(found) - len(before)
        assert self.acknowledged <= set(found)
        assert found == {number: line(number) for number in found}
        written = "".join(file.read_text() for file in self.folder.glob("audit.*"))
        # one is written, at most, that its process had not said when it was killed
        assert len(written.splitlines()) == len(found) <= len(self.acknowledged) + self.kills


def recorded(store: Store) -> dict[int, Any]:
    """Return all recorded decisions by their ids, of which each is there once."""
    rows: list[dict[str, Any]] = []
    page: dict[str, Any] = {"more": True}
    while page["more"]:
        before = rows[-1]["decision_id"] if rows else None
        page = read_decisions(store, 1000, before=before)
        rows += page["decisions"]
    found = {int(row["decision_id"], 16): row["record"] for row in rows}
    assert len(found) == len(rows)
    return found
