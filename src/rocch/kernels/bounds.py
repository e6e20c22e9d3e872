"""Bounds from counts, the range of normal values, and the prevalence of an unlabeled batch."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from rocch.arrays import BoolArray, FloatArray, IntArray


def normal_quantile(confidence: float) -> float:
    """Return the half-width of a two-sided normal interval in standard errors."""
    from scipy.special import ndtri

    return float(ndtri((1 + confidence) / 2))


def student_quantile(confidence: float, degrees: float | None) -> float:
    """Return the same by Student's t distribution; without degrees of freedom the normal one."""
    from scipy.special import stdtrit

    if degrees is None:
        return normal_quantile(confidence)
    return float(stdtrit(degrees, (1 + confidence) / 2))


def clopper_pearson(
    successes: FloatArray | IntArray, rows: float | FloatArray | IntArray, confidence: float
) -> tuple[FloatArray, FloatArray]:
    """Return Clopper and Pearson's (1934) bounds for each count, which need not be whole."""
    from scipy.special import betaincinv

    tail = (1 - confidence) / 2
    found, missed = successes > 0, successes < rows
    low = betaincinv(np.where(found, successes, 1), rows - successes + 1, tail)
    high = betaincinv(successes + 1, np.where(missed, rows - successes, 1), 1 - tail)
    return np.where(found, low, 0.0), np.where(missed, high, 1.0)


# The predictive value at a stated prevalence depends on the data through the ratio of two
# independent rates alone: for the PPV, TPR / FPR. Donner and Zou ("Closed-form confidence intervals
# for functions of the normal mean and standard deviation", Statistical Methods in Medical Research
# 21, 2012) give the interval of a ratio from those of its parts. With Clopper and Pearson's it was
# the narrowest of eleven candidates whose 95% held at least as often wherever it was enumerated
# (3 to 500 rows per class; its 99% were 98.9% in the worst case); logit intervals (Mercaldo, Lau
# and Zhou 2007) fell to 55%.


def predictive_bounds(
    right: FloatArray | IntArray,
    wrong: FloatArray | IntArray,
    totals: tuple[float, float],
    confidence: float,
    share: float | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Return bounds of a predictive value: of how often the predictions of one class are right.

    `right` and `wrong` count these predictions: true and false positives for the PPV, true and
    false negatives for the NPV. `totals` are the rows of that class and of the other, and `share`
    is that class's share of the population; None stands for that of the rows, where bounds are
    Clopper and Pearson's. Without predictions the bounds are 0 and 1. O(counts).
    """
    if share is None:
        return clopper_pearson(right, right + wrong, confidence)
    p, q = right / totals[0], wrong / totals[1]
    p_low, p_high = clopper_pearson(right, totals[0], confidence)
    q_low, q_high = clopper_pearson(wrong, totals[1], confidence)

    def root(a: FloatArray, b: FloatArray) -> FloatArray:
        return np.sqrt((p * b) ** 2 + (q * a) ** 2 - (a * b) ** 2)

    # both ends of p / q as a numerator and a denominator, of which one or both may be 0
    low = p_low * (2 * p - p_low), p * q + root(p - p_low, q_high - q)
    high = p * q + root(p_high - p, q - q_low), q_low * (2 * q - q_low)
    return _share_of(low, share, 0.0), _share_of(high, share, 1.0)


def weighted_sum_bounds(
    counts: tuple[FloatArray | IntArray, FloatArray | IntArray],
    totals: tuple[float, float],
    weights: tuple[float, float],
    confidence: float,
) -> tuple[FloatArray, FloatArray]:
    """Return bounds of a weighted sum of two independent rates, such as an accuracy.

    From Clopper and Pearson's bounds of both (Zou and Donner, "Construction of confidence limits
    about effect measures", Statistics in Medicine 27, 2008). Weights are not negative. O(counts).
    """
    rates = [count / total for count, total in zip(counts, totals, strict=True)]
    ends = [clopper_pearson(n, total, confidence) for n, total in zip(counts, totals, strict=True)]
    parts = list(zip(weights, rates, ends, strict=True))
    middle = sum(weight * rate for weight, rate, _ in parts)
    below = sum((weight * (rate - low)) ** 2 for weight, rate, (low, _) in parts)
    above = sum((weight * (high - rate)) ** 2 for weight, rate, (_, high) in parts)
    return np.asarray(middle - np.sqrt(below)), np.asarray(middle + np.sqrt(above))


def rate_ratio_bounds(
    counts: tuple[FloatArray | IntArray, FloatArray | IntArray],
    totals: tuple[float, float],
    confidence: float,
) -> tuple[FloatArray, FloatArray]:
    """Return bounds of the ratio of two independent rates, such as a likelihood ratio.

    The logarithm is taken as normal (Simel, Samsa and Matchar, "Likelihood ratios with confidence",
    Journal of Clinical Epidemiology 44, 1991). Where a count is 0, or both rates are 1, half a row
    is added to each cell; a ratio of 0 has the lower bound 0, and one that is infinite an infinite
    upper bound. Enumerated over TPRs from 0.3 to 0.99 and FPRs from 0.01 to 0.4, 95% held in 85 to
    99% (94% on average) with 10 rows of each class, and in 91 to 98% (95%) with 20 to 72.
    O(counts).
    """
    (a, b), (m, n) = counts, totals
    half = np.where((a == 0) | (b == 0) | ((a == m) & (b == n)), 0.5, 0.0)
    top, all_top, bottom, all_bottom = a + half, m + 2 * half, b + half, n + 2 * half
    variance = 1 / top - 1 / all_top + 1 / bottom - 1 / all_bottom
    low, high = _log_bounds(top * all_bottom / (all_top * bottom), variance, confidence)
    return np.where(a == 0, 0.0, low), np.where(b == 0, np.inf, high)


def odds_ratio_bounds(
    counts: tuple[FloatArray | IntArray, FloatArray | IntArray],
    totals: tuple[float, float],
    confidence: float,
) -> tuple[FloatArray, FloatArray]:
    """Return bounds of the odds of the first rate over those of the second.

    The logarithm is taken as normal (Woolf 1955), with half a row in each cell where one is empty
    (Haldane, Anscombe 1956) and open ends as in `rate_ratio_bounds`. Enumerated as
    there, 95% held in 94 to 99%. O(counts).
    """
    (a, b), (m, n) = counts, totals
    c, d = m - a, n - b
    none, endless = (a == 0) | (d == 0), (b == 0) | (c == 0)
    half = np.where(none | endless, 0.5, 0.0)
    cells = [cell + half for cell in (a, b, c, d)]
    variance = np.sum([1 / cell for cell in cells], axis=0)
    low, high = _log_bounds(cells[0] * cells[3] / (cells[1] * cells[2]), variance, confidence)
    return np.where(none, 0.0, low), np.where(endless, np.inf, high)


def _log_bounds(
    ratio: FloatArray, variance: FloatArray, confidence: float
) -> tuple[FloatArray, FloatArray]:
    factor = np.exp(normal_quantile(confidence) * np.sqrt(variance))
    return ratio / factor, ratio * factor


def _share_of(ratio: tuple[FloatArray, FloatArray], share: float, undefined: float) -> FloatArray:
    """Return the predictive value of a ratio of rates, given as numerator and denominator."""
    own = share * ratio[0]
    both = own + (1 - share) * ratio[1]
    value: FloatArray = np.divide(own, both, out=np.full_like(both, undefined), where=both > 0)
    return value


# Reference negatives, reference positives and an unlabeled batch are counted in the same bins. If
# only the prior moved, their distributions are f0, f1 and p f1 + (1 - p) f0. For each share p the
# class distributions that fit *all three* samples best are found; the deviance is twice the
# log-likelihood that they lose against three separate ones.
#
# Saerens, Latinne and Decaestecker (2002) find the best share by EM with f1 / f0 known. Here f0 and
# f1 are fitted too, so that few reference rows give a flat maximum.

# First shares: where classes hardly differ, the deviance may have several minima.
FIRST_LOOK = np.linspace(0, 1, 129)

ZOOM = np.linspace(0, 1, 65)
# Each zoom narrows a bracket at least 32-fold; five reach about 5e-10.
ZOOMS = 5

# Rounded deviances cannot distinguish a share this close to 0 or 1 from it.
AT_AN_END = 1e-9

# `_positive_rows` settles after about ten steps; bisection alone would need sixty.
STEPS, SETTLED = 60, 1e-14


class Binned(NamedTuple):
    """Counts of the three samples in the same bins; no sample and no bin is empty."""

    negatives: FloatArray
    positives: FloatArray
    batch: FloatArray


def deviance(counts: Binned, shares: FloatArray) -> FloatArray:
    """Return the deviance of each share of positives, with the best class distributions.

    O(shares x bins) for each of about ten steps. Batches of a million times the other samples lose
    precision.
    """
    # For a given share the likelihood is concave in the class distributions. At its maximum
    # f1 = (b + c r) / l1 and f0 = (a + c (1 - r)) / l0, where a, b, c are the counts of a bin, r
    # is the chance that a batch row of the bin is positive, and l1 = sum of (b + c r) and
    # l0 = sum of (a + c (1 - r)) add up to all rows.
    a, b, c = counts
    l1 = _positive_rows(counts, shares)
    r = _chances(counts, shares, l1)
    f1 = (b + c * r) / l1[:, None]
    f0 = (a + c * (1 - r)) / (_rows(counts) - l1)[:, None]
    mixed = shares[:, None] * f1 + (1 - shares[:, None]) * f0
    return _lost(a, f0) + _lost(b, f1) + _lost(c, mixed)


def deviance_of_one_law(counts: Binned) -> float:
    """Return the deviance if both classes, and so the batch, have one distribution."""
    law = np.sum(counts, axis=0)[None, :] / _rows(counts)
    return float(sum(_lost(sample, law)[0] for sample in counts))


def likeliest_share(counts: Binned) -> float:
    """Return the share of positives with the least deviance; exactly 0 or 1 at the ends."""
    shares = FIRST_LOOK
    for _ in range(ZOOMS):
        best = int(np.argmin(deviance(counts, shares)))
        low, high = shares[max(best - 1, 0)], shares[min(best + 1, shares.size - 1)]
        shares = low + (high - low) * ZOOM
    share = float(shares[np.argmin(deviance(counts, shares))])
    return float(round(share)) if abs(share - round(share)) < AT_AN_END else share


def range_of_shares(
    accepts: Callable[[FloatArray], BoolArray], accepted: float
) -> tuple[float, float]:
    """Return the lowest and highest accepted share, given one that is accepted."""
    shares = np.unique(np.append(FIRST_LOOK, accepted))
    inside = accepts(shares) | (shares == accepted)
    first, last = np.flatnonzero(inside)[[0, -1]]
    low, high = shares[first], shares[last]
    if low > 0:
        low = _last_accepted(accepts, low, shares[first - 1])
    if high < 1:
        high = _last_accepted(accepts, high, shares[last + 1])
    return float(low), float(high)


def _last_accepted(
    accepts: Callable[[FloatArray], BoolArray], inside: float, outside: float
) -> float:
    for _ in range(ZOOMS):
        shares = inside + (outside - inside) * ZOOM
        refused = ~accepts(shares[1:-1])
        step = 1 + int(np.argmax(np.append(refused, True)))
        inside, outside = shares[step - 1], shares[step]
    return inside


def _positive_rows(counts: Binned, shares: FloatArray) -> FloatArray:
    """Return l1 for each share, by false position with the Illinois rule."""
    # The more rows count as positive, the less likely each further one is, so there is one root
    # between all reference positives and these with the whole batch.
    _, b, c = counts
    low, high = np.full(shares.shape, b.sum()), np.full(shares.shape, b.sum() + c.sum())

    def excess(rows: FloatArray) -> FloatArray:
        expected: FloatArray = b.sum() + (c * _chances(counts, shares, rows)).sum(axis=1) - rows
        return expected

    at_low, at_high = excess(low), excess(high)
    side = np.zeros(shares.shape, dtype=int)
    guess = low
    for _ in range(STEPS):
        drop = at_low - at_high  # zero only where both ends are the root
        step = np.divide(at_low, drop, out=np.zeros_like(drop), where=drop > 0)
        before, guess = guess, low + (high - low) * step
        if (np.abs(guess - before) <= SETTLED * guess).all():
            break
        here = excess(guess)
        rising = here > 0
        at_high = np.where(rising, np.where(side == 1, at_high / 2, at_high), here)
        at_low = np.where(rising, here, np.where(side == -1, at_low / 2, at_low))
        low, high = np.where(rising, guess, low), np.where(rising, high, guess)
        side = np.where(rising, 1, -1)
    return guess


def _chances(counts: Binned, shares: FloatArray, l1: FloatArray) -> FloatArray:
    """Return, per share and bin, the chance that a batch row is positive."""
    # The root in [0, 1] of (B - A) c r^2 + (A (a + c) + B (b - c)) r - B b with A = (1 - p) l1 and
    # B = p l0.
    a, b, c = counts
    weight = shares * (_rows(counts) - l1)
    weight = (weight / (weight + (1 - shares) * l1))[:, None]  # B, where A + B = 1
    lead = (2 * weight - 1) * c
    middle = (1 - weight) * (a + c) + weight * (b - c)
    last = weight * b
    root = np.sqrt(np.maximum(middle**2 + 4 * lead * last, 0))
    # two forms of one root, each where it does not subtract nearly equal numbers
    above = np.where(middle > 0, 2 * last, root - middle)
    below = np.where(middle > 0, middle + root, 2 * lead)
    return np.clip(np.divide(above, below, out=np.zeros_like(above), where=below > 0), 0, 1)


def _rows(counts: Binned) -> float:
    return float(sum(sample.sum() for sample in counts))


def _lost(counts: FloatArray, laws: FloatArray) -> FloatArray:
    """Return twice the log-likelihood that distributions lose against the observed shares."""
    seen = counts > 0
    ratio = counts[seen] / (counts.sum() * laws[:, seen])
    lost: FloatArray = 2 * (counts[seen] * np.log(ratio)).sum(axis=1)
    return lost


# The usual reference of a profile likelihood, chi-square with one degree of freedom, makes
# intervals far too narrow where two classes hardly differ. Moreira (2003, "A conditional likelihood
# ratio test for structural models", Econometrica 71) gives the distribution of the ratio given the
# observed strength of the direction, which holds however weak it is.

NODES, WEIGHTS = np.polynomial.legendre.leggauss(48)
# Beyond this a standard normal variable has a chance of about 2e-19.
FARTHEST = 9.0


def chance_below(ratio: FloatArray, strength: FloatArray, dimensions: int) -> FloatArray:
    """Return the chance of a smaller likelihood ratio, given the strength of the direction.

    Ratios and strengths must not be negative. O(ratios), with 48 nodes each.
    """
    from scipy.special import chdtr

    # With Q1 of one and R of `dimensions` - 1 degrees of freedom, both chi-square, a ratio is at
    # most c at strength t exactly if Q1 / c + R / (t + c) <= 1 (Moreira's formula, solved for c);
    # integrated over Q1 = c sin^2.
    root = np.sqrt(ratio)[:, None]
    widest = np.arcsin(np.minimum(1, FARTHEST / np.maximum(root, FARTHEST / 2)))
    angle = widest * (NODES + 1) / 2
    z = root * np.sin(angle)
    rest = (strength + ratio)[:, None] * np.cos(angle) ** 2
    within = chdtr(dimensions - 1, rest) if dimensions > 1 else np.ones_like(rest)
    density = np.sqrt(2 / np.pi) * np.exp(-(z**2) / 2) * root * np.cos(angle)
    chance: FloatArray = (density * within * WEIGHTS).sum(axis=1) * widest[:, 0] / 2
    return chance


# Nodes for the range of normal values, and for their standard deviation.
_PLACES, _PLACE_WEIGHTS = np.polynomial.legendre.leggauss(96)
_SPREADS, _SPREAD_WEIGHTS = np.polynomial.legendre.leggauss(64)


def range_tail(width: float, count: int, degrees: int) -> float:
    """Return the chance that the studentized range of `count` normal values exceeds a width.

    Tukey's distribution, by Gauss-Legendre quadrature. SciPy's takes 60 times as long, and warns
    where there are many degrees of freedom.
    """
    from scipy.special import ndtr

    half = 10 / math.sqrt(2 * degrees)
    low = max(0.0, 1 - half)
    spread = low + (1 + half - low) * (_SPREADS + 1) / 2
    with np.errstate(divide="ignore"):
        density = np.exp((degrees - 1) * np.log(spread) - degrees * (spread**2 - 1) / 2)
    density *= _SPREAD_WEIGHTS
    place = 8.5 * _PLACES
    normal = 8.5 * _PLACE_WEIGHTS * np.exp(-(place**2) / 2) / math.sqrt(2 * math.pi)
    between = ndtr(place) - ndtr(place - width * spread[:, None])
    within = count * (between ** (count - 1) @ normal)
    return float(np.clip(1 - density @ within / density.sum(), 0, 1))


def range_quantile(level: float, count: int, degrees: int) -> float:
    """Return the width that the studentized range keeps within with this chance."""
    from scipy.optimize import brentq

    high = 4.0
    while range_tail(high, count, degrees) > 1 - level:
        high *= 2
    return float(brentq(lambda width: range_tail(width, count, degrees) - (1 - level), 0, high))
