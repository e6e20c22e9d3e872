"""A record of an older release, and a step that makes a newer one of it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

VERSION_1 = Path(__file__).with_name("record_version_1.sql")
"""A record as release 0.1 wrote it, never to be changed."""
SECOND = """
ALTER TABLE classifiers ADD COLUMN color TEXT NOT NULL DEFAULT 'gray';
CREATE TABLE friends (name TEXT) STRICT;
INSERT INTO friends SELECT name FROM classifiers WHERE state = 'kept';
"""


def look(folder: Path, query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(folder / "library.sqlite")) as db:
        return db.execute(query).fetchall()
