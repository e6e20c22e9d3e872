"""The recorded aims, in SQL: each that was ever in force, in order."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rocch.errors import InputError, StorageError
from rocch.roc.question import Question
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
"""As version 1 had it; `ONE_QUESTION` makes version 2 of it."""

ONE_QUESTION = (
    "ALTER TABLE aims ADD COLUMN question TEXT NOT NULL DEFAULT '{}'",
    """UPDATE aims SET question = json_patch(
        json_patch(coalesce(conditions, '{}'), coalesce(criterion, '{}')),
        iif(randomize, '{"randomize": true}', '{}')
    )""",
    *(
        f"ALTER TABLE aims DROP COLUMN {name}"
        for name in ("conditions", "criterion", "randomize", "words")
    ),
)
"""Conditions, criterion and coin become one question, which has its words itself."""

LAST = 2**63 - 1
"""The largest number that a row of SQLite's can have."""
NAMES = ("at", "by", "note", "source", "tuning", "question")
INSERT = f"INSERT INTO aims ({', '.join(NAMES)}) VALUES (?, ?, ?, ?, ?, ?)"  # noqa: S608 - our own names
SELECT = f"SELECT id, {', '.join(NAMES)} FROM aims WHERE id < ? ORDER BY id DESC LIMIT ?"  # noqa: S608


def insert(connection: Connection, aim: AimRecord) -> AimRecord:
    """Write an aim; return it with its number."""
    *plain, question = (getattr(aim, name) for name in NAMES)
    values = (*plain, json.dumps(question.to_dict(), allow_nan=False))
    return replace(aim, id=connection.execute(INSERT, values).lastrowid)


def last(connection: Connection, limit: int, before: int = LAST) -> list[AimRecord]:
    """Return the last aims, or those before one of them, the newest first."""
    return [_read(*row) for row in connection.execute(SELECT, (before, limit))]


def count(connection: Connection) -> int:
    """Return how many there are."""
    return int(connection.execute("SELECT count(*) FROM aims").fetchone()[0])


def _read(number: int, *values: Any) -> AimRecord:
    aim = dict(zip(NAMES, values, strict=True))
    try:
        aim["question"] = Question.from_dict(json.loads(aim["question"]))
    except InputError as error:
        raise StorageError(
            f"aim {number} of the service's record cannot be read: {error} Move the record away; "
            "the service then starts without aims and feedback of before."
        ) from error
    return AimRecord(id=number, **aim)
