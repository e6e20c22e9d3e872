"""The files of a library, each named by the SHA-256 of its content: in a folder, or a store.

A file is written before the record refers to it, and removed after the record does so no longer. So
a process that is killed leaves at most an unused file.

Beside a record on a server, a writer can lose its lock while it still runs: the server gives the
lock to another when the connection breaks. Names of files then end in digits of their own, so that
no addition uses a file again that an earlier writer may still remove; and a sweep removes only
files that were there before it had the lock. A file beside them says whose they are. Every writer
reads it, because a sweep would also remove another library's files, and because a folder without it
is not the one that all machines share, but the empty one that it is mounted over.
"""

from __future__ import annotations

import json
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from secrets import token_hex
from typing import Any
from urllib.parse import unquote, urlsplit

from rocch.errors import InputError, StorageError, first_line, missing_extra
from rocch.files import digest_of, replace_file, sync_folder

# The folder of files in a library's folder.
OBJECTS = "objects"
# The file beside them that says whose they are.
OWNER = "rocch-owner.json"
# Seconds that a store may take to answer, and bytes that it must move in each second beyond: a
# writer that waits keeps others waiting.
SECONDS, RATE = 60, 1_000_000
# Characters of a digest.
DIGITS = 64
# Names of files in the record, and the folders and files that they become.
NAME = re.compile("[0-9a-f]{64}(-[0-9a-f]{12})?")
FOLDER = re.compile("[0-9a-f]{2}")
FILE = re.compile(r"[0-9a-f]{62}(-[0-9a-f]{12})?|\.incoming-[0-9a-f]{12}")


RESTORE = "Restore it from a backup."


class LostFileError(StorageError):
    """A file that is missing or damaged, though its place is there."""


@dataclass(frozen=True, slots=True)
class Owner:
    """A library on a server: what tells it from all others, and its URL."""

    home: str
    library: str = field(compare=False)


# Who owns a place whose file cannot be read; nobody is equal to it.
UNKNOWN = Owner("", f"an unknown library: {OWNER} there is damaged")


class Objects(ABC):
    """Files named by the digests of their content.

    Parameters
    ----------
    place
        Where they are.
    unique
        Whether each addition writes a file of its own, also if its content is there already.
    """

    def __init__(self, place: str | Path, *, unique: bool) -> None:
        self.place, self.unique = place, unique

    def new_name(self, content: bytes) -> str:
        """Return the name for a content."""
        digest = digest_of(content)
        return f"{digest}-{token_hex(6)}" if self.unique else digest

    @abstractmethod
    def put(self, content: bytes) -> str:
        """Write a file, which is durable when this returns; return its name."""

    def get(self, name: str) -> bytes:
        """Return the content of a file after checking its digest."""
        path = self.path(name)
        try:
            content = self._read(self.file_of(name))
        except FileNotFoundError:
            if self.unique and self._read_owner() is None:
                hint = "Mount the folder that all machines share, or restore it from a backup."
                raise StorageError(f"{path} is missing.", hint=hint) from None
            raise LostFileError(f"{path} is missing.", hint=RESTORE) from None
        if digest_of(content) != name[:DIGITS]:
            raise LostFileError(f"{path} is damaged.", hint=RESTORE)
        return content

    @abstractmethod
    def path(self, name: str) -> Path | str:
        """Return where a file is: a path, or a URL."""

    @abstractmethod
    def files(self) -> dict[str, int]:
        """Return all files, also temporary ones, but no foreign ones, with their sizes."""

    def remove(self, files: Iterable[str]) -> None:
        """Remove files, as `files` names them; those that are gone already are left out."""
        for file in files:
            with suppress(FileNotFoundError):
                self._remove(file)

    def file_of(self, name: str) -> str:
        """Return a name as `files` has it."""
        return f"{name[:2]}/{name[2:]}"

    def claim(self, own: Owner, *, new: bool = False) -> None:
        """Let a library own the place; only one can.

        A new library has no files: what an unfinished copy left there is its own already.
        """
        content = json.dumps(asdict(own)).encode()
        is_free = self._read_owner() is None
        if is_free and new and any(self.files().values()):
            raise InputError(
                "objects",
                "be a place without the files of another library",
                repr(str(self.place)),
                "Each library needs a place of its own; name another.",
            )
        if is_free and self._write_new(OWNER, content):
            if self._write_new(OWNER, content):  # two libraries could both have done so
                self._remove(OWNER)
                raise InputError(
                    "objects",
                    "be in a store that refuses to write a new file over another",
                    repr(str(self.place)),
                    "It needs conditional writes; for S3, also s3fs 2024.12 or newer.",
                )
            return
        found = self._read_owner()
        if found != own:
            theirs = UNKNOWN.library if found is None else found.library
            hint = f"Name another. If it is a copy, or that library is gone, remove {OWNER} there."
            if theirs == own.library:
                hint = (
                    "Its server or schema was made anew. If nobody else uses these files, remove "
                    f"{OWNER} there, and try again."
                )
            raise InputError(
                "objects",
                "be a place of the library's own",
                f"{str(self.place)!r}, which belongs to {theirs}",
                hint,
            )

    def check_owner(self, own: Owner | None) -> None:
        """Refuse a place that is not a library's own; those of libraries in folders say nothing."""
        found = self._read_owner()
        if found == own:
            return
        if found is None:
            raise StorageError(
                f"{self.place} is not the place of the library's files: it has no {OWNER}.",
                hint="Mount the folder that all machines share. If it was restored without that "
                "file: rocch library verify URL --objects PLACE",
            )
        raise StorageError(
            f"the files at {self.place} belong to {found.library}.",
            hint="A library that was restored from a dump, or whose server was upgraded, must say "
            "where its own are: rocch library verify URL --objects PLACE",
        )

    def _read_owner(self) -> Owner | None:
        """Return whose the files are, if a file says so."""
        try:
            found = json.loads(self._read(OWNER))
            return Owner(str(found["home"]), str(found["library"]))
        except FileNotFoundError:
            return None
        except (ValueError, LookupError, TypeError):  # for example empty, after a power cut
            return UNKNOWN

    @abstractmethod
    def _write_new(self, file: str, content: bytes) -> bool:
        """Write a file and return True, unless it is there already."""

    @abstractmethod
    def _read(self, file: str) -> bytes: ...

    @abstractmethod
    def _remove(self, file: str) -> None: ...


class FolderObjects(Objects):
    """Files in a folder, which is made with the first one."""

    place: Path

    def path(self, name: str) -> Path:
        """Return the path of a file; refuse anything else, and linked folders."""
        # a changed record could otherwise have any file read or removed
        check_file_name(name, self.place.parent)
        for folder in (self.place, self.place / name[:2]):
            _check_not_link(folder)
        return self.place / self.file_of(name)

    def put(self, content: bytes) -> str:
        """Write a file, unless it exists undamaged; return its name."""
        name = self.new_name(content)
        place = self.path(name)
        if not place.exists() or digest_of(place.read_bytes()) != name[:DIGITS]:
            place.parent.mkdir(parents=True, exist_ok=True)
            with replace_file(place) as temporary:
                temporary.write_bytes(content)
        # also for an existing file: its writer may have been interrupted before this
        for folder in (place.parent, self.place, self.place.parent):
            sync_folder(folder)
        return name

    def files(self) -> dict[str, int]:
        """Return all files, also temporary ones, but no foreign ones, with their sizes."""
        _check_not_link(self.place)
        if not self.place.is_dir():
            return {}
        folders = [place for place in self.place.iterdir() if FOLDER.fullmatch(place.name)]
        for folder in folders:
            _check_not_link(folder)
        found: dict[str, int] = {}
        for folder in sorted(folders):
            for place in sorted(folder.iterdir()) if folder.is_dir() else ():
                if FILE.fullmatch(place.name) and place.is_file():
                    with suppress(FileNotFoundError):  # others may remove files meanwhile
                        found[f"{folder.name}/{place.name}"] = place.stat().st_size
        return found

    def _write_new(self, file: str, content: bytes) -> bool:
        _check_not_link(self.place)
        self.place.mkdir(parents=True, exist_ok=True)
        try:
            written = (self.place / file).open("xb")
        except FileExistsError:
            return False
        try:
            with written:
                written.write(content)
                written.flush()
                os.fsync(written.fileno())
        except BaseException:  # for example a full disk
            self._remove(file)
            raise
        sync_folder(self.place)
        return True

    def _read(self, file: str) -> bytes:
        return (self.place / file).read_bytes()

    def _remove(self, file: str) -> None:
        (self.place / file).unlink()


class StoreObjects(Objects):
    """Files in an object store, by fsspec.

    Credentials and addresses are those that fsspec finds, for example in the environment.
    """

    place: str

    def __init__(self, place: str) -> None:
        super().__init__(place.rstrip("/"), unique=True)
        self._opened: tuple[int, Any, str] | None = None

    @property
    def _store(self) -> tuple[Any, str]:
        """The file system of fsspec and the folder in it; anew in a process that was forked."""
        if self._opened is None or self._opened[0] != os.getpid():
            try:
                from fsspec.core import url_to_fs
            except ImportError:
                raise missing_extra("fleet", "An object store") from None
            try:
                opened = url_to_fs(self.place, use_listings_cache=False)
            except (ImportError, ValueError) as error:
                raise InputError(
                    "objects",
                    "be a URL that fsspec knows, with its package installed",
                    f"{self.place!r} ({first_line(error)})",
                    "For example: s3://bucket/churn, with pip install 's3fs>=2024.12'",
                ) from error
            self._opened = os.getpid(), *opened
        return self._opened[1:]

    def path(self, name: str) -> str:
        """Return the URL of a file."""
        check_file_name(name, self.place)
        return f"{self.place}/{self.file_of(name)}"

    def put(self, content: bytes) -> str:
        """Write a file under a new name, which replaces no other; return the name."""
        while True:
            name = self.new_name(content)
            if self._write_new(self.file_of(name), content):
                return name

    def files(self) -> dict[str, int]:
        """Return all files, but no foreign ones, with their sizes."""
        with self._errors("read") as (store, root):
            store.invalidate_cache()
            try:
                found = store.find(root, detail=True, **_limit(store))
            except FileNotFoundError:
                return {}
        sizes = {path.removeprefix(root).strip("/"): about for path, about in found.items()}
        return {
            file: int(about["size"] or 0)
            for file, about in sorted(sizes.items())
            if FOLDER.fullmatch(file[:2]) and file[2:3] == "/" and FILE.fullmatch(file[3:])
        }

    def _write_new(self, file: str, content: bytes) -> bool:
        with self._errors("written") as (store, root):
            try:
                _write(store, root, file, content)
            except FileExistsError:
                return False
            return True

    def _read(self, file: str) -> bytes:
        with self._errors("read") as (store, root):
            path = f"{root}/{file}"
            is_large = file != OWNER and _is_remote(store)
            size = store.size(path, **_limit(store)) if is_large else 0
            content: bytes = store.cat_file(path, **_limit(store, size or 0))
            return content

    def _remove(self, file: str) -> None:
        with self._errors("written") as (store, root):
            store.rm_file(f"{root}/{file}", **_limit(store))

    @contextmanager
    def _errors(self, verb: str) -> Iterator[tuple[Any, str]]:
        """Turn what the packages behind fsspec raise, which is anything, into `StorageError`."""
        try:
            yield self._store
        except (FileNotFoundError, FileExistsError, StorageError, InputError):
            raise
        except Exception as error:
            reason = f"{type(error).__name__}: {first_line(error)}"
            raise StorageError(
                f"{self.place} cannot be {verb}: {reason}.",
                hint="Check that the store can be reached, and its rights.",
            ) from error


def _write(store: Any, root: str, file: str, content: bytes) -> None:
    """Write a new file; make folders where a store has some, but never a bucket."""
    options = {"mode": "create", **_limit(store, len(content))}
    try:
        store.pipe_file(f"{root}/{file}", content, **options)
    except FileNotFoundError:
        top, slash, _ = root[1:].partition("/")
        if not store.exists(root[0] + top if slash else root):
            raise
        store.makedirs(f"{root}/{file}".rpartition("/")[0], exist_ok=True)
        store.pipe_file(f"{root}/{file}", content, **options)


def _is_remote(store: Any) -> bool:
    return bool(getattr(store, "async_impl", False))


def _limit(store: Any, size: int = 0) -> dict[str, Any]:
    """Return how a call is bounded that moves so many bytes: a network may never answer."""
    return {"timeout": SECONDS + size / RATE} if _is_remote(store) else {}


def open_objects(place: str) -> Objects:
    """Return the files in a folder, or at a URL of fsspec's, beside a record on a server."""
    if place.startswith("file://"):
        parts = urlsplit(place)
        if parts.netloc not in ("", "localhost"):
            raise InputError(
                "objects", "be a folder of this machine, or an object store", repr(place)
            )
        place = unquote(parts.path)
    if "://" in place:
        return StoreObjects(place)
    return FolderObjects(Path(place), unique=True)


def file_name_problems(names: Iterable[object]) -> Iterator[str]:
    """Describe texts in a record that name no file."""
    for name in names:
        if not isinstance(name, str) or not NAME.fullmatch(name):
            yield (
                f"the record is damaged: it names the file {name!r:.80}, and files are named by "
                "hexadecimal digits. Restore the last backup."
            )


def check_file_name(name: str, place: object) -> None:
    """Refuse a text that names no file."""
    for problem in file_name_problems([name]):
        raise StorageError(f"{place}: {problem}")


def _check_not_link(folder: Path) -> None:
    """Refuse a link, which may lead to foreign files."""
    if folder.is_symlink():
        raise StorageError(
            f"{folder} must be a folder of the library; it is a link.",
            hint="Replace it by the folder that it points to.",
        )
