"""Names that would steer a terminal, and what may be shown of them."""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING, Any

import numpy as np

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


def write_scores(folder: Path) -> Path:
    """Write scores of three classifiers, two of them with nasty names, and of a nasty group."""
    rng = np.random.default_rng(8)
    y = np.arange(120) % 3 == 0
    columns: dict[str, Any] = {"y": y.astype(int)}
    for i, name in enumerate((NASTY, f"second {NASTY}", "third")):
        columns[name] = (1 + i) * rng.normal(size=120) + (1 + i) * y
    columns["group"] = [NASTY] * 120
    return write(folder / f"nasty {NASTY}.csv", columns)


def write_probabilities(folder: Path) -> Path:
    """Write probabilities of three classes with nasty names, and the truth."""
    rng = np.random.default_rng(5)
    names = [NASTY, f"second {NASTY}", "third"]
    drawn = rng.dirichlet(np.ones(3), 60)
    drawn[np.arange(60), np.arange(60) % 3] += 0.5
    drawn /= drawn.sum(axis=1, keepdims=True)
    columns = dict(zip(names, drawn.T, strict=True))
    return write(
        folder / "probabilities.csv", {**columns, "truth": [names[i % 3] for i in range(60)]}
    )
