"""When a search has come to rest: the share of the better-than-random region that it dominates.

Random answers lie where the rates sum to Q - 1 (Everson and Fieldsend, section 5). A fixed set of
points is drawn uniformly from the region below; how many of them the archive dominates can only
grow. A point with rates x is dominated by counts c of totals n just if c <= floor(x n) throughout,
so this is decided in integers too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from rocch.arrays import FloatArray, IntArray
    from rocch.multiclass.archive import Archive

SAMPLES = 10_000


def better_than_random(
    number: int, objectives: int, classes: int, rng: np.random.Generator
) -> FloatArray:
    """Draw points uniformly from the part of the unit cube whose coordinates sum to < Q - 1.

    Q miss rates fill almost the whole cube, Q(Q - 1) rates almost the whole simplex: points are
    drawn from the one that is fuller, and those outside the other are drawn again.
    """
    parts: list[FloatArray] = []
    found = 0
    while found < number:
        if objectives == classes:
            drawn = rng.random((number, objectives))
        else:
            waits = rng.standard_exponential((number, objectives + 1))
            drawn = (classes - 1) * waits[:, :-1] / waits.sum(axis=1, keepdims=True)
        inside = drawn[(drawn <= 1).all(axis=1) & (drawn.sum(axis=1) < classes - 1)]
        parts.append(inside)
        found += len(inside)
    return np.concatenate(parts)[:number]


class Progress:
    """The share that is dominated now, and what it was one patience ago."""

    def __init__(self, limits: IntArray, classes: int) -> None:
        rng = np.random.default_rng(0)
        points = better_than_random(SAMPLES, len(limits), classes, rng)
        self._open: IntArray = np.floor(points * limits).astype(np.int64)
        self.share = 0.0
        """The share dominated when last looked at."""
        self.looked_at = -1
        """The generation when last looked at; -1 for never."""

    def look(self, archive: Archive, generation: int) -> float:
        """Return how much the share has grown since the last look."""
        self._open = self._open[~archive.dominated(self._open)]
        before, self.share = self.share, 1 - len(self._open) / SAMPLES
        self.looked_at = generation
        return self.share - before
