"""How scores are cut into buckets: the same in every engine."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rocch.arrays import BoolArray, FloatArray, IntArray

# A bucket is floor(score x 2^k): powers of two do not round, so every engine gets the same bucket.
# Buckets are dyadic intervals, of which two are disjoint or nested, so counts of different cuts can
# be added. k differs between regions, by a sample: it affects time, never the result.
#
# Where scores span many magnitudes, a region is cut along the *magnitude* instead: a number that
# grows by one from each power of two to the next, evenly in between, mirrored for negative scores.
# That of infinity is one more than the largest double's, so that a cut parts the two.

# Added to exponents so that all magnitudes are positive; doubles go down to 2^-1074.
SMALLEST_EXPONENT = 1100
# The magnitude of infinity; that of the largest double is rounded to one less.
INFINITE = SMALLEST_EXPONENT + 1025
# The parts of a double as an unsigned integer, whose exponent is shifted by 1,023.
MAGNITUDE, FRACTION_BITS = np.uint64(2**63 - 1), np.uint64(52)
EXPONENT_SHIFT, SMALLEST_NORMAL = np.uint64(SMALLEST_EXPONENT - 1023), 2.0**-1022

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

    knots: FloatArray  # scores at which all regions but the first begin; none if they are known
    cut: Cut
    low: float
    high: float  # where the first region begins and the last ends
    buckets: int  # buckets are 1 to buckets - 2; lower scores have bucket 0, higher ones the last


def magnitudes(scores: FloatArray) -> FloatArray:
    """Return positions along the magnitude: the doubles' exponents and, after the point, bits."""
    bits = (scores.view(np.uint64) & MAGNITUDE) + (EXPONENT_SHIFT << FRACTION_BITS)
    place = bits.astype(np.float64)
    place *= 2.0 ** -int(FRACTION_BITS)
    sizes = np.abs(scores)
    tiny, infinite = sizes < SMALLEST_NORMAL, sizes == np.inf
    if tiny.any():
        fraction, exponent = np.frexp(sizes[tiny])
        some = exponent - 1 + SMALLEST_EXPONENT + (2 * fraction - 1)
        place[tiny] = np.where(fraction > 0, some, 0.0)
    if infinite.any():
        place[infinite] = INFINITE
    return np.copysign(place, scores, out=place)


def buckets_of(scores: FloatArray, cut: Cut) -> IntArray:
    """Return the bucket of each finite score by its own cut."""
    if cut.by_magnitude.all():
        position = magnitudes(scores)
    elif cut.by_magnitude.any():
        position = np.where(cut.by_magnitude, magnitudes(scores), scores)
    else:
        position = scores
    place = position * cut.factor if (cut.pre == 1).all() else position * cut.pre * cut.factor
    bucket: IntArray = np.floor(place, out=place).astype(np.int64)
    bucket += cut.shift
    return bucket


def grid_buckets(scores: FloatArray, grid: CutGrid, region: IntArray | None = None) -> IntArray:
    """Return the bucket of each score in a grid, whose region may be known."""
    if region is not None:
        return buckets_of(scores, grid.cut.take(region))
    inner = np.clip(scores, grid.low, grid.high)
    cut = grid.cut
    if grid.knots.size:
        cut = cut.take(np.searchsorted(grid.knots, inner, side="right"))
    bucket = buckets_of(inner, cut)
    bucket[scores < grid.low] = 0
    bucket[scores > grid.high] = grid.buckets - 1
    return bucket


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
