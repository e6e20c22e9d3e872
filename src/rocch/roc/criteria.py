"""Criteria: what "best" means (Provost and Fawcett, sections 3.2 to 3.6).

A criterion becomes an objective, a number to be made as large as possible, and linear limits on
FPR and TPR. The hull holds a best answer for any objective that rises with TPR and falls with FPR
(Theorem 6; the signs of its derivatives are misprinted, Theorem 8 has them right), under limits
that cannot cut away the hull and leave something better inside it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from rocch.errors import UndefinedError, bad_input, explain_call, kind_of
from rocch.inputs import as_number, as_rate
from rocch.roc.belief import Belief
from rocch.roc.coinless import coinless_roof
from rocch.roc.conditions import OBSERVED, Conditions, as_conditions
from rocch.roc.limits import LinearLimit
from rocch.roc.metrics import METRICS, NEED_POSITIVES, Metric, checked_metric, hit_rate
from rocch.roc.objective import HIGHEST_TPR, Objective, cost_objective
from rocch.roc.regret import LeastExpectedRegret, MinimaxRegret

if TYPE_CHECKING:
    from rocch.roc.hull import RocHull


@runtime_checkable
class Criterion(Protocol):
    """Anything that says what "best" means."""

    def objective(self, hull: RocHull) -> Objective:
        """Return what is to be made as large as possible on this hull."""

    @property
    def limits(self) -> tuple[LinearLimit, ...]:
        """The limits to be met."""


class OneLimit:
    """What criteria have in common that consist of an aim and one limit."""

    __slots__ = ()

    @property
    def limit(self) -> LinearLimit:
        """The limit, which `Constrained` can combine with others."""
        raise NotImplementedError

    @property
    def limits(self) -> tuple[LinearLimit, ...]:
        """The limits to be met: this one."""
        return (self.limit,)


@dataclass(frozen=True, slots=True)
class ErrorRate:
    """Least errors, all kinds alike, at a prevalence (Corollary 5)."""

    prevalence: float | str = OBSERVED
    limits: tuple[LinearLimit, ...] = field(default=(), init=False)

    def objective(self, hull: RocHull) -> Objective:
        """Return the error rate as an expected cost."""
        conditions = Conditions(prevalence=self.prevalence, false_positive=1, false_negative=1)
        return cost_objective(conditions.resolved(hull.judged), "error rate")


@dataclass(frozen=True, slots=True)
class NeymanPearson(OneLimit):
    """The highest TPR with at most the given FPR (Corollary 10)."""

    max_fpr: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "max_fpr", as_rate(self.max_fpr, "max_fpr"))

    @property
    def limit(self) -> LinearLimit:
        """The limit on FPR."""
        return LinearLimit(fpr=1, at_most=self.max_fpr)

    def objective(self, hull: RocHull) -> Objective:  # noqa: ARG002 - the same for every hull
        """Return the TPR."""
        return HIGHEST_TPR


@dataclass(frozen=True, slots=True)
class MinimumTpr(OneLimit):
    """The lowest FPR with at least the given TPR."""

    min_tpr: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "min_tpr", as_rate(self.min_tpr, "min_tpr"))

    @property
    def limit(self) -> LinearLimit:
        """The limit on TPR."""
        return LinearLimit(tpr=-1, at_most=-self.min_tpr)

    def objective(self, hull: RocHull) -> Objective:  # noqa: ARG002 - the same for every hull
        """Return the FPR, to be made small."""
        return Objective("lowest FPR", lambda fpr, tpr: -fpr + 0.0 * tpr, sign=-1.0)


@explain_call("Capacity(100, positives=50, negatives=950)")
@dataclass(frozen=True, slots=True)
class Capacity(OneLimit):
    """The best cases that a workforce can handle, out of a population (Theorem 11).

    Finds the most positives with at most `cases` alarms in expectation. When the capacity is
    filled, precision, recall and lift are all at their highest there too. A capacity larger than
    the population is no limit.

    Examples
    --------
    >>> import rocch
    >>> rocch.Capacity(100, positives=50, negatives=950).limit
    LinearLimit(tpr=50.0, fpr=950.0, at_most=100.0)
    """

    cases: float
    positives: float = field(kw_only=True)
    negatives: float = field(kw_only=True)

    def __post_init__(self) -> None:
        for name in ("cases", "positives", "negatives"):
            number = as_number(getattr(self, name), name, least=0, do="It is a number of cases.")
            object.__setattr__(self, name, number)
        if not self.positives + self.negatives:
            raise bad_input(
                "positives, negatives", "not both be 0", "an empty population", "Count the cases."
            )
        if math.isinf(self.cases + self.positives + self.negatives):
            raise bad_input(
                "cases, positives, negatives",
                "have a finite sum",
                f"{self.cases:g}, {self.positives:g} and {self.negatives:g}",
                "They are numbers of cases.",
            )

    @property
    def limit(self) -> LinearLimit:
        """The limit on alarms."""
        return LinearLimit(tpr=self.positives, fpr=self.negatives, at_most=self.cases)

    def objective(self, hull: RocHull) -> Objective:  # noqa: ARG002 - the same for every hull
        """Return the TPR, with the population it is meant for."""
        everyone = self.positives + self.negatives
        return Objective(
            "highest TPR",
            hit_rate,
            prevalence=self.positives / everyone,
            cases=everyone,
        )


@explain_call("AlarmShare(0.1, prevalence=0.05)")
@dataclass(frozen=True, slots=True)
class AlarmShare(OneLimit):
    """The most positives when at most a share of all cases may alarm, at a prevalence."""

    max_share: float
    prevalence: float = field(kw_only=True)

    def __post_init__(self) -> None:
        for name in ("max_share", "prevalence"):
            object.__setattr__(self, name, as_rate(getattr(self, name), name))

    @property
    def limit(self) -> LinearLimit:
        """The limit on alarms."""
        return LinearLimit(tpr=self.prevalence, fpr=1 - self.prevalence, at_most=self.max_share)

    def objective(self, hull: RocHull) -> Objective:  # noqa: ARG002 - the same for every hull
        """Return the TPR, with the prevalence it is meant for."""
        return Objective("highest TPR", hit_rate, prevalence=self.prevalence)


@explain_call("Maximise('f1', prevalence=0.1)")
@dataclass(frozen=True, slots=True)
class Maximise:
    """The highest value of a metric that rises with TPR and falls with FPR.

    Parameters
    ----------
    metric
        One of the names "tpr" (or "recall"), "precision", "lift", "f1", "accuracy", "informedness",
        "geometric_mean", or a function of two arrays (FPR, TPR). Its best point may lie inside a
        segment of the hull; a function of your own is then searched to about 1e-9 of a segment.
    prevalence
        Matters for "precision", "lift", "f1" and "accuracy"; by default that of the judged rows.

    Examples
    --------
    >>> import rocch
    >>> hull = rocch.RocHull.from_scores([0, 0, 1, 1, 1], {"nb": [1, 3, 2, 4, 5]})
    >>> hull.best(rocch.Maximise("f1", prevalence=0.6)).tpr
    1.0
    """

    metric: str | Metric
    prevalence: float | str = field(default=OBSERVED, kw_only=True)
    limits: tuple[LinearLimit, ...] = field(default=(), init=False)

    def __post_init__(self) -> None:
        known = self.metric in METRICS if isinstance(self.metric, str) else callable(self.metric)
        if not known:
            raise bad_input(
                "metric",
                "be a function of FPR and TPR or a known name",
                repr(self.metric),
                f"The names are: {', '.join(METRICS)}.",
            )
        if not isinstance(self.prevalence, str) or self.prevalence != OBSERVED:
            object.__setattr__(self, "prevalence", as_rate(self.prevalence, "prevalence"))

    def objective(self, hull: RocHull) -> Objective:
        """Return the metric, checked to rise with TPR and to fall with FPR."""
        observed = isinstance(self.prevalence, str)
        p = hull.judged.prevalence if observed else float(self.prevalence)
        if isinstance(self.metric, str):
            function, corners = METRICS[self.metric]
            if p == 0 and self.metric in NEED_POSITIVES:
                raise UndefinedError(
                    f"the {self.metric} is undefined at prevalence 0, where there is nothing to "
                    "find. Name another prevalence."
                )
            words = f"highest {self.metric.replace('_', ' ')}"
            return Objective(words, lambda x, y: function(x, y, p), 1.0, corners, prevalence=p)
        score = checked_metric(self.metric)
        return Objective("highest metric", score, best_at_corners=False)


@dataclass(frozen=True, slots=True, init=False)
class Constrained:
    """An objective under several limits together.

    Parameters
    ----------
    objective
        Exact `Conditions` (least expected cost), or a criterion such as `ErrorRate` or
        `Maximise("precision", prevalence=0.1)`.
    limits
        `NeymanPearson`, `MinimumTpr`, `Capacity`, `AlarmShare` or `LinearLimit`.

    Examples
    --------
    >>> import rocch
    >>> known = rocch.Conditions(prevalence=0.5, false_positive=1, false_negative=2)
    >>> both = rocch.Constrained(known, rocch.NeymanPearson(0.2), rocch.MinimumTpr(0.5))
    >>> len(both.limits)
    2
    """

    goal: Criterion
    limits: tuple[LinearLimit, ...]

    def __init__(self, objective: Conditions | Criterion, *limits: Any) -> None:
        goal = as_criterion(objective)
        for limit in limits:
            if not isinstance(getattr(limit, "limit", None), LinearLimit):
                raise bad_input(
                    "limits",
                    "be limits on FPR and TPR",
                    kind_of(limit),
                    "Use NeymanPearson, MinimumTpr, Capacity, AlarmShare or LinearLimit.",
                )
        object.__setattr__(self, "goal", goal)
        object.__setattr__(self, "limits", (*goal.limits, *(limit.limit for limit in limits)))

    def objective(self, hull: RocHull) -> Objective:
        """Return the objective; regret is measured against what the limits allow."""
        if isinstance(self.goal, MinimaxRegret | LeastExpectedRegret):
            return self.goal.objective(hull, self.limits)
        return self.goal.objective(hull)

    def coinless_objective(self, hull: RocHull) -> Objective:
        """Return the same for who may not toss a coin: against single points that keep limits."""
        if isinstance(self.goal, MinimaxRegret | LeastExpectedRegret):
            roof = coinless_roof(hull, self.limits)
            return self.goal.objective(hull, self.limits, among=roof)
        return self.goal.objective(hull)


@dataclass(frozen=True, slots=True)
class ExpectedCost:
    """Least expected cost under exact conditions (Theorem 4); `Conditions` alone mean the same."""

    conditions: Conditions
    limits: tuple[LinearLimit, ...] = field(default=(), init=False)

    def __post_init__(self) -> None:
        as_conditions(self.conditions)

    def objective(self, hull: RocHull) -> Objective:
        """Return the expected cost, to be made small."""
        return cost_objective(self.conditions.resolved(hull.judged), "expected cost")


def as_criterion(given: object) -> Criterion:
    """Return a criterion; conditions alone ask for the least expected cost."""
    if isinstance(given, Conditions):
        return ExpectedCost(given)
    if isinstance(given, Criterion) and not isinstance(given, type):
        return given
    if isinstance(given, Belief):
        raise bad_input(
            "criterion",
            "say what to make of a belief",
            f"a belief alone ({given})",
            "Use LeastExpectedRegret(belief), or MinimaxRegret(belief) for the safest choice.",
        )
    limit = isinstance(given, LinearLimit)
    raise bad_input(
        "criterion",
        "be Conditions or a criterion",
        "a limit alone, which has no aim" if limit else kind_of(given),
        "For example: Constrained(ErrorRate(), limit)."
        if limit
        else "For example: NeymanPearson(0.05).",
    )
