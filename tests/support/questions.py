"""Questions as people type them, for tests that ask every surface the same.

Each surface (Python, command line, reports, HTTP, pages) must give the operating point that
`hull.best(question)` gives for `Question.from_strings(texts)`.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

import rocch

if TYPE_CHECKING:
    from pathlib import Path

    from rocch.arrays import BoolArray, FloatArray

COSTS = {"false_positive": "1", "false_negative": "2"}
SURE = {"confidence": "95%"}

# Every field occurs, alone where it can stand alone, and in combinations.
QUESTIONS: dict[str, dict[str, str]] = {
    "exact costs": COSTS,
    "costs in money": {**COSTS, "currency": "EUR", "cases_per_month": "20,000"},
    "costs at a prevalence": {**COSTS, "prevalence": "0.1"},
    "prevalence in percent": {**COSTS, "prevalence": "10%"},
    "observed prevalence": {**COSTS, "prevalence": "observed"},
    "negatives per positive": {**COSTS, "negatives_per_positive": "5"},
    "cost of a hit": {**COSTS, "true_positive": "0.5"},
    "cost of a true negative": {**COSTS, "true_negative": "1/10"},
    "costs between bounds": {"false_positive": "10..20", "false_negative": "20-60"},
    "prevalence between bounds": {**COSTS, "prevalence": "5..20%"},
    "ratio of classes between bounds": {**COSTS, "negatives_per_positive": "1..3"},
    "all between bounds": {
        "false_positive": "10..20",
        "false_negative": "20..60",
        "true_positive": "1..2",
        "prevalence": "0.2..0.4",
    },
    "cost ratio": {"cost_ratio": "1..5"},
    "exact cost ratio": {"cost_ratio": "5"},
    "cost ratio below one": {"cost_ratio": "1/10..1/5", "prevalence": "0.4"},
    "cost ratio without upper end": {"cost_ratio": "2..inf", "false_negative": "100"},
    "most likely ratio": {"cost_ratio": "1..5", "likely": "2"},
    "ratio in units of a false alarm": {
        "cost_ratio": "1..5",
        "likely": "2",
        "false_positive": "20",
        "prevalence": "0.3",
    },
    "ratio in units of a miss": {"cost_ratio": "1..5", "false_negative": "100"},
    "ratio and prevalence between bounds": {
        "cost_ratio": "1..4",
        "likely": "2",
        "prevalence": "0.1..0.4",
    },
    "false positive rate": {"max_fpr": "0.2"},
    "false positive rate with a coin": {"max_fpr": "17%", "randomize": "true"},
    "true positive rate": {"min_tpr": "80%"},
    "true positive rate with a coin": {"min_tpr": "0.77", "randomize": "true"},
    "share of alarms": {"max_share": "0.3", "prevalence": "0.4"},
    "share of alarms, prevalence between bounds": {"max_share": "0.3", "prevalence": "0.2..0.4"},
    "capacity of counted cases": {"capacity": "30", "positives": "40", "negatives": "60"},
    "capacity of a population": {"capacity": "300", "population": "1,000", "prevalence": "0.3"},
    "metric": {"maximize": "f1"},
    "metric at a prevalence": {"maximize": "accuracy", "prevalence": "0.2"},
    "knob": {"knob": "0.35"},
    "costs within a limit": {**COSTS, "max_fpr": "0.1"},
    "bounds within a limit": {
        "false_positive": "1",
        "false_negative": "4..40",
        "max_fpr": "0.2",
    },
    "ratio within a limit": {"cost_ratio": "1..5", "max_fpr": "0.15"},
    "ratio within a capacity": {
        "cost_ratio": "5..10",
        "capacity": "350",
        "population": "1000",
        "prevalence": "0.4",
    },
    "metric within a limit": {"maximize": "precision", "min_tpr": "0.5"},
    "two limits": {"max_fpr": "0.3", "max_share": "0.4", "prevalence": "0.5"},
    "costs within a limit, with a coin": {**COSTS, "max_fpr": "0.13", "randomize": "true"},
    "precision": {"min_precision": "0.85"},
    "precision at a prevalence": {"min_precision": "50%", "prevalence": "0.1"},
    "precision with a coin": {"min_precision": "0.8", "prevalence": "0.3", "randomize": "true"},
    "costs within a precision": {**COSTS, "min_precision": "0.8", "prevalence": "0.2..0.4"},
    "costs within a cost": {**COSTS, "max_cost": "0.25", "prevalence": "0.3"},
    "metric within a cost": {"max_cost": "0.3", **COSTS, "maximize": "recall"},
    "false positive rate on new rows": {"max_fpr": "0.2", **SURE},
    "true positive rate on new rows": {"min_tpr": "0.6", **SURE},
    "both rates on new rows": {"max_fpr": "0.5", "min_tpr": "0.4", **SURE},
    "costs within a limit on new rows": {**COSTS, "max_fpr": "0.2", **SURE},
    "bounds within a limit on new rows": {
        "false_positive": "1",
        "false_negative": "4..40",
        "max_fpr": "0.3",
        **SURE,
    },
    "ratio within a limit on new rows": {"cost_ratio": "1..5", "max_fpr": "0.25", **SURE},
    "metric within a limit on new rows": {"maximize": "f1", "min_tpr": "0.5", **SURE},
}
# Those that Python alone answers, and no page.
UNCERTIFIED: dict[str, dict[str, str]] = {
    "share of alarms on new rows": {"max_share": "0.5", "prevalence": "0.4", **SURE},
    "observed share of alarms on new rows": {"max_share": "0.5", **SURE},
    "capacity on new rows": {"capacity": "50", "positives": "40", "negatives": "60", **SURE},
    "precision on new rows": {"min_precision": "0.6", **SURE},
    "precision at a prevalence on new rows": {"min_precision": "0.5", "prevalence": "0.4", **SURE},
    "cost on new rows": {**COSTS, "max_cost": "0.6", **SURE},
}
# Questions that may refer cases to a person.
REFERRALS: dict[str, dict[str, str]] = {
    "cost of a referred case": {**COSTS, "refer_cost": "0.2"},
    "cost of a referred case at a prevalence": {**COSTS, "refer_cost": "1/4", "prevalence": "10%"},
    "share of referred cases": {**COSTS, "max_referred": "20%"},
    "cost and share of referred cases": {**COSTS, "refer_cost": "0.1", "max_referred": "0.1"},
    "wrong among the decided": {"max_wrong": "5%"},
    "a referred case costs too much": {**COSTS, "refer_cost": "0.9"},
}


@cache
def rows() -> tuple[BoolArray, dict[str, FloatArray]]:
    """Return labels and the scores of three classifiers that share the hull."""
    rng = np.random.default_rng(24)
    y = np.arange(200) % 5 < 2
    n = y.size
    strict = np.where(y, rng.choice([0.2, 2.5], n, p=[0.6, 0.4]), 0.0) + rng.normal(0, 0.5, n)
    middle = np.where(y, 1.7, 0.0) + rng.normal(0, 1, n)
    broad = np.where(y, 0.0, rng.choice([0.0, -2.5], n, p=[0.5, 0.5])) + rng.normal(0, 0.5, n)
    scores = {"strict": strict, "middle": middle, "broad": broad}
    return y, {name: np.round(column, 3) for name, column in scores.items()}


@cache
def hull() -> rocch.RocHull:
    """Return the hull of the rows."""
    y, scores = rows()
    return rocch.RocHull.from_scores(y, scores)


def ask(texts: dict[str, str]) -> rocch.Question:
    """Return the question that the texts state."""
    return rocch.Question.from_strings(texts)


def refer(texts: dict[str, str]) -> Any:
    """Return which cases Python refers."""
    return hull().refer(ask(texts))


def best(texts: dict[str, str]) -> Any:
    """Return Python's answer."""
    return hull().best(ask(texts))


def as_options(texts: dict[str, str]) -> list[str]:
    """Return the texts as options of the command line."""
    options = []
    for name, text in texts.items():
        options.append(f"--{name.replace('_', '-')}")
        if name != "randomize":
            options.append(text)
    return options


def write_csv(folder: Path) -> Path:
    """Write the rows to a file."""
    y, scores = rows()
    lines = [",".join(["label", *scores])]
    for place, label in enumerate(y.tolist()):
        lines.append(",".join([str(int(label)), *(repr(float(s[place])) for s in scores.values())]))
    file = folder / "scores.csv"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file
