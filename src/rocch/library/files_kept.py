"""Which files a record refers to, and removing those that it no longer does."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from rocch.errors import StorageError
from rocch.library.record import rows

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

    from rocch.library.objects import Objects
    from rocch.library.record import Record


def wanted(db: sqlite3.Connection) -> dict[str, str]:
    """Return every file that the record refers to, and whose it is."""
    files: dict[str, str] = {}
    for row in rows(db, "SELECT name, curve, model FROM classifiers"):
        for kind in ("curve", "model"):
            if row[kind] is not None:
                files[row[kind]] = f"the {kind} of {row['name']!r}"
    for row in rows(db, "SELECT version, file FROM exports"):
        files[row["file"]] = f"export {row['version']}"
    return files


def forget(record: Record, objects: Objects, loose: Iterable[str]) -> None:
    """Remove files that the record no longer refers to, unless another addition does by now.

    It comes after the change is committed: a process that ends before leaves a file that `verify`
    removes, and never a record without its file.
    """
    digests = sorted(set(loose))
    if not digests:
        return
    with suppress(StorageError), record.writing() as db:
        still = wanted(db)
        for digest in digests:
            if digest not in still:
                objects.remove(digest)
