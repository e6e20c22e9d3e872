"""What a reader says by turning the report's knobs, and the criterion that it means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from rocch.errors import InputError, describe_type
from rocch.inputs import as_choice, as_flag, as_number, as_rate
from rocch.roc.belief import Belief
from rocch.roc.conditions import Conditions, as_interval
from rocch.roc.criteria import (
    Capacity,
    Constrained,
    Criterion,
    LeastExpectedRegret,
    MinimaxRegret,
    NeymanPearson,
    as_criterion,
)

Goal = Literal["cost", "hits"]


class Range(NamedTuple):
    """A number known to lie between two bounds; both are the number itself where it is known."""

    low: float
    high: float


MOST_COST = 1e100
"""Beyond it, sums of costs could leave the doubles."""

ONE = Range(1.0, 1.0)
"""What errors cost where nobody says."""


class MissCosts(NamedTuple):
    """A belief: a miss is low to high times as bad as a false alarm, most likely so many times."""

    low: float
    likely: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is known about costs and class balance, what is believed, and which limits hold.

    Attributes
    ----------
    prevalence
        The share of positives, as a range.
    false_positive, false_negative
        The cost of a false alarm and of a miss, as ranges. With a belief the miss's cost is not
        used, and that of a false alarm is the unit, at its lower bound.
    belief
        How many times as bad as a false alarm a miss is; None where the costs are stated.
    goal
        "cost": the least cost. "hits": the most hits that the limits allow; costs are not used.
    max_fpr
        A limit on the false positive rate.
    capacity, population
        At most so many alarms among so many rows; both or neither.
    randomize
        Whether a coin may choose between two settings.

    Examples
    --------
    >>> from rocch.report.question import Question
    >>> asked = Question(prevalence=0.1, false_positive=1, false_negative=(5, 10), max_fpr=0.2)
    >>> asked.false_negative
    Range(low=5.0, high=10.0)
    >>> len(asked.criterion().limits)
    1
    """

    prevalence: Range
    false_positive: Range = ONE
    false_negative: Range = ONE
    belief: MissCosts | None = None
    goal: Goal = "cost"
    max_fpr: float | None = None
    capacity: float | None = None
    population: float | None = None
    randomize: bool = False

    def __post_init__(self) -> None:
        for name in ("prevalence", "false_positive", "false_negative"):
            bounds = as_interval(getattr(self, name), name)
            object.__setattr__(self, name, Range(*bounds))
        if not 0 < self.prevalence.low <= self.prevalence.high < 1:
            raise InputError(
                "prevalence",
                "lie between 0 and 1, both excluded",
                f"{self.prevalence.low:g} to {self.prevalence.high:g}",
                "It is the share of positives; both classes must occur.",
            )
        self._check_limits()
        as_choice(self.goal, ("cost", "hits"), "goal")
        as_flag(self.randomize, "randomize")
        if self.goal == "hits" and not self._limits():
            raise InputError(
                "goal",
                "be 'cost' where there is no limit",
                "'hits' alone, for which always alarming is best",
                "Name max_fpr, or capacity and population.",
            )
        if self.belief is not None:
            object.__setattr__(self, "belief", _miss_costs(self.belief))
        self.stated()  # refuses what makes no sense together
        if max(self.false_positive.high, self.false_negative.high) > MOST_COST:
            raise InputError(
                "false_positive, false_negative",
                f"cost at most {MOST_COST:g}",
                f"{max(self.false_positive.high, self.false_negative.high):g}",
                "State the costs in a larger unit.",
            )

    def _check_limits(self) -> None:
        if self.max_fpr is not None:
            object.__setattr__(self, "max_fpr", as_rate(self.max_fpr, "max_fpr"))
        if (self.capacity is None) != (self.population is None):
            raise InputError(
                "capacity, population", "come together", "one of them", "Name both or neither."
            )
        if self.capacity is None or self.population is None:
            return
        for name in ("capacity", "population"):
            number = as_number(getattr(self, name), name, least=0, hint="It is a number of rows.")
            object.__setattr__(self, name, number)
        if not self.population:
            raise InputError("population", "be more than 0", 0, "It is a number of rows.")

    @property
    def exact(self) -> bool:
        """Whether costs and prevalence are known exactly."""
        ranges = (self.prevalence, self.false_positive, self.false_negative)
        return self.belief is None and all(low == high for low, high in ranges)

    @property
    def limited(self) -> bool:
        """Whether there are limits."""
        return bool(self._limits())

    def stated(self) -> Conditions | Belief:
        """Return what is known or believed about costs and class balance."""
        low, high = self.prevalence
        prevalence: Any = low if low == high else (low, high)
        if self.belief is None:
            return Conditions(
                prevalence=prevalence,
                false_positive=self.false_positive,
                false_negative=self.false_negative,
            )
        least, likely, most = self.belief
        believed = Belief.cost_ratio(least, most, likely=likely)
        unit = believed.with_unit(false_positive=self.false_positive.low)
        return unit.with_prevalence(prevalence)

    def criterion(self) -> Criterion:
        """Return what "best" means: as `rocch best` understands the same words."""
        limits = self._limits()
        if self.goal == "hits":
            return Constrained(NeymanPearson(1.0), *limits)
        stated = self.stated()
        goal: Any = stated
        if isinstance(stated, Belief):
            goal = LeastExpectedRegret(stated)
        elif not stated.exact:
            goal = MinimaxRegret(stated)
        return Constrained(goal, *limits) if limits else as_criterion(goal)

    def _limits(self) -> list[Any]:
        """Return the limits; the capacity must do at either end of the prevalence."""
        limits: list[Any] = []
        if self.max_fpr is not None:
            limits.append(NeymanPearson(self.max_fpr))
        if self.capacity is not None and self.population is not None:
            for share in sorted(set(self.prevalence)):
                positives = share * self.population
                negatives = self.population - positives
                limits.append(Capacity(self.capacity, positives=positives, negatives=negatives))
        return limits


def _miss_costs(said: Any) -> MissCosts:
    if not isinstance(said, tuple | list) or len(said) != 3:
        raise InputError(
            "belief",
            "be (low, likely, high): how many times as bad as a false alarm a miss is",
            repr(said) if isinstance(said, tuple | list) else describe_type(said),
            "For example: (5, 9, 10).",
        )
    hint = "It says how many times as bad as a false alarm a miss is."
    found = MissCosts(*(as_number(number, "belief", least=0, hint=hint) for number in said))
    if not found.low <= found.likely <= found.high:
        raise InputError("belief", "run from low over likely to high", repr(tuple(said)), hint)
    if not found.high:
        raise InputError("belief", "allow that a miss costs something", repr(tuple(said)), hint)
    return found
