"""Measure what tuning by feedback gains under drift, against settings that stay.

Regret is expected cost above that of the best vertex for each period's true conditions, per 1,000
cases. Nothing is estimated there: the scores are normal, so the true rates are known.

    python benchmarks/tuning.py    # about two minutes
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.special import ndtr

import rocch

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocch.arrays import BoolArray, FloatArray

PERIODS, CASES, SEEDS = 240, 500, 20
FIRST_SEED = 100
"""Smaller ones served to choose the tuner's defaults, so they would flatter it."""
CAPACITY = 60
FALSE_ALARM = 1.0
SCALES = {"gbm": (1.6, 1.0), "bayes": (2.4, 2.0)}
"""Each classifier's mean for positives (0 for negatives) and its standard deviation."""


class World(NamedTuple):
    """What holds in each period: the share of positives, and the cost of a miss."""

    prevalence: FloatArray
    miss: FloatArray


def worlds() -> dict[str, World]:
    """Return the drifts by name."""
    time = np.arange(PERIODS)
    dear = np.full(PERIODS, 5.0)
    rare = np.full(PERIODS, 0.1)
    return {
        "constant": World(rare, dear),
        "sudden": World(np.where(time < PERIODS // 3, 0.05, 0.25), dear),
        "slow": World(np.linspace(0.05, 0.3, PERIODS), dear),
        "seasonal": World(0.15 - 0.11 * np.cos(2 * np.pi * time / (PERIODS / 2)), dear),
        "costs, sudden": World(rare, np.where(time < PERIODS // 3, 2.0, 20.0)),
        "costs, slow": World(rare, np.geomspace(2.0, 30.0, PERIODS)),
    }


class Rows:
    """A hybrid whose rows are the scores themselves: one column for each classifier."""

    def __init__(self, hull: rocch.RocHull) -> None:
        self.hull_ = hull

    def at(self, point: rocch.roc.OperatingPoint) -> AimedRows:
        """Aim at an operating point."""
        return AimedRows(point)


@dataclass(frozen=True)
class AimedRows:
    """The same, aimed."""

    point: rocch.roc.OperatingPoint

    def decision_probability(self, X: FloatArray) -> FloatArray:
        """Return the probability of an alarm for each row."""
        return np.asarray(sum(share * alarms(vertex, X) for share, vertex in self.point.mix))

    def predict(self, X: FloatArray) -> BoolArray:
        """Return which rows alarm, where nothing is mixed."""
        return np.asarray(self.decision_probability(X) == 1)


def alarms(vertex: rocch.roc.RocPoint, scores: FloatArray) -> FloatArray:
    """Return 1 for each row that alarms at a vertex."""
    if not isinstance(vertex.threshold, float):
        return np.full(len(scores), vertex.fpr)
    column = scores[:, list(SCALES).index(vertex.classifier)]
    return (column >= vertex.threshold).astype(float)


def draw(rng: np.random.Generator, positive: BoolArray) -> FloatArray:
    """Draw the rows' scores."""
    columns = [rng.normal(mean * positive, sd) for mean, sd in SCALES.values()]
    return np.stack(columns, axis=1)


def true_rates(vertex: rocch.roc.RocPoint) -> tuple[float, float]:
    """Return a vertex's true FPR and TPR."""
    if not isinstance(vertex.threshold, float):
        return vertex.fpr, vertex.tpr
    mean, sd = SCALES[vertex.classifier]
    return tuple(float(ndtr((m - vertex.threshold) / sd)) for m in (0.0, mean))  # type: ignore[return-value]


def build(seed: int = 0, size: int = 20_000) -> rocch.RocHull:
    """Build the hull that all runs share."""
    rng = np.random.default_rng(seed)
    positive = rng.random(size) < 0.3
    scores = draw(rng, positive)
    return rocch.RocHull.from_scores(positive, dict(zip(SCALES, scores.T, strict=True)))


def costs(hull: rocch.RocHull, world: World) -> FloatArray:
    """Return the true expected cost per 1,000 cases, for each period and vertex."""
    fpr, tpr = np.array([true_rates(vertex) for vertex in hull]).T
    p, miss = world.prevalence[:, None], world.miss[:, None]
    return np.asarray(1000 * ((1 - p) * FALSE_ALARM * fpr + p * miss * (1 - tpr)))


class Feedback(NamedTuple):
    """How the tuner hears of what happened."""

    kind: str
    mislabeled: float = 0.0
    delay: int = 0
    share: float = 0.0


FEEDBACK = {
    "all outcomes": Feedback("outcomes"),
    "5% mislabeled, 10 periods late": Feedback("outcomes", mislabeled=0.05, delay=10),
    "60 periods late": Feedback("outcomes", delay=60),
    "alarms and 5% of the others": Feedback("explored", share=0.05),
    "alarms and 20% of the others": Feedback("explored", share=0.2),
    "cost of the period only": Feedback("cost"),
}
STEPS = {"cost": {"probe": True, "step": 0.15, "least_step": 0.1}}
"""Costs alone are so noisy that neighbors must be far apart to be told apart at all."""


class Period(NamedTuple):
    """What happened in one period at one setting."""

    setting: rocch.roc.Knob
    scores: FloatArray
    seen: BoolArray
    """The classes as they become known, right or wrong."""
    alarmed: BoolArray
    miss: float
    keys: list[int]


def first_conditions(world: World) -> rocch.Conditions:
    """Return what is known at the start: the conditions of the first period."""
    return rocch.Conditions(
        prevalence=float(world.prevalence[0]),
        false_positive=FALSE_ALARM,
        false_negative=float(world.miss[0]),
    )


def run(hull: rocch.RocHull, world: World, given: Feedback, seed: int) -> list[int]:
    """Return the vertex that the tuner ran in each period."""
    rng = np.random.default_rng([seed, 1])
    options: dict[str, Any] = STEPS.get(given.kind, {})
    if given.kind == "load":
        options = {"start": filling(hull, world)}
    tuner = rocch.hybrid.KnobTuner(Rows(hull), first_conditions(world), seed=seed, **options)
    place = {rocch.roc.Knob.of(vertex): i for i, vertex in enumerate(hull)}
    ran: list[int] = []
    waiting: list[Callable[[], Any]] = []
    for period in range(PERIODS):
        ran.append(place[tuner.setting])
        waiting.append(heard(tuner, happened(tuner, world, period, given, rng), given))
        if len(waiting) > given.delay:
            waiting.pop(0)()
    return ran


def filling(hull: rocch.RocHull, world: World) -> rocch.roc.Knob:
    """Return the setting that fills the capacity in the first period."""
    positives = CASES * float(world.prevalence[0])
    full = rocch.Capacity(CAPACITY, positives=positives, negatives=CASES - positives)
    return rocch.roc.Knob.of(rocch.roc.Knob.of(hull.best(full, randomize=True)).on(hull))


def happened(
    tuner: rocch.hybrid.KnobTuner,
    world: World,
    period: int,
    given: Feedback,
    rng: np.random.Generator,
) -> Period:
    """Draw the cases of a period."""
    positive = rng.random(CASES) < world.prevalence[period]
    scores = draw(rng, positive)
    seen = positive ^ (rng.random(CASES) < given.mislabeled)
    alarmed = tuner.aimed.predict(scores)
    keys = list(range(period * CASES, (period + 1) * CASES))
    return Period(tuner.setting, scores, seen, alarmed, float(world.miss[period]), keys)


def heard(tuner: rocch.hybrid.KnobTuner, past: Period, given: Feedback) -> Callable[[], Any]:
    """Return the feedback about a period, to be given when its time comes."""
    if given.kind == "outcomes":
        return partial(tuner.outcomes, past.scores, past.seen, complete=True)
    if given.kind == "load":
        count = int(past.alarmed.sum())
        return partial(tuner.load, alarms=count, capacity=CAPACITY, setting=past.setting)
    if given.kind == "cost":
        false_alarms, misses = (past.alarmed & ~past.seen).sum(), (~past.alarmed & past.seen).sum()
        spent = float(FALSE_ALARM * false_alarms + past.miss * misses)
        return partial(tuner.observed_cost, spent, cases=CASES, setting=past.setting)
    chosen = tuner.explore(past.scores, share=given.share, row_key=past.keys)
    rows, labels = past.scores[chosen.review], past.seen[chosen.review]
    return partial(tuner.outcomes, rows, labels, propensities=chosen.reviewed_propensities)


class Regrets(NamedTuple):
    """Regret per period: of the setting at the start, the best that stays, and the tuner's runs."""

    least_cost: float
    start: FloatArray
    best_fixed: FloatArray
    tuned: FloatArray


def regrets(hull: rocch.RocHull, world: World, given: Feedback, seeds: range) -> Regrets:
    """Compare one way of feedback in one world."""
    cost = costs(hull, world)
    least = cost.min(axis=1, keepdims=True)
    regret = cost - least
    start = hull.vertices.index(hull.best(first_conditions(world)).point)
    paths = np.array([run(hull, world, given, seed) for seed in seeds])
    return Regrets(
        float(least.mean()),
        regret[:, start],
        regret[:, regret.sum(axis=0).argmin()],
        regret[np.arange(PERIODS), paths],
    )


def print_regrets(hull: rocch.RocHull, seeds: range) -> None:
    """Print the table of regrets."""
    print("| drift | feedback | least cost | start kept | best kept | tuned |")
    print("|---|---|---:|---:|---:|---:|")
    for drift, world in worlds().items():
        for name, kind in FEEDBACK.items():
            if drift.startswith("costs") and kind.kind != "cost":
                continue  # outcomes are weighed with the costs one knows; moving ones are not seen
            one = regrets(hull, world, kind, seeds)
            each = one.tuned.mean(axis=1)
            print(
                f"| {drift} | {name} | {one.least_cost:.0f} | {one.start.mean():.1f} "
                f"| {one.best_fixed.mean():.1f} "
                f"| {each.mean():.1f} ± {each.std(ddof=1) / len(each) ** 0.5:.1f} |",
                flush=True,
            )


def print_loads(hull: rocch.RocHull, seeds: range) -> None:
    """Print how far the expected number of alarms was from the capacity."""
    print(f"\n| drift | off {CAPACITY} alarms, start kept | tuned by load |")
    print("|---|---:|---:|")
    fpr, tpr = np.array([true_rates(vertex) for vertex in hull]).T
    for drift in ("constant", "sudden", "slow", "seasonal"):
        world = worlds()[drift]
        p = world.prevalence[:, None]
        off = abs(CASES * ((1 - p) * fpr + p * tpr) / CAPACITY - 1)
        start = hull.vertices.index(filling(hull, world).on(hull).point)
        paths = np.array([run(hull, world, Feedback("load"), seed) for seed in seeds])
        each = off[np.arange(PERIODS), paths].mean(axis=1)
        error = each.std(ddof=1) / len(each) ** 0.5
        kept = off[:, start].mean()
        print(f"| {drift} | {kept:.1%} | {each.mean():.1%} ± {error:.1%} |", flush=True)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=SEEDS)
    given = parser.parse_args()
    hull = build()
    seeds = range(FIRST_SEED, FIRST_SEED + given.seeds)
    print(f"{len(hull)} vertices, {PERIODS} periods of {CASES} cases, {len(seeds)} seeds\n")
    print_regrets(hull, seeds)
    print_loads(hull, seeds)


if __name__ == "__main__":
    main()
