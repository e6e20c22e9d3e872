"""What costs are stated as for a comparison: exact conditions, or a belief with a unit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rocch.errors import bad_input, kind_of
from rocch.roc.belief import Belief
from rocch.roc.conditions import Conditions

if TYPE_CHECKING:
    from rocch.roc.conditions import Case

EXAMPLES = (
    "For example Conditions(prevalence=0.1, false_positive=1, false_negative=9), or "
    "Belief.miss_costs(5, 10, likely=9).with_unit(false_positive=1) with a prevalence."
)


def as_stated(given: Any, prevalence: Any, argument: str) -> Conditions | Belief:
    """Return exact conditions, or a belief with a unit and a prevalence, which is named once."""
    if isinstance(given, Belief):
        given.checked_unit()
        return given if prevalence is None else given.with_prevalence(prevalence)
    if not isinstance(given, Conditions):
        raise bad_input(
            argument, "be exact Conditions or a Belief about costs", kind_of(given), EXAMPLES
        )
    if prevalence is not None:
        raise bad_input(
            "prevalence", "go with a belief", f"{prevalence!r} beside Conditions", "They have one."
        )
    if not given.exact:
        raise bad_input(
            argument,
            "be exact, or a Belief, which says how likely what lies between the bounds is",
            f"intervals ({given})",
            EXAMPLES,
        )
    return given


def as_case(stated: Conditions | Belief) -> Case:
    """Return exact conditions as a case; for a belief, the one that costs what is expected."""
    return stated.expected_case if isinstance(stated, Belief) else stated.case
