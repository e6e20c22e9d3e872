"""Ranks every row of a table, lot by lot, and keeps only the sums of their placements.

An AUC depends on the rank of every row, unlike a hull, so all scores that share a cell with scores
of the other class have to be looked at. They are read in lots that the driver can hold, summed up
and forgotten; the counts of the cells say what lies above and below each lot.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rocch.kernels.placements import sums_inside, sums_of_some, unranked
from rocch.kernels.refine import Cells
from rocch.scale.passes import Intervals
from rocch.scale.refining import Strand, check_same, strand_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocch.arrays import FloatArray, IntArray
    from rocch.kernels.placements import PlacementSums
    from rocch.scale.refining import Refinery


def placement_sums(refinery: Refinery) -> list[PlacementSums]:
    """Return the sums over all rows of each strand; begins and ends the refinery's passes."""
    refinery.begin(at_once=refinery.buckets)
    _cut_full(refinery)
    _cut_lopsided(refinery)
    sums = [
        sums_of_some(strand.cells, np.flatnonzero(~unranked(strand.cells)))
        for strand in refinery.strands
    ]
    for lot in _lots(refinery.strands, refinery.buckets):
        for number, more in _summed_up(refinery, lot):
            sums[number] = sums[number].plus(more)
    return sums


class _Lot(NamedTuple):
    """Unranked cells that are read in one pass: which, of which strands."""

    strand: IntArray
    cell: IntArray


def _lots(strands: list[Strand], most: int) -> Iterator[_Lot]:
    """Take all unranked cells in turn, in lots of at most so many rows."""
    cells = [np.flatnonzero(unranked(strand.cells)) for strand in strands]
    number = np.repeat(np.arange(len(strands)), [each.size for each in cells])
    cell = np.concatenate(cells)
    up_to = np.cumsum(np.concatenate([s.rows[c] for s, c in zip(strands, cells, strict=True)]))
    start = 0
    while start < cell.size:
        read = int(up_to[start - 1]) if start else 0
        end = int(np.searchsorted(up_to, read + most, side="right"))
        yield _Lot(number[start:end], cell[start:end])
        start = end


def _summed_up(refinery: Refinery, lot: _Lot) -> Iterator[tuple[int, PlacementSums]]:
    """Read a lot; return its sums for each strand."""
    wanted = _joint_intervals(refinery.strands, lot)
    counted = refinery.reader.scores_within(wanted)
    refinery.told(counted.moved)
    of = wanted.strand[counted.owner]
    for number in np.unique(lot.strand).tolist():
        strand, which = refinery.strands[number], lot.cell[lot.strand == number]
        scores = strand_of(counted.taken(np.flatnonzero(of == number)))
        check_same(strand, which, scores)
        yield number, sums_inside(strand.cells, which, scores.cells)


def _joint_intervals(strands: list[Strand], lot: _Lot) -> Intervals:
    """Return the intervals of a lot, neighbours as one: the fewer, the easier rows are matched."""
    follows = (np.diff(lot.strand) == 0) & (np.diff(lot.cell) == 1)
    first = np.concatenate(([True], ~follows))
    last = np.concatenate((~follows, [True]))
    strand = lot.strand[first]
    low, high = (_ends(strands, lot, edge) for edge in ("low", "high"))
    return Intervals(strand, low[last], high[first])


def _ends(strands: list[Strand], lot: _Lot, edge: str) -> FloatArray:
    ends = [
        getattr(strands[number].cells, edge)[lot.cell[lot.strand == number]]
        for number in np.unique(lot.strand).tolist()
    ]
    return np.concatenate(ends)


def _cut_full(refinery: Refinery) -> None:
    """Cut unranked cells until none has more rows than a lot may have."""
    depth = 0
    while True:
        chosen = [
            np.flatnonzero(unranked(strand.cells) & (strand.rows > refinery.buckets))
            for strand in refinery.strands
        ]
        if not any(each.size for each in chosen):
            return
        depth += 1
        _cut(refinery, chosen, depth)


def _cut_lopsided(refinery: Refinery) -> None:
    """Cut cells while that saves more passes than it takes, which it does where a class is rare.

    Most pieces of a cell then hold the other class only and need not be read. What a cut saves is
    an estimate beforehand; after one that has not paid there is no further one.
    """
    left = _rows_left(refinery)
    saved = left
    while saved > refinery.buckets:
        gains = [_gain(strand, left / refinery.buckets) for strand in refinery.strands]
        if sum(float(gain.sum()) for gain in gains) <= refinery.buckets:
            return
        _cut(refinery, [np.flatnonzero(gain) for gain in gains])
        left, before = _rows_left(refinery), left
        saved = before - left


def _gain(strand: Strand, rows_per_piece: float) -> FloatArray:
    """Estimate how many rows of each cell need not be read once it is cut.

    At worst each row of the rarer class lies in a piece of its own, with rows of the other.
    """
    negatives, positives = strand.cells.negatives, strand.cells.positives
    share = np.minimum(negatives, positives) / np.maximum(negatives + positives, 1)
    gain = strand.rows * np.maximum(1 - share * rows_per_piece, 0)
    return np.where(unranked(strand.cells), gain, 0.0)


def _rows_left(refinery: Refinery) -> int:
    return sum(int(strand.rows[unranked(strand.cells)].sum()) for strand in refinery.strands)


def _cut(refinery: Refinery, chosen: list[IntArray], depth: int = 1) -> None:
    refinery.split(chosen, depth)
    refinery.strands = [_joined(strand) for strand in refinery.strands]


def _joined(strand: Strand) -> Strand:
    """Join neighbours that hold the same class only, so that cells do not pile up from cut to cut.

    Rows of one class are not compared with each other.
    """
    high, low, negatives, positives = strand.cells
    kind = np.where(positives == 0, 0, np.where(negatives == 0, 1, 2))
    same = (kind[1:] == kind[:-1]) & (kind[1:] < 2)
    first = np.flatnonzero(np.concatenate(([True], ~same)))
    last = np.append(first[1:], high.size) - 1
    counts = (np.add.reduceat(column, first) for column in (negatives, positives))
    return Strand(Cells(high[first], low[last], *counts), np.add.reduceat(strand.rows, first))
