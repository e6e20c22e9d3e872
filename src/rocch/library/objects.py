"""Files named by what they hold: the SHA-256 of their content.

Files are written and removed only by whoever holds the record's write lock, so that nobody removes
a file that another is about to refer to. What a killed process leaves behind is a file that nobody
refers to; sweeping removes it.

A digest that is read from a record becomes part of a path only here, and only if it is one: whoever
can change the record could otherwise have any file read or removed. For the same reason the folders
must be the library's own and not links to others.
"""

from __future__ import annotations

import hashlib
import re
from contextlib import suppress
from typing import TYPE_CHECKING

from rocch.errors import StorageError
from rocch.files import replace_file, sync_folder

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

DIGEST = re.compile("[0-9a-f]{64}")
FOLDER = re.compile("[0-9a-f]{2}")
FILE = re.compile(r"[0-9a-f]{62}|\.incoming-[0-9a-f]{12}")
"""The names of digests, and of the folders and files that are made of them."""


class Objects:
    """A folder of files that are named by their digests.

    Parameters
    ----------
    folder
        Where they are; made when the first file is written.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, digest: str) -> Path:
        """Return where the file with this digest is, or would be.

        Raises
        ------
        StorageError
            If it is no digest, or the folder is a link.
        """
        if not is_digest(digest):
            raise StorageError(f"{self.folder.parent}: {not_a_digest(digest)}")
        for folder in (self.folder, self.folder / digest[:2]):
            _check_own(folder)
        return self.folder / digest[:2] / digest[2:]

    def put(self, content: bytes) -> str:
        """Write a file unless it is there, undamaged; return its digest."""
        digest = digest_of(content)
        place = self.path(digest)
        if not place.exists() or digest_of(place.read_bytes()) != digest:
            place.parent.mkdir(parents=True, exist_ok=True)
            with replace_file(place) as temporary:
                temporary.write_bytes(content)
        # also for a file that is there: whoever wrote it may have been interrupted before this
        for folder in (place.parent, self.folder, self.folder.parent):
            sync_folder(folder)
        return digest

    def get(self, digest: str) -> bytes:
        """Return the content of a file, if it is still what was written."""
        place = self.path(digest)
        try:
            content = place.read_bytes()
        except FileNotFoundError:
            raise StorageError(f"{place} is missing. Restore it from a backup.") from None
        if digest_of(content) != digest:
            raise StorageError(f"{place} is damaged. Restore it from a backup.")
        return content

    def remove(self, digest: str) -> None:
        """Remove a file, if it is there."""
        self.path(digest).unlink(missing_ok=True)

    def sweep(self, wanted: Iterable[str]) -> list[Path]:
        """Remove every file of ours that nobody refers to; return which."""
        keep = {self.path(digest) for digest in wanted}
        gone = [place for place in self.files() if place not in keep]
        for place in gone:
            place.unlink(missing_ok=True)
        return gone

    def files(self) -> list[Path]:
        """Return all files of ours, temporary ones too; what others put there is none of them."""
        _check_own(self.folder)
        if not self.folder.is_dir():
            return []
        folders = [place for place in self.folder.iterdir() if FOLDER.fullmatch(place.name)]
        for folder in folders:
            _check_own(folder)
        found = (place for folder in folders if folder.is_dir() for place in folder.iterdir())
        return sorted(place for place in found if FILE.fullmatch(place.name) and place.is_file())

    @property
    def size(self) -> int:
        """The bytes of all files."""
        return size_of(self.files())


def is_digest(text: object) -> bool:
    """Say whether a text is a digest, as `digest_of` writes it."""
    return isinstance(text, str) and DIGEST.fullmatch(text) is not None


def not_a_digest(text: object) -> str:
    """Say what is wrong with a record that names such a file."""
    return (
        f"the record is damaged: it names the file {text!r:.80}, and files are named by 64 "
        "hexadecimal digits. Restore the last backup."
    )


def digest_of(content: bytes) -> str:
    """Return the SHA-256 of a content, as `sha256sum` writes it."""
    return hashlib.sha256(content).hexdigest()


def size_of(places: Iterable[Path]) -> int:
    """Return the bytes of files, some of which others may be removing."""
    total = 0
    for place in places:
        with suppress(FileNotFoundError):
            total += place.stat().st_size
    return total


def _check_own(folder: Path) -> None:
    """Refuse a link, behind which others may keep their files."""
    if folder.is_symlink():
        raise StorageError(
            f"{folder} must be a folder of the library's own; it is a link. Put the folder that it "
            "points to in its place."
        )
