"""What one set of decisions saves over another, at every slope, with its standard error.

At slope m the cost of a decision is (m FPR + 1 - TPR) / (1 + m): false alarms and misses weigh m
to 1, and whoever errs always pays 1 at most. Both sides decide the same rows, so the gain is a mean
of paired differences, within each class, and what both get right or wrong alike cancels out of it
and of its standard error.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rocch.errors import UndefinedError, bad_input
from rocch.inputs import is_number
from rocch.kernels.hull import distinct_points, upper_hull
from rocch.roc.curve import Judged

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rocch.arrays import BoolArray, FloatArray, IntArray
    from rocch.hybrid.combining.sample import DecidedSample

ALL_SLOPES = (0.0, math.inf)

ROUNDING = 1e-9
"""A gain must pass its standard errors by this share, so that a tie is not decided by rounding."""


@dataclass(frozen=True, slots=True)
class Gain:
    """What is saved at one slope, as a share of the cost of always erring, and how surely."""

    slope: float
    gain: float
    standard_error: float

    def exceeds(self, standard_errors: float) -> bool:
        """Say whether the gain is larger than so many of its standard errors."""
        return self.gain > standard_errors * self.standard_error * (1 + ROUNDING)

    def __str__(self) -> str:
        return f"{self.gain:.3g} +- {self.standard_error:.3g} at slope {self.slope:.3g}"


class Mean(NamedTuple):
    """A mean of paired differences and its variance."""

    mean: float
    variance: float


class Envelope(NamedTuple):
    """The decisions on a hull, from *never* to *always*, their counts, and the slopes between."""

    alarms: BoolArray
    counts: tuple[IntArray, IntArray]
    slopes: FloatArray


def envelope(
    sample: DecidedSample, decisions: BoolArray, counts: tuple[IntArray, IntArray] | None = None
) -> Envelope:
    """Keep the decisions that hold a vertex of their joint hull; of equal points the first.

    Counts of the decisions save counting where they are known already.
    """
    ends = np.array([[False], [True]]).repeat(len(sample), axis=1)
    fp, tp = sample.count_all(decisions) if counts is None else counts
    negatives, positives = sample.totals
    x = np.concatenate(([0], fp, [negatives]))
    y = np.concatenate(([0], tp, [positives]))
    order = np.lexsort((y, x))
    distinct = order[distinct_points(x[order], y[order])]
    vertex = distinct[upper_hull(x[distinct], y[distinct])]
    inner = decisions[vertex[1:-1] - 1]
    x, y = x[vertex], y[vertex]
    slopes = Judged(negatives, positives).slopes(x, y)
    return Envelope(np.concatenate((ends[:1], inner, ends[1:])), (x, y), slopes)


def gains(
    sample: DecidedSample,
    ours: Envelope,
    theirs: Envelope,
    slopes: tuple[float, float] = ALL_SLOPES,
) -> list[Gain]:
    """Return what the best of ours gains over the best of theirs, from low to high slopes.

    Between two neighbouring breakpoints of the two hulls the same two decisions are best; the
    gain (in the share m / (1 + m)) runs straight there. So both ends of each such stretch are
    given, with the stretch's own pair, and no gain lies above all of them.
    """
    found = []
    for low, high in _stretches(ours, theirs, slopes):
        means = _paired(sample, _best(ours, low, high), _best(theirs, low, high))
        found += [_at(slope, *means) for slope in dict.fromkeys((low, high))]
    return found


def strongest(found: Iterable[Gain], standard_errors: float) -> Gain | None:
    """Return the gain that most exceeds so many of its standard errors; None if there is none."""
    positive = [gain for gain in found if gain.gain > 0]
    return max(
        positive, key=lambda gain: gain.gain - standard_errors * gain.standard_error, default=None
    )


def as_slopes(slopes: tuple[float, float]) -> tuple[float, float]:
    """Return a range of slopes, low first, or refuse what is none."""
    pair = isinstance(slopes, tuple | list) and len(slopes) == 2
    if not pair or not all(map(is_number, slopes)) or not 0 <= slopes[0] <= slopes[1]:
        raise bad_input(
            "slopes",
            "be a pair (low, high) from 0 to infinity",
            repr(slopes),
            "Pass the slope_range of your conditions.",
        )
    return float(slopes[0]), float(slopes[1])


def _stretches(
    ours: Envelope, theirs: Envelope, slopes: tuple[float, float]
) -> Iterator[tuple[float, float]]:
    low, high = slopes
    breaks = {*ours.slopes.tolist(), *theirs.slopes.tolist()}
    edges = [low, *sorted(slope for slope in breaks if low < slope < high), high]
    return pairwise(edges)


def _best(hull: Envelope, low: float, high: float) -> BoolArray:
    """Return the decision that is best between two slopes; at one slope alone, the left one."""
    steeper = hull.slopes >= high if low < high else hull.slopes > high
    alarms: BoolArray = hull.alarms[np.count_nonzero(steeper)]
    return alarms


def _paired(sample: DecidedSample, ours: BoolArray, theirs: BoolArray) -> tuple[Mean, Mean]:
    """Return what is saved on negatives and on positives."""
    saved, lost = theirs & ~ours, ours & ~theirs
    negative = ~sample.positive
    return (
        _mean(sample, saved & negative, lost & negative, negative),
        _mean(sample, lost & sample.positive, saved & sample.positive, sample.positive),
    )


def _mean(sample: DecidedSample, gained: BoolArray, lost: BoolArray, rows: BoolArray) -> Mean:
    """Return the mean of 1 for rows gained and -1 for rows lost, and its variance.

    Without weights everything is counted in integers. With weights the variance is the usual one
    of a ratio of two sums; rows without weight are no rows.
    """
    if sample.weights is None:
        size, won, gone = (int(np.count_nonzero(which)) for which in (rows, gained, lost))
        _check_size(size)
        spread = size * (won + gone) - (won - gone) ** 2
        return Mean((won - gone) / size, spread / (size * size * (size - 1)))
    weights = sample.weights[rows]
    size = int(np.count_nonzero(weights))
    _check_size(size)
    shares = weights / weights.sum()
    values = gained[rows].astype(np.float64) - lost[rows]
    mean = float(shares @ values)
    return Mean(mean, float(shares**2 @ (values - mean) ** 2) * size / (size - 1))


def _check_size(size: int) -> None:
    if size < 2:
        raise UndefinedError(
            "a standard error needs at least two rows of each class; there is only one."
        )


def _at(slope: float, negatives: Mean, positives: Mean) -> Gain:
    alarm = 1.0 if math.isinf(slope) else slope / (1 + slope)
    miss = 0.0 if math.isinf(slope) else 1 / (1 + slope)
    gain = alarm * negatives.mean + miss * positives.mean
    errors = alarm * math.sqrt(negatives.variance), miss * math.sqrt(positives.variance)
    return Gain(slope, gain, math.hypot(*errors))
