"""JSON records: one on each line, or a list of them."""

from __future__ import annotations

import io
import json
from itertools import islice
from typing import TYPE_CHECKING, Any

from rocch.cli.reading.columns import LOOKED_AT, is_missing, mostly_numbers
from rocch.cli.reading.table import CHUNK, check_names
from rocch.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rocch.cli.reading.stream import Stream
    from rocch.cli.reading.table_file import TableFile

    Record = dict[str, Any]


class RecordsTable:
    """Records whose keys are the columns; a key that a record lacks is a missing value."""

    def __init__(self, records: Iterable[Any], stream: Stream, source: TableFile) -> None:
        self._source = source
        self.names: list[str] = []
        self._records = self._checked(enumerate(records, start=1))
        self._first = list(islice(self._records, CHUNK))
        self.names = list(dict.fromkeys(name for record in self._first for name in record))
        self.reached = stream.reached
        if not self._first:
            raise InputError(source.argument, "have at least one record", "none", "Check the file.")
        check_names(self.names, source.argument)

    def _checked(self, records: Iterable[tuple[int, Any]]) -> Iterator[Record]:
        known: set[str] = set()
        for row, record in records:
            if not isinstance(record, dict):
                raise InputError(
                    self._source.argument,
                    'hold records such as {"y": 1, "nb": 0.7}',
                    f"{type(record).__name__} in row {row}",
                    "Name the values.",
                )
            if not known.issuperset(record):
                known |= set(self.names or record)
                self._check_known(record, row)
            yield record

    def _check_known(self, record: Record, row: int) -> None:
        late = [name for name in record if self.names and name not in self.names]
        if late:
            raise InputError(
                self._source.argument,
                f"name every column in its first {CHUNK} records",
                f"{late[0]!r} first in row {row}",
                "Write all names in the first record.",
            )

    def numeric(self) -> list[str]:
        """Return the columns whose first values, those that are not missing, are mostly numbers."""
        return [name for name in self.names if mostly_numbers(self._first_values(name))]

    def _first_values(self, name: str) -> list[Any]:
        cells = (record.get(name) for record in self._first)
        return list(islice((cell for cell in cells if not is_missing(cell)), LOOKED_AT))

    def chunks(self, wanted: Sequence[str]) -> Iterator[dict[str, Any]]:
        """Yield the wanted columns as lists."""
        records, self._first = self._first, []
        while records:
            yield {name: [record.get(name) for record in records] for name in wanted}
            records = list(islice(self._records, CHUNK))


def json_lines(stream: Stream, source: TableFile) -> RecordsTable:
    """Open JSON lines; blank lines are skipped."""
    text = io.TextIOWrapper(stream.content, encoding="utf-8-sig")

    def records() -> Iterator[Any]:
        for number, line in enumerate(text, start=1):
            if line.strip():
                yield _parsed(line, f"line {number}", source)

    return RecordsTable(records(), stream, source)


def json_list(stream: Stream, source: TableFile) -> RecordsTable:
    """Open a list of records, which has to be read as a whole."""
    text = io.TextIOWrapper(stream.content, encoding="utf-8-sig").read()
    records = _parsed(text, "it", source)
    if not isinstance(records, list):
        raise InputError(
            source.argument,
            'be a list of records such as [{"y": 1, "nb": 0.7}]',
            type(records).__name__,
            "For one record on each line say --input-format jsonl.",
        )
    return RecordsTable(records, stream, source)


def _parsed(text: str, what: str, source: TableFile) -> Any:
    try:
        return json.loads(text)
    except RecursionError:
        raise InputError(f"{source} cannot be read: {what} is nested too deeply.") from None
    except ValueError as error:
        lines = " For one record on each line say --input-format jsonl." if what == "it" else ""
        raise InputError(f"{source} cannot be read: {what} is not JSON ({error}).{lines}") from None
