"""Tables in files: named columns of CSV and Parquet, read; and CSV, written."""

from __future__ import annotations

import csv
import math
from typing import TYPE_CHECKING, Any

from rocch.errors import InputError, bad_input, missing_column, missing_extra
from rocch.inputs import repeated

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

MISSING = {"", "na", "n/a", "nan", "null", "none", "?"}
"""What stands for a missing value in files, in lower case."""


def read_columns(file: Path, argument: str = "FILE") -> dict[str, Any]:
    """Read a CSV or Parquet file into named columns; the file is only read."""
    if not file.is_file():
        raise bad_input(argument, "be an existing file", repr(str(file)), "Check the path.")
    try:
        if file.suffix.lower() in (".parquet", ".pq"):
            return _read_parquet(file, argument)
        return _read_csv(file, argument)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{argument} {str(file)!r} cannot be read: {error}.") from None


def _read_csv(file: Path, argument: str) -> dict[str, Any]:
    with file.open(newline="", encoding="utf-8-sig") as stream:
        rows = csv.reader(stream)
        header = next(rows, [])
        table = []
        for row in rows:
            if row and len(row) != len(header):
                raise bad_input(
                    argument,
                    f"have {len(header)} values in every row, as in its header",
                    f"{len(row)} in line {rows.line_num}",
                    "Is the delimiter a comma?",
                )
            if row:
                table.append(row)
    if not table:
        raise bad_input(
            argument,
            "have a header line and at least one row",
            "none",
            "Write the column names first.",
        )
    check_distinct(argument, header)
    if "" in header:
        raise bad_input(
            argument,
            "name every column",
            f"an empty name for column {header.index('') + 1}",
            "Mend the header line.",
        )
    return dict(zip(header, map(list, zip(*table, strict=True)), strict=True))


def _read_parquet(file: Path, argument: str) -> dict[str, Any]:
    try:
        from pyarrow import ArrowInvalid, parquet
    except ImportError:
        raise missing_extra("scale", "Reading Parquet") from None
    try:
        table = parquet.read_table(file)
    except ArrowInvalid as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"{argument} {str(file)!r} cannot be read as Parquet: {reason}") from None
    return {name: table[name].to_numpy() for name in table.column_names}


def check_distinct(argument: str, names: list[str]) -> None:
    """Refuse columns of the same name."""
    twice = repeated(names)
    if twice:
        raise bad_input(argument, "have distinct columns", repr(twice[0]), "Leave one out.")


def text_of(value: Any) -> str:
    """Return a label as text; a missing one (None, NaN) as none at all."""
    return "" if value is None or value != value else str(value).strip()


def need_column(columns: dict[str, Any], name: str, argument: str) -> None:
    """Refuse a column that is not there."""
    if name not in columns:
        error = missing_column(name, columns, argument)
        if len(columns) == 1 and any(mark in next(iter(columns)) for mark in ";\t|"):
            raise InputError(f"{error} Is the delimiter a comma?")
        raise error


def names_in(column: Any, argument: str) -> list[str]:
    """Return class names as texts, of which none may be missing; whole numbers without a point."""
    names = []
    for row, value in enumerate(column, start=1):
        whole = isinstance(value, float) and value.is_integer()
        names.append(text_of(int(value) if whole else value))
        if not names[-1]:
            raise bad_input(argument, "have no missing names", f"one in row {row}", "Drop the row.")
    return names


def numbers_in(column: Any, name: str, do: str) -> list[float]:
    """Return a column of finite numbers."""
    return [_number(value, name, row, do) for row, value in enumerate(column, start=1)]


def _number(value: Any, name: str, row: int, do: str) -> float:
    argument, written = f"column {name!r}", text_of(value)
    if written.lower() in MISSING:
        came = f"one in row {row}" + (f", written {written!r}" if written else "")
        raise bad_input(argument, "have no missing values", came, "Drop or fill such rows first.")
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise bad_input(argument, "hold numbers", f"{written!r} in row {row}", do) from None
    if math.isinf(number):
        raise bad_input(argument, "hold finite numbers", f"{written!r} in row {row}", do)
    return number


def csv_target(file: Path | None, read: Iterable[Path | None], argument: str) -> None:
    """Refuse to write where it cannot be right: over a file that was read, or what is no CSV."""
    if file is None:
        return
    if any(other is not None and file.resolve() == other.resolve() for other in read):
        raise bad_input(
            argument, "not be a file that is read", repr(str(file)), "Name another file."
        )
    if file.suffix.lower() in (".parquet", ".pq") or file.is_dir():
        raise bad_input(argument, "be a CSV file", repr(str(file)), "Write out.csv, for example.")
    if not file.absolute().parent.is_dir():
        raise bad_input(
            argument, "lie in a folder that is there", repr(str(file)), "Make the folder first."
        )


def write_csv(file: Path, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write a table."""
    try:
        with file.open("w", newline="", encoding="utf-8") as stream:
            writer = csv.writer(stream, lineterminator="\n")
            writer.writerow(header)
            writer.writerows(rows)
    except OSError as error:
        raise InputError(f"{str(file)!r} cannot be written: {error.strerror}.") from None
