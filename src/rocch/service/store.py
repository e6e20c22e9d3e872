"""What the service keeps: policies, feedback, states of tuners, and its lock.

No features, scores or outcomes of rows are stored: only counts, and a digest that identifies a
repeated event. An event and the tuner's reaction are written in one transaction. So after a crash
each acknowledged event is there exactly once, and the tuner stands where these events led it.

Several processes may share a record. Each keeps in memory what decisions need, and refreshes it.
While the record cannot be reached, decisions go on with what was last read.
"""

from __future__ import annotations

import json
import logging
import math
import os
import time
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

from rocch.database.places import open_record
from rocch.database.record import fetch, insert, storage_errors
from rocch.errors import InputError, StorageError
from rocch.roc.question import Question
from rocch.service.errors import ConflictError, NotTriedError, json_text
from rocch.service.served import now
from rocch.service.tables import TABLES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from rocch.database.places import Place
    from rocch.database.record import Connection

LOG = logging.getLogger("rocch.service")

ANY: Final = "any"
Replaces: TypeAlias = int | Literal["any"] | None

# The file in the service's folder that its lock is on.
LOCK = "service.lock"
# Seconds to wait while another process holds the record, and while others of this one do.
PATIENCE, TURN = 10.0, 2.0
# Seconds that a server may take to answer.
ANSWER = 3.0
# Seconds after a failure in which others are refused at once, so that they do not queue up.
PAUSE = 0.5
# The largest row number of SQLite.
LAST = 2**63 - 1

NOT_WRITABLE = (
    "the service's record cannot be written: feedback and new aims are refused until it can be. "
    "The log says why."
)
UNREACHABLE = (
    "the service's record cannot be reached: decisions go on under the last aim that is known, and "
    "feedback and new aims are refused. The log says why."
)

# What changes whenever an aim or an event is added, and also if a backup was restored since and
# others got their numbers.
NEWEST = """SELECT (SELECT max(id) FROM aims) AS aim, (SELECT max(number) FROM feedback) AS event,
(SELECT at FROM aims ORDER BY id DESC LIMIT 1) AS aimed_at,
(SELECT at FROM feedback ORDER BY number DESC LIMIT 1) AS told_at"""

POLICIES = "SELECT * FROM aims WHERE id < ? ORDER BY id DESC LIMIT ?"
TUNERS = "SELECT about, start, state FROM tuners"
OBSERVED = """SELECT rows, positives, false_positives, true_positives FROM observed
WHERE library_version = ? AND aim_id = ? AND fpr = ? AND tpr = ?"""
OBSERVE = """INSERT INTO observed VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (library_version, aim_id, fpr, tpr) DO UPDATE SET rows = observed.rows + excluded.rows,
positives = observed.positives + excluded.positives,
false_positives = observed.false_positives + excluded.false_positives,
true_positives = observed.true_positives + excluded.true_positives"""


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


class _Newest(NamedTuple):
    """The number of the newest aim or event that was read, and its time."""

    number: int
    at: str = ""

    def was_lost(self, now: _Newest) -> bool:
        """Whether a backup was restored since, as the newest one by now tells."""
        return now != self and now.number <= self.number


class _Known(NamedTuple):
    """What was last read of the record: up to which aim and event, and what decisions need of it.

    Tuners are by what they are about; the one that weighed an event last comes last. They are
    replaced as a whole if one changes.
    """

    aim: _Newest = _Newest(0)
    event: _Newest = _Newest(-1)
    newest: Policy | None = None
    tuners: dict[str, TunerState] = {}  # noqa: RUF012 - a tuple's default, never changed

    def with_tuners(self, changed: list[TunerState]) -> _Known:
        """Return it with tuners of later events."""
        if not changed:
            return self
        new = {tuner.about: tuner for tuner in changed}
        kept = {about: tuner for about, tuner in self.tuners.items() if about not in new}
        return self._replace(tuners=kept | new)


class Store:
    """The service's own record; safe for several threads, processes and machines.

    Parameters
    ----------
    place
        The file, or the schema on a PostgreSQL server.
    clock
        Seconds that never run backwards.

    Attributes
    ----------
    problem
        Why nothing can be stored at present, without naming a path.
    max_age
        After how many seconds without `refresh` the record counts as unreachable; infinite until
        somebody refreshes regularly.

    Raises
    ------
    StorageError
        If it cannot be opened, read or written; nothing is stored in part. While it has just
        failed, requests are refused at once.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from rocch import Question
    >>> from rocch.service.store import Policy, Store
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "service.sqlite")
    ...     store, other = Store(path), Store(path)
    ...     first = store.put_policy(Policy(question=Question(max_fpr=0.05)))
    ...     other.refresh()
    ...     print(first.id, store.operator_policy == other.operator_policy == first)
    ...     store.close()
    ...     other.close()
    1 True
    """

    def __init__(self, place: Place, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.place, self.clock = place, clock
        self.max_age = math.inf
        self.problem: str | None = None
        if isinstance(place, Path):
            with storage_errors(place):
                place.touch(mode=0o600)  # SQLite's log and locks beside it get the same mode
        patience, timeout = PATIENCE, PATIENCE + ANSWER
        self._record = open_record(place, TABLES, patience=patience, timeout=timeout, new=True)
        # waits for no writer
        self._reader = open_record(place, TABLES, patience=patience, timeout=ANSWER)
        self._turn, self._turn_to_read, self._memory = Lock(), Lock(), Lock()
        self._is_cut_off = False
        self._read_failed_at = self._write_failed_at = -math.inf
        self._known = _Known()
        try:
            with self._record.reading():
                pass  # an empty file becomes a record, and an old one is migrated
            self.refresh()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the file."""
        self._record.close()
        self._reader.close()

    def refresh(self, *, insist: bool = True) -> None:
        """Read what other processes changed; a single small query if they did not.

        With `insist`, also if the record failed just now.
        """
        if not insist:
            self._refuse_after(self._read_failed_at)
        while True:
            begun, before = (self.clock(), now()), self._known
            with self._reading() as db:
                found = _read_known(db, before)
            with self._memory:
                if self._known is before:  # otherwise it is older than what was just written
                    self._known, self._reached = found, begun
                    break
        if self._is_cut_off:
            LOG.warning("%s can be reached again", self.place)
            self._is_cut_off, self.problem = False, None

    @property
    def unreachable(self) -> str | None:
        """Why aims and tuners in memory may be old, without naming a path; else None."""
        return None if self.unconfirmed_since is None else UNREACHABLE

    @property
    def unconfirmed_since(self) -> str | None:
        """When the record was last read (ISO text, UTC), if it failed since or is too long ago."""
        read_at, since = self._reached
        is_old = self._is_cut_off or self.clock() - read_at > self.max_age
        return since if is_old else None

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Yield a connection that sees one state of the record."""
        self._refuse_after(self._read_failed_at)
        with self._reading() as db:
            yield db

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Yield the only writing connection; all of it is stored, or nothing."""
        with self._waiting(), self._writing() as db:
            yield db

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        """Yield a connection, however short ago the record failed."""
        with self._taking(self._turn_to_read):
            try:
                with self._reader.reading() as db:
                    yield db
            except StorageError as error:
                self._read_failed_at = self.clock()
                if not self._is_cut_off:
                    LOG.warning("the record cannot be reached: %s", error)
                self._is_cut_off = True
                raise

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        """Yield the only writing connection; its owner has the turn."""
        try:
            with self._record.writing() as db:
                yield db
        except StorageError:
            self.problem, self._write_failed_at = NOT_WRITABLE, self.clock()
            raise
        self.problem = None

    @contextmanager
    def _waiting(self) -> Iterator[None]:
        """Wait for the turn to write and to remember what was written."""
        self._refuse_after(max(self._read_failed_at, self._write_failed_at))
        with self._taking(self._turn):
            self._refuse_after(max(self._read_failed_at, self._write_failed_at))
            yield

    @contextmanager
    def _taking(self, turn: Lock) -> Iterator[None]:
        """Wait for a turn, but not for long: the one who has it may wait for a server in vain."""
        if not turn.acquire(timeout=TURN):
            raise StorageError(f"{self.place}: other requests have kept it busy for too long.")
        try:
            yield
        finally:
            turn.release()

    def _refuse_after(self, failed_at: float) -> None:
        """Refuse at once if the record has just failed, or does not even answer."""
        moment = self.clock()
        if moment - failed_at < PAUSE:
            raise NotTriedError(f"{self.place} failed just now, and is not tried again yet.")
        # a machine under load may be late by seconds, though the record answers
        if moment - self._reached[0] > self.max_age + ANSWER:
            raise NotTriedError(f"{self.place} does not answer.")

    def _fetch(self, query: str, *values: object) -> list[dict[str, Any]]:
        with self.reading() as db:
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
        with self._waiting():
            with self._writing() as db:
                newest = next(iter(_read_policies(db, 1)), None)
                _check_replaced(replaces, _by_operator(newest))
                number = insert(db, "aims", columns, number="id")
            stored = replace(policy, id=number)
            with self._memory:
                if number > self._known.aim.number:  # else that of another process came after it
                    aim = _Newest(number, stored.at)
                    self._known = self._known._replace(newest=stored, aim=aim)
        return stored

    @property
    def operator_policy(self) -> Policy | None:
        """The operator's policy in force, from memory; None without one, or since a reset."""
        return _by_operator(self._known.newest)

    @property
    def tuners(self) -> Mapping[str, TunerState]:
        """Each tuner's state by what it is about, from memory; replaced if one changes."""
        return self._known.tuners

    @property
    def tuner(self) -> TunerState | None:
        """The state of the tuner that weighed an event last, from memory; None without one."""
        return next(reversed(self._known.tuners.values()), None)

    def find_tuner(self, about: str) -> TunerState | None:
        """Return the tuner about a hull and policy, else the last one, from memory."""
        return self._known.tuners.get(about) or self.tuner

    def history(self, limit: int = 100, *, before: int = LAST) -> list[Policy]:
        """Return the recorded policies, or those before one of them, the newest first."""
        with storage_errors(self.place):
            return [_as_policy(**row) for row in self._fetch(POLICIES, before, limit)]

    def count_policies(self) -> int:
        """Return the number of recorded policies, none of which is ever deleted."""
        return int(self._fetch("SELECT coalesce(max(id), 0) AS n FROM aims")[0]["n"])

    def receipt(self, event_id: str, digest: str) -> FeedbackReceipt | None:
        """Return the answer to an event; None if it is new.

        Raises
        ------
        ConflictError
            If another event had this id.
        """
        with self.reading() as db:
            return _read_receipt(db, event_id, digest)

    def add_feedback(
        self,
        event_id: str,
        digest: str,
        react: Callable[[TunerState | None], FeedbackEvent],
        *,
        about: str = "",
    ) -> FeedbackReceipt:
        """Store an event with the tuner's reaction; when this returns, both are durable.

        `react` gets the state of the tuner `about` a hull and policy, else that of the last one,
        and returns what to store; no process weighs another event meanwhile, and nothing is stored
        if it raises. It is not called for a repeated event: if it is not known whether an event
        was stored, repeat it.

        Raises
        ------
        ConflictError
            If another event had this id.
        """
        with self._waiting():
            with self._writing() as db:
                known = _read_receipt(db, event_id, digest)
                if known is not None:
                    return known
                event = react(_read_tuner(db, about))
                number = _insert_event(db, event)
            with self._memory:
                # not up to this event: those of others may have come before, or already after it
                if event.tuner is not None and number > self._known.event.number:
                    self._known = self._known.with_tuners([event.tuner])
        return FeedbackReceipt(event_id=event_id, stored_at=event.at, reaction=event.reaction)

    def number_version(self, sha256: str) -> int:
        """Return the number of a model file: 1, 2, 3 and so on, the same for the same content."""
        query = "SELECT number FROM versions WHERE sha256 = ?"
        found = self._fetch(query, sha256)
        if found:
            return int(found[0]["number"])
        with self.writing() as db:
            found = fetch(db, query, sha256)  # another process may have been faster
            number = (
                found[0]["number"]
                if found
                else insert(db, "versions", {"sha256": sha256}, number="number")
            )
        return int(number)

    def moves(self, limit: int = 20) -> list[dict[str, Any]]:
        """Return the tuners' moves, the newest first."""
        return self._fetch(
            'SELECT at, from_position AS "from", to_position AS "to", why '
            "FROM moves ORDER BY number DESC LIMIT ?",
            limit,
        )

    def count_events(self) -> int:
        """Return the number of feedback events, none of which is ever deleted."""
        return int(self._fetch("SELECT coalesce(max(number), 0) AS n FROM feedback")[0]["n"])

    def recent_feedback(self, limit: int = 20) -> list[dict[str, Any]]:
        """Return the last events and what came of them, the newest first."""
        found = self._fetch(
            "SELECT at, event_id, kind, rows, reaction, moved "
            "FROM feedback ORDER BY number DESC LIMIT ?",
            limit,
        )
        with storage_errors(self.place):
            for row in found:
                reaction = row.pop("reaction")
                weighed = None if reaction is None else json.loads(reaction)["words"]
                row["words"] = weighed or "stored, not weighed"
        return found

    def observed_rates(
        self, *, library_version: int, aim_id: int | None, fpr: float, tpr: float
    ) -> dict[str, Any] | None:
        """Return complete feedback on one rule, which is identified by its promised rates.

        A rate is None without rows of its class.
        """
        found = next(iter(self._fetch(OBSERVED, library_version, aim_id or 0, fpr, tpr)), None)
        if found is None:
            return None
        rows, positives = found["rows"], found["positives"]
        negatives = rows - positives
        return {
            "rows": rows,
            "negatives": negatives,
            "positives": positives,
            "fpr": found["false_positives"] / negatives if negatives else None,
            "tpr": found["true_positives"] / positives if positives else None,
        }


def _read_known(db: Connection, known: _Known) -> _Known:
    """Return what is known of the record by now: the same object if nothing was added."""
    (found,) = fetch(db, NEWEST)
    aim = _Newest(found["aim"] or 0, found["aimed_at"] or "")
    event = _Newest(found["event"] or 0, found["told_at"] or "")
    if (aim, event) == (known.aim, known.event):
        return known
    if known.aim.was_lost(aim) or known.event.was_lost(event):
        known = _Known()
    if aim != known.aim:
        policy = next(iter(_read_policies(db, 1)), None)
        known = known._replace(newest=policy)
    changed = fetch(db, f"{TUNERS} WHERE number > ? ORDER BY number", known.event.number)
    tuners = [_as_tuner(**row) for row in changed]
    return known.with_tuners(tuners)._replace(aim=aim, event=event)


def _read_policies(db: Connection, limit: int) -> list[Policy]:
    return [_as_policy(**row) for row in fetch(db, POLICIES, LAST, limit)]


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


def _insert_event(db: Connection, event: FeedbackEvent) -> int:
    """Write an event, what it adds up to, its moves, and the tuner after it; return its number."""
    columns = {field.name: getattr(event, field.name) for field in fields(event)}
    del columns["tuner"], columns["moves"]
    reaction = event.reaction
    columns["moved"] = 0.0 if reaction is None else reaction["moved"]
    columns["reaction"] = None if reaction is None else json.dumps(reaction, allow_nan=False)
    number = insert(db, "feedback", columns, number="number")
    if event.fpr is not None:
        rule = (event.library_version, event.aim_id or 0, event.fpr, event.tpr)
        counts = (event.rows, event.positives, event.false_positives, event.true_positives)
        db.execute(OBSERVE, rule + counts)
    for move in event.moves:
        row = {"at": move["at"], "event_id": event.event_id, "why": move["why"]}
        row |= {"from_position": move["from"], "to_position": move["to"]}
        insert(db, "moves", row, number="number")
    if event.tuner is not None:
        about, start = event.tuner.about, event.tuner.start
        state = json.dumps(event.tuner.state, allow_nan=False)
        row = {"key": _key_of(about), "number": number, "about": about, "start": start}
        insert(db, "tuners", row | {"state": state}, key="key")
    return number


def _key_of(about: str) -> str:
    return sha256(about.encode()).hexdigest()


def _read_tuner(db: Connection, about: str) -> TunerState | None:
    """Return the tuner about a hull and policy, else the last one."""
    newest = "ORDER BY number DESC LIMIT 1"
    found = fetch(
        db, f"{TUNERS} WHERE key IN (?, '') AND about = ? {newest}", _key_of(about), about
    )
    found = found or fetch(db, f"{TUNERS} {newest}")
    return _as_tuner(**found[0]) if found else None


def _as_tuner(*, state: str, **columns: Any) -> TunerState:
    return TunerState(state=json.loads(state), **columns)


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
