"""Tables of an older release on a server become present ones, wholly or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from rocch import RocCurve, StorageError
from rocch.database.postgres import DatabaseUrl, PostgresRecord
from rocch.database.record import Tables
from rocch.library import ClassifierLibrary
from rocch.library import store as schema
from tests.support import adders
from tests.support.old_record import SECOND

if TYPE_CHECKING:
    from tests.support.places import Places

pytestmark = pytest.mark.parametrize("places", ["postgres"], indirect=True)
THIRD = "CREATE TABLE more (name TEXT PRIMARY KEY, size REAL) STRICT;\n"


@pytest.fixture
def old(places: Places) -> ClassifierLibrary:
    """Return a library with tables of the first version."""
    library = places.create()
    library.add(RocCurve.from_counts([1, 4], [6, 9], negatives=10, positives=10, name="rules"))
    return library


def newer(patch: pytest.MonkeyPatch, *more: str) -> None:
    patch.setattr(schema, "TABLES", Tables("library", schema.APPLICATION, (schema.FIRST, *more)))


def look(places: Places, library: ClassifierLibrary, query: str) -> list[tuple[Any, ...]]:
    assert places.server is not None
    assert isinstance(library.place, DatabaseUrl)
    return places.server.execute(query, schema=library.place.schema)


TABLE_NAMES = (
    "SELECT table_name, column_name FROM information_schema.columns"
    " WHERE table_schema = current_schema ORDER BY 1, 2"
)


def test_several_processes_move_a_record_forward_at_once(
    old: ClassifierLibrary, places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    hull = old.hull
    context = adders.context(monkeypatch)
    together = context.Barrier(4)
    everyones = [(old.place, (SECOND, THIRD), together)] * 4
    assert adders.ended_well(adders.started(context, adders.migrate, *everyones))
    assert look(places, old, "SELECT version FROM rocch_records") == [(3,)]
    assert look(places, old, "SELECT * FROM friends") == [("rules",)]
    assert look(places, old, "SELECT DISTINCT color FROM classifiers") == [("gray",)]
    newer(monkeypatch, SECOND, THIRD)
    library = ClassifierLibrary(old.place)
    assert library.hull == hull
    assert library.verify().sound


def test_a_writer_of_an_older_release_writes_no_more(
    old: ClassifierLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert old._store.record._db is not None  # it is connected
    with monkeypatch.context() as patch:
        newer(patch, SECOND)
        assert len(ClassifierLibrary(old.place)) == 1
    with pytest.raises(StorageError, match="has version 2; this release of rocch reads up to 1"):
        old.prune("rules")
    with pytest.raises(StorageError, match=r"reads up to 1\. Upgrade rocch\."):
        _ = ClassifierLibrary(old.place).hull


def test_what_fails_midway_leaves_the_old_record(
    old: ClassifierLibrary, places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = look(places, old, TABLE_NAMES)
    with monkeypatch.context() as patch:
        newer(patch, SECOND + "DROP TABLE nowhere;\n")
        with pytest.raises(StorageError, match="damaged"):
            _ = ClassifierLibrary(old.place).hull
    assert look(places, old, TABLE_NAMES) == before
    assert look(places, old, "SELECT version FROM rocch_records") == [(1,)]
    assert old.verify().sound


def test_a_damaged_record_is_not_moved_forward(
    old: ClassifierLibrary, places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    look(places, old, "UPDATE points SET true_positives = 7")
    newer(monkeypatch, SECOND)
    with pytest.raises(StorageError, match="does not hold what was last written"):
        _ = ClassifierLibrary(old.place).hull
    assert look(places, old, "SELECT version FROM rocch_records") == [(1,)]


def test_a_newer_release_that_is_faster(
    old: ClassifierLibrary, places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    newer(monkeypatch, SECOND)
    second = ClassifierLibrary(old.place)
    newer(monkeypatch, SECOND, THIRD)
    third = ClassifierLibrary(old.place)
    make = PostgresRecord._make

    def wait(record: PostgresRecord, db: Any) -> None:
        monkeypatch.setattr(PostgresRecord, "_make", make)
        assert len(third) == 1
        make(record, db)

    monkeypatch.setattr(PostgresRecord, "_make", wait)
    with pytest.raises(StorageError, match="has version 3; this release of rocch reads up to 2"):
        _ = second.hull
    assert look(places, old, "SELECT version FROM rocch_records") == [(3,)]
