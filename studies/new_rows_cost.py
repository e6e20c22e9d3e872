"""Whether new rows keep the cost that a choice is expected to have, and its interval.

Scores are normal, alone or cut into grades, so that the true cost of every rule is known. Two
procedures choose: the best vertex of the exact joint hull (`RocHull.best`), and a stack with
non-negative weights at Bayes' threshold. Every table is Markdown; seeds are fixed.

    python -m studies.new_rows_cost            # about an hour
    python -m studies.new_rows_cost --quick    # a tenth of the samples
"""

from __future__ import annotations

import argparse
import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.stats import norm

import rocch
from rocch.kernels.stacking import StackFit, fit_stack
from rocch.roc.new_rows import NewRowsCost, estimate_new_rows_cost, vertex_cost
from rocch.rows import ScoredRows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rocch.arrays import BoolArray, FloatArray

SLOPES = (1 / 20, 1 / 5, 1.0, 5.0, 20.0)
# How much of a score's deviation all models have in common.
SHARED = 0.6
# Where graded scores are cut, in standard deviations of the negatives.
CUTS = np.array([-0.5, 0.3, 1.0, 1.7])
# How often rows are cut; `RocHull.best` cuts small samples more often, for less noise.
REPETITIONS = 5
# The rows of each class on which rules of graded scores show their true cost.
MANY = 50_000


class Setting(NamedTuple):
    """Rows of each class, how far apart the classes are in each model, and the samples.

    Rows may be graded, or come in groups in which all are the same.
    """

    name: str
    positives: int
    negatives: int
    shifts: tuple[float, ...]
    samples: int = 1000
    graded: bool = False
    repeated: int = 1


SETTINGS = (
    Setting("three equal models", 20, 80, (1.3,) * 3),
    Setting("three equal models, rare class", 20, 400, (1.3,) * 3),
    Setting("ten equal models", 20, 60, (1.3,) * 10),
    Setting("three equal models, five grades", 20, 60, (1.3,) * 3, graded=True),
    Setting("three equal models", 50, 150, (1.3,) * 3),
    Setting("ten equal models", 50, 150, (1.3,) * 10),
    Setting("one clearly best of four", 50, 150, (2.2, 1.0, 1.0, 1.0)),
    Setting("three strong models", 50, 150, (3.0,) * 3),
    Setting("three equal models, five grades", 50, 150, (1.3,) * 3, graded=True),
    Setting("three equal models, rare class", 50, 950, (1.3,) * 3, 500),
    Setting("five equal models", 300, 700, (1.3,) * 5, 500),
    Setting("ten equal models, five grades", 300, 700, (1.3,) * 10, 500, graded=True),
    Setting("three equal models, five times the same row", 50, 150, (1.3,) * 3, 500, repeated=5),
)


class Outcome(NamedTuple):
    """What a choice was expected to cost, and what it costs."""

    expected: float
    low: float
    high: float
    apparent: float
    true: float

    @classmethod
    def of(cls, told: NewRowsCost, true: float) -> Outcome:
        """Read an estimate."""
        if told.expected is None or told.interval is None or told.apparent is None:
            raise RuntimeError(told.note)
        return cls(told.expected, *told.interval, told.apparent, true)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the samples")
    scale = 10 if parser.parse_args().quick else 1
    tabulate("the best vertex of the joint hull", by_hull, scale)
    tabulate("a stack at Bayes' threshold", by_stack, 2 * scale)


def tabulate(title: str, recommend: Callable[..., Iterator[Outcome]], scale: int) -> None:
    """Print the table of a procedure."""
    print(f"\n**Cost on new rows: {title}**\n")
    print("| positives + negatives | models | samples | " + " | ".join(map(_word, SLOPES)) + " |")
    print("|---|---|---:|" + "---|" * len(SLOPES))
    covered: list[float] = []
    for number, setting in enumerate(SETTINGS):
        samples = setting.samples // scale
        found = study(setting, number, recommend, samples)
        covered.extend(map(coverage, found))
        rows = f"{setting.positives} + {setting.negatives}"
        cells = (rows, setting.name, str(samples), *map(describe, found))
        print(f"| {' | '.join(cells)} |", flush=True)
    print(f"\nCoverage: {np.mean(covered):.1f}% on average, at least {min(covered):.1f}%.")


def _word(slope: float) -> str:
    return f"slope {slope:g}" if slope >= 1 else f"slope 1/{1 / slope:g}"


def describe(outcomes: FloatArray) -> str:
    """Write how far expected costs are off, how often intervals hold, and their mean width."""
    expected, low, high, apparent, true = outcomes.T
    mean = true.mean()
    off, seems = (100 * (cost.mean() / mean - 1) for cost in (expected, apparent))
    error = 100 * float(np.std(expected - true)) / mean / math.sqrt(true.size)
    width = float(np.mean(high - low)) / mean
    return f"{off:+.1f} ± {error:.1f} ({seems:+.0f}); {coverage(outcomes):.1f}; {width:.2f}"


def coverage(outcomes: FloatArray) -> float:
    """Return how many intervals of 100 hold the true cost, rounding aside."""
    _, low, high, _, true = outcomes.T
    slack = 1e-9 * true
    return 100 * float(np.mean((low - slack <= true) & (true <= high + slack)))


def study(
    setting: Setting, number: int, recommend: Callable[..., Iterator[Outcome]], samples: int
) -> FloatArray:
    """Return outcomes by slope and sample."""
    rng = np.random.default_rng((7, number))
    many = draw(
        np.random.default_rng((8, number)), setting._replace(positives=MANY, negatives=MANY)
    )
    found = [list(recommend(setting, draw(rng, setting), many)) for _ in range(samples)]
    return np.array(found).swapaxes(0, 1)


def draw(rng: np.random.Generator, setting: Setting) -> tuple[BoolArray, FloatArray]:
    """Draw labels, and the log likelihood ratio that each model gives each row."""
    y = np.arange(setting.positives + setting.negatives) < setting.positives
    shifts = np.array(setting.shifts)[:, None]
    own = math.sqrt(1 - SHARED**2) * rng.normal(size=(shifts.size, y.size))
    values = SHARED * rng.normal(size=y.size) + own + shifts * y
    if setting.graded:
        ratios = np.array([_grades(v, d) for v, d in zip(values, setting.shifts, strict=True)])
    else:
        ratios = shifts * values - shifts**2 / 2
    return np.repeat(y, setting.repeated), np.repeat(ratios, setting.repeated, axis=1)


def scored_rows(setting: Setting, y: BoolArray, columns: dict[str, FloatArray]) -> ScoredRows:
    """Return rows with their groups."""
    groups = np.arange(y.size) // setting.repeated if setting.repeated > 1 else None
    return ScoredRows.of(y, columns, groups=groups)


def _grades(values: FloatArray, shift: float) -> FloatArray:
    ends = np.concatenate(([-np.inf], CUTS, [np.inf]))
    shares = [np.diff(norm.cdf(ends - middle)) for middle in (shift, 0.0)]
    return np.asarray(np.log(shares[0] / shares[1])[np.searchsorted(CUTS, values)])


def conditions(slope: float) -> rocch.Conditions:
    """Return costs with a slope, at a prevalence of 1/2."""
    return rocch.Conditions(prevalence=0.5, false_positive=slope, false_negative=1)


def by_hull(
    setting: Setting, sample: tuple[BoolArray, FloatArray], many: tuple[BoolArray, FloatArray]
) -> Iterator[Outcome]:
    """Choose the best vertex of the joint hull at each slope."""
    y, values = sample
    names = [f"m{i}" for i in range(len(values))]
    rows = scored_rows(setting, y, dict(zip(names, values, strict=True)))
    hull = rocch.RocHull.from_rows(rows)
    for slope in SLOPES:
        best = hull.best(conditions(slope))
        if (best.fpr, best.tpr) in ((0, 0), (1, 1)):
            rates = best.fpr, best.tpr
        else:
            model, threshold = names.index(best.classifier), float(best.threshold or 0)
            rates = _rates(setting, model, threshold, many)
        known = conditions(slope)
        told = vertex_cost(rows, known.case, best, repetitions=REPETITIONS)
        yield Outcome.of(told, known.expected_cost(*rates))


def _rates(setting: Setting, model: int, threshold: float, many: Any) -> tuple[float, float]:
    """Return the true FPR and TPR of a threshold."""
    if setting.graded:
        alarms = many[1][model] >= threshold
        return float(alarms[~many[0]].mean()), float(alarms[many[0]].mean())
    shift = setting.shifts[model]
    place = (threshold + shift**2 / 2) / shift
    return float(norm.sf(place)), float(norm.sf(place - shift))


def by_stack(
    setting: Setting, sample: tuple[BoolArray, FloatArray], many: tuple[BoolArray, FloatArray]
) -> Iterator[Outcome]:
    """Stack all models, and alarm above Bayes' threshold at each slope."""
    y, values = sample
    rows = scored_rows(setting, y, {"stack": np.zeros(y.size)})
    whole = _fit(values, y)
    fits: dict[bytes, StackFit] = {}  # cuts are the same for all slopes

    for slope in SLOPES:
        known = conditions(slope)

        def decide(train: Any, test: Any, slope: float = slope) -> Any:
            key = train.tobytes()
            if key not in fits:
                fits[key] = _fit(values[:, train], y[train], whole)
            return _log_odds(fits[key], values[:, test]) > _bayes(slope, y[train])

        alarms = _log_odds(whole, values) > _bayes(slope, y)
        apparent = float(known.expected_cost(alarms[~y].mean(), alarms[y].mean()))
        told = estimate_new_rows_cost(
            rows, known.case, decide, apparent=apparent, repetitions=REPETITIONS
        )
        rates = _stack_rates(setting, whole, _bayes(slope, y), many)
        yield Outcome.of(told, known.expected_cost(*rates))


def _fit(values: FloatArray, y: BoolArray, start: StackFit | None = None) -> StackFit:
    outputs = np.zeros((y.size, len(values), 2))
    outputs[:, :, 1] = values.T
    return fit_stack(outputs, y.astype(np.intp), start=start)


def _log_odds(fit: StackFit, values: FloatArray) -> FloatArray:
    return np.asarray(fit.weights @ values + fit.intercepts[1])


def _bayes(slope: float, y: BoolArray) -> float:
    return math.log(slope) + math.log(np.count_nonzero(y) / np.count_nonzero(~y))


def _stack_rates(
    setting: Setting, fit: StackFit, threshold: float, many: Any
) -> tuple[float, float]:
    """Return the true FPR and TPR of a stack."""
    if setting.graded:
        alarms = _log_odds(fit, many[1]) > threshold
        return float(alarms[~many[0]].mean()), float(alarms[many[0]].mean())
    shifts = np.array(setting.shifts)
    weights = fit.weights * shifts
    spread = math.sqrt(SHARED**2 * weights.sum() ** 2 + (1 - SHARED**2) * weights @ weights)
    place = threshold - fit.intercepts[1] + weights @ shifts / 2
    return float(norm.sf(place / spread)), float(norm.sf((place - weights @ shifts) / spread))


if __name__ == "__main__":
    main()
