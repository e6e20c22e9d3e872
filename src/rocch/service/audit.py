"""The audit record: one line of JSON for each request that was decided.

A line is appended by one call to the operating system, so that lines of several writers do not mix.
Where it cannot be written, the decision is refused: what is to be audited must not go unrecorded.
"""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING, Any

from pydantic_core import to_json

from rocch.errors import StorageError
from rocch.service.errors import ServiceError

if TYPE_CHECKING:
    from pathlib import Path

LOG = logging.getLogger("rocch.service")


class Audit:
    """A file that decisions are appended to.

    Parameters
    ----------
    path
        The file; it is made, for its owner alone, where it is not there.

    Raises
    ------
    StorageError
        If it cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._unwritten: str | None = None
        self._not_reopened: str | None = None
        try:
            self._file = self._opened()
        except OSError as error:
            reason = error.strerror or error
            raise StorageError(f"{str(path)!r} cannot be opened: {reason}.") from None
        self._torn = False

    @property
    def problem(self) -> str | None:
        """What is wrong with the record, until it is so no longer; it names no place."""
        return self._unwritten or self._not_reopened

    def write(self, record: dict[str, Any]) -> None:
        """Append a record, or refuse the request that it is about."""
        line = (b"\n" if self._torn else b"") + to_json(record) + b"\n"
        try:
            written = os.write(self._file, line)
            if written < len(line):  # a full disk; the next line must not go on with this one
                self._torn = True
                raise OSError(0, "the disk is full")
        except OSError as error:
            failed = f"the audit record cannot be written: {error.strerror or error}"
            self._unwritten = f"{failed}. Decisions are refused until it can be."
            raise ServiceError(
                503, "audit_failed", f"{failed}. Nothing was decided; try again once it can be."
            ) from None
        self._unwritten, self._torn = None, False

    def reopen(self) -> None:
        """Open the file anew, after it was moved away; the old one is kept where that fails."""
        try:
            new = self._opened()
        except OSError as error:
            reason = error.strerror or error
            LOG.warning("%s cannot be opened anew: %s", self.path, reason)
            self._not_reopened = (
                f"the audit record cannot be opened anew: {reason}. Decisions are recorded in the "
                "file that was moved away, until SIGHUP comes and it can be."
            )
            return
        os.close(self._file)
        self._file, self._torn, self._unwritten, self._not_reopened = new, False, None, None

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)

    def _opened(self) -> int:
        return os.open(self.path, os.O_APPEND | os.O_CREAT | os.O_WRONLY, 0o600)
