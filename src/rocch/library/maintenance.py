"""Checking, compacting and copying a library."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from typing import TypeAlias

from rocch.database.places import Place
from rocch.database.postgres import DatabaseUrl
from rocch.database.record import (
    Connection,
    DamageError,
    Row,
    copy_rows,
    database_errors,
    fetch,
    savepoint,
    storage_errors,
)
from rocch.database.record import Record as DatabaseRecord
from rocch.errors import InputError, RocchError, StorageError, escape_line, first_line
from rocch.files import remove_at_end, sync_folder
from rocch.library.contents import (
    LibraryEntry,
    LibraryState,
    LogEntry,
    build_hull,
    check_name,
    read_entries,
)
from rocch.library.objects import LostFileError, Objects, open_objects
from rocch.library.store import (
    RECORD,
    LibraryStore,
    check_empty,
    load_json,
    seal_problems,
    used_files,
)
from rocch.results import Record, Table, Tabular
from rocch.roc.member import Member

# How often a copy starts again because a file was dropped meanwhile, before it locks the record.
TRIES = 5
# The tables of a library, in an order in which rows can refer to earlier ones.
TABLE_NAMES = ("library", "classifiers", "points", "events", "exports")
# Copies what is beside a library to a place, where a connection is writing the library.
Beside: TypeAlias = Callable[[Place, Connection], object]


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


def verify(store: LibraryStore, place: str | None = None) -> Verification:
    """Check the record, every file and the hull; remove unused files.

    `place` is where its own files are, if it was restored from a dump.
    """
    if place is not None:
        _own_files(store, place)
    listed, cleaned = store.list_files(), list[str]()
    with store.record.transaction(write=True) as db:
        store.check_finished(db)
        problems = [*_record_problems(store.record, db), *_owner_problems(store, db)]
        if not problems:  # a damaged record may not name all files that are needed
            objects = store.find_objects(db)
            problems = [*_file_problems(db, objects), *_hull_problems(db, objects)]
            if place is None:  # where it was just named, a mistake must not remove files
                cleaned = store.sweep(db, listed)
    return Verification(tuple(problems), tuple(cleaned))


def _own_files(store: LibraryStore, place: str) -> None:
    """Let a library that was restored own the files at a place."""
    if isinstance(store.place, Path):
        check_no_objects(place)
    found = _open_place(place)
    with storage_errors(found.place), store.record.transaction(write=True) as db:
        store.check_finished(db)
        used = used_files(db)
        for name in used:
            found.get(name)  # nothing is removed later from a place that is not its own
        if not used and found.files():
            raise InputError(
                "objects",
                "be the place of the library's own files",
                f"{str(found.place)!r}, which has files of another",
            )
        store.claim(db, found)


def _owner_problems(store: LibraryStore, db: Connection) -> Iterator[str]:
    try:
        store.check_owner(db)
    except StorageError as error:
        yield str(error)


def _record_problems(record: DatabaseRecord, db: Connection) -> Iterator[str]:
    yield from record.structure_problems(db)
    yield from seal_problems(db)
    yield from _history_problems(record, db)
    yield from _content_problems(db)


def _history_problems(record: DatabaseRecord, db: Connection) -> Iterator[str]:
    """Check that the numbers of the history's entries have no gaps."""
    try:
        with savepoint(db):
            count, last = db.execute("SELECT count(*), coalesce(max(id), 0) FROM events").fetchone()
            given = record.last_number(db, "events")
    except database_errors() as error:
        yield f"the history is damaged: {first_line(error)}. Restore the last backup."
        return
    if not count == last == (last if given is None else given):
        yield f"the history is damaged: {count} entries are left. Restore the last backup."


def _content_problems(db: Connection) -> Iterator[str]:
    """Check that all JSON can be read; the seal does not cover everything."""
    readers: dict[str, Callable[[Row], object]] = {
        "library": lambda _row: LibraryState.read(db),
        "classifiers": _read_classifier,
        "exports": lambda row: load_json(row["classifiers"], list),
        "events": LogEntry.from_row,
    }
    unreadable: tuple[type[Exception], ...] = (DamageError, *database_errors())
    for table, read in readers.items():
        try:
            with savepoint(db):
                for row in fetch(db, f"SELECT * FROM {table}"):  # noqa: S608 - names of our own
                    read(row)
        except unreadable:
            name = "history" if table == "events" else "record"
            yield f"the {name} is damaged: {table} cannot be read. Restore the last backup."


def _read_classifier(row: Row) -> None:
    check_name(row["name"])
    load_json(row["tags"], list)
    load_json(row["parameters"], dict)


def _file_problems(db: Connection, objects: Objects) -> Iterator[str]:
    for digest, what in sorted(used_files(db).items(), key=lambda pair: pair[1]):
        try:
            objects.get(digest)
        except LostFileError as error:
            again = "Export again, or restore it" if what.startswith("export ") else "Restore it"
            yield f"{what}: {error.problem} {again} from a backup."
        except StorageError as error:
            yield f"{what}: {error}"


def _hull_problems(db: Connection, objects: Objects) -> Iterator[str]:
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


def compact(store: LibraryStore) -> CompactionResult:
    """Drop all exports but the newest, unused files and free pages."""
    before = _size(store)
    with store.writing() as db:
        newest = _newest_sound_export(db, store.find_objects(db))
        dropped = db.execute("DELETE FROM exports WHERE version < ?", (newest,)).rowcount
    listed = store.list_files()
    with store.writing() as db:
        store.sweep(db, listed)
    store.record.vacuum()
    return CompactionResult(before, _size(store), dropped)


def _newest_sound_export(db: Connection, objects: Objects) -> int:
    query = "SELECT version, file FROM exports ORDER BY version DESC"
    for version, file in db.execute(query).fetchall():
        with suppress(StorageError):
            objects.get(file)
            return int(version)
    return 0


def _size(store: LibraryStore) -> int:
    _, files = store.list_files()
    return store.record.size() + sum(files.values())


def copy(
    store: LibraryStore, target: Place, objects: str | None, beside: Beside | None = None
) -> None:
    """Copy a library as it is at one moment, while others may add to it.

    Until all of it is there, with what is beside it, there is no library at the target.
    """
    if isinstance(target, DatabaseUrl):
        to, files = prepare_on_server(target, objects)
        try:
            _copy_into(store, to, files, beside)
        finally:
            to.close()
        return
    check_no_objects(objects)
    with storage_errors(target):
        check_empty(target, "target")
        if store.place in target.resolve().parents:
            raise InputError("target", "be outside the library", repr(str(target)))
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = target.with_name(f".rocch-{token_hex(6)}")
        with remove_at_end(temporary):
            temporary.mkdir()
            to = make_in_folder(temporary)
            try:
                _copy_into(store, to, None, beside)
            finally:
                to.close()
            if target.exists():
                target.rmdir()
            temporary.replace(target)
            sync_folder(target.parent)


def make_in_folder(folder: Path) -> LibraryStore:
    """Return the store of a new library in an existing folder, still without a state."""
    store = LibraryStore(folder, new=True)
    store.record.place.touch(exist_ok=False)  # only one of several processes succeeds
    return store


def check_no_objects(objects: str | None) -> None:
    """Refuse a place for the files of a library in a folder."""
    if objects is not None:
        raise InputError(
            "objects",
            "go with the URL of a database",
            repr(objects),
            "A library in a folder keeps its files there.",
        )


def prepare_on_server(place: DatabaseUrl, objects: str | None) -> tuple[LibraryStore, Objects]:
    """Return the store and the files of a library that `claim` is to make on a server."""
    if objects is None:
        raise InputError(
            "objects",
            "say where a library on a server has its files",
            "nothing",
            "For example: s3://bucket/churn, or a folder that all machines share.",
        )
    return LibraryStore(place, new=True), _open_place(objects)


def _open_place(objects: str) -> Objects:
    """Return the files at a place that a user names for a library on a server."""
    if re.search("://[^@]*:[^@]*@", objects):  # it would be stored and shown
        raise InputError(
            "objects",
            "be a URL without a password",
            "one with a password",
            "Credentials are found as fsspec finds them, for example in the environment.",
        )
    if not ("://" in objects or Path(objects).is_absolute()):
        raise InputError(
            "objects",
            "be a URL, or the whole path of a folder, by which all machines find it",
            repr(objects),
            f"On this machine it is {str(Path(objects).absolute())!r}.",
        )
    found = open_objects(objects)
    if isinstance(found.place, Path):
        with storage_errors(found.place):
            place = found.place.resolve()
            is_inside = any((folder / RECORD).exists() for folder in (place, *place.parents))
        if is_inside:
            raise InputError(
                "objects",
                "be outside libraries in folders",
                repr(str(found.place)),
                "Each library needs a place of its own.",
            )
    return found


def claim(store: LibraryStore, db: Connection, files: Objects, argument: str) -> None:
    """Begin a new library on a server, in the transaction that writes it; only one can."""
    if fetch(db, "SELECT one FROM library"):
        raise InputError(
            argument,
            "be a schema without a library",
            repr(str(store.place)),
            "Name another one with schema= in the URL.",
        )
    store.claim(db, files, new=True)


def _copy_content(
    db: Connection, copied: Connection, files: Mapping[str, bytes], objects: Objects
) -> None:
    """Copy all rows, with files that are written under new names."""
    names: dict[str, str] = {}
    try:
        for name, content in files.items():
            names[name] = objects.put(content)
        for table in TABLE_NAMES:
            copy_rows(db, copied, table)
        for column, table in (
            ("curve", "classifiers"),
            ("model", "classifiers"),
            ("file", "exports"),
        ):
            query = f"UPDATE {table} SET {column} = ? WHERE {column} = ?"  # noqa: S608
            copied.executemany(query, [(new, old) for old, new in names.items()])
    except BaseException:  # leave nothing behind
        with suppress(StorageError, OSError):
            objects.remove(map(objects.file_of, names.values()))
        raise


def _copy_into(
    store: LibraryStore, target: LibraryStore, place: Objects | None, beside: Beside | None
) -> None:
    """Copy what is beside the library, and then the library, in one transaction.

    A target on a server keeps its files at `place`.
    """
    with target.record.writing() as copied:  # nobody owns its files yet
        if place is not None:
            claim(target, copied, place, "target")
        if beside is not None:
            beside(target.place, copied)
        _copy_library(store, target, copied)


def _copy_library(store: LibraryStore, target: LibraryStore, copied: Connection) -> None:
    """Copy the files and the record; again if a file was dropped in between."""
    for trial in range(TRIES + 1):
        is_last = trial == TRIES  # nobody drops files then: a missing one is an error
        with store.writing() if is_last else store.reading() as db:
            try:
                objects = store.find_objects(db)
                files = {name: objects.get(name) for name in used_files(db)}
            except StorageError:
                if is_last:
                    raise
                continue
            for problem in _record_problems(store.record, db):
                raise StorageError(f"{store.place}: {problem}")
            with storage_errors(target.place):
                _copy_content(db, copied, files, target.find_objects(copied))
            return
