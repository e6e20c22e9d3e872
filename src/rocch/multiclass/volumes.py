"""A stand-in for the volumes: which of a few fixed points a front dominates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rocch.multiclass.archive import Archive

if TYPE_CHECKING:
    from rocch.arrays import BoolArray, FloatArray, IntArray


class DominatedSamples:
    """Fixed points of the better-than-random region, and which of them are dominated so far."""

    def __init__(
        self,
        totals: Any,
        *,
        objectives: Literal["rates", "misses"] = "rates",
        samples: int = 100_000,
        seed: int = 0,
    ) -> None:
        self._limits = np.asarray(totals)
        size = self._limits.size
        classes = size if objectives == "misses" else (1 + int(np.sqrt(1 + 4 * size))) // 2
        points = _better_than_random(samples, size, classes, np.random.default_rng(seed))
        self._points: IntArray = np.floor(points * self._limits).astype(np.int64)
        self.dominated: BoolArray = np.zeros(samples, dtype=bool)

    def add(self, counts: Any) -> float:
        """Take members' counts into account; return the share that is dominated now."""
        archive = Archive(self._limits)
        archive.insert(np.asarray(counts))
        rest = np.flatnonzero(~self.dominated)
        self.dominated[rest[archive.dominated(self._points[rest])]] = True
        return float(self.dominated.mean())


def _better_than_random(
    number: int, objectives: int, classes: int, rng: np.random.Generator
) -> FloatArray:
    parts: list[FloatArray] = []
    while sum(map(len, parts)) < number:
        if objectives == classes:
            drawn = rng.random((number, objectives))
        else:
            waits = rng.standard_exponential((number, objectives + 1))
            drawn = (classes - 1) * waits[:, :-1] / waits.sum(axis=1, keepdims=True)
        parts.append(drawn[(drawn <= 1).all(axis=1) & (drawn.sum(axis=1) < classes - 1)])
    return np.concatenate(parts)[:number]
