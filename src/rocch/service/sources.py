"""Where served models come from: a saved file, or the exports of a library.

A source knows its newest version. Workers and replicas watch it each for themselves; the SHA-256 of
a version says whether two of them serve the same.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from rocch.database.places import Place, is_database_url
from rocch.database.postgres import DatabaseUrl
from rocch.errors import Hint, InputError, describe_type
from rocch.files import digest_of
from rocch.library.library import ClassifierLibrary
from rocch.library.store import RECORD

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rocch.hybrid.save import Saved

# What the folder of a file's service is called: the file's name, and this.
STATE_SUFFIX = ".service"
SAVED_SUFFIX = ".rocch"
# How files begin that people take for models, or for what a model is made of.
PICKLE = b"\x80"
ZIP = b"PK"
TABLES = (".csv", ".tsv", ".parquet", ".gz", ".txt", ".xlsx", ".feather", ".arrow")


@dataclass(frozen=True, slots=True)
class Version:
    """One version of what is served.

    Attributes
    ----------
    path, sha256
        Its file or URL, and the digest of that.
    at, note
        When it was written (ISO text, UTC), and a note.
    number
        As a library counts; 0 where the service counts, which gives equal files equal numbers.
    read
        Reads a file whose digest a record vouches for, and checks it; None for a plain file.
    """

    path: Path | str
    sha256: str
    at: str = ""
    note: str = ""
    number: int = 0
    read: Callable[[], bytes] | None = field(default=None, compare=False, repr=False)

    @property
    def name(self) -> str:
        """What messages call it."""
        return f"version {self.number}" if self.number else "the new file"

    def load(self, trusted: Iterable[str] = ()) -> Saved:
        """Load the model; its digest and the types in it are checked."""
        from rocch.hybrid.save import load_bytes

        if self.read is not None:
            return load_bytes(self.read(), self.path, digest=self.sha256, trusted=trusted)
        path = Path(self.path)
        try:
            content = path.read_bytes()
        except OSError as error:
            raise _unreadable(path, error) from None
        if digest_of(content) != self.sha256:
            raise InputError(f"{str(path)!r} was changed while it was read.", hint="Try again.")
        return load_bytes(content, path, trusted=trusted)


class Source(Protocol):
    """What has versions.

    Attributes
    ----------
    path, noun
        Where it is, and what messages call it.
    state
        Where a service keeps its record, tokens and lock by default.
    remedy
        What to do about a version that cannot be served.
    """

    noun: str
    remedy: str

    @property
    def path(self) -> Place:
        """Where it is."""

    @property
    def state(self) -> Place:
        """Where a service keeps its record."""

    def newest(self) -> Version | None:
        """Return the newest version; None if there is none."""

    def close(self) -> None:
        """Release what is open."""


class ModelFile:
    """A file that `rocch.save` wrote; each time that it is replaced, there is a new version.

    It is read again only if its place on the disk, size or times have changed. A link may lead to
    it, and to another one later.
    """

    noun = "the file"

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path).absolute()
        self.state = self.path.with_name(self.path.name + STATE_SUFFIX)
        self.remedy = f"Save a fitted model there: rocch.save(model, {str(path)!r})."
        self._seen: tuple[tuple[int, ...], Version] | None = None

    def newest(self) -> Version:
        """Return what the file holds now."""
        try:
            with self.path.open("rb") as file:
                found = os.fstat(file.fileno())
                times = (found.st_mtime_ns, found.st_ctime_ns)
                about = (found.st_dev, found.st_ino, found.st_size, *times)
                if self._seen is None or self._seen[0] != about:
                    digest = hashlib.file_digest(file, "sha256").hexdigest()
                    at = datetime.fromtimestamp(found.st_mtime, UTC).isoformat(timespec="seconds")
                    at = at.replace("+00:00", "Z")
                    self._seen = about, Version(self.path, digest, at)
        except OSError as error:
            raise _unreadable(self.path, error) from None
        return self._seen[1]

    def close(self) -> None:
        """Do nothing: the file is open only while it is read."""


class LibraryExports:
    """The exports of a library."""

    noun = "the library"

    def __init__(self, library: ClassifierLibrary) -> None:
        self.library = library
        self.path = self.state = library.place
        self.remedy = f"Make another with: rocch library export {library.place}"
        self._seen: tuple[tuple[int, str], Version] | None = None

    def newest(self) -> Version | None:
        """Return the current export; the record is read whole only if there is a new one."""
        key = self.library.newest_export_key()
        if key is not None and self._seen is not None and self._seen[0] == key:
            return self._seen[1]
        export = self.library.current_export
        if export is None or key is None:
            return None
        about = (export.path, export.sha256, export.at, export.note, export.version)
        version = Version(*about, read=lambda: self.library.read_export(export))
        self._seen = key, version
        return version

    def close(self) -> None:
        """Close the library's files."""
        self.library.close()


def open_source(given: str | Place | ClassifierLibrary | Source) -> Source:
    """Return the source at a path or URL, or of a library.

    Raises
    ------
    InputError
        If there is neither a saved model nor a library at the path.
    """
    if isinstance(given, ClassifierLibrary):
        return LibraryExports(given)
    if isinstance(given, DatabaseUrl):
        return LibraryExports(ClassifierLibrary(given))
    if not isinstance(given, str | os.PathLike) and hasattr(given, "newest"):
        return given
    if not isinstance(given, str | os.PathLike) or "\0" in str(given):
        raise InputError(
            "source",
            "be the path of a saved model, or of a library",
            describe_type(given),
            Hint("Save a fitted model first: rocch.save(model, 'model.rocch')."),
        )
    if is_database_url(given):
        return LibraryExports(ClassifierLibrary(given))
    path = Path(given)
    if path.is_dir():
        return _open_folder(path)
    if not path.exists():
        raise _unfit(
            path,
            "which does not exist",
            "Save a fitted model there: rocch.save(model, {quoted}).",
        )
    problem = _find_problem(path)
    if problem is not None:
        raise _unfit(path, *problem)
    return ModelFile(path)


def _open_folder(path: Path) -> Source:
    if (path / RECORD).is_file():
        return LibraryExports(ClassifierLibrary(path))
    saved = sorted(path.glob(f"*{SAVED_SUFFIX}"))
    if saved:
        raise _unfit(saved[0], "a folder without a library", "Name the file: {place}", path)
    if path.name.endswith(STATE_SUFFIX):
        model = path.with_name(path.name.removesuffix(STATE_SUFFIX))
        raise _unfit(model, "the record of a service", "Name the model: {place}", path)
    raise _unfit(
        path,
        "a folder without a library",
        "Name a file that rocch.save wrote, or make a library with: rocch library init DIR",
    )


def _find_problem(path: Path) -> tuple[str, str] | None:
    """Return why a file cannot be a saved model, and what to do, as its first bytes tell."""
    if not path.is_file():
        return "which is no regular file", "Name a file that rocch.save wrote."
    try:
        with path.open("rb") as file:
            start = file.read(16)
    except OSError as error:
        raise _unreadable(path, error) from None
    if start.startswith(ZIP):
        return None
    again = "Load it where it was made, and save it with rocch.save(model, 'model.rocch')."
    if start.startswith(PICKLE):
        return "a pickle, which could run any code when it is loaded", again
    if path.suffix.lower() in TABLES:
        how = (
            "Scores are served from a library: rocch library init DIR, rocch library add DIR "
            "{place}, rocch library export DIR, rocch serve DIR"
        )
        return "a table", how
    return "a file of another kind", again


def _unfit(path: Path, what: str, hint: str, given: Path | None = None) -> InputError:
    return InputError(
        "path",
        "be a file that rocch.save wrote, or the folder of a library",
        f"{str(given or path)!r}, {what}",
        hint,
        place=str(path),
        quoted=repr(str(path)),
    )


def _unreadable(path: Path, error: OSError) -> InputError:
    return InputError(f"{str(path)!r} cannot be read: {error.strerror or error}.")
