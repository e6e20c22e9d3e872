"""`rocch library log`: the history."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rocch.cli.library.options import folder_argument
from rocch.cli.options import json_option

if TYPE_CHECKING:
    from pathlib import Path

    from rocch.library.records import LogEntry


@click.command("log")
@folder_argument
@json_option
def command(folder: Path, as_json: bool) -> None:
    """Show the history of the library in DIR, the oldest first.

    Each addition that grew the hull, when, by whom, what it saves at most, and whom it drove out;
    what was pruned and exported. Classifiers that were discarded at once leave no entry.

    \b
    Example:
      rocch library log churn
    """
    from rocch.cli.render import print_json
    from rocch.library.library import ClassifierLibrary

    with ClassifierLibrary(folder) as library:
        entries = library.log()
    if as_json:
        print_json({"log": [_entry_json(entry) for entry in entries]})
    else:
        _print(entries)


def _entry_json(entry: LogEntry) -> dict[str, Any]:
    listed = {name: getattr(entry, name) for name in entry.__slots__}
    return {**listed, "detail": dict(entry.detail)}


def _print(entries: list[LogEntry]) -> None:
    from rich.markup import escape

    from rocch.cli.library.described import when
    from rocch.cli.render import console, new_table

    table = new_table("", "at (UTC)", "by", "what", "joined", ">saves up to", "left", "")
    for entry in entries:
        saves = max(entry.detail.get("saves", {}).values(), default=None)
        table.add_row(
            when(entry.at),
            escape(entry.by),
            entry.kind,
            escape(", ".join(entry.joined)),
            "" if saves is None else f"{saves:.3%}",
            escape(", ".join(entry.left)),
            escape(_more(entry)),
        )
    console().print(table if entries else "Nothing happened yet.")


def _more(entry: LogEntry) -> str:
    """Write what else is known: an export's version, bounds."""
    detail = entry.detail
    if "version" in detail:
        return f"version {detail['version']} of {', '.join(detail['classifiers'])}"
    return f"within {detail['within']}" if "within" in detail else ""
