"""A stand-in for the archive, simple and correct; the packed one takes its place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from rocch.arrays import BoolArray, IntArray


class Archive:
    """The mutually non-dominated counts that have been seen, with running ids."""

    def __init__(self, limits: IntArray) -> None:
        self.limits = np.asarray(limits, dtype=np.int64)
        self.ids: IntArray = np.zeros(0, dtype=np.int64)
        self.counts: IntArray = np.zeros((0, len(self.limits)), dtype=np.int64)
        self._columns: IntArray = np.zeros((len(self.limits), 0), dtype=np.int32)
        self._next = 0

    def __len__(self) -> int:
        return len(self.ids)

    def insert(self, counts: IntArray) -> IntArray:
        """Enter those that nothing dominates or equals; return their places in the batch."""
        columns = counts.T.astype(np.int32)
        below = _covers(columns, columns)
        equal = below & below.T
        place = np.arange(len(counts))
        earlier = equal & (place[:, np.newaxis] > place)
        beaten = ((below & ~equal) | earlier).any(axis=1) | self.dominated(counts)
        entered = np.flatnonzero(~beaten)
        if entered.size:
            self._enter(counts[entered], columns[:, entered])
        return entered

    def dominated(self, points: IntArray) -> BoolArray:
        """Say which points are weakly dominated by some member."""
        parts = [
            _covers(points[first : first + 128].T.astype(np.int32), self._columns).any(axis=1)
            for first in range(0, len(points), 128)
        ]
        return np.concatenate(parts) if parts else np.zeros(0, dtype=bool)

    def select(self, rng: np.random.Generator) -> int:
        """Return an id: the nearest in a random objective to a random place in its range."""
        values = self._columns[rng.integers(len(self.limits))]
        aim = rng.uniform(values.min(), values.max() + 1)
        near = np.abs(values - aim)
        return int(self.ids[rng.choice(np.flatnonzero(near == near.min()))])

    def state(self) -> dict[str, Any]:
        """Return what restores the archive."""
        return {
            "limits": self.limits,
            "ids": self.ids,
            "counts": self.counts,
            "next": np.int64(self._next),
        }

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Archive:
        """Restore an archive."""
        archive = cls(state["limits"])
        archive.ids, archive.counts = state["ids"], state["counts"]
        archive._columns = archive.counts.T.astype(np.int32)
        archive._next = int(state["next"])
        return archive

    def _enter(self, counts: IntArray, columns: IntArray) -> None:
        stay = ~_covers(self._columns, columns).any(axis=1)
        ids = np.arange(self._next, self._next + len(counts))
        self._next += len(counts)
        self.ids = np.concatenate((self.ids[stay], ids))
        self.counts = np.concatenate((self.counts[stay], counts))
        self._columns = np.concatenate((self._columns[:, stay], columns), axis=1)


def _covers(points: IntArray, members: IntArray) -> BoolArray:
    """Say for each point which members are not worse in any objective; columns come first."""
    below: BoolArray = members[0] <= points[0][:, np.newaxis]
    for point, member in zip(points[1:], members[1:], strict=True):
        below &= member <= point[:, np.newaxis]
    return below
