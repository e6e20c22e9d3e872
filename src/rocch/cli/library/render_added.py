"""What an addition did, in words and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.markup import escape

from rocch.cli.render import auc_of, console, new_table, point_json, slope_text, threshold_text

if TYPE_CHECKING:
    from rocch.library.added import Added


def added_json(added: Added) -> dict[str, Any]:
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
                        **point_json(place.vertex),
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


def print_added(added: Added, positive: Any) -> None:
    """Print what became of each classifier, where the hull grew, and who was driven out."""
    out = console()
    for one in added.classifiers:
        out.print(escape(str(one)))
    if added.extends:
        table = new_table(
            "Where the hull grew",
            "classifier",
            ">slope from",
            ">to",
            ">deployed at",
            ">FPR",
            ">TPR",
            ">saves up to",
            ">at slope",
        )
        for one in added.classifiers:
            for place in one.places:
                table.add_row(
                    escape(one.name),
                    slope_text(place.low),
                    slope_text(place.high),
                    threshold_text(place.vertex),
                    f"{place.vertex.fpr:.4f}",
                    f"{place.vertex.tpr:.4f}",
                    f"{place.saves:.3%}",
                    slope_text(place.at),
                )
        out.print(table)
    if added.driven_out:
        out.print(f"Driven out: {escape(', '.join(added.driven_out))}.")
    out.print(f"Positive class: {escape(repr(positive))}.")
