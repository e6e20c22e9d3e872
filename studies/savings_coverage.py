"""Whether new rows save what a choice is expected to save, within its interval.

Scores are normal, written as probabilities; the true cost of a rule is counted on many rows. Two
procedures choose, each at four slopes: the best vertex of the joint hull (`RocHull.best`), and
a hybrid that stacks the models (`RocchClassifier.at`). Seeds are fixed.

    python -m studies.savings_coverage            # about an hour
    python -m studies.savings_coverage --quick    # a tenth of the samples
"""

from __future__ import annotations

import argparse
import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

import rocch
from rocch.hybrid import ScoreColumn
from studies.new_rows_cost import Setting, conditions, draw, scored_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rocch.arrays import BoolArray, FloatArray
    from rocch.roc import Savings

    # What a choice is expected to save, and what it truly saves, by the start of a baseline's name.
    Compared = tuple[Savings, dict[str, float]]

SETTINGS = (
    Setting("three equal models", 20, 80, (1.3,) * 3),
    Setting("three equal models, rare class", 20, 400, (1.3,) * 3),
    Setting("ten equal models", 20, 60, (1.3,) * 10),
    Setting("three equal models", 50, 150, (1.3,) * 3),
    Setting("three strong models", 50, 150, (3.0,) * 3),
    Setting("three equal models, rare class", 50, 950, (1.3,) * 3),
    Setting("one model, rare class", 30, 1500, (2.5,)),
    Setting("three equal models, five times the same row", 50, 150, (1.3,) * 3, repeated=5),
)
SLOPES = (1 / 20, 1 / 5, 1.0, 5.0)
SAMPLES = 80
# The rows of each class on which rules show their true cost.
MANY = 40_000


class Rows(NamedTuple):
    """Labels, and the probability that each model gives each row."""

    y: BoolArray
    scores: dict[str, FloatArray]


def main() -> None:
    """Print how often intervals hold."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the samples")
    samples = SAMPLES // (10 if parser.parse_args().quick else 1)
    for title, compare in (("the hull", by_hull), ("a hybrid", by_hybrid)):
        print(f"\n**What {title} saves**\n")
        print("| positives + negatives | models | samples | baseline | off by | coverage |")
        print("|---|---|---:|---|---:|---:|")
        covered = []
        for number, setting in enumerate(SETTINGS):
            for name, found in study(setting, number, compare, samples).items():
                off, share = np.mean(found[:, 0]), 100 * np.mean(found[:, 1])
                covered.append(share)
                rows = f"{setting.positives} + {setting.negatives}"
                cells = (rows, setting.name, str(samples), name, f"{off:+.4f}", f"{share:.1f}%")
                print(f"| {' | '.join(cells)} |", flush=True)
        print(f"\nCoverage: {np.mean(covered):.1f}% on average, at least {min(covered):.1f}%.")


def study(
    setting: Setting, number: int, compare: Callable[..., Iterator[Compared]], samples: int
) -> dict[str, FloatArray]:
    """Return by baseline how far each saving is off, and whether its interval holds."""
    rng = np.random.default_rng((11, number))
    big = setting._replace(positives=MANY, negatives=MANY, repeated=1)
    many = probabilities(setting, draw(np.random.default_rng((12, number)), big))
    found: dict[str, list[tuple[float, bool]]] = {}
    for _ in range(samples):
        rows = probabilities(setting, draw(rng, setting))
        for savings, costs in compare(setting, rows, many):
            for name, true in costs.items():
                row = next(row for row in savings.rows if name in row.baseline)
                low, high = row.saves_interval
                holds = low - 1e-9 <= true <= high + 1e-9
                found.setdefault(name, []).append((row.saves - true, holds))
    return {name: np.array(each) for name, each in found.items()}


def probabilities(setting: Setting, drawn: tuple[BoolArray, FloatArray]) -> Rows:
    """Return log likelihood ratios as probabilities at the class balance of the setting."""
    y, ratios = drawn
    chances = 1 / (1 + np.exp(-ratios - math.log(setting.positives / setting.negatives)))
    return Rows(y, {f"m{i}": column for i, column in enumerate(chances)})


def by_hull(setting: Setting, rows: Rows, many: Rows) -> Iterator[Compared]:
    """Choose the best vertex of the joint hull at each slope."""
    hull = rocch.RocHull.from_rows(scored_rows(setting, rows.y, rows.scores))
    for slope in SLOPES:
        known = conditions(slope)
        best = hull.best(known)
        if best.is_trivial:
            continue
        column, threshold = many.scores[str(best.classifier)], float(best.threshold or 0)
        own = true_cost(known, many, column >= threshold)
        default = true_cost(known, many, column >= 0.5)
        today = true_cost(known, many, many.scores["m0"] >= 0.3)
        costs = {"threshold 0.5": default, "today's rule": today, "never": 0.5}
        yield best.savings(("m0", 0.3)), {name: cost - own for name, cost in costs.items()}


def by_hybrid(setting: Setting, rows: Rows, many: Rows) -> Iterator[Compared]:
    """Stack all models, and aim at each slope."""
    frame, all_rows = pd.DataFrame(rows.scores), pd.DataFrame(many.scores)
    parts = [(name, ScoreColumn(name)) for name in rows.scores]
    if len(parts) < 2:
        return
    groups = np.arange(rows.y.size) // setting.repeated if setting.repeated > 1 else None
    model = rocch.RocchClassifier(parts, cv=2).fit(frame, rows.y, groups=groups)
    for slope in SLOPES:
        known = conditions(slope)
        view = model.at(known)
        if model.stack_ is None or view.point.is_trivial:
            continue
        own = true_cost(known, many, view.predict(all_rows))
        half = view.predict_proba(all_rows)[:, 1] >= 0.5
        today = true_cost(known, many, many.scores["m0"] >= 0.3)
        costs = {"the stack at": true_cost(known, many, half), "today's rule": today, "never": 0.5}
        yield view.savings(("m0", 0.3)), {name: cost - own for name, cost in costs.items()}


def true_cost(known: rocch.Conditions, many: Rows, alarms: BoolArray) -> float:
    """Return what alarms cost on many rows."""
    return float(known.expected_cost(alarms[~many.y].mean(), alarms[many.y].mean()))


if __name__ == "__main__":
    main()
