"""Which rows a bootstrap replicate holds, and how often: each replicate from a stream of its own.

The stream follows from the seed and the replicate's number alone, so neither threads nor chunks
nor the number of replicates change what a replicate holds.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rocch.errors import bad_input
from rocch.kernels import resampling

if TYPE_CHECKING:
    from types import ModuleType

    from rocch.arrays import BoolArray, IntArray

COMPILED_FROM = 50_000_000
"""From so many walked rows on, compiling pays, where the `fast` extra is there."""


class Multiplicities(NamedTuple):
    """How often a replicate holds each negative and each positive, in the order of the rows."""

    negatives: IntArray
    positives: IntArray


@dataclass(frozen=True, eq=False)
class Draws:
    """The design of a bootstrap: rows drawn within their class, or whole clusters.

    Rows are drawn with replacement, as many of each class as there are. Clusters are drawn whole,
    as many as there are, so that class totals vary; a replicate that lacks a class is drawn again.
    """

    positive: BoolArray
    clusters: IntArray | None
    seed: int
    walked: int = 0
    """How many rows all walks together will pass; it decides which engine is worth its start."""

    def __post_init__(self) -> None:
        what, argument = ("rows", "y_true") if self.clusters is None else ("groups", "groups")
        for held, name in zip(self.held, ("negative", "positive"), strict=True):
            if held < 2:  # from one alone every draw is the same
                raise bad_input(
                    argument,
                    f"hold at least two {what} with a {name} label",
                    "one",
                    "How far a single one is off cannot be told: judge more rows.",
                )

    def multiplicities(self, number: int) -> Multiplicities:
        """Return how often a replicate holds each row."""
        stream = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(number,)))
        if self.clusters is None:
            sizes = (part.size for part in self._rows)
            return Multiplicities(*(self._draw(stream, size) for size in sizes))
        while True:
            drawn = self._draw(stream, self.units)
            found = Multiplicities(*(drawn[clusters] for clusters in self._clusters))
            if all(part.any() for part in found):
                return found

    def totals(self, drawn: Multiplicities) -> tuple[int, int]:
        """Return the numbers of negatives and positives that a replicate holds."""
        if self.clusters is None:
            return self.held
        negatives, positives = (int(part.sum(dtype=np.int64)) for part in drawn)
        return negatives, positives

    def by_row(self, multiplicities: Multiplicities) -> IntArray:
        """Return the multiplicities of all rows in their order."""
        rows = np.empty(self.positive.size, dtype=np.int64)
        for part, counts in zip(self._rows, multiplicities, strict=True):
            rows[part] = counts
        return rows

    @property
    def engine(self) -> ModuleType:
        """What tallies and walks; looked up each time, so that draws can be pickled."""
        return engine_for(self.walked)

    @property
    def units(self) -> int:
        """How many things there are to draw: clusters, or rows."""
        return self.positive.size if self.clusters is None else int(self.clusters.max()) + 1

    @cached_property
    def held(self) -> tuple[int, int]:
        """How many of them hold a negative, and how many a positive."""
        if self.clusters is None:
            negatives, positives = self._rows
            return negatives.size, positives.size
        negatives, positives = map(np.unique, self._clusters)
        return negatives.size, positives.size

    def _draw(self, stream: np.random.Generator, size: int) -> IntArray:
        counts: IntArray = self.engine.tally(stream.integers(0, size, size), size)
        return counts

    @cached_property
    def _clusters(self) -> tuple[IntArray, IntArray]:
        """The clusters of the negatives and of the positives."""
        negatives, positives = (np.asarray(self.clusters)[rows] for rows in self._rows)
        return negatives, positives

    @cached_property
    def _rows(self) -> tuple[IntArray, IntArray]:
        return np.flatnonzero(~self.positive), np.flatnonzero(self.positive)


def engine_for(walked: int) -> ModuleType:
    """Pick the compiled walk for large samples if Numba is installed, else plain NumPy."""
    if walked < COMPILED_FROM:
        return resampling
    try:
        from rocch.kernels import _numba as compiled_resampling
    except ImportError:
        return resampling
    return compiled_resampling
