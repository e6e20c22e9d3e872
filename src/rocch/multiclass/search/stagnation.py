"""When a search has come to rest: the share of the better-than-random region that it dominates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocch.multiclass.volumes import DominatedSamples

if TYPE_CHECKING:
    from rocch.arrays import IntArray
    from rocch.multiclass.search.objectives import SearchedObjectives

SAMPLES = 10_000
"""The share is estimated at so many points. They stay the same, so that it can only grow."""


class Progress:
    """The share that is dominated, looked at now and then."""

    def __init__(self, objectives: SearchedObjectives) -> None:
        self._samples = DominatedSamples(
            objectives.limits, objectives=objectives.kind, samples=SAMPLES
        )
        self.share = 0.0
        """The share when last looked at."""
        self.looked_at = -1
        """The generation when last looked at; -1 for never."""

    def look(self, counts: IntArray, generation: int) -> float:
        """Return how much the share has grown since the last look."""
        before, self.share = self.share, self._samples.add(counts)
        self.looked_at = generation
        return self.share - before
