"""Choices weighed by a belief, as tables for a terminal and as JSON for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.markup import escape

from rocch.cli.render import console, new_table, point_json, threshold_text, who

if TYPE_CHECKING:
    from rocch.stats.decisions import ChoiceAnalysis, DecisionAnalysis


WORTH_A_ROW = 0.005
"""Choices with a smaller chance are only counted."""


def weighed_json(weighed: DecisionAnalysis | None) -> dict[str, Any]:
    """Return weighed choices for programs; what has no value here is null."""
    if weighed is None:
        return {}
    safest = weighed.minimax_regret.point if weighed.belief.bounded else None
    names = ("gain_over_mean", "value_of_knowing")
    partly = ("value_of_knowing_costs", "value_of_knowing_prevalence")
    found = {
        "belief": str(weighed.belief),
        "slope_range": list(weighed.belief.slope_range),
        "choices": [_choice_json(choice) for choice in weighed.choices],
        "classifiers": [
            {name: getattr(row, name) for name in row.__slots__} for row in weighed.classifiers
        ],
        "minimax": None if safest is None else _choice_json(weighed.analyze(safest)),
        "at_mean": _choice_json(weighed.at_mean),
        "at_likely": None if weighed.at_likely is None else _choice_json(weighed.at_likely),
        **{name: getattr(weighed, name) for name in (*names, *partly)},
    }
    return {"weighed": found}


def print_weighed(weighed: DecisionAnalysis | None) -> None:
    """Print what can be best and how likely, each classifier alone, and what knowing is worth."""
    if weighed is None:
        return
    out = console()
    costs = (">expected cost", ">regret", ">at worst")
    choices = new_table("What can be best", ">chance", "classifier", ">deployed at", *costs)
    shown = [row for row in weighed.choices if row.probability >= WORTH_A_ROW]
    for row in shown:
        where = who(row.point), threshold_text(row.point)
        choices.add_row(f"{row.probability:.1%}", *where, *_costs(row))
    out.print(choices)
    if len(shown) < len(weighed.choices):
        out.print(f"{len(weighed.choices) - len(shown)} more with a chance below 0.5 % each.\n")
    alone = new_table("Each classifier alone, re-aimed", ">chance", "classifier", *costs)
    for one in weighed.classifiers:
        alone.add_row(f"{one.probability:.1%}", escape(one.classifier), *_costs(one))
    out.print(alone)
    out.print(escape(str(weighed)))
    out.print(
        f"Knowing the costs alone is worth at most {weighed.value_of_knowing_costs:.4g} per case, "
        f"the prevalence alone {weighed.value_of_knowing_prevalence:.4g}."
    )


def _choice_json(choice: ChoiceAnalysis) -> dict[str, Any]:
    numbers = {name: getattr(choice, name) for name in choice.__slots__ if name != "point"}
    return {**numbers, **point_json(choice.point)}


def _costs(row: Any) -> list[str]:
    numbers = (row.expected_cost, row.expected_regret, row.worst_regret)
    return ["" if number is None else f"{number:.4g}" for number in numbers]
