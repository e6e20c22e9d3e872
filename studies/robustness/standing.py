"""Who wins where, and how often one learner is the best whatever the conditions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import rocch
    from robustness.domain import Domain

PUBLISHED = {
    "Vehicle": (("Bagged-MC4", math.inf),),
    "Road": (("NB", 0.38), ("Bagged-MC4", math.inf)),
    "CRX": (("Bagged-MC4", 0.03), ("NB", 0.06), ("Bagged-MC4", 2.06), ("NB", math.inf)),
    "Satimage": (
        ("NB", 0.05),
        ("Bagged-MC4", 0.22),
        ("IB5", 2.60),
        ("IB3", 3.11),
        ("IB5", 7.54),
        ("IB3", 31.14),
        ("Bagged-MC4", math.inf),
    ),
}
"""The paper's Table 2: who wins, up to which slope."""


def published_ranges(title: str) -> list[tuple[str, float, float]]:
    """Return the paper's rows of a domain: who, from which slope, to which."""
    rows = PUBLISHED.get(title, ())
    lows = [0.0, *(high for _, high in rows)]
    return [(name, low, high) for (name, high), low in zip(rows, lows, strict=False)]


def ranges_of(hull: rocch.RocHull) -> list[tuple[str, float, float]]:
    """Return a hull's rows in the same form."""
    return [(row.classifier, row.low, row.high) for row in hull.slope_ranges()]


def range_text(rows: Sequence[tuple[str, float, float]]) -> str:
    """Return rows as in Table 2, one below the other."""
    return "<br>".join(f"{_span(low, high)} {name}" for name, low, high in rows) or "-"


def _span(low: float, high: float) -> str:
    return f"[{_slope(low)}, {'∞)' if math.isinf(high) else _slope(high) + ']'}"


def _slope(slope: float) -> str:
    return "0" if slope == 0 else f"{slope:.2f}" if slope >= 0.1 else f"{slope:.2g}"


class Dominance(NamedTuple):
    """Who dominates a domain, judged in three ways.

    Attributes
    ----------
    averaged
        By the averaged curves, as in the paper; None where nobody does.
    pooled
        By the scores of all rows in one curve, as a hybrid sees them.
    runs
        On each fold alone; several where they tie.
    """

    averaged: str | None
    pooled: str | None
    runs: tuple[tuple[str, ...], ...]

    @property
    def dominated_runs(self) -> int:
        """On how many folds somebody dominates."""
        return sum(bool(names) for names in self.runs)


def dominance_of(domain: Domain) -> Dominance:
    """Say who dominates a domain."""
    averaged, pooled = domain.averaged_hull.dominator(), domain.pooled.hull.dominator()
    return Dominance(averaged, pooled, tuple(domain.run_dominators))


def accuracy_of(domain: Domain, name: str) -> float:
    """Return the share of rows that a learner answers rightly at probability one half."""
    rows = domain.pooled
    return float(np.mean((rows.scores[name] > 0.5) == rows.positive))


def mean_auc(domain: Domain, name: str) -> float:
    """Return the mean over the folds of a learner's area under the curve."""
    return float(np.mean([fold.test.curve(name).auc for fold in domain.folds]))
