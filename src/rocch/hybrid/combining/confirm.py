"""Confirmation: what was found on some rows must show its worth on others."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from rocch.hybrid.combining.boolean_search import affordable
from rocch.hybrid.combining.gain import envelope, gains, strongest
from rocch.hybrid.combining.running_cost import cost_per_row, parts
from rocch.hybrid.expression import Both, Joined
from rocch.kernels.hull import grown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rocch.arrays import BoolArray
    from rocch.hybrid.combining.boolean_search import Budget
    from rocch.hybrid.combining.gain import Envelope, Gain
    from rocch.hybrid.combining.sample import DecidedSample
    from rocch.hybrid.expression import Expression


@dataclass(frozen=True, slots=True)
class Combination:
    """A rule made of several models, and how it did on rows that were not used to find it.

    Attributes
    ----------
    name
        The models and operators, made unique: "gbm and nb", "gbm and nb 2".
    expression
        When to alarm; its parts stand in the order that is cheapest to run.
    false_positives, true_positives, fpr, tpr
        Counts (weights, for weighted rows) and rates on the confirming rows.
    gain
        Where it most clearly beats the single models' hull on the confirming rows: the slope, the
        gain there and its standard error. None if it does nowhere.
    running_cost
        What it costs per row on the confirming rows, each part asked only where it must be.
    confirmed
        Whether it enters the hull.
    reason
        Why, or why not.
    """

    name: str
    expression: Expression
    false_positives: float
    true_positives: float
    fpr: float
    tpr: float
    gain: Gain | None
    running_cost: float
    confirmed: bool
    reason: str

    @property
    def words(self) -> str:
        """The rule in plain words; its name on the hull."""
        return self.expression.words()

    def __str__(self) -> str:
        return (
            f"{self.words}: FPR {self.fpr:.3f}, TPR {self.tpr:.3f}, cost {self.running_cost:.4g} "
            f"per row; {'confirmed' if self.confirmed else 'not confirmed'}: {self.reason}"
        )


@dataclass(frozen=True, eq=False)
class Judge:
    """The confirming rows, and what a combination must show on them."""

    sample: DecidedSample
    budget: Budget
    slopes: tuple[float, float]
    standard_errors: float

    @cached_property
    def singles(self) -> list[str]:
        """The single models within the budget."""
        return affordable(self.sample, self.budget)

    def judged(self, expressions: Iterable[Expression]) -> list[Combination]:
        """Judge combinations, simplest first; those that others outdo are not confirmed."""
        ranked = sorted(expressions, key=lambda found: (_size(found), found.words()))
        alone = [
            self._alone(found, name)
            for found, name in zip(ranked, unique_names(ranked, self.sample.models), strict=True)
        ]
        return self._without_outdone(alone)

    @cached_property
    def _base(self) -> Envelope:
        """The single models at their best thresholds on the confirming rows."""
        settings = [s for model in self.singles for s in self.sample.settings(model)]
        return envelope(self.sample, self.sample.decisions(settings))

    def _alone(self, expression: Expression, name: str) -> Combination:
        """Judge one combination against the single models."""
        alarms = expression.alarms(self.sample)
        counts = self.sample.count(alarms)
        fpr, tpr = (count / all_ for count, all_ in zip(counts, self.sample.totals, strict=True))
        cost = cost_per_row(expression, self.sample, self.budget.costs, self.budget.prevalence)
        gain = self._gain(alarms, counts)
        confirmed, reason = self._verdict(gain, cost)
        return Combination(
            name=name,
            expression=expression,
            false_positives=self.sample.amount(counts[0]),
            true_positives=self.sample.amount(counts[1]),
            fpr=fpr,
            tpr=tpr,
            gain=gain,
            running_cost=cost,
            confirmed=confirmed,
            reason=reason,
        )

    def _gain(self, alarms: BoolArray, counts: tuple[int, int]) -> Gain | None:
        fp, tp = (
            np.append(known, count) for known, count in zip(self._base.counts, counts, strict=True)
        )
        if not grown(self._base.counts, fp[-1:], tp[-1:])[1].size:
            return None
        ours = envelope(self.sample, np.vstack((self._base.alarms, alarms)), (fp, tp))
        found = gains(self.sample, ours, self._base, self.slopes)
        return strongest(found, self.standard_errors)

    def _verdict(self, gain: Gain | None, cost: float) -> tuple[bool, str]:
        if cost > self.budget.most:
            return False, f"it costs {cost:.4g} per row here, above {self.budget.most:g}"
        if gain is None:
            return False, "it gains nothing over the single models"
        if not gain.exceeds(self.standard_errors):
            return False, f"it gains only {gain}"
        return True, f"it gains {gain}"

    def _without_outdone(self, alone: Sequence[Combination]) -> list[Combination]:
        """Confirm only those that hold a vertex beside the others; of equal ones the simplest."""
        passed = [i for i, combination in enumerate(alone) if combination.confirmed]
        alarms = self.sample.decisions(alone[i].expression for i in passed)
        _, new = grown(self._base.counts, *self.sample.count_all(alarms))
        outdone = set(passed) - {passed[i] for i in new.tolist()}
        reason = "other confirmed combinations do as well or better at every slope"
        return [
            replace(combination, confirmed=False, reason=reason) if i in outdone else combination
            for i, combination in enumerate(alone)
        ]


def unique_names(expressions: Iterable[Expression], taken: Iterable[str]) -> list[str]:
    """Name combinations by their models and operators, numbered from the second on."""
    seen = Counter(taken)
    names = []
    for expression in expressions:
        name = plain = short_name(expression)
        while seen[name]:
            seen[plain] += 1
            name = f"{plain} {seen[plain]}"
        seen[name] += 1
        names.append(name)
    return names


def short_name(expression: Expression) -> str:
    """Say which models are combined how, without thresholds."""
    if not isinstance(expression, Joined):
        return ", ".join(expression.models) or expression.words()
    operator = " and " if isinstance(expression, Both) else " or "
    inside = parts(expression)
    return operator.join(
        f"({short_name(part)})" if isinstance(part, Joined) else short_name(part) for part in inside
    )


def _size(expression: Expression) -> int:
    inside = parts(expression)
    return 1 if len(inside) == 1 else sum(map(_size, inside))
