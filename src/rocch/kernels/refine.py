"""Scores cut into cells, counted, and cut again where a cell may hide a vertex."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from rocch.arrays import BoolArray, FloatArray, IntArray
from rocch.kernels.counting import distinct_counts
from rocch.kernels.hull import above_hull, distinct_points, upper_hull

# A bucket is floor(score x 2^k): powers of two do not round, so every engine gets the same bucket.
# Buckets are dyadic intervals, of which two are disjoint or nested, so counts of different cuts can
# be added. k differs between regions, by a sample: it affects time, never the result.
#
# Where scores span many magnitudes, a region is cut along the *magnitude* instead: a number that
# grows by one from each power of two to the next, evenly in between, mirrored for negative scores.

# Added to exponents so that all magnitudes are positive; doubles go down to 2^-1074.
SMALLEST_EXPONENT = 1100

# Factors beyond 2^1000 are applied in two steps, because doubles end at 2^1023.
LARGEST_FACTOR = 1000

# Ends of regions as quantiles of a sample: none, in the tails, or everywhere. Fewer regions are
# faster.
KNOTS: tuple[tuple[float, ...], ...] = (
    (),
    (2**-6, 2**-3, 1 - 2**-3, 1 - 2**-6),
    (2**-10, 2**-8, 2**-6, *(i / 16 for i in range(1, 16)), 1 - 2**-6, 1 - 2**-8, 1 - 2**-10),
)

# Regions may waste this much before there are more of them; see `_waste`.
EVEN_ENOUGH = 4.0

# A range that ends at this many times its beginning is cut along the magnitude.
WIDE = 64.0

# Fewer rows of a sample do not show how they are spread.
FEW = 16

# Most pieces of an interval where two are wanted.
LEAST = 4

# The share of cells that is left to tails, where each doubling of the rows gets as many cells.
# Scores may crowd there later.
IN_TAILS = 0.25


class Cut(NamedTuple):
    """How intervals are cut: bucket = floor(position x pre x factor) + shift."""

    by_magnitude: BoolArray
    pre: FloatArray
    factor: FloatArray
    shift: IntArray

    def take(self, which: IntArray | BoolArray) -> Cut:
        """Return the cuts of some intervals."""
        return Cut(self.by_magnitude[which], self.pre[which], self.factor[which], self.shift[which])


class CutGrid(NamedTuple):
    """Regions of scores from low to high, each with its cut; buckets rise with the scores."""

    knots: FloatArray  # scores at which all regions but the first begin
    cut: Cut
    low: float
    high: float  # where the first region begins and the last ends
    buckets: int  # buckets are 1 to buckets - 2; lower scores have bucket 0, higher ones the last


def magnitudes(scores: FloatArray) -> FloatArray:
    """Return positions along the magnitude, for finite scores."""
    size = np.abs(scores)
    fraction, exponent = np.frexp(size)
    place = np.where(size > 0, exponent - 1 + SMALLEST_EXPONENT + (2 * fraction - 1), 0.0)
    return np.copysign(place, scores)


def buckets_of(scores: FloatArray, cut: Cut) -> IntArray:
    """Return the bucket of each finite score by its own cut."""
    position = scores
    if cut.by_magnitude.any():
        position = np.where(cut.by_magnitude, magnitudes(scores), scores)
    return np.floor(position * cut.pre * cut.factor).astype(np.int64) + cut.shift


def grid_buckets(scores: FloatArray, grid: CutGrid) -> IntArray:
    """Return the bucket of each score in a grid."""
    inner = np.clip(scores, grid.low, grid.high)
    cut = grid.cut
    if grid.knots.size:
        cut = cut.take(np.searchsorted(grid.knots, inner, side="right"))
    bucket = buckets_of(inner, cut)
    return np.where(scores < grid.low, 0, np.where(scores > grid.high, grid.buckets - 1, bucket))


def cut_intervals(
    low: FloatArray, high: FloatArray, pieces: FloatArray, *, by_magnitude: BoolArray
) -> tuple[Cut, IntArray]:
    """Cut each interval into about as many pieces as wanted, at least two, and number them.

    Returns the cuts, and where the numbers of each interval begin (and end).
    """
    start = np.where(by_magnitude, magnitudes(low), low)
    end = np.where(by_magnitude, magnitudes(high), high)
    with np.errstate(over="ignore", divide="ignore"):
        width, finest = end - start, 53 - np.log2(np.maximum(np.abs(start), np.abs(end)))
        log_width = np.where(np.isfinite(width), np.log2(width), np.log2(end / 2 - start / 2) + 1)
        exponent = np.rint(np.log2(np.maximum(pieces, 2)) - log_width)
    exponent = np.where(width > 0, np.minimum(exponent, np.floor(finest)), 0).astype(np.int64)
    ahead = np.where(exponent > LARGEST_FACTOR, LARGEST_FACTOR, 0)
    pre = np.ldexp(1.0, ahead)
    factor = np.where(width > 0, np.ldexp(1.0, exponent - ahead), 0.0)
    cut = Cut(by_magnitude, pre, factor, np.zeros(low.size, dtype=np.int64))
    first = buckets_of(low, cut)
    starts = np.concatenate(([0], np.cumsum(buckets_of(high, cut) - first + 1)))
    return cut._replace(shift=starts[:-1] - first), starts


def room_for(buckets: float, intervals: int) -> float:
    """Return how many pieces to request to get at most these buckets."""
    return (buckets - intervals) / math.sqrt(2)


def spans_magnitudes(low: FloatArray, high: FloatArray) -> BoolArray:
    """Return which intervals on one side of zero span many magnitudes."""
    least, most = np.minimum(np.abs(low), np.abs(high)), np.maximum(np.abs(low), np.abs(high))
    same_side = np.signbit(low) == np.signbit(high)
    with np.errstate(over="ignore"):
        wide: BoolArray = same_side & (most > WIDE * least)
    return wide


def advised_grid(
    sample: FloatArray,
    low: float,
    high: float,
    buckets: float,
    most: float = 0.0,
    *,
    even: float = EVEN_ENOUGH,
    sets: int = len(KNOTS),
) -> CutGrid:
    """Cut the scores from low to high (finite) by a sample.

    Regions end at quantiles of the sample, as many as spread it evenly enough, and get buckets by
    their share of it.

    Parameters
    ----------
    buckets
        Number of buckets if the rows filled them evenly.
    most
        Largest number of buckets, for crowded rows.
    even
        How much regions may waste before there are more of them.
    sets
        How many of the sets of knots to try.
    """
    inside = np.sort(sample[(sample >= low) & (sample <= high)])
    limit = max(buckets, most)
    fitting = [knots for knots in KNOTS[:sets] if LEAST * len(knots) < limit]
    tried = [_regions(inside, low, high, knots) for knots in fitting]
    regions = next((each for each in tried if each.waste <= even), tried[-1])
    pieces = buckets * regions.share * np.clip(regions.wastes, 1, EVEN_ENOUGH)
    pieces *= min(1.0, room_for(limit, regions.low.size) / float(pieces.sum()))
    cut, starts = cut_intervals(regions.low, regions.high, pieces, by_magnitude=regions.along)
    inner = cut._replace(shift=cut.shift + 1)
    return CutGrid(regions.low[1:], inner, low, high, int(starts[-1]) + 2)


class _Regions(NamedTuple):
    low: FloatArray
    high: FloatArray
    share: FloatArray
    along: BoolArray
    wastes: FloatArray

    @property
    def waste(self) -> float:
        return float((self.share * self.wastes).sum())


def _regions(sample: FloatArray, low: float, high: float, knots: tuple[float, ...]) -> _Regions:
    ends = np.array([low, high])
    if knots and sample.size:
        places = (np.array(knots) * sample.size).astype(np.int64)
        ends = np.unique(np.concatenate((ends, sample[places])))
    lows, highs = (ends[:-1], ends[1:]) if low < high else (ends[:1], ends[:1])
    counts = np.diff(np.searchsorted(sample, ends[1:-1]), prepend=0, append=sample.size)
    share = (counts + 1) / (sample.size + lows.size)
    pairs = [_evenest(sample, *ends) for ends in zip(lows.tolist(), highs.tolist(), strict=True)]
    along, wastes = zip(*pairs, strict=True)
    return _Regions(lows, highs, share, np.array(along), np.array(wastes))


def _waste(sample: FloatArray, ends: FloatArray) -> float:
    """Return how full the bucket of an average row is, relative to the average bucket."""
    # from the widths that hold equal shares of the sample; no cut parts equal scores
    bins = min(64, sample.size // 4)
    if bins < FEW // 4:
        return 0.0
    edges = sample[np.linspace(0, sample.size - 1, bins + 1).astype(np.int64)] / 2
    widths, whole = np.diff(edges), ends[-1] / 2 - ends[0] / 2
    apart = widths[widths > 0]
    with np.errstate(over="ignore"):
        return float((whole / apart).sum()) / bins**2


def _evenest(sample: FloatArray, low: float, high: float) -> tuple[bool, float]:
    """Return whether to cut a region along the magnitude, and how much the better way wastes."""
    inside = sample[(sample >= low) & (sample <= high)]
    ends = np.array([low, high])
    if inside.size < FEW:
        return bool(spans_magnitudes(ends[:1], ends[1:])[0]), 1.0
    plain, along = _waste(inside, ends), _waste(magnitudes(inside), magnitudes(ends))
    return (True, along) if plain > 2 * along else (False, plain)


def empty_tallies(buckets: int) -> FloatArray:
    """Return rows, positives, lowest and highest score of empty buckets, side by side.

    Counts are doubles, exact up to 2^53, so that a row changes one line of cache.
    """
    return np.tile([0.0, 0.0, np.inf, -np.inf], (buckets, 1))


def add_rows(
    tallies: FloatArray, bucket: IntArray, scores: FloatArray, positive: BoolArray
) -> None:
    """Add rows to the tallies of their buckets."""
    np.add.at(tallies[:, 0], bucket, 1.0)
    np.add.at(tallies[:, 1], bucket, positive.astype(np.float64))
    np.minimum.at(tallies[:, 2], bucket, scores)
    np.maximum.at(tallies[:, 3], bucket, scores)


def find_marked(bucket: IntArray, marks: BoolArray) -> IntArray:
    """Return which rows lie in marked buckets."""
    rows: IntArray = np.flatnonzero(marks[bucket])
    return rows


# A *cell* holds the rows whose scores lie from its lowest to its highest one. The points after each
# cell are exact points of the curve; inside a cell of several scores the curve cannot rise above
# its north-west corner. So a hull is exact as soon as no such corner is above the hull of the known
# points, for any cells.

# Counts stay below two to this power.
COUNT_BITS = 62


class Cells(NamedTuple):
    """Disjoint intervals of scores, the highest first, each with at least one row."""

    high: FloatArray
    low: FloatArray
    negatives: IntArray
    positives: IntArray  # counts of either class, in whole units where rows have weights

    @property
    def single(self) -> BoolArray:
        """Which cells hold one distinct score."""
        same: BoolArray = self.high == self.low
        return same

    def take(self, which: BoolArray | IntArray | slice) -> Cells:
        """Return some of the cells."""
        return Cells(*(column[which] for column in self))


def count_cells(scores: FloatArray, positive: BoolArray) -> Cells:
    """Count rows by score; no NaN."""
    distinct, false_positives, true_positives = distinct_counts(scores, positive)
    counts = (np.diff(sums, prepend=0) for sums in (false_positives, true_positives))
    return Cells(distinct, distinct, *counts)


def add_scores(cells: Cells, scores: Cells) -> Cells:
    """Add cells of one score each, as `merge_cells` does, but without sorting."""
    into = np.searchsorted(-cells.low, -scores.high)  # the one that ends at or below it
    inside = np.append(cells.high, -np.inf)[into] >= scores.high
    inside &= into < cells.low.size
    new = np.flatnonzero(~inside)
    place = into[new] + np.arange(new.size)
    old = np.ones(cells.low.size + new.size, dtype=bool)
    old[place] = False
    columns = []
    for mine, theirs in zip(cells, scores, strict=True):
        column = np.empty(old.size, dtype=mine.dtype)
        column[old], column[place] = mine, theirs[new]
        columns.append(column)
    where = np.flatnonzero(old)[into[inside]]
    for counts, more in zip(columns[2:], scores[2:], strict=True):
        np.add.at(counts, where, more[inside])
    return Cells(*columns)


def merge_cells(parts: Sequence[Cells]) -> Cells:
    """Sort cells, and add up those that share scores."""
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    high, low, negatives, positives = columns
    order = np.argsort(-high, kind="stable")
    high, low = high[order] + 0.0, low[order] + 0.0
    reach = np.minimum.accumulate(low)
    first = np.flatnonzero(np.concatenate(([True], high[1:] < reach[:-1]))[: high.size])
    return Cells(
        high[first],
        np.minimum.reduceat(low, first),
        np.add.reduceat(negatives[order], first),
        np.add.reduceat(positives[order], first),
    )


def starts_within(cells: Cells, wider: Cells) -> IntArray:
    """Return the first cell inside each of the wider cells, which hold all of them."""
    into = np.searchsorted(-wider.low, -cells.high)  # the one that ends at or below it
    return np.flatnonzero(np.diff(into, prepend=-1))


def join_cells(cells: Cells, first: IntArray) -> Cells:
    """Join each of the `first` cells with those up to the next one."""
    last = np.append(first[1:], cells.low.size) - 1
    counts = (np.add.reduceat(column, first) for column in cells[2:])
    return Cells(cells.high[first], cells.low[last], *counts)


# To keep few cells, neighbors are joined, those first whose smallest common node in a binary tree
# holds least. The tree is that of all doubles by their bits: powers of two, halved again and again.
# Two of its nodes are disjoint or nested. So where cells of different rows overlap, their sum stays
# inside the node of one of them, and no chain of cells grows.


def fit_cells(cells: Cells, most: int, apart: BoolArray | None = None) -> Cells:
    """Join neighbors until `most` cells are left, with about equal shares of either class.

    Neighbors that must stay `apart` are not joined; they are fewer than `most`.
    """
    if cells.low.size <= most:
        return cells
    first, last = _codes(cells.high), _codes(cells.low)
    node: IntArray = first[:-1] ^ last[1:]
    for bits in (1, 2, 4, 8, 16, 32):  # all bits from the first different one on
        node = node | node >> np.uint64(bits)
    start = np.searchsorted(last, first[:-1] & ~node)
    end = np.searchsorted(first, last[1:] | node, side="right")
    depths = np.sum([_depths(counts) for counts in known_points(cells)], axis=0)
    shares = depths[end] - depths[start]
    if apart is not None:
        shares[apart] = np.inf
    kept = np.argpartition(-shares, most - 2)[: most - 1]
    return join_cells(cells, np.concatenate(([0], np.sort(kept) + 1)))


def _depths(counts: IntArray) -> FloatArray:
    """Return how far down the rows of a class cumulative counts are."""
    total = max(1, int(counts[-1]))
    tails = np.log1p(counts) - np.log1p(total - counts)
    depths: FloatArray = (1 - IN_TAILS) * counts / total + IN_TAILS * tails / 2 / math.log1p(total)
    return depths


def _codes(scores: FloatArray) -> IntArray:
    """Return whole numbers that rise as the scores fall."""
    bits = scores.view(np.uint64)
    negative = bits >> np.uint64(63) > 0
    return np.where(negative, bits, bits ^ np.uint64(2**63 - 1))


def scale_counts(cells: Cells, bits: int) -> Cells:
    """Multiply counts by a power of two.

    Cumulative counts are rounded, so that all cells together lose at most half a unit.
    """
    return cells._replace(
        negatives=_scale(cells.negatives, bits), positives=_scale(cells.positives, bits)
    )


def _scale(counts: IntArray, bits: int) -> IntArray:
    if not counts.any() or bits < -COUNT_BITS:
        return np.zeros_like(counts)
    if bits >= 0:
        return counts << bits
    sums = np.cumsum(counts) + (1 << (-bits - 1))
    return np.diff(sums >> -bits, prepend=0)


def known_points(cells: Cells) -> tuple[IntArray, IntArray]:
    """Return false and true positives at (0, 0) and after each cell."""
    zero = np.zeros(1, dtype=np.int64)
    return (
        np.concatenate((zero, np.cumsum(cells.negatives))),
        np.concatenate((zero, np.cumsum(cells.positives))),
    )


def known_vertices(cells: Cells) -> IntArray:
    """Return which known points are vertices of their hull: 0 is (0, 0), i + 1 ends cell i.

    Of equal points (rows without weight) the one with the highest threshold is taken.
    """
    x, y = known_points(cells)
    distinct = distinct_points(x, y)
    vertices: IntArray = distinct[upper_hull(x[distinct], y[distinct])]
    return vertices


def live(cells: Cells, *, weighted: bool = False) -> BoolArray:
    """Return which cells of several scores may hide a vertex of the hull, or its threshold.

    The latter only if rows may weigh nothing: the vertex may be reached at a higher score.
    """
    x, y = known_points(cells)
    vertices = known_vertices(cells)
    alive = above_hull(x[vertices], y[vertices], x[:-1], y[1:])
    if weighted:
        alive[vertices[1:] - 1] = True
    return alive & ~cells.single


def height_left(cells: Cells) -> float:
    """Return how far the true positives may be above the known points' hull, at most."""
    x, y = known_points(cells)
    vertices = known_vertices(cells)
    roof = np.interp(x[:-1], x[vertices].astype(float), y[vertices].astype(float))
    return float(np.max((y[1:] - roof)[live(cells)], initial=0.0))


def hull_of_cells(cells: Cells) -> tuple[FloatArray, FloatArray, IntArray, IntArray]:
    """Return the hull of the known points, as `kernels.buckets.hull_from_scores` does."""
    x, y = known_points(cells)
    vertices = known_vertices(cells)[1:]
    lower = np.append(cells.high[1:], -np.inf)
    return cells.low[vertices - 1], lower[vertices - 1], x[vertices], y[vertices]


def thin_cells(cells: Cells, resolution: float) -> Cells:
    """Join neighbors while the joint cell is at most `resolution` wide in both rates.

    Greedy from the top, which gives the fewest cells. A wider cell stays alone. O(cells log cells).
    """
    size = cells.low.size
    # for each point the last one that is close enough in either rate
    within = [
        np.searchsorted(sums, sums + _step(counts, resolution), side="right") - 1
        for sums, counts in zip(known_points(cells), cells[2:], strict=True)
    ]
    following = np.maximum(np.minimum(*within), np.arange(1, size + 2)).tolist()
    firsts = [0]
    while firsts[-1] < size:
        firsts.append(following[firsts[-1]])
    return join_cells(cells, np.array(firsts[:-1]))


def too_coarse(cells: Cells, resolution: float) -> BoolArray:
    """Return which cells hold several scores and are wider than `resolution`."""
    wide = [counts > _step(counts, resolution) for counts in cells[2:]]
    return np.asarray(~cells.single & (wide[0] | wide[1]))


def _step(counts: IntArray, resolution: float) -> int:
    return int(Fraction(resolution) * int(counts.sum()))
