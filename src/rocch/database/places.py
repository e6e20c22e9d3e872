"""Where records are: files, and schemas on servers."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeAlias

from rocch.database.postgres import DatabaseUrl, PostgresRecord
from rocch.database.record import Record, Tables
from rocch.database.sqlite import SqliteRecord

Place: TypeAlias = Path | DatabaseUrl
# How a URL begins, also where a slash was lost, as in a `Path`.
SCHEMES = ("postgresql:", "postgres:")


def is_database_url(text: object) -> bool:
    """Return whether a text is meant as the URL of a PostgreSQL server; `parse` checks the rest."""
    return isinstance(text, str | Path) and str(text).lower().startswith(SCHEMES)


def open_record(place: Place, tables: Tables, **options: Any) -> Record:
    """Return the record at a place; options are those of `Record`."""
    kind: Any = PostgresRecord if isinstance(place, DatabaseUrl) else SqliteRecord
    record: Record = kind(place, tables, **options)
    return record
