"""What an expert says on the command line, as a belief."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rocch.roc.belief import Belief


def belief_from(known: dict[str, Any], prevalence: Any) -> Belief | None:
    """Return the belief that --miss-costs and --likely state, with one cost as its unit."""
    from rocch.roc.belief import Belief

    if known["miss_costs"] is None:
        return None
    for option in ("tp_cost", "tn_cost", "maximise"):
        if known[option] is not None:
            raise click.UsageError(
                f"--{option.replace('_', '-')} does not go with --miss-costs, which compares a "
                "miss with a false alarm alone."
            )
    if prevalence is None:
        raise click.UsageError(
            "--miss-costs needs the class balance: --prevalence (which may be 'observed') or "
            "--negatives-per-positive."
        )
    stated = Belief.miss_costs(*known["miss_costs"], likely=known["likely"])
    return stated.with_unit(**_unit(known)).with_prevalence(_plain(prevalence))


def _unit(known: dict[str, Any]) -> dict[str, float]:
    """Return the one cost that is known, by its name in Python."""
    names = {"fp_cost": "false_positive", "fn_cost": "false_negative"}
    given = {name: known[option] for option, name in names.items() if known[option] is not None}
    if len(given) != 1:
        raise click.UsageError(
            f"--miss-costs needs one cost as its unit, {'not both' if given else 'got none'}: "
            "--fp-cost 20 if a false alarm costs 20, or --fn-cost."
        )
    ((name, (low, high)),) = given.items()
    if low != high:
        raise click.UsageError(
            "the cost beside --miss-costs is its unit and must be one number; got "
            f"{low:g}..{high:g}."
        )
    return {name: low}


def _plain(prevalence: Any) -> Any:
    """Return a pair of equal bounds as the number it is."""
    if isinstance(prevalence, str):
        return prevalence
    low, high = prevalence
    return low if low == high else (low, high)
