"""Who waits for whom, what a user may do, and passwords that nobody sees."""

from __future__ import annotations

import re
import threading
import traceback
from typing import TYPE_CHECKING, Any
from unittest.mock import Mock
from urllib.parse import quote

import pytest
from click.testing import CliRunner

from rocch import InputError, RocchError, StorageError
from rocch.cli.main import cli
from rocch.database.postgres import DatabaseUrl
from rocch.library import ClassifierLibrary
from rocch.library.objects import FolderObjects, open_objects
from rocch.library.store import LibraryStore
from tests.support import adders
from tests.support.places import objects_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.support.places import Places
    from tests.support.postgres import PostgresServer

pytestmark = pytest.mark.parametrize("places", ["postgres"], indirect=True)
BUSY = r"schema=\w+: other processes have been writing for too long\. Try again\."


@pytest.fixture
def library(places: Places) -> ClassifierLibrary:
    library = places.create()
    library.add(adders.curve(1))
    return library


def impatient(library: ClassifierLibrary) -> ClassifierLibrary:
    other = ClassifierLibrary(library.place)
    other._store.record.patience = 0.05
    return other


def test_a_stuck_writer_costs_others_their_patience_and_readers_nothing(
    library: ClassifierLibrary,
) -> None:
    other = impatient(library)
    with library._store.writing() as db:
        db.execute("DELETE FROM points")
        for write in (
            lambda: other.add(adders.curve(2)),
            lambda: other.prune(ties=True),
            lambda: other.export(),
            other.verify,
            other.compact,
        ):
            with pytest.raises(StorageError, match=BUSY):
                write()
        assert other.hull == adders.batch([1])
        assert len(other.log()) == len(other) == 1
        db.execute("ROLLBACK")
        db.execute("BEGIN")
    other.add(adders.curve(2))
    assert other.hull == adders.batch([1, 2])


def test_no_patience_at_all_is_not_patience_without_end(library: ClassifierLibrary) -> None:
    other = impatient(library)
    other._store.record.patience = 0
    with library._store.writing(), pytest.raises(StorageError, match=BUSY):
        other.add(adders.curve(2))


def test_who_makes_a_library_waits_for_others_who_do(places: Places) -> None:
    place, _ = places.new()
    assert isinstance(place, DatabaseUrl)
    assert places.server is not None
    import psycopg

    with psycopg.connect(place.address) as db:
        db.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", [f"rocch {place.schema}"])
        store = LibraryStore(place, new=True)
        store.record.patience = 0.05
        with pytest.raises(StorageError, match=BUSY), store.writing():
            pass


def test_writers_of_two_schemas_do_not_wait(library: ClassifierLibrary, places: Places) -> None:
    other = impatient(places.create("other"))
    with library._store.writing():
        other.add(adders.curve(2))
    assert other.hull == adders.batch([2])


def test_a_reader_sees_one_state(library: ClassifierLibrary) -> None:
    other = ClassifierLibrary(library.place)
    with other._store.reading() as db:
        library.add(adders.curve(2))
        assert other._hull(db) == adders.batch([1])
    assert other.hull == adders.batch([1, 2])


# ---- roles --------------------------------------------------------------------------------------

SECRET = "p:w@r/d?#%"  # noqa: S105 - of a role that lives as long as the tests


@pytest.fixture
def server(places: Places) -> Iterator[PostgresServer]:
    """Return the server with a role `guest`, who owns nothing."""
    server = places.server
    assert server is not None
    server.execute(f"CREATE ROLE guest LOGIN PASSWORD '{SECRET}'")
    yield server
    server.execute("DROP OWNED BY guest CASCADE; DROP ROLE guest")


def as_guest(place: Any, password: str = SECRET) -> DatabaseUrl:
    host = place.address.rpartition("@")[2]
    escaped = quote(password, safe="")
    return DatabaseUrl.parse(f"postgresql://guest:{escaped}@{host}?schema={place.schema}")


def test_a_user_who_may_not_make_schemas_uses_one(server: PostgresServer, places: Places) -> None:
    place, options = places.new()
    guest = as_guest(place)
    with pytest.raises(StorageError, match="Ask for the right to use the schema, or to create it"):
        ClassifierLibrary.create(guest, **options)
    server.execute(f"CREATE SCHEMA {guest.schema} AUTHORIZATION guest")
    library = ClassifierLibrary.create(guest, **options)
    library.add(adders.curve(1))
    assert library.verify().sound


def test_rights_that_are_missing(
    server: PostgresServer, library: ClassifierLibrary, places: Places
) -> None:
    guest = as_guest(library.place)
    may_not = pytest.raises(StorageError, match=r"schema=\w+: this user may not do that")
    with may_not:
        ClassifierLibrary(guest)
    with may_not:
        ClassifierLibrary.create(guest, objects=places.folder / "more")
    server.execute(f"GRANT USAGE ON SCHEMA {guest.schema} TO guest")
    with may_not:
        ClassifierLibrary(guest)
    server.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA {guest.schema} TO guest")
    reader = ClassifierLibrary(guest)
    assert reader.hull == library.hull
    with may_not:
        reader.add(adders.curve(2))
    reader.close()


def test_a_server_that_may_only_be_read(server: PostgresServer, library: ClassifierLibrary) -> None:
    guest = as_guest(library.place)
    server.execute(
        "ALTER ROLE guest SET default_transaction_read_only = on;"
        f"GRANT USAGE ON SCHEMA {guest.schema} TO guest;"
        f"GRANT ALL ON ALL TABLES IN SCHEMA {guest.schema} TO guest"
    )
    reader = ClassifierLibrary(guest)
    assert reader.hull == library.hull
    for write in (lambda: reader.add(adders.curve(2)), reader.verify):
        with pytest.raises(StorageError, match="the server is a standby, or read-only"):
            write()
    reader.close()


def test_writers_see_what_others_wrote_whatever_the_default_is(
    server: PostgresServer, library: ClassifierLibrary
) -> None:
    guest = as_guest(library.place)
    server.execute(
        "ALTER ROLE guest SET default_transaction_isolation = 'repeatable read';"
        f"GRANT ALL ON SCHEMA {guest.schema} TO guest;"
        f"GRANT ALL ON ALL TABLES IN SCHEMA {guest.schema} TO guest"
    )
    other = ClassifierLibrary(guest)
    assert other.hull == adders.batch([1])
    failures = []

    def add() -> None:
        try:
            other.add(adders.curve(4))
        except RocchError as error:
            failures.append(error)

    thread = threading.Thread(target=add)
    with library._store.writing() as db:
        thread.start()
        query = "SELECT count(*) FROM pg_locks WHERE NOT granted"
        while server.execute(query) == [(0,)]:  # it waits for the lock
            thread.join(0.01)
            assert thread.is_alive()
        db.execute("UPDATE library SET offered = offered + 1")
    thread.join()
    assert failures == []
    assert library.state.offered == 3
    other.close()


# ---- passwords and errors -----------------------------------------------------------------------


def failures(places: Places) -> dict[str, tuple[Callable[[], object], str]]:
    """Return what goes wrong with a URL that holds a password, and what is said."""
    place, options = places.new()
    assert isinstance(place, DatabaseUrl)
    assert places.server is not None
    elsewhere = place.address.rpartition("/")[0]

    def at(address: str) -> DatabaseUrl:
        return DatabaseUrl.parse(f"{address}?schema=churn")

    return {
        "missing": (lambda: ClassifierLibrary(place), "where there is none"),
        "password": (
            lambda: ClassifierLibrary(as_guest(place, "wr0ng:" + places.server.password)),  # type: ignore[union-attr]
            "password authentication failed",
        ),
        "database": (
            lambda: ClassifierLibrary(at(f"{elsewhere}/nowhere")),
            'database "nowhere" does not exist',
        ),
        "encoding": (
            lambda: ClassifierLibrary.create(at(f"{elsewhere}/latin"), **options),
            "database must have the encoding UTF8; got LATIN1",
        ),
        "port": (
            lambda: ClassifierLibrary(at(f"{elsewhere.rpartition(':')[0]}:1/rocch")),
            "the database cannot be reached",
        ),
    }


@pytest.fixture
def latin(places: Places) -> None:
    assert places.server is not None
    found = places.server.execute("SELECT 1 FROM pg_database WHERE datname = 'latin'")
    if not found:
        places.server.execute(
            "CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'"
        )


def shows_secrets(text: str, places: Places) -> bool:
    assert places.server is not None
    secret = places.server.password
    return any(part in text for part in (secret, quote(secret, safe=""), SECRET))


@pytest.mark.usefixtures("latin")
@pytest.mark.parametrize("what", ["missing", "password", "database", "encoding", "port"])
def test_errors_are_clear_and_show_no_password(
    places: Places, what: str, caplog: pytest.LogCaptureFixture
) -> None:
    fails, words = failures(places)[what]
    with caplog.at_level(0), pytest.raises((InputError, StorageError)) as caught:
        fails()
    assert words in str(caught.value)
    shown = "".join(traceback.format_exception(caught.value))
    assert not shows_secrets(shown + repr(caught.value) + caplog.text, places)


def test_nothing_shows_the_password(
    library: ClassifierLibrary, places: Places, caplog: pytest.LogCaptureFixture
) -> None:
    assert isinstance(library.place, DatabaseUrl)
    url = library.place.text
    assert shows_secrets(url, places)
    library.export()
    shown = [str(library), repr(library), repr(library.place), str(library.exports()[0])]
    shown += [repr(library._store.record.__dict__), repr(objects_of(library).__dict__)]
    with caplog.at_level(0):
        for typed in (["list", url], ["verify", url], ["copy", url, str(places.folder / "c")]):
            for more in ([], ["--json"]):
                done = CliRunner().invoke(cli, ["library", *typed, *more])
                shown.append(done.output)
        done = CliRunner().invoke(cli, ["library", "init", url, "--objects", "/x"])
        assert done.exit_code
        shown += [done.output, caplog.text]
    assert not shows_secrets("".join(shown), places)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://ada:50%off@127.0.0.1/x",
        "postgresql://ada:off/50@127.0.0.1/x",
        "postgresql://ada:5/off@127.0.0.1/x",
        "postgresql://ada:off#50@127.0.0.1/x",
        "postgresql://ada:[off@127.0.0.1/x",
        "postgresql://ada:o@ff@127.0.0.1/x",
        "postgresql://ada:5?off@127.0.0.1/x",
        "postgresql://ada:5?a=off@127.0.0.1/x",
        "POSTGRES://ada:o ff@127.0.0.1/x",
        "mysql://ada:off@127.0.0.1/x",
    ],
)
def test_urls_with_passwords_that_are_not_escaped(url: str, places: Places) -> None:
    del places
    for use in (ClassifierLibrary, lambda url: ClassifierLibrary.create(url, objects="/x")):
        with pytest.raises(InputError, match="path must be") as caught:
            use(url)
        assert "ff" not in str(caught.value).replace("offered", "")
    done = CliRunner().invoke(cli, ["library", "list", url])
    assert done.exit_code == 2
    assert "ff" not in done.output


def test_passwords_of_stores_are_refused(places: Places) -> None:
    place, _ = places.new()
    with pytest.raises(InputError, match="objects must be a URL without a password") as caught:
        ClassifierLibrary.create(place, objects="ftp://ada:secret@host/files")
    assert "secret" not in str(caught.value)


def test_a_folder_of_files_has_a_path_for_all_machines(places: Places) -> None:
    place, _ = places.new()
    with pytest.raises(InputError, match=r"whole path of a folder.* On this machine it is '/.*/x'"):
        ClassifierLibrary.create(place, objects="x")


def test_two_libraries_do_not_share_their_files(library: ClassifierLibrary, places: Places) -> None:
    place, options = places.new("other")
    there = objects_of(library)
    whose = rf"which belongs to {re.escape(str(library.place))}\."
    with pytest.raises(InputError, match=whose):
        ClassifierLibrary.create(place, objects=there.place)
    with pytest.raises(InputError, match=whose):
        library.copy(place, objects=there.place)
    with pytest.raises(InputError, match="target must be a schema without a library"):
        library.copy(library.place, objects=there.place)
    open_objects(options["objects"]).put(b"a file")
    with pytest.raises(InputError, match="objects must be a place without the files of another"):
        library.copy(place, **options)
    assert library.verify().sound


def test_files_of_an_unfinished_copy_do_not_prevent_another(
    library: ClassifierLibrary, places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    target, options = places.new("copy")
    with monkeypatch.context() as killed:  # before its end, so that nobody removes the files
        killed.setattr("rocch.library.maintenance.copy_rows", Mock(side_effect=KeyboardInterrupt))
        killed.setattr(FolderObjects, "remove", Mock())
        with pytest.raises(KeyboardInterrupt):
            library.copy(target, **options)
    left = set(open_objects(options["objects"]).files())
    assert left
    copy = library.copy(target, **options)
    assert set(copy.verify().cleaned) == left
    assert copy.hull == library.hull


def test_what_does_not_go_together(library: ClassifierLibrary, places: Places) -> None:
    place, options = places.new("other")
    with pytest.raises(InputError, match="objects must say where a library on a server has its"):
        ClassifierLibrary.create(place)
    with pytest.raises(InputError, match="objects must go with the URL of a database"):
        ClassifierLibrary.create(places.folder / "new", **options)
    with pytest.raises(InputError, match="objects must go with the URL of a database"):
        library.copy(places.folder / "new", **options)
    with pytest.raises(InputError, match="path must be a schema without a library"):
        ClassifierLibrary.create(library.place, **options)
    with pytest.raises(InputError, match="target must be a schema without a library"):
        library.copy(library.place, **options)


def test_a_record_that_is_lost(library: ClassifierLibrary) -> None:
    with library._store.record.transaction(write=True) as db:
        db.execute("DELETE FROM rocch_records")
    with pytest.raises(StorageError, match="holds no library record"):
        library.add(adders.curve(2))


def test_a_schema_may_have_the_name_of_a_keyword(places: Places) -> None:
    place, options = places.new()
    assert isinstance(place, DatabaseUrl)
    library = ClassifierLibrary.create(DatabaseUrl(place.address, "user"), **options)
    library.add(adders.curve(1))
    assert list(library) == ["c1"]
