"""The last scores of one model: a ring that new ones overwrite."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from rocch.arrays import FloatArray


class ScoreWindow:
    """The last scores that came in, as many as there is room for.

    It takes no lock: its owner does.

    Examples
    --------
    >>> import numpy as np
    >>> from rocch.service.score_window import ScoreWindow
    >>> window = ScoreWindow(3)
    >>> window.add(np.array([0.1, 0.2]))
    >>> window.add(np.array([0.3, 0.4]))
    >>> sorted(window.scores().tolist())
    [0.2, 0.3, 0.4]
    """

    def __init__(self, room: int) -> None:
        self._ring: FloatArray = np.empty(room)
        self._next = self._filled = 0

    def __len__(self) -> int:
        return self._filled

    def add(self, scores: FloatArray) -> None:
        """Take in scores, in place of the oldest ones."""
        room = self._ring.size
        last = scores[-room:]
        first = min(last.size, room - self._next)
        self._ring[self._next : self._next + first] = last[:first]
        self._ring[: last.size - first] = last[first:]
        self._next = (self._next + last.size) % room
        self._filled = min(self._filled + last.size, room)

    def scores(self) -> FloatArray:
        """Return a copy of the scores, in no particular order."""
        return self._ring[: self._filled].copy()
