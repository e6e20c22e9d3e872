"""Records in SQLite files."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep

from rocch.database.record import Connection, Record, Tables, storage_errors
from rocch.errors import StorageError


class SqliteRecord(Record):
    """A record in a file.

    It uses a write-ahead log (WAL) on a local disk: readers never wait, writers wait for one
    another, and commits survive crashes and power cuts.
    """

    is_remote = False
    place: Path

    @contextmanager
    def transaction(self, *, write: bool) -> Iterator[Connection]:
        """Yield a connection to a record that may be damaged; writers are alone."""
        with self._lock, storage_errors(self.place):
            stamp = _read_only_stamp(self.place)
            db = self._connection()
            db.execute("BEGIN IMMEDIATE" if write else "BEGIN")
            try:
                if write:
                    self.tables.check_version(sqlite_version(db), self.place)  # others may migrate
                yield db
                db.execute("COMMIT")
            except BaseException:
                if db.in_transaction:
                    db.execute("ROLLBACK")
                raise
            finally:
                if stamp is not None:
                    self.close()
            if stamp is not None and stamp != _read_only_stamp(self.place):
                raise StorageError(
                    f"{self.place} was changed while it was read.",
                    hint="Try again.",
                )

    def joining(self, _other: Connection) -> AbstractContextManager[Connection]:
        """Yield a writing connection of its own: each record is a file."""
        return self.writing()

    def exists(self) -> bool:
        """Return whether there is such a record at the place, whatever its state."""
        return self.place.is_file()

    def structure_problems(self, db: Connection) -> Iterator[str]:
        """Describe damage that the database itself can find."""
        for (result,) in db.execute("PRAGMA integrity_check").fetchall():
            if result != "ok":
                yield f"the record is damaged: {result}. Restore the last backup."
        for table, *_ in db.execute("PRAGMA foreign_key_check").fetchall():
            yield f"the record is damaged: {table} refers to a classifier that is not there."

    def last_number(self, db: Connection, table: str) -> int | None:
        """Return the last number that a table gave, also to rows that are gone."""
        query = "SELECT seq FROM sqlite_sequence WHERE name = ?"
        found = db.execute(query, (table,)).fetchone()
        return int(found[0]) if found else 0

    def home(self, _db: Connection) -> None:
        """Return None: it is a file."""

    def vacuum(self) -> None:
        """Give back the space of what was removed."""
        with self._lock, storage_errors(self.place):
            db = self._connection()
            db.execute("VACUUM")
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def size(self) -> int:
        """Return the bytes that it takes."""
        total = 0
        for place in (self.place, self.place.with_name(f"{self.place.name}-wal")):
            with suppress(FileNotFoundError):
                total += place.stat().st_size
        return total

    def _connect(self) -> sqlite3.Connection:
        db = sqlite3.connect(
            _uri(self.place),
            uri=True,
            timeout=self.patience,
            isolation_level=None,
            check_same_thread=False,
        )
        try:
            check_sqlite(db, self.tables, self.place, new=self.new)
            _write_ahead(db, self.patience)
            for setting in ("synchronous = FULL", "foreign_keys = ON"):
                db.execute(f"PRAGMA {setting}")
            if sqlite_version(db) < self.tables.version:
                db.execute("BEGIN IMMEDIATE")
                self._migrate(db, sqlite_version(db))  # again: others may have been faster
                db.execute(f"PRAGMA user_version = {self.tables.version}")
                db.execute(f"PRAGMA application_id = {self.tables.application}")
                db.execute("COMMIT")
        except BaseException:
            db.close()
            raise
        return db

    def _is_busy(self) -> bool:
        return bool(self._db.in_transaction)


def sqlite_version(db: sqlite3.Connection) -> int:
    """Return the version of a record's tables; 0 for an empty file."""
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def check_sqlite(db: sqlite3.Connection, tables: Tables, path: object, *, new: bool) -> None:
    """Refuse files of another kind, empty ones, and those of a newer release."""
    application = db.execute("PRAGMA application_id").fetchone()[0]
    version = sqlite_version(db)
    count = db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if application != tables.application and (version or application or count):
        raise StorageError(
            f"{path} is the record of another program.",
            hint="Choose another path, or move the file.",
        )
    if not version > 0 and not (new and version == 0):
        raise StorageError(
            f"{path} is empty: its content was lost, or it was never finished.",
            hint="Restore the last backup; or remove it, if it was never used.",
        )
    tables.check_version(version, path)


def _write_ahead(db: sqlite3.Connection, patience: float) -> None:
    """Turn on the write-ahead log; here SQLite itself does not wait for others."""
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


def _uri(path: Path) -> str:
    """Return the URI of an existing record; SQLite must not create one."""
    how = "mode=rw" if _read_only_stamp(path) is None else "immutable=1"
    return f"{path.absolute().as_uri()}?{how}"


def _read_only_stamp(path: Path) -> tuple[int, int] | None:
    """Return a record's time of change and size if its folder may not be written, else None."""
    # SQLite cannot lock there, so changes are noticed by comparing before and after. A log beside
    # the record needs SQLite's usual way.
    log = path.with_name(f"{path.name}-wal")
    if os.access(path.parent, os.W_OK) or (log.exists() and log.stat().st_size):
        return None
    about = path.stat()
    return about.st_mtime_ns, about.st_size
