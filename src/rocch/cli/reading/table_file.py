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
    """

    path: Path
    argument: str = "FILE"
    input_format: str | None = None
    delimiter: str | None = None
    decimal_comma: bool = False

    @property
    def is_standard_input(self) -> bool:
        """Whether the table comes through standard input."""
        return str(self.path) == "-"

    def __str__(self) -> str:
        """Name it at the beginning of a message."""
        return f"{self.argument} {'-' if self.is_standard_input else str(self.path)!r}"
