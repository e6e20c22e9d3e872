"""The question: all that can be known, believed, limited or sought.

Every surface takes it from here: options of the command line, bodies of HTTP requests and the
controls of a report are made of these fields, under these names.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, ClassVar, Self

from rocch.errors import Hint, InputError, renamed
from rocch.inputs import explain_call
from rocch.roc.belief import Belief
from rocch.roc.conditions import (
    COSTS,
    OBSERVED,
    Bounds,
    Conditions,
    Interval,
    prevalence_from_ratio,
)
from rocch.roc.criteria import (
    Criterion,
    ErrorRate,
    ExpectedCost,
    LeastExpectedRegret,
    Maximize,
    MinimaxRegret,
)
from rocch.roc.knob import Knob
from rocch.roc.limits import (
    Capacity,
    Constrained,
    CostLimit,
    MinimumPrecision,
    MinimumTpr,
    NeymanPearson,
    PredictedPositiveLimit,
)
from rocch.roc.operating_point import ClassTotals
from rocch.roc.question_fields import BaseQuestion, ends_of, simple
from rocch.roc.question_table import QUESTION_FIELDS, REFERRAL, FieldData
from rocch.roc.savings import Amounts


@explain_call("Question(false_positive=1, false_negative=10)")
@dataclass(frozen=True, kw_only=True, repr=False)
class Question(BaseQuestion):
    """What is known about costs and class balance, believed, limited or sought.

    Intervals are pairs (low, high). Fields that contradict each other or have no effect are refused
    when the criterion is made. Texts are read as they are typed: numbers as 5, 1e3, 1,000 or 1/6,
    shares also as 5%, intervals as 10..40 or 10-40, and the upper end of a cost ratio as inf.

    Attributes
    ----------
    prevalence, negatives_per_positive
        The class balance, one of the two. "observed", the default, is that of the evaluation rows.
    false_positive, false_negative, true_positive, true_negative
        Costs: numbers or intervals.
    cost_ratio, likely
        A belief: how many times as bad as a false alarm a miss is, and the most likely value. One
        of the costs may be its unit; by default a false alarm costs 1.
    max_fpr, min_tpr, max_share, min_precision, max_cost
        Limits on FPR, TPR, the predicted-positive rate, the precision and the expected cost.
    capacity, positives, negatives, population
        The most cases that can be handled, and their population.
    confidence
        With one, all limits must hold on new rows; otherwise they hold on the evaluation rows.
    refer_cost, max_referred, max_wrong
        For cases that may be referred to a person: the cost of one, the largest share of them, and
        the largest share of errors among all others.
    maximize
        The name of a metric.
    knob
        A position along the hull; it stands alone.
    randomize
        Whether a coin may choose between two settings.
    currency, cases_per_month
        The unit of money of the costs, and the cases to decide in a month: savings are stated in
        them.

    Examples
    --------
    >>> import rocch
    >>> rocch.Question(max_fpr=0.05).criterion
    NeymanPearson(max_fpr=0.05, confidence=None)
    >>> question = rocch.Question.from_strings({"prevalence": "5-10%", "cost_ratio": "10..40"})
    >>> print(question.describe())
    5 to 10% positive, a miss is 10 to 40 times as bad as a false alarm
    >>> question.to_dict()
    {'prevalence': [0.05, 0.1], 'cost_ratio': [10.0, 40.0]}
    >>> print(rocch.Question(max_fpr=0.05).describe())
    a false positive rate of at most 5%, counted on the evaluation rows
    >>> print(rocch.Question(max_fpr=0.05, confidence=0.95).describe())
    a false positive rate of at most 5%, on new rows, with 95% confidence
    """

    table: ClassVar[tuple[FieldData, ...]] = QUESTION_FIELDS

    prevalence: Bounds | str | None = None
    negatives_per_positive: Bounds | None = None
    false_positive: Bounds | None = None
    false_negative: Bounds | None = None
    true_positive: Bounds | None = None
    true_negative: Bounds | None = None
    refer_cost: float | None = None
    cost_ratio: Bounds | None = None
    likely: float | None = None
    max_fpr: float | None = None
    min_tpr: float | None = None
    max_share: float | None = None
    capacity: float | None = None
    population: float | None = None
    positives: float | None = None
    negatives: float | None = None
    min_precision: float | None = None
    max_cost: float | None = None
    max_wrong: float | None = None
    max_referred: float | None = None
    confidence: float | None = None
    maximize: str | None = None
    knob: float | None = None
    randomize: bool = False
    currency: str | None = None
    cases_per_month: float | None = None

    @classmethod
    def from_criterion(cls, criterion: object, *, randomize: bool = False) -> Self | None:
        """Return the question that a criterion answers; None where no fields can state it."""
        if isinstance(criterion, Question):
            return cls(**{**criterion.given, "randomize": criterion.randomize or randomize})
        found: dict[str, Any] | None = None
        match criterion:
            case Conditions() | ExpectedCost() | MinimaxRegret(Conditions()):
                stated: Any = getattr(criterion, "conditions", criterion)
                found = _stated_conditions(stated)
            case ErrorRate(prevalence):
                found = {"prevalence": prevalence, "false_positive": 1, "false_negative": 1}
            case NeymanPearson(max_fpr):
                found = {"max_fpr": max_fpr}
            case MinimumTpr(min_tpr):
                found = {"min_tpr": min_tpr}
            case PredictedPositiveLimit(rate):
                found = {"max_share": rate, "prevalence": criterion.prevalence}
            case Capacity(cases):
                of = {"positives": criterion.positives, "negatives": criterion.negatives}
                found = {"capacity": cases, **of}
            case Maximize(str(metric)):
                found = {"maximize": metric, "prevalence": criterion.prevalence}
            case Knob(position):
                found = {"knob": position}
            case MinimumPrecision(least):
                found = {"min_precision": least, "prevalence": criterion.prevalence}
            case CostLimit(most, stated):
                found = {**_stated_conditions(stated), "max_cost": most, "maximize": "tpr"}
        if found is None:
            return None
        confidence = getattr(criterion, "confidence", None)
        return cls(**found, confidence=confidence, randomize=randomize)

    def resolve(self, totals: ClassTotals) -> Self:
        """Return the question with an observed prevalence replaced by that of these rows."""
        is_known = self._balance != OBSERVED or not self._needs_balance
        # with a confidence, an observed prevalence is part of what the sample shows
        if is_known or (self.confidence is not None and self.population is None):
            return self
        return replace(self, prevalence=totals.prevalence)

    @cached_property
    def balance(self) -> Any:
        """The class balance as a prevalence, or "observed"."""
        if self.prevalence is not None and self.negatives_per_positive is not None:
            raise _both("prevalence", "{negatives_per_positive}")
        return self._balance

    @property
    def _balance(self) -> Any:
        if self.negatives_per_positive is not None:
            return simple(prevalence_from_ratio(self.negatives_per_positive))
        return OBSERVED if self.prevalence is None else self.prevalence

    @property
    def _needs_balance(self) -> bool:
        return not USES_BALANCE.isdisjoint(self.given)

    @property
    def limited(self) -> bool:
        """Whether limits are stated."""
        return any(each.group == "limits" for each in self.given_fields)

    @property
    def refers(self) -> bool:
        """Whether cases may be referred to a person; such questions go to `hull.refer`."""
        return not REFERRAL.isdisjoint(self.given)

    def without_referral(self) -> Self:
        """Return the question without the fields on cases that are referred to a person."""
        left = {name: value for name, value in self.given.items() if name not in REFERRAL}
        if NEEDS["confidence"].isdisjoint(left):
            left.pop("confidence", None)
        return type(self)(**left)

    @cached_property
    def belief(self) -> Belief | None:
        """The belief about costs with its unit and the class balance, if any."""
        if self.cost_ratio is None:
            return None
        for name in ("true_positive", "true_negative", "maximize"):
            if name in self.given:
                raise InputError(
                    name,
                    "be left out beside {cost_ratio}, which compares a miss with a false alarm",
                    repr(getattr(self, name)),
                )
        low, high = ends_of(self.cost_ratio)
        with renamed(low="cost_ratio", high="cost_ratio", miss="cost_ratio"):
            ratio = Belief.cost_ratio(low, high, likely=self.likely)
        return ratio.with_unit(**self._unit()).with_prevalence(self.balance)

    @property
    def has_unit(self) -> bool:
        """Whether the cost of an error is stated, and not only a ratio of costs."""
        return self.false_positive is not None or self.false_negative is not None

    def _unit(self) -> dict[str, float]:
        names = [name for name in ("false_positive", "false_negative") if name in self.given]
        if not names:
            return {"false_positive": 1.0}
        if len(names) > 1:
            raise InputError(
                "cost_ratio",
                "be given with one cost, its unit",
                "two",
                "Leave {false_positive} or {false_negative} out.",
            )
        (name,) = names
        cost = getattr(self, name)
        if isinstance(cost, Interval):
            raise InputError(name, "be one number beside {cost_ratio}, whose unit it is", cost)
        return {name: cost}

    @cached_property
    def conditions(self) -> Conditions | None:
        """The class balance and costs, if costs are stated and no belief."""
        if self.cost_ratio is not None:
            return None
        missing = [n for n in ("false_positive", "false_negative") if getattr(self, n) is None]
        if len(missing) == 2:
            return None
        if missing:
            other = "false_negative" if missing == ["false_positive"] else "false_positive"
            raise InputError(missing[0], f"be given with {{{other}}}", "none")
        costs = {name: value for name, value in self.given.items() if name in COSTS}
        return Conditions(prevalence=self.balance, **costs)

    @property
    def amounts(self) -> Amounts | None:
        """How savings are stated: the unit of money, and the cases in a month."""
        if self.currency is None and self.cases_per_month is None:
            return None
        if self.cases_per_month is None:
            return Amounts(currency=self.currency)
        return Amounts(self.cases_per_month, "month", self.currency)

    @property
    def is_exact(self) -> bool:
        """Whether costs and class balance are known exactly."""
        return self.belief is None and (self.conditions is None or self.conditions.exact)

    @cached_property
    def criterion(self) -> Criterion | Knob:
        """What "best" means by all fields together.

        Limits alone mean the most hits within them. Limits on alarms need the class balance as a
        number; `resolve` gives it.
        """
        self._check_used()
        if self.refers:
            raise InputError(
                "question",
                "decide all cases itself here",
                "one that refers cases to a person",
                Hint("Pass it to refer.", cli="Use rocch refer."),
            )
        if self.confidence is not None and self.randomize:
            raise InputError(
                "randomize",
                "be left out beside {confidence}",
                "both",
                "What is guaranteed is one setting, without a coin.",
            )
        if self.knob is not None:
            return self._as_knob()
        limits, goal = self._limits(), self._goal()
        if goal is None:
            if not limits:
                raise InputError(
                    "question",
                    "state what is known, believed, limited or sought",
                    "nothing" if not self else self.describe(),
                    "Give costs ({false_positive}, {false_negative}), a belief ({cost_ratio}), a "
                    "limit ({max_fpr}, {min_tpr}, {capacity}, {max_share}, {min_precision}) or "
                    "a metric ({maximize}).",
                )
            goal, *limits = limits
        return Constrained(goal, *limits) if limits else goal

    def _check_used(self) -> None:
        """Refuse fields that would have no effect."""
        if self.currency is not None and self.cost_ratio is not None and not self.has_unit:
            raise InputError(
                "currency",
                "be given with a cost in money",
                "a ratio of costs alone",
                "State {false_positive} or {false_negative} as well.",
            )
        for name, users in NEEDS.items():
            if name in self.given and users.isdisjoint(self.given):
                here = sorted(users - REFERRAL)  # fields of referral have a command of their own
                others = ", ".join(f"{{{user}}}" for user in here)
                others = others if len(here) == 1 else f"one of {others}"
                requirement = f"be given with {others} to have an effect"
                raise InputError(name, requirement, "none of them")

    def _as_knob(self) -> Knob:
        others = [name for name in self.given if name not in ("knob", "randomize")]
        if others:
            names = ", ".join(f"{{{name}}}" for name in others)
            raise InputError(
                "knob", f"stand alone, without {names}", "both", "It is a setting by itself."
            )
        return Knob(float(self.knob or 0))

    def _goal(self) -> Criterion | None:
        goal: Criterion | None = None
        if self.belief is not None:
            goal = LeastExpectedRegret(self.belief)
        elif self.conditions is not None:
            kind = ExpectedCost if self.conditions.exact else MinimaxRegret
            goal = kind(self.conditions)
        if self.maximize is None:
            return goal
        if goal is not None and self.max_cost is None:  # costs may serve the limit alone
            raise _both("maximize", "costs")
        if isinstance(self.balance, Interval):
            raise InputError(
                "maximize",
                "be given with the class balance as one number",
                f"a prevalence of {self.balance.low:.4g} to {self.balance.high:.4g}",
            )
        return Maximize(self.maximize, prevalence=self.balance)

    def _limits(self) -> list[Criterion]:
        """Return the limits; those on alarms must hold at either end of the prevalence."""
        limits: list[Criterion] = []
        level = self.confidence
        if self.max_fpr is not None:
            limits.append(NeymanPearson(self.max_fpr, confidence=level))
        if self.capacity is not None:
            with renamed(cases="capacity"):
                most = partial(Capacity, self.capacity, confidence=level)
                limits += [most(**cases) for cases in self._cases()]
        if self.max_share is not None:
            share = partial(PredictedPositiveLimit, self.max_share, confidence=level)
            balances = self._prevalences("max_share", observed=level is not None)
            limits += [share(prevalence=each) for each in balances]
        if self.min_precision is not None:
            least = partial(MinimumPrecision, self.min_precision, confidence=level)
            balances = self._prevalences("min_precision", observed=True)
            limits += [least(prevalence=each) for each in balances]
        if self.max_cost is not None:
            limits.append(self._cost_limit(self.max_cost))
        if self.min_tpr is not None:
            limits.append(MinimumTpr(self.min_tpr, confidence=level))
        return limits

    def _cost_limit(self, max_cost: float) -> Criterion:
        if self.conditions is None:
            raise InputError(
                "max_cost",
                "be given with {false_positive} and {false_negative}",
                "a ratio of costs" if self.cost_ratio is not None else "no costs",
            )
        return CostLimit(max_cost, self.conditions, confidence=self.confidence)

    def _cases(self) -> Iterator[dict[str, float]]:
        if self.population is None:
            if self.positives is None or self.negatives is None:
                raise InputError(
                    "capacity",
                    "be given with {population}, or {positives} and {negatives}",
                    "no number of cases that it is to be chosen from",
                )
            yield {"positives": self.positives, "negatives": self.negatives}
            return
        if self.positives is not None or self.negatives is not None:
            raise _both("population", "{positives} and {negatives}")
        if not self.population:
            raise InputError("population", "be more than 0", 0, "It is a number of cases.")
        for prevalence in self._prevalences("population"):
            positives = prevalence * self.population
            yield {"positives": positives, "negatives": self.population - positives}

    def _prevalences(self, name: str, *, observed: bool = False) -> list[Any]:
        if isinstance(self.balance, str):
            if observed:
                return [self.balance]
            raise InputError(
                name,
                "be given with the class balance as a number",
                "no class balance",
                "Give {prevalence} or {negatives_per_positive}.",
            )
        return sorted(set(ends_of(self.balance)))

    def _phrases(self) -> Iterator[str]:
        phrases = zip(self.given_fields, super()._phrases(), strict=True)
        places = [place for place, each in enumerate(self.given_fields) if each.group == "limits"]
        for place, (_, phrase) in enumerate(phrases):
            yield phrase
            if self.confidence is None and place == max(places, default=None):
                yield COUNTED


def _stated_conditions(conditions: Conditions) -> dict[str, Any]:
    found = {name: getattr(conditions, name) for name in ("prevalence", *COSTS)}
    free = [name for name in COSTS[2:] if found[name] == (0, 0)]
    return {name: value for name, value in found.items() if name not in free}


# What limits without a confidence are about.
COUNTED = "counted on the evaluation rows"

USES_BALANCE = {
    *("cost_ratio", "false_positive", "false_negative"),
    *("maximize", "max_share", "population", "min_precision", "max_wrong", "max_referred"),
}
# Fields that have an effect only beside one of these others.
NEEDS = {
    "positives": {"capacity"},
    "negatives": {"capacity"},
    "population": {"capacity"},
    "likely": {"cost_ratio"},
    "true_positive": {"false_positive", "false_negative"},
    "true_negative": {"false_positive", "false_negative"},
    "prevalence": USES_BALANCE,
    "negatives_per_positive": USES_BALANCE,
    "max_cost": {"false_positive", "false_negative"},
    "currency": {"false_positive", "false_negative", "cost_ratio"},
    "cases_per_month": {"false_positive", "false_negative", "cost_ratio"},
    "refer_cost": {"false_positive", "false_negative"},
    "confidence": {
        *("max_fpr", "min_tpr", "max_share", "capacity"),
        *("min_precision", "max_cost", "max_wrong"),
    },
}


def _both(name: str, other: str) -> InputError:
    return InputError(name, f"be given without {other}", "both", "Leave one of them out.")
