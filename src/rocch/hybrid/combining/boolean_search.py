"""Iterative Boolean combination: thresholds joined by *and* and *or* that extend a hull.

After Khreich, Granger, Miri and Sabourin, *Iterative Boolean combination of classifiers in the ROC
space* (2010). Every pair of settings of two models is tried with both operators; what becomes a
vertex of the joint hull is tried again with every single model, round after round, until nothing
extends the hull. Joint counts come from the rows, so dependence between models is no obstacle.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rocch.hybrid.combining.gain import ROUNDING, envelope
from rocch.hybrid.combining.running_cost import row_shares, spent
from rocch.hybrid.expression import Both, Either, Joined
from rocch.kernels.hull import grown, joint_counts, sums_where

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rocch.arrays import BoolArray, FloatArray, IntArray
    from rocch.hybrid.combining.sample import DecidedSample
    from rocch.hybrid.expression import Expression


@dataclass(frozen=True, slots=True)
class Budget:
    """How much a rule may cost per row, and what each model costs."""

    costs: Mapping[str, float]
    most: float
    prevalence: float | None


class Hit(NamedTuple):
    """A combination that rose above the hull: its counts, and how it is made."""

    false_positives: int
    true_positives: int
    expression: Expression


@dataclass(frozen=True, eq=False)
class Pool:
    """Expressions with what is needed to combine them: alarms, counts, and what rows cost."""

    sample: DecidedSample
    expressions: Sequence[Expression]
    costs: Mapping[str, float] | None = None

    @cached_property
    def alarms(self) -> BoolArray:
        """One row of alarms for each expression."""
        return self.sample.decisions(self.expressions)

    @cached_property
    def by_class(self) -> tuple[BoolArray, BoolArray]:
        """The alarms on negatives and on positives."""
        return self.alarms[:, ~self.sample.positive], self.alarms[:, self.sample.positive]

    @cached_property
    def counts(self) -> tuple[IntArray, IntArray]:
        """False and true positives."""
        return self.sample.count_all(self.alarms)

    @cached_property
    def spent(self) -> FloatArray:
        """What each row costs under each expression; one line if all cost the same."""
        costs = self.costs or {}
        alike = not any(isinstance(found, Joined) for found in self.expressions)
        distinct = self.expressions[:1] if alike else self.expressions  # one model's thresholds
        rows = [spent(expression, self.sample, costs) for expression in distinct]
        return np.array(rows).reshape(len(rows), len(self.sample))


def affordable(sample: DecidedSample, budget: Budget | None) -> list[str]:
    """Return the models that may be asked for every row."""
    return [
        model for model in sample.models if budget is None or budget.costs[model] <= budget.most
    ]


def search(
    sample: DecidedSample, *, thresholds: int | None, rounds: int, budget: Budget | None
) -> list[Expression]:
    """Return every combination that held a vertex of the joint hull when its round ended."""
    costs = None if budget is None else budget.costs
    singles = {
        model: Pool(sample, sample.settings(model, thresholds), costs) for model in sample.models
    }
    hull = _vertices(sample, [singles[model] for model in affordable(sample, budget)])
    pairs: Iterable[tuple[Pool, Pool]] = combinations(singles.values(), 2)
    found: list[Expression] = []
    for _ in range(rounds):
        hull, fresh = _round(hull, pairs, budget)
        if not fresh:
            break
        found += fresh
        survivors = Pool(sample, fresh, costs)
        pairs = [(survivors, single) for single in singles.values()]
    return found


def _round(
    hull: tuple[IntArray, IntArray], pairs: Iterable[tuple[Pool, Pool]], budget: Budget | None
) -> tuple[tuple[IntArray, IntArray], list[Expression]]:
    """Return the hull after all pairs were tried, and the combinations that are new on it."""
    hits = [hit for first, second in pairs for hit in _rising(hull, first, second, budget)]
    x = np.array([hit.false_positives for hit in hits], dtype=np.int64)
    y = np.array([hit.true_positives for hit in hits], dtype=np.int64)
    joint, new = grown(hull, x, y)
    return joint, [hits[i].expression for i in new]


def _rising(
    hull: tuple[IntArray, IntArray], first: Pool, second: Pool, budget: Budget | None
) -> list[Hit]:
    """Return the combinations of two pools that would become vertices."""
    units, positive = first.sample.units, first.sample.positive
    weights = (None, None) if units is None else (units[~positive], units[positive])
    both = [
        joint_counts(a, b, w)
        for a, b, w in zip(first.by_class, second.by_class, weights, strict=True)
    ]
    either = [
        a[:, np.newaxis] + b - joint
        for a, b, joint in zip(first.counts, second.counts, both, strict=True)
    ]
    fp, tp = (np.concatenate([b.ravel(), e.ravel()]) for b, e in zip(both, either, strict=True))
    allowed = np.arange(fp.size)
    if budget is not None:
        # these sums are rounded; confirmation decides exactly what fits
        allowed = np.flatnonzero(
            _chain_costs(first, second, budget) <= budget.most * (1 + ROUNDING)
        )
    hits = []
    for i in allowed[grown(hull, fp[allowed], tp[allowed])[1]].tolist():
        operator = Both if i < both[0].size else Either
        a, b = divmod(i % both[0].size, len(second.expressions))
        expression = operator(first.expressions[a], second.expressions[b])
        hits.append(Hit(int(fp[i]), int(tp[i]), expression))
    return hits


def _chain_costs(first: Pool, second: Pool, budget: Budget) -> FloatArray:
    """Return what every *and*, then every *or*, costs per row in the cheaper order of its parts.

    A model that both parts ask is counted twice here, so this may overstate and never understates.
    """
    shares = row_shares(first.sample, budget.prevalence)
    a, b = first.spent * shares, second.spent * shares
    a_alone, b_alone = a.sum(axis=1)[:, np.newaxis], b.sum(axis=1)
    b_if_a, a_if_b = sums_where(b, first.alarms).T, sums_where(a, second.alarms)
    both = np.minimum(a_alone + b_if_a, b_alone + a_if_b)
    either = np.minimum(a_alone + b_alone - b_if_a, b_alone + a_alone - a_if_b)
    return np.concatenate([both.ravel(), either.ravel()])


def _vertices(sample: DecidedSample, pools: Sequence[Pool]) -> tuple[IntArray, IntArray]:
    """Return the counts at the vertices of the single models' hull."""
    decisions = [pool.alarms for pool in pools]
    nothing = np.zeros((0, len(sample)), dtype=bool)
    return envelope(sample, np.concatenate([nothing, *decisions])).counts
