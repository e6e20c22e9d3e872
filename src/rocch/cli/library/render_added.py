"""What an addition did, in words and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.markup import escape

from rocch.cli.library.described import own
from rocch.cli.render import auc_of, console, new_table, point_json, slope_text, threshold_text

if TYPE_CHECKING:
    from rich.table import Table

    from rocch.library.adding import AddedClassifier, AdditionResult


def added_json(added: AdditionResult) -> dict[str, Any]:
    """Return an addition for programs."""
    return {
        "extends": added.extends,
        "classifiers": [
            {
                "name": one.name,
                "outcome": one.outcome,
                "kept": one.kept,
                "saves": one.saves,
                "places": [
                    {
                        "low": place.low,
                        "high": place.high,
                        "saves": place.saves,
                        "at": place.at,
                        **point_json(own(place.vertex, one.name)),
                    }
                    for place in one.places
                ],
            }
            for one in added.classifiers
        ],
        "driven_out": added.driven_out,
        "vertices": len(added.hull),
        "auc": auc_of(added.hull),
    }


def print_added(added: AdditionResult, positive: Any) -> None:
    """Print what became of each classifier, where the hull grew, and who was driven out."""
    out = console()
    for one in added.classifiers:
        out.print(escape(str(one)))
    for one in added.classifiers:
        if one.places:
            out.print(_places(one))
    if added.driven_out:
        out.print(f"Driven out: {escape(', '.join(added.driven_out))}.")
    out.print(f"Positive class: {escape(repr(positive))}.")


def _places(one: AddedClassifier) -> Table:
    """Return where one classifier made the hull grow."""
    columns = ("for slopes", "deployed at", "FPR", "TPR", "saves up to", "at slope")
    title = f"Where the hull grew: {escape(one.name)}"
    table = new_table(title, *(f">{name}" for name in columns), whole=columns)
    for place in one.places:
        table.add_row(
            f"{slope_text(place.low)}..{slope_text(place.high)}",
            threshold_text(own(place.vertex, one.name)),
            f"{place.vertex.fpr:.4f}",
            f"{place.vertex.tpr:.4f}",
            f"{place.saves:.3%}",
            slope_text(place.at),
        )
    return table
