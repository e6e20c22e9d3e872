"""Recognizing what a file holds, and reading the columns that are wanted."""

from __future__ import annotations

import csv
import lzma
import zlib
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rocch.cli.reading import arrow, json_records
from rocch.cli.reading.columns import Coded, Codes, NumberRule, Numbers, Raw
from rocch.cli.reading.delimited import DelimitedTable
from rocch.cli.reading.stream import COMPRESSED_SUFFIXES, Stream, opened
from rocch.cli.reading.wanted import check_lines
from rocch.errors import InputError, RocchError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from rocch.arrays import FloatArray
    from rocch.cli.reading.table import Table
    from rocch.cli.reading.table_file import TableFile

MAGIC = {
    b"PAR1": "parquet",
    b"ARROW1": "arrow",
    b"\xff\xff\xff\xff": "arrow",
}
"""How files begin that are no text; a stream of Arrow's begins with a mark of continuation."""
SUFFIXES = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".arrows": "arrow",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".csv": "csv",
    ".tsv": "csv",
}
OPENERS: dict[str, Callable[[Stream, TableFile], Table]] = {
    "csv": DelimitedTable,
    "jsonl": json_records.json_lines,
    "json": json_records.json_list,
    "parquet": arrow.parquet,
    "arrow": arrow.arrow,
}
KINDS = {"parquet": "Parquet", "arrow": "Arrow"}
UNREADABLE = (OSError, EOFError, UnicodeDecodeError, csv.Error, zlib.error, lzma.LZMAError)


def recognized(head: bytes, source: TableFile) -> str:
    """Return the format: as stated, or by how the file begins, or by its name."""
    if source.input_format is not None:
        return source.input_format
    for magic, name in MAGIC.items():
        if head.startswith(magic):
            return name
    suffixes = [suffix.lower() for suffix in source.path.suffixes[-2:]]
    if suffixes and suffixes[-1] in COMPRESSED_SUFFIXES:
        suffixes.pop()
    if suffixes and suffixes[-1] in SUFFIXES:
        return SUFFIXES[suffixes[-1]]
    first = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    return {b"{": "jsonl", b"[": "json"}.get(first, "csv")


@contextmanager
def open_table(source: TableFile) -> Iterator[Table]:
    """Open a table; whatever is wrong with the file is told in one line."""
    kind = ""
    try:
        with opened(source) as stream:
            kind = recognized(stream.head, source)
            if kind in KINDS and not stream.head:
                raise InputError(f"{source} cannot be read as {KINDS[kind]}: it is empty.")
            yield OPENERS[kind](stream, source)
    except RocchError:
        raise
    except UnicodeDecodeError:
        raise InputError(
            f"{source} cannot be read: it is no text in UTF-8. Save it as UTF-8, or name its kind "
            "with --input-format."
        ) from None
    except UNREADABLE as error:
        raise InputError(f"{source} cannot be read: {_reason(error)}.") from None
    except Exception as error:
        if kind not in KINDS or not type(error).__module__.startswith("pyarrow"):
            raise
        raise InputError(f"{source} cannot be read as {KINDS[kind]}: {_reason(error)}.") from None


def _reason(error: BaseException) -> str:
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return text.splitlines()[0].rstrip(".")


PRINTED = {"--label": "class", "--by": "group"}
"""Columns of names that are printed among results, and what they name."""


@dataclass(slots=True, eq=False)
class Columns:
    """Columns that were read, by what they are for."""

    numbers: dict[str, FloatArray] = field(default_factory=dict)
    coded: dict[str, Coded] = field(default_factory=dict)
    raw: dict[str, list[Any]] = field(default_factory=dict)


def read_columns(
    table: Table,
    *,
    numbers: Mapping[str, NumberRule] | None = None,
    coded: Mapping[str, str] | None = None,
    raw: Sequence[str] = (),
    gaps: bool = False,
    step: Callable[[int, int], object] | None = None,
) -> Columns:
    """Go through a table once and gather columns.

    Parameters
    ----------
    numbers
        Columns of numbers, with the rule that each must keep.
    coded
        Columns of names, with the option that named each.
    raw
        Columns to carry along as they are.
    gaps
        Whether names may be missing; a rule says so for numbers.
    step
        Is told after each chunk how far the file was read, and how far it goes.
    """
    gathered: dict[tuple[str, str], Any] = {}
    for name, rule in (numbers or {}).items():
        gathered["numbers", name] = Numbers(name, rule)
    for name, argument in (coded or {}).items():
        gathered["coded", name] = Codes(argument, gaps=gaps)
    for name in raw:
        gathered["raw", name] = Raw()
    for chunk in table.chunks(list(dict.fromkeys(name for _, name in gathered))):
        for (_, name), column in gathered.items():
            column.add(chunk[name])
        if step is not None:
            step(*table.reached())
    found = Columns()
    for (kind, name), column in gathered.items():
        getattr(found, kind)[name] = column.whole()
    for name, argument in (coded or {}).items():
        if argument in PRINTED:
            check_lines(found.coded[name].names, PRINTED[argument], argument)
    return found


def whole_table(source: TableFile) -> dict[str, list[Any]]:
    """Read all columns of a small table as they are."""
    with open_table(source) as table:
        return read_columns(table, raw=list(table.names)).raw


def column_names(path: Path) -> list[str]:
    """Return the names of a file's columns."""
    from rocch.cli.reading.table_file import TableFile

    with open_table(TableFile(path)) as table:
        return list(table.names)
