"""Objectives: a number to be made as large as possible by a choice in ROC space."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.errors import InputError
from rocch.roc.metrics import Metric, hit_rate

if TYPE_CHECKING:
    from rocch.roc.conditions import Case, Conditions


@dataclass(frozen=True, slots=True)
class Objective:
    """What is to be made as large as possible."""

    words: str
    score: Metric
    sign: float = 1.0
    """-1 where users see the negative of the score: a cost, or an FPR."""
    best_at_corners: bool = True
    """Whether along a segment it is largest at an end, so that no point inside needs a look."""
    case: Case | None = None
    """Exact conditions, where the objective is a cost under them."""
    slope: float | None = None
    """The slope of their iso-performance lines."""
    prevalence: float | None = None
    cases: float | None = None
    """Size of the population, where the criterion names it."""


HIGHEST_TPR = Objective("highest TPR", hit_rate)


def cost_objective(conditions: Conditions, words: str) -> Objective:
    """Return the expected cost under exact conditions as an objective."""
    if not conditions.exact:
        raise InputError(
            "criterion must be exact conditions to have one best point; these have intervals "
            f"({conditions}). Use MinimaxRegret(conditions) for the safest choice; "
            "hull.sensitivity(conditions) shows what can be best."
        )
    case = conditions.case
    return Objective(
        f"least {words}",
        lambda fpr, tpr: -case.cost(fpr, tpr),
        sign=-1.0,
        case=case,
        slope=conditions.slope,
        prevalence=case.prevalence,
    )


def without_noise(cost: Any, best: float) -> Any:
    """Return what costs exceed the best by; rounding errors do not count."""
    excess = cost - best
    return np.where(np.abs(excess) <= 1e-14 * abs(best), 0.0, excess)
