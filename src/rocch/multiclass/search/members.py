"""What belongs to the archive's members: their parameters, costs and whole confusion matrices.

The archive knows objectives and running ids only. Entrants are appended here under their ids; those
that left are forgotten when they have become as many as those that stayed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from rocch.arrays import FloatArray, IntArray

ROOM = 1024


class Members:
    """Growing columns, sorted by id because ids only ever rise."""

    def __init__(self, classes: int, parameters: int) -> None:
        self._size = 0
        self._ids: IntArray = np.zeros(ROOM, dtype=np.int64)
        self._parameters: FloatArray = np.zeros((ROOM, parameters))
        self._costs: FloatArray = np.zeros((ROOM, classes, classes))
        self._counts: IntArray = np.zeros((ROOM, classes, classes), dtype=np.int64)

    def add(
        self, ids: IntArray, parameters: FloatArray, costs: FloatArray, counts: IntArray
    ) -> None:
        """Note entrants; the parameters may be one vector for all of them."""
        end = self._size + len(ids)
        if end > len(self._ids):
            self._grow(max(end, 2 * len(self._ids)))
        new = slice(self._size, end)
        self._ids[new], self._parameters[new] = ids, parameters
        self._costs[new], self._counts[new] = costs, counts
        self._size = end

    def keep(self, ids: IntArray) -> None:
        """Forget those that left, once they are as many as those with the given ids."""
        if self._size <= max(2 * len(ids), ROOM):
            return
        self._take(self.places(ids))

    def places(self, ids: IntArray) -> IntArray:
        """Return where ids that are present stand."""
        return np.searchsorted(self._ids[: self._size], ids)

    def parameters_of(self, identity: int) -> FloatArray:
        """Return one member's parameters."""
        return np.array(self._parameters[self.places(np.array([identity]))[0]])

    def columns(self, ids: IntArray) -> tuple[FloatArray, FloatArray, IntArray]:
        """Return the parameters, costs and counts of members in the order of their ids."""
        at = self.places(ids)
        return self._parameters[at], self._costs[at], self._counts[at]

    def _take(self, places: IntArray) -> None:
        for name in ("_ids", "_parameters", "_costs", "_counts"):
            column = getattr(self, name)
            column[: len(places)] = column[places]
        self._size = len(places)

    def _grow(self, room: int) -> None:
        for name in ("_ids", "_parameters", "_costs", "_counts"):
            column = getattr(self, name)
            wider = np.zeros((room, *column.shape[1:]), dtype=column.dtype)
            wider[: self._size] = column[: self._size]
            setattr(self, name, wider)
