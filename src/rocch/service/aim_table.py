"""The recorded aims, in SQL: each that was ever in force, in order."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rocch.service.aim_record import AimRecord

if TYPE_CHECKING:
    from sqlite3 import Connection

SCHEMA = (
    """CREATE TABLE aims (
        id INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL, by TEXT NOT NULL,
        note TEXT NOT NULL, source TEXT NOT NULL, conditions TEXT, criterion TEXT,
        randomize INTEGER NOT NULL, tuning TEXT NOT NULL, words TEXT NOT NULL
    )""",
)

LAST = 2**63 - 1
"""The largest number that a row of SQLite's can have."""
NAMES = ("at", "by", "note", "source", "tuning", "words", "randomize", "conditions", "criterion")
INSERT = f"INSERT INTO aims ({', '.join(NAMES)}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608 - our own names
SELECT = f"SELECT id, {', '.join(NAMES)} FROM aims WHERE id < ? ORDER BY id DESC LIMIT ?"  # noqa: S608


def insert(connection: Connection, aim: AimRecord) -> AimRecord:
    """Write an aim; return it with its number."""
    *plain, conditions, criterion = (getattr(aim, name) for name in NAMES)
    values = (*plain, _written(conditions), _written(criterion))
    return replace(aim, id=connection.execute(INSERT, values).lastrowid)


def last(connection: Connection, limit: int, before: int = LAST) -> list[AimRecord]:
    """Return the last aims, or those before one of them, the newest first."""
    return [_read(*row) for row in connection.execute(SELECT, (before, limit))]


def count(connection: Connection) -> int:
    """Return how many there are."""
    return int(connection.execute("SELECT count(*) FROM aims").fetchone()[0])


def _read(number: int, *values: Any) -> AimRecord:
    aim = dict(zip(NAMES, values, strict=True))
    aim["randomize"] = bool(aim["randomize"])
    for name in ("conditions", "criterion"):
        aim[name] = None if aim[name] is None else json.loads(aim[name])
    return AimRecord(id=number, **aim)


def _written(words: dict[str, Any] | None) -> str | None:
    return None if words is None else json.dumps(words, allow_nan=False)
