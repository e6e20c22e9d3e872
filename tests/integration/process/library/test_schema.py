"""Several processes open a record of an older release at once."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from tests.support import adders
from tests.support.old_record import SECOND, VERSION_1, look

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def old(tmp_path: Path) -> Path:
    folder = tmp_path / "old"
    folder.mkdir()
    with closing(sqlite3.connect(folder / "library.sqlite")) as db:
        db.executescript(VERSION_1.read_text())
    return folder


def test_several_processes_move_a_record_forward_at_once(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = adders.context(monkeypatch)
    together = context.Barrier(4)
    children = [
        context.Process(target=adders.migrate, args=(old, (SECOND,), together)) for _ in range(4)
    ]
    for child in children:
        child.start()
    for child in children:
        child.join()
    assert [child.exitcode for child in children] == [0] * 4
    assert look(old, "SELECT * FROM friends") == [("rules",)]
    assert look(old, "PRAGMA user_version") == [(2,)]
