"""Random hulls of every kind, and random questions about them, for tests of the report."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

import rocch
from rocch import Question, RocHull
from rocch.roc.criteria import METRICS

UNITS = ("false_positive", "false_negative")
CASES = {"positives": 500, "negatives": 9_500}


def rows_of(seed: int, size: int) -> tuple[Any, dict[str, Any], np.random.Generator]:
    """Draw labels, and scores of a few classifiers, some of them with many ties."""
    rng = np.random.default_rng(seed)
    y = rng.random(size) < rng.choice([0.1, 0.5, 0.8])
    y[:2] = [False, True]
    scores = {}
    for i in range(rng.integers(1, 5)):
        column = rng.normal(size=size) + rng.uniform(0, 2.5) * y
        scores[f"m{i}"] = np.round(column, 1) if rng.random() < 0.4 else column
    return y, scores, rng


@cache
def hull_of(seed: int, size: int = 30) -> rocch.RocHull:
    """Return a hull: plain, with labels-only classifiers, weighted, without curves, or pooled."""
    y, scores, rng = rows_of(seed, size)
    kind = seed % 5
    if kind == 1:
        return rocch.RocHull.of(
            rocch.RocHull.from_scores(y, scores),
            rocch.RocCurve.from_labels(y, y ^ (rng.random(size) < 0.2), name="rules"),
            rocch.RocCurve.from_labels(
                y, {"lax": rng.random(size) < 0.6, "strict": y & (rng.random(size) < 0.5)}, name="s"
            ),
        )
    if kind == 2:
        return rocch.RocHull.from_scores(y, scores, sample_weight=rng.random(size) + 0.1)
    if kind == 3:
        return without_curves(rocch.RocHull.from_scores(y, scores))
    if kind == 4:
        others, more, _ = rows_of(seed + 1000, max(7, size // 2))
        curves = [rocch.RocCurve.from_scores(y, s, name=n) for n, s in scores.items()]
        other = rocch.RocCurve.from_scores(others, more["m0"], name="elsewhere")
        return rocch.RocHull.of(*curves, other, allow_different_rows=True)
    return rocch.RocHull.from_scores(y, scores)


def without_curves(hull: rocch.RocHull) -> rocch.RocHull:
    """Return the hull as a loaded hybrid has it: every classifier with its vertices alone."""
    members = tuple(
        member.only(
            set(zip(member.false_positives.tolist(), member.true_positives.tolist(), strict=True))
        )
        for member in hull.members
    )
    return RocHull(hull.totals, members)


def question_of(rng: np.random.Generator) -> Question:
    """Ask about costs, a belief, limits, a metric or a knob, with and without a coin."""
    asked: dict[str, Any] = {"randomize": bool(rng.random() < 0.4)}
    kind = rng.random()
    if kind < 0.08:
        return Question(knob=float(rng.random()), **asked)
    if kind < 0.45:
        asked |= costs_of(rng)
    elif kind < 0.75:
        asked |= belief_of(rng)
    elif kind < 0.87:
        asked["maximize"] = str(rng.choice(list(METRICS)))
    limits = limits_of(rng)
    if not limits and kind >= 0.87:
        limits = {"max_fpr": 0.3}
    balance = _range(rng, 0.001, 0.9)
    if "maximize" in asked:
        balance = balance[0], balance[0]
    if "capacity" in limits and "population" not in limits and kind >= 0.87:
        return Question(**asked, **limits)
    if set(limits) <= {"max_fpr", "min_tpr"} and kind >= 0.87:
        return Question(**asked, **limits)
    return Question(prevalence=balance, **asked, **limits)


def costs_of(rng: np.random.Generator) -> dict[str, Any]:
    """Return costs of errors, and sometimes of right decisions, which cost less."""
    found: dict[str, Any] = {
        "false_positive": _range(rng, 0.1, 100),
        "false_negative": _range(rng, 0.1, 1000),
    }
    if rng.random() < 0.3:
        found["true_negative"] = found["false_positive"][0] * float(rng.choice([0.1, 0.9]))
        found["true_positive"] = (0, found["false_negative"][0] * 0.5)
    return found


def belief_of(rng: np.random.Generator) -> dict[str, Any]:
    """Return a belief about the ratio of costs: uniform, triangular, certain or open."""
    low, likely, high = sorted(_between(rng, 0.1, 100) for _ in range(3))
    kind = rng.random()
    if kind < 0.1:
        return {"cost_ratio": low}
    if kind < 0.2:
        return {"cost_ratio": (low, math.inf), "false_negative": 20}
    unit = {} if rng.random() < 0.5 else {str(rng.choice(UNITS)): _between(rng, 0.1, 100)}
    if kind < 0.5:
        return {"cost_ratio": (low, high), **unit}
    if kind < 0.6:
        likely = float(rng.choice([low, high]))
    return {"cost_ratio": (low, high), "likely": likely, **unit}


def limits_of(rng: np.random.Generator) -> dict[str, Any]:
    """Return no limits, or some that never alarming keeps."""
    found: dict[str, Any] = {}
    if rng.random() < 0.3:
        found["max_fpr"] = float(rng.choice([0, 0.01, 0.05, 0.2, 1]))
    if rng.random() < 0.15:
        found["max_share"] = float(rng.choice([0, 0.05, 0.3]))
    if rng.random() < 0.3:
        found["capacity"] = float(rng.choice([0, 50, 500, 5000]))
        found |= {"population": 10_000} if rng.random() < 0.6 else CASES
    return found


def _between(rng: np.random.Generator, low: float, high: float) -> float:
    return math.exp(rng.uniform(math.log(low), math.log(high)))


def _range(rng: np.random.Generator, low: float, high: float) -> tuple[float, float]:
    first = _between(rng, low, high)
    if rng.random() < 0.5:
        return first, first
    return first, min(first * _between(rng, 1.01, 10), high)


def every_point(hull: rocch.RocHull) -> list[tuple[float, float]]:
    """Return FPR and TPR of every point that some classifier reaches, as far as is known."""
    found = [(v.fpr, v.tpr) for v in hull.vertices]
    for member in hull.members:
        curve = member.curve()
        fpr, tpr = (
            hull.totals.rates(member.false_positives, member.true_positives)
            if curve is None
            else (curve.fpr, curve.tpr)
        )
        found += zip(fpr.tolist(), tpr.tolist(), strict=True)
    return found
