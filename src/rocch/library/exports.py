"""The exports that a record lists; making one is `exporting.py`, which loads scikit-learn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocch.library.record import rows, stored
from rocch.library.records import Export

if TYPE_CHECKING:
    import sqlite3

    from rocch.library.objects import Objects


def listed(db: sqlite3.Connection, objects: Objects, *, newest: bool = False) -> list[Export]:
    """Read the exports, the oldest first, or the newest alone."""
    last = "SELECT * FROM exports ORDER BY version DESC LIMIT 1"
    query = last if newest else "SELECT * FROM exports ORDER BY version"
    return [
        Export(
            version=row["version"],
            sha256=row["file"],
            at=row["at"],
            by=row["by"],
            note=row["note"],
            classifiers=tuple(stored(row["classifiers"], list)),
            path=objects.path(row["file"]),
        )
        for row in rows(db, query)
    ]
