"""One repetition: split, train, live through the year in every way, and count the costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import rocch
from studies.drifting import hindsight, policies
from studies.drifting.training import House, Rows, Task, rows_of, split, train
from studies.drifting.world import Plan, Weather, Week, draw, halves, subgroup, weather

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from rocch.arrays import BoolArray, FloatArray, IntArray
    from studies.drifting.policies import Estimates
    from studies.workbench.tables import Source

POLICIES = (
    "knob",
    "single",
    "probability",
    "estimated",
    "safest",
    "last_month",
    "feedback",
    "tuned",
    "usual",
    "kept",
    "half",
    "fixed",
    "pool",
)
"""Ways to go through the year, by the names that results have."""

YEARS = ("kept", "broken")
"""Whether the assumption that p(x|y) stays is kept."""


class Pool(NamedTuple):
    """The rows to draw from: their scores, their classes, who is in the subgroup, and halves.

    Months draw from the two halves in turn. What was tuned on one month is so never judged on the
    same rows in the next, though rows come again within months and two months later.
    """

    scores: pd.DataFrame
    positive: BoolArray
    inside: BoolArray
    half: IntArray

    def weights(self, times: float) -> FloatArray:
        """Return how often rows are drawn, if the subgroup's negatives are more frequent."""
        return np.where(self.inside & ~self.positive, times, 1.0)


def run_year(source: Source, task: Task, plan: Plan, repetition: int) -> dict[str, Any]:
    """Return the costs of every policy in every week, and what else the page tells.

    Both years have the same models and the same weather; they differ in their rows from the week
    on in which the assumption breaks.
    """
    rng = task.generator(repetition)
    rows = rows_of(source, task)
    group = subgroup(rows.features, rows.positive)
    training, places = split(rows, plan, rng)
    rest: Rows = rows.part(places)
    house, scores = train(training, rest, plan.trees)
    pool = Pool(scores, rest.positive, group.rows[places], halves(rng, rest.positive))
    year = weather(rng, plan.weeks, float(rows.positive.mean()))
    seed = int(rng.integers(2**31))
    found: dict[str, Any] = {}
    known: Estimates | None = None
    for name, times in zip(YEARS, (1.0, plan.times), strict=True):
        weeks = live(pool, year, plan, times, seed)
        before = known and known.until(plan.broken_from)  # these weeks have the same rows
        known = policies.estimate(house.hybrid, [week.scores for week in weeks], before)
        answers = decide(house, pool, weeks, known, plan, times)
        counted = {"cost": [_costs(weeks, answers[policy]) for policy in POLICIES]}
        counted |= known.numbers()
        found |= {f"{name} {what}": value for what, value in counted.items()}
    return found | _about(house, training, pool, year)


def live(pool: Pool, year: Weather, plan: Plan, times: float, seed: int) -> list[Week]:
    """Draw all weeks."""
    weeks = []
    plain, shifted = pool.weights(1.0), pool.weights(times)
    rng = np.random.default_rng(seed)
    for number, (month, prevalence, cost) in enumerate(zip(*year, strict=True)):
        weights = shifted if number >= plan.broken_from else plain
        there = weights * (pool.half == month % 2)
        rows = draw(rng, pool.positive, prevalence, plan.rows, there)
        scores = pool.scores.iloc[rows].reset_index(drop=True)
        held = int(month), float(prevalence), float(cost)
        weeks.append(Week(*held, scores, pool.positive[rows]))
    return weeks


def decide(
    house: House,
    pool: Pool,
    weeks: Sequence[Week],
    known: Estimates,
    plan: Plan,
    times: float,
) -> dict[str, list[BoolArray]]:
    """Go through a year in every way."""
    true = [week.prevalence for week in weeks]
    usual = house.prevalence
    return {
        "knob": policies.re_aimed(house.hybrid, weeks, true),
        "single": policies.re_aimed(house.single, weeks, true),
        "probability": policies.by_probability(house, weeks),
        "estimated": policies.re_aimed(house.hybrid, weeks, known.accepted(usual)),
        "safest": policies.safest(house.hybrid, weeks, known.intervals(usual)),
        "last_month": policies.re_aimed(
            house.hybrid, weeks, policies.last_months_shares(house, weeks)
        ),
        "feedback": policies.turned_by_feedback(house, weeks),
        "tuned": policies.tuned_monthly(house, weeks),
        "usual": policies.re_aimed(house.hybrid, weeks, [usual] * len(weeks)),
        "kept": policies.kept_as_begun(house, weeks),
        "half": policies.at_one_half(house.best, weeks),
        "fixed": hindsight.best_fixed(weeks),
        "pool": hindsight.best_for_the_pool(weeks, _pool_hulls(pool, weeks, plan, times)),
    }


def _pool_hulls(pool: Pool, weeks: Sequence[Week], plan: Plan, times: float) -> list[rocch.RocHull]:
    """Return the hull of all rows that could come, as often as they come, for each week."""
    plain, shifted = (
        hindsight.hull_of(pool.scores, pool.positive, pool.weights(often)) for often in (1.0, times)
    )
    return [shifted if i >= plan.broken_from else plain for i in range(len(weeks))]


def _costs(weeks: Sequence[Week], answers: list[BoolArray]) -> list[float]:
    return [week.cost(alarms) for week, alarms in zip(weeks, answers, strict=True)]


def _about(house: House, training: Rows, pool: Pool, year: Weather) -> dict[str, Any]:
    areas = [rocch.auc(house.positive, house.judged[name].to_numpy()) for name in house.judged]
    return {
        **year._asdict(),
        "auc": areas,
        "training": [training.positive.size, np.count_nonzero(training.positive)],
        "pool rows": [pool.positive.size, np.count_nonzero(pool.positive)],
    }
