"""One service for one folder: two would each have their own idea of the tuner and of the aim.

The claim is a lock of the operating system's, which ends with the process however that ends; the
file that it is on stays, and means nothing by itself.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rocch.errors import InputError, StorageError

if TYPE_CHECKING:
    from pathlib import Path

LOCK = "service.lock"
"""The file in the library's folder that the lock is on."""


class Claim:
    """The sole right to serve a folder, until it is closed.

    Parameters
    ----------
    folder
        The folder.

    Raises
    ------
    InputError
        If another service has it.
    StorageError
        If the lock's file cannot be opened.
    """

    def __init__(self, folder: Path) -> None:
        self._file = _opened(folder / LOCK)
        try:
            _lock(self._file, folder)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let another service have the folder."""
        os.close(self._file)


def _opened(path: Path) -> int:
    try:
        return os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
    except OSError as error:
        reason = error.strerror or error
        raise StorageError(f"{str(path)!r} cannot be opened: {reason}.") from None


def _lock(file: int, folder: Path) -> None:
    try:
        import fcntl
    except ImportError:  # pragma: no cover - Windows, where nothing keeps a second one away
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise InputError(
            "DIR",
            "be a library that no other service serves",
            f"{str(folder)!r}, which one does",
            "Stop the other one first, or ask it; a new aim or export needs no second service.",
        ) from None
    except OSError as error:
        raise StorageError(f"{str(folder)!r} cannot be locked: {error.strerror}.") from None
