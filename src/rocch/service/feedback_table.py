"""Feedback, the tuner's moves and its state, in SQL."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rocch.service.conflict import ConflictError
from rocch.service.events import Answer, Event, Move, Observed, TunerRecord, Weighed

if TYPE_CHECKING:
    from sqlite3 import Connection

SCHEMA = (
    """CREATE TABLE feedback (
        number INTEGER PRIMARY KEY AUTOINCREMENT, event_id TEXT NOT NULL UNIQUE,
        kind TEXT NOT NULL, digest TEXT NOT NULL, at TEXT NOT NULL,
        library_version INTEGER NOT NULL, aim_id INTEGER,
        rows INTEGER NOT NULL, positives INTEGER,
        fpr REAL, tpr REAL, false_positives REAL, true_positives REAL,
        moved REAL NOT NULL, reaction TEXT
    )""",
    "CREATE INDEX judged ON feedback (library_version, aim_id, fpr, tpr)",
    """CREATE TABLE moves (
        number INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL, event_id TEXT NOT NULL,
        from_position REAL NOT NULL, to_position REAL NOT NULL, why TEXT NOT NULL
    )""",
    """CREATE TABLE tuner (
        one INTEGER PRIMARY KEY CHECK (one = 1), about TEXT NOT NULL, start REAL NOT NULL,
        state TEXT NOT NULL
    )""",
)
"""`fpr` and `tpr` are those that the rule in force promised; beside them stands what it did."""


def answered(connection: Connection, event_id: str, digest: str) -> Answer | None:
    """Return what was answered to an event; None if it is new."""
    found = connection.execute(
        "SELECT digest, at, reaction FROM feedback WHERE event_id = ?", (event_id,)
    ).fetchone()
    if found is None:
        return None
    known, at, reaction = found
    if known != digest:
        raise ConflictError(
            "event_id",
            "name one event only",
            f"{event_id!r} again, with other content than at {at}",
            "Give each event an id of its own, and repeat events unchanged.",
        )
    reaction = None if reaction is None else json.loads(reaction)
    return Answer(event_id=event_id, stored_at=at, reaction=reaction, duplicate=True)


def insert(connection: Connection, event: Event, weighed: Weighed) -> None:
    """Write an event, the moves that it led to, and where it left the tuner."""
    judged = weighed.judged
    counts: tuple[float | None, ...] = (None, None, None, None)
    if judged is not None:
        counts = (judged.fpr, judged.tpr, judged.false_positives, judged.true_positives)
    reaction = None if weighed.reaction is None else _written(weighed.reaction)
    connection.execute(
        "INSERT INTO feedback (event_id, kind, digest, at, rows, positives, library_version, "
        "aim_id, fpr, tpr, false_positives, true_positives, moved, reaction) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *(event.event_id, event.kind, event.digest, event.at, event.rows, event.positives),
            *(weighed.library_version, weighed.aim_id, *counts, weighed.moved, reaction),
        ),
    )
    connection.executemany(
        "INSERT INTO moves (at, event_id, from_position, to_position, why) VALUES (?, ?, ?, ?, ?)",
        [(move.at, event.event_id, move.start, move.end, move.why) for move in weighed.moves],
    )
    if weighed.tuner is not None:
        here = weighed.tuner
        values = (here.about, here.start, _written(here.state))
        connection.execute("INSERT OR REPLACE INTO tuner VALUES (1, ?, ?, ?)", values)


def tuner(connection: Connection) -> TunerRecord | None:
    """Return where the tuner stands; None if there never was one."""
    found = connection.execute("SELECT about, start, state FROM tuner").fetchone()
    if found is None:
        return None
    about, start, state = found
    return TunerRecord(about=about, start=start, state=json.loads(state))


def moves(connection: Connection, limit: int) -> list[Move]:
    """Return the last moves, the newest first."""
    found = connection.execute(
        "SELECT at, from_position, to_position, why FROM moves ORDER BY number DESC LIMIT ?",
        (limit,),
    )
    return [Move(at=at, start=start, end=end, why=why) for at, start, end, why in found]


def recent(connection: Connection, limit: int) -> list[dict[str, Any]]:
    """Return the last events and what became of them, the newest first."""
    found = connection.execute(
        "SELECT at, event_id, kind, rows, reaction, moved FROM feedback "
        "ORDER BY number DESC LIMIT ?",
        (limit,),
    )
    names = ("at", "event_id", "kind", "rows", "words", "moved")
    return [
        dict(zip(names, (*rest, _words(reaction), moved), strict=True))
        for *rest, reaction, moved in found
    ]


def count(connection: Connection) -> int:
    """Return how many events there are."""
    return int(connection.execute("SELECT count(*) FROM feedback").fetchone()[0])


def observed(
    connection: Connection, *, library_version: int, aim_id: int | None, fpr: float, tpr: float
) -> Observed | None:
    """Return what complete feedback says about one rule, named by what it promises."""
    rows, positives, false_positives, true_positives = connection.execute(
        "SELECT sum(rows), sum(positives), sum(false_positives), sum(true_positives) "
        "FROM feedback WHERE library_version = ? AND aim_id IS ? AND fpr = ? AND tpr = ?",
        (library_version, aim_id, fpr, tpr),
    ).fetchone()
    if not rows:
        return None
    return Observed(
        negatives=rows - positives,
        positives=positives,
        false_positives=false_positives,
        true_positives=true_positives,
    )


def _words(reaction: str | None) -> str:
    return "stored, not weighed" if reaction is None else str(json.loads(reaction)["words"])


def _written(value: dict[str, Any]) -> str:
    return json.dumps(value, allow_nan=False)
