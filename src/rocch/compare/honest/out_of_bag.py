"""Choices made on the rows that were drawn and judged on those that were not.

A hull taken on the rows that also judge it is optimistic: among many points the luckiest wins. A
bootstrap replicate leaves out about a third of the rows (its "bag" holds the others). What the bag
would have chosen is judged on the rows outside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rocch.errors import UndefinedError, quantity
from rocch.roc.operating_point import midpoint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocch.arrays import BoolArray, FloatArray
    from rocch.compare.resampling.bootstrapped import Bootstrap
    from rocch.compare.resampling.replicate import Replicate
    from rocch.roc.conditions import Case

ENOUGH, FEWEST, WORK = 400, 60, 2 * 10**7
"""So many replicates judge a choice; each row is then outside the bag about 147 times. Fewer do
where rows times models are very many, for then a mean over rows is sure without."""

ENOUGH_FOR_HULL = 50
"""So many judge a whole hull, for a mean over all conditions."""


class Setting(NamedTuple):
    """A model and the counts at one vertex of its hull in a replicate."""

    model: str
    false_positives: int
    true_positives: int


@dataclass(frozen=True, eq=False)
class OutOfBag:
    """The first replicates of a bootstrap, as makers of choices."""

    drawn: Bootstrap
    replicates: int = ENOUGH

    @classmethod
    def of(cls, drawn: Bootstrap) -> OutOfBag:
        """Take as many replicates as serve."""
        size = len(drawn.sample) * len(drawn.models)
        return cls(drawn, max(FEWEST, min(ENOUGH, WORK // size)))

    def alarms(self, case: Case, choices: Sequence[Sequence[str]]) -> FloatArray:
        """Return how often each row alarms, of the times it was outside the bag.

        Each time it is decided by what the bag would have chosen among some models, and their
        thresholds, for exact conditions. There is one row of the result for each choice of models.
        """
        alarmed = np.zeros((len(choices), len(self.drawn.sample)))
        outside = np.zeros(len(self.drawn.sample))
        axis = np.array([1 / (1 + case.slope)])
        for number in range(min(self.replicates, len(self.drawn))):
            replicate = self.drawn.replicate(number)
            out = replicate.multiplicities == 0
            for alarms, models in zip(alarmed, choices, strict=True):
                (setting,) = best_settings(replicate, axis, models)
                alarms += out & self._decided(replicate, setting)
            outside += out
        if not outside.all():
            always = quantity(int(np.count_nonzero(outside == 0)), "row")
            raise UndefinedError(
                f"nothing can be judged on {always} drawn every time. Take more replicates, or "
                "more (and smaller) groups."
            )
        return alarmed / outside

    def rates_along(self, axis: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return FPR and TPR outside the bag for the best choice at points of the cost axis."""
        positive = self.drawn.sample.positive
        count = min(ENOUGH_FOR_HULL, self.replicates, len(self.drawn))
        rates = np.zeros((count, 2, axis.size))
        for number in range(count):
            replicate = self.drawn.replicate(number)
            out = replicate.multiplicities == 0
            settings = best_settings(replicate, axis, self.drawn.models)
            for setting in set(settings):
                alarms = self._decided(replicate, setting)
                here = [i for i, chosen in enumerate(settings) if chosen == setting]
                for side, rows in enumerate((out & ~positive, out & positive)):
                    rates[number, side, here] = alarms[rows].mean() if rows.any() else np.nan
        fpr, tpr = np.nanmean(rates, axis=0)
        return fpr, tpr

    def _decided(self, replicate: Replicate, setting: Setting) -> BoolArray:
        """Return which rows of the sample alarm under what a bag has chosen.

        The threshold lies halfway between the scores of two drawn rows, as on any sample.
        """
        sample = self.drawn.sample
        found = setting.false_positives + setting.true_positives
        if found in (0, sum(replicate.totals)):
            return np.full(len(sample), found > 0)
        scores = sample.models[setting.model]
        if scores.dtype == bool:
            return np.asarray(scores, dtype=bool)
        thresholds: Any = self.drawn.curve(setting.model).thresholds
        alarms = np.add(*replicate.counts(setting.model))
        first, after = np.searchsorted(alarms, [found, found + 1]) - 1
        return np.asarray(scores >= midpoint(float(thresholds[first]), float(thresholds[after])))


def best_settings(replicate: Replicate, axis: FloatArray, models: Sequence[str]) -> list[Setting]:
    """Return the cheapest vertex of any model's hull at points of the cost axis.

    Of equals the one with the fewest false positives, and of those the first model's.
    """
    negatives, positives = replicate.totals
    corners = sorted(
        (fp, order, tp)
        for order, model in enumerate(models)
        for fp, tp in zip(*(counts.tolist() for counts in replicate.hull(model)), strict=True)
    )
    x, order, y = (np.array(column) for column in zip(*corners, strict=True))
    costs = (1 - axis[:, None]) * (x / negatives) + axis[:, None] * (1 - y / positives)
    return [
        Setting(models[order[i]], int(x[i]), int(y[i])) for i in np.argmin(costs, axis=1).tolist()
    ]
