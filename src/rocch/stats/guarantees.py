"""Honest hulls: how far a recommendation can be trusted that its own rows made."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.compare.honest.out_of_bag import OutOfBag
from rocch.compare.honest.paired_cost import cost_interval, paired_difference
from rocch.compare.resampling.bootstrap import resampled
from rocch.compare.resampling.bootstrapped import SAME_COST
from rocch.compare.sample import Sample
from rocch.compare.stated import as_stated
from rocch.inputs import as_level, as_whole
from rocch.roc.belief import Belief
from rocch.roc.criteria import LeastExpectedRegret

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rocch.arrays import FloatArray
    from rocch.compare.resampling.bootstrapped import Bootstrap
    from rocch.roc.conditions import Case, Conditions, Interval
    from rocch.roc.operating_point import OperatingPoint

AXIS = np.arange(1, 100) / 100
"""Where along the cost axis the optimism of the whole hull is looked at."""


@dataclass(frozen=True, slots=True)
class Rival:
    """How one classifier fares against another, each at its own best point.

    Attributes
    ----------
    winner, rival
        The recommended classifier (the one that wins most often, where never or always alarming
        is recommended), and another.
    beaten_in
        The share of resamples in which the winner costs less (half, where both cost the same).
    difference, interval
        What the rival costs more per case, both judged on rows that had no part in choosing
        their thresholds, and the interval of that.
    confidence
        That of the interval.
    where
        What was asked about, in words.
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
        said = f"{self.winner} beats {self.rival} {self.where} in {share} of resamples"
        if self.difference >= 0:
            said += f"; the difference is worth {self.difference:.3g} per case"
        else:
            said += f", but on rows left out it costs {-self.difference:.3g} more per case"
            low, high = -high, -low
        return f"{said} ({100 * self.confidence:.0f} %: {low:.3g} to {high:.3g})."


@dataclass(frozen=True, slots=True, eq=False)
class HonestChoice:
    """A recommendation, what it seems to cost, and what it costs on rows that did not choose it.

    Attributes
    ----------
    choice
        The operating point that is best on all rows.
    apparent_cost
        Its expected cost on those rows, which chose it.
    honest_cost, interval
        What the recommended rule will cost per case: what such choices cost on rows that had no
        part in making them, and an interval (Wilson's for both error rates, joined by their
        weights).
    wins
        For each classifier the share of resamples in which it is the cheapest.
    on_hull
        For each the share of resamples in which it holds a vertex of the joint hull.
    rivals
        The recommended classifier against each of the others, the strongest first.
    hull_optimism
        By how much the whole hull is too good: the mean over the cost axis of what it costs on
        other rows less what it seems to cost (normalised: whoever always errs pays 1).
    replicates, confidence
        How this was found.
    """

    choice: OperatingPoint
    apparent_cost: float
    honest_cost: float
    interval: Interval
    wins: dict[str, float]
    on_hull: dict[str, float]
    rivals: tuple[Rival, ...]
    hull_optimism: float
    replicates: int
    confidence: float

    @property
    def optimism(self) -> float:
        """By how much the recommendation costs more than it seems to."""
        return self.honest_cost - self.apparent_cost

    def __str__(self) -> str:
        lines = [
            f"Recommended: {self.choice.rule()}.",
            f"It seems to cost {self.apparent_cost:.4g} per case; on rows that did not choose it, "
            f"{self.honest_cost:.4g} ({100 * self.confidence:.0f} %: {self.interval.low:.4g} to "
            f"{self.interval.high:.4g}).",
            *map(str, self.rivals),
        ]
        return "\n".join(lines)


def honest_choice(
    y_true: Any,
    scores: Any,
    conditions: Conditions | Belief,
    *,
    prevalence: Any = None,
    pos_label: Any = None,
    groups: Any = None,
    replicates: int = 2000,
    confidence: float = 0.95,
    seed: int = 0,
    progress: Callable[[int, int], object] | None = None,
) -> HonestChoice:
    """Recommend a classifier and threshold, and say honestly what to expect of it.

    The classifiers are taken as they are (this is about the test set, not about training them
    again); what is judged is the choice among them and their thresholds: resamples choose, and the
    rows that they left out judge.

    Parameters
    ----------
    y_true, pos_label
        Labels, as for `RocCurve.from_scores`.
    scores
        Names of classifiers to their scores on these rows.
    conditions
        Exact conditions, or a belief with a unit of cost (the choice is then the one with the
        least expected regret). Only costs can be judged so, not limits such as an FPR.
    prevalence
        With a belief that has none: a number, an interval, a belief about it, or "observed".
    groups
        The cluster each row belongs to, where rows come in clusters; they are drawn, and left
        out, whole.
    replicates
        How many resamples say who wins; up to 400 of them also judge the choice
        (fewer of very many rows).
    confidence
        Of the intervals.
    seed
        What the draws follow from.
    progress
        Is called now and then with how many resamples are drawn, and how many there will be.

    Returns
    -------
    HonestChoice

    Examples
    --------
    >>> import numpy as np
    >>> import rocch
    >>> rng = np.random.default_rng(2)
    >>> y = rng.random(600) < 0.3
    >>> scores = {"gbm": rng.normal(size=600) + 1.5 * y, "nb": rng.normal(size=600) + 1.4 * y}
    >>> known = rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=3)
    >>> honest = rocch.honest_choice(y, scores, known, replicates=200)
    >>> honest.apparent_cost < honest.honest_cost
    True
    >>> print(honest.rivals[0])
    gbm beats nb at these conditions in 80 % of resamples; the difference is worth 0.0356 per case (95 %: -0.0492 to 0.12).
    """  # noqa: E501 - the output of an example is one line
    sample = Sample.of(y_true, scores, pos_label=pos_label, groups=groups)
    stated = as_stated(conditions, prevalence, "conditions")
    return judged_honestly(
        sample,
        stated,
        replicates=replicates,
        confidence=confidence,
        seed=seed,
        progress=progress,
    )


def judged_honestly(
    sample: Sample,
    stated: Conditions | Belief,
    *,
    replicates: int,
    confidence: float,
    seed: int,
    progress: Callable[[int, int], object] | None = None,
) -> HonestChoice:
    """Recommend on a sample, and judge the recommendation; see `honest_choice`."""
    level = as_level(confidence)
    many = as_whole(replicates, "replicates", least=100, do="2000 serve well.")
    drawn = resampled(sample, replicates=many, seed=seed, progress=progress)
    hull = drawn.sample_hull
    choice = hull.best(LeastExpectedRegret(stated) if isinstance(stated, Belief) else stated)
    case = drawn.case(stated)
    outside = OutOfBag.of(drawn)
    together, *alone = outside.alarms(case, (drawn.models, *((model,) for model in drawn.models)))
    cost, interval = cost_interval(drawn.sample, together, case, level)
    wins = drawn.wins(stated)
    where = "under this belief" if isinstance(stated, Belief) else "at these conditions"
    return HonestChoice(
        choice,
        float(case.cost(choice.fpr, choice.tpr)),
        cost,
        interval,
        wins,
        drawn.on_hull(),
        _rivals(drawn, alone, _winner(choice, wins), case, level, where),
        _optimism(hull.fpr, hull.tpr, outside),
        len(drawn),
        level,
    )


def _rivals(
    drawn: Bootstrap, alone: Sequence[FloatArray], winner: str, case: Case, level: float, where: str
) -> tuple[Rival, ...]:
    """Set a classifier against every other."""
    alarms = dict(zip(drawn.models, alone, strict=True))
    rows = []
    for rival in sorted(set(drawn.models) - {winner}):
        difference, interval = paired_difference(
            drawn.sample, (alarms[winner], alarms[rival]), case, level
        )
        beaten = _beaten_in(drawn, winner, rival, case)
        rows.append(Rival(winner, rival, beaten, difference, interval, level, where))
    return tuple(sorted(rows, key=lambda row: (row.beaten_in, row.rival)))


def _winner(choice: OperatingPoint, wins: dict[str, float]) -> str:
    if choice.classifier in wins:
        return choice.classifier
    return max(wins, key=lambda model: (wins[model], model))


def _beaten_in(drawn: Bootstrap, winner: str, rival: str, case: Case) -> float:
    ours, theirs = (drawn.hull(model).least_costs(case) for model in (winner, rival))
    same = np.abs(ours - theirs) <= SAME_COST * np.maximum(ours, theirs)
    return float(np.mean(np.where(same, 0.5, ours < theirs)))


def _optimism(fpr: FloatArray, tpr: FloatArray, outside: OutOfBag) -> float:
    """Return the mean over the cost axis of what the hull promises too much."""
    seems = np.min((1 - AXIS[:, None]) * fpr + AXIS[:, None] * (1 - tpr), axis=1)
    false, true = outside.rates_along(AXIS)
    return math.fsum((1 - AXIS) * false + AXIS * (1 - true) - seems) / AXIS.size
