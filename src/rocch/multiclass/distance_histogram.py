"""How far the members of surfaces lie from random allocation, counted in bins."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rocch.errors import bad_input
from rocch.inputs import as_whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocch.arrays import FloatArray, IntArray
    from rocch.multiclass.surface import RocSurface


@dataclass(frozen=True, slots=True, eq=False)
class DistanceHistogram:
    """Members counted by their signed distance from random allocation; negative is better.

    Attributes
    ----------
    edges
        The bins' edges, 0 among them. A bin holds its upper edge and not its lower one, so that
        members exactly as good as random allocation do not count as beyond it.
    counts
        How many members of each surface lie in each bin (surfaces, bins).
    beyond, members
        How many members of each surface are worse than random allocation, and how many there are.
    perfect
        The distance of a classifier without errors.
    """

    edges: FloatArray
    counts: IntArray
    beyond: tuple[int, ...]
    members: tuple[int, ...]
    perfect: float

    @classmethod
    def of(cls, surfaces: Sequence[RocSurface], *, bins: int = 40) -> DistanceHistogram:
        """Count the members of surfaces in the same bins.

        Parameters
        ----------
        surfaces
            Surfaces of as many classes and with the same objectives, without which distances
            would not mean the same.
        bins
            The largest number of bins.

        Examples
        --------
        >>> import rocch
        >>> from rocch.multiclass.distance_histogram import DistanceHistogram
        >>> truth = ["a", "a", "b", "b"]
        >>> one = rocch.Confusion.from_labels(truth, ["a", "a", "a", "b"])
        >>> found = DistanceHistogram.of([rocch.RocSurface.of({"one": one})], bins=5)
        >>> found.edges.round(1).tolist(), found.counts.tolist(), found.beyond
        ([-0.4, -0.3, -0.2, -0.1, 0.0], [[1, 0, 0, 0]], (0,))
        """
        _check_alike(surfaces)
        distances = [surface.distances for surface in surfaces]
        size = as_whole(bins, "bins", least=2, do="40 show the shape of most.")
        width = _width(np.concatenate(distances), size)
        steps = [_steps(surface, width) for surface in surfaces]
        low = min(-1, *(int(own.min()) for own in steps))
        high = max(0, *(int(own.max()) + 1 for own in steps))
        return cls(
            np.arange(low, high + 1, dtype=np.float64) * width,
            np.stack([np.bincount(own - low, minlength=high - low) for own in steps]),
            tuple(int(np.count_nonzero(surface.beyond_random)) for surface in surfaces),
            tuple(len(surface) for surface in surfaces),
            _perfect(surfaces[0]),
        )


def _steps(surface: RocSurface, width: float) -> IntArray:
    """Return each member's bin, counted from 0 on; the side of 0 is decided without rounding."""
    steps = np.ceil(surface.distances / width).astype(np.int64) - 1
    beyond = surface.beyond_random
    return np.where(beyond, np.maximum(steps, 0), np.minimum(steps, -1))


def _perfect(surface: RocSurface) -> float:
    size = len(surface.classes)
    axes = size if surface.objectives == "misses" else size * (size - 1)
    return -(size - 1) / math.sqrt(axes)


def _width(distances: FloatArray, bins: int) -> float:
    low, high = min(float(distances.min()), 0.0), max(float(distances.max()), 0.0)
    # 0 is an edge, so each side may fill its last bin in part only: at most two bins more than the
    # range divided by the width. The half keeps the least distance off an edge.
    return (high - low) / (bins - 1.5) or 0.1


def _check_alike(surfaces: Sequence[RocSurface]) -> None:
    kinds = {(len(surface.classes), surface.objectives) for surface in surfaces}
    if len(kinds) > 1:
        raise bad_input(
            "surfaces",
            "have equally many classes and the same objectives, or distances differ in meaning",
            " and ".join(f"{size} classes with {what}" for size, what in sorted(kinds)),
            "Draw them apart.",
        )
