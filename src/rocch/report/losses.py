"""The comparison of losses, under the belief asked about or under one around the costs."""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING, Any

from rocch.errors import RocchError
from rocch.report.answer import believed_standings
from rocch.report.question import MissCosts, Range
from rocch.report.summary import Losses, Pair
from rocch.roc.belief import Belief
from rocch.roc.hull import RocHull
from rocch.stats.losses import compare_losses, lc_intervals

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rocch.report.question import Question

FEW = 6
"""So many classifiers are compared pair by pair; of more, the most believed one with all others."""

USUAL = MissCosts(1.0, 3.0, 10.0)
"""The belief where nothing was said about costs that differ."""

SPREAD = 3.0
"""Costs that were stated exactly are believed to be right within this factor."""


def losses(hull: RocHull, question: Question, rows: Any, resamples: int) -> Losses:
    """Compare the classifiers' losses."""
    said = question.belief or around(question)
    low, high = question.prevalence
    prevalence = (low + high) / 2
    belief = Belief.cost_ratio(said.low, said.high, likely=said.likely)
    standings = believed_standings(hull, belief.with_prevalence(prevalence))
    pairs = _pairs(hull, belief, prevalence, standings[0].classifier, rows, resamples)
    drawn = resamples if any(pair.interval for pair in pairs) else 0
    return Losses(str(belief), *said, prevalence, drawn, standings, pairs)


def around(question: Question) -> MissCosts:
    """Return a belief around the costs of a question: how many times as bad a miss is."""
    alarm, miss = question.false_positive, question.false_negative
    if min(*alarm, *miss) <= 0:
        return USUAL
    low, high = miss.low / alarm.high, miss.high / alarm.low
    if low == high == 1:
        return USUAL
    if low == high:
        low, high = low / SPREAD, high * SPREAD
    if high > 1e8:
        return USUAL
    return MissCosts(*(float(f"{bound:.3g}") for bound in (low, math.sqrt(low * high), high)))


def _pairs(
    hull: RocHull, belief: Belief, prevalence: float, winner: str, rows: Any, resamples: int
) -> tuple[Pair, ...]:
    names = [member.name for member in hull.members]
    few = len(names) <= FEW
    if few and rows is not None and resamples and len(names) > 1:
        try:
            return _resampled(rows, belief, prevalence, resamples)
        except RocchError:  # a class with a single row has no such interval
            pass
    alone = {member.name: RocHull(hull.totals, (member,)) for member in hull.members}
    first = winner if winner in alone else names[0]
    wanted = combinations(names, 2) if few else ((first, n) for n in names if n != first)
    found = []
    for a, b in wanted:
        compared = compare_losses(
            alone[a], alone[b], prevalence=prevalence, belief=belief, names=(a, b)
        )
        found.append(Pair(a, b, compared.lc_index, None, None))
    return tuple(found)


def _resampled(
    rows: tuple[Any, Mapping[str, Any]], belief: Belief, prevalence: float, resamples: int
) -> tuple[Pair, ...]:
    options: dict[str, Any] = {"belief": belief, "prevalence": prevalence, "replicates": resamples}
    return tuple(
        Pair(p.first, p.second, p.lc_index, Range(*p.interval), p.favored)
        for p in lc_intervals(*rows, **options)
    )
