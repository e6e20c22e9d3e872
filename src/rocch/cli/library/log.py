"""`rocch library log`: the history."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rocch.cli.options import folder_argument, json_option
from rocch.errors import escape_line

if TYPE_CHECKING:
    from pathlib import Path

    from rocch.library.contents import LogEntry


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
    from rocch.cli.library.described import when
    from rocch.cli.render import console, new_table

    whole = ("at (UTC)", "what", "saves up to")
    table = new_table("", "at (UTC)", "by", "what", ">saves up to", "details", whole=whole)
    for entry in entries:
        saves = max(entry.detail.get("saves", {}).values(), default=None)
        table.add_row(
            _cell(when(entry.at)),
            _cell(entry.by),
            _cell(entry.kind),
            "" if saves is None else f"{saves:.3%}",
            _cell(_details(entry)),
        )
    console().print(table if entries else "Nothing happened yet.")


def _cell(text: str) -> str:
    from rich.markup import escape

    return escape(escape_line(text))


def _details(entry: LogEntry) -> str:
    """Write who joined and left, an export's version, bounds, and what was noted."""
    detail = entry.detail
    parts = {"joined": ", ".join(entry.joined), "left": ", ".join(entry.left)}
    if "version" in detail:
        parts["version"] = f"{detail['version']} of {', '.join(detail['classifiers'])}"
    parts |= {name: str(detail.get(name) or "") for name in ("within", "note")}
    return "; ".join(f"{name} {words}" for name, words in parts.items() if words)
