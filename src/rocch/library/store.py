"""A record in SQLite that many processes may use at once.

The journal is a write-ahead log (WAL): readers never wait, writers wait for one another, and what
was committed survives the end of any process at any moment. `synchronous = FULL` lets it survive a
power cut too. WAL needs a local disk.
"""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import contextmanager
from threading import RLock
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakSet

from rocch.errors import StorageError
from rocch.library.tables import version_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rocch.library.tables import Tables

Kind = TypeVar("Kind")

PATIENCE = 120.0
"""For how many seconds a writer waits for others."""

DAMAGED = "it is damaged. Restore the last backup."


class DamageError(Exception):
    """A column of a record holds what was never written there."""


class Record:
    """A connection to a record, opened when needed.

    In a folder that may not be written it can still be read.

    Parameters
    ----------
    path
        The file.
    tables
        What it consists of.
    patience
        For how many seconds a writer waits for others.
    new
        Whether an empty file is to become a record; otherwise it is one that lost everything.
    """

    def __init__(
        self, path: Path, tables: Tables, *, patience: float = PATIENCE, new: bool = False
    ) -> None:
        self.path, self.tables, self.patience, self.new = path, tables, patience, new
        self._lock = RLock()
        self._db: sqlite3.Connection | None = None
        with _FORK:
            _RECORDS.add(self)

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection that sees one state of the record, whatever others write."""
        with self._transaction("BEGIN") as db:
            yield db

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection that alone may write; all of it is committed, or nothing."""
        with self._transaction("BEGIN IMMEDIATE") as db:
            yield db

    @contextmanager
    def alone(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection outside any transaction, for what SQLite does on its own."""
        with self._lock, told(self.path):
            yield self._connection()

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[sqlite3.Connection]:
        with self._lock, told(self.path):
            still = _stillness(self.path)
            db = self._connection()
            db.execute(begin)
            try:
                yield db
                db.execute("COMMIT")
            except BaseException:
                if db.in_transaction:
                    db.execute("ROLLBACK")
                raise
            finally:
                if still is not None:
                    self.close()
            if still is not None and still != _stillness(self.path):
                raise StorageError(f"{self.path} was changed while it was read. Try again.")

    def _connection(self) -> sqlite3.Connection:
        if self._db is None:
            self._db = self._opened()
        return self._db

    def _opened(self) -> sqlite3.Connection:
        db = sqlite3.connect(
            address(self.path),
            uri=True,
            timeout=self.patience,
            isolation_level=None,
            check_same_thread=False,
        )
        try:
            self.tables.check(db, self.path, new=self.new)
            _write_ahead(db, self.patience)
            for setting in ("synchronous = FULL", "foreign_keys = ON"):
                db.execute(f"PRAGMA {setting}")
            if version_of(db) < self.tables.version:
                db.execute("BEGIN IMMEDIATE")
                self.migrate(db)  # which looks again: another may have done it
                db.execute("COMMIT")
        except BaseException:
            db.close()
            raise
        self.new = False
        return db

    def migrate(self, db: sqlite3.Connection) -> None:
        """Bring the record to the present version, while nobody else can write."""
        self.tables.migrate(db)

    def close(self) -> None:
        """Close the connection; it opens again when needed."""
        with self._lock:
            if self._db is not None:
                self._db.close()
            self._db = None

    def before_fork(self) -> None:
        """Wait for what is going on, and close: SQLite cannot carry a connection across a fork.

        Its locks are the process's own, so parent and child would each believe to hold them. A
        thread that forks in the midst of its own transaction keeps its connection, and its child
        must not use the record.
        """
        self._lock.acquire()
        if self._db is not None and not self._db.in_transaction:
            self.close()

    def after_fork(self) -> None:
        """Go on, in parent and child; the connection opens again when needed."""
        self._lock.release()


_RECORDS: WeakSet[Record] = WeakSet()
"""All records of this process, for the moment in which it forks."""

_FORKING: list[Record] = []
"""Those that were locked for it, in the order in which they were."""

_FORK = RLock()
"""Held while a thread forks, so that one does at a time."""


def _before_fork() -> None:
    _FORK.acquire()
    _FORKING[:] = list(_RECORDS)
    for record in _FORKING:
        record.before_fork()


def _after_fork() -> None:
    while _FORKING:
        _FORKING.pop().after_fork()
    _FORK.release()


if hasattr(os, "register_at_fork"):  # not on Windows, where nothing forks
    os.register_at_fork(
        before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork
    )


def _write_ahead(db: sqlite3.Connection, patience: float) -> None:
    """Turn the write-ahead log on; here SQLite does not wait for others by itself."""
    end = monotonic() + patience
    while True:
        try:
            db.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or monotonic() > end:
                raise
            sleep(0.01)
        else:
            return


def address(path: Path) -> str:
    """Return how SQLite shall open a record: never a new one in place of one that vanished."""
    how = "mode=rw" if _stillness(path) is None else "immutable=1"
    return f"{path.absolute().as_uri()}?{how}"


def _stillness(path: Path) -> tuple[int, int] | None:
    """Return when a record was last changed, and its size, if it must be read as it lies there.

    That is so in a folder that may not be written, where SQLite can make no lock files. Without
    them it would not notice if somebody else wrote, so this is compared before and after. A log
    beside the record needs SQLite's own way, which works if its lock file is there too.
    """
    log = path.with_name(f"{path.name}-wal")
    if os.access(path.parent, os.W_OK) or (log.exists() and log.stat().st_size):
        return None
    about = path.stat()
    return about.st_mtime_ns, about.st_size


@contextmanager
def told(path: object) -> Iterator[None]:
    """Turn what SQLite and the system say about a file into one clear error."""
    try:
        yield
    except sqlite3.Error as error:
        raise StorageError(f"{path}: {_why(error)}") from error
    except (DamageError, json.JSONDecodeError, UnicodeDecodeError) as error:
        raise StorageError(f"{path}: {DAMAGED}") from error
    except OSError as error:
        if isinstance(error, StorageError):
            raise
        where = error.filename or path
        raise StorageError(f"{where} cannot be used: {error.strerror or error}.") from error


def _why(error: sqlite3.Error) -> str:
    code = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
    said: dict[int, str] = {
        sqlite3.SQLITE_BUSY: "others have been writing for too long. Try again.",
        sqlite3.SQLITE_FULL: "the disk is full. Make room and try again; nothing was lost.",
        sqlite3.SQLITE_READONLY: "it may not be written. Check the permissions of the folder.",
        sqlite3.SQLITE_CANTOPEN: "it cannot be opened. Check that the folder is there and may be "
        "written.",
        sqlite3.SQLITE_IOERR: "the disk failed, or is full. Nothing that was acknowledged is lost.",
        sqlite3.SQLITE_CORRUPT: DAMAGED,
        sqlite3.SQLITE_NOTADB: "it is damaged, or no record of rocch's. Restore the last backup.",
    }
    return said.get(code, f"{error}.")


def rows(db: sqlite3.Connection, query: str, *values: Any) -> list[sqlite3.Row]:
    """Return all rows of a query, with columns by name."""
    cursor = db.cursor()
    cursor.row_factory = sqlite3.Row
    return cursor.execute(query, values).fetchall()


def stored(text: str, kind: type[Kind]) -> Kind:
    """Return the JSON of a column, which must be of one kind: a `dict`, or a `list` of texts."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DamageError(text[:80]) from error
    if not isinstance(found, kind) or (kind is list and not are_texts(found)):
        raise DamageError(text[:80])
    return found


def are_texts(values: Any) -> bool:
    """Say whether what JSON holds is a list of texts."""
    return isinstance(values, list) and all(isinstance(value, str) for value in values)
