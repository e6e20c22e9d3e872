"""What the service keeps: policies, feedback, the tuner's state, and its lock.

No features, scores or outcomes of rows are stored: only counts, and a digest that identifies a
repeated event. An event and the tuner's reaction are written in one transaction. So after a crash
each acknowledged event is there exactly once, and the tuner stands where these events led it.
"""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from rocch.errors import InputError, StorageError
from rocch.library.store import Record, Tables, fetch, insert, storage_errors
from rocch.roc.question import Question
from rocch.service.errors import ConflictError, json_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from sqlite3 import Connection

ANY: Final = "any"
Replaces: TypeAlias = int | Literal["any"] | None

# The file in the service's folder that its lock is on.
LOCK = "service.lock"
# Seconds to wait while another process holds the record.
PATIENCE = 10.0
# The largest row number of SQLite.
LAST = 2**63 - 1

NOT_WRITABLE = (
    "the service's record cannot be written: feedback and new aims are refused until it can be. "
    "The log says why."
)

# In `feedback`, fpr and tpr are the rates that the active rule promised; false_positives and
# true_positives are what it did.
VERSION_1 = """CREATE TABLE aims (
    id INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL, by TEXT NOT NULL,
    note TEXT NOT NULL, source TEXT NOT NULL, conditions TEXT, criterion TEXT,
    randomize INTEGER NOT NULL, tuning TEXT NOT NULL, words TEXT NOT NULL
);
CREATE TABLE feedback (
    number INTEGER PRIMARY KEY AUTOINCREMENT, event_id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL, digest TEXT NOT NULL, at TEXT NOT NULL,
    library_version INTEGER NOT NULL, aim_id INTEGER,
    rows INTEGER NOT NULL, positives INTEGER,
    fpr REAL, tpr REAL, false_positives REAL, true_positives REAL,
    moved REAL NOT NULL, reaction TEXT
);
CREATE INDEX judged ON feedback (library_version, aim_id, fpr, tpr);
CREATE TABLE moves (
    number INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL, event_id TEXT NOT NULL,
    from_position REAL NOT NULL, to_position REAL NOT NULL, why TEXT NOT NULL
);
CREATE TABLE tuner (
    one INTEGER PRIMARY KEY CHECK (one = 1), about TEXT NOT NULL, start REAL NOT NULL,
    state TEXT NOT NULL
)"""

# Conditions, criterion and coin become one question, which has its own words.
VERSION_2 = """ALTER TABLE aims ADD COLUMN question TEXT NOT NULL DEFAULT '{}';
UPDATE aims SET question = json_patch(
    json_patch(coalesce(conditions, '{}'), coalesce(criterion, '{}')),
    iif(randomize, '{"randomize": true}', '{}')
);
ALTER TABLE aims DROP COLUMN conditions;
ALTER TABLE aims DROP COLUMN criterion;
ALTER TABLE aims DROP COLUMN randomize;
ALTER TABLE aims DROP COLUMN words"""

# Versions of a file are numbered as they come; a library numbers its own.
VERSION_3 = """CREATE TABLE versions (
    number INTEGER PRIMARY KEY AUTOINCREMENT, sha256 TEXT NOT NULL UNIQUE
)"""

# Decisions that were shipped from audit files, how many bytes of each file are, and what each
# worker says of itself.
VERSION_5 = """CREATE TABLE audit (
    decision_id TEXT PRIMARY KEY, at TEXT NOT NULL, worker TEXT NOT NULL,
    model_version BIGINT NOT NULL, aim_id BIGINT, record TEXT NOT NULL
);
CREATE INDEX audited ON audit (at, decision_id);
CREATE TABLE audit_files (
    host TEXT NOT NULL, device TEXT NOT NULL, inode TEXT NOT NULL, path TEXT NOT NULL,
    shipped BIGINT NOT NULL, first_line TEXT, PRIMARY KEY (host, device, inode)
);
CREATE TABLE workers (
    worker TEXT PRIMARY KEY, at TEXT NOT NULL, state TEXT NOT NULL
)"""

# The application id is "ROCS".
TABLES = Tables(0x524F4353, (VERSION_1, VERSION_2, VERSION_3, VERSION_5))


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What the service aims at, and who put it in force, when (ISO text, UTC) and why.

    An empty question stands for the model's own aim. Feedback may do nothing ("off"),
    suggest a setting ("advise"), or turn the knob ("follow"). Recorded policies have an `id`.
    """

    question: Question = Question()
    tuning: Literal["off", "advise", "follow"] = "off"
    source: Literal["operator", "command line", "default"] = "operator"
    by: str = ""
    note: str = ""
    at: str = ""
    id: int | None = None

    @property
    def words(self) -> str:
        """The policy in one line."""
        return self.question.describe() or "as the model was saved"

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        stated = {"question": self.question.to_dict(), "words": self.words}
        return {name: getattr(self, name) for name in self.__slots__} | stated


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TunerState:
    """The state of a tuner.

    It is about one hull and policy, and starts at the policy's own operating point. `state` is the
    result of `KnobTuner.to_dict`, without the history.
    """

    about: str
    start: float
    state: dict[str, Any]

    @property
    def position(self) -> float:
        """The knob's position."""
        return float(self.state["state"]["position"])

    @property
    def step(self) -> float:
        """The length of the next move."""
        return float(self.state["state"]["stride"]["step"])


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedbackEvent:
    """A piece of feedback without its rows, and what came of it.

    It keeps the SHA-256 of its content, the version and the policy in force, and the number of
    rows. For complete outcomes, `fpr` and `tpr` are the rates that the active rule promised, and
    the counts are what it did. `reaction` is the tuner's, `tuner` its state afterwards, `moves`
    what led there.
    """

    event_id: str
    kind: str
    digest: str
    at: str
    library_version: int
    aim_id: int | None = None
    rows: int = 0
    positives: int | None = None
    fpr: float | None = None
    tpr: float | None = None
    false_positives: float | None = None
    true_positives: float | None = None
    reaction: dict[str, Any] | None = None
    tuner: TunerState | None = None
    moves: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedbackReceipt:
    """The answer to feedback, the same each time that it is sent."""

    event_id: str
    duplicate: bool = False
    reaction: dict[str, Any] | None
    stored_at: str


class Store:
    """The service's own record, `service.sqlite`; safe for several threads.

    Attributes
    ----------
    tuner
        The tuner's state; None if there never was one.
    problem
        Why nothing can be stored at present, without naming a path.

    Raises
    ------
    StorageError
        If it cannot be opened, read or written; nothing is stored in part.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from rocch import Question
    >>> from rocch.service.store import Policy, Store
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = Store(pathlib.Path(folder, "service.sqlite"))
    ...     first = store.put_policy(Policy(question=Question(max_fpr=0.05)))
    ...     print(first.id, store.operator_policy == first)
    ...     store.close()
    1 True
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.problem: str | None = None
        with storage_errors(self.path):
            self.path.touch(mode=0o600)  # SQLite's log and locks beside it get the same mode
        self._record = Record(self.path, TABLES, patience=PATIENCE, new=True)
        self._lock = Lock()  # what is in memory is never older than what is on the disk
        try:
            with self._record.reading() as db:
                self._newest = next(iter(_read_policies(db, 1)), None)
                self.tuner = _read_tuner(db)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the file."""
        self._record.close()

    def reading(self) -> AbstractContextManager[Connection]:
        """Yield a connection that sees one state of the record."""
        return self._record.reading()

    def writing(self) -> AbstractContextManager[Connection]:
        """Yield the only writing connection; all of it is stored, or nothing."""
        return self._writing()

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        try:
            with self._record.writing() as db:
                yield db
        except StorageError:
            self.problem = NOT_WRITABLE
            raise
        self.problem = None

    def _fetch(self, query: str, *values: object) -> list[dict[str, Any]]:
        with self._record.reading() as db:
            return fetch(db, query, *values)

    def put_policy(self, policy: Policy, *, replaces: Replaces = ANY) -> Policy:
        """Record a policy, which is in force from now on; return it with its number.

        `replaces` is the number of the policy that its author saw in force, None for one that is
        not recorded. A policy whose source is not an operator ends the operators' policies.

        Raises
        ------
        ConflictError
            If another one is in force by now; nothing is stored.
        """
        names = ("at", "by", "note", "source", "tuning")
        columns = {name: getattr(policy, name) for name in names}
        columns["question"] = json.dumps(policy.question.to_dict(), allow_nan=False)
        with self._lock:
            with self._writing() as db:
                newest = next(iter(_read_policies(db, 1)), None)
                _check_replaced(replaces, _by_operator(newest))
                stored = replace(policy, id=insert(db, "aims", columns))
            self._newest = stored
        return stored

    @property
    def operator_policy(self) -> Policy | None:
        """The operator's policy in force, from memory; None without one, or since a reset."""
        return _by_operator(self._newest)

    def history(self, limit: int = 100, *, before: int = LAST) -> list[Policy]:
        """Return the recorded policies, or those before one of them, the newest first."""
        with self._record.reading() as db:
            return _read_policies(db, limit, before)

    def count_policies(self) -> int:
        """Return the number of recorded policies."""
        return int(self._fetch("SELECT count(*) AS n FROM aims")[0]["n"])

    def receipt(self, event_id: str, digest: str) -> FeedbackReceipt | None:
        """Return the answer to an event; None if it is new.

        Raises
        ------
        ConflictError
            If another event had this id.
        """
        with self._record.reading() as db:
            return _read_receipt(db, event_id, digest)

    def add_feedback(
        self,
        event_id: str,
        digest: str,
        react: Callable[[TunerState | None], FeedbackEvent],
    ) -> FeedbackReceipt:
        """Store an event with the tuner's reaction; when this returns, both are durable.

        `react` gets the tuner's state and returns what to store; no other event is weighed
        meanwhile, and nothing is stored if it raises. It is not called for a repeated event.

        Raises
        ------
        ConflictError
            If another event had this id.
        """
        with self._lock:
            with self._writing() as db:
                known = _read_receipt(db, event_id, digest)
                if known is not None:
                    return known
                event = react(_read_tuner(db))
                _insert_event(db, event)
            self.tuner = event.tuner or self.tuner
        return FeedbackReceipt(event_id=event_id, stored_at=event.at, reaction=event.reaction)

    def number_version(self, sha256: str) -> int:
        """Return the number of a model file: 1, 2, 3 and so on, the same for the same content."""
        query = "SELECT number FROM versions WHERE sha256 = ?"
        found = self._fetch(query, sha256)
        if found:
            return int(found[0]["number"])
        with self._writing() as db:
            found = fetch(db, query, sha256)  # another process may have been faster
            number = found[0]["number"] if found else insert(db, "versions", {"sha256": sha256})
        return int(number)

    def moves(self, limit: int = 20) -> list[dict[str, Any]]:
        """Return the tuner's moves, the newest first."""
        return self._fetch(
            'SELECT at, from_position AS "from", to_position AS "to", why '
            "FROM moves ORDER BY number DESC LIMIT ?",
            limit,
        )

    def count_events(self) -> int:
        """Return the number of feedback events."""
        return int(self._fetch("SELECT count(*) AS n FROM feedback")[0]["n"])

    def recent_feedback(self, limit: int = 20) -> list[dict[str, Any]]:
        """Return the last events and what came of them, the newest first."""
        return self._fetch(
            "SELECT at, event_id, kind, rows, "
            "coalesce(json_extract(reaction, '$.words'), 'stored, not weighed') AS words, moved "
            "FROM feedback ORDER BY number DESC LIMIT ?",
            limit,
        )

    def observed_rates(
        self, *, library_version: int, aim_id: int | None, fpr: float, tpr: float
    ) -> dict[str, Any] | None:
        """Return complete feedback on one rule, which is identified by its promised rates.

        A rate is None without rows of its class.
        """
        (found,) = self._fetch(
            "SELECT sum(rows) AS rows, sum(rows - positives) AS negatives, "
            "sum(positives) AS positives, "
            "sum(false_positives) / nullif(sum(rows - positives), 0) AS fpr, "
            "sum(true_positives) / nullif(sum(positives), 0) AS tpr "
            "FROM feedback WHERE library_version = ? AND aim_id IS ? AND fpr = ? AND tpr = ?",
            *(library_version, aim_id, fpr, tpr),
        )
        return found if found["rows"] else None


def _read_policies(db: Connection, limit: int, before: int = LAST) -> list[Policy]:
    query = "SELECT * FROM aims WHERE id < ? ORDER BY id DESC LIMIT ?"
    return [_as_policy(**row) for row in fetch(db, query, before, limit)]


def _as_policy(*, question: str, **columns: Any) -> Policy:
    try:
        return Policy(question=Question.from_dict(json.loads(question)), **columns)
    except InputError as error:
        raise StorageError(
            f"aim {columns['id']} of the service's record cannot be read: {error} Move the record "
            "away; the service then starts without aims and feedback of before."
        ) from error


def _by_operator(policy: Policy | None) -> Policy | None:
    return policy if policy is not None and policy.source == "operator" else None


def _check_replaced(replaces: Replaces, current: Policy | None) -> None:
    current_id = None if current is None else current.id
    if replaces not in (ANY, current_id):
        words = "" if current is None else f" ({current.words}), put by {current.by or 'somebody'}"
        raise ConflictError(
            "replaces",
            "be the aim in force",
            f"{json_text(replaces)}, and {json_text(current_id)} is in force{words}",
            "Look at it, then send yours again if you still want it.",
        )


def _read_receipt(db: Connection, event_id: str, digest: str) -> FeedbackReceipt | None:
    found = fetch(db, "SELECT digest, at, reaction FROM feedback WHERE event_id = ?", event_id)
    if not found:
        return None
    at, reaction = found[0]["at"], found[0]["reaction"]
    if found[0]["digest"] != digest:
        raise ConflictError(
            "event_id",
            "name one event only",
            f"{event_id!r} again, with other content than at {at}",
            "Give each event an id of its own, and repeat events unchanged.",
        )
    reaction = None if reaction is None else json.loads(reaction)
    return FeedbackReceipt(event_id=event_id, stored_at=at, reaction=reaction, duplicate=True)


def _insert_event(db: Connection, event: FeedbackEvent) -> None:
    """Write an event, its moves, and the tuner's state after it."""
    columns = {field.name: getattr(event, field.name) for field in fields(event)}
    del columns["tuner"], columns["moves"]
    reaction = event.reaction
    columns["moved"] = 0.0 if reaction is None else reaction["moved"]
    columns["reaction"] = None if reaction is None else json.dumps(reaction, allow_nan=False)
    insert(db, "feedback", columns)
    for move in event.moves:
        row = {"at": move["at"], "event_id": event.event_id, "why": move["why"]}
        insert(db, "moves", row | {"from_position": move["from"], "to_position": move["to"]})
    if event.tuner is not None:
        state = json.dumps(event.tuner.state, allow_nan=False)
        row = {"one": 1, "about": event.tuner.about, "start": event.tuner.start, "state": state}
        insert(db, "tuner", row, replace=True)


def _read_tuner(db: Connection) -> TunerState | None:
    found = fetch(db, "SELECT about, start, state FROM tuner")
    return TunerState(**found[0] | {"state": json.loads(found[0]["state"])}) if found else None


class ServiceLock:
    """The sole right to a folder: two services would disagree on the policy and the tuner.

    It is a lock of the operating system, which ends with the process however that ends; the file
    that it is on stays, and means nothing by itself.

    Raises
    ------
    InputError
        If another service uses the folder.
    StorageError
        If the lock's file cannot be opened.
    """

    def __init__(self, folder: Path) -> None:
        path = folder / LOCK
        try:
            self._file = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
        except OSError as error:
            reason = error.strerror or error
            raise StorageError(f"{str(path)!r} cannot be opened: {reason}.") from None
        try:
            self._lock(folder)
        except BaseException:
            self.close()
            raise

    def _lock(self, folder: Path) -> None:
        try:
            import fcntl
        except ImportError:  # pragma: no cover - Windows, where nothing prevents a second one
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(
                "state",
                "be a folder that no other service uses",
                f"{str(folder)!r}, which one does",
                "Stop the other one first, or use it: a new aim, or a new version of the model, "
                "needs no second service.",
            ) from None
        except OSError as error:
            raise StorageError(f"{str(folder)!r} cannot be locked: {error.strerror}.") from None

    def close(self) -> None:
        """Release the folder to other services."""
        os.close(self._file)
