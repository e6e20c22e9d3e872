"""What was named on the command line as files: one, several, folders, patterns."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rocch.cli.reading.formats import SUFFIXES
from rocch.cli.reading.stream import COMPRESSED_SUFFIXES
from rocch.errors import InputError
from rocch.scale.files import PARQUET, files_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocch.cli.reading.table_file import TableFile

TABLES = (*SUFFIXES, *(".csv" + end for end in COMPRESSED_SUFFIXES))
"""How files end that a folder can stand for; where it has Parquet files, these alone count."""


def with_parts(named: Sequence[str], table: TableFile) -> TableFile:
    """Return a table with the files that the names stand for.

    A single file needs none: whether it is there is seen when it is opened.
    """
    if "-" in named and len(named) > 1:
        raise click.UsageError("standard input (-) must be the only FILE.")
    plain = len(named) == 1 and not Path(named[0]).is_dir() and not _is_pattern(named[0])
    if plain:
        return table
    parts = _files(named)
    return replace(table, path=parts[0], parts=parts if len(parts) > 1 else ())


def _is_pattern(name: str) -> bool:
    return any(mark in name for mark in "*?[") and not Path(name).exists()


def _files(named: Sequence[str]) -> tuple[Path, ...]:
    try:
        return files_of(*named, suffixes=PARQUET)
    except InputError:
        return files_of(*named, suffixes=TABLES)
