"""The audit of decisions: a file with a line for each request, shipped to the record.

The file comes first: a decision is in it before its caller hears of it, and no decision waits for
the record. A thread ships its lines to the record later. The record keeps how far it got in the
same transaction as the lines, so that each is there exactly once, whenever a process ends.
"""

from __future__ import annotations

import hashlib
import logging
import os
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from socket import gethostname
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from pydantic_core import from_json, to_json

from rocch.database.record import fetch
from rocch.errors import InputError, RocchError, StorageError, format_count
from rocch.service.errors import NotTriedError, ServiceError
from rocch.service.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from rocch.database.places import Place
    from rocch.database.record import Connection
    from rocch.service.run import Settings

LOG = logging.getLogger("rocch.service")

# Seconds between two looks at the file, and how long the last one may take.
SECONDS_BETWEEN = 0.5
SECONDS_TO_END = 10.0
# Bytes of the file that one transaction ships; a longer line is shipped alone.
BATCH = 2**20
# Rows of one statement.
ROWS = 500
INSERT = """INSERT INTO audit (decision_id, at, worker, model_version, aim_id, record)
VALUES {rows} ON CONFLICT (decision_id) DO NOTHING"""
# How every line begins, also behind one that a full disk cut off.
BEGIN = b'{"decisions":'
# A time after all others.
NEWEST = "9999"
# Bytes of records that are shown at once; a single one may be larger.
PAGE = 4 * 2**20


class AuditLog:
    """A file with one line of JSON for each decided request.

    Each line is appended by one system call, so that lines of several writers do not mix. If it
    cannot be written, the decision is refused: nothing goes unrecorded. Only its owner can read it.
    A writer shares a lock on the file, by which others see whether it is still written.

    Raises
    ------
    StorageError
        If it cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._write_problem: str | None = None
        self._reopen_problem: str | None = None
        try:
            self._file = self._open()
        except OSError as error:
            reason = error.strerror or error
            raise StorageError(f"{str(path)!r} cannot be opened: {reason}.") from None
        self._is_torn = False

    @property
    def problem(self) -> str | None:
        """What is wrong with the log at present, without naming a path."""
        return self._write_problem or self._reopen_problem

    def write(self, record: dict[str, Any]) -> None:
        """Append a record, or refuse the request that it is about."""
        line = (b"\n" if self._is_torn else b"") + to_json(record) + b"\n"
        try:
            written = os.write(self._file, line)
            if written < len(line):  # a full disk; the next record must start a new line
                self._is_torn = True
                raise OSError(0, "the disk is full")
        except OSError as error:
            problem = f"the audit record cannot be written: {error.strerror or error}"
            self._write_problem = f"{problem}. Decisions are refused until it can be."
            raise ServiceError(
                503, "audit_failed", f"{problem}. Nothing was decided; try again once it can be."
            ) from None
        self._write_problem, self._is_torn = None, False

    def reopen(self) -> None:
        """Open the file anew after it was moved; if that fails, keep the old one."""
        try:
            new = self._open()
        except OSError as error:
            reason = error.strerror or error
            LOG.warning("%s cannot be opened anew: %s", self.path, reason)
            self._reopen_problem = (
                f"the audit record cannot be opened anew: {reason}. Decisions are recorded in the "
                "file that was moved away, until SIGHUP comes and it can be."
            )
            return
        os.close(self._file)
        self._file, self._is_torn = new, False
        self._write_problem = self._reopen_problem = None

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)

    def _open(self) -> int:
        file = os.open(self.path, os.O_APPEND | os.O_CREAT | os.O_WRONLY, 0o600)
        lock_file(file, exclusive=False)
        return file


def lock_file(file: int, *, exclusive: bool) -> bool:
    """Lock an open file until it is closed; return whether others let us.

    Where there are no such locks, nobody else is taken to use it.
    """
    try:
        import fcntl
    except ImportError:  # pragma: no cover - Windows, where open files cannot be moved
        return True
    try:
        fcntl.flock(file, (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # pragma: no cover - a disk without locks
        return True
    return True


class _FileId(NamedTuple):
    """What a file is known by, whatever its name."""

    device: str
    inode: str

    @classmethod
    def of(cls, about: os.stat_result) -> _FileId:
        # as texts, because they may have 64 bits without a sign
        return cls(str(about.st_dev), str(about.st_ino))


@dataclass(slots=True)
class _OpenFile:
    """A file that is being shipped, and how many of its bytes are."""

    id: _FileId
    file: BinaryIO
    shipped: int = 0

    @property
    def size(self) -> int:
        return os.fstat(self.file.fileno()).st_size

    def read_lines(self) -> bytes:
        """Return whole lines that are not yet shipped: a batch, or one line that is longer."""
        size = BATCH
        while True:
            self.file.seek(self.shipped)
            content = self.file.read(size)
            end = content.rfind(b"\n") + 1
            if end or len(content) < size:
                return content[:end]
            size *= 2

    def first_line(self) -> str:
        """Return a digest of the first line, which differs between files: it has an id."""
        self.file.seek(0)
        return hashlib.sha256(self.file.readline()).hexdigest()


class AuditShipper:
    """Ships the lines of an audit file to the record, in the order of the file.

    Only one process of a machine needs to. If the record is away it tries again, and goes on where
    it was. A file that was moved away is shipped until nobody writes it any more; also after a
    restart, if it is still in the same folder.

    Parameters
    ----------
    path
        The file that workers append to.
    store
        The record.
    host
        The machine's name, the same at each start.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from rocch.service.audit import AuditLog, AuditShipper, read_decisions
    >>> from rocch.service.store import Store
    >>> line = {"decisions": [1], "model": {"version": 3}, "aim": {"id": None}}
    >>> line |= {"decision_id": "0f9a", "decided_at": "2026-03-02T09:15:00.123Z"}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "audit.jsonl")
    ...     audit, store = AuditLog(file), Store(pathlib.Path(folder, "service.sqlite"))
    ...     audit.write(line)
    ...     shipper = AuditShipper(file, store, "web-1")
    ...     shipper.ship()
    ...     shipper.ship()  # nothing is left
    ...     print([each["decision_id"] for each in read_decisions(store, 10)["decisions"]])
    ...     shipper.close()
    ...     audit.close()
    ...     store.close()
    ['0f9a']
    """

    def __init__(self, path: Path, store: Store, host: str) -> None:
        self.path, self._store, self._host = path.absolute(), store, host
        self._files: list[_OpenFile] | None = None  # the oldest first
        self._stopping, self._stopped = Event(), Event()
        self._problem = ""
        self._thread = Thread(target=self._run, name="rocch-audit", daemon=True)

    def start(self) -> None:
        """Ship in a thread, until closed."""
        self._thread.start()

    def close(self, seconds: float = SECONDS_TO_END) -> None:
        """Ship what is left, if it takes no longer; the next start ships the rest."""
        if self._thread.is_alive():
            self._stopping.set()
            self._thread.join(seconds)
        self._stopped.set()
        if self._thread.is_alive():
            LOG.warning("decisions of %s are not yet recorded; the next start goes on", self.path)
            return  # its files stay open until it notices
        while self._files:
            self._files.pop().file.close()

    def _run(self) -> None:
        while True:
            is_last = self._stopping.wait(SECONDS_BETWEEN)
            try:
                self.ship()
                if self._problem:
                    LOG.warning("decisions of %s are recorded again", self.path)
                self._problem = ""
            except Exception as error:  # whatever it is, decisions wait in the file
                problem = str(error) if isinstance(error, RocchError | OSError) else repr(error)
                kind = type(error).__name__
                if isinstance(error, NotTriedError):  # the same failure as before
                    kind = self._problem or kind
                if kind != self._problem:
                    LOG.warning("decisions of %s cannot be recorded: %s", self.path, problem)
                self._problem = kind
            if is_last:
                return

    def ship(self) -> None:
        """Ship all whole lines.

        Raises
        ------
        StorageError
            If the record cannot be read or written, or the file cannot be read.
        """
        try:
            self._ship()
        except OSError as error:
            if isinstance(error, StorageError):
                raise
            raise StorageError(f"{self.path} cannot be read: {error.strerror}.") from error

    def _ship(self) -> None:
        current = self._open_files()
        for file in list(self._files or ()):
            # before reading: whoever had it open has written all by now
            is_finished = file is not current and lock_file(file.file.fileno(), exclusive=True)
            while not self._stopped.is_set() and self._ship_batch(file):
                pass
            if is_finished and not self._stopped.is_set():
                self._finish(file)

    def _open_files(self) -> _OpenFile | None:
        """Open the files that are not finished, and the present one, which is returned."""
        if self._files is None:
            self._files = self._reopen_moved()
        try:
            id_ = _FileId.of(os.stat(self.path))
            known = next((each for each in self._files if each.id == id_), None)
            if known is not None:
                return known
            file = self._open(self.path)
        except FileNotFoundError:  # just moved, and not yet made anew
            return None
        self._files.append(file)
        return file

    def _open(self, path: Path | str) -> _OpenFile:
        """Open a file; how far it is shipped is said by the record."""
        file = open(path, "rb")  # noqa: SIM115 - it is kept open
        opened = _OpenFile(_FileId.of(os.fstat(file.fileno())), file)
        try:
            with self._store.writing() as db:
                self._resume(db, opened)
        except BaseException:
            file.close()
            raise
        return opened

    def _resume(self, db: Connection, file: _OpenFile) -> bool:
        """Go on in a file where the record says; return whether that is where it was.

        Another file may have got its number since: then the record knows nothing of it.
        """
        before, key = file.shipped, (self._host, *file.id)
        found = fetch(
            db,
            "SELECT path, shipped, first_line FROM audit_files "
            "WHERE host = ? AND device = ? AND inode = ?",
            *key,
        )
        known = found[0] if found else None
        file.shipped = 0
        if known and known["shipped"] <= file.size and known["first_line"] == file.first_line():
            file.shipped = known["shipped"]
        if known is None or (known["path"], known["shipped"]) != (str(self.path), file.shipped):
            db.execute(
                "INSERT INTO audit_files (host, device, inode, path, shipped) "
                "VALUES (?, ?, ?, ?, ?) ON CONFLICT (host, device, inode) "
                "DO UPDATE SET path = excluded.path, shipped = excluded.shipped",
                (*key, str(self.path), file.shipped),
            )
        return file.shipped == before

    def _reopen_moved(self) -> list[_OpenFile]:
        """Open files that were moved away before all of them was shipped."""
        with self._store.reading() as db:
            known = _read_files(db, self.path, self._host)
        present = _find_files(self.path, known)
        for id_, shipped in known.items():
            if id_ not in present:
                LOG.warning(
                    "a file that was %s is gone from its folder; its first %d bytes are recorded",
                    *(self.path, shipped),
                )
                self._forget(id_)
        moved = [found.path for found in present.values() if found.path != str(self.path)]
        return [self._open(path) for path in moved]

    def _ship_batch(self, file: _OpenFile) -> bool:
        """Ship some lines and note how far, in one transaction; return whether to go on."""
        if file.size < file.shipped:  # somebody emptied it
            file.shipped = 0
        content = file.read_lines()
        if not content:
            return False
        rows, torn = _as_rows(content, self._host)
        with self._store.writing() as db:
            if not self._resume(db, file):
                return True  # another process shipped, or the record was replaced
            for start in range(0, len(rows), ROWS):
                _insert(db, rows[start : start + ROWS])
            db.execute(
                "UPDATE audit_files SET shipped = ?, first_line = ? "
                "WHERE host = ? AND device = ? AND inode = ?",
                (file.shipped + len(content), file.first_line(), self._host, *file.id),
            )
        file.shipped += len(content)
        if torn:
            what = format_count(torn, "line", ",")
            LOG.warning("%s: skipped %s that a full disk cut off", self.path, what)
        return True

    def _finish(self, file: _OpenFile) -> None:
        """Forget a file that nobody writes any more."""
        if file.size > file.shipped:
            LOG.warning("the end of a file that was %s is cut off", self.path)
        self._forget(file.id)
        if self._files is not None:
            self._files.remove(file)
        file.file.close()

    def _forget(self, id_: _FileId) -> None:
        with self._store.writing() as db:
            query = "DELETE FROM audit_files WHERE host = ? AND device = ? AND inode = ?"
            db.execute(query, (self._host, *id_))


@contextmanager
def shipping(settings: Settings, record: Place) -> Iterator[None]:
    """Ship decisions to a record in the background, if the settings say so."""
    if settings.audit is None or not settings.audit_to_record:
        yield
        return
    with closing(Store(record)) as store:  # its own, so that nobody waits for batches
        shipper = AuditShipper(settings.audit, store, host_of(settings))
        shipper.start()
        try:
            yield
        finally:
            shipper.close()


def host_of(settings: Settings) -> str:
    """Return the machine of a worker."""
    return settings.worker.rpartition("/")[0].partition(":")[0] or gethostname()


class AuditLag:
    """How far the record is behind the audit files of this machine; any worker can tell."""

    def __init__(self, settings: Settings, store: Store) -> None:
        self._settings, self._store = settings, store
        self._known: dict[_FileId, int] = {}

    def count(self) -> int | None:
        """Return how many bytes are not yet shipped; None where nothing is.

        While the record is away, what it had got before counts.
        """
        settings = self._settings
        if settings.audit is None or not settings.audit_to_record:
            return None
        path = settings.audit.absolute()
        with suppress(StorageError), self._store.reading() as db:
            self._known = _read_files(db, path, host_of(settings))
        known = self._known
        found = _find_files(path, known).items()
        return sum(max(file.size - known.get(id_, 0), 0) for id_, file in found)


def _read_files(db: Connection, path: Path, host: str) -> dict[_FileId, int]:
    """Return how many bytes of each file are shipped that is, or was, at a path."""
    query = "SELECT device, inode, shipped FROM audit_files WHERE host = ? AND path = ?"
    found = fetch(db, query, host, str(path))
    return {_FileId(row["device"], row["inode"]): row["shipped"] for row in found}


class _FoundFile(NamedTuple):
    path: str
    size: int


def _find_files(path: Path, known: Iterable[_FileId]) -> dict[_FileId, _FoundFile]:
    """Return the file at a path, and known ones beside it that were moved away."""
    found = {}
    with suppress(FileNotFoundError):  # it is just being moved
        about = os.stat(path)
        found[_FileId.of(about)] = _FoundFile(str(path), about.st_size)
    moved = {id_.inode: id_ for id_ in known if id_ not in found}
    if not moved:
        return found
    with suppress(FileNotFoundError), os.scandir(path.parent) as entries:
        for entry in entries:
            # closing a record that got the number of a lost file would drop this process's locks
            if str(entry.inode()) in moved and ".sqlite" not in entry.name:
                about = entry.stat(follow_symlinks=False)
                if moved[str(entry.inode())] == _FileId.of(about):
                    found[_FileId.of(about)] = _FoundFile(entry.path, about.st_size)
    return found


def _as_rows(content: bytes, host: str) -> tuple[list[tuple[Any, ...]], int]:
    """Return the rows of whole lines, and how many lines were cut off."""
    rows, torn = [], 0
    for line in content.split(b"\n"):
        # what a full disk cut off may have the line of another writer behind it
        start = 0
        while start >= 0:
            try:
                rows.append(_as_row(line[start:], host))
                break
            except (KeyError, TypeError, ValueError):
                start = line.find(BEGIN, start + 1)
        torn += bool(line) and start != 0
    return rows, torn


def _as_row(line: bytes, host: str) -> tuple[Any, ...]:
    record = from_json(line)
    return (
        record["decision_id"],
        record["decided_at"],
        record.get("worker") or host,
        record["model"]["version"],
        record["aim"]["id"],
        line.decode(),
    )


def _insert(db: Connection, rows: list[tuple[Any, ...]]) -> None:
    query = INSERT.format(rows=", ".join(["(?, ?, ?, ?, ?, ?)"] * len(rows)))
    db.execute(query, [value for row in rows for value in row])


def read_decisions(store: Store, limit: int, *, before: str | None = None) -> dict[str, Any]:
    """Return recorded decisions, or those before one of them, the newest first.

    There may be fewer than `limit` if they are large; `more` says whether there are older ones.

    Raises
    ------
    InputError
        If `before` is not recorded.
    """
    end: tuple[str, ...] = (NEWEST, "")
    with store.reading() as db:
        if before is not None:
            found = fetch(db, "SELECT at FROM audit WHERE decision_id = ?", before)
            if not found:
                raise InputError(
                    "before",
                    "be the id of a recorded decision",
                    repr(before),
                    "Take the last one of the page before.",
                )
            end = (found[0]["at"], before)
        sizes = fetch(
            db,
            "SELECT length(record) AS size FROM audit WHERE (at, decision_id) < (?, ?) "
            "ORDER BY at DESC, decision_id DESC LIMIT ?",
            *(*end, limit + 1),
        )
        shown = _count_fitting([row["size"] for row in sizes[:limit]])
        rows = fetch(
            db,
            "SELECT decision_id, at, worker, model_version, aim_id, record FROM audit "
            "WHERE (at, decision_id) < (?, ?) ORDER BY at DESC, decision_id DESC LIMIT ?",
            *(*end, shown),
        )
    for row in rows:
        row["record"] = from_json(row["record"])
    return {"decisions": rows, "more": len(sizes) > shown}


def _count_fitting(sizes: list[int]) -> int:
    """Return how many fit on a page, at least one of them."""
    total = 0
    for count, size in enumerate(sizes):
        total += size
        if count and total > PAGE:
            return count
    return len(sizes)
