"""A report for the terminal: the sections of the summary, set by rich."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from rich.markup import escape

from rocch.cli.render import console, new_table
from rocch.report.summary import Code, Summary, Table

if TYPE_CHECKING:
    from rich.console import Console

# Longer names are broken rather than let a table run over its edge.
MOST_WIDE = 24


def print_report(summary: Summary) -> None:
    """Print a report."""
    out = console()
    print_sentence(summary)
    out.print(escape(f"Assumed: {summary.assumed}.\n{summary.about}"))
    for section in summary.sections:
        out.print(f"\n[bold]{escape(section.title)}[/bold]")
        for part in section.parts:
            _print(out, part)


def print_sentence(summary: Summary) -> None:
    """Print the recommendation."""
    console().print(f"[bold]{escape(summary.sentence)}[/bold]")


def _print(out: Console, part: str | Table | Code) -> None:
    if isinstance(part, Table):
        out.print(_table(part))
    else:
        out.print(escape(part.content if isinstance(part, Code) else part))


def _table(part: Table) -> Any:
    """Set a table; where it is wide its headings are broken, but never its numbers."""
    table = new_table("", *part.header)
    for row in part.rows:
        table.add_row(*map(escape, row))
    for column, name, cells in zip(
        table.columns, part.header, zip(*part.rows, strict=True), strict=False
    ):
        column.overflow = "fold"
        words = name.lstrip(">").split()
        column.min_width = min(MOST_WIDE, max(map(cell_len, (*cells, *words))))
    return table
