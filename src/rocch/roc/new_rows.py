"""What a choice will cost on new rows.

A choice seems cheapest on the rows that made it: among many thresholds and models the luckiest
wins. So the whole procedure is repeated without a tenth of the rows at a time, and each tenth shows
what the choice of the others costs (cross-validation of frozen scores; no model is fitted again).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rocch.arrays import BoolArray, FloatArray, IntArray
from rocch.errors import InputError
from rocch.inputs import as_level, as_whole
from rocch.kernels.bounds import wilson
from rocch.roc.conditions import Case, Interval
from rocch.roc.operating_point import midpoint
from rocch.rows import ScoredRows

# Repeats a procedure on training rows, and returns whether (or how often) test rows alarm.
Decide = Callable[[IntArray, IntArray], FloatArray | BoolArray]

# Parts of the rows that are left out in turn, if there are enough rows of each class.
FOLDS = 10

# The most times that rows are cut into parts, and the scores times parts from which fewer are.
MOST_REPETITIONS, WORK = 10, 10**8

# Gains that differ by less, relative to the cost of all errors, are equal.
SAME_GAIN = 1e-12


@dataclass(frozen=True, slots=True)
class NewRowsCost:
    """What a choice is expected to cost per case on new rows.

    Attributes
    ----------
    apparent
        The cost on the evaluation rows, which is too low; None if the criterion has no cost.
    expected, interval
        What to expect on new rows, and bounds for the true cost of the rule; None without rows.
    confidence
        That of the interval.
    resamples
        How often the procedure was repeated.
    note
        Why there is no expectation.
    """

    apparent: float | None
    expected: float | None = None
    interval: Interval | None = None
    confidence: float = 0.95
    resamples: int = 0
    note: str = ""

    def __str__(self) -> str:
        seen = "" if self.apparent is None else f"{self.apparent:.3g} on the evaluation rows"
        if self.expected is None or self.interval is None:
            return f"{seen}; " * bool(seen) + f"no expected cost on new rows: {self.note}"
        low, high = self.interval
        return (
            f"expected to cost {self.expected:.3g} per case on new rows "
            f"({100 * self.confidence:.3g} %: {low:.3g} to {high:.3g}); {seen}"
        )


def estimate_new_rows_cost(
    rows: ScoredRows,
    case: Case,
    decide: Decide,
    *,
    apparent: float,
    confidence: float = 0.95,
    random_state: int = 0,
    repetitions: int = MOST_REPETITIONS,
) -> NewRowsCost:
    """Estimate what a procedure's choice costs on new rows, by repeated cross-validation.

    Parameters
    ----------
    rows
        Labels and scores. Groups are never split, nor are several entries of one row.
    case
        Prevalence and costs.
    decide
        Repeats the whole procedure (the choice of scorer, stack and threshold) on the row numbers
        of its first argument, and returns for those of the second whether, or how often, they
        alarm.
    apparent
        The cost per case of the choice on all rows.
    confidence
        Of the interval.
    random_state
        Decides how the rows are cut.
    repetitions
        How often the rows are cut into ten parts.
    """
    level = as_level(confidence)
    count = as_whole(repetitions, "repetitions", least=1)
    parts = _most_parts(rows)
    if parts < 2:
        kind = "row" if rows.groups is None else "group"
        note = f"it takes at least two {kind}s with each class to leave one out"
        return NewRowsCost(apparent, confidence=level, note=note)
    alarms = np.zeros(len(rows))
    generator = np.random.default_rng(random_state)
    for train, test in _splits(rows, parts, count, generator):
        alarms[test] += decide(train, test)
    expected, interval = cost_interval(rows, alarms / count, case, level)
    return NewRowsCost(apparent, expected, interval, level, parts * count)


def _units(rows: ScoredRows) -> IntArray:
    """Return what must stay together: the group, or else the row of the data, of each entry."""
    return np.cumsum(rows.is_first) - 1 if rows.groups is None else rows.groups


def _most_parts(rows: ScoredRows) -> int:
    units = _units(rows)
    kinds = (units[~rows.positive], units[rows.positive])
    return min(FOLDS, *(np.unique(kind).size for kind in kinds))


def _splits(
    rows: ScoredRows, parts: int, repetitions: int, generator: np.random.Generator
) -> Iterator[tuple[IntArray, IntArray]]:
    """Cut rows into parts with nearly the same classes; return the others and each part."""
    units = _units(rows)
    counts = np.array([np.bincount(units, kind) for kind in (~rows.positive, rows.positive)])
    for _ in range(repetitions):
        dealt = _deal(counts, parts, generator)
        while not _both_remain(counts, dealt, parts):
            dealt = _deal(counts, parts, generator)
        own = dealt[units]
        for number in range(parts):
            yield np.flatnonzero(own != number), np.flatnonzero(own == number)


def _deal(counts: FloatArray, parts: int, generator: np.random.Generator) -> IntArray:
    """Deal units of each kind to parts, the largest first: one to each part before the next."""
    dealt = np.empty(counts.shape[1], dtype=np.intp)
    kinds = (counts > 0).T @ (1, 2)
    for kind in np.unique(kinds):
        units = generator.permutation(np.flatnonzero(kinds == kind))
        units = units[np.argsort(-counts[:, units].sum(axis=0), kind="stable")]
        rounds = np.tile(np.arange(parts), (-(-units.size // parts), 1))
        dealt[units] = generator.permuted(rounds, axis=1).ravel()[: units.size]
    return dealt


def _both_remain(counts: FloatArray, dealt: IntArray, parts: int) -> bool:
    """Return whether each class remains, whichever part is left out."""
    return all(np.count_nonzero(np.bincount(dealt, each, parts)) > 1 for each in counts)


def cost_interval(
    rows: ScoredRows, alarms: FloatArray, case: Case, confidence: float
) -> tuple[float, Interval]:
    """Return the expected cost of decisions, and an interval.

    `alarms` holds how often each row is predicted positive. Wilson's intervals of FPR and TPR are
    joined by Zou and Donner's variance estimates recovery.
    """
    if not rows.is_first.all():
        place = np.cumsum(rows.is_first) - 1
        alarms, rows = np.bincount(place, alarms) / np.bincount(place), rows.once()
    rates, below, above = [], 0.0, 0.0
    for members, factor in split_classes(rows, case):
        rate, trials = _rate(rows, alarms, members)
        low, high = wilson(
            np.array(rate),
            np.array(rate * (1 - rate) / trials),
            confidence,
            units=trials,
            rows=trials,
        )
        down, up = rate - float(low), float(high) - rate
        below += (factor * (down if factor > 0 else up)) ** 2
        above += (factor * (up if factor > 0 else down)) ** 2
        rates.append(rate)
    cost = float(case.cost(*rates))
    return cost, Interval(cost - math.sqrt(below), cost + math.sqrt(above))


def split_classes(rows: ScoredRows, case: Case) -> tuple[tuple[BoolArray, float], ...]:
    """Return the rows of each class, and the cost of a unit of their rate of alarms."""
    alarm, miss = case.weights
    return (~rows.positive, alarm), (rows.positive, -miss)


def _rate(rows: ScoredRows, alarms: FloatArray, members: BoolArray) -> tuple[float, float]:
    """Return a class's rate of alarms, and the number of independent rows that it is worth."""
    own = alarms[members]
    weights = np.ones(own.size) if rows.weights is None else rows.weights[members]
    trials = float(weights.sum() ** 2 / (weights @ weights)) / design_effect(rows, alarms, members)
    return float(np.average(own, weights=weights)), trials


def design_effect(rows: ScoredRows, values: FloatArray, members: BoolArray) -> float:
    """Return the factor, 1 at least, by which groups increase the variance of a mean."""
    if rows.groups is None:
        return 1.0
    off = values[members] - values[members].mean()
    plain = float(off @ off)
    sums = np.bincount(rows.groups[members], off)
    return max(1.0, float(sums @ sums) / plain) if plain else 1.0


def join_rows(parts: Sequence[ScoredRows | None]) -> ScoredRows | None:
    """Return the scores of several classifiers as one; None if one of them has no rows."""
    known = [part for part in parts if part is not None]
    if not known or len(known) < len(parts):
        return None
    return replace(known[0], scores={name: s for part in known for name, s in part.scores.items()})


def changed_rows(got: str) -> InputError:
    """Return the error for arrays that were changed after a hull was built from them."""
    return InputError(
        "scores and labels",
        "stay as they were when the hull was built from them",
        got,
        "Build the hull again, or pass copies.",
    )


def vertex_cost(rows: ScoredRows, case: Case, apparent: float) -> NewRowsCost:
    """Estimate what the cheapest vertex of the joint hull costs on new rows."""
    choose = HullProcedure(rows, case)
    every = np.arange(len(rows))
    fpr, tpr = (
        n / total for n, total in zip(rows.count(choose(every, every)), rows.totals, strict=True)
    )
    if not math.isclose(
        case.cost(fpr, tpr), apparent, rel_tol=1e-9, abs_tol=1e-12 * sum(case.weights)
    ):
        raise changed_rows("changed ones")
    return estimate_new_rows_cost(
        rows, case, choose, apparent=apparent, repetitions=choose.repetitions
    )


class HullProcedure:
    """The choice of the cheapest vertex of the joint hull, repeated on some of the rows.

    Scores are sorted once; a choice takes O(rows x models).
    """

    def __init__(self, rows: ScoredRows, case: Case) -> None:
        self.rows = rows
        self.alarm, self.miss = case.weights
        self._orders = {}
        for name in sorted(rows.scores):
            scores = np.asarray(rows.scores[name], dtype=np.float64)
            order = np.argsort(-scores, kind="stable")
            ends = np.flatnonzero(np.append(np.diff(scores[order]) != 0, True))
            self._orders[name] = scores, order, ends

    @property
    def repetitions(self) -> int:
        """How often rows are cut into parts, by the amount of work."""
        scores = max(1, len(self.rows) * len(self.rows.scores))
        return max(1, min(MOST_REPETITIONS, WORK // (FOLDS * scores)))

    def __call__(self, train: IntArray, test: IntArray) -> BoolArray:
        """Choose on training rows, and return which test rows alarm."""
        units = self.rows.units[0]
        present = np.zeros(len(self.rows), dtype=np.int64)
        present[train] = 1 if units is None else units[train]
        positives = int(present[self.rows.positive].sum())
        negatives = int(present.sum()) - positives
        slack = SAME_GAIN * (self.alarm + self.miss)
        best = (0.0, 0, "", 0)  # gain, false positives, model and place; at first never alarming
        for name, (_, order, ends) in self._orders.items():
            drawn = present[order]
            alarms = np.cumsum(drawn)[ends]
            hits = np.cumsum(drawn * self.rows.positive[order])[ends]
            gains = hits * (self.miss / positives) - (alarms - hits) * (self.alarm / negatives)
            top = float(gains.max())
            if top < best[0] - slack:
                continue
            place = int(np.argmax(gains >= top - slack))
            found = (top, int(alarms[place] - hits[place]), name, place)
            if top > best[0] + slack or found[1] < best[1]:
                best = found
        return self._apply(present, best[2], best[3], test)

    def _apply(self, present: IntArray, name: str, place: int, test: IntArray) -> BoolArray:
        if not name:
            return np.zeros(test.size, dtype=bool)
        scores, order, ends = self._orders[name]
        drawn = present[order] > 0
        after = ends[place] + 1
        if not drawn[after:].any():
            return np.ones(test.size, dtype=bool)
        lowest = after - 1 - int(np.argmax(drawn[:after][::-1]))
        next_lower = after + int(np.argmax(drawn[after:]))
        threshold = midpoint(float(scores[order[lowest]]), float(scores[order[next_lower]]))
        return np.asarray(scores[test] >= threshold)
