"""The options that ask for an operating point, in the same words for every command."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from rocch.cli.options import INTERVAL, balance_options

if TYPE_CHECKING:
    from collections.abc import Callable

    Command = Callable[..., Any]

ERRORS = (
    click.option(
        "--false-positive",
        "false_positive",
        **INTERVAL,
        help="Cost of a false alarm: 10 or 10..20.",
    ),
    click.option("--false-negative", "false_negative", **INTERVAL, help="Cost of a miss."),
)
"""What errors cost."""

RIGHT = (
    click.option(
        "--true-positive", "true_positive", **INTERVAL, help="Cost of a hit.  [default: 0]"
    ),
    click.option(
        "--true-negative",
        "true_negative",
        **INTERVAL,
        help="Cost of rightly not alarming.  [default: 0]",
    ),
)
"""What right decisions cost."""

OPTIONS = (
    *ERRORS,
    click.option(
        "--cost-ratio",
        **INTERVAL,
        help="A belief: a miss is so many times as bad as a false alarm; one cost is the unit.",
    ),
    click.option(
        "--inverse-cost-ratio",
        **INTERVAL,
        help="... or a false alarm so many times as bad as a miss,",
    ),
    click.option("--likely", type=float, help="... and most likely so many times."),
    *RIGHT,
    click.option("--max-fpr", type=float, help="Limit on the false positive rate."),
    click.option("--min-tpr", type=float, help="Least true positive rate."),
    click.option("--capacity", type=float, help="Most cases that can be handled ..."),
    click.option("--positives", type=float, help="... out of so many positives"),
    click.option("--negatives", type=float, help="... and so many negatives,"),
    click.option("--population", type=float, help="... or out of so many (with --prevalence)."),
    click.option(
        "--max-share", type=float, help="Most alarms, as a share of all (with --prevalence)."
    ),
    click.option(
        "--maximize", help="A metric: tpr, precision, lift, f1, accuracy, informedness, ..."
    ),
    click.option("--randomize", is_flag=True, help="Allow mixing two classifiers by a coin."),
)


def question_options(command: Command) -> Command:
    """Add what can be known about costs, class balance and limits; the command gets `asked`.

    It also gets `randomize`, which says nothing about conditions.
    """

    @wraps(command)
    def with_question(**given: Any) -> Any:
        from dataclasses import fields

        from rocch.roc.asked import Asked

        words = {field.name: given.pop(field.name) for field in fields(Asked)}
        return command(asked=Asked(**words), **given)

    wrapped: Command = with_question
    for add in reversed(OPTIONS):
        wrapped = add(wrapped)
    return balance_options(wrapped)
