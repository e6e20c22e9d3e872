"""A record in SQLite that many processes may use at once.

The journal is a write-ahead log (WAL): readers never wait, writers wait for one another, and what
was committed survives the end of any process at any moment. `synchronous = FULL` lets it survive a
power cut too. WAL needs a local disk.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import contextmanager
from threading import RLock
from typing import TYPE_CHECKING, Any

from rocch.errors import StorageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

PATIENCE = 120.0
"""For how many seconds a writer waits for others."""


class Record:
    """A connection to a record, opened when needed, anew after a fork.

    Parameters
    ----------
    path
        The file.
    check
        Refuses a record that cannot be used, given the connection and the path.
    migrate
        Brings an older record to the present version; called while nobody else can write.
    outdated
        Says whether that is needed.
    """

    def __init__(
        self,
        path: Path,
        *,
        check: Callable[[sqlite3.Connection, Path], None],
        migrate: Callable[[sqlite3.Connection], None],
        outdated: Callable[[sqlite3.Connection], bool],
    ) -> None:
        self.path = path
        self._check, self._migrate, self._outdated = check, migrate, outdated
        self._lock = RLock()
        self._db: sqlite3.Connection | None = None
        self._owner = 0

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
            db = self._connection()
            db.execute(begin)
            try:
                yield db
                db.execute("COMMIT")
            except BaseException:
                if db.in_transaction:
                    db.execute("ROLLBACK")
                raise

    def _connection(self) -> sqlite3.Connection:
        if self._db is not None and self._owner == os.getpid():
            return self._db
        # a connection must not be used, or even closed, by a forked child: it is forgotten there
        self._db, self._owner = self._opened(), os.getpid()
        return self._db

    def _opened(self) -> sqlite3.Connection:
        db = sqlite3.connect(
            self.path, timeout=PATIENCE, isolation_level=None, check_same_thread=False
        )
        try:
            self._check(db, self.path)
            for setting in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
                db.execute(f"PRAGMA {setting}")
            if self._outdated(db):
                db.execute("BEGIN IMMEDIATE")
                self._migrate(db)  # again from the start of the lock: another may have done it
                db.execute("COMMIT")
        except BaseException:
            db.close()
            raise
        return db

    def close(self) -> None:
        """Close the connection; it opens again when needed."""
        with self._lock:
            if self._db is not None and self._owner == os.getpid():
                self._db.close()
            self._db = None


@contextmanager
def told(path: object) -> Iterator[None]:
    """Turn what SQLite and the system say about a file into one clear error."""
    try:
        yield
    except sqlite3.Error as error:
        raise StorageError(f"{path}: {_why(error)}") from error
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
        sqlite3.SQLITE_CORRUPT: "it is damaged. Restore the last backup.",
        sqlite3.SQLITE_NOTADB: "it is damaged, or no record of rocch's. Restore the last backup.",
    }
    return said.get(code, f"{error}.")


def rows(db: sqlite3.Connection, query: str, *values: Any) -> list[sqlite3.Row]:
    """Return all rows of a query, with columns by name."""
    cursor = db.cursor()
    cursor.row_factory = sqlite3.Row
    return cursor.execute(query, values).fetchall()
