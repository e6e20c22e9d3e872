"""Measure what tuning by feedback gains under drift, against settings that stay.

Regret is expected cost above that of the best vertex for each period's true conditions, per 1,000
cases. Nothing is estimated there: the scores are normal, so the true rates are known.

    python benchmarks/tuning.py                                   # the tables, about a minute
    python benchmarks/tuning.py --picture docs/images/tuning-regret.png
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.special import ndtr

import rocch

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocch.arrays import BoolArray, FloatArray

PERIODS, CASES, SEEDS = 240, 500, 20
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

    def at(self, point: rocch.OperatingPoint) -> AimedRows:
        """Aim at an operating point."""
        return AimedRows(point)


@dataclass(frozen=True)
class AimedRows:
    """The same, aimed."""

    point: rocch.OperatingPoint

    def decision_probability(self, X: FloatArray) -> FloatArray:  # noqa: N803 - as in scikit-learn
        """Return the probability of an alarm for each row."""
        return np.asarray(sum(share * alarms(vertex, X) for share, vertex in self.point.mix))


def alarms(vertex: rocch.RocPoint, scores: FloatArray) -> FloatArray:
    """Return 1 for each row that alarms at a vertex."""
    if not isinstance(vertex.deployed_threshold, float):
        return np.full(len(scores), vertex.fpr)
    column = scores[:, list(SCALES).index(vertex.classifier)]
    return (column >= vertex.deployed_threshold).astype(float)


def draw(rng: np.random.Generator, positive: BoolArray) -> FloatArray:
    """Draw the rows' scores."""
    columns = [rng.normal(mean * positive, sd) for mean, sd in SCALES.values()]
    return np.stack(columns, axis=1)


def true_rates(vertex: rocch.RocPoint) -> tuple[float, float]:
    """Return a vertex's true FPR and TPR."""
    if not isinstance(vertex.deployed_threshold, float):
        return vertex.fpr, vertex.tpr
    mean, sd = SCALES[vertex.classifier]
    return tuple(float(ndtr((m - vertex.deployed_threshold) / sd)) for m in (0.0, mean))  # type: ignore[return-value]


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
    mislabelled: float = 0.0
    delay: int = 0
    share: float = 0.0


FEEDBACK = {
    "all outcomes": Feedback("outcomes"),
    "5 % mislabelled, 10 periods late": Feedback("outcomes", mislabelled=0.05, delay=10),
    "alarms and 5 % of the others": Feedback("explored", share=0.05),
    "cost of the period only": Feedback("cost"),
}


def run(hull: rocch.RocHull, world: World, given: Feedback, seed: int) -> list[int]:
    """Return the vertex that the tuner ran in each period."""
    rng = np.random.default_rng([seed, 1])
    known = rocch.Conditions(
        prevalence=float(world.prevalence[0]),
        false_positive=FALSE_ALARM,
        false_negative=float(world.miss[0]),
    )
    tuner = rocch.KnobTuner(Rows(hull), known, probe=given.kind == "cost", seed=seed)
    place = {rocch.Knob.of(vertex): i for i, vertex in enumerate(hull)}
    ran: list[int] = []
    waiting: list[Callable[[], Any]] = []
    for period in range(PERIODS):
        setting = tuner.setting
        ran.append(place[setting])
        positive = rng.random(CASES) < world.prevalence[period]
        scores = draw(rng, positive)
        seen = positive ^ (rng.random(CASES) < given.mislabelled)
        alarmed = tuner.aimed.decision_probability(scores) > 0
        if given.kind == "cost":
            spent = FALSE_ALARM * (alarmed & ~seen).sum()
            spent += world.miss[period] * (~alarmed & seen).sum()
            waiting.append(
                lambda s=spent, at=setting: tuner.observed_cost(s, cases=CASES, setting=at)
            )
        elif given.kind == "outcomes":
            waiting.append(lambda x=scores, y=seen: tuner.outcomes(x, y, complete=True))
        else:
            keys = range(period * CASES, (period + 1) * CASES)
            waiting.append(reviewed(tuner, scores, seen, list(keys), given.share))
        if len(waiting) > given.delay:
            waiting.pop(0)()
    return ran


def reviewed(
    tuner: rocch.KnobTuner, scores: FloatArray, seen: BoolArray, keys: list[int], share: float
) -> Callable[[], Any]:
    """Choose rows to review now, and hear of them later."""
    chosen = tuner.explore(scores, share=share, row_key=keys)
    rows, labels = scores[chosen.review], seen[chosen.review]
    return lambda: tuner.outcomes(rows, labels, propensities=chosen.reviewed_propensities)


class Regrets(NamedTuple):
    """Regret per period: of the setting at the start, the best that stays, and the tuner's runs."""

    start: FloatArray
    best_fixed: FloatArray
    tuned: FloatArray
    moves: float


def regrets(hull: rocch.RocHull, world: World, given: Feedback, seeds: int) -> Regrets:
    """Compare one way of feedback in one world."""
    cost = costs(hull, world)
    regret = cost - cost.min(axis=1, keepdims=True)
    paths = np.array([run(hull, world, given, seed) for seed in range(seeds)])
    moves = float((np.diff(paths) != 0).sum(axis=1).mean())
    known = rocch.Conditions(
        prevalence=float(world.prevalence[0]),
        false_positive=FALSE_ALARM,
        false_negative=float(world.miss[0]),
    )
    start = int(np.flatnonzero(hull.fpr == hull.best(known).fpr)[-1])
    tuned = regret[np.arange(PERIODS), paths]
    return Regrets(regret[:, start], regret[:, regret.sum(axis=0).argmin()], tuned, moves)


def main() -> None:
    """Print the tables and draw the picture."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--picture", type=Path)
    given = parser.parse_args()
    hull = build()
    print(f"{len(hull)} vertices, {PERIODS} periods of {CASES} cases, {given.seeds} seeds\n")
    print("| drift | feedback | start kept | best fixed | tuned | s.e. | setting changes |")
    print("|---|---|---:|---:|---:|---:|---:|")
    for drift, world in worlds().items():
        for name, kind in FEEDBACK.items():
            if drift.startswith("costs") and kind.kind != "cost":
                continue  # outcomes are weighed with the costs one knows; moving ones are not seen
            found = regrets(hull, world, kind, given.seeds)
            each = found.tuned.mean(axis=1)
            error = each.std(ddof=1) / len(each) ** 0.5
            print(
                f"| {drift} | {name} | {found.start.mean():.1f} | {found.best_fixed.mean():.1f} "
                f"| {each.mean():.1f} | {error:.1f} | {found.moves:.1f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
