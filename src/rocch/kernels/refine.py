"""How scores are cut into buckets, so that every engine gets the same bucket for the same score.

A bucket is floor(score x 2^k): powers of two do not round, so the number is exact, whoever
computes it. The buckets are dyadic intervals, and two of those are disjoint or one lies within the
other, which is why counts that were taken with different cuts can still be added. How fine the cut
is (k) differs from region to region, as a sample advises: it decides about time, never about the
answer.

Where scores spread over many magnitudes, a region is cut along the *magnitude* instead: a number
that grows by one from each power of two to the next, evenly in between, mirrored for negative
scores.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from rocch.arrays import BoolArray, FloatArray, IntArray

SMALLEST_EXPONENT = 1100
"""Added to exponents so that all magnitudes are positive; doubles go down to 2^-1074."""

LARGEST_FACTOR = 1000
"""Factors beyond 2^1000 are applied in two steps, because doubles end at 2^1023."""

KNOTS: tuple[tuple[float, ...], ...] = (
    (),
    (2**-6, 2**-3, 1 - 2**-3, 1 - 2**-6),
    (2**-10, 2**-8, 2**-6, *(i / 16 for i in range(1, 16)), 1 - 2**-6, 1 - 2**-8, 1 - 2**-10),
)
"""Where regions may end, as shares of a sample: nowhere, towards the tails, or everywhere.

Fewer regions are found faster.
"""

EVEN_ENOUGH = 4.0
"""Regions are few enough while they waste no more than this, as defined in `_waste`."""

WIDE = 64.0
"""A range that ends at so many times its beginning is cut along the magnitude."""


FEW = 16
"""So few rows of a sample say nothing about how they are spread."""


LEAST = 4
"""An interval that is cut has at most so many pieces where two are asked for."""


class Cut(NamedTuple):
    """How intervals are cut: bucket = floor(position x pre x factor) + shift, for each of them."""

    by_magnitude: BoolArray
    pre: FloatArray
    factor: FloatArray
    shift: IntArray

    def taken(self, which: IntArray | BoolArray) -> Cut:
        """Return the cuts of some intervals."""
        return Cut(self.by_magnitude[which], self.pre[which], self.factor[which], self.shift[which])


class Grid(NamedTuple):
    """Regions of scores from low to high, each with its cut; buckets rise with the scores."""

    knots: FloatArray
    """Scores at which all regions but the first begin."""
    cut: Cut
    low: float
    high: float
    """Where the first region begins and the last ends."""
    buckets: int
    """Buckets are 1 to buckets - 2; lower scores have bucket 0, higher ones the last."""


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


def grid_buckets(scores: FloatArray, grid: Grid) -> IntArray:
    """Return the bucket of each score in a grid, whether it lies inside or not."""
    inner = np.clip(scores, grid.low, grid.high)
    region = np.searchsorted(grid.knots, inner, side="right")
    bucket = buckets_of(inner, grid.cut.taken(region))
    return np.where(scores < grid.low, 0, np.where(scores > grid.high, grid.buckets - 1, bucket))


def cut_intervals(
    low: FloatArray, high: FloatArray, pieces: FloatArray, *, by_magnitude: BoolArray
) -> tuple[Cut, IntArray]:
    """Cut intervals, each into about so many pieces, at least two, and number them throughout.

    Returns the cuts and where the numbers of each interval begin (and end). An interval from low
    to high, low < high, is really cut: its ends come into different pieces.
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
    """Return how many pieces to ask for in all so that no more than these come of it."""
    return (buckets - intervals) / math.sqrt(2)


def spans_magnitudes(low: FloatArray, high: FloatArray) -> BoolArray:
    """Say which intervals on one side of zero reach over many magnitudes."""
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
) -> Grid:
    """Cut the scores from low to high (finite) as a sample advises.

    Regions end at quantiles of the sample, and each gets buckets by its share of it. There are as
    many regions as it takes to spread the sample evenly enough.

    Parameters
    ----------
    buckets
        How many buckets there would be if the rows filled them evenly.
    most
        How many there may be at most, so that rows which lie closer together than others have no
        fuller buckets; those where no rows are cost nothing.
    even
        How much regions may waste before there are more of them.
    sets
        How many of the sets of knots may be tried.
    """
    inside = np.sort(sample[(sample >= low) & (sample <= high)])
    limit = max(buckets, most)
    fitting = [knots for knots in KNOTS[:sets] if LEAST * len(knots) < limit]
    tried = [_regions(inside, low, high, knots) for knots in fitting]
    regions = next((each for each in tried if each.waste <= even), tried[-1])
    pieces = buckets * regions.share * np.clip(regions.wastes, 1, EVEN_ENOUGH)
    pieces *= min(1.0, room_for(limit, regions.low.size) / float(pieces.sum()))
    cut, starts = cut_intervals(regions.low, regions.high, pieces, by_magnitude=regions.along)
    shifted = cut._replace(shift=cut.shift + 1)
    return Grid(regions.low[1:], shifted, low, high, int(starts[-1]) + 2)


class _Regions(NamedTuple):
    """Regions, their shares of a sample, and how evenly each is cut."""

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
    """Return how many times as full as on average the bucket of an average row is.

    Estimated for buckets of equal widths, from the widths that hold equal shares of the sample;
    equal scores count for nothing, since no cut parts them.
    """
    bins = min(64, sample.size // 4)
    if bins < FEW // 4:
        return 0.0
    edges = sample[np.linspace(0, sample.size - 1, bins + 1).astype(np.int64)] / 2
    widths, whole = np.diff(edges), ends[-1] / 2 - ends[0] / 2
    apart = widths[widths > 0]
    with np.errstate(over="ignore"):
        return float((whole / apart).sum()) / bins**2


def _evenest(sample: FloatArray, low: float, high: float) -> tuple[bool, float]:
    """Say whether a region is cut along the magnitude, and how much the better way wastes."""
    inside = sample[(sample >= low) & (sample <= high)]
    ends = np.array([low, high])
    if inside.size < FEW:
        return bool(spans_magnitudes(ends[:1], ends[1:])[0]), 1.0
    plain, along = _waste(inside, ends), _waste(magnitudes(inside), magnitudes(ends))
    return (True, along) if plain > 2 * along else (False, plain)
