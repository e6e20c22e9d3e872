"""Sensitivity of the choice to the conditions (Provost and Fawcett, section 2.2.6).

Shortfalls follow Figure 8c of an earlier text of the paper.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from rocch.arrays import FloatArray
from rocch.errors import join_words
from rocch.results import Record, Records, Table, Tabular, collect
from rocch.roc.conditions import Conditions, Interval, format_ratios
from rocch.roc.criteria import Path
from rocch.roc.operating_point import ALWAYS, NEVER, OperatingPoint, RocPoint
from rocch.svg import Mark, draw_ranges


@dataclass(frozen=True, slots=True, repr=False)
class WinningRange(Record):
    """A range of slopes or probability costs, and the classifier that wins there."""

    classifier: str
    low: float
    high: float

    def __str__(self) -> str:
        end = "inf)" if math.isinf(self.high) else f"{self.high:.4g}]"
        return f"[{self.low:.4g}, {end} {self.classifier}"

    @classmethod
    def _draw(cls, records: Sequence[WinningRange]) -> str:
        return draw_ranges([Mark(row.classifier, row.low, row.high) for row in records], "range")


def fewest_ranges(
    edges: Sequence[float],
    names: Sequence[Sequence[str]],
    bounds: Interval | None,
) -> Records[WinningRange]:
    """Cover the slope axis with as few ranges as possible; ties go to the first by name.

    `names[i]` win between `edges[i]` and `edges[i + 1]`.
    """
    low, high = bounds or (0.0, math.inf)
    stretches = [
        (max(left, low), min(right, high), set(holders))
        for (left, right), holders in zip(pairwise(edges), names, strict=True)
        if max(left, low) < min(right, high)
    ]
    if not stretches:  # bounds that meet in one slope
        holders = next(h for e, h in zip(edges[1:], names, strict=True) if e >= low)
        return Records([WinningRange(min(holders), low, high)])
    rows: list[WinningRange] = []
    start = 0
    while start < len(stretches):
        lengths = {name: _run_length(stretches[start:], name) for name in stretches[start][2]}
        # greedy: the longest run each time gives the fewest ranges
        winner = min(lengths, key=lambda name: (-lengths[name], name))
        end = start + lengths[winner]
        rows.append(WinningRange(winner, stretches[start][0], stretches[end - 1][1]))
        start = end
    return Records(rows)


def _run_length(stretches: Sequence[tuple[float, float, set[str]]], name: str) -> int:
    """Return how many stretches a classifier wins in a row."""
    wins = (name in holders for *_, holders in stretches)
    return next((length for length, won in enumerate(wins) if not won), len(stretches))


@dataclass(frozen=True, slots=True, repr=False)
class Choice(Record):
    """A vertex that is best for part of the range of slopes.

    `worst_regret` is the most that it can cost, per case, beyond the best choice.
    """

    point: RocPoint
    low: float
    high: float
    worst_regret: float

    def _row(self) -> dict[str, Any]:
        span = {"slope_low": self.low, "slope_high": self.high}
        return {**self.point._row(), **span, "worst_regret": self.worst_regret}


@dataclass(frozen=True, slots=True, repr=False)
class Shortfall(Record):
    """How much a classifier must improve to beat a trivial one at a slope.

    Measured at its point of highest TPR / FPR (against *never*) or lowest (1 - TPR) / (1 - FPR)
    (against *always*). Either `tpr_gain` or `fpr_cut` is enough; one that is impossible is None.
    """

    classifier: str
    rival: str
    slope: float
    fpr: float
    tpr: float
    tpr_gain: float | None
    fpr_cut: float | None


@dataclass(frozen=True, slots=True, repr=False)
class Sensitivity(Tabular):
    """Which choices can be best under interval conditions.

    Attributes
    ----------
    slope_range
        The slopes that the conditions allow.
    choices
        Every vertex that is best for part of that range, by rising slope.
    switches
        The slopes within the range at which the best vertex changes.
    minimax
        The operating point with the least worst regret (its `value`); it need not be best anywhere.
    never_range, always_range
        The part of the range in which never (or always) alarming is best, if any.
    shortfalls
        How much each classifier must improve to beat that.
    """

    conditions: Conditions
    slope_range: Interval
    choices: tuple[Choice, ...]
    switches: tuple[float, ...]
    minimax: OperatingPoint
    never_range: Interval | None
    always_range: Interval | None
    shortfalls: Records[Shortfall]

    @property
    def cost_ratios(self) -> Interval:
        """How many times as bad as a false alarm a miss is, within the conditions."""
        return self.conditions.cost_ratio_range

    @property
    def insensitive(self) -> bool:
        """Whether one point is best throughout."""
        return len(self.choices) == 1

    @property
    def classifiers(self) -> tuple[str, ...]:
        """The classifiers that can be best, sorted by name."""
        return tuple(sorted({choice.point.classifier for choice in self.choices}))

    @property
    def same_classifier(self) -> str | None:
        """The one classifier that is best throughout, if any; its threshold may move."""
        shared = set.intersection(*(set(choice.point.classifiers) for choice in self.choices))
        return min(shared) if shared else None

    def __str__(self) -> str:
        low, high = self.slope_range
        if self.insensitive:
            return f"One choice is best throughout: {self.choices[0].point.rule()}."
        if self.same_classifier is not None:
            return (
                f"{self.same_classifier} is best throughout; only its threshold moves "
                f"({len(self.choices)} settings between slopes {low:.4g} and {high:.4g}, where a "
                f"miss is {format_ratios(self.cost_ratios)} times as bad as a false alarm)."
            )
        among = any(choice.point.tpr == self.minimax.tpr for choice in self.choices)
        between = "" if among else " (a point between those that can be best)"
        return (
            f"The choice depends on what is unknown: {join_words(self.classifiers)} can each be "
            f"best. The safest is to {self.minimax.rule()}{between}: it costs at most "
            f"{self.minimax.value:.4g} more per case than the best choice."
        )

    def _columns(self) -> Table:
        columns = collect(self.choices)
        if self._odds is not None:
            ratios = [self._ratios(choice, self._odds) for choice in self.choices]
            columns["cost_ratio_low"], columns["cost_ratio_high"] = map(list, zip(*ratios))  # noqa: B905
        return columns

    def _picture(self) -> str:
        if len(self.choices) < 2:
            return ""
        names = [choice.point.rule().removeprefix("alarm when ") for choice in self.choices]
        if self._odds is None:
            ends = [(choice.low, choice.high) for choice in self.choices]
            label = "slope: above, fewer alarms are best"
        else:
            ends = [self._ratios(choice, self._odds) for choice in self.choices]
            label = "a miss is this many times as bad as a false alarm"
        return draw_ranges([Mark(n, *pair) for n, pair in zip(names, ends, strict=True)], label)

    @property
    def _odds(self) -> float | None:
        """Negatives per positive, if the prevalence is one number."""
        span = self.conditions.prevalence
        if not isinstance(span, Interval) or not span.exact or not 0 < span.low < 1:
            return None
        return (1 - span.low) / span.low

    @staticmethod
    def _ratios(choice: Choice, odds: float) -> tuple[float, float]:
        """Return the cost ratios for which a choice is best."""
        low, high = (odds / slope if slope else math.inf for slope in (choice.high, choice.low))
        return low, high


def analyze(
    conditions: Conditions,
    vertices: Sequence[RocPoint],
    slopes: FloatArray,
    best: Iterable[int],
    regrets: FloatArray,
    minimax: OperatingPoint,
    own_points: Mapping[str, Path],
) -> Sensitivity:
    """Analyze the sensitivity of a hull; see `RocHull.sensitivity`."""
    span = conditions.slope_range
    edges = [math.inf, *slopes.tolist(), 0.0]
    indices = list(best)
    choices = tuple(
        Choice(
            vertices[i],
            max(span.low, min(edges[i + 1], span.high)),
            min(span.high, max(edges[i], span.low)),
            float(regrets[i]),
        )
        for i in reversed(indices)
    )
    never = _overlap(Interval(edges[1], math.inf), span) if 0 in indices else None
    last = len(vertices) - 1
    always = _overlap(Interval(0.0, edges[-2]), span) if last in indices else None
    return Sensitivity(
        conditions,
        span,
        choices,
        tuple(sorted(slope for slope in slopes.tolist() if span.low < slope < span.high)),
        minimax,
        never,
        always,
        Records(_shortfalls(own_points, {NEVER: never, ALWAYS: always})),
    )


def _overlap(one: Interval, other: Interval) -> Interval | None:
    low, high = max(one.low, other.low), min(one.high, other.high)
    return Interval(low, high) if low <= high else None


def _shortfalls(
    own_points: Mapping[str, Path], ranges: Mapping[str, Interval | None]
) -> Iterator[Shortfall]:
    """Measure classifiers at both ends of the trivial ones' ranges."""
    for rival, span in ranges.items():
        slopes = sorted({slope for slope in span or () if 0 < slope < math.inf})
        for name, (fpr, tpr) in own_points.items():
            if fpr.size:
                x, y = _closest(fpr, tpr, rival)
                for slope in slopes:
                    line = slope * x if rival == NEVER else 1 - slope * (1 - x)
                    gap = max(line - y, 0.0)
                    gain = gap if gap <= 1 - y else None
                    cut = gap / slope if gap / slope <= x else None
                    yield Shortfall(name, rival, slope, x, y, gain, cut)


def _closest(fpr: FloatArray, tpr: FloatArray, rival: str) -> tuple[float, float]:
    """Return the point that comes closest to beating a trivial classifier."""
    good, bad = (tpr, fpr) if rival == NEVER else (1 - fpr, 1 - tpr)
    with np.errstate(divide="ignore", invalid="ignore"):
        place = int(np.argmax(np.where(bad > 0, good / bad, np.where(good > 0, np.inf, 0.0))))
    return float(fpr[place]), float(tpr[place])
