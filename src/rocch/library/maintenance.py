"""Checking a library, giving back its space, and copying it while it is in use."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from secrets import token_hex

from rocch.errors import InputError, RocchError, StorageError
from rocch.files import remove_at_end, sync_folder
from rocch.library.holdings import (
    Compacted,
    Holding,
    LogEntry,
    Standing,
    Verification,
    check_name,
    held,
    hull_of,
)
from rocch.library.store import (
    DamageError,
    Objects,
    Record,
    SealedRecord,
    address,
    rows,
    seal_problems,
    size_of,
    stored,
    told,
    wanted,
)
from rocch.roc.hull import Member

# How often a copy begins again because a file was dropped meanwhile, before others must wait.
TRIES = 5

# The record of a service that runs in the same folder, copied with it.
BESIDE = "service.sqlite"


def verify(record: SealedRecord, objects: Objects) -> Verification:
    """Check the record, every file and the hull; remove files that nobody refers to."""
    with record.examining() as db:
        problems, cleaned = list(_record_problems(db)), list[Path]()
        if not problems:  # a damaged record may have lost sight of files that are needed
            problems = [*_file_problems(db, objects), *_hull_problems(db, objects)]
            cleaned = objects.sweep(wanted(db))
    return Verification(
        tuple(problems), tuple(str(place.relative_to(objects.folder)) for place in cleaned)
    )


def _record_problems(db: sqlite3.Connection) -> Iterator[str]:
    for (said,) in db.execute("PRAGMA integrity_check").fetchall():
        if said != "ok":
            yield f"the record is damaged: {said}. Restore the last backup."
    for table, *_ in db.execute("PRAGMA foreign_key_check").fetchall():
        yield f"the record is damaged: {table} refers to a classifier that is not there."
    yield from seal_problems(db)
    yield from _history_problems(db)
    yield from _content_problems(db)


def _history_problems(db: sqlite3.Connection) -> Iterator[str]:
    """Check that no entry of the history is missing; their numbers have no gaps."""
    try:
        count, last = db.execute("SELECT count(*), coalesce(max(id), 0) FROM events").fetchone()
        given = db.execute("SELECT seq FROM sqlite_sequence WHERE name = 'events'").fetchone()
    except sqlite3.Error as error:
        yield f"the history is damaged: {error}. Restore the last backup."
        return
    if not count == last == (given or (0,))[0]:
        yield f"the history is damaged: {count} entries are left. Restore the last backup."


def _content_problems(db: sqlite3.Connection) -> Iterator[str]:
    """Check that what is kept as JSON can be read; a seal can be forged, and some has none."""
    readings: dict[str, Callable[[sqlite3.Row], object]] = {
        "library": lambda _row: Standing.read(db),
        "classifiers": _read_classifier,
        "exports": lambda row: stored(row["classifiers"], list),
        "events": lambda row: LogEntry.from_row(dict(row)),
    }
    for table, read in readings.items():
        try:
            for row in rows(db, f"SELECT * FROM {table}"):  # noqa: S608 - names of our own
                read(row)
        except (DamageError, sqlite3.Error):
            name = "history" if table == "events" else "record"
            yield f"the {name} is damaged: {table} cannot be read. Restore the last backup."


def _read_classifier(row: sqlite3.Row) -> None:
    check_name(row["name"])
    stored(row["tags"], list)
    stored(row["parameters"], dict)


def _file_problems(db: sqlite3.Connection, objects: Objects) -> Iterator[str]:
    for digest, whose in sorted(wanted(db).items(), key=lambda pair: pair[1]):
        try:
            objects.get(digest)
        except StorageError as error:
            again = "Export again, or restore it" if whose.startswith("export ") else "Restore it"
            yield f"{whose}: {error}".replace("Restore it", again)


def _hull_problems(db: sqlite3.Connection, objects: Objects) -> Iterator[str]:
    """Check that what is kept is just what the hull needs, and agrees with the curves."""
    standing = Standing.read(db)
    if standing.ground is None:
        return
    holdings = held(db, objects)
    try:
        hull = hull_of(standing, holdings)
    except RocchError as error:
        yield f"the points make no hull: {error}"
        return
    for holding in holdings:
        size = holding.member.false_positives.size
        if holding.name not in hull.winners or len(holding.vertices_of(hull)) < size:
            yield f"{holding.name!r} is kept with points that are not on the hull."
        elif holding.member.scoring:
            yield from _curve_problems(holding)


def _curve_problems(holding: Holding) -> Iterator[str]:
    try:
        curve = holding.member.curve()
    except StorageError:
        return  # which was reported as a damaged file
    assert curve is not None  # noqa: S101 - it scores
    own = Member.from_curve(curve)
    known = set(zip(own.false_positives.tolist(), own.true_positives.tolist(), strict=True))
    counts = holding.member.false_positives.tolist(), holding.member.true_positives.tolist()
    if not set(zip(*counts, strict=True)) <= known:
        yield f"the points of {holding.name!r} are not those of its curve."


def compact(record: Record, objects: Objects) -> Compacted:
    """Drop all exports but the newest, files that nobody refers to, and free pages."""
    before = _size(record, objects)
    with record.writing() as db:
        sound = _newest_sound(db, objects)
        dropped = db.execute("DELETE FROM exports WHERE version < ?", (sound,)).rowcount
    with record.writing() as db:
        objects.sweep(wanted(db))
    with record.alone() as db:
        db.execute("VACUUM")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return Compacted(before, _size(record, objects), dropped)


def _newest_sound(db: sqlite3.Connection, objects: Objects) -> int:
    """Return the newest export that can still be used; 0 if there is none."""
    for version, file in db.execute("SELECT version, file FROM exports ORDER BY version DESC"):
        with suppress(StorageError):
            objects.get(file)
            return int(version)
    return 0


def _size(record: Record, objects: Objects) -> int:
    """Return the bytes of a library; the index of the journal goes when it is closed."""
    return size_of((record.path, record.path.with_name(f"{record.path.name}-wal"))) + objects.size


def backup(record: Record, objects: Objects, target: Path) -> Path:
    """Copy a library that others may be adding to; the copy is that of one moment."""
    with told(target):
        if target.exists() and (not target.is_dir() or any(target.iterdir())):
            raise InputError("target", "be a new folder", repr(str(target)), "Choose another.")
        if record.path.parent in target.resolve().parents:
            raise InputError(
                "target", "be outside the library", repr(str(target)), "Choose another place."
            )
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = target.with_name(f".rocch-{token_hex(6)}")
        with remove_at_end(temporary):
            temporary.mkdir()
            _copy(record, objects, temporary)
            if target.exists():
                target.rmdir()
            temporary.replace(target)
            sync_folder(target.parent)
    return target


def _copy(record: Record, objects: Objects, target: Path) -> None:
    """Copy the record, then the files it refers to; again if one was dropped in between."""
    place, copies = target / record.path.name, Objects(target / objects.folder.name)
    for _ in range(TRIES):
        files = _copy_record(record.path, place)
        with suppress(StorageError):
            _copy_files(objects, files, copies)
            break
    else:
        with record.writing():  # nobody drops a file now: what is missing is an error
            files = _copy_record(record.path, place)
            _copy_files(objects, files, copies)
    copies.sweep(files)
    _check_copy(record, place)
    beside = record.path.with_name(BESIDE)
    if beside.is_file():
        _copy_record(beside, target / BESIDE)


def _check_copy(record: Record, place: Path) -> None:
    """Refuse to call a copy done that could not be used."""
    with closing(sqlite3.connect(place)) as copy:
        record.tables.check(copy, record.path, new=False)
        problems = list(_record_problems(copy))
    if problems:
        raise StorageError(f"{record.path}: {problems[0]}")


def _copy_record(source: Path, target: Path) -> list[str]:
    """Copy a record through SQLite's own backup; return the files that it refers to."""
    target.unlink(missing_ok=True)
    with (
        closing(sqlite3.connect(address(source), uri=True)) as db,
        closing(sqlite3.connect(target)) as copy,
    ):
        db.backup(copy)
        return [] if source.name == BESIDE else list(wanted(copy))


def _copy_files(objects: Objects, files: Iterable[str], copies: Objects) -> None:
    for digest in files:
        if not copies.path(digest).exists():
            copies.put(objects.get(digest))
