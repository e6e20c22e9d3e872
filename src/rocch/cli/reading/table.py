"""What every kind of file becomes: a table whose columns are read in chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from rocch.errors import InputError
from rocch.inputs import find_duplicates

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

CHUNK = 20_000
"""So many rows are in memory as Python objects at a time."""


class Named(Protocol):
    """Columns by their names, and which of them hold numbers."""

    @property
    def names(self) -> Sequence[str]:
        """The columns."""

    def numeric(self) -> list[str]:
        """Return the columns that hold numbers, by their type or else by how they begin."""


class Table(Named, Protocol):
    """A file that has been opened and recognized; it can be gone through once."""

    def chunks(self, wanted: Sequence[str]) -> Iterator[Mapping[str, Any]]:
        """Yield the wanted columns a chunk of rows at a time, as lists or NumPy arrays."""

    def reached(self) -> tuple[int, int]:
        """Return how far it has been read and how far that goes; 0 where the end is unknown."""


def check_names(names: Sequence[str], argument: str) -> None:
    """Refuse columns without a name, or with that of another."""
    if "" in names:
        place = names.index("") + 1
        hint = "Fix the header line."
        if place == 1:
            hint = "Is it the index of a data frame? Write the file without it (index=False)."
        raise InputError(argument, "name every column", f"an empty name for column {place}", hint)
    twice = find_duplicates(names)
    if twice:
        raise InputError(argument, "have distinct columns", f"{twice[0]!r} twice", "Rename one.")
