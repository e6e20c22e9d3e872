"""Checking, compacting and copying a library."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex

from rocch.errors import InputError, RocchError, StorageError, escape_line
from rocch.files import remove_at_end, sync_folder
from rocch.library.contents import (
    LibraryEntry,
    LibraryState,
    LogEntry,
    build_hull,
    check_name,
    read_entries,
)
from rocch.library.store import (
    OBJECTS,
    RECORD,
    DamageError,
    Objects,
    Row,
    SealedRecord,
    check_empty,
    fetch,
    load_json,
    seal_problems,
    sqlite_uri,
    storage_errors,
    used_files,
)
from rocch.results import Record, Table, Tabular
from rocch.roc.hull import Member

# How often a copy starts again because a file was dropped meanwhile, before it locks the record.
TRIES = 5

# The record of a service in the same folder, copied with it.
SERVICE_RECORD = "service.sqlite"


@dataclass(frozen=True, slots=True, repr=False)
class Verification(Tabular):
    """The result of checking a library.

    Attributes
    ----------
    problems
        What is damaged.
    cleaned
        Removed files that interrupted additions had left.
    """

    problems: tuple[str, ...]
    cleaned: tuple[str, ...]

    @property
    def sound(self) -> bool:
        """Whether nothing is damaged."""
        return not self.problems

    def _columns(self) -> Table:
        return {"problem": self.problems}

    def __str__(self) -> str:
        lines = list(map(escape_line, self.problems)) or ["all is well"]
        if self.cleaned:
            lines.append(f"{len(self.cleaned)} file(s) left by interrupted additions removed")
        return "\n".join(lines)


def verify(record: SealedRecord) -> Verification:
    """Check the record, every file and the hull; remove unused files."""
    objects, cleaned = record.objects, list[Path]()
    with record.examining() as db:
        problems = list(_record_problems(db))
        if not problems:  # a damaged record may not name all files that are needed
            problems = [*_file_problems(db, objects), *_hull_problems(db, objects)]
            cleaned = objects.sweep(used_files(db))
    names = [str(place.relative_to(objects.folder)) for place in cleaned]
    return Verification(tuple(problems), tuple(names))


def _record_problems(db: sqlite3.Connection) -> Iterator[str]:
    for (result,) in db.execute("PRAGMA integrity_check").fetchall():
        if result != "ok":
            yield f"the record is damaged: {result}. Restore the last backup."
    for table, *_ in db.execute("PRAGMA foreign_key_check").fetchall():
        yield f"the record is damaged: {table} refers to a classifier that is not there."
    yield from seal_problems(db)
    yield from _history_problems(db)
    yield from _content_problems(db)


def _history_problems(db: sqlite3.Connection) -> Iterator[str]:
    """Check that the numbers of the history's entries have no gaps."""
    try:
        count, last = db.execute("SELECT count(*), coalesce(max(id), 0) FROM events").fetchone()
        given = db.execute("SELECT seq FROM sqlite_sequence WHERE name = 'events'").fetchone()
    except sqlite3.Error as error:
        yield f"the history is damaged: {error}. Restore the last backup."
        return
    if not count == last == (given or (0,))[0]:
        yield f"the history is damaged: {count} entries are left. Restore the last backup."


def _content_problems(db: sqlite3.Connection) -> Iterator[str]:
    """Check that all JSON can be read; the seal does not cover everything."""
    readers: dict[str, Callable[[Row], object]] = {
        "library": lambda _row: LibraryState.read(db),
        "classifiers": _read_classifier,
        "exports": lambda row: load_json(row["classifiers"], list),
        "events": LogEntry.from_row,
    }
    for table, read in readers.items():
        try:
            for row in fetch(db, f"SELECT * FROM {table}"):  # noqa: S608 - names of our own
                read(row)
        except (DamageError, sqlite3.Error):
            name = "history" if table == "events" else "record"
            yield f"the {name} is damaged: {table} cannot be read. Restore the last backup."


def _read_classifier(row: Row) -> None:
    check_name(row["name"])
    load_json(row["tags"], list)
    load_json(row["parameters"], dict)


def _file_problems(db: sqlite3.Connection, objects: Objects) -> Iterator[str]:
    for digest, what in sorted(used_files(db).items(), key=lambda pair: pair[1]):
        try:
            objects.get(digest)
        except StorageError as error:
            again = "Export again, or restore it" if what.startswith("export ") else "Restore it"
            yield f"{what}: {error.problem} {again} from a backup."


def _hull_problems(db: sqlite3.Connection, objects: Objects) -> Iterator[str]:
    """Check that exactly the points on the hull are stored, and agree with the curves."""
    state = LibraryState.read(db)
    if state.evaluation_rows is None:
        return
    entries = read_entries(db, objects)
    try:
        hull = build_hull(state, entries)
    except RocchError as error:
        yield f"the points make no hull: {error}"
        return
    for entry in entries:
        size = entry.member.false_positives.size
        if entry.name not in hull.winners or len(entry.vertices_of(hull)) < size:
            yield f"{entry.name!r} is kept with points that are not on the hull."
        elif entry.member.scoring:
            yield from _curve_problems(entry)


def _curve_problems(entry: LibraryEntry) -> Iterator[str]:
    try:
        curve = entry.member.curve()
    except StorageError:
        return  # reported as a damaged file
    assert curve is not None  # noqa: S101 - it scores
    if not set(entry.member.pairs) <= set(Member.from_curve(curve).pairs):
        yield f"the points of {entry.name!r} are not those of its curve."


@dataclass(frozen=True, slots=True, repr=False)
class CompactionResult(Record):
    """Sizes on disk in bytes, and the number of exports dropped."""

    before: int
    after: int
    exports_dropped: int = 0

    def __str__(self) -> str:
        return (
            f"{self.before} bytes before, {self.after} after; {self.exports_dropped} old export(s) "
            "dropped."
        )


def compact(record: SealedRecord) -> CompactionResult:
    """Drop all exports but the newest, unused files and free pages."""
    before = _size(record)
    with record.writing() as db:
        newest = _newest_sound_export(db, record.objects)
        dropped = db.execute("DELETE FROM exports WHERE version < ?", (newest,)).rowcount
    with record.writing() as db:
        record.objects.sweep(used_files(db))
    with record.without_transaction() as db:
        db.execute("VACUUM")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return CompactionResult(before, _size(record), dropped)


def _newest_sound_export(db: sqlite3.Connection, objects: Objects) -> int:
    for version, file in db.execute("SELECT version, file FROM exports ORDER BY version DESC"):
        with suppress(StorageError):
            objects.get(file)
            return int(version)
    return 0


def _size(record: SealedRecord) -> int:
    log, total = record.path.with_name(f"{record.path.name}-wal"), 0
    for place in (record.path, log, *record.objects.files()):
        with suppress(FileNotFoundError):  # others may remove files meanwhile
            total += place.stat().st_size
    return total


def backup(record: SealedRecord, target: Path) -> Path:
    """Copy a library as it is at one moment, while others may add to it."""
    with storage_errors(target):
        check_empty(target, "target")
        if record.path.parent in target.resolve().parents:
            raise InputError("target", "be outside the library", repr(str(target)))
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = target.with_name(f".rocch-{token_hex(6)}")
        with remove_at_end(temporary):
            temporary.mkdir()
            _copy(record, temporary)
            if target.exists():
                target.rmdir()
            temporary.replace(target)
            sync_folder(target.parent)
    return target


def _copy(record: SealedRecord, target: Path) -> None:
    """Copy the record, then its files; again if one was dropped in between."""
    place, copies = target / RECORD, Objects(target / OBJECTS)
    for _ in range(TRIES):
        files = _copy_record(record.path, place)
        with suppress(StorageError):
            _copy_files(record.objects, files, copies)
            break
    else:
        with record.writing():  # nobody drops files now: a missing one is an error
            files = _copy_record(record.path, place)
            _copy_files(record.objects, files, copies)
    copies.sweep(files)
    with closing(sqlite3.connect(place)) as copy:
        record.tables.check(copy, record.path, new=False)
        problems = list(_record_problems(copy))
    if problems:
        raise StorageError(f"{record.path}: {problems[0]}")
    beside = record.path.with_name(SERVICE_RECORD)
    if beside.is_file():
        _copy_record(beside, target / SERVICE_RECORD)


def _copy_record(source: Path, target: Path) -> list[str]:
    target.unlink(missing_ok=True)
    with (
        closing(sqlite3.connect(sqlite_uri(source), uri=True)) as db,
        closing(sqlite3.connect(target)) as copy,
    ):
        db.backup(copy)
        return [] if source.name == SERVICE_RECORD else list(used_files(copy))


def _copy_files(objects: Objects, files: Iterable[str], copies: Objects) -> None:
    for digest in files:
        if not copies.path(digest).exists():
            copies.put(objects.get(digest))
