"""A report for the terminal: the sections of the summary, set by rich."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.markup import escape

from rocch.cli.render import console, new_table
from rocch.report.many_classes.summary import ManyClassesSummary
from rocch.report.sections import Code, Table, about_data, sections

if TYPE_CHECKING:
    from rich.console import Console

    from rocch.report.summary import Summary


def print_report(summary: Summary | ManyClassesSummary) -> None:
    """Print a report."""
    out = console()
    print_sentence(summary)
    if isinstance(summary, ManyClassesSummary):
        from rocch.report.many_classes.sections import about_data as about
        from rocch.report.many_classes.sections import sections as parted

        out.print(escape(about(summary)))
        parts = parted(summary)
    else:
        out.print(escape(about_data(summary)))
        parts = sections(summary)
    for section in parts:
        out.print(f"\n[bold]{escape(section.title)}[/bold]")
        for part in section.parts:
            _print(out, part)


def print_sentence(summary: Summary | ManyClassesSummary) -> None:
    """Print the recommendation."""
    console().print(f"[bold]{escape(summary.answer.sentence)}[/bold]")


def _print(out: Console, part: str | Table | Code) -> None:
    if isinstance(part, Table):
        table: Any = new_table("", *part.header)
        for row in part.rows:
            table.add_row(*map(escape, row))
        out.print(table)
    else:
        out.print(escape(part.content if isinstance(part, Code) else part))
