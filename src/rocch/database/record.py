"""Records in a database: versioned tables in a SQLite file, or in a schema on a PostgreSQL server.

Both have the same tables and the same SQL, with `?` for values. Readers see one state and never
wait; one writer works at a time, and all of its changes are committed, or none. Rows are numbered
1, 2, 3 by the writer, because PostgreSQL's own numbers have gaps.

SQLAlchemy is not used: a record in a file must need no further package, and what the two systems
write differently is a few types and the way to lock.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from threading import RLock
from typing import Any, ClassVar, Protocol, TypeAlias
from weakref import WeakSet

from rocch.errors import StorageError, first_line

# A row of a table, by column.
Row: TypeAlias = dict[str, Any]

# Seconds that a writer waits for others.
PATIENCE = 120.0
# Rows that are copied at a time; those of an audit may have a megabyte each.
ROWS_AT_ONCE = 100

DAMAGED = "it is damaged. Restore the last backup."


class DamageError(Exception):
    """A column of a record with invalid content."""


class Cursor(Protocol):
    """The result of a statement."""

    @property
    def description(self) -> Any:
        """One entry for each column, its name first."""

    @property
    def rowcount(self) -> int:
        """The number of rows that were changed."""

    def fetchone(self) -> Any:
        """Return the next row."""

    def fetchall(self) -> list[Any]:
        """Return all rows."""

    def __iter__(self) -> Iterator[Any]: ...


class Connection(Protocol):
    """A connection to a database, inside a transaction."""

    def execute(self, query: str, values: Sequence[Any] = (), /) -> Cursor:
        """Run a statement."""

    def executemany(self, query: str, rows: Iterable[Sequence[Any]], /) -> object:
        """Run a statement for many rows."""

    def cursor(self) -> Any:
        """Return a cursor whose rows stay in the database until they are fetched."""


def fetch(db: Connection, query: str, *values: object) -> list[Row]:
    """Return all rows of a query, with columns by name."""
    cursor = db.execute(query, values)
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def insert(
    db: Connection,
    table: str,
    columns: Mapping[str, object],
    *,
    number: str | None = None,
    key: str | None = None,
) -> int:
    """Write a row.

    `number` names a column that gets the next number, which is returned. `key` names a column by
    which an earlier row is replaced; the columns that are not given stay as they are.
    """
    found = 0
    if number is not None:
        query = f"SELECT coalesce(max({number}), 0) + 1 FROM {table}"  # noqa: S608 - our names
        found = int(db.execute(query).fetchone()[0])
        columns = {number: found, **columns}
    names, marks = ", ".join(columns), ", ".join("?" * len(columns))
    query = f"INSERT INTO {table} ({names}) VALUES ({marks})"  # noqa: S608
    if key is not None:
        changes = ", ".join(f"{name} = excluded.{name}" for name in columns if name != key)
        query += f" ON CONFLICT ({key}) DO UPDATE SET {changes}"
    db.execute(query, tuple(columns.values()))
    return found


@dataclass(frozen=True, slots=True)
class Tables:
    """The schema of a kind of record; older versions are migrated, newer ones refused.

    Attributes
    ----------
    kind
        What PostgreSQL's table of records calls it.
    application
        SQLite's `application_id`, which marks the file as such a record.
    steps
        The statements from version i to i + 1, the first from an empty record, in SQLite's words;
        `as_postgres` translates the types. A step that needs other words on PostgreSQL is a pair.
    """

    kind: str
    application: int
    steps: tuple[str | tuple[str, str], ...]

    @property
    def version(self) -> int:
        """The current version."""
        return len(self.steps)

    def statements(self, version: int, *, postgres: bool = False) -> Iterator[str]:
        """Yield the statements that lead from a version to the next."""
        step = self.steps[version]
        text = step if isinstance(step, str) else step[postgres]
        for statement in text.split(";\n"):
            if statement.strip():
                yield as_postgres(statement) if postgres else statement

    def check_version(self, version: int, place: object) -> None:
        """Refuse the record of a newer release."""
        if version > self.version:
            raise StorageError(
                f"{place} has version {version}; this release of rocch reads up to {self.version}.",
                hint="Upgrade rocch.",
            )


# What PostgreSQL calls SQLite's types. Texts are compared by their bytes, as SQLite compares them.
POSTGRES_WORDS = (
    (r"--[^\n]*", ""),
    (r"\bINTEGER PRIMARY KEY AUTOINCREMENT\b", "BIGINT PRIMARY KEY"),
    (r"\bINTEGER\b", "BIGINT"),
    (r"\bREAL\b", "DOUBLE PRECISION"),
    (r"\bBLOB\b", "BYTEA"),
    (r"\bTEXT\b", 'TEXT COLLATE "C"'),
    (r"\) STRICT(, WITHOUT ROWID)?", ")"),
)


def as_postgres(statement: str) -> str:
    """Return a statement that makes tables in PostgreSQL's words."""
    for pattern, word in POSTGRES_WORDS:
        statement = re.sub(pattern, word, statement)
    return statement


class Seal(Protocol):
    """What a record must hold so that damage is noticed."""

    def check(self, db: Connection, place: object) -> None:
        """Refuse a damaged record."""

    def renew(self, db: Connection) -> None:
        """Note what the record holds now."""


class Record(ABC):
    """A record that many processes may use at once; its connection opens when needed.

    Parameters
    ----------
    place
        A file, or a schema on a server.
    tables
        Its schema.
    patience
        How many seconds a writer waits for others.
    timeout
        How many seconds a server may take for a statement, or a client between two; None means as
        long as their connection lives.
    new
        Whether an empty place may become a record; otherwise it counts as lost.
    seal
        What readers check and writers renew.
    """

    # Whether other machines may use it.
    is_remote: ClassVar[bool]

    def __init__(
        self,
        place: Any,
        tables: Tables,
        *,
        patience: float = PATIENCE,
        timeout: float | None = None,
        new: bool = False,
        seal: Seal | None = None,
    ) -> None:
        self.place, self.tables, self.patience, self.new = place, tables, patience, new
        self.timeout, self.seal = timeout, seal
        self._lock = RLock()
        self._db: Any = None
        with _FORK:
            _RECORDS.add(self)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Yield a connection that sees one state of the record."""
        with self.transaction(write=False) as db:
            self._check_seal(db)
            yield db

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Yield the only writing connection; all of it is committed, or nothing."""
        with self.transaction(write=True) as db:
            self._check_seal(db)
            yield db
            if self.seal is not None:
                self.seal.renew(db)

    @abstractmethod
    def transaction(self, *, write: bool) -> AbstractContextManager[Connection]:
        """Yield a connection to a record that may be damaged; writers are alone."""

    @abstractmethod
    def joining(self, other: Connection) -> AbstractContextManager[Connection]:
        """Yield a writing connection: that of another record, if both are in one schema."""

    @abstractmethod
    def exists(self) -> bool:
        """Return whether there is such a record at the place, whatever its state."""

    @abstractmethod
    def structure_problems(self, db: Connection) -> Iterator[str]:
        """Describe damage that the database itself can find."""

    @abstractmethod
    def last_number(self, db: Connection, table: str) -> int | None:
        """Return the last number that a table gave, also to rows that are gone, if known."""

    @abstractmethod
    def home(self, db: Connection) -> str | None:
        """Return what tells a schema on a server from all others; None for a file."""

    @abstractmethod
    def vacuum(self) -> None:
        """Give back the space of what was removed."""

    @abstractmethod
    def size(self) -> int:
        """Return the bytes that it takes."""

    def _check_seal(self, db: Connection) -> None:
        if self.seal is not None:
            self.seal.check(db, self.place)

    def _migrate(self, db: Connection, version: int) -> None:
        """Run the steps from a version to the current one, if the seal is intact."""
        self.tables.check_version(version, self.place)  # a newer release may have been faster
        if version:
            self._check_seal(db)
        for number in range(version, self.tables.version):
            for statement in self.tables.statements(number, postgres=self.is_remote):
                db.execute(statement)
        if self.seal is not None:
            self.seal.renew(db)

    def _connection(self) -> Any:
        if self._db is None:
            self._db = self._connect()
            self.new = False
        return self._db

    @abstractmethod
    def _connect(self) -> Any:
        """Return a connection to a record of the current version."""

    @abstractmethod
    def _is_busy(self) -> bool:
        """Whether its connection is inside a transaction."""

    def __del__(self) -> None:
        db = getattr(self, "_db", None)
        if db is not None:
            db.close()  # Python 3.13 warns of connections that nobody closed

    def close(self) -> None:
        """Close the connection; it opens again when needed."""
        with self._lock:
            if self._db is not None:
                self._db.close()
            self._db = None


@contextmanager
def savepoint(db: Connection) -> Iterator[None]:
    """Undo what fails, so that the transaction can go on; PostgreSQL needs that."""
    db.execute("SAVEPOINT here")
    try:
        yield
    except database_errors():
        db.execute("ROLLBACK TO SAVEPOINT here")
        raise
    db.execute("RELEASE SAVEPOINT here")


def copy_rows(source: Connection, target: Connection, table: str) -> None:
    """Copy all rows of a table to the same table of another record."""
    with closing(source.cursor()) as cursor:
        cursor.execute(f"SELECT * FROM {table}")  # noqa: S608 - our own names
        names = [column[0] for column in cursor.description]
        marks = ", ".join("?" * len(names))
        query = f"INSERT INTO {table} ({', '.join(names)}) VALUES ({marks})"  # noqa: S608
        while rows := cursor.fetchmany(ROWS_AT_ONCE):
            try:
                target.executemany(query, rows)
            except database_errors():
                _check_no_nul(table, names, rows)
                raise


def _check_no_nul(table: str, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Say where a text is that PostgreSQL cannot store."""
    for row in rows:
        for name, value in zip(names, row, strict=True):
            if isinstance(value, str) and "\0" in value:
                raise StorageError(
                    f"{name} in {table}, where {names[0]} is {row[0]!r}, holds a NUL character, "
                    "which PostgreSQL cannot store.",
                    hint="Change it in the original by SQL.",
                )


# ---- processes that fork ------------------------------------------------------------------------

# All records of this process, those locked while it forks, and the lock for one fork at a time.
_RECORDS: WeakSet[Record] = WeakSet()
_FORKING: list[Record] = []
_FORK = RLock()


def _before_fork() -> None:
    """Lock and close all records: a connection must not be used across a fork.

    A thread that forks inside a transaction keeps its connection; its child must not use the
    record.
    """
    _FORK.acquire()
    _FORKING[:] = list(_RECORDS)
    for record in _FORKING:
        record._lock.acquire()
        if record._db is not None and not record._is_busy():
            record.close()


def _after_fork() -> None:
    while _FORKING:
        _FORKING.pop()._lock.release()
    _FORK.release()


if hasattr(os, "register_at_fork"):  # not on Windows, where nothing forks
    os.register_at_fork(
        before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork
    )


# ---- errors -------------------------------------------------------------------------------------

SQLITE_PROBLEMS: dict[int, str] = {
    sqlite3.SQLITE_BUSY: "other processes have been writing for too long. Try again.",
    sqlite3.SQLITE_FULL: "the disk is full. Make room and try again; nothing was lost.",
    sqlite3.SQLITE_READONLY: "it may not be written. Check the permissions of the folder.",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened. Check that the folder is there and may be "
    "written.",
    sqlite3.SQLITE_IOERR: "the disk failed, or is full. Nothing that was acknowledged is lost.",
    sqlite3.SQLITE_CORRUPT: DAMAGED,
    sqlite3.SQLITE_NOTADB: "it is damaged, or no record of rocch's. Restore the last backup.",
}
NO_RIGHT = "this user may not do that. Ask for the right to use the schema, or to create it."
# By the codes of PostgreSQL, "sqlstate".
POSTGRES_PROBLEMS = {
    "55P03": SQLITE_PROBLEMS[sqlite3.SQLITE_BUSY],
    "53100": SQLITE_PROBLEMS[sqlite3.SQLITE_FULL],
    "25006": "it may not be written: the server is a standby, or read-only.",
    "40P01": SQLITE_PROBLEMS[sqlite3.SQLITE_BUSY],
    "42501": NO_RIGHT,
    "3F000": NO_RIGHT,  # no schema to make tables in
    "42P01": DAMAGED,
    "42703": DAMAGED,
    "XX001": DAMAGED,
    "XX002": DAMAGED,
}


def database_errors() -> tuple[type[Exception], ...]:
    """Return the errors of the databases in use."""
    psycopg = sys.modules.get("psycopg")
    return (sqlite3.Error,) if psycopg is None else (sqlite3.Error, psycopg.Error)


def explain_database_error(error: Exception) -> str:
    """Return what went wrong in a database, and what to do, without naming the place."""
    if isinstance(error, sqlite3.Error):
        code = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
        return SQLITE_PROBLEMS.get(code, f"{error}.")
    state = getattr(error, "sqlstate", None)
    if state in POSTGRES_PROBLEMS:
        return POSTGRES_PROBLEMS[state]
    reason = first_line(error).rstrip(".")
    is_reached = state is not None and not state.startswith(("08", "57P", "53"))
    if not is_reached and isinstance(error, sys.modules["psycopg"].OperationalError):
        return f"the database cannot be reached: {reason}."
    return f"{reason}."


@contextmanager
def storage_errors(place: object) -> Iterator[None]:
    """Turn errors of databases and the system into `StorageError`."""
    try:
        yield
    except (DamageError, json.JSONDecodeError, UnicodeDecodeError) as error:
        raise StorageError(f"{place}: {DAMAGED}") from error
    except OSError as error:
        if isinstance(error, StorageError):
            raise
        where = error.filename or place
        raise StorageError(f"{where} cannot be used: {error.strerror or error}.") from error
    except Exception as error:
        if isinstance(error, database_errors()):
            raise StorageError(f"{place}: {explain_database_error(error)}") from error
        raise
