"""Texts with slots, which a page fills without writing anything itself."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from rocch.errors import escape_controls


@dataclass(frozen=True, slots=True)
class Slot:
    """A place in a text, to be filled in."""

    name: str


@dataclass(frozen=True, slots=True)
class Template:
    """A text with slots.

    Attributes
    ----------
    pieces
        Literal texts and names of slots by turns, starting and ending with a literal text. So no
        text needs escaping, whatever signs it has.

    Examples
    --------
    >>> from rocch.templates import Slot, Template
    >>> text = Template.of("{x} >= ", Slot("threshold"))
    >>> text.fill({"threshold": "0.5"}), text.to_list()
    ('{x} >= 0.5', ['{x} >= ', 'threshold', ''])
    """

    pieces: tuple[str, ...]

    @classmethod
    def of(cls, *parts: str | Slot | Template) -> Template:
        """Join texts, slots and other templates."""
        pieces = [""]
        for part in parts:
            if isinstance(part, Slot):
                pieces += [part.name, ""]
            else:
                first, *others = part.pieces if isinstance(part, Template) else (part,)
                pieces[-1] += first
                pieces += others
        return cls(tuple(pieces))

    @classmethod
    def parse(cls, text: str) -> Template:
        """Read a text with slots in braces.

        Examples
        --------
        >>> from rocch.templates import Template
        >>> Template.parse("costs {cost} per row").to_list()
        ['costs ', 'cost', ' per row']
        """
        pieces = re.split(r"{(\w+)}", text)
        return cls(tuple(pieces))

    def fill(self, values: Mapping[str, str]) -> str:
        """Return the text with the values of its slots; other values are ignored."""
        return "".join(
            values[piece] if place % 2 else piece for place, piece in enumerate(self.pieces)
        )

    def escaped(self) -> Template:
        """Return the text with its control characters escaped."""
        return Template(
            tuple(
                piece if place % 2 else escape_controls(piece)
                for place, piece in enumerate(self.pieces)
            )
        )

    def to_list(self) -> list[str]:
        """Return plain data."""
        return list(self.pieces)
