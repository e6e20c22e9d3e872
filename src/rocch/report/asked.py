"""From what users say, in the house's words, to the question that a report starts from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rocch.errors import InputError
from rocch.report.question import ONE, Question, Range
from rocch.roc.conditions import OBSERVED, Conditions, as_conditions, as_interval

if TYPE_CHECKING:
    from rocch.roc.operating_point import ClassTotals


def asked(
    totals: ClassTotals,
    conditions: Conditions | None = None,
    *,
    prevalence: Any = None,
    belief: Any = None,
    max_fpr: float | None = None,
    capacity: float | None = None,
    population: float | None = None,
    randomize: bool = False,
) -> Question:
    """Return the question; what was not said is observed, or counts alike.

    Limits alone ask for the most hits; with costs or a belief, for the least cost within them.
    """
    limited = max_fpr is not None or capacity is not None
    costs_said = conditions is not None or belief is not None
    share, alarm, miss = _stated(totals, conditions, prevalence)
    if belief is not None and alarm.low != alarm.high:
        raise InputError(
            "conditions",
            "state the cost of a false alarm as one number beside a belief, whose unit it is",
            f"{alarm.low:g} to {alarm.high:g}",
            "The belief says how many times as bad a miss is.",
        )
    return Question(
        prevalence=share,
        false_positive=alarm,
        false_negative=miss,
        belief=belief,
        goal="hits" if limited and not costs_said else "cost",
        max_fpr=max_fpr,
        capacity=capacity,
        population=population,
        randomize=randomize,
    )


def _stated(
    totals: ClassTotals, conditions: Conditions | None, prevalence: Any
) -> tuple[Range, Range, Range]:
    if conditions is None:
        share = totals.prevalence if prevalence in (None, OBSERVED) else prevalence
        return Range(*as_interval(share, "prevalence")), ONE, ONE
    if prevalence is not None:
        raise InputError(
            "prevalence", "be said once", "another one in conditions", "Leave one of them out."
        )
    known: Any = as_conditions(conditions).resolved(totals)
    if known.true_positive != (0, 0) or known.true_negative != (0, 0):
        raise InputError(
            "conditions",
            "have right decisions free of cost in a report",
            str(conditions),
            "State what errors cost more than the right decisions do.",
        )
    return (
        Range(*known.prevalence_interval),
        Range(*known.false_positive),
        Range(*known.false_negative),
    )
