"""Tables written as CSV."""

from __future__ import annotations

import csv
import sys
from typing import TYPE_CHECKING, Any

import click

from rocch.errors import InputError, escape_line
from rocch.files import check_place, is_standard_output, writing

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

NO_CSV = (".parquet", ".pq", ".arrow", ".feather", ".ipc", ".json", ".jsonl", ".ndjson")


def check_files(file: Path | None, read: Sequence[Path | None], *, as_json: bool) -> None:
    """Refuse files that cannot be meant, before long work.

    Two files cannot both come through standard input, and CSV is not written over a file that is
    read, or to what is no CSV.
    """
    if [str(path) for path in read].count("-") > 1:
        raise click.UsageError("only one file can come through standard input (-).")
    if file is None:
        return
    got = repr(str(file))
    if is_standard_output(file):
        if as_json:
            raise click.UsageError("--json and --output - both use standard output. Leave one out.")
        return
    check_not_read(file, read)
    if file.suffix.lower() in NO_CSV or file.is_dir():
        raise InputError("--output", "be a CSV file", got, "Write out.csv, for example.")
    check_place(file, "--output")


def check_not_read(file: Path, read: Sequence[Path | None]) -> None:
    """Refuse to write over a file that is read."""
    if any(other is not None and file.resolve() == other.resolve() for other in read):
        got = repr(str(file))
        raise InputError("--output", "not be a file that is read", got, "Name another file.")


def write_csv(file: Path, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write a table, whole or not at all; on a terminal, names in it cannot steer it."""
    if is_standard_output(file) and sys.stdout.isatty():
        header, rows = _visible(header), map(_visible, rows)
    with writing(file) as temporary, temporary.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def _visible(row: Sequence[Any]) -> list[Any]:
    return [escape_line(value) if isinstance(value, str) else value for value in row]
