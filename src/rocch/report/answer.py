"""Python's answer to a question; `page/geometry.js` gives the same in the page."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.report.question import Range
from rocch.report.summary import Answer, Choice, Counts, Holds, Number, Part, Standing
from rocch.report.words import sentence
from rocch.roc.belief import Belief
from rocch.roc.criteria import MinimaxRegret
from rocch.roc.operating_point import end_name
from rocch.stats.bands import rate_interval
from rocch.stats.decisions import BestProbabilities

if TYPE_CHECKING:
    from rocch.report.question import Question
    from rocch.roc.conditions import Conditions
    from rocch.roc.criteria import LinearLimit
    from rocch.roc.hull import RocHull
    from rocch.roc.operating_point import OperatingPoint, RocPoint

SMALLEST_CHANCE = 1e-12
"""Rounding errors leave so small a chance where there is none."""

NO_REGRET = 1e-12
"""A regret that is this small a part of the cost is a rounding error."""


def answer(hull: RocHull, question: Question) -> Answer:
    """Answer a question about a hull.

    Examples
    --------
    >>> import rocch
    >>> from rocch.report.answer import answer
    >>> from rocch.report.question import Question
    >>> hull = rocch.RocHull.from_scores([0, 0, 1, 1], {"nb": [0.1, 0.4, 0.35, 0.8]})
    >>> asked = Question(prevalence=0.1, false_positive=1, false_negative=(1, 3))
    >>> print(answer(hull, asked).sentence)
    Use nb at 0.6: catches 50 of 100 cases, 0 false alarms per 100 others, costs 5.00 to 15.00 per 100 rows; the choice holds for every cost in your range.
    """  # noqa: E501 - the output of an example is one line
    found = hull.best(question.criterion(), randomize=question.randomize)
    bare = Answer(
        parts=tuple(_part(hull, share, point) for share, point in found.mix),
        fpr=found.fpr,
        tpr=found.tpr,
        **_rate_intervals(hull, found),
        cost=None,
        worst_regret=None,
        expected_regret=None,
        chance=None,
        also_best=tuple(_part(hull, 1.0, other) for other in found.also_best if question.exact),
        randomizing_gains=text_if_infinite(found.randomizing_gains),
        slopes=None,
        holds="exact",
        choices=(),
        standings=(),
        per_1000=_per_1000(found, question),
        sentence="",
    )
    full = bare if question.goal == "hits" else _with_costs(hull, question, found, bare)
    return replace(full, sentence=sentence(full, question))


def text_if_infinite(value: float) -> Number:
    """Return a number as JSON can write it."""
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return value


def _part(hull: RocHull, share: float, point: RocPoint) -> Part:
    end = end_name(point.fpr, point.tpr)
    if end is not None:
        kind: Any = end
        return Part(share, kind, end, "", "", (), point.fpr, point.tpr)
    scoring = {member.name: member.scoring for member in hull.members}
    return Part(
        share,
        "scores" if scoring[point.classifier] else "labels",
        point.classifier,
        point.written_threshold,
        exact_threshold(point),
        tuple(dict.fromkeys(name for name in point.classifiers if name != point.classifier)),
        point.fpr,
        point.tpr,
    )


def exact_threshold(point: RocPoint) -> str:
    """Write the deployed threshold to its last digit; an empty text where it is no score."""
    threshold = point.deployed_threshold
    return repr(threshold) if isinstance(threshold, float) else ""


def _rate_intervals(hull: RocHull, found: OperatingPoint) -> dict[str, Range | None]:
    """Return intervals of both rates, where counts of rows stand behind them."""
    judged = hull.totals
    if judged.weighted or judged.pooled or found.randomized:
        return {"fpr_interval": None, "tpr_interval": None}
    point = found.point
    counts = (point.false_positives, judged.negatives), (point.true_positives, judged.positives)
    fpr, tpr = (Range(*rate_interval(k, n, method="wilson")) for k, n in counts)
    return {"fpr_interval": fpr, "tpr_interval": tpr}


def _per_1000(found: OperatingPoint, question: Question) -> Counts:
    ends = [found.counts(cases=1000, prevalence=share) for share in question.prevalence]
    return Counts(**{name: Range(*sorted((ends[0][name], ends[1][name]))) for name in ends[0]})


def _with_costs(hull: RocHull, question: Question, found: OperatingPoint, bare: Answer) -> Answer:
    """Add what costs and regrets say."""
    stated = question.stated()
    low, high = stated.slope_range
    limits = question.criterion().limits
    choices = _choices(hull, stated)
    full = replace(
        bare,
        slopes=(text_if_infinite(low), text_if_infinite(high)),
        choices=choices,
        cost=_cost(stated, found),
    )
    if question.exact:
        return full
    reachable = hull.reachable(limits, randomize=question.randomize)
    worst = MinimaxRegret(stated).objective(hull.totals, lambda: reachable)
    regret = max(0.0, -float(worst.score(found.fpr, found.tpr)))
    full = replace(full, worst_regret=regret)
    if isinstance(stated, Belief):
        full = replace(full, expected_regret=found.value)
    if _binding(hull, choices, limits):
        scale = abs(full.cost.high) if full.cost else 1.0
        return replace(full, holds="throughout" if regret <= NO_REGRET * scale else "depends")
    if isinstance(stated, Belief):
        chance = BestProbabilities.of(hull, stated).of_point(found.mix[0][1])[0]
        full = replace(full, chance=chance, standings=believed_standings(hull, stated))
    return replace(full, holds=_holds(hull, choices, full.parts[0]))


def _binding(hull: RocHull, choices: tuple[Choice, ...], limits: tuple[LinearLimit, ...]) -> bool:
    """Say whether limits forbid anything that could be best."""
    places = [choice.vertex for choice in choices]
    return any((limit.excess(hull.fpr[places], hull.tpr[places]) > 0).any() for limit in limits)


def _cost(stated: Conditions | Belief, found: OperatingPoint) -> Range:
    if isinstance(stated, Belief):
        expected = float(found.expected_cost or 0.0)
        return Range(expected, expected)
    costs = [float(case.cost(found.fpr, found.tpr)) for case in stated.corners()]
    return Range(min(costs), max(costs))


def _choices(hull: RocHull, stated: Conditions | Belief) -> tuple[Choice, ...]:
    """Return every vertex that is best for part of the slopes, from the lowest to the highest."""
    low, high = stated.slope_range
    edges = [math.inf, *hull.slopes.tolist(), 0.0]
    places = hull.best_for_stretch(low, high)
    regrets: list[float | None] = [None] * len(hull)
    chances: list[float | None] = [None] * len(hull)
    if low < high:
        worst = MinimaxRegret(stated).objective(hull.totals, hull.reachable)
        regrets = list(-worst.score(hull.fpr, hull.tpr) + 0.0)
    if isinstance(stated, Belief):
        masses = BestProbabilities.of(hull, stated)
        ties = np.concatenate(([0.0], masses.ties, [0.0]))
        chances = np.minimum(masses.alone + ties[:-1] + ties[1:], 1.0).tolist()
    return tuple(
        Choice(
            i,
            max(low, min(edges[i + 1], high)),
            text_if_infinite(min(high, max(edges[i], low))),
            None if regrets[i] is None else float(regrets[i] or 0.0),
            chances[i],
        )
        for i in reversed(places)
    )


def _holds(hull: RocHull, choices: tuple[Choice, ...], part: Part) -> Holds:
    """Say whether one setting, or the classifier to use, is best throughout."""
    if len(choices) == 1:
        return "throughout"
    names = [hull.vertices[choice.vertex].classifiers for choice in choices]
    return "threshold" if all(part.classifier in holders for holders in names) else "depends"


def believed_standings(hull: RocHull, belief: Belief) -> tuple[Standing, ...]:
    """Return how much of what is believed lies where each classifier wins, the most first."""
    rows = list(reversed(hull.slope_ranges()))
    edges = np.array([1 / (1 + row.high) for row in rows] + [1.0])
    upto = belief.cumulative_mass(edges[1:])
    masses: dict[str, float] = {}
    for row, mass in zip(rows, np.diff(upto, prepend=0.0).tolist(), strict=True):
        masses[row.classifier] = masses.get(row.classifier, 0.0) + max(0.0, mass)
    ranked = sorted(masses.items(), key=lambda pair: (-pair[1], pair[0]))
    return tuple(Standing(name, mass) for name, mass in ranked if mass > SMALLEST_CHANCE)
