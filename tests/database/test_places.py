"""Where records are, and tables in the words of both databases."""

from __future__ import annotations

import pickle
import sqlite3
from contextlib import AbstractContextManager, closing
from pathlib import Path
from typing import Any

import pytest

from rocch import InputError, StorageError
from rocch.database.places import is_database_url, open_record
from rocch.database.postgres import DatabaseUrl
from rocch.database.record import Connection, Tables, as_postgres, copy_rows, fetch, insert
from rocch.library import ClassifierLibrary
from rocch.library.store import FIRST

TABLES = Tables(
    "pets",
    77,
    (
        "CREATE TABLE pets (number INTEGER PRIMARY KEY, name TEXT NOT NULL, age REAL);\n"
        "CREATE TABLE state (one INTEGER PRIMARY KEY CHECK (one = 1), a TEXT, b TEXT)",
    ),
)


@pytest.mark.parametrize(
    ("text", "shown", "schema"),
    [
        ("postgresql://db/risk", "postgresql://db/risk?schema=rocch", "rocch"),
        ("postgres://a:b@db:1/risk?schema=x_1", "postgresql://a@db:1/risk?schema=x_1", "x_1"),
        (
            "postgresql://a%40b:p%3Aw@one,two:2/risk?sslmode=require&schema=y&password=secret",
            "postgresql://a@b@one,two:2/risk?schema=y",
            "y",
        ),
    ],
)
def test_urls_are_read_and_shown_without_secrets(text: str, shown: str, schema: str) -> None:
    url = DatabaseUrl.parse(text)
    assert str(url) == shown
    assert shown in repr(url)
    assert url.schema == schema
    assert "schema=" not in url.address  # PostgreSQL's own programs do not know it
    assert DatabaseUrl.parse(url.text) == url
    assert pickle.loads(pickle.dumps(url)) == url  # noqa: S301 - our own
    assert is_database_url(text)


def test_what_is_kept_of_a_url_goes_to_the_server() -> None:
    url = DatabaseUrl.parse("postgresql://a:p%40w@db/risk?sslmode=require&schema=y&options=-c%20x")
    assert url.address == "postgresql://a:p%40w@db/risk?sslmode=require&options=-c%20x"


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("postgresql:///risk?schema=y", "postgresql:///risk"),  # the server on this machine
        ("postgresql://db/risk?password=a+b&schema=y", "postgresql://db/risk?password=a+b"),
        ("postgresql://[::1]:5432/risk", "postgresql://[::1]:5432/risk"),
    ],
)
def test_addresses_are_those_of_postgresqls_own_programs(text: str, address: str) -> None:
    url = DatabaseUrl.parse(text)
    assert url.address == address
    assert DatabaseUrl.parse(url.text) == url


def test_brackets_without_an_address_are_refused() -> None:
    with pytest.raises(InputError, match="be the URL of a PostgreSQL database"):
        DatabaseUrl.parse("postgresql://[zz]/risk")


@pytest.mark.parametrize("schema", ["", "Churn", "a-b", "1a", "pg_catalog", "x" * 64, "a;drop"])
def test_schemas_that_are_no_plain_names_are_refused(schema: str) -> None:
    with pytest.raises(InputError, match="path must name a schema in lower-case letters"):
        DatabaseUrl.parse(f"postgresql://db/risk?schema={schema}")


@pytest.mark.parametrize("text", ["churn", "/a/b", "s3://bucket", "postgresql", 3, None])
def test_other_places_are_no_urls_of_databases(text: object) -> None:
    assert not is_database_url(text)


@pytest.mark.parametrize(
    "text", ["postgresql:/ada@db/risk", "postgres:db", Path("postgresql://db")]
)
def test_a_url_that_lost_a_slash_is_no_folder(text: str | Path) -> None:
    with pytest.raises(InputError, match=r"For example: postgresql://ada@db\.example/risk"):
        ClassifierLibrary.create(text)


def test_tables_in_postgresqls_words() -> None:
    words = as_postgres(FIRST[1])
    for other in ("INTEGER", "REAL", "BLOB", "STRICT", "ROWID", "AUTOINCREMENT", "--"):
        assert other not in words
    assert 'name TEXT COLLATE "C" NOT NULL' in words
    assert "id BIGINT PRIMARY KEY" in words


def test_a_step_may_have_words_of_its_own() -> None:
    tables = Tables("x", 1, (("SELECT 1;\nSELECT 2", "SELECT 3"),))
    assert list(tables.statements(0)) == ["SELECT 1", "SELECT 2"]
    assert list(tables.statements(0, postgres=True)) == ["SELECT 3"]


def test_rows_are_numbered_without_gaps_and_replaced_by_key(tmp_path: Path) -> None:
    (tmp_path / "pets").touch()
    record = open_record(tmp_path / "pets", TABLES, new=True)
    with record.writing() as db:
        assert insert(db, "pets", {"name": "ada"}, number="number") == 1
    with pytest.raises(StorageError, match="UNIQUE"), record.writing() as db:
        db.executemany("INSERT INTO pets VALUES (?, 'gone', 1)", [(2,), (2,)])
    with record.writing() as db:
        assert insert(db, "pets", {"name": "bob", "age": 2.5}, number="number") == 2
        insert(db, "state", {"one": 1, "a": "x", "b": "y"}, key="one")
        insert(db, "state", {"one": 1, "a": "z"}, key="one")
    with record.reading() as db:
        assert fetch(db, "SELECT * FROM state") == [{"one": 1, "a": "z", "b": "y"}]
        assert [row["name"] for row in fetch(db, "SELECT * FROM pets ORDER BY number")] == [
            "ada",
            "bob",
        ]
    (tmp_path / "copy").touch()
    copy = open_record(tmp_path / "copy", TABLES, new=True)
    with record.reading() as db, copy.writing() as other:
        copy_rows(db, other, "pets")
    with copy.reading() as db:
        assert db.execute("SELECT name, age FROM pets").fetchall() == [("ada", None), ("bob", 2.5)]
    assert copy.exists()
    assert copy.size() > 0
    record.close()
    copy.close()


def test_rows_are_copied_a_few_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Target:
        """A connection that notes how many rows it gets."""

        def __init__(self) -> None:
            self.sizes: list[int] = []

        def executemany(self, _query: str, rows: list[Any]) -> None:
            self.sizes.append(len(rows))

    monkeypatch.setattr("rocch.database.record.ROWS_AT_ONCE", 2)
    (tmp_path / "pets").touch()
    target: Any = Target()
    with closing(open_record(tmp_path / "pets", TABLES, new=True)) as record:
        with record.writing() as db:
            for name in "abcde":
                insert(db, "pets", {"name": name}, number="number")
        with record.reading() as db:
            copy_rows(db, target, "pets")
    assert target.sizes == [2, 2, 1]


def test_an_empty_file_is_no_record(tmp_path: Path) -> None:
    (tmp_path / "pets").touch()
    with pytest.raises(StorageError, match="its content was lost"), _read(tmp_path / "pets"):
        pass
    with closing(sqlite3.connect(tmp_path / "other")) as db:
        db.execute("CREATE TABLE others (name TEXT)")
    with pytest.raises(StorageError, match="another program"), _read(tmp_path / "other"):
        pass


def _read(path: Path) -> AbstractContextManager[Connection]:
    return open_record(path, TABLES).reading()
