"""An exact hull of scores on a GPU: kernels of Triton for tensors of PyTorch.

Labels are counted in cells of scores. A *chain* is a hull of some points that are known so far, up
to rounding. A cell whose north-west corner is not above it holds no vertex; the others are cut
again, and in the end their rows are sorted. Nothing waits for the host but the numbers of rows.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import torch
import triton
import triton.language as tl

from rocch.arrays import FloatArray, IntArray

# PyTorch need not be installed where types are checked.
Tensor: TypeAlias = Any

# Rows of a program, and the warps that share them.
BLOCK, WARPS = 2048, 8
# Cells of the first cut, which fit the cache; rows in each that are worth one; rows for a cut.
MOST_CELLS, ROWS_PER_CELL, FEWEST_ROWS = 2**22, 8, 2**18
# Pieces of live cells in all, and the share of live rows above which they are cut.
MOST_PIECES, CUT_SHARE = 2**22, 1 / 16
# Scores that guide the first cut, and how far it reaches beyond them: many rows in an outer cell
# would wait for each other.
SAMPLE, MARGIN = 1024, 0.1
# The share of different finite scores in the sample below which all rows are sorted.
DISTINCT = 0.5
# Cells that share a bit in the table to look up first.
COARSE = 32
# Points that join a chain in each round, times the cube root of the rows.
JOINING = 1.2
# Rounds after live rows are sorted, and where all rows are.
ROUNDS_OF_ROWS, ROUNDS_OF_ALL = 2, 5
# From this many rows on, the first cells take two rounds instead of one.
MANY = 3 * 10**7
# Points of a chain at most, for rows that fit a GPU.
LONGEST = 2**15
# Points of which all go to the host.
FEW = 1024


class CellGrid(NamedTuple):
    """Equal cells of scores, or of their ordered bits; cell 0 holds the highest scores."""

    by_key: bool
    top: float
    factor: float
    cells: int

    def numbers(self, device: Any) -> Tensor:
        """Return its numbers on a device; Triton would pass them as 32-bit floats."""
        numbers = [self.top, self.factor, float(self.cells - 1)]
        return torch.tensor(numbers, dtype=torch.float64, device=device)


# Kernels. Constants are in capitals, as Triton's users write them.


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
def _find_piece(position, cell, numbers, PIECES: tl.constexpr):
    """Return the pieces of positions within their cells; more digits tell them apart."""
    place = (tl.load(numbers) - position.to(tl.float64)) * tl.load(numbers + 1)
    piece = (place - cell.to(tl.float64)) * PIECES
    return tl.minimum(tl.maximum(piece, 0.0), PIECES - 1.0).to(tl.int32)


@triton.jit
def _count_flags(flags, rows, found, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    number = tl.sum(tl.load(flags + row, mask=row < rows, other=0).to(tl.int32))
    tl.atomic_add(found + tl.program_id(0) % 64, number.to(tl.int64))


@triton.jit
def _count_rows(
    scores,
    positive,
    rows,
    numbers,
    counts,
    BLOCK: tl.constexpr,
    BY_KEY: tl.constexpr,
    WIDE: tl.constexpr,
):
    row = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    here = row < rows
    score = tl.load(scores + row, mask=here, other=0.0)
    label = tl.load(positive + row, mask=here, other=0).to(tl.int32)
    cell = _find_cell(_position(score, BY_KEY, WIDE), numbers)
    tl.atomic_add(counts + 2 * cell + label, 1, mask=here, sem="relaxed")


@triton.jit
def _count_pieces(
    scores,
    positive,
    rows,
    numbers,
    coarse,
    slot_of,
    counts,
    BLOCK: tl.constexpr,
    BY_KEY: tl.constexpr,
    WIDE: tl.constexpr,
    COARSE: tl.constexpr,
    PIECES: tl.constexpr,
):
    row = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    here = row < rows
    score = tl.load(scores + row, mask=here, other=0.0)
    position = _position(score, BY_KEY, WIDE)
    cell = _find_cell(position, numbers)
    bits = tl.load(coarse + cell // (8 * COARSE), mask=here, other=0).to(tl.int32)
    here &= ((bits >> (cell // COARSE % 8)) & 1) > 0
    slot = tl.load(slot_of + cell, mask=here, other=-1)
    here &= slot >= 0
    label = tl.load(positive + row, mask=here, other=0).to(tl.int32)
    piece = slot * PIECES + _find_piece(position, cell, numbers, PIECES)
    tl.atomic_add(counts + 2 * piece + label, 1, mask=here, sem="relaxed")


@triton.jit
def _collect_rows(
    scores,
    positive,
    rows,
    numbers,
    coarse,
    slot_of,
    rank_of,
    cursors,
    found_scores,
    found_labels,
    BLOCK: tl.constexpr,
    BY_KEY: tl.constexpr,
    WIDE: tl.constexpr,
    COARSE: tl.constexpr,
    PIECES: tl.constexpr,
):
    """Copy the rows of cells with a slot, or of pieces of these with a rank, to their places."""
    row = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    here = row < rows
    score = tl.load(scores + row, mask=here, other=0.0)
    position = _position(score, BY_KEY, WIDE)
    cell = _find_cell(position, numbers)
    bits = tl.load(coarse + cell // (8 * COARSE), mask=here, other=0).to(tl.int32)
    here &= ((bits >> (cell // COARSE % 8)) & 1) > 0
    rank = tl.load(slot_of + cell, mask=here, other=-1)
    here &= rank >= 0
    if PIECES > 1:
        piece = rank * PIECES + _find_piece(position, cell, numbers, PIECES)
        rank = tl.load(rank_of + piece, mask=here, other=-1)
        here &= rank >= 0
    label = tl.load(positive + row, mask=here, other=0)
    target = tl.atomic_add(cursors + rank, 1, mask=here, sem="relaxed")
    tl.store(found_scores + target, score, mask=here)
    tl.store(found_labels + target, label, mask=here)


@triton.jit
def _segment(chain_x, size, x, STEPS: tl.constexpr):
    """Return the last point of a chain that is not to the right of x."""
    low = tl.zeros_like(x).to(tl.int32)
    high = low + size
    for _ in range(STEPS):
        middle = (low + high) // 2
        right = tl.load(chain_x + middle) > x
        move = high - low > 1
        high = tl.where(move & right, middle, high)
        low = tl.where(move & ~right, middle, low)
    return low


@triton.jit
def _find_farthest(
    x_of,
    y_of,
    valid,
    points,
    each,
    chain_x,
    chain_y,
    size,
    x_out,
    y_out,
    CHUNK: tl.constexpr,
    STEPS: tl.constexpr,
    CHECK: tl.constexpr,
    LINKED: tl.constexpr,
):
    """Find the point of each block that lies farthest towards the north-west.

    That is seen from the chain or, before there is one, from the neighboring blocks.
    """
    start = tl.program_id(0).to(tl.int64) * each
    if LINKED:
        number = tl.load(size)
        middle = tl.load(x_of + start + each // 2 + tl.arange(0, 1))
        left = tl.minimum(_segment(chain_x, number, middle, STEPS), number - 2)
        run = tl.sum((tl.load(chain_x + left + 1) - tl.load(chain_x + left)).to(tl.float64))
        rise = tl.sum((tl.load(chain_y + left + 1) - tl.load(chain_y + left)).to(tl.float64))
    else:
        before = tl.maximum(start - each, 0)
        after = tl.minimum(start + 2 * each, points) - 1
        run = (tl.load(x_of + after) - tl.load(x_of + before)).to(tl.float64)
        rise = (tl.load(y_of + after) - tl.load(y_of + before)).to(tl.float64)
    best = tl.full((), -float("inf"), tl.float64)
    best_x = tl.full((), 0, tl.int64)
    best_y = tl.full((), 0, tl.int64)
    offset = 0
    while offset < each:
        place = offset + tl.arange(0, CHUNK)
        here = place < each
        if CHECK:
            here &= tl.load(valid + start + place, mask=here, other=0) > 0
        x = tl.load(x_of + start + place, mask=here, other=0)
        y = tl.load(y_of + start + place, mask=here, other=0)
        height = tl.where(here, y.to(tl.float64) * run - x.to(tl.float64) * rise, -float("inf"))
        most, which = tl.max(height, 0, return_indices=True)
        if most > best:
            chosen = tl.arange(0, CHUNK) == which
            best = most
            best_x = tl.sum(tl.where(chosen, x, 0))
            best_y = tl.sum(tl.where(chosen, y, 0))
        offset += CHUNK
    tl.store(x_out + tl.program_id(0), best_x)
    tl.store(y_out + tl.program_id(0), best_y)


# Points are those of a chain, with room for more, and the ones that join it.


@triton.jit
def _find_corners(x, y, size, room, points, corner, CHUNK: tl.constexpr):
    """Mark the points that are above all chords of the others, up to rounding."""
    one = tl.program_id(0)
    chain = tl.load(size)
    own_x, own_y = tl.load(x + one), tl.load(y + one)
    behind = tl.full((), float("inf"), tl.float64)
    ahead = tl.full((), -float("inf"), tl.float64)
    first = one
    offset = 0
    while offset < points:
        other = offset + tl.arange(0, CHUNK)
        here = (other < chain) | ((other >= room) & (other < points))
        other_x = tl.load(x + other, mask=here, other=0)
        other_y = tl.load(y + other, mask=here, other=0)
        run, rise = (other_x - own_x).to(tl.float64), (other_y - own_y).to(tl.float64)
        slope = tl.abs(rise) / tl.abs(run)
        after = (run > 0) | ((run == 0) & (rise > 0))
        same = (run == 0) & (rise == 0)
        behind = tl.minimum(behind, tl.min(tl.where(here & ~after & ~same, slope, float("inf"))))
        ahead = tl.maximum(ahead, tl.max(tl.where(here & after, slope, -float("inf"))))
        first = tl.minimum(first, tl.min(tl.where(here & same, other, one)))
        offset += CHUNK
    known = (one < chain) | (one >= room)
    tl.store(corner + one, (known & (behind > ahead) & (first == one)).to(tl.int8))


@triton.jit
def _link_corners(x, y, corner, room, points, chain_x, chain_y, size, CHUNK: tl.constexpr):
    """Write the marked points in order, or as many of them as there is room for."""
    one = tl.program_id(0)
    own_x, own_y = tl.load(x + one), tl.load(y + one)
    number = tl.full((), 0, tl.int32)
    place = tl.full((), 0, tl.int32)
    offset = 0
    while offset < points:
        other = offset + tl.arange(0, CHUNK)
        here = tl.load(corner + other, mask=other < points, other=0) > 0
        other_x = tl.load(x + other, mask=here, other=0)
        other_y = tl.load(y + other, mask=here, other=0)
        before = here & ((other_x < own_x) | ((other_x == own_x) & (other_y < own_y)))
        number += tl.sum(here.to(tl.int32))
        place += tl.sum(before.to(tl.int32))
        offset += CHUNK
    step = (number - 1) // (room - 1) + 1
    kept = (place % step == 0) | (place == number - 1)
    if kept & (tl.load(corner + one) > 0):
        tl.store(chain_x + (place + step - 1) // step, own_x)
        tl.store(chain_y + (place + step - 1) // step, own_y)
    if one == 0:
        tl.store(size, (number + step - 2) // step + 1)


@triton.jit
def _mark_live(
    start_x,
    end_x,
    end_y,
    number,
    chain_x,
    chain_y,
    size,
    live,
    BLOCK: tl.constexpr,
    STEPS: tl.constexpr,
    SAFE: tl.constexpr,
):
    """Mark cells whose north-west corner is above a chain, or that end in one of its points."""
    cell = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    here = cell < number
    points = tl.load(size)
    x = tl.load(start_x + cell, mask=here, other=0)
    end = tl.load(end_x + cell, mask=here, other=0)
    y = tl.load(end_y + cell, mask=here, other=0)
    left = tl.minimum(_segment(chain_x, points, x, STEPS), points - 2)
    from_x, from_y = tl.load(chain_x + left), tl.load(chain_y + left)
    run, rise = tl.load(chain_x + left + 1) - from_x, tl.load(chain_y + left + 1) - from_y
    if SAFE:
        above = run * (y - from_y) > rise * (x - from_x)
    else:
        up = run.to(tl.float64) * (y - from_y).to(tl.float64)
        right = rise.to(tl.float64) * (x - from_x).to(tl.float64)
        above = up - right > -1e-12 * (tl.abs(up) + tl.abs(right))
    at = _segment(chain_x, points, end, STEPS)
    above |= (tl.load(chain_x + at) == end) & (tl.load(chain_y + at) == y)
    tl.store(live + cell, above.to(tl.uint8), mask=here)


def count_flags(flags: Tensor) -> int:
    """Count the rows that are true, faster than PyTorch does."""
    with _on(flags.device):
        found = torch.zeros(64, dtype=torch.int64, device=flags.device)
        size, block = flags.shape[0], 8 * BLOCK
        _count_flags[(triton.cdiv(size, block),)](
            flags.view(torch.uint8), size, found, BLOCK=block, num_warps=WARPS
        )
        return int(found.sum())


def find_candidates(
    scores: Tensor, positive: Tensor, totals: tuple[int, int]
) -> tuple[FloatArray, FloatArray, IntArray, IntArray]:
    """Return few points of the curve on the host, all vertices of its hull among them.

    They come with thresholds, the next lower scores, false positives and true positives.
    """
    with _on(scores.device):
        found = _Refiner(scores, positive.view(torch.uint8), totals).find_candidates().numpy()
    thresholds, next_lower = found[:2].view(np.float64) + 0.0
    return thresholds, next_lower, found[2], found[3]


class _Refiner:
    """Rows on a device whose cells are refined; columns come in pairs, of negatives first."""

    def __init__(self, scores: Tensor, positive: Tensor, totals: tuple[int, int]) -> None:
        self.scores, self.positive, self.totals = scores, positive, totals
        self.device = scores.device
        ends = [[0, totals[0]], [0, totals[1]]]
        self.ends = torch.tensor(ends, dtype=torch.int64, device=self.device)
        self.safe = 2 * totals[0] * totals[1] < 2**61
        # a hull has about twice as many vertices as the cube root of the rows
        self.joining = 1 << int(JOINING * scores.shape[0] ** (1 / 3)).bit_length()
        self.points = torch.empty((4, 3 * self.joining), dtype=torch.int64, device=self.device)
        self.sizes = torch.empty(2, dtype=torch.int32, device=self.device)
        self.corner = torch.empty(3 * self.joining, dtype=torch.int8, device=self.device)
        self.rounds = 0

    @property
    def chain(self) -> tuple[Tensor, Tensor, Tensor]:
        """The counts of its points, by rising counts, and their number."""
        now = self.rounds % 2
        return self.points[2 * now], self.points[2 * now + 1], self.sizes[now:]

    def find_candidates(self) -> Tensor:
        """Cut all rows into cells, live ones into pieces if they are many, and sort the rest."""
        rows = self.scores.shape[0]
        grid = choose_grid(self.scores) if rows > FEWEST_ROWS else None
        if grid is None:
            return self._sort((self.scores, self.positive), None)
        launch = triton.cdiv(rows, BLOCK)
        passes: dict[str, Any] = {"BLOCK": BLOCK, "BY_KEY": grid.by_key, "num_warps": WARPS}
        passes["WIDE"] = self.scores.dtype == torch.float64
        numbers = grid.numbers(self.device)
        counts = self._empty_counts(grid.cells)
        _count_rows[(launch,)](self.scores, self.positive, rows, numbers, counts, **passes)
        cells, starts, inside, live = self._find_live(counts, None, 1)
        slots, coarse = self._make_table(grid.cells, cells), self._make_coarse(grid.cells, cells)
        ranks, pieces = slots, 1
        if live > CUT_SHARE * rows:
            pieces = max(2, 1 << (MOST_PIECES // cells.shape[0]).bit_length() - 1)
            counts = self._empty_counts(cells.shape[0] * pieces)
            _count_pieces[(launch,)](
                self.scores, self.positive, rows, numbers, coarse, slots, counts,
                COARSE=COARSE, PIECES=pieces, **passes,
            )  # fmt: skip
            shift = starts - (_sum_up(inside) - inside)
            chosen, starts, inside, live = self._find_live(counts, shift, pieces)
            ranks = self._make_table(counts.shape[0], chosen)
            coarse = self._make_coarse(grid.cells, cells[chosen // pieces])
        scores = torch.empty(live, dtype=self.scores.dtype, device=self.device)
        positive = torch.empty(live, dtype=torch.uint8, device=self.device)
        both = inside[0] + inside[1]
        cursors = torch.cumsum(both, 0) - both
        _collect_rows[(launch,)](
            self.scores, self.positive, rows, numbers, coarse, slots, ranks, cursors,
            scores, positive, COARSE=COARSE, PIECES=pieces, **passes,
        )  # fmt: skip
        return self._sort((scores, positive), (starts, inside))

    def _empty_counts(self, cells: int) -> Tensor:
        kind = torch.int32 if self.scores.shape[0] < 2**31 else torch.int64
        return torch.zeros((cells, 2), dtype=kind, device=self.device)

    def _make_table(self, size: int, cells: Tensor) -> Tensor:
        """Return the number of each of some cells, and -1 for all others."""
        table = torch.full((size,), -1, dtype=torch.int32, device=self.device)
        table[cells] = torch.arange(cells.shape[0], dtype=torch.int32, device=self.device)
        return table

    def _make_coarse(self, size: int, cells: Tensor) -> Tensor:
        """Return which runs of cells hold some of them: bits that fit the smallest cache."""
        runs = torch.zeros(-(-size // (8 * COARSE)) * 8, dtype=torch.uint8, device=self.device)
        runs[cells // COARSE] = 1
        places = torch.arange(8, dtype=torch.uint8, device=self.device)
        return (runs.view(-1, 8) << places).sum(1, dtype=torch.uint8)

    def _find_live(
        self, counts: Tensor, shift: Tensor | None, pieces: int
    ) -> tuple[Tensor, Tensor, Tensor, int]:
        """Find the cells that may hold a vertex or the score that follows one.

        Returns these cells, the counts where they start and inside, and their rows.
        """
        pairs = counts.view(torch.int64).view(-1) if counts.dtype == torch.int32 else counts.sum(1)
        filled = torch.nonzero(pairs).view(-1)
        inside = counts[filled].T.to(torch.int64, memory_format=torch.contiguous_format)
        ends = _sum_up(inside)
        if shift is not None:
            ends += shift[:, filled // pieces]
        starts = ends - inside
        for _ in range(1 if shift is not None or self.scores.shape[0] < MANY else 2):
            self._extend(ends, None)
        live = self._mark(starts, ends)
        live[1:] |= live[:-1].clone()  # the cell after a live one has the next lower score
        chosen = torch.nonzero(live).view(-1)
        starts, inside = starts[:, chosen], inside[:, chosen]
        return filled[chosen], starts, inside, int(inside.sum())

    def _sort(self, rows: tuple[Tensor, Tensor], cells: tuple[Tensor, Tensor] | None) -> Tensor:
        """Sort rows and return the points among them that may be vertices.

        Rows of some cells come with the counts where these start and inside.
        """
        scores, positive = rows
        ranked, order = torch.sort(scores, descending=True)
        place = torch.arange(1, scores.shape[0] + 1, device=self.device)
        ends = torch.empty((2, scores.shape[0]), dtype=torch.int64, device=self.device)
        torch.cumsum(positive[order], 0, out=ends[1])
        torch.sub(place, ends[1], out=ends[0])
        if cells is not None:
            starts, inside = cells
            up_to = _sum_up(inside)
            shift = starts - (up_to - inside)
            ends += shift[:, torch.searchsorted(up_to.sum(0), place)]
        lowest = torch.full((1,), -torch.inf, dtype=ranked.dtype, device=self.device)
        lower = torch.cat((ranked[1:], lowest))
        last = (ranked != lower).view(torch.uint8)
        last[-1] = 1  # though it may be minus infinity
        if scores.shape[0] > FEW:
            for _ in range(ROUNDS_OF_ALL if cells is None else ROUNDS_OF_ROWS):
                self._extend(ends, last)
            last &= self._mark(ends, ends)
        kept = torch.nonzero(last).view(-1)
        scores = torch.stack((ranked[kept], lower[kept])).double()
        return torch.cat((scores.view(torch.int64), ends[:, kept])).cpu()

    def _extend(self, ends: Tensor, valid: Tensor | None) -> None:
        """Let the farthest points of blocks join the chain."""
        number, room = min(self.joining, ends.shape[1]), 2 * self.joining
        chain, points, linked = self.chain, room + number, self.rounds > 0
        if not linked:  # the ends of all curves
            chain[0][:2], chain[1][:2], chain[2][:1] = self.ends[0], self.ends[1], 2
        _find_farthest[(number,)](
            ends[0], ends[1], ends if valid is None else valid, ends.shape[1],
            ends.shape[1] // number, *chain, chain[0][room:], chain[1][room:],
            CHUNK=1024, STEPS=LONGEST.bit_length(), CHECK=valid is not None, LINKED=linked,
        )  # fmt: skip
        _find_corners[(points,)](*chain, room, points, self.corner, CHUNK=1024)
        self.rounds += 1
        _link_corners[(points,)](
            chain[0], chain[1], self.corner, room, points, *self.chain, CHUNK=1024
        )

    def _mark(self, starts: Tensor, ends: Tensor) -> Tensor:
        number = ends.shape[1]
        live = torch.empty(number, dtype=torch.uint8, device=self.device)
        _mark_live[(triton.cdiv(number, BLOCK),)](
            starts[0], ends[0], ends[1], number, *self.chain, live,
            BLOCK=BLOCK, STEPS=LONGEST.bit_length(), SAFE=self.safe, num_warps=WARPS,
        )  # fmt: skip
        return live


def _sum_up(counts: Tensor) -> Tensor:
    """Return cumulative counts; PyTorch is slow at several rows at once."""
    sums = torch.empty_like(counts)
    for each, target in zip(counts, sums, strict=True):
        torch.cumsum(each, 0, out=target)
    return sums


def choose_grid(scores: Tensor) -> CellGrid | None:
    """Cut the range by a sample; None if its scores are tied, or all in one place."""
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
        with np.errstate(all="ignore"):
            factor = (cells - 2) / np.float64((1 + 2 * MARGIN) * (top - low))
        if not 0 < factor < np.inf:
            continue
        tried = CellGrid(by_key, top + MARGIN * (top - low), float(factor), cells)
        place = np.clip((tried.top - places) * factor, 0, cells - 1)
        crowding = float(np.mean(1 / (1 + np.abs(place[8:] - place[:-8]))))
        if crowding * (2 if by_key else 1) < best:
            best, grid = crowding, tried
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
