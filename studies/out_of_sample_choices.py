"""How optimistic hulls are, whether honest costs are, and how often tests of curves err.

Scores are normal, so that the true cost of every rule, and so of every recommendation, is known.
Every table is Markdown; seeds are fixed.

    python -m studies.out_of_sample_choices            # about half an hour
    python -m studies.out_of_sample_choices --quick    # a tenth of the repetitions
"""

from __future__ import annotations

import argparse
import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.stats import norm

import rocch

if TYPE_CHECKING:
    from rocch.arrays import BoolArray, FloatArray

KNOWN = rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=3)
BELIEF = rocch.Belief.miss_costs(1, 8, likely=3).with_unit(sum_of_costs=1).with_prevalence(0.3)
SHARED = 0.6
"""How much of a score's deviation all models have in common."""


class Setting(NamedTuple):
    """Rows, models, and how far apart the classes are."""

    rows: int
    models: int
    shift: float
    cluster: int = 1


SETTINGS = (
    Setting(100, 2, 1.3),
    Setting(200, 2, 1.3),
    Setting(200, 8, 1.3),
    Setting(1000, 5, 1.3),
    Setting(300, 3, 3.0),
    Setting(1000, 3, 1.3, cluster=5),
)


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the repetitions")
    scale = 10 if parser.parse_args().quick else 1
    costs(200 // scale)
    rejections(300 // scale)


def rows(rng: np.random.Generator, setting: Setting) -> tuple[BoolArray, dict[str, FloatArray]]:
    """Draw labels (30 % positive) and scores; rows of a cluster are of one class and alike."""
    units = setting.rows // setting.cluster
    y = np.arange(units) < 0.3 * units
    shared = rng.normal(size=units)
    own = math.sqrt(1 - SHARED**2)
    scores = {
        f"m{i}": SHARED * shared + own * rng.normal(size=units) + setting.shift * y
        for i in range(setting.models)
    }
    again = setting.cluster
    return np.repeat(y, again), {name: np.repeat(column, again) for name, column in scores.items()}


def true_cost(choice: rocch.roc.OperatingPoint, shift: float) -> float:
    """Return what a choice costs on all rows there could be."""
    if choice.fpr == choice.tpr:
        return float(KNOWN.expected_cost(choice.fpr, choice.tpr))
    threshold: Any = choice.threshold
    return float(KNOWN.expected_cost(norm.sf(threshold), norm.sf(threshold - shift)))


SIZES = ((40, (1.3, 1.3)), (200, (1.3, 1.3)), (1000, (1.3, 1.3)), (400, (1.3, 1.8)))


def costs(times: int) -> None:
    """Compare apparent, honest and true costs of recommendations."""
    print(f"**Costs of recommendations** ({times} samples a line, 400 resamples each)\n")
    print(
        "| rows | models | distance | seems to cost | honest cost | true cost "
        "| held by the 95 % interval, % | mean width |"
    )
    print("|---:|---:|---:|---:|---:|---:|---:|---:|")
    for number, setting in enumerate(SETTINGS):
        rng = np.random.default_rng((1, number))
        found = np.array([_recommend(rng, setting) for _ in range(times)])
        seems, honest, true, held, width = found.mean(axis=0)
        clustered = f" in clusters of {setting.cluster}" if setting.cluster > 1 else ""
        print(
            f"| {setting.rows}{clustered} | {setting.models} | {setting.shift} | {seems:.3f} "
            f"| {honest:.3f} | {true:.3f} | {100 * held:.1f} | {width:.3f} |",
            flush=True,
        )


def _recommend(rng: np.random.Generator, setting: Setting) -> tuple[float, ...]:
    y, scores = rows(rng, setting)
    groups = np.arange(setting.rows) // setting.cluster if setting.cluster > 1 else None
    found = rocch.stats.out_of_sample_choice(y, scores, KNOWN, groups=groups, replicates=400)
    true = true_cost(found.choice, setting.shift)
    low, high = found.interval
    return found.apparent_cost, found.out_of_sample_cost, true, low <= true <= high, high - low


def rejections(times: int) -> None:
    """Count how often tests call curves different that are equal, and that are not."""
    print(f"\n**Tests of two curves at 5 %** ({times} samples a line, 200 resamples each)\n")
    places = {
        "conditions": KNOWN,
        "belief": BELIEF,
        "FPR 0.1": rocch.NeymanPearson(0.1),
        "whole curve": "whole curve",
    }
    print(f"| | rows | distances | {' | '.join(places)} |")
    print("|---|---:|---|" + "---:|" * len(places))
    for paired in (True, False):
        for size, shifts in SIZES:
            rng = np.random.default_rng((2, size, int(10 * shifts[1]), paired))
            found = np.array([_tested(rng, size, shifts, places, paired) for _ in range(times)])
            rates = " | ".join(f"{100 * rate:.1f}" for rate in found.mean(axis=0))
            kind = "paired" if paired else "unpaired"
            print(f"| {kind} | {size} | {shifts[0]} and {shifts[1]} | {rates} |", flush=True)


def _tested(
    rng: np.random.Generator,
    size: int,
    shifts: tuple[float, float],
    places: dict[str, Any],
    paired: bool,
) -> list[bool]:
    y, scores = rows(rng, Setting(size, 2, 0.0))
    moved = {name: column + d * y for (name, column), d in zip(scores.items(), shifts, strict=True)}
    if paired:
        tests = [
            rocch.stats.compare_curves(y, moved, at=at, replicates=200) for at in places.values()
        ]
    else:
        _, other = rows(rng, Setting(size, 2, 0.0))
        apart = {"m0": (y, moved["m0"]), "m1": (y, 2 * (other["m1"] + shifts[1] * y))}
        tests = [
            rocch.stats.compare_curves_unpaired(apart, at=at, replicates=200)
            for at in places.values()
        ]
    return [test.pairs[0].p_value <= 0.05 for test in tests]


if __name__ == "__main__":
    main()
