"""How often tests of curves err.

Scores are normal. Every table is Markdown; seeds are fixed. What choices cost on new rows is the
matter of `studies.new_rows_cost`.

    python -m studies.out_of_sample_choices            # about a quarter of an hour
    python -m studies.out_of_sample_choices --quick    # a tenth of the repetitions
"""

from __future__ import annotations

import argparse
import math
from typing import TYPE_CHECKING, Any

import numpy as np

import rocch

if TYPE_CHECKING:
    from rocch.arrays import BoolArray, FloatArray

KNOWN = rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=3)
BELIEF = rocch.Belief.miss_costs(1, 8, likely=3).with_unit(sum_of_costs=1).with_prevalence(0.3)
SHARED = 0.6
"""How much of a score's deviation all models have in common."""


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the repetitions")
    scale = 10 if parser.parse_args().quick else 1
    rejections(300 // scale)


def rows(rng: np.random.Generator, size: int) -> tuple[BoolArray, dict[str, FloatArray]]:
    """Draw labels (30 % positive) and scores of two models that do not tell the classes apart."""
    shared = rng.normal(size=size)
    own = math.sqrt(1 - SHARED**2)
    scores = {f"m{i}": SHARED * shared + own * rng.normal(size=size) for i in range(2)}
    return np.arange(size) < 0.3 * size, scores


SIZES = ((40, (1.3, 1.3)), (200, (1.3, 1.3)), (1000, (1.3, 1.3)), (400, (1.3, 1.8)))


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
    y, scores = rows(rng, size)
    moved = {name: column + d * y for (name, column), d in zip(scores.items(), shifts, strict=True)}
    if paired:
        tests = [
            rocch.stats.compare_curves(y, moved, at=at, replicates=200) for at in places.values()
        ]
    else:
        _, other = rows(rng, size)
        apart = {"m0": (y, moved["m0"]), "m1": (y, 2 * (other["m1"] + shifts[1] * y))}
        tests = [
            rocch.stats.compare_curves_unpaired(apart, at=at, replicates=200)
            for at in places.values()
        ]
    return [test.pairs[0].p_value <= 0.05 for test in tests]


if __name__ == "__main__":
    main()
