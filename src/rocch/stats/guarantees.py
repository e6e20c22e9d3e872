"""The cost of a recommendation on rows that did not choose it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rocch.arrays import BoolArray, Columns, FloatArray, Label
from rocch.errors import UndefinedError, format_count
from rocch.inputs import as_level, as_whole
from rocch.kernels.bounds import normal_quantile
from rocch.roc.belief import Belief
from rocch.roc.conditions import Case, Conditions, Interval
from rocch.roc.criteria import LeastExpectedRegret
from rocch.roc.new_rows import design_effect, split_classes, vertex_cost
from rocch.roc.operating_point import OperatingPoint, midpoint
from rocch.rows import ScoredRows
from rocch.stats.arguments import Prevalence, as_costs_or_belief, expected_case
from rocch.stats.resampling import SAME_COST, Bootstrap, Replicate, resample

# The most and the fewest replicates that decide about rows (with 400, each row is outside the bag
# about 147 times), and the rows times models times replicates from which fewer do.
ENOUGH, FEWEST, WORK = 400, 60, 2 * 10**7

# The most replicates that evaluate the whole hull.
ENOUGH_FOR_HULL = 50

# Where along the cost axis the optimism of the whole hull is measured.
AXIS = np.arange(1, 100) / 100


def paired_difference(
    rows: ScoredRows, alarms: tuple[FloatArray, FloatArray], case: Case, confidence: float
) -> tuple[float, Interval]:
    """Return what the second decisions cost more on the same rows, and an interval.

    Half a row of each class is added to either disagreement (Agresti and Min).
    """
    change = alarms[1] - alarms[0]
    difference = spread = 0.0
    for members, factor in split_classes(rows, case):
        own = change[members]
        more, fewer = float(np.maximum(own, 0).sum()), float(np.maximum(-own, 0).sum())
        count = own.size + 2
        up, down = (more + 0.5) / count, (fewer + 0.5) / count
        variance = (up + down - (up - down) ** 2) / count * design_effect(rows, change, members)
        difference += factor * float(own.mean())
        spread += factor**2 * variance
    half = normal_quantile(confidence) * math.sqrt(spread)
    return difference, Interval(difference - half, difference + half)


# A hull is optimistic on its own rows: among many points the luckiest wins. A bootstrap replicate
# leaves out about a third of the rows. What its "bag", the others, chooses is evaluated on these.


class BagChoice(NamedTuple):
    """A model and the counts at one vertex of its hull in a replicate."""

    model: str
    false_positives: int
    true_positives: int


@dataclass(frozen=True, eq=False)
class OutOfBag:
    """The first replicates of a bootstrap, which choose models and thresholds."""

    drawn: Bootstrap
    replicates: int = ENOUGH

    @classmethod
    def of(cls, drawn: Bootstrap) -> OutOfBag:
        """Choose the number of replicates by the amount of work."""
        size = len(drawn.sample) * len(drawn.models)
        return cls(drawn, max(FEWEST, min(ENOUGH, WORK // size)))

    def alarm_rates(self, case: Case, candidates: Sequence[Sequence[str]]) -> FloatArray:
        """Return how often each row, outside the bag, is predicted positive, by set of models."""
        alarms = np.zeros((len(candidates), len(self.drawn.sample)))
        outside = np.zeros(len(self.drawn.sample))
        axis = np.array([1 / (1 + case.slope)])
        for number in range(min(self.replicates, len(self.drawn))):
            replicate = self.drawn.replicate(number)
            out = replicate.multiplicities == 0
            for counts, models in zip(alarms, candidates, strict=True):
                (choice,) = best_choices(replicate, axis, models)
                counts += out & self._decide(replicate, choice)
            outside += out
        if not outside.all():
            always = format_count(int(np.count_nonzero(outside == 0)), "row")
            raise UndefinedError(
                f"the cost on other rows is undefined, because {always} occurred in every "
                "resample. Use more replicates, or more (and smaller) groups."
            )
        return alarms / outside

    def rates_along(self, axis: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return FPR and TPR outside the bag of the best choices along the cost axis."""
        positive = self.drawn.sample.positive
        count = min(ENOUGH_FOR_HULL, self.replicates, len(self.drawn))
        rates = np.zeros((count, 2, axis.size))
        for number in range(count):
            replicate = self.drawn.replicate(number)
            out = replicate.multiplicities == 0
            choices = best_choices(replicate, axis, self.drawn.models)
            for choice in set(choices):
                alarms = self._decide(replicate, choice)
                here = [i for i, chosen in enumerate(choices) if chosen == choice]
                for side, rows in enumerate((out & ~positive, out & positive)):
                    rates[number, side, here] = alarms[rows].mean() if rows.any() else np.nan
        fpr, tpr = np.nanmean(rates, axis=0)
        return fpr, tpr

    def _decide(self, replicate: Replicate, choice: BagChoice) -> BoolArray:
        rows = self.drawn.sample
        found = choice.false_positives + choice.true_positives
        if found in (0, sum(replicate.totals)):
            return np.full(len(rows), found > 0)
        scores, thresholds = rows.scores[choice.model], self.drawn.curve(choice.model).thresholds
        if thresholds is None:
            return np.asarray(scores, dtype=bool)
        alarms = np.add(*replicate.counts(choice.model))
        first, after = np.searchsorted(alarms, [found, found + 1]) - 1
        return np.asarray(scores >= midpoint(float(thresholds[first]), float(thresholds[after])))


def best_choices(replicate: Replicate, axis: FloatArray, models: Sequence[str]) -> list[BagChoice]:
    """Return the cheapest vertex of any model's hull at points of the cost axis.

    Ties go to the fewest false positives, then to the first model.
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
        BagChoice(models[order[i]], int(x[i]), int(y[i])) for i in np.argmin(costs, axis=1).tolist()
    ]


@dataclass(frozen=True, slots=True)
class Rival:
    """How one classifier compares with another, each at its best point.

    Attributes
    ----------
    winner, rival
        The recommended classifier (or else the most frequent winner), and another.
    beaten_in
        The share of resamples in which the winner costs less; ties count half.
    difference, interval
        What the rival costs more per case on rows that did not choose the thresholds.
    confidence
        That of the interval.
    where
        Where they are compared, in words.
    """

    winner: str
    rival: str
    beaten_in: float
    difference: float
    interval: Interval
    confidence: float
    where: str = "at these conditions"

    def __str__(self) -> str:
        low, high = self.interval
        if self.beaten_in == 0.5 and self.difference == 0:
            return f"{self.winner} and {self.rival} cost the same {self.where} in every resample."
        share = f"{100 * self.beaten_in:.0f} %"
        text = f"{self.winner} beats {self.rival} {self.where} in {share} of resamples"
        if self.difference >= 0:
            text += f"; the difference is worth {self.difference:.3g} per case"
        else:
            text += f", but on rows left out it costs {-self.difference:.3g} more per case"
            low, high = -high, -low
        return f"{text} ({100 * self.confidence:.0f} %: {low:.3g} to {high:.3g})."


@dataclass(frozen=True, slots=True, eq=False)
class OutOfSampleChoice:
    """A recommendation, and its cost on the rows that chose it and on others.

    Attributes
    ----------
    choice
        The operating point that is best on all rows.
    apparent_cost
        Its expected cost on those rows.
    out_of_sample_cost, interval
        What to expect per case on new rows, and bounds for the true cost of the rule.
    wins, on_hull
        The share of resamples in which each classifier is the cheapest, and is on the joint hull.
    rivals
        The recommended classifier against the others, the strongest first.
    hull_optimism
        The mean over the cost axis of what the hull costs more on other rows.
    replicates, confidence
        As passed.
    """

    choice: OperatingPoint
    apparent_cost: float
    out_of_sample_cost: float
    interval: Interval
    wins: dict[str, float]
    on_hull: dict[str, float]
    rivals: tuple[Rival, ...]
    hull_optimism: float
    replicates: int
    confidence: float

    @property
    def optimism(self) -> float:
        """The out-of-sample cost less the apparent cost."""
        return self.out_of_sample_cost - self.apparent_cost

    def __str__(self) -> str:
        lines = [
            f"Recommended: {self.choice.rule()}.",
            f"It seems to cost {self.apparent_cost:.4g} per case; on rows that did not choose it, "
            f"{self.out_of_sample_cost:.4g} ({100 * self.confidence:.0f} %: "
            f"{self.interval.low:.4g} to {self.interval.high:.4g}).",
            *map(str, self.rivals),
        ]
        return "\n".join(lines)


def out_of_sample_choice(
    y_true: ArrayLike,
    scores: Columns,
    conditions: Conditions | Belief,
    *,
    prevalence: Prevalence | None = None,
    pos_label: Label | None = None,
    groups: ArrayLike | None = None,
    replicates: int = 2000,
    confidence: float = 0.95,
    random_state: int = 0,
    progress: Callable[[int, int], object] | None = None,
) -> OutOfSampleChoice:
    """Recommend a classifier and threshold, with the cost to expect on other rows.

    The choice among classifiers and thresholds is repeated on parts of the rows; the others show
    its cost, as for `RocHull.best(...).on_new_rows`.

    Parameters
    ----------
    y_true, scores, pos_label, groups, random_state, progress
        As for `rocch.stats.bootstrap`.
    conditions
        Exact conditions, or a belief with a unit of cost.
    prevalence
        With a belief that has none: a number, an interval, a belief, or "observed".
    replicates
        The number of resamples that count wins.
    confidence
        Of the intervals.

    Examples
    --------
    >>> import numpy as np
    >>> import rocch
    >>> rng = np.random.default_rng(2)
    >>> y = rng.random(600) < 0.3
    >>> scores = {"gbm": rng.normal(size=600) + 1.5 * y, "nb": rng.normal(size=600) + 1.4 * y}
    >>> known = rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=3)
    >>> expected = rocch.stats.out_of_sample_choice(y, scores, known, replicates=200)
    >>> expected.apparent_cost < expected.out_of_sample_cost
    True
    >>> print(expected.rivals[0])
    gbm beats nb at these conditions in 80 % of resamples; the difference is worth 0.0356 ...
    """
    level = as_level(confidence)
    count = as_whole(replicates, "replicates", least=100, hint="2000 serve well.")
    rows = ScoredRows.of(y_true, scores, pos_label=pos_label, groups=groups)
    costs = as_costs_or_belief(conditions, prevalence, "conditions")
    drawn = resample(rows, replicates=count, random_state=random_state, progress=progress)
    hull = drawn.sample_hull
    choice = hull.best(LeastExpectedRegret(costs) if isinstance(costs, Belief) else costs)
    case = expected_case(costs, drawn.sample_totals)
    outside = OutOfBag.of(drawn)
    separate = list(outside.alarm_rates(case, [(model,) for model in drawn.models]))
    told = vertex_cost(rows, case, choice, confidence=level, random_state=random_state)
    if told.expected is None or told.interval is None:
        raise UndefinedError(f"the cost on other rows is undefined, because {told.note}.")
    wins = drawn.wins(costs)
    winner = choice.classifier
    if winner not in wins:  # never or always alarming
        winner = max(wins, key=lambda model: (wins[model], model))
    where = "under this belief" if isinstance(costs, Belief) else "at these conditions"
    return OutOfSampleChoice(
        choice,
        float(case.cost(choice.fpr, choice.tpr)),
        told.expected,
        told.interval,
        wins,
        drawn.on_hull(),
        _rivals(drawn, separate, winner, case, level, where),
        _optimism(hull.fpr, hull.tpr, outside),
        len(drawn),
        level,
    )


def _rivals(
    drawn: Bootstrap,
    rates: Sequence[FloatArray],
    winner: str,
    case: Case,
    level: float,
    where: str,
) -> tuple[Rival, ...]:
    alarms = dict(zip(drawn.models, rates, strict=True))
    ours = drawn.hull(winner).least_costs(case)
    rows = []
    for rival in sorted(set(drawn.models) - {winner}):
        difference, interval = paired_difference(
            drawn.sample, (alarms[winner], alarms[rival]), case, level
        )
        theirs = drawn.hull(rival).least_costs(case)
        same = np.abs(ours - theirs) <= SAME_COST * np.maximum(ours, theirs)
        beaten = float(np.mean(np.where(same, 0.5, ours < theirs)))
        rows.append(Rival(winner, rival, beaten, difference, interval, level, where))
    return tuple(sorted(rows, key=lambda row: (row.beaten_in, row.rival)))


def _optimism(fpr: FloatArray, tpr: FloatArray, outside: OutOfBag) -> float:
    apparent = np.min((1 - AXIS[:, None]) * fpr + AXIS[:, None] * (1 - tpr), axis=1)
    false, true = outside.rates_along(AXIS)
    return math.fsum((1 - AXIS) * false + AXIS * (1 - true) - apparent) / AXIS.size
