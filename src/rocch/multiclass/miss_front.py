"""The members of a surface that no other beats in every class's misses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from rocch.arrays import IntArray
    from rocch.multiclass.surface import RocSurface


def miss_front(surface: RocSurface) -> IntArray:
    """Return the places of the members on the miss-rate front, in order; of equals, the first.

    Members that trade off all rates need not lie on it: their misses are of different kinds. As
    printed, equation 13 keeps the dominated; meant are those that nobody dominates.

    Notes
    -----
    In lexicographic order the first of the remaining members is beaten by none of them. Taking
    it and dropping all that it dominates costs O(front x members x classes).

    Examples
    --------
    >>> import rocch
    >>> from rocch.multiclass.miss_front import miss_front
    >>> truth = ["a", "a", "b", "b"]
    >>> surface = rocch.RocSurface.of(
    ...     {
    ...         "one": rocch.Confusion.from_labels(truth, ["a", "b", "b", "b"]),
    ...         "two": rocch.Confusion.from_labels(truth, ["a", "a", "a", "b"]),
    ...     }
    ... )
    >>> miss_front(surface)
    array([0, 1])
    """
    misses, places = np.unique(surface.misses, axis=0, return_index=True)
    front = []
    while places.size:
        front.append(int(places[0]))
        beaten = (misses >= misses[0]).all(axis=1)
        misses, places = misses[~beaten], places[~beaten]
    return np.sort(np.array(front, dtype=np.int64))
