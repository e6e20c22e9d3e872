"""An exact hull of scores on a GPU: kernels of Triton for tensors of PyTorch.

Labels are counted in cells of scores. A *chain* is a hull of some points that are known so far, up
to rounding. A cell whose north-west corner is not above it holds no vertex. The rows of the others
are copied, counted again in pieces of these cells if they are many, and sorted in the end. The host
waits three or four times only: for a sample, for numbers of rows, and for the few points left.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import torch
import triton
import triton.language as tl

from rocch.arrays import FloatArray, IntArray
from rocch.kernels.hull import safe_products

# PyTorch need not be installed where types are checked.
Tensor: TypeAlias = Any

# Rows of a program that reads all of them, and the warps that share them.
BLOCK, WARPS = 1024, 4
# Programs that share cells or sorted rows, and how many each takes at a time.
PARTS, CHUNK = 2048, 512
# Points that each point of a chain is compared with at a time.
CORNERS = 256
# Cells of the first cut, which fit the cache; rows in each that are worth one; rows for a cut.
MOST_CELLS, ROWS_PER_CELL, FEWEST_ROWS = 2**22, 8, 2**18
# Pieces of live cells in all, and the share of live rows above which they are cut.
MOST_PIECES, CUT_SHARE = 2**22, 1 / 16
# Scores that guide the first cut, and how far it reaches beyond them: many rows in an outer cell
# would wait for each other.
SAMPLE, MARGIN = 1024, 0.1
# The share of different finite scores in the sample below which all rows are sorted.
DISTINCT = 0.5
# The bits of infinity as a 32-bit float, and how many of the last ones are 0 in all 16-bit floats.
INFINITY, ZEROS = 0x7F800000, {torch.float16: 13, torch.bfloat16: 16}
# Cells that share a bit in the table to look up first, which fits the smallest cache.
COARSE = 64
# Points that join a chain in each round, times the cube root of the rows.
JOINING = 1.2
# Rounds after live rows are sorted, and where all rows are.
ROUNDS_OF_ROWS, ROUNDS_OF_ALL = 2, 5
# From this many rows on, the first cells take two rounds instead of one.
MANY = 3 * 10**7
# Room for points that come to the host, times those that join a chain; more take another copy.
ROOM = 8


class CellGrid(NamedTuple):
    """Equal cells of scores, or of their ordered bits; cell 0 holds the highest scores."""

    by_key: bool
    top: float
    factor: float
    cells: int
    single: bool = False  # whether each cell is one score

    def scores(self, cells: FloatArray) -> FloatArray:
        """Return the scores of single cells, and minus infinity for minus infinity."""
        known = np.where(np.isneginf(cells), 0, cells)
        bits = np.abs(self.top - known / self.factor).astype(np.int32)
        found = np.copysign(bits.view(np.float32), self.top - known / self.factor)
        return np.where(np.isneginf(cells), cells, found.astype(np.float64))


class Rows(NamedTuple):
    """Scores, which are positive, and the pieces of cells that they are in."""

    scores: Tensor
    positive: Tensor
    pieces: Tensor | None = None


class Chosen(NamedTuple):
    """Cells whose rows are read again, from the highest one."""

    slots: Tensor  # by cell: its number among the chosen ones, or -1
    runs: Tensor  # a bit for each run of cells that holds some
    ends: Tensor  # 0, and the chosen rows up to the end of each
    shifts: Tensor  # what their cumulative counts lack of all rows
    cells: int
    rows: int


# Kernels. Constants are in capitals, as Triton's users write them. What is not specialized would be
# compiled again for numbers that are, or are not, multiples of 16.


@triton.jit
def _load(values, rows, BLOCK: tl.constexpr):
    """Load a program's rows, zero beyond the last; without a mask several are read at once."""
    start = tl.program_id(0).to(tl.int64) * BLOCK
    row = start + tl.arange(0, BLOCK)
    if start + BLOCK <= rows:
        value = tl.load(values + row)
    else:
        value = tl.load(values + row, mask=row < rows, other=0)
    return value


@triton.jit
def _count_rows(values, rows, found, BLOCK: tl.constexpr, MISSING: tl.constexpr):
    """Count the values that are true, or those that are missing."""
    value = _load(values, rows, BLOCK)
    if MISSING:
        score = value.to(tl.float32)
        number = tl.sum((score != score).to(tl.int32))
    else:
        number = tl.sum((value != 0).to(tl.int32))
    if number > 0:
        tl.atomic_add(found + tl.program_id(0) % 64, number.to(tl.int64), sem="relaxed")


@triton.jit
def _position(score, BY_KEY: tl.constexpr, WIDE: tl.constexpr):
    """Return scores, or their bits as integers in the same order."""
    if BY_KEY and WIDE:
        bits = tl.where(score == 0, 0.0, score).to(tl.int64, bitcast=True)
        position = tl.where(bits < 0, bits ^ 0x7FFFFFFFFFFFFFFF, bits).to(tl.float64)
    elif BY_KEY:
        bits = tl.where(score == 0, 0.0, score.to(tl.float32)).to(tl.int32, bitcast=True)
        position = tl.where(bits < 0, bits ^ 0x7FFFFFFF, bits).to(tl.float64)
    elif WIDE:
        position = score
    else:
        position = score.to(tl.float32)
    return position


@triton.jit
def _find_cell(position, numbers):
    """Return the cells of positions; the outer ones take all that lies beyond."""
    kind = position.dtype
    top, factor = tl.load(numbers).to(kind), tl.load(numbers + 1).to(kind)
    last = tl.load(numbers + 2).to(kind)
    return tl.minimum(tl.maximum((top - position) * factor, 0.0), last).to(tl.int32)


@triton.jit
def _count_cells(
    scores,
    positive,
    rows,
    numbers,
    counts,
    cells,
    BLOCK: tl.constexpr,
    BY_KEY: tl.constexpr,
    WIDE: tl.constexpr,
    COPIES: tl.constexpr,
):
    """Count both classes in cells, perhaps in several copies, so that fewer programs wait."""
    row = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    here = row < rows
    score, label = _load(scores, rows, BLOCK), _load(positive, rows, BLOCK).to(tl.int32)
    cell = _find_cell(_position(score, BY_KEY, WIDE), numbers)
    if COPIES > 1:
        cell += tl.program_id(0) % COPIES * cells
    tl.atomic_add(counts + 2 * cell + label, 1, mask=here, sem="relaxed")


@triton.jit
def _collect_rows(
    scores,
    positive,
    pieces,
    rows,
    numbers,
    slots,
    runs,
    cursor,
    found_scores,
    found_positive,
    found_pieces,
    counts,
    BLOCK: tl.constexpr,
    BY_KEY: tl.constexpr,
    WIDE: tl.constexpr,
    COARSE: tl.constexpr,
    PIECES: tl.constexpr,
    CUT: tl.constexpr,
):
    """Copy the rows of chosen cells, or of chosen pieces of them, in any order.

    Perhaps count both classes in pieces of each cell, too: more digits tell these apart.
    """
    row = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    here = row < rows
    score = _load(scores, rows, BLOCK)
    if CUT:
        cell = _load(pieces, rows, BLOCK)
    else:
        position = _position(score, BY_KEY, WIDE)
        cell = _find_cell(position, numbers)
        run = cell // COARSE
        here &= ((tl.load(runs + run // 32, mask=here, other=0) >> (run % 32)) & 1) > 0
    slot = tl.load(slots + cell, mask=here, other=-1)
    here &= slot >= 0
    number = tl.cumsum(here.to(tl.int32), 0)
    total = tl.sum(here.to(tl.int32))
    if total > 0:
        place = tl.atomic_add(cursor, total.to(tl.int64), sem="relaxed") + number - 1
        label = tl.load(positive + row, mask=here, other=0)
        tl.store(found_scores + place, score, mask=here)
        tl.store(found_positive + place, label, mask=here)
        if PIECES > 1:
            within = (tl.load(numbers) - position.to(tl.float64)) * tl.load(numbers + 1)
            within = (within - cell.to(tl.float64)) * PIECES
            piece = tl.minimum(tl.maximum(within, 0.0), PIECES - 1.0).to(tl.int32)
            piece += slot * PIECES
            tl.store(found_pieces + place, piece, mask=here)
            tl.atomic_add(counts + 2 * piece + label, 1, mask=here, sem="relaxed")


# Programs share the items of a list in order. Sums of the parts tell where each begins.


@triton.jit
def _part(number, PARTS: tl.constexpr, CHUNK: tl.constexpr):
    """Return the first item of a program's part, and the end of it."""
    each = tl.cdiv(tl.cdiv(number.to(tl.int64), PARTS), CHUNK) * CHUNK
    start = tl.minimum(tl.program_id(0) * each, number)
    return start, tl.minimum(start + each, number)


@triton.jit
def _sum_before(sums, PARTS: tl.constexpr):
    part = tl.arange(0, PARTS)
    return tl.sum(tl.load(sums + part, mask=part < tl.program_id(0), other=0))


@triton.jit(do_not_specialize=["cells"])
def _sum_cells(counts, cells, sums, PARTS: tl.constexpr, CHUNK: tl.constexpr):
    """Sum up negatives, positives and filled cells."""
    start, end = _part(cells, PARTS, CHUNK)
    negatives = tl.full((), 0, tl.int64)
    positives = tl.full((), 0, tl.int64)
    filled = tl.full((), 0, tl.int64)
    while start < end:
        cell = start + tl.arange(0, CHUNK)
        one = tl.load(counts + 2 * cell, mask=cell < end, other=0).to(tl.int64)
        other = tl.load(counts + 2 * cell + 1, mask=cell < end, other=0).to(tl.int64)
        negatives += tl.sum(one)
        positives += tl.sum(other)
        filled += tl.sum((one + other > 0).to(tl.int64))
        start += CHUNK
    tl.store(sums + tl.program_id(0), negatives)
    tl.store(sums + PARTS + tl.program_id(0), positives)
    tl.store(sums + 2 * PARTS + tl.program_id(0), filled)


@triton.jit(do_not_specialize=["cells"])
def _list_cells(
    counts,
    cells,
    sums,
    shifts,
    end_x,
    end_y,
    which,
    size,
    PARTS: tl.constexpr,
    CHUNK: tl.constexpr,
    PIECES: tl.constexpr,
):
    """List the filled cells with the counts of all rows up to the end of each."""
    start, end = _part(cells, PARTS, CHUNK)
    x, y = _sum_before(sums, PARTS), _sum_before(sums + PARTS, PARTS)
    place = _sum_before(sums + 2 * PARTS, PARTS)
    while start < end:
        cell = start + tl.arange(0, CHUNK)
        one = tl.load(counts + 2 * cell, mask=cell < end, other=0).to(tl.int64)
        other = tl.load(counts + 2 * cell + 1, mask=cell < end, other=0).to(tl.int64)
        filled = one + other > 0
        item = place + tl.cumsum(filled.to(tl.int32), 0) - 1
        found_x, found_y = x + tl.cumsum(one, 0), y + tl.cumsum(other, 0)
        if PIECES > 1:
            found_x += tl.load(shifts + 2 * (cell // PIECES), mask=filled, other=0)
            found_y += tl.load(shifts + 2 * (cell // PIECES) + 1, mask=filled, other=0)
        tl.store(end_x + item, found_x, mask=filled)
        tl.store(end_y + item, found_y, mask=filled)
        tl.store(which + item, cell.to(tl.int32), mask=filled)
        x += tl.sum(one)
        y += tl.sum(other)
        place += tl.sum(filled.to(tl.int64))
        start += CHUNK
    if tl.program_id(0) == PARTS - 1:
        tl.store(size, place)


@triton.jit
def _search(chain_x, low, high, x):
    """Return the last of some points of a chain that is not to the right of x, or the first."""
    span = high - low
    left = tl.zeros_like(x).to(tl.int32) + low
    right = left + span
    while span > 1:
        middle = (left + right) // 2
        beyond = tl.load(chain_x + middle) > x
        move = right - left > 1
        right = tl.where(move & beyond, middle, right)
        left = tl.where(move & ~beyond, middle, left)
        span = (span + 1) // 2
    return left


@triton.jit(do_not_specialize=["negatives", "positives"])
def _find_farthest(
    x_of,
    y_of,
    valid,
    size,
    negatives,
    positives,
    chain_x,
    chain_y,
    chain_size,
    x_out,
    y_out,
    BLOCKS: tl.constexpr,
    CHUNK: tl.constexpr,
    CHECK: tl.constexpr,
    LINKED: tl.constexpr,
):
    """Find the point of each block that lies farthest towards the north-west.

    That is seen from the chain or, before there is one, from the neighboring blocks. A chain begins
    with the ends of all curves.
    """
    points = tl.load(size)
    each = tl.maximum(points // BLOCKS, 1)
    start = tl.minimum(tl.program_id(0) * each, points - 1)
    end = tl.minimum(start + each, points)
    if LINKED:
        number = tl.load(chain_size)
        middle = tl.load(x_of + (start + end) // 2 + tl.arange(0, 1))
        left = tl.minimum(_search(chain_x, 0, number, middle), number - 2)
        run = tl.sum((tl.load(chain_x + left + 1) - tl.load(chain_x + left)).to(tl.float64))
        rise = tl.sum((tl.load(chain_y + left + 1) - tl.load(chain_y + left)).to(tl.float64))
    else:
        if tl.program_id(0) == 0:
            ends = tl.arange(0, 2)
            tl.store(chain_x + ends, ends.to(tl.int64) * negatives)
            tl.store(chain_y + ends, ends.to(tl.int64) * positives)
            tl.store(chain_size, 2)
        before = tl.maximum(start - each, 0)
        after = tl.minimum(end + each, points) - 1
        run = (tl.load(x_of + after) - tl.load(x_of + before)).to(tl.float64)
        rise = (tl.load(y_of + after) - tl.load(y_of + before)).to(tl.float64)
    best = tl.full((), -float("inf"), tl.float64)
    best_x = tl.full((), 0, tl.int64)
    best_y = tl.full((), 0, tl.int64)
    while start < end:
        point = start + tl.arange(0, CHUNK)
        here = point < end
        if CHECK:
            here &= tl.load(valid + point, mask=here, other=0) > 0
        x = tl.load(x_of + point, mask=here, other=0)
        y = tl.load(y_of + point, mask=here, other=0)
        height = tl.where(here, y.to(tl.float64) * run - x.to(tl.float64) * rise, -float("inf"))
        most, which = tl.max(height, 0, return_indices=True)
        if most > best:
            chosen = tl.arange(0, CHUNK) == which
            best = most
            best_x = tl.sum(tl.where(chosen, x, 0))
            best_y = tl.sum(tl.where(chosen, y, 0))
        start += CHUNK
    tl.store(x_out + tl.program_id(0), best_x)
    tl.store(y_out + tl.program_id(0), best_y)


# Points are those of a chain, with room for more, and the ones that join it.


@triton.jit
def _find_corners(x, y, size, room, points, corner, CHUNK: tl.constexpr):
    """Mark the points that are above all chords of the others, up to rounding."""
    one = tl.program_id(0)
    chain = tl.load(size)
    found = (one < chain) | (one >= room)
    if found:
        own_x, own_y = tl.load(x + one), tl.load(y + one)
        behind = tl.full((CHUNK,), float("inf"), tl.float32)
        ahead = tl.full((CHUNK,), -float("inf"), tl.float32)
        first = one
        offset = tl.full((), 0, tl.int32)
        while offset < points:
            other = offset + tl.arange(0, CHUNK)
            here = (other < chain) | ((other >= room) & (other < points))
            other_x = tl.load(x + other, mask=here, other=0)
            other_y = tl.load(y + other, mask=here, other=0)
            run, rise = (other_x - own_x).to(tl.float32), (other_y - own_y).to(tl.float32)
            slope = tl.abs(rise) / tl.abs(run)
            same = here & (run == 0) & (rise == 0)
            after = here & ((run > 0) | ((run == 0) & (rise > 0)))
            behind = tl.where(here & ~after & ~same, tl.minimum(behind, slope), behind)
            ahead = tl.where(after, tl.maximum(ahead, slope), ahead)
            first = tl.minimum(first, tl.min(tl.where(same, other, one)))
            offset += CHUNK
            if (offset >= chain) & (offset < room):
                offset = room // CHUNK * CHUNK
        found = (tl.min(behind) > tl.max(ahead)) & (first == one)
    tl.store(corner + one, found.to(tl.int32))


@triton.jit
def _link_corners(x, y, corner, room, points, chain_x, chain_y, size, CHUNK: tl.constexpr):
    """Write the marked points in order, or as many of them as there is room for."""
    one = tl.program_id(0)
    mine = tl.load(corner + one) > 0
    if mine:
        own_x, own_y = tl.load(x + one), tl.load(y + one)
        number = tl.zeros((CHUNK,), tl.int32)
        place = tl.zeros((CHUNK,), tl.int32)
        offset = tl.full((), 0, tl.int32)
        while offset < points:
            other = offset + tl.arange(0, CHUNK)
            here = tl.load(corner + other, mask=other < points, other=0) > 0
            other_x = tl.load(x + other, mask=here, other=0)
            other_y = tl.load(y + other, mask=here, other=0)
            before = here & ((other_x < own_x) | ((other_x == own_x) & (other_y < own_y)))
            number += here.to(tl.int32)
            place += before.to(tl.int32)
            offset += CHUNK
        known, at = tl.sum(number), tl.sum(place)
        step = (known - 1) // (room - 1) + 1
        if (at % step == 0) | (at == known - 1):
            tl.store(chain_x + (at + step - 1) // step, own_x)
            tl.store(chain_y + (at + step - 1) // step, own_y)
        if at == 0:
            tl.store(size, (known + step - 2) // step + 1)


@triton.jit
def _is_live(x, end_x, y, low, high, chain_x, chain_y, chain_size, SAFE: tl.constexpr):
    """Return where a north-west corner is above a chain, or an end is one of its points."""
    left = tl.minimum(_search(chain_x, low, high, x), chain_size - 2)
    from_x, from_y = tl.load(chain_x + left), tl.load(chain_y + left)
    run, rise = tl.load(chain_x + left + 1) - from_x, tl.load(chain_y + left + 1) - from_y
    if SAFE:
        above = run * (y - from_y) > rise * (x - from_x)
    else:
        up = run.to(tl.float64) * (y - from_y).to(tl.float64)
        right = rise.to(tl.float64) * (x - from_x).to(tl.float64)
        above = up - right > -1e-12 * (tl.abs(up) + tl.abs(right))
    at = _search(chain_x, low, high, end_x)
    return above | ((tl.load(chain_x + at) == end_x) & (tl.load(chain_y + at) == y))


@triton.jit
def _mark_live(
    x_of,
    y_of,
    size,
    counts,
    which,
    chain_x,
    chain_y,
    chain_size,
    marks,
    sums,
    totals,
    PARTS: tl.constexpr,
    CHUNK: tl.constexpr,
    SAFE: tl.constexpr,
    CELLS: tl.constexpr,
):
    """Mark live points, which come with marks of the valid ones, or cells.

    The cell after a live one is marked, too: it has the next lower score.
    """
    number, points = tl.load(size), tl.load(chain_size)
    start, end = _part(number, PARTS, CHUNK)
    first_x = tl.load(x_of + tl.maximum(start - 2, 0) + tl.arange(0, 1))
    last_x = tl.load(x_of + tl.maximum(end - 1, 0) + tl.arange(0, 1))
    low, high = 0, tl.sum(_search(chain_x, 0, points, last_x)) + 1
    if start > 1:
        low = tl.sum(_search(chain_x, 0, points, first_x))
    items = tl.full((), 0, tl.int64)
    rows = tl.full((), 0, tl.int64)
    positives = tl.full((), 0, tl.int64)
    while start < end:
        item = start + tl.arange(0, CHUNK)
        here = item < end
        x = tl.load(x_of + item, mask=here, other=0)
        y = tl.load(y_of + item, mask=here, other=0)
        if CELLS:
            cell = tl.load(which + item, mask=here, other=0).to(tl.int64)
            inside_x = tl.load(counts + 2 * cell, mask=here, other=0).to(tl.int64)
            inside_y = tl.load(counts + 2 * cell + 1, mask=here, other=0).to(tl.int64)
            live = _is_live(x - inside_x, x, y, low, high, chain_x, chain_y, points, SAFE)
            known = here & (item > 0)
            x = tl.load(x_of + item - 1, mask=known, other=0)
            y = tl.load(y_of + item - 1, mask=known, other=0)
            cell = tl.load(which + item - 1, mask=known, other=0).to(tl.int64)
            before_x = x - tl.load(counts + 2 * cell, mask=known, other=0).to(tl.int64)
            live |= known & _is_live(before_x, x, y, low, high, chain_x, chain_y, points, SAFE)
            live &= here
            rows += tl.sum(tl.where(live, inside_x + inside_y, 0))
            positives += tl.sum(tl.where(live, inside_y, 0))
        else:
            here &= tl.load(marks + item, mask=here, other=0) > 0
            live = here & _is_live(x, x, y, low, high, chain_x, chain_y, points, SAFE)
        tl.store(marks + item, live.to(tl.int8), mask=item < end)
        items += tl.sum(live.to(tl.int64))
        start += CHUNK
    tl.store(sums + tl.program_id(0), items)
    if CELLS:
        tl.store(sums + PARTS + tl.program_id(0), rows)
        tl.store(sums + 2 * PARTS + tl.program_id(0), positives)
        tl.atomic_add(totals, items, sem="relaxed")
        tl.atomic_add(totals + 1, rows, sem="relaxed")


@triton.jit
def _choose_cells(
    x_of,
    y_of,
    size,
    counts,
    which,
    marks,
    sums,
    slots,
    runs,
    ends,
    shifts,
    PARTS: tl.constexpr,
    CHUNK: tl.constexpr,
    COARSE: tl.constexpr,
):
    """Make tables of the marked cells, which are numbered."""
    start, end = _part(tl.load(size), PARTS, CHUNK)
    slot = _sum_before(sums, PARTS)
    row, hit = _sum_before(sums + PARTS, PARTS), _sum_before(sums + 2 * PARTS, PARTS)
    if tl.program_id(0) == 0:
        tl.store(ends, slot)  # no rows are before the first one
    while start < end:
        item = start + tl.arange(0, CHUNK)
        live = tl.load(marks + item, mask=item < end, other=0) > 0
        if tl.max(live.to(tl.int32)) > 0:
            cell = tl.load(which + item, mask=live, other=0)
            place = 2 * cell.to(tl.int64)
            hits = tl.load(counts + place + 1, mask=live, other=0).to(tl.int64)
            rows = tl.load(counts + place, mask=live, other=0).to(tl.int64) + hits
            mine = slot + tl.cumsum(live.to(tl.int64), 0) - 1
            up_to, hits_up_to = row + tl.cumsum(rows, 0), hit + tl.cumsum(hits, 0)
            x = tl.load(x_of + item, mask=live, other=0)
            y = tl.load(y_of + item, mask=live, other=0)
            tl.store(slots + cell, mine.to(tl.int32), mask=live)
            tl.store(ends + mine + 1, up_to, mask=live)
            tl.store(shifts + 2 * mine, x - (up_to - hits_up_to), mask=live)
            tl.store(shifts + 2 * mine + 1, y - hits_up_to, mask=live)
            bit = tl.full((CHUNK,), 1, tl.int32)
            run = cell // COARSE
            tl.atomic_or(runs + run // 32, bit << (run % 32), mask=live, sem="relaxed")
            slot += tl.sum(live.to(tl.int64))
            row += tl.sum(rows)
            hit += tl.sum(hits)
        start += CHUNK


@triton.jit(do_not_specialize=["rows", "cells"])
def _place_points(
    ranked,
    hits,
    rows,
    ends,
    shifts,
    cells,
    x_out,
    y_out,
    last,
    size,
    PARTS: tl.constexpr,
    CHUNK: tl.constexpr,
    CHOSEN: tl.constexpr,
):
    """Count all rows down to each sorted one, and mark those before a lower score."""
    start, end = _part(rows, PARTS, CHUNK)
    if tl.program_id(0) == 0:
        tl.store(size, rows)
    low, high = 0, 0
    if CHOSEN:
        final = tl.maximum(end - 1, 0) + tl.zeros((1,), tl.int64)
        low = tl.sum(_search(ends, 0, cells, start + tl.zeros((1,), tl.int64)))
        high = tl.sum(_search(ends, 0, cells, final)) + 1
    while start < end:
        row = start + tl.arange(0, CHUNK)
        here = row < end
        y = tl.load(hits + row, mask=here, other=0)
        x = row + 1 - y
        if CHOSEN:
            cell = _search(ends, low, high, row)
            x += tl.load(shifts + 2 * cell, mask=here, other=0)
            y += tl.load(shifts + 2 * cell + 1, mask=here, other=0)
        score = tl.load(ranked + row, mask=here, other=0)
        lower = tl.load(ranked + row + 1, mask=row + 1 < rows, other=0)
        tl.store(x_out + row, x, mask=here)
        tl.store(y_out + row, y, mask=here)
        tl.store(last + row, ((score != lower) | (row + 1 == rows)).to(tl.int8), mask=here)
        start += CHUNK


@triton.jit(do_not_specialize=["rows", "room"])
def _copy_points(
    ranked,
    x_of,
    y_of,
    rows,
    marks,
    sums,
    room,
    found,
    PARTS: tl.constexpr,
    CHUNK: tl.constexpr,
    WIDE: tl.constexpr,
):
    """Copy the number of marked rows, their scores, the next lower ones and their counts."""
    start, end = _part(rows, PARTS, CHUNK)
    place = _sum_before(sums, PARTS)
    while start < end:
        row = start + tl.arange(0, CHUNK)
        live = tl.load(marks + row, mask=row < end, other=0) > 0
        item = place + tl.cumsum(live.to(tl.int64), 0)
        place += tl.sum(live.to(tl.int64))
        live &= item <= room
        score = tl.load(ranked + row, mask=live, other=0)
        lower = tl.load(ranked + row + 1, mask=live & (row + 1 < rows), other=0)
        if not WIDE:
            score, lower = score.to(tl.float32), lower.to(tl.float32)
        score = score.to(tl.float64)
        lower = tl.where(row + 1 < rows, lower.to(tl.float64), -float("inf"))
        x = tl.load(x_of + row, mask=live, other=0)
        y = tl.load(y_of + row, mask=live, other=0)
        tl.store(found + item, score.to(tl.int64, bitcast=True), mask=live)
        tl.store(found + room + item, lower.to(tl.int64, bitcast=True), mask=live)
        tl.store(found + 2 * room + item, x, mask=live)
        tl.store(found + 3 * room + item, y, mask=live)
        start += CHUNK
    if tl.program_id(0) == PARTS - 1:
        tl.store(found, place)


def count_rows(positive: Tensor, columns: list[Tensor]) -> list[int]:
    """Count the positive rows, and the missing scores of each column."""
    with _on(positive.device):
        found = torch.zeros((1 + len(columns), 64), dtype=torch.int64, device=positive.device)
        block = 16 * BLOCK
        for place, values in enumerate((positive.view(torch.uint8), *columns)):
            launch = triton.cdiv(values.shape[0], block)
            _count_rows[(launch,)](
                values, values.shape[0], found[place], BLOCK=block, MISSING=place > 0, num_warps=8
            )
        counts: list[int] = found.sum(1).tolist()
    return counts


def find_candidates(
    scores: Tensor, positive: Tensor, totals: tuple[int, int]
) -> tuple[FloatArray, FloatArray, IntArray, IntArray]:
    """Return few points of the curve on the host, all vertices of its hull among them.

    They come from high to low scores, with thresholds, the next lower scores, false positives and
    true positives.
    """
    with _on(scores.device):
        rows = Rows(scores, positive.view(torch.uint8))
        thresholds, next_lower, *counts = _Refiner(rows, totals).find_candidates()
    return thresholds.view(np.float64) + 0.0, next_lower.view(np.float64) + 0.0, *counts


class _Refiner:
    """Rows on a device whose cells are refined; columns come in pairs, of negatives first."""

    def __init__(self, rows: Rows, totals: tuple[int, int]) -> None:
        self.rows, self.totals = rows, totals
        self.device = rows.scores.device
        self.count = torch.int32 if sum(totals) < 2**31 else torch.int64
        self.safe = safe_products(*totals)
        # a hull has about twice as many vertices as the cube root of the rows
        self.joining = 1 << int(JOINING * sum(totals) ** (1 / 3)).bit_length()
        points = 3 * self.joining
        *counts, self.sums, self.size = self._split(*(points,) * 4, 3 * PARTS, 1)
        *sizes, self.corner = self._split(1, 1, points, kind=torch.int32)
        # the counts of a chain's points, by rising counts, and their number: now, and before
        self.chain, self.old_chain = (*counts[:2], sizes[0]), (*counts[2:], sizes[1])
        self.linked = False

    def _empty(self, size: int, kind: Any = torch.int64) -> Tensor:
        return torch.empty(size, dtype=kind, device=self.device)

    def _split(self, *sizes: int, kind: Any = torch.int64) -> tuple[Tensor, ...]:
        """Return empty arrays of at least these sizes; to ask for each alone is slow.

        All are aligned: kernels are compiled again for others.
        """
        rooms = [-(-size // 16) * 16 for size in sizes]
        parts: tuple[Tensor, ...] = self._empty(sum(rooms), kind).split(rooms)
        return parts

    def _zeros(self, size: int, kind: Any = torch.int64) -> Tensor:
        return torch.zeros(size, dtype=kind, device=self.device)

    def find_candidates(self) -> Any:
        """Count rows in cells, those of live ones again if they are many, and sort the rest."""
        rows, size = self.rows, self.rows.scores.shape[0]
        grid = choose_grid(rows.scores) if size > FEWEST_ROWS else None
        if grid is None:
            return self._sort(rows, None)
        numbers = [grid.top, grid.factor, float(grid.cells - 1)]
        place: dict[str, Any] = {
            "numbers": torch.tensor(numbers, dtype=torch.float64, device=self.device),
            "BLOCK": BLOCK,
            "BY_KEY": grid.by_key,
            "WIDE": rows.scores.dtype == torch.float64,
            "num_warps": WARPS,
        }
        copies = 1 << (MOST_CELLS // grid.cells).bit_length() - 1 if grid.single else 1
        counts = self._zeros(2 * grid.cells * copies, self.count)
        _count_cells[(triton.cdiv(size, BLOCK),)](
            *rows[:2], size, counts=counts, cells=grid.cells, COPIES=copies, **place
        )
        if grid.single:
            return self._keep(counts.view(copies, -1).sum(0, dtype=self.count), grid)
        chosen = self._choose(counts, None, 1)
        pieces = 1
        if chosen.rows > CUT_SHARE * size:
            pieces = max(2, 1 << (MOST_PIECES // chosen.cells).bit_length() - 1)
            counts = self._zeros(2 * chosen.cells * pieces, self.count)
        rows = self._collect(rows, chosen, counts, PIECES=pieces, **place)
        if pieces > 1:
            chosen = self._choose(counts, chosen.shifts, pieces)
            rows = self._collect(rows, chosen, None, PIECES=1, **place)
        return self._sort(rows, chosen)

    def _list(
        self, counts: Tensor, shifts: Tensor | None, pieces: int
    ) -> tuple[tuple[Tensor, ...], Tensor]:
        """Return the counts of all rows up to the end of each filled cell, and which these are."""
        cells = counts.shape[0] // 2
        ends, which = self._split(cells, cells), self._empty(cells, torch.int32)
        _sum_cells[(PARTS,)](counts, cells, self.sums, PARTS=PARTS, CHUNK=CHUNK)
        _list_cells[(PARTS,)](
            counts, cells, self.sums, shifts, *ends, which, self.size,
            PIECES=pieces, PARTS=PARTS, CHUNK=CHUNK,
        )  # fmt: skip
        return ends, which

    def _keep(self, counts: Tensor, grid: CellGrid) -> Any:
        """Return the points among single cells that may be vertices."""
        ends, which = self._list(counts, None, 1)
        number = int(self.size[0])
        marks = torch.ones(number, dtype=torch.int8, device=self.device)
        points = self._copy(which, ends, marks, number, ROUNDS_OF_ALL)
        points[:2] = grid.scores(points[:2].view(np.float64)).view(np.int64)
        return points

    def _choose(self, counts: Tensor, shifts: Tensor | None, pieces: int) -> Chosen:
        """Find the cells that may hold a vertex or the score that follows one."""
        cells = counts.shape[0] // 2
        ends, which = self._list(counts, shifts, pieces)
        for _ in range(2 if shifts is None and sum(self.totals) >= MANY else 1):
            self._extend(ends, None)
        marks, totals = self._empty(cells, torch.int8), self._zeros(2)
        self._mark(ends, marks, counts, which, totals)
        chosen, live = totals.tolist()
        slots = torch.full((cells,), -1, dtype=torch.int32, device=self.device)
        runs = self._zeros(cells // (32 * COARSE) + 1, torch.int32)
        known, shifts = self._split(chosen + 1, 2 * chosen)
        _choose_cells[(PARTS,)](
            *ends, self.size, counts, which, marks, self.sums, slots, runs, known, shifts,
            COARSE=COARSE, PARTS=PARTS, CHUNK=CHUNK,
        )  # fmt: skip
        return Chosen(slots, runs, known, shifts, chosen, live)

    def _collect(
        self, rows: Rows, chosen: Chosen, counts: Tensor | None, *, PIECES: int, **place: Any
    ) -> Rows:
        """Copy the rows of chosen cells, or of pieces of them."""
        size, live = rows.scores.shape[0], chosen.rows
        pieces = self._empty(live, torch.int32) if PIECES > 1 else None
        found = Rows(self._empty(live, rows.scores.dtype), self._empty(live, torch.uint8), pieces)
        _collect_rows[(triton.cdiv(size, BLOCK),)](
            *rows, size, slots=chosen.slots, runs=chosen.runs, cursor=self._zeros(1),
            found_scores=found.scores, found_positive=found.positive, found_pieces=pieces,
            counts=counts, PIECES=PIECES, COARSE=COARSE, CUT=rows.pieces is not None, **place,
        )  # fmt: skip
        return found

    def _sort(self, rows: Rows, chosen: Chosen | None) -> Any:
        """Sort rows, and return the points among them that may be vertices."""
        number = rows.scores.shape[0]
        ranked, order = torch.sort(rows.scores, descending=True)
        hits = torch.cumsum(rows.positive[order], 0)
        ends, marks = self._split(number, number), self._empty(number, torch.int8)
        known = (None, None, 0) if chosen is None else (chosen.ends, chosen.shifts, chosen.cells)
        _place_points[(PARTS,)](
            ranked, hits, number, *known, *ends, marks, self.size,
            CHOSEN=chosen is not None, PARTS=PARTS, CHUNK=CHUNK,
        )  # fmt: skip
        rounds = ROUNDS_OF_ALL if chosen is None else ROUNDS_OF_ROWS
        return self._copy(ranked, ends, marks, number, rounds)

    def _copy(
        self, ranked: Tensor, ends: tuple[Tensor, ...], marks: Tensor, number: int, rounds: int
    ) -> Any:
        """Copy the marked points that may be vertices to the host."""
        for _ in range(rounds):
            self._extend(ends, marks)
        self._mark(ends, marks)
        room = ROOM * self.joining
        while True:
            found = self._empty(1 + 4 * room)
            _copy_points[(PARTS,)](
                ranked, *ends, number, marks, self.sums, room, found,
                WIDE=ranked.dtype == torch.float64, PARTS=PARTS, CHUNK=CHUNK,
            )  # fmt: skip
            points = found.cpu().numpy()
            if points[0] <= room:
                return points[1:].reshape(4, room)[:, : points[0]]
            room = int(points[0])

    def _extend(self, ends: tuple[Tensor, ...], valid: Tensor | None) -> None:
        """Let the farthest points of blocks join the chain."""
        number, room = self.joining, 2 * self.joining
        x, y, size = self.chain
        _find_farthest[(number,)](
            *ends, valid, self.size, *self.totals, x, y, size, x[room:], y[room:],
            BLOCKS=number, CHUNK=CHUNK, CHECK=valid is not None, LINKED=self.linked,
        )  # fmt: skip
        points = room + number
        _find_corners[(points,)](x, y, size, room, points, self.corner, CHUNK=CORNERS)
        _link_corners[(points,)](x, y, self.corner, room, points, *self.old_chain, CHUNK=CORNERS)
        self.chain, self.old_chain, self.linked = self.old_chain, self.chain, True

    def _mark(
        self,
        ends: tuple[Tensor, ...],
        marks: Tensor,
        counts: Tensor | None = None,
        which: Tensor | None = None,
        totals: Tensor | None = None,
    ) -> None:
        """Mark the live ones of some cells or, without counts, of the marked points."""
        _mark_live[(PARTS,)](
            *ends, self.size, counts, which, *self.chain, marks, self.sums, totals,
            SAFE=self.safe, CELLS=counts is not None, PARTS=PARTS, CHUNK=CHUNK,
        )  # fmt: skip


def choose_grid(scores: Tensor) -> CellGrid | None:
    """Cut the range by a sample; None if its scores are tied, or all in one place.

    Each 16-bit float gets its own cell.
    """
    zeros = ZEROS.get(scores.dtype)
    if zeros is not None:
        cells = 2 * (INFINITY >> zeros) + 1
        return CellGrid(True, float(INFINITY), 0.5**zeros, cells, single=True)
    rows = scores.shape[0]
    wide = scores.dtype == torch.float64
    sample = scores[:: -(-rows // SAMPLE)].double().cpu().numpy()
    sample = np.sort(sample[np.isfinite(sample)])
    if np.count_nonzero(sample[1:] != sample[:-1]) < DISTINCT * SAMPLE:
        return None
    cells = min(MOST_CELLS, 1 << (rows // ROWS_PER_CELL).bit_length())
    best, grid = np.inf, None
    for by_key in (False, True):
        places = _positions(sample, wide) if by_key else sample
        low, top = places[[0, -1]].tolist()
        width = top - low
        factor = (cells - 2) / ((1 + 2 * MARGIN) * width) if width > 0 else np.inf
        if not 0 < factor < np.inf:
            continue
        crowding = float((1 / (1 + factor * (places[8:] - places[:-8]))).mean())
        if crowding * (2 if by_key else 1) < best:
            best, grid = crowding, CellGrid(by_key, top + MARGIN * width, factor, cells)
    return grid


def _positions(scores: FloatArray, wide: bool) -> FloatArray:
    """Return the bits of scores as integers in the same order."""
    whole, most = (np.int64, 2**63 - 1) if wide else (np.int32, 2**31 - 1)
    bits: IntArray = np.where(scores == 0, 0.0, scores)
    bits = bits.astype(np.float64 if wide else np.float32).view(whole)
    ordered: FloatArray = np.where(bits < 0, bits ^ most, bits).astype(np.float64)
    return ordered


def _on(device: Any) -> AbstractContextManager[object]:
    """Launch kernels on the device of the data; Triton's interpreter runs them on the host."""
    return torch.cuda.device(device) if device.type == "cuda" else nullcontext()
