"""What assigned answers cost, for a terminal."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rich.markup import escape

from rocch.cli.render import console, new_table
from rocch.errors import format_count

if TYPE_CHECKING:
    from rich.table import Table

    from rocch.cli.assigned import Assigned, Judged
    from rocch.multiclass.confusion import Confusion

MOST_CLASSES = 12
"""Confusion matrices of more classes do not fit a screen; JSON has them."""


def print_summary(answers: Assigned) -> None:
    """Print to standard error, because the answers may be on standard output."""
    if answers.judged is None:
        return
    out = console(stderr=True)
    rows = len(answers.answers)
    out.print(
        f"{format_count(rows, 'row')}; by the posteriors the answers should cost "
        f"{answers.mean_expected:.4g} per row."
    )
    out.print(_against(answers.judged))
    if len(answers.costs.classes) <= MOST_CLASSES:
        out.print(confusion_table("Answers of least expected cost", answers.judged.confusion))


def _against(judged: Judged) -> Table:
    table = new_table("", "", ">least expected cost", ">most likely class")
    table.add_row("cost per row", *aligned([judged.cost, judged.most_likely_cost]))
    both = (judged.confusion, judged.most_likely)
    table.add_row("wrong answers", *(str(each.errors) for each in both))
    shares = (each.errors / each.totals.sum() for each in both)
    table.add_row("error rate", *(f"{share:.4f}" for share in shares))
    return table


def aligned(costs: list[float]) -> list[str]:
    """Write costs with as many decimals as give the largest of them four digits."""
    largest = max(costs)
    decimals = 3 - math.floor(math.log10(largest)) if largest > 0 else 0
    return [f"{cost:,.{max(decimals, 0)}f}" for cost in costs]


def confusion_table(title: str, confusion: Confusion) -> Table:
    """Return a confusion matrix as a table, with each class's miss rate."""
    names = [escape(str(name)) for name in confusion.classes]
    table = new_table(
        f"{title}: truths in rows, answers in columns",
        "truth",
        *(f">{name}" for name in names),
        ">miss rate",
    )
    for place, (name, counts) in enumerate(zip(names, confusion.counts.tolist(), strict=True)):
        rate = f"{1 - counts[place] / sum(counts):.4f}" if any(counts) else "-"
        table.add_row(name, *map(str, counts), rate)
    return table
