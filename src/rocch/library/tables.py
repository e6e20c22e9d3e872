"""Tables with a version: older records move forward, newer ones are refused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocch.errors import StorageError

if TYPE_CHECKING:
    import sqlite3


@dataclass(frozen=True, slots=True)
class Tables:
    """What a kind of record consists of.

    Attributes
    ----------
    application
        The number that marks a file as such a record, as SQLite's `application_id`.
    steps
        The statements that bring a record from version i to version i + 1, the first from an
        empty file.
    """

    application: int
    steps: tuple[str, ...]

    @property
    def version(self) -> int:
        """The present version."""
        return len(self.steps)

    def check(self, db: sqlite3.Connection, path: object, *, new: bool) -> None:
        """Refuse a file of another kind, an empty one, and a record that a newer release wrote."""
        application = db.execute("PRAGMA application_id").fetchone()[0]
        version = version_of(db)
        tables = db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if application != self.application and (version or application or tables):
            raise StorageError(
                f"{path} is the record of another program. Name another place, or move it away."
            )
        if not version > 0 and not (new and version == 0):
            raise StorageError(
                f"{path} is empty: it lost what it held, or was never finished. Restore the last "
                "backup; or, if it never held anything, remove it."
            )
        if version > self.version:
            raise StorageError(
                f"{path} has version {version}; this release of rocch reads up to "
                f"{self.version}. Upgrade rocch."
            )

    def migrate(self, db: sqlite3.Connection) -> None:
        """Bring a record to the present version; to be called while nobody else can write."""
        for version in range(version_of(db), self.version):
            for statement in self.steps[version].split(";\n"):
                db.execute(statement)
            db.execute(f"PRAGMA user_version = {version + 1}")
        db.execute(f"PRAGMA application_id = {self.application}")


def version_of(db: sqlite3.Connection) -> int:
    """Return the version of a record's tables; 0 for an empty file."""
    return int(db.execute("PRAGMA user_version").fetchone()[0])
