"""Storage of a library: its tables, sealed against damage, and its files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from rocch.database.places import Place, open_record
from rocch.database.postgres import DatabaseUrl
from rocch.database.record import (
    Connection,
    DamageError,
    Tables,
    fetch,
    insert,
    storage_errors,
)
from rocch.errors import InputError, StorageError
from rocch.library.objects import (
    OBJECTS,
    FolderObjects,
    Objects,
    Owner,
    file_name_problems,
    open_objects,
)

Kind = TypeVar("Kind")

# The record in a library's folder.
RECORD = "library.sqlite"

# Marks the file as a library's record ("ROCH"), as SQLite's `application_id`.
APPLICATION = 0x524F4348

# Points are stored as counts, and only those on the joint hull: a library does not grow with the
# classifiers that are discarded.
COMMON = """
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

# Where a library on a server has its files; whose they are, a file beside them says.
FILES = """
CREATE TABLE files (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    place TEXT NOT NULL
) STRICT;
"""
FIRST = COMMON, COMMON + FILES

# The schema of a library's record.
TABLES = Tables("library", APPLICATION, (FIRST,))

# Everything that the hull depends on.
CONTENT = (
    "SELECT * FROM library",
    "SELECT * FROM classifiers WHERE state = 'kept' ORDER BY id",
    "SELECT * FROM points ORDER BY classifier, place",
    "SELECT * FROM exports ORDER BY version",
)


class ContentSeal:
    """A fingerprint of the content, which readers check and writers renew.

    Databases check their structure only; a flipped bit in a count would silently change the hull.
    """

    def check(self, db: Connection, place: object) -> None:
        """Refuse a damaged record."""
        for problem in seal_problems(db):
            raise StorageError(f"{place}: {problem}")

    def renew(self, db: Connection) -> None:
        """Note what the record holds now."""
        insert(db, "seal", {"one": 1, "print": content_fingerprint(db)}, key="one")


def seal_problems(db: Connection) -> Iterator[str]:
    """Describe changes by others: a broken seal, or wrong file names, since seals can be forged."""
    if db.execute("SELECT print FROM seal").fetchall() != [(content_fingerprint(db),)]:
        yield "the record is damaged: it does not hold what was last written. Restore a backup."
    yield from file_name_problems(used_files(db))


def content_fingerprint(db: Connection) -> str:
    """Return a fingerprint of everything that the hull depends on."""
    digest = hashlib.blake2b(digest_size=16)
    for query in CONTENT:
        digest.update(repr(db.execute(query).fetchall()).encode(errors="surrogatepass"))
    return digest.hexdigest()


def used_files(db: Connection) -> dict[str, str]:
    """Return every file that the record refers to, with a description."""
    files: dict[str, str] = {}
    for row in fetch(db, "SELECT name, curve, model FROM classifiers"):
        for kind in ("curve", "model"):
            if row[kind] is not None:
                files[row[kind]] = f"the {kind} of {row['name']!r}"
    for row in fetch(db, "SELECT version, file FROM exports"):
        files[row["file"]] = f"export {row['version']}"
    return files


class LibraryStore:
    """The record and the files of a library.

    Parameters
    ----------
    place
        A folder, or a schema on a PostgreSQL server.
    new
        Whether an empty place may become a library.
    """

    def __init__(self, place: Place, *, new: bool = False) -> None:
        self.place = place
        self._objects: Objects | None = None
        where = place if isinstance(place, DatabaseUrl) else place / RECORD
        self.record = open_record(where, TABLES, new=new, seal=ContentSeal())

    def find_objects(self, db: Connection) -> Objects:
        """Return the files, where they are at the moment that a transaction sees."""
        if isinstance(self.place, Path):
            return FolderObjects(self.place / OBJECTS, unique=False)
        found = db.execute("SELECT place FROM files").fetchone()
        if found is None:
            self.check_finished(db)
            raise DamageError("files")
        known = self._objects
        if known is None or str(known.place) != found[0]:
            known = self._objects = open_objects(found[0])
        return known

    def list_files(self) -> tuple[Objects, dict[str, int]]:
        """Return the files, and those that are there, with their sizes."""
        with self.record.transaction(write=False) as db:
            objects = self.find_objects(db)
        return objects, objects.files()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Yield a connection that sees one state of the record."""
        with self.record.reading() as db:
            self.check_finished(db)
            yield db

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Yield the only writing connection; all of it is committed, or nothing."""
        with self.record.writing() as db:
            self.check_finished(db)
            self.check_owner(db)
            yield db

    def check_finished(self, db: Connection) -> None:
        """Refuse a record that was made, but in which no library was begun."""
        if fetch(db, "SELECT one FROM library") or any(seal_problems(db)):
            return
        in_folder = isinstance(self.place, Path)
        raise StorageError(
            f"{self.place}: the library was never finished: what makes it failed, or still runs.",
            hint="Remove the folder, and make it again." if in_folder else "Repeat it.",
        )

    def check_owner(self, db: Connection) -> None:
        """Refuse to change files that are not the library's own."""
        self.find_objects(db).check_owner(self._as_owner(db))

    def claim(self, db: Connection, objects: Objects, *, new: bool = False) -> None:
        """Let the library have its files at a place, and nobody else; a new one has none yet."""
        own = self._as_owner(db)
        assert own is not None  # noqa: S101 - a library in a folder has its files there
        with storage_errors(objects.place):
            objects.claim(own, new=new)
        insert(db, "files", {"one": 1, "place": str(objects.place)}, key="one")

    def _as_owner(self, db: Connection) -> Owner | None:
        home = self.record.home(db)
        return None if home is None else Owner(home, str(self.place))

    def close(self) -> None:
        """Close the connection; it opens again when needed."""
        self.record.close()

    def remove_unused(self, names: Sequence[str]) -> None:
        """Remove those of the files that the record no longer refers to.

        Call it after the commit: a crash in between leaves an unused file, never a missing one.
        """
        if names:
            with suppress(StorageError), self.writing() as db:
                objects = self.find_objects(db)
                unused = sorted(set(names) - used_files(db).keys())
                objects.remove(map(objects.file_of, unused))

    def sweep(self, db: Connection, listed: tuple[Objects, Iterable[str]]) -> list[str]:
        """Remove the unused ones of the files that were there before this writer had the lock."""
        objects, before = listed
        if objects.place != self.find_objects(db).place:
            return []  # they have moved since
        used = {objects.file_of(name) for name in used_files(db)}
        unused = [file for file in before if file not in used]
        objects.remove(unused)
        return unused


def check_empty(folder: Path, argument: str) -> None:
    """Refuse a path that is neither new nor an empty folder."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(argument, "be an empty folder, or a new one", repr(str(folder)))


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
