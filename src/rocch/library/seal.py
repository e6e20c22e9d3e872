"""A print of what a library relies on, kept with it, by which damage is noticed.

SQLite checks its own structure, and not what it holds: a flipped bit in a count, or a row that is
skipped, would make another hull without a word. So every change ends with a print of all that the
answers are made from, and whoever reads compares it. What it costs grows with the hull alone.
"""

from __future__ import annotations

import hashlib
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rocch.errors import StorageError
from rocch.library.files_kept import wanted
from rocch.library.objects import is_digest, not_a_digest
from rocch.library.record import Record
from rocch.library.tables import version_of

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

CONTENT = (
    "SELECT * FROM library",
    "SELECT * FROM classifiers WHERE state = 'kept' ORDER BY id",
    "SELECT * FROM points ORDER BY classifier, place",
    "SELECT * FROM exports ORDER BY version",
)


class SealedRecord(Record):
    """A record that is compared with its seal before it is used, and sealed when it changes."""

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection that sees one state of the record, whatever others write."""
        with super().reading() as db:
            check_seal(db, self.path)
            yield db

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection that alone may write; all of it is committed, or nothing."""
        with super().writing() as db:
            check_seal(db, self.path)
            yield db
            seal(db)

    def migrate(self, db: sqlite3.Connection) -> None:
        """Bring the record to the present version, if it is what was last written."""
        if version_of(db):
            check_seal(db, self.path)
        super().migrate(db)
        seal(db)

    @contextmanager
    def examining(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection to a record that may be damaged, while nobody else can write."""
        with super().writing() as db:
            yield db


def seal(db: sqlite3.Connection) -> None:
    """Remember what the record holds now."""
    db.execute("INSERT OR REPLACE INTO seal (one, print) VALUES (1, ?)", (print_of(db),))


def check_seal(db: sqlite3.Connection, path: object) -> None:
    """Refuse a record that is not what was last written, or that could not have been."""
    for problem in seal_problems(db):
        raise StorageError(f"{path}: {problem}")


def seal_problems(db: sqlite3.Connection) -> Iterator[str]:
    """Say what shows that somebody else changed the record.

    A seal can be forged too, so names of files are looked at by themselves.
    """
    if not is_sealed(db):
        yield "the record is damaged: it does not hold what was last written. Restore a backup."
    yield from (not_a_digest(name) for name in wanted(db) if not is_digest(name))


def is_sealed(db: sqlite3.Connection) -> bool:
    """Say whether the record holds what was last written."""
    return db.execute("SELECT print FROM seal").fetchall() == [(print_of(db),)]


def print_of(db: sqlite3.Connection) -> str:
    """Return a short print of everything that a library's answers are made from."""
    digest = hashlib.blake2b(digest_size=16)
    for query in CONTENT:
        digest.update(repr(db.execute(query).fetchall()).encode(errors="surrogatepass"))
    return digest.hexdigest()
