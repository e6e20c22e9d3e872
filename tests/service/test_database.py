"""What was committed stays, what was not leaves no trace, and trouble is said in plain words."""

from __future__ import annotations

import os
import sqlite3
from typing import TYPE_CHECKING, Any

import pytest

from rocch.errors import InputError, StorageError
from rocch.service import database as module
from rocch.service.database import Database

if TYPE_CHECKING:
    from pathlib import Path

NOTES = [["CREATE TABLE notes (said TEXT)"]]
SAY = "INSERT INTO notes VALUES (?)"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "notes.sqlite"


def said(path: Path) -> list[Any]:
    database = Database(path, NOTES)
    with database.reading() as connection:
        found = [text for (text,) in connection.execute("SELECT said FROM notes")]
    database.close()
    return found


def test_every_commit_reaches_the_disk(place: Path) -> None:
    database = Database(place, NOTES)
    with database.reading() as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
        assert connection.execute("PRAGMA busy_timeout").fetchone() == (10_000,)
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)
    with database.writing() as connection:
        connection.execute(SAY, ("good morning",))
    # read beside the open one, as after a sudden end
    assert said(place) == ["good morning"]
    database.close()


def test_what_raises_leaves_no_trace(place: Path) -> None:
    database = Database(place, NOTES)

    def say_half() -> None:
        with database.writing() as connection:
            connection.execute(SAY, ("half",))
            raise InputError("no")

    with pytest.raises(InputError, match="no"):
        say_half()
    with database.writing() as connection:
        connection.execute(SAY, ("whole",))
    database.close()
    assert said(place) == ["whole"]


def test_an_old_schema_is_brought_forward_and_keeps_its_rows(place: Path) -> None:
    first = Database(place, NOTES)
    with first.writing() as connection:
        connection.execute(SAY, ("old",))
    first.close()
    second = Database(place, [*NOTES, ["ALTER TABLE notes ADD by TEXT DEFAULT 'Ada'"]])
    with second.reading() as connection:
        assert connection.execute("SELECT * FROM notes").fetchall() == [("old", "Ada")]
        assert connection.execute("PRAGMA user_version").fetchone() == (2,)
    second.close()


def test_a_step_that_fails_leaves_the_old_schema(place: Path) -> None:
    Database(place, NOTES).close()
    with pytest.raises(StorageError, match="no such table"):
        Database(place, [*NOTES, ["CREATE TABLE more (a)", "ALTER TABLE missing ADD by TEXT"]])
    database = Database(place, NOTES)
    with database.reading() as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("notes",)]
    database.close()


def test_a_newer_schema_is_refused(place: Path) -> None:
    Database(place, [*NOTES, ["CREATE TABLE more (a)"]]).close()
    with pytest.raises(StorageError, match=r"has schema version 2, .* up to 1. Use the newer"):
        Database(place, NOTES)


def test_a_database_of_another_kind_is_left_alone(place: Path) -> None:
    other = sqlite3.connect(place)
    other.execute("CREATE TABLE customers (name TEXT)")
    other.close()
    with pytest.raises(StorageError, match="a database of another kind"):
        Database(place, NOTES)


def test_a_file_that_is_no_database(place: Path) -> None:
    place.write_bytes(b"It was a dark and stormy night. " * 100)
    with pytest.raises(StorageError, match=r"SQLITE_NOTADB\). It is damaged, or no such record"):
        Database(place, NOTES)


def test_a_damaged_page_is_noticed(place: Path) -> None:
    database = Database(place, NOTES)
    with database.writing() as connection:
        connection.executemany(SAY, [("x" * 1000,)] * 50)
    database.close()
    content = bytearray(place.read_bytes())
    content[4096:8192] = b"\xff" * 4096
    place.write_bytes(content)
    with pytest.raises(StorageError, match="damaged; put a backup in its place"):
        said(place)


def test_a_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"cannot be opened: .* Check that its folder is there"):
        Database(tmp_path / "nowhere" / "notes.sqlite", NOTES)


def test_a_disk_without_a_log(place: Path) -> None:  # noqa: ARG001
    with pytest.raises(StorageError, match=r"no write-ahead log \(mode 'memory'\)"):
        Database(":memory:", NOTES)


def test_a_full_disk_loses_nothing(place: Path) -> None:
    database = Database(place, NOTES)
    with database.writing() as connection:
        connection.execute(SAY, ("before",))
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
    with database.reading() as connection:
        connection.execute(f"PRAGMA max_page_count = {pages}")
    full = pytest.raises(StorageError, match=r"SQLITE_FULL\). Free some space")
    with full, database.writing() as connection:
        connection.execute(SAY, ("x" * 100_000,))
    with database.writing() as connection:  # what still fits goes on
        connection.execute(SAY, ("after",))
    database.close()
    assert said(place) == ["before", "after"]


def test_a_file_that_may_not_be_written(place: Path) -> None:
    database = Database(place, NOTES)
    with database.reading() as connection:
        connection.execute("PRAGMA query_only = ON")
    refused = pytest.raises(StorageError, match=r"\(SQLITE_READONLY\). Check the permissions")
    with refused, database.writing() as connection:
        connection.execute(SAY, ("x",))
    database.close()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written(place: Path) -> None:
    place.parent.chmod(0o500)
    with pytest.raises(StorageError, match="Check"):
        Database(place, NOTES)
    place.parent.chmod(0o700)


def test_another_process_that_holds_it(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SECONDS_TO_WAIT", 0)
    database = Database(place, NOTES)
    other = sqlite3.connect(place, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    refused = pytest.raises(StorageError, match=r"SQLITE_BUSY\). Another process holds it")
    with refused, database.writing():
        pass
    other.close()
    database.close()


def test_a_closed_one_says_so(place: Path) -> None:
    database = Database(place, NOTES)
    database.close()
    refused = pytest.raises(StorageError, match="cannot be read: Cannot operate on a closed")
    with refused, database.reading() as connection:
        connection.execute("SELECT 1")
