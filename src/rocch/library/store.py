"""Storage of a library: a versioned SQLite record with a seal, and files named by their digests."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import RLock
from time import monotonic, sleep
from typing import Any, TypeAlias, TypeVar
from weakref import WeakSet

from rocch.errors import InputError, StorageError
from rocch.files import digest_of, replace_file, sync_folder

Kind = TypeVar("Kind")

# A row of a table, by column.
Row: TypeAlias = dict[str, Any]

# Seconds that a writer waits for others.
PATIENCE = 120.0

DAMAGED = "it is damaged. Restore the last backup."


class DamageError(Exception):
    """A column of a record with invalid content."""


@dataclass(frozen=True, slots=True)
class Tables:
    """The schema of a kind of record; older versions are migrated, newer ones refused.

    Attributes
    ----------
    application
        SQLite's `application_id`, which marks the file as such a record.
    steps
        The statements from version i to i + 1, the first from an empty file.
    """

    application: int
    steps: tuple[str, ...]

    @property
    def version(self) -> int:
        """The current version."""
        return len(self.steps)

    def check(self, db: sqlite3.Connection, path: object, *, new: bool) -> None:
        """Refuse files of another kind, empty ones, and those of a newer release."""
        application = db.execute("PRAGMA application_id").fetchone()[0]
        version = version_of(db)
        tables = db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if application != self.application and (version or application or tables):
            raise StorageError(
                f"{path} is the record of another program.",
                hint="Choose another path, or move the file.",
            )
        if not version > 0 and not (new and version == 0):
            raise StorageError(
                f"{path} is empty: its content was lost, or it was never finished.",
                hint="Restore the last backup; or remove it, if it was never used.",
            )
        if version > self.version:
            raise StorageError(
                f"{path} has version {version}; this release of rocch reads up to {self.version}.",
                hint="Upgrade rocch.",
            )

    def migrate(self, db: sqlite3.Connection) -> None:
        """Migrate a record to the current version, under the write lock."""
        for version in range(version_of(db), self.version):
            for statement in self.steps[version].split(";\n"):
                db.execute(statement)
            db.execute(f"PRAGMA user_version = {version + 1}")
        db.execute(f"PRAGMA application_id = {self.application}")


def version_of(db: sqlite3.Connection) -> int:
    """Return the version of a record's tables; 0 for an empty file."""
    return int(db.execute("PRAGMA user_version").fetchone()[0])


class Record:
    """A SQLite record that many processes may use at once; opened when needed.

    It uses a write-ahead log (WAL) on a local disk: readers never wait, writers wait for one
    another, and commits survive crashes and power cuts.

    Parameters
    ----------
    path
        The file.
    tables
        Its schema.
    patience
        How many seconds a writer waits for others.
    new
        Whether an empty file may become a record; otherwise it counts as lost.
    """

    def __init__(
        self, path: Path, tables: Tables, *, patience: float = PATIENCE, new: bool = False
    ) -> None:
        self.path, self.tables, self.patience, self.new = path, tables, patience, new
        self._lock = RLock()
        self._db: sqlite3.Connection | None = None
        with _FORK:
            _RECORDS.add(self)

    def reading(self) -> AbstractContextManager[sqlite3.Connection]:
        """Yield a connection that sees one state of the record."""
        return self._transaction("BEGIN")

    def writing(self) -> AbstractContextManager[sqlite3.Connection]:
        """Yield the only writing connection; all of it is committed, or nothing."""
        return self._transaction("BEGIN IMMEDIATE")

    @contextmanager
    def without_transaction(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection outside any transaction, as VACUUM needs."""
        with self._lock, storage_errors(self.path):
            yield self._connection()

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[sqlite3.Connection]:
        with self._lock, storage_errors(self.path):
            stamp = _read_only_stamp(self.path)
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
                if stamp is not None:
                    self.close()
            if stamp is not None and stamp != _read_only_stamp(self.path):
                raise StorageError(
                    f"{self.path} was changed while it was read.",
                    hint="Try again.",
                )

    def _connection(self) -> sqlite3.Connection:
        if self._db is None:
            self._db = self._connect()
        return self._db

    def _connect(self) -> sqlite3.Connection:
        db = sqlite3.connect(
            sqlite_uri(self.path),
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
                self.migrate(db)  # checks the version again: another process may have done it
                db.execute("COMMIT")
        except BaseException:
            db.close()
            raise
        self.new = False
        return db

    def migrate(self, db: sqlite3.Connection) -> None:
        """Migrate the record to the current version, under the write lock."""
        self.tables.migrate(db)

    def close(self) -> None:
        """Close the connection; it opens again when needed."""
        with self._lock:
            if self._db is not None:
                self._db.close()
            self._db = None


# All records of this process, those locked while it forks, and the lock for one fork at a time.
_RECORDS: WeakSet[Record] = WeakSet()
_FORKING: list[Record] = []
_FORK = RLock()


def _before_fork() -> None:
    """Lock and close all records: a SQLite connection must not be used across a fork.

    A thread that forks inside a transaction keeps its connection; its child must not use the
    record.
    """
    _FORK.acquire()
    _FORKING[:] = list(_RECORDS)
    for record in _FORKING:
        record._lock.acquire()
        if record._db is not None and not record._db.in_transaction:
            record.close()


def _after_fork() -> None:
    while _FORKING:
        _FORKING.pop()._lock.release()
    _FORK.release()


if hasattr(os, "register_at_fork"):  # not on Windows, where nothing forks
    os.register_at_fork(
        before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork
    )


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


def sqlite_uri(path: Path) -> str:
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


@contextmanager
def storage_errors(path: object) -> Iterator[None]:
    """Turn errors of SQLite and the system into `StorageError`."""
    try:
        yield
    except sqlite3.Error as error:
        raise StorageError(f"{path}: {_explain(error)}") from error
    except (DamageError, json.JSONDecodeError, UnicodeDecodeError) as error:
        raise StorageError(f"{path}: {DAMAGED}") from error
    except OSError as error:
        if isinstance(error, StorageError):
            raise
        where = error.filename or path
        raise StorageError(f"{where} cannot be used: {error.strerror or error}.") from error


def check_empty(folder: Path, argument: str) -> None:
    """Refuse a path that is neither new nor an empty folder."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(argument, "be an empty folder, or a new one", repr(str(folder)))


def _explain(error: sqlite3.Error) -> str:
    code = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
    known: dict[int, str] = {
        sqlite3.SQLITE_BUSY: "other processes have been writing for too long. Try again.",
        sqlite3.SQLITE_FULL: "the disk is full. Make room and try again; nothing was lost.",
        sqlite3.SQLITE_READONLY: "it may not be written. Check the permissions of the folder.",
        sqlite3.SQLITE_CANTOPEN: "it cannot be opened. Check that the folder is there and may be "
        "written.",
        sqlite3.SQLITE_IOERR: "the disk failed, or is full. Nothing that was acknowledged is lost.",
        sqlite3.SQLITE_CORRUPT: DAMAGED,
        sqlite3.SQLITE_NOTADB: "it is damaged, or no record of rocch's. Restore the last backup.",
    }
    return known.get(code, f"{error}.")


def fetch(db: sqlite3.Connection, query: str, *values: object) -> list[Row]:
    """Return all rows of a query, with columns by name."""
    cursor = db.execute(query, values)
    names = [column for column, *_ in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor]


def insert(
    db: sqlite3.Connection, table: str, columns: Mapping[str, object], *, replace: bool = False
) -> int:
    """Write a row, perhaps replacing the one with its key; return its number."""
    names, marks = ", ".join(columns), ", ".join("?" * len(columns))
    verb = "INSERT OR REPLACE" if replace else "INSERT"
    query = f"{verb} INTO {table} ({names}) VALUES ({marks})"
    return int(db.execute(query, tuple(columns.values())).lastrowid or 0)


def load_json(text: str, kind: type[Kind]) -> Kind:
    """Return the JSON of a column, a `dict` or a `list` of texts."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DamageError(text[:80]) from error
    if not isinstance(found, kind) or (kind is list and not are_texts(found)):
        raise DamageError(text[:80])
    return found


def are_texts(values: object) -> bool:
    """Return whether JSON data are a list of texts."""
    return isinstance(values, list) and all(isinstance(value, str) for value in values)


# The record and the folder of files in a library's folder.
RECORD, OBJECTS = "library.sqlite", "objects"

# Marks the file as a library's record ("ROCH"), as SQLite's `application_id`.
APPLICATION = 0x524F4348

# Points are stored as counts, and only those on the joint hull: a library does not grow with the
# classifiers that are discarded.
FIRST = """
CREATE TABLE library (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    created_at TEXT NOT NULL,
    bounds TEXT,                -- the conditions that the library is for, as plain data
    slope_low REAL,             -- and the slopes that they allow
    slope_high REAL,
    negatives INTEGER,          -- the evaluation rows, once a classifier was added
    positives INTEGER,
    unit REAL,
    weighted INTEGER,
    labels_print BLOB,
    ids_print BLOB,
    labels TEXT,                -- the two labels, the positive one last, as plain data
    offered INTEGER NOT NULL DEFAULT 0,
    discarded INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE classifiers (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('kept', 'driven out', 'pruned')),
    scoring INTEGER NOT NULL,
    negatives INTEGER NOT NULL,
    positives INTEGER NOT NULL,
    unit REAL NOT NULL,
    weighted INTEGER NOT NULL,
    labels_print BLOB,
    ids_print BLOB,
    curve TEXT,                 -- the digest of the file with its full curve
    model TEXT,                 -- the digest of the file with the fitted model
    print TEXT NOT NULL,        -- a fingerprint of its curve, to recognize it
    whole INTEGER NOT NULL,     -- whether all of its points are stored
    added_at TEXT NOT NULL,
    added_by TEXT NOT NULL,
    parameters TEXT NOT NULL,
    tags TEXT NOT NULL,
    note TEXT NOT NULL,
    left_at TEXT
) STRICT;

CREATE UNIQUE INDEX kept_names ON classifiers (name) WHERE state = 'kept';

CREATE TABLE points (
    classifier INTEGER NOT NULL REFERENCES classifiers (id) ON DELETE CASCADE,
    place INTEGER NOT NULL,
    false_positives INTEGER NOT NULL,
    true_positives INTEGER NOT NULL,
    threshold REAL,             -- the lowest observed score that alarms
    next_lower REAL,
    setting TEXT,
    PRIMARY KEY (classifier, place)
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    by TEXT NOT NULL,
    kind TEXT NOT NULL,
    detail TEXT NOT NULL
) STRICT;

CREATE TABLE exports (
    version INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    by TEXT NOT NULL,
    note TEXT NOT NULL,
    file TEXT NOT NULL,
    classifiers TEXT NOT NULL
) STRICT;

CREATE TABLE seal (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    print TEXT NOT NULL         -- a fingerprint of the content, to notice damage
) STRICT;
"""

# The schema of a library's record.
TABLES = Tables(APPLICATION, (FIRST,))

# Digests, and the names of folders and files made of them.
DIGEST = re.compile("[0-9a-f]{64}")
FOLDER = re.compile("[0-9a-f]{2}")
FILE = re.compile(r"[0-9a-f]{62}|\.incoming-[0-9a-f]{12}")


class Objects:
    """A folder of files named by their digests, the SHA-256 of their content.

    Files are written and removed only under the record's write lock.

    Parameters
    ----------
    folder
        The folder, made with the first file.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, digest: str) -> Path:
        """Return the path for a digest; refuse anything else, and linked folders."""
        # a changed record could otherwise have any file read or removed
        for problem in digest_problems([digest]):
            raise StorageError(f"{self.folder.parent}: {problem}")
        for folder in (self.folder, self.folder / digest[:2]):
            _check_not_link(folder)
        return self.folder / digest[:2] / digest[2:]

    def put(self, content: bytes) -> str:
        """Write a file unless it exists undamaged; return its digest."""
        digest = digest_of(content)
        place = self.path(digest)
        if not place.exists() or digest_of(place.read_bytes()) != digest:
            place.parent.mkdir(parents=True, exist_ok=True)
            with replace_file(place) as temporary:
                temporary.write_bytes(content)
        # also for an existing file: its writer may have been interrupted before this
        for folder in (place.parent, self.folder, self.folder.parent):
            sync_folder(folder)
        return digest

    def get(self, digest: str) -> bytes:
        """Return the content of a file after checking its digest."""
        place = self.path(digest)
        try:
            content = place.read_bytes()
        except FileNotFoundError:
            raise StorageError(
                f"{place} is missing.",
                hint="Restore it from a backup.",
            ) from None
        if digest_of(content) != digest:
            raise StorageError(
                f"{place} is damaged.",
                hint="Restore it from a backup.",
            )
        return content

    def sweep(self, wanted: Iterable[str]) -> list[Path]:
        """Remove all files but those wanted; return the removed ones."""
        keep = {self.path(digest) for digest in wanted}
        gone = [place for place in self.files() if place not in keep]
        for place in gone:
            place.unlink(missing_ok=True)
        return gone

    def files(self) -> list[Path]:
        """Return all files of the library, also temporary ones, but no foreign ones."""
        _check_not_link(self.folder)
        if not self.folder.is_dir():
            return []
        folders = [place for place in self.folder.iterdir() if FOLDER.fullmatch(place.name)]
        for folder in folders:
            _check_not_link(folder)
        found = (place for folder in folders if folder.is_dir() for place in folder.iterdir())
        return sorted(place for place in found if FILE.fullmatch(place.name) and place.is_file())


def digest_problems(names: Iterable[object]) -> Iterator[str]:
    """Describe file names of a record that are no digests."""
    for name in names:
        if not isinstance(name, str) or not DIGEST.fullmatch(name):
            yield (
                f"the record is damaged: it names the file {name!r:.80}, and files are named by 64 "
                "hexadecimal digits. Restore the last backup."
            )


def _check_not_link(folder: Path) -> None:
    """Refuse a link, which may lead to foreign files."""
    if folder.is_symlink():
        raise StorageError(
            f"{folder} must be a folder of the library; it is a link.",
            hint="Replace it by the folder that it points to.",
        )


def used_files(db: sqlite3.Connection) -> dict[str, str]:
    """Return every file that the record refers to, with a description."""
    files: dict[str, str] = {}
    for row in fetch(db, "SELECT name, curve, model FROM classifiers"):
        for kind in ("curve", "model"):
            if row[kind] is not None:
                files[row[kind]] = f"the {kind} of {row['name']!r}"
    for row in fetch(db, "SELECT version, file FROM exports"):
        files[row["file"]] = f"export {row['version']}"
    return files


# Everything that the hull depends on.
CONTENT = (
    "SELECT * FROM library",
    "SELECT * FROM classifiers WHERE state = 'kept' ORDER BY id",
    "SELECT * FROM points ORDER BY classifier, place",
    "SELECT * FROM exports ORDER BY version",
)


class SealedRecord(Record):
    """A library's record and files, with a seal that readers check and writers renew.

    The seal is a fingerprint of the content. SQLite checks its structure only; a flipped bit in a
    count would silently change the hull.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / RECORD, TABLES)
        self.objects = Objects(folder / OBJECTS)

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection that sees one state of the record."""
        with super().reading() as db:
            self._check_seal(db)
            yield db

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Yield the only writing connection; all of it is committed, or nothing."""
        with super().writing() as db:
            self._check_seal(db)
            yield db
            _seal(db)

    def migrate(self, db: sqlite3.Connection) -> None:
        """Migrate the record to the current version, if the seal is intact."""
        if version_of(db):
            self._check_seal(db)
        super().migrate(db)
        _seal(db)

    def examining(self) -> AbstractContextManager[sqlite3.Connection]:
        """Yield the only writing connection to a record that may be damaged."""
        return super().writing()

    def remove_unused(self, digests: Sequence[str]) -> None:
        """Remove those of the files that the record no longer refers to.

        Call it after the commit: a crash in between leaves an unused file, never a missing one.
        """
        if digests:
            with suppress(StorageError), self.writing() as db:
                for digest in sorted(set(digests) - used_files(db).keys()):
                    self.objects.path(digest).unlink(missing_ok=True)

    def _check_seal(self, db: sqlite3.Connection) -> None:
        for problem in seal_problems(db):
            raise StorageError(f"{self.path}: {problem}")


def _seal(db: sqlite3.Connection) -> None:
    insert(db, "seal", {"one": 1, "print": content_fingerprint(db)}, replace=True)


def seal_problems(db: sqlite3.Connection) -> Iterator[str]:
    """Describe changes by others: a broken seal, or wrong file names, since seals can be forged."""
    if db.execute("SELECT print FROM seal").fetchall() != [(content_fingerprint(db),)]:
        yield "the record is damaged: it does not hold what was last written. Restore a backup."
    yield from digest_problems(used_files(db))


def content_fingerprint(db: sqlite3.Connection) -> str:
    """Return a fingerprint of everything that the hull depends on."""
    digest = hashlib.blake2b(digest_size=16)
    for query in CONTENT:
        digest.update(repr(db.execute(query).fetchall()).encode(errors="surrogatepass"))
    return digest.hexdigest()
