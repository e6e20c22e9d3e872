"""Partitioned quasi-random selection: members of sparse parts of a front are chosen as often."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from rocch.arrays import BoolArray, IntArray

BINS = 20
"""Into so many bins the range of an objective is parted; the rule's authors leave it open."""


@dataclass(slots=True)
class PartitionedSelection:
    """What the rule remembers: for each objective a shuffled deck of bins, and how far it is dealt.

    An objective is chosen at random, all with the same chance. Its present range, from the least
    to the largest count of a member, is parted into bins of equal width. The next bin of the
    objective's deck that holds a member is taken; a deck that is used up is shuffled again, so
    within one deal every bin has its turn. A member of that bin is chosen at random. So a crowded
    stretch of the front is chosen no more often than a sparse one.

    Two choices are ours: the number of bins, and the decks (the rule asks for a bin at random).
    A bin that is empty at its turn loses it until the next deal.

    References
    ----------
    Fieldsend, Everson and Singh (2003), Using unconstrained elite archives for multi-objective
    optimisation, IEEE Transactions on Evolutionary Computation 7(3), 305-323.
    """

    decks: IntArray
    """The bins in the order in which they are dealt, one row for each objective (D, BINS)."""
    dealt: IntArray
    """How many of each deck are dealt (D,); one that is dealt out is shuffled at its next turn."""

    @classmethod
    def fresh(cls, objectives: int) -> PartitionedSelection:
        """Begin with decks that are all dealt out, so that the first turn shuffles them."""
        return cls(np.tile(np.arange(BINS), (objectives, 1)), np.full(objectives, BINS))

    def objective(self, rng: np.random.Generator) -> int:
        """Choose an objective, all with the same chance."""
        return int(rng.integers(self.dealt.size))

    def choose(self, objective: int, values: IntArray, rng: np.random.Generator) -> int:
        """Choose one of the members, given by their counts in the objective, as its place."""
        bins = _bins(values)
        filled = np.bincount(bins, minlength=BINS) > 0
        inside = np.flatnonzero(bins == self._next_bin(objective, filled, rng))
        return int(inside[rng.integers(inside.size)])

    def _next_bin(self, objective: int, filled: BoolArray, rng: np.random.Generator) -> int:
        """Deal until a bin comes that is filled; in a whole deck there is always one."""
        while True:
            if self.dealt[objective] == BINS:
                rng.shuffle(self.decks[objective])
                self.dealt[objective] = 0
            dealt = int(self.decks[objective, self.dealt[objective]])
            self.dealt[objective] += 1
            if filled[dealt]:
                return dealt


def _bins(values: IntArray) -> IntArray:
    """Return the bin of each count: bins share the range from the least to the largest evenly.

    In integers: the range is counted with both ends, so the largest count falls into the last bin.
    """
    low = values.min()
    bins: IntArray = (values - low) * BINS // (values.max() - low + 1)
    return bins
