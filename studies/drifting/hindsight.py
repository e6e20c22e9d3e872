"""What the year could have cost, seen from its end: bounds that nobody can reach on purpose."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

import rocch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocch.arrays import BoolArray, FloatArray
    from studies.drifting.world import Week

    Weeks = Sequence[Week]
    Answers = list[BoolArray]

EVEN = rocch.Conditions(prevalence="observed", false_positive=1, false_negative=1)


def best_fixed(weeks: Weeks) -> Answers:
    """Decide all weeks by the one model and threshold that cost least over the whole year.

    Each positive weighs what missing it costs in its week. So errors of equal cost, on weighted
    rows, are the year's cost.
    """
    positive = np.concatenate([week.positive for week in weeks])
    cost = np.concatenate([np.where(week.positive, week.miss_cost, 1.0) for week in weeks])
    scores = pd.concat([week.scores for week in weeks], ignore_index=True)
    rule = rocch.hybrid.Rule.from_point(hull_of(scores, positive, cost).best(EVEN))
    return [_decide(rule, week) for week in weeks]


def best_for_the_pool(weeks: Weeks, hulls: Sequence[rocch.RocHull]) -> Answers:
    """Decide each week by the rule that is best for all rows that could have come."""
    best = (hull.best(w.conditions(w.prevalence)) for w, hull in zip(weeks, hulls, strict=True))
    return [
        _decide(rocch.hybrid.Rule.from_point(point), week)
        for week, point in zip(weeks, best, strict=True)
    ]


def hull_of(scores: pd.DataFrame, positive: BoolArray, weights: FloatArray) -> rocch.RocHull:
    """Return the joint hull of all columns on weighted rows."""
    columns = {name: scores[name].to_numpy() for name in scores}
    return rocch.RocHull.from_scores(positive, columns, sample_weight=weights)


def _decide(rule: rocch.hybrid.Rule, week: Week) -> BoolArray:
    if not rule.models:  # never or always: there is no score to read
        return np.full(week.positive.size, rule.tpr == 1)
    alarms: BoolArray = rule.decide(week.scores)
    return alarms
