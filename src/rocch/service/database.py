"""A SQLite file that keeps its word: what was committed is on the disk, whatever happens next.

One connection behind one lock serves all threads. Errors of SQLite are said in the house's words.
"""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING

from rocch.errors import StorageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SECONDS_TO_WAIT = 10
"""How long another process may hold the file before one gives up."""

ADVICE = {
    "SQLITE_FULL": "Free some space on its disk.",
    "SQLITE_READONLY": "Check the permissions of the file and of its folder.",
    "SQLITE_CANTOPEN": "Check that its folder is there, and the permissions.",
    "SQLITE_PERM": "Check the permissions of the file and of its folder.",
    "SQLITE_BUSY": "Another process holds it; end that one.",
    "SQLITE_LOCKED": "Another process holds it; end that one.",
    "SQLITE_NOTADB": "It is damaged, or no such record; put a backup in its place.",
    "SQLITE_CORRUPT": "It is damaged; put a backup in its place.",
    "SQLITE_IOERR": "Check the disk.",
}


class Database:
    """A SQLite file with a numbered schema.

    Parameters
    ----------
    path
        Where it lies, on a local disk; a new one is made where there is none.
    schema
        The statements that lead from each version of the schema to the next; the first from an
        empty file.

    Raises
    ------
    StorageError
        If it cannot be opened, is damaged, or was written by a newer release.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from rocch.service.database import Database
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     database = Database(
    ...         pathlib.Path(folder, "notes.sqlite"), [["CREATE TABLE notes (said TEXT)"]]
    ...     )
    ...     with database.writing() as connection:
    ...         connection.execute("INSERT INTO notes VALUES ('good morning')").rowcount
    ...     with database.reading() as connection:
    ...         connection.execute("SELECT said FROM notes").fetchall()
    ...     database.close()
    1
    [('good morning',)]
    """

    def __init__(self, path: str | Path, schema: Sequence[Sequence[str]]) -> None:
        self.path = Path(path)
        self._lock = RLock()
        with self._in_words("opened"):
            self._connection = sqlite3.connect(
                self.path, SECONDS_TO_WAIT, isolation_level=None, check_same_thread=False
            )
        try:
            self._settle()
            self._migrate(schema)
        except BaseException:
            self._connection.close()
            raise

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Give the connection for questions."""
        with self._lock, self._in_words("read"):
            yield self._connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Give the connection for changes, which are all on the disk afterwards, or none is.

        Nobody else, in no process, writes meanwhile; so what is read here stays true until then.
        """
        with self._lock, self._in_words("written"):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:  # SQLite ends some failed ones by itself
                    self._connection.execute("ROLLBACK")
                raise

    def close(self) -> None:
        """Close the file; what was committed stays."""
        with self._lock:
            self._connection.close()

    def _settle(self) -> None:
        with self._in_words("opened"):
            (mode,) = self._connection.execute("PRAGMA journal_mode = WAL").fetchone()
            self._connection.execute("PRAGMA synchronous = FULL")
        if mode != "wal":
            raise StorageError(
                f"{str(self.path)!r} cannot be opened: its disk allows no write-ahead log (mode "
                f"{mode!r}). Keep it on a local disk."
            )

    def _migrate(self, schema: Sequence[Sequence[str]]) -> None:
        """Bring the schema up to date, at once and whole."""
        with self.writing() as connection:
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            if version > len(schema):
                raise StorageError(
                    f"{str(self.path)!r} has schema version {version}, and this release knows "
                    f"those up to {len(schema)}. Use the newer release that wrote it."
                )
            if tables and not version:
                raise StorageError(
                    f"{str(self.path)!r} is a database of another kind. Name another place."
                )
            for statements in schema[version:]:
                for statement in statements:
                    connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {len(schema)}")

    @contextmanager
    def _in_words(self, done: str) -> Iterator[None]:
        try:
            yield
        except sqlite3.ProgrammingError as error:
            raise StorageError(f"{str(self.path)!r} cannot be {done}: {error}") from None
        except sqlite3.DatabaseError as error:
            name = getattr(error, "sqlite_errorname", None) or "SQLITE_ERROR"
            advice = ADVICE.get("_".join(name.split("_")[:2]), "Check the file.")
            raise StorageError(
                f"{str(self.path)!r} cannot be {done}: {error} ({name}). {advice}"
            ) from error
