"""How often tests of curves err, and claims that one model costs less than another.

Scores are normal. Every table is Markdown; seeds are fixed. What choices cost on new rows is the
matter of `studies.new_rows_cost`.

    python -m studies.out_of_sample_choices                  # about three quarters of an hour
    python -m studies.out_of_sample_choices --only claims    # one table
    python -m studies.out_of_sample_choices --quick          # a tenth of the repetitions
"""

from __future__ import annotations

import argparse
import math
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.optimize import brentq, minimize_scalar
from scipy.stats import norm

import rocch
from rocch.roc.operating_point import ClassTotals
from rocch.rows import ScoredRows
from rocch.stats.arguments import expected_case
from rocch.stats.curve_tests import LeastCosts

if TYPE_CHECKING:
    from rocch.arrays import BoolArray, FloatArray

KNOWN = rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=3)
BELIEF = rocch.Belief.cost_ratio(1, 8, likely=3).with_unit(sum_of_costs=1).with_prevalence(0.3)
SHARED = 0.6
"""How much of a score's deviation all models have in common."""


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the repetitions")
    parser.add_argument("--only", choices=[table.__name__ for table, _ in TABLES], help="one table")
    given = parser.parse_args()
    for table, times in TABLES:
        if given.only in (None, table.__name__):
            table(times // 10 if given.quick else times)


def rows(rng: np.random.Generator, size: int) -> tuple[BoolArray, dict[str, FloatArray]]:
    """Draw labels (30% positive) and scores of two models that do not tell the classes apart."""
    shared = rng.normal(size=size)
    own = math.sqrt(1 - SHARED**2)
    scores = {f"m{i}": SHARED * shared + own * rng.normal(size=size) for i in range(2)}
    return np.arange(size) < 0.3 * size, scores


SIZES = ((40, (1.3, 1.3)), (200, (1.3, 1.3)), (1000, (1.3, 1.3)), (400, (1.3, 1.8)))


class Pair(NamedTuple):
    """Rows, positives among them, distances of the classes for two models, and five grades."""

    rows: int
    positives: int
    shifts: tuple[float, float] = (1.3, 1.3)
    graded: bool = False


PAIRS = (
    Pair(40, 12),
    Pair(200, 60),
    Pair(200, 60, graded=True),
    Pair(400, 20),
    Pair(400, 20, graded=True),
    Pair(1000, 300),
    Pair(400, 20, (1.3, 1.8)),
    Pair(400, 120, (1.3, 1.8)),
)
GRADES = (-0.5, 0.2, 0.8, 1.5)
"""Where five grades of scores begin."""


def rejections(times: int) -> None:
    """Count how often tests call curves different that are equal, and that are not."""
    print(f"\n**Tests of two curves at 5%** ({times} samples a line, 200 resamples each)\n")
    places = {
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
    return [test.differences[0].p_value <= 0.05 for test in tests]


def conditions(times: int) -> None:
    """Count how often least costs at conditions are called different."""
    print(f"\n**Tests of two least costs at 5%** ({times} samples a line)\n")
    print("| rows | positives | distances | paired | unpaired |")
    print("|---:|---:|---|---:|---:|")
    for pair in PAIRS:
        cells = []
        for paired in (True, False):
            rng = np.random.default_rng((2, *pair[:2], int(10 * pair.shifts[1]), paired))
            rejected = [_least_costs_differ(rng, pair, paired) for _ in range(times)]
            cells.append(f"{100 * np.mean(rejected):.1f}")
        apart = f"{pair.shifts[0]} and {pair.shifts[1]}{', five grades' * pair.graded}"
        print(f"| {pair.rows} | {pair.positives} | {apart} | {' | '.join(cells)} |", flush=True)


def _least_costs_differ(rng: np.random.Generator, pair: Pair, paired: bool) -> bool:
    y = np.arange(pair.rows) < pair.positives
    own = math.sqrt(1 - SHARED**2)
    shared = rng.normal(size=pair.rows)
    scores = []
    for shift in pair.shifts:
        common = shared if paired else rng.normal(size=pair.rows)
        column = SHARED * common + own * rng.normal(size=pair.rows) + shift * y
        scores.append(np.digitize(column, GRADES) if pair.graded else column)
    one, other = scores
    if paired:
        tests = rocch.stats.compare_curves(y, {"m0": one, "m1": other}, at=KNOWN)
    else:
        apart = {"m0": (y, one), "m1": (y, 2 * other)}
        tests = rocch.stats.compare_curves_unpaired(apart, at=KNOWN)
    return tests.differences[0].p_value <= 0.05


KINDS = (
    "identical",
    "five grades",
    "half with labels only",
    "all but one alike",
    "crossing",
    "one better",
)
"""Settings of false claims: all models have the same least cost, or the first a lower one."""

SAMPLES_OF_CLAIMS = ((100, 30), (400, 20), (1000, 50), (1000, 300))
"""Rows, and positives among them."""

BETTER = 1.8
"""The distance of the classes for the better model; it is 1.3 for the others."""

ALIKE = 0.98
"""How much of a score's deviation models that are alike have in common."""

SPREADS = 0.5, 2.0
"""How much the positives of crossing curves spread, by turns."""


def claims(times: int) -> None:
    """Count false claims that one of several models costs less than another."""
    print(f"\n**False claims at 5%** ({times} samples a cell)\n")
    print("| | rows | positives | 2 models | 6 models | 10 models |")
    print("|---|---:|---:|---:|---:|---:|")
    for number, kind in enumerate(KINDS):
        for size, positives in SAMPLES_OF_CLAIMS:
            cells = []
            for models in (2, 6, 10):
                rng = np.random.default_rng((3, number, size, positives, models))
                found = np.array(
                    [_claimed(rng, kind, size, positives, models) for _ in range(times)]
                )
                false, power = 100 * found.mean(axis=0)
                cells.append(f"{false:.1f}" + (f" ({power:.0f})" if kind == "one better" else ""))
            print(f"| {kind} | {size} | {positives} | {' | '.join(cells)} |", flush=True)


def _claimed(
    rng: np.random.Generator, kind: str, size: int, positives: int, models: int
) -> tuple[bool, bool]:
    """Return if any claim is false, and if the better model is said to cost less than another."""
    y, scores = rivals(rng, kind, size, positives, models)
    case = expected_case(KNOWN, ClassTotals(size - positives, positives))
    found = LeastCosts.of(ScoredRows.of(y, scores), case, 0)
    ahead = (found.costs[:, None] - found.costs) / found.errors
    claimed = np.argwhere(ahead < -found.critical_value(0.95)).tolist()
    right = [kind == "one better" and winner == 0 for winner, _ in claimed]
    return not all(right), any(right)


def rivals(
    rng: np.random.Generator, kind: str, size: int, positives: int, models: int
) -> tuple[BoolArray, dict[str, FloatArray]]:
    """Draw labels and scores of models that share some of their errors."""
    y = np.arange(size) < positives
    shared = rng.normal(size=size)
    least, threshold = least_cost(1.3)
    scores = {}
    for i in range(models):
        spread = SPREADS[i % 2] if kind == "crossing" else 1.0
        shift = 1.3
        if kind == "crossing":
            shift = equal_shift(spread, least)
        elif kind == "one better" and i == 0:
            shift = BETTER
        common = ALIKE if kind == "all but one alike" and i else SHARED
        noise = common * shared + math.sqrt(1 - common**2) * rng.normal(size=size)
        column = np.where(y, shift + spread * noise, noise)
        if kind == "five grades":
            column = np.digitize(column, GRADES).astype(np.float64)
        elif kind == "half with labels only" and i < models / 2:
            column = column > threshold
        scores[f"m{i}"] = column
    return y, scores


@cache
def least_cost(shift: float, spread: float = 1.0) -> tuple[float, float]:
    """Return the least cost of a normal model in the population, and its threshold."""
    found = minimize_scalar(
        lambda t: float(KNOWN.expected_cost(norm.sf(t), norm.sf((t - shift) / spread))),
        bounds=(-4, 4),
        method="bounded",
    )
    return float(found.fun), float(found.x)


@cache
def equal_shift(spread: float, least: float) -> float:
    """Return the distance at which positives with this spread have this least cost."""
    return float(brentq(lambda shift: least_cost(shift, spread)[0] - least, 0.1, 6))


TABLES = ((rejections, 300), (conditions, 1000), (claims, 1000))
"""What is printed, and how many samples stand behind a line."""


if __name__ == "__main__":
    main()
