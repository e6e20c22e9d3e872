"""Which file holds a table, and what was said about how to read it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

FORMATS = ("csv", "jsonl", "json", "parquet", "arrow")
"""The formats by the names that users type; Feather is Arrow's file format."""


@dataclass(frozen=True, slots=True)
class TableFile:
    """A file, or `-` for standard input, and how to read it where that was said.

    Attributes
    ----------
    argument
        What users call the file: the argument or option that named it.
    parts
        The files of a table that consists of several; `path` is the first of them then.
    """

    path: Path
    argument: str = "FILE"
    input_format: str | None = None
    delimiter: str | None = None
    decimal_comma: bool = False
    parts: tuple[Path, ...] = ()

    @property
    def files(self) -> tuple[Path, ...]:
        """All files of the table."""
        return self.parts or (self.path,)

    @property
    def called(self) -> str:
        """What to call it in a few words."""
        return f"{len(self.parts)} files" if self.parts else self.path.name

    @property
    def is_standard_input(self) -> bool:
        """Whether the table comes through standard input."""
        return str(self.path) == "-"

    def __str__(self) -> str:
        """Name it at the beginning of a message."""
        return f"{self.argument} {'-' if self.is_standard_input else str(self.path)!r}"
