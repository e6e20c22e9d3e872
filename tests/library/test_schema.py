"""Records of older releases become present ones, wholly or not at all; newer ones are refused."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from rocch import StorageError
from rocch.database import sqlite
from rocch.database.record import Tables
from rocch.library import ClassifierLibrary
from rocch.library import store as schema
from rocch.library.store import content_fingerprint
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


def newer(monkeypatch: pytest.MonkeyPatch, *more: str) -> None:
    monkeypatch.setattr(
        schema, "TABLES", Tables("library", schema.APPLICATION, (schema.FIRST, *more))
    )


def test_a_record_of_the_first_version_is_read(old: Path) -> None:
    library = ClassifierLibrary(old)
    # what 0.1 was told: three points of rules, of which two are on the hull, and a later one
    assert [(one.name, one.state) for one in library.all_classifiers()] == [
        ("early", "driven out"),
        ("rules", "kept"),
    ]
    assert [(v.false_positives, v.true_positives) for v in library.hull.vertices] == [
        (0, 0),
        (1, 6),
        (4, 9),
        (10, 10),
    ]
    assert library["rules"].tags == ("2026",)
    assert [entry.left for entry in library.log()] == [(), ("early",)]
    assert library.verify().sound


def test_an_older_record_moves_forward(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hull = ClassifierLibrary(old).hull
    newer(monkeypatch, SECOND, "CREATE TABLE more (name TEXT) STRICT;\n")
    library = ClassifierLibrary(old)
    assert library.hull == hull
    assert library.verify().sound
    assert look(old, "PRAGMA user_version") == [(3,)]
    assert look(old, "SELECT * FROM friends") == [("rules",)]
    assert look(old, "SELECT DISTINCT color FROM classifiers") == [("gray",)]


def test_what_fails_midway_leaves_the_old_record(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = look(old, "SELECT name, sql FROM sqlite_schema ORDER BY name")
    with monkeypatch.context() as patch:
        newer(patch, SECOND + "DROP TABLE nowhere;\n")
        with pytest.raises(StorageError, match="no such table: nowhere"):
            _ = ClassifierLibrary(old).hull
    assert look(old, "SELECT name, sql FROM sqlite_schema ORDER BY name") == before
    assert look(old, "PRAGMA user_version") == [(1,)]
    assert ClassifierLibrary(old).verify().sound


def test_a_damaged_record_is_not_moved_forward(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(sqlite3.connect(old / "library.sqlite")) as db, db:
        db.execute("UPDATE points SET true_positives = 7")
    newer(monkeypatch, SECOND)
    with pytest.raises(StorageError, match="does not hold what was last written"):
        _ = ClassifierLibrary(old).hull
    assert look(old, "PRAGMA user_version") == [(1,)]


def test_a_newer_record_is_refused_and_untouched(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        newer(patch, SECOND)
        with ClassifierLibrary(old) as library:
            assert len(library) == 1
    content = (old / "library.sqlite").read_bytes()
    with pytest.raises(StorageError, match="has version 2; this release of rocch reads up to 1"):
        _ = ClassifierLibrary(old).hull
    assert (old / "library.sqlite").read_bytes() == content


def test_a_newer_release_that_is_faster(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    newer(monkeypatch, SECOND)
    second = ClassifierLibrary(old)
    newer(monkeypatch, SECOND, "CREATE TABLE more (name TEXT) STRICT;\n")
    third = ClassifierLibrary(old)
    turn_on = sqlite._write_ahead

    def wait(db: sqlite3.Connection, patience: float) -> None:
        monkeypatch.setattr(sqlite, "_write_ahead", turn_on)
        assert len(third) == 1
        turn_on(db, patience)

    monkeypatch.setattr(sqlite, "_write_ahead", wait)
    with pytest.raises(StorageError, match="has version 3; this release of rocch reads up to 2"):
        second.prune("rules")
    assert look(old, "PRAGMA user_version") == [(3,)]


def test_the_record_of_another_program_is_refused(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "library.sqlite")) as db:
        db.execute("PRAGMA user_version = 1")
    with pytest.raises(StorageError, match="the record of another program"):
        _ = ClassifierLibrary(tmp_path).hull


def test_the_seal_follows_what_is_there(old: Path) -> None:
    with closing(sqlite3.connect(old / "library.sqlite")) as db:
        assert db.execute("SELECT print FROM seal").fetchone() == (content_fingerprint(db),)
        db.execute("DELETE FROM exports")
        assert db.execute("SELECT print FROM seal").fetchone() == (content_fingerprint(db),)
        db.execute("UPDATE library SET offered = offered + 1")
        assert db.execute("SELECT print FROM seal").fetchone() != (content_fingerprint(db),)
