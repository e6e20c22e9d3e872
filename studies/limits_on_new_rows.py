"""Whether limits with a confidence hold on new rows, and what they cost.

Scores are normal, heavy-tailed (Student's t with 3 degrees of freedom) or cut into five grades, so
that the true rates of every rule are known. Tables are Markdown; seeds are fixed. The first table
computes the choices of `RocHull.best` with a confidence by order statistics, which is faster, and
checks that both agree in the first samples of each setting; the plain limit is that of these
samples. The second table calls `RocHull.best`, for a fifth of the samples.

    python -m studies.limits_on_new_rows                 # about half an hour
    python -m studies.limits_on_new_rows --quick         # a tenth of the samples
    python -m studies.limits_on_new_rows --part 2 6      # the second of six parts of the settings
"""

from __future__ import annotations

import argparse
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.stats import binom, norm, t

import rocch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rocch.arrays import FloatArray
    from rocch.roc.criteria import Criterion

MAX_FPR = 0.05
CONFIDENCE = 0.95
SAMPLES = 1000
# How many samples of a setting are also given to `RocHull.best`, which must agree.
CHECKED = 100
# How much of a score's variance all models have in common, in turn.
SHARED = (0.0, 0.5)
# Where graded scores are cut; the last grades hold 10% and 2.3% of the negatives.
CUTS = np.array([-0.3, 0.5, 1.28, 2.0])
HEAVY = t(3)
# Share and place of negatives that look like the best positives.
OUTLIERS, OUTLIER_PLACE = 0.02, 4.0


class World(NamedTuple):
    """Scores of models: positives are shifted and stretched, models may share noise."""

    shifts: tuple[float, ...]
    stretches: tuple[float, ...]
    shape: str
    shared: float

    def draw(self, rng: np.random.Generator, positive: Any) -> FloatArray:
        """Draw the scores of each model."""
        models = len(self.shifts)
        noise = np.sqrt(1 - self.shared) * rng.normal(size=(models, positive.size))
        noise += np.sqrt(self.shared) * rng.normal(size=positive.size)
        if self.shape == "heavy tails":
            noise /= np.sqrt(rng.chisquare(3, positive.size) / 3)
        elif self.shape == "outliers":
            out = ~positive & (rng.random(positive.size) < OUTLIERS)
            noise[:, out] = OUTLIER_PLACE + 0.1 * noise[:, out]
        shifts, stretches = np.array(self.shifts)[:, None], np.array(self.stretches)[:, None]
        values = np.where(positive, shifts + stretches * noise, noise)
        graded = np.searchsorted(CUTS, values) if self.shape == "grades" else values
        return np.asarray(graded, dtype=float)

    def rates(self, model: Any, threshold: Any) -> tuple[Any, Any]:
        """Return the true FPR and TPR of alarms at or above a threshold."""
        place = np.asarray(threshold, dtype=float)
        if self.shape == "grades":
            grade = np.clip(np.ceil(place), 0, len(CUTS) + 1).astype(int)
            place = np.concatenate(([-np.inf], CUTS, [np.inf]))[grade]
        above = HEAVY.sf if self.shape == "heavy tails" else norm.sf
        shifts, stretches = np.array(self.shifts)[model], np.array(self.stretches)[model]
        fpr, tpr = above(place), above((place - shifts) / stretches)
        if self.shape == "outliers":
            fpr = (1 - OUTLIERS) * fpr + OUTLIERS * above((place - OUTLIER_PLACE) / 0.1)
        return fpr, tpr


class Setting(NamedTuple):
    """A world, what to call it, and the rows of each class."""

    world: World
    kind: str
    negatives: int
    positives: int


def find_settings() -> list[Setting]:
    """Return 36 settings: models, how they differ, rows; shapes of scores take turns."""
    sizes = ((100, 100), (200, 200), (1000, 50), (5000, 500))
    shapes = ("normal", "heavy tails", "grades")
    found: list[Setting] = []
    for models in (1, 3, 10):
        for turn, kind in enumerate(("equal", "one best", "crossing")):
            for number, (negatives, positives) in enumerate(sizes):
                shape = shapes[(number + turn) % len(shapes)]
                shifts, stretches = differ(kind, models)
                if shape == "heavy tails":
                    shifts = tuple(1.5 * shift for shift in shifts)
                shared = SHARED[(number + turn) % 2]
                world = World(shifts, stretches, shape, shared)
                found.append(Setting(world, kind, negatives, positives))
    return found


def differ(kind: str, models: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return how far each model shifts and stretches the positives."""
    ones = (1.0,) * models
    if kind == "equal":
        return (1.5,) * models, ones
    if kind == "one best":
        return (2.0, *(1.2,) * (models - 1)), ones
    if models == 1:
        return (1.2,), (1.5,)
    return tuple(np.linspace(1.6, 1.0, models)), tuple(np.linspace(0.6, 1.8, models))


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the samples")
    parser.add_argument("--part", type=int, nargs=2, default=(1, 1), metavar=("I", "N"))
    given = parser.parse_args()
    samples = SAMPLES // 10 if given.quick else SAMPLES
    part, parts = given.part
    tabulate_fpr(samples, part, parts)
    tabulate_other_limits(samples // 5, part, parts)


# The share of the samples of a setting that break a limit, without a rule, and the mean TPR.
Found = dict[str, tuple[float, float, float]]


def tabulate_fpr(samples: int, part: int, parts: int) -> None:
    """Print the table of a ceiling on the FPR."""
    names = ("plain", "guaranteed", "known in advance", "halves", "other rows")
    print(f"\n**FPR <= {MAX_FPR}, {samples} samples: broken %, without a rule %, mean TPR**\n")
    print("| models | scores | negatives + positives | " + " | ".join(names) + " |")
    print("|---|---|---|" + "---|" * len(names))
    kept: list[tuple[Setting, Found]] = []
    for number, setting in enumerate(find_settings()):
        if number * parts // 36 == part - 1:
            found = study_fpr(setting, samples, number)
            kept.append((setting, found))
            cells = [f"{100 * b:.1f}, {100 * w:.0f}, {p:.3f}" for b, w, p in found.values()]
            models = f"{len(setting.world.shifts)} {setting.kind}"
            rows = f"{setting.negatives} + {setting.positives}"
            print(f"| {' | '.join((models, setting.world.shape, rows, *cells))} |", flush=True)
    large = [found for setting, found in kept if setting.negatives >= 200]
    gaps = {
        name: np.mean([found["known in advance"][2] - found[name][2] for found in large])
        for name in ("guaranteed", "halves", "other rows")
    }
    print("\nTPR below the model known in advance, from 200 negatives on: ", end="")
    print(", ".join(f"{name} {gap:.4f}" for name, gap in gaps.items()))
    below = [found["halves"][2] - found["guaranteed"][2] for _, found in kept]
    print(f"Guaranteed below halves by at most {max(below):.4f}.")


def study_fpr(setting: Setting, samples: int, number: int) -> Found:
    """Return what each procedure reaches in a setting."""
    world, _, negatives, positives = setting
    rng = np.random.default_rng((26, number))
    positive = np.arange(negatives + positives) >= negatives
    half = negatives // 2
    known = best_model(world, negatives)
    results: dict[str, list[tuple[bool, bool, float]]] = {"plain": []}
    for sample in range(samples):
        scores, others = world.draw(rng, positive), world.draw(rng, positive)
        low, high, other_low = scores[:, :negatives], scores[:, negatives:], others[:, :negatives]
        guaranteed = certify_all(low, high)
        if sample < CHECKED:
            plain = choose(positive, scores, rocch.NeymanPearson(MAX_FPR))
            results["plain"].append(judge_fpr(world, plain))
            check(positive, scores, guaranteed)
        found = {
            "guaranteed": guaranteed,
            "known in advance": certify(low, known),
            "halves": certify(
                low[:, half:], favorite(low[:, :half], high[:, : positives // 2], negatives - half)
            ),
            "other rows": certify(low, favorite(other_low, others[:, negatives:], negatives)),
        }
        for name, rule in found.items():
            results.setdefault(name, []).append(judge_fpr(world, rule))
    means = ((name, np.mean(values, axis=0)) for name, values in results.items())
    return {name: (float(b), float(w), float(p)) for name, (b, w, p) in means}


def check(positive: Any, scores: FloatArray, expected: tuple[int, float] | None) -> None:
    """Raise an error unless `RocHull.best` chooses the same alarms."""
    found = choose(positive, scores, rocch.NeymanPearson(MAX_FPR, confidence=CONFIDENCE))
    if (found is None) != (expected is None):
        raise RuntimeError(f"best found {found}, expected {expected}")
    if found is not None and expected is not None:
        alarms = [scores[model] >= threshold for model, threshold in (found, expected)]
        if found[0] != expected[0] or not np.array_equal(*alarms):
            raise RuntimeError(f"best found {found}, expected {expected}")


def certify_all(negatives: FloatArray, positives: FloatArray) -> tuple[int, float] | None:
    """Return the model with the most hits above its order statistic, at the level / models.

    Of equal hits, the model with the fewest false alarms at its lowest hit is taken.
    """
    most = allowed(negatives.shape[1], len(negatives))
    if most < 0:
        return None
    bounds = np.sort(negatives, axis=1)[:, -1 - most]
    hits = positives > bounds[:, None]
    lowest = np.where(hits, positives, np.inf).min(axis=1)
    false = (negatives >= lowest[:, None]).sum(axis=1)
    model = int(np.lexsort((false, -hits.sum(axis=1)))[0])
    if not hits[model].any():  # no certified setting has a hit, which `RocHull.best` refuses
        return None
    above = np.concatenate((negatives[model], positives[model]))
    above = above[above > bounds[model]]
    # as near to the order statistic as `RocHull.best` puts it
    return model, float(bounds[model] + (above.min() - bounds[model]) / 200)


def judge_fpr(world: World, rule: tuple[int, float] | None) -> tuple[bool, bool, float]:
    """Return whether the limit is broken, whether there is no rule, and the true TPR."""
    fpr, tpr = (0.0, 0.0) if rule is None else map(float, world.rates(*rule))
    return fpr > MAX_FPR, fpr == 0, tpr


def choose(positive: Any, scores: FloatArray, criterion: Criterion) -> tuple[int, float] | None:
    """Return the model and threshold that `RocHull.best` recommends."""
    columns = {f"{number:02}": column for number, column in enumerate(scores)}
    try:
        best = rocch.RocHull.from_scores(positive, columns).best(criterion)
    except rocch.InfeasibleError:
        return None
    point = best.mix[0][1]
    if not isinstance(point.threshold, float):
        return None
    return int(point.classifier), point.threshold


@cache
def allowed(negatives: int, models: int = 1) -> int:
    """Return the most false alarms that certify the limit; -1 if none do."""
    chances = binom.cdf(np.arange(negatives), negatives, MAX_FPR)
    return int(np.sum(chances <= (1 - CONFIDENCE) / models)) - 1


def certify(negatives: FloatArray, model: int) -> tuple[int, float] | None:
    """Return a model and the order statistic above which it alarms."""
    most = allowed(negatives.shape[1])
    if most < 0:
        return None
    return model, float(np.nextafter(np.sort(negatives[model])[-1 - most], np.inf))


def favorite(negatives: FloatArray, positives: FloatArray, rows: int) -> int:
    """Return the model with the most hits at the FPR that so many rows can be expected to have."""
    target = (max(allowed(rows), 0) + 1) / (rows + 1)
    place = max(round(target * (negatives.shape[1] + 1)), 1)
    thresholds = np.sort(negatives, axis=1)[:, -place]
    false = (negatives > thresholds[:, None]).sum(axis=1)
    return int(np.argmax((positives > thresholds[:, None]).sum(axis=1) - 1e-6 * false))


def best_model(world: World, negatives: int) -> int:
    """Return the model with the highest mean TPR if it is the only one, certified on so many rows.

    Negatives score alike in all models, so that one column shows where thresholds lie.
    """
    rng = np.random.default_rng(28)
    one, none = world._replace(shifts=(0.0,), stretches=(1.0,)), np.zeros(negatives, dtype=bool)
    rules = [certify(one.draw(rng, none), 0) for _ in range(200)]
    thresholds = np.array([rule[1] for rule in rules if rule is not None])
    models = np.arange(len(world.shifts))[:, None]
    return int(np.argmax(world.rates(models, thresholds)[1].mean(axis=1)))


class OtherLimit(NamedTuple):
    """Another criterion, when it is broken, and the rate that it is chosen for."""

    name: str
    make: Callable[[float | None], Criterion]
    is_broken: Callable[[float, float], bool]
    chosen_for: str


EVEN = rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=1)
PREVALENCE = 0.3


def precision(fpr: float, tpr: float, prevalence: float) -> float:
    """Return the true precision."""
    return prevalence * tpr / (prevalence * tpr + (1 - prevalence) * fpr)


OTHER_LIMITS = (
    OtherLimit(
        "TPR >= 0.7", lambda c: rocch.MinimumTpr(0.7, confidence=c), lambda _, h: h < 0.7, "FPR"
    ),
    OtherLimit(
        "precision >= 0.7",
        lambda c: rocch.MinimumPrecision(0.7, confidence=c),
        lambda f, h: precision(f, h, PREVALENCE) < 0.7,
        "TPR",
    ),
    OtherLimit(
        "precision >= 0.4 at prevalence 0.1",
        lambda c: rocch.MinimumPrecision(0.4, prevalence=0.1, confidence=c),
        lambda f, h: precision(f, h, 0.1) < 0.4,
        "TPR",
    ),
    OtherLimit(
        "predicted positive <= 0.2 at prevalence 0.1",
        lambda c: rocch.PredictedPositiveLimit(0.2, prevalence=0.1, confidence=c),
        lambda f, h: 0.9 * f + 0.1 * h > 0.2,
        "TPR",
    ),
    OtherLimit(
        "expected cost <= 0.24",
        lambda c: rocch.CostLimit(0.24, EVEN, confidence=c),
        lambda f, h: 0.7 * f + 0.3 * (1 - h) > 0.24,
        "TPR",
    ),
    OtherLimit(
        "FPR <= 0.2 and TPR >= 0.6",
        lambda c: rocch.Constrained(
            EVEN, rocch.NeymanPearson(0.2, confidence=c), rocch.MinimumTpr(0.6, confidence=c)
        ),
        lambda f, h: f > 0.2 or h < 0.6,
        "TPR",
    ),
)


def other_settings() -> Iterator[tuple[World, int]]:
    """Yield worlds and rows; with outliers the precision falls and rises along the threshold."""
    for models, rows in ((1, 300), (3, 300), (3, 2000)):
        for shape in ("normal", "heavy tails", "grades", "outliers"):
            shift = 2.25 if shape == "heavy tails" else 1.6
            yield World((shift,) * models, (1.0,) * models, shape, 0.3), rows


def tabulate_other_limits(samples: int, part: int, parts: int) -> None:
    """Print the table of other limits; classes are drawn too, at a prevalence of 0.3."""
    settings = list(other_settings())
    names = [f"{len(w.shifts)} x {rows}, {w.shape}" for w, rows in settings]
    print(
        f"\n**Other limits, {samples} samples: broken % (without a confidence), no rule %, rate**\n"
    )
    print("| limit | models x rows, scores | broken | plain | without | mean of |")
    print("|---|---|---:|---:|---:|---|")
    cases = [(limit, i) for limit in OTHER_LIMITS for i in range(len(settings))]
    for number, (limit, i) in enumerate(cases):
        if number * parts // len(cases) == part - 1:
            plain, sure = (
                study_other(limit, *settings[i], confidence, samples // k, number)
                for confidence, k in ((None, 4), (CONFIDENCE, 1))
            )
            rate = f"{limit.chosen_for} {sure[2]:.3f}"
            cells = (f"{100 * sure[0]:.1f}", f"{100 * plain[0]:.0f}", f"{100 * sure[1]:.0f}", rate)
            print(f"| {limit.name} | {names[i]} | {' | '.join(cells)} |", flush=True)


def study_other(
    limit: OtherLimit, world: World, rows: int, confidence: float | None, samples: int, number: int
) -> FloatArray:
    """Return how often a limit is broken, how often there is no rule, and the mean rate."""
    rng = np.random.default_rng((27, number))
    results = []
    for _ in range(samples):
        positive = rng.random(rows) < PREVALENCE
        rule = choose(positive, world.draw(rng, positive), limit.make(confidence))
        fpr, tpr = (0.0, 0.0) if rule is None else map(float, world.rates(*rule))
        rate = fpr if limit.chosen_for == "FPR" else tpr
        results.append((rule is not None and limit.is_broken(fpr, tpr), rule is None, rate))
    return np.asarray(np.mean(results, axis=0))


if __name__ == "__main__":
    main()
