"""What texts are made of: sentences, tables, code, and sections of them.

Reports and the command line write the same parts; nothing here knows how they are rendered.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of texts; a column whose name starts with > is set flush right."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Code:
    """A piece of code, and its language."""

    language: str
    content: str


# What a section holds: a sentence, a table or code.
Part: TypeAlias = str | Table | Code


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with texts, tables and code; a text that starts with "- " is one of a list."""

    title: str
    parts: tuple[Part, ...]
