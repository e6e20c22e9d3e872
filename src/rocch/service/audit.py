"""The audit of decisions: a file with a line for each request."""

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


class AuditLog:
    """A file with one line of JSON for each decided request.

    Each line is appended by one system call, so that lines of several writers do not mix. If it
    cannot be written, the decision is refused: nothing goes unrecorded. Only its owner can read it.

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
        return os.open(self.path, os.O_APPEND | os.O_CREAT | os.O_WRONLY, 0o600)
