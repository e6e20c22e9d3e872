"""Names of columns for shell completion, from the file that is already on the line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import click

LARGEST = 2**26
"""Larger files are left alone, because completing must be quick."""


def complete_columns(context: click.Context, _: click.Parameter, typed: str) -> list[str]:
    """Return the columns that go on as typed; of several, separated by commas, the last one."""
    # an option that still lacks its value keeps click from telling the arguments apart
    files = context.params.get("files") or (context.params.get("file") or "",)
    named = [*files, *context.args]
    file = next((Path(each) for each in named if Path(each).is_file()), None)
    if file is None or file.stat().st_size > LARGEST:
        return []
    from rocch.cli.data import column_names

    before, comma, last = typed.rpartition(",")
    try:
        names = column_names(file)
    except Exception:  # a shell that completes must never show an error
        return []
    return [before + comma + name for name in names if name.startswith(last)]
