"""Posteriors of three classes, and files of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ("cat", "dog", "eel")
COSTS = ("--costs", "eel>cat=3", "--costs", "dog>cat=2..2", "--default-cost", "1", "--classes")
TRUTHS = [NAMES[row % 3] for row in range(40)]


def probabilities_of_rows() -> dict[str, list[float]]:
    """Return probabilities of 40 rows that know their class a little."""
    rng = np.random.default_rng(5)
    drawn = rng.dirichlet(np.ones(3), 40)
    drawn[np.arange(40), np.arange(40) % 3] += 0.3
    drawn /= drawn.sum(axis=1, keepdims=True)
    return dict(zip(NAMES, drawn.T.tolist(), strict=True))


def write_probabilities(
    folder: Path, probabilities: dict[str, list[float]], truths: list[str]
) -> Path:
    """Write them with a key in front and a remark behind, the classes in another order."""
    path = folder / "probabilities.csv"
    lines = ["key,eel,cat,dog,truth,remark"]
    for row, truth in enumerate(truths):
        values = (probabilities[name][row] for name in ("eel", "cat", "dog"))
        lines.append(",".join([f"r{row}", *map(repr, values), truth, '"a, b"']))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
