"""A question in single options, as command lines and services take it."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TypeVar

from rocch.errors import InputError, renamed
from rocch.inputs import as_number
from rocch.roc.belief import Belief
from rocch.roc.conditions import (
    OBSERVED,
    Bounds,
    Conditions,
    as_interval,
    prevalence_from_ratio,
)
from rocch.roc.criteria import (
    Capacity,
    Constrained,
    Criterion,
    ExpectedCost,
    LeastExpectedRegret,
    Maximize,
    MinimaxRegret,
    MinimumTpr,
    NeymanPearson,
    PredictedPositiveLimit,
)

Given = TypeVar("Given")

RATIOS = ("cost_ratio", "inverse_cost_ratio")
USES_BALANCE = {*RATIOS, "false_positive", "false_negative", "maximize", "max_share", "population"}

# Options that have an effect only beside one of these others.
NEEDS = {
    "positives": {"capacity"},
    "negatives": {"capacity"},
    "population": {"capacity"},
    "likely": set(RATIOS),
    "true_positive": {"false_positive", "false_negative"},
    "true_negative": {"false_positive", "false_negative"},
    "prevalence": USES_BALANCE,
    "negatives_per_positive": USES_BALANCE,
}


@dataclass(frozen=True, kw_only=True)
class Asked:
    """Costs, class balance, a belief, limits or a metric, as far as known.

    Options that contradict each other or have no effect raise `InputError`.

    Parameters
    ----------
    prevalence, negatives_per_positive
        The class balance, one of the two; the prevalence may be "observed".
    false_positive, false_negative, true_positive, true_negative
        Costs: numbers or intervals. Beside a belief, one of the first two is its unit.
    cost_ratio, inverse_cost_ratio, likely
        A belief: the cost of a miss in false alarms (or the reverse), and its most likely value.
    max_fpr, min_tpr, max_share
        Limits on FPR, TPR and the predicted-positive rate.
    capacity, positives, negatives, population
        The most cases that can be handled, and their population.
    maximize
        The name of a metric.

    Examples
    --------
    >>> from rocch.roc.asked import Asked
    >>> Asked(max_fpr=0.05).criterion
    NeymanPearson(max_fpr=0.05)
    >>> question = Asked(prevalence=(0.1, 0.2), false_positive=1, false_negative=10)
    >>> print(question.criterion.conditions)
    prevalence 0.1..0.2, false positive 1, false negative 10
    """

    prevalence: Bounds | str | None = None
    negatives_per_positive: Bounds | None = None
    false_positive: Bounds | None = None
    false_negative: Bounds | None = None
    true_positive: Bounds | None = None
    true_negative: Bounds | None = None
    cost_ratio: Bounds | None = None
    inverse_cost_ratio: Bounds | None = None
    likely: float | None = None
    max_fpr: float | None = None
    min_tpr: float | None = None
    max_share: float | None = None
    capacity: float | None = None
    positives: float | None = None
    negatives: float | None = None
    population: float | None = None
    maximize: str | None = None

    def __post_init__(self) -> None:
        for name in self.given:
            value = getattr(self, name)
            if isinstance(value, list):
                object.__setattr__(self, name, tuple(value))

    @property
    def given(self) -> tuple[str, ...]:
        """The names of the options that are not None."""
        return tuple(f.name for f in fields(self) if getattr(self, f.name) is not None)

    @cached_property
    def balance(self) -> Bounds | str | None:
        """The class balance as a prevalence, which may be "observed" or None."""
        if self.negatives_per_positive is None:
            return self.prevalence
        if self.prevalence is not None:
            raise _both("prevalence", "{negatives_per_positive}")
        return prevalence_from_ratio(self.negatives_per_positive)

    @cached_property
    def ratio(self) -> Belief | None:
        """The belief without unit and balance, if any."""
        given = [name for name in RATIOS if name in self.given]
        if len(given) > 1:
            raise _both("cost_ratio", "{inverse_cost_ratio}")
        if not given:
            return None
        (name,) = given
        low, high = as_interval(getattr(self, name), name)
        if low < 0 or math.isinf(low):
            raise InputError(
                name,
                "not be negative, with a finite lower bound",
                f"{low:g}..{high:g}",
                "For example: 5..10, or 1..inf.",
            )
        try:
            belief: Belief = getattr(Belief, name)(low, high, likely=self.likely)
        except InputError as error:
            if error.argument not in ("low", "high"):
                raise
            raise InputError(name, error.requirement, error.got, error.hint) from None
        return belief

    @cached_property
    def belief(self) -> Belief | None:
        """The belief with its unit and the class balance, if any."""
        ratio = self.ratio
        if ratio is None:
            return None
        for name in ("true_positive", "true_negative", "maximize"):
            if name in self.given:
                raise InputError(
                    name,
                    "be left out beside a belief, which compares only a miss with a false alarm",
                    repr(getattr(self, name)),
                )
        balance = self.balance
        if balance is None:
            raise InputError(
                "prevalence",
                "be given beside a belief",
                "none",
                "It may be 'observed'; or give {negatives_per_positive}.",
            )
        return ratio.with_unit(**self._unit()).with_prevalence(simplify_interval(balance))

    def _unit(self) -> dict[str, float]:
        given = [name for name in ("false_positive", "false_negative") if name in self.given]
        if len(given) != 1:
            raise InputError(
                "a belief",
                "have one cost as its unit",
                "both" if given else "none",
                "Give {false_positive} 20 if a false alarm costs 20, or {false_negative}.",
            )
        (name,) = given
        cost = as_interval(getattr(self, name), name)
        if not cost.exact:
            raise InputError(name, "be one number beside a belief", cost)
        return {name: cost.low}

    @cached_property
    def conditions(self) -> Conditions | None:
        """The conditions, if costs are given and no belief."""
        if self.ratio is not None or (self.false_positive is None and self.false_negative is None):
            return None
        if self.false_positive is None:
            raise InputError("false_positive", "be given with {false_negative}", "none")
        if self.false_negative is None:
            raise InputError("false_negative", "be given with {false_positive}", "none")
        return Conditions(
            prevalence=self.balance,
            false_positive=self.false_positive,
            false_negative=self.false_negative,
            true_positive=self.true_positive or 0,
            true_negative=self.true_negative or 0,
        )

    @cached_property
    def criterion(self) -> Criterion:
        """The criterion that follows from all options."""
        self._check_used()
        limits = self._limits()
        goal = self._goal()
        if goal is None:
            if not limits:
                raise InputError(
                    "the question",
                    "state what you know",
                    "nothing",
                    "Give costs ({false_positive}, {false_negative}, with {prevalence} or "
                    "{negatives_per_positive}), a belief ({cost_ratio}), a limit ({max_fpr}, "
                    "{min_tpr}, {capacity}, {max_share}) or a metric ({maximize}).",
                )
            goal, *limits = limits
        return Constrained(goal, *limits) if limits else goal

    def _check_used(self) -> None:
        """Refuse options that would have no effect."""
        for name, users in NEEDS.items():
            if name in self.given and users.isdisjoint(self.given):
                others = ", ".join(f"{{{user}}}" for user in sorted(users))
                raise InputError(
                    name, f"be given with one of {others} to have an effect", "it alone"
                )

    def _goal(self) -> Criterion | None:
        goal: Criterion | None = None
        if self.belief is not None:
            goal = LeastExpectedRegret(self.belief)
        elif self.conditions is not None:
            kind = ExpectedCost if self.conditions.exact else MinimaxRegret
            goal = kind(self.conditions)
        if self.maximize is None:
            return goal
        if goal is not None:
            raise _both("maximize", "costs")
        prevalence = self._exact_prevalence()
        with renamed(metric="maximize"):
            return Maximize(
                self.maximize, prevalence=OBSERVED if prevalence is None else prevalence
            )

    def _limits(self) -> list[Criterion]:
        limits: list[Criterion] = []
        if self.max_fpr is not None:
            limits.append(NeymanPearson(self.max_fpr))
        if self.capacity is not None:
            with renamed(cases="capacity"):
                limits.append(Capacity(self.capacity, **self._cases()))
        if self.max_share is not None:
            prevalence = self._named_prevalence("max_share")
            limits.append(PredictedPositiveLimit(self.max_share, prevalence=prevalence))
        if self.min_tpr is not None:
            limits.append(MinimumTpr(self.min_tpr))
        return limits

    def _cases(self) -> dict[str, float]:
        if self.population is None:
            if self.positives is None or self.negatives is None:
                raise InputError(
                    "capacity",
                    "be given with {positives} and {negatives}, or {population} and {prevalence}",
                    "it without them",
                )
            return {"positives": self.positives, "negatives": self.negatives}
        if self.positives is not None or self.negatives is not None:
            raise _both("population", "{positives} and {negatives}")
        prevalence = self._named_prevalence("population")
        hint = "It is a number of cases, for example 1000."
        population = as_number(self.population, "population", above=0, hint=hint)
        positives = prevalence * population
        return {"positives": positives, "negatives": population - positives}

    def _named_prevalence(self, name: str) -> float:
        prevalence = self._exact_prevalence()
        if isinstance(prevalence, str) or prevalence is None:
            raise InputError(
                name,
                "be given with the class balance as a number",
                "it without one",
                "Give {prevalence} or {negatives_per_positive}.",
            )
        return prevalence

    def _exact_prevalence(self) -> float | str | None:
        if self.balance is None or isinstance(self.balance, str):
            return self.balance
        low, high = as_interval(self.balance, "prevalence")
        if low != high:
            raise InputError(
                "the class balance",
                "be one number for {maximize}, {max_share} and {population}",
                f"a prevalence of {low:.4g} to {high:.4g}",
            )
        return low


def _both(name: str, other: str) -> InputError:
    return InputError(name, f"be given without {other}", "both", "Leave one of them out.")


def simplify_interval(value: Given) -> Given | float:
    """Return a pair of equal bounds as one number."""
    if not isinstance(value, tuple | list):
        return value
    low, high = value
    return low if low == high else value
