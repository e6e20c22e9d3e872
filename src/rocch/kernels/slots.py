"""Where many values fall among a few sorted ones, mostly without searching.

A binary search for each of a million values, in no order, costs more than sorting them: every step
waits for memory. So the few values are spread over a table by a monotone code, and one look into
the table says where a value falls, unless it meets several of the few in its cell. Only such values
are searched for. A poor code costs time, never the answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from rocch.arrays import FloatArray, IntArray

FEWEST, MOST = 2**8, 2**20
"""The table has between so many cells: a larger one would not stay in the processor's cache."""

CELLS_PER_VALUE = 8
"""With eight cells per value, few of the many meet two in one cell, if the code is any good."""


class Code(NamedTuple):
    """A monotone map from doubles to the cells of a table."""

    low: float
    factor: float
    cells: int

    def of(self, values: FloatArray) -> IntArray:
        """Return the cell of each value; values beyond the ends go to the end cells."""
        with np.errstate(over="ignore"):
            cell = values - self.low
            cell *= self.factor
        np.clip(cell, 0, self.cells - 1, out=cell)
        return cell.astype(np.int32)


def slots(few: FloatArray, many: FloatArray) -> IntArray:
    """Return the slot of each of `many` among `few`, which are distinct and rising.

    Slot 2i + 1 is the value few[i] itself, slot 2i the open stretch between few[i - 1] and few[i];
    the last slot, 2 x few.size, lies above all. NaN must have been refused before.

    Complexity: O(few + many) where the code spreads the few evenly, else O(many log few).
    """
    code = _code(few)
    if code is None:
        return _searched(few, many)
    starts = np.searchsorted(code.of(few), np.arange(code.cells + 1), side="left").astype(np.int32)
    cell = code.of(many)
    first = starts[cell]
    # a cell that is empty leads to a value of a later cell, which is larger
    candidate = np.append(few, np.nan)[first]
    slot = 2 * first.astype(np.int64)
    slot += 2 * (candidate < many)
    slot += candidate == many
    crowded = np.flatnonzero((np.diff(starts) > 1)[cell])
    slot[crowded] = _searched(few, many[crowded])
    return slot


def _code(few: FloatArray) -> Code | None:
    """Spread all but the outermost of the few evenly by value; None where that is impossible."""
    cut = few.size // 256
    low, top = few[cut], few[few.size - 1 - cut]
    cells = int(min(max(CELLS_PER_VALUE * few.size, FEWEST), MOST))
    with np.errstate(all="ignore"):
        factor = cells / (top - low)
    return Code(float(low), float(factor), cells) if 0 < factor < np.inf else None


def _searched(few: FloatArray, many: FloatArray) -> IntArray:
    place = np.searchsorted(few, many)
    slot: IntArray = 2 * place + (np.append(few, np.nan)[place] == many)
    return slot
