"""The cost of a recommendation on rows that did not choose it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rocch.arrays import BoolArray, Columns, FloatArray, Label
from rocch.errors import UndefinedError
from rocch.inputs import as_level, as_whole
from rocch.progress import Verbose
from rocch.results import Record, Table, Tabular
from rocch.roc.belief import Belief
from rocch.roc.conditions import Case, Conditions, Interval
from rocch.roc.criteria import LeastExpectedRegret
from rocch.roc.new_rows import vertex_cost
from rocch.roc.operating_point import OperatingPoint, midpoint
from rocch.rows import ScoredRows
from rocch.stats.arguments import Prevalence, as_costs_or_belief, expected_case
from rocch.stats.curve_tests import LeastCosts
from rocch.stats.resampling import Bootstrap, Replicate, resample
from rocch.svg import Mark, draw_intervals

# The most replicates that evaluate the whole hull.
ENOUGH_FOR_HULL = 50

# Where along the cost axis the optimism of the whole hull is measured.
AXIS = np.arange(1, 100) / 100


# A hull is optimistic on its own rows: among many points the luckiest wins. A bootstrap replicate
# leaves out about a third of the rows. What its "bag", the others, chooses is evaluated on these.


class BagChoice(NamedTuple):
    """A model and the counts at one vertex of its hull in a replicate."""

    model: str
    false_positives: int
    true_positives: int


def rates_outside(drawn: Bootstrap, axis: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return FPR and TPR outside the bag of the best choices along the cost axis."""
    positive = drawn.sample.positive
    count = min(ENOUGH_FOR_HULL, len(drawn))
    rates = np.zeros((count, 2, axis.size))
    for number in range(count):
        replicate = drawn.replicate(number)
        out = replicate.multiplicities == 0
        choices = best_choices(replicate, axis, drawn.models)
        for choice in set(choices):
            alarms = decide_by(drawn, replicate, choice)
            here = [i for i, chosen in enumerate(choices) if chosen == choice]
            for side, rows in enumerate((out & ~positive, out & positive)):
                rates[number, side, here] = alarms[rows].mean() if rows.any() else np.nan
    fpr, tpr = np.nanmean(rates, axis=0)
    return fpr, tpr


def decide_by(drawn: Bootstrap, replicate: Replicate, choice: BagChoice) -> BoolArray:
    """Return which rows of the sample a replicate's choice predicts positive."""
    rows = drawn.sample
    found = choice.false_positives + choice.true_positives
    if found in (0, sum(replicate.totals)):
        return np.full(len(rows), found > 0)
    scores, thresholds = rows.scores[choice.model], drawn.curve(choice.model).lowest_scores
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


@dataclass(frozen=True, slots=True, repr=False)
class Rival(Record):
    """How the favorite compares with another classifier, each at its own best threshold.

    Attributes
    ----------
    favorite, rival
        The recommended classifier (or else the one most often cheapest), and another.
    difference, interval
        What the rival's least cost per case is more, and a range for it that holds for all pairs of
        classifiers at once.
    p_value
        The chance of such a difference between any two classifiers if all least costs were equal.
    cheapest_in
        The share of resamples of the rows in which the rival is the cheapest of all. It describes
        the rows, and is no evidence of a difference.
    confidence
        That of the interval, and of the claim.
    where
        Where they are compared, in words.
    """

    favorite: str
    rival: str
    difference: float
    interval: Interval
    p_value: float
    cheapest_in: float
    confidence: float
    where: str = "at these conditions"

    @property
    def differs(self) -> bool:
        """Whether the data show that one of the two costs less."""
        return self.p_value <= 1 - self.confidence

    def __str__(self) -> str:
        share = f"{self.rival} is the cheapest in {100 * self.cheapest_in:.0f}% of resamples."
        pair, p_value = [self.favorite, self.rival], f"p = {self.p_value:.2g}"
        if not self.differs:
            between = " and ".join(pair)
            return f"No difference between {between} is certain {self.where} ({p_value}); {share}"
        low, high = self.interval
        if self.difference < 0:
            pair, low, high = pair[::-1], -high, -low
        return (
            f"{pair[0]} costs {abs(self.difference):.3g} less per case than {pair[1]} {self.where} "
            f"({100 * self.confidence:.0f}%: {low:.3g} to {high:.3g}; {p_value}); {share}"
        )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class OutOfSampleChoice(Tabular):
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
        The recommended classifier against the others, the cheapest first.
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
        return "\n".join((self._title(), *map(str, self.rivals)))

    def _title(self) -> str:
        return (
            f"Recommended: {self.choice.rule()}.\n"
            f"It seems to cost {self.apparent_cost:.4g} per case; on rows that did not choose it, "
            f"{self.out_of_sample_cost:.4g} ({100 * self.confidence:.0f}%: "
            f"{self.interval.low:.4g} to {self.interval.high:.4g})."
        )

    def _columns(self) -> Table:
        """Return each classifier, and what its least cost is more than the favorite's."""
        rivals = {rival.rival: rival for rival in self.rivals}
        order = [name for name in self.wins if name not in rivals] + list(rivals)
        found = [rivals.get(name) for name in order]
        return {
            "classifier": order,
            "cheapest_in": [self.wins[name] for name in order],
            "on_hull_in": [self.on_hull[name] for name in order],
            "costs_more": [rival and rival.difference for rival in found],
            "low": [rival and rival.interval.low for rival in found],
            "high": [rival and rival.interval.high for rival in found],
            "p_value": [rival and rival.p_value for rival in found],
        }

    def _picture(self) -> str:
        marks = [Mark(row.rival, *row.interval, row.difference) for row in self.rivals]
        return draw_intervals(marks, "costs more per case", reference=0)


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
    verbose: Verbose = 0,
) -> OutOfSampleChoice:
    """Recommend a classifier and threshold, with the cost to expect on other rows.

    The choice among classifiers and thresholds is repeated on parts of the rows; the others show
    its cost, as for `RocHull.best(...).on_new_rows`. Whether a rival costs more is tested as by
    `compare_curves`, for all pairs at once.

    Parameters
    ----------
    y_true, scores, pos_label, groups, random_state, verbose
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
    No difference between gbm and nb is certain at these conditions (p = ...
    """
    level = as_level(confidence)
    count = as_whole(replicates, "replicates", least=100, hint="2000 serve well.")
    rows = ScoredRows.of(y_true, scores, pos_label=pos_label, groups=groups)
    costs = as_costs_or_belief(conditions, prevalence, "conditions")
    drawn = resample(rows, replicates=count, random_state=random_state, verbose=verbose)
    hull = drawn.sample_hull
    choice = hull.best(LeastExpectedRegret(costs) if isinstance(costs, Belief) else costs)
    case = expected_case(costs, drawn.sample_totals)
    cost = vertex_cost(rows, case, choice, confidence=level, random_state=random_state)
    if cost.expected is None or cost.interval is None:
        raise UndefinedError(f"the cost on other rows is undefined, because {cost.note}.")
    wins = drawn.wins(costs)
    favorite = choice.classifier
    if favorite not in wins:  # never or always alarming
        favorite = max(wins, key=lambda model: (wins[model], model))
    where = "under this belief" if isinstance(costs, Belief) else "at these conditions"
    return OutOfSampleChoice(
        choice,
        float(case.cost(choice.fpr, choice.tpr)),
        cost.expected,
        cost.interval,
        wins,
        drawn.on_hull(),
        _rivals(rows, wins, favorite, case, level, where, random_state),
        _optimism(hull.fpr, hull.tpr, drawn),
        len(drawn),
        level,
    )


def _rivals(
    rows: ScoredRows,
    wins: dict[str, float],
    favorite: str,
    case: Case,
    level: float,
    where: str,
    random_state: int,
) -> tuple[Rival, ...]:
    models = list(rows.scores)
    if len(models) == 1:
        return ()
    tests = LeastCosts.of(rows, case, random_state)
    most = tests.critical_value(level)
    own, found = models.index(favorite), []
    for place, rival in enumerate(models):
        if rival == favorite:
            continue
        difference = float(tests.costs[place] - tests.costs[own])
        half = most * float(tests.errors[own, place])
        interval = Interval(difference - half, difference + half)
        p_value = tests.p_value(own, place, simultaneous=True)
        found.append(
            Rival(favorite, rival, difference, interval, p_value, wins[rival], level, where)
        )
    return tuple(sorted(found, key=lambda row: (row.difference, row.rival)))


def _optimism(fpr: FloatArray, tpr: FloatArray, drawn: Bootstrap) -> float:
    apparent = np.min((1 - AXIS[:, None]) * fpr + AXIS[:, None] * (1 - tpr), axis=1)
    false, true = rates_outside(drawn, AXIS)
    return math.fsum((1 - AXIS) * false + AXIS * (1 - true) - apparent) / AXIS.size
