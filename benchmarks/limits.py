"""Limits with a confidence, beside MAPIE and nproc: one model, the same frozen scores.

    python benchmarks/limits.py
    python benchmarks/limits.py --samples 100

Scores are normal and given as true probabilities, so that every rule's true rates are known. Each
table shows how often the true rate breaks the limit (5% are allowed), how often there is no rule,
and the mean of the rate that the rule is chosen for; a sample without a rule counts as never
alarming under a ceiling, and as always alarming under a floor on TPR.

- rocch: `RocHull.best` with a limit that has a confidence.
- nproc (1.5): `npc_core`, the order statistic of Tong, Feng and Li (2018). FPR only.
- MAPIE (1.6): `BinaryClassificationController` with its 100 thresholds, by its default correction
  (Bonferroni-Holm) and by a fixed sequence, which starts at the safe end.

Rivals that are not installed are left out, and the table says so.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import io
import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit, logit
from scipy.stats import norm

import rocch
from rocch.roc.criteria import Criterion

CONFIDENCE = 0.95
# How far apart the classes are, in standard deviations.
SHIFT = 2.0
SIZES = ((100, 100), (200, 50), (200, 200), (500, 200), (2000, 2000))
# nproc computes bounds for every negative, which takes seconds from here on.
MOST_FOR_NPROC = 200
# MAPIE's default thresholds.
GRID = np.linspace(0, 0.99, 100)

Rule = Callable[[Any, Any], float | None]


class Limit(NamedTuple):
    """A limit, the same for MAPIE, and the rate that rules are chosen for."""

    name: str
    criterion: Criterion
    # MAPIE's name and level, and whether its safe end is the highest threshold
    risk: str
    level: float
    strict: bool
    chosen_for: str


LIMITS = (
    Limit(
        "FPR <= 0.05", rocch.NeymanPearson(0.05, confidence=CONFIDENCE), "fpr", 0.05, True, "tpr"
    ),
    Limit("TPR >= 0.8", rocch.MinimumTpr(0.8, confidence=CONFIDENCE), "recall", 0.8, False, "fpr"),
    Limit(
        "precision >= 0.8",
        rocch.MinimumPrecision(0.8, confidence=CONFIDENCE),
        "precision",
        0.8,
        True,
        "tpr",
    ),
)


def main() -> None:
    """Print a table for each limit."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=300)
    samples = parser.parse_args().samples
    for name in ("nproc", "mapie"):
        if importlib.util.find_spec(name) is None:
            print(f"{name} is not installed and left out: pip install {name}")
    for limit in LIMITS:
        rules = find_rules(limit)
        print(f"\n**{limit.name}, {samples} samples: broken, no rule, mean {limit.chosen_for}**\n")
        print("| negatives + positives | " + " | ".join(rules) + " |")
        print("|---|" + "---|" * len(rules))
        for number, size in enumerate(SIZES):
            found = compare(limit, rules, size, samples, seed=number)
            print(f"| {size[0]} + {size[1]} | " + " | ".join(found) + " |", flush=True)


def find_rules(limit: Limit) -> dict[str, Rule]:
    """Return the rules that can be compared here."""
    rules: dict[str, Rule] = {"rocch": partial(by_rocch, limit)}
    if limit.risk == "fpr" and importlib.util.find_spec("nproc"):
        rules["nproc"] = by_nproc
    if importlib.util.find_spec("mapie"):
        for method in ("bonferroni_holm", "fixed_sequence"):
            rules[f"MAPIE, {method.replace('_', ' ')}"] = partial(by_mapie, limit, method)
    return rules


def compare(
    limit: Limit, rules: dict[str, Rule], size: tuple[int, int], samples: int, seed: int
) -> list[str]:
    """Return a cell for each rule: all get the same samples."""
    rng = np.random.default_rng((26, seed))
    negatives, positives = size
    y = np.arange(sum(size)) >= negatives
    odds = math.log(positives / negatives)
    found: dict[str, list[tuple[bool, bool, float]]] = {name: [] for name in rules}
    for _ in range(samples):
        scores = probabilities(rng.normal(size=y.size) + SHIFT * y, odds)
        for name, rule in rules.items():
            if name != "nproc" or negatives <= MOST_FOR_NPROC:
                found[name].append(outcome(limit, rule(y, scores), size))
    return [describe(np.array(results, dtype=float)) for results in found.values()]


def probabilities(values: Any, odds: float) -> Any:
    """Return the true probability of the positive class."""
    return expit(SHIFT * values - SHIFT**2 / 2 + odds)


def outcome(
    limit: Limit, threshold: float | None, size: tuple[int, int]
) -> tuple[bool, bool, float]:
    """Return whether a rule breaks the limit, whether there is none, and the rate it is for."""
    if threshold is None:
        return False, True, float(limit.chosen_for == "fpr")
    odds = math.log(size[1] / size[0])
    place = (float(logit(threshold)) - odds + SHIFT**2 / 2) / SHIFT
    fpr, tpr = norm.sf(place), norm.sf(place - SHIFT)
    alarms = size[0] * fpr, size[1] * tpr
    precision = alarms[1] / sum(alarms)
    is_broken = {
        "fpr": fpr > limit.level,
        "recall": tpr < limit.level,
        "precision": precision < limit.level,
    }[limit.risk]
    return bool(is_broken), False, float(tpr if limit.chosen_for == "tpr" else fpr)


def describe(results: Any) -> str:
    """Write a cell."""
    if not results.size:
        return "too slow"
    broken, without, rate = results.mean(axis=0)
    return f"{100 * broken:.1f}%, {100 * without:.0f}%, {rate:.3f}"


def by_rocch(limit: Limit, y: Any, scores: Any) -> float | None:
    """Return the threshold at or above which rocch alarms."""
    try:
        best = rocch.RocHull.from_scores(y, {"model": scores}).best(limit.criterion)
    except rocch.InfeasibleError:
        return None
    threshold = best.mix[0][1].threshold
    return threshold if isinstance(threshold, float) else None


def by_nproc(y: Any, scores: Any) -> float | None:
    """Return the score above which nproc alarms."""
    from nproc import npc  # type: ignore[import-not-found]

    with contextlib.redirect_stdout(io.StringIO()):  # it prints that there are too few rows
        cutoff, *_ = npc().npc_core(y.astype(int), scores, 0.05, 1 - CONFIDENCE, 1)
    return float(np.nextafter(cutoff, 1)) if math.isfinite(cutoff) else None


def by_mapie(limit: Limit, method: str, y: Any, scores: Any) -> float | None:
    """Return the threshold at or above which MAPIE alarms."""
    import warnings

    from mapie.risk_control import (  # type: ignore[import-not-found]
        BinaryClassificationController,
    )

    grid = GRID[::-1] if method == "fixed_sequence" and limit.strict else GRID
    controller = BinaryClassificationController(
        lambda rows: np.column_stack([1 - rows[:, 0], rows[:, 0]]),
        limit.risk,
        limit.level,
        confidence_level=CONFIDENCE,
        list_predict_params=grid,
        fwer_method=method,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns where no threshold is valid
        controller.calibrate(scores[:, None], y.astype(int))
    best = controller.best_predict_param
    return None if best is None else float(best)


if __name__ == "__main__":
    main()
