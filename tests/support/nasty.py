"""Names that would steer a terminal, and what may be shown of them."""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

CONTROLS = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
OWN_STYLE = re.compile(r"\x1b\[[0-9;]*m")
"""What the command itself puts around text on a terminal."""
NASTY = "\x1b[2J\x9b5A\x7f\u202e\x07[bold]x[blink]\\"
SHOWN = r"\x1b[2J\x9b5A\x7f\u202e\x07[bold]x[blink]"


def write(file: Path, columns: dict[str, Any]) -> Path:
    with file.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return file


def check(text: str) -> None:
    assert SHOWN in text.replace("\n", "")
    assert CONTROLS.findall(OWN_STYLE.sub("", text.replace("\n", ""))) == []
