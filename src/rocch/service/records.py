"""What the service remembers: aims with their history, feedback, and where the tuner stands.

No row's features, scores or outcomes are kept: only counts, and a digest by which a repeated event
is known again. An event and what the tuner made of it are one transaction. So after a sudden end
each acknowledged event is there exactly once, and the tuner stands where these events led it.
"""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from rocch.errors import StorageError
from rocch.library.store import Record, Tables, storage_errors
from rocch.service import aim_table, feedback_table
from rocch.service.answers import json_text
from rocch.service.conflict import ConflictError
from rocch.service.events import Answer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from sqlite3 import Connection

    from rocch.service.aim_record import AimRecord
    from rocch.service.events import Event, Move, Observed, TunerRecord, Weighed

ANY: Final = "any"
Replaces: TypeAlias = int | Literal["any"] | None

TABLES = Tables(
    0x524F4353,
    (
        ";\n".join((*aim_table.SCHEMA, *feedback_table.SCHEMA)),
        ";\n".join(aim_table.ONE_QUESTION),
    ),
)
"""What the record consists of, and the number that marks it ("ROCS")."""
UNWRITTEN = (
    "the service's record cannot be written: feedback and new aims are refused until it can be. "
    "The log says why."
)
PATIENCE = 10.0
"""For how many seconds another process may hold it."""


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
    >>> from rocch import Question
    >>> from rocch.service.aim_record import AimRecord
    >>> from rocch.service.records import Records
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     records = Records(pathlib.Path(folder, "service.sqlite"))
    ...     first = records.put_aim(AimRecord(question=Question(max_fpr=0.05)))
    ...     print(first.id, records.current_aim() == first)
    ...     records.close()
    1 True
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.problem: str | None = None
        """Why nothing can be remembered, until something is again; it names no place."""
        with storage_errors(self.path):
            self.path.touch(mode=0o600)  # SQLite's log and locks beside it get the same
        self._database = Record(self.path, TABLES, patience=PATIENCE, new=True)
        try:
            self._newest = next(iter(self.history(1)), None)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the file; everything that was acknowledged stays."""
        self._database.close()

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        try:
            with self._database.writing() as connection:
                yield connection
        except StorageError:
            self.problem = UNWRITTEN
            raise
        self.problem = None

    def put_aim(self, aim: AimRecord, *, replaces: Replaces = ANY) -> AimRecord:
        """Record an aim, which is then in force; return it with its number.

        Parameters
        ----------
        aim
            What to aim at from now on. One whose source is not an operator ends the operators'
            aims: from then on the command line's question counts again.
        replaces
            The number of the aim that its author saw in force (None: one that was not recorded
            here); by default whatever is.

        Raises
        ------
        ConflictError
            If another one is in force by now; nothing is stored.
        """
        with self._writing() as connection:
            newest = next(iter(aim_table.last(connection, 1)), None)
            _check_replaced(replaces, _by_operator(newest))
            stored = aim_table.insert(connection, aim)
        self._newest = stored
        return stored

    def current_aim(self) -> AimRecord | None:
        """Return the operator's aim in force; None while none aimed, or since a reset.

        It is answered from memory, so that decisions need not wait for the disk.
        """
        return _by_operator(self._newest)

    def history(self, limit: int = 100, *, before: int = aim_table.LAST) -> list[AimRecord]:
        """Return the recorded aims, or those before one of them, the newest first."""
        with self._database.reading() as connection:
            return aim_table.last(connection, limit, before)

    def aims(self) -> int:
        """Return how many aims were recorded."""
        with self._database.reading() as connection:
            return aim_table.count(connection)

    def answered(self, event_id: str, digest: str) -> Answer | None:
        """Return what was answered to an event; None if it is new.

        Raises
        ------
        ConflictError
            If another event had this id.
        """
        with self._database.reading() as connection:
            return feedback_table.answered(connection, event_id, digest)

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
            If another event had this id.
        """
        with self._writing() as connection:
            known = feedback_table.answered(connection, event.event_id, event.digest)
            if known is not None:
                return known
            weighed = weigh(feedback_table.tuner(connection))
            feedback_table.insert(connection, event, weighed)
        return Answer(event_id=event.event_id, stored_at=event.at, reaction=weighed.reaction)

    def tuner(self) -> TunerRecord | None:
        """Return where the tuner stands; None if there never was one."""
        with self._database.reading() as connection:
            return feedback_table.tuner(connection)

    def moves(self, limit: int = 20) -> list[Move]:
        """Return the tuner's moves, the newest first."""
        with self._database.reading() as connection:
            return feedback_table.moves(connection, limit)

    def events(self) -> int:
        """Return how many events of feedback there are."""
        with self._database.reading() as connection:
            return feedback_table.count(connection)

    def recent_feedback(self, limit: int = 20) -> list[dict[str, Any]]:
        """Return the last events and what became of them, the newest first."""
        with self._database.reading() as connection:
            return feedback_table.recent(connection, limit)

    def observed(
        self, *, library_version: int, aim_id: int | None, fpr: float, tpr: float
    ) -> Observed | None:
        """Return what complete feedback says about one rule, named by what it promises."""
        with self._database.reading() as connection:
            return feedback_table.observed(
                connection, library_version=library_version, aim_id=aim_id, fpr=fpr, tpr=tpr
            )


def _by_operator(aim: AimRecord | None) -> AimRecord | None:
    return aim if aim is not None and aim.source == "operator" else None


def _check_replaced(replaces: Replaces, current: AimRecord | None) -> None:
    in_force = None if current is None else current.id
    if replaces not in (ANY, in_force):
        words = "" if current is None else f" ({current.words}), put by {current.by or 'somebody'}"
        raise ConflictError(
            "replaces",
            "be the aim in force",
            f"{json_text(replaces)}, and {json_text(in_force)} is in force{words}",
            "Look at it, then send yours again if you still want it.",
        )
