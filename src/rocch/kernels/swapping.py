"""Permutation tests of whole ROC curves (Venkatraman and Begg 1996; Venkatraman 2000).

Two curves are compared by the area between their hits at equal shares of alarms. If the curves are
equal, the two scores of a row (on a common scale of ranks) may change places without changing the
law of anything; for different rows, rows of one class may change samples.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from rocch.arrays import BoolArray, FloatArray, IntArray

GRID = np.linspace(0, 1, 513)
"""Shares of alarms at which curves of different rows are compared."""


MOST_RANKS = 2**14
"""More distinct ranks, and numbers of alarms, than this make the test no sharper, only slower."""


def double_ranks(scores: FloatArray) -> IntArray:
    """Return twice the mid-ranks, from 2 for the lowest; integers, ties equal."""
    _, place, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return np.asarray((2 * ends - counts + 1)[place])


def coarsened(ranks: IntArray) -> IntArray:
    """Return ranks in fewer steps where there are very many: neighbours then count as ties.

    A permutation test may use any function of the data; this one is far cheaper to compute.
    """
    return ranks // (1 + 2 * ranks.size // MOST_RANKS)


def hits_between(first: IntArray, second: IntArray, positive: BoolArray) -> float:
    """Return the mean over numbers of alarms of |hits of one - hits of the other|.

    Ranks are those of `double_ranks`, possibly exchanged between the two; equal ones alarm at the
    same time, a part of them in proportion. As a share of the positives. O(n). With very many rows
    not all numbers of alarms are looked at, but evenly spaced ones.
    """
    rows = positive.size
    alarms = np.linspace(0, rows, min(rows, MOST_RANKS) + 1)
    gap = _hits(first, positive, alarms) - _hits(second, positive, alarms)
    return float(np.abs(gap).mean()) / int(np.count_nonzero(positive))


def exchanged(first: IntArray, second: IntArray, positive: BoolArray, swapped: BoolArray) -> float:
    """Return the same after the given rows' ranks have changed places."""
    one = np.where(swapped, second, first)
    return hits_between(one, first + second - one, positive)


def _hits(ranks: IntArray, positive: BoolArray, alarms: FloatArray) -> FloatArray:
    """Return the (interpolated) hits at each number of alarms."""
    top = int(ranks.max()) + 1
    everyone = np.bincount(ranks, minlength=top)[::-1].cumsum()
    found = np.bincount(ranks[positive], minlength=top)[::-1].cumsum()
    return np.asarray(np.interp(alarms, np.append(0, everyone), np.append(0, found)))


def standing(scores: FloatArray, positive: BoolArray, share: float) -> FloatArray:
    """Return where each row stands in its sample when positives have the given share of it.

    Ranks of different samples are not comparable if their class balances differ; this is.
    """
    standings = np.zeros(scores.size)
    for rows, weight in ((positive, share), (~positive, 1 - share)):
        own = np.sort(scores[rows])
        below = np.searchsorted(own, scores, "left") + np.searchsorted(own, scores, "right")
        standings += weight * below / (2 * own.size)
    return standings


def tpr_between(
    standings: FloatArray, positive: BoolArray, member: BoolArray, share: float
) -> float:
    """Return the mean over shares of alarms of |TPR of members - TPR of the others|.

    `standings` must fall; equal ones alarm together.
    """
    ends = np.append(np.flatnonzero(np.diff(standings)), standings.size - 1)
    heights = []
    for which in (member, ~member):
        tpr, fpr = (
            np.append(0, np.cumsum(which & rows)[ends] / max(1, np.count_nonzero(which & rows)))
            for rows in (positive, ~positive)
        )
        heights.append(np.interp(GRID, share * tpr + (1 - share) * fpr, tpr))
    return float(np.abs(heights[0] - heights[1]).mean())
