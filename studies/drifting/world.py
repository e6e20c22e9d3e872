"""The year: how prevalence and costs move, and which rows each week brings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import expit, logit
from sklearn.metrics import roc_auc_score

import rocch

if TYPE_CHECKING:
    import pandas as pd

    from rocch.arrays import BoolArray, FloatArray, IntArray

MONTHS = 12
SWING, WALK, JUMP = 0.8, 0.12, 1.2
"""In log-odds: the season's height, a week's random step, and the one sudden change."""

LEAST, MOST = 0.01, 0.6
"""Prevalence stays between these."""

DEAREST_MISS = 40.0
"""A miss costs 1 to so many false alarms, log-uniform, drawn anew each month."""


@dataclass(frozen=True)
class Plan:
    """The size of a simulated year.

    Attributes
    ----------
    weeks, rows
        How many weeks, and how many rows each brings.
    training, pool
        At most so many rows train the models, and at most so many are there to be drawn.
    trees
        In forest and boosting; fewer are quicker.
    broken_from, times
        In the year that breaks the assumption, from this week on negatives of one subgroup are so
        many times as frequent among negatives.
    """

    weeks: int = 52
    rows: int = 250
    training: int = 2000
    pool: int = 10_000
    trees: int = 50
    broken_from: int = 26
    times: float = 4.0


class Weather(NamedTuple):
    """What holds in each week: the month, the share of positives, the cost of a miss."""

    month: IntArray
    prevalence: FloatArray
    miss_cost: FloatArray


class Week(NamedTuple):
    """One week's rows as their scores, their classes, and what held."""

    month: int
    prevalence: float
    miss_cost: float
    scores: pd.DataFrame
    positive: BoolArray

    def conditions(self, prevalence: float | tuple[float, float]) -> rocch.Conditions:
        """Return the week's costs with a prevalence that may or may not be the true one."""
        return rocch.Conditions(
            prevalence=prevalence, false_positive=1, false_negative=self.miss_cost
        )

    def cost(self, alarms: BoolArray) -> float:
        """Return what decisions cost, in false alarms, per row."""
        false_alarms = np.count_nonzero(alarms & ~self.positive)
        misses = np.count_nonzero(~alarms & self.positive)
        return float(false_alarms + self.miss_cost * misses) / self.positive.size


def weather(rng: np.random.Generator, weeks: int, usual: float) -> Weather:
    """Draw a year: a season and a random walk in log-odds around the usual, and one jump."""
    week = np.arange(weeks)
    season = SWING * np.sin(2 * np.pi * (week / weeks + rng.random()))
    walk = np.cumsum(rng.normal(0, WALK, weeks))
    jump = rng.choice([-JUMP, JUMP]) * (week >= rng.integers(weeks // 4, 3 * weeks // 4))
    prevalence = np.clip(expit(logit(usual) + season + walk + jump), LEAST, MOST)
    month = week * MONTHS // weeks
    miss_cost = np.exp(rng.uniform(0, np.log(DEAREST_MISS), MONTHS))
    return Weather(month, prevalence, miss_cost[month])


def draw(
    rng: np.random.Generator, positive: BoolArray, prevalence: float, rows: int, weights: FloatArray
) -> IntArray:
    """Draw a week's rows from the pool, by class and with replacement.

    The uniform numbers do not depend on the weights, so that years which differ only from some
    week on have the same rows before it.
    """
    positives = rng.binomial(rows, prevalence)
    chances = rng.random(rows)
    parts = (positive, chances[:positives]), (~positive, chances[positives:])
    return np.concatenate([_drawn(kind, chance, weights) for kind, chance in parts])


def _drawn(kind: BoolArray, chance: FloatArray, weights: FloatArray) -> IntArray:
    rows = np.flatnonzero(kind)
    below = np.cumsum(weights[rows])
    return rows[np.searchsorted(below / below[-1], chance, side="right")]


def halves(rng: np.random.Generator, positive: BoolArray) -> IntArray:
    """Split the pool at random into two halves of equal class balance: 0 and 1."""
    half = np.empty(positive.size, dtype=np.int64)
    for kind in (positive, ~positive):
        rows = rng.permutation(np.flatnonzero(kind))
        half[rows] = np.arange(rows.size) % 2
    return half


class Subgroup(NamedTuple):
    """The rows that look like positives by one number: about a quarter of all negatives do."""

    feature: str
    high: bool
    rows: BoolArray


def subgroup(features: pd.DataFrame, positive: BoolArray) -> Subgroup:
    """Pick the numeric feature whose AUC is furthest from 1/2, and the rows at its telling end.

    It is made of all rows because it belongs to the world, not to what anyone knows about it.
    """
    numbers = features.select_dtypes("number")
    filled = numbers.fillna(numbers.median()).fillna(0.0)
    areas = {name: roc_auc_score(positive, filled[name]) for name in filled}
    feature = max(areas, key=lambda name: abs(areas[name] - 0.5))
    high = areas[feature] > 0.5
    column = filled[feature].to_numpy() * (1 if high else -1)
    return Subgroup(str(feature), high, column >= np.quantile(column[~positive], 0.75))
