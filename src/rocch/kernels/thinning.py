"""Thinning cells: as few as leave the known points of the curve close enough to each other."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from rocch.kernels.cells import Cells

if TYPE_CHECKING:
    from rocch.arrays import BoolArray, IntArray


def thinned(cells: Cells, resolution: float) -> Cells:
    """Join neighbours as long as the joint cell is at most `resolution` wide in both rates.

    Greedy from the top, and with the fewest cells there can be: from a later point the farthest
    point within reach is never an earlier one. A cell that is wider by itself stays alone. Counts
    decide, not rates.

    Complexity: O(cells log cells).
    """
    size = cells.low.size
    within = [_within(counts, resolution) for counts in (cells.negatives, cells.positives)]
    following = np.maximum(np.minimum(*within), np.arange(1, size + 2)).tolist()
    kept = [0]
    while kept[-1] < size:
        kept.append(following[kept[-1]])
    first, last = np.array(kept[:-1]), np.array(kept[1:]) - 1
    return Cells(
        cells.high[first],
        cells.low[last],
        np.add.reduceat(cells.negatives, first),
        np.add.reduceat(cells.positives, first),
    )


def too_coarse(cells: Cells, resolution: float) -> BoolArray:
    """Say which cells hold several scores and are by themselves wider than `resolution`.

    They must be split before the points can be so close; the ties of one score cannot be.
    """
    wide = [counts > _step(counts, resolution) for counts in (cells.negatives, cells.positives)]
    return np.asarray((cells.high > cells.low) & (wide[0] | wide[1]))


def _within(counts: IntArray, resolution: float) -> IntArray:
    """Return, for each point from *never* on, the last point that is close enough in this rate."""
    up_to = np.concatenate(([0], np.cumsum(counts)))
    return np.searchsorted(up_to, up_to + _step(counts, resolution), side="right") - 1


def _step(counts: IntArray, resolution: float) -> int:
    """Return how many rows of a class may lie between neighbouring points."""
    return int(Fraction(resolution) * int(counts.sum()))
