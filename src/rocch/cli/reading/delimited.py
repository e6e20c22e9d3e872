"""CSV with any delimiter, read in chunks by the standard library alone."""

from __future__ import annotations

import csv
import io
from itertools import chain, dropwhile, islice
from typing import TYPE_CHECKING, Any

from rocch.cli.reading.columns import (
    DECIMAL_COMMA,
    LOOKED_AT,
    is_missing,
    mostly_numbers,
)
from rocch.cli.reading.table import CHUNK, check_names
from rocch.errors import InputError, format_count

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocch.cli.reading.stream import Stream
    from rocch.cli.reading.table_file import TableFile

USUAL, RARE = (",", "\t", ";", "|"), (":", "^", "~", " ")
"""Delimiters that are tried; the rare ones only where no usual one is in the header."""
SNIFFED = 100
"""So many lines say what the delimiter is."""


class DelimitedTable:
    """A CSV file. Its texts are as they were written; blank lines are skipped."""

    def __init__(self, stream: Stream, source: TableFile) -> None:
        text = io.TextIOWrapper(stream.content, encoding="utf-8-sig", newline="")
        first = list(islice(dropwhile(str.isspace, text), SNIFFED))  # blank lines may come first
        self._source = source
        self.delimiter = source.delimiter or sniffed(first)
        # strict, so that a quote that is never closed does not swallow the rest in silence
        self._reader = csv.reader(chain(first, text), delimiter=self.delimiter, strict=True)
        self.names = [name.strip() for name in next(self._reader, [])]
        self._rows = self._checked_rows()
        self._first = list(islice(self._rows, CHUNK))
        self.reached = stream.reached
        if not self._first:
            raise InputError(
                source.argument,
                "have a header line and at least one row",
                "none",
                "Write the column names first.",
            )
        check_names(self.names, source.argument)

    def _checked_rows(self) -> Iterator[list[str]]:
        width = len(self.names)
        for row in self._reader:
            if len(row) == width:
                yield row
            elif row:
                raise InputError(
                    self._source.argument,
                    f"have {format_count(width, 'value')} in every row, as in its header",
                    f"{len(row)} in line {self._reader.line_num}",
                    "The delimiter was taken to be {known}; say --delimiter if it is another.",
                    known=repr(self.delimiter),
                )

    def numeric(self) -> list[str]:
        """Return the columns whose first values, those that are not missing, are mostly numbers."""
        comma = self._source.decimal_comma
        firsts = {name: self._first_values(place) for place, name in enumerate(self.names)}
        found = [name for name, some in firsts.items() if mostly_numbers(some, decimal_comma=comma)]
        for name, some in firsts.items():
            first = next(iter(some), "")
            if name not in found and DECIMAL_COMMA.fullmatch(first):
                raise InputError(
                    f"column {name!r}",
                    "have decimal points",
                    repr(first),
                    "Say --decimal-comma if commas are decimal points here; else name the score "
                    "columns.",
                )
        return found

    def _first_values(self, place: int) -> list[str]:
        cells = (row[place].strip() for row in self._first)
        return list(islice((cell for cell in cells if not is_missing(cell)), LOOKED_AT))

    def chunks(self, wanted: Sequence[str]) -> Iterator[dict[str, Any]]:
        """Yield the wanted columns as lists of texts."""
        places = [(name, self.names.index(name)) for name in wanted]
        rows, self._first = self._first, []
        while rows:
            yield {name: [row[place] for row in rows] for name, place in places}
            rows = list(islice(self._rows, CHUNK))


def sniffed(lines: Sequence[str]) -> str:
    """Return the delimiter that cuts the header into most columns, and every line alike."""
    if len(lines) == SNIFFED:
        lines = lines[:-1]  # it may be the first half of a quoted text
    for marks in (USUAL, RARE):
        widths = {mark: _widths(lines, mark) for mark in marks}
        header = {mark: found[0] for mark, found in widths.items() if found and found[0] > 1}
        even = {mark: width for mark, width in header.items() if set(widths[mark]) == {width}}
        if header:
            return max(even or header, key=lambda mark: header[mark])
    return ","


def _widths(lines: Sequence[str], delimiter: str) -> list[int]:
    try:
        return [len(row) for row in csv.reader(lines, delimiter=delimiter) if row]
    except csv.Error:
        return []
