"""Tests of limits on counts, and walks through nested settings that stop before the first failure.

A test asks whether the true rate is at most a limit. It passes by luck, although the rate is above
the limit, with a chance of at most its level.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from rocch.arrays import BoolArray, FloatArray, IntArray

Counts: TypeAlias = FloatArray | IntArray
# Whether a limit is certified at each pair of counts, false alarms and hits.
PassTest: TypeAlias = Callable[[Counts, Counts], BoolArray]

# First places on the line of two rates at their limit, denser at its ends, and those of each zoom.
_PLACES = (1 - np.cos(np.linspace(0, np.pi, 17))) / 2
_ZOOM = np.linspace(-1, 1, 9)
_ZOOMS = 3

# Chances above 1 - `_SURE` count as this much, since those of counts at their end are 1 and would
# outweigh everything else. It can raise the error to (1 + `_SURE`) times the level at most, so that
# the level is divided by that.
_SURE = 0.01

# Where the first places miss the largest value, it is by less than a fifth of this.
_CLEAR = 0.2

# Parts of the level: a pair of rates is refused also if one count alone is this much less likely.
_FAR = 0.01

# More rows than this count as infinitely many.
MOST_ROWS = 2**53

# Steps of bisections for bounds.
_STEPS = 26


def chance_of_fewer(errors: Counts, rows: float | Counts, limit: float | FloatArray) -> FloatArray:
    """Return the chance of at most this many errors at the limit, the p-value of a rate above it.

    Counts need not be whole.
    """
    from scipy.special import betaincc

    inside = errors < rows
    left = np.where(inside, rows - errors, 1)
    return np.where(inside, betaincc(np.asarray(errors) + 1.0, left, limit), 1.0)


def rate_high(errors: Counts, rows: float | Counts, level: float) -> FloatArray:
    """Return one-sided upper bounds of rates (Clopper and Pearson, 1934); 1 without rows."""
    from scipy.special import betainccinv

    inside = errors < rows
    left = np.where(inside, rows - errors, 1)
    return np.where(inside, betainccinv(np.asarray(errors) + 1.0, left, level), 1.0)


def rate_low(hits: Counts, rows: float | Counts, level: float) -> FloatArray:
    """Return one-sided lower bounds of rates (Clopper and Pearson, 1934)."""
    return 1 - rate_high(np.asarray(rows) - hits, rows, level)


def most_errors(rows: float, limit: float, level: float) -> int:
    """Return the most errors among these rows that certify a limit; -1 if none do. O(log rows)."""
    low, high = -1, math.floor(rows)
    while high - low > 1:
        middle = (low + high) // 2
        passes = chance_of_fewer(np.array(middle), rows, limit) <= level
        low, high = (middle, high) if passes else (low, middle)
    return low


def rows_needed(limit: float, level: float) -> float:
    """Return the fewest rows that certify a limit when none of them is an error.

    Examples
    --------
    >>> from rocch.kernels.certify import rows_needed
    >>> [rows_needed(0.05, 0.05 / models) for models in (1, 3, 10)]
    [59, 80, 104]
    """
    if limit <= 0:
        return math.inf
    if limit >= 1:
        return 0
    needed = math.log(level) / math.log1p(-limit) - 1e-9  # rounding errors aside
    return math.ceil(needed) if needed < MOST_ROWS else math.inf


class TwoRates(NamedTuple):
    """The limit x_weight x X / x_rows + y_weight x Y / y_rows <= at_most for two counts of errors.

    Both weights are positive.
    """

    x_weight: float
    x_rows: float
    y_weight: float
    y_rows: float
    at_most: float

    def passes(self, x: Counts, y: Counts, level: float) -> BoolArray:
        """Return whether counts of independent errors certify the limit; O(45) for each.

        Every pair of rates at the limit has a test of its own: the chances of no more errors than
        were counted, combined as normal values with weights in proportion to the standard errors
        that the pair implies (Stouffer). A pair's weights are fixed, and chances at the true rates
        are stochastically at least uniform, so that each test has its level. A small part of it
        refuses pairs that one count alone makes unlikely. The limit is certified if all pairs are
        refused; so it is broken with at most the chance that the true one is.
        """
        from scipy.special import ndtri

        shape = np.broadcast_shapes(np.shape(x), np.shape(y))
        if self.at_most >= self.x_weight + self.y_weight:
            return np.ones(shape, dtype=bool)
        if self.at_most <= 0:
            return np.zeros(shape, dtype=bool)
        x, y = (np.broadcast_to(each, shape).reshape(-1, 1) for each in (x, y))
        # rates above these bounds are refused by one count alone
        x_high, y_high = (
            rate_high(errors, rows, _FAR * level)
            for errors, rows in ((x, self.x_rows), (y, self.y_rows))
        )
        low = np.maximum(0.0, (self.at_most - self.y_weight * y_high) / self.x_weight)
        high = np.minimum(x_high, self.at_most / self.x_weight)
        places = np.broadcast_to(_PLACES, (x.size, _PLACES.size))
        width = 1 / 8
        most = np.full(x.size, -np.inf)
        wanted = ndtri(level * (1 - 2 * _FAR) / (1 + _SURE))
        for _ in range(1 + _ZOOMS):
            found = self._combined(x, y, low + places * np.maximum(high - low, 0))
            best = np.argmax(found, axis=1)[:, None]
            most = np.maximum(most, np.take_along_axis(found, best, axis=1)[:, 0])
            if ((most > wanted) | (most < wanted - _CLEAR)).all():
                break
            middle = np.take_along_axis(places, best, axis=1)
            places = np.clip(middle + width * _ZOOM, 0, 1)
            width /= 4
        passed: BoolArray = (most <= wanted) | (low > high)[:, 0]
        return passed.reshape(shape)

    def _combined(self, x: Counts, y: Counts, x_rate: FloatArray) -> FloatArray:
        from scipy.special import ndtri

        y_rate = np.clip((self.at_most - self.x_weight * x_rate) / self.y_weight, 0, 1)
        total, norm = np.zeros(x_rate.shape), np.zeros(x_rate.shape)
        for errors, rows, rate, weight in (
            (x, self.x_rows, x_rate, self.x_weight),
            (y, self.y_rows, y_rate, self.y_weight),
        ):
            chance = chance_of_fewer(errors, rows, rate)
            # not less towards 1, where strong evidence would lose its weight
            variance = weight**2 * np.where(rate < 0.5, rate * (1 - rate), 0.25) / rows
            normal = ndtri(np.clip(chance, 1e-300, 1 - _SURE))
            total += np.sqrt(variance) * normal
            norm += variance
        certain = norm <= 0
        return np.where(certain, np.inf, total / np.sqrt(np.where(certain, 1, norm)))


def least_passing(passes: Callable[[float], bool], low: float, high: float) -> float:
    """Return the least value that passes, given that higher ones do; `high` if none below does."""
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if passes(middle) else (middle, high)
    return high


def two_rates_high(
    weights: tuple[float, float],
    errors: tuple[float, float],
    rows: tuple[float, float],
    level: float,
) -> float:
    """Return a one-sided upper bound of a weighted sum of two independent rates."""
    x, y = (np.array([each]) for each in errors)
    pairs = (weights[0], rows[0], weights[1], rows[1])
    return least_passing(
        lambda most: bool(TwoRates(*pairs, most).passes(x, y, level)[0]), 0.0, sum(weights)
    )


def last_passing(passes: PassTest, fp: Counts, tp: Counts) -> int:
    """Return how many of nested settings pass from the first on, if later ones never do better.

    O(log n) tests.
    """
    low, high = 0, fp.size
    while low < high:
        middle = (low + high) // 2
        if passes(fp[middle : middle + 1], tp[middle : middle + 1])[0]:
            low = middle + 1
        else:
            high = middle
    return low


def walk(passes: PassTest, fp: Counts, tp: Counts, *, known: bool = True) -> int:
    """Return how many of nested settings pass in a row from the first on; none if it fails.

    Both counts rise or both fall. Fewer false alarms and more hits must never be harder to certify:
    then all settings between two pass if the worse counts of both do, and many are certified at a
    time. Without `known`, settings in between are unknown, and must pass by that.
    """
    size = fp.size
    if not size or not passes(fp[:1], tp[:1])[0]:
        return 0
    place, step, steps = 0, max(1, size // 16), 0
    while place < size - 1:
        end = min(place + step, size - 1)
        worse_fp = np.maximum(fp[place : place + 1], fp[end : end + 1])
        worse_tp = np.minimum(tp[place : place + 1], tp[end : end + 1])
        if passes(worse_fp, worse_tp)[0]:
            place, steps = end, steps + 1
            if steps == _STEPS_ALIKE:
                step, steps = 2 * step, 0
        elif step > (_BLOCK if known else 1):
            step, steps = max(1, step // 4), 0
        elif not known:
            break
        else:
            block = slice(place + 1, end + 1)
            passed = passes(fp[block], tp[block])
            if not passed.all():
                return place + 1 + int(np.argmin(passed))
            place = end
    return place + 1


# A walk takes this many steps of a length before longer ones.
_STEPS_ALIKE = 6

# Settings that are tested one by one where they do not pass together.
_BLOCK = 6
