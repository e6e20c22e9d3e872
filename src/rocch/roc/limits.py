"""Limits as criteria: on rates, alarms, precision and cost; on evaluation rows or new rows."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any, Self

from rocch.errors import Hint, InputError, describe_type
from rocch.inputs import as_number, as_rate, explain_call
from rocch.numbers import significant
from rocch.roc.conditions import OBSERVED, Case, Conditions, as_conditions
from rocch.roc.criteria import (
    Criterion,
    LinearLimit,
    Objective,
    Reachable,
    Sample,
    as_criterion,
    check_confidence,
    recall,
)
from rocch.roc.operating_point import ClassTotals


def as_balance(prevalence: Any) -> float | str:
    """Return a prevalence, or "observed"."""
    is_observed = isinstance(prevalence, str) and prevalence == OBSERVED
    return OBSERVED if is_observed else as_rate(prevalence, "prevalence")


@dataclass(frozen=True, slots=True)
class NeymanPearson(Criterion):
    """The highest TPR with at most this FPR (Corollary 10).

    Without a confidence, the FPR is that on the evaluation rows; on new rows it is higher about
    half of the time. With one, the true FPR exceeds the limit in at most 1 - confidence of all
    samples, the choice of classifier and threshold included.

    Examples
    --------
    >>> import numpy as np
    >>> import rocch
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(2000) < 0.3
    >>> hull = rocch.RocHull.from_scores(y, {"nb": rng.normal(size=2000) + 2 * y})
    >>> print(hull.best(rocch.NeymanPearson(0.05)))
    alarm when nb >= 1.69718 (FPR 0.04943, TPR 0.6159)
    limits hold on the evaluation rows; with confidence=0.95, on new ones
    on new rows expect a sensitivity (TPR) of 0.6... an FPR of 0.0... and a precision of ...
    >>> sure = hull.best(rocch.NeymanPearson(0.05, confidence=0.95))
    >>> print(sure)  # with its guarantee, sure.guarantee
    alarm when nb >= 1.8126 (FPR 0.04011, TPR 0.5745)
    On new rows, with 95% confidence: FPR <= 0.05 (bound 0.0499).
    on new rows expect a sensitivity (TPR) of 0.571 (95%: 0.53 to 0.612), an FPR of 0.0412 and ...
    """

    max_fpr: float
    confidence: float | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "max_fpr", as_rate(self.max_fpr, "max_fpr"))
        check_confidence(self)

    @property
    def limit(self) -> LinearLimit:
        """The limit on FPR."""
        return LinearLimit(fpr=1, at_most=self.max_fpr, confidence=self.confidence)


@dataclass(frozen=True, slots=True)
class MinimumTpr(Criterion):
    """The lowest FPR with at least this TPR: on the evaluation rows, or with a confidence."""

    min_tpr: float
    confidence: float | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "min_tpr", as_rate(self.min_tpr, "min_tpr"))
        check_confidence(self)

    @property
    def limit(self) -> LinearLimit:
        """The limit on TPR."""
        return LinearLimit(tpr=-1, at_most=-self.min_tpr, confidence=self.confidence)

    def objective(self, totals: ClassTotals, reachable: Reachable) -> Objective:  # noqa: ARG002
        """Return the negative FPR."""
        return Objective("lowest FPR", lambda fpr, tpr: -fpr + 0.0 * tpr, sign=-1.0)


# What rounding may add to a population of as many cases as the capacity, relatively.
SLACK = 1e-9


@explain_call("Capacity(100, positives=50, negatives=950)")
@dataclass(frozen=True, slots=True)
class Capacity(Criterion):
    """The highest TPR with at most `cases` alarms in expectation (Theorem 11).

    The rates are those on the evaluation rows, or those on new rows with a confidence.

    Examples
    --------
    >>> import rocch
    >>> print(rocch.Capacity(100, positives=50, negatives=950).limit)
    at most 100 alarms among 50 positives and 950 negatives
    """

    cases: float
    positives: float = field(kw_only=True)
    negatives: float = field(kw_only=True)
    confidence: float | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        for name in ("cases", "positives", "negatives"):
            number = as_number(getattr(self, name), name, least=0, hint="It is a number of cases.")
            object.__setattr__(self, name, number)
        if not self.positives + self.negatives:
            raise InputError("positives, negatives", "not both be 0", "an empty population")
        if math.isinf(self.cases + self.positives + self.negatives):
            raise InputError(
                "cases, positives, negatives",
                "have a finite sum",
                f"{self.cases:g}, {self.positives:g} and {self.negatives:g}",
            )
        self._check_population()
        check_confidence(self)

    def _check_population(self) -> None:
        """Refuse more alarms than cases: no limit, and often shares in place of counts."""
        population = self.positives + self.negatives
        if self.cases <= population * (1 + SLACK):
            return
        raise InputError(
            "cases",
            "be at most {positives} + {negatives}, the size of the population",
            f"{self.cases:g} of {population:g}",
            "State {positives} and {negatives} as numbers of cases, not as shares."
            if population <= 1
            else "The limit has no effect. Leave it out, or state the whole population.",
        )

    @property
    def limit(self) -> LinearLimit:
        """The limit on alarms."""
        return LinearLimit(
            tpr=self.positives,
            fpr=self.negatives,
            at_most=self.cases,
            confidence=self.confidence,
            text="at most {} alarms among {} positives and {} negatives".format(
                *(significant(each, 3) for each in (self.cases, self.positives, self.negatives))
            ),
        )

    def objective(self, totals: ClassTotals, reachable: Reachable) -> Objective:  # noqa: ARG002
        """Return the TPR."""
        cases = self.positives + self.negatives
        return Objective("highest TPR", recall, prevalence=self.positives / cases, cases=cases)


@explain_call("PredictedPositiveLimit(0.1, prevalence=0.05)")
@dataclass(frozen=True, slots=True)
class PredictedPositiveLimit(Criterion):
    """The highest TPR with at most this predicted-positive rate.

    Parameters
    ----------
    max_rate
        The largest share of alarms among all cases.
    prevalence
        A number, or "observed": that of the evaluation rows.
    confidence
        With one, the limit holds on new rows: at a stated prevalence by a bound for two samples,
        at the observed one by the binomial distribution of all alarms.
    """

    max_rate: float
    prevalence: float | str = field(kw_only=True)
    confidence: float | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "max_rate", as_rate(self.max_rate, "max_rate"))
        object.__setattr__(self, "prevalence", as_balance(self.prevalence))
        check_confidence(self)

    @property
    def limit(self) -> LinearLimit:
        """The limit on alarms, at a stated prevalence."""
        return self._limit(_stated(self.prevalence), "classes")

    def _limit(self, p: float, sample: Sample) -> LinearLimit:
        return LinearLimit(
            tpr=p,
            fpr=1 - p,
            at_most=self.max_rate,
            confidence=self.confidence,
            sample=sample,
            text=f"alarms in at most {100 * self.max_rate:g}% of cases at prevalence {p:.4g}",
        )

    def resolved(self, totals: ClassTotals) -> Criterion:
        """Return the criterion at the prevalence of these rows if it is the observed one."""
        if not isinstance(self.prevalence, str):
            return self
        return Limited(self, (self._limit(totals.prevalence, "rows"),))

    def objective(self, totals: ClassTotals, reachable: Reachable) -> Objective:  # noqa: ARG002
        """Return the TPR."""
        p = totals.prevalence if isinstance(self.prevalence, str) else self.prevalence
        return Objective("highest TPR", recall, prevalence=p)


@explain_call("MinimumPrecision(0.9, prevalence=0.05)")
@dataclass(frozen=True, slots=True)
class MinimumPrecision(Criterion):
    """The highest TPR with at least this precision, the share of hits among alarms.

    Without any alarm no precision is broken, so *never* meets every limit.

    Parameters
    ----------
    min_precision
        The least precision.
    prevalence
        A number, or "observed": that of the evaluation rows.
    confidence
        With one, the limit holds on new rows: at a stated prevalence by a bound for two samples,
        negatives and positives, at the observed one by the binomial distribution among alarms.

    Examples
    --------
    >>> import rocch
    >>> hull = rocch.RocHull.from_scores([0, 0, 0, 1, 1, 1], {"nb": [1, 2, 5, 3, 4, 6]})
    >>> print(hull.best(rocch.MinimumPrecision(0.7)).describe())
    alarm when nb >= 2.5 (FPR 0.3333, TPR 1)
    >>> print(hull.best(rocch.MinimumPrecision(0.7, prevalence=0.1)).describe())
    alarm when nb >= 5.5 (FPR 0, TPR 0.3333)
    """

    min_precision: float
    prevalence: float | str = field(default=OBSERVED, kw_only=True)
    confidence: float | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "min_precision", as_rate(self.min_precision, "min_precision"))
        object.__setattr__(self, "prevalence", as_balance(self.prevalence))
        check_confidence(self)
        if not self.min_precision:
            raise InputError("min_precision", "be more than 0", 0, "Leave it out to limit nothing.")
        if self.prevalence in (0, 1):
            raise InputError(
                "prevalence",
                "lie between 0 and 1 for a limit on the precision",
                self.prevalence,
                "Otherwise all alarms are false, or none is.",
            )

    @property
    def limit(self) -> LinearLimit:
        """The limit (1 - p) q FPR - p (1 - q) TPR <= 0 for a precision q at a prevalence p."""
        p = _stated(self.prevalence)
        return self._limit(p, "classes", f" at prevalence {p:.4g}")

    def _limit(self, p: float, sample: Sample, where: str = "") -> LinearLimit:
        q = self.min_precision
        return LinearLimit(
            tpr=-p * (1 - q),
            fpr=(1 - p) * q,
            at_most=0,
            confidence=self.confidence,
            sample=sample,
            text=f"precision >= {q:g}{where}",
            prevalence=p,
        )

    def resolved(self, totals: ClassTotals) -> Criterion:
        """Return the criterion at the prevalence of these rows if it is the observed one."""
        if not isinstance(self.prevalence, str):
            return self
        return Limited(self, (self._limit(totals.prevalence, "alarms"),))

    def objective(self, totals: ClassTotals, reachable: Reachable) -> Objective:  # noqa: ARG002
        """Return the TPR."""
        p = totals.prevalence if isinstance(self.prevalence, str) else self.prevalence
        return Objective("highest TPR", recall, prevalence=p)


@explain_call("CostLimit(0.5, Conditions(prevalence=0.1, false_positive=1, false_negative=20))")
@dataclass(frozen=True, slots=True)
class CostLimit(Criterion):
    """The highest TPR with at most this expected cost per case.

    Parameters
    ----------
    max_cost
        The largest expected cost.
    conditions
        Class balance and costs; under intervals the limit holds at all of their corners.
    confidence
        With one, the limit holds on new rows, at a stated or at the observed prevalence.

    Examples
    --------
    >>> import rocch
    >>> hull = rocch.RocHull.from_scores([0, 0, 0, 1, 1, 1], {"nb": [1, 2, 5, 3, 4, 6]})
    >>> known = rocch.Conditions(prevalence="observed", false_positive=1, false_negative=4)
    >>> print(hull.best(rocch.CostLimit(0.2, known)))
    alarm when nb >= 2.5 (FPR 0.3333, TPR 1)
    limits hold on the evaluation rows; with confidence=0.95, on new ones
    """

    max_cost: float
    conditions: Conditions
    confidence: float | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "max_cost", as_number(self.max_cost, "max_cost"))
        as_conditions(self.conditions)
        check_confidence(self)

    @property
    def limits(self) -> tuple[LinearLimit, ...]:
        """The limit on the cost, for each corner of intervals."""
        return self._limits(self.conditions, "classes")

    def _limits(self, conditions: Conditions, sample: Sample) -> tuple[LinearLimit, ...]:
        found = []
        for case in conditions.corners():
            alarm, miss = case.weights
            base = float(case.cost(0.0, 1.0))
            if not alarm + miss:
                raise InputError(
                    "conditions",
                    "have an error that can occur and costs something",
                    "none",
                    "Name another prevalence or cost.",
                )
            exact = "" if conditions.exact else f" under {_written(case)}"
            text = f"expected cost <= {self.max_cost:g}{exact}"
            found.append(
                LinearLimit(
                    tpr=-miss,
                    fpr=alarm,
                    at_most=self.max_cost - base - miss,
                    offset=base + miss,
                    confidence=self.confidence,
                    sample=sample,
                    text=text,
                )
            )
        return tuple(found)

    def resolved(self, totals: ClassTotals) -> Criterion:
        """Return the criterion at the prevalence of these rows if it is the observed one."""
        conditions = self.conditions.resolved(totals)
        if conditions is self.conditions:
            return self
        if self.confidence is not None and _right_decisions_cost(conditions):
            raise InputError(
                "prevalence",
                "be a number where hits or true negatives cost something and a limit on the cost "
                "has a confidence",
                "'observed'",
            )
        return Limited(self, self._limits(conditions, "rows"))


def _right_decisions_cost(conditions: Conditions) -> bool:
    return any(case.true_positive or case.true_negative for case in conditions.corners())


def _written(case: Case) -> str:
    named = zip(case._fields, case, strict=True)
    return ", ".join(f"{name.replace('_', ' ')} {value:g}" for name, value in named if value)


def _stated(prevalence: float | str) -> float:
    if isinstance(prevalence, str):
        raise InputError(
            "prevalence",
            "be a number here",
            "'observed', which only a hull can resolve",
            Hint("Pass the criterion to the hull, or use resolved(hull.totals)."),
        )
    return prevalence


@dataclass(frozen=True, slots=True)
class Limited(Criterion):
    """A criterion whose limits were resolved at the prevalence of evaluation rows."""

    goal: Criterion
    limits: tuple[LinearLimit, ...]

    def objective(self, totals: ClassTotals, reachable: Reachable) -> Objective:
        """Return the objective of the criterion."""
        return self.goal.objective(totals, reachable)


@dataclass(frozen=True, slots=True, init=False)
class Constrained(Criterion):
    """An objective under several limits.

    Parameters
    ----------
    objective
        Exact `Conditions`, or a criterion such as `ErrorRate` or `Maximize`.
    limits
        `NeymanPearson`, `MinimumTpr`, `MinimumPrecision`, `Capacity`, `PredictedPositiveLimit`,
        `CostLimit` or `LinearLimit`. Those with a confidence hold together on new rows, so it is
        one number; others hold on the evaluation rows.

    Examples
    --------
    >>> import rocch
    >>> known = rocch.Conditions(prevalence=0.5, false_positive=1, false_negative=2)
    >>> both = rocch.Constrained(known, rocch.NeymanPearson(0.2), rocch.MinimumTpr(0.5))
    >>> len(both.limits)
    2
    """

    goal: Criterion
    others: tuple[Criterion | LinearLimit, ...]

    def __init__(self, objective: Conditions | Criterion, *limits: Criterion | LinearLimit) -> None:
        object.__setattr__(self, "goal", as_criterion(objective))
        object.__setattr__(self, "others", tuple(map(_as_limit, limits)))

    @property
    def limits(self) -> tuple[LinearLimit, ...]:
        """The limits of the goal and all others."""
        return sum((each.limits for each in (self.goal, *self.others)), ())

    def resolved(self, totals: ClassTotals) -> Self:
        """Return the criterion with an "observed" prevalence of limits replaced."""
        others = (each.resolved(totals) for each in self.others)
        return type(self)(self.goal.resolved(totals), *others)

    def objective(self, totals: ClassTotals, reachable: Reachable) -> Objective:
        """Return the objective of the goal; a capacity among the limits has its population."""
        found = self.goal.objective(totals, reachable)
        for each in self.others:
            if found.cases is None and isinstance(each, Capacity):
                found = _with_population(found, each.objective(totals, reachable))
        return found


def _with_population(found: Objective, capacity: Objective) -> Objective:
    """Return an objective with the population of a capacity, if it has the same prevalence."""
    known = found.prevalence if found.case is None else found.case.prevalence
    share = capacity.prevalence
    if found.corners or (known and share and not math.isclose(known, share)):
        return found
    return replace(found, cases=capacity.cases, prevalence=share if known is None else known)


# Criteria that limit something.
LIMITS = (
    NeymanPearson,
    MinimumTpr,
    MinimumPrecision,
    Capacity,
    PredictedPositiveLimit,
    CostLimit,
    Limited,
    LinearLimit,
)


def _as_limit(given: Criterion | LinearLimit) -> Criterion | LinearLimit:
    if not isinstance(given, LIMITS):
        raise InputError(
            "limits",
            "be limits on FPR and TPR",
            describe_type(given),
            Hint(
                "See NeymanPearson, MinimumTpr, MinimumPrecision, Capacity, "
                "PredictedPositiveLimit, CostLimit, LinearLimit."
            ),
        )
    return given
