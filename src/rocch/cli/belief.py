"""What an expert says on the command line, as a belief."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rocch.roc.belief import Belief

RATIOS = ("miss_costs", "false_alarm_costs")


def stated_ratio(known: dict[str, Any]) -> Belief | None:
    """Return the belief that one of the two options states, if one does."""
    from rocch.roc.belief import Belief

    given = [name for name in RATIOS if known[name] is not None]
    if not given:
        return None
    if len(given) > 1:
        raise click.UsageError("give --miss-costs or --false-alarm-costs, not both.")
    (name,) = given
    low, high = known[name]
    if low < 0 or math.isinf(low) or math.isnan(low + high):
        raise click.UsageError(
            f"--{name.replace('_', '-')} must not be negative, and its lower bound finite; got "
            f"{low:g}..{high:g}. Write 5..10, or 1..inf."
        )
    belief: Belief = getattr(Belief, name)(low, high, likely=known["likely"])
    return belief


def belief_from(known: dict[str, Any], prevalence: Any) -> Belief | None:
    """Return the belief about a ratio, with one cost as its unit and the class balance."""
    stated = stated_ratio(known)
    if stated is None:
        return None
    for option in ("tp_cost", "tn_cost", "maximise"):
        if known[option] is not None:
            raise click.UsageError(
                f"--{option.replace('_', '-')} does not go with a belief, which compares a "
                "miss with a false alarm alone."
            )
    if prevalence is None:
        raise click.UsageError(
            "a belief needs the class balance: --prevalence (which may be 'observed') or "
            "--negatives-per-positive."
        )
    return stated.with_unit(**_unit(known)).with_prevalence(plain(prevalence))


def _unit(known: dict[str, Any]) -> dict[str, float]:
    """Return the one cost that is known, by its name in Python."""
    names = {"fp_cost": "false_positive", "fn_cost": "false_negative"}
    given = {name: known[option] for option, name in names.items() if known[option] is not None}
    if len(given) != 1:
        raise click.UsageError(
            f"a belief needs one cost as its unit, {'not both' if given else 'got none'}: "
            "--fp-cost 20 if a false alarm costs 20, or --fn-cost."
        )
    ((name, (low, high)),) = given.items()
    if low != high:
        raise click.UsageError(
            f"the cost beside a belief is its unit and must be one number; got {low:g}..{high:g}."
        )
    return {name: low}


def class_balance(known: dict[str, Any]) -> Any:
    """Return the class balance, however it was stated: a pair, the word 'observed', or nothing."""
    from rocch.roc.conditions import prevalence_from_ratio

    ratio = known["negatives_per_positive"]
    if ratio is not None and known["prevalence"] is not None:
        raise click.UsageError("give --prevalence or --negatives-per-positive, not both.")
    return known["prevalence"] if ratio is None else prevalence_from_ratio(ratio)


def plain(prevalence: Any) -> Any:
    """Return a pair of equal bounds as the number it is."""
    if isinstance(prevalence, str):
        return prevalence
    low, high = prevalence
    return low if low == high else (low, high)
