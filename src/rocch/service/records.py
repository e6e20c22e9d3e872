"""What the service remembers: aims with their history, feedback, and where the tuner stands.

No row's features, scores or outcomes are kept: only counts, and a digest by which a repeated event
is known again. An event and what the tuner made of it are one transaction. So after a sudden end
each acknowledged event is there exactly once, and the tuner stands where these events led it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from rocch.errors import InputError
from rocch.service.aim_record import AimRecord
from rocch.service.database import Database

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from sqlite3 import Connection

ANY: Final = "any"
Replaces: TypeAlias = int | Literal["any"] | None

SCHEMA = (
    (
        """CREATE TABLE aims (
            id INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL, by TEXT NOT NULL,
            note TEXT NOT NULL, source TEXT NOT NULL, conditions TEXT, criterion TEXT,
            randomise INTEGER NOT NULL, tuning TEXT NOT NULL, words TEXT NOT NULL
        ) STRICT""",
        """CREATE TABLE feedback (
            number INTEGER PRIMARY KEY AUTOINCREMENT, event_id TEXT NOT NULL UNIQUE,
            kind TEXT NOT NULL, digest TEXT NOT NULL, at TEXT NOT NULL,
            library_version INTEGER NOT NULL, aim_id INTEGER,
            rows INTEGER NOT NULL, positives INTEGER,
            fpr REAL, tpr REAL, false_positives REAL, true_positives REAL,
            moved REAL NOT NULL, reaction TEXT
        ) STRICT""",
        "CREATE INDEX judged ON feedback (library_version, aim_id, fpr, tpr)",
        """CREATE TABLE moves (
            number INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL, event_id TEXT NOT NULL,
            from_position REAL NOT NULL, to_position REAL NOT NULL, why TEXT NOT NULL
        ) STRICT""",
        """CREATE TABLE tuner (
            one INTEGER PRIMARY KEY CHECK (one = 1), about TEXT NOT NULL, start REAL NOT NULL,
            state TEXT NOT NULL
        ) STRICT""",
    ),
)
"""`fpr` and `tpr` are those promised by the rule in force, beside what it did on these rows."""


class ConflictError(InputError):
    """A change that was meant for another state of affairs than the present one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A piece of feedback, without its rows.

    Attributes
    ----------
    event_id
        By which the sender knows it.
    kind
        "outcomes", "load", "too_many_alarms" or "queue_not_filled".
    digest
        SHA-256 of its content.
    at
        When it came in: ISO text, UTC.
    rows, positives
        How many rows it spoke about, and how many of them turned out positive.
    """

    event_id: str
    kind: str
    digest: str
    at: str
    rows: int = 0
    positives: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What the rule in force promised, and what it did on rows whose outcomes are complete."""

    fpr: float
    tpr: float
    false_positives: float
    true_positives: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """What complete feedback says about one rule, all events together."""

    negatives: int
    positives: int
    false_positives: float
    true_positives: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A turn of the knob, and why; or a new start elsewhere."""

    at: str
    start: float
    end: float
    why: str

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"at": self.at, "from": self.start, "to": self.end, "why": self.why}


@dataclass(frozen=True, slots=True, kw_only=True)
class TunerRecord:
    """Where a tuner stands.

    Attributes
    ----------
    about
        The library version and the aim that it is for.
    start
        Where it began: the aim's own operating point.
    state
        What `KnobTuner.to_dict` wrote, without the history.
    """

    about: str
    start: float
    state: dict[str, Any]

    @property
    def position(self) -> float:
        """Where the knob stands."""
        return float(self.state["state"]["position"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """What became of an event: to be kept together with it."""

    library_version: int
    aim_id: int | None
    reaction: dict[str, Any] | None = None
    judged: Judged | None = None
    tuner: TunerRecord | None = None
    moves: tuple[Move, ...] = ()

    @property
    def moved(self) -> float:
        """How far the knob was turned."""
        return float(self.reaction["moved"]) if self.reaction else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a sender of feedback is told, the first time and each time that it repeats itself."""

    event_id: str
    stored_at: str
    reaction: dict[str, Any] | None
    duplicate: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "event_id": self.event_id,
            "duplicate": self.duplicate,
            "reaction": self.reaction,
            "stored_at": self.stored_at,
        }


class Records:
    """The service's own record, `service.sqlite`; safe to use from several threads.

    Parameters
    ----------
    path
        Where it lies; a new one is made where there is none.

    Raises
    ------
    StorageError
        If it cannot be opened, read or written; nothing is stored in part.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from rocch.service.aim_record import AimRecord
    >>> from rocch.service.records import Records
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     records = Records(pathlib.Path(folder, "service.sqlite"))
    ...     first = records.put_aim(AimRecord(criterion={"max_fpr": 0.05}, words="max fpr 0.05"))
    ...     print(first.id, records.current_aim() == first)
    ...     records.close()
    1 True
    """

    def __init__(self, path: str | Path) -> None:
        self._database = Database(path, SCHEMA)
        try:
            self._newest = self._read_newest()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the file; everything that was acknowledged stays."""
        self._database.close()

    def put_aim(self, aim: AimRecord, *, replaces: Replaces = ANY) -> AimRecord:
        """Record an aim, which is then in force; return it with its number.

        Parameters
        ----------
        aim
            What to aim at from now on.
        replaces
            The number of the aim that its author saw in force (None: one that was not recorded
            here); by default whatever is.

        Raises
        ------
        ConflictError
            If another one is in force by now; nothing is stored.
        """
        names = "at, by, note, source, conditions, criterion, randomise, tuning, words"
        with self._database.writing() as connection:
            self._newest = _newest_aim(connection)
            _check_replaced(replaces, self.current_aim())
            cursor = connection.execute(
                f"INSERT INTO aims ({names}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608 - our own names
                _aim_values(aim),
            )
            stored = replace(aim, id=cursor.lastrowid)
        self._newest = stored
        return stored

    def current_aim(self) -> AimRecord | None:
        """Return the operator's aim in force; None while none aimed, or since a reset.

        It is answered from memory, so that decisions need not wait for the disk.
        """
        newest = self._newest
        return newest if newest is not None and newest.source == "operator" else None

    def history(self, limit: int = 100) -> list[AimRecord]:
        """Return the recorded aims, the newest first."""
        with self._database.reading() as connection:
            return _aims(connection, limit)

    def aims(self) -> int:
        """Return how many aims were recorded."""
        return self._count("SELECT count(*) FROM aims")

    def answered(self, event_id: str, digest: str) -> Answer | None:
        """Return what was answered to an event; None if it is new.

        Raises
        ------
        ConflictError
            If another event had this number.
        """
        with self._database.reading() as connection:
            return _answered(connection, event_id, digest)

    def add_feedback(self, event: Event, weigh: Callable[[TunerRecord | None], Weighed]) -> Answer:
        """Store an event with what the tuner makes of it; when this returns, both are durable.

        Parameters
        ----------
        event
            The event. One that is there already is not weighed again.
        weigh
            Told where the tuner stands, says what becomes of the event. If it raises, nothing is
            stored. No other event is weighed meanwhile.

        Raises
        ------
        ConflictError
            If another event had this number.
        """
        with self._database.writing() as connection:
            known = _answered(connection, event.event_id, event.digest)
            if known is not None:
                return known
            weighed = weigh(_tuner(connection))
            _insert(connection, event, weighed)
        return Answer(event_id=event.event_id, stored_at=event.at, reaction=weighed.reaction)

    def tuner(self) -> TunerRecord | None:
        """Return where the tuner stands; None if there never was one."""
        with self._database.reading() as connection:
            return _tuner(connection)

    def moves(self, limit: int = 20) -> list[Move]:
        """Return the tuner's moves, the newest first."""
        with self._database.reading() as connection:
            found = connection.execute(
                "SELECT at, from_position, to_position, why FROM moves "
                "ORDER BY number DESC LIMIT ?",
                (limit,),
            ).fetchall()
        return [Move(at=at, start=start, end=end, why=why) for at, start, end, why in found]

    def events(self) -> int:
        """Return how many events of feedback there are."""
        return self._count("SELECT count(*) FROM feedback")

    def recent_feedback(self, limit: int = 20) -> list[dict[str, Any]]:
        """Return the last events and what became of them, the newest first."""
        with self._database.reading() as connection:
            found = connection.execute(
                "SELECT at, event_id, kind, rows, reaction, moved FROM feedback "
                "ORDER BY number DESC LIMIT ?",
                (limit,),
            ).fetchall()
        names = ("at", "event_id", "kind", "rows", "words", "moved")
        return [
            dict(zip(names, (*rest, _words(reaction), moved), strict=True))
            for *rest, reaction, moved in found
        ]

    def observed(
        self, *, library_version: int, aim_id: int | None, fpr: float, tpr: float
    ) -> Observed | None:
        """Return what complete feedback says about one rule, named by what it promises."""
        with self._database.reading() as connection:
            rows, *counts = connection.execute(
                "SELECT sum(rows), sum(positives), sum(false_positives), sum(true_positives) "
                "FROM feedback WHERE library_version = ? AND aim_id IS ? AND fpr = ? AND tpr = ?",
                (library_version, aim_id, fpr, tpr),
            ).fetchone()
        if not rows:
            return None
        positives, false_positives, true_positives = counts
        return Observed(
            negatives=rows - positives,
            positives=positives,
            false_positives=false_positives,
            true_positives=true_positives,
        )

    def _count(self, question: str) -> int:
        with self._database.reading() as connection:
            return int(connection.execute(question).fetchone()[0])

    def _read_newest(self) -> AimRecord | None:
        with self._database.reading() as connection:
            return _newest_aim(connection)


def _check_replaced(replaces: Replaces, current: AimRecord | None) -> None:
    in_force = None if current is None else current.id
    if replaces not in (ANY, in_force):
        since = "" if current is None else f" ({current.words}), by {current.by or 'somebody'}"
        error = ConflictError(
            f"replaces must be the aim in force; got {replaces}, but {in_force} is in force"
            f"{since}. Look at it, then send your aim again if you still want it."
        )
        error.argument = "replaces"
        raise error


def _aim_values(aim: AimRecord) -> tuple[Any, ...]:
    words = (_written(aim.conditions), _written(aim.criterion))
    how = (int(aim.randomise), aim.tuning, aim.words)
    return (aim.at, aim.by, aim.note, aim.source, *words, *how)


def _aims(connection: Connection, limit: int) -> list[AimRecord]:
    names = ("id", "at", "by", "note", "source", "conditions", "criterion", "randomise", "tuning")
    found = connection.execute(
        f"SELECT {', '.join(names)}, words FROM aims ORDER BY id DESC LIMIT ?",  # noqa: S608 - our own names
        (limit,),
    )
    return [_aim(dict(zip((*names, "words"), row, strict=True))) for row in found]


def _aim(row: dict[str, Any]) -> AimRecord:
    for name in ("conditions", "criterion"):
        row[name] = _read(row[name])
    return AimRecord(**{**row, "randomise": bool(row["randomise"])})


def _newest_aim(connection: Connection) -> AimRecord | None:
    return next(iter(_aims(connection, 1)), None)


def _answered(connection: Connection, event_id: str, digest: str) -> Answer | None:
    found = connection.execute(
        "SELECT digest, at, reaction FROM feedback WHERE event_id = ?", (event_id,)
    ).fetchone()
    if found is None:
        return None
    known, at, reaction = found
    if known != digest:
        error = ConflictError(
            f"event_id must name one event only; got {event_id!r} again with other content than "
            f"at {at}. Give each event an id of its own, and repeat events unchanged."
        )
        error.argument = "event_id"
        raise error
    return Answer(event_id=event_id, stored_at=at, reaction=_read(reaction), duplicate=True)


def _insert(connection: Connection, event: Event, weighed: Weighed) -> None:
    judged = weighed.judged
    rates = (judged.fpr, judged.tpr) if judged else (None, None)
    counts = (judged.false_positives, judged.true_positives) if judged else (None, None)
    connection.execute(
        "INSERT INTO feedback (event_id, kind, digest, at, library_version, aim_id, rows, "
        "positives, fpr, tpr, false_positives, true_positives, moved, reaction) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *(event.event_id, event.kind, event.digest, event.at),
            *(weighed.library_version, weighed.aim_id, event.rows, event.positives),
            *(*rates, *counts, weighed.moved, _written(weighed.reaction)),
        ),
    )
    connection.executemany(
        "INSERT INTO moves (at, event_id, from_position, to_position, why) VALUES (?, ?, ?, ?, ?)",
        [(move.at, event.event_id, move.start, move.end, move.why) for move in weighed.moves],
    )
    if weighed.tuner is not None:
        tuner = weighed.tuner
        connection.execute(
            "INSERT OR REPLACE INTO tuner VALUES (1, ?, ?, ?)",
            (tuner.about, tuner.start, _written(tuner.state)),
        )


def _tuner(connection: Connection) -> TunerRecord | None:
    found = connection.execute("SELECT about, start, state FROM tuner").fetchone()
    if found is None:
        return None
    about, start, state = found
    return TunerRecord(about=about, start=start, state=json.loads(state))


def _words(reaction: str | None) -> str:
    return "stored, not weighed" if reaction is None else str(json.loads(reaction)["words"])


def _written(value: Any) -> str | None:
    return None if value is None else json.dumps(value, allow_nan=False)


def _read(text: str | None) -> Any:
    return None if text is None else json.loads(text)
