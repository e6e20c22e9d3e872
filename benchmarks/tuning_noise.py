"""Measure how often a tuner moves although there is nothing to find.

Each run is about one window of feedback under which every setting is as good as any other. The
share of runs with a move must be at most alpha.

    python benchmarks/tuning_noise.py    # about four minutes
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

import rocch

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocch.arrays import BoolArray, FloatArray

ALPHA, RUNS = 0.05, 1000
PERIODS, CASES = 30, 200
"""With about 20 rows in each period on which neighboring settings differ: some 60 units."""


@dataclass(frozen=True)
class Hybrid:
    """A hybrid of one classifier, whose rows are its scores; aimed once it has a point."""

    hull_: rocch.RocHull
    point: rocch.roc.OperatingPoint | None = None

    def at(self, point: rocch.roc.OperatingPoint) -> Hybrid:
        """Aim at an operating point."""
        return Hybrid(self.hull_, point)

    def decision_probability(self, scores: FloatArray) -> FloatArray:
        """Return 1 for each row that alarms."""
        assert self.point is not None
        vertex = self.point.point
        if not isinstance(vertex.threshold, float):
            return np.full(scores.size, vertex.fpr)
        return (scores >= vertex.threshold).astype(float)

    def predict(self, scores: FloatArray) -> BoolArray:
        """Return which rows alarm."""
        return np.asarray(self.decision_probability(scores) == 1)


def build() -> Hybrid:
    """Build a hybrid of one classifier with normal scores."""
    rng = np.random.default_rng(0)
    positive = rng.random(4000) < 0.3
    return Hybrid(rocch.RocHull.from_scores(positive, {"a": rng.normal(1.6 * positive)}))


def complaints(tuner: rocch.hybrid.KnobTuner, rng: np.random.Generator) -> bool:
    """Complain both ways alike."""
    ways = (tuner.too_many_alarms, tuner.queue_not_filled)
    return any(ways[coin]().moved for coin in rng.integers(2, size=49))


def loads(tuner: rocch.hybrid.KnobTuner, rng: np.random.Generator, capacity: int) -> bool:
    """Send as many alarms as can be handled, on average."""
    counts = rng.poisson(capacity, size=49).tolist()
    return any(tuner.load(alarms=n, capacity=capacity, tolerance=0).moved for n in counts)


def outcomes(
    tuner: rocch.hybrid.KnobTuner, rng: np.random.Generator, miss: int, share: float
) -> bool:
    """Draw classes that the scores say nothing about, so that all settings cost the same."""
    for _ in range(PERIODS):
        scores, y = rng.normal(0.5, 1.2, CASES), rng.random(CASES) < 1 / (1 + miss)
        chosen = tuner.explore(scores, share=share, row_key=rng.integers(2**40, size=CASES))
        seen, propensities = chosen.review, chosen.reviewed_propensities
        if tuner.outcomes(scores[seen], y[seen], propensities=propensities).moved:
            return True
    return False


def costs(tuner: rocch.hybrid.KnobTuner, rng: np.random.Generator) -> bool:
    """Report costs with heavy tails that wander about, whatever the setting."""
    return any(tuner.observed_cost(c).moved for c in rng.standard_t(2, 98).cumsum().tolist())


def main() -> None:
    """Print the shares of runs that move."""
    model = build()
    kinds: dict[str, tuple[Callable[..., bool], dict[str, Any], int]] = {
        "complaints": (complaints, {}, 1),
        "costs": (costs, {"probe": True}, 1),
    }
    for capacity in (4, 100):
        kinds[f"loads of {capacity}"] = (partial(loads, capacity=capacity), {}, 1)
    for miss in (1, 5, 40):
        for share in (1.0, 0.2):
            name = f"outcomes, a miss costs {miss}, {share:.0%} reviewed without an alarm"
            kinds[name] = (partial(outcomes, miss=miss, share=share), {}, miss)
    print(f"| feedback | runs with a move (alpha {ALPHA:.0%}, {RUNS} runs) |\n|---|---:|")
    for name, (kind, options, miss) in kinds.items():
        known = rocch.Conditions(prevalence=0.5, false_positive=1, false_negative=miss)
        moved = 0
        for seed in range(RUNS):
            tuner = rocch.hybrid.KnobTuner(
                model, known, start=0.5, alpha=ALPHA, seed=seed, **options
            )
            moved += kind(tuner, np.random.default_rng([seed, miss]))
        print(f"| {name} | {moved / RUNS:.1%} |", flush=True)


if __name__ == "__main__":
    main()
