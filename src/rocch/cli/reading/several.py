"""Several files that are one table: each is opened when its rows are due."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rocch.cli.reading.formats import open_table
from rocch.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rocch.cli.reading.table import Table
    from rocch.cli.reading.table_file import TableFile

FINE = 1000
"""So many steps of progress are told of each file."""


@contextmanager
def open_tables(source: TableFile) -> Iterator[Table]:
    """Open what may be one file or several."""
    if not source.parts:
        with open_table(source) as table:
            yield table
        return
    yield JoinedTable([replace(source, path=part, parts=()) for part in source.parts])


class JoinedTable:
    """Files one after the other, each with the columns that are wanted."""

    def __init__(self, sources: Sequence[TableFile]) -> None:
        self._sources, self._open = sources, 0
        self._current: Table | None = None
        with open_table(sources[0]) as first:
            self.names = list(first.names)
            self._numeric = first.numeric()

    def numeric(self) -> list[str]:
        """Return the columns of numbers, as the first file has them."""
        return self._numeric

    def chunks(self, wanted: Sequence[str]) -> Iterator[Mapping[str, Any]]:
        """Yield the wanted columns of all files."""
        for place, source in enumerate(self._sources):
            self._open = place
            with open_table(source) as self._current:
                missing = [name for name in wanted if name not in self._current.names]
                if missing:
                    raise InputError(
                        "FILE",
                        "be files with the same columns",
                        f"{str(source.path)!r} without {missing[0]!r}",
                        "Its columns are: {known}.",
                        known=", ".join(map(repr, self._current.names)),
                    )
                yield from self._current.chunks(wanted)

    def reached(self) -> tuple[int, int]:
        """Return how far it has been read, every file counting alike."""
        done, total = (0, 0) if self._current is None else self._current.reached()
        within = int(FINE * done / total) if total else 0
        return FINE * self._open + within, FINE * len(self._sources)
